package review

import (
	"slices"
	"strings"
	"time"

	"vestibule/internal/contract"
	"vestibule/templates/ui"
)

// Menu adds the review dashboard's menu to a page, limited to what the reader may
// open. It includes the outbox if letters is set.
func Menu(p ui.Page, path string, letters, oversees, administers bool) ui.Page {
	link := func(w contract.Words, to string) {
		p.Links = append(p.Links, ui.Link{Text: w.In(p.Lang), URL: to, Current: path == to})
	}
	p.Links = nil
	link(reviewApplications, "/review")
	link(eventsTitle, "/review/events")
	if letters {
		link(dashboardLetters, "/review/letters")
	}
	if oversees {
		link(dashboardAudit, "/review/audit")
		link(dashboardDeletions, "/review/deletions")
	}
	if administers {
		link(dashboardPeople, "/review/people")
	}
	return p
}

// Said is what a page of one sentence says.
type Said int

const (
	NotYours Said = iota
	LinkOver
)

func (s Said) words() (title, text, back contract.Words, to string) {
	if s == LinkOver {
		return sayLinkOver, sayLinkOverText, dashboardToSignIn, "/review/sign-in"
	}
	return sayNotYours, sayNotYoursText, dashboardBack, "/review"
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

func (p PeopleProblem) words(l contract.Lang) string {
	switch p {
	case PeopleNoEmail:
		return peopleNoEmail.In(l)
	case PeopleKnown:
		return peopleKnown.In(l)
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

func (d PeopleDone) words(l contract.Lang) string {
	return known(l, map[PeopleDone]contract.Words{
		"":             {},
		PeopleAdded:    {EN: "The person is added.", ES: "La persona está añadida."},
		PeopleRole:     {EN: "The role is changed.", ES: "La función está cambiada."},
		PeopleDisabled: {EN: "The person is out: every session of theirs has ended.", ES: "La persona ya no tiene acceso: se cerraron todas sus sesiones."},
		PeopleEnabled:  {EN: "The person may sign in again.", ES: "La persona puede volver a entrar."},
		PeopleLinked:   {EN: "There is a new link; one from before is dead.", ES: "Hay un enlace nuevo; el anterior ya no sirve."},
	}, d)
}

func roleQuestion(l contract.Lang, chosen string) ui.Question {
	q := ui.Question{Name: "role", Label: peopleRole.In(l), Lang: l}
	for _, r := range []string{"reviewer", "administrator", "auditor"} {
		q.Options = append(q.Options, ui.Option{Value: r, Label: known(l, roleWords, r), Detail: known(l, roleMay, r), Chosen: r == chosen || chosen == "" && r == "reviewer"})
	}
	return q
}

func (v PeopleView) grid(l contract.Lang) ui.Grid {
	g := ui.Grid{Caption: dashboardPeople.In(l), HideCaption: true, Columns: []ui.Column{
		{Label: reviewEmail.In(l)}, {Label: peopleRole.In(l)}, {Label: peopleState.In(l)}, {Label: peopleSignedIn.In(l)}, {Label: peopleChange.In(l)}}}
	for _, p := range v.People {
		g.Rows = append(g.Rows, []ui.Cell{{Body: personName(l, p)}, {Text: known(l, roleWords, p.Role)}, {Body: personState(l, p)},
			{Body: personLast(l, p)}, {Body: personChanges(l, p, v.Local)}})
	}
	return g
}

// WelcomeView is where a person chooses a password.
type WelcomeView struct {
	Email, Action string
	Bad           bool
}

// AuditView is a page of the audit trail, with the filter as it was chosen.
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

// AuditLine is a line of the audit trail, with people by their e-mail.
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

func (v AuditView) grid(l contract.Lang) ui.Grid {
	g := ui.Grid{Caption: dashboardAudit.In(l), HideCaption: true, Columns: []ui.Column{
		{Label: reviewWhen.In(l)}, {Label: auditWho.In(l)}, {Label: reviewWhat.In(l)}, {Label: reviewOpen.In(l)}, {Label: auditDetail.In(l)}, {Label: auditRequest.In(l)}}}
	for _, x := range v.Lines {
		who := x.Actor
		if who == "" {
			who = dashboardNoUser.In(l)
			if x.Action == "letterSent" || x.Action == "letterFailed" || x.Action == "retentionDeleted" {
				who = dashboardPortal.In(l)
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
		g.Rows = append(g.Rows, []ui.Cell{{Body: instant(l, x.At)}, {Text: who}, {Text: known(l, actionWords, x.Action)}, app, details, {Body: mono(x.Request)}})
	}
	return g
}

// details returns the wording of a line's details.
func (x AuditLine) details(l contract.Lang) string {
	for _, table := range []map[string]contract.Words{decisionWords, roleWords, deletionWords, detailWords} {
		if w, ok := table[x.Detail]; ok {
			return w.In(l)
		}
	}
	return x.Detail
}

// options are the answers of a filter, the first of them any.
func options[K ~string](l contract.Lang, table map[K]contract.Words, all []string, chosen string) []ui.Option {
	out := []ui.Option{{Value: "", Label: listAny.In(l), Chosen: chosen == ""}}
	for _, v := range all {
		out = append(out, ui.Option{Value: v, Label: known(l, table, K(v)), Chosen: v == chosen})
	}
	return out
}

// Reason is why an application was declined, by a code of its report.
type Reason struct {
	Code   string
	Words  contract.Words // empty where the report has the code no more
	Letter contract.Words // the wording for the applicant; empty: Words
}

func (r Reason) tell(l contract.Lang) string {
	if w := r.Letter.In(l); w != "" {
		return w
	}
	return r.say(l)
}

// Told returns the reason as worded for the applicant.
func (r Reason) Told() (w contract.Words) {
	return contract.Words{EN: r.tell(contract.English), ES: r.tell(contract.Spanish)}
}

func (r Reason) say(l contract.Lang) string {
	if w := r.Words.In(l); w != "" {
		return w
	}
	return r.Code
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

func (p DecideProblem) words(l contract.Lang) string {
	return [...]contract.Words{{}, decideLate, decideTooLong, decideTooMany, decideNoReason, decideNoText}[p].In(l)
}

func (v Deciding) question(l contract.Lang) ui.Question {
	q := ui.Question{Name: "decision", Label: decideWhat.In(l), Lang: l}
	for _, d := range []string{"approved", "declined", "moreAsked", "escalated"} {
		detail := ""
		if w, ok := decideDetails[d]; ok {
			detail = w.In(l)
		}
		q.Options = append(q.Options, ui.Option{Value: d, Label: known(l, decideWords, d), Detail: detail, Chosen: d == v.Decision})
	}
	return q
}

func (v Deciding) reasons(l contract.Lang) ui.Question {
	q := ui.Question{Name: "reason", Label: decideReasons.In(l), Hint: decideUpTo.In(l), Lang: l, Optional: true}
	for _, r := range v.Known {
		q.Options = append(q.Options, ui.Option{Value: r.Code, Label: r.say(l), Badge: r.Code, Chosen: slices.Contains(v.Reasons, r.Code)})
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
