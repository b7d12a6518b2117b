package reports

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"vestibule/internal/analysis/passport"
	"vestibule/internal/analysis/passport/pdf"
	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/provider/auth"
	"vestibule/internal/provider/sources"
	"vestibule/internal/report"

	"vestibule/internal/store"
)

// generatePassport generates a passport from its supplier's file. The file itself is not
// stored beyond the report.
func (s *Service) generatePassport(ctx context.Context, env contract.Environment, r Report, in Input) (err error) {
	var typed *passport.Consumer
	if p := in.Consumer; p != nil {
		typed = &passport.Consumer{First: p.FirstName, Last: p.LastName, Emails: p.Emails, Born: in.Born}
	}
	var documents []sources.Document
	if in.Documents {
		if documents, err = s.identityDocuments(ctx, r); err != nil {
			return fmt.Errorf("reports: documents: %w", err)
		}
	}
	began := time.Now()
	file, quote, err := s.Sources.File(ctx, env, in.Supplier,
		sources.FileRequest{Reference: r.PublicToken, AsOf: report.DateOf(r.Retrieved), Person: typed, Documents: documents})
	if failure := (*sources.Failure)(nil); errors.As(err, &failure) {
		s.Log.WarnContext(ctx, "a source failed", "institution", in.Supplier, "report", r.PublicToken, "err", err)
		status, sub := failure.Reason.Status()
		return s.finish(ctx, r.PublicToken, status, sub, nil)
	}
	if err != nil {
		return err
	}
	if len(documents) == 0 {
		file.Person.Documents = nil
	}
	status, sub := passport.Outcome(file)
	if s.Watch != nil {
		defer func() { s.Watch(string(r.Kind), string(status), time.Since(began)) }()
	}
	envelope, _, err := s.envelope(ctx, r, in)
	if err != nil {
		return err
	}
	made := passport.Build(passport.Input{Envelope: envelope, Consumer: typed, File: file, Quote: quote}, r.Retrieved)
	alert, err := s.notices(ctx, r, in)
	if err != nil {
		return err
	}
	for _, n := range alert {
		made.Notices = append(made.Notices, report.PassportNotice{Description: n.Description})
	}
	body, err := pack(made)
	if err != nil {
		return fmt.Errorf("reports: encode: %w", err)
	}
	return s.finish(ctx, r.PublicToken, status, sub, func(ctx context.Context, tx *store.Tx) error {
		sealed, err := s.DB.Vault.Seal(ctx, tx, r.KeyID, cell(r, "body"), body)
		if err != nil {
			return err
		}
		return setBody(ctx, tx, r.PublicToken, nil, sealed)
	})
}

// pdf answers with a passport as PDF, made from its body; for a third party without
// the owner's labels.
func (s *Service) pdf(kind contract.Product, w http.ResponseWriter, r *http.Request) error {
	body, err := s.requestedBody(kind, w, r)
	if err != nil || body == nil {
		return err
	}
	// The parser's error may quote personal data.
	read, err := report.ParsePassport(body)
	if err != nil {
		return errors.New("reports: a passport's body does not read back")
	}
	document, err := pdf.Render(*read)
	if err != nil {
		return fmt.Errorf("reports: passport as PDF: %w", err)
	}
	w.Header().Set("Content-Type", "application/pdf")
	w.Header().Set("Content-Disposition", `attachment; filename="passport.pdf"`)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	w.Write(document) // on error the client is gone
	return nil
}

// suppliers lists the passport suppliers of the caller's environment, and the identity
// fields that each provides.
func (s *Service) suppliers(w http.ResponseWriter, r *http.Request) error {
	all := []report.Supplier{}
	offered := s.Sources.Catalogue(auth.CallerOf(r.Context()).Environment)
	for _, supplier := range report.Suppliers() {
		if _, ok := offered.Find(sources.Supplier, supplier.Code); ok {
			all = append(all, supplier)
		}
	}
	return httpx.JSON(w, http.StatusOK, all)
}
