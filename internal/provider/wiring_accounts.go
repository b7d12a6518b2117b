package provider

import (
	"cmp"
	"context"
	"database/sql"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/provider/bankaccounts"
	"vestibule/internal/provider/reports"
	"vestibule/internal/report"
)

// connections keeps the accounts behind reports.
type connections struct{ p *Provider }

func (c connections) Connect(ctx context.Context, r reports.Report, data bankdata.Data, fetched bool) (func(context.Context, *sql.Tx) error, error) {
	owner, err := c.p.customers.ByID(ctx, c.p.config.DB.SQL, r.CustomerID)
	if err != nil {
		return nil, err
	}
	tokenizes := c.p.sources(owner.Environment).Tokenizes
	m := bankaccounts.Made{PublicToken: r.PublicToken, CustomerID: r.CustomerID, ConsumerID: r.ConsumerID, KeyID: r.KeyID,
		Source: r.Source(), Retrieved: r.Retrieved, Held: r.Held(), Fetched: fetched}
	for _, from := range data.Connections {
		to := bankaccounts.Connection{ID: from.ID, Tokens: fetched && tokenizes != nil && tokenizes(from.Institution)}
		for _, a := range from.Accounts {
			if a.Type == report.CashEquivalent {
				to.Accounts = append(to.Accounts, bankaccounts.Account{ID: a.ID, Institution: a.Institution, Owner: a.Owner, Name: a.Name,
					Type: a.Type, Subtype: cmp.Or(a.Subtype, report.Other), Truncated: a.Mask(), Number: a.Number, Routing: a.Routing, Opened: a.Opened})
			}
		}
		m.Connections = append(m.Connections, to)
	}
	return c.p.accounts.Connect(ctx, m)
}
