package access

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/i18n"
	"vestibule/internal/jobs"
	"vestibule/internal/mail"
	"vestibule/internal/prefill"
	"vestibule/internal/provider/freeze"
	"vestibule/internal/provider/sources"
	"vestibule/internal/staff"
	"vestibule/internal/store"
	providerui "vestibule/templates/provider"
	"vestibule/templates/ui"
)

// maxForm is the maximum size in bytes of a form.
const maxForm = 4 << 10

var (
	errOtherOrigin = httpx.NewError(contract.CodeForbidden, errors.New("form of another origin"))
	errTooOften    = &httpx.Error{Code: contract.CodeRateLimited, RetryAfter: mail.TriesWindow, Why: errors.New("too many links requested")}
)

// page adapts a handler whose errors are shown as pages.
func (s *Service) page(h httpx.HandlerFunc) http.Handler {
	return s.Visits.LinkPage(h, func(err error) (title, text i18n.Key) {
		switch httpx.AsError(err).Code {
		case contract.CodeNotFound:
			return "notice.not_found.title", "access.not_found"
		case contract.CodeRateLimited:
			return "access.too_often.title", "access.too_often.text"
		case contract.CodeForbidden:
			if errors.Is(err, errNotAll) {
				return "access.forbidden.title", "access.forbidden.text"
			}
			return "notice.other_site.title", "access.other_site"
		}
		return "visit.failed_request.title", "redirect.failed_request"
	})
}

// Missing renders the error page for an unknown address or an unsupported method.
func (s *Service) Missing(w http.ResponseWriter, r *http.Request, status int) {
	code := contract.CodeNotFound
	if status == http.StatusMethodNotAllowed {
		code = contract.CodeMethodNotAllowed
	}
	s.page(func(http.ResponseWriter, *http.Request) error {
		return httpx.NewError(code, errors.New("no such page"))
	}).ServeHTTP(w, r)
}

// base returns the common part of a page, with links to other languages unless its address
// has a secret.
func (s *Service) base(r *http.Request) providerui.Access {
	b := providerui.Access{Lang: ui.PickLanguage(r.URL.Query().Get("lang"), "", r.Header.Get("Accept-Language")), Urls: s.Visits.Urls(),
		Sandbox: s.Sandbox, Emails: s.Outbox.Sends()}
	if r.PathValue("token") == "" {
		b.Languages = ui.Languages(b.Lang, &url.URL{Path: r.URL.Path, RawPath: r.URL.EscapedPath()})
	}
	return b
}

func write(w http.ResponseWriter, r *http.Request, status int, page httpx.Renderer) error {
	httpx.SetSecurityHeaders(w, httpx.CSP{})
	return httpx.HTML(w, r, status, page)
}

func (s *Service) cookieName() string { return httpx.HostCookie("access", s.Secure) }

func (s *Service) secretHash(r *http.Request) []byte {
	all := r.CookiesNamed(s.cookieName())
	if len(all) != 1 || len(all[0].Value) > 100 {
		return nil
	}
	return store.Hash(all[0].Value)
}

func (s *Service) setCookie(w http.ResponseWriter, value string, life int) {
	// Lax, not Strict: consumers also reach the page by links on other sites.
	http.SetCookie(w, &http.Cookie{Name: s.cookieName(), Value: value, Path: "/", MaxAge: life,
		HttpOnly: true, Secure: s.Secure, SameSite: http.SameSiteLaxMode})
}

// show shows what the consumer has shared or, without a session, the form that requests a
// link.
func (s *Service) show(w http.ResponseWriter, r *http.Request) error {
	o, err := sessionOf(r.Context(), s.DB.SQL, s.secretHash(r), s.Now())
	if errors.Is(err, store.ErrNotFound) {
		return s.form(w, r, http.StatusOK, providerui.AccessForm{Expired: s.secretHash(r) != nil})
	}
	if err != nil {
		return err
	}
	v := providerui.AccessList{Access: s.base(r)}
	if v.Companies, err = s.shared(r.Context(), v.Lang, o); err != nil {
		return err
	}
	v.Whole, v.Deleted = o.all(), r.URL.Query().Get("deleted") != ""
	if file, err := s.Freeze.File(r.Context(), s.DB.SQL, o.mailbox); err != nil {
		return err
	} else {
		v.File = s.fileView(file)
	}
	ended := r.URL.Query().Get("ended")
	if ended == everyCompany {
		v.Ended = i18n.T(v.Lang, "access.list.ended_all")
	}
	for _, c := range v.Companies {
		if c.Account == ended && !c.Open {
			v.Ended = i18n.T(v.Lang, "access.list.ended", "company", c.Name)
		}
	}
	if id := r.URL.Query().Get("disconnected"); id != "" {
		if err := s.addDisconnected(r.Context(), o, id, &v); err != nil {
			return err
		}
	}
	return write(w, r, http.StatusOK, providerui.AccessListPage(v))
}

