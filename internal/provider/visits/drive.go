package visits

import (
	"bytes"
	"context"
	"errors"
	"time"

	"vestibule/internal/provider/documents"
	"vestibule/internal/provider/sources"
	"vestibule/internal/provider/visits/flow"
	"vestibule/internal/store"
)

// Driven is a visit of the sandbox whose steps a program answers, without a browser.
type Driven struct {
	visit
	service *Service
}

// Answer returns the input of the current step, or the zero input to stop. It may be called
// again for a step.
type Answer func(ctx context.Context, d Driven) (flow.Input, error)

// Drive applies the inputs of answer to a visit until one is zero, or the step does not
// accept it. token is an unused initialization token, a redirect token, or the handle of a
// visit's page; for anything else, and for visits outside of the sandbox, it returns
// store.ErrNotFound. With an error, nothing changes.
func (s *Service) Drive(ctx context.Context, token string, answer Answer) (Driven, error) {
	d := Driven{service: s}
	err := s.retry(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		if d.visit, err = s.findByToken(ctx, tx, token); err != nil {
			return err
		}
		if s.sandbox(d.environment) == nil {
			return store.ErrNotFound
		}
		if d.visit, err = s.catchUp(ctx, tx, d.visit); err != nil {
			return err
		}
		return d.apply(ctx, tx, answer)
	})
	return d, err
}

func (d *Driven) apply(ctx context.Context, tx *store.Tx, answer Answer) (err error) {
	d.driven = true
	defer func() {
		if err == nil {
			err = d.save(ctx, tx)
		}
	}()
	for moved := true; moved; {
		if d.State == flow.Created {
			if d.visit, err = d.service.markOpened(ctx, tx, d.visit); err != nil {
				return err
			}
		}
		in, err := answer(ctx, *d)
		if err != nil || in.Kind == "" {
			return err
		}
		if d.visit, moved, err = d.service.advance(ctx, tx, d.visit, in); err != nil {
			return err
		}
	}
	return nil
}

// findByToken returns the visit of a token. It uses up an initialization token.
func (s *Service) findByToken(ctx context.Context, tx *store.Tx, token string) (visit, error) {
	v, err := claim(ctx, tx, token)
	if errors.Is(err, errToken) {
		v, err = byHandle(ctx, tx, token)
	}
	if !errors.Is(err, store.ErrNotFound) {
		return v, err
	}
	id, err := "", store.ErrNotFound
	if s.Redirects != nil {
		id, err = s.Redirects.Visit(ctx, tx, token)
	}
	if errors.Is(err, store.ErrNotFound) && s.VisitOfInvite != nil {
		id, err = s.VisitOfInvite(ctx, tx, token)
	}
	if err != nil {
		return visit{}, err
	}
	return byID(ctx, tx, id)
}

// PublicToken returns the token of the visit's report.
func (d Driven) PublicToken() string { return d.publicToken }

// Catalogue lists the institutions that the visit can connect.
func (d Driven) Catalogue() sources.Catalogue { return d.service.Sources.Catalogue(d.environment) }

// SignIn returns the input of a sign-in at the selected institution.
func (d Driven) SignIn(username, password string) flow.Input {
	return d.service.signIn(d.visit, username, password)
}

// EnterCode returns the input of a one-time code.
func (d Driven) EnterCode(ctx context.Context, code string) (flow.Input, error) {
	return d.service.enterCode(ctx, d.visit, code)
}

// Fetch returns the data of the current sign-in.
func (d Driven) Fetch(ctx context.Context) (sources.Fetched, error) {
	return d.service.fetchForm(ctx, d.visit)
}

// File is an uploaded file.
type File struct {
	Name    string
	Content []byte
}

// Submit uploads files of any type in the current step, submits them, and drives the visit
// on. A file that is too large gives documents.ErrTooLarge.
func (d *Driven) Submit(ctx context.Context, files []File, answer Answer) error {
	s := d.service
	consumer, err := s.consumerWithConsent(ctx, s.DB.SQL, d.customerID, d.consumerID)
	if err != nil {
		return err
	}
	var ids []string
	for _, f := range files {
		kept, err := s.Documents.Upload(ctx, documents.New{PublicToken: d.publicToken, KeyID: consumer.KeyID, Kind: documentType(d.SourceType),
			Employer: d.Employer, Name: f.Name, AnyType: true}, bytes.NewReader(f.Content))
		if err != nil {
			return err
		}
		ids = append(ids, kept.ID)
	}
	return s.retry(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		if d.visit, err = byID(ctx, tx, d.id); err != nil {
			return err
		}
		for _, id := range ids {
			if _, err := s.Documents.Keep(ctx, tx, d.publicToken, id); err != nil {
				return err
			}
		}
		in := flow.Input{Kind: flow.EventDocumentsSubmitted}
		if d.SourceType == flow.SourceSupplier {
			in.Kind = flow.EventInstitutionConfirmed
		}
		if d.visit, _, err = s.advance(ctx, tx, d.visit, in); err != nil {
			return err
		}
		return d.apply(ctx, tx, answer)
	})
}

// How long WaitForReport waits, and how often it polls.
const (
	reportTimeout      = time.Minute
	reportPollInterval = 20 * time.Millisecond
)

// WaitForReport waits until the visit's report is generated, or a minute has passed, which the jobs of a
// machine with much else to do may need.
func (d *Driven) WaitForReport(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, reportTimeout)
	defer cancel()
	tick := time.NewTicker(reportPollInterval)
	defer tick.Stop()
	for d.State == flow.Generating {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		v, err := byID(ctx, d.service.DB.SQL, d.id) // which the report's transaction moves on
		if err == nil {
			d.visit = v
		} else if ctx.Err() == nil {
			return err
		}
	}
	return nil
}

// ReturnURL returns the URL that a redirect returns to, with the signed result; "" for a visit
// without a redirect, and for one that has not ended.
func (d Driven) ReturnURL(ctx context.Context) (string, error) {
	if d.service.Redirects == nil || !d.hosted || d.Outcome() == "" {
		return "", nil
	}
	back, _, err := d.service.Redirects.Return(ctx, d.service.DB.SQL, endingOf(d.visit))
	return back.URL, err
}
