package fdx

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/provider/sources"
	"vestibule/internal/provider/sources/rest"
)

func (f *fetch) accounts(ctx context.Context) (out []account, err error) {
	each := func(d *json.Decoder) (bool, error) {
		var e *accountElement
		if err := decode(d, &e); err != nil || e == nil {
			return err == nil, err
		}
		a := *e.get()
		switch {
		case slices.Contains(out, a): // such as one of two pages, or of two owners
			return false, nil
		case len(out) == maxAccounts:
			return false, f.rejected(fmt.Sprintf("there are more than %d accounts", maxAccounts))
		}
		out = append(out, a)
		return true, nil
	}
	mark := func() func() {
		n := len(out)
		return func() { out = out[:n] }
	}
	if err = f.list(ctx, "GET accounts", "accounts", nil, "accounts", mark, each); err != nil {
		return nil, err
	}
	for i := range out {
		a := &out[i]
		doubled := slices.ContainsFunc(out, func(o account) bool { return o.ID == a.ID && o != *a })
		if a.unclear = doubled || !isID(a.ID); a.unclear && (a.kind == deposit || a.kind == "" && a.Category == "" && a.Type == "") {
			return nil, f.rejected("an account has no usable id, or another account's")
		}
	}
	return out, nil
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
	if a.unclear {
		return none, nil, f.rejected("an account has no usable id, or another account's")
	}
	if _, ok := a.balance(); !ok { // lists may have only descriptions
		var e accountElement
		err := f.get(ctx, "GET account", f.resource(string(a.ID)), &e)
		if err != nil {
			return none, nil, accountFailure(err)
		}
		d := e.get()
		if d.ID != "" && d.ID != a.ID {
			return none, nil, f.rejected("the details of an account have another account's id")
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
	var owners []bankdata.Owner
	if f.optional(ctx, "GET contact", f.resource(string(a.ID), "contact"), &c) {
		owners = c.apply(f.bank, &out)
	}
	if a.kind == deposit {
		applyNumbers(optionalList[paymentNetwork](ctx, f, a.ID, "payment-networks", "paymentNetworks", 100), f.in.Tokenized, &out)
		f.statements(ctx, &out)
	}
	return out, owners, err
}

// accountFailure changes the reason Ended of a request for one account to Unsupported: a
// forbidden account does not mean that the consent has ended.
func accountFailure(err error) error {
	if sources.ReasonOf(err) == sources.Ended {
		return sources.Fail(sources.Unsupported, errors.Unwrap(err))
	}
	return err
}

// Bounds of reading statements, which are optional.
const (
	maxStatements     = 1000
	statementsTimeout = 20 * time.Second
)

// statements retrieves an account's statements, and sets the day of the last one.
func (f *fetch) statements(ctx context.Context, into *bankdata.Account) {
	ctx, cancel := context.WithTimeout(ctx, statementsTimeout)
	defer cancel()
	type statement struct {
		Date day `json:"statementDate"`
	}
	for _, s := range optionalList[statement](ctx, f, text(into.ID), "statements", "statements", maxStatements) {
		if day, last := s.Date.ptr(), into.StatementEnd; day != nil && !day.After(f.today.Time) && (last == nil || day.After(last.Time)) {
			into.StatementEnd = day
		}
	}
}

// optionalList retrieves a list of at most limit elements below an account, which an institution may
// not have.
func optionalList[T any](ctx context.Context, f *fetch, account text, path, name string, limit int) (out []T) {
	each := func(d *json.Decoder) (bool, error) {
		var one T
		if err := decode(d, &one); err != nil || len(out) == limit {
			return false, cmp.Or(err, rest.ErrNotJSON)
		}
		out = append(out, one)
		return true, nil
	}
	mark := func() func() {
		n := len(out)
		return func() { out = out[:n] }
	}
	if err := f.list(ctx, "GET "+path, "accounts/"+url.PathEscape(string(account))+"/"+path, nil, name, mark, each); err != nil {
		f.log.InfoContext(ctx, "data left out", "institution", f.in.ID, "err", err)
		return nil
	}
	return out
}

// withCustomer adds the customer's email addresses to the owner of the same name; none has any. If no
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
	owner, fewest := -1, 0 // the owner whose name differs in the fewest details
	for i, o := range owners {
		if notes, same := p.Compare(o.FullName()); same && (owner < 0 || len(notes) < fewest) {
			owner, fewest = i, len(notes)
		}
	}
	switch {
	case owner >= 0:
		owners[owner].Emails = p.Emails
		return owners
	case p.FullName() == "" || len(owners) > 0:
		return owners
	}
	return addOwners(owners, []bankdata.Owner{{RecordID: f.derive(string(c.ID), "customer", 0), Person: p}})
}
