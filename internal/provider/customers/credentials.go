package customers

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"time"

	"github.com/google/uuid"

	"vestibule/internal/store"
)

// Overlap is how long a secret stays valid after its rotation.
const Overlap = 24 * time.Hour

// ErrOverlap is returned for a rotation while another secret of the client, besides
// the one to rotate, is valid.
var ErrOverlap = errors.New("customers: two secrets of this client are valid")

// Credential describes a secret of an account without containing it.
type Credential struct {
	ID         string
	CustomerID string
	ClientID   string
	Name       string // what the client is for; "" without one
	Created    time.Time
	Expires    time.Time // when a rotated secret ends; zero: never
	Revoked    time.Time // zero: not revoked
	Used       time.Time // the hour of its last use; zero: never
}

// Valid reports whether the secret is valid at now.
func (c Credential) Valid(now time.Time) bool {
	return c.Revoked.IsZero() && (c.Expires.IsZero() || c.Expires.After(now))
}

// Issued is a new secret, in plain text.
type Issued struct {
	ClientID, Name  string
	SecretKey       string
	PreviousExpires time.Time // of a rotation: when the previous secret ends
}

// IssueCredential creates a client with a name and a secret for an account. Existing
// clients stay. A new child account has no client: its parent acts for it. IssueCredential
// returns store.ErrNotFound for an unknown account. The caller validates the name.
func (s *Service) IssueCredential(ctx context.Context, tx *store.Tx, customerID, name string) (Issued, error) {
	if _, err := account(ctx, tx, `id = $1`, customerID); err != nil {
		return Issued{}, err
	}
	k := Credential{ID: uuid.NewString(), CustomerID: customerID, ClientID: "client-" + strings.ToLower(rand.Text()), Name: name,
		Created: tx.Now}
	out := Issued{ClientID: k.ClientID, Name: k.Name, SecretKey: store.NewSecret()}
	return out, insertCredential(ctx, tx, k, store.Hash(out.SecretKey))
}

// RotateCredential creates a new secret for the client of a valid credential of the
// account; both are valid for the Overlap. While another secret of the client is valid,
// it returns ErrOverlap: of concurrent rotations one succeeds, and no secret ends
// earlier than announced. It returns store.ErrNotFound for a credential that is not
// the account's or not valid.
func (s *Service) RotateCredential(ctx context.Context, tx *store.Tx, customerID, credentialID string) (Issued, error) {
	k, seen, err := findValidCredential(ctx, tx, customerID, credentialID)
	if err != nil {
		return Issued{}, err
	}
	if k.Expires.IsZero() {
		k.Expires = tx.Now.Add(Overlap)
	}
	won, err := rotate(ctx, tx, k, seen)
	if err == nil && !won {
		err = ErrOverlap
	}
	if err != nil {
		return Issued{}, err
	}
	out := Issued{ClientID: k.ClientID, Name: k.Name, SecretKey: store.NewSecret(), PreviousExpires: k.Expires}
	next := Credential{ID: uuid.NewString(), CustomerID: k.CustomerID, ClientID: k.ClientID, Name: k.Name, Created: tx.Now}
	return out, insertCredential(ctx, tx, next, store.Hash(out.SecretKey))
}
