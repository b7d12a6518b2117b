package staff

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"time"

	"vestibule/internal/store"
)

// sealedCookie is a cookie whose value is encrypted: it keeps a sign-in in progress, so that
// beginning one stores nothing.
type sealedCookie struct {
	name, row string // row binds the encryption to this kind of cookie
	life      time.Duration
	sameSite  http.SameSite
}

func (c sealedCookie) cell() store.Cell {
	return store.Cell{Table: "sign_in_states", Column: "cookie", Row: c.row}
}

// openCookie reads the value of a cookie into v. It trusts neither of two with the same name.
func (s *Service) openCookie(r *http.Request, c sealedCookie, v any) bool {
	sent := r.CookiesNamed(c.name)
	if len(sent) != 1 || len(sent[0].Value) > 4096 {
		return false
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(sent[0].Value)
	if err != nil {
		return false
	}
	plain, err := s.DB.Vault.Open(r.Context(), s.DB.SQL, store.SystemKey, c.cell(), raw)
	return err == nil && json.Unmarshal(plain, v) == nil
}

func (s *Service) setCookie(w http.ResponseWriter, r *http.Request, c sealedCookie, v any) error {
	plain, err := json.Marshal(v)
	if err != nil {
		return err
	}
	sealed, err := s.DB.Vault.Seal(r.Context(), s.DB.SQL, store.SystemKey, c.cell(), plain)
	if err != nil {
		return err
	}
	s.writeCookie(w, c, base64.RawURLEncoding.EncodeToString(sealed), int(c.life/time.Second))
	return nil
}

func (s *Service) deleteCookie(w http.ResponseWriter, c sealedCookie) { s.writeCookie(w, c, "", -1) }

func (s *Service) writeCookie(w http.ResponseWriter, c sealedCookie, value string, maxAge int) {
	http.SetCookie(w, &http.Cookie{Name: c.name, Value: value, Path: "/", MaxAge: maxAge, Secure: s.secure(), HttpOnly: true,
		SameSite: c.sameSite})
}
