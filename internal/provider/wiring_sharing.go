package provider

import (
	"context"
	"database/sql"

	"vestibule/internal/provider/reports"
)

// statusChanged notifies the owner of a report, and those it is shared with.
func (p *Provider) statusChanged(ctx context.Context, tx *sql.Tx, c reports.StatusChange) error {
	if err := p.events.Record(ctx, tx, c); err != nil {
		return err
	}
	return p.sharing.StatusChanged(ctx, tx, c)
}
