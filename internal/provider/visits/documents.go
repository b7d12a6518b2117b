package visits

import (
	"context"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/provider/documents"
	"vestibule/internal/provider/reports"
	"vestibule/internal/store"
)

// DocumentGroup is what files belong to: pay stubs or other documents, of the report or of
// one of its employers.
type DocumentGroup struct {
	SourceType SourceType
	Employer   int // 0: none in particular
}

// documentType is the document_type of what is uploaded on the way.
func (w SourceType) documentType() string {
	if w == SourceLetters {
		return reports.LetterDocument
	}
	return reports.PaystubDocument
}

// pileOf is the pile of an uploaded file.
func pileOf(d documents.Document) DocumentGroup {
	if d.Kind == reports.LetterDocument {
		return DocumentGroup{SourceLetters, d.Employer}
	}
	return DocumentGroup{SourcePaystubs, d.Employer}
}

// maxUpload bounds one upload: all files that there may be, and what is around them.
const maxUpload = documents.MaxFiles*documents.MaxSize + 1<<20

// errNoDocument is returned for documents that are handed in without any.
var errNoDocument = errors.New("visits: there is no document")

// errFull is returned for a file that its account takes no more of today.
var errFull = errors.New("visits: the account has been sent enough files")

var (
	wordsNoDocument = contract.Words{EN: "Add at least one file.", ES: "Añada al menos un archivo."}
	wordsNoFile     = contract.Words{EN: "Choose a file first.", ES: "Elija primero un archivo."}
	wordsFull       = contract.Words{EN: "No more files can be added at the moment. Please try again tomorrow.", ES: "En este momento no se pueden añadir más archivos. Inténtelo de nuevo mañana."}
	wordsTooMany    = contract.Words{EN: "At most ten files can be added.", ES: "Se pueden añadir diez archivos como máximo."}
)

// upload takes files for the step of documents: POST /visit/{handle}/documents, a
// form of multipart/form-data whose fields named file are the files. Those that
// are not taken are named, and the others stay.
func (s *Service) upload(w http.ResponseWriter, r *http.Request) error {
	handle := r.PathValue("handle")
	v, err := s.look(r.Context(), handle)
	if err != nil {
		return err
	}
	if err := s.own(r, v, s.secretOf(r, handle)); err != nil {
		return err
	}
	if v.Step != StepDocuments || !v.walking() {
		see(w, r, Path(handle))
		return nil
	}
	consumer, err := s.applicant(r.Context(), s.DB.SQL, v.customerID, v.consumerID)
	if err != nil {
		return err
	}
	if r.ContentLength > maxUpload {
		return s.render(w, r, v, http.StatusRequestEntityTooLarge, notTaken("", documents.ErrTooLarge))
	}
	if err := httpx.RejectContentCoding(w, r); err != nil {
		return err
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxUpload)
	form, err := r.MultipartReader()
	if err != nil {
		return httpx.NewError(contract.CodeUnsupportedMediaType, errors.New("content type is not multipart/form-data"))
	}
	problem, err := s.takeFiles(r.Context(), handle, v, consumer.KeyID, form)
	if err != nil {
		return err
	}
	if problem != (contract.Words{}) {
		if v, err = s.look(r.Context(), handle); err != nil {
			return err
		}
		if v.Step == StepDocuments && v.walking() {
			return s.render(w, r, v, http.StatusUnprocessableEntity, problem)
		}
	}
	see(w, r, Path(handle))
	return nil
}

