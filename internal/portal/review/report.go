package review

import (
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
	"vestibule/internal/report"
	"vestibule/internal/staff"
	"vestibule/internal/store"
	pages "vestibule/templates/portal/review"
	"vestibule/templates/ui"
)

// body reads the report of the attempt in the query, by default the newest (0), of
// the application in the address. It writes the audit entry before any of the report
// is sent.
func (d *Handler) body(r *http.Request, by staff.User, action string) (a applications.Application, attempt int, raw []byte, err error) {
	if a, err = d.get(r); err != nil {
		return a, 0, nil, err
	}
	if n := r.URL.Query().Get("attempt"); n != "" {
		if attempt, err = strconv.Atoi(n); err != nil || attempt < 1 {
			return a, 0, nil, httpx.NewError(contract.CodeNotFound, errors.New("no such attempt"))
		}
	}
	raw, err = d.Applications.Report(r.Context(), d.DB.SQL, a.ID, attempt)
	if errors.Is(err, store.ErrNotFound) {
		return a, attempt, nil, httpx.NewError(contract.CodeReportNotReady, err)
	}
	if err != nil || r.Method == http.MethodHead {
		return a, attempt, raw, err
	}
	return a, attempt, raw, d.audit(r, staff.Entry{Actor: by.ID, Action: action, Subject: a.ID})
}

// hasPage reports whether reports of a product have a page.
func hasPage(p contract.Product) bool {
	return p == contract.Cashflow || p == contract.Income || p == contract.Eligibility || p == contract.Passport
}

// Errors of reading stored reports. The parser's errors are not passed on, because
// they may quote the report.
var (
	errNoPage    = errors.New("review: this product's report has no page")
	errNoSuchCSV = errors.New("review: this report has no such rows")
	errStored    = errors.New("review: a stored report does not parse")
)

// analysis returns the analysis of an attempt's cashflow report; nil if none exists yet.
func (d *Handler) analysis(ctx context.Context, id string, attempt int) (a *report.Analysis, pending bool, err error) {
	raw, pending, err := d.Applications.Analysis(ctx, id, attempt)
	if err != nil || raw == nil {
		return nil, pending, err
	}
	if a, err = report.ParseAnalysis(raw); err != nil {
		return nil, pending, errors.New("review: a stored analysis does not parse")
	}
	return a, pending, nil
}

// view returns the report of an attempt as a page's view, beside what the applicant
// stated, in the place of the application in a list.
func (d *Handler) view(ctx context.Context, a applications.Application, attempt int,
	stated *pages.Stated, place *pages.Place, raw []byte) (pages.Measured, error) {
	v, err := parseView(a.Product, raw, stated)
	if c, ok := v.(pages.ReportView); ok && err == nil {
		c.ApplicationID, c.Attempt, c.Place = a.ID, attempt, place
		c.Analysis, c.Pending, err = d.analysis(ctx, a.ID, attempt)
		return c, err
	}
	switch v := v.(type) {
	case pages.IncomeView:
		v.ApplicationID, v.Place, v.PDFImages = a.ID, place, d.PageImages.PDF()
		return v, err
	case pages.EligibilityView:
		v.ApplicationID, v.Place, v.PDFImages = a.ID, place, d.PageImages.PDF()
		return v, err
	case pages.PassportView:
		v.ApplicationID, v.Place = a.ID, place
		return v, err
	}
	return v, err
}

// parseView parses a report.
func parseView(product contract.Product, raw []byte, stated *pages.Stated) (pages.Measured, error) {
	var v pages.Measured
	var err error
	switch product {
	case contract.Cashflow:
		c := pages.ReportView{Stated: stated}
		c.Report, err = report.ParseCashflow(raw)
		v = c
	case contract.Income:
		i := pages.IncomeView{Stated: stated}
		i.Report, err = report.ParseIncome(raw)
		v = i
	case contract.Eligibility:
		e := pages.EligibilityView{Stated: stated}
		e.Report, err = report.ParseEligibility(raw)
		v = e
	case contract.Passport:
		p := pages.PassportView{Stated: stated}
		p.Report, err = report.ParsePassport(raw)
		v = p
	default:
		return nil, httpx.NewError(contract.CodeNotFound, errNoPage)
	}
	if err != nil {
		return nil, errStored
	}
	return v, nil
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
	a, attempt, raw, err := d.body(r, by, audit.ReportViewed)
	if err != nil {
		return err
	}
	stated, err := d.statedOf(r.Context(), a)
	if err != nil {
		return err
	}
	place, err := d.positionInList(r.Context(), r, by, a)
	if err != nil {
		return err
	}
	v, err := d.view(r.Context(), a, attempt, stated, place, raw)
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
	a, attempt, raw, err := d.body(r, by, audit.ReportViewed)
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
	shown, err := d.view(r.Context(), a, attempt, nil, place, raw)
	if err != nil {
		return err
	}
	v := pages.TransactionsView{ReportView: shown.(pages.ReportView)}
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
	v.Name = people[a.ID].FullName()
	return d.show(w, r, http.StatusOK, func(p ui.Page) templ.Component { return pages.Transactions(p, v) })
}

// download sends the report as received from the service, plus what the applicant
// stated.
func (d *Handler) download(w http.ResponseWriter, r *http.Request, by staff.User) error {
	a, _, raw, err := d.body(r, by, audit.ReportExported)
	if err != nil {
		return err
	}
	stated, err := d.statedOf(r.Context(), a)
	if err != nil {
		return err
	}
	if stated != nil {
		raw = withStated(raw, stated.Fields)
	}
	httpx.SendDownload(w, "application/json", string(a.Product)+"-"+a.ID+".json", raw)
	return nil
}
