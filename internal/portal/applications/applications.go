// Package applications is the customer's record of who applied for what, and the
// pages on which they do: the landing, the form, the status page with its
// stream, the reports of the widget's hooks, and the receiver of the visit
// webhook. It owns the journey on the server: every input (hook, return,
// webhook, poll, clock) goes through Advance, once, and the report is fetched
// once and kept sealed.
//
// It believes no browser. What a hook says only makes it ask, and it asks by the
// attempt's own external id, never by a publicToken that a browser named, and only if
// the visit of that id is one that the portal began. An
// application that is not the asker's does not exist for them (404). Sources:
// document 1, Events and Endpoints 3 and 4.
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

// Mode is how the applicant gets to the provider.
type Mode string

const (
	Embedded     Mode = "embedded"      // the widget on our page
	Redirect     Mode = "redirect"      // to the provider's page in the same tab
	RedirectForm Mode = "redirect-form" // the same by a form POST
)

// Valid reports whether m is a mode.
func (m Mode) Valid() bool { return m == Embedded || m == Redirect || m == RedirectForm }

// Variant is what an embedded widget is begun with. All but ByToken are for
// integrators in the sandbox.
type Variant string

const (
	ByToken         Variant = "token"          // the recommended way: data from server to server
	ByPrefill       Variant = "prefill"        // data from the page
	ByConsumer      Variant = "consumer"       // an existing consumer
	BySandboxReport Variant = "sandbox-report" // a prepared report
)

// Valid reports whether v is a variant.
func (v Variant) Valid() bool {
	return v == ByToken || v == ByPrefill || v == ByConsumer || v == BySandboxReport
}

// Origins of an application.
const (
	FromWeb = "web" // our own form
	FromAPI = "api" // an onboarding app
)

// Application is one application. Its applicant's data and its report are read
// by calls of their own.
type Application struct {
	ID              string // UUID
	Product         contract.Product
	Mode            Mode
	Variant         Variant
	Manual          bool   // the widget waits for a control of the page
	SandboxReportID string // with BySandboxReport
	Origin          string // FromWeb or FromAPI
	ExternalID      string // the customer's label, or the application's id; of the first attempt
	UserArgs        string
	ReturnURL       string // where the applicant may go on to at the end; "" is nowhere
	AllowedOrigin   string // the site that may frame its pages; "" is none
	Lang            contract.Lang
	HasApplicant    bool // the applicant's data is here
	Journey         journey.Application
	Report          Held     // the newest that is kept; the zero value is none
	Decision        Decision // the newest; the zero value is none
	CreatedAt       time.Time
	UpdatedAt       time.Time
	Version         int64 // grows by one with each line of the timeline

	dataKey    string
	fetched    bool // Report is of Journey.Succeeded, and not one that is to be replaced
	fetchUntil time.Time
}

// Held is a report that is kept.
type Held struct {
	Attempt     int // whose it is; 0 for none
	At          time.Time
	PublicToken string
}

// HasReport reports whether a report is kept, be it one that is to be replaced.
func (a Application) HasReport() bool { return a.Report.Attempt != 0 }

// Decision is what a reviewer decided of an application, without what they wrote.
type Decision struct {
	Kind       string   // of its line in the timeline
	Number     int64    // within the application, from 1
	Reasons    []string // codes of the report
	At         time.Time
	AnsweredAt time.Time // of MoreAsked: when the applicant's answer was here; zero while it is not
}

// Resumable reports whether the applicant can go on with the application, or start
// it again.
func (a Application) Resumable() bool {
	open := a.Journey.State == journey.Started || a.Journey.State == journey.Connecting || a.Journey.State == journey.Ready && a.MoreAsked()
	return a.Journey.Attempt < maxAttempts && (open || a.Journey.CanRetry())
}

// Attempt is one visit at the provider. Each has an external id of its own, so
// that its status can be asked for though nobody told us its publicToken.
type Attempt struct {
	Number      int
	Mode        Mode
	ExternalID  string
	ConsumerID  string
	Token       string // single-use initialization token; "" once its visit is over
	TokenUntil  time.Time
	Opened      bool   // the widget was begun with it
	OpenedBy    string // a Visitor.Holder; "" before, and when the visit is over
	Verified    bool   // the visit of the external id is one that the portal began
	PublicToken string // as a proof named it
	CreatedAt   time.Time

	sealed  []byte
	askedAt time.Time
}

