package webhooks

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"

	"vestibule/internal/contract"
	"vestibule/internal/store"
	"vestibule/internal/webhook"
)

// Rotation is how long a replaced secret signs together with its successor.
const Rotation = 24 * time.Hour

// Callback is the destination of a customer's webhooks.
type Callback struct {
	URL      string
	Created  time.Time
	Disabled time.Time         // zero if enabled
	Statuses []contract.Status // subscribed statuses; nil for all
	Signers  []Signer          // secrets that sign now, newest first

	id string
}

// Signer describes a secret without containing it.
type Signer struct {
	ID      string
	Created time.Time
	Ends    time.Time // zero: no end
}

// Callback returns the customer's callback, or store.ErrNotFound.
func (s *Service) Callback(ctx context.Context, q store.Queryer, customerID string) (Callback, error) {
	c, err := callback(ctx, q, customerID)
	if err != nil {
		return c, err
	}
	secrets, err := signingSecrets(ctx, q, c.id, s.Now())
	for _, secret := range secrets {
		c.Signers = append(c.Signers, secret.Signer)
	}
	return c, err
}

// SetURL sets the URL for the customer's webhooks and enables the callback. The secret
// is returned only when the callback is created; otherwise it is empty.
func (s *Service) SetURL(ctx context.Context, tx *store.Tx, customerID, url string) (secret string, err error) {
	c, err := s.Callback(ctx, tx, customerID)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return "", err
	}
	secret, err = s.SetCallback(ctx, tx, customerID, url, false)
	if len(c.Signers) > 0 {
		secret = ""
	}
	return secret, err
}

// SetEnabled enables or disables the customer's callback; changed is false if it already
// was so, or does not exist. Events during a disabled period are not delivered.
func (s *Service) SetEnabled(ctx context.Context, tx *store.Tx, customerID string, on bool) (changed bool, err error) {
	return setDisabled(ctx, tx, customerID, !on)
}

// Subscribe sets the statuses that the callback receives; the full list also covers
// future ones. Without a callback it returns store.ErrNotFound.
func (s *Service) Subscribe(ctx context.Context, tx *store.Tx, customerID string, statuses []contract.Status) error {
	var kept []string
	for _, known := range Subscribable() {
		if slices.Contains(statuses, known) {
			kept = append(kept, string(known))
		}
	}
	if len(kept) == 0 {
		return errors.New("webhooks: a subscription of nothing")
	}
	if len(kept) == len(Subscribable()) {
		kept = nil
	}
	ok, err := setStatuses(ctx, tx, customerID, kept)
	if err == nil && !ok {
		err = store.ErrNotFound
	}
	return err
}

// Subscribable lists the statuses that webhooks are sent for: the final ones.
func Subscribable() []contract.Status {
	return slices.DeleteFunc(contract.Statuses(), func(s contract.Status) bool { return !s.Final() })
}

// Rotate replaces the secret with that id if it is the current one; the old one also
// signs for Rotation. ok is false if it was already replaced.
func (s *Service) Rotate(ctx context.Context, tx *store.Tx, customerID, secretID string) (secret string, ok bool, err error) {
	c, err := callback(ctx, tx, customerID)
	if err != nil {
		return "", false, err
	}
	if ok, err = retire(ctx, tx, c.id, secretID, tx.Now.Add(Rotation)); err != nil || !ok {
		return "", false, err
	}
	secret = webhook.NewSecret()
	return secret, true, s.addSecret(ctx, tx, c.id, secret)
}

// Seed sets the callback of a generated customer with a secret that the caller keeps.
// Repeating it changes nothing.
func (s *Service) Seed(ctx context.Context, tx *store.Tx, customerID, url, secret string) error {
	if _, err := webhook.ParseSecret(secret); err != nil {
		return err
	}
	id, err := upsertCallback(ctx, tx, uuid.NewString(), customerID, url)
	if err != nil {
		return err
	}
	known, err := s.plain(ctx, tx, id)
	if err != nil || slices.Contains(known, secret) {
		return err
	}
	return s.addSecret(ctx, tx, id, secret)
}

// SetCallback sets the URL for the customer's webhooks and returns the secret that
// signs them. A new URL keeps the secret; with rotate, a new secret is created, and
// the old one also signs for Rotation.
func (s *Service) SetCallback(ctx context.Context, tx *store.Tx, customerID, url string, rotate bool) (secret string, err error) {
	id, err := upsertCallback(ctx, tx, uuid.NewString(), customerID, url)
	if err != nil {
		return "", err
	}
	known, err := s.plain(ctx, tx, id)
	if err != nil {
		return "", err
	}
	if len(known) > 0 && !rotate {
		return known[0], nil
	}
	if err := expireSecrets(ctx, tx, id, tx.Now.Add(Rotation)); err != nil {
		return "", err
	}
	secret = webhook.NewSecret()
	return secret, s.addSecret(ctx, tx, id, secret)
}

// CheckURL returns an error if webhooks cannot be sent to url.
func (s *Service) CheckURL(url string) error { return s.Sender.CheckURL(url) }

func (s *Service) addSecret(ctx context.Context, tx *store.Tx, callbackID, secret string) error {
	id := uuid.NewString()
	sealed, err := s.DB.Vault.Seal(ctx, tx, store.SystemKey, secretCell(id), []byte(secret))
	if err != nil {
		return err
	}
	return insertSecret(ctx, tx, id, callbackID, sealed)
}

// plain returns the decrypted secrets that sign now, newest first.
func (s *Service) plain(ctx context.Context, q store.Queryer, callbackID string) ([]string, error) {
	rows, err := signingSecrets(ctx, q, callbackID, s.Now())
	if err != nil {
		return nil, err
	}
	var out []string
	for _, r := range rows {
		b, err := s.DB.Vault.Open(ctx, q, store.SystemKey, secretCell(r.ID), r.encrypted)
		if err != nil {
			return nil, err
		}
		out = append(out, string(b))
	}
	return out, nil
}

func secretCell(id string) store.Cell {
	return store.Cell{Table: "callback_secrets", Column: "sealed", Row: id}
}
