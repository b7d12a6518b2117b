// Package applications holds the portal's applications and the pages that applicants
// use: the landing page, the form, the status page with its stream, the callbacks of
// the widget, and the receiver of the visit webhook. It keeps the journey on the
// server: every input (callback, return, webhook, poll, clock) passes through
// Advance, which applies it once. The report is fetched once and stored encrypted.
//
// The package does not trust browsers. A callback only makes it poll the service, by
// the attempt's external ID, never by a publicToken that a browser named, and only
// accepts a visit of that ID that the portal started. An application that the visitor
// may not see answers 404. Sources: docs/widget.md, docs/webhooks.md and the API
// reference: Visits, Reports.
package applications

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"vestibule/internal/contract"
	"vestibule/internal/jobs"
	"vestibule/internal/journey"
	"vestibule/internal/prefill"
	"vestibule/internal/report"
	"vestibule/internal/store"
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
	Lang            contract.Lang
	HasApplicant    bool // the applicant's data is stored
	Journey         journey.Application
	Report          Held     // the newest stored report; zero if there is none
	Decision        Decision // the newest; zero if there is none
	CreatedAt       time.Time
	UpdatedAt       time.Time
	Version         int64 // grows by one with each timeline entry

	dataKey    string
	fetched    bool // Report belongs to Journey.Succeeded and is not about to be replaced
	fetchUntil time.Time
}

// Held identifies a stored report.
type Held struct {
	Attempt     int // the report's attempt; 0 for no report
	At          time.Time
	PublicToken string
}

// HasReport reports whether a report is stored, including one that is about to be
// replaced.
func (a Application) HasReport() bool { return a.Report.Attempt != 0 }

// Decision is a reviewer's decision, without its text.
type Decision struct {
	Kind       string   // kind of its timeline entry
	Number     int64    // number within the application, from 1
	Reasons    []string // reason codes of the report
	At         time.Time
	AnsweredAt time.Time // for MoreAsked: when the applicant's answer arrived; zero before
}

// Resumable reports whether the applicant can continue or restart the application.
func (a Application) Resumable() bool {
	open := a.Journey.State == journey.Started || a.Journey.State == journey.Connecting || a.Journey.State == journey.Ready && a.MoreAsked()
	return a.Journey.Attempt < maxAttempts && (open || a.Journey.CanRetry())
}

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

	sealed  []byte
	askedAt time.Time
}

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

// Errors of Create and other methods.
var (
	ErrUnknownProduct      = errors.New("applications: this product is not offered")
	ErrDuplicateExternalID = errors.New("applications: another application has this external id")
	ErrBadMode             = errors.New("applications: no such mode, or not in this environment")
	ErrBadExternalID       = errors.New("applications: externalId is too long or has characters that a header cannot carry")
	ErrBadUserArgs         = errors.New("applications: userArgs is too long")
	ErrBadURL              = errors.New("applications: returnUrl or allowedOrigin is not an address that a browser may be sent to")
	ErrNoReport            = fmt.Errorf("applications: there is no report yet: %w", store.ErrNotFound)
	ErrClosed              = errors.New("applications: this application takes no further attempt now")
)

// Refused reports whether err means that Create rejected its arguments.
func Refused(err error) bool {
	return slices.ContainsFunc([]error{ErrUnknownProduct, ErrBadMode, ErrBadExternalID, ErrBadUserArgs, ErrBadURL},
		func(refusal error) bool { return errors.Is(err, refusal) })
}

// Provider calls the service. *svcapi.Client implements it.
type Provider interface {
	Status(ctx context.Context, ref svcapi.Ref) (svcapi.StatusAnswer, error)
	Report(ctx context.Context, product contract.Product, ref svcapi.Ref) ([]byte, *report.Meta, error)
	Files(ctx context.Context, product contract.Product, ref svcapi.Ref) ([]svcapi.File, error)
	File(ctx context.Context, product contract.Product, ref svcapi.Ref, path string) (svcapi.Content, error)
}

// Queue enqueues jobs. *jobs.Queue implements it.
type Queue interface {
	Enqueue(ctx context.Context, tx *store.Tx, args jobs.Args, opts ...jobs.EnqueueOption) error
}

