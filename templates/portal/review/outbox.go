package review

import (
	"vestibule/internal/i18n"
	"vestibule/internal/mail"
)

// OutboxView is the page with the emails that could not be delivered, or with those of a
// sandbox without a mail server.
type OutboxView struct {
	Sandbox bool         // there is no mail server
	Decides bool         // may send emails again
	Letters []mail.Email // given-up emails have no text
	Done    string       // the last completed action, a code of review.outbox.done; empty for none
}

// title returns the title and the introduction of the page.
func (v OutboxView) title() (title, text i18n.Key) {
	if v.Sandbox {
		return "review.outbox.title", "review.outbox.text"
	}
	return "review.outbox.failed_title", "review.outbox.failed_text"
}
