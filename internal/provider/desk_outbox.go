package provider

import (
	"context"

	"vestibule/internal/provider/dashboard"
	"vestibule/internal/provider/invites"
	"vestibule/internal/store"
)

// deskOutbox tells the dashboard about letters to applicants.
type deskOutbox struct{ invites *invites.Service }

func (d deskOutbox) Letters(ctx context.Context, q store.Queryer, customerID string, before dashboard.Cursor) ([]dashboard.Letter, bool, error) {
	all, err := d.invites.Outbox(ctx, q, customerID, invites.Cursor(before))
	var out []dashboard.Letter
	for _, m := range all {
		out = append(out, dashboard.Letter(m))
	}
	return out, len(all) == invites.PageSize, err
}

func (d deskOutbox) Sends() bool { return d.invites.Sends() }
