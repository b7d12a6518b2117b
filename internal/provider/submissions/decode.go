package submissions

import (
	"bytes"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/report"
)

// Submission is a body that has passed the validation of all fields but the personal
// data.
type Submission struct {
	ExternalID      string // empty: none
	UserArgs        string // empty: none
	SandboxReportID string // empty: none, or not read
	PullDate        time.Time
	Personal        Personal
	Data            bankdata.Data
}

// Terms are the variable parts of the validation.
type Terms struct {
	Now time.Time
	// Sandbox reads sandboxReportId, which is ignored otherwise.
	Sandbox bool
	// Upload accepts a body to serve later: its pullDate may be any past day, or absent.
	Upload bool
	// PersonOnly accepts a body of personal data only, for reports that use no accounts.
	PersonOnly bool
	// Seed derives the identifiers of accounts and connections: the publicToken of the
	// report.
	Seed string
}

// MaxAccounts is the maximum number of accounts of a body: a report has a balance of
// each account for each of 731 days.
const MaxAccounts = 1000

// MaxDetails is the maximum number of invalid fields that are reported.
const MaxDetails = 100

// ErrRefused is returned for a body that breaks the rules; the details name the
// fields.
var ErrRefused = errors.New("submissions: the body breaks the submission table")

// errEnough stops decoding at MaxDetails.
var errEnough = errors.New("submissions: enough is wrong")

// Read reads one submission from a stream. A violation of the rules is ErrRefused with
// at most MaxDetails details; errors of src are returned unchanged. Nothing of a
// rejected body is returned.
func Read(src io.Reader, terms Terms) (Submission, []httpx.Detail, error) {
	d := &decoder{scanner: newScanner(src), terms: terms, banks: map[string]int{}, sources: map[string]bool{},
		accountIDs: map[string]bool{}, transactionIDs: map[string]bool{}}
	d.submission()
	d.end()
	switch d.err {
	case nil, errEnough:
	case errSyntax:
		d.details = append(d.details, httpx.Detail{Field: d.path(""), Message: "is not valid JSON"})
	default:
		return Submission{}, nil, d.err
	}
	if len(d.details) > 0 {
		return Submission{}, d.details, ErrRefused
	}
	return d.out, nil, nil
}

// place is the kind of object being read.
type place uint8

const (
	top place = iota
	inPersonal
	inAddress
	inAccount
	inTransaction
)

// decoder decodes and validates a body member by member.
type decoder struct {
	scanner
	terms   Terms
	out     Submission
	details []httpx.Detail

	place                place
	account, transaction int // indices for the paths

	banks                      map[string]int // institution → its connection
	sources                    map[string]bool
	suffix                     int // of the last source id that was taken already
	accountIDs, transactionIDs map[string]bool

	// dates are dates that pullDate must not precede, while pullDate is not known yet.
	dates     []dated
	pullKnown bool
	early     bool // pullDate is before one of them: said once

	sum     report.Cents // of balances and amounts, without their signs
	tooMuch bool         // it is too large: said once
}

type dated struct {
	account, transaction int32 // transaction -1: the balance's
	at                   time.Time
}

// wrong reports an invalid field of the current object.
func (d *decoder) wrong(field, words string) { d.note(d.path(field), words) }

func (d *decoder) note(path, words string) {
	if d.err != nil {
		return
	}
	d.details = append(d.details, httpx.Detail{Field: path, Message: words})
	if len(d.details) == MaxDetails {
		d.fail(errEnough)
	}
}

// path returns the path of a field, such as accounts[2].transactions[17].amount.
func (d *decoder) path(field string) string {
	var b []byte
	switch d.place {
	case inPersonal:
		b = append(b, "personal"...)
	case inAddress:
		b = append(b, "address"...)
	case inAccount, inTransaction:
		b = append(b, "accounts["...)
		b = strconv.AppendInt(b, int64(d.account), 10)
		b = append(b, ']')
		if d.place == inTransaction {
			b = append(b, ".transactions["...)
			b = strconv.AppendInt(b, int64(d.transaction), 10)
			b = append(b, ']')
		}
	}
	if len(b) > 0 && field != "" {
		b = append(b, '.')
	}
	return string(append(b, field...))
}

