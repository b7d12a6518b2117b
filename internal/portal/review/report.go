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
	raw, err = d.Applications.ReportOf(r.Context(), a.ID, attempt)
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

// cashflow returns a cashflow report with its analysis.
func (d *Handler) cashflow(ctx context.Context, by staff.User, a applications.Application,
	attempt int, raw []byte) (v pages.ReportView, err error) {
	v = pages.ReportView{By: by.Email, ApplicationID: a.ID, Attempt: attempt}
	if v.Report, err = report.ParseCashflow(raw); err != nil {
		return v, errStored
	}
	raw, v.Pending, err = d.Applications.Analysis(ctx, a.ID, attempt)
	if err != nil || raw == nil {
		return v, err
	}
	if v.Analysis, err = report.ParseAnalysis(raw); err != nil {
		return v, errors.New("review: a stored analysis does not parse")
	}
	return v, nil
}

func incomeView(by staff.User, a applications.Application, raw []byte) (v pages.IncomeView, err error) {
	v = pages.IncomeView{By: by.Email, ApplicationID: a.ID}
	if v.Report, err = report.ParseIncome(raw); err != nil {
		return v, errStored
	}
	return v, nil
}

// view returns the report of an attempt as a page's view, beside what the applicant
// stated.
func (d *Handler) view(ctx context.Context, by staff.User, a applications.Application, attempt int,
	stated *pages.Stated, raw []byte) (pages.Measured, error) {
	switch a.Product {
	case contract.Cashflow:
		v, err := d.cashflow(ctx, by, a, attempt, raw)
		v.Stated = stated
		return v, err
	case contract.Income:
		v, err := incomeView(by, a, raw)
		v.Stated = stated
		return v, err
	case contract.Eligibility:
		v, err := eligibilityView(by, a, raw)
		v.Stated = stated
		return v, err
	case contract.Passport:
		v, err := passportView(by, a, raw)
		v.Stated = stated
		return v, err
	}
	return nil, httpx.NewError(contract.CodeNotFound, errNoPage)
}

func eligibilityView(by staff.User, a applications.Application, raw []byte) (v pages.EligibilityView, err error) {
	v = pages.EligibilityView{By: by.Email, ApplicationID: a.ID}
	if v.Report, err = report.ParseEligibility(raw); err != nil {
		return v, errStored
	}
	return v, nil
}

func passportView(by staff.User, a applications.Application, raw []byte) (v pages.PassportView, err error) {
	v = pages.PassportView{By: by.Email, ApplicationID: a.ID}
	if v.Report, err = report.ParsePassport(raw); err != nil {
		return v, errStored
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
	v, err := d.view(r.Context(), by, a, attempt, stated, raw)
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
	v := pages.TransactionsView{}
	if v.ReportView, err = d.cashflow(r.Context(), by, a, attempt, raw); err != nil {
		return err
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
	attach(w, "application/json", string(a.Product)+"-"+a.ID+".json", raw)
	return nil
}

// attach sends a file as a download, without caching or content sniffing.
func attach(w http.ResponseWriter, contentType, name string, body []byte) {
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	httpx.SetDownload(w, contentType, name)
	_, _ = w.Write(body) // the client has disconnected
}
