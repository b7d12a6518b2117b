// Package portal renders the pages for applicants: the landing page, the form, the page
// with the widget, the redirect by a form, the status page, and notices of errors. Every
// page works without script, has no inline script or style, and exists in each language.
package portal

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/a-h/templ"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/journey"
	"vestibule/internal/report"
	"vestibule/templates/ui"
)

// Assets returns the addresses of the files that a page loads. *web.Assets implements it.
type Assets interface{ URL(name string) string }

// Base holds the data that all pages share.
type Base struct {
	Lang      i18n.Lang
	Assets    Assets
	Languages []ui.Choice // the same page in other languages
	Sandbox   bool        // the footer says so
	Framed    bool        // inside another site's frame: without header and footer
	Frame     Frame       // with Framed
	Brand     Brand

	// AccessURL is the verification service's page where applicants see and end what they
	// shared; "" if it is not known.
	AccessURL string

	AssetsOnly bool // the eligibility product verifies only assets, so the form does not ask for employers
}

// Frame describes the page around a framed page, which receives its messages.
type Frame struct {
	Parent      string // origin of that page
	Application string
	Error       string // error type to report to it; "" for none
	Back        string // with the widget: where a bank's pages lead if they took that page's window
}

// In returns the data of a page in the frame of another site.
func (b Base) In(parent, application string) Base {
	b.Framed, b.Languages, b.Frame = true, nil, Frame{Parent: parent, Application: application}
	return b
}

// accessLink returns AccessURL in the page's language.
func (b Base) accessLink() string { return b.AccessURL + "?lang=" + string(b.Lang) }

// leaveFrame returns the attributes of a link that leaves the frame.
func (b Base) leaveFrame() templ.Attributes {
	if b.Framed {
		return templ.Attributes{"target": "_top"}
	}
	return nil
}

// company names the company that asks.
func (b Base) company() string { return cmp.Or(b.Brand.Name, i18n.T(b.Lang, "landing.company")) }

// Say returns a text, which may name the company and begins with a capital letter.
func (b Base) Say(k i18n.Key) string {
	text := i18n.T(b.Lang, k, "company", b.company())
	if b.Brand.Name != "" {
		return text
	}
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}

func (b Base) page(title string, scripts ...string) ui.Page {
	p := ui.Page{Lang: b.Lang, Title: title, Description: i18n.T(b.Lang, "landing.intro"), Home: "/", Icon: b.Assets.URL("icon.svg"),
		Font:   b.Assets.URL("inter.woff2"),
		Styles: []string{b.Assets.URL("portal.css")}, Languages: b.Languages, Bare: b.Framed}
	p.Attrs = templ.Attributes{}
	if b.Framed {
		scripts = append(scripts, "framed.js")
		p.Attrs["data-parent"], p.Attrs["data-application"] = b.Frame.Parent, b.Frame.Application
		if b.Frame.Back != "" {
			p.Attrs["data-back"] = b.Frame.Back
		}
		if b.Frame.Error != "" {
			p.Attrs["data-error"] = b.Frame.Error
		}
	}
	for _, s := range scripts {
		p.Scripts = append(p.Scripts, b.Assets.URL(s))
	}
	b.Brand.ApplyTo(&p)
	if b.Sandbox || b.Brand.Privacy || b.Brand.Terms || b.Brand.Support != (Support{}) {
		p.Footer = applicantFooter(b)
	}
	return p
}

// wasm returns a page with the module that validates the form and registers the widget.
func (b Base) wasm(title string, scripts ...string) ui.Page {
	p := b.page(title, append([]string{"module.js"}, scripts...)...)
	p.Attrs["data-wasm"], p.Attrs["data-wasm-exec"] = b.Assets.URL("vestibule.wasm"), b.Assets.URL("wasm_exec.js")
	p.Attrs["data-wasm-worker"] = b.Assets.URL("warm.js")
	return p
}

func about(p ui.Page, text string) ui.Page {
	p.Description = text
	return p
}

// Landing is the first page.
type Landing struct {
	Base
	Products []contract.Product // offered products
	Recent   []RecentApplication
	Resume   *RecentApplication // the newest that the applicant can continue; nil for none
	Return   bool               // offers to find an application of another browser

	// Usual is how long applicants need after the form, by product; a missing product is
	// estimated by its steps.
	Usual map[contract.Product]time.Duration
}

