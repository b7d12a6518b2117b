package fdx

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/provider/sources"
	"vestibule/internal/provider/sources/rest"
	"vestibule/internal/report"
)

// Bounds of one fetch.
const (
	maxFetch        = 5 * time.Minute
	maxAccounts     = 200
	maxTransactions = 100_000  // of all accounts
	maxText         = 12 << 20 // bytes of all transactions' texts
	maxPages        = 2_000    // of one list
	maxID           = 256      // characters of an id
	pageLimit       = 500      // transactions of a page; institutions may send fewer
	shortestWindow  = 31       // days; a request for more transactions may be divided
)

// fetch is one retrieval of an institution's data.
type fetch struct {
	*bank
	token    string
	from, to report.Date
	today    report.Date

	left     int  // transactions that may still be kept
	textLeft int  // bytes of their texts
	limit    int  // transactions of a page; 0: not stated
	window   int  // days that one request for transactions covers
	instants bool // the institution requires instants, not dates
	shifted  bool // to is a day earlier than requested
}

// Fetch implements sources.Authorizer. Accounts of kinds that reports do not use, such as
// insurances, fail as Unsupported. An account fails as Rejected for a posted transaction
// after tomorrow, for different transactions with one id, for an amount that is not a
// whole number of cents, and for any exceeded bound. Transactions after to are ignored.
func (c *Connector) Fetch(ctx context.Context, institution string, g sources.Grant, from, to report.Date) (sources.Fetched, error) {
	b, err := c.bank(institution)
	if err != nil {
		return sources.Fetched{}, err
	}
	if err := b.checkConsent(g); err != nil {
		return sources.Fetched{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, maxFetch)
	defer cancel()
	f := &fetch{bank: b, token: g.Access, from: from, to: to, today: report.DateOf(b.now()), left: maxTransactions, textLeft: maxText,
		limit: pageLimit, window: days(from, to)}
	listed, err := f.accounts(ctx)
	if err != nil {
		return sources.Fetched{}, err
	}
	var out sources.Fetched
	for i := range listed {
		a, owners, err := f.account(ctx, &listed[i])
		if err != nil {
			var partial *partialError
			kept := errors.As(err, &partial)
			failure := sources.AccountFailure{ID: string(listed[i].ID), Partial: kept, Reason: sources.ReasonOf(err)}
			if listed[i].kind != "" {
				failure.Type = listed[i].toReport(b, f.today).Type
			}
			out.Failed = append(out.Failed, failure)
			b.log.WarnContext(ctx, "account not retrieved", "institution", b.in.ID, "partial", kept, "err", err)
			if !kept {
				continue
			}
		}
		out.Accounts = append(out.Accounts, a)
		out.Owners = addOwners(out.Owners, owners)
	}
	for _, reason := range []sources.Reason{sources.Unauthorized, sources.Challenged} { // the access ended, and may be renewed
		ended := func(a sources.AccountFailure) bool { return a.Reason == reason }
		if len(out.Accounts) == 0 && slices.ContainsFunc(out.Failed, ended) {
			return sources.Fetched{}, sources.Fail(reason, fmt.Errorf("%s: the access ended during the retrieval", f.in.ID))
		}
	}
	if len(out.Accounts) > 0 && !slices.ContainsFunc(out.Owners, func(o bankdata.Owner) bool { return len(o.Emails) > 0 }) {
		out.Owners = f.withCustomer(ctx, out.Owners)
	}
	return out, nil
}

// partialError is the failure of some of an account's transactions.
type partialError struct{ err error }

func (p *partialError) Error() string { return p.err.Error() }
func (p *partialError) Unwrap() error { return p.err }

func (*fetch) rejected(text string) error { return sources.Fail(sources.Rejected, errors.New(text)) }

// resource returns the URL of an account, or of a resource below it.
func (f *fetch) resource(account string, below ...string) string {
	return strings.Join(append([]string{f.in.BaseURL, "accounts", url.PathEscape(account)}, below...), "/")
}

// get retrieves one object.
func (f *fetch) get(ctx context.Context, what, address string, target any) error {
	return f.bank.get(ctx, f.token, rest.Request{What: what, URL: address, Read: decodeInto(target)})
}

// optional retrieves an object that an institution may not have, and reports success.
func (f *fetch) optional(ctx context.Context, what, address string, into any) bool {
	err := f.get(ctx, what, address, into)
	if err != nil {
		f.log.InfoContext(ctx, "data left out", "institution", f.in.ID, "err", err)
	}
	return err == nil
}
