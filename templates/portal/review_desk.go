package portal

import (
	"slices"
	"strings"
	"time"

	"vestibule/internal/svc"
	"vestibule/templates/ui"
)

// ReviewMenu gives a page the desk's menu, as far as it is the reader's. Letters
// are in it where they wait in an outbox.
func ReviewMenu(p ui.Page, path string, letters, oversees, administers bool) ui.Page {
	link := func(w svc.Words, to string) {
		p.Links = append(p.Links, ui.Link{Text: w.In(p.Lang), URL: to, Current: path == to})
	}
	p.Links = nil
	link(reviewApplications, "/review")
	link(eventsTitle, "/review/events")
	if letters {
		link(deskLetters, "/review/letters")
	}
	if oversees {
		link(deskAudit, "/review/audit")
		link(deskDeletions, "/review/deletions")
	}
	if administers {
		link(deskPeople, "/review/people")
	}
	return p
}

// ReviewSaid is what a page of one sentence says.
type ReviewSaid int

const (
	ReviewNotYours ReviewSaid = iota
	ReviewLinkOver
)

func (s ReviewSaid) words() (title, text, back svc.Words, to string) {
	if s == ReviewLinkOver {
		return sayLinkOver, sayLinkOverText, deskToSignIn, "/review/sign-in"
	}
	return sayNotYours, sayNotYoursText, deskBack, "/review"
}

// ReviewPeopleView is the desk's people. Email and Role are as typed, and Problem
// or Done what came of it.
type ReviewPeopleView struct {
	By           string // e-mail of who is signed in
	People       []ReviewPerson
	Local        bool // they have passwords here
	Email, Role  string
	Problem      ReviewPeopleProblem
	Done         ReviewPeopleDone
	Link, LinkOf string // to set a password, and whose; shown once
}

// ReviewPerson is one of the desk's people.
type ReviewPerson struct {
	ID, Email, Role string
	SignedIn        time.Time // zero for never
	Disabled        time.Time // zero: may sign in
	Self            bool
	Password        bool // has one here
	Elsewhere       bool // signs in by another account
}

// ReviewPeopleProblem is why nobody was added.
type ReviewPeopleProblem int

const (
	ReviewPeopleFine ReviewPeopleProblem = iota
	ReviewPeopleNoEmail
	ReviewPeopleKnown
)

func (p ReviewPeopleProblem) words(l svc.Lang) string {
	switch p {
	case ReviewPeopleNoEmail:
		return peopleNoEmail.In(l)
	case ReviewPeopleKnown:
		return peopleKnown.In(l)
	}
	return ""
}

// ReviewPeopleDone is what was just done, as it stands in the page's address.
type ReviewPeopleDone string

const (
	ReviewPeopleAdded    ReviewPeopleDone = "added"
	ReviewPeopleRole     ReviewPeopleDone = "role"
	ReviewPeopleDisabled ReviewPeopleDone = "disabled"
	ReviewPeopleEnabled  ReviewPeopleDone = "enabled"
	ReviewPeopleLinked   ReviewPeopleDone = "linked"
)

func (d ReviewPeopleDone) words(l svc.Lang) string {
	return known(l, map[ReviewPeopleDone]svc.Words{
		"":                   {},
		ReviewPeopleAdded:    {EN: "The person is added.", ES: "La persona está añadida."},
		ReviewPeopleRole:     {EN: "The role is changed.", ES: "La función está cambiada."},
		ReviewPeopleDisabled: {EN: "The person is out: every session of theirs has ended.", ES: "La persona ya no tiene acceso: se cerraron todas sus sesiones."},
		ReviewPeopleEnabled:  {EN: "The person may sign in again.", ES: "La persona puede volver a entrar."},
		ReviewPeopleLinked:   {EN: "There is a new link; one from before is dead.", ES: "Hay un enlace nuevo; el anterior ya no sirve."},
	}, d)
}

func roleQuestion(l svc.Lang, chosen string) ui.Question {
	q := ui.Question{Name: "role", Label: peopleRole.In(l), Lang: l}
	for _, r := range []string{"reviewer", "administrator", "auditor"} {
		q.Options = append(q.Options, ui.Option{Value: r, Label: known(l, roleWords, r), Detail: known(l, roleMay, r), Chosen: r == chosen || chosen == "" && r == "reviewer"})
	}
	return q
}

func (v ReviewPeopleView) grid(l svc.Lang) ui.Grid {
	g := ui.Grid{Caption: deskPeople.In(l), HideCaption: true, Columns: []ui.Column{
		{Label: reviewEmail.In(l)}, {Label: peopleRole.In(l)}, {Label: peopleState.In(l)}, {Label: peopleSignedIn.In(l)}, {Label: peopleChange.In(l)}}}
	for _, p := range v.People {
		g.Rows = append(g.Rows, []ui.Cell{{Body: personName(l, p)}, {Text: known(l, roleWords, p.Role)}, {Body: personState(l, p)},
			{Body: personLast(l, p)}, {Body: personChanges(l, p, v.Local)}})
	}
	return g
}

// ReviewWelcomeView is where a person chooses a password.
type ReviewWelcomeView struct {
	Email, Action string
	Bad           bool
}