// RecentApplication is an application of this browser.
type RecentApplication struct {
	URL     string
	Product contract.Product
	State   string
	At      time.Time
}

// Apply is the form.
type Apply struct {
	Base
	Product   contract.Product
	Action    string            // address of the POST
	Today     string            // YYYY-MM-DD, UTC
	Values    map[string]string // by field name, as typed; never echoed unless the form was refused
	Employers []string          // of statedEmployerNames, as Values
	Problems  []Problem
	Notice    i18n.Key // another reason why the form was rejected; "" for none
	Mode      string   // where the applicant verifies; "" for the recommended mode
	AskMode   bool     // the applicant chooses the mode
	Probe     string   // name of the form field that marks a set cookie; "" for none

	// CookieStyle is the style sheet that hides the form if the browser sends no
	// cookie back; "" once a cookie arrived.
	CookieStyle string
	Integrator  *Integrator // the sandbox's options for integrators; nil hides them
}

// Problem is an invalid field.
type Problem struct {
	Field string
	Text  i18n.Key
}

// Integrator holds the options that initialize the widget.
type Integrator struct {
	Variant         string // token, prefill, consumer, sandbox-report
	Manual          bool
	SandboxReportID string
}

func (a Apply) layout() ui.Page {
	p := about(a.wasm(i18n.Code(a.Lang, "apply.title", a.Product), "offline.js"), i18n.T(a.Lang, a.applyIntro(a.Product)))
	p.Attrs["data-page"] = "apply"
	p.Refused = len(a.Problems) > 0 || a.Notice != ""
	if p.Languages == nil && !a.Framed { // the answer to a POST
		p.Languages = ui.Languages(a.Lang, &url.URL{Path: a.Action})
		for i := range p.Languages {
			p.Languages[i].Form = "apply"
		}
	}
	if a.CookieStyle != "" {
		p.Styles = append(p.Styles, a.CookieStyle)
	}
	return p
}

func (a Apply) value(name string) string { return a.Values[name] }

func (a Apply) problem(name string) string {
	for _, p := range a.Problems {
		if p.Field == name {
			return i18n.T(a.Lang, p.Text)
		}
	}
	return ""
}

func (a Apply) input(name string, label i18n.Key) ui.Input {
	return ui.Input{Name: name, Label: i18n.T(a.Lang, label), Lang: a.Lang, Value: a.value(name), Error: a.problem(name)}
}

func (a Apply) fieldErrors() []ui.FieldError {
	var out []ui.FieldError
	for _, p := range a.Problems {
		field := p.Field
		if field == "dob" {
			field = "dob-month"
			if a.Lang == i18n.Spanish {
				field = "dob-day"
			}
		}
		out = append(out, ui.FieldError{Field: field, Words: i18n.T(a.Lang, p.Text)})
	}
	return out
}

func (a Apply) isChosen(mode string) bool {
	return a.Mode == mode || a.Mode == "" && mode == "embedded"
}

// Connect is the page with the widget.
type Connect struct {
	Base
	Product         contract.Product
	Script          string // the provider's widget script
	Global          string // the global object that it defines
	Env             contract.Environment
	ProductID       string
	PublicID        string
	Token           string
	Prefill         string // JSON; "" for none
	ConsumerID      string
	ExternalID      string
	UserArgs        string
	SandboxReportID string
	Manual          bool
	Attempt         int
	Resumed         bool // its widget was opened in this browser before
	State           string
	Today           string
	Report          string // address that receives the widget's callbacks
	Next            string // the status page
	Restart         string // POST address that opens another attempt
	Resume          ResumeOptions
}

func (c Connect) layout() ui.Page {
	p := about(c.wasm(i18n.Code(c.Lang, "connect.title", c.titled(c.Product)), "connect.js"), i18n.T(c.Lang, "connect.intro"))
	if !c.Manual {
		p.Head = opening(c.Assets.URL("opening.js"))
	}
	return p
}

