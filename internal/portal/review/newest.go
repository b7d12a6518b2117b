package review

import (
	"errors"
	"net/http"

	"github.com/a-h/templ"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/portal/review/audit"
	"vestibule/internal/staff"
	pages "vestibule/templates/portal/review"
	"vestibule/templates/ui"
)

// newest shows an income report as the service has it now, perhaps corrected after a
// dispute. It stores nothing: decisions were based on the stored report. The audit entry is
// written before the request to the service.
func (d *Handler) newest(w http.ResponseWriter, r *http.Request, by staff.User) error {
	a, err := d.get(r)
	if err != nil {
		return err
	}
	if a.Product != contract.Income {
		return httpx.NewError(contract.CodeNotFound, errNoPage)
	}
	if !a.HasReport() {
		return httpx.NewError(contract.CodeReportNotReady, errors.New("there is no report"))
	}
	if r.Method == http.MethodHead {
		w.Header().Set("Cache-Control", "no-store")
		return nil
	}
	if err := d.audit(r, staff.Entry{Actor: by.ID, Action: audit.ReportViewed, Subject: a.ID}); err != nil {
		return err
	}
	raw, err := d.Applications.CurrentReport(r.Context(), a.ID)
	if err != nil {
		return d.noFiles(w, r, by, a, err)
	}
	people, err := d.Applications.Applicants(r.Context(), []string{a.ID})
	if err != nil {
		return err
	}
	shown, err := d.view(r.Context(), a, 0, people[a.ID], nil, raw)
	if err != nil {
		return err
	}
	v := shown.(pages.IncomeView)
	v.Newest = true
	return d.show(w, r, http.StatusOK, func(p ui.Page) templ.Component { return pages.ReportPage(p, v) })
}
