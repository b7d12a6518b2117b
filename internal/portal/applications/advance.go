package applications

import (
	"cmp"
	"context"
	"errors"

	"vestibule/internal/contract"
	"vestibule/internal/jobs"
	"vestibule/internal/journey"
	"vestibule/internal/redirect"
	"vestibule/internal/store"
	"vestibule/internal/webhook"
)

// Advance applies one input to an application's journey: it adds a timeline entry,
// takes at most one step, and enqueues the step's jobs, all in tx. A repeated input
// changes nothing. It returns the updated application, or store.ErrNotFound.
func (s *Service) Advance(ctx context.Context, tx *store.Tx, id string, in journey.Input) (Application, error) {
	a, err := s.Lock(ctx, tx, id)
	if err != nil {
		return Application{}, err
	}
	return s.advance(ctx, tx, a, in)
}

// advance is Advance for an application that tx has locked.
func (s *Service) advance(ctx context.Context, tx *store.Tx, a Application, in journey.Input) (Application, error) {
	in.At = tx.Now.Unix()
	next, do := a.Journey.Step(in)
	if next == a.Journey && (in.Kind == journey.Poll && in.Status == contract.StatusPending || in.Kind == journey.Tick) {
		return a, nil // unchanged: no timeline entry
	}
	line := TimelineEntry{Kind: string(in.Kind), Attempt: in.Attempt, Status: in.Status, Substatus: in.Substatus, Error: in.Error,
		From: string(a.Journey.State), To: string(next.State)}
	if in.Kind == journey.Reopen {
		line.Attempt = next.Attempt // the entry belongs to the attempt that it opens
	}
	before := a.Version
	a, err := s.record(ctx, tx, a, in.Key(), line, next, do.Has(journey.Notify))
	if err != nil || a.Version == before {
		return a, err
	}
	if do.Has(journey.FreshToken) && in.Attempt > 0 {
		if err := s.UseToken(ctx, tx, a.ID, in.Attempt); err != nil {
			return a, err
		}
	}
	if do.Has(journey.AskStatus) {
		if err := s.pollNow(ctx, tx, a.ID, in.Attempt); err != nil {
			return a, err
		}
	}
	if do.Has(journey.Fetch) && !a.Interim {
		if err := s.Queue.Enqueue(ctx, tx, FetchReport{Application: a.ID}, jobs.UniqueKey(reportKey(a.ID, a.Journey.Succeeded))); err != nil {
			return a, err
		}
	}
	return a, nil
}

// record writes a timeline entry and the new journey. For a repeated input it returns
// the application unchanged, including its version.
func (s *Service) record(ctx context.Context, tx *store.Tx, a Application, key string, l TimelineEntry,
	next journey.Application, notify bool) (Application, error) {
	l.Seq, l.At = a.Version+1, tx.Now
	fresh, err := insertTimelineEntry(ctx, tx, a.ID, key, l)
	if err != nil || !fresh {
		return a, err
	}
	a.Journey, a.Version, a.UpdatedAt = next, a.Version+1, tx.Now
	if key != created && !a.Interim { // insert stores the first
		if err := save(ctx, tx, &a); err != nil {
			return a, err
		}
	}
	if notify {
		for _, f := range s.OnChange {
			if err := f(ctx, tx, a, l); err != nil {
				return a, err
			}
		}
	}
	return a, nil
}

// maxAttempts bounds the attempts of an application. It exceeds real use and stops
// clients that would open thousands of visits at the provider.
const maxAttempts = 50

// Next returns the attempt that a page opens next, for SaveAttempt to store after the service has given what starts it. It
// returns ErrClosed if no attempt can be opened.
func (s *Service) Next(a Application, mode Mode) (Attempt, error) {
	if a.Journey.Attempt >= maxAttempts {
		return Attempt{}, ErrClosed
	}
	number := a.Journey.Attempt + 1
	return Attempt{Number: number, Mode: mode, ExternalID: a.externalID(number)}, nil
}

// SaveAttempt stores an attempt of Next, unless it is stored, and if it is Verified what starts its widget: a single-use token,
// a consumer, or neither if the page itself starts it.
func (s *Service) SaveAttempt(ctx context.Context, id string, t Attempt) (saved Attempt, err error) {
	err = s.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		_, saved, err = s.begin(ctx, tx, id, t)
		return err
	})
	return saved, err
}

// Begin opens the next attempt from any state that allows one: the first, another
// while connecting, or a restart. It returns ErrClosed if no attempt can be opened.
func (s *Service) Begin(ctx context.Context, tx *store.Tx, id string, mode Mode) (Application, Attempt, error) {
	return s.begin(ctx, tx, id, Attempt{Mode: mode})
}

