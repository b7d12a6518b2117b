package review

import (
	"net/url"
	"strconv"
	"strings"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/staff"
	"vestibule/templates/ui"
)

// signInProblems maps the sign-in page's problems to their texts.
var signInProblems = map[staff.Problem]i18n.Key{
	staff.WrongPassword: "review.sign_in.wrong", staff.TooManyTries: "review.sign_in.too_many", staff.NotAdmitted: "review.sign_in.no_entry",
	staff.IssuerFailed: "review.sign_in.oidc_failed", staff.ClaimsMissing: "review.sign_in.no_claims",
}

// oidcLogin returns the address where the sign-in at the issuer begins.
func oidcLogin(next string) string {
	if next == "" {
		return "/review/oidc/login"
	}
	return "/review/oidc/login?" + url.Values{"next": {next}}.Encode()
}

// ListView is a page of applications.
type ListView struct {
	By       string // email of the signed-in user
	States   []State
	Filter   Filter
	Narrowed bool // the filter excludes applications
	Over     bool // the search has expired
	// Everywhere is the same search without the other filters; empty without filters.
	Everywhere string
	Rows       []Row
	Older      string // URL of the next page; empty on the last
	Newest     string // URL of the first page; empty on it
}

// Filter holds the filters of the list, as they are in the form. Dates are in
// ISO 8601 format.
type Filter struct{ Text, State, Product, Outcome, Decision, From, To string }

// narrow reports whether the filter has more than a text and a state.
func (f Filter) narrow() bool {
	return f.Product != "" || f.Outcome != "" || f.Decision != "" || f.From != "" || f.To != ""
}

// State is one filter of the list.
type State struct {
	State   string // empty selects all
	Count   int
	Most    int // limit of Count
	URL     string
	Current bool
}

func (s State) more() bool { return s.Most > 0 && s.Count >= s.Most }

func (s State) count() string {
	if s.more() {
		return grouped(strconv.Itoa(s.Most)) + "+"
	}
	return strconv.Itoa(s.Count)
}

func (s State) name(l i18n.Lang) string {
	if s.State == "" {
		return i18n.T(l, "review.list.all")
	}
	return stateName(l, s.State)
}

// Row is one application of the list.
type Row struct {
	ID         string
	ExternalID string
	Name       string // the applicant's; empty if unknown
	Product    contract.Product
	Mode       string
	State      string
	Decision   string    // the newest; empty for none
	AnsweredAt time.Time // for moreAsked: when the answer arrived; zero before
	Attempt    int
	CreatedAt  time.Time
	UpdatedAt  time.Time
}

func (v ListView) grid(l i18n.Lang) ui.Grid {
	g := ui.Grid{Caption: i18n.T(l, "review.list.title"), HideCaption: true, Columns: []ui.Column{
		{Label: i18n.T(l, "review.application.label")}, {Label: i18n.T(l, "review.list.name")},
		{Label: i18n.T(l, "review.application.product")}, {Label: i18n.T(l, "review.application.state")}, {Label: i18n.T(l, "review.decision")},
		{Label: i18n.T(l, "review.application.began")}, {Label: i18n.T(l, "review.application.moved")},
	}}
	for _, r := range v.Rows {
		g.Rows = append(g.Rows, []ui.Cell{
			{Text: shorten(r), URL: "/review/applications/" + r.ID},
			{Body: given(l, r.Name)},
			{Text: i18n.Code(l, "review.products", r.Product)},
			{Body: stateBadge(l, r.State)},
			{Body: r.decision(l)},
			{Body: when(l, r.CreatedAt)},
			{Body: when(l, r.UpdatedAt)},
		})
	}
	return g
}

// ApplicationView is the page of an application.
type ApplicationView struct {
	By         string
	Row        Row
	Origin     string
	UserArgs   string
	Words      []i18n.Key // text that the applicant sees
	Token      string     // publicToken
	Status     contract.Status
	Substatus  contract.Substatus
	Error      contract.WidgetError
	HasReport  bool
	ReportPage bool // the report can be shown as a page
	ReportAt   time.Time
	Attempts   []Attempt
	Timeline   []Line
	Email      string // the applicant's
	Sharing    Sharing
	Stated     *Stated      // nil if the applicant stated nothing
	Reports    []HeldReport // stored reports, newest first
	Deciding   Deciding
	Notes      []Note // newest first
	Note       string // as typed
	NoteBad    bool
	Done       string  // decided, noted: the last completed action
	Others     []Other // of the same applicant
	MoreOthers bool    // there are more than listed

	// What the signed-in user may do besides reading.
	Decides, Administers, Oversees bool
}

// Attempt is an attempt of the applicant to connect.
type Attempt struct {
	Number      int
	Began, Last time.Time
	State       string // the last state
	Result      string // status, substatus or error, as far as known
}

// Line is an entry of the timeline.
type Line struct {
	At        time.Time
	Kind      string
	Attempt   int
	Status    contract.Status
	Substatus contract.Substatus
	Error     contract.WidgetError
	From, To  string
}

