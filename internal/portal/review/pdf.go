package review

import (
	"context"
	"net/http"

	"vestibule/internal/httpx"
	"vestibule/internal/i18n"
	"vestibule/internal/portal/applications"
	"vestibule/internal/portal/review/audit"
	"vestibule/internal/portal/review/printout"
	"vestibule/internal/staff"
	pages "vestibule/templates/portal/review"
)

// reportPDF sends the report with its verdict and the decisions as a PDF.
func (d *Handler) reportPDF(w http.ResponseWriter, r *http.Request, by staff.User) error {
	a, of, raw, err := d.body(r, by, audit.ReportExported)
	if err != nil {
		return err
	}
	body, err := d.printout(r.Context(), a, of, raw, d.Page(r).Lang)
	if err != nil {
		return err
	}
	httpx.SendDownload(w, "application/pdf", fileName(a, of, ".pdf"), body)
	return nil
}

// ReportPDF returns a stored report of an application as a PDF.
func (d *Handler) ReportPDF(ctx context.Context, a applications.Application, of applications.StoredReport, l i18n.Lang) ([]byte, error) {
	raw, err := d.Applications.Report(ctx, d.DB.SQL, a.ID, of.Attempt, of.Revision)
	if err != nil {
		return nil, err
	}
	return d.printout(ctx, a, of, raw, l)
}

func (d *Handler) printout(ctx context.Context, a applications.Application, of applications.StoredReport, raw []byte,
	l i18n.Lang) ([]byte, error) {
	people, err := d.Applications.Applicants(ctx, []string{a.ID})
	if err != nil {
		return nil, err
	}
	v := pages.ApplicationView{Row: row(a)}
	v.Row.Name = people[a.ID].Name()
	if v.Report, err = d.view(ctx, a, of, people[a.ID], nil, raw); err != nil {
		return nil, err
	}
	all, err := d.Applications.Reports(ctx, a.ID)
	if err == nil {
		err = d.Decisions.Fill(ctx, a, all, nil, &v.Deciding, &v.Notes)
	}
	if err != nil {
		return nil, err
	}
	now := d.Index.Now()
	p, err := v.Printout(l, now)
	if err != nil {
		return nil, err
	}
	return printout.Render(p, d.Brand, now)
}
