package review

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"vestibule/internal/console"
	"vestibule/internal/i18n"
	"vestibule/internal/staff"
	"vestibule/templates/ui"
)

// Menu adds the review dashboard's menu to a page, with the pages that the user may open.
// letters names the page of emails; "" leaves it out. The menu of commands leads to lists too.
func Menu(p ui.Page, path, email string, letters i18n.Key, events, oversees, administers bool, lists []Queue) ui.Page {
	link := func(w i18n.Key, to string) {
		p.Links = append(p.Links, ui.Link{Text: i18n.T(p.Lang, w), URL: to,
			Current: path == to || to == "/review" && strings.HasPrefix(path, "/review/applications/")})
	}
	p.Links, p.User = nil, &ui.User{Email: email, SignOut: "/review/sign-out", Factor: "/review/second-factor", Find: "/review/find"}
	for _, q := range lists {
		p.User.Lists = append(p.User.Lists, ui.Link{Text: q.Title(p.Lang), URL: q.URL})
	}
	link("review.list.title", "/review")
	link("review.overview.title", "/review/overview")
	if events {
		link("review.events.title", "/review/events")
	}
	if letters != "" {
		link(letters, "/review/letters")
	}
	if oversees {
		link("review.menu.audit", "/review/audit")
	}
	if administers {
		link("review.menu.deletions", "/review/deletions")
		link("review.menu.people", "/review/people")
	}
	return p
}

// messageWords returns the title and text of the page for an HTTP status. Only users lack a role, and only forms save anything.
func messageWords(status int, user, retry bool) (title, text i18n.Key) {
	switch {
	case status == http.StatusForbidden && !user:
		return "notice.other_site.title", "notice.other_site.text"
	case status == http.StatusForbidden:
		return "review.forbidden.title", "review.forbidden.text"
	case status == http.StatusNotFound, status == http.StatusMisdirectedRequest:
		return "review.not_found.title", "review.not_found.text"
	case status >= 500 && !retry:
		return "notice.internal.title", "dashboard.problem.internal.text"
	}
	return ui.StatusWords(status, "notice.bad_request.title", "notice.bad_request.text")
}

// UsersView is the page of the dashboard's users. Email and Role are as typed;
// Problem or Done is the result of the last action.
type UsersView struct {
	Users        []staff.User
	Local        bool // users can have local passwords
	Emails       bool // there is a mail server
	Email, Role  string
	Problem      i18n.Key // why the user was not added
	Done         UsersDone
	Link, LinkOf string // link to set a password, and its user; shown once
}

// UsersDone is the last completed action, as in the page's address.
type UsersDone string

const (
	UsersAdded    UsersDone = "added"
	UsersRole     UsersDone = "role"
	UsersDisabled UsersDone = "disabled"
	UsersEnabled  UsersDone = "enabled"
	UsersLinked   UsersDone = "linked"

	UsersWithdrawn UsersDone = "withdrawn"
	UsersFactor    UsersDone = "factor"
)

func (d UsersDone) words(l i18n.Lang) string { return i18n.Code(l, "review.people.done", d) }

func roleQuestion(l i18n.Lang, chosen string) ui.Question {
	q := ui.Question{Name: "role", Label: i18n.T(l, "review.people.role"), Lang: l}
	for _, r := range []string{"reviewer", "administrator", "auditor"} {
		q.Options = append(q.Options, ui.Option{Value: r, Label: i18n.Code(l, "review.roles", r),
			Detail: i18n.Code(l, "review.role_permissions", r), Chosen: r == chosen || chosen == "" && r == "reviewer"})
	}
	return q
}

func (v UsersView) grid(p ui.Page) ui.Grid {
	l := p.Lang
	g := ui.Grid{Caption: i18n.T(l, "review.menu.people"), HideCaption: true, Named: true, Columns: columns(l, 0, "review.email.label",
		"review.people.role", "review.people.state", "review.people.signed_in", "review.people.change")}
	for _, u := range v.Users {
		self := p.User != nil && p.User.Email == u.Email
		g.Rows = append(g.Rows, []ui.Cell{{Body: userName(l, u, self)}, {Text: i18n.Code(l, "review.roles", u.Role)},
			{Body: userState(l, u)}, {Body: userLast(l, u)}, {Body: userChanges(l, u, self, v.Local)}})
	}
	return g
}

// AuditView is a page of the audit log with its filter.
type AuditView struct {
	console.Log
	Actor, Action, Application, From, To string
	Text                                 string // the search text
	Place                                *Place // of the filter's application; nil for none
	Work                                 Work   // of the filter's user
	Actions                              []string
	Older, Newest                        string // URLs; empty for none
	File                                 string // URL of the CSV file with all selected entries
}

