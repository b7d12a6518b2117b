package fdx

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/provider/sources"
	"vestibule/internal/provider/sources/rest"
	"vestibule/internal/report"
)

// days returns the number of days from one to another, both included.
func days(from, to report.Date) int { return int(to.Sub(from.Time)/(24*time.Hour)) + 1 }

func addDays(d report.Date, n int) report.Date { return report.Date{Time: d.AddDate(0, 0, n)} }

// transactions retrieves an account's transactions, the newest window first. Requests that
// fail with 400, 404 or 422 are repeated in other forms, and with half of the window. It
// returns a *partialError if an older window fails, or if every answer is 404.
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
		return false, l.rejected("a posted transaction has a date in the future")
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
		return l.rejected("two different transactions have the same id")
	}
	return nil
}