// addDisconnected adds the source that was disconnected to the list, unless access to it is
// open again.
func (s *Service) addDisconnected(ctx context.Context, o session, id string, v *providerui.AccessList) error {
	same, err := s.sameSource(ctx, s.DB.SQL, o, id)
	if err != nil || slices.ContainsFunc(same, func(c sources.Connection) bool { return c.Open(s.Now()) }) {
		return store.OrNone(err)
	}
	company, err := s.Customers.ByID(ctx, s.DB.SQL, same[0].CustomerID)
	v.Disconnected, v.From = s.sourceName(same[0]), company.ApplicantName()
	return err
}

func (s *Service) form(w http.ResponseWriter, r *http.Request, status int, f providerui.AccessForm) error {
	f.Access, f.NoEmail = s.base(r), s.NoEmail
	return write(w, r, status, providerui.AccessFormPage(f))
}

// request requests an email with a link. The answer and the work are the same for every
// valid address, including one over its limit.
func (s *Service) request(w http.ResponseWriter, r *http.Request) error {
	in, err := httpx.DecodeForm(w, r, maxForm)
	if err != nil {
		return err
	}
	if s.NoEmail {
		return s.form(w, r, http.StatusOK, providerui.AccessForm{})
	}
	email := strings.TrimSpace(in.Get("email"))
	if !prefill.IsEmail(email) {
		return s.form(w, r, http.StatusUnprocessableEntity, providerui.AccessForm{Email: email, Problem: "access.form.no_email"})
	}
	b := s.base(r)
	if !s.Outbox.Sends() {
		return write(w, r, http.StatusOK, providerui.AccessUnsentPage(b))
	}
	err = s.Mailboxes.AllowRequest(r.Context(), httpx.ClientNetworks(r, s.BehindProxy))
	if errors.Is(err, mail.ErrNetworkLimit) {
		return errTooOften
	}
	if err != nil {
		return err
	}
	wanted := emailRequest{id: uuid.NewString(), mailbox: s.Mailboxes.Hash(email), lang: b.Lang}
	err = s.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) error {
		if err := insertRequest(ctx, tx, wanted); err != nil {
			return err
		}
		return s.Queue.Enqueue(ctx, tx, Write{wanted.id}, jobs.UniqueKey(wanted.id))
	})
	if err != nil {
		return err
	}
	return write(w, r, http.StatusOK,
		providerui.AccessNoticePage(providerui.AccessNotice{Access: b, Title: "access.sent.title", Text: "access.sent.text"}))
}

// showLink shows the page of a link. It changes nothing, so that mail scanners that open
// links do not use them up.
func (s *Service) showLink(w http.ResponseWriter, r *http.Request) error {
	b := s.base(r)
	works, err := linkWorks(r.Context(), s.DB.SQL, store.Hash(r.PathValue("token")), s.Now())
	if err != nil {
		return err
	}
	if works {
		return write(w, r, http.StatusOK, providerui.AccessLinkPage(b, Path+"/link/"+url.PathEscape(r.PathValue("token"))))
	}
	_, err = sessionOf(r.Context(), s.DB.SQL, s.secretHash(r), s.Now())
	if err == nil {
		return httpx.SeeOther(w, b.Link(Path)) // the browser that has used it
	}
	if !errors.Is(err, store.ErrNotFound) {
		return err
	}
	return write(w, r, http.StatusGone,
		providerui.AccessNoticePage(providerui.AccessNotice{Access: b, Title: "access.used.title", Text: "access.used.text", Again: true}))
}

// openLink uses up the link and opens a session.
func (s *Service) openLink(w http.ResponseWriter, r *http.Request) error {
	secret, opened := store.NewSecret(), false
	err := s.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) (err error) {
		opened, err = useLink(ctx, tx, store.Hash(r.PathValue("token")), store.Hash(secret))
		if err != nil || !opened {
			return err
		}
		o, err := sessionOf(ctx, tx, store.Hash(secret), tx.Now)
		if err != nil {
			return err
		}
		return s.Freeze.Record(ctx, tx, o.mailbox, freeze.Entry{Action: freeze.ActionOpened, CustomerID: o.company})
	})
	if err != nil {
		return err
	}
	if !opened {
		return s.showLink(w, r)
	}
	s.setCookie(w, secret, int(sessionLife.Seconds()))
	return httpx.SeeOther(w, s.base(r).Link(Path))
}

