package provider

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"sync"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/provider/bankaccounts"
	"vestibule/internal/provider/reports"
	"vestibule/internal/provider/sandbox"
	"vestibule/internal/provider/sandbox/banks"
	"vestibule/internal/report"
)

// connections keeps the accounts behind reports.
type connections struct{ accounts *bankaccounts.Service }

// tokenizing are the mock banks that give TANs.
var tokenizing = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{}
	for _, b := range banks.All() {
		if b.Tokens {
			out[b.Name] = true
		}
	}
	return out
})

func (c connections) Connect(ctx context.Context, r reports.Report, data bankdata.Data, fetched bool) (func(context.Context, *sql.Tx) error, error) {
	m := bankaccounts.Made{PublicToken: r.PublicToken, CustomerID: r.CustomerID, ConsumerID: r.ConsumerID, KeyID: r.KeyID,
		Source: r.Source(), Retrieved: r.Retrieved, Held: r.Held(), Fetched: fetched}
	for _, from := range data.Connections {
		to := bankaccounts.Connection{ID: from.ID, Tokens: fetched && tokenizing()[from.Institution]}
		for _, a := range from.Accounts {
			if a.Type == report.CashEquivalent {
				to.Accounts = append(to.Accounts, bankaccounts.Account{ID: a.ID, Institution: a.Institution, Owner: a.Owner, Name: a.Name,
					Type: a.Type, Subtype: cmp.Or(a.Subtype, report.Other), Truncated: a.Mask(), Number: a.Number, Routing: a.Routing, Opened: a.Opened})
			}
		}
		m.Connections = append(m.Connections, to)
	}
	return c.accounts.Connect(ctx, m)
}

// controlBanks is what the mock banks do of themselves, for the sandbox control.
type controlBanks struct{ accounts *bankaccounts.Service }

func (c controlBanks) Revoke(ctx context.Context, accountID string) error {
	err := c.accounts.Revoke(ctx, accountID)
	if errors.Is(err, bankaccounts.ErrNoToken) {
		err = sandbox.ErrNoToken
	}
	return err
}
