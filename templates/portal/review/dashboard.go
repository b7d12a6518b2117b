package review

import (
	"slices"
	"strings"
	"time"

	"vestibule/internal/i18n"
	"vestibule/templates/ui"
)

// Menu adds the review dashboard's menu to a page, limited to what the reader may
// open. It includes the outbox if letters is set.
func Menu(p ui.Page, path string, letters, oversees, administers bool) ui.Page {
	link := func(w i18n.Key, to string) {
		p.Links = append(p.Links, ui.Link{Text: i18n.T(p.Lang, w), URL: to, Current: path == to})
	}
	p.Links = nil
	link("review.list.title", "/review")
	link("review.events.title", "/review/events")
	if letters {
		link("review.menu.letters", "/review/letters")
	}
	if oversees {
		link("review.menu.audit", "/review/audit")
		link("review.menu.deletions", "/review/deletions")
	}
	if administers {
		link("review.menu.people", "/review/people")
	}
	return p
}

// Said is what a page of one sentence says.
type Said int

const (
	NotYours Said = iota
	LinkOver
)

func (s Said) words() (title, text, back i18n.Key, to string) {
	if s == LinkOver {
		return "review.link_over.title", "review.link_over.text", "review.menu.to_sign_in", "/review/sign-in"
	}
	return "review.forbidden.title", "review.forbidden.text", "review.menu.back", "/review"
}

// PeopleView is the page of the dashboard's users. Email and Role are as typed;
// Problem or Done is the result of the last action.
type PeopleView struct {
	By           string // email of the signed-in user
	People       []Person
	Local        bool // they have passwords here
	Email, Role  string
	Problem      PeopleProblem
	Done         PeopleDone
	Link, LinkOf string // to set a password, and whose; shown once
}

// Person is a user of the review dashboard.
type Person struct {
	ID, Email, Role string
	SignedIn        time.Time // zero for never
	Disabled        time.Time // zero: may sign in
	Self            bool
	Password        bool // has one here
	Elsewhere       bool // signs in by another account
}

// PeopleProblem is the reason that a user was not added.
type PeopleProblem int

const (
	PeopleFine PeopleProblem = iota
	PeopleNoEmail
	PeopleKnown
)

func (p PeopleProblem) words(l i18n.Lang) string {
	switch p {
	case PeopleNoEmail:
		return i18n.T(l, "review.people.no_email")
	case PeopleKnown:
		return i18n.T(l, "review.people.known")
	}
	return ""
}

// PeopleDone is the last completed action, as the page's address has it.
type PeopleDone string

const (
	PeopleAdded    PeopleDone = "added"
	PeopleRole     PeopleDone = "role"
	PeopleDisabled PeopleDone = "disabled"
	PeopleEnabled  PeopleDone = "enabled"
	PeopleLinked   PeopleDone = "linked"
)

func (d PeopleDone) words(l i18n.Lang) string {
	return i18n.Code(l, "review.people.done", d)
}

func roleQuestion(l i18n.Lang, chosen string) ui.Question {
	q := ui.Question{Name: "role", Label: i18n.T(l, "review.people.role"), Lang: l}
	for _, r := range []string{"reviewer", "administrator", "auditor"} {
		q.Options = append(q.Options, ui.Option{Value: r, Label: i18n.Code(l, "review.roles", r),
			Detail: i18n.Code(l, "review.role_permissions", r), Chosen: r == chosen || chosen == "" && r == "reviewer"})
	}
	return q
}

func (v PeopleView) grid(l i18n.Lang) ui.Grid {
	g := ui.Grid{Caption: i18n.T(l, "review.menu.people"), HideCaption: true, Columns: []ui.Column{
		{Label: i18n.T(l, "review.email.label")}, {Label: i18n.T(l, "review.people.role")}, {Label: i18n.T(l, "review.people.state")},
		{Label: i18n.T(l, "review.people.signed_in")}, {Label: i18n.T(l, "review.people.change")}}}
	for _, p := range v.People {
		g.Rows = append(g.Rows, []ui.Cell{{Body: personName(l, p)}, {Text: i18n.Code(l, "review.roles", p.Role)}, {Body: personState(l, p)},
			{Body: personLast(l, p)}, {Body: personChanges(l, p, v.Local)}})
	}
	return g
}

// WelcomeView is where a person chooses a password.
type WelcomeView struct {
	Email, Action string
	Bad           bool
}

// AuditView is a page of the audit log, with the filter as it was chosen.
type AuditView struct {
	By                                   string // email of the signed-in user
	Actor, Action, Application, From, To string
	People                               []PersonOption
	Actions                              []string
	Lines                                []AuditLine
	Older, Newest                        string // URLs; empty for none
	File                                 string // URL of all these lines for a spreadsheet
}

// PersonOption is a person to choose.
type PersonOption struct{ ID, Email string }

// AuditLine is a line of the audit log, with people by their e-mail.
type AuditLine struct {
	At                                          time.Time
	Actor, Action, Application, Object, Request string
	Detail                                      string
}

// toApplication is the beginning of an application's id, which leads there.
func toApplication(id string) ui.Cell {
	first, _, _ := strings.Cut(id, "-")
	return ui.Cell{Text: first, URL: "/review/applications/" + id}
}

