package dashboard

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"

	"vestibule/internal/console"
	"vestibule/internal/httpx"
	"vestibule/templates/ui"
)

// pageHeader has the page token in requests of the pages' own script. Scripts of the
// hosted visit pages, which have the same origin, cannot read a page, and so do not know
// its token.
const pageHeader = httpx.PartHeader

func (s *Pages) pageToken(sessionID string) string {
	mac := hmac.New(sha256.New, s.forms)
	mac.Write([]byte("page "))
	mac.Write([]byte(sessionID))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// byScript returns the user of a request of the pages' own script.
func (s *Pages) byScript(r *http.Request) (user, error) {
	if err := s.guardScript(r); err != nil {
		return user{}, err
	}
	by, err := s.current(r.Context(), s.DB.SQL, r)
	if err != nil {
		return user{}, err
	}
	if by.ID == "" || !hmac.Equal([]byte(r.Header.Get(pageHeader)), []byte(s.pageToken(by.session.ID))) {
		return user{}, refusal("no script of these pages")
	}
	return by, nil
}

// live is get for a page with a part that its script keeps current.
func (s *Pages) live(show page) http.Handler {
	whole := s.get(show)
	part := s.adapt(func(w http.ResponseWriter, r *http.Request) error {
		by, err := s.byScript(r)
		if err != nil {
			return err
		}
		d := s.frameOf(r, by)
		c, err := show(r.Context(), r, by, d)
		if err != nil {
			return err
		}
		return console.ShowPart(w, r, http.StatusOK, c, ui.Live, d.Once)
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get(pageHeader) == "" {
			whole.ServeHTTP(w, r)
		} else {
			part.ServeHTTP(w, r)
		}
	})
}
