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
	"strings"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/i18n"
	"vestibule/internal/provider/documents"
	"vestibule/internal/provider/reports"
	"vestibule/internal/provider/sources"
	"vestibule/internal/provider/visits/flow"
	"vestibule/internal/report"
	"vestibule/internal/store"
)

// documentType returns the document_type of files of a source type.
func documentType(w flow.SourceType) string {
	switch w {
	case flow.SourceDocuments:
		return reports.OtherDocument
	case flow.SourceSupplier:
		return reports.IdentityDocument
	}
	return reports.PaystubDocument
}

// AcceptsFiles reports whether files can be uploaded in the current step: pay stubs and
// other documents, or identity documents for a supplier that reads them.
func (v visit) AcceptsFiles() bool {
	return v.Active() && (v.Step == flow.StepDocuments || v.Step == flow.StepConfirm && v.ReadsDocuments())
}

// ReadsDocuments reports whether the chosen supplier reads identity documents.
func (v visit) ReadsDocuments() bool {
	s, ok := report.SupplierOf(v.Bank)
	return ok && v.SourceType == flow.SourceSupplier && s.Fields.Documents
}

// limits returns how many files the step accepts, and the maximum size in bytes of each.
func (v visit) limits() (files int, size int64) {
	if v.SourceType == flow.SourceSupplier {
		return sources.MaxDocuments, sources.MaxDocumentSize
	}
	return documents.MaxFiles, documents.MaxSize
}

// groupOf returns the group of an uploaded file.
func groupOf(d documents.Document) flow.DocumentGroup {
	switch d.Kind {
	case reports.IdentityDocument:
		return flow.DocumentGroup{SourceType: flow.SourceSupplier}
	case reports.OtherDocument:
		return flow.DocumentGroup{SourceType: flow.SourceDocuments, Employer: d.Employer}
	}
	return flow.DocumentGroup{SourceType: flow.SourcePaystubs, Employer: d.Employer}
}

// maxUpload is the maximum size in bytes of one upload: all files, and the form around
// them.
const maxUpload = documents.MaxFiles*documents.MaxSize + 1<<20

// errNoDocument is returned when documents are submitted without any file.
var errNoDocument = errors.New("visits: there is no document")

// Shares of the account's limit of 24 hours: the divisors for the files of one visit, and of
// one network.
const (
	VisitShare   = 25
	NetworkShare = 10
)

// fullError is returned for a file beyond a limit of 24 hours. Its text says which.
type fullError struct{ text i18n.Key }

// Error implements error.
func (e fullError) Error() string { return "visits: too many bytes of files: " + string(e.text) }

// upload handles POST /visit/{handle}/documents, a multipart/form-data form whose
// fields named file are the files. Rejected files are named; the others are kept.
func (s *Service) upload(w http.ResponseWriter, r *http.Request) error {
	handle := r.PathValue("handle")
	v, err := s.find(r, r.Header.Get(secretHeader))
	if err != nil {
		return err
	}
	if err := s.bindBrowser(r, v, s.secretOf(r, handle)); err != nil {
		return err
	}
	if !v.AcceptsFiles() {
		return redirectTo(w, r, Path(handle), v)
	}
	consumer, err := s.consumerWithConsent(r.Context(), s.DB.SQL, v.customerID, v.consumerID)
	if err != nil {
		return err
	}
	if r.ContentLength > maxUpload {
		return s.renderFileProblem(w, r, v, http.StatusRequestEntityTooLarge, v.rejectionText(language(r), "", documents.ErrTooLarge))
	}
	if err := httpx.RejectContentCoding(w, r); err != nil {
		return err
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxUpload)
	form, err := r.MultipartReader()
	if err != nil {
		return httpx.NewError(contract.CodeUnsupportedMediaType, errors.New("content type is not multipart/form-data"))
	}
	networks := httpx.ClientNetworks(r, s.BehindProxy)
	network := s.Mailboxes.HashNetwork(networks[len(networks)-1].Name) // the largest, because files last a day
	problem, err := s.storeFiles(r.Context(), language(r), handle, v, consumer.KeyID, network, form)
	if err != nil {
		return err
	}
	if problem != "" {
		if v, err = s.load(r.Context(), handle); err != nil {
			return err
		}
		if v.AcceptsFiles() {
			return s.renderFileProblem(w, r, v, http.StatusUnprocessableEntity, problem)
		}
	}
	return redirectTo(w, r, Path(handle), v)
}