// Service stores and advances applications. Set the exported fields before use.
type Service struct {
	DB          *store.DB
	Queue       Queue
	Provider    Provider
	Products    map[contract.Product]string // products of the account: kind → productId
	AssetsOnly  bool                        // the account's eligibility product verifies only assets
	Environment contract.Environment        // of the account; sandbox allows the integrators' variants
	Now         func() time.Time
	Log         *slog.Logger

	// FormTargets are the provider's origins, to which forms may lead in addition to
	// the portal.
	FormTargets []string

	// OnChange is called in the transaction of each change that is visible to
	// applicants or reviewers.
	OnChange []func(ctx context.Context, tx *store.Tx, a Application, l TimelineEntry) error

	// NotifiedDecisions are the kinds of decisions that applicants are notified of;
	// nil means all of the applicant-visible kinds.
	NotifiedDecisions []string

	// OnApplicant is called in the transaction that stores the applicant's data.
	OnApplicant []func(ctx context.Context, tx *store.Tx, a Application, f prefill.Fields) error

	hub hub
}

// offered lists the products whose reports this portal can fetch and show.
var offered = []contract.Product{contract.Cashflow, contract.Income, contract.Eligibility, contract.Passport}

// Offers reports whether applicants can apply for p: the account has it and the
// portal supports it.
func (s *Service) Offers(p contract.Product) bool {
	return slices.Contains(offered, p) && s.Products[p] != ""
}

// New holds the arguments of Create.
type New struct {
	Product         contract.Product
	Mode            Mode           // default Embedded
	Variant         Variant        // default ByToken
	Manual          bool           // with Embedded, in the sandbox only
	SandboxReportID string         // with BySandboxReport
	Origin          string         // FromWeb or FromAPI
	Prefill         prefill.Object // unchecked; nil, allowed from the API only: the applicant is asked
	ExternalID      string         // at most 64 characters; default: the application's ID
	UserArgs        string         // at most 255 characters
	ReturnURL       string
	AllowedOrigin   string
	Lang            contract.Lang
	SessionID       string // session that may see the application; may be ""
}

// Create validates and stores an application. If the applicant's data has problems,
// it returns them with a nil error and stores nothing.
func (s *Service) Create(ctx context.Context, tx *store.Tx, n New) (Application, []prefill.Problem, error) {
	now := s.now()
	a, err := s.draft(n, now)
	if err != nil {
		return Application{}, nil, err
	}
	var fields prefill.Fields
	if n.Prefill != nil {
		var problems []prefill.Problem
		if fields, problems = s.rules(n.Product, now).Check(n.Prefill); len(problems) > 0 {
			return Application{}, problems, nil
		}
	}
	if a.dataKey, err = s.DB.Vault.NewKey(ctx, tx); err != nil {
		return Application{}, nil, err
	}
	var sealed []byte
	if n.Prefill != nil {
		if sealed, err = seal(ctx, s.DB.Vault, tx, a.dataKey, a.ID, fields); err != nil {
			return Application{}, nil, err
		}
	}
	ok, err := insert(ctx, tx, a, sealed)
	if err != nil {
		return Application{}, nil, err
	}
	if !ok {
		return Application{}, nil, ErrDuplicateExternalID
	}
	if n.SessionID != "" {
		if err := bind(ctx, tx, a.ID, n.SessionID); err != nil {
			return Application{}, nil, err
		}
	}
	a, err = s.record(ctx, tx, a, "created", TimelineEntry{Kind: "created", To: string(a.Journey.State)}, a.Journey, true)
	if err == nil && n.Prefill != nil {
		err = s.learned(ctx, tx, a, fields)
	}
	return a, nil, err
}

// CheckPrefill returns the problems that Create would find in an applicant's data.
func (s *Service) CheckPrefill(p contract.Product, o prefill.Object) []prefill.Problem {
	_, problems := s.rules(p, s.now()).Check(o)
	return problems
}

func (s *Service) learned(ctx context.Context, tx *store.Tx, a Application, f prefill.Fields) error {
	for _, tell := range s.OnApplicant {
		if err := tell(ctx, tx, a, f); err != nil {
			return err
		}
	}
	return nil
}

