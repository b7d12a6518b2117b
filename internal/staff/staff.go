// Package staff holds the people who sign in to the portal's review dashboard or to the
// provider's dashboard: their passwords, the limits of sign-in tries, links to set a
// password, sign-in with OpenID Connect, roles, and the audit log.
//
// Each dashboard has a Service, with its own database. It renders the
// pages and mounts the handlers of this package at its own addresses:
//
//	GET  {home}/sign-in               SignInPage
//	POST {home}/sign-in               SignIn
//	GET  {home}/sign-in/code          CodePage
//	POST {home}/sign-in/code          SignInByCode
//	GET  {home}/sign-in/factor        NewFactorPage
//	POST {home}/sign-in/factor        AddFactor
//	GET  {home}/second-factor         FactorPage
//	POST {home}/second-factor         ChangeFactor
//	POST {home}/sign-out              SignOut
//	GET  {home}/oidc/login            StartOIDC
//	GET  {home}/sign-in/return        FinishOIDC
//	GET  {home}/forgotten-password    ForgottenPage
//	POST {home}/forgotten-password    RequestReset
//	GET  {home}/set-password/{token}  PasswordPage
//	POST {home}/set-password/{token}  SetPassword
package staff

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"vestibule/internal/httpx"
	"vestibule/internal/mail"
	"vestibule/internal/session"
	"vestibule/internal/store"
)

// Config configures a Service. Fields are required unless documented otherwise.
type Config struct {
	DB       *store.DB
	Sessions *session.Sessions
	Now      func() time.Time // times of users and of audit entries
	Clock    func() time.Time // time of day, for limits of tries and for OpenID Connect; default Now
	Log      *slog.Logger

	URL         string // public base URL of the dashboard
	Home        string // path of the dashboard's first page
	Operators   bool   // serves the users of OperatorAccount, and them alone
	KnownCookie string // name of the cookie that marks known browsers; over https the prefix __Host- is added
	BehindProxy bool   // take the client's address from the proxy's headers

	// Show renders a page: a SignInPage, ForgottenPage, PasswordPage, CodePage, NewFactorPage,
	// RecoveryPage or FactorPage.
	Show func(w http.ResponseWriter, r *http.Request, status int, page any) error

	// SignedOut runs in the transaction that ends a session; may be nil.
	SignedOut func(ctx context.Context, tx *store.Tx, sessionID string) error

	AuditSignIns bool             // record failed sign-ins, and the method of each sign-in
	NoPasswords  bool             // disables sign-in by password
	NeedFactor   bool             // users with a password need a second factor
	Site         string           // name of the dashboard's owner, in emails and in authenticator apps
	Emails       *Emails          // nil without a mail server: administrators pass links on
	OIDC         *OIDC            // the issuer whose accounts may sign in; may be nil
	OIDCStarts   *httpx.RateLimit // limits sign-ins at the issuer by client address; nil: no limit
	Roles        []Role           // roles that OIDC may assign, from the most to the least privileged
}

// OperatorAccount is the account of the provider's operators. A Service for operators has no other
// users, and finds them by keys of its own: an address may also be that of a customer's user, and
// neither sign-in tells of the other.
const OperatorAccount = "operator"

// Service signs users of one dashboard in and manages them. Create it with New.
type Service struct {
	Config
	mailboxes *mail.Mailboxes // hashes email addresses, and limits emails
	tries     tryLimits
	hashes    hashQueue
}

// New returns a Service. The first start creates its keys, which all replicas share.
func New(ctx context.Context, c Config) (*Service, error) {
	s := &Service{Config: c}
	if s.Clock == nil {
		s.Clock = s.Now
	}
	secret := "sign-in"
	if s.Operators {
		secret = "operator sign-in"
	}
	key, err := s.DB.GetOrCreateSecret(ctx, secret, func() ([]byte, error) {
		key := make([]byte, 32)
		rand.Read(key) // never fails
		return key, nil
	})
	if err != nil {
		return nil, fmt.Errorf("staff: %w", err)
	}
	s.tries = tryLimits{db: s.DB, now: s.Clock, key: key, cookie: httpx.HostCookie(s.KnownCookie, s.secure()),
		secure: s.secure(), behindProxy: s.BehindProxy}
	if s.mailboxes, err = mail.OpenMailboxes(ctx, s.DB); err != nil {
		return nil, fmt.Errorf("staff: %w", err)
	}
	if err := s.DB.Sweep(ctx, 100, s.keyHashes); err != nil {
		return nil, fmt.Errorf("staff: key the hashes of email addresses: %w", err)
	}
	return s, nil
}

// secure reports whether the dashboard is served over https.
func (s *Service) secure() bool { return strings.HasPrefix(s.URL, "https://") }

// Role is the name of a user's role. The dashboard defines which roles exist and what
// they permit.
type Role string

// User is a user of a dashboard. The zero User means that no user is signed in.
type User struct {
	ID, Email   string
	Account     string // ID of the customer whose dashboard it is; "" in the review dashboard
	Role        Role   // "" for operators, and in the provider's dashboard for owners
	Created     time.Time
	Disabled    time.Time // zero: may sign in
	SignedIn    time.Time // last sign-in; zero if unknown
	HasPassword bool
	HasOIDC     bool           // bound to an account of the OpenID Connect issuer
	HasFactor   bool           // a second factor
	Zone        *time.Location // time zone of the request's browser, where Current returns the user; otherwise UTC

	passwordHash string // "" without a password
}

// Invited reports whether the user has not accepted the invitation yet.
func (u User) Invited() bool { return !u.HasPassword && !u.HasOIDC }

// Current returns the signed-in user and the session of a request. It returns the zero
// User if no user is signed in or the user is disabled, removed, lacks a second factor, or
// is not confirmed by the issuer.
func (s *Service) Current(ctx context.Context, q store.Queryer, r *http.Request) (User, session.Session, error) {
	current, err := s.Sessions.OfTx(ctx, q, r)
	if err != nil || current.Principal == "" {
		return User{}, current, err
	}
	u, err := s.User(ctx, q, current.Principal)
	if errors.Is(err, store.ErrNotFound) {
		return User{}, current, nil
	}
	if err != nil || !u.Disabled.IsZero() {
		return User{}, current, err
	}
	if ok, err := s.admitted(ctx, q, u, current); err != nil || !ok {
		return User{}, current, err
	}
	u.Zone = zoneOf(r)
	return u, current, nil
}

// zoneOf returns the time zone that the browser's script stores in a cookie; UTC without one.
func zoneOf(r *http.Request) *time.Location {
	if c, err := r.Cookie("zone"); err == nil && len(c.Value) < 64 {
		if zone, err := time.LoadLocation(c.Value); err == nil && c.Value != "Local" {
			return zone
		}
	}
	return time.UTC
}

// Sweep deletes old sign-in tries, expired links and expired OpenID Connect sign-ins.
func (s *Service) Sweep(ctx context.Context) error {
	return s.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		return errors.Join(s.tries.sweep(ctx, tx), s.sweepExpired(ctx, tx, s.Clock()))
	})
}