// TimelineEntry is one line of an application's timeline. It holds nothing personal.
type TimelineEntry struct {
	Seq       int64
	At        time.Time
	Kind      string // a journey.Kind, "created", Joined, or that of a decision
	Attempt   int
	Status    contract.Status
	Substatus contract.Substatus
	Error     contract.WidgetError
	From, To  string   // states; equal when it moved nothing
	Reasons   []string // codes of the report, of a decision
}

// Joined is the Kind of a line that says that another browser was let in.
const Joined = "joined"

// Moved reports whether the line changed the state.
func (l TimelineEntry) Moved() bool { return l.From != l.To }

// Why Create and others refuse.
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

// Refused reports whether err says that Create does not take what it was given.
func Refused(err error) bool {
	return slices.ContainsFunc([]error{ErrUnknownProduct, ErrBadMode, ErrBadExternalID, ErrBadUserArgs, ErrBadURL},
		func(refusal error) bool { return errors.Is(err, refusal) })
}

// Provider is what is asked of the service. *svcapi.Client is one.
type Provider interface {
	Status(ctx context.Context, ref svcapi.Ref) (svcapi.StatusAnswer, error)
	Report(ctx context.Context, product contract.Product, ref svcapi.Ref) ([]byte, *report.Meta, error)
	Files(ctx context.Context, product contract.Product, ref svcapi.Ref) ([]svcapi.File, error)
	File(ctx context.Context, product contract.Product, ref svcapi.Ref, path string) (svcapi.Content, error)
}

// Queue takes jobs. *jobs.Queue is one.
type Queue interface {
	Enqueue(ctx context.Context, tx *store.Tx, args jobs.Args, opts ...jobs.EnqueueOption) error
}

// Service is the room. Fill the exported fields before use.
type Service struct {
	DB          *store.DB
	Queue       Queue
	Provider    Provider
	Products    map[contract.Product]string // the products of the account: kind → productId
	AssetsOnly  bool                        // its eligibility product verifies assets only
	Environment contract.Environment        // of the account; sandbox allows the integrator's variants
	Now         func() time.Time
	Log         *slog.Logger

	// FormTargets are origins, besides our own, that a form may lead to: the
	// provider's.
	FormTargets []string

	// Tell is called in the transaction of everything that changes what people
	// see of an application.
	OnChange []func(ctx context.Context, tx *store.Tx, a Application, l TimelineEntry) error

	// NotifiedDecisions are the decisions that applicants read of; nil is all that they are
	// told.
	NotifiedDecisions []string

	// Learned is called in the transaction that keeps what the applicant gave.
	OnApplicant []func(ctx context.Context, tx *store.Tx, a Application, f prefill.Fields) error

	hub hub
}

// offered are the kinds whose report this portal can fetch and show.
var offered = []contract.Product{contract.Cashflow, contract.Income, contract.Eligibility, contract.Passport}

// Offers reports whether one can apply for p here: the account has it, and the
// portal can serve it.
func (s *Service) Offers(p contract.Product) bool {
	return slices.Contains(offered, p) && s.Products[p] != ""
}

// New is what an application begins with.
type New struct {
	Product         contract.Product
	Mode            Mode           // "" is Embedded
	Variant         Variant        // "" is ByToken
	Manual          bool           // with Embedded, in the sandbox
	SandboxReportID string         // with BySandboxReport
	Origin          string         // FromWeb or FromAPI
	Prefill         prefill.Object // as it came; nil, from the API only: the applicant is asked
	ExternalID      string         // up to 64 characters; "" is the application's own id
	UserArgs        string         // up to 255 characters
	ReturnURL       string
	AllowedOrigin   string
	Lang            contract.Lang
	SessionID       string // the browser that may see it; "" is none yet
}

