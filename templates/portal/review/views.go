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
