package reports

import (
	"context"
	"io"
	"strings"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/provider/documents"
	"vestibule/internal/report"
)

// PaystubDocument is the document_type of uploaded pay stubs and the prefix of their
// source_id. OtherDocument is that of other documents.
const (
	PaystubDocument = report.VerifiedByPaystub
	OtherDocument   = report.VerifiedByDocument
)

// submittedDocument is a submitted document with its source_id in the report.
type submittedDocument struct {
	documents.Document
	source string
}

func (d submittedDocument) path() string { return d.ID + "/" + d.Path() }

// submittedDocuments returns the submitted documents of a report in their order.
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

// stub returns a document as a pay stub to read.
func (s *Service) stub(ctx context.Context, r Report, in *Input, d submittedDocument) StubFile {
	return StubFile{Name: d.Name, Employer: in.stated(d.Employer), Body: func() ([]byte, error) {
		from, err := s.Documents.Open(ctx, r.PublicToken, d.ID)
		if err != nil {
			return nil, err
		}
		body := make([]byte, d.Size)
		_, err = io.ReadFull(from, body)
		return body, err
	}}
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
