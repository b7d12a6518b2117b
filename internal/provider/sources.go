package provider

import (
	"context"
	"database/sql"
	"errors"
	"io"

	"vestibule/internal/provider/documents"
	"vestibule/internal/provider/reports"
	"vestibule/internal/provider/visits"
	"vestibule/internal/report"
	"vestibule/internal/store"
)

// What else than banks reports are made from.

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
