package staff

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"net/http"
	"time"

	"vestibule/internal/httpx"
	"vestibule/internal/mail"
	"vestibule/internal/store"
)

// Limits of sign-in tries within TriesWindow. Tries from a known browser count for that
// browser and for all known browsers of the address, not for its network, so that guesses
// of other people do not lock it out.
const (
	TriesWindow       = 15 * time.Minute
	MaxTries          = 10
	MaxTriesOfNetwork = 50
	MaxTriesOfEmail   = 100
)

// triesAge is how long counted tries are stored. It exceeds TriesWindow. Within it a
// network leaves at most two rows per allowed try, plus two.
const triesAge = time.Hour

// tryLimits counts and limits sign-in tries in the database. Keyed hashes take the
// place of addresses and networks.
type tryLimits struct {
	db          *store.DB
	now         func() time.Time
	key         []byte
	cookie      string // name of the cookie that marks known browsers
	secure      bool
	behindProxy bool
}

// try is one sign-in try.
type try struct {
	email    string // normalized
	password string
	networks []httpx.Network // the smallest first
	browser  string          // name of a browser that is known for the address, or ""
	code     bool            // of the second factor
}

func (t try) withCode() try {
	t.code = true
	return t
}

// try returns the sign-in try of a request.
func (l *tryLimits) try(r *http.Request, email, password string) try {
	email = mail.NormalizeAddress(email)
	return try{email: email, password: password, networks: httpx.ClientNetworks(r, l.behindProxy), browser: l.knownBrowser(r, email)}
}

// counter is a stored counter of tries and its limit.
type counter struct {
	key []byte
	max int64
}

// counters returns the counters of a try. Transactions lock them in one order: the
// networks' first, the address's last.
func (l *tryLimits) counters(t try) (all []counter) {
	if t.browser != "" {
		all = []counter{{l.keyed("browser", t.email, t.browser), MaxTries}, {l.keyed("browsers", t.email, ""), MaxTriesOfEmail}}
	} else {
		for _, n := range t.networks {
			all = append(all, counter{l.keyed("place", "", n.Name), int64(MaxTriesOfNetwork * n.Share)})
		}
		all = append(all, counter{l.keyed("here", t.email, t.networks[0].Name), MaxTries},
			counter{l.keyed("total", t.email, ""), MaxTriesOfEmail})
	}
	if t.code {
		all = append(all, counter{l.keyed("code", t.email, ""), MaxTries})
	}
	return all
}

// keyed returns the key of a counter as a keyed hash, so that it is not readable.
func (l *tryLimits) keyed(label, email, where string) []byte {
	mac := hmac.New(sha256.New, l.key)
	mac.Write([]byte(label + "\x00" + email + "\x00" + where))
	return mac.Sum(nil)
}

var errTooManyTries = errors.New("staff: too many sign-in tries")

// count counts a sign-in try and reports whether it is allowed. A refused try counts
// toward no limit. Concurrent tries are all counted.
func (l *tryLimits) count(ctx context.Context, t try) (bool, error) {
	err := l.db.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		for _, c := range l.counters(t) {
			if ok, err := countTry(ctx, tx, c.key, l.now(), c.max); err != nil {
				return err
			} else if !ok {
				return errTooManyTries
			}
		}
		return nil
	})
	if errors.Is(err, errTooManyTries) {
		return false, nil
	}
	return err == nil, err
}

// succeeded clears the counters of a successful try, so that it does not count toward
// the limits on guessing. The try of a code follows one of a password.
func (l *tryLimits) succeeded(ctx context.Context, q store.Queryer, t try) error {
	tries := 1
	if t.code {
		tries++
		if err := deleteTries(ctx, q, l.keyed("code", t.email, "")); err != nil {
			return err
		}
	}
	if t.browser != "" {
		return deleteTries(ctx, q, l.keyed("browser", t.email, t.browser))
	}
	for range tries {
		for _, n := range t.networks {
			if err := uncountTry(ctx, q, l.keyed("place", "", n.Name)); err != nil {
				return err
			}
		}
	}
	return deleteTries(ctx, q, l.keyed("here", t.email, t.networks[0].Name))
}
