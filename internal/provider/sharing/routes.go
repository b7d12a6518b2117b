package sharing

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"vestibule/internal/door"
	"vestibule/internal/provider/gate"
	"vestibule/internal/store"
	"vestibule/internal/svc"
)

const (
	maxBody     = 4 << 10
	maxPublicID = 128
)

// Routes adds the endpoints of relay tokens and multi-product tokens. All are Basic.
func (s *Service) Routes(mux *http.ServeMux) {
	mux.Handle("POST /connect/relay-tokens", door.API(s.Log, s.Gate.Basic(s.create)))
	mux.Handle("DELETE /connect/relay-tokens/{token}", door.API(s.Log, s.Gate.Basic(s.revoke)))
	mux.Handle("POST /connect/multi-product-tokens", door.API(s.Log, s.Gate.Basic(s.derive)))
}

type relayToken struct {
	RelayToken string `json:"relayToken"`
}

// create shares a report, or does so for another 72 hours, and answers
// {relayToken}.
func (s *Service) create(w http.ResponseWriter, r *http.Request) error {
	publicToken, publicID, err := read(w, r)
	if err != nil {
		return err
	}
	p := pair{gate.CallerOf(r.Context()), publicToken, publicID}
	token, err := s.grants.Do(r.Context(), p, func(ctx context.Context) (token string, err error) {
		err = s.DB.Tx(ctx, func(ctx context.Context, tx *sql.Tx) error {
			token, err = s.share(ctx, tx, p.caller, publicToken, publicID)
			return err
		})
		return token, err
	})
	if err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "no-store")
	return door.JSON(w, http.StatusOK, relayToken{token})
}

// share grants the report to the third party and returns the pair's one token. A
// report that is ready stays so, and needs not be held.
func (s *Service) share(ctx context.Context, tx *sql.Tx, caller gate.Caller, publicToken, publicID string) (string, error) {
	now := s.Now().UTC()
	share := Share{RelayToken: uuid.NewString(), PublicToken: publicToken, CustomerID: caller.CustomerID, Created: now, Expires: now.Add(Life)}
	made, err := grantReady(ctx, tx, share, publicID, caller.Environment)
	if errors.Is(err, store.ErrNotFound) {
		made, err = s.shareHeld(ctx, tx, share, publicID, caller.Environment)
	}
	if err != nil {
		return "", err
	}
	// One webhook for each token that is created, not for a longer life; for a
	// report that is still being made it is sent when that ends.
	if made.token == share.RelayToken && made.status == svc.StatusSuccess {
		return made.token, s.Events.Record(ctx, tx, made.thirdPartyID, made.token, made.status, made.substatus)
	}
	return made.token, nil
}

// shareHeld is share for what is not ready, or refused.
func (s *Service) shareHeld(ctx context.Context, tx *sql.Tx, share Share, publicID string, env svc.Environment) (granted, error) {
	rep, err := s.Reports.Hold(ctx, tx, share.CustomerID, share.PublicToken)
	if errors.Is(err, store.ErrNotFound) {
		return granted{}, door.Fail(svc.CodeInvalidToken, errors.New("the caller has no such report to share"))
	}
	if err != nil {
		return granted{}, err
	}
	if rep.Status != svc.StatusPending && rep.Status != svc.StatusSuccess {
		return granted{}, s.Reports.NotReady(rep)
	}
	third, err := s.Accounts.Account(ctx, tx, publicID)
	if errors.Is(err, store.ErrNotFound) || err == nil && (third.Environment != env || third.CustomerID == share.CustomerID) {
		return granted{}, door.Fail(svc.CodeInvalidPublicID, errors.New("no other account of this environment has the publicId"))
	}
	if err != nil {
		return granted{}, err
	}
	if share.Created.Sub(rep.Created) > Window {
		return granted{}, door.Fail(svc.CodeRelayTokenExpired, errors.New("the report is over 30 days old"))
	}
	share.ThirdPartyID = third.CustomerID
	token, ok, err := grant(ctx, tx, share)
	if err == nil && !ok {
		err = door.Fail(svc.CodeRelayTokenRevoked, errors.New("the report was withdrawn from this third party"))
	}
	return granted{token, third.CustomerID, rep.Status, rep.Substatus}, err
}

// revoke withdraws a share for good, an expired one too, and answers
// {relayToken}.
func (s *Service) revoke(w http.ResponseWriter, r *http.Request) error {
	ctx, customerID, token := r.Context(), gate.CallerOf(r.Context()).CustomerID, r.PathValue("token")
	if !svc.IsUUID(token) {
		return unknown()
	}
	token = strings.ToLower(token)
	ok, err := withdraw(ctx, s.DB.SQL, customerID, token, s.Now())
	if err != nil {
		return err
	}
	if !ok {
		_, err := get(ctx, s.DB.SQL, `customer_id = $1 AND token = $2`, customerID, token)
		if errors.Is(err, store.ErrNotFound) {
			return unknown()
		}
		if err != nil {
			return err
		}
		return door.Fail(svc.CodeRelayTokenRevoked, errors.New("the relay token was revoked before"))
	}
	w.Header().Set("Cache-Control", "no-store")
	return door.JSON(w, http.StatusOK, relayToken{token})
}

func unknown() error {
	return door.Fail(svc.CodeNotFound, errors.New("the caller has no such relay token"))
}

// read reads the body {publicToken, publicId}. What is no such object is
// MALFORMED_BODY; a value that is missing or of the wrong shape,
// INVALID_PARAMETERS.
func read(w http.ResponseWriter, r *http.Request) (publicToken, publicID string, err error) {
	var in struct {
		PublicToken json.RawMessage `json:"publicToken"`
		PublicID    json.RawMessage `json:"publicId"`
	}
	if err := door.DecodeJSON(w, r, maxBody, &in); err != nil {
		return "", "", err
	}
	var details []door.Detail
	publicToken, publicID = text(in.PublicToken), text(in.PublicID)
	if !svc.IsUUID(publicToken) {
		details = append(details, door.Detail{Field: "publicToken", Message: "must be a report's UUID"})
	}
	if n := utf8.RuneCountInString(publicID); n < 1 || n > maxPublicID || strings.ContainsFunc(publicID, unicode.IsControl) {
		details = append(details, door.Detail{Field: "publicId", Message: "must be a string of 1 to 128 printable characters"})
	}
	if len(details) > 0 {
		return "", "", door.Fail(svc.CodeInvalidParameters, errors.New("a parameter is missing or malformed"), details...)
	}
	return strings.ToLower(publicToken), publicID, nil
}

// text is the string that raw is, or "" for anything else.
func text(raw json.RawMessage) string {
	var s string
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}
