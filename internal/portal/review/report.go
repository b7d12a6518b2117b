package review

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strconv"
	"unicode/utf8"

	"github.com/a-h/templ"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/portal/applications"
	"vestibule/internal/portal/review/audit"
	"vestibule/internal/portal/review/decisions"
	"vestibule/internal/portal/review/verdict"
	"vestibule/internal/prefill"
	"vestibule/internal/report"
	"vestibule/internal/staff"
	"vestibule/internal/store"
	pages "vestibule/templates/portal/review"
	"vestibule/templates/ui"
)

// body reads the report that the query names, by default the newest, of the application in the
// address. It writes the audit entry before any of the report is sent.
func (d *Handler) body(r *http.Request, by staff.User, action string) (a applications.Application, of applications.StoredReport,
	raw []byte, err error) {
	if a, err = d.get(r); err != nil {
		return a, of, nil, err
	}
	if of, err = d.selectedReport(r.Context(), a, r.URL.Query()); err != nil {
		return a, of, nil, err
	}
	raw, err = d.Applications.Report(r.Context(), d.DB.SQL, a.ID, of.Attempt, of.Revision)
	if errors.Is(err, store.ErrNotFound) {
		return a, of, nil, httpx.NewError(contract.CodeReportNotReady, err)
	}
	if err != nil || r.Method == http.MethodHead {
		return a, of, raw, err
	}
	return a, of, raw, d.audit(r, staff.Entry{Actor: by.ID, Action: action, Subject: a.ID})
}

// fileName returns the name of a file of a report. It names the revision.
func fileName(a applications.Application, of applications.StoredReport, ending string) string {
	name := string(a.Product) + "-" + a.ID
	if of.Revision > 0 {
		name += "-revision-" + strconv.Itoa(of.Revision)
	}
	return name + ending
}

// Errors of reading stored reports. The parser's errors are not passed on, because
// they may quote the report.
var (
	errNoPage    = errors.New("review: this product's report has no page")
	errNoSuchCSV = errors.New("review: this report has no such rows")
)

// analysis returns the analysis of a cashflow report; nil if none exists yet, or none that a page
// can show.
func (d *Handler) analysis(ctx context.Context, id string, of applications.StoredReport) (a *report.Analysis, pending bool, err error) {
	raw, pending, err := d.Applications.Analysis(ctx, id, of.Attempt, of.Revision)
	if err != nil || raw == nil {
		return nil, pending, err
	}
	if a, err = report.ParseAnalysis(raw); err != nil {
		d.Log.WarnContext(ctx, "a stored analysis cannot be shown", "application", id, "err", err.Error())
		return nil, false, nil
	}
	return a, pending, nil
}

// view returns a report as a page's view: its verdict compares the report with what the
// applicant stated.
func (d *Handler) view(ctx context.Context, a applications.Application, of applications.StoredReport,
	stated prefill.Fields, place *pages.Place, raw []byte) (pages.Measured, error) {
	_, changed, err := d.formerRevision(ctx, a.ID, of)
	if err != nil {
		return nil, err
	}
	if !a.Product.Valid() {
		return nil, httpx.NewError(contract.CodeNotFound, errNoPage)
	}
	v, err := decisions.View(a.Product, raw, stated, pages.Case{ApplicationID: a.ID, Place: place, PDFImages: d.PageImages.PDF(),
		Held: heldReport(a, of), Changed: changed})
	if c, ok := v.(pages.ReportView); ok && err == nil {
		c.Analysis, c.Pending, err = d.analysis(ctx, a.ID, of)
		return c, err
	}
	return v, err
}

