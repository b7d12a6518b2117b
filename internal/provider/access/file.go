package access

import (
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/provider/freeze"
	"vestibule/internal/provider/reports"
	"vestibule/internal/report"
	"vestibule/internal/store"
	providerui "vestibule/templates/provider"
)

// pageSize is the number of transactions on a page.
const pageSize = 50

// reference names a report in addresses. It is no identifier of the report elsewhere.
func reference(publicToken string) string { return hex.EncodeToString(store.Hash(publicToken)[:16]) }

// named returns the publicToken of the report of the session that a reference names, or
// store.ErrNotFound.
func (s *Service) named(ctx context.Context, o session, ref string) (string, error) {
	all, err := tokens(ctx, s.DB.SQL, o, "")
	if i := slices.IndexFunc(all, func(t string) bool { return reference(t) == ref }); err == nil && i >= 0 {
		return all[i], nil
	}
	return "", cmp.Or(err, store.ErrNotFound)
}

// showReport shows the figures of a report, and the transactions behind them.
func (s *Service) showReport(w http.ResponseWriter, r *http.Request, o session) error {
	token, err := s.named(r.Context(), o, r.PathValue("report"))
	if err != nil {
		return err
	}
	v, err := s.read(r.Context(), s.base(r), o, token)
	if err != nil {
		return err
	}
	page, err := strconv.Atoi(r.URL.Query().Get("page"))
	if err != nil || page < 1 {
		page = 1
	}
	v.Page, v.Pages = page, (len(v.Transactions)+pageSize-1)/pageSize
	v.Count = len(v.Transactions)
	from := min((page-1)*pageSize, len(v.Transactions))
	v.Transactions = v.Transactions[from:min(from+pageSize, len(v.Transactions))]
	return write(w, r, http.StatusOK, providerui.AccessReportPage(v))
}

// read returns a report of the session with its figures and all of its transactions, the newest first.
// It returns store.ErrNotFound for a report of others.
func (s *Service) read(ctx context.Context, b providerui.Access, o session, token string) (v providerui.AccessReportView, err error) {
	v.Access = b
	rep, company, body, err := s.contents(ctx, o, token)
	if err != nil {
		return v, err
	}
	v.ID, v.Kind, v.Created, v.Company = reference(token), rep.Kind, rep.Created, company
	if v.Deleted = body == nil; v.Deleted {
		return v, nil
	}
	if v.Figures, err = providerui.Figures(b.Lang, body); err != nil {
		return v, err
	}
	all, err := s.Reports.ConsumerTransactions(ctx, rep)
	if errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrShredded) {
		v.NoTransactions = true
		return v, nil
	}
	slices.SortStableFunc(all, func(a, b reports.ConsumerTransaction) int { return b.Posted.Compare(a.Posted.Time) })
	for _, t := range all {
		account := strings.TrimSpace(t.Institution + " " + t.Account.Name)
		if digits := t.Account.Mask(); digits != "" {
			account += " …" + digits
		}
		row := providerui.AccessTransaction{Posted: t.Posted.Time, Account: account, Description: t.Description,
			Amount: t.Amount, Currency: t.Account.CurrencyCode(), Pending: t.Pending}
		v.Transactions = append(v.Transactions, row)
	}
	return v, err
}

// contents returns a report of the session with the name of its company and its body; a nil body
// was deleted, or never made.
func (s *Service) contents(ctx context.Context, o session, token string) (rep reports.Report, company string, body []byte, err error) {
	own, err := tokens(ctx, s.DB.SQL, o, token)
	if err == nil && len(own) == 0 {
		err = store.ErrNotFound
	}
	if err != nil {
		return rep, "", nil, err
	}
	if rep, err = s.Reports.Get(ctx, s.DB.SQL, token); err != nil {
		return rep, "", nil, err
	}
	account, err := s.Customers.ByID(ctx, s.DB.SQL, rep.CustomerID)
	if err != nil || rep.Status != contract.StatusSuccess {
		return rep, account.ApplicantName(), nil, err
	}
	body, err = s.Reports.ConsumerBody(ctx, rep)
	if errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrShredded) {
		return rep, account.ApplicantName(), nil, nil
	}
	return rep, account.ApplicantName(), body, err
}

// fileHead is the first part of a file as JSON.
type fileHead struct {
	Service    string           `json:"service"`
	Made       report.Timestamp `json:"made_at"`
	Frozen     bool             `json:"frozen"`
	Lifted     *report.Date     `json:"freeze_lifted_until"`
	AlertUntil *report.Date     `json:"fraud_alert_until"`
	Reads      []fileRead       `json:"reads"`
	Log        []fileEntry      `json:"log"`
}

type fileRead struct {
	Reader   string           `json:"reader"`
	Company  string           `json:"shared_with"`
	Kind     contract.Product `json:"product"`
	Created  report.Timestamp `json:"report_created_at"`
	Revision int              `json:"revision"`
	First    report.Timestamp `json:"first_read_at"`
	Last     report.Timestamp `json:"last_read_at"`
	Days     int              `json:"days"`
}

type fileEntry struct {
	At      report.Timestamp `json:"at"`
	Action  string           `json:"action"`
	Company string           `json:"company,omitempty"`
}