// storeFiles stores the files of a form; problem names the rejected ones. With an
// outdated nonce it stores none. The form must have the nonce before the files, as on
// the page.
func (s *Service) storeFiles(ctx context.Context, l i18n.Lang, handle string, v visit, keyID string, network []byte,
	form *multipart.Reader) (problem string, err error) {
	files, nonce, group := 0, "", v.DocumentGroup()
	max, size := v.limits()
	tooMany := i18n.T(l, "visit.documents.too_many", "n", strconv.Itoa(max))
	to := documents.New{PublicToken: v.publicToken, KeyID: keyID, Kind: documentType(group.SourceType), Employer: group.Employer,
		MaxSize: size, Network: network}
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
			continue // browsers send an empty field as a file without a name
		}
		if files++; files > max {
			return joinTexts(problem, tooMany), nil
		}
		name = httpx.CleanFileName(name)
		to.Name = name
		d, err := s.Documents.Upload(ctx, to, s.limitUploads(ctx, v, network, part))
		var full fullError
		switch {
		case errors.As(err, &full):
			return joinTexts(problem, i18n.T(l, full.text)), nil
		case errors.Is(err, documents.ErrTooLarge), errors.Is(err, documents.ErrEmpty), errors.Is(err, documents.ErrType):
			problem = joinTexts(problem, v.rejectionText(l, name, err))
			continue
		case tooLarge(err), errors.Is(err, io.ErrUnexpectedEOF):
			return problem, httpx.BodyError(err)
		case err != nil:
			return problem, err
		}
		now, moved, enough, err := s.keepFile(ctx, handle, nonce, d.ID, group)
		switch {
		case err != nil:
			return problem, err
		case enough:
			return joinTexts(problem, tooMany), nil
		case !moved:
			return problem, nil
		case nonce != "":
			nonce = now.nonce() // changed by this file
		}
	}
	if files == 0 {
		problem = i18n.T(l, "visit.documents.not_chosen")
	}
	return problem, nil
}

// readNonce reads the nonce field of a form, up to maxNonce bytes.
func readNonce(part io.Reader) (string, error) {
	raw, err := io.ReadAll(io.LimitReader(part, maxNonce+1))
	if err == nil && len(raw) > maxNonce {
		err = httpx.NewError(contract.CodeMalformedBody, errors.New("the nonce is too long"))
	}
	return string(raw), err
}

// maxNonce is the maximum length of a nonce in bytes.
const maxNonce = 16

// checkInterval is how many bytes of a file are read between two checks of the limits.
const checkInterval = 4 << 20

// limitUploads wraps from for a visit without a token: reading fails with a fullError once the
// visit, the network or the account has reached its limit.
func (s *Service) limitUploads(ctx context.Context, v visit, network []byte, from io.Reader) io.Reader {
	if !v.tokenless || s.MaxUploadBytes == 0 {
		return from
	}
	return &limitedReader{from: from, check: func() error {
		n, err := uploadedSince(ctx, s.DB.SQL, v, network, s.Now().Add(-24*time.Hour))
		switch {
		case err != nil:
			return err
		case n.visit >= s.MaxUploadBytes/VisitShare:
			return fullError{"visit.documents.full_visit"}
		case n.network >= s.MaxUploadBytes/NetworkShare:
			return fullError{"visit.documents.full_network"}
		case n.account >= s.MaxUploadBytes:
			return fullError{"visit.documents.full_account"}
		}
		return nil
	}}
}

// limitedReader calls check before the first byte and after every checkInterval.
type limitedReader struct {
	from  io.Reader
	check func() error
	left  int
}

// Read implements io.Reader.
func (c *limitedReader) Read(p []byte) (int, error) {
	if c.left <= 0 {
		if err := c.check(); err != nil {
			return 0, err
		}
		c.left = checkInterval
	}
	n, err := c.from.Read(p)
	c.left -= n
	return n, err
}

func tooLarge(err error) bool {
	limit := (*http.MaxBytesError)(nil)
	return errors.As(err, &limit)
}

// keepFile keeps an uploaded file if the visit accepts documents of its group and the
// nonce is current; otherwise it deletes the file. full reports that the limit of
// files is reached, moved that the file was kept.
func (s *Service) keepFile(ctx context.Context, handle, nonce, id string, group flow.DocumentGroup) (v visit, moved, full bool, err error) {
	err = s.retry(ctx, func(ctx context.Context, tx *store.Tx) error {
		moved, full = false, false
		if v, err = s.lockByHandle(ctx, tx, handle); err != nil {
			return err
		}
		if v, err = s.catchUp(ctx, tx, v); err != nil {
			return err
		}
		all, err := s.documentsOfStep(ctx, tx, v)
		if err != nil {
			return err
		}
		max, _ := v.limits()
		kept := len(all) < max
		if kept {
			kept, err = s.Documents.Keep(ctx, tx, v.publicToken, id)
		}
		full = err == nil && !kept
		if err == nil && kept && v.DocumentGroup() == group && !v.outdated(nonce) {
			v, moved, err = s.advance(ctx, tx, v, flow.Input{Kind: flow.EventDocumentAdded})
		}
		if err == nil && !moved {
			_, err = s.Documents.Remove(ctx, tx, v.publicToken, id)
		}
		return err
	})
	return v, moved, full, err
}

