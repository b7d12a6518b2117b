package dashboard

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"vestibule/internal/console"
	"vestibule/internal/httpx"
	"vestibule/internal/i18n"
	"vestibule/internal/session"
	"vestibule/internal/staff"
	"vestibule/internal/store"
	providerui "vestibule/templates/provider"
	"vestibule/web"
)

// Pages are the pages of one kind of users, with what all such pages need: sign-in, the users
// themselves, the audit log, forms that are accepted once, and lists that stay current. The
// dashboard of customers and the operator's pages are built on it. Fields are required unless
// documented otherwise; call Open before the first request.
type Pages struct {
	DB     *store.DB
	Log    *slog.Logger
	Now    func() time.Time // the provider's clock, for times of changes
	Today  func() time.Time // the time of day, for sessions and sign-in attempts; not moved by a sandbox
	URL    string           // public base URL
	Home   string           // path of the first page, such as /dashboard
	Assets *web.Assets
	Site   string // name of the service

	BehindProxy bool // take client addresses from the proxy's headers
	NeedFactor  bool // users need a second factor
	Operators   bool // the users are the provider's operators

	Staff *staff.Service // set by Open

	// complete adds what the pages need of a signed-in user. It returns an error for a user who
	// must not see them. May be nil.
	complete func(ctx context.Context, q store.Queryer, u *user) error

	public   *url.URL
	language console.Language
	sessions *session.Sessions
	keys     []byte // see random
	forms    []byte // see once
}

// Open loads the keys, which the first start creates, and prepares the sessions. emails makes
// emails to users; nil: none are sent.
func (s *Pages) Open(ctx context.Context, emails func(console.Language) *staff.Emails) error {
	name := strings.TrimPrefix(s.Home, "/")
	public, err := url.Parse(s.URL)
	if err != nil || public.Host == "" {
		return fmt.Errorf("%s: %q is not a public address", name, s.URL)
	}
	s.public, s.language = public, console.Language{Cookie: name + "-lang", Secure: public.Scheme == "https"}
	// Strict is possible because only these pages link here with a session.
	s.sessions, err = session.New(ctx, s.DB, s.Today, session.Settings{Name: "vestibule-" + name,
		Secure: public.Scheme == "https", SameSite: http.SameSiteStrictMode})
	if err != nil {
		return fmt.Errorf("%s: sessions: %w", name, err)
	}
	c := staff.Config{DB: s.DB, Sessions: s.sessions, Now: s.Now, Clock: s.Today, Log: s.Log,
		URL: public.String(), Home: s.Home, KnownCookie: "vestibule-" + name + "-known", BehindProxy: s.BehindProxy,
		Operators: s.Operators, AuditSignIns: s.Operators, Show: s.showStaff, SignedOut: dropNotice, NeedFactor: s.NeedFactor, Site: s.Site}
	if emails != nil {
		c.Emails = emails(s.language)
	}
	if s.Staff, err = staff.New(ctx, c); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	random := func() ([]byte, error) {
		key := make([]byte, 64)
		rand.Read(key) // never fails
		return key, nil
	}
	if s.keys, err = s.DB.GetOrCreateSecret(ctx, name+"-keys", random); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	s.forms = s.keys[:32]
	return nil
}

// Names for other packages, which build their pages on these.
type (
	User     = user
	Page     = page
	Change   = change
	Input    = input
	Done     = done
	Form     = form
	Searched = searched
)

// ID returns the identifier in the form's path; "" without one.
func (in input) ID() string { return in.id }

// Lang returns the language of the form's page, for emails.
func (in input) Lang() i18n.Lang { return in.lang }

// Did describes a change for the audit trail, and the flash message of the next page.
func Did(e staff.Entry, message string) Done {
	return done{action: e.Action, object: e.Object, detail: e.Detail, values: e.Values, flash: flash(message)}
}

// Entry returns the entry of a change for the audit trail, and the ID of the customer whose dispute
// or report it changed.
func (d done) Entry() (account string, e staff.Entry) {
	return d.account, staff.Entry{Action: d.action, Object: d.object, Detail: d.detail, Values: d.values}
}

