package svcapi

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"vestibule/internal/contract"
)

// Invite is a link for one applicant alone. It prints as nothing, to stay out of logs.
type Invite struct {
	Link        string
	PublicToken string    // of the visit's report
	Exp         time.Time // zero if the service omits it
}

func (Invite) String() string   { return "invite" }
func (Invite) GoString() string { return "invite" }

// InviteLink calls POST /connect/invite-link and returns a link to the hosted widget,
// which the caller sends to the applicant. It is retried like Initialize. It refuses a
// link outside the service's page hosts.
func (c *Client) InviteLink(ctx context.Context, in InitRequest) (Invite, error) {
	return c.invite(ctx, "invite link", "/connect/invite-link", in.PublicID, in)
}

// SendInvite calls POST /connect/invite: the service emails the link to the address. It
// is retried like Initialize; a repeat would send a second email.
func (c *Client) SendInvite(ctx context.Context, in InitRequest, deliverTo string) (Invite, error) {
	if deliverTo == "" {
		return Invite{}, &Error{Op: "invite", Code: contract.CodeMalformedBody, Err: errors.New("no address to deliver to")}
	}
	return c.invite(ctx, "invite", "/connect/invite", in.PublicID, struct {
		InitRequest
		DeliverTo string `json:"deliverTo"`
	}{in, deliverTo})
}

func (c *Client) invite(ctx context.Context, op, path, publicID string, in any) (Invite, error) {
	var wire struct {
		InviteLink  string          `json:"inviteLink"`
		PublicToken string          `json:"publicToken"`
		Exp         json.RawMessage `json:"exp"`
	}
	a, err := c.post(ctx, op, path, publicID, in, &wire)
	if err != nil {
		return Invite{}, err
	}
	if !contract.IsUUID(wire.PublicToken) {
		return Invite{}, badAnswer(a.op, a.status, "publicToken is not a UUID")
	}
	if err := c.checkPage(wire.InviteLink); err != nil {
		return Invite{}, badAnswer(a.op, a.status, err.Error())
	}
	return Invite{Link: wire.InviteLink, PublicToken: wire.PublicToken, Exp: unixTime(wire.Exp)}, nil
}
