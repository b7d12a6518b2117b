package review

import (
	"time"

	"vestibule/internal/i18n"
)

// OutboxView is the page with the emails that could not be delivered, or with those of a
// sandbox without a mail server.
type OutboxView struct {
	Sandbox bool // there is no mail server
	Decides bool // may send emails again
	Letters []OutboxLetter
	Done    string // the last completed action, a code of review.outbox.done; empty for none
}

// OutboxLetter is an email on that page.
type OutboxLetter struct {
	ID, Application   string
	At                time.Time
	Failed            time.Time // zero: not given up
	To, Subject, Text string    // Text is "" if the email was given up
}

// title returns the title and the introduction of the page.
func (v OutboxView) title() (title, text i18n.Key) {
	if v.Sandbox {
		return "review.outbox.title", "review.outbox.text"
	}
	return "review.outbox.failed_title", "review.outbox.failed_text"
}
