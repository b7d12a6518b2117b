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
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/provider/freeze"
	"vestibule/internal/store"
	providerui "vestibule/templates/provider"
)

// pageSize is the number of transactions on a page.
const pageSize = 50

// reference names a report in addresses. It is no identifier of the report elsewhere.
func reference(publicToken string) string { return hex.EncodeToString(store.Hash(publicToken)[:16]) }

// findToken returns the publicToken of the report of the session that a reference names, or
// store.ErrNotFound.
func (s *Service) findToken(ctx context.Context, o session, ref string) (string, error) {
	all, err := tokens(ctx, s.DB.SQL, o, "")
	if i := slices.IndexFunc(all, func(t string) bool { return reference(t) == ref }); err == nil && i >= 0 {
		return all[i], nil
	}
	return "", cmp.Or(err, store.ErrNotFound)
}

// showReport shows the figures of a report, and the transactions behind them.
func (s *Service) showReport(w http.ResponseWriter, r *http.Request, o session) error {
	token, err := s.findToken(r.Context(), o, r.PathValue("report"))
	if err != nil {
		return err
	}
	v, _, err := s.read(r.Context(), s.base(r), o, token)
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

// read returns a report of the session with its figures and all of its transactions, the newest first,
// and its body as the company receives it; nil if it was deleted, or never made. It returns
// store.ErrNotFound for a report of others.
func (s *Service) read(ctx context.Context, b providerui.Access, o session, token string) (v providerui.AccessReportView, body []byte,
	err error) {
	own, err := tokens(ctx, s.DB.SQL, o, token)
	if err == nil && len(own) == 0 {
		err = store.ErrNotFound
	}
	if err != nil {
		return v, nil, err
	}
	rep, err := s.Reports.Get(ctx, s.DB.SQL, token)
	if err != nil {
		return v, nil, err
	}
	account, err := s.Customers.ByID(ctx, s.DB.SQL, rep.CustomerID)
	v = providerui.AccessReportView{Access: b, ID: reference(token), Kind: rep.Kind, Status: rep.Status, Created: rep.Created,
		Company: account.ApplicantName(), Deleted: true}
	if err != nil || rep.Status != contract.StatusSuccess {
		return v, nil, err
	}
	body, err = s.Reports.ConsumerBody(ctx, rep)
	if isDeleted(err) {
		return v, nil, nil
	}
	if err != nil {
		return v, nil, err
	}
	v.Deleted = false
	if v.Figures, err = providerui.Figures(b.Lang, body); err != nil {
		return v, nil, err
	}
	data, err := s.Reports.Data(ctx, rep)
	if isDeleted(err) {
		v.NoTransactions, err = true, nil
	}
	for _, c := range data.Connections {
		for _, a := range c.Accounts {
			account := strings.TrimSpace(c.Institution + " " + a.Name)
			if digits := a.Mask(); digits != "" {
				account += " …" + digits
			}
			for _, t := range a.Transactions {
				v.Transactions = append(v.Transactions, providerui.AccessTransaction{Posted: t.Posted.Time, Account: account,
					Description: t.Description, Amount: t.Amount, Currency: a.CurrencyCode(), Pending: t.Pending})
			}
		}
	}
	slices.SortStableFunc(v.Transactions, func(a, b providerui.AccessTransaction) int { return b.Posted.Compare(a.Posted) })
	return v, body, err
}

func isDeleted(err error) bool {
	return errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrShredded)
}

// fileHead is the first part of a file as JSON, which its reports follow.
type fileHead struct {
	Service string                   `json:"service"`
	Made    time.Time                `json:"made_at"`
	File    providerui.AccessFile    `json:"file"`
	Reads   []providerui.AccessRead  `json:"reads"`
	Log     []providerui.AccessEntry `json:"log"`
}

// fileReport is a report in a file.
type fileReport struct {
	Company      string                         `json:"company"`
	Product      contract.Product               `json:"product"`
	Status       contract.Status                `json:"status"`
	Created      time.Time                      `json:"created_at"`
	Body         json.RawMessage                `json:"report"` // as the company receives it; null if it was not made or is deleted
	Transactions []providerui.AccessTransaction `json:"transactions"`
}

// download begins a download of the file, and records it. It returns the reports of the session.
func (s *Service) download(r *http.Request, o session) (all []string, head fileHead, err error) {
	if err := s.limit(r.Context(), "download", o); err != nil {
		return nil, head, err
	}
	err = s.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) error {
		if all, err = tokens(ctx, tx, o, ""); err != nil {
			return err
		}
		return s.Freeze.Record(ctx, tx, o.mailbox, freeze.Entry{Action: freeze.ActionDownloaded, CustomerID: o.company})
	})
	if err != nil {
		return nil, head, err
	}
	head.Service, head.Made = s.Visits.Operator.Name, s.Now().UTC()
	if o.all() {
		file, err := s.Freeze.File(r.Context(), s.DB.SQL, o.mailbox)
		if err != nil {
			return nil, head, err
		}
		head.File = s.fileView(file)
	}
	head.Reads, head.Log, err = s.history(r.Context(), o)
	return all, head, err
}

func attachment(w http.ResponseWriter, kind, name string) {
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Disposition", `attachment; filename="`+name+`"`)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
}

// downloadJSON writes the whole file as JSON, one report after the other.
func (s *Service) downloadJSON(w http.ResponseWriter, r *http.Request, o session) error {
	all, head, err := s.download(r, o)
	if err != nil {
		return err
	}
	raw, err := json.Marshal(head)
	if err != nil {
		return err
	}
	attachment(w, "application/json; charset=utf-8", "file.json")
	w.Write(append(raw[:len(raw)-1], `,"reports":[`...)) // without the brace
	separator := ""
	for _, token := range all {
		v, body, err := s.read(r.Context(), providerui.Access{Lang: i18n.English}, o, token)
		if errors.Is(err, store.ErrNotFound) {
			continue // deleted meanwhile
		}
		if err == nil {
			raw, err = json.Marshal(fileReport{v.Company, v.Kind, v.Status, v.Created, body, v.Transactions})
		}
		if err != nil {
			panic(http.ErrAbortHandler) // the answer is incomplete: end the connection
		}
		w.Write(append([]byte(separator), raw...))
		separator = ","
	}
	w.Write([]byte("]}\n"))
	return nil
}

// downloadPDF writes the file as a PDF, with the newest reports and their newest transactions.
func (s *Service) downloadPDF(w http.ResponseWriter, r *http.Request, o session) error {
	all, head, err := s.download(r, o)
	if err != nil {
		return err
	}
	b := s.base(r)
	v := providerui.AccessDocument{Access: b, Service: head.Service, Made: head.Made, Reads: head.Reads, Log: head.Log,
		More: max(0, len(all)-maxReports)}
	for _, token := range all[:min(len(all), maxReports)] {
		one, _, err := s.read(r.Context(), b, o, token)
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
