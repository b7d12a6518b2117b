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

// Overlap is how long a secret is still good after it was rotated.
const Overlap = 24 * time.Hour

// ErrOverlap is returned for a rotation while another secret of the client is
// good besides the one that is to be rotated.
var ErrOverlap = errors.New("customers: two secrets of this client are good already")

// Credential is a secret of an account, without the secret.
type Credential struct {
	ID         string
	CustomerID string
	ClientID   string
	Created    time.Time
	Expires    time.Time // when a rotated one ends; zero for never
	Revoked    time.Time // zero for not
}

// Live reports whether the secret is good at now.
func (c Credential) Live(now time.Time) bool {
	return c.Revoked.IsZero() && (c.Expires.IsZero() || c.Expires.After(now))
}

// Issued is a secret on the one occasion that it can be read.
type Issued struct {
	ClientID        string
	SecretKey       string
	PreviousExpires time.Time // of a rotation: when the former secret ends
}

// Credentials lists every credential that an account ever had, newest first.
func (s *Service) Credentials(ctx context.Context, q store.Queryer, customerID string) ([]Credential, error) {
	return credentials(ctx, q, `customer_id = $1 ORDER BY created_at DESC, id`, customerID)
}

// IssueCredential gives an account a new client with a secret, besides those that
// it has. A child account has none until then: its parent acts for it.
func (s *Service) IssueCredential(ctx context.Context, tx *store.Tx, customerID string) (Issued, error) {
	if _, err := account(ctx, tx, `id = $1`, customerID); err != nil {
		return Issued{}, err
	}
	k := Credential{ID: uuid.NewString(), CustomerID: customerID, ClientID: "client-" + strings.ToLower(rand.Text()), Created: s.Now()}
	out := Issued{ClientID: k.ClientID, SecretKey: store.NewSecret()}
	return out, insertCredential(ctx, tx, k, store.Hash(out.SecretKey))
}

// RotateCredential gives the client of a live credential of the account a new
// secret; both are good for 24 hours. While another secret of the client is good,
// it is ErrOverlap: so of rotations at once one wins, and no secret that is in use
// ends before it was said to. A credential that is not the account's, or not
// live, is store.ErrNotFound.
func (s *Service) RotateCredential(ctx context.Context, tx *store.Tx, customerID, credentialID string) (Issued, error) {
	now := s.Now()
	k, seen, err := liveCredential(ctx, tx, customerID, credentialID, now)
	if err != nil {
		return Issued{}, err
	}
	if k.Expires.IsZero() {
		k.Expires = now.Add(Overlap)
	}
	won, err := rotate(ctx, tx, k, seen, now)
	if err == nil && !won {
		err = ErrOverlap
	}
	if err != nil {
		return Issued{}, err
	}
	out := Issued{ClientID: k.ClientID, SecretKey: store.NewSecret(), PreviousExpires: k.Expires.UTC()}
	next := Credential{ID: uuid.NewString(), CustomerID: k.CustomerID, ClientID: k.ClientID, Created: now}
	return out, insertCredential(ctx, tx, next, store.Hash(out.SecretKey))
}

// RevokeCredential ends a credential of the account at once and for good, and with
// it the access tokens that it obtained. One that is not the account's, or was
// revoked before, is store.ErrNotFound.
func (s *Service) RevokeCredential(ctx context.Context, q store.Queryer, customerID, credentialID string) error {
	return hit(revoke(ctx, q, customerID, credentialID, s.Now()))
}
