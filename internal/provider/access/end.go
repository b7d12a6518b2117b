package access

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"vestibule/internal/httpx"
	"vestibule/internal/i18n"
	"vestibule/internal/mail"
	"vestibule/internal/provider/freeze"
	"vestibule/internal/staff"
	"vestibule/internal/store"
	providerui "vestibule/templates/provider"
)

// everyCompany is the {account} of a path for all companies.
const everyCompany = "all"

// chosen returns the companies that a path names: one, or all. It returns store.ErrNotFound for a
// company without reports of the session's mailbox.
func (s *Service) chosen(ctx context.Context, l i18n.Lang, o session, account string) (out []providerui.AccessCompany, err error) {
	all, err := s.shared(ctx, l, o)
	for _, c := range all {
		if account == everyCompany || c.Account == account {
			out = append(out, c)
		}
	}
	if err == nil && len(out) == 0 {
		err = store.ErrNotFound
	}
	return out, err
}

// showEnd asks for confirmation before the access of a company, or of all, is ended.
func (s *Service) showEnd(w http.ResponseWriter, r *http.Request, o session) error {
	v := providerui.AccessEnd{Access: s.base(r), Account: r.PathValue("account"), CanClose: s.ClosesReports}
	var err error
	if v.Companies, err = s.chosen(r.Context(), v.Lang, o, v.Account); err != nil {
		return err
	}
	open := false
	for _, c := range v.Companies {
		open = open || c.Open || s.ClosesReports && c.Readable()
	}
	if !open {
		return seeEnded(w, v.Access, v.Account)
	}
	return write(w, r, http.StatusOK, providerui.AccessEndPage(v))
}

// end ends the access of a company, or of all, and with the form's choice also the reading of
// reports. A second request changes nothing.
func (s *Service) end(w http.ResponseWriter, r *http.Request, o session) error {
	closes := false
	if s.ClosesReports { // otherwise the form has no choice
		in, err := httpx.DecodeForm(w, r, maxForm)
		if err != nil {
			return err
		}
		closes = in.Get("close") != ""
	}
	b, account := s.base(r), r.PathValue("account")
	companies, err := s.chosen(r.Context(), b.Lang, o, account)
	if err != nil {
		return err
	}
	for _, c := range companies {
		err := s.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) error {
			company, err := s.Customers.Account(ctx, tx, c.Account)
			if err != nil {
				return err
			}
			if closes {
				if err := s.closeReports(ctx, tx, o, company.CustomerID); err != nil {
					return err
				}
			}
			to, err := newestOf(ctx, tx, o.mailbox, company.CustomerID)
			if err != nil {
				return store.OrNone(err)
			}
			ended, err := s.withdrawAll(ctx, tx, o.mailbox, to.customerID)
			if err != nil || !ended {
				return err
			}
			return s.confirm(ctx, tx, b.Lang, to, "")
		})
		if err != nil {
			return err
		}
	}
	return seeEnded(w, b, account)
}

// seeEnded redirects to the list, which says that a company's access has ended.
func seeEnded(w http.ResponseWriter, b providerui.Access, account string) error {
	return httpx.SeeOther(w, b.Link(Path)+"&"+url.Values{"ended": {account}}.Encode())
}

// closeReports ends the reading of a company's reports.
func (s *Service) closeReports(ctx context.Context, tx *store.Tx, o session, customerID string) error {
	all, err := tokens(ctx, tx, session{o.mailbox, customerID}, "")
	if err != nil {
		return err
	}
	closed := false
	for _, token := range all {
		one, err := s.Reports.Close(ctx, tx, token)
		if err != nil {
			return err
		}
		if !one {
			continue
		}
		closed = true
		if err := s.Record(ctx, tx, staff.Entry{Action: actionClosed, Subject: customerID, Object: s.Reference(token)}); err != nil {
			return err
		}
	}
	if !closed {
		return nil
	}
	return s.Freeze.Record(ctx, tx, o.mailbox, freeze.Entry{Action: freeze.ActionClosed, CustomerID: customerID})
}

