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

// MaxCallbacks is how many endpoints a customer can have.
const MaxCallbacks = 10

// ErrTooManyCallbacks is returned by Add after MaxCallbacks.
var ErrTooManyCallbacks = errors.New("webhooks: too many endpoints")

// Callback returns an endpoint of the customer, or store.ErrNotFound. An empty id is the first's.
func (s *Service) Callback(ctx context.Context, q store.Queryer, customerID, id string) (webhook.Callback, error) {
	c, err := callback(ctx, q, customerID, id)
	if err != nil {
		return c, err
	}
	secrets, err := signingSecrets(ctx, q, c.Endpoint, s.Now())
	for _, secret := range secrets {
		c.Signers = append(c.Signers, secret.Signer)
	}
	return c, err
}

// Add adds an endpoint and returns its id with the secret that signs its webhooks.
func (s *Service) Add(ctx context.Context, tx *store.Tx, customerID, url string) (id, secret string, err error) {
	all, err := s.lockedCallbacks(ctx, tx, customerID)
	switch {
	case err != nil:
		return "", "", err
	case len(all) >= MaxCallbacks:
		return "", "", ErrTooManyCallbacks
	case len(all) == 0:
		if secret, err = s.SetCallback(ctx, tx, customerID, url, false); err != nil {
			return "", "", err
		}
		first, err := callback(ctx, tx, customerID, "")
		return first.ID, secret, err
	}
	c := webhook.Callback{ID: uuid.NewString(), URL: url}
	c.Endpoint, secret = webhook.Endpoint{CallbackID: all[0].ID, FurtherID: c.ID}, webhook.NewSecret()
	if err := insertFurther(ctx, tx, c, customerID); err != nil {
		return "", "", err
	}
	return c.ID, secret, s.addSecret(ctx, tx, c.Endpoint, secret)
}

// Subscribe sets the statuses that an endpoint receives; the full list also covers future ones.
func (s *Service) Subscribe(ctx context.Context, tx *store.Tx, c webhook.Callback, statuses []contract.Status) error {
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
	return setStatuses(ctx, tx, c, kept)
}

// Subscribable lists the statuses that webhooks are sent for: the final ones.
func Subscribable() []contract.Status {
	return slices.DeleteFunc(contract.Statuses(), func(s contract.Status) bool { return !s.Final() })
}

// Rotate replaces the secret with that id if it is the endpoint's current one; the old one also
// signs for Rotation. ok is false if it was already replaced.
func (s *Service) Rotate(ctx context.Context, tx *store.Tx, c webhook.Callback, secretID string) (secret string, ok bool, err error) {
	if ok, err = retire(ctx, tx, c.Endpoint, secretID, tx.Now.Add(Rotation)); err != nil || !ok {
		return "", false, err
	}
	secret = webhook.NewSecret()
	return secret, true, s.addSecret(ctx, tx, c.Endpoint, secret)
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
	first := webhook.Endpoint{CallbackID: id}
	known, err := s.plain(ctx, tx, first)
	if err != nil || slices.Contains(known, secret) {
		return err
	}
	return s.addSecret(ctx, tx, first, secret)
}

// SetCallback sets the URL of the customer's first endpoint and returns the secret that
// signs its webhooks. A new URL keeps the secret; with rotate, a new secret is created, and
// the old one also signs for Rotation.
func (s *Service) SetCallback(ctx context.Context, tx *store.Tx, customerID, url string, rotate bool) (secret string, err error) {
	id, err := upsertCallback(ctx, tx, uuid.NewString(), customerID, url)
	if err != nil {
		return "", err
	}
	first := webhook.Endpoint{CallbackID: id}
	known, err := s.plain(ctx, tx, first)
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
	return secret, s.addSecret(ctx, tx, first, secret)
}

func (s *Service) addSecret(ctx context.Context, tx *store.Tx, to webhook.Endpoint, secret string) error {
	id := uuid.NewString()
	sealed, err := s.DB.Vault.Seal(ctx, tx, store.SystemKey, secretCell(id), []byte(secret))
	if err != nil {
		return err
	}
	return insertSecret(ctx, tx, id, to, sealed)
}

// plain returns the decrypted secrets that sign now, newest first.
func (s *Service) plain(ctx context.Context, q store.Queryer, of webhook.Endpoint) ([]string, error) {
	rows, err := signingSecrets(ctx, q, of, s.Now())
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

// secretCell is the cell of a secret, of the first endpoint or a further one: ids are unique.
func secretCell(id string) store.Cell {
	return store.Cell{Table: "callback_secrets", Column: "sealed", Row: id}
}
