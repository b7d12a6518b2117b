package api

import (
	"net/http"

	"vestibule/internal/httpx"
)

// Routes mounts the API.
func (a *API) Routes(mux *http.ServeMux) {
	api := func(pattern string, h httpx.HandlerFunc) { mux.Handle(pattern, httpx.API(a.Log, h)) }
	api("GET /api/v1/openapi.json", a.spec)
	api("POST /api/v1/applications", a.authorized(a.create))
	api("GET /api/v1/applications", a.authorized(a.list))
	api("GET /api/v1/applications/{id}", a.authorized(a.find(a.get)))
	api("POST /api/v1/applications/{id}/embed-token", a.authorized(a.find(a.newToken)))
	api("GET /api/v1/applications/{id}/report", a.authorized(a.find(a.report)))
	api("GET /api/v1/applications/{id}/report.pdf", a.authorized(a.find(a.reportPDF)))
	api("GET /api/v1/applications/{id}/files", a.authorized(a.find(a.files)))
	api("GET /api/v1/applications/{id}/files/{path}", a.authorized(a.find(a.file)))
	api("GET /api/v1/applications/{id}/events", a.authorized(a.find(a.events)))
	api("GET /api/v1/sandbox/events", a.authorized(a.Events.Listen))
	api("GET /api/v1/webhooks", a.authorized(a.target))
	api("POST /api/v1/webhooks/enable", a.authorized(a.enable))
	api("GET /api/v1/webhooks/deliveries", a.authorized(a.deliveries))
	api("GET /api/v1/webhooks/deliveries/{id}", a.authorized(a.delivery))
	api("POST /api/v1/webhooks/deliveries/{id}/redeliver", a.authorized(a.redeliver))
}