func (c Connect) attrs() templ.Attributes {
	a := templ.Attributes{"data-vestibule": "connect", "data-phase": "loading", "data-script": c.Script, "data-global": c.Global,
		"data-env": string(c.Env), "data-product-id": c.ProductID, "data-public-id": c.PublicID,
		"data-product": string(c.Product), "data-today": c.Today, "data-attempt": strconv.Itoa(c.Attempt),
		"data-report": c.Report, "data-next": c.Next, "data-state": c.State}
	for name, v := range map[string]string{"data-token": c.Token, "data-prefill": c.Prefill, "data-consumer-id": c.ConsumerID,
		"data-external-id": c.ExternalID, "data-user-args": c.UserArgs, "data-sandbox-report-id": c.SandboxReportID} {
		if v != "" {
			a[name] = v
		}
	}
	if c.Manual {
		a["data-manual-fire"] = true
	}
	if c.Resumed {
		a["data-resumed"] = "on"
	}
	return a
}

// Leave sends the applicant to the provider by a form POST.
type Leave struct {
	Base
	URL   string
	Field string // of the form, which brings the token
	Token string

	// Text and Button replace the words about the provider's site, unless they are empty.
	Text, Button i18n.Key

	Waits bool // for the button, unless the browser says that another page led here
}

// Status is the state of an application.
type Status struct {
	Base
	ID        string
	Product   contract.Product
	State     string
	Version   int64
	Title     i18n.Key // the state in a heading
	Text      i18n.Key // its meaning and the next step
	Decision  string   // the reviewer's decision, if shown to the applicant; "" for none
	Asked     Asked    // for the decision moreAsked
	Detail    i18n.Key // the reason; may be empty
	Tone      ui.Tone
	Moving    bool // the state may change without the applicant
	Slow      bool // it takes longer than usual
	Retry     bool // starting again can help
	Final     bool // the state changes no more by itself
	Stream    string
	Self      string // this page
	Restart   string
	Connect   string  // where the verification continues; "" if it is over
	Other     bool    // offers the provider's page instead of the widget
	Correct   string  // address of a new form; "" if that cannot help
	Support   Support // contacts for help
	ReturnURL string
	Resume    ResumeOptions
	Lines     []StatusLine
	Receipt   *Receipt // with a report
}

// Receipt states what an applicant shared, and how long the portal keeps it.
type Receipt struct {
	From   []report.Source
	Shared time.Time
	Until  time.Time // when the service stops giving the report out; zero: unknown
	Days   int       // without activity, after which the application is deleted; 0: not by itself
	Shows  bool      // the page shows the decision
	Emails bool      // with Shows: an email says it, too
}

// deleteText names the company for what the applicant cannot end at the service.
func (s Status) deleteText() i18n.Key {
	if s.AccessURL != "" {
		return "status.receipt.delete_only"
	}
	return "status.receipt.delete"
}

// offersAccess reports whether the page links what was shared outside the receipt: a visit
// that ended without a report may have left access open.
func (s Status) offersAccess() bool {
	return s.AccessURL != "" && s.Receipt == nil && s.State != string(journey.Started) && s.State != string(journey.Connecting)
}

func (s Status) receiptFacts() []ui.Fact {
	var from []string
	for _, x := range s.Receipt.From {
		name := report.SourceName(x.SourceID)
		switch x.SourceType {
		case report.SourcePaystub:
			name = i18n.T(s.Lang, "visit.connected.pay_stubs")
		case report.VerifiedByDocument, report.SourceIdentityDocument:
			name = i18n.T(s.Lang, "visit.connected.documents")
		}
		if !slices.Contains(from, name) {
			from = append(from, name)
		}
	}
	var facts []ui.Fact
	if s.Brand.Name != "" {
		facts = append(facts, ui.Fact{Term: i18n.T(s.Lang, "visit.receipt.with"), Text: s.Brand.Name})
	}
	if len(from) > 0 {
		facts = append(facts, ui.Fact{Term: i18n.T(s.Lang, "visit.receipt.from"), Text: strings.Join(from, ", ")})
	}
	kept := s.Say("status.receipt.kept_open")
	if s.Receipt.Days > 0 {
		kept = i18n.N(s.Lang, "status.receipt.kept_days", s.Receipt.Days)
	}
	facts = append(facts, ui.Fact{Term: i18n.T(s.Lang, "visit.receipt.shared"), Text: ui.DayWords(s.Lang, s.Receipt.Shared.UTC())})
	if !s.Receipt.Until.IsZero() {
		facts = append(facts, ui.Fact{Term: i18n.T(s.Lang, "visit.receipt.until"), Text: ui.DayWords(s.Lang, s.Receipt.Until.UTC())})
	}
	facts = append(facts, ui.Fact{Term: i18n.T(s.Lang, "status.receipt.kept"), Text: kept})
	if s.Decision != "" {
		return facts
	}
	next := i18n.Key("status.receipt.next")
	switch {
	case s.Receipt.Shows && s.Receipt.Emails:
		next = "status.receipt.next_email"
	case s.Receipt.Shows:
		next = "status.receipt.next_here"
	}
	return append(facts, ui.Fact{Term: i18n.T(s.Lang, "status.receipt.next_title"), Text: s.Say(next)})
}

