package sharing

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/provider/auth"
	"vestibule/internal/provider/customers"
	"vestibule/internal/provider/freeze"
	"vestibule/internal/provider/reports"
	"vestibule/internal/store"
)

const (
	maxBody     = 4 << 10
	maxPublicID = 128
)

// Routes adds the endpoints of sharing tokens and multi-product tokens, all with Basic
// authorization.
func (s *Service) Routes(mux *http.ServeMux) {
	mux.Handle("POST /connect/relay-tokens", httpx.API(s.Log, s.Auth.Basic(s.Customers.Requires(customers.RelayTokens, s.create))))
	mux.Handle("DELETE /connect/relay-tokens/{token}", httpx.API(s.Log, s.Auth.Basic(s.revoke)))
	mux.Handle("POST /connect/multi-product-tokens",
		httpx.API(s.Log, s.Auth.Basic(s.Customers.Requires(customers.MultiProductTokens, s.derive))))
}

type relayToken struct {
	RelayToken string `json:"relayToken"`
}

// create shares a report, or extends its sharing by another 72 hours, and answers with
// {relayToken}.
func (s *Service) create(w http.ResponseWriter, r *http.Request) error {
	publicToken, publicID, err := read(w, r)
	if err != nil {
		return err
	}
	caller := auth.CallerOf(r.Context())
	token, err := s.grants.Do(r.Context(), pair{caller, publicToken, publicID}, s.grantAll)
	if err == nil && token == "" {
		err = s.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) (err error) {
			token, err = s.Grant(ctx, tx, caller, publicToken, publicID)
			return err
		})
	}
	if errors.Is(err, freeze.ErrFrozen) {
		return cmp.Or(s.Reports.RecordRefusal(r.Context(), reports.Report{PublicToken: publicToken, CustomerID: caller.CustomerID}), err)
	}
	if err != nil {
		return err
	}
	return httpx.PrivateJSON(w, http.StatusOK, relayToken{token})
}

// errFrozen is returned for a new sharing token while the person's file is frozen. It does not
// say why the consumer does not permit it.
var errFrozen = &httpx.Error{Code: contract.CodeConsentNotProvided, Why: freeze.ErrFrozen,
	Message: "The consumer does not permit that this report is shared now."}

// grantAll grants the pairs whose report is ready and returns their tokens.
func (s *Service) grantAll(ctx context.Context, pairs []pair) (map[pair]string, error) {
	return store.Value(ctx, s.DB.Tx, func(ctx context.Context, tx *store.Tx) (map[pair]string, error) {
		return s.shareReady(ctx, tx, pairs)
	})
}

// shareReady is share for pairs whose report is ready and whose person's file is not frozen. A
// ready report stays ready, so it needs no lock; the files are locked.
func (s *Service) shareReady(ctx context.Context, tx *store.Tx, pairs []pair) (map[pair]string, error) {
	pairs, err := s.unfrozen(ctx, tx, pairs)
	if err != nil || len(pairs) == 0 {
		return nil, err
	}
	fresh := make([]string, len(pairs))
	for i := range fresh {
		fresh[i] = uuid.NewString()
	}
	all, err := grantReady(ctx, tx, pairs, fresh)
	if err != nil {
		return nil, err
	}
	tokens := map[pair]string{}
	var created []reports.StatusChange
	for _, g := range all {
		tokens[g.pair] = g.token
		// Send one webhook for each new token, none for an extension.
		if slices.Contains(fresh, g.token) {
			created = append(created, reports.StatusChange{CustomerID: g.thirdPartyID, PublicToken: g.token,
				Status: contract.StatusSuccess, Substatus: g.substatus})
		}
	}
	return tokens, s.Webhooks.Record(ctx, tx, created...)
}

// unfrozen returns the pairs of people whose files are not frozen before tx ends.
func (s *Service) unfrozen(ctx context.Context, tx *store.Tx, pairs []pair) (out []pair, err error) {
	var tokens []string
	for _, p := range pairs {
		tokens = append(tokens, p.publicToken)
	}
	frozen, err := s.Reports.Freeze.FrozenAmong(ctx, tx, tokens)
	for _, p := range pairs {
		if !slices.Contains(frozen, p.publicToken) {
			out = append(out, p)
		}
	}
	return out, err
}

