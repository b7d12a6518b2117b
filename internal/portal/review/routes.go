package review

import (
	"net/http"

	"vestibule/internal/door"
)

// Routes mounts the reviewers' pages.
func (d *Desk) Routes(mux *http.ServeMux) {
	page := func(pattern string, h door.HandlerFunc) { mux.Handle(pattern, d.Adapt(h)) }
	page("GET /review/sign-in", d.signInPage)
	page("POST /review/sign-in", d.signIn)
	page("POST /review/sign-out", d.signOut)
	page("GET /review", d.only(d.list))
	page("GET /review/find", d.toList)
	page("POST /review/find", d.only(d.find))
	page("GET /review/applications/{id}", d.only(d.application))
	page("GET /review/applications/{id}/report", d.only(d.report))
	page("GET /review/applications/{id}/report.json", d.only(d.download))
	page("GET /review/applications/{id}/report.csv", d.only(d.reportCSV))
	page("GET /review/applications/{id}/months.csv", d.only(d.monthsCSV))
	page("GET /review/applications/{id}/files", d.only(d.files))
	page("GET /review/applications/{id}/files/{file}", d.only(d.file))
	page("GET /review/applications/{id}/shares", d.only(d.toShares))
	page("POST /review/applications/{id}/shares", d.only(d.shareReport))
	page("GET /review/shares/{id}/withdraw", d.only(d.withdrawPage))
	page("POST /review/shares/{id}/withdraw", d.only(d.withdrawReport))
}