// Result joins the status, substatus and error of an entry or an attempt.
func Result(status contract.Status, substatus contract.Substatus, problem contract.WidgetError) string {
	out := string(status)
	for _, s := range []string{string(substatus), string(problem)} {
		switch {
		case s == "":
		case out == "":
			out = s
		default:
			out += " · " + s
		}
	}
	return out
}

func (v ApplicationView) facts(l i18n.Lang) []ui.Fact {
	facts := []ui.Fact{
		{Term: i18n.T(l, "review.letter.ref"), Body: given(l, v.Row.ID)},
		{Term: i18n.T(l, "review.application.state"), Body: stateBadge(l, v.Row.State)},
		{Term: i18n.T(l, "review.application.told"), Text: sentences(l, v.Words)},
		{Term: i18n.T(l, "review.list.name"), Body: given(l, v.Row.Name)},
		{Term: i18n.T(l, "review.email.label"), Body: given(l, v.Email)},
		{Term: i18n.T(l, "review.application.product"), Text: i18n.Code(l, "review.products", v.Row.Product)},
		{Term: i18n.T(l, "review.application.mode"), Text: i18n.Code(l, "review.modes", v.Row.Mode)},
		{Term: i18n.T(l, "review.application.origin"), Text: i18n.Code(l, "review.origins", v.Origin)},
		{Term: i18n.T(l, "review.application.began"), Body: when(l, v.Row.CreatedAt)},
		{Term: i18n.T(l, "review.application.moved"), Body: when(l, v.Row.UpdatedAt)},
		{Term: i18n.T(l, "review.application.external_id"), Body: given(l, v.Row.ExternalID)},
		{Term: i18n.T(l, "review.application.user_args"), Body: given(l, v.UserArgs)},
		{Term: i18n.T(l, "review.application.public_token"), Body: given(l, v.Token)},
	}
	if r := Result(v.Status, v.Substatus, v.Error); r != "" {
		facts = append(facts, ui.Fact{Term: i18n.T(l, "review.application.report_status"), Text: r})
	}
	return facts
}

func (v ApplicationView) attempts(l i18n.Lang) ui.Grid {
	g := ui.Grid{Caption: i18n.T(l, "review.application.attempts"), HideCaption: true, Columns: []ui.Column{
		{Label: i18n.T(l, "review.application.attempt"),
			Number: true}, {Label: i18n.T(l, "review.application.began")}, {Label: i18n.T(l, "review.application.moved")},
		{Label: i18n.T(l, "review.application.state")}, {Label: i18n.T(l, "review.application.result")},
	}}
	for _, a := range v.Attempts {
		g.Rows = append(g.Rows, []ui.Cell{{Text: strconv.Itoa(a.Number)}, {Body: when(l, a.Began)}, {Body: when(l, a.Last)},
			{Body: stateBadge(l, a.State)}, {Body: given(l, a.Result)}})
	}
	return g
}

func (v ApplicationView) timeline(l i18n.Lang) ui.Grid {
	g := ui.Grid{Caption: i18n.T(l, "review.application.timeline_caption"), HideCaption: true, Columns: []ui.Column{
		{Label: i18n.T(l, "review.when")}, {Label: i18n.T(l, "review.what")}, {Label: i18n.T(l, "review.application.attempt"),
			Number: true}, {Label: i18n.T(l, "review.application.result")}, {Label: i18n.T(l, "review.application.state_after")},
	}}
	for _, t := range v.Timeline {
		attempt := ""
		if t.Attempt > 0 {
			attempt = strconv.Itoa(t.Attempt)
		}
		after := ui.Cell{Body: stateBadge(l, t.To)}
		if t.From == t.To {
			after = ui.Cell{Text: i18n.T(l, "review.application.unchanged")}
		}
		g.Rows = append(g.Rows, []ui.Cell{{Body: when(l, t.At)}, {Text: i18n.Code(l, "review.timeline", t.Kind)}, {Text: attempt},
			{Text: Result(t.Status, t.Substatus, t.Error)}, after})
	}
	return g
}

func titled(p ui.Page, title string) ui.Page {
	p.Title = title
	return p
}

// shorten returns the name of an application in headings and lists: the customer's label,
// or the beginning of its ID.
func shorten(r Row) string {
	if r.ExternalID != "" && r.ExternalID != r.ID {
		return r.ExternalID
	}
	first, _, _ := strings.Cut(r.ID, "-")
	return first
}

func statusTone(s contract.Status) ui.Tone {
	switch {
	case s == contract.StatusSuccess:
		return ui.Success
	case s == contract.StatusPending:
		return ui.Info
	case s == contract.StatusExpired:
		return ui.Warning
	}
	return ui.Danger
}

// HeldReport is a stored report.
type HeldReport struct {
	Attempt int
	At      time.Time
}

// earlier returns the address of an earlier report.
func (v ApplicationView) earlier(h HeldReport, as string) string {
	return "/review/applications/" + v.Row.ID + "/" + as + "?attempt=" + strconv.Itoa(h.Attempt)
}

// sentences joins texts, some of which are headings without a full stop.
func sentences(l i18n.Lang, words []i18n.Key) string {
	var out []string
	for _, w := range words {
		out = append(out, strings.TrimSuffix(i18n.T(l, w), "."))
	}
	return strings.Join(out, ". ") + "."
}
