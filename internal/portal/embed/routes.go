package embed

import (
	"net/http"

	"vestibule/internal/door"
)

// Routes mounts the API.
func (a *API) Routes(mux *http.ServeMux) {
	api := func(pattern string, h door.HandlerFunc) { mux.Handle(pattern, door.API(a.Log, h)) }
	api("GET /api/v1/openapi.json", a.spec)
	api("POST /api/v1/applications", a.authorized(a.create))
	api("GET /api/v1/applications/{id}", a.authorized(a.get))
	api("POST /api/v1/applications/{id}/embed-token", a.authorized(a.renew))
	api("GET /api/v1/applications/{id}/report", a.authorized(a.report))
	api("GET /api/v1/applications/{id}/events", a.authorized(a.events))
}
