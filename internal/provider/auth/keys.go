package auth

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"vestibule/internal/jose"
	"vestibule/internal/store"
)

// Purpose separates kinds of keys: a token of one kind never verifies as another.
type Purpose string

const (
	OutcomeKeys Purpose = "outcome" // sign what customers verify; the published key set
	AccessKeys  Purpose = "access"  // sign access tokens; never published
)

const (
	// KeySetMaxAge is how long clients may cache the key set. A new key is published at
	// least that long before it signs.
	KeySetMaxAge = 5 * time.Minute
	clockMargin  = KeySetMaxAge + time.Minute // a reader's clock and a slow answer
	// An old key is kept until every token that it signed has expired.
	keyLifetime = jose.MaxLifetime + 2*jose.Skew
	rotateAfter = 30 * 24 * time.Hour
)

// Keys holds the provider's signing keys. They are encrypted in the database, so that
// replicas share them. Decrypted keys are cached by id and used only while the
// database still has them.
type Keys struct {
	DB  *store.DB
	Now func() time.Time // the provider's clock: which key signs, and when one goes
	// TimeOfDay is the clock for timestamps that another machine checks for freshness. It
	// is not the sandbox's clock, because the customer's clock does not move with that.
	TimeOfDay func() time.Time

	mu     sync.Mutex
	opened map[string]*jose.PrivateKey
}

// Ensure creates the first keys, creates a new key when the newest is 30 days old, and
// deletes keys whose tokens have all expired. Call it before the first request and
// every hour.
func (k *Keys) Ensure(ctx context.Context) error {
	for _, p := range []Purpose{OutcomeKeys, AccessKeys} {
		err := k.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
			rows, err := keyRows(ctx, tx, p)
			if err != nil {
				return err
			}
			if len(rows) == 0 || tx.Now.Sub(rows[len(rows)-1].created) >= rotateAfter {
				return k.add(ctx, tx, p, rows, false)
			}
			for _, r := range rows[:len(rows)-1] {
				if superseded(rows, r, tx.Now) {
					if err := deleteKey(ctx, tx, r.id); err != nil {
						return err
					}
				}
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("auth: keys for %s: %w", p, err)
		}
	}
	return nil
}

// Rotate publishes a new outcome key, which signs once every client's cached key set
// can contain it. With atOnce it signs immediately, which only a sandbox may do.
func (k *Keys) Rotate(ctx context.Context, atOnce bool) error {
	return k.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		rows, err := keyRows(ctx, tx, OutcomeKeys)
		if err != nil {
			return err
		}
		return k.add(ctx, tx, OutcomeKeys, rows, atOnce)
	})
}

// Replace creates a new key for every purpose and returns the time when the new
// outcome key begins to sign.
func (k *Keys) Replace(ctx context.Context) (time.Time, error) {
	err := k.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		for _, p := range []Purpose{OutcomeKeys, AccessKeys} {
			rows, err := keyRows(ctx, tx, p)
			if err == nil {
				err = k.add(ctx, tx, p, rows, false)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	return k.Now().Add(clockMargin), err
}

func (k *Keys) add(ctx context.Context, tx *store.Tx, p Purpose, rows []keyRow, atOnce bool) error {
	key, err := jose.GenerateKey()
	if err != nil {
		return err
	}
	raw, err := key.Marshal()
	if err != nil {
		return err
	}
	sealed, err := k.DB.Vault.Seal(ctx, tx, store.SystemKey, keyCell(key.ID), raw)
	if err != nil {
		return err
	}
	r := keyRow{id: key.ID, purpose: p, generation: 1, sealed: sealed, created: tx.Now, signsFrom: tx.Now}
	if n := len(rows); n > 0 {
		r.generation = rows[n-1].generation + 1
		if p == OutcomeKeys && !atOnce {
			r.signsFrom = r.signsFrom.Add(clockMargin)
		}
	}
	return insertKey(ctx, tx, r)
}

// superseded reports whether a newer key has been signing for so long that every token
// of r has expired.
func superseded(rows []keyRow, r keyRow, now time.Time) bool {
	for _, newer := range rows {
		if newer.generation > r.generation && !now.Before(newer.signsFrom.Add(keyLifetime)) {
			return true
		}
	}
	return false
}

// Set returns the public keys of a purpose that can verify tokens: the signing key,
// published keys that do not sign yet, and older keys whose tokens may still be valid.
func (k *Keys) Set(ctx context.Context, q store.Queryer, p Purpose) (jose.KeySet, error) {
	rows, err := keyRows(ctx, q, p)
	if err != nil {
		return nil, err
	}
	now := k.Now()
	var set jose.KeySet
	for i, r := range rows {
		if i < len(rows)-1 && superseded(rows, r, now) {
			continue
		}
		key, err := k.open(ctx, q, r)
		if err != nil {
			return nil, err
		}
		set = append(set, key.Public())
	}
	return set, nil
}

// Sign creates a token of a type with the current key of the purpose: the newest whose
// signing time has come or, if the clock was moved back before all of them, the
// oldest. q is the caller's transaction or the database.
func (k *Keys) Sign(ctx context.Context, q store.Queryer, p Purpose, typ string, iat, exp time.Time, claims jose.Claims) (string, error) {
	rows, err := keyRows(ctx, q, p)
	if err != nil {
		return "", err
	}
	if len(rows) == 0 {
		return "", errors.New("auth: there is no key to sign with")
	}
	signer, now := rows[0], k.Now()
	for _, r := range rows {
		if !r.signsFrom.After(now) {
			signer = r
		}
	}
	key, err := k.open(ctx, q, signer)
	if err != nil {
		return "", err
	}
	return jose.Signer{Key: key, Type: typ}.Sign(iat, exp, claims)
}

// OutcomeType is the typ of the tokens that secure redirect returns.
const OutcomeType = "outcome+jwt"

// OutcomeLifetime is the lifetime of a signed result.
const OutcomeLifetime = 5 * time.Minute

// Outcome signs the result of a secure redirect (docs/tutorials/redirect.md).
func (k *Keys) Outcome(ctx context.Context, q store.Queryer, claims map[string]any) (string, error) {
	now := k.TimeOfDay()
	return k.Sign(ctx, q, OutcomeKeys, OutcomeType, now, now.Add(OutcomeLifetime), claims)
}

func (k *Keys) open(ctx context.Context, q store.Queryer, r keyRow) (*jose.PrivateKey, error) {
	k.mu.Lock()
	key := k.opened[r.id]
	k.mu.Unlock()
	if key != nil {
		return key, nil
	}
	raw, err := k.DB.Vault.Open(ctx, q, store.SystemKey, keyCell(r.id), r.sealed)
	if err != nil {
		return nil, fmt.Errorf("auth: open key: %w", err)
	}
	if key, err = jose.ParsePrivateKey(raw); err != nil {
		return nil, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.opened == nil || len(k.opened) > 64 {
		k.opened = map[string]*jose.PrivateKey{}
	}
	k.opened[r.id] = key
	return key, nil
}

func keyCell(id string) store.Cell {
	return store.Cell{Table: "signing_keys", Column: "sealed", Row: id}
}
