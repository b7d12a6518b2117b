package review

import (
	"time"
)

// OutboxView is the page with the emails of a sandbox without a mail server.
type OutboxView struct {
	Letters []OutboxLetter
}

// OutboxLetter is an email on that page.
type OutboxLetter struct {
	At                time.Time
	To, Subject, Text string
}
