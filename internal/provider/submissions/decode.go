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

// MaxDetails is the maximum number of invalid fields that are reported.
const MaxDetails = 100

// ErrRefused is returned for a body that breaks the rules; the details name the
// fields.
var ErrRefused = errors.New("submissions: the body breaks the submission table")

// errTooManyDetails stops decoding at MaxDetails.
var errTooManyDetails = errors.New("submissions: enough is wrong")

// Read reads one submission from a stream. A violation of the rules is ErrRefused with
// at most MaxDetails details; errors of src are returned unchanged. Nothing of a
// rejected body is returned.
func Read(src io.Reader, terms Terms) (Submission, []httpx.Detail, error) {
	d := &decoder{scanner: newScanner(src), terms: terms, banks: map[string]int{}, sources: map[string]bool{},
		accountIDs: map[string]bool{}, transactionIDs: map[string]bool{}}
	d.submission()
	d.end()
	switch d.err {
	case nil, errTooManyDetails:
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

	banks                      map[string]int // institution → its connection
	sources                    map[string]bool
	suffix                     int // of the last source id that was taken already
	accountIDs, transactionIDs map[string]bool

	// dates are dates that pullDate must not precede, while pullDate is not known yet.
	dates         []datedValue
	pullKnown     bool
	earlyReported bool // pullDate is before one of them: reported once

	sum         report.Cents // of balances and amounts, without their signs
	sumReported bool         // it is too large: reported once
}

// reject reports an invalid field of the current object.
func (d *decoder) reject(field, words string) { d.addDetail(d.path(field), words) }

func (d *decoder) addDetail(path, words string) {
	if d.err != nil {
		return
	}
	d.details = append(d.details, httpx.Detail{Field: path, Message: words})
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

// object reads the members of an object; member reads the value of the one at an index
// of names. It returns which were present and not null. A value that is not an object
// is reported for field of the enclosing object.
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
			d.reject(string(name), "is not a field of a submission")
			d.skip(0)
		}
	}
	if d.err == nil {
		d.location = outer
	}
	return given, true
}

// list reads the elements of an array.
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
	accounts := -1
	given, ok := d.object(atTop, "", topNames, func(i int) {
		switch topNames[i] {
		case "userArgs":
			d.out.UserArgs = d.label("userArgs", contract.MaxUserArgs)
		case "externalId":
			if id := d.label("externalId", contract.MaxExternalID); id != "" {
				if d.out.ExternalID = id; strings.TrimSpace(id) != id {
					d.reject("externalId", "has white space at an end")
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
		d.notAfterPull(at)
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

// pullDate validates that pullDate is within the last 30 days, to the hour.
func (d *decoder) pullDate() {
	at, ok := d.dateTime("pullDate", false)
	switch {
	case !ok:
	case d.terms.Now.Sub(at) > MaxPullAge && !d.terms.Upload:
		d.reject("pullDate", "must lie within the last 30 days")
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
		d.reject("sandboxReportId", "must be a UUID")
	default:
		d.out.SandboxReportID = string(id)
	}
}
