package applications

import (
	"io"
	"net/http"

	"vestibule/internal/contract"
)

// An application belongs to a browser by a cookie, so a browser that keeps none must
// learn it before it fills in the form. Each page before the form gives the browser a
// probe cookie. Until the probe comes back, the form loads a style sheet of cookiesURL
// right after it: without the probe, that sheet hides the form and shows what to do. No
// script is needed, and no redirect, which could loop. The form carries probeField, so
// that create can tell a browser that saw the form from a program that did not.
const (
	probeName  = "vestibule-probe"
	probeField = "probe"
	cookiesURL = "/apply/cookies.css"
)

func probed(r *http.Request) bool {
	c, err := r.Cookie(probeName)
	return err == nil && c.Value == "1"
}

// probe gives the browser the probe cookie unless it has it.
func (s *Handler) probe(w http.ResponseWriter, r *http.Request) {
	if !probed(r) {
		http.SetCookie(w, &http.Cookie{Name: probeName, Value: "1", Path: "/", Secure: s.Secure, HttpOnly: true, SameSite: http.SameSiteLaxMode})
	}
}

// keepsCookies reports whether the browser that sent r keeps cookies, as far as r says.
func (s *Handler) keepsCookies(r *http.Request) (bool, error) {
	if probed(r) {
		return true, nil
	}
	cur, err := s.Sessions.Of(r)
	return !cur.Anonymous(), err
}

// cookieStyle is the style sheet of a form whose browser has not shown the probe yet.
func (s *Handler) cookieStyle(w http.ResponseWriter, r *http.Request) error {
	keeps, err := s.keepsCookies(r)
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

var wordsBlocked = contract.Words{
	EN: "Your browser did not send a cookie with the form, so nothing was saved. Allow cookies for this site, then send the form again: what you typed is still here.",
	ES: "Su navegador no envió ninguna cookie con el formulario, así que no se guardó nada. Permita las cookies de este sitio y envíe de nuevo el formulario: lo que escribió sigue aquí."}
