package visits

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/provider/visits/flow"
	"vestibule/internal/store"
	providerui "vestibule/templates/provider"
)

// A hosted visit belongs to one browser: the first that acts on it, by consenting or
// by taking the signed result. Opening the page binds nothing, because mail scanners
// and link previews open pages too. The page gives each browser a random secret in a
// cookie, and the visit stores the hash of its browser's secret.
//
// A visit in the widget's frame needs no cookie. The frame sends its secret, by which it resumes
// the visit, as secretHeader; without the secret, the visit is unknown. A visit that began without
// the header (by a frame of an earlier version) needs the handle only.

var (
	errOtherBrowser = errors.New("visits: the visit belongs to another browser")
	errOtherSite    = errors.New("visits: the request comes from another site")
	errNoCookie     = errors.New("visits: the browser keeps no cookie")
	errSuspended    = errors.New("visits: the account is suspended")
)

const (
	// secretHeader has the secret of the widget's frame. The form that opens an institution's
	// pages in a window has it as a field, secret.
	secretHeader = "X-Visit-Secret"

	cookiePrefix = "visit-"
	// cookieLife, in seconds, is longer than a visit and the redirect after its end.
	cookieLife = 4 * 24 * 60 * 60
	// maxCookies limits the cookies that a browser sends; the oldest are deleted.
	maxCookies = 20
)

// cookieName returns the name of the cookie of a visit. It does not reveal the handle.
func (s *Service) cookieName(handle string) string {
	sum := sha256.Sum256([]byte("vestibule visit cookie\n" + handle))
	return s.cookiePrefix() + base64.RawURLEncoding.EncodeToString(sum[:12])
}

func (s *Service) cookiePrefix() string {
	if s.Secure {
		return "__Host-" + cookiePrefix
	}
	return cookiePrefix
}

// secretOf returns the browser's secret for the visit of a handle, or "".
func (s *Service) secretOf(r *http.Request, handle string) string {
	all := r.CookiesNamed(s.cookieName(handle))
	if len(all) != 1 || !isSecret(all[0].Value) {
		return ""
	}
	return all[0].Value
}

// isSecret reports whether text has the form of store.NewSecret.
func isSecret(text string) bool {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	return err == nil && len(raw) == 32 && !strings.ContainsAny(text, "\r\n")
}

// setSecret sets a secret for the visit of a handle as a cookie and deletes the
// oldest cookies of other visits beyond maxCookies.
func (s *Service) setSecret(w http.ResponseWriter, r *http.Request, handle string) string {
	secret := store.NewSecret()
	s.setCookie(w, s.cookieName(handle), secret, cookieLife)
	var others []string // oldest first, as browsers send them
	for _, c := range r.Cookies() {
		if strings.HasPrefix(c.Name, s.cookiePrefix()) && c.Name != s.cookieName(handle) {
			others = append(others, c.Name)
		}
	}
	for i := 0; i <= len(others)-maxCookies; i++ {
		s.setCookie(w, others[i], "", -1)
	}
	return secret
}

func (s *Service) setCookie(w http.ResponseWriter, name, value string, life int) {
	// Lax, not Strict: applicants reach the page by a link on another site.
	http.SetCookie(w, &http.Cookie{Name: name, Value: value, Path: "/", MaxAge: life,
		HttpOnly: true, Secure: s.Secure, SameSite: http.SameSiteLaxMode})
}

// find loads the visit of a request. A visit of a widget's frame is found with its secret only.
func (s *Service) find(r *http.Request, secret string) (visit, error) {
	v, err := s.load(r.Context(), r.PathValue("handle"))
	if err == nil && !v.hosted && v.browser != nil && subtle.ConstantTimeCompare(store.Hash(secret), v.browser) != 1 {
		return visit{}, store.ErrNotFound
	}
	return v, err
}

// authorize rejects a browser other than the hosted visit's.
func (s *Service) authorize(r *http.Request, v visit) error {
	if !v.hosted || v.browser == nil {
		return nil
	}
	secret := s.secretOf(r, r.PathValue("handle"))
	if secret == "" || subtle.ConstantTimeCompare(store.Hash(secret), v.browser) != 1 {
		return errOtherBrowser
	}
	return nil
}