// Asked is a reviewer's request for more.
type Asked struct {
	Text    string // as the reviewer wrote it
	Reasons []string
}

func (a Asked) lines() []string { return strings.Split(a.Text, "\n") }

// badge returns the text and the tone of the application's state.
func (s Status) badge() (ui.Tone, string) {
	switch s.Decision {
	case "approved":
		return ui.Success, i18n.T(s.Lang, "status.badge.approved")
	case "declined":
		return ui.Neutral, i18n.T(s.Lang, "status.badge.declined")
	case "moreAsked":
		if !s.Moving {
			return ui.Warning, i18n.T(s.Lang, "status.more_needed.title")
		}
	}
	return tone(s.State), i18n.Code(s.Lang, "status.states", s.State)
}

// StatusLine is an entry of the timeline for applicants.
type StatusLine struct {
	At   time.Time
	Text i18n.Key
}

func (s Status) retryWords() string {
	if s.Decision == "moreAsked" && s.State == "ready" {
		return i18n.T(s.Lang, "apply.continue")
	}
	return i18n.T(s.Lang, "notice.try_again")
}

// step returns the step of an application that only moves forward; 0 for none: the verification
// shows steps of its own, and an application may go through it again.
func (s Status) step() int {
	if s.Decision != "" {
		return 0
	}
	return map[string]int{"returned": 2, "pending": 2, "ready": 3}[s.State]
}

func (b Base) steps(current int) ui.Steps {
	return ui.Steps{Lang: b.Lang, Current: current, Names: []string{
		i18n.T(b.Lang, "steps.details"), i18n.T(b.Lang, "steps.verification"), i18n.T(b.Lang, "status.report")}}
}

func (s Status) attrs() templ.Attributes {
	a := templ.Attributes{"data-version": strconv.FormatInt(s.Version, 10), "data-state": s.State, "data-application": s.ID,
		"data-title": i18n.T(s.Lang, s.Title)}
	if s.Decision != "" {
		a["data-decision"] = s.Decision
	}
	if !s.Final {
		a["data-stream"] = s.Stream
	}
	return a
}

func (f Find) layout() ui.Page {
	p := about(f.page(i18n.T(f.Lang, "resume.find.title")), i18n.T(f.Lang, "resume.find.text"))
	p.Refused = f.Problem != ""
	if p.Languages == nil { // the answer to a POST
		p.Languages = ui.Languages(f.Lang, &url.URL{Path: "/return"})
	}
	return p
}

// Notice is a page that says why a request failed, or confirms it.
type Notice struct {
	Base
	Title     i18n.Key
	Text      i18n.Key
	Tone      ui.Tone
	RequestID string
	Retry     string  // the address to try again by GET; "" for none
	Post      string  // the same by POST; "" for none
	Home      string  // the first page of its kind; "" for none
	Next      string  // the application's page, to go back to; "" for none
	Return    bool    // offers to find an application of another browser
	Support   Support // contacts for help
}

func (s Status) layout() ui.Page {
	p := about(s.page(i18n.T(s.Lang, s.Title), "status.js"), s.Say(s.Text))
	if s.Moving {
		p.Head = refresh(s.Self)
	}
	return p
}

// intro returns the text below the heading. What follows a success is part of it.
func (s Status) intro() string {
	if s.Tone == ui.Success && s.Detail != "" {
		return s.Say(s.Text) + " " + s.Say(s.Detail)
	}
	return s.Say(s.Text)
}

// returnWords names the company that the return button leads to, if the brand does.
func (s Status) returnWords() string {
	if s.Brand.Name == "" {
		return i18n.T(s.Lang, "status.return")
	}
	return s.Say("status.return_to")
}

func (s Status) returnKind() ui.Kind {
	if s.State == "ready" && !s.Retry {
		return ui.Primary
	}
	return ui.Secondary
}
