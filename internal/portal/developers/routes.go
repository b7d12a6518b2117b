package developers

import (
	"net/http"

	"vestibule/internal/httpx"
)

// Routes mounts the pages.
func (d *Desk) Routes(mux *http.ServeMux) {
	page := func(pattern string, h httpx.HandlerFunc) { mux.Handle(pattern, d.Adapt(h)) }
	page("GET /developers", d.playground)
	page("POST /developers/runs", d.run)
	page("GET /developers/runs/{id}", d.watch)
	page("GET /developers/guides/{guide}", d.guide)
}
