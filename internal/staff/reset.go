package staff

import (
	"context"
	"errors"
	"net/http"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/i18n"
	"vestibule/internal/jobs"
	"vestibule/internal/mail"
	"vestibule/internal/store"
)

// Emails configures the emails to users: invitations, and links for forgotten passwords.
type Emails struct {
	Mail     mail.Mailer
	Queue    jobs.Enqueuer
	Language func(r *http.Request) i18n.Lang          // of the email
	Moment   func(lang i18n.Lang, t time.Time) string // writes a time with its zone
	// HTML renders the HTML of an email, in which the line of the text with the link is a button.
	HTML func(ctx context.Context, lang i18n.Lang, subject, text, link, button string) (string, error)
}

// resetLife is how long a requested link works.
const resetLife = 30 * time.Minute

// ForgottenPage is the content of the page that asks for a link to set a new password.
type ForgottenPage struct {
	Email     string // as typed
	NoAddress bool   // it is not an email address
	Sent      bool   // an email was sent, if a user has the address
	Mails     bool   // there is a mail server
}

// PasswordPage is the content of the page of a link to set a password.
type PasswordPage struct {
	Email, Action string
	Bad           bool // the password was too short or too long
	Expired       bool // the link is used, replaced or expired
	Taken         bool // a user of another account has the email address
}

// ForgottenPage shows the page that asks for a link.
func (s *Service) ForgottenPage(w http.ResponseWriter, r *http.Request) error {
	return s.showForgotten(w, r, http.StatusOK, ForgottenPage{Sent: r.URL.Query().Has("sent")})
}

func (s *Service) showForgotten(w http.ResponseWriter, r *http.Request, status int, v ForgottenPage) error {
	if s.NoPasswords {
		return errNoPasswords
	}
	v.Mails = s.Emails != nil
	return s.Show(w, r, status, v)
}

// RequestReset requests an email with a link to set a new password. The answer and the work
// are the same for every address; the job finds the user.
func (s *Service) RequestReset(w http.ResponseWriter, r *http.Request) error {
	if s.NoPasswords {
		return errNoPasswords
	}
	form, err := httpx.DecodeForm(w, r, maxForm)
	if err != nil {
		return err
	}
	email := mail.NormalizeAddress(form.Get("email"))
	if !mail.IsAddress(email) {
		return s.showForgotten(w, r, http.StatusUnprocessableEntity, ForgottenPage{Email: email, NoAddress: true})
	}
	if s.Emails == nil {
		return s.showForgotten(w, r, http.StatusOK, ForgottenPage{})
	}
	err = s.mailboxes.AllowRequest(r.Context(), httpx.ClientNetworks(r, s.BehindProxy))
	if errors.Is(err, mail.ErrNetworkLimit) {
		return &httpx.Error{Code: contract.CodeRateLimited, RetryAfter: mail.TriesWindow, Why: err}
	}
	if err != nil {
		return err
	}
	err = s.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) error {
		return s.requestReset(ctx, tx, email, s.Emails.Language(r))
	})
	if err != nil {
		return err
	}
	return httpx.SeeOther(w, s.Home+"/forgotten-password?sent=1")
}

// requestReset requests a link for the user who has an email address, if there is one.
func (s *Service) requestReset(ctx context.Context, tx *store.Tx, email string, lang i18n.Lang) error {
	wanted := resetRequest{id: store.NewID(), email: email, lang: lang, expires: s.Clock().Add(resetLife)}
	if err := s.insertRequest(ctx, tx, wanted); err != nil {
		return err
	}
	return s.Emails.Queue.Enqueue(ctx, tx, SendReset{wanted.id}, jobs.UniqueKey(wanted.id))
}

// SendReset is the job that sends a requested link.
type SendReset struct {
	Request string `json:"request"`
}

// Kind names the job.
func (SendReset) Kind() string { return "staff.reset" }

// Register adds the jobs of the package.
func (s *Service) Register(r *jobs.Registry) {
	jobs.Register(r, s.sendReset, jobs.In(jobs.Emails), jobs.MaxAttempts(6), jobs.Backoff(mail.Backoff(10*time.Minute)))
	jobs.Register(r, s.sendInvitation, jobs.In(jobs.Emails), jobs.MaxAttempts(6), jobs.Backoff(mail.Backoff(10*time.Minute)))
}