// takeFiles takes the files of a form; problem names those that were not taken. A
// form with an outdated nonce has none of its files taken. The nonce comes before the
// files, as in the page.
func (s *Service) takeFiles(ctx context.Context, handle string, v visit, keyID string, form *multipart.Reader) (problem contract.Words, err error) {
	files, nonce, here := 0, "", v.here()
	to := documents.New{PublicToken: v.publicToken, KeyID: keyID, Kind: here.SourceType.documentType(), Employer: here.Employer}
	for {
		part, err := form.NextRawPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return problem, httpx.BodyError(err)
		}
		if part.FormName() == "nonce" {
			if nonce, err = readNonce(part); err != nil || v.outdated(nonce) {
				return problem, err
			}
			continue
		}
		name := part.FileName()
		if part.FormName() != "file" || name == "" {
			continue // a field that was left empty is a file without a name
		}
		if files++; files > documents.MaxFiles {
			return also(problem, wordsTooMany), nil
		}
		name = httpx.CleanFileName(name)
		to.Name = name
		d, err := s.Documents.Upload(ctx, to, s.counted(ctx, v, part))
		switch {
		case errors.Is(err, errFull):
			return also(problem, wordsFull), nil
		case errors.Is(err, documents.ErrTooLarge), errors.Is(err, documents.ErrEmpty), errors.Is(err, documents.ErrType):
			problem = also(problem, notTaken(name, err))
			continue
		case tooLarge(err), errors.Is(err, io.ErrUnexpectedEOF):
			return problem, httpx.BodyError(err)
		case err != nil:
			return problem, err
		}
		now, moved, full, err := s.keepFile(ctx, handle, nonce, d.ID, here)
		switch {
		case err != nil:
			return problem, err
		case full:
			return also(problem, wordsTooMany), nil
		case !moved:
			return problem, nil
		case nonce != "":
			nonce = now.nonce() // of the step with this file
		}
	}
	if files == 0 {
		problem = wordsNoFile
	}
	return problem, nil
}

// readNonce reads the nonce of a form, which is short.
func readNonce(part io.Reader) (string, error) {
	raw, err := io.ReadAll(io.LimitReader(part, maxNonce+1))
	if err == nil && len(raw) > maxNonce {
		err = httpx.NewError(contract.CodeMalformedBody, errors.New("the nonce is too long"))
	}
	return string(raw), err
}

// maxNonce is how long a nonce can be, in bytes.
const maxNonce = 16

// countedBytes is how much of a file is read between two looks at how much there is.
const countedBytes = 4 << 20

// counted is from, for a visit without a token until its account has been sent as
// much as it takes of those; then reading fails with errFull.
func (s *Service) counted(ctx context.Context, v visit, from io.Reader) io.Reader {
	if !v.tokenless || s.Files == 0 {
		return from
	}
	return &counter{from: from, full: func() (bool, error) {
		n, err := sentTo(ctx, s.DB.SQL, v.customerID, s.Now().Add(-24*time.Hour))
		return n >= s.Files, err
	}}
}

// counter asks full before the first byte, and after every countedBytes.
type counter struct {
	from io.Reader
	full func() (bool, error)
	left int
}

// Read implements io.Reader.
func (c *counter) Read(p []byte) (int, error) {
	if c.left <= 0 {
		full, err := c.full()
		if err == nil && full {
			err = errFull
		}
		if err != nil {
			return 0, err
		}
		c.left = countedBytes
	}
	n, err := c.from.Read(p)
	c.left -= n
	return n, err
}

func tooLarge(err error) bool {
	limit := (*http.MaxBytesError)(nil)
	return errors.As(err, &limit)
}

// keepFile has an uploaded file count, while the visit takes documents of its pile and
// the nonce is the step's; otherwise it is removed again. full says that there are
// enough files, moved that this one counts.
func (s *Service) keepFile(ctx context.Context, handle, nonce, id string, pile DocumentGroup) (v visit, moved, full bool, err error) {
	err = s.retry(ctx, func(ctx context.Context, tx *store.Tx) error {
		moved, full = false, false
		if v, err = holdHandle(ctx, tx, handle); err != nil {
			return err
		}
		if v, err = s.catchUp(ctx, tx, v); err != nil {
			return err
		}
		kept, err := s.Documents.Keep(ctx, tx, v.publicToken, id)
		full = err == nil && !kept
		if err == nil && kept && v.here() == pile && !v.outdated(nonce) {
			v, moved, err = s.advance(ctx, tx, v, Input{Kind: EventDocumentAdded})
		}
		if err == nil && !moved {
			_, err = s.Documents.Remove(ctx, tx, v.publicToken, id)
		}
		return err
	})
	return v, moved, full, err
}

