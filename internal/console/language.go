package console

import (
	"net/http"
	"net/url"
	"time"

	"vestibule/internal/httpx"
	"vestibule/internal/i18n"
	"vestibule/templates/ui"
)

// Language is the language of a party's pages, which a cookie remembers.
type Language struct {
	Cookie string // its name without a prefix
	Secure bool   // the pages have https; then only their host can set the cookie
}

func (l Language) cookie() string { return httpx.HostCookie(l.Cookie, l.Secure) }

// Of returns the language of a request: requested, remembered, or preferred by the browser.
func (l Language) Of(r *http.Request) i18n.Lang {
	remembered := ""
	if c, err := r.Cookie(l.cookie()); err == nil {
		remembered = c.Value
	}
	return ui.PickLanguage(r.URL.Query().Get("lang"), remembered, r.Header.Get("Accept-Language"))
}

// Remember stores a requested language in the cookie. It ignores a frame's language, which
// the framing page selects, not the user.
func (l Language) Remember(w http.ResponseWriter, r *http.Request) {
	if asked := i18n.Lang(r.URL.Query().Get("lang")); asked.Spoken() && r.Header.Get("Sec-Fetch-Dest") != "iframe" {
		http.SetCookie(w, &http.Cookie{Name: l.cookie(), Value: string(asked), Path: "/", MaxAge: int((365 * 24 * time.Hour).Seconds()),
			Secure: l.Secure, HttpOnly: true, SameSite: http.SameSiteLaxMode})
	}
}

// Links returns links to the page of a request in each language, with the parameters of its
// address in keep. They must not be secret.
func (l Language) Links(r *http.Request, keep ...string) []ui.Choice {
	if r.Method != http.MethodGet {
		return nil
	}
	// Use the escaped path: an unescaped slash could turn the address into one of
	// another host.
	return ui.Languages(l.Of(r), &url.URL{Path: r.URL.Path, RawPath: r.URL.EscapedPath(), RawQuery: Params(r, keep...).Encode()})
}

// Params returns the parameters in the address of a request that have a value, of those named.
func Params(r *http.Request, names ...string) url.Values {
	all, q := r.URL.Query(), url.Values{}
	for _, name := range names {
		if v := all.Get(name); v != "" {
			q.Set(name, v)
		}
	}
	return q
}
