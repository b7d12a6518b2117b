package mail

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"time"

	"vestibule/internal/httpx"
	"vestibule/internal/store"
)

// Mailboxes recognizes email addresses, and networks, by a keyed hash, so that a party finds rows by an
// address that the database cannot reveal, and limits what strangers can request. The
// party's database needs the table link_tries.
type Mailboxes struct {
	db  *store.DB
	key []byte
}

// TriesWindow is how long a try counts against its limit.
const TriesWindow = time.Hour

// OpenMailboxes loads the key of a party's database. The first start creates it, and all
// replicas share it.
func OpenMailboxes(ctx context.Context, db *store.DB) (*Mailboxes, error) {
	key, err := db.GetOrCreateSecret(ctx, "mailboxes", func() ([]byte, error) {
		key := make([]byte, 32)
		rand.Read(key)
		return key, nil
	})
	return &Mailboxes{db, key}, err
}

// Hash returns the hash of an email address, in which case and surrounding spaces do not
// matter.
func (m *Mailboxes) Hash(address string) []byte { return m.keyed("mailbox", NormalizeAddress(address)) }

// HashNetwork returns the hash of a client's network.
func (m *Mailboxes) HashNetwork(network string) []byte { return m.keyed("network", network) }

func (m *Mailboxes) keyed(label, value string) []byte {
	mac := hmac.New(sha256.New, m.key)
	mac.Write([]byte(label + "\x00" + value))
	return mac.Sum(nil)
}

// Allow counts a try of the value under a label, and reports whether at most that many
// were made within TriesWindow.
func (m *Mailboxes) Allow(ctx context.Context, label, value string, most int64) (bool, error) {
	return m.allow(ctx, m.db.SQL, label, value, most)
}

func (m *Mailboxes) allow(ctx context.Context, q store.Queryer, label, value string, most int64) (bool, error) {
	n, err := countTry(ctx, q, m.keyed(label, value), m.now())
	return n <= most, err
}

// Limits within TriesWindow: emails of one purpose to one address, and emails requested by
// one network.
const (
	maxEmails        = 3
	maxNetworkEmails = 20
)

// ErrNetworkLimit is returned for a network that requested too many emails. The answer to
// a request may reveal it, unlike the limit of an address.
var ErrNetworkLimit = errors.New("mail: too many emails requested by the network")

// AllowRequest counts a request for an email by a client's networks, for whichever address. It
// returns ErrNetworkLimit beyond the limit of one.
func (m *Mailboxes) AllowRequest(ctx context.Context, networks []httpx.Network) error {
	for _, n := range networks {
		if ok, err := m.Allow(ctx, "place", n.Name, int64(maxNetworkEmails*n.Share)); err != nil {
			return err
		} else if !ok {
			return ErrNetworkLimit
		}
	}
	return nil
}

// AllowEmail counts an email for a purpose, and reports whether it may be written. Call it in
// the transaction that writes the email, so that a request that leads to none counts for
// nothing. Each purpose of an address has its own limit.
func (m *Mailboxes) AllowEmail(ctx context.Context, tx *store.Tx, purpose, address string) (bool, error) {
	return m.allow(ctx, tx, "letters", purpose+"\x00"+string(m.Hash(address)), maxEmails)
}

func (m *Mailboxes) now() time.Time { return m.db.Now().UTC().Truncate(time.Microsecond) }