// draft validates n and returns its application.
func (s *Service) draft(n New, now time.Time) (Application, error) {
	a := Application{ID: uuid.NewString(), Product: n.Product, Mode: n.Mode, Variant: n.Variant, Manual: n.Manual,
		SandboxReportID: n.SandboxReportID, Origin: n.Origin, ExternalID: n.ExternalID, UserArgs: n.UserArgs,
		ReturnURL: n.ReturnURL, AllowedOrigin: n.AllowedOrigin, Lang: n.Lang, HasApplicant: n.Prefill != nil,
		Journey: journey.New(now.Unix()), CreatedAt: now, UpdatedAt: now}
	if a.Mode == "" {
		a.Mode = Embedded
	}
	if a.Variant == "" {
		a.Variant = ByToken
	}
	if a.ExternalID == "" {
		a.ExternalID = a.ID // default: the application's ID
	}
	special := a.Variant != ByToken || a.Manual || a.SandboxReportID != ""
	switch {
	case !s.Offers(n.Product):
		return a, ErrUnknownProduct
	case !a.Mode.Valid() || !a.Variant.Valid() || special && (s.Environment != contract.Sandbox || a.Mode != Embedded):
		return a, ErrBadMode
	case (a.Variant == BySandboxReport) != contract.IsUUID(a.SandboxReportID):
		return a, ErrBadMode
	case n.Prefill == nil && n.Origin != FromAPI:
		return a, ErrBadMode
	case utf8.RuneCountInString(a.ExternalID) > contract.MaxExternalID || !headerSafe(a.ExternalID):
		return a, ErrBadExternalID
	case utf8.RuneCountInString(a.UserArgs) > contract.MaxUserArgs || !utf8.ValidString(a.UserArgs):
		return a, ErrBadUserArgs
	case !Browsable(a.ReturnURL) || !FrameOrigin(a.AllowedOrigin):
		return a, ErrBadURL
	}
	return a, nil
}

func headerSafe(s string) bool {
	for _, c := range s {
		if c == utf8.RuneError || unicode.IsControl(c) {
			return false
		}
	}
	return strings.TrimSpace(s) == s
}

// Browsable reports whether raw is empty or an absolute https URL, or an http URL on
// this machine, of printable ASCII without user or fragment.
func Browsable(raw string) bool {
	if raw == "" {
		return true
	}
	for i := 0; i < len(raw); i++ {
		if raw[i] <= ' ' || raw[i] >= 0x7f || raw[i] == '\\' {
			return false
		}
	}
	u, err := url.Parse(raw)
	if err != nil || u.Hostname() == "" || u.User != nil || u.Opaque != "" || strings.Contains(raw, "#") || len(raw) > 2048 {
		return false
	}
	host := u.Hostname()
	return u.Scheme == "https" || u.Scheme == "http" && (host == "localhost" || host == "127.0.0.1" || host == "::1")
}

// FrameOrigin reports whether raw is Browsable and has nothing after the host, as
// required of an origin that may frame pages.
func FrameOrigin(raw string) bool {
	u, err := url.Parse(raw)
	return err == nil && Browsable(raw) && u.Path == "" && u.RawQuery == "" && !u.ForceQuery && !strings.ContainsAny(u.Host, ";,'\"*")
}

// externalID returns the external ID of an attempt: the application's for the first,
// later with a suffix of the number and random digits, cut to 64 characters. A
// guessed ID would let others start its visit.
func (a Application) externalID(number int) string {
	if number <= 1 {
		return a.ExternalID
	}
	var unforeseen [8]byte
	rand.Read(unforeseen[:]) // never fails
	suffix := fmt.Sprintf("~%d-%x", number, unforeseen)
	base := []rune(a.ExternalID)
	return string(base[:min(len(base), contract.MaxExternalID-len(suffix))]) + suffix
}

// ref identifies the attempt's report to the provider: by publicToken once a verified
// source has named it, before that by external ID.
func (t Attempt) ref() svcapi.Ref {
	if t.PublicToken != "" {
		return svcapi.Ref{PublicToken: t.PublicToken}
	}
	return svcapi.Ref{ExternalID: t.ExternalID}
}

// Get returns an application, or store.ErrNotFound.
func (s *Service) Get(ctx context.Context, id string) (Application, error) {
	return get(ctx, s.DB.SQL, id)
}

// Key returns the name of the data key that encrypts an application's data, or
// store.ErrNotFound if there is no such application.
func (s *Service) Key(ctx context.Context, q store.Queryer, id string) (string, error) {
	a, err := get(ctx, q, id)
	return a.dataKey, err
}

// Filter selects applications. The zero value selects the newest 25.
type Filter struct {
	State      string
	Product    contract.Product
	ExternalID string
	From, To   time.Time // creation time in [From, To); zero means unbounded
	Cursor     string    // as returned by List
	Limit      int       // 1 to 100
}