// ReviewAuditView is a page of the audit trail, with the filter as it was chosen.
type ReviewAuditView struct {
	By                                   string // e-mail of who is signed in
	Actor, Action, Application, From, To string
	People                               []ReviewPersonOption
	Actions                              []string
	Lines                                []ReviewAuditLine
	Older, Newest                        string // URLs; empty for none
}

// ReviewPersonOption is a person to choose.
type ReviewPersonOption struct{ ID, Email string }

// ReviewAuditLine is a line of the audit trail, with people by their e-mail.
type ReviewAuditLine struct {
	At                                          time.Time
	Actor, Action, Application, Object, Request string
	Detail                                      string
}

// toApplication is the beginning of an application's id, which leads there.
func toApplication(id string) ui.Cell {
	first, _, _ := strings.Cut(id, "-")
	return ui.Cell{Text: first, URL: "/review/applications/" + id}
}

func (v ReviewAuditView) grid(l svc.Lang) ui.Grid {
	g := ui.Grid{Caption: deskAudit.In(l), HideCaption: true, Columns: []ui.Column{
		{Label: reviewWhen.In(l)}, {Label: auditWho.In(l)}, {Label: reviewWhat.In(l)}, {Label: reviewOpen.In(l)}, {Label: auditDetail.In(l)}, {Label: auditRequest.In(l)}}}
	for _, x := range v.Lines {
		who := x.Actor
		if who == "" {
			who = deskNobody.In(l)
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

// details is what a line's word of the desk's own says.
func (x ReviewAuditLine) details(l svc.Lang) string {
	for _, table := range []map[string]svc.Words{decisionWords, roleWords, deletionWords, detailWords} {
		if w, ok := table[x.Detail]; ok {
			return w.In(l)
		}
	}
	return x.Detail
}

// options are the answers of a filter, the first of them any.
func options[K ~string](l svc.Lang, table map[K]svc.Words, all []string, chosen string) []ui.Option {
	out := []ui.Option{{Value: "", Label: listAny.In(l), Chosen: chosen == ""}}
	for _, v := range all {
		out = append(out, ui.Option{Value: v, Label: known(l, table, K(v)), Chosen: v == chosen})
	}
	return out
}

// ReviewReason is why an application was declined, by a code of its report.
type ReviewReason struct {
	Code   string
	Words  svc.Words // empty where the report has the code no more
	Letter svc.Words // as the applicant is told it; empty for Words
}

func (r ReviewReason) tell(l svc.Lang) string {
	if w := r.Letter.In(l); w != "" {
		return w
	}
	return r.say(l)
}

func (r ReviewReason) say(l svc.Lang) string {
	if w := r.Words.In(l); w != "" {
		return w
	}
	return r.Code
}

// ReviewDeciding is the card of what is decided. Decision, Reasons and Text are as
// typed, and Problem why they were not taken.
type ReviewDeciding struct {
	Known []ReviewReason   // what the report gives
	Taken []ReviewDecision // the newest first
	Seen  int64            // how many the page shows

	Decision string
	Reasons  []string
	Text     string
	Problem  ReviewDecideProblem
}

// ReviewDecision is one decision.
type ReviewDecision struct {
	Decision string
	Reasons  []ReviewReason
	Text     string
	By       string // an e-mail, or empty for somebody who is no longer here
	At       time.Time
}

// ReviewNote is what one reviewer tells the others.
type ReviewNote struct {
	Text, By string
	At       time.Time
}

// ReviewDecideProblem is why a decision was not taken.
type ReviewDecideProblem int

const (
	ReviewDecideFine ReviewDecideProblem = iota
	ReviewDecideLate
	ReviewDecideTooLong
	ReviewDecideTooMany
	ReviewDecideNoReason
	ReviewDecideNoText
)

func (p ReviewDecideProblem) words(l svc.Lang) string {
	return [...]svc.Words{{}, decideLate, decideTooLong, decideTooMany, decideNoReason, decideNoText}[p].In(l)
}

func (v ReviewDeciding) question(l svc.Lang) ui.Question {
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

func (v ReviewDeciding) reasons(l svc.Lang) ui.Question {
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

// ReviewLetterView is a decision as a letter to the applicant.
type ReviewLetterView struct {
	ApplicationID, Reference string
	Name                     string
	Address                  []string
	Agency                   string // who made the report
	Began                    time.Time
	ReportAt                 time.Time // zero without a report
	Score                    *ReviewLetterScore
	Decision                 ReviewDecision
}

// ReviewLetterScore is the score that a decision rests on.
type ReviewLetterScore struct {
	Value int
	Of    time.Time
}

func (v ReviewLetterView) title() svc.Words {
	if v.Decision.Decision == "declined" {
		return letterDeclined
	}
	return letterMore
}

func (v ReviewLetterView) dear(l svc.Lang) string {
	if v.Name != "" {
		return letterDear.In(l) + " " + v.Name + ","
	}
	return letterDear.In(l) + " " + letterSir.In(l) + ","
}

// lines are the lines of a text.
func lines(s string) []string { return strings.Split(s, "\n") }