// object reads the members of an object; member reads the value of the one at an index
// of names. It returns which were present and not null. A value that is not an object
// is reported for field of the enclosing object.
func (d *decoder) object(in place, field string, names []string, member func(i int)) (given uint, ok bool) {
	if d.peek() != '{' {
		d.wrong(field, "must be an object")
		d.skip(0)
		return 0, false
	}
	outer := d.place
	d.place = in
	d.pos++
	var seen uint
members:
	for n := 0; d.more(n, '}'); n++ {
		name := d.name()
		for i, known := range names {
			if string(name) != known {
				continue
			}
			if seen&(1<<i) != 0 {
				d.wrong(known, "is given twice")
				d.skip(0)
				continue members
			}
			seen |= 1 << i
			if d.null() {
				continue members
			}
			given |= 1 << i
			member(i)
			continue members
		}
		if d.err == nil {
			d.wrong(string(name), "is not a field of a submission")
			d.skip(0)
		}
	}
	if d.err == nil {
		d.place = outer
	}
	return given, true
}

// list reads the elements of an array.
func (d *decoder) list(field string, element func(i int)) (n int, ok bool) {
	if d.peek() != '[' {
		d.wrong(field, "must be an array")
		d.skip(0)
		return 0, false
	}
	d.pos++
	for ; d.more(n, ']'); n++ {
		element(n)
	}
	return n, true
}

var topNames = []string{"userArgs", "externalId", "pullDate", "applicationDate", "sandboxReportId", "personal", "address", "accounts"}

func (d *decoder) submission() {
	accounts := -1
	given, ok := d.object(top, "", topNames, func(i int) {
		switch topNames[i] {
		case "userArgs":
			d.out.UserArgs = d.label("userArgs", contract.MaxUserArgs)
		case "externalId":
			if id := d.label("externalId", contract.MaxExternalID); id != "" {
				if d.out.ExternalID = id; strings.TrimSpace(id) != id {
					d.wrong("externalId", "has white space at an end")
				}
			}
		case "pullDate":
			d.pullDate()
		case "applicationDate":
			d.moment("applicationDate", false)
		case "sandboxReportId":
			d.sandboxReportID()
		case "personal":
			d.personal()
		case "address":
			d.address()
		case "accounts":
			accounts, _ = d.list("accounts", func(i int) {
				if i == MaxAccounts {
					d.wrong("accounts", "must have at most "+strconv.Itoa(MaxAccounts)+" accounts")
				}
				if i >= MaxAccounts {
					d.skip(0)
					return
				}
				d.readAccount(i)
			})
		}
	})
	if !ok || d.err != nil {
		return
	}
	has := func(name string) bool { return given&bit(topNames, name) != 0 }
	prepared := d.terms.Sandbox && has("sandboxReportId") || d.terms.PersonOnly
	if !has("pullDate") && !prepared && !d.terms.Upload {
		d.wrong("pullDate", "is required")
	}
	switch {
	case has("accounts") && d.terms.PersonOnly:
		d.wrong("accounts", "do not belong to this product's reports")
	case !has("accounts") && !prepared:
		d.wrong("accounts", "is required")
	case accounts == 0 && !prepared:
		d.wrong("accounts", "must have an account")
	}
	for _, at := range d.dates {
		d.notAfterPull(at)
	}
}

func bit(names []string, name string) uint {
	for i, n := range names {
		if n == name {
			return 1 << i
		}
	}
	return 0
}

// pullDate validates that pullDate is within the last 30 days, to the hour.
func (d *decoder) pullDate() {
	at, ok := d.moment("pullDate", false)
	switch {
	case !ok:
	case d.terms.Now.Sub(at) > MaxPullAge && !d.terms.Upload:
		d.wrong("pullDate", "must lie within the last 30 days")
	default:
		d.out.PullDate, d.pullKnown = at, true
	}
}

// notAfterPull checks a date against pullDate. Before pullDate is known, it stores the
// date; if pullDate stays unknown, another error is already reported.
func (d *decoder) notAfterPull(at dated) {
	if !d.pullKnown || !at.at.After(d.out.PullDate) {
		return
	}
	if !d.early {
		d.early = true
		d.note("pullDate", "must not be before a balance's or a transaction's date")
	}
	p := decoder{place: inAccount, account: int(at.account), transaction: int(at.transaction)}
	field := "dateBalanceLastUpdated"
	if at.transaction >= 0 {
		p.place, field = inTransaction, "datePosted"
	}
	d.note(p.path(field), "must not be after pullDate")
}

func (d *decoder) dated(transaction int, at time.Time) {
	when := dated{account: int32(d.account), transaction: int32(transaction), at: at}
	if d.pullKnown {
		d.notAfterPull(when)
	} else if len(d.details) == 0 {
		d.dates = append(d.dates, when)
	}
}