// Showing adds a secret that the next page shows once.
func (d done) Showing(secret string) Done {
	d.secret = secret
	return d
}

// As replaces the entry for the audit trail.
func (d done) As(e staff.Entry) done {
	d.action, d.object, d.detail, d.values = e.Action, e.Object, e.Detail, e.Values
	return d
}

// To changes the path of the next page.
func (d done) To(path string) Done {
	d.to = path
	return d
}

// FormOf returns a form whose errors are shown on a page, to which it leads. {id} in its path is
// that of the request.
func (s *Pages) FormOf(back Page, path string, make Change) Form {
	return form{back, path, make, s.setLanguage}
}

// Errors of forms.
var (
	FieldProblem = fieldProblem
	ErrNoChange  = error(noChange{flashNoChange})
)

// List returns what a page needs to filter and sort a list, and the error of an order that it does
// not offer.
func List(r *http.Request, path string, orders []string, filters ...string) (l providerui.DashboardList, err error) {
	l = listOf(path, selectionParams(r, append(filters, "sort")...))
	_, err = sortOf(l.Query, orders...)
	return l, err
}

// Routes are the pages of a kind of users.
type Routes struct {
	Pages map[string]Page     // by their patterns
	Forms map[string]Form     // likewise
	Lists map[string]searched // live lists with a search, by their path
}

// Mount adds pages to mux, with those of every kind: sign-in, users, and the audit log.
func (s *Pages) Mount(mux *http.ServeMux, more Routes) {
	s.mountStaff(mux)
	for pattern, show := range more.Pages {
		mux.Handle(pattern, s.get(show))
	}
	for pattern, f := range more.Forms {
		mux.Handle(pattern, s.post(f))
	}
	for path, list := range more.Lists {
		s.mountList(mux, path, list)
	}
}

// mountList adds a list with its search. A search changes nothing; it uses POST to keep identifiers
// and names out of URLs.
func (s *Pages) mountList(mux *http.ServeMux, path string, list searched) {
	mux.Handle("GET "+path, s.live(list.whole))
	mux.Handle("GET "+path+"/find", s.adapt(s.redirectToList(path)))
	mux.Handle("POST "+path+"/find", s.find(searchIn(path, list)))
}

func (s *Pages) mountStaff(mux *http.ServeMux) {
	at := func(method, path string, h httpx.HandlerFunc) { mux.Handle(method+" "+s.Home+path, s.guarded(h)) }
	at("GET", "/sign-in", s.Staff.SignInPage)
	at("POST", "/sign-in", s.Staff.SignIn)
	at("GET", "/sign-in/code", s.Staff.CodePage)
	at("POST", "/sign-in/code", s.Staff.SignInByCode)
	at("GET", "/sign-in/factor", s.Staff.NewFactorPage)
	at("POST", "/sign-in/factor", s.Staff.AddFactor)
	at("GET", "/second-factor", s.Staff.FactorPage)
	at("POST", "/second-factor", s.Staff.ChangeFactor)
	at("POST", "/sign-out", s.Staff.SignOut)
	at("GET", "/forgotten-password", s.Staff.ForgottenPage)
	at("POST", "/forgotten-password", s.Staff.RequestReset)
	at("GET", "/set-password/{token}", s.Staff.PasswordPage)
	at("POST", "/set-password/{token}", s.Staff.SetPassword)
	people, users := s.Home+"/people", searched(s.userList).whole
	s.mountList(mux, s.Home+"/people", s.userList)
	s.mountList(mux, s.Home+"/audit", s.entries)
	mux.Handle("POST "+s.Home+"/density", s.adapt(s.forUser(s.setDensity)))
	for path, f := range map[string]form{
		"":             {users, people, s.addUser, s.setLanguage},
		"/{id}/remove": {users, people, s.removeUser, nil},
		"/{id}/role":   {users, people, s.setRole, nil},
		"/{id}/invite": {users, people, s.inviteAgain, s.setLanguage},
		"/{id}/factor": {users, people, s.removeFactor, nil},
		"/password":    {users, people, s.setPassword, s.hashOwn},
	} {
		mux.Handle("POST "+people+path, s.post(f))
	}
}
