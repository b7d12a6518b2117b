package visits

import (
	"bytes"
	"context"
	"errors"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/provider/documents"
	"vestibule/internal/store"
)

// Walked is the result of a walk. CompleteURL contains the signed result and is empty
// for a visit without a redirect.
type Walked struct {
	PublicToken string
	Status      contract.Status
	Substatus   contract.Substatus
	CompleteURL string
}

// How long Walk waits for the report to be generated, and how often it polls.
const (
	walkPatience = 10 * time.Second
	walkLook     = 20 * time.Millisecond
)

// Walk completes a visit without a browser, through the same state machine, for the
// sandbox control. token is an unused initialization token, a redirect token, or the
// handle of a visit's page; for anything else, and for visits outside of the sandbox,
// it returns store.ErrNotFound.
func (s *Service) Walk(ctx context.Context, token string, how Walk) (Walked, error) {
	end, err := endOf(how.End)
	if err != nil {
		return Walked{}, err
	}
	var v visit
	var all []target
	err = s.retry(ctx, func(ctx context.Context, tx *store.Tx) error {
		if v, err = s.find(ctx, tx, token); err != nil {
			return err
		}
		if !s.catalogue(v.environment).Scenarios {
			return store.ErrNotFound
		}
		if v, err = s.catchUp(ctx, tx, v); err != nil {
			return err
		}
		if all, err = s.catalogue(v.environment).targets(v.Journey, how); err != nil {
			return err
		}
		v, err = s.walk(ctx, tx, v, all, end)
		return err
	})
	for err == nil && v.walking() && v.Step == StepDocuments {
		t, ok := next(all, v)
		if !ok || t.DocumentGroup != v.here() {
			break
		}
		v, err = s.walkDocuments(ctx, v, t, all)
	}
	if err == nil {
		v, err = s.settle(ctx, v)
	}
	if err != nil {
		return Walked{}, err
	}
	done := Walked{PublicToken: v.publicToken, Status: v.Status, Substatus: v.Substatus}
	if s.Returns != nil && v.Outcome() != "" {
		back, ok, err := s.Returns.Return(ctx, s.DB.SQL, ended(v))
		if err != nil {
			return Walked{}, err
		}
		if ok {
			done.CompleteURL = back.URL
		}
	}
	return done, nil
}

// find returns the visit of a token. It uses up an initialization token.
func (s *Service) find(ctx context.Context, tx *store.Tx, token string) (visit, error) {
	v, err := byHandle(ctx, tx, token)
	if !errors.Is(err, store.ErrNotFound) {
		return v, err
	}
	v, err = claim(ctx, tx, token, s.Now())
	if !errors.Is(err, errToken) {
		return v, err
	}
	id, err := "", store.ErrNotFound
	if s.Returns != nil {
		id, err = s.Returns.Visit(ctx, tx, token)
	}
	if errors.Is(err, store.ErrNotFound) && s.Invited != nil {
		id, err = s.Invited(ctx, tx, token)
	}
	if err != nil {
		return visit{}, err
	}
	return byID(ctx, tx, id)
}

