package review

import (
	"net/url"
	"strings"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/portal/review/verdict"
	"vestibule/internal/staff"
	"vestibule/templates/ui"
)

// signInProblems maps the sign-in page's problems to their texts.
var signInProblems = map[staff.Problem]i18n.Key{
	staff.WrongPassword: "review.sign_in.wrong", staff.TooManyTries: "review.sign_in.too_many", staff.NotAdmitted: "review.sign_in.no_entry",
	staff.IssuerFailed: "review.sign_in.oidc_failed", staff.ClaimsMissing: "review.sign_in.no_claims",
}

// oidcLogin returns the address where the sign-in at the issuer begins. After a refused
// account, the issuer asks which account to use.
func oidcLogin(v staff.SignInPage) string {
	q := url.Values{}
	if v.Next != "" {
		q.Set("next", v.Next)
	}
	if v.Problem == staff.NotAdmitted || v.Problem == staff.ClaimsMissing {
		q.Set(staff.OtherAccount, "1")
	}
	if len(q) == 0 {
		return "/review/oidc/login"
	}
	return "/review/oidc/login?" + q.Encode()
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
	DecidedAt  time.Time // 1970 for none
	AnsweredAt time.Time // for moreAsked: when the answer arrived; zero before
	Attempt    int
	Assignee   string          // email of the user who works on it; "" for none
	AssigneeID string          // that user's ID
	Mine       bool            // the signed-in user works on it
	Summary    verdict.Summary // of the newest report
	CreatedAt  time.Time
	UpdatedAt  time.Time
	Stamp      string // changes with what the list shows
	Gone       bool   // it is no longer in the list that the user has open
}

func withTitle(p ui.Page, title string) ui.Page {
	p.Title = title
	return p
}

// applicationName returns the name of an application in headings and lists: the customer's label,
// or the beginning of its ID.
func applicationName(r Row) string {
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