// bindBrowser binds an unbound visit to the browser, and rejects the browser if another has
// it.
func (s *Service) bindBrowser(r *http.Request, v visit, secret string) error {
	if !v.hosted {
		return nil
	}
	if v.browser == nil {
		if secret == "" {
			return errNoCookie
		}
		bound := false
		err := s.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) (err error) {
			if bound, err = bind(ctx, tx, v.id, store.Hash(secret)); err == nil && !bound {
				v, err = byID(ctx, tx, v.id)
			}
			return err
		})
		if err != nil || bound {
			return err
		}
	}
	return s.authorize(r, v)
}

// requireNavigation returns an error unless a browser leads the applicant to the page: for
// other methods than GET, and for a page that is fetched ahead.
func requireNavigation(w http.ResponseWriter, r *http.Request) error {
	if r.Method != http.MethodGet {
		w.Header().Set("Allow", http.MethodGet)
		return httpx.NewError(contract.CodeMethodNotAllowed, errors.New("only GET returns"))
	}
	if r.Header.Get("Sec-Purpose") != "" || r.Header.Get("Purpose") != "" {
		return httpx.NewError(contract.CodeUnavailable, errors.New("the page was fetched ahead"))
	}
	return nil
}

// startOver binds an invited visit to another browser and resets it: an invite works
// from any browser until its visit is completed.
func (s *Service) startOver(w http.ResponseWriter, r *http.Request) error {
	handle := r.PathValue("handle")
	secret := s.secretOf(r, handle)
	if secret == "" {
		return errNoCookie
	}
	var v visit
	err := s.retry(r.Context(), func(ctx context.Context, tx *store.Tx) (err error) {
		if v, err = byHandle(ctx, tx, handle); err != nil {
			return err
		}
		if v, err = s.catchUp(ctx, tx, v); err != nil {
			return err
		}
		if invited, err := s.isInvited(ctx, v); err != nil {
			return err
		} else if !invited {
			return errOtherBrowser
		}
		var moved bool
		if v, moved, err = s.advance(ctx, tx, v, flow.Input{Kind: flow.EventStartedOver}); err != nil {
			return err
		}
		if !moved {
			return store.ErrNotFound
		}
		return rebind(ctx, tx, v.id, store.Hash(secret))
	})
	if err != nil {
		return err
	}
	return redirectTo(w, r, Path(handle), v)
}

// isInvited reports whether a visit is a hosted one without a redirect.
func (s *Service) isInvited(ctx context.Context, v visit) (bool, error) {
	origin, err := s.returnOrigin(ctx, v)
	return v.hosted && origin == "", err
}

// refusal returns the page for a browser that stores no cookies, does not own the visit, or sends
// another site's request. It reveals nothing about the visit.
func (s *Service) refusal(w http.ResponseWriter, r *http.Request, why error) (providerui.Message, error) {
	m := providerui.Message{Lang: language(r), Title: "visit.no_cookie.title", Text: "visit.no_cookie.text"}
	if errors.Is(why, errNoCookie) {
		return m, nil
	}
	handle := r.PathValue("handle")
	v, err := byHandle(r.Context(), s.DB.SQL, handle)
	if err != nil {
		return m, err
	}
	if errors.Is(why, errOtherSite) {
		m.Title, m.Text = "visit.other_site.title", "visit.other_site.widget"
		if v.hosted {
			m.Text, m.Back = "visit.other_site.hosted", Path(handle)+"?"+url.Values{"lang": {string(m.Lang)}}.Encode()
		}
		return m, nil
	}
	m.Title, m.Text = "visit.other_browser.title", "visit.other_browser.text"
	if invited, err := s.isInvited(r.Context(), v); err != nil || !invited {
		return m, err
	}
	m.Text, m.StartOver = "visit.other_browser.invited", Path(handle)+"?"+url.Values{"lang": {string(m.Lang)}}.Encode()
	if r.Method == http.MethodGet && s.secretOf(r, handle) == "" {
		s.setSecret(w, r, handle)
	}
	return m, nil
}
