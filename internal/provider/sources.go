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
	"vestibule/internal/svc"
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

// signIns are the bank or payroll connections of a visit as reports keep them.
func signIns(from []visits.SignIn) []reports.SignIn {
	var out []reports.SignIn
	for _, s := range from {
		out = append(out, reports.SignIn{Provider: s.Provider, Name: s.Name, Profile: s.Profile, Link: s.Link, Accounts: s.Accounts,
			Employer: s.Employer, Status: s.Status, Substatus: s.Substatus, At: report.TimestampOf(s.At)})
	}
	return out
}

// visitDocuments keeps what applicants upload.
type visitDocuments struct{ documents *documents.Service }

// documentTypes are the document_types of what is uploaded.
var documentTypes = map[visits.Way]string{visits.WayStubs: reports.PaystubDocument, visits.WayLetters: reports.LetterDocument}

func (v visitDocuments) Upload(ctx context.Context, f visits.Upload, from io.Reader) (string, error) {
	d, err := v.documents.Upload(ctx, documents.New{PublicToken: f.PublicToken, KeyID: f.KeyID, Kind: documentTypes[f.Way], Employer: f.Employer,
		Name: f.Name, AnyType: f.Anything}, from)
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
		way := visits.WayStubs
		if d.Kind == reports.LetterDocument {
			way = visits.WayLetters
		}
		out[i] = visits.Document{ID: d.ID, Name: d.Name, Size: d.Size, Pile: visits.Pile{Way: way, Employer: d.Employer}}
	}
	return out, err
}

// reportDocuments gives reports what was handed in.
type reportDocuments struct{ documents *documents.Service }

func (r reportDocuments) List(ctx context.Context, q store.Queryer, publicToken string) ([]reports.Document, error) {
	all, err := r.documents.List(ctx, q, publicToken)
	out := make([]reports.Document, len(all))
	for i, d := range all {
		out[i] = reports.Document{ID: d.ID, Kind: d.Kind, Name: d.Name, Type: d.Type, Path: d.Path(), Size: d.Size, Employer: d.Employer}
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

func (s stubReader) Look(f reports.StubFile) (svc.Status, error) { return s.Reader.Look(stubs.File(f)) }

// walkOf is how the sandbox control wants a visit walked.
func walkOf(how sandbox.Walk) visits.Walk {
	w := visits.Walk{Sources: shown(how.Sources), Supplier: how.Supplier, End: how.End}
	for _, b := range how.Banks {
		w.Banks = append(w.Banks, visits.At(b))
	}
	for _, e := range how.Employers {
		w.Employers = append(w.Employers, shown(e))
	}
	return w
}

func shown(of sandbox.Sources) (out visits.Sources) {
	if of.Payroll != nil {
		at := visits.At(*of.Payroll)
		out.Payroll = &at
	}
	for _, f := range of.PayStubs {
		out.Stubs = append(out.Stubs, visits.File(f))
	}
	for _, f := range of.Documents {
		out.Letters = append(out.Letters, visits.File(f))
	}
	out.Skip = of.Skip
	return out
}
