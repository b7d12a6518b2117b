package fdx

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

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
			out.Failed = append(out.Failed, sources.AccountFailure{ID: string(listed[i].ID), Partial: kept, Reason: sources.ReasonOf(err)})
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

func (*fetch) rejected(text string) error {
	return sources.Fail(sources.Rejected, errors.New(text))
}

// accounts lists the accounts.
func (f *fetch) accounts(ctx context.Context) (out []account, err error) {
	seen := map[text]bool{}
	each := func(d *json.Decoder) (bool, error) {
		var e *accountElement
		if err := decode(d, &e); err != nil || e == nil {
			return err == nil, err
		}
		a := *e.get()
		switch {
		case !isID(a.ID):
			return false, f.rejected("an account has no usable id")
		case seen[a.ID]:
			return false, f.rejected("two accounts have one id")
		case len(out) == maxAccounts:
			return false, f.rejected(fmt.Sprintf("there are more than %d accounts", maxAccounts))
		}
		seen[a.ID] = true
		out = append(out, a)
		return true, nil
	}
	mark := func() func() {
		n := len(out)
		return func() {
			for _, a := range out[n:] {
				delete(seen, a.ID)
			}
			out = out[:n]
		}
	}
	err = f.list(ctx, "GET accounts", "accounts", nil, "accounts", mark, each)
	return out, err
}

// isID reports whether an id can be a part of an address.
func isID(id text) bool {
	return id != "" && len(id) <= maxID && id != "." && id != ".." && !strings.ContainsFunc(string(id), unicode.IsControl)
}

// account retrieves one account. With a *partialError, the account is returned too.
func (f *fetch) account(ctx context.Context, listed *account) (bankdata.Account, []bankdata.Owner, error) {
	var none bankdata.Account
	a := *listed
	if a.kind == "" {
		return none, nil, sources.Fail(sources.Unsupported, errors.New("the kind of an account is not supported"))
	}
	if _, ok := a.balance(); !ok { // lists may have only descriptions
		var e accountElement
		err := f.get(ctx, "GET account", f.resource(string(a.ID)), &e)
		if err != nil {
			return none, nil, accountFailure(err)
		}
		d := e.get()
		if d.ID != "" && d.ID != a.ID {
			return none, nil, f.rejected("an account's details are of another account")
		}
		d.ID = a.ID
		d.addMissing(listed)
		a = *d
	}
	if _, ok := a.balance(); !ok {
		return none, nil, f.rejected("the balance of an account is missing or not an amount")
	}
	out := a.toReport(f.bank, f.today)
	if !currencyPattern.MatchString(out.Currency) {
		return none, nil, f.rejected("the currency of an account is not a code")
	}
	err := f.transactions(ctx, &out, a.kind)
	if err != nil {
		reason := sources.ReasonOf(err)
		var partial *partialError
		if !errors.As(err, &partial) {
			if a.kind == deposit || reason == sources.Rejected {
				return none, nil, err
			}
			err = &partialError{err} // figures are computed from deposit accounts only
		}
	}
	var c contact
	if f.optional(ctx, "GET contact", f.resource(string(a.ID), "contact"), &c) {
		owners := c.apply(f.bank, &out)
		f.numbers(ctx, &a, &out)
		return out, owners, err
	}
	f.numbers(ctx, &a, &out)
	return out, nil, err
}

// accountFailure changes the reason Ended of a request for one account to Unsupported: a
// forbidden account does not mean that the consent has ended.
func accountFailure(err error) error {
	if sources.ReasonOf(err) == sources.Ended {
		return sources.Fail(sources.Unsupported, errors.Unwrap(err))
	}
	return err
}

// numbers retrieves a deposit account's payment networks, and applies their numbers.
func (f *fetch) numbers(ctx context.Context, a *account, into *bankdata.Account) {
	if a.kind != deposit {
		return
	}
	var networks []paymentNetwork
	each := func(d *json.Decoder) (bool, error) {
		var n paymentNetwork
		if err := decode(d, &n); err != nil || len(networks) == 100 {
			return false, cmp.Or(err, rest.ErrNotJSON)
		}
		networks = append(networks, n)
		return true, nil
	}
	mark := func() func() {
		n := len(networks)
		return func() { networks = networks[:n] }
	}
	if err := f.list(ctx, "GET payment networks", "accounts/"+url.PathEscape(string(a.ID))+"/payment-networks", nil, "paymentNetworks",
		mark, each); err != nil {
		f.log.InfoContext(ctx, "data left out", "institution", f.in.ID, "err", err)
		return
	}
	applyNumbers(networks, f.in.Tokenized, into)
}

