package applicant

import (
	"io"
	"net/http"
)

// Each page before the form sets a probe cookie. Until the browser sends it back, the form
// loads a style sheet from cookiesURL, which hides the form if cookies are blocked. By
// probeField, create distinguishes a browser that showed the form from a program.
const (
	probeName  = "vestibule-probe"
	probeField = "probe"
	cookiesURL = "/apply/cookies.css"
)

func hasProbeCookie(r *http.Request) bool {
	c, err := r.Cookie(probeName)
	return err == nil && c.Value == "1"
}

// probe sets the probe cookie unless the browser sent it.
func (s *Handler) probe(w http.ResponseWriter, r *http.Request) {
	if !hasProbeCookie(r) {
		http.SetCookie(w, &http.Cookie{Name: probeName, Value: "1", Path: "/", Secure: s.Secure, HttpOnly: true, SameSite: http.SameSiteLaxMode})
	}
}

// acceptsCookies reports whether r shows that its browser accepts cookies.
func (s *Handler) acceptsCookies(r *http.Request) (bool, error) {
	if hasProbeCookie(r) {
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