// sendReset sends a link to the user who has the requested address and a password, within the
// limit of the address. A later attempt sends another link in place of the earlier one, and
// does not count again.
func (s *Service) sendReset(ctx context.Context, j jobs.Job, args SendReset) error {
	if s.Emails == nil {
		return jobs.Cancel(errors.New("the mail server was removed from the configuration"))
	}
	var msg mail.Message
	err := s.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		msg = mail.Message{}
		wanted, err := s.request(ctx, tx, args.Request)
		if err != nil {
			return err
		}
		u, err := s.byEmail(ctx, tx, wanted.email)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		allowed := err == nil && u.Disabled.IsZero() && u.HasPassword && !s.NoPasswords
		if allowed && j.Attempt <= 1 {
			if allowed, err = s.mailboxes.AllowEmail(ctx, tx, "password reset", u.Email); err != nil {
				return err
			}
		}
		if !allowed {
			return s.deleteRequest(ctx, tx, args.Request)
		}
		token, err := s.issueLink(ctx, tx, u.ID, "", resetLife)
		if err != nil {
			return err
		}
		msg = mail.Message{ID: args.Request, To: u.Email}
		if err := s.write(ctx, &msg, wanted.lang, resetEmail, s.LinkURL(token)+"?lang="+string(wanted.lang),
			"until", s.Emails.Moment(wanted.lang, s.Clock().Add(resetLife))); err != nil {
			return err
		}
		return s.Record(ctx, tx, Entry{ID: args.Request, Actor: u.ID, Action: ResetSent, Subject: u.Account, Object: u.ID})
	})
	if errors.Is(err, store.ErrNotFound) {
		return nil // sent before, or too old
	}
	if err != nil || msg.To == "" {
		return err
	}
	if err := s.Emails.Mail.Send(ctx, msg); errors.Is(err, mail.ErrRefused) {
		return jobs.Cancel(err)
	} else if err != nil {
		return err
	}
	return s.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error { return s.deleteRequest(ctx, tx, args.Request) })
}

// emailTexts are the texts of an email with a link.
type emailTexts struct{ subject, body, button i18n.Key }

var (
	resetEmail      = emailTexts{"email.reset.subject", "email.reset.body", "email.reset.button"}
	invitationEmail = emailTexts{"email.invitation.subject", "email.invitation.body", "email.invitation.button"}
	takenEmail      = emailTexts{"email.invitation.subject", "email.invitation.taken", "email.invitation.sign_in"}
)

// write sets the subject, the text and the HTML of an email with a link. args are further values
// of the text, in pairs.
func (s *Service) write(ctx context.Context, m *mail.Message, lang i18n.Lang, t emailTexts, link string, args ...string) (err error) {
	args = append(args, "site", s.Site, "link", link)
	m.Subject, m.Text = i18n.T(lang, t.subject, "site", s.Site), i18n.T(lang, t.body, args...)
	m.HTML, err = s.Emails.HTML(ctx, lang, m.Subject, m.Text, link, i18n.T(lang, t.button))
	return err
}

// PasswordPage shows the page of a link to set a password without using the link up.
func (s *Service) PasswordPage(w http.ResponseWriter, r *http.Request) error {
	return s.withLink(w, r, func(u User) error {
		return s.Show(w, r, http.StatusOK, PasswordPage{Email: u.Email, Action: r.URL.EscapedPath()})
	})
}

// SetPassword handles the form of that page: it sets the password and signs the user in.
func (s *Service) SetPassword(w http.ResponseWriter, r *http.Request) error {
	return s.withLink(w, r, func(u User) error {
		form, err := httpx.DecodeForm(w, r, maxForm)
		if err != nil {
			return err
		}
		password := form.Get("password")
		if !ValidPassword(password) {
			return s.Show(w, r, http.StatusUnprocessableEntity,
				PasswordPage{Email: u.Email, Action: r.URL.EscapedPath(), Bad: true})
		}
		if u, err = s.useLink(r.Context(), r.PathValue("token"), password); errors.Is(err, ErrKnown) {
			return s.Show(w, r, http.StatusConflict, PasswordPage{Taken: true})
		} else if err != nil {
			return err
		}
		if more, err := s.toSecondFactor(w, r, u, ""); more || err != nil {
			return err
		}
		if err := s.startSession(w, r, byLink, "", func(context.Context, *store.Tx) (User, error) { return u, nil }); err != nil {
			return err
		}
		return httpx.SeeOther(w, s.Home)
	})
}

// withLink calls show with the user of the request's link, and answers that the link has
// expired if it has none.
func (s *Service) withLink(w http.ResponseWriter, r *http.Request, show func(User) error) error {
	if s.NoPasswords {
		return errNoPasswords
	}
	u, err := s.byLink(r.Context(), s.DB.SQL, store.Hash(r.PathValue("token")))
	if err == nil {
		err = show(u)
	}
	if errors.Is(err, store.ErrNotFound) {
		return s.Show(w, r, http.StatusGone, PasswordPage{Expired: true})
	}
	return err
}
