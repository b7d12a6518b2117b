package provider

import (
	"context"
	"database/sql"
	"errors"

	"vestibule/internal/analysis/income"
	"vestibule/internal/provider/dashboard"
	"vestibule/internal/provider/reports"
	"vestibule/internal/report"
	"vestibule/internal/store"
)

// deskCorrections tells the dashboard about the figures of reports.
type deskCorrections struct{ reports *reports.Service }

func (d deskCorrections) Figures(ctx context.Context, q store.Queryer, customerID, publicToken string) (dashboard.Figures, error) {
	f, err := d.reports.Figures(ctx, q, customerID, publicToken)
	return dashboard.Figures(f), deskUnfit(err)
}

func (d deskCorrections) Weigh(ctx context.Context, q store.Queryer, customerID, publicToken string, values report.RevisedValues) (report.RevisedValues, error) {
	then, err := d.reports.Weigh(ctx, q, customerID, publicToken, values)
	return then, deskUnfit(err)
}

func (d deskCorrections) Correct(ctx context.Context, tx *sql.Tx, customerID, publicToken string, c dashboard.Correction) (int, error) {
	n, err := d.reports.Correct(ctx, tx, customerID, publicToken, reports.Correction(c))
	return n, deskUnfit(err)
}

func (d deskCorrections) Revisions(ctx context.Context, q store.Queryer, customerID, publicToken string) ([]dashboard.Revision, error) {
	all, err := d.reports.Revisions(ctx, q, customerID, publicToken)
	var out []dashboard.Revision
	for _, x := range all {
		out = append(out, dashboard.Revision(x))
	}
	return out, deskUnfit(err)
}

// deskUnfit is a refusal of a correction in the dashboard's words.
func deskUnfit(err error) error {
	var no income.Unfit
	switch {
	case errors.As(err, &no):
		return dashboard.Unfit(no)
	case errors.Is(err, reports.ErrRevised):
		return dashboard.ErrRevised
	case errors.Is(err, reports.ErrNotRevisable):
		return store.ErrNotFound
	}
	return err
}