// removeFile deletes a document if the visit accepts documents and the nonce is
// current.
func (s *Service) removeFile(ctx context.Context, handle, nonce, id string) (v visit, err error) {
	err = s.retry(ctx, func(ctx context.Context, tx *store.Tx) error {
		if v, err = s.lockByHandle(ctx, tx, handle); err != nil {
			return err
		}
		if v, err = s.catchUp(ctx, tx, v); err != nil || v.outdated(nonce) {
			return err
		}
		all, err := s.documentsOfStep(ctx, tx, v)
		if err != nil {
			return err
		}
		_, _, ok := v.Journey.Next(flow.Input{Kind: flow.EventDocumentRemoved})
		if !ok || !slices.ContainsFunc(all, func(d documents.Document) bool { return d.ID == id }) {
			return nil
		}
		removed, err := s.Documents.Remove(ctx, tx, v.publicToken, id)
		if err != nil || !removed {
			return err
		}
		v, _, err = s.advance(ctx, tx, v, flow.Input{Kind: flow.EventDocumentRemoved})
		return err
	})
	return v, err
}

// documentsOfStep returns the kept files of that group.
func (s *Service) documentsOfStep(ctx context.Context, q store.Queryer, v visit) ([]documents.Document, error) {
	all, err := s.Documents.List(ctx, q, v.publicToken)
	return slices.DeleteFunc(all, func(d documents.Document) bool { return groupOf(d) != v.DocumentGroup() }), err
}

// discardUnsubmitted deletes files that were uploaded but not submitted, and reports whether
// others remain. Identity documents are submitted with the choice of a supplier that reads
// them.
func (s *Service) discardUnsubmitted(ctx context.Context, tx *store.Tx, v visit) (any bool, err error) {
	if v.Product == contract.Cashflow {
		return false, nil // no step accepts files
	}
	all, err := s.Documents.List(ctx, tx, v.publicToken)
	if err != nil {
		return false, err
	}
	for _, d := range all {
		group := groupOf(d)
		if group.SourceType == flow.SourceSupplier && v.ReadsDocuments() || slices.ContainsFunc(v.Connections(), func(c flow.Connection) bool {
			return group == flow.DocumentGroup{SourceType: c.SourceType, Employer: c.Employer}
		}) {
			any = true
		} else if _, err := s.Documents.Remove(ctx, tx, v.publicToken, d.ID); err != nil {
			return false, err
		}
	}
	return any, nil
}

// rejectionText returns the text of why a file was rejected. An empty name means all files.
func (v visit) rejectionText(l i18n.Lang, name string, why error) string {
	reason := i18n.T(l, "visit.documents.wrong_type")
	switch {
	case errors.Is(why, documents.ErrTooLarge):
		_, size := v.limits()
		reason = i18n.T(l, "visit.documents.too_large", "limit", strconv.FormatInt(size>>20, 10))
	case errors.Is(why, documents.ErrEmpty):
		reason = i18n.T(l, "visit.documents.empty")
	}
	if name == "" {
		return i18n.T(l, "visit.documents.not_added", "reason", reason)
	}
	return i18n.T(l, "visit.documents.named_not_added", "name", name, "reason", reason)
}

// joinTexts joins two problems.
func joinTexts(a, b string) string { return strings.TrimPrefix(a+" "+b, " ") }

// redirectTo redirects to a page of the visit in the language of the request. Each step has an address of
// its own: Firefox gives a page at the address of the page before no entry in the history.
func redirectTo(w http.ResponseWriter, r *http.Request, path string, v visit) error {
	return seeOther(w, path+"?"+url.Values{"lang": {string(language(r))}, "step": {v.nonce()}}.Encode())
}

// seeOther redirects to a page that may be of another origin.
func seeOther(w http.ResponseWriter, location string) error {
	httpx.SetSecurityHeaders(w, httpx.CSP{})
	return httpx.SeeOther(w, location)
}

// SeeVisit redirects to the page of a visit, in the language that the request's address names.
func SeeVisit(w http.ResponseWriter, r *http.Request, handle string) error {
	path := Path(handle)
	if lang := r.URL.Query().Get("lang"); lang != "" {
		path += "?" + url.Values{"lang": {lang}}.Encode()
	}
	return seeOther(w, path)
}
