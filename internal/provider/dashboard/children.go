package dashboard

import (
	"context"

	"vestibule/internal/contract"
	"vestibule/internal/provider/customers"
	"vestibule/internal/staff"
	"vestibule/internal/store"
)

// parentAccount is the author, in a child's audit trail, of what staff of its parent did.
const parentAccount = "parent"

// ofChild makes a change to the child account of a form, and records it in the audit trail
// of the child, too.
func (s *Service) ofChild(make func(context.Context, *store.Tx, user, input, customers.Account) (done, error)) change {
	return func(ctx context.Context, tx *store.Tx, by user, in input) (done, error) {
		a, err := s.Customers.Child(ctx, tx, by.account.ID, in.id)
		if err != nil {
			return done{}, err
		}
		d, err := make(ctx, tx, by, in, a)
		if err != nil {
			return d, err
		}
		err = s.inTrailOf(ctx, tx, by, a.ID, d)
		d.detail = a.PublicID
		return d, err
	}
}

// inTrailOf records a change in the audit trail of the child that it is about; the user's own account has it
// anyway.
func (s *Service) inTrailOf(ctx context.Context, tx *store.Tx, by user, customerID string, d done) error {
	if customerID == by.account.ID {
		return nil
	}
	return s.Staff.Record(ctx, tx, staff.Entry{Actor: parentAccount, Action: d.action, Subject: customerID, Object: d.object,
		Detail: d.detail, Values: d.values})
}

// addChildUser invites a user to the dashboard of a child account.
func (s *Service) addChildUser(ctx context.Context, tx *store.Tx, by user, in input, child customers.Account) (done, error) {
	return s.inviteTo(ctx, tx, by, in, child.ID, Owner)
}

// removeChildUser ends the access of a user of a child account.
func (s *Service) removeChildUser(ctx context.Context, tx *store.Tx, _ user, in input, child customers.Account) (done, error) {
	id := in.Get("user")
	if !contract.IsUUID(id) {
		return done{}, unknown("person")
	}
	return done{action: actionUserRemoved, object: id, flash: "person gone"}, s.Staff.Remove(ctx, tx, child.ID, id)
}

func (s *Service) issueToChild(ctx context.Context, tx *store.Tx, _ user, in input, child customers.Account) (done, error) {
	name := in.Field("client")
	if customers.NameProblem(name) != "" {
		return done{}, fieldProblem("client", "dashboard.name.invalid")
	}
	made, err := s.Customers.IssueCredential(ctx, tx, child.ID, name)
	return done{action: "credential issued", object: made.ClientID, detail: name, flash: "issued", secret: made.SecretKey}, err
}

func (s *Service) revokeOfChild(ctx context.Context, tx *store.Tx, _ user, in input, child customers.Account) (done, error) {
	return s.revokeOf(ctx, tx, child.ID, in.Get("credential"))
}
