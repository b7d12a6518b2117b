package applicant

import (
	"io"
	"net/http"
)

// An application is bound to a browser by a cookie, so a browser that blocks cookies
// must learn of it before filling in the form. Each page before the form sets a probe
// cookie. Until the browser sends it back, the form loads a style sheet from
// cookiesURL immediately after it. Without the probe cookie, that style sheet hides
// the form and shows instructions. This needs no script, and no redirect, which could
// loop. The form includes probeField, so that create can tell a browser that showed
// the form from a program.
const (
	probeName  = "vestibule-probe"
	probeField = "probe"
	cookiesURL = "/apply/cookies.css"
)

func probed(r *http.Request) bool {
	c, err := r.Cookie(probeName)
	return err == nil && c.Value == "1"
}

// probe sets the probe cookie unless the browser sent it.
func (s *Handler) probe(w http.ResponseWriter, r *http.Request) {
	if !probed(r) {
		http.SetCookie(w, &http.Cookie{Name: probeName, Value: "1", Path: "/", Secure: s.Secure, HttpOnly: true, SameSite: http.SameSiteLaxMode})
	}
}

// acceptsCookies reports whether r shows that its browser accepts cookies.
func (s *Handler) acceptsCookies(r *http.Request) (bool, error) {
	if probed(r) {
		return true, nil
	}
	cur, err := s.Sessions.Of(r)
	return !cur.Anonymous(), err
}

// cookieStyle serves the style sheet of a form whose browser has not sent the probe
// cookie yet.
func (s *Handler) cookieStyle(w http.ResponseWriter, r *http.Request) error {
	keeps, err := s.acceptsCookies(r)
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "text/css; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	if !keeps && r.Method != http.MethodHead {
		_, _ = io.WriteString(w, ".cookies-blocked[hidden] { display: block !important; }\n.cookies-blocked ~ form { display: none; }\n")
	}
	return nil
}
