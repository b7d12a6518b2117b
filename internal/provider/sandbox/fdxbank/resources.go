package fdxbank

import (
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

	"github.com/google/uuid"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/httpx"
	"vestibule/internal/provider/sandbox/banks"
	"vestibule/internal/report"
	"vestibule/internal/store"
)

// Sizes of pages: without a limit, and at most.
const (
	accountPage        = 2
	transactionPage    = 100
	maxTransactionPage = 500
)

// access is an authorized request for resources.
type access struct {
	bank     banks.Bank
	token    token
	v5       bool
	fault    Fault
	accounts []bankdata.Account // those that the consumer chose
	data     bankdata.Data
}

// apiError is an error answer of the resources.
type apiError struct {
	status        int
	code, message string
	scope         string // of 403: the scope that is missing
}

func (e *apiError) Error() string { return e.code + " " + e.message }

var (
	errNoAccess  = &apiError{status: http.StatusUnauthorized, code: "603", message: "Authentication failed"}
	errConsent   = &apiError{status: http.StatusUnauthorized, code: "602", message: "Customer not authorized"}
	errStepUp    = &apiError{status: http.StatusUnauthorized, code: "602", message: "Customer not authorized: sign in with a second factor"}
	errNoAccount = &apiError{status: http.StatusNotFound, code: "701", message: "Account not found"}
	errInput     = &apiError{status: http.StatusBadRequest, code: "703", message: "Invalid input"}
	errFailed    = &apiError{status: http.StatusInternalServerError, code: "500", message: "Internal server error"}
	errDown      = &apiError{status: http.StatusServiceUnavailable, code: "501", message: "Subsystem unavailable"}
	errBusy      = &apiError{status: http.StatusTooManyRequests, code: "1207", message: "Too many requests"}
)

// resource adapts a handler of resources, which needs one of the scopes.
func (s *Server) resource(h func(w http.ResponseWriter, r *http.Request, a access) (any, error), scopes ...string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("x-fapi-interaction-id", interaction(r))
		v, err := func() (any, error) {
			a, err := s.authorized(r, scopes)
			if err != nil {
				return nil, err
			}
			if done, err := s.misbehave(w, r, a); done || err != nil {
				return nil, err
			}
			return h(w, r, a)
		}()
		var e *apiError
		switch {
		case err == nil && v != nil:
			s.answer(w, r, http.StatusOK, v)
		case err == nil:
		case errors.As(err, &e):
			switch {
			case e.status == http.StatusUnauthorized && r.Header.Get("Authorization") == "": // RFC 6750, section 3.1
				w.Header().Set("WWW-Authenticate", "Bearer")
			case e == errStepUp:
				w.Header().Set("WWW-Authenticate", `Bearer error="insufficient_user_authentication", max_age="0"`)
			case e.status == http.StatusUnauthorized:
				w.Header().Set("WWW-Authenticate", `Bearer error="invalid_token"`)
			case e.scope != "":
				w.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope", scope="`+e.scope+`"`)
			case e == errBusy:
				httpx.RetryAfter(w, time.Second)
			}
			s.answer(w, r, e.status, map[string]string{"code": e.code, "message": e.message})
		default:
			s.config.Log.ErrorContext(r.Context(), "resource failed", "requestId", httpx.RequestID(r.Context()), "err", err.Error())
			s.answer(w, r, http.StatusInternalServerError, map[string]string{"code": errFailed.code, "message": errFailed.message})
		}
	})
}

// interaction returns the request's x-fapi-interaction-id, or a new one.
func interaction(r *http.Request) string {
	if id, err := uuid.Parse(r.Header.Get("x-fapi-interaction-id")); err == nil {
		return id.String()
	}
	return uuid.NewString()
}

// authorized checks the access token of a request (RFC 6750, in the header alone).
func (s *Server) authorized(r *http.Request, scopes []string) (access, error) {
	b, ok := s.bank(r)
	version := r.PathValue("version")
	if !ok || version != "v5" && version != "v6" {
		return access{}, &apiError{status: http.StatusNotFound, code: "601", message: "Data not found"}
	}
	a := access{bank: b, v5: version == "v5"}
	scheme, value, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") || value == "" {
		return a, errNoAccess
	}
	t, err := tokenOf(r.Context(), s.config.DB.SQL, value)
	now := s.config.Now()
	switch {
	case errors.Is(err, store.ErrNotFound):
		return a, errNoAccess
	case err != nil:
		return a, err
	case t.kind != accessToken || t.institution != b.ID:
		return a, errNoAccess
	case !t.live(now):
		return a, errConsent
	case !now.Before(t.expires):
		return a, errNoAccess
	}
	granted := strings.Fields(t.scope)
	if !slices.ContainsFunc(scopes, func(s string) bool { return slices.Contains(granted, s) }) {
		return a, &apiError{status: http.StatusForbidden, code: "602", message: "Customer not authorized", scope: scopes[0]}
	}
	a.token, a.fault = t, s.config.Faults(b.ID, t.username)
	a.data = s.data(b.ID, t.username, t.clientID)
	a.accounts = a.data.Only(t.accounts).Connections[0].Accounts
	return a, nil
}

