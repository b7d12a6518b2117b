package password

import (
	"context"
	"crypto/sha256"
	"database/sql"
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