// Grant shares a report of the caller with the account of a publicId, or extends its
// sharing by another 72 hours, and returns the sharing token of the pair. Its errors
// are those of the endpoint.
func (s *Service) Grant(ctx context.Context, tx *store.Tx, caller auth.Caller, publicToken, publicID string) (string, error) {
	p := pair{caller, publicToken, publicID}
	tokens, err := s.shareReady(ctx, tx, []pair{p})
	if err != nil || tokens[p] != "" {
		return tokens[p], err
	}
	// The report is not ready, or cannot be shared.
	rep, err := s.Reports.Lock(ctx, tx, caller.CustomerID, publicToken)
	if errors.Is(err, store.ErrNotFound) {
		return "", httpx.NewError(contract.CodeInvalidToken, errors.New("the caller has no such report to share"))
	}
	if err != nil {
		return "", err
	}
	if rep.Status != contract.StatusPending && rep.Status != contract.StatusSuccess {
		return "", reports.NotReady(rep)
	}
	third, err := s.Customers.Account(ctx, tx, publicID)
	if errors.Is(err, store.ErrNotFound) || err == nil && (third.Environment != caller.Environment || third.CustomerID == caller.CustomerID) {
		return "", httpx.NewError(contract.CodeInvalidPublicID, errors.New("no other account of this environment has the publicId"))
	}
	if err != nil {
		return "", err
	}
	deleted, err := s.Withdrawn(ctx, tx, rep.PublicToken)
	if err != nil {
		return "", err
	}
	if !deleted.IsZero() {
		return "", httpx.NewError(contract.CodeRelayTokenRevoked, errors.New("the report's consumer has withdrawn consent"))
	}
	if tx.Now.Sub(rep.Created) > Window {
		// A report that was shared in time can be shared again for as long as it can be read.
		_, err := get(ctx, tx, `public_token = $1 AND third_party_id = $2`, rep.PublicToken, third.CustomerID)
		if errors.Is(err, store.ErrNotFound) {
			return "", httpx.NewError(contract.CodeRelayTokenExpired,
				errors.New("the report is over 30 days old, and was not shared with the third party before"))
		}
		if err != nil {
			return "", err
		}
	}
	if err := s.Reports.Freeze.Require(ctx, tx, rep.PublicToken); errors.Is(err, freeze.ErrFrozen) {
		return "", errFrozen
	} else if err != nil {
		return "", err
	}
	share := Share{RelayToken: uuid.NewString(), PublicToken: rep.PublicToken, CustomerID: caller.CustomerID,
		ThirdPartyID: third.CustomerID, Created: tx.Now, Expires: tx.Now.Add(Life)}
	token, ok, err := grant(ctx, tx, share)
	if err != nil {
		return "", err
	}
	if !ok {
		return "", httpx.NewError(contract.CodeRelayTokenRevoked, errors.New("the report was withdrawn from this third party"))
	}
	// For a pending report, the webhook is sent when the report ends.
	if token == share.RelayToken && rep.Status == contract.StatusSuccess {
		return token, s.Webhooks.Record(ctx, tx, reports.StatusChange{CustomerID: third.CustomerID, PublicToken: token,
			Status: rep.Status, Substatus: rep.Substatus})
	}
	return token, nil
}

// revoke revokes a share permanently, also an expired one, and answers with
// {relayToken}.
func (s *Service) revoke(w http.ResponseWriter, r *http.Request) error {
	ctx, customerID := r.Context(), auth.CallerOf(r.Context()).CustomerID
	token, err := httpx.PathUUID(r, "token", "relayToken", contract.CodeNotFound)
	if err != nil {
		return err
	}
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
		return httpx.NewError(contract.CodeRelayTokenRevoked, errors.New("the relay token was revoked before"))
	}
	return httpx.PrivateJSON(w, http.StatusOK, relayToken{token})
}

func unknown() error {
	return httpx.NewError(contract.CodeNotFound, errors.New("the caller has no such relay token"))
}

// read reads the body {publicToken, publicId}. A body that is not such an object is
// MALFORMED_BODY; a missing or invalid value is INVALID_PARAMETERS.
func read(w http.ResponseWriter, r *http.Request) (publicToken, publicID string, err error) {
	var in struct {
		PublicToken json.RawMessage `json:"publicToken"`
		PublicID    json.RawMessage `json:"publicId"`
	}
	if err := httpx.DecodeJSON(w, r, maxBody, &in); err != nil {
		return "", "", err
	}
	var details []httpx.Detail
	publicToken, publicID = text(in.PublicToken), text(in.PublicID)
	if !contract.IsUUID(publicToken) {
		details = append(details, httpx.Detail{Field: "publicToken", Message: httpx.TextProblem(in.PublicToken, "must be a report's UUID")})
	}
	if n := utf8.RuneCountInString(publicID); n < 1 || n > maxPublicID || strings.ContainsFunc(publicID, unicode.IsControl) ||
		httpx.Placeholder(publicID) != "" {
		details = append(details, httpx.Detail{Field: "publicId", Message: httpx.TextProblem(in.PublicID,
			"must be a publicId of 1 to 128 printable characters")})
	}
	if len(details) > 0 {
		return "", "", httpx.NewError(contract.CodeInvalidParameters, errors.New("a parameter is missing or malformed"), details...)
	}
	return strings.ToLower(publicToken), publicID, nil
}

// text returns the JSON string in raw, or "" for anything else.
func text(raw json.RawMessage) string {
	var s string
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}
