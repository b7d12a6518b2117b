package visits

import (
	"bytes"
	"context"
	"errors"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/provider/documents"
	"vestibule/internal/provider/sources"
	"vestibule/internal/provider/visits/flow"
	"vestibule/internal/store"
)

// CompletionResult is the result of Complete. CompleteURL contains the signed result and is empty
// for a visit without a redirect.
type CompletionResult struct {
	PublicToken string
	Status      contract.Status
	Substatus   contract.Substatus
	CompleteURL string
}

// How long Complete waits for the report to be generated, and how often it polls.
const (
	reportTimeout      = 10 * time.Second
	reportPollInterval = 20 * time.Millisecond
)

// Complete completes a visit without a browser, through the same state machine, for the
// sandbox control. token is an unused initialization token, a redirect token, or the
// handle of a visit's page; for anything else, and for visits outside of the sandbox,
// it returns store.ErrNotFound.
func (s *Service) Complete(ctx context.Context, token string, how Completion) (CompletionResult, error) {
	end, err := endInput(how.End)
	if err != nil {
		return CompletionResult{}, err
	}
	var v visit
	var all []plannedSource
	err = s.retry(ctx, func(ctx context.Context, tx *store.Tx) error {
		if v, err = s.findByToken(ctx, tx, token); err != nil {
			return err
		}
		if s.sandbox(v.environment) == nil {
			return store.ErrNotFound
		}
		if v, err = s.catchUp(ctx, tx, v); err != nil {
			return err
		}
		if all, err = s.catalogue(v.environment).plan(v.Journey, how); err != nil {
			return err
		}
		v, err = s.completeSteps(ctx, tx, v, all, end)
		return err
	})
	for err == nil && v.acceptsFiles() {
		t, ok := nextPlanned(all, v)
		if !ok || t.DocumentGroup != v.DocumentGroup() {
			break
		}
		v, err = s.completeDocuments(ctx, v, t, all)
	}
	if err == nil {
		v, err = s.waitForReport(ctx, v)
	}
	if err != nil {
		return CompletionResult{}, err
	}
	done := CompletionResult{PublicToken: v.publicToken, Status: v.Status, Substatus: v.Substatus}
	if s.Redirects != nil && v.Outcome() != "" {
		back, ok, err := s.Redirects.Return(ctx, s.DB.SQL, endingOf(v))
		if err != nil {
			return CompletionResult{}, err
		}
		if ok {
			done.CompleteURL = back.URL
		}
	}
	return done, nil
}