// signOut ends the session.
func (s *Service) signOut(w http.ResponseWriter, r *http.Request) error {
	if err := deleteSession(r.Context(), s.DB.SQL, s.secretHash(r)); err != nil {
		return err
	}
	s.setCookie(w, "", -1)
	return httpx.SeeOther(w, s.base(r).Link(Path))
}

// withSession adapts a handler that needs a session. Without a session, it
// shows the form.
func (s *Service) withSession(h func(w http.ResponseWriter, r *http.Request, o session) error) http.Handler {
	return s.page(func(w http.ResponseWriter, r *http.Request) error {
		o, err := sessionOf(r.Context(), s.DB.SQL, s.secretHash(r), s.Now())
		if errors.Is(err, store.ErrNotFound) {
			return s.form(w, r, http.StatusForbidden, providerui.AccessForm{Expired: true})
		}
		if err != nil {
			return err
		}
		return h(w, r, o)
	})
}

// sameSource returns the access of the consumers of a mailbox that one company has to one
// institution, by the id of any of it. It returns store.ErrNotFound for an id of others.
func (s *Service) sameSource(ctx context.Context, q store.Queryer, o session, id string) ([]sources.Connection, error) {
	all, err := s.ofSession(ctx, q, o)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(c sources.Connection) bool { return c.ID == id })
	if i < 0 {
		return nil, store.ErrNotFound
	}
	chosen := all[i]
	return slices.DeleteFunc(all, func(c sources.Connection) bool {
		return c.CustomerID != chosen.CustomerID || c.Institution != chosen.Institution
	}), nil
}

// showDisconnect asks for confirmation before a source is disconnected.
func (s *Service) showDisconnect(w http.ResponseWriter, r *http.Request, o session) error {
	b, id := s.base(r), r.PathValue("source")
	same, err := s.sameSource(r.Context(), s.DB.SQL, o, id)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(same, func(c sources.Connection) bool { return c.Open(s.Now()) }) {
		return seeDisconnected(w, b, id)
	}
	company, err := s.Customers.ByID(r.Context(), s.DB.SQL, same[0].CustomerID)
	if err != nil {
		return err
	}
	all, err := s.shared(r.Context(), b.Lang, o)
	if err != nil {
		return err
	}
	v := providerui.AccessDisconnect{Access: b, Company: providerui.AccessCompany{Name: company.ApplicantName()},
		Source: providerui.AccessSource{ID: id, Name: s.sourceName(same[0])}}
	for _, c := range all {
		if c.Account == company.PublicID {
			v.Company = c
		}
	}
	return write(w, r, http.StatusOK, providerui.AccessDisconnectPage(v))
}

// disconnect ends a company's access to a source. A second request changes nothing.
func (s *Service) disconnect(w http.ResponseWriter, r *http.Request, o session) error {
	b, id := s.base(r), r.PathValue("source")
	err := s.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) error {
		same, err := s.sameSource(ctx, tx, o, id)
		if err != nil {
			return err
		}
		return s.endSource(ctx, tx, b.Lang, o.mailbox, same)
	})
	if err != nil {
		return err
	}
	return seeDisconnected(w, b, id)
}

// seeDisconnected redirects to the list, which says that a source is disconnected.
func seeDisconnected(w http.ResponseWriter, b providerui.Access, id string) error {
	return httpx.SeeOther(w, b.Link(Path)+"&"+url.Values{"disconnected": {id}}.Encode())
}

// endSource ends a company's access to one institution, and confirms it by email.
func (s *Service) endSource(ctx context.Context, tx *store.Tx, l i18n.Lang, mailbox []byte, all []sources.Connection) error {
	var consumers []string // whose access was open
	for _, c := range all {
		ended, err := s.Sources.EndOne(ctx, tx, c.ID)
		if err != nil {
			return err
		}
		if !ended {
			continue
		}
		if err := s.Accounts.Disconnected(ctx, tx, c); err != nil {
			return err
		}
		if !slices.Contains(consumers, c.ConsumerID) {
			consumers = append(consumers, c.ConsumerID)
		}
	}
	for _, id := range consumers {
		if err := s.Record(ctx, tx, staff.Entry{Action: actionDisconnected, Subject: all[0].CustomerID, Object: id}); err != nil {
			return err
		}
	}
	if len(consumers) == 0 {
		return nil
	}
	if err := s.Freeze.Record(ctx, tx, mailbox, freeze.Entry{Action: freeze.ActionDisconnected, CustomerID: all[0].CustomerID}); err != nil {
		return err
	}
	to, err := newestOf(ctx, tx, mailbox, all[0].CustomerID)
	if err != nil {
		return store.OrNone(err) // its report is deleted, and the address with it
	}
	return s.confirm(ctx, tx, l, to, s.sourceName(all[0]))
}
