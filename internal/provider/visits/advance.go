package visits

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/analysis/eligibility"
	"vestibule/internal/contract"
	"vestibule/internal/jobs"
	"vestibule/internal/prefill"
	"vestibule/internal/provider/reports"
	"vestibule/internal/report"
	"vestibule/internal/store"
)

// How long a visit waits for its applicant.
const (
	lifetime      = 72 * time.Hour
	shortLifetime = 5 * time.Minute // lastName "expiresoon", in the sandbox

	// failedLifetime is the lifetime of a visit whose only source could not be connected,
	// so that the customer is notified of the failure even if the applicant has left.
	failedLifetime = 30 * time.Minute
)

// expiry returns when a visit that has just entered its current step expires.
func (v visit) expiry(now time.Time) time.Time {
	end := v.created.Add(lifetime)
	if v.Scenario == ScenarioExpiresSoon {
		end = v.created.Add(shortLifetime)
	}
	if soon := now.Add(failedLifetime); v.walking() && v.Step == StepFailed && soon.Before(end) {
		return soon
	}
	return end
}

// Expire is the job that ends an expired visit.
type Expire struct {
	VisitID string `json:"visitId"`
}

// Kind names the job.
func (Expire) Kind() string { return "visits.expire" }

// Register adds the jobs of the package.
func (s *Service) Register(r *jobs.Registry) {
	jobs.Register(r, func(ctx context.Context, _ jobs.Job, a Expire) error {
		left, err := s.expire(ctx, a.VisitID)
		if err == nil && left > 0 {
			return jobs.Snooze(left)
		}
		return err
	})
}

// expire ends the visit if it has expired, or returns the time left. The sandbox's
// clock may have moved either way since the job was enqueued.
func (s *Service) expire(ctx context.Context, visitID string) (left time.Duration, err error) {
	err = s.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		left = 0
		v, err := byID(ctx, tx, visitID)
		if err != nil {
			return err
		}
		if _, err = s.catchUp(ctx, tx, v); err != nil {
			return err
		}
		if v.ended.IsZero() {
			left = max(v.expires.Sub(s.Now()), 0)
		}
		return nil
	})
	switch {
	case errors.Is(err, errStale):
		return time.Second, nil
	case errors.Is(err, store.ErrNotFound):
		return 0, nil // the sandbox was reset
	}
	return left, err
}

// How long an ended visit is kept, and how long its draft: the stated employers and
// connections. The report has both.
const (
	draftAge = 14 * 24 * time.Hour
	maxAge   = 90 * 24 * time.Hour
)

// Sweep ends expired visits, in case the sandbox's clock was moved past jobs that
// still wait, and deletes old data.
func (s *Service) Sweep(ctx context.Context) error {
	if err := s.endDue(ctx); err != nil {
		return fmt.Errorf("visits: sweep: %w", err)
	}
	now := s.Now()
	err := s.DB.Sweep(ctx, 100,
		func(ctx context.Context, tx *store.Tx, limit int) (int64, error) {
			return deleteDrafts(ctx, tx, now.Add(-draftAge), limit)
		},
		func(ctx context.Context, tx *store.Tx, limit int) (int64, error) {
			return deleteEnded(ctx, tx, now.Add(-maxAge), limit)
		})
	if err != nil {
		return fmt.Errorf("visits: sweep: %w", err)
	}
	return nil
}

func (s *Service) endDue(ctx context.Context) error {
	for {
		ids, err := due(ctx, s.DB.SQL, s.Now(), 100)
		if err != nil {
			return err
		}
		ended := 0
		for _, id := range ids {
			left, err := s.expire(ctx, id)
			if err != nil {
				return err
			}
			if left == 0 {
				ended++
			}
		}
		if len(ids) < 100 || ended == 0 {
			return nil
		}
	}
}

