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

// Shared knows the reports that their owners share (document 2, Relay tokens).
type Shared interface {
	// Find returns the publicToken of the report that a relay token names to the
	// customer, or store.ErrNotFound; its other errors are answers.
	Find(ctx context.Context, q store.Queryer, customerID, relayToken string) (publicToken string, err error)
	// Open is told that what a relay token names, as Find said, is about to be given
	// out; its errors are answers.
	Open(ctx context.Context, q store.Queryer, relayToken string) error
}

// shared finds the report that the caller names by a relay token; missing is the
// answer where there is none.
func (s *Service) shared(r *http.Request, missing error) (Report, error) {
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
	rep, err := s.Get(r.Context(), s.DB.SQL, publicToken)
	if errors.Is(err, store.ErrNotFound) {
		return Report{}, missing
	}
	rep.Relay = id.PublicToken
	return rep, err
}

// given notes that what a report holds is given out. Whatever serves a body or a
// file asks it before; a status is no part of what the report holds.
func (s *Service) given(ctx context.Context, r Report) error {
	if r.Relay == "" {
		return nil
	}
	return s.Shared.Open(ctx, s.DB.SQL, r.Relay)
}

// ownersWords are the members of meta by which the owner knows the report and the
// consumer. They are not the third party's.
var ownersWords = []string{"external_id", "user_args", "consumer_id", "consumer_external_id"}

// forThirdParty is the body of a report, of whatever kind, as a third party reads
// it: under its relay token, and without the owner's words. All else is byte for
// byte as it was made.
func forThirdParty(body []byte, relayToken string) ([]byte, error) {
	renamed := false
	body, err := exchange(body, "meta", func(meta json.RawMessage) (json.RawMessage, error) {
		meta, err := exchange(meta, "public_token", func(json.RawMessage) (json.RawMessage, error) {
			renamed = true
			return json.Marshal(relayToken)
		})
		for _, name := range ownersWords {
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

// exchange puts something else in the place of an object's member, if it is there.
func exchange(object json.RawMessage, name string, by func(json.RawMessage) (json.RawMessage, error)) (json.RawMessage, error) {
	dec := json.NewDecoder(bytes.NewReader(object))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return nil, errors.New("reports: a body is no object")
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
