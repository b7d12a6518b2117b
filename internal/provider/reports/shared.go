package reports

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"vestibule/internal/provider/auth"
	"vestibule/internal/store"
)

// Shared finds reports that their owners share (API reference: Sharing).
type Shared interface {
	// Find returns the publicToken of the report that a sharing token names to the
	// customer, or store.ErrNotFound; its other errors are for the client.
	Find(ctx context.Context, q store.Queryer, customerID, relayToken string) (publicToken string, err error)
	// Open is called before the report that Find returned is read; its errors are for the
	// client.
	Open(ctx context.Context, q store.Queryer, relayToken string) error
}

// sharedReport finds the report that the caller names by a sharing token; missing is the
// error if none exists.
func (s *Service) sharedReport(r *http.Request, read reader, missing error) (Report, error) {
	id, err := auth.IdentifierOf(r)
	if err != nil || id.PublicToken == "" || s.Shared == nil {
		return Report{}, missing
	}
	publicToken, err := s.Shared.Find(r.Context(), s.DB.SQL, auth.CallerOf(r.Context()).CustomerID, id.PublicToken)
	if errors.Is(err, store.ErrNotFound) {
		return Report{}, missing
	}
	if err != nil {
		return Report{}, err
	}
	rep, err := read(r.Context(), s.DB.SQL, `public_token = $1`, publicToken)
	if errors.Is(err, store.ErrNotFound) {
		return Report{}, missing
	}
	rep.Relay = id.PublicToken
	return rep, err
}

// markRead records that a report's contents are about to be read, and by which account. Call it
// before serving a body or a file, but not for a status.
func (s *Service) markRead(ctx context.Context, r Report) error {
	if r.Relay != "" {
		if err := s.Shared.Open(ctx, s.DB.SQL, r.Relay); err != nil {
			return err
		}
	}
	if reader := auth.CallerOf(ctx).CustomerID; reader != "" {
		return recordRead(ctx, s.DB.SQL, r, reader, s.Now())
	}
	return nil
}

// ownerLabels are the members of meta with the owner's labels of report and consumer,
// which third parties do not see.
var ownerLabels = []string{"external_id", "user_args", "consumer_id", "consumer_external_id"}

// forThirdParty returns the body of a report of any kind for a third party: with its
// sharing token and without the owner's labels. Everything else is unchanged, byte for
// byte.
func forThirdParty(body []byte, relayToken string) ([]byte, error) {
	renamed := false
	body, err := exchange(body, "meta", func(meta json.RawMessage) (json.RawMessage, error) {
		meta, err := exchange(meta, "public_token", func(json.RawMessage) (json.RawMessage, error) {
			renamed = true
			return json.Marshal(relayToken)
		})
		for _, name := range ownerLabels {
			if err != nil {
				break
			}
			meta, err = exchange(meta, name, func(json.RawMessage) (json.RawMessage, error) { return json.RawMessage("null"), nil })
		}
		return meta, err
	})
	if err == nil && !renamed {
		err = errors.New("reports: a body does not say which report it is")
	}
	return body, err
}

// exchange replaces the value of an object's member, if present.
func exchange(object json.RawMessage, name string, by func(json.RawMessage) (json.RawMessage, error)) (json.RawMessage, error) {
	dec := json.NewDecoder(bytes.NewReader(object))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return nil, errors.New("reports: a body is not an object")
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, err
		}
		if key != name {
			continue
		}
		end := int(dec.InputOffset())
		other, err := by(value)
		if err != nil {
			return nil, err
		}
		return bytes.Join([][]byte{object[:end-len(value)], other, object[end:]}, nil), nil
	}
	return object, nil
}
