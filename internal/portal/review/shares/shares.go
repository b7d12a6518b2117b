// Package shares is the desk's record of whom reports are shared with: a row for each
// application and third party, and a log of who did what, written before the service
// is asked. Relay tokens and what third parties are called are sealed; Forget leaves
// nothing of an application.
package shares

import (
	"time"

	"vestibule/internal/store"
)

// Book is the room.
type Book struct {
	DB *store.DB
}

// Share is one row of whom a report is shared with.
type Share struct {
	ID, ApplicationID string
	PublicID, Label   string // the third party
	RelayToken        string
	Created, Granted  time.Time
	Withdrawn         time.Time // zero for not
	CreatedBy         string    // reviewers' ids
	GrantedBy         string
	WithdrawnBy       string // "" also for what was withdrawn elsewhere
}

// Line is one line of what was done to share reports. One that is not done
// is under way, or nobody knows whether the service did it.
type Line struct {
	ID, ApplicationID, PublicID string
	ReviewerID, Action          string
	RequestID                   string
	At                          time.Time
	Done                        bool
}
