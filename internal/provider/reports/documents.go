package reports

import (
	"context"
	"io"
	"strings"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/provider/documents"
	"vestibule/internal/report"
)

// PaystubDocument is the document_type of uploaded pay stubs, and of their sources
// the beginning of the source_id. LetterDocument is that of other documents.
const (
	PaystubDocument = report.VerifiedByPaystub
	LetterDocument  = report.VerifiedByDocument
)

// handed is a document with the source_id that it has in the report.
type handed struct {
	documents.Document
	source string
}

func (d handed) path() string { return d.ID + "/" + d.Path() }

// handed are the documents of a report in their order.
func (s *Service) handed(ctx context.Context, r Report) ([]handed, error) {
	all, err := s.Documents.List(ctx, s.DB.SQL, r.PublicToken)
	if err != nil {
		return nil, err
	}
	seen := map[string]int{}
	out := make([]handed, len(all))
	for i, d := range all {
		out[i] = handed{d, bankdata.SourceID(d.Kind, seen[d.Kind])}
		seen[d.Kind]++
	}
	return out, nil
}

// stub is one of them as it is read.
func (s *Service) stub(ctx context.Context, r Report, in *Input, d handed) StubFile {
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

// documents are the files that were handed in, whatever became of the report.
func (s *Service) documents(ctx context.Context, rep Report) ([]file, error) {
	all, err := s.handed(ctx, rep)
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

// isDocument says whether the last part of a path may be that of a document.
func isDocument(name string) bool {
	base, _, _ := strings.Cut(name, ".")
	return base == strings.ToLower(PaystubDocument) || base == strings.ToLower(LetterDocument)
}
