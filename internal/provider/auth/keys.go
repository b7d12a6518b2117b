package auth

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"vestibule/internal/jose"
	"vestibule/internal/store"
)

// Purpose separates kinds of keys: a key of one kind never verifies tokens of another.
type Purpose string

const (
	ResultKeys Purpose = "outcome" // sign results of secure redirects; published
	AccessKeys Purpose = "access"  // sign access tokens; never published
)

const (
	// KeySetMaxAge is how long clients may cache the key set. A new key is published at
	// least that long before it signs.
	KeySetMaxAge = 5 * time.Minute
	clockMargin  = KeySetMaxAge + time.Minute // with a minute for clock differences and slow responses
	// keyLifetime is how long an old key is kept after its successor begins to sign, so that
	// all its tokens have expired.
	keyLifetime = jose.MaxLifetime + 2*jose.Skew
	rotateAfter = 30 * 24 * time.Hour
)

// Keys holds the provider's signing keys. They are encrypted in the database, so that
// replicas share them. Decrypted keys are cached by id and used only while the
// database still has them.
type Keys struct {
	DB  *store.DB
	Now func() time.Time // the provider's clock, for the validity of keys
	// TimeOfDay is the real clock, for timestamps that another machine checks for
	// freshness. The sandbox can move Now, but not the customer's clock.
	TimeOfDay func() time.Time

	mu     sync.Mutex
	opened map[string]*jose.PrivateKey
}

// Ensure creates the first keys, creates a new key when the newest is 30 days old, and
// deletes keys whose tokens have all expired. Call it before the first request and
// every hour.
func (k *Keys) Ensure(ctx context.Context) error {
	for _, p := range []Purpose{ResultKeys, AccessKeys} {
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

// Rotate publishes a new key for results, which signs once every client's cached key set
// contains it. With immediately it signs from now on, which only a sandbox may do.
func (k *Keys) Rotate(ctx context.Context, immediately bool) error {
	return k.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		rows, err := keyRows(ctx, tx, ResultKeys)
		if err != nil {
			return err
		}
		return k.add(ctx, tx, ResultKeys, rows, immediately)
	})
}

// Replace creates a new key for every purpose and returns the time when the new key for
// results begins to sign.
func (k *Keys) Replace(ctx context.Context) (time.Time, error) {
	err := k.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		for _, p := range []Purpose{ResultKeys, AccessKeys} {
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

func (k *Keys) add(ctx context.Context, tx *store.Tx, p Purpose, rows []keyRow, immediately bool) error {
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
		if p == ResultKeys && !immediately {
			r.signsFrom = r.signsFrom.Add(clockMargin)
		}
	}
	return insertKey(ctx, tx, r)
}

// superseded reports whether a newer key has been signing for so long that every token
// of r has expired.
func superseded(rows []keyRow, r keyRow, now time.Time) bool {
	return slices.ContainsFunc(rows, func(newer keyRow) bool {
		return newer.generation > r.generation && !now.Before(newer.signsFrom.Add(keyLifetime))
	})
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

// Sign creates a token of a type with the current key of the purpose. This is the newest
// key that may sign or, if the clock was moved back before all keys, the oldest. q is
// the caller's transaction or the database.
func (k *Keys) Sign(ctx context.Context, q store.Queryer, p Purpose, typ string, iat, exp time.Time, claims jose.Claims) (string, error) {
	rows, err := keyRows(ctx, q, p)
	if err != nil {
		return "", err
	}
	if len(rows) == 0 {
		return "", errors.New("auth: no signing key")
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

// ResultType is the typ of signed results.
const ResultType = "outcome+jwt"

// ResultLifetime is the lifetime of a signed result.
const ResultLifetime = 5 * time.Minute

// SignResult signs the result of a secure redirect (docs/tutorials/redirect.md).
func (k *Keys) SignResult(ctx context.Context, q store.Queryer, claims map[string]any) (string, error) {
	now := k.TimeOfDay()
	return k.Sign(ctx, q, ResultKeys, ResultType, now, now.Add(ResultLifetime), claims)
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