// fileReport is a report in a file.
type fileReport struct {
	Company      string            `json:"company"`
	Product      contract.Product  `json:"product"`
	Status       contract.Status   `json:"status"`
	Created      report.Timestamp  `json:"created_at"`
	Body         json.RawMessage   `json:"report"` // as the company receives it; null if it was not made or is deleted
	Transactions []fileTransaction `json:"transactions"`
}

type fileTransaction struct {
	Posted      string       `json:"posted_date"`
	Account     string       `json:"account"`
	Description string       `json:"description"`
	Amount      report.Cents `json:"amount"`
	Currency    string       `json:"currency"`
	Pending     bool         `json:"pending"`
}

// head returns the first part of a session's file.
func (s *Service) head(ctx context.Context, o session) (fileHead, error) {
	h := fileHead{Service: s.Visits.Operator.Name, Made: report.TimestampOf(s.Now()), Reads: []fileRead{}, Log: []fileEntry{}}
	if o.all() {
		file, err := s.Freeze.File(ctx, s.DB.SQL, o.mailbox)
		if err != nil {
			return h, err
		}
		view := s.fileView(file)
		h.Frozen = view.Frozen
		if !view.LiftedUntil.IsZero() {
			day := report.DateOf(view.LiftedUntil)
			h.Lifted = &day
		}
		if !view.AlertUntil.IsZero() {
			day := report.DateOf(view.AlertUntil)
			h.AlertUntil = &day
		}
	}
	reads, log, err := s.history(ctx, o)
	for _, x := range reads {
		h.Reads = append(h.Reads, fileRead{x.Reader, x.Owner, x.Kind, report.TimestampOf(x.Report), x.Revision,
			report.TimestampOf(x.First), report.TimestampOf(x.Last), x.Days})
	}
	for _, e := range log {
		h.Log = append(h.Log, fileEntry{report.TimestampOf(e.At), e.Action, e.Company})
	}
	return h, err
}

// download begins a download of the file, and records it. It returns the reports of the session.
func (s *Service) download(r *http.Request, o session) (all []string, err error) {
	if err := s.limit(r.Context(), "download", o); err != nil {
		return nil, err
	}
	err = s.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) error {
		if all, err = tokens(ctx, tx, o, ""); err != nil {
			return err
		}
		return s.Freeze.Record(ctx, tx, o.mailbox, freeze.Entry{Action: freeze.ActionDownloaded, CustomerID: o.company})
	})
	return all, err
}

func attachment(w http.ResponseWriter, kind, name string) {
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Disposition", `attachment; filename="`+name+`"`)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
}

// downloadJSON writes the whole file as JSON, one report after the other.
func (s *Service) downloadJSON(w http.ResponseWriter, r *http.Request, o session) error {
	all, err := s.download(r, o)
	if err != nil {
		return err
	}
	head, err := s.head(r.Context(), o)
	if err != nil {
		return err
	}
	raw, err := json.MarshalIndent(head, "", "  ")
	if err != nil {
		return err
	}
	attachment(w, "application/json; charset=utf-8", "file.json")
	w.Write(raw[:len(raw)-2]) // without the brace
	w.Write([]byte(",\n  \"reports\": ["))
	for i, token := range all {
		one, err := s.fileReport(r.Context(), o, token)
		if errors.Is(err, store.ErrNotFound) {
			continue // deleted meanwhile
		}
		if raw, err = json.Marshal(one); err != nil {
			panic(http.ErrAbortHandler) // the answer is incomplete: end the connection
		}
		if i > 0 {
			w.Write([]byte(","))
		}
		w.Write(raw)
	}
	w.Write([]byte("]\n}\n"))
	return nil
}

func (s *Service) fileReport(ctx context.Context, o session, token string) (fileReport, error) {
	rep, company, body, err := s.contents(ctx, o, token)
	out := fileReport{Company: company, Product: rep.Kind, Status: rep.Status, Created: report.TimestampOf(rep.Created), Body: body,
		Transactions: []fileTransaction{}}
	if err != nil || body == nil {
		return out, err
	}
	v, err := s.read(ctx, providerui.Access{Lang: i18n.English}, o, token)
	for _, t := range v.Transactions {
		out.Transactions = append(out.Transactions, fileTransaction{t.Posted.Format("2006-01-02"), t.Account, t.Description, t.Amount,
			t.Currency, t.Pending})
	}
	return out, err
}

// downloadPDF writes the file as a PDF, with the newest reports and their newest transactions.
func (s *Service) downloadPDF(w http.ResponseWriter, r *http.Request, o session) error {
	all, err := s.download(r, o)
	if err != nil {
		return err
	}
	b := s.base(r)
	v := providerui.AccessDocument{Access: b, Service: s.Visits.Operator.Name, Made: s.Now().UTC(), More: max(0, len(all)-maxReports)}
	if v.Reads, v.Log, err = s.history(r.Context(), o); err != nil {
		return err
	}
	for _, token := range all[:min(len(all), maxReports)] {
		one, err := s.read(r.Context(), b, o, token)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		v.Reports = append(v.Reports, one)
	}
	document, err := v.Render()
	if err != nil {
		return err
	}
	attachment(w, "application/pdf", "file.pdf")
	w.Write(document) // on error the client is gone
	return nil
}
