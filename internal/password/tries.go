package password

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"net"
	"net/http"
	"strings"
	"time"

	"vestibule/internal/store"
)

// Tries to sign in within Window: of one e-mail address from one place, and of
// one e-mail address from anywhere.
const (
	Window     = 15 * time.Minute
	TriesHere  = 10
	TriesTotal = 100
)

// kept is how long tries are kept that nothing has cleared.
const kept = 24 * time.Hour

// Take counts a try to sign in, and reports whether it may be made. Tries that
// are made at once are all counted.
func Take(ctx context.Context, db *store.DB, email, place string, now time.Time) (allowed bool, err error) {
	err = db.Tx(ctx, func(ctx context.Context, tx *sql.Tx) (err error) {
		if allowed, err = take(ctx, tx, key(email, place), now, TriesHere); err != nil || !allowed {
			return err
		}
		allowed, err = take(ctx, tx, key(email, ""), now, TriesTotal)
		return err
	})
	return allowed && err == nil, err
}

// Forget clears what was tried from a place, after a success there.
func Forget(ctx context.Context, q store.Queryer, email, place string, now time.Time) error {
	return forget(ctx, q, key(email, place), now.Add(-kept))
}

// Sweep forgets the tries that are long over: each address that is tried leaves
// a row.
func Sweep(ctx context.Context, db *store.DB, now time.Time) error {
	return db.Tx(ctx, func(ctx context.Context, tx *sql.Tx) error { return forget(ctx, tx, nil, now.Add(-kept)) })
}

// key names who tries, without keeping it readable.
func key(email, place string) []byte {
	sum := sha256.Sum256([]byte(email + "\x00" + place))
	return sum[:]
}

// Place is the address that a connection comes from. Forwarding headers are
// whatever a client writes, so they do not count.
func Place(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil || host == "" {
		return "unknown"
	}
	return host
}

// Email is an address as it is compared; empty for what is too long for one.
func Email(email string) string {
	email = strings.ToLower(strings.TrimSpace(email))
	if len(email) > 254 {
		return ""
	}
	return email
}

// Try is one try to sign in, as it came.
type Try struct {
	Email    string // by Email
	Password string
	Place    string // by Place
	Now      time.Time
}

// Verdict is what a try comes to.
type Verdict int

const (
	Wrong Verdict = iota
	Right
	TooOften // it was not looked at: Window must pass
)

// Judge counts a try, finds whom it is of, and checks the password, in this order:
// each try is counted before it can be right, and one of nobody takes as long as a
// wrong password. find returns the kept hash, or store.ErrNotFound; for a try that
// cannot be right it is not asked. ErrBusy is returned as by Do.
func (q *Queue) Judge(ctx context.Context, db *store.DB, t Try, find func(context.Context) (hash string, err error)) (Verdict, error) {
	if t.Email == "" || t.Password == "" || len(t.Password) > Max {
		return Wrong, nil
	}
	allowed, err := Take(ctx, db, t.Email, t.Place, t.Now)
	if err != nil {
		return Wrong, err
	}
	if !allowed {
		return TooOften, nil
	}
	hash, err := find(ctx)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return Wrong, err
	}
	if right, err := q.Check(ctx, hash, t.Password); err != nil || !right {
		return Wrong, err
	}
	return Right, nil
}
