package review

import (
	"net/http"

	"vestibule/internal/httpx"
)

// route is an address and the roles that may use it.
type route struct {
	pattern string
	may     may
	do      reviewerHandler
}

// table returns the routes for signed-in users.
func (d *Handler) table() []route {
	routes := []route{
		{"GET /review", all, d.list},
		{"GET /review/find", all, d.toList},
		{"POST /review/find", all, d.find},
		{"GET /review/applications/{id}", all, d.application},
		{"GET /review/applications/{id}/report", all, d.report},
		{"GET /review/applications/{id}/newest", all, d.newest},
		{"GET /review/applications/{id}/report.json", all, d.download},
		{"GET /review/applications/{id}/report.csv", all, d.reportCSV},
		{"GET /review/applications/{id}/months.csv", all, d.monthsCSV},
		{"GET /review/applications/{id}/files", all, d.files},
		{"GET /review/applications/{id}/files/{file}", all, d.file},
		{"GET /review/applications/{id}/shares", all, d.toShares},
		{"POST /review/applications/{id}/shares", deciders, d.shareReport},
		{"GET /review/applications/{id}/decision", all, d.toForms},
		{"POST /review/applications/{id}/decision", deciders, d.decide},
		{"GET /review/applications/{id}/notes", all, d.toForms},
		{"POST /review/applications/{id}/notes", deciders, d.remark},
		{"GET /review/applications/{id}/compare", all, d.compare},
		{"GET /review/applications/{id}/letter", all, d.letter},
		{"POST /review/applications/{id}/letter", deciders, d.letterAgain},
		{"GET /review/shares/{id}/withdraw", deciders, d.withdrawPage},
		{"POST /review/shares/{id}/withdraw", deciders, d.withdrawReport},
		{"GET /review/applications/{id}/delete", administrators, d.erasePage},
		{"POST /review/applications/{id}/delete", administrators, d.eraseChosen},
		{"GET /review/deletions", overseers, d.deletions},
		{"GET /review/audit", overseers, d.auditPage},
		{"GET /review/audit.csv", overseers, d.auditCSV},
		{"GET /review/people", administrators, d.people},
		{"POST /review/people", administrators, d.addPerson},
		{"POST /review/people/{id}", administrators, d.changePerson},
		{"GET /review/events", all, d.events},
		{"POST /review/events/enable", deciders, d.enableEvents},
		{"GET /review/events/{id}", all, d.event},
		{"POST /review/events/{id}/redeliver", deciders, d.resendEvent},
	}
	if d.Letters.ShowsOutbox() {
		routes = append(routes, route{"GET /review/letters", all, d.outbox})
	}
	return routes
}

// Routes mounts the review dashboard.
func (d *Handler) Routes(mux *http.ServeMux) {
	page := func(pattern string, h httpx.HandlerFunc) { mux.Handle(pattern, d.Adapt(h)) }
	page("GET /review/sign-in", d.signInPage)
	page("POST /review/sign-in", d.signIn)
	page("POST /review/sign-out", d.signOut)
	page("GET /review/oidc/login", d.leave)
	page("GET /review/sign-in/return", d.arrive)
	page("GET /review/set-password/{token}", d.welcomePage)
	page("POST /review/set-password/{token}", d.welcome)
	for _, r := range d.table() {
		page(r.pattern, d.only(r.may, r.do))
	}
}