// withCustomer adds the customer's email addresses to the owner of the same name. If no
// owner is known, it adds the customer as the owner.
func (f *fetch) withCustomer(ctx context.Context, owners []bankdata.Owner) []bankdata.Owner {
	var c struct {
		ID text `json:"customerId"`
		holder
	}
	if !f.optional(ctx, "GET customer", f.in.BaseURL+"/customers/current", &c) {
		return owners
	}
	p := c.person()
	same := func(o bankdata.Owner) bool { return bankdata.SameName(o.FullName(), p.FullName()) }
	if p.FullName() == "" || len(owners) > 0 && !slices.ContainsFunc(owners, same) {
		return owners
	}
	return addOwners(owners, []bankdata.Owner{{RecordID: f.derive(string(c.ID), "customer", 0), Person: p}})
}

// resource returns the URL of an account, or of a resource below it.
func (f *fetch) resource(account string, below ...string) string {
	return strings.Join(append([]string{f.in.BaseURL, "accounts", url.PathEscape(account)}, below...), "/")
}

// get retrieves one object.
func (f *fetch) get(ctx context.Context, what, address string, target any) error {
	return f.bank.get(ctx, f.token, rest.Request{What: what, URL: address, Read: into(target)})
}

// optional retrieves an object that an institution may not have, and reports success.
func (f *fetch) optional(ctx context.Context, what, address string, into any) bool {
	err := f.get(ctx, what, address, into)
	if err != nil {
		f.log.InfoContext(ctx, "data left out", "institution", f.in.ID, "err", err)
	}
	return err == nil
}

// list retrieves all pages of a list. It calls mark before each page, and undo before each
// attempt to read the page. each reads one element and reports whether it is new.
func (f *fetch) list(ctx context.Context, what, path string, query url.Values, name string,
	mark func() (undo func()), each func(*json.Decoder) (bool, error)) error {
	first := f.in.BaseURL + "/" + path
	address := first
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	seen := map[string]bool{address: true}
	offset := int64(0)
	for range maxPages {
		var n, fresh int
		var next paging
		undo := mark()
		err := f.bank.get(ctx, f.token, rest.Request{What: what, URL: address,
			Read: func(r *http.Response) (err error) {
				undo()
				if n, fresh, next = 0, 0, (paging{}); r.StatusCode == http.StatusNoContent {
					return nil
				}
				n, next, err = readPage(r.Body, name, func(d *json.Decoder) error {
					ok, err := each(d)
					if ok {
						fresh++
					}
					return err
				})
				next.link = cmp.Or(next.link, linkHeader(r.Header))
				return err
			}})
		if err != nil {
			return err
		}
		address, err = f.next(first, address, query, next, &offset)
		switch {
		case err != nil:
			return err
		case address == "" || n == 0:
			return nil
		case seen[address] || fresh == 0:
			return f.rejected(what + ": the pages repeat")
		}
		seen[address] = true
	}
	return f.rejected(fmt.Sprintf("%s: there are more than %d pages", what, maxPages))
}

// next returns the address of the next page, or "" after the last one.
func (f *fetch) next(first, current string, query url.Values, next paging, offset *int64) (string, error) {
	parameter, value := "offset", next.offset
	switch {
	case value != "":
		if n, err := strconv.ParseInt(string(value), 10, 64); err == nil {
			if n <= *offset {
				return "", f.rejected("the offset of the next page does not advance")
			}
			*offset = n
		}
	case next.link != "":
		return f.follow(string(next.link), current)
	case next.key != "":
		parameter, value = "pageKey", next.key
	default:
		return "", nil
	}
	if len(value) > 4096 {
		return "", f.rejected("the offset of the next page is too long")
	}
	q := url.Values{parameter: {string(value)}}
	for name, values := range query {
		q[name] = values
	}
	return first + "?" + q.Encode(), nil
}

// follow returns the address that a link on a page leads to. Some links are relative to the
// base URL of the API, and some of servers behind a proxy have the scheme http.
func (f *fetch) follow(link, current string) (string, error) {
	at, err := url.Parse(current)
	if err != nil {
		return "", err
	}
	base, err := url.Parse(f.in.BaseURL)
	if err != nil {
		return "", err
	}
	root := base.EscapedPath()
	if below := strings.TrimPrefix(link, "/"); (below == "accounts" || strings.HasPrefix(below, "accounts/") ||
		strings.HasPrefix(below, "accounts?")) && (root == "" || !strings.HasPrefix(link, root+"/")) {
		link = root + "/" + below
	}
	to, err := at.Parse(link)
	if err != nil {
		return "", f.rejected("the link to the next page is not an address")
	}
	if to.Scheme == "http" && at.Scheme == "https" && strings.EqualFold(to.Host, at.Host) {
		to.Scheme = "https"
	}
	if !f.hosts[rest.HostOf(to)] || f.in.checkURL(to.String()) != nil {
		return "", f.rejected("the link to the next page " + rest.ErrElsewhere.Error())
	}
	return to.String(), nil
}