// misbehave does what the fault wants of every resource. It reports whether it has
// answered.
func (s *Server) misbehave(w http.ResponseWriter, r *http.Request, a access) (bool, error) {
	second := func() bool { return s.counts.next(a.token.consent.id+r.URL.Path)%2 == 1 }
	switch a.fault {
	case FaultSlow:
		s.config.Wait(r.Context(), faultWait)
	case FaultError:
		return true, errFailed
	case FaultDown:
		return true, errDown
	case FaultFlaky:
		if second() {
			return true, errDown
		}
	case FaultBusy:
		if second() {
			return true, errBusy
		}
	case FaultExpired:
		return true, errConsent
	case FaultMFA:
		return true, errStepUp
	case FaultRedirect:
		w.Header().Set("Location", elsewhere+r.URL.Path)
		w.WriteHeader(http.StatusFound)
		return true, nil
	case FaultMalformed:
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"accounts": [{"accountId": `) // on error the client is gone
		return true, nil
	}
	return false, nil
}

type name struct {
	First string `json:"first"`
	Last  string `json:"last"`
}

type address struct {
	Line1      string `json:"line1"`
	City       string `json:"city"`
	State      string `json:"state,omitempty"`  // version 5
	Region     string `json:"region,omitempty"` // version 6
	PostalCode string `json:"postalCode"`
	Country    string `json:"country"`
	Type       string `json:"type"`
}

type telephone struct {
	Type    string `json:"type"`
	Country string `json:"country"`
	Number  string `json:"number"`
}

func nameOf(p bankdata.Person) name { return name{p.FirstName, p.LastName} }

func (a access) addresses(of []bankdata.Address) (out []address) {
	for i, at := range of {
		kind := "HOME"
		if i > 0 {
			kind = "MAILING"
		}
		l := address{Line1: at.Street, City: at.City, Region: at.State, PostalCode: at.ZIP, Country: "US", Type: kind}
		if a.v5 {
			l.State, l.Region = at.State, ""
		}
		out = append(out, l)
	}
	return out
}

// customer is the resource /customers/current.
func (s *Server) customer(_ http.ResponseWriter, _ *http.Request, a access) (any, error) {
	of := a.data.Connections[0]
	owner := of.Owners[0].Person
	return struct {
		CustomerID string    `json:"customerId"`
		Name       name      `json:"name"`
		Emails     []string  `json:"email"`
		Addresses  []address `json:"addresses"`
	}{subject(a.token.consent), nameOf(owner), owner.Emails, a.addresses(of.Accounts[0].Addresses)}, nil
}

type currency struct {
	Code string `json:"currencyCode"`
}

// account is an account in the shape of version 6; version 5 has the category as the
// name of a member around it.
type account struct {
	Category      string        `json:"accountCategory,omitempty"`
	ID            string        `json:"accountId"`
	Type          string        `json:"accountType"`
	NumberDisplay string        `json:"accountNumberDisplay"`
	ProductName   string        `json:"productName"`
	Nickname      string        `json:"nickname"`
	Status        string        `json:"status"`
	Currency      currency      `json:"currency"`
	Opened        string        `json:"accountOpenDate,omitempty"`
	BalanceType   string        `json:"balanceType"`
	BalanceAsOf   string        `json:"balanceAsOf"`
	Current       *report.Cents `json:"currentBalance,omitempty"`
	Available     *report.Cents `json:"availableBalance,omitempty"`
	Principal     *report.Cents `json:"principalBalance,omitempty"` // of a loan
	Value         *report.Cents `json:"currentValue,omitempty"`     // of investments
}

// kindOf returns the category and type of an account, and the names of the members of
// version 5 around it and its transactions.
func kindOf(a bankdata.Account) (category, kind, account, transaction string) {
	switch {
	case a.Subtype == report.Checking:
		return "DEPOSIT_ACCOUNT", "CHECKING", "depositAccount", "depositTransaction"
	case a.Subtype == report.Savings:
		return "DEPOSIT_ACCOUNT", "SAVINGS", "depositAccount", "depositTransaction"
	case a.Type == report.Debt && strings.Contains(a.Name, "Card"):
		return "LOC_ACCOUNT", "CREDITCARD", "locAccount", "locTransaction"
	case a.Type == report.Debt:
		return "LOAN_ACCOUNT", "AUTOLOAN", "loanAccount", "loanTransaction"
	}
	return "INVESTMENT_ACCOUNT", "TAXABLE", "investmentAccount", "investmentTransaction"
}

// present returns an account as the institution describes it.
func (a access) present(of bankdata.Account, now time.Time) any {
	category, kind, wrapper, _ := kindOf(of)
	out := account{Category: category, ID: of.ID, Type: kind, NumberDisplay: of.Mask(), ProductName: of.Name, Nickname: of.Name,
		Status: "OPEN", Currency: currency{of.Currency}, BalanceType: "ASSET", BalanceAsOf: now.UTC().Format(time.RFC3339)}
	if of.Opened != nil {
		out.Opened = of.Opened.String()
	}
	balance := of.Balance
	switch category {
	case "DEPOSIT_ACCOUNT":
		out.Current, out.Available = &balance, &balance
	case "INVESTMENT_ACCOUNT":
		out.Value = &balance
	case "LOC_ACCOUNT": // what is owed is positive
		balance = -balance
		out.BalanceType, out.Current = "LIABILITY", &balance
	default:
		balance = -balance
		out.BalanceType, out.Principal = "LIABILITY", &balance
	}
	switch a.fault {
	case FaultCurrency:
		out.Currency.Code = "EUR"
	case FaultMarkup:
		out.Nickname = `<script>alert(1)</script> "&` + out.Nickname
	}
	if a.v5 {
		out.Category = ""
		return map[string]account{wrapper: out}
	}
	return out
}

// links and page lead to the next page. Version 5 gives a key in place of an offset for
// transactions.
type page struct {
	NextOffset string `json:"nextOffset,omitempty"`
	NextKey    string `json:"nextPageKey,omitempty"`
	Total      int    `json:"totalElements,omitempty"`
}

type links struct {
	Next *link `json:"next,omitempty"`
}

type link struct {
	Href string `json:"href"`
}

// window returns the range of a list that a request asks for.
func window(q url.Values, standard, most int) (offset, limit int, err error) {
	limit = standard
	if raw := q.Get("limit"); raw != "" {
		if limit, err = strconv.Atoi(raw); err != nil || limit < 1 {
			return 0, 0, errInput
		}
		limit = min(limit, most)
	}
	raw := q.Get("offset")
	if key := q.Get("pageKey"); key != "" {
		var ok bool
		if raw, ok = strings.CutPrefix(key, "after-"); !ok {
			return 0, 0, errInput
		}
	}
	if raw != "" {
		if offset, err = strconv.Atoi(raw); err != nil || offset < 0 {
			return 0, 0, errInput
		}
	}
	return offset, limit, nil
}

// next describes the page that begins at an offset.
func (s *Server) next(r *http.Request, a access, offset, total int, keyed bool) (page, links) {
	p, q := page{Total: total}, r.URL.Query()
	if a.v5 && keyed {
		p.NextKey = "after-" + strconv.Itoa(offset)
		q.Set("pageKey", p.NextKey)
	} else {
		p.NextOffset = strconv.Itoa(offset)
		q.Set("offset", p.NextOffset)
	}
	host := s.config.BaseURL
	if a.fault == FaultLink && keyed {
		host, p.NextOffset, p.NextKey = elsewhere, "", ""
	}
	return p, links{&link{host + r.URL.EscapedPath() + "?" + q.Encode()}}
}

// accounts is the resource /accounts.
func (s *Server) accounts(_ http.ResponseWriter, r *http.Request, a access) (any, error) {
	offset, limit, err := window(r.URL.Query(), accountPage, maxTransactionPage)
	if err != nil {
		return nil, err
	}
	all := slices.Clone(a.accounts)
	if a.fault == FaultDuplicate {
		again := all[len(all)-1]
		again.ID = all[0].ID
		all = append(all, again)
	}
	out := struct {
		Page     page  `json:"page"`
		Links    links `json:"links"`
		Accounts []any `json:"accounts"`
	}{Page: page{Total: len(all)}, Accounts: []any{}}
	for _, of := range all[min(offset, len(all)):min(offset+limit, len(all))] {
		out.Accounts = append(out.Accounts, a.present(of, s.config.Now()))
	}
	if offset+limit < len(all) {
		out.Page, out.Links = s.next(r, a, offset+limit, len(all), false)
	}
	return out, nil
}

// chosen returns the account of a request's path.
func (a access) chosen(r *http.Request) (bankdata.Account, error) {
	for _, of := range a.accounts {
		if of.ID == r.PathValue("account") {
			return of, nil
		}
	}
	return bankdata.Account{}, errNoAccount
}

// account is the resource /accounts/{id}.
func (s *Server) account(_ http.ResponseWriter, r *http.Request, a access) (any, error) {
	of, err := a.chosen(r)
	if err != nil {
		return nil, err
	}
	return a.present(of, s.config.Now()), nil
}

// contact is the resource /accounts/{id}/contact.
func (s *Server) contact(_ http.ResponseWriter, r *http.Request, a access) (any, error) {
	of, err := a.chosen(r)
	if err != nil {
		return nil, err
	}
	type holder struct {
		Relationship string `json:"relationship"`
		Name         name   `json:"name"`
	}
	out := struct {
		Holders    []holder    `json:"holders"`
		Emails     []string    `json:"emails"`
		Addresses  []address   `json:"addresses"`
		Telephones []telephone `json:"telephones"`
	}{Addresses: a.addresses(of.Addresses), Telephones: []telephone{{"HOME", "1", "5125550142"}}}
	owners := a.data.Connections[0].Owners
	for i, o := range owners {
		relationship := "PRIMARY"
		switch {
		case len(owners) > 1 && i == 0:
			relationship = "PRIMARY_JOINT"
		case i > 0:
			relationship = "SECONDARY_JOINT"
		}
		n := nameOf(o.Person)
		if a.fault == FaultMarkup {
			n.Last = "<b>" + n.Last + "</b>"
		}
		out.Holders = append(out.Holders, holder{relationship, n})
		out.Emails = append(out.Emails, o.Emails...)
	}
	return out, nil
}

// networks is the resource /accounts/{id}/payment-networks. Only checking and savings
// accounts have one.
func (s *Server) networks(_ http.ResponseWriter, r *http.Request, a access) (any, error) {
	of, err := a.chosen(r)
	if err != nil {
		return nil, err
	}
	type network struct {
		BankID         string `json:"bankId"`
		Identifier     string `json:"identifier"`
		IdentifierType string `json:"identifierType"`
		Type           string `json:"type"`
		TransferIn     bool   `json:"transferIn"`
		TransferOut    bool   `json:"transferOut"`
	}
	out := struct {
		Networks []network `json:"paymentNetworks"`
	}{[]network{}}
	if of.Subtype != "" {
		n := network{of.Routing, of.Number, "ACCOUNT_NUMBER", "US_ACH", true, true}
		if a.bank.Tokens {
			n.Identifier, n.IdentifierType = tokenized(of.ID), "TOKENIZED_ACCOUNT_NUMBER"
		}
		out.Networks = append(out.Networks, n)
	}
	return out, nil
}

// tokenized returns a number of 17 digits in place of an account's number.
func tokenized(id string) string {
	var n uint64
	for _, b := range store.Hash("tan/" + id)[:8] {
		n = n<<8 | uint64(b)
	}
	return fmt.Sprintf("%017d", n%100_000_000_000_000_000)
}

// transaction is a transaction in the shape of version 6; version 5 has the category as
// the name of a member around it.
type transaction struct {
	Category    string          `json:"accountCategory,omitempty"`
	ID          string          `json:"transactionId"`
	Posted      string          `json:"postedTimestamp,omitempty"`
	Made        string          `json:"transactionTimestamp"`
	Description string          `json:"description"`
	Memo        string          `json:"memo,omitempty"`
	Direction   string          `json:"debitCreditMemo"`
	Status      string          `json:"status"`
	Amount      json.RawMessage `json:"amount"`
}

// transactions is the resource /accounts/{id}/transactions, newest first. Institutions
// with tokenized numbers sign debits besides.
func (s *Server) transactions(w http.ResponseWriter, r *http.Request, a access) (any, error) {
	of, err := a.chosen(r)
	if err != nil {
		return nil, err
	}
	q := r.URL.Query()
	offset, limit, err := window(q, transactionPage, maxTransactionPage)
	if err != nil {
		return nil, err
	}
	from, err := instant(q.Get("startTime"), false)
	if err != nil {
		return nil, err
	}
	to, err := instant(q.Get("endTime"), true)
	if err != nil || !from.IsZero() && !to.IsZero() && to.Before(from) {
		return nil, errInput
	}
	switch {
	case a.fault == FaultPartial && of.ID == a.accounts[len(a.accounts)-1].ID:
		return nil, errFailed
	case a.fault == FaultHuge:
		return nil, writeHuge(w)
	case a.fault == FaultRepeat:
		offset = 0
	}
	var all []bankdata.Transaction
	for _, t := range slices.Backward(of.Transactions) {
		if !t.Posted.Before(from) && (to.IsZero() || !t.Posted.After(to)) {
			all = append(all, t)
		}
	}
	out := struct {
		Page         page  `json:"page"`
		Links        links `json:"links"`
		Transactions []any `json:"transactions"`
	}{Page: page{Total: len(all)}, Transactions: []any{}}
	for i, t := range all[min(offset, len(all)):min(offset+limit, len(all))] {
		out.Transactions = append(out.Transactions, a.movement(of, t, offset+i))
	}
	if a.fault == FaultEndless {
		for i := len(out.Transactions); i < limit && len(all) > 0; i++ {
			t := all[len(all)-1]
			t.ID = fmt.Sprintf("%s-%d", t.ID, offset+i)
			out.Transactions = append(out.Transactions, a.movement(of, t, offset+i))
		}
	}
	if offset+limit < len(all) || a.fault == FaultEndless {
		out.Page, out.Links = s.next(r, a, offset+limit, len(all), true)
	}
	if a.fault == FaultNegative {
		out.Page, out.Links = page{NextOffset: "-1", Total: -5}, links{}
	}
	return out, nil
}

// movement returns a transaction as the institution describes it. n counts the
// transactions of the list.
func (a access) movement(of bankdata.Account, t bankdata.Transaction, n int) any {
	category, _, _, wrapper := kindOf(of)
	posted := t.Posted.Time
	if a.fault == FaultFuture && n < 3 {
		posted = posted.AddDate(0, 1, 0)
	}
	at := posted.Format(time.RFC3339)
	out := transaction{Category: category, ID: t.ID, Posted: at, Made: at, Description: t.Description, Memo: t.Memo,
		Direction: "CREDIT", Status: "POSTED"}
	if t.Pending {
		out.Posted, out.Status = "", "PENDING"
	}
	amount := t.Amount
	if t.Out() {
		out.Direction = "DEBIT"
		if !a.bank.Tokens {
			amount = -amount
		}
	}
	out.Amount = json.RawMessage(amount.String())
	switch {
	case a.fault == FaultOverflow && n == 1:
		out.Amount = json.RawMessage("1e400")
	case a.fault == FaultMarkup:
		out.Description = `<img src=x onerror=alert(1)> ` + out.Description
	}
	if a.v5 {
		out.Category = ""
		return map[string]transaction{wrapper: out}
	}
	return out
}

// instant reads startTime or endTime: a date, which is a whole day, or a timestamp.
func instant(raw string, end bool) (time.Time, error) {
	if raw == "" {
		return time.Time{}, nil
	}
	if day, err := time.Parse(time.DateOnly, raw); err == nil {
		if end {
			day = day.AddDate(0, 0, 1).Add(-time.Nanosecond)
		}
		return day, nil
	}
	at, err := time.Parse(time.RFC3339, raw)
	if err != nil {
		return at, errInput
	}
	return at.UTC(), nil
}

// writeHuge writes an answer of hugeBytes.
func writeHuge(w http.ResponseWriter) error {
	w.Header().Set("Content-Type", "application/json")
	io.WriteString(w, `{"transactions":[`) // on error the client is gone
	for n, size := 0, 0; size < hugeBytes; n++ {
		written, err := fmt.Fprintf(w, `{"accountCategory":"DEPOSIT_ACCOUNT","transactionId":"%d","postedTimestamp":"2026-01-02T00:00:00Z",`+
			`"description":"POS DEBIT","debitCreditMemo":"DEBIT","status":"POSTED","amount":1.00},`, n)
		if err != nil {
			return nil
		}
		size += written
	}
	io.WriteString(w, `{}]}`)
	return nil
}