// Summarize returns the function by which the search index sums up reports.
func Summarize(s *applications.Service) func(context.Context, store.Queryer, applications.Application) (verdict.Summary, error) {
	return func(ctx context.Context, q store.Queryer, a applications.Application) (none verdict.Summary, err error) {
		stated, err := s.Applicant(ctx, q, a.ID)
		if err != nil {
			return none, err
		}
		parsed := a.Parsed
		if parsed == nil {
			_, raw, err := s.NewestReport(ctx, q, a.ID)
			if err != nil {
				return none, store.OrNone(err)
			}
			meta, err := report.Parse(a.Product, raw)
			if err != nil { // shown as an application without figures
				return none, nil
			}
			parsed = meta.Report
		}
		return decisions.ViewOf(parsed, stated, pages.Case{}).Decided().Summary(), nil
	}
}

// maxQuery bounds the characters of a search within a report.
const maxQuery = 100

// report shows the report as a page. The parameters q and node select figures of a
// cashflow report; they never hold personal data.
func (d *Handler) report(w http.ResponseWriter, r *http.Request, by staff.User) error {
	query, node := r.URL.Query().Get("q"), r.URL.Query().Get("node")
	if utf8.RuneCountInString(query) > maxQuery || !utf8.ValidString(query) || len(node) > maxQuery {
		return httpx.NewError(contract.CodeNotFound, errors.New("no such filter"))
	}
	a, of, raw, err := d.body(r, by, audit.ReportViewed)
	if err != nil {
		return err
	}
	people, err := d.Applications.Applicants(r.Context(), []string{a.ID})
	if err != nil {
		return err
	}
	place, err := d.positionInList(r.Context(), r, by, a)
	if err != nil {
		return err
	}
	v, err := d.view(r.Context(), a, of, people[a.ID], place, raw)
	if err != nil {
		return err
	}
	if c, ok := v.(pages.ReportView); ok {
		c.Query, c.Node = query, node
		v = c
	}
	return d.show(w, r, http.StatusOK, func(p ui.Page) templ.Component { return pages.ReportPage(p, v) })
}

// transactions shows the transactions that make up a figure of a cashflow report.
func (d *Handler) transactions(w http.ResponseWriter, r *http.Request, by staff.User) error {
	a, of, raw, err := d.body(r, by, audit.ReportViewed)
	if err != nil {
		return err
	}
	if a.Product != contract.Cashflow {
		return httpx.NewError(contract.CodeNotFound, errNoPage)
	}
	place, err := d.positionInList(r.Context(), r, by, a)
	if err != nil {
		return err
	}
	shown, err := d.view(r.Context(), a, of, prefill.Fields{}, place, raw)
	if err != nil {
		return err
	}
	v := pages.TransactionsView{ReportView: shown.(pages.ReportView)}
	if v.Analysis != nil && v.Analysis.CountedBins != nil {
		apart, err := d.Applications.Transactions(r.Context(), a.ID, of.Attempt, of.Revision)
		if err = cmp.Or(err, v.Analysis.ParseTransactions(apart)); err != nil {
			return err
		}
	}
	if v.Analysis == nil || v.Analysis.Transactions == nil {
		return httpx.NewError(contract.CodeNotFound, errors.New("the report has no transactions"))
	}
	var ok bool
	if v.Selected, ok = pages.ReadSelection(r.URL.Query(), v.Analysis); !ok {
		return httpx.NewError(contract.CodeNotFound, errors.New("no such selection"))
	}
	people, err := d.Applications.Applicants(r.Context(), []string{a.ID})
	if err != nil {
		return err
	}
	v.Name = people[a.ID].Name()
	return d.show(w, r, http.StatusOK, func(p ui.Page) templ.Component { return pages.Transactions(p, v) })
}

// download sends the report as received from the service, plus what the applicant
// stated.
func (d *Handler) download(w http.ResponseWriter, r *http.Request, by staff.User) error {
	a, of, raw, err := d.body(r, by, audit.ReportExported)
	if err != nil {
		return err
	}
	people, err := d.Applications.Applicants(r.Context(), []string{a.ID})
	if err != nil {
		return err
	}
	if stated, known := people[a.ID]; known {
		raw = withStated(raw, stated)
	}
	httpx.SendDownload(w, "application/json", fileName(a, of, ".json"), raw)
	return nil
}
