package staff

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"vestibule/internal/httpx"
	"vestibule/internal/store"
)

// Entry is one entry of the audit log. It holds IDs and the dashboard's own words, no
// personal data and no secrets.
type Entry struct {
	ID        string // default: a new one
	Actor     string // ID of the user who acted; "" if unknown
	Action    string
	Subject   string // review dashboard: the application, or ""; provider's dashboard: the account
	Object    string // what else was acted on, such as a user; "" for nothing
	Detail    string
	RequestID string
	At        time.Time
}

// Record adds an entry to the audit log in the transaction of the audited action. It
// sets the time and the request ID, and keeps an existing entry with the same ID.
func (s *Service) Record(ctx context.Context, tx *store.Tx, e Entry) error {
	if e.Action == "" {
		return errors.New("staff: an audit entry without an action")
	}
	e.At, e.RequestID = tx.Now, httpx.RequestID(ctx)
	if e.ID == "" {
		e.ID = store.NewID()
	}
	return s.insertEntry(ctx, tx, e)
}

// EntryFilter selects entries of the audit log. The zero value selects all.
type EntryFilter struct {
	Actor, Action, Subject string
	From, To               time.Time    // days, both inclusive; zero is unbounded
	After                  store.Cursor // the page follows this entry
}

// recordSignIn records a sign-in by a method, in the transaction of the sign-in.
func (s *Service) recordSignIn(ctx context.Context, tx *store.Tx, u User, method string) error {
	e := Entry{Actor: u.ID, Action: s.Schema.signedIn, Subject: u.Account}
	if s.Schema.namesMethod {
		e.Detail = method
	}
	return s.Record(ctx, tx, e)
}

// recordFailure records a failed sign-in, if the dashboard records them. Failures for
// unknown addresses share one entry per minute, so that they cannot flood the log.
func (s *Service) recordFailure(ctx context.Context, u User, method string) error {
	if s.Schema.signInFailed == "" {
		return nil
	}
	e := Entry{Actor: u.ID, Action: s.Schema.signInFailed, Subject: u.Account, Detail: method}
	if u.ID == "" {
		minute := s.Now().UTC().Format("2006-01-02T15:04")
		e.ID = uuid.NewSHA1(uuid.NameSpaceURL, []byte("sign-in-failed:"+method+minute)).String()
	}
	return s.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error { return s.Record(ctx, tx, e) })
}
