package reports

import (
	"context"

	"vestibule/internal/contract"
	"vestibule/internal/store"
)

// What the person whom a report is about can see of it, and end.

// ConsumerBody returns the body of a report as its owner receives it, also of one that the owner can
// no longer read. It returns ErrDeleted or store.ErrShredded if it was deleted.
func (s *Service) ConsumerBody(ctx context.Context, r Report) ([]byte, error) {
	r.Relay = ""
	return s.body(ctx, r)
}

// Close ends the reading of a report, for its owner and third parties. They learn it by an event with
// the status EXPIRED. It returns false for a report that is not made or was closed before.
func (s *Service) Close(ctx context.Context, tx *store.Tx, publicToken string) (bool, error) {
	r, err := s.Get(ctx, tx, publicToken)
	if err != nil {
		return false, err
	}
	closed, err := closeReport(ctx, tx, publicToken)
	if err != nil || !closed {
		return false, err
	}
	return true, s.OnChange(ctx, tx, StatusChange{r.CustomerID, publicToken, contract.StatusExpired, ""})
}

// Erase deletes what a report contains and what it was made from, at the request of the person whom it
// is about, and ends a pending one. The row stays, and whose report it was.
func (s *Service) Erase(ctx context.Context, tx *store.Tx, r Report, mailbox []byte) error {
	if _, err := s.Close(ctx, tx, r.PublicToken); err != nil {
		return err
	}
	if r.Status == contract.StatusPending {
		if _, err := s.SetStatus(ctx, tx, r.PublicToken, contract.StatusExpired, ""); err != nil {
			return err
		}
	}
	if err := s.Documents.Drop(ctx, tx, r.PublicToken); err != nil {
		return err
	}
	return erase(ctx, tx, r.PublicToken, mailbox)
}