// ErrCursor reports a cursor that List did not return.
var ErrCursor = errors.New("applications: malformed cursor")

// List returns a page of applications, newest first, and the cursor of the next page,
// or "" after the last.
func (s *Service) List(ctx context.Context, f Filter) ([]Application, string, error) {
	return list(ctx, s.DB.SQL, f)
}

// Timeline returns at most limit entries with numbers above after.
func (s *Service) Timeline(ctx context.Context, id string, after int64, limit int) ([]TimelineEntry, error) {
	return timeline(ctx, s.DB.SQL, id, after, limit)
}

// Applicant returns the data that the applicant entered; empty if they were not asked
// yet.
func (s *Service) Applicant(ctx context.Context, id string) (prefill.Fields, error) {
	return s.applicant(ctx, s.DB.SQL, id)
}

func (s *Service) applicant(ctx context.Context, q store.Queryer, id string) (prefill.Fields, error) {
	var f prefill.Fields
	dataKey, sealed, err := sealedPrefill(ctx, q, id)
	if err != nil || sealed == nil {
		return f, err
	}
	plain, err := s.DB.Vault.Open(ctx, q, dataKey, prefillCell(id), sealed)
	if err != nil {
		return f, err
	}
	return f, json.Unmarshal(plain, &f)
}

// SetApplicant stores the applicant's data of an application that was created without
// it. If the data has problems, it returns them with a nil error and stores nothing.
func (s *Service) SetApplicant(ctx context.Context, tx *store.Tx, a Application, o prefill.Object, mode Mode) ([]prefill.Problem, error) {
	if !mode.Valid() {
		return nil, ErrBadMode
	}
	now := s.now()
	f, problems := s.rules(a.Product, now).Check(o)
	if len(problems) > 0 {
		return problems, nil
	}
	sealed, err := seal(ctx, s.DB.Vault, tx, a.dataKey, a.ID, f)
	if err != nil {
		return nil, err
	}
	kept, err := setApplicant(ctx, tx, a.ID, sealed, mode, now)
	if err == nil && kept {
		err = s.learned(ctx, tx, a, f)
	}
	return nil, err
}

// Join grants another browser's session access to the application and records that in
// the timeline.
func (s *Service) Join(ctx context.Context, tx *store.Tx, id, sessionID string) error {
	a, err := lock(ctx, tx, id)
	if err != nil {
		return err
	}
	if err := bind(ctx, tx, id, sessionID); err != nil {
		return err
	}
	state := string(a.Journey.State)
	if _, err = s.record(ctx, tx, a, Joined+"/"+sessionID, TimelineEntry{Kind: Joined, From: state, To: state}, a.Journey, false); err != nil {
		return err
	}
	tx.AfterCommit(func() { s.hub.nudge(id) })
	return nil
}

// Bind grants a session access to the application.
func (s *Service) Bind(ctx context.Context, tx *store.Tx, id, sessionID string) error {
	return bind(ctx, tx, id, sessionID)
}

// Speak stores the applicant's language, which emails are written in.
func (s *Service) Speak(ctx context.Context, a Application, lang contract.Lang) error {
	if a.Lang == lang {
		return nil
	}
	return setLang(ctx, s.DB.SQL, a.ID, lang)
}

// Bound reports whether a session may see the application.
func (s *Service) Bound(ctx context.Context, id, sessionID string) (bool, error) {
	if sessionID == "" {
		return false, nil
	}
	return bound(ctx, s.DB.SQL, id, sessionID)
}

// Recent returns the applications of a session, newest first.
func (s *Service) Recent(ctx context.Context, sessionID string, limit int) ([]Application, error) {
	if sessionID == "" {
		return nil, nil
	}
	return recent(ctx, s.DB.SQL, sessionID, limit)
}

func (s *Service) moved(ctx context.Context, since time.Time) (map[string]int64, time.Time, error) {
	return moved(ctx, s.DB.SQL, since)
}

func (s *Service) now() time.Time { return s.Now().UTC().Truncate(time.Microsecond) }

func (s *Service) rules(p contract.Product, now time.Time) prefill.Rules {
	return prefill.Rules{Product: p, Environment: s.Environment, Today: prefill.DateOf(now.Date()), AssetsOnly: s.AssetsOnly}
}
