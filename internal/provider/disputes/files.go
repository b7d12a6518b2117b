package disputes

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"

	"github.com/google/uuid"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/provider/documents"
	"vestibule/internal/store"
)

// Limits of the files of a dispute.
const (
	MaxFiles    = 3
	MaxFileSize = 5 << 20 // bytes of a file
	maxFields   = 64 << 10
)

// Upload is a file that was sent with a dispute. Its contents are neither decoded nor rendered.
type Upload struct {
	Name     string
	Type     string // by its contents: documents.PDF, PNG or JPEG
	Contents []byte
}

// File is a stored file without its contents.
type File struct {
	ID, Name, Type string
	Size           int64
}

func sizes(all []Upload) (n int64) {
	for _, f := range all {
		n += int64(len(f.Contents))
	}
	return n
}

// DecodeForm reads a form with files in the field file. A file that is too large, empty, or of
// another type is an Invalid; empty fields of browsers that chose no file are left out.
func DecodeForm(w http.ResponseWriter, r *http.Request) (form url.Values, files []Upload, err error) {
	if err := httpx.RejectContentCoding(w, r); err != nil {
		return nil, nil, err
	}
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if kind != "multipart/form-data" {
		form, err := httpx.DecodeForm(w, r, maxFields)
		return form, nil, err
	}
	r.Body = http.MaxBytesReader(w, r.Body, MaxFiles*MaxFileSize+maxFields)
	parts, err := r.MultipartReader()
	if err != nil {
		return nil, nil, httpx.NewError(contract.CodeMalformedBody, errors.New("the form does not parse"))
	}
	form = url.Values{}
	var invalid error
	for left := int64(maxFields); ; {
		part, err := parts.NextRawPart()
		if errors.Is(err, io.EOF) && len(form) > 0 {
			return form, files, invalid
		}
		if err != nil { // also a body that is no form, which reads like one without fields
			return nil, nil, httpx.BodyError(err)
		}
		limit := left
		if part.FormName() == "file" {
			limit = MaxFileSize
		}
		body, err := io.ReadAll(io.LimitReader(part, limit+1))
		switch {
		case err != nil:
			return nil, nil, httpx.BodyError(err)
		case part.FormName() != "file":
			if left -= int64(len(part.FormName()) + len(body)); left < 0 || form.Has(part.FormName()) {
				return nil, nil, httpx.NewError(contract.CodeMalformedBody, errors.New("a field is too long or given twice"))
			}
			form.Set(part.FormName(), string(body))
		case len(body) == 0 && part.FileName() == "":
		case len(body) == 0 || len(body) > MaxFileSize || documents.TypeOf(body) == "" || len(files) >= MaxFiles:
			invalid = Invalid{"file"}
		default:
			files = append(files, Upload{httpx.CleanFileName(part.FileName()), documents.TypeOf(body), body})
		}
	}
}

func (s *Service) addFiles(ctx context.Context, tx *store.Tx, d Dispute, files []Upload) error {
	for i, f := range files {
		id := uuid.NewString()
		name, err := s.DB.Vault.Seal(ctx, tx, d.keyID, fileCell(id, "name"), []byte(f.Name))
		if err != nil {
			return err
		}
		contents, err := s.DB.Vault.Seal(ctx, tx, d.keyID, fileCell(id, "contents"), f.Contents)
		if err != nil {
			return err
		}
		if err := insertFile(ctx, tx, d.Number, i, id, f, name, contents); err != nil {
			return err
		}
	}
	return nil
}

// ServeFile answers with a file of a dispute as an attachment.
func (s *Service) ServeFile(w http.ResponseWriter, r *http.Request, d Dispute, id string) error {
	for _, f := range d.Files {
		if f.ID != id {
			continue
		}
		sealed, err := contents(r.Context(), s.DB.SQL, d.Number, id)
		if err != nil {
			return err
		}
		plain, err := s.DB.Vault.Open(r.Context(), s.DB.SQL, d.keyID, fileCell(id, "contents"), sealed)
		if err != nil {
			return err
		}
		h := w.Header()
		h.Set("Content-Type", f.Type)
		h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": f.Name}))
		h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cache-Control", "no-store")
		w.Write(plain) // on error the client is gone
		return nil
	}
	return store.ErrNotFound
}

func fileCell(id, column string) store.Cell {
	return store.Cell{Table: "dispute_files", Column: column, Row: id}
}
