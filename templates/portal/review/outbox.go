package review

import (
	"time"

	"vestibule/internal/i18n"
	"vestibule/templates/ui"
)

// OutboxView is the page with the emails that could not be delivered, or with those of a
// sandbox without a mail server.
type OutboxView struct {
	Sandbox bool // there is no mail server
	Decides bool // may send emails again
	Letters []OutboxLetter
	Done    EmailDone
}

// OutboxLetter is an email on that page.
type OutboxLetter struct {
	ID, Application   string
	At                time.Time
	Failed            time.Time // zero: not given up
	To, Subject, Text string    // Text is "" if the email was given up
}

// EmailDone is the last completed action, as in the page's address.
type EmailDone string

const (
	EmailSent    EmailDone = "sent"
	EmailNotSent EmailDone = "kept"
)

func (d EmailDone) words() (tone ui.Tone, words i18n.Key) {
	switch d {
	case EmailSent:
		return ui.Success, "review.outbox.sent"
	case EmailNotSent:
		return ui.Warning, "review.outbox.not_sent"
	}
	return ui.Neutral, ""
}

// title returns the title and the introduction of the page.
func (v OutboxView) title() (title, text i18n.Key) {
	if v.Sandbox {
		return "review.outbox.title", "review.outbox.text"
	}
	return "review.outbox.failed_title", "review.outbox.failed_text"
}
