package reports

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/analysis/cashflow"
	"vestibule/internal/analysis/corrections"
	"vestibule/internal/analysis/income"
	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/provider/auth"
	"vestibule/internal/report"
	"vestibule/internal/store"
)

// A report has a file for each bank with the data retrieved there, from which the
// report was computed, and a cashflow report also one that explains its figures.
// Account numbers show only their last four characters. Files are generated from the
// encrypted data for each request. An income report also has a file for each payroll
// connection. Documents that the consumer submitted are returned unchanged, whatever
// the report's status.

// The last parts of the source_filepaths; the first is the source_uuid.
const (
	analysisName     = "analysis.json"
	transactionsName = "transactions.json"
	statementsName   = "statements.json"
)

type listed struct {
	DocumentType string `json:"document_type"`
	DocumentID   string `json:"document_id"`
	SourceID     string `json:"source_id"`
	SourceUUID   string `json:"source_uuid"`
	Filepath     string `json:"source_filepath"`
}

// file is one of a report's files, generated as JSON by body or opened by open.
type file struct {
	listed
	name string // of the download
	body func() (any, error)
	kind string // content type of what open opens
	open func() (io.ReadSeeker, error)
}

// contents opens the file and returns its content type.
func (f file) contents() (io.ReadSeeker, string, error) {
	if f.open != nil {
		from, err := f.open()
		return from, f.kind, err
	}
	body, err := f.body()
	if err != nil {
		return nil, "", err
	}
	raw, err := report.Encode(body)
	return bytes.NewReader(raw), "application/json; charset=utf-8", err
}

// files lists the files of a report of the kind.
func (s *Service) files(kind contract.Product, w http.ResponseWriter, r *http.Request) error {
	_, all, err := s.requestedFiles(kind, r, "")
	if err != nil {
		return err
	}
	out := []listed{}
	for _, f := range all {
		out = append(out, f.listed)
	}
	return httpx.PrivateJSON(w, http.StatusOK, out)
}

// file serves one file, with support for range requests.
func (s *Service) file(kind contract.Product, w http.ResponseWriter, r *http.Request) error {
	path := r.PathValue("path")
	over, all, err := s.requestedFiles(kind, r, path)
	if err != nil {
		return err
	}
	for _, f := range all {
		if f.Filepath != path {
			continue
		}
		contents, kind, err := f.contents()
		if err != nil {
			return err
		}
		w.Header().Set("Content-Type", kind)
		w.Header().Set("Content-Disposition", `attachment; filename="`+f.name+`"`)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cache-Control", "no-store")
		http.ServeContent(w, r, "", time.Time{}, contents)
		return nil
	}
	if source, name, _ := strings.Cut(path, "/"); over && contract.IsUUID(source) && (name == analysisName ||
		name == transactionsName || name == statementsName || isDocument(name)) {
		return httpx.NewError(contract.CodeGone, errors.New("the file's retention is over"))
	}
	return httpx.NewError(contract.CodeNotFound, errors.New("the report has no such file"))
}

// requestedFiles returns the files of a report of the kind: none before it has input, only
// the submitted documents until it is generated, and none after the retention period. Documents
// may be missing beside the file with a path.
func (s *Service) requestedFiles(kind contract.Product, r *http.Request, path string) (over bool, all []file, err error) {
	ctx := r.Context()
	rep, err := s.requestedReport(r, getWith("input", auth.CallerOf(ctx).CustomerID))
	if err != nil {
		return false, nil, err
	}
	if rep.Kind != kind {
		return false, nil, otherKind(rep)
	}
	generated := rep.Status == contract.StatusSuccess
	if rep.Retrieved.IsZero() || !generated && rep.Relay != "" {
		return false, nil, nil
	}
	if !s.retained(rep) {
		return true, nil, nil
	}
	if generated {
		over, all, err = s.retrievedFiles(ctx, rep)
		if over || err != nil || slices.ContainsFunc(all, func(f file) bool { return f.Filepath == path }) {
			return over, all, err
		}
	}
	if !kinds[kind].payroll {
		return false, all, nil // no document is submitted for them
	}
	submitted, err := s.documents(ctx, rep)
	if errors.Is(err, store.ErrShredded) {
		err = httpx.NewError(contract.CodeInvalidToken, err)
	}
	return false, append(all, submitted...), err
}

// retrievedFiles returns the files with the data that a generated report was made from.
func (s *Service) retrievedFiles(ctx context.Context, rep Report) (over bool, all []file, err error) {
	if err := s.markRead(ctx, rep); err != nil {
		return false, nil, err
	}
	in, err := s.inputOf(ctx, s.DB.SQL, rep)
	switch {
	case errors.Is(err, ErrDeleted): // deleted, and the clock was moved back since
		return true, nil, nil
	case errors.Is(err, store.ErrShredded):
		return false, nil, httpx.NewError(contract.CodeInvalidToken, err)
	case err != nil:
		return false, nil, err
	}
	var data bankdata.Data
	if in.Data != nil {
		data = *in.Data
	}
	k := kinds[rep.Kind]
	if k.analysis {
		id := DerivedID(rep.PublicToken, "analysis")
		all = append(all, file{
			listed: listed{"CASHFLOW_ANALYSIS", DerivedID(rep.PublicToken, "file/analysis"), "REPORT_ANALYSIS", id, id + "/" + analysisName},
			name:   analysisName, body: func() (any, error) { return s.analysis(ctx, rep, in) },
		})
	}
	for _, c := range data.Connections {
		all = append(all, file{listed: transactionsOf(rep, c), name: transactionsName,
			body: func() (any, error) { return fileOf(c, data.Currency(report.DateOf(rep.Retrieved)), rep.Retrieved), nil }})
	}
	if k.payroll {
		for _, p := range in.Payroll {
			all = append(all, file{listed: statementsIn(rep, p), name: statementsName,
				body: func() (any, error) { return statementsOf(p, rep.Retrieved), nil }})
		}
	}
	if k.verifies {
		all, err = s.verified(ctx, rep, all)
	}
	return false, all, err
}

