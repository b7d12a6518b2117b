// Package freeze stores what consumers ask for about their files at the service: a freeze,
// during which no new report is made of their data, and a fraud alert, which new reports show
// to their readers (docs/how-to/consumer-rights.md).
//
// A file is all data of one email address, of every company, found by the address's keyed
// hash. Data that name another address of the same person are another file.
//
// A transaction that makes something of a person's data calls Require, which locks the file
// until the transaction ends. So a freeze that commits before the transaction does prevents
// it, and a freeze that waits for it takes effect after it.
package freeze

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"vestibule/internal/store"
)

// ErrFrozen is returned for a person whose file is frozen.
var ErrFrozen = errors.New("freeze: the consumer's file is frozen")

// MaxLift is the maximum time for which a freeze is lifted until it takes effect again.
const MaxLift = 365 * 24 * time.Hour

// How long a fraud alert is shown.
const (
	AlertShort = 90 * 24 * time.Hour
	AlertLong  = 365 * 24 * time.Hour
)

// Service stores the state of files. Both fields must be set.
type Service struct {
	DB  *store.DB
	Now func() time.Time // the provider's clock
}

// File is the state of a consumer's file. The zero value has neither freeze nor alert.
type File struct {
	FrozenAt    time.Time // zero: there is no freeze
	LiftedUntil time.Time // until then a freeze has no effect
	AlertUntil  time.Time
}

// Frozen reports whether the file is frozen at an instant.
func (f File) Frozen(at time.Time) bool { return !f.FrozenAt.IsZero() && !at.Before(f.LiftedUntil) }

// Lifted reports whether a freeze exists that has no effect at an instant.
func (f File) Lifted(at time.Time) bool { return !f.FrozenAt.IsZero() && at.Before(f.LiftedUntil) }

// Alerted reports whether a fraud alert is shown at an instant.
func (f File) Alerted(at time.Time) bool { return at.Before(f.AlertUntil) }

// Action is what an entry of a file's log says.
type Action string

const (
	ActionOpened       Action = "opened" // the page of what was shared
	ActionLinked       Action = "linked" // a company or the operator made a link to it
	ActionFrozen       Action = "frozen"
	ActionLifted       Action = "lifted"       // for good
	ActionLiftedUntil  Action = "lifted until" // until a day
	ActionRefused      Action = "refused"      // a company asked for something that the freeze prevents
	ActionAlert        Action = "alert"        // a fraud alert begins
	ActionAlertRemoved Action = "alert removed"
	ActionEnded        Action = "ended"        // a company's access
	ActionClosed       Action = "closed"       // and the reading of its reports
	ActionDisconnected Action = "disconnected" // a source
	ActionDownloaded   Action = "downloaded"   // the file
	ActionDeleted      Action = "deleted"      // the data at a company
)

// Entry is an entry of a file's log.
type Entry struct {
	At         time.Time
	Action     Action
	CustomerID string // of the company concerned; "" for none
	Until      time.Time
}

// File returns the state of a file.
func (s *Service) File(ctx context.Context, q store.Queryer, mailbox []byte) (File, error) {
	return readAny(ctx, q, itself, mailbox, "")
}

// OfReport returns the file of the person whom a report is about.
func (s *Service) OfReport(ctx context.Context, q store.Queryer, publicToken string) (File, error) {
	return readAny(ctx, q, ofReport, publicToken, "")
}

// Require returns ErrFrozen if the file of the person whom a report is about is frozen.
// Otherwise the file is not frozen before tx ends.
func (s *Service) Require(ctx context.Context, tx *store.Tx, publicToken string) error {
	f, err := read(ctx, tx, ofReport, publicToken, tx.Now.Add(-idle), s.lock())
	if errors.Is(err, store.ErrNotFound) {
		mailbox, unknown := mailboxOf(ctx, tx, publicToken)
		if unknown != nil || mailbox == nil {
			return unknown
		}
		f, err = add(ctx, tx, mailbox, s.lock())
	}
	if err == nil && f.Frozen(s.Now()) {
		err = ErrFrozen
	}
	return err
}

