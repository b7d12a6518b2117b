// Package shares records with whom reports are shared: a row for each application and
// third party, and a log of actions, written before the service is called. Sharing
// tokens and labels of third parties are encrypted. Forget deletes everything about
// an application.
package shares

import (
	"time"

	"vestibule/internal/store"
)

// Book reads and writes the record of shares.
type Book struct {
	DB *store.DB
}

// Share is a report's share with one third party.
type Share struct {
	ID, ApplicationID string
	PublicID, Label   string // publicId and label of the third party
	RelayToken        string
	Created, Granted  time.Time
	Withdrawn         time.Time // zero if not withdrawn
	CreatedBy         string    // reviewers' IDs
	GrantedBy         string
	WithdrawnBy       string // "" if no reviewer withdrew it here
}

// Line is an entry of the share log. If it is not done, the action is in progress or
// its outcome is unknown.
type Line struct {
	ID, ApplicationID, PublicID string
	ReviewerID, Action          string
	RequestID                   string
	At                          time.Time
	Done                        bool
}