// removeFile takes a document away, while the visit takes documents and the nonce is
// the step's.
func (s *Service) removeFile(ctx context.Context, handle, nonce, id string) (v visit, err error) {
	err = s.retry(ctx, func(ctx context.Context, tx *store.Tx) error {
		if v, err = holdHandle(ctx, tx, handle); err != nil {
			return err
		}
		if v, err = s.catchUp(ctx, tx, v); err != nil || v.outdated(nonce) {
			return err
		}
		all, err := s.pile(ctx, tx, v)
		if err != nil {
			return err
		}
		_, _, ok := v.Journey.Next(Input{Kind: EventDocumentRemoved})
		if !ok || !slices.ContainsFunc(all, func(d documents.Document) bool { return d.ID == id }) {
			return nil
		}
		gone, err := s.Documents.Remove(ctx, tx, v.publicToken, id)
		if err != nil || !gone {
			return err
		}
		v, _, err = s.advance(ctx, tx, v, Input{Kind: EventDocumentRemoved})
		return err
	})
	return v, err
}

// here is the pile that the visit takes files for.
func (j Journey) here() DocumentGroup { return DocumentGroup{j.SourceType, j.Employer} }

// pile is the files there that count.
func (s *Service) pile(ctx context.Context, q store.Queryer, v visit) ([]documents.Document, error) {
	all, err := s.Documents.List(ctx, q, v.publicToken)
	return slices.DeleteFunc(all, func(d documents.Document) bool { return pileOf(d) != v.here() }), err
}

// handedIn removes the files that were uploaded and not handed in, and reports
// whether there are others.
func (s *Service) handedIn(ctx context.Context, tx *store.Tx, v visit) (any bool, err error) {
	all, err := s.Documents.List(ctx, tx, v.publicToken)
	if err != nil {
		return false, err
	}
	for _, d := range all {
		if slices.ContainsFunc(v.sources(), func(c connected) bool { return pileOf(d) == DocumentGroup{c.SourceType, c.Employer} }) {
			any = true
		} else if _, err := s.Documents.Remove(ctx, tx, v.publicToken, d.ID); err != nil {
			return false, err
		}
	}
	return any, nil
}

// notTaken says why a file is not. Its name is empty for all of them.
func notTaken(name string, why error) contract.Words {
	limit := strconv.Itoa(documents.MaxSize >> 20)
	words := contract.Words{EN: "it is no PDF, PNG or JPEG file.", ES: "no es un archivo PDF, PNG ni JPEG."}
	switch {
	case errors.Is(why, documents.ErrTooLarge):
		words = contract.Words{EN: "it is larger than " + limit + " MB.", ES: "ocupa más de " + limit + " MB."}
	case errors.Is(why, documents.ErrEmpty):
		words = contract.Words{EN: "it is empty.", ES: "está vacío."}
	}
	if name == "" {
		return contract.Words{EN: "That could not be added: " + words.EN, ES: "No se pudo añadir: " + words.ES}
	}
	return contract.Words{EN: "“" + name + "” could not be added: " + words.EN, ES: "No se pudo añadir «" + name + "»: " + words.ES}
}

// also is one problem after another.
func also(a, b contract.Words) contract.Words {
	if a == (contract.Words{}) {
		return b
	}
	return contract.Words{EN: a.EN + " " + b.EN, ES: a.ES + " " + b.ES}
}

// see leads to a page of the visit in the language of the request.
func see(w http.ResponseWriter, r *http.Request, path string) {
	httpx.SetSecurityHeaders(w, httpx.CSP{})
	w.Header().Set("Location", path+"?"+url.Values{"lang": {string(language(r))}}.Encode())
	w.WriteHeader(http.StatusSeeOther)
}
