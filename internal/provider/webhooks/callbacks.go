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

// Seed sets the callback of a generated customer with a secret that the caller keeps.
// Repeating it changes nothing.
func (s *Service) Seed(ctx context.Context, tx *store.Tx, customerID, url, secret string) error {
	if _, err := webhook.ParseSecret(secret); err != nil {
		return err
	}
	id, err := upsertCallback(ctx, tx, uuid.NewString(), customerID, url, s.Now())
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
	id, err := upsertCallback(ctx, tx, uuid.NewString(), customerID, url, s.Now())
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
	if err := expireSecrets(ctx, tx, id, s.Now().Add(Rotation)); err != nil {
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
	return insertSecret(ctx, tx, id, callbackID, sealed, s.Now())
}

// plain returns the decrypted secrets that sign now, newest first.
func (s *Service) plain(ctx context.Context, q store.Queryer, callbackID string) ([]string, error) {
	rows, err := secretRows(ctx, q, callbackID, s.Now())
	if err != nil {
		return nil, err
	}
	var out []string
	for _, r := range rows {
		b, err := s.DB.Vault.Open(ctx, q, store.SystemKey, secretCell(r.id), r.sealed)
		if err != nil {
			return nil, err
		}
		out = append(out, string(b))
	}
	return out, nil
}

// Again configures how Fire resends a report's events.
type Again struct {
	Times   int           // how often each is sent; 0 is once
	Delay   time.Duration // before the first
	Reorder bool          // the newest first
}

// apart is the delay between deliveries of one Fire, which keeps their order although
// jobs run concurrently.
const apart = 300 * time.Millisecond

// Fire resends all events of a report under their ids, for tests of receivers. For a
// report without events it creates one with the current status. It returns the number
// of deliveries, or store.ErrNotFound.
func (s *Service) Fire(ctx context.Context, publicToken string, how Again, customerID string, status contract.Status, sub contract.Substatus) (int, error) {
	n := 0
	err := s.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		n = 0
		all, err := eventsOf(ctx, tx, publicToken)
		if err != nil {
			return err
		}
		if len(all) == 0 {
			e := event{id: newID(), customerID: customerID, publicToken: publicToken,
				status: status, sub: sub, created: s.Now().UTC()}
			if _, err := insertEvents(ctx, tx, []event{e}); err != nil {
				return err
			}
			all = []event{e}
		}
		if how.Reorder {
			slices.Reverse(all)
		}
		if _, err := activeCallback(ctx, tx, customerID); err != nil {
			return errors.Join(errors.New("webhooks: the customer has no callback"), err)
		}
		for range max(how.Times, 1) {
			for _, e := range all {
				if err := s.send(ctx, tx, e, how.Delay+time.Duration(n)*apart); err != nil {
					return err
				}
				n++
			}
		}
		return nil
	})
	return n, err
}
