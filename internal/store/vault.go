package store

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
)

// Vault encrypts columns with AES-256-GCM. Every consumer has a separate data key,
// stored wrapped by the master key. Deleting a data key makes everything encrypted
// under it unreadable. The associated data binds a value to its table, column and row,
// so that a value copied to another cell does not decrypt.
//
// An encrypted value is one version byte (1), a 12-byte nonce, and the ciphertext with
// its 16-byte tag.
type Vault struct {
	master cipher.AEAD
	former []cipher.AEAD // earlier master keys, which still unwrap their data keys
	system cipher.AEAD   // set by ensureSystemKey, before the vault is shared
	now    func() time.Time

	checked atomic.Pointer[[]byte] // the wrapped system key that the master keys unwrap
}

// Cell names the table, column and row of an encrypted value. Row is the primary key.
type Cell struct{ Table, Column, Row string }

// SystemKey names the data key of secrets that belong to no consumer: signing
// keys, webhook secrets.
const SystemKey = "system"

const sealVersion = 1

// ErrShredded is returned for a value whose data key was deleted.
var ErrShredded = errors.New("store: the data key of this value was destroyed")

// ErrOtherKey is returned for a database and a master key that do not belong together.
var ErrOtherKey = errors.New("the key-encryption key is not the one that encrypted this database: give that one by --master-key-file, " +
	"or another database")

// ErrSeal is returned for a value that does not decrypt: another master key, another
// cell, or a damaged row.
var ErrSeal = errors.New("store: sealed value does not open")

func newVault(master []byte, former [][]byte, now func() time.Time) (*Vault, error) {
	v := &Vault{now: now}
	for i, key := range append([][]byte{master}, former...) {
		if len(key) != 32 {
			return nil, fmt.Errorf("store: a master key has %d bytes, want 32", len(key))
		}
		aead, err := newAEAD(key)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			v.master = aead
		} else {
			v.former = append(v.former, aead)
		}
	}
	return v, nil
}

func newAEAD(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

func (c Cell) aad() []byte { return []byte(c.Table + "\x00" + c.Column + "\x00" + c.Row) }

func keyCell(id string) Cell { return Cell{"data_keys", "wrapped", id} }

func seal(aead cipher.AEAD, at Cell, plain []byte) []byte {
	out := make([]byte, 13, 13+len(plain)+16)
	out[0] = sealVersion
	rand.Read(out[1:13])
	return aead.Seal(out, out[1:13], plain, at.aad())
}

func open(aead cipher.AEAD, at Cell, sealed []byte) ([]byte, error) {
	if len(sealed) < 13+16 || sealed[0] != sealVersion {
		return nil, ErrSeal
	}
	plain, err := aead.Open(nil, sealed[1:13], sealed[13:], at.aad())
	if err != nil {
		return nil, ErrSeal
	}
	return plain, nil
}

// ErrReplaced is returned to a process whose master key was replaced while it runs: what it
// wrapped could not be read by the others.
var ErrReplaced = errors.New("store: the key-encryption key was replaced; start this process with the new one")

// NewKey creates a consumer's data key and returns its id. It returns ErrReplaced if the
// vault's master keys do not unwrap the system key anymore; then roll back.
func (v *Vault) NewKey(ctx context.Context, q Queryer) (string, error) {
	id, key := uuid.NewString(), make([]byte, 32)
	rand.Read(key)
	var system []byte
	if err := q.QueryRowContext(ctx, insertKey+` RETURNING (SELECT k.wrapped FROM data_keys k WHERE k.id = '`+SystemKey+`')`,
		id, seal(v.master, keyCell(id), key), Micros(v.now())).Scan(&system); err != nil {
		return "", err
	}
	if known := v.checked.Load(); known == nil || !bytes.Equal(*known, system) {
		if _, err := v.dataKey(SystemKey, system); err != nil {
			return "", ErrReplaced
		}
		v.checked.Store(&system)
	}
	aead, err := newAEAD(key)
	remember(q, id, aead)
	return id, err
}

const insertKey = `INSERT INTO data_keys (id, wrapped, created_at) VALUES ($1, $2, $3)`

// remember caches a data key for the rest of the transaction, if q is one. A nil aead
// removes the key from the cache.
func remember(q Queryer, id string, aead cipher.AEAD) {
	tx, ok := q.(*Tx)
	switch {
	case !ok:
	case aead == nil:
		delete(tx.keys, id)
	case tx.keys == nil:
		tx.keys = map[string]cipher.AEAD{id: aead}
	default:
		tx.keys[id] = aead
	}
}

func (v *Vault) key(ctx context.Context, q Queryer, id string) (cipher.AEAD, error) {
	if id == SystemKey && v.system != nil {
		return v.system, nil
	}
	if tx, ok := q.(*Tx); ok && tx.keys[id] != nil {
		return tx.keys[id], nil
	}
	var wrapped []byte
	err := q.QueryRowContext(ctx, `SELECT wrapped FROM data_keys WHERE id = $1`, id).Scan(&wrapped)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return nil, err
	}
	o, err := v.Unwrap(q, id, wrapped)
	return o.aead, err
}

// unwrap returns the cipher of a wrapped data key. It returns ErrShredded for nil.
func (v *Vault) unwrap(id string, wrapped []byte) (cipher.AEAD, error) {
	if wrapped == nil {
		return nil, ErrShredded
	}
	key, err := v.dataKey(id, wrapped)
	if err != nil {
		return nil, err
	}
	return newAEAD(key)
}