// Withdrawn ends the visits of a consumer in the transaction that withdraws consent. A
// visit whose report is being generated ends by itself.
func (s *Service) Withdrawn(ctx context.Context, tx *store.Tx, consumerID string) error {
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
			_, _, err = s.advance(ctx, tx, v, Input{Kind: EventConsentWithdrawn})
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

// advance applies one input to the state machine and stores the result in tx. If the
// current step does not accept the input, moved is false and the visit is unchanged.
func (s *Service) advance(ctx context.Context, tx *store.Tx, v visit, in Input) (_ visit, moved bool, err error) {
	now := s.Now()
	in.At = store.Micros(now)
	v.Lacks = s.catalogue(v.environment).lacks()
	next, do, ok := v.Journey.Next(in)
	if !ok {
		return v, false, nil
	}
	if in.Kind == EventDocumentsSubmitted {
		all, err := s.pile(ctx, tx, v)
		if err != nil {
			return v, false, err
		}
		if len(all) == 0 {
			return v, false, errNoDocument
		}
	}
	v.Journey = next
	v.version++
	v.expires = v.expiry(now)
	if in.Kind == EventSignedIn && v.Step == StepCode {
		v.signedIn = now
	}
	if v.State.Over() {
		v.ended = now
	}
	if err := keep(ctx, tx, v, in.Kind, now); err != nil {
		return v, false, err
	}
	if v.State == Failed || v.State == Expired || in.Kind == EventStartedOver {
		// Delete files that were uploaded and never submitted.
		if err := s.Documents.Drop(ctx, tx, v.publicToken); err != nil {
			return v, false, err
		}
	}
	if v.walking() && v.Step == StepFailed {
		if err := s.Queue.Enqueue(ctx, tx, Expire{v.id}, jobs.At(v.expires)); err != nil {
			return v, false, err
		}
	}
	if do&Tell != 0 {
		if _, err := s.Reports.SetStatus(ctx, tx, v.publicToken, v.Status, v.Substatus); err != nil {
			return v, false, err
		}
	}
	if do&Generate != 0 {
		if err := s.generate(ctx, tx, v); err != nil {
			return v, false, err
		}
	}
	return v, true, nil
}

// catchUp moves a visit by events without its applicant: it expired, its report was
// generated, or its source was removed.
func (s *Service) catchUp(ctx context.Context, tx *store.Tx, v visit) (visit, error) {
	if v.State.Over() {
		return v, nil
	}
	if v.State == Generating {
		r, err := s.Reports.Get(ctx, tx, v.publicToken)
		if err != nil || !r.Status.Final() {
			return v, err
		}
		v, _, err = s.advance(ctx, tx, v, Input{Kind: EventReportFinished, Status: r.Status, Substatus: r.Substatus})
		return v, err
	}
	if !s.Now().Before(v.expires) {
		v, _, err := s.advance(ctx, tx, v, Input{Kind: EventExpired})
		return v, err
	}
	if s.stranded(v) {
		v, _, err := s.advance(ctx, tx, v, Input{Kind: EventSourceRemoved})
		return v, err
	}
	return v, nil
}

// stranded reports whether the visit is connecting a source that its environment no
// longer has.
func (s *Service) stranded(v visit) bool {
	v.Lacks = s.catalogue(v.environment).lacks()
	return v.walking() && v.Lacks.way(v.SourceType)
}

// generate enqueues the report with the sources that the applicant connected.
func (s *Service) generate(ctx context.Context, tx *store.Tx, v visit) error {
	consumer, err := s.applicant(ctx, tx, v.customerID, v.consumerID)
	if err != nil {
		return err
	}
	who := person(consumer.Prefill)
	names := employers(v.Product, who)
	if prepared := s.catalogue(v.environment).Prepared; v.sandboxReportID != "" && prepared != nil {
		return prepared.Attach(ctx, tx, v.customerID, v.sandboxReportID, v.publicToken, typed(who, names))
	}
	if v.Employers > 0 {
		if names, err = s.statedIn(ctx, tx, v, consumer.KeyID); err != nil {
			return err
		}
	}
	in := typed(who, names)
	if v.SourceType == SourceSupplier {
		in.Supplier = v.Bank
	}
	for _, c := range v.sources() {
		switch {
		case c.Skipped != "":
			if in.Gathered == nil {
				in.Gathered = &eligibility.Gathered{Skipped: map[string]string{}}
			}
			in.Gathered.Skipped[names[c.Employer-1]] = c.Skipped
		case c.Failed != "" && !v.several():
			// Another source was connected in its place, and the report has that.
		case c.SourceType == SourceBank:
			in.Banks = append(in.Banks, s.signIn(v, c, names))
		case c.SourceType == SourcePayroll:
			in.SignIns = append(in.SignIns, s.signIn(v, c, names))
		}
	}
	if in.Documents, err = s.handedIn(ctx, tx, v); err != nil {
		return err
	}
	return s.Reports.Attach(ctx, tx, v.publicToken, in)
}

// signIn converts a bank or payroll connection to the form that reports use.
func (s *Service) signIn(v visit, c connected, employers []string) reports.SignIn {
	sources := s.catalogue(v.environment)
	of, _ := sources.listed(c.SourceType, c.Bank)
	out := reports.SignIn{Provider: of.ID, Name: of.Name, Link: v.link(c.Nth), Accounts: c.Accounts, Status: c.Failed, Substatus: c.Why}
	if c.Employer > 0 {
		out.Employer = employers[c.Employer-1]
	}
	if c.good() {
		out.Profile = sources.login(c.SourceType, c.Username).Profile
	} else {
		out.At = report.TimestampOf(store.Time(c.At))
	}
	return out
}

// link is the link under which the mock providers generate a sign-in's data.
func (v visit) link(nth int) string {
	if nth == 0 {
		return v.publicToken
	}
	return v.publicToken + "/" + strconv.Itoa(nth)
}

// person parses a prefill that was already validated; missing fields stay empty.
func person(raw json.RawMessage) (p prefill.Fields) {
	if len(raw) > 0 {
		_ = json.Unmarshal(raw, &p)
	}
	return p
}

// typed returns a report's input from the data that the applicant typed.
func typed(p prefill.Fields, employers []string) reports.Input {
	in := reports.Input{Given: reports.Given{DOB: p.DOB != "", State: p.State, Employers: employers, AnnualIncome: p.StatedAnnualIncome}.OrNil()}
	if p.FirstName == "" && p.LastName == "" {
		return in
	}
	in.Consumer = &bankdata.Person{FirstName: p.FirstName, LastName: p.LastName}
	if p.Email != "" {
		in.Consumer.Emails = []string{p.Email}
	}
	in.Source, in.Born = report.ConsumerInput, reports.Born(p.DOB)
	return in
}

// scenarioOf returns the failure that the sandbox simulates for a name.
func scenarioOf(firstName, lastName string) Scenario {
	switch {
	case lastName == "supplierdown":
		return ScenarioBureauDown
	case lastName == "expiresoon":
		return ScenarioExpiresSoon
	case firstName == "mfa required":
		return ScenarioNoMFACode
	}
	return NoScenario
}

// look returns the current state of the visit of a handle. Waiting pages poll, so it
// writes only if there is something to catch up with.
func (s *Service) look(ctx context.Context, handle string) (v visit, err error) {
	if v, err = byHandle(ctx, s.DB.SQL, handle); err != nil || v.State.Over() {
		return v, err
	}
	if v.State == Generating {
		r, err := s.Reports.Get(ctx, s.DB.SQL, v.publicToken)
		if err != nil || !r.Status.Final() {
			return v, err
		}
	} else if s.Now().Before(v.expires) && !s.stranded(v) {
		return v, nil
	}
	err = s.retry(ctx, func(ctx context.Context, tx *store.Tx) error {
		if v, err = byHandle(ctx, tx, handle); err != nil {
			return err
		}
		v, err = s.catchUp(ctx, tx, v)
		return err
	})
	return v, err
}

// act applies the applicant's input to the visit of a handle. An input that the
// current step does not accept, or with an outdated nonce, changes nothing and is not
// an error.
func (s *Service) act(ctx context.Context, handle, nonce string, in Input) (v visit, err error) {
	err = s.retry(ctx, func(ctx context.Context, tx *store.Tx) error {
		if v, err = byHandle(ctx, tx, handle); err != nil {
			return err
		}
		if v, err = s.catchUp(ctx, tx, v); err != nil || v.outdated(nonce) {
			return err
		}
		v, _, err = s.advance(ctx, tx, v, in)
		return err
	})
	return v, err
}

// nonce identifies the current step. Every accepted input changes it.
func (v visit) nonce() string { return strconv.FormatInt(v.version, 36) }

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

// arrive opens a visit when the applicant loads its page.
func (s *Service) arrive(ctx context.Context, handle string) (v visit, err error) {
	err = s.retry(ctx, func(ctx context.Context, tx *store.Tx) error {
		if v, err = byHandle(ctx, tx, handle); err != nil {
			return err
		}
		v, err = s.come(ctx, tx, v)
		return err
	})
	return v, err
}

// come opens a visit; one with a prepared report continues immediately.
func (s *Service) come(ctx context.Context, tx *store.Tx, v visit) (visit, error) {
	v, moved, err := s.advance(ctx, tx, v, Input{Kind: EventOpened})
	if err != nil || !moved || v.sandboxReportID == "" || s.catalogue(v.environment).Prepared == nil {
		return v, err
	}
	v, _, err = s.advance(ctx, tx, v, Input{Kind: EventPrepared})
	return v, err
}

// Made is called in the transaction that ends a report. It ignores reports without a
// visit and visits that have moved on.
func (s *Service) Made(ctx context.Context, tx *store.Tx, publicToken string, status contract.Status, sub contract.Substatus) error {
	v, err := byPublicToken(ctx, tx, publicToken)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	_, _, err = s.advance(ctx, tx, v, Input{Kind: EventReportFinished, Status: status, Substatus: sub})
	if errors.Is(err, errStale) {
		return nil
	}
	return err
}