// Refused adds to the log of a person's file that a company asked for something that the freeze
// prevents: one entry a day, so that no company makes the log grow.
func (s *Service) Refused(ctx context.Context, tx *store.Tx, publicToken, customerID string) error {
	mailbox, err := mailboxOf(ctx, tx, publicToken)
	if err != nil || mailbox == nil {
		return err
	}
	id := fmt.Sprintf("%s-%s-%s", hex.EncodeToString(mailbox[:8]), customerID, tx.Now.Format(time.DateOnly))
	return insertEntry(ctx, tx, id, mailbox, Entry{At: tx.Now, Action: ActionRefused, CustomerID: customerID})
}

// lock is the clause that keeps a file as it is until the transaction ends, beside others that
// only need it to stay so.
func (s *Service) lock() string {
	if s.DB.Dialect == store.Postgres {
		return " FOR SHARE OF f"
	}
	return ""
}

// Freeze freezes a file, also one whose freeze is lifted for a time. It returns the entry that it adds
// to the log, as Lift and Alert do: the zero entry if nothing changes.
func (s *Service) Freeze(ctx context.Context, tx *store.Tx, mailbox []byte) (Entry, error) {
	return s.change(ctx, tx, mailbox, Entry{Action: ActionFrozen}, func(f *File) bool {
		changed := !f.Frozen(tx.Now)
		f.FrozenAt, f.LiftedUntil = tx.Now, time.Time{}
		return changed
	})
}

// Lift lifts the freeze of a file until an instant or, if that is zero, for good. The entry keeps the instant's zone.
func (s *Service) Lift(ctx context.Context, tx *store.Tx, mailbox []byte, until time.Time) (Entry, error) {
	e := Entry{Action: ActionLifted, Until: until}
	if !until.IsZero() {
		e.Action = ActionLiftedUntil
	}
	return s.change(ctx, tx, mailbox, e, func(f *File) bool {
		before := *f
		if f.FrozenAt.IsZero() {
			return false
		}
		if f.LiftedUntil = until.UTC(); until.IsZero() {
			f.FrozenAt = time.Time{}
		}
		return *f != before
	})
}

// Alert begins a fraud alert that lasts for a time, or with 0 removes it. An alert until the same day
// changes nothing.
func (s *Service) Alert(ctx context.Context, tx *store.Tx, mailbox []byte, life time.Duration) (Entry, error) {
	if life == 0 {
		return s.change(ctx, tx, mailbox, Entry{Action: ActionAlertRemoved}, func(f *File) bool {
			changed := f.Alerted(tx.Now)
			f.AlertUntil = time.Time{}
			return changed
		})
	}
	until := tx.Now.Add(life)
	return s.change(ctx, tx, mailbox, Entry{Action: ActionAlert, Until: until}, func(f *File) bool {
		changed := f.AlertUntil.UTC().Format(time.DateOnly) != until.UTC().Format(time.DateOnly)
		f.AlertUntil = until
		return changed
	})
}

// Lock returns a file that no other transaction changes or locks, and to which no report is added, before tx
// ends.
func (s *Service) Lock(ctx context.Context, tx *store.Tx, mailbox []byte) (File, error) {
	f, err := use(ctx, tx, mailbox, s.DB.ForUpdate())
	tx.RefreshNow() // it may have waited for reports that were being stored
	return f, err
}

// change changes a file and adds the entry to its log, if the file changed.
func (s *Service) change(ctx context.Context, tx *store.Tx, mailbox []byte, e Entry, apply func(*File) bool) (Entry, error) {
	f, err := s.Lock(ctx, tx, mailbox)
	if err != nil {
		return Entry{}, err
	}
	if !apply(&f) {
		return Entry{}, nil
	}
	if err := update(ctx, tx, mailbox, f); err != nil {
		return Entry{}, err
	}
	return e, s.Record(ctx, tx, mailbox, e)
}

// Record adds an entry of now to the log of a file.
func (s *Service) Record(ctx context.Context, tx *store.Tx, mailbox []byte, e Entry) error {
	e.At = tx.Now
	return insertEntry(ctx, tx, store.NewID(), mailbox, e)
}

// logAge is how long an entry of a log is kept: as long as a consumer may ask who asked for a
// report (15 U.S.C. 1681g(a)(3)).
const logAge = 2 * 365 * 24 * time.Hour

// idleAge is how long a file without freeze is kept after its last use, at least as long as a
// report can be read.
const idleAge = 100 * 24 * time.Hour

// Sweep deletes old entries, and files that nothing needs.
func (s *Service) Sweep(ctx context.Context) error {
	return s.DB.Sweep(ctx, 100, deleteOldEntries, deleteIdleFiles)
}
