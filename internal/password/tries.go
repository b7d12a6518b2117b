package password

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"net/http"
	"strings"
	"time"

	"vestibule/internal/httpx"
	"vestibule/internal/store"
)

// Limits of sign-in tries within Window: TriesHere for one email address from one
// network, TriesPlace for all addresses from one network, and TriesTotal for one
// address from anywhere. Tries from a known browser are counted under that browser,
// and under all known browsers of the address, instead of its network, so that
// guesses by strangers do not lock it out.
const (
	Window     = 15 * time.Minute
	TriesHere  = 10
	TriesPlace = 50
	TriesTotal = 100
)

// kept is how long counted tries are stored. It exceeds Window. Within it a network
// leaves at most two rows per allowed try, plus one.
const kept = time.Hour

// Settings configure a Guard. Cookie is required.
type Settings struct {
	Cookie      string // name of the cookie that marks known browsers; over https the prefix __Host- is added
	Secure      bool   // whether the public URL uses https
	BehindProxy bool   // take the client's address from the proxy's headers
}

// Guard limits and checks the sign-in tries of the portal or the provider. Create it
// with New.
type Guard struct {
	Queue
	Settings
	db  *store.DB
	now func() time.Time
	key []byte
}

// New returns a guard. The first start creates its key, which all replicas share.
func New(ctx context.Context, db *store.DB, now func() time.Time, c Settings) (*Guard, error) {
	g := &Guard{Settings: c, db: db, now: now}
	if c.Secure {
		g.Cookie = "__Host-" + c.Cookie
	}
	var err error
	g.key, err = db.GetOrCreateSecret(ctx, "sign-in", func() ([]byte, error) {
		key := make([]byte, 32)
		rand.Read(key) // never fails
		return key, nil
	})
	return g, err
}

// Try is one sign-in try.
type Try struct {
	Email    string // normalized by Email
	Password string
	Place    string
	Known    string // name of a browser that is known for the address, or ""
}

// Try returns the sign-in try of a request.
func (g *Guard) Try(r *http.Request, email, password string) Try {
	email = Email(email)
	return Try{Email: email, Password: password, Place: httpx.ClientNetwork(r, g.BehindProxy).String(), Known: g.known(r, email)}
}

// counted is a counter and its limit.
type counted struct {
	key  []byte
	most int64
}

// counts returns the counters of a try. Transactions lock them in one order: the
// network's first, the address's last.
func (g *Guard) counts(t Try) []counted {
	if t.Known != "" {
		return []counted{{g.keyed("browser", t.Email, t.Known), TriesHere}, {g.keyed("browsers", t.Email, ""), TriesTotal}}
	}
	return []counted{{g.keyed("place", "", t.Place), TriesPlace}, {g.keyed("here", t.Email, t.Place), TriesHere}, {g.keyed("total", t.Email, ""), TriesTotal}}
}

// keyed returns the key of a counter as a keyed hash, so that it is not readable.
func (g *Guard) keyed(label, email, where string) []byte {
	mac := hmac.New(sha256.New, g.key)
	mac.Write([]byte(label + "\x00" + email + "\x00" + where))
	return mac.Sum(nil)
}

var errTooOften = errors.New("password: tried too often")

// Take counts a sign-in try and reports whether it is allowed. A refused try counts
// toward no limit. Concurrent tries are all counted.
func (g *Guard) Take(ctx context.Context, t Try) (bool, error) {
	err := g.db.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		for _, c := range g.counts(t) {
			if ok, err := take(ctx, tx, c.key, g.now(), c.most); err != nil {
				return err
			} else if !ok {
				return errTooOften
			}
		}
		return nil
	})
	if errors.Is(err, errTooOften) {
		return false, nil
	}
	return err == nil, err
}

// Forget clears the counters of a successful try, so that it does not count toward
// the limits on guessing.
func (g *Guard) Forget(ctx context.Context, q store.Queryer, t Try) error {
	if t.Known != "" {
		return forget(ctx, q, g.keyed("browser", t.Email, t.Known))
	}
	if err := giveBack(ctx, q, g.keyed("place", "", t.Place)); err != nil {
		return err
	}
	return forget(ctx, q, g.keyed("here", t.Email, t.Place))
}

// Sweep deletes the counters of old tries.
func (g *Guard) Sweep(ctx context.Context) error { return sweep(ctx, g.db.SQL, g.now().Add(-kept)) }

// Email normalizes an email address for comparison. It returns "" if the address is
// too long.
func Email(email string) string {
	email = strings.ToLower(strings.TrimSpace(email))
	if len(email) > 254 {
		return ""
	}
	return email
}

// Verdict is the result of a try.
type Verdict int

const (
	Wrong Verdict = iota
	Right
	TooOften // refused without a check; the user must wait for Window to pass
)

// Authenticate counts a try, looks up the user's hash with find, and checks the
// password, in this order: each try is counted before it can succeed, and a try for
// an unknown address takes as long as a wrong password. The find function returns the
// stored hash or store.ErrNotFound; Authenticate does not call it for a try that
// cannot succeed. Authenticate returns ErrBusy as Queue.Do does.
func (g *Guard) Authenticate(ctx context.Context, t Try, find func(context.Context) (hash string, err error)) (Verdict, error) {
	if t.Email == "" || t.Password == "" || len(t.Password) > Max {
		return Wrong, nil
	}
	allowed, err := g.Take(ctx, t)
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
	if right, err := g.Check(ctx, hash, t.Password); err != nil || !right {
		return Wrong, err
	}
	return Right, nil
}
