package staff

import (
	"context"
	"errors"
	"time"

	"vestibule/internal/i18n"
	"vestibule/internal/jobs"
	"vestibule/internal/mail"
	"vestibule/internal/store"
)

// inviteLife is how long an invited user may set a password.
const inviteLife = 72 * time.Hour

// Invite adds a user without a password and sends a link to set one. Without a mail server it
// returns the token of the link instead. It returns ErrKnown if a user of the account has the
// address or, for the operator (a zero by), any user. For others it does not look at other
// accounts: an invited user gets the address, by which sign-ins find users, with the password.
func (s *Service) Invite(ctx context.Context, tx *store.Tx, by, u User, lang i18n.Lang) (id, token string, err error) {
	switch known, err := s.byEmail(ctx, tx, u.Email); {
	case err == nil && (known.Account == u.Account || by.ID == ""):
		return "", "", ErrKnown
	case err != nil && !errors.Is(err, store.ErrNotFound):
		return "", "", err
	}
	if u.ID, err = s.Insert(ctx, tx, u, ""); err != nil {
		return "", "", err
	}
	token, err = s.SendLink(ctx, tx, by, u, lang)
	return u.ID, token, err
}

// SendLink sends a user a link to set a password; an earlier one becomes invalid. Without a mail
// server it returns the token of the link instead. It does nothing if users have no passwords.
func (s *Service) SendLink(ctx context.Context, tx *store.Tx, by, u User, lang i18n.Lang) (token string, err error) {
	switch {
	case s.NoPasswords:
		return "", nil
	case s.Emails == nil:
		return s.issueLink(ctx, tx, u.ID, by.ID, inviteLife)
	case u.HasPassword:
		return "", s.requestReset(ctx, tx, u.Email, lang)
	}
	job := SendInvitation{ID: store.NewID(), User: u.ID, By: by.ID, Lang: lang}
	return "", s.Emails.Queue.Enqueue(ctx, tx, job, jobs.UniqueKey(job.ID))
}

// ResetPassword makes a user's password invalid, ends the user's sessions, and sends a link as
// SendLink does.
func (s *Service) ResetPassword(ctx context.Context, tx *store.Tx, u User, lang i18n.Lang) (token string, err error) {
	if err := errors.Join(s.clearPassword(ctx, tx, u.ID), s.Sessions.EndAll(ctx, tx, u.ID)); err != nil {
		return "", err
	}
	u.HasPassword = false
	return s.SendLink(ctx, tx, User{}, u, lang)
}

// InviteAgain is SendLink for a user of an account who has set no password. It returns
// store.ErrNotFound if the account has no such user.
func (s *Service) InviteAgain(ctx context.Context, tx *store.Tx, by User, id string, lang i18n.Lang) (token string, err error) {
	u, err := s.User(ctx, tx, id)
	if err == nil && (u.Account != by.Account || !u.Invited()) {
		err = store.ErrNotFound
	}
	if err != nil {
		return "", err
	}
	return s.SendLink(ctx, tx, by, u, lang)
}

// withdraw deletes an invited user, or returns store.ErrNotFound for another one.
func (s *Service) withdraw(ctx context.Context, tx *store.Tx, u User) error {
	if !u.Invited() {
		return store.ErrNotFound
	}
	return errors.Join(s.deleteLink(ctx, tx, u.ID), s.Remove(ctx, tx, u.Account, u.ID))
}

// issueLink stores a new link and returns its token. shownTo is the other user who sees it, and "" if it is emailed.
func (s *Service) issueLink(ctx context.Context, tx *store.Tx, id, shownTo string, life time.Duration) (token string, err error) {
	token = store.NewSecret()
	return token, s.setLink(ctx, tx, id, shownTo, store.Hash(token), s.Clock().Add(life))
}

// LinkURL returns the address of a link to set a password, or "" without a token.
func (s *Service) LinkURL(token string) string {
	if token == "" {
		return ""
	}
	return s.URL + s.Home + "/set-password/" + token
}

// SendInvitation is the job that sends an invitation.
type SendInvitation struct {
	ID   string    `json:"id"`
	User string    `json:"user"` // ID of the invited user
	By   string    `json:"by"`   // ID of the inviting user; "" for the operator
	Lang i18n.Lang `json:"lang"`
}

// Kind names the job.
func (SendInvitation) Kind() string { return "staff.invitation" }

// sendInvitation sends a link to a user who has set no password, within the limit of the address. If
// a user of another account has the address, the email says so and has no link.
func (s *Service) sendInvitation(ctx context.Context, j jobs.Job, args SendInvitation) error {
	if s.Emails == nil {
		return jobs.Cancel(errors.New("the mail server was removed from the configuration"))
	}
	msg := mail.Message{ID: args.ID}
	err := s.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		msg.To = ""
		u, err := s.User(ctx, tx, args.User)
		if err != nil || u.HasPassword || !u.Disabled.IsZero() {
			return err
		}
		if j.Attempt <= 1 {
			if ok, err := s.mailboxes.AllowEmail(ctx, tx, "invitation by "+u.Account, u.Email); err != nil || !ok {
				return err
			}
		}
		by, err := s.User(ctx, tx, args.By)
		if errors.Is(err, store.ErrNotFound) {
			by.Email, err = s.Site, nil
		}
		if err != nil {
			return err
		}
		e, link := invitationEmail, s.URL+s.Home+"/sign-in?lang="+string(args.Lang)
		switch other, err := s.byEmail(ctx, tx, u.Email); {
		case err != nil && !errors.Is(err, store.ErrNotFound):
			return err
		case err == nil && other.ID != u.ID:
			e = takenEmail
		default:
			token, err := s.issueLink(ctx, tx, u.ID, "", inviteLife)
			if err != nil {
				return err
			}
			link = s.LinkURL(token) + "?lang=" + string(args.Lang)
		}
		msg.To = u.Email
		return s.write(ctx, &msg, args.Lang, e, link, "by", by.Email, "until", s.Emails.Moment(args.Lang, s.Clock().Add(inviteLife)))
	})
	if errors.Is(err, store.ErrNotFound) {
		return nil // withdrawn
	}
	if err != nil || msg.To == "" {
		return err
	}
	if err := s.Emails.Mail.Send(ctx, msg); errors.Is(err, mail.ErrRefused) {
		return jobs.Cancel(err)
	} else {
		return err
	}
}