// Create checks and stores an application. Problems of the applicant's data come
// back with a nil error; then nothing is stored.
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

// CheckPrefill returns the problems of an applicant's data, as Create finds them.
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

// draft holds n against its bounds.
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
		a.ExternalID = a.ID // one number for whoever asks about it
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

// Browsable reports whether raw is empty or an absolute https address, or an http one
// on this machine, of printable ASCII without user or fragment.
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

// FrameOrigin reports whether raw is Browsable and has nothing after the host, as the
// origin of a site that may frame pages.
func FrameOrigin(raw string) bool {
	u, err := url.Parse(raw)
	return err == nil && Browsable(raw) && u.Path == "" && u.RawQuery == "" && !u.ForceQuery && !strings.ContainsAny(u.Host, ";,'\"*")
}

// externalID labels an attempt: the first has the application's own, a later one
// the same with its number and something that nobody foresees, for whoever does can
// begin a visit of that name in the widget; shortened to 64 characters if it must be.
func (a Application) externalID(number int) string {
	if number <= 1 {
		return a.ExternalID
	}
	var unforeseen [8]byte
	rand.Read(unforeseen[:]) // it never fails
	suffix := fmt.Sprintf("~%d-%x", number, unforeseen)
	base := []rune(a.ExternalID)
	return string(base[:min(len(base), contract.MaxExternalID-len(suffix))]) + suffix
}

// ref names the attempt's report to the provider: as a proof named it, once there is
// one.
func (t Attempt) ref() svcapi.Ref {
	if t.PublicToken != "" {
		return svcapi.Ref{PublicToken: t.PublicToken}
	}
	return svcapi.Ref{ExternalID: t.ExternalID}
}

// Get returns an application; store.ErrNotFound if there is none.
func (s *Service) Get(ctx context.Context, id string) (Application, error) {
	return get(ctx, s.DB.SQL, id)
}

// Key names the data key that what belongs to an application is sealed under;
// store.ErrNotFound if there is no such application.
func (s *Service) Key(ctx context.Context, q store.Queryer, id string) (string, error) {
	a, err := get(ctx, q, id)
	return a.dataKey, err
}

// Filter chooses applications. Its zero value is the newest 25 of all.
type Filter struct {
	State      string
	Product    contract.Product
	ExternalID string
	From, To   time.Time // when they were created: not before the one, and before the other; zero is any time
	Cursor     string    // as List returned it
	Limit      int       // 1 to 100
}

// ErrCursor says that a cursor is none of List's.
var ErrCursor = errors.New("applications: malformed cursor")

// List returns a page of applications, newest first, and the cursor of the next
// page; "" when there is none.
func (s *Service) List(ctx context.Context, f Filter) ([]Application, string, error) {
	return list(ctx, s.DB.SQL, f)
}

// Timeline returns up to limit lines that come after the line numbered after.
func (s *Service) Timeline(ctx context.Context, id string, after int64, limit int) ([]TimelineEntry, error) {
	return timeline(ctx, s.DB.SQL, id, after, limit)
}

// Applicant returns what the applicant gave; nothing when they were not asked
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

// SetApplicant keeps what the applicant gave for an application that came
// without. Problems come back with a nil error; then nothing is stored.
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

// Join lets the browser of a session in beside those that are, and says so in the
// timeline.
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

// Bind lets the browser of a session see the application.
func (s *Service) Bind(ctx context.Context, tx *store.Tx, id, sessionID string) error {
	return bind(ctx, tx, id, sessionID)
}

// Speak keeps the language of an applicant who goes on in another one: emails are
// written in it.
func (s *Service) Speak(ctx context.Context, a Application, lang contract.Lang) error {
	if a.Lang == lang {
		return nil
	}
	return setLang(ctx, s.DB.SQL, a.ID, lang)
}

// Bound reports whether the browser of a session may see the application.
func (s *Service) Bound(ctx context.Context, id, sessionID string) (bool, error) {
	if sessionID == "" {
		return false, nil
	}
	return bound(ctx, s.DB.SQL, id, sessionID)
}

// Recent returns what the browser of a session applied for, newest first.
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
