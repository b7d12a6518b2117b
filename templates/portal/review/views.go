package review

import (
	"strings"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/portal/review/verdict"
	"vestibule/templates/ui"
)

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
	RevisedAt  time.Time // when the service revised the newest report; zero: never
	Outdated   bool      // the decision was made on an older revision of the report
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
