package access

import (
	"context"
	"errors"
	"time"

	"vestibule/internal/provider/freeze"
	"vestibule/internal/store"
)

// companyLinkLife is how long a link works that a company or the operator hands out.
const companyLinkLife = 24 * time.Hour

// ErrNoPerson is returned for a report whose person is unknown: without an email address, or deleted.
var ErrNoPerson = errors.New("access: the report names no person")

// CompanyLink returns a link that works once and shows the person whom a customer's report is about
// what that customer got. It ends with the access of the user who is shown it.
func (s *Service) CompanyLink(ctx context.Context, tx *store.Tx, customerID, publicToken, shownTo string) (url string, err error) {
	mailbox, err := mailboxOfReport(ctx, tx, customerID, publicToken)
	if errors.Is(err, store.ErrNotFound) || string(mailbox) == string(s.Mailboxes.Hash("")) {
		return "", ErrNoPerson
	}
	if err != nil {
		return "", err
	}
	return s.link(ctx, tx, session{mailbox, customerID}, shownTo)
}

// PersonLink returns a link that works once and shows the whole file of an email address. The caller has
// verified the person.
func (s *Service) PersonLink(ctx context.Context, tx *store.Tx, email string) (url string, err error) {
	return s.link(ctx, tx, session{mailbox: s.Mailboxes.Hash(email)}, "")
}

func (s *Service) link(ctx context.Context, tx *store.Tx, o session, shownTo string) (string, error) {
	secret := store.NewSecret()
	if err := insertLink(ctx, tx, store.Hash(secret), o, shownTo, companyLinkLife); err != nil {
		return "", err
	}
	err := s.Freeze.Record(ctx, tx, o.mailbox, freeze.Entry{Action: freeze.ActionLinked, CustomerID: o.company})
	return s.URL + Path + "/link/" + secret, err
}
