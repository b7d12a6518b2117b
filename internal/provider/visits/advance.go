package visits

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"

	"vestibule/internal/contract"
	"vestibule/internal/provider/freeze"
	"vestibule/internal/provider/visits/flow"
	"vestibule/internal/store"
)

// ConsentWithdrawn ends the visits of a consumer in the transaction that withdraws consent. A
// visit whose report is being generated ends by itself.
func (s *Service) ConsentWithdrawn(ctx context.Context, tx *store.Tx, consumerID string) error {
	ids, err := ofConsumer(ctx, tx, consumerID)
	if err != nil {
		return err
	}
	for _, id := range ids {
		for tries := 0; ; tries++ {
			v, err := byID(ctx, tx, id)
			if err != nil {
				return err
			}
			_, _, err = s.advance(ctx, tx, v, flow.Input{Kind: flow.EventConsentWithdrawn})
			if err == nil {
				break
			}
			if !errors.Is(err, errStale) || tries == 5 {
				return err
			}
		}
	}
	return nil
}

// advance applies one input to the state machine and stores the result in tx; that of a driven visit
// with the next effect, or at the end. If the current step does not accept the input, moved is false and
// the visit is unchanged.
func (s *Service) advance(ctx context.Context, tx *store.Tx, v visit, in flow.Input) (_ visit, moved bool, err error) {
	in.At = store.Micros(tx.Now)
	if in, v.frozen, err = s.endFrozen(ctx, tx, v, in); err != nil {
		return v, false, err
	}
	v.Missing = s.catalogue(v.environment).missing()
	next, do, ok := v.Journey.Next(in)
	if !ok {
		return v, false, nil
	}
	if in.Kind == flow.EventDocumentsSubmitted {
		all, err := s.documentsOfStep(ctx, tx, v)
		if err != nil {
			return v, false, err
		}
		if len(all) == 0 {
			return v, false, errNoDocument
		}
	}
	v.Journey = next
	v.version++
	v.expires = v.expiry(tx.Now)
	if in.Kind == flow.EventSignedIn && v.Step == flow.StepCode {
		v.signedIn = tx.Now
	}
	if v.State.Over() {
		v.ended = tx.Now
	}
	v.unsaved = append(slices.Clip(v.unsaved), TimelineEntry{tx.Now, string(in.Kind), v.State, v.Step})
	if v.driven && do == 0 && v.Active() && v.Step != flow.StepFailed && in.Kind != flow.EventStartedOver {
		return v, true, nil
	}
	if err := v.save(ctx, tx); err != nil {
		return v, false, err
	}
	if v.State == flow.Failed || v.State == flow.Expired || in.Kind == flow.EventStartedOver {
		// Delete files that were uploaded and never submitted.
		if err := s.Documents.Drop(ctx, tx, v.publicToken); err != nil {
			return v, false, err
		}
	}
	if do&flow.SetStatus != 0 {
		if _, err := s.Reports.SetStatus(ctx, tx, v.publicToken, v.Status, v.Substatus); err != nil {
			return v, false, err
		}
	}
	if do&flow.GenerateReport != 0 {
		if err := s.generate(ctx, tx, v); err != nil {
			return v, false, err
		}
	}
	return v, true, nil
}

// endFrozen replaces the input with which an applicant agrees to a report by the end of the visit,
// if the applicant's file is frozen. The customer receives the status and the error of a source
// that was not authenticated.
func (s *Service) endFrozen(ctx context.Context, tx *store.Tx, v visit, in flow.Input) (flow.Input, bool, error) {
	if in.Kind != flow.EventConsented && in.Kind != flow.EventPrepared || v.State != flow.Open {
		return in, v.frozen, nil
	}
	err := s.Reports.Freeze.Require(ctx, tx, v.publicToken)
	if !errors.Is(err, freeze.ErrFrozen) {
		return in, v.frozen, err
	}
	end := flow.Input{Kind: flow.EventFailed, At: in.At, Error: contract.WidgetSupplierError, Status: contract.StatusNotAuthenticated}
	return end, true, s.Reports.Freeze.Refused(ctx, tx, v.publicToken, v.customerID)
}

// catchUp moves a visit by events without its applicant: it expired, its report was
// generated, or its source was removed.
func (s *Service) catchUp(ctx context.Context, tx *store.Tx, v visit) (visit, error) {
	if v.State.Over() {
		return v, nil
	}
	if v.State == flow.Generating {
		r, err := s.Reports.Get(ctx, tx, v.publicToken)
		if err != nil || !r.Status.Final() {
			return v, err
		}
		v, _, err = s.advance(ctx, tx, v, flow.Input{Kind: flow.EventReportFinished, Status: r.Status, Substatus: r.Substatus})
		return v, err
	}
	if !tx.Now.Before(v.expires) {
		v, _, err := s.advance(ctx, tx, v, flow.Input{Kind: flow.EventExpired})
		return v, err
	}
	if s.sourceRemoved(v) {
		v, _, err := s.advance(ctx, tx, v, flow.Input{Kind: flow.EventSourceRemoved})
		return v, err
	}
	return v, nil
}

