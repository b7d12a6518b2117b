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
	"vestibule/internal/store"
	pages "vestibule/templates/portal"
)

// A frame in another site's page has no cookies: what it carries from page to page
// in its address is the embed token and, behind a dot, a key. The key is made by
// the page that holds the frame, and the first key that a token is used with keeps
// it: the token that stands in somebody's saved page or log opens nothing more.

// splitGrant takes a grant apart: an embed token, and the key of its frames or "".
func splitGrant(grant string) (token, key string, ok bool) {
	token, key, found := strings.Cut(grant, ".")
	return token, key, len(grant) <= 160 && (!found || len(key) >= 22 && !strings.ContainsFunc(key, func(c rune) bool {
		return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_')
	}))
}

// framesOf is how the holder of a key is written down; no session is called so.
func framesOf(key string) string {
	if key == "" {
		return ""
	}
	return "frame:" + hex.EncodeToString(store.Hash(key))
}

// Grant returns the application that a grant opens inside a frame, the grant to
// carry on there, and the site that may frame it. With opens, which a page is
// fetched with and nothing else, a token that nobody has becomes the frame's own,
// by a new key if it has none. One that somebody else has, has ended or never was
// is store.ErrNotFound.
func (k *Kit) Grant(ctx context.Context, grant string, opens bool) (applicationID, held, origin string, err error) {
	token, key, ok := splitGrant(grant)
	if !ok {
		return "", "", "", store.ErrNotFound
	}
	g, err := k.granted(ctx, k.DB.SQL, token)
	if err != nil {
		return "", "", "", err
	}
	mine := key != "" && g.holder == framesOf(key)
	switch {
	case !k.Now().Before(g.until):
		return "", "", "", store.ErrNotFound
	case mine:
		return g.application, grant, g.origin, nil
	case g.holder != "" || !opens:
		return "", "", "", store.ErrNotFound
	}
	if key == "" {
		key = store.NewSecret()
	}
	_, err = k.take(ctx, k.DB.SQL, token, framesOf(key), "")
	return g.application, token + "." + key, g.origin, err
}

// Redeem gives an embed token to the browser of a session and returns the
// application that it opens. The first browser has it for good: for another one
// it is store.ErrNotFound, as it is when it ended or never was. What a frame had
// goes to the session if it comes with the frame's key: the way out of the frame.
func (k *Kit) Redeem(ctx context.Context, tx *store.Tx, grant, sessionID string) (applicationID string, err error) {
	token, key, ok := splitGrant(grant)
	if sessionID == "" {
		return "", errors.New("embedkit: a token is redeemed by a session")
	}
	if !ok {
		return "", store.ErrNotFound
	}
	former := sessionID
	if key != "" {
		former = framesOf(key)
	}
	return k.take(ctx, tx, token, sessionID, former)
}

// frame is where an element's frame begins, and its window in the mode redirect:
// it leads to the application that the token is for. A token that opens nothing
// any more, or not on the page that says it has the frame, is a page that says so,
// to people in words and to the element as an error. It is not used up by that.
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
		// Whose it is, only the session of this browser tells.
	case g.holder != "" && g.holder != framesOf(key):
		problem = ProblemToken
	case g.origin == "" || q.Has("origin") && q.Get("origin") != plainOrigin(g.origin):
		problem = ProblemOrigin
	}
	if problem != "" {
		return k.ended(w, r, problem, g.origin, top)
	}
	carry := url.Values{"grant": {grant}}
	if lang := q.Get("lang"); contract.Lang(lang).Spoken() {
		carry.Set("lang", lang)
	}
	if top {
		carry.Set("window", "top")
	}
	w.Header().Set("Referrer-Policy", "no-referrer")
	w.Header().Set("Cache-Control", "no-store")
	httpx.SeeOther(w, "/applications/"+g.application+"/connect?"+carry.Encode())
	return nil
}

// plainOrigin is an allowed origin as a browser writes it.
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

// ended says why there is nothing to be shown. There is nothing of an application
// on that page, so where no site is known that it is for, it is for any.
func (k *Kit) ended(w http.ResponseWriter, r *http.Request, problem Problem, origin string, top bool) error {
	info := problem.info()
	m := pages.Notice{Base: k.Base(r), Title: info.Title, Text: info.Applicant, RequestID: httpx.RequestID(r.Context())}
	status, policy := http.StatusNotFound, httpx.CSP{}
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
	return httpx.HTML(w, r, status, pages.NoticePage(m))
}
