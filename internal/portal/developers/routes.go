package developers

import (
	"net/http"

	"vestibule/internal/httpx"
)

// Routes mounts the pages.
func (h *Handler) Routes(mux *http.ServeMux) {
	page := func(pattern string, do httpx.HandlerFunc) { mux.Handle(pattern, h.Applicants.Adapt(do)) }
	page("GET /developers", h.playground)
	page("POST /developers/runs", h.run)
	page("GET /developers/runs/{id}", h.watch)
	page("GET /developers/guides/{guide}", h.guide)
}
