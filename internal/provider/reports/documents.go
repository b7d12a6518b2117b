package reports

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/analysis/income"
	"vestibule/internal/store"
)

// Documents keeps the files that a consumer handed in for a report.
type Documents interface {
	List(ctx context.Context, q store.Queryer, publicToken string) ([]Document, error)
	Open(ctx context.Context, publicToken, id string) (io.ReadSeeker, error)
}

// Document is one of them.
type Document struct {
	ID, Kind string // Kind is its document_type
	Name     string // as the consumer has it
	Type     string // content type
	Path     string // last part of its source_filepath
	Size     int64  // bytes
}

// Stubs reads pay stubs.
type Stubs interface {
	// Read reads the files of a report in their order. It returns as many, with
	// Status, Employer and Stub; link is for what the sandbox makes up. Its errors are
	// those of Body.
	Read(files []StubFile, who *bankdata.Person, link string, bank bankdata.Data, at time.Time) ([]income.Paystub, error)
}

// StubFile is an uploaded pay stub.
type StubFile struct {
	Name string
	Body func() ([]byte, error) // the whole file
}

// PaystubDocument is the document_type of uploaded pay stubs, and of their sources
// the beginning of the source_id.
const PaystubDocument = "PAYSTUB"

// stubs reads the pay stubs that were handed in.
func (s *Service) stubs(ctx context.Context, r Report, in Input) ([]income.Paystub, error) {
	all, err := s.Documents.List(ctx, s.DB.SQL, r.PublicToken)
	if err != nil {
		return nil, fmt.Errorf("reports: documents: %w", err)
	}
	files := make([]StubFile, len(all))
	for i, d := range all {
		files[i] = StubFile{d.Name, func() ([]byte, error) {
			from, err := s.Documents.Open(ctx, r.PublicToken, d.ID)
			if err != nil {
				return nil, err
			}
			body := make([]byte, d.Size)
			_, err = io.ReadFull(from, body)
			return body, err
		}}
	}
	out, err := s.Stubs.Read(files, in.Consumer, r.PublicToken, *in.Data, r.Retrieved)
	if err != nil {
		return nil, fmt.Errorf("reports: documents: %w", err)
	}
	for i, d := range all {
		out[i].ID, out[i].SourceID, out[i].Path = d.ID, bankdata.SourceID(PaystubDocument, i), d.ID+"/"+d.Path
	}
	return out, nil
}

// documents are the files that were handed in, whatever became of the report.
func (s *Service) documents(ctx context.Context, rep Report) ([]file, error) {
	if s.Documents == nil {
		return nil, nil
	}
	all, err := s.Documents.List(ctx, s.DB.SQL, rep.PublicToken)
	if err != nil {
		return nil, err
	}
	var out []file
	for i, d := range all {
		out = append(out, file{
			listed: listed{d.Kind, d.ID, bankdata.SourceID(d.Kind, i), d.ID, d.ID + "/" + d.Path}, name: d.Path, kind: d.Type,
			open: func() (io.ReadSeeker, error) { return s.Documents.Open(ctx, rep.PublicToken, d.ID) },
		})
	}
	return out, nil
}

// isDocument says whether the last part of a path may be that of a document.
func isDocument(name string) bool {
	base, _, _ := strings.Cut(name, ".")
	return base == strings.ToLower(PaystubDocument) || base == "document"
}