func (v AuditView) grid(l i18n.Lang) ui.Grid {
	g := ui.Grid{Caption: i18n.T(l, "review.menu.audit"), HideCaption: true, Columns: []ui.Column{
		{Label: i18n.T(l, "review.when")}, {Label: i18n.T(l, "review.who")}, {Label: i18n.T(l, "review.what")},
		{Label: i18n.T(l, "review.application.label")}, {Label: i18n.T(l, "review.audit.detail")}, {Label: i18n.T(l, "review.audit.request")}}}
	for _, x := range v.Lines {
		who := x.Actor
		if who == "" {
			who = i18n.T(l, "review.audit.no_user")
			if x.Action == "letterSent" || x.Action == "letterFailed" || x.Action == "retentionDeleted" {
				who = i18n.T(l, "review.audit.portal")
			}
		}
		var app, details ui.Cell
		if x.Application != "" {
			app = toApplication(x.Application)
		}
		switch {
		case x.Action == "compared":
			details = toApplication(x.Object)
		case x.Detail != "" || x.Object != "":
			details.Body = auditDetails(l, x)
		}
		g.Rows = append(g.Rows, []ui.Cell{{Body: instant(l, x.At)}, {Text: who}, {Text: i18n.Code(l, "review.actions", x.Action)}, app,
			details, {Body: mono(x.Request)}})
	}
	return g
}

// details returns the wording of a line's details.
func (x AuditLine) details(l i18n.Lang) string {
	for _, g := range []i18n.Group{"review.decisions", "review.roles", "review.deletion.reasons", "review.audit.details"} {
		if text, ok := i18n.Find(l, g, x.Detail); ok {
			return text
		}
	}
	return x.Detail
}

// options are the answers of a filter, the first of them any.
func options(l i18n.Lang, texts i18n.Group, all []string, chosen string) []ui.Option {
	out := []ui.Option{{Value: "", Label: i18n.T(l, "review.list.any"), Chosen: chosen == ""}}
	for _, v := range all {
		out = append(out, ui.Option{Value: v, Label: i18n.Code(l, texts, v), Chosen: v == chosen})
	}
	return out
}

// Reason is why an application was declined, by a code of its report.
type Reason struct {
	Code        string
	Description string     // the report's own, of a score's reason
	Texts       i18n.Group // of other reasons
}

// LetterText returns the reason as worded for the applicant: for codes with the meaning that
// the embedded provider gives them, a full sentence.
func (r Reason) LetterText(l i18n.Lang) string {
	if r.Description != "" && r.Description == i18n.Code(i18n.English, "review.reasons", r.Code) {
		if text, ok := i18n.Find(l, "review.letter.reasons", r.Code); ok {
			return text
		}
	}
	return r.Text(l)
}

// Text returns the reason as worded for reviewers.
func (r Reason) Text(l i18n.Lang) string {
	switch {
	case r.Texts != "":
		return i18n.Code(l, r.Texts, r.Code)
	case r.Description != "":
		return ReasonWords(l, r.Code, r.Description)
	}
	return r.Code // which the report has no more
}

// ScoreReason is a score's reason, with its description in the report.
func ScoreReason(code, description string) Reason {
	return Reason{Code: code, Description: description}
}

// DocumentReason is an irregularity that was found in a document.
func DocumentReason(code string) Reason {
	return Reason{Code: code, Texts: "review.irregularities"}
}

// IncompleteReason is what an application lacks, by the check that does not hold.
func IncompleteReason(check string) Reason {
	return Reason{Code: check, Texts: "review.incomplete"}
}

// Deciding is the decision form. Decision, Reasons and Text are as typed; Problem
// is the reason that they were refused.
type Deciding struct {
	Known []Reason   // what the report gives
	Taken []Decision // the newest first
	Seen  int64      // how many the page shows

	Decision string
	Reasons  []string
	Text     string
	Problem  DecideProblem
}

// Decision is one decision.
type Decision struct {
	Decision string
	Reasons  []Reason
	Text     string
	By       string // an email address; empty for a removed user
	At       time.Time

	AnsweredAt time.Time // of more that was asked for: when the answer was here
	Email      Email     // to the applicant
}

// Note is what one reviewer tells the others.
type Note struct {
	Text, By string
	At       time.Time
}

// DecideProblem is why a decision was not taken.
type DecideProblem int

const (
	DecideFine DecideProblem = iota
	DecideLate
	DecideTooLong
	DecideTooMany
	DecideNoReason
	DecideNoText
)

func (p DecideProblem) words(l i18n.Lang) string {
	return i18n.T(l, [...]i18n.Key{"", "review.decide.late", "review.decide.too_long", "review.decide.too_many", "review.decide.no_reason",
		"review.decide.no_text"}[p])
}

func (v Deciding) question(l i18n.Lang) ui.Question {
	q := ui.Question{Name: "decision", Label: i18n.T(l, "review.decide.what"), Lang: l}
	for _, d := range []string{"approved", "declined", "moreAsked", "escalated"} {
		detail, _ := i18n.Find(l, "review.decide.details", d)
		q.Options = append(q.Options, ui.Option{Value: d, Label: i18n.Code(l, "review.decide.choices", d), Detail: detail,
			Chosen: d == v.Decision})
	}
	return q
}

func (v Deciding) reasons(l i18n.Lang) ui.Question {
	q := ui.Question{Name: "reason", Label: i18n.T(l, "review.decide.reasons"), Hint: i18n.T(l, "review.decide.up_to"), Lang: l,
		Optional: true}
	for _, r := range v.Known {
		q.Options = append(q.Options, ui.Option{Value: r.Code, Label: r.Text(l), Badge: r.Code, Chosen: slices.Contains(v.Reasons, r.Code)})
	}
	return q
}

func decisionTone(decision string) ui.Tone {
	switch decision {
	case "approved":
		return ui.Success
	case "declined":
		return ui.Danger
	case "moreAsked", "escalated":
		return ui.Warning
	}
	return ui.Neutral
}

// lines are the lines of a text.
func lines(s string) []string { return strings.Split(s, "\n") }
