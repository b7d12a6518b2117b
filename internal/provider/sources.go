package provider

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"time"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/analysis/income"
	"vestibule/internal/provider/documents"
	"vestibule/internal/provider/reports"
	"vestibule/internal/provider/sandbox"
	"vestibule/internal/provider/sandbox/payroll"
	"vestibule/internal/provider/sandbox/stubs"
	"vestibule/internal/provider/visits"
	"vestibule/internal/report"
	"vestibule/internal/store"
)

// What else than banks reports are made from.

// visitEmployers are the payroll providers as the widget lists them.
func visitEmployers() []visits.Bank {
	var out []visits.Bank
	for _, p := range payroll.All() {
		out = append(out, visits.Bank{ID: p.ID, Name: p.Name, Place: p.Hint, Lugar: p.HintES})
	}
	return out
}

// visitPayroll is the sandbox's payroll providers as the widget shows them.
type visitPayroll struct{}

func (visitPayroll) Login(username string) visits.Login {
	profile, st, sub, ok := payroll.Providers{}.Login(username)
	return visits.Login{Known: ok, Profile: profile, Status: st, Substatus: sub}
}

// signIns are the payroll connections of a visit as reports keep them.
func signIns(from visits.Source) []reports.SignIn {
	var out []reports.SignIn
	for _, s := range from.SignIns {
		out = append(out, reports.SignIn{Provider: s.Provider, Profile: s.Profile})
	}
	return out
}

// visitDocuments keeps what applicants upload.
type visitDocuments struct{ documents *documents.Service }

func (v visitDocuments) Upload(ctx context.Context, publicToken, keyID, name string, anything bool, from io.Reader) (string, error) {
	d, err := v.documents.Upload(ctx, documents.New{PublicToken: publicToken, KeyID: keyID, Kind: reports.PaystubDocument, Name: name, AnyType: anything}, from)
	switch {
	case errors.Is(err, documents.ErrTooLarge):
		err = visits.ErrFileTooLarge
	case errors.Is(err, documents.ErrEmpty):
		err = visits.ErrFileEmpty
	case errors.Is(err, documents.ErrType):
		err = visits.ErrFileType
	}
	return d.ID, err
}

func (v visitDocuments) Keep(ctx context.Context, tx *sql.Tx, publicToken, id string) (bool, error) {
	return v.documents.Keep(ctx, tx, publicToken, id)
}

func (v visitDocuments) Remove(ctx context.Context, tx *sql.Tx, publicToken, id string) (bool, error) {
	return v.documents.Remove(ctx, tx, publicToken, id)
}

func (v visitDocuments) Drop(ctx context.Context, tx *sql.Tx, publicToken string) error {
	return v.documents.Drop(ctx, tx, publicToken)
}

func (v visitDocuments) List(ctx context.Context, q store.Queryer, publicToken string) ([]visits.Document, error) {
	all, err := v.documents.List(ctx, q, publicToken)
	out := make([]visits.Document, len(all))
	for i, d := range all {
		out[i] = visits.Document{ID: d.ID, Name: d.Name, Size: d.Size}
	}
	return out, err
}

// reportDocuments gives reports what was handed in.
type reportDocuments struct{ documents *documents.Service }

func (r reportDocuments) List(ctx context.Context, q store.Queryer, publicToken string) ([]reports.Document, error) {
	all, err := r.documents.List(ctx, q, publicToken)
	out := make([]reports.Document, len(all))
	for i, d := range all {
		out[i] = reports.Document{ID: d.ID, Kind: d.Kind, Name: d.Name, Type: d.Type, Path: d.Path(), Size: d.Size}
	}
	return out, err
}

func (r reportDocuments) Open(ctx context.Context, publicToken, id string) (io.ReadSeeker, error) {
	return r.documents.Open(ctx, publicToken, id)
}

// stubReader reads pay stubs.
type stubReader struct{ stubs.Reader }

func (s stubReader) Read(files []reports.StubFile, who *bankdata.Person, link string, bank bankdata.Data, at time.Time) ([]income.Paystub, error) {
	all := make([]stubs.File, len(files))
	for i, f := range files {
		all[i] = stubs.File(f)
	}
	return s.Reader.Read(all, who, link, bank, at)
}

// failed are the sources that a visit could not connect, as reports list them.
func failed(from visits.Source) []report.Source {
	var out []report.Source
	for _, f := range from.Failed {
		kind := report.SourceBankTransaction
		if f.Way == visits.WayPayroll {
			kind = report.SourcePayroll
		}
		out = append(out, report.Source{SourceID: bankdata.SourceID(f.Name, 0), SourceType: kind, Status: f.Status})
	}
	return out
}

// walkOf is how the sandbox control wants a visit walked.
func walkOf(how sandbox.Walk) visits.Walk {
	w := visits.Walk{Username: how.Username, Bank: how.Bank, End: how.End}
	if how.Payroll != nil {
		w.Payroll = &visits.Payroll{Provider: how.Payroll.Provider, Username: how.Payroll.Username}
	}
	for _, f := range how.PayStubs {
		w.Stubs = append(w.Stubs, visits.File(f))
	}
	return w
}