// linkHeader returns the next page of a Link header (RFC 8288).
func linkHeader(h http.Header) text {
	for _, line := range h.Values("Link") {
		for part := range strings.SplitSeq(line, ",") {
			target, parameters, ok := strings.Cut(strings.TrimSpace(part), ">")
			if !ok || !strings.HasPrefix(target, "<") {
				continue
			}
			for p := range strings.SplitSeq(parameters, ";") {
				name, value, _ := strings.Cut(strings.TrimSpace(p), "=")
				if strings.EqualFold(name, "rel") && slices.Contains(strings.Fields(strings.Trim(value, `"`)), "next") {
					return text(target[1:])
				}
			}
		}
	}
	return ""
}

// days returns the number of days from one to another, both included.
func days(from, to report.Date) int { return int(to.Sub(from.Time)/(24*time.Hour)) + 1 }

func addDays(d report.Date, n int) report.Date { return report.Date{Time: d.AddDate(0, 0, n)} }

// transactions retrieves an account's transactions, the newest window first. After a 400
// or 422 it repeats the request without a limit, then with the other form of the dates,
// then with half of the window. After a 404 without a code, which some institutions send
// for an account without transactions and others for days before the oldest, it repeats
// the request with half of the window. It returns a *partialError if an older window
// fails, or if a 404 is all that the institution sends.
func (f *fetch) transactions(ctx context.Context, into *bankdata.Account, of kind) error {
	l := &ledger{fetch: f, into: into, kind: of, index: map[string]int{}}
	tried, window := false, f.window // tried: the other form of the two dates
	for end := f.to; !end.Before(f.from.Time); {
		start := addDays(end, 1-f.window)
		if start.Before(f.from.Time) {
			start = f.from
		}
		err := l.retrieve(ctx, start, end)
		var status *rest.StatusError
		if errors.As(err, &status) && (status.Code == http.StatusBadRequest || status.Code == http.StatusUnprocessableEntity) {
			switch window := days(start, end); {
			case f.limit > 0:
				f.limit = 0
				continue
			case !tried:
				f.instants, tried = !f.instants, true
				continue
			case window > shortestWindow:
				f.window, tried = max(window/2, shortestWindow), false
				continue
			case end == f.to && !f.shifted: // the last day may not have begun in the institution's time zone
				f.to, f.shifted, tried = addDays(f.to, -1), true, false
				end, f.window = f.to, days(f.from, f.to)
				continue
			}
			err = sources.Fail(sources.Unsupported, errors.Unwrap(err))
		}
		absent := errors.As(err, &status) && status.Code == http.StatusNotFound && status.Problem == ""
		if n := days(start, end); absent && n > shortestWindow {
			f.window = max(n/2, shortestWindow)
			continue
		}
		switch {
		case err == nil:
		case hasNone(err):
		case absent && end == f.to:
			f.window = window
			return &partialError{err}
		case sources.ReasonOf(err) == sources.Rejected || end == f.to:
			l.drop(0)
			return accountFailure(err)
		default:
			if err := l.checkSigns(); err != nil {
				return err
			}
			return &partialError{accountFailure(err)}
		}
		if !start.After(f.from.Time) {
			return l.checkSigns()
		}
		// The windows share a day, because time zones differ.
		end, tried = start, false
	}
	return l.checkSigns()
}

// ledger reads transactions into an account.
type ledger struct {
	*fetch
	into  *bankdata.Account
	kind  kind
	index map[string]int // position in into.Transactions by id; stale if the id there differs
	read  int            // transactions read, whether kept or not
	alike map[string]int // number of transactions without an id in one window, by their contents

	// How the institution signs amounts.
	signed   bool // some amount of money out is negative
	unsigned bool // some amount of money out is positive
	assumed  bool // some amount counts as money in only because it is positive
}

// checkSigns rejects an account whose amounts do not show the direction of each transaction.
func (l *ledger) checkSigns() error {
	if l.assumed && (!l.signed || l.unsigned) {
		l.drop(0)
		return l.rejected("a transaction's direction is missing")
	}
	return nil
}

// retrieve adds the transactions of a window. With an error, it adds none.
func (l *ledger) retrieve(ctx context.Context, start, end report.Date) error {
	query := url.Values{"startTime": {start.String()}, "endTime": {end.String()}}
	if l.instants {
		query = url.Values{"startTime": {start.String() + "T00:00:00Z"}, "endTime": {end.String() + "T23:59:59Z"}}
	}
	if l.limit > 0 {
		query.Set("limit", strconv.Itoa(l.limit))
	}
	before := len(l.into.Transactions)
	l.alike = map[string]int{}
	err := l.list(ctx, "GET transactions", "accounts/"+url.PathEscape(l.into.ID)+"/transactions", query, "transactions",
		func() func() {
			n := len(l.into.Transactions)
			return func() { l.drop(n) }
		}, l.element())
	if err != nil {
		l.drop(before)
	}
	return err
}