// Work counts the applications assigned to a user and the user's decisions, with links to them.
type Work struct {
	Assigned, Decided       int
	AssignedURL, DecidedURL string
}

// UserOption is a user to choose.
type UserOption struct {
	ID, Email string
	Self      bool // the signed-in user
}

// toApplication returns the beginning of an application's id, linked to its page.
func toApplication(id string) ui.Cell {
	first, _, _ := strings.Cut(id, "-")
	return ui.Cell{Text: first, URL: "/review/applications/" + id}
}

func (v AuditView) grid(l i18n.Lang) ui.Grid {
	g := ui.Grid{Caption: i18n.T(l, "review.menu.audit"), HideCaption: true, Columns: columns(l, 0, "review.when", "review.what",
		"review.audit.request")}
	for _, line := range v.Lines {
		x := auditLine(line)
		g.Rows = append(g.Rows, []ui.Cell{{Body: ui.Second(l, x.At)}, {Body: ui.Run(l, x.sentence(l), x.more(l))}, {Body: mono(x.RequestID)}})
	}
	return g
}

// filters returns the number of filters besides the text.
func (v AuditView) filters() (n int) {
	for _, f := range []string{v.Actor, v.Action, v.Application, v.From, v.To} {
		if f != "" {
			n++
		}
	}
	return n
}

// options returns the options of a filter; the first selects any value.
func options[C ~string](l i18n.Lang, texts i18n.Group, all []C, chosen C) []ui.Option {
	out := []ui.Option{{Value: "", Label: i18n.T(l, "review.list.any"), Chosen: chosen == ""}}
	for _, v := range all {
		out = append(out, ui.Option{Value: string(v), Label: i18n.Code(l, texts, v), Chosen: v == chosen})
	}
	return out
}

// Reason is a reason of a decision, by a code of the report.
type Reason struct {
	Code        string
	Description string     // from the report, for a score's reason
	Texts       i18n.Group // texts of other reasons
}

// Number returns the number of a score's reason, which people know it by. Other codes are words
// for programs, and their texts say the same.
func (r Reason) Number() string {
	if _, err := strconv.Atoi(r.Code); err != nil {
		return ""
	}
	return r.Code
}

// LetterText returns the reason as worded for the applicant. It is a full sentence for
// codes with the meaning that the embedded provider gives them.
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
	return r.Code // the report no longer has this reason
}

// ScoreReason returns a score's reason, with its description in the report.
func ScoreReason(code, description string) Reason {
	return Reason{Code: code, Description: description}
}

// FindingReason returns the reason that a finding gives, by its code in package verdict.
func FindingReason(code string) Reason { return Reason{Code: code, Texts: "review.finding_reasons"} }

// DocumentReason returns the reason for an irregularity of a document.
func DocumentReason(code string) Reason { return Reason{Code: code, Texts: "review.irregularities"} }

// IncompleteReason returns the reason for a completeness check that failed.
func IncompleteReason(check string) Reason { return Reason{Code: check, Texts: "review.incomplete"} }

// Deciding is the decision form. Decision, Reasons and Text are as typed; Problem is the
// reason why they were rejected.
type Deciding struct {
	Known []Reason   // reasons of the report
	Taken []Decision // newest first
	Seen  int64      // number of decisions that the page shows

	Report string // version of the report that the page shows

	Decision string
	Reasons  []string
	Text     string
	Problem  i18n.Key
	Preview  *Preview // of the letter; nil for none
}

// Preview is a letter as it would be sent if the decision were recorded.
type Preview struct {
	LetterView
	Lang  i18n.Lang // the applicant's
	Brand string
}

// Decision is one decision.
type Decision struct {
	Decision string
	Reasons  []Reason
	Text     string
	By       string // an email address; empty for a removed user
	At       time.Time

	AnsweredAt time.Time // for moreAsked: when the answer arrived
	Email      Email     // sent to the applicant
}

// Note is a reviewer's note to other reviewers.
type Note struct {
	Text, By string
	At       time.Time
}

func (v Deciding) question(l i18n.Lang) ui.Question {
	q := ui.Question{Name: "decision", ID: "decided", Label: i18n.T(l, "review.decide.what"), HideLabel: true, Lang: l, Attrs: command}
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
		q.Options = append(q.Options, ui.Option{Value: r.Code, Label: r.Text(l), Badge: r.Number(), Chosen: slices.Contains(v.Reasons, r.Code)})
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

func lines(s string) []string { return strings.Split(s, "\n") }
