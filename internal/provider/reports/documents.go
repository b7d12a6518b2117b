package reports

import (
	"context"
	"io"
	"strings"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/provider/documents"
	"vestibule/internal/provider/sources"
	"vestibule/internal/report"
)

// PaystubDocument is the document_type of uploaded pay stubs and the prefix of their
// source_id. OtherDocument is that of other documents, IdentityDocument that of
// identity documents for a passport's supplier.
const (
	PaystubDocument  = report.VerifiedByPaystub
	OtherDocument    = report.VerifiedByDocument
	IdentityDocument = report.SourceIdentityDocument
)

// submittedDocument is a submitted document with its source_id in the report.
type submittedDocument struct {
	documents.Document
	source string
}

func (d submittedDocument) path() string { return d.ID + "/" + d.Path() }

func (s *Service) submittedDocuments(ctx context.Context, r Report) ([]submittedDocument, error) {
	all, err := s.Documents.List(ctx, s.DB.SQL, r.PublicToken)
	if err != nil {
		return nil, err
	}
	seen := map[string]int{}
	out := make([]submittedDocument, len(all))
	for i, d := range all {
		out[i] = submittedDocument{d, bankdata.SourceID(d.Kind, seen[d.Kind])}
		seen[d.Kind]++
	}
	return out, nil
}

// identityDocuments reads the submitted identity documents of a report.
func (s *Service) identityDocuments(ctx context.Context, r Report) (out []sources.Document, err error) {
	all, err := s.submittedDocuments(ctx, r)
	if err != nil {
		return nil, err
	}
	for _, d := range all {
		if d.Kind != IdentityDocument {
			continue
		}
		body, err := s.contents(ctx, r, d)
		if err != nil {
			return nil, err
		}
		out = append(out, sources.Document{Type: d.Type, Content: body})
	}
	return out, nil
}

func (s *Service) contents(ctx context.Context, r Report, d submittedDocument) ([]byte, error) {
	from, err := s.Documents.Open(ctx, r.PublicToken, d.ID)
	if err != nil {
		return nil, err
	}
	body := make([]byte, d.Size)
	_, err = io.ReadFull(from, body)
	return body, err
}

// stub returns a document as a pay stub to read.
func (s *Service) stub(ctx context.Context, r Report, in *Input, d submittedDocument) StubFile {
	return StubFile{Name: d.Name, Employer: in.employerAt(d.Employer), Body: func() ([]byte, error) { return s.contents(ctx, r, d) }}
}

// documents returns the submitted files, whatever the report's status.
func (s *Service) documents(ctx context.Context, rep Report) ([]file, error) {
	all, err := s.submittedDocuments(ctx, rep)
	if err != nil {
		return nil, err
	}
	var out []file
	for _, d := range all {
		out = append(out, file{
			listed: listed{d.Kind, d.ID, d.source, d.ID, d.path()}, name: d.Path(), kind: d.Type,
			open: func() (io.ReadSeeker, error) { return s.Documents.Open(ctx, rep.PublicToken, d.ID) },
		})
	}
	return out, nil
}

// isDocument reports whether the last part of a path can name a document.
func isDocument(name string) bool {
	base, _, _ := strings.Cut(name, ".")
	return base == strings.ToLower(PaystubDocument) || base == strings.ToLower(OtherDocument)
}