// findByToken returns the visit of a token. It uses up an initialization token.
func (s *Service) findByToken(ctx context.Context, tx *store.Tx, token string) (visit, error) {
	v, err := byHandle(ctx, tx, token)
	if !errors.Is(err, store.ErrNotFound) {
		return v, err
	}
	v, err = claim(ctx, tx, token)
	if !errors.Is(err, errToken) {
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

// completeSteps answers each step as an applicant would, until the visit asks for nothing more,
// or asks for files, which are uploaded outside of a transaction.
func (s *Service) completeSteps(ctx context.Context, tx *store.Tx, v visit, all []plannedSource, end flow.Input) (visit, error) {
	for {
		var err error
		if v.State == flow.Created {
			if v, err = s.markOpened(ctx, tx, v); err != nil {
				return v, err
			}
		}
		t, more := nextPlanned(all, v)
		current := more && t.Employer == v.Employer
		var in flow.Input
		switch {
		case v.State == flow.Closed && end.Kind != flow.EventClosed:
			in.Kind = flow.EventReopened
		case !v.Active():
			return v, nil
		case v.Step == flow.StepConsent:
			in.Kind = flow.EventConsented
		case end.Kind != "":
			in = end
		case v.Step == flow.StepEmployers && more && t.Employer > 0:
			if in = (flow.Input{Kind: flow.EventEmployerSelected, Employer: t.Employer}); t.reason != "" {
				in.Kind = flow.EventEmployerSkipOpened
			}
		case v.Step == flow.StepConnected && more && t.Employer == 0:
			in.Kind = flow.EventSourceAdded
		case (v.Step == flow.StepEmployers || v.Step == flow.StepConnected) && (!more || t.Employer == 0):
			in.Kind = flow.EventSourcesFinished
		case v.Step == flow.StepSkip && current && t.reason != "":
			in = flow.Input{Kind: flow.EventEmployerSkipped, Reason: t.reason}
		case v.Step == flow.StepSource && current && t.reason == "":
			in = flow.Input{Kind: flow.EventSourceSelected, SourceType: t.SourceType}
		case v.Step == flow.StepDocuments && current && v.SourceType == t.SourceType:
			return v, nil
		case v.SourceType != "" && v.Step == v.SourceType.FirstStep() && current && v.SourceType == t.SourceType:
			in = flow.Input{Kind: flow.EventInstitutionSelected, SourceType: t.SourceType, Bank: t.bank}
		case v.Step == flow.StepSignIn && current && v.SourceType == t.SourceType && v.Bank == t.bank:
			in = s.signIn(v, t.username, s.Sandbox.Answer(sources.Password))
		case v.Step == flow.StepConfirm && current && v.Bank == t.bank && len(t.files) > 0 && v.readsDocuments():
			return v, nil
		case v.Step == flow.StepConfirm && current && v.Bank == t.bank:
			in.Kind = flow.EventInstitutionConfirmed
		case v.Step == flow.StepSignIn || v.Step == flow.StepConfirm:
			in.Kind = flow.EventInstitutionCleared
		case v.Step == flow.StepFailed:
			in.Kind = flow.EventClosed
		case v.Step == flow.StepCode:
			in, err = s.enterCode(ctx, v, s.Sandbox.Answer(sources.Code))
		case v.Step == flow.StepAccounts:
			var data sources.Fetched
			data, err = s.fetchForm(ctx, v)
			in = flow.Input{Kind: flow.EventAccountsSelected, Empty: data.Empty(), More: remaining(all, v) > 1}
			for _, a := range data.Accounts {
				in.Accounts = append(in.Accounts, a.ID)
			}
		default:
			in.Kind = flow.EventSourceCleared
		}
		if err != nil {
			return v, err
		}
		next, moved, err := s.advance(ctx, tx, v, in)
		if err != nil || !moved {
			return next, err
		}
		v = next
	}
}

// completeDocuments uploads and submits the files of a planned source and continues.
func (s *Service) completeDocuments(ctx context.Context, v visit, t plannedSource, all []plannedSource) (visit, error) {
	consumer, err := s.consumerWithConsent(ctx, s.DB.SQL, v.customerID, v.consumerID)
	if err != nil {
		return v, err
	}
	var ids []string
	for _, f := range t.files {
		d, err := s.Documents.Upload(ctx, documents.New{PublicToken: v.publicToken, KeyID: consumer.KeyID, Kind: documentType(t.SourceType),
			Employer: t.Employer, Name: f.Name, AnyType: true}, bytes.NewReader(f.Content))
		if errors.Is(err, documents.ErrTooLarge) {
			return v, invalidCompletion(completionField(t.SourceType), "has a file that is too large")
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
		in := flow.Input{Kind: flow.EventDocumentsSubmitted}
		if t.SourceType == flow.SourceSupplier {
			in.Kind = flow.EventInstitutionConfirmed
		}
		if v, _, err = s.advance(ctx, tx, v, in); err != nil {
			return err
		}
		v, err = s.completeSteps(ctx, tx, v, all, flow.Input{})
		return err
	})
	return v, err
}

// waitForReport waits until the report of a visit is generated.
func (s *Service) waitForReport(ctx context.Context, v visit) (visit, error) {
	ctx, cancel := context.WithTimeout(ctx, reportTimeout)
	defer cancel()
	tick := time.NewTicker(reportPollInterval)
	defer tick.Stop()
	for v.State == flow.Generating {
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
