package embedkit

import (
	"context"
	"encoding/hex"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/i18n"
	"vestibule/internal/store"
	portalui "vestibule/templates/portal"
)

// A frame in another site's page has no cookies. Its addresses carry the embed token
// and, after a dot, a key. The page that contains the frame generates the key, and
// the token is bound to the first key that it is used with. After that, a token
// leaked from a saved page or a log opens nothing.

// splitGrant splits a grant into its embed token and the key of its frames, which may
// be "".
func splitGrant(grant string) (token, key string, ok bool) {
	token, key, found := strings.Cut(grant, ".")
	return token, key, len(grant) <= 160 && (!found || len(key) >= 22 && !strings.ContainsFunc(key, func(c rune) bool {
		return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_')
	}))
}

// framesOf returns the stored holder of a key. Session IDs never have this form.
func framesOf(key string) string {
	if key == "" {
		return ""
	}
	return "frame:" + hex.EncodeToString(store.Hash(key))
}

// Grant returns the application that a grant opens inside a frame, the grant to use
// from then on, and the origin that may frame it. With opens set, which is only for
// page requests, it binds an unbound token to the frame, with a new key if the grant
// has none. It returns store.ErrNotFound for a token that is unknown, expired, or
// bound to another holder.
func (k *Kit) Grant(ctx context.Context, grant string, opens bool) (applicationID, held, origin string, err error) {
	token, key, ok := splitGrant(grant)
	if !ok {
		return "", "", "", store.ErrNotFound
	}
	g, err := k.granted(ctx, k.DB.SQL, token)
	if err != nil {
		return "", "", "", err
	}
	own := key != "" && g.holder == framesOf(key)
	switch {
	case !k.Now().Before(g.until):
		return "", "", "", store.ErrNotFound
	case own:
		return g.application, grant, g.origin, nil
	case g.holder != "" || !opens:
		return "", "", "", store.ErrNotFound
	}
	if key == "" {
		key = store.NewSecret()
	}
	_, err = k.bind(ctx, k.DB.SQL, token, framesOf(key), "")
	return g.application, token + "." + key, g.origin, err
}

// Redeem binds an embed token to a session and returns the application that it opens.
// The binding is permanent: for other sessions, and for an unknown or expired token,
// it returns store.ErrNotFound. A token bound to a frame is rebound to the session if
// the grant contains the frame's key, which is how an applicant leaves the frame.
func (k *Kit) Redeem(ctx context.Context, tx *store.Tx, grant, sessionID string) (applicationID string, err error) {
	token, key, ok := splitGrant(grant)
	if sessionID == "" {
		return "", errors.New("embedkit: a token is redeemed by a session")
	}
	if !ok {
		return "", store.ErrNotFound
	}
	return k.bind(ctx, tx, token, sessionID, framesOf(key))
}

// Unused returns the application of a token that a browser can still redeem, or
// store.ErrNotFound.
func (k *Kit) Unused(ctx context.Context, token string) (applicationID string, err error) {
	g, err := k.granted(ctx, k.DB.SQL, token)
	if err == nil && (g.holder != "" || !k.Now().Before(g.until)) {
		err = store.ErrNotFound
	}
	return g.application, err
}

// frame handles the first page of an element's frame, or of its window in the mode
// redirect, and redirects to the token's application. For an invalid token or a wrong
// origin it shows an error page that notifies the element, and keeps the token unused.
func (k *Kit) frame(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	grant := q.Get("grant")
	token, key, ok := splitGrant(grant)
	top := r.Header.Get("Sec-Fetch-Dest") == "document" || q.Get("window") == "top"
	var g granted
	err := store.ErrNotFound
	if ok {
		g, err = k.granted(r.Context(), k.DB.SQL, token)
	}
	problem := Problem("")
	switch {
	case errors.Is(err, store.ErrNotFound):
		problem = ProblemToken
	case err != nil:
		return err
	case !k.Now().Before(g.until):
		problem = ProblemExpired
	case top:
		// Redeem decides by the browser's session
	case g.holder != "" && g.holder != framesOf(key):
		problem = ProblemToken
	case g.origin == "" || q.Has("origin") && q.Get("origin") != plainOrigin(g.origin):
		problem = ProblemOrigin
	}
	if problem != "" {
		return k.showProblem(w, r, problem, g.origin, top)
	}
	query := url.Values{"grant": {grant}}
	if lang := q.Get("lang"); i18n.Lang(lang).Spoken() {
		query.Set("lang", lang)
	}
	if top {
		query.Set("window", "top")
	}
	if q.Has("isolated") {
		query.Set("isolated", "1")
		httpx.AllowIsolated(w)
	}
	w.Header().Set("Referrer-Policy", "no-referrer")
	w.Header().Set("Cache-Control", "no-store")
	return httpx.SeeOther(w, "/applications/"+g.application+"/connect?"+query.Encode())
}

// backPath is where a bank's pages lead if they took the window of the page around a frame.
const backPath = "/embed/v1/back/"

// BackURL returns the address of the page that leads from the top window to the page around
// a frame. It has the hash of the grant's token, so that it opens nothing: the provider
// learns it.
func BackURL(grant string) string {
	token, _, _ := splitGrant(grant)
	return backPath + hex.EncodeToString(store.Hash(token))
}

// back shows the page of BackURL. Its script finds the page around the frame in its
// fragment, and accepts only addresses of the token's origin.
func (k *Kit) back(w http.ResponseWriter, r *http.Request) error {
	hash, _ := hex.DecodeString(r.PathValue("hash")) // a part of another text is the hash of no token
	g, err := k.grantedByHash(r.Context(), k.DB.SQL, hash)
	if errors.Is(err, store.ErrNotFound) || err == nil && g.origin == "" {
		return httpx.NewError(contract.CodeNotFound, errors.New("no token that a frame uses"))
	}
	if err != nil {
		return err
	}
	w.Header().Set("Referrer-Policy", "no-referrer")
	httpx.SetSecurityHeaders(w, httpx.CSP{})
	return httpx.HTML(w, r, http.StatusOK, portalui.HostPage(portalui.Host{Base: k.Base(r), Origin: plainOrigin(g.origin)}))
}

// plainOrigin normalizes an allowed origin as browsers do.
func plainOrigin(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return raw
	}
	host := strings.ToLower(u.Host)
	if port := map[string]string{"https": ":443", "http": ":80"}[u.Scheme]; port != "" {
		host = strings.TrimSuffix(host, port)
	}
	return u.Scheme + "://" + host
}

// showProblem shows an error page. The page contains nothing about an application, so if
// the allowed site is unknown, any site may frame it.
func (k *Kit) showProblem(w http.ResponseWriter, r *http.Request, problem Problem, origin string, top bool) error {
	info := problem.info()
	m := portalui.Notice{Base: k.Base(r), Title: info.Title, Text: info.Applicant, RequestID: httpx.RequestID(r.Context())}
	status, policy := http.StatusNotFound, httpx.CSP{Isolated: r.URL.Query().Has("isolated")}
	if problem == ProblemExpired {
		status = http.StatusGone
	}
	if !top {
		if origin == "" || problem == ProblemOrigin {
			origin = "*"
		}
		m.Base = m.Base.In(origin, "")
		m.Frame.Error, policy.FrameAncestors = string(problem), origin
	}
	httpx.SetSecurityHeaders(w, policy)
	return httpx.HTML(w, r, status, portalui.NoticePage(m))
}