func (d *decoder) sandboxReportID() {
	if !d.terms.Sandbox {
		d.skip(0)
		return
	}
	id, ok := d.text("sandboxReportId", 0, unbounded)
	switch {
	case !ok:
	case !contract.IsUUID(string(id)):
		d.wrong("sandboxReportId", "must be a UUID")
	default:
		d.out.SandboxReportID = string(id)
	}
}

var accountNames = []string{"id", "institutionName", "accountType", "currentBalance", "dateBalanceLastUpdated",
	"dateAccountOpened", "currency", "transactions"}

func (d *decoder) readAccount(index int) {
	d.account = index
	a := bankdata.Account{Type: report.CashEquivalent}
	clear(d.transactionIDs)
	outer := d.place
	d.place = inAccount
	given, ok := d.object(inAccount, "", accountNames, func(i int) {
		switch name := accountNames[i]; name {
		case "id":
			a.ID = d.id(d.accountIDs)
		case "institutionName":
			t, _ := d.text(name, 1, 100)
			a.Institution = string(t)
		case "accountType":
			a.Subtype = d.oneOf(name, report.Savings, report.Checking)
		case "currentBalance":
			a.Balance = d.money(name)
		case "dateBalanceLastUpdated":
			if at, ok := d.moment(name, false); ok {
				d.dated(-1, at)
				day := report.DateOf(at)
				a.BalanceDate = &day
			}
		case "dateAccountOpened":
			if at, ok := d.moment(name, true); ok {
				day := report.DateOf(at)
				a.Opened = &day
			}
		case "currency":
			if t, ok := d.text(name, 3, 3); ok {
				if a.Currency = string(t); !isCurrency(a.Currency) {
					d.wrong(name, "must be an ISO 4217 code")
				}
			}
		case "transactions":
			d.list(name, func(j int) { d.readTransaction(j, &a) })
		}
	})
	if ok {
		d.require(given, accountNames, "id", "institutionName", "accountType", "currentBalance", "currency")
	}
	if d.err != nil {
		return
	}
	d.place = outer
	if len(d.details) == 0 {
		d.keep(a)
	}
}

// keep adds a valid account to those of its institution. It makes source ids unique,
// because two names may yield the same one.
func (d *decoder) keep(a bankdata.Account) {
	a.ID = derived(d.terms.Seed, "account/"+a.ID)
	data := &d.out.Data
	at, known := d.banks[a.Institution]
	if !known {
		at = len(data.Connections)
		d.banks[a.Institution] = at
		source := bankdata.SourceID(a.Institution, 0)
		for d.sources[source] {
			d.suffix++
			source = bankdata.SourceID(a.Institution, d.suffix)
		}
		d.sources[source] = true
		data.Connections = append(data.Connections, bankdata.Connection{ID: derived(d.terms.Seed, "connection/"+a.Institution),
			SourceID: source, Institution: a.Institution, Status: contract.StatusSuccess})
	}
	c := &data.Connections[at]
	c.Accounts = append(c.Accounts, a)
}

func derived(seed, what string) string {
	return uuid.NewSHA1(uuid.NameSpaceOID, []byte(seed+"/"+what)).String()
}

func (d *decoder) require(given uint, names []string, required ...string) {
	for _, name := range required {
		if given&bit(names, name) == 0 {
			d.wrong(name, "is required")
		}
	}
}

// The members of a transaction, in the table's order.
const (
	txID = iota
	txStatus
	txDatePosted
	txAmount
	txDescription
	txMerchant
	txMemo
	txDirection
)

var transactionNames = []string{"id", "status", "datePosted", "amount", "description", "merchant", "memo", "creditOrDebit"}

const txRequired = 1<<txID | 1<<txStatus | 1<<txAmount | 1<<txDescription | 1<<txDirection