// sourceRemoved reports whether the visit is connecting a source that its environment no
// longer has.
func (s *Service) sourceRemoved(v visit) bool {
	v.Missing = s.catalogue(v.environment).missing()
	return v.Active() && v.Missing.Includes(v.SourceType)
}

// load returns the current state of the visit of a handle, or errSuspended if its account must not
// continue it.
func (s *Service) load(ctx context.Context, handle string) (v visit, err error) {
	if v, err = byHandle(ctx, s.DB.SQL, handle); err != nil || v.State.Over() {
		return v, err
	}
	if suspended, err := s.Customers.Suspended(ctx, s.DB.SQL, v.customerID); err != nil || suspended {
		return v, cmp.Or(err, errSuspended)
	}
	return s.current(ctx, v)
}

// current is catchUp outside of a transaction. It writes only if there is something to catch up with.
func (s *Service) current(ctx context.Context, v visit) (visit, error) {
	if v.State.Over() {
		return v, nil
	}
	if v.State == flow.Generating {
		r, err := s.Reports.Get(ctx, s.DB.SQL, v.publicToken)
		if err != nil || !r.Status.Final() {
			return v, err
		}
	} else if s.Now().Before(v.expires) && !s.sourceRemoved(v) {
		return v, nil
	}
	err := s.retry(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		if v, err = byID(ctx, tx, v.id); err != nil {
			return err
		}
		v, err = s.catchUp(ctx, tx, v)
		return err
	})
	return v, err
}

// apply applies the applicant's input to the visit of a handle. An input that the
// current step does not accept, or with an outdated nonce, changes nothing and is not
// an error.
func (s *Service) apply(ctx context.Context, handle, nonce string, in flow.Input) (v visit, err error) {
	err = s.retry(ctx, func(ctx context.Context, tx *store.Tx) error {
		if v, err = byHandle(ctx, tx, handle); err != nil {
			return err
		}
		if v, err = s.catchUp(ctx, tx, v); err != nil || v.outdated(nonce) {
			return err
		}
		if v.State == flow.Created {
			if v, err = s.markOpened(ctx, tx, v); err != nil {
				return err
			}
		}
		v, _, err = s.advance(ctx, tx, v, in)
		return err
	})
	return v, err
}

// nonce identifies the current step. Every accepted input changes it, but the first: the form
// of a page that a script marks as opened stays valid.
func (v visit) nonce() string {
	n := v.version
	if v.State == flow.Created {
		n++
	}
	return strconv.FormatInt(n, 36)
}

// outdated reports whether a form's nonce is not that of the current step. A form
// without a nonce comes from an older version; only its action must fit the step.
func (v visit) outdated(nonce string) bool { return nonce != "" && nonce != v.nonce() }

// retry runs f in a transaction, and again if a concurrent request changed the visit.
func (s *Service) retry(ctx context.Context, f func(ctx context.Context, tx *store.Tx) error) error {
	for range 5 {
		err := s.DB.Tx(ctx, f)
		if !errors.Is(err, errStale) {
			return err
		}
	}
	return errStale
}

// markOpened opens a visit by the first request after its page; one with a prepared report
// continues immediately.
func (s *Service) markOpened(ctx context.Context, tx *store.Tx, v visit) (visit, error) {
	v, moved, err := s.advance(ctx, tx, v, flow.Input{Kind: flow.EventOpened})
	if err != nil || !moved || !s.isPrepared(v) {
		return v, err
	}
	v, _, err = s.advance(ctx, tx, v, flow.Input{Kind: flow.EventPrepared})
	return v, err
}

// isPrepared reports whether the visit's report is made from a prepared one.
func (s *Service) isPrepared(v visit) bool {
	return v.sandboxReportID != "" && s.sandbox(v.environment) != nil
}

// ReportFinished is called in the transaction that ends a report. It ignores reports without a
// visit and visits that have moved on.
func (s *Service) ReportFinished(ctx context.Context, tx *store.Tx, publicToken string,
	status contract.Status, sub contract.Substatus) error {
	v, err := byPublicToken(ctx, tx, publicToken)
	if err != nil {
		return store.OrNone(err)
	}
	_, _, err = s.advance(ctx, tx, v, flow.Input{Kind: flow.EventReportFinished, Status: status, Substatus: sub})
	if errors.Is(err, errStale) {
		return nil
	}
	return err
}