// transactionsOf describes the file of a bank.
func transactionsOf(rep Report, c bankdata.Connection) listed {
	return listed{report.BankTransactionsDocument, DerivedID(rep.PublicToken, "file/"+c.ID), c.SourceID, c.ID, c.ID + "/" + transactionsName}
}

// statementsIn describes the file of a payroll connection.
func statementsIn(rep Report, p income.Payroll) listed {
	return listed{report.PayrollStatementsDocument, DerivedID(rep.PublicToken, "file/"+p.ID), p.SourceID, p.ID, p.ID + "/" + statementsName}
}

// analysis explains how the report's figures were computed, with the scores in the
// report, whatever the configuration is now, and under the token that the caller used.
func (s *Service) analysis(ctx context.Context, rep Report, from Input) (report.Analysis, error) {
	made, err := s.inForce(ctx, s.DB.SQL, rep)
	if err != nil {
		return report.Analysis{}, err
	}
	from.Corrections = corrections.Merge(from.Corrections, made)
	body, err := s.body(ctx, rep)
	if err != nil {
		return report.Analysis{}, err
	}
	// A quote inside of a text is escaped, so this is never one.
	has := func(version string) bool { return bytes.Contains(body, []byte(`"score_version":"`+version)) }
	in := cashflow.Input{Envelope: report.Envelope{PublicToken: rep.PublicToken}, Bank: *from.corrected(rep).Data}
	if rep.Relay != "" {
		in.PublicToken = rep.Relay
	}
	in.Options = cashflow.Options{Attributes: has(""), ScoreV1: has(`v1.0"`), ScoreV21: has(`v2.1"`)}
	return cashflow.Explain(in, rep.Retrieved), nil
}

// Data returns the data that a generated report was made from. After InputAge it
// returns ErrDeleted. A secondary report copies the data when it begins.
func (s *Service) Data(ctx context.Context, r Report) (bankdata.Data, error) {
	_, in, err := s.input(ctx, r.PublicToken)
	if err != nil || in.Data == nil {
		return bankdata.Data{}, err
	}
	return *in.Data, nil
}

// Address returns the email address that came with the data of a report, or "".
func (s *Service) Address(ctx context.Context, q store.Queryer, r Report) (string, error) {
	in, err := s.inputOf(ctx, q, r)
	if errors.Is(err, ErrDeleted) || errors.Is(err, store.ErrShredded) {
		return "", nil
	}
	if err != nil || in.Consumer == nil || len(in.Consumer.Emails) == 0 {
		return "", err
	}
	return in.Consumer.Emails[0], nil
}

type fileBody struct {
	SourceID    string           `json:"source_id"`
	SourceUUID  string           `json:"source_uuid"`
	Institution *string          `json:"institution_name"`
	Retrieved   report.Timestamp `json:"retrieved_at"`
	Currency    string           `json:"figures_currency"`
	Accounts    []fileAccount    `json:"accounts"`
}

type fileAccount struct {
	ID           string            `json:"account_id"`
	Name         *string           `json:"account_name"`
	Type         *string           `json:"account_type"`
	Subtype      *string           `json:"account_subtype"`
	Truncated    *string           `json:"truncated_account_number"`
	Currency     *string           `json:"currency"`
	LeftOut      bool              `json:"left_out_of_figures"`
	Balance      report.Cents      `json:"current_balance"`
	BalanceDate  *report.Date      `json:"balance_date"`
	Transactions []fileTransaction `json:"transactions"`
}

type fileTransaction struct {
	ID          string       `json:"transaction_id"`
	Posted      *report.Date `json:"posted_date"`
	Pending     bool         `json:"pending"`
	Amount      report.Cents `json:"amount"`
	Description *string      `json:"description"`
	Merchant    *string      `json:"merchant"`
	Memo        *string      `json:"memo"`
}

func fileOf(c bankdata.Connection, currency string, retrieved time.Time) fileBody {
	f := fileBody{SourceID: c.SourceID, SourceUUID: c.ID, Institution: contract.Null(c.Institution),
		Retrieved: report.TimestampOf(retrieved), Currency: currency, Accounts: []fileAccount{}}
	for _, a := range c.Accounts {
		out := fileAccount{ID: a.ID, Name: contract.Null(a.Name), Type: contract.Null(a.Type), Subtype: contract.Null(a.Subtype),
			Truncated: contract.Null(a.Mask()), Currency: contract.Null(a.Currency), LeftOut: a.CurrencyCode() != currency,
			Balance: a.Balance, BalanceDate: a.BalanceDate, Transactions: []fileTransaction{}}
		for _, t := range a.Transactions {
			row := fileTransaction{ID: t.ID, Pending: t.Pending, Amount: t.Amount, Description: contract.Null(t.Description),
				Merchant: contract.Null(t.Merchant), Memo: contract.Null(t.Memo)}
			if !t.Posted.IsZero() {
				row.Posted = &t.Posted
			}
			out.Transactions = append(out.Transactions, row)
		}
		f.Accounts = append(f.Accounts, out)
	}
	return f
}
