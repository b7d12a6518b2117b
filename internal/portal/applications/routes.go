package applications

import (
	"errors"
	"net/http"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
)

// Routes mounts the applicant's pages and the webhook receiver. GET patterns answer
// HEAD too, which is safe: the handlers change nothing except by an embed token, and
// HEAD requests redeem none.
func (s *Handler) Routes(mux *http.ServeMux) {
	page := func(pattern string, h httpx.HandlerFunc) { mux.Handle(pattern, s.Adapt(sentOn(h))) }
	api := func(pattern string, h httpx.HandlerFunc) { mux.Handle(pattern, httpx.API(s.Service.Log, sentOn(h))) }
	page("GET /{$}", s.landing)
	page("GET /apply/{product}", s.apply)
	api("GET "+cookiesURL, s.cookieStyle)
	page("POST /applications", s.create)
	page("GET /applications/{id}", s.status)
	page("POST /applications/{id}/applicant", s.applicant)
	page("POST /applications/{id}/restart", s.restart)
	api("GET /applications/{id}/stream", s.stream)
	api("POST /applications/{id}/callbacks", s.hook)
	api("POST /webhooks/visit", s.announced)
}

// sentOn treats ErrSentOn as success. It refuses a HEAD request or a prefetch with an
// embed token, since answering would use the token.
func sentOn(h httpx.HandlerFunc) httpx.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		if r.URL.Query().Has("grant") && (r.Method == http.MethodHead || r.Header.Get("Sec-Purpose") != "") {
			return httpx.NewError(contract.CodeMethodNotAllowed, errors.New("an embed token fetched ahead"))
		}
		if err := h(w, r); !errors.Is(err, ErrSentOn) {
			return err
		}
		return nil
	}
}
