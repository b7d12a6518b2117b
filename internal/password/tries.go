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

// Tries to sign in within Window: of one e-mail address from one place, of all
// addresses from one place, and of one address from anywhere. A browser that is known
// is not counted with its place, but by itself, and with the others that are known of
// the address: what strangers try takes nothing from it.
const (
	Window     = 15 * time.Minute
	TriesHere  = 10
	TriesPlace = 50
	TriesTotal = 100
)

// kept is how long tries are kept that nothing has cleared: over Window, in which a
// place leaves two rows at most for each try that it may make, and one of its own.
const kept = time.Hour

// Settings say who comes in where. Cookie is required.
type Settings struct {
	Cookie      string // by which a browser is known; over https the prefix __Host- is put before it
	Secure      bool   // the public URL is https
	BehindProxy bool   // who asks is who a proxy says it is
}

// Guard stands before the passwords of a party. Use New.
type Guard struct {
	Queue
	Settings
	db  *store.DB
	now func() time.Time
	key []byte
}

// New readies the guard of a party. Its key is made at the first start, and the same
// for all replicas.
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

// Try is one try to sign in.
type Try struct {
	Email    string // by Email
	Password string
	Place    string
	Known    string // names a browser that is known of the address; empty for any other
}

// Try is the try of a request.
func (g *Guard) Try(r *http.Request, email, password string) Try {
	email = Email(email)
	return Try{Email: email, Password: password, Place: httpx.ClientNetwork(r, g.BehindProxy).String(), Known: g.known(r, email)}
}

// counted is what a try counts towards, and how many of that there may be.
type counted struct {
	key  []byte
	most int64
}

// counts is what a try counts towards. Transactions come by them in one order: the
// place's first, the address's last.
func (g *Guard) counts(t Try) []counted {
	if t.Known != "" {
		return []counted{{g.keyed("browser", t.Email, t.Known), TriesHere}, {g.keyed("browsers", t.Email, ""), TriesTotal}}
	}
	return []counted{{g.keyed("place", "", t.Place), TriesPlace}, {g.keyed("here", t.Email, t.Place), TriesHere}, {g.keyed("total", t.Email, ""), TriesTotal}}
}

// keyed names what is counted, without keeping it readable.
func (g *Guard) keyed(label, email, where string) []byte {
	mac := hmac.New(sha256.New, g.key)
	mac.Write([]byte(label + "\x00" + email + "\x00" + where))
	return mac.Sum(nil)
}

var errTooOften = errors.New("password: tried too often")

// Take counts a try to sign in, and reports whether it may be made; one that may not
// counts nowhere. Tries that are made at once are all counted.
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

// Forget clears what was tried there, after a success: who has the key is not counted
// with those who guess.
func (g *Guard) Forget(ctx context.Context, q store.Queryer, t Try) error {
	if t.Known != "" {
		return forget(ctx, q, g.keyed("browser", t.Email, t.Known))
	}
	if err := giveBack(ctx, q, g.keyed("place", "", t.Place)); err != nil {
		return err
	}
	return forget(ctx, q, g.keyed("here", t.Email, t.Place))
}

// Sweep forgets the tries that are long over.
func (g *Guard) Sweep(ctx context.Context) error { return sweep(ctx, g.db.SQL, g.now().Add(-kept)) }

// Email is an address as it is compared; empty for what is too long for one.
func Email(email string) string {
	email = strings.ToLower(strings.TrimSpace(email))
	if len(email) > 254 {
		return ""
	}
	return email
}

// Verdict is what a try comes to.
type Verdict int

const (
	Wrong Verdict = iota
	Right
	TooOften // it was not looked at: Window must pass
)

// Authenticate counts a try, finds whom it is of, and checks the password, in this order:
// each try is counted before it can be right, and one of nobody takes as long as a
// wrong password. find returns the kept hash, or store.ErrNotFound; for a try that
// cannot be right it is not asked. ErrBusy is returned as by Do.
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
