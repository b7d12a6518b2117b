package submissions

import (
	"errors"
	"io"
	"strconv"
	"strings"
	"time"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/report"
	"vestibule/internal/suggest"
)

// Submission is a valid body. Its personal data is not validated.
type Submission struct {
	ExternalID      string // empty: none
	UserArgs        string // empty: none
	SandboxReportID string // empty: none, or ignored
	PullDate        time.Time
	Personal        Personal
	Data            bankdata.Data
}

// Terms are the variable parts of the validation.
type Terms struct {
	Now        time.Time
	Sandbox    bool   // reads sandboxReportId, which is otherwise ignored
	Upload     bool   // accepts a body for later reports: its pullDate may be any past day, or absent
	PersonOnly bool   // accepts a body of personal data only, for reports that use no accounts
	Seed       string // publicToken of the report; ids of accounts and connections are derived from it
}

// MaxDetails is the maximum number of invalid fields that are reported.
const MaxDetails = 100

// ErrRefused is returned for a body that violates the rules; the details name the
// fields.
var ErrRefused = errors.New("submissions: the body is invalid")

// errTooManyDetails stops decoding at MaxDetails.
var errTooManyDetails = errors.New("submissions: too many invalid fields")

// Read reads one submission from a stream. For a violation of the rules it returns
// ErrRefused with at most MaxDetails invalid fields, and no data. Errors of src are
// returned unchanged.
func Read(src io.Reader, terms Terms) (Submission, []httpx.Detail, error) {
	d := &decoder{scanner: newScanner(src), terms: terms, banks: map[string]int{}, sources: map[string]bool{},
		accountIDs: map[string]bool{}, transactionIDs: map[string]bool{}}
	d.submission()
	d.end()
	switch d.err {
	case nil, errTooManyDetails:
	case errSyntax:
		d.details = append(d.details, httpx.Detail{Field: d.path(""), Message: d.problem})
	default:
		return Submission{}, nil, d.err
	}
	if len(d.details) > 0 {
		return Submission{}, d.details, ErrRefused
	}
	return d.out, nil, nil
}

// location is the kind of object being read.
type location uint8

const (
	atTop location = iota
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

	location             location
	account, transaction int // indices for the paths

	banks                      map[string]int  // index of the connection by institution
	sources                    map[string]bool // used source ids
	suffix                     int             // of the last source id that needed one
	accountIDs, transactionIDs map[string]bool // used ids; of transactions, in the current account

	dates         []datedValue // dates before pullDate in the body, which it must not precede
	pullKnown     bool
	earlyReported bool // that pullDate precedes one of them

	sum         report.Cents // of the absolute balances and amounts
	sumReported bool         // that sum is too large
}

// reject reports an invalid field of the current object.
func (d *decoder) reject(field, message string) { d.addDetail(d.path(field), message) }

func (d *decoder) addDetail(path, message string) {
	if d.err != nil {
		return
	}
	d.details = append(d.details, httpx.Detail{Field: path, Message: message})
	if len(d.details) == MaxDetails {
		d.fail(errTooManyDetails)
	}
}

// path returns the path of a field, such as accounts[2].transactions[17].amount.
func (d *decoder) path(field string) string {
	var b []byte
	switch d.location {
	case inPersonal:
		b = append(b, "personal"...)
	case inAddress:
		b = append(b, "address"...)
	case inAccount, inTransaction:
		b = append(b, "accounts["...)
		b = strconv.AppendInt(b, int64(d.account), 10)
		b = append(b, ']')
		if d.location == inTransaction {
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

// object reads an object; member(i) reads the value of names[i]. It returns the bits of the
// members that are not null. For a value that is not an object, it rejects field of the
// enclosing object and returns false.
func (d *decoder) object(in location, field string, names []string, member func(i int)) (given uint, ok bool) {
	if d.peek() != '{' {
		d.reject(field, "must be an object")
		d.skip(0)
		return 0, false
	}
	outer := d.location
	d.location = in
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
				d.reject(known, "is given twice")
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
			d.reject(string(name), "is not a field here"+suggest.Hint(string(name), names))
			d.skip(0)
		}
	}
	if d.err == nil {
		d.location = outer
	}
	return given, true
}

// list reads an array with element, and returns its length. For another value it rejects
// field and returns false.
func (d *decoder) list(field string, element func(i int)) (n int, ok bool) {
	if d.peek() != '[' {
		d.reject(field, "must be an array")
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
	if d.peek() == 0 && d.ended {
		d.problem, d.err = "is empty", errSyntax
		return
	}
	accounts := -1
	given, ok := d.object(atTop, "", topNames, func(i int) {
		switch topNames[i] {
		case "userArgs":
			d.out.UserArgs = d.label("userArgs", contract.MaxUserArgs)
		case "externalId":
			if id := d.label("externalId", contract.MaxExternalID); id != "" {
				if d.out.ExternalID = id; strings.TrimSpace(id) != id {
					d.reject("externalId", "must not begin or end with white space")
				}
			}
		case "pullDate":
			d.pullDate()
		case "applicationDate":
			d.dateTime("applicationDate", false)
		case "sandboxReportId":
			d.sandboxReportID()
		case "personal":
			d.personal()
		case "address":
			d.address()
		case "accounts":
			accounts, _ = d.list("accounts", func(i int) {
				if i == MaxAccounts {
					d.reject("accounts", "must have at most "+strconv.Itoa(MaxAccounts)+" accounts")
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
	has := func(name string) bool { return given&memberBit(topNames, name) != 0 }
	prepared := d.terms.Sandbox && has("sandboxReportId") || d.terms.PersonOnly
	if !has("pullDate") && !prepared && !d.terms.Upload {
		d.reject("pullDate", "is required")
	}
	switch {
	case has("accounts") && d.terms.PersonOnly:
		d.reject("accounts", "do not belong to this product's reports")
	case !has("accounts") && !prepared:
		d.reject("accounts", "is required")
	case accounts == 0 && !prepared:
		d.reject("accounts", "must have an account")
	}
	for _, at := range d.dates {
		d.requireNotAfterPull(at)
	}
}

func memberBit(names []string, name string) uint {
	for i, n := range names {
		if n == name {
			return 1 << i
		}
	}
	return 0
}

// pullDate reads pullDate, which must be at most MaxPullAge ago, except for uploads.
func (d *decoder) pullDate() {
	at, ok := d.dateTime("pullDate", false)
	switch {
	case !ok:
	case d.terms.Now.Sub(at) > MaxPullAge && !d.terms.Upload:
		d.reject("pullDate", "must lie within the last 30 days: "+d.terms.Now.Add(-MaxPullAge).UTC().Format(dateForm)+" or later")
	default:
		d.out.PullDate, d.pullKnown = at, true
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
		d.reject("sandboxReportId", httpx.UUIDProblem(string(id)))
	default:
		d.out.SandboxReportID = string(id)
	}
}
