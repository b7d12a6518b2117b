package review

import (
	"time"
)

// OutboxView lists, in the review dashboard, the emails of a sandbox that has no
// mail server.
type OutboxView struct {
	By      string
	Letters []OutboxLetter
}

// OutboxLetter is one of them.
type OutboxLetter struct {
	At                time.Time
	To, Subject, Text string
}