// walk answers each step as an applicant would, until the visit asks for nothing more,
// or asks for files, which are uploaded outside of a transaction.
func (s *Service) walk(ctx context.Context, tx *store.Tx, v visit, all []target, end Input) (visit, error) {
	for {
		if v.State == Created {
			var err error
			if v, err = s.come(ctx, tx, v); err != nil {
				return v, err
			}
		}
		t, more := next(all, v)
		here := more && t.Employer == v.Employer
		var in Input
		switch {
		case v.State == Closed && end.Kind != EventClosed:
			in.Kind = EventReopened
		case !v.walking():
			return v, nil
		case v.Step == StepConsent:
			in.Kind = EventConsented
		case end.Kind != "":
			in = end
		case v.Step == StepEmployers && more && t.Employer > 0:
			if in = (Input{Kind: EventEmployerSelected, Employer: t.Employer}); t.reason != "" {
				in.Kind = EventEmployerSkipOpened
			}
		case v.Step == StepConnected && more && t.Employer == 0:
			in.Kind = EventSourceAdded
		case (v.Step == StepEmployers || v.Step == StepConnected) && (!more || t.Employer == 0):
			in.Kind = EventSourcesFinished
		case v.Step == StepSkip && here && t.reason != "":
			in = Input{Kind: EventEmployerSkipped, Reason: t.reason}
		case v.Step == StepSource && here && t.reason == "":
			in = Input{Kind: EventSourceSelected, SourceType: t.SourceType}
		case v.Step == StepDocuments && here && v.SourceType == t.SourceType:
			return v, nil
		case v.SourceType != "" && v.Step == v.SourceType.first() && here && v.SourceType == t.SourceType:
			in = Input{Kind: EventInstitutionSelected, SourceType: t.SourceType, Bank: t.bank}
		case v.Step == StepSignIn && here && v.SourceType == t.SourceType && v.Bank == t.bank:
			in = Input{Kind: EventSignedIn, Username: t.username, Login: s.catalogue(v.environment).login(v.SourceType, t.username), OK: true}
			if !in.Login.Known {
				in.Username = ""
			}
		case v.Step == StepConfirm && here && v.Bank == t.bank:
			in.Kind = EventInstitutionConfirmed
		case v.Step == StepSignIn || v.Step == StepConfirm:
			in.Kind = EventInstitutionCleared
		case v.Step == StepFailed:
			in.Kind = EventClosed
		case v.Step == StepCode:
			in = Input{Kind: EventMFASubmitted, Login: s.catalogue(v.environment).login(v.SourceType, v.Username), OK: true, Late: s.late(v), Unusable: s.unusable(v), Empty: s.empty(v)}
		case v.Step == StepAccounts:
			in = Input{Kind: EventAccountsSelected, Empty: s.empty(v)}
			for _, a := range s.accounts(v) {
				in.Accounts = append(in.Accounts, a.ID)
			}
		default:
			in.Kind = EventSourceCleared
		}
		next, moved, err := s.advance(ctx, tx, v, in)
		if err != nil || !moved {
			return next, err
		}
		v = next
	}
}

// walkDocuments uploads and submits the files of a target and continues the walk.
func (s *Service) walkDocuments(ctx context.Context, v visit, t target, all []target) (visit, error) {
	consumer, err := s.applicant(ctx, s.DB.SQL, v.customerID, v.consumerID)
	if err != nil {
		return v, err
	}
	var ids []string
	for _, f := range t.files {
		d, err := s.Documents.Upload(ctx, documents.New{PublicToken: v.publicToken, KeyID: consumer.KeyID, Kind: t.SourceType.documentType(),
			Employer: t.Employer, Name: f.Name, AnyType: true}, bytes.NewReader(f.Content))
		if errors.Is(err, documents.ErrTooLarge) {
			return v, refused(t.SourceType.field(), "has a file that is too large")
		}
		if err != nil {
			return v, err
		}
		ids = append(ids, d.ID)
	}
	err = s.retry(ctx, func(ctx context.Context, tx *store.Tx) error {
		if v, err = byID(ctx, tx, v.id); err != nil {
			return err
		}
		for _, id := range ids {
			if _, err := s.Documents.Keep(ctx, tx, v.publicToken, id); err != nil {
				return err
			}
		}
		if v, _, err = s.advance(ctx, tx, v, Input{Kind: EventDocumentsSubmitted}); err != nil {
			return err
		}
		v, err = s.walk(ctx, tx, v, all, Input{})
		return err
	})
	return v, err
}

// settle waits until the report of a visit is generated.
func (s *Service) settle(ctx context.Context, v visit) (visit, error) {
	ctx, cancel := context.WithTimeout(ctx, walkPatience)
	defer cancel()
	tick := time.NewTicker(walkLook)
	defer tick.Stop()
	for v.State == Generating {
		select {
		case <-ctx.Done():
			return v, nil
		case <-tick.C:
		}
		err := s.retry(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
			if v, err = byID(ctx, tx, v.id); err != nil {
				return err
			}
			v, err = s.catchUp(ctx, tx, v)
			return err
		})
		if err != nil {
			return v, err
		}
	}
	return v, nil
}
