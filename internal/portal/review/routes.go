package review

import (
	"net/http"

	"vestibule/internal/httpx"
	"vestibule/internal/portal/applications"
	"vestibule/internal/staff"
)

// route is an address and the roles that may use it.
type route struct {
	pattern string
	roles   roleSet
	handle  userHandler
}

// table returns the routes for signed-in users.
func (d *Handler) table() []route {
	routes := []route{
		{"GET /review", allRoles, d.list},
		{"GET /review/overview", allRoles, d.overview},
		{"GET /review/find", allRoles, d.redirectToList},
		{"POST /review/find", allRoles, d.find},
		{"POST /review/assign", deciders, d.assign},
		{"POST /review/remind", deciders, d.remind},
		{"POST /review/export", allRoles, d.export},
		{"POST /review/live", allRoles, d.live},
		{"POST /review/density", allRoles, d.setDensity},
		{"POST /review/columns", allRoles, d.setColumns},
		{"POST /review/filters", allRoles, d.saveFilterForm},
		{"POST /review/filters/{id}", allRoles, d.changeFilterForm},
		{"GET /review/applications/{id}", allRoles, d.application},
		{"GET /review/applications/{id}/next", allRoles, d.ofApplication(d.next)},
		{"GET /review/applications/{id}/report", allRoles, d.orApplication(d.report)},
		{"GET /review/applications/{id}/transactions", allRoles, d.orApplication(d.transactions)},
		{"GET /review/applications/{id}/refresh", allRoles, d.toCard("")},
		{"POST /review/applications/{id}/refresh", allRoles, d.ofApplication(d.refresh)},
		{"GET /review/applications/{id}/keep", allRoles, d.toCard("")},
		{"POST /review/applications/{id}/keep", deciders, d.ofApplication(d.keep)},
		{"GET /review/applications/{id}/report.json", allRoles, d.download},
		{"GET /review/applications/{id}/report.pdf", allRoles, d.reportPDF},
		{"GET /review/applications/{id}/report.csv", allRoles, d.reportCSV},
		{"GET /review/applications/{id}/months.csv", allRoles, d.monthsCSV},
		{"GET /review/applications/{id}/files", allRoles, d.orApplication(d.files)},
		{"GET /review/applications/{id}/files/{file}", allRoles, d.file},
		{"GET /review/applications/{id}/files/{file}/view", allRoles, d.document},
		{"GET /review/applications/{id}/files/{file}/pages/{page}", allRoles, d.pageImage},
		{"GET /review/applications/{id}/shares", allRoles, d.toCard("sharing")},
		{"POST /review/applications/{id}/shares", deciders, d.ofApplication(d.shareReport)},
		{"GET /review/applications/{id}/decision", allRoles, d.toCard("")},
		{"POST /review/applications/{id}/decision", deciders, d.ofApplication(d.decide)},
		{"GET /review/applications/{id}/preview", allRoles, d.toCard("")},
		{"POST /review/applications/{id}/preview", deciders, d.ofApplication(d.preview)},
		{"GET /review/applications/{id}/notes", allRoles, d.toCard("")},
		{"POST /review/applications/{id}/notes", deciders, d.ofApplication(d.addNote)},
		{"GET /review/applications/{id}/compare", allRoles, d.ofApplication(d.compare)},
		{"GET /review/applications/{id}/letter", allRoles, d.orApplication(d.ofApplication(d.letter))},
		{"POST /review/applications/{id}/letter", deciders, d.ofApplication(d.resendLetter)},
		{"GET /review/shares/{id}/withdraw", deciders, d.withdrawPage},
		{"POST /review/shares/{id}/withdraw", deciders, d.withdrawReport},
		{"GET /review/applications/{id}/delete", administrators, d.ofApplication(d.erasePage)},
		{"POST /review/applications/{id}/delete", administrators, d.ofApplication(d.eraseSelected)},
		{"GET /review/deletions", overseers, d.deletions},
		{"GET /review/audit", overseers, d.auditPage},
		{"POST /review/audit", overseers, d.findAudit},
		{"GET /review/audit.csv", overseers, d.auditCSV},
		{"GET /review/people", administrators, d.users},
		{"POST /review/people", administrators, d.addUser},
		{"POST /review/people/{id}", administrators, d.changeUser},
		{"GET /review/second-factor", allRoles, ofUser(d.Staff.FactorPage)},
		{"POST /review/second-factor", allRoles, ofUser(d.Staff.ChangeFactor)},
		{"GET /review/events", allRoles, d.events},
		{"POST /review/events/enable", deciders, d.enableEvents},
		{"GET /review/events/{id}", allRoles, d.event},
		{"POST /review/events/{id}/redeliver", deciders, d.resendEvent},
	}
	if d.Letters.CanEmail() {
		routes = append(routes, route{"GET /review/letters", allRoles, d.outbox},
			route{"POST /review/letters/{id}/resend", deciders, d.resendEmail})
	}
	return routes
}

// ofApplication returns a handler of the application that the address names.
func (d *Handler) ofApplication(h applicationHandler) userHandler {
	return func(w http.ResponseWriter, r *http.Request, by staff.User) error {
		a, err := d.get(r)
		if err != nil {
			return err
		}
		return h(w, r, by, a)
	}
}

// toCard redirects a reload of a form's result to a card of the application's page.
func (d *Handler) toCard(card string) userHandler {
	return d.ofApplication(func(w http.ResponseWriter, r *http.Request, _ staff.User, a applications.Application) error {
		return httpx.SeeOther(w, applicationURL(r, a.ID, "", card))
	})
}

// ofUser returns a handler of package staff, which finds the user itself.
func ofUser(h httpx.HandlerFunc) userHandler {
	return func(w http.ResponseWriter, r *http.Request, _ staff.User) error { return h(w, r) }
}

// Routes mounts the review dashboard.
func (d *Handler) Routes(mux *http.ServeMux) {
	page := func(pattern string, h httpx.HandlerFunc) { mux.Handle(pattern, d.Adapt(h)) }
	page("GET /review/sign-in", d.Staff.SignInPage)
	page("POST /review/sign-in", d.Staff.SignIn)
	page("GET /review/sign-in/code", d.Staff.CodePage)
	page("POST /review/sign-in/code", d.Staff.SignInByCode)
	page("GET /review/sign-in/factor", d.Staff.NewFactorPage)
	page("POST /review/sign-in/factor", d.Staff.AddFactor)
	page("POST /review/sign-out", d.Staff.SignOut)
	page("GET /review/oidc/login", d.Staff.StartOIDC)
	page("GET /review/sign-in/return", d.Staff.FinishOIDC)
	page("GET /review/forgotten-password", d.Staff.ForgottenPage)
	page("POST /review/forgotten-password", d.Staff.RequestReset)
	page("GET /review/set-password/{token}", d.Staff.PasswordPage)
	page("POST /review/set-password/{token}", d.Staff.SetPassword)
	for _, r := range d.table() {
		page(r.pattern, d.requireRole(r.roles, r.handle))
	}
}