// withdrawAll withdraws the consent of all consumers of the mailbox at a company, and reports
// whether one had not done so before.
func (s *Service) withdrawAll(ctx context.Context, tx *store.Tx, mailbox []byte, customerID string) (ended bool, err error) {
	ids, err := consenting(ctx, tx, mailbox, customerID)
	if err != nil {
		return false, err
	}
	for _, id := range ids {
		first, err := s.Customers.Withdraw(ctx, tx, customerID, id)
		if err != nil {
			return false, err
		}
		if !first {
			continue
		}
		ended = true
		if err := s.Record(ctx, tx, staff.Entry{Action: actionEnded, Subject: customerID, Object: id}); err != nil {
			return false, err
		}
	}
	if !ended {
		return false, nil
	}
	return true, s.Freeze.Record(ctx, tx, mailbox, freeze.Entry{Action: freeze.ActionEnded, CustomerID: customerID})
}

// showDelete says what is deleted and what the law makes the service keep, and asks for
// confirmation.
func (s *Service) showDelete(w http.ResponseWriter, r *http.Request, o session) error {
	v := providerui.AccessEnd{Access: s.base(r), Account: r.PathValue("account")}
	var err error
	if v.Companies, err = s.chosen(r.Context(), v.Lang, o, v.Account); errors.Is(err, store.ErrNotFound) { // also back from the deletion
		return httpx.SeeOther(w, v.Link(Path))
	}
	if err != nil {
		return err
	}
	return write(w, r, http.StatusOK, providerui.AccessDeletePage(v))
}

// erase deletes the person's data at a company, or at all. Companies learn it by a webhook with
// the status EXPIRED for each report.
func (s *Service) erase(w http.ResponseWriter, r *http.Request, o session) error {
	b, account := s.base(r), r.PathValue("account")
	companies, err := s.chosen(r.Context(), b.Lang, o, account)
	if errors.Is(err, store.ErrNotFound) { // it was deleted before, or never there
		return httpx.SeeOther(w, b.Link(Path))
	}
	if err != nil {
		return err
	}
	for _, c := range companies {
		company, err := s.Customers.Account(r.Context(), s.DB.SQL, c.Account)
		if err != nil {
			return err
		}
		err = s.DB.Erase(r.Context(), func(ctx context.Context, tx *store.Tx) error {
			return s.eraseAt(ctx, tx, b.Lang, session{o.mailbox, company.CustomerID})
		})
		if err != nil {
			return err
		}
	}
	return httpx.SeeOther(w, b.Link(Path)+"&"+url.Values{"deleted": {account}}.Encode())
}

// eraseAt deletes a person's data at one company. The data key stays for some days, for the email,
// the webhooks, and the end of access at institutions, which follow.
func (s *Service) eraseAt(ctx context.Context, tx *store.Tx, l i18n.Lang, o session) error {
	if _, err := s.Freeze.Lock(ctx, tx, o.mailbox); err != nil { // one of several requests deletes
		return err
	}
	all, err := tokens(ctx, tx, o, "")
	if err != nil || len(all) == 0 {
		return err // deleted meanwhile
	}
	to, err := newestOf(ctx, tx, o.mailbox, o.company)
	if err == nil {
		err = s.confirmDeletion(ctx, tx, l, to)
	}
	if store.OrNone(err) != nil {
		return err
	}
	if _, err := s.withdrawAll(ctx, tx, o.mailbox, o.company); err != nil {
		return err
	}
	for _, token := range all {
		rep, err := s.Reports.Get(ctx, tx, token)
		if err != nil {
			return err
		}
		if err := s.Reports.Erase(ctx, tx, rep, o.mailbox); err != nil {
			return err
		}
		if err := s.Accounts.Erase(ctx, tx, rep.KeyID); err != nil {
			return err
		}
		if err := s.Visits.Erase(ctx, tx, token); err != nil {
			return err
		}
		if err := s.Record(ctx, tx, staff.Entry{Action: actionDeleted, Subject: o.company, Object: s.Reference(token)}); err != nil {
			return err
		}
	}
	if err := s.Customers.Clear(ctx, tx, o.company, o.mailbox); err != nil {
		return err
	}
	return s.Freeze.Record(ctx, tx, o.mailbox, freeze.Entry{Action: freeze.ActionDeleted, CustomerID: o.company})
}

func (s *Service) confirmDeletion(ctx context.Context, tx *store.Tx, l i18n.Lang, to recipient) error {
	company, err := s.Customers.ByID(ctx, tx, to.customerID)
	if err != nil {
		return err
	}
	name := mail.OneLine(company.ApplicantName())
	return s.send(ctx, tx, to, l, i18n.T(l, "email.access_deleted.subject", "company", name),
		i18n.T(l, "email.access_deleted.body", "company", name, "service", s.Visits.Operator.Name),
		"email.access.button", s.URL+providerui.Access{Lang: l}.Link(Path), confirmationLife)
}
