package applications

import (
	"context"
	"slices"
	"strconv"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/journey"
	"vestibule/internal/store"
)

// RecordDecision stores a reviewer's decision on a locked application, adds it to the timeline under its number
// within the application, and notifies the subscribers of status changes. A decision
// that is already stored changes nothing.
func (s *Service) RecordDecision(ctx context.Context, tx *store.Tx, a Application, d Decision) error {
	if a.Decision.Number >= d.Number {
		return nil
	}
	setDecision(&a, d)
	state := string(a.Journey.State)
	_, err := s.record(ctx, tx, a, "decision/"+strconv.FormatInt(d.Number, 10),
		TimelineEntry{Kind: d.Kind, From: state, To: state, Reasons: d.Reasons}, a.Journey, true)
	return err
}

// NotifiesOf reports whether applicants are notified of decisions of the kind; never of an
// escalation.
func (s *Service) NotifiesOf(kind string) bool {
	return slices.Contains([]string{journey.Approved, journey.Declined, journey.MoreAsked}, kind) &&
		(s.NotifiedDecisions == nil || slices.Contains(s.NotifiedDecisions, kind))
}

// ShowsDecision reports whether the applicant's page shows the newest decision of a. A
// request for more is shown until it is answered.
func (s *Service) ShowsDecision(a Application) bool {
	return s.NotifiesOf(a.Decision.Kind) && (a.Decision.Kind != journey.MoreAsked || a.AwaitsMore())
}

// DecisionTexts returns the heading and the text that applicants read about a decision
// of a kind; empty for a kind that is never shown.
func DecisionTexts(kind string) (title, text i18n.Key) {
	switch kind {
	case journey.Approved:
		return "status.approved.title", "status.approved.text"
	case journey.Declined:
		return "status.declined.title", "status.declined.text"
	case journey.MoreAsked:
		return "status.more_needed.title", "status.more_needed.text"
	}
	return "", ""
}

// StatusTexts returns what the applicant reads about the state of an application, a sentence
// or more each.
func (s *Service) StatusTexts(a Application) []i18n.Key {
	title, text := DecisionTexts(a.Decision.Kind)
	switch kind := a.Decision.Kind; {
	case !s.NotifiesOf(kind):
	case a.Decision.Outdated && kind != journey.MoreAsked:
		return []i18n.Key{title, text, "status.revised.text"}
	case kind == journey.Approved, kind == journey.Declined:
		return []i18n.Key{title, text}
	case a.Decision.Answered():
		return []i18n.Key{"status.answered.text"}
	case a.Journey.State == journey.Ready:
		return []i18n.Key{text}
	}
	if a.Unread() {
		return []i18n.Key{"status.failed.unread.text"}
	}
	return []i18n.Key{journey.Text(a.Journey)}
}

// Unread reports whether the attempt may have failed because the applicant's files could not
// be read: their status is that of a sign-in that was not accepted.
func (a Application) Unread() bool {
	j := a.Journey
	return j.State == journey.Failed && j.Cause() == "" && j.Status == contract.StatusNotAuthenticated && j.Substatus == "" &&
		(a.Product == contract.Income || a.Product == contract.Eligibility)
}
