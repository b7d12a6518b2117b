package reports

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/door"
	"vestibule/internal/report"
	"vestibule/internal/store"
	"vestibule/internal/svc"
)

// A cashflow report has one file for each bank: what was retrieved there, from
// which the report was computed. Account numbers are cut to their last four.

// fileName is the last part of its source_filepath; the first is the connection's
// source_uuid.
const fileName = "transactions.json"

type listed struct {
	DocumentType string `json:"document_type"`
	DocumentID   string `json:"document_id"`
	SourceID     string `json:"source_id"`
	SourceUUID   string `json:"source_uuid"`
	Filepath     string `json:"source_filepath"`
}

// files lists the files of a report, also when there is none of them.
func (s *Service) files(w http.ResponseWriter, r *http.Request) error {
	rep, data, err := s.sources(r)
	if err != nil {
		return err
	}
	out := []listed{}
	for _, c := range data.Connections {
		out = append(out, listed{"BANK_TRANSACTIONS", derived(rep.PublicToken, "file/"+c.ID), c.SourceID, c.ID, c.ID + "/" + fileName})
	}
	w.Header().Set("Cache-Control", "no-store")
	return door.JSON(w, http.StatusOK, out)
}

// file serves one of them, in parts if asked to.
func (s *Service) file(w http.ResponseWriter, r *http.Request) error {
	rep, data, err := s.sources(r)
	if err != nil {
		return err
	}
	id, name, _ := strings.Cut(r.PathValue("path"), "/")
	for _, c := range data.Connections {
		if c.ID != id || name != fileName {
			continue
		}
		if s.Now().Sub(rep.Held()) > Retention {
			return door.Fail(svc.CodeGone, errors.New("the file's retention is over"))
		}
		raw, err := report.Encode(fileOf(c, rep.Retrieved))
		if err != nil {
			return err
		}
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.Header().Set("Content-Disposition", `attachment; filename="`+fileName+`"`)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cache-Control", "no-store")
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(raw))
		return nil
	}
	return door.Fail(svc.CodeNotFound, errors.New("the report has no such file"))
}

// sources is a cashflow report with what was retrieved for it; nothing while it
// is not made.
func (s *Service) sources(r *http.Request) (Report, bankdata.Data, error) {
	rep, err := s.named(r)
	if err != nil {
		return rep, bankdata.Data{}, err
	}
	if rep.Kind != svc.Cashflow {
		return rep, bankdata.Data{}, door.Fail(svc.CodeInvalidToken, errors.New("the report is of another kind"))
	}
	if rep.Status != svc.StatusSuccess {
		return rep, bankdata.Data{}, nil
	}
	if err := s.given(r.Context(), rep); err != nil {
		return rep, bankdata.Data{}, err
	}
	data, err := s.Data(r.Context(), rep)
	if errors.Is(err, store.ErrShredded) {
		return rep, data, door.Fail(svc.CodeInvalidToken, err)
	}
	return rep, data, err
}

// Data is what a report that is made was made from.
func (s *Service) Data(ctx context.Context, r Report) (bankdata.Data, error) {
	_, in, err := s.input(ctx, r.PublicToken)
	if err != nil || in.Data == nil {
		return bankdata.Data{}, err
	}
	return *in.Data, nil
}

type fileBody struct {
	SourceID    string           `json:"source_id"`
	SourceUUID  string           `json:"source_uuid"`
	Institution *string          `json:"institution_name"`
	Retrieved   report.Timestamp `json:"retrieved_at"`
	Accounts    []fileAccount    `json:"accounts"`
}

type fileAccount struct {
	ID           string            `json:"account_id"`
	Name         *string           `json:"account_name"`
	Type         *string           `json:"account_type"`
	Subtype      *string           `json:"account_subtype"`
	Truncated    *string           `json:"truncated_account_number"`
	Currency     *string           `json:"currency"`
	Balance      report.Cents      `json:"current_balance"`
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

func fileOf(c bankdata.Connection, retrieved time.Time) fileBody {
	f := fileBody{SourceID: c.SourceID, SourceUUID: c.ID, Institution: report.Null(c.Institution),
		Retrieved: report.TimestampOf(retrieved), Accounts: []fileAccount{}}
	for _, a := range c.Accounts {
		out := fileAccount{ID: a.ID, Name: report.Null(a.Name), Type: report.Null(a.Type), Subtype: report.Null(a.Subtype),
			Truncated: report.Null(a.Mask()), Currency: report.Null(a.Currency), Balance: a.Balance, Transactions: []fileTransaction{}}
		for _, t := range a.Transactions {
			row := fileTransaction{ID: t.ID, Pending: t.Pending, Amount: t.Amount, Description: report.Null(t.Description),
				Merchant: report.Null(t.Merchant), Memo: report.Null(t.Memo)}
			if !t.Posted.IsZero() {
				row.Posted = &t.Posted
			}
			out.Transactions = append(out.Transactions, row)
		}
		f.Accounts = append(f.Accounts, out)
	}
	return f
}