// begin is Begin with SaveAttempt's attempt, whose number is 0 for the next one.
func (s *Service) begin(ctx context.Context, tx *store.Tx, id string, t Attempt) (Application, Attempt, error) {
	a, err := s.Lock(ctx, tx, id)
	if err != nil {
		return Application{}, Attempt{}, err
	}
	if t.Number != 0 && t.Number <= a.Journey.Attempt {
		if err := s.sealToken(ctx, tx, a, &t); err != nil {
			return a, t, err
		}
		if own, err := setInitialization(ctx, tx, id, t); err != nil || own {
			return a, t, err
		}
	}
	if a.Journey.Attempt >= maxAttempts {
		return a, Attempt{}, ErrClosed
	}
	in := journey.Input{Kind: journey.Connect, Attempt: a.Journey.Attempt + 1}
	switch a.Journey.State {
	case journey.Started, journey.Connecting:
	case journey.Exited, journey.Failed, journey.Expired:
		in = journey.Input{Kind: journey.Restart, Attempt: a.Journey.Attempt}
	case journey.Ready:
		if !a.AwaitsMore() {
			return a, Attempt{}, ErrClosed
		}
		in = journey.Input{Kind: journey.Reopen, Attempt: a.Journey.Attempt}
		setEarlier(&a)
	default:
		return a, Attempt{}, ErrClosed
	}
	before := a.Journey.Attempt
	if a, err = s.advance(ctx, tx, a, in); err != nil {
		return a, Attempt{}, err
	}
	if a.Journey.Attempt != before+1 {
		return a, Attempt{}, ErrClosed
	}
	t.Number, t.ExternalID, t.CreatedAt = a.Journey.Attempt, cmp.Or(t.ExternalID, a.externalID(a.Journey.Attempt)), tx.Now
	if err := s.Queue.Enqueue(ctx, tx, Poll{Application: id, Attempt: t.Number}, jobs.UniqueKey(pollKey(id, t.Number, false)),
		jobs.At(tx.Now.Add(firstPoll)), jobs.ID(&t.pollJob)); err != nil {
		return a, t, err
	}
	if err := s.sealToken(ctx, tx, a, &t); err != nil {
		return a, t, err
	}
	if err := insertAttempt(ctx, tx, id, t); err != nil {
		return a, t, err
	}
	if a.Mode != t.Mode {
		a.Mode = t.Mode
		if err := setMode(ctx, tx, id, t.Mode); err != nil {
			return a, t, err
		}
	}
	return a, t, nil
}

func (s *Service) sealToken(ctx context.Context, tx *store.Tx, a Application, t *Attempt) (err error) {
	if t.Token != "" {
		t.sealed, err = s.DB.Vault.Seal(ctx, tx, a.dataKey, tokenCell(a.ID, t.Number), []byte(t.Token))
	}
	return err
}

// Current returns the newest attempt with its token decrypted, or store.ErrNotFound
// before the first.
func (s *Service) Current(ctx context.Context, a Application) (Attempt, error) {
	t, err := lastAttempt(ctx, s.DB.SQL, a.ID)
	if err != nil {
		return Attempt{}, err
	}
	plain, err := s.DB.Vault.Open(ctx, s.DB.SQL, a.dataKey, tokenCell(a.ID, t.Number), t.sealed)
	t.Token, t.sealed = string(plain), nil
	return t, err
}

// RedirectOutcome applies a verified redirect outcome, in the transaction that consumed it.
func (s *Service) RedirectOutcome(ctx context.Context, tx *store.Tx, r redirect.Attempt, o redirect.Outcome) error {
	kind, ok := map[contract.Outcome]journey.Kind{contract.OutcomeSuccess: journey.ReturnSuccess,
		contract.OutcomeExit: journey.ReturnExit, contract.OutcomeError: journey.ReturnError}[o.Kind]
	if !ok {
		return errors.New("applications: a return without outcome")
	}
	in := journey.Input{Kind: kind, Attempt: r.Number, PublicToken: o.PublicToken, Status: o.Status, Error: o.Error}
	if _, err := s.Advance(ctx, tx, r.Application, in); err != nil {
		return err
	}
	if o.PublicToken == "" {
		return nil
	}
	return name(ctx, tx, r.Application, r.Number, "", o.PublicToken)
}

// ReceiveWebhook stores what a verified webhook says, with the report that it announces if the provider gives it soon. It
// reports whether it knows the application: it ignores others without an error, because the service would retry them for
// three days to no effect.
func (s *Service) ReceiveWebhook(ctx context.Context, e webhook.Event) (known bool, err error) {
	f := s.askEarly(ctx, e)
	var id string
	err = s.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		id, known, err = s.handleWebhook(ctx, tx, e, f)
		return err
	})
	s.Wake(id)
	return known, err
}

// handleWebhook is ReceiveWebhook with the report, nil for none, and returns the application's ID.
func (s *Service) handleWebhook(ctx context.Context, tx *store.Tx, e webhook.Event, f *fetched) (id string, known bool, err error) {
	var t Attempt
	if f != nil {
		id, t = f.application, f.attempt
	} else if id, t, err = findAttempt(ctx, tx, e.ExternalID, e.PublicToken); err != nil {
		return "", false, store.OrNone(err)
	}
	before, err := s.Lock(ctx, tx, id)
	if err != nil {
		return "", true, err
	}
	number, in := t.Number, journey.Input{Kind: journey.Webhook, At: tx.Now.Unix(), Attempt: t.Number, EventID: e.EventID,
		PublicToken: e.PublicToken, Status: e.Status, Substatus: e.Substatus}
	next, _ := before.Journey.Step(in)
	before.Interim = f != nil && !before.fetched && next.Succeeded == number
	after, err := s.advance(ctx, tx, before, in)
	if err != nil {
		return "", true, err
	}
	if after.Interim {
		return id, true, s.keep(ctx, tx, after, *f)
	}
	if e.Status == contract.StatusSuccess {
		if err := s.announceRevision(ctx, tx, id, number, e, after.Version == before.Version); err != nil {
			return "", true, err
		}
	}
	return id, true, name(ctx, tx, id, number, e.ConsumerID, e.PublicToken)
}

// Restart opens another attempt after an end state, or when a reviewer asked for
// more. In other states it only sets the mode of the next attempt. It returns
// ErrClosed if no attempt is needed.
func (s *Service) Restart(ctx context.Context, tx *store.Tx, id string, mode Mode) error {
	a, err := s.Lock(ctx, tx, id)
	if err != nil {
		return err
	}
	switch a.Journey.State {
	case journey.Exited, journey.Failed, journey.Expired, journey.Ready:
		_, _, err = s.Begin(ctx, tx, id, mode)
		return err
	case journey.Started, journey.Connecting:
		return setMode(ctx, tx, id, mode)
	}
	return ErrClosed
}
