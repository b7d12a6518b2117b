package applications

import (
	"crypto/rand"
	"fmt"
	"strconv"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/journey"
	"vestibule/internal/report"
	"vestibule/internal/svcapi"
)

// Mode is how the applicant reaches the provider.
type Mode string

const (
	Embedded     Mode = "embedded"      // the widget on the portal's page
	Redirect     Mode = "redirect"      // to the provider's page in the same tab
	RedirectForm Mode = "redirect-form" // as Redirect, by a form POST
)

// Valid reports whether m is a known mode.
func (m Mode) Valid() bool { return m == Embedded || m == Redirect || m == RedirectForm }

// Variant is how an embedded widget is initialized. All but ByToken are for
// integrators in the sandbox.
type Variant string

const (
	ByToken         Variant = "token"          // recommended: data from server to server
	ByPrefill       Variant = "prefill"        // data from the page
	ByConsumer      Variant = "consumer"       // an existing consumer
	BySandboxReport Variant = "sandbox-report" // a prepared report
)

// Valid reports whether v is a known variant.
func (v Variant) Valid() bool {
	return v == ByToken || v == ByPrefill || v == ByConsumer || v == BySandboxReport
}

// Origins of an application.
const (
	FromWeb = "web" // the portal's form
	FromAPI = "api" // an onboarding app, by the API
)

// Application is one application. Applicant and Report return its applicant's data
// and its report.
type Application struct {
	ID              string // UUID
	Product         contract.Product
	Mode            Mode
	Variant         Variant
	Manual          bool   // the widget opens only on a click
	SandboxReportID string // with BySandboxReport
	Origin          string // FromWeb or FromAPI
	ExternalID      string // the customer's label, or ID; also the first attempt's external ID
	UserArgs        string
	ReturnURL       string // where the applicant may return at the end; may be ""
	AllowedOrigin   string // the site that may frame its pages; may be ""
	Lang            i18n.Lang
	HasApplicant    bool // the applicant's data is stored
	Journey         journey.Application
	Report          StoredReport  // the newest stored report; zero if none exists
	SharedAt        time.Time     // when the first report of the attempt that succeeded arrived; zero before
	Decision        Decision      // the newest; zero if none exists
	Parsed          report.Report // Report, in the transaction that stores it; nil in others
	CreatedAt       time.Time
	UpdatedAt       time.Time
	Version         int64 // grows by one with each timeline entry

	// Whether the transaction also stores the report that its input announces: no job must fetch it, and only then is the
	// application saved.
	Interim bool

	dataKey    string
	fetched    bool // Report belongs to Journey.Succeeded and is not about to be replaced
	fetchUntil time.Time
	saved      int64 // Version in the database
	unsaved    []any // names and values of other columns to save with the next timeline entry
}

// StoredReport identifies a stored report.
type StoredReport struct {
	Attempt     int       // the report's attempt; 0 for no report
	Revision    int       // 0: as the service first made it
	At          time.Time // when it was fetched
	RevisedAt   time.Time // when the service revised it; zero: never
	Until       time.Time // when the service stops giving it out; zero: unknown
	PublicToken string
	ETag        string // of the service's answer; empty: it has none
}

// Version names the report within its application, in forms and file names.
func (r StoredReport) Version() string {
	return strconv.Itoa(r.Attempt) + "." + strconv.Itoa(r.Revision)
}

// HasReport reports whether a report is stored, including one that is about to be
// replaced.
func (a Application) HasReport() bool { return a.Report.Attempt != 0 }

// Resumable reports whether the applicant can continue or restart the application.
func (a Application) Resumable() bool {
	open := a.Journey.State == journey.Started || a.Journey.State == journey.Connecting || a.Journey.State == journey.Ready && a.AwaitsMore()
	return a.Journey.Attempt < maxAttempts && (open || a.Journey.CanRetry())
}

// AwaitsMore reports whether a reviewer's request for more is unanswered.
func (a Application) AwaitsMore() bool {
	return a.Decision.Kind == journey.MoreAsked && !a.Decision.Answered()
}

// Final reports whether the state changes no more without action by the applicant.
func (a Application) Final() bool {
	s := a.Journey.State
	return s == journey.Ready && !a.AwaitsMore() || s == journey.Failed || s == journey.Expired
}

// externalID returns the external ID of an attempt: the application's for the first,
// later with a suffix of the number and random digits, cut to 64 characters. A
// guessed ID would let others start its visit.
func (a Application) externalID(number int) string {
	if number <= 1 {
		return a.ExternalID
	}
	var random [8]byte
	rand.Read(random[:]) // never fails
	suffix := fmt.Sprintf("~%d-%x", number, random)
	base := []rune(a.ExternalID)
	return string(base[:min(len(base), contract.MaxExternalID-len(suffix))]) + suffix
}

// DataKey returns the name of the data key that encrypts what is stored about the
// application's consumer.
func (a Application) DataKey() string { return a.dataKey }

// Attempt is one visit at the provider. Each attempt has a separate external ID, so
// that its status can be polled without its publicToken.
type Attempt struct {
	Number      int
	Mode        Mode
	ExternalID  string
	ConsumerID  string
	Token       string // single-use initialization token; "" after its visit ends
	TokenUntil  time.Time
	Opened      bool   // the widget was opened with it
	OpenedBy    string // a Visitor.Holder; "" before it was opened and after the visit ends
	Verified    bool   // the portal started the visit of the external ID
	PublicToken string // publicToken from a signed outcome, a webhook or the status
	CreatedAt   time.Time

	sealed    []byte
	hurriedAt time.Time
	pollJob   int64 // the patient Poll; 0 if unknown
}

// ref identifies the attempt's report to the provider: by publicToken once a verified
// source has named it, before that by external ID.
func (t Attempt) ref() svcapi.Ref {
	if t.PublicToken != "" {
		return svcapi.Ref{PublicToken: t.PublicToken}
	}
	return svcapi.Ref{ExternalID: t.ExternalID}
}

// Decision is a reviewer's decision, without its text.
type Decision struct {
	Kind       string   // kind of its timeline entry
	Number     int64    // number within the application, from 1
	Reasons    []string // reason codes of the report
	At         time.Time
	AnsweredAt time.Time // for journey.MoreAsked: when the applicant's answer arrived; zero before
	Outdated   bool      // it was made on an older revision of the report, and no reviewer has confirmed it
}

// Answered reports whether the applicant gave what a reviewer asked for: the report
// of an attempt started after the decision has arrived.
func (d Decision) Answered() bool { return !d.AnsweredAt.IsZero() }

// TimelineEntry is one entry of an application's timeline. It holds no personal data.
type TimelineEntry struct {
	Seq       int64
	At        time.Time
	Kind      string // a journey.Kind, "created", Joined, or the kind of a decision
	Attempt   int
	Status    contract.Status
	Substatus contract.Substatus
	Error     contract.WidgetError
	From, To  string   // states; equal if it did not change the state
	Reasons   []string // reason codes of a decision
}

// Joined is the Kind of an entry that records that another browser was granted
// access.
const Joined = "joined"

// Moved reports whether the entry changed the state.
func (l TimelineEntry) Moved() bool { return l.From != l.To }