// drop removes all transactions but the first n.
func (l *ledger) drop(n int) {
	for i := range l.into.Transactions[n:] {
		l.left++
		l.textLeft += size(&l.into.Transactions[n+i])
	}
	clear(l.into.Transactions[n:])
	l.into.Transactions = l.into.Transactions[:n]
}

func size(t *bankdata.Transaction) int {
	return len(t.ID) + len(t.Description) + len(t.Merchant) + len(t.Memo)
}

// element returns a function that reads one transaction.
func (l *ledger) element() func(*json.Decoder) (bool, error) {
	var e transactionElement // reused, because it is large
	return func(d *json.Decoder) (bool, error) {
		e = transactionElement{}
		if err := decode(d, &e); err != nil {
			return false, err
		}
		if l.read++; l.read > maxTransactions {
			return false, l.rejected(fmt.Sprintf("there are more than %d transactions", maxTransactions))
		}
		return l.add(e.get())
	}
}

// add adds a transaction, and reports whether it is new.
func (l *ledger) add(t *transaction) (bool, error) {
	state := t.status()
	if state == void || strings.EqualFold(string(t.Direction), "MEMO") { // no money was moved
		return true, nil
	}
	amount, debit, ok := t.amount(l.kind)
	switch stated := t.Amount.cents; {
	case t.Amount.state != valid || stated == 0:
	case !ok && state == posted:
		l.assumed, ok = true, true
	case amount < 0 && stated < 0:
		l.signed = true
	case amount < 0:
		l.unsigned = true
	}
	at := t.Posted
	if at.state != valid {
		at = t.At
	}
	switch {
	case state == waiting && (!ok || at.state != valid): // figures do not include it
		return true, nil
	case !ok:
		return false, l.rejected("a transaction's amount or direction is missing or not valid")
	case at.state != valid:
		return false, l.rejected("a transaction's date is missing or not valid")
	case state == posted && at.date.After(addDays(l.today, 1).Time):
		return false, l.rejected("a posted transaction is from the future")
	case at.date.Before(l.from.Time) || at.date.After(l.to.Time):
		return true, nil
	case len(t.ID) > maxID, strings.ContainsFunc(string(t.ID), unicode.IsControl):
		return false, l.rejected("a transaction has no usable id")
	}
	out := bankdata.Transaction{ID: string(t.ID), Posted: at.date, Pending: state == waiting, Amount: amount, Debit: debit,
		Description: clean(string(cmp.Or(t.Description, t.Memo, t.Payee)), maxDescription), Merchant: clean(string(t.Payee), maxName)}
	if t.Description != "" {
		out.Memo = clean(string(t.Memo), maxDescription)
	}
	if out.ID == "" {
		out.ID = out.Posted.String() + " " + out.Amount.String() + " " + out.Description
		l.alike[out.ID]++
		out.ID += " " + strconv.Itoa(l.alike[out.ID])
	}
	if i, known := l.index[out.ID]; known && i < len(l.into.Transactions) && l.into.Transactions[i].ID == out.ID {
		return false, l.merge(&l.into.Transactions[i], &out)
	}
	if l.left == 0 || l.textLeft < size(&out) {
		return false, l.rejected("there are too many transactions, or their texts are too long")
	}
	l.left--
	l.textLeft -= size(&out)
	l.index[out.ID] = len(l.into.Transactions)
	l.into.Transactions = append(l.into.Transactions, out)
	return true, nil
}

// merge replaces a pending transaction by a posted one of the same id. Two that are
// both posted or both pending, and differ, are an error.
func (l *ledger) merge(old, again *bankdata.Transaction) error {
	switch {
	case old.Pending && !again.Pending:
		l.textLeft += size(old) - size(again)
		*old = *again
	case old.Pending != again.Pending:
	case old.Posted != again.Posted || old.Amount != again.Amount:
		return l.rejected("two transactions have one id")
	}
	return nil
}

// MapTransactions maps one page of a deposit account's transactions as Fetch does.
func MapTransactions(r io.Reader, today report.Date) ([]bankdata.Transaction, error) {
	var into bankdata.Account
	l := &ledger{fetch: &fetch{bank: &bank{}, from: bankdata.HistoryStart(today), to: today, today: today, left: maxTransactions,
		textLeft: maxText}, into: &into, kind: deposit, index: map[string]int{}, alike: map[string]int{}}
	each := l.element()
	_, _, err := readPage(r, "transactions", func(d *json.Decoder) error {
		_, err := each(d)
		return err
	})
	return into.Transactions, cmp.Or(err, l.checkSigns())
}