// dataKey decrypts a wrapped data key with the master key or a former one.
func (v *Vault) dataKey(id string, wrapped []byte) ([]byte, error) {
	key, err := open(v.master, keyCell(id), wrapped)
	for i := 0; err != nil && i < len(v.former); i++ {
		key, err = open(v.former[i], keyCell(id), wrapped)
	}
	return key, err
}

// rewrapBatch is how many data keys one transaction rewraps.
const rewrapBatch = 500

// Rewrap wraps every data key of a former master key under the current one, and returns
// their number. It can be interrupted and run again, and can run while other processes
// read, encrypt and shred. Values encrypted under the data keys do not change. After it
// returns, the former keys are not needed.
func (v *Vault) Rewrap(ctx context.Context, db *DB) (int, error) {
	total, after := 0, ""
	for {
		n, last := 0, ""
		err := db.Tx(ctx, func(ctx context.Context, tx *Tx) error {
			n, last = 0, ""
			keys, err := wrappedKeys(ctx, tx, after)
			if err != nil {
				return err
			}
			for _, k := range keys {
				last = k.id
				if _, err := open(v.master, keyCell(k.id), k.wrapped); err == nil {
					continue
				}
				key, err := v.dataKey(k.id, k.wrapped)
				if err != nil {
					return fmt.Errorf("store: data key %s: %w", k.id, err)
				}
				won, err := ExecOne(tx.ExecContext(ctx, `UPDATE data_keys SET wrapped = $1 WHERE id = $2
					AND wrapped = $3`, seal(v.master, keyCell(k.id), key), k.id, k.wrapped))
				if err != nil {
					return err
				}
				if won { // else it was shredded or rewrapped meanwhile
					n++
				}
			}
			return nil
		})
		if err != nil {
			return total, err
		}
		total += n
		if last == "" {
			return total, nil
		}
		after = last
	}
}

type wrappedKey struct {
	id      string
	wrapped []byte
}

func wrappedKeys(ctx context.Context, q Queryer, after string) ([]wrappedKey, error) {
	return QueryAll(ctx, q, func(row Row) (k wrappedKey, err error) {
		err = row.Scan(&k.id, &k.wrapped)
		return k, err
	}, `SELECT id, wrapped FROM data_keys WHERE id > $1 ORDER BY id LIMIT $2`, after, rewrapBatch)
}

// ensureSystemKey creates the system key at the first start, after save has stored the master
// key. It returns an error when the master key is not the one that the database was created with.
func (v *Vault) ensureSystemKey(ctx context.Context, db *DB, save func() error) (err error) {
	v.system, err = v.key(ctx, db.SQL, SystemKey)
	if errors.Is(err, ErrShredded) {
		if err := save(); err != nil {
			return err
		}
		err = db.Tx(ctx, func(ctx context.Context, tx *Tx) error {
			key := make([]byte, 32)
			rand.Read(key)
			return Exec(tx.ExecContext(ctx, insertKey+` ON CONFLICT (id) DO NOTHING`, SystemKey, seal(v.master, keyCell(SystemKey), key),
				Micros(v.now())))
		})
		if err != nil {
			return err
		}
		v.system, err = v.key(ctx, db.SQL, SystemKey)
	}
	if errors.Is(err, ErrSeal) {
		return ErrOtherKey
	}
	return err
}

// Seal encrypts plain for its cell under the data key keyID.
func (v *Vault) Seal(ctx context.Context, q Queryer, keyID string, at Cell, plain []byte) ([]byte, error) {
	aead, err := v.key(ctx, q, keyID)
	if err != nil {
		return nil, err
	}
	return seal(aead, at, plain), nil
}

// Open decrypts a value that Seal encrypted for the same key and cell. It returns nil
// for nil.
func (v *Vault) Open(ctx context.Context, q Queryer, keyID string, at Cell, sealed []byte) ([]byte, error) {
	if sealed == nil {
		return nil, nil
	}
	aead, err := v.key(ctx, q, keyID)
	if err != nil {
		return nil, err
	}
	return open(aead, at, sealed)
}

// Opener decrypts values of one data key without another query.
type Opener struct{ aead cipher.AEAD }

// Opener returns the opener of a data key, or ErrShredded if the key was deleted.
func (v *Vault) Opener(ctx context.Context, q Queryer, keyID string) (Opener, error) {
	aead, err := v.key(ctx, q, keyID)
	return Opener{aead}, err
}

// Unwrap is Opener for a value of the column data_keys.wrapped that a query of q has joined;
// nil means that the row is missing.
func (v *Vault) Unwrap(q Queryer, keyID string, wrapped []byte) (Opener, error) {
	aead, err := v.unwrap(keyID, wrapped)
	if err == nil {
		remember(q, keyID, aead)
	}
	return Opener{aead}, err
}

// Open is Vault.Open.
func (o Opener) Open(at Cell, sealed []byte) ([]byte, error) {
	if sealed == nil {
		return nil, nil
	}
	return open(o.aead, at, sealed)
}

// Shred deletes a consumer's data key, which makes everything encrypted under it
// unreadable, also in later backups.
func (v *Vault) Shred(ctx context.Context, q Queryer, keyID string) error {
	if keyID == SystemKey {
		return errors.New("store: the system key cannot be shredded")
	}
	remember(q, keyID, nil)
	_, err := q.ExecContext(ctx, `DELETE FROM data_keys WHERE id = $1`, keyID)
	return err
}
