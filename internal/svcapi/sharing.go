package svcapi

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"vestibule/internal/contract"
)

// CreateRelayToken calls POST /connect/relay-tokens (API reference: Sharing). It shares
// a report with the third party publicID and returns the sharing token (relayToken) by
// which that party requests it. A repeat returns the same token and extends it by 72
// hours, so the call is retried like a read. Errors have INVALID_TOKEN for an unknown
// report, INVALID_PUBLIC_ID, RELAY_TOKEN_EXPIRED for a report over 30 days old that was
// not shared with the party before, and RELAY_TOKEN_REVOKED for a revoked pair.
//
// The third party passes the token as Ref.PublicToken to its own client.
func (c *Client) CreateRelayToken(ctx context.Context, publicToken, publicID string) (string, error) {
	const op = "share report"
	body, _ := json.Marshal(struct { // two strings always encode
		PublicToken string `json:"publicToken"`
		PublicID    string `json:"publicId"`
	}{publicToken, publicID})
	a, err := c.do(ctx, call{op: op, method: http.MethodPost, path: c.address(AddressRelayTokens), body: body,
		auth: basic, repeatable: true, limit: maxAnswer, timeout: answerTimeout})
	if err != nil {
		return "", err
	}
	var wire struct {
		RelayToken string `json:"relayToken"`
	}
	if err := a.decode(&wire); err != nil {
		return "", err
	}
	if !contract.IsUUID(wire.RelayToken) {
		return "", badAnswer(op, a.status, "relayToken is not a UUID")
	}
	return wire.RelayToken, nil
}

// RevokeRelayToken calls DELETE /connect/relay-tokens/{relayToken}: the third party
// loses access to the report, which can never be shared with it again. A second call
// gives RELAY_TOKEN_REVOKED, also when the first one's answer was lost.
func (c *Client) RevokeRelayToken(ctx context.Context, relayToken string) error {
	const op = "withdraw report"
	if !contract.IsUUID(relayToken) {
		return &Error{Op: op, Code: contract.CodeNotFound, Err: errors.New("relayToken is not a UUID")}
	}
	_, err := c.Call(ctx, op, http.MethodDelete, c.address(AddressRelayTokens)+"/"+relayToken, "", nil, nil)
	return err
}

// WithdrawConsent calls DELETE /connect/consumers/{consumerId}: the consumer's shared
// data is withdrawn, and no new reports are made. A service without that endpoint
// answers 404 or 405.
func (c *Client) WithdrawConsent(ctx context.Context, consumerID string) error {
	const op = "withdraw consent"
	if !contract.IsUUID(consumerID) {
		return &Error{Op: op, HTTP: http.StatusNotFound, Code: contract.CodeNotFound, Err: errors.New("consumerId is not a UUID")}
	}
	_, err := c.Call(ctx, op, http.MethodDelete, c.address(AddressConsumers)+"/"+consumerID, "", nil, nil)
	return err
}