func (d *decoder) readTransaction(index int, into *bankdata.Account) {
	d.transaction = index
	outer := d.place
	d.place = inTransaction
	var t bankdata.Transaction
	debit := false
	given, ok := d.object(inTransaction, "", transactionNames, func(i int) {
		switch i {
		case txID:
			t.ID = d.id(d.transactionIDs)
		case txStatus:
			t.Pending = d.oneOf("status", "PENDING", "POSTED") == "PENDING"
		case txDatePosted:
			if at, ok := d.moment("datePosted", false); ok {
				t.Posted = report.DateOf(at)
				d.dated(index, at)
			}
		case txAmount:
			t.Amount = d.money("amount")
		case txDescription:
			text, _ := d.text("description", 1, 255)
			t.Description = string(text)
		case txMerchant:
			text, ok := d.text("merchant", 1, 100)
			if ok && !isWords(text) {
				d.wrong("merchant", "must be letters, digits and spaces")
			}
			t.Merchant = string(text)
		case txMemo:
			text, _ := d.text("memo", 0, 255)
			t.Memo = string(text)
		case txDirection:
			debit = d.oneOf("creditOrDebit", "CREDIT", "DEBIT") == "DEBIT"
		}
	})
	if ok && given&txRequired != txRequired {
		d.require(given, transactionNames, "id", "status", "amount", "description", "creditOrDebit")
	}
	if ok && !t.Pending && given&(1<<txStatus) != 0 && given&(1<<txDatePosted) == 0 {
		d.wrong("datePosted", "is required for POSTED")
	}
	if d.err != nil {
		return
	}
	d.place = outer
	if len(d.details) > 0 {
		into.Transactions = nil
		return
	}
	// creditOrDebit is the direction; the amount is its absolute value.
	if t.Amount < 0 {
		t.Amount = -t.Amount
	}
	if debit {
		t.Amount, t.Debit = -t.Amount, t.Amount == 0
	}
	into.Transactions = append(into.Transactions, t)
}

// unbounded is the maximum length of strings whose format limits them enough.
const unbounded = math.MaxInt

// text reads a string of low to high characters. It is valid until the next token.
func (d *decoder) text(field string, low, high int) ([]byte, bool) {
	if d.peek() != '"' {
		d.wrong(field, "must be a string")
		d.skip(0)
		return nil, false
	}
	t := d.scanner.text()
	if d.err != nil {
		return nil, false
	}
	if bytes.IndexByte(t, 0) >= 0 {
		d.wrong(field, "has a NUL character")
		return nil, false
	}
	if n := len(t); n < low || n > high {
		if n = utf8.RuneCount(t); n < low || n > high {
			d.wrong(field, "must have "+strconv.Itoa(low)+" to "+strconv.Itoa(high)+" characters")
			return nil, false
		}
	}
	return t, true
}

// id reads an identifier that is unique in its list.
func (d *decoder) id(others map[string]bool) string {
	t, ok := d.text("id", 1, 50)
	if !ok {
		return ""
	}
	if !isAlphanumeric(t) {
		d.wrong("id", "must be letters and digits")
		return ""
	}
	if others[string(t)] {
		d.wrong("id", "is given twice")
		return ""
	}
	id := string(t)
	others[id] = true
	return id
}

// label reads a label of the customer.
func (d *decoder) label(field string, high int) string {
	t, ok := d.text(field, 1, high)
	if ok && hasControl(t) {
		d.wrong(field, "has a control character")
	}
	return string(t)
}

func (d *decoder) oneOf(field, a, b string) string {
	t, ok := d.text(field, 0, unbounded)
	if !ok {
		return ""
	}
	switch string(t) {
	case a:
		return a
	case b:
		return b
	}
	d.wrong(field, "must be "+a+" or "+b)
	return ""
}

// money reads a decimal with at most two places.
func (d *decoder) money(field string) report.Cents {
	if c := d.peek(); c != '-' && (c < '0' || c > '9') {
		d.wrong(field, "must be a number")
		d.skip(0)
		return 0
	}
	c, ok := cents(d.number())
	if !ok && d.err == nil {
		d.wrong(field, "must be an amount with at most two decimals, below ten trillion")
	}
	if d.sum += max(c, -c); d.sum >= maxUnits*100 && !d.tooMuch { // each is below that, and the sum no longer grows then
		d.tooMuch = true
		d.wrong(field, "must be below ten trillion together with all balances and amounts before it")
	}
	d.sum = min(d.sum, maxUnits*100)
	return c
}

// moment reads a DateTime that is not after now; with past, before now.
func (d *decoder) moment(field string, past bool) (time.Time, bool) {
	t, ok := d.text(field, 0, unbounded)
	if !ok {
		return time.Time{}, false
	}
	at, ok := dateTime(t)
	switch {
	case !ok:
		d.wrong(field, "must be YYYY-MM-DDTHH:mm:ss.SSSZ")
	case at.After(d.terms.Now), past && !at.Before(d.terms.Now):
		d.wrong(field, "must not lie in the future")
	default:
		return at, true
	}
	return time.Time{}, false
}
