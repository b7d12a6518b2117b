// Package session identifies browsers by a small signed cookie that holds an opaque
// secret and a database row that holds the secret's hash. Permissions are bound to
// the row's ID, which never leaves the server, so the cookie does not grow with the
// number of applications.
//
// The secret is replaced whenever the browser gains access (an application, a
// sign-in, a verified return), and the previous one becomes invalid at once. A
// tampered, truncated, expired or unknown cookie makes an anonymous visitor, never an
// error. The cookie is HttpOnly and host-only.
//
// The portal and the provider have separate sessions, with separate tables and cookie
// names. A cookie of one is meaningless to the other.
package session

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/gorilla/securecookie"
	"github.com/gorilla/sessions"

	"vestibule/internal/store"
)

// Session lifetimes: an anonymous session lives from its last renewal, a signed-in
// one from its sign-in.
const (
	Life         = 7 * 24 * time.Hour
	SignedInLife = 12 * time.Hour
)

// hostPrefix makes browsers refuse the cookie unless it is Secure, has Path=/ and no
// Domain.
const hostPrefix = "__Host-"

// Settings configure the cookie. All fields but Secure are required.
type Settings struct {
	Name     string        // over https the prefix __Host- is added
	Secure   bool          // whether the public URL uses https
	SameSite http.SameSite // Lax if other sites link to this one, otherwise Strict
}

// Sessions finds, creates and renews sessions. Create it with New.
type Sessions struct {
	db     *store.DB
	now    func() time.Time
	cookie cookies
}

// Session is a browser's session. The zero value is an anonymous visitor without a
// row.
type Session struct {
	ID         string    // internal and stable: bind rows to it; never send it to clients
	Principal  string    // the signed-in user; empty for an applicant
	CreatedAt  time.Time // when the row was created
	SignedInAt time.Time // zero if not signed in

	hash string // hash of the secret that the browser sent
}

// Anonymous reports whether the browser has no session row.
func (s Session) Anonymous() bool { return s.ID == "" }

// Identity returns a string of the session and its signed-in user, or "" without a
// session. It stays the same when the session's secret is renewed.
func (s Session) Identity() string {
	if s.Anonymous() {
		return ""
	}
	return s.ID + "/" + s.Principal
}

// Cookie is the cookie change to send to the browser after the transaction that made
// it commits. The zero value changes nothing.
type Cookie struct {
	secret string
	until  time.Time
	clear  bool
}

// New returns the sessions of the portal or the provider. The first start creates the
// signing keys, which all replicas share.
func New(ctx context.Context, db *store.DB, now func() time.Time, c Settings) (*Sessions, error) {
	s := &Sessions{db: db, now: now}
	s.cookie = cookies{Settings: c, keys: &keyring{db: db, now: now}}
	if c.Secure {
		s.cookie.Name = hostPrefix + c.Name
	}
	return s, s.cookie.keys.add(ctx, "first") // unless there is one
}

// Of returns the session of the browser that sent r. An invalid cookie gives a zero
// Session; an error means that the database failed.
func (s *Sessions) Of(r *http.Request) (Session, error) { return s.OfTx(r.Context(), s.db.SQL, r) }

// OfTx is Of within a transaction.
func (s *Sessions) OfTx(ctx context.Context, q store.Queryer, r *http.Request) (Session, error) {
	got, err := s.cookie.New(r, s.cookie.Name)
	if err != nil || got.IsNew {
		return Session{}, err
	}
	found, err := find(ctx, q, store.Hash(got.ID), s.now())
	return found, store.OrNone(err)
}

// Ensure creates a row for an anonymous visitor. It changes nothing for others.
func (s *Sessions) Ensure(ctx context.Context, tx *store.Tx, cur Session) (Session, Cookie, error) {
	if !cur.Anonymous() {
		return cur, Cookie{}, nil
	}
	return s.Renew(ctx, tx, cur)
}

// Renew gives the session a new secret, creating the row for an anonymous visitor.
// The browser's previous cookie becomes invalid when tx commits. If a concurrent
// request of the browser was first or signed it out, this request gets a new session
// that is not signed in; the browser keeps the cookie that arrives last.
func (s *Sessions) Renew(ctx context.Context, tx *store.Tx, cur Session) (Session, Cookie, error) {
	next, c, ok, err := s.Replace(ctx, tx, cur)
	if err != nil || ok {
		return next, c, err
	}
	return s.begin(ctx, tx, Session{})
}

// SignIn renews the session and signs principal in.
func (s *Sessions) SignIn(ctx context.Context, tx *store.Tx, cur Session, principal string) (Session, Cookie, error) {
	cur.Principal, cur.SignedInAt = principal, s.timestamp()
	next, c, ok, err := s.Replace(ctx, tx, cur)
	if err != nil || ok {
		return next, c, err
	}
	return s.begin(ctx, tx, cur)
}

// Replace gives the row of cur a new secret if the row still holds the secret that
// the browser sent. Otherwise it returns false and an empty cookie.
func (s *Sessions) Replace(ctx context.Context, tx *store.Tx, cur Session) (Session, Cookie, bool, error) {
	if cur.Anonymous() {
		return cur, Cookie{}, false, nil
	}
	next, c := s.secret(cur)
	ok, err := replace(ctx, tx, next, []byte(cur.hash), c.until)
	if !ok {
		c = Cookie{}
	}
	return next, c, ok, err
}

// begin creates a row with the principal of cur, which may be empty.
func (s *Sessions) begin(ctx context.Context, tx *store.Tx, cur Session) (Session, Cookie, error) {
	cur.ID, cur.CreatedAt = uuid.NewString(), s.timestamp()
	next, c := s.secret(cur)
	return next, c, insert(ctx, tx, next, c.until)
}

// secret returns the session with a new secret, and its cookie with its lifetime.
func (s *Sessions) secret(cur Session) (Session, Cookie) {
	c := Cookie{secret: store.NewSecret(), until: s.timestamp().Add(Life)}
	if cur.Principal != "" {
		c.until = cur.SignedInAt.Add(SignedInLife)
	}
	cur.hash = string(store.Hash(c.secret))
	return cur, c
}

func (s *Sessions) timestamp() time.Time { return s.now().UTC().Truncate(time.Microsecond) }

// SignOut deletes the session's row and clears its cookie.
func (s *Sessions) SignOut(ctx context.Context, tx *store.Tx, cur Session) (Cookie, error) {
	return Cookie{clear: true}, drop(ctx, tx, cur.ID)
}

// EndOthers ends every other session of the user signed in in cur.
func (s *Sessions) EndOthers(ctx context.Context, tx *store.Tx, cur Session) error {
	return dropOthers(ctx, tx, cur.Principal, cur.ID)
}

// EndAll ends every session of a principal.
func (s *Sessions) EndAll(ctx context.Context, tx *store.Tx, principal string) error {
	return dropOthers(ctx, tx, principal, "")
}

// Set sends c to the browser. Call it after the commit and before writing the body.
func (s *Sessions) Set(w http.ResponseWriter, r *http.Request, c Cookie) error {
	if c == (Cookie{}) {
		return nil
	}
	out := sessions.NewSession(&s.cookie, s.cookie.Name)
	out.ID = c.secret
	out.Options = s.cookie.options()
	out.Options.MaxAge = int(c.until.Sub(s.now()) / time.Second)
	if c.clear {
		out.Options.MaxAge = -1
	}
	return s.cookie.Save(r, w, out)
}

// Sweep deletes expired sessions and the keys that no live session is signed with.
func (s *Sessions) Sweep(ctx context.Context) error {
	return s.db.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		return sweep(ctx, tx, s.now())
	})
}

// Rotate creates a new signing key. Cookies signed with earlier keys stay valid.
func (s *Sessions) Rotate(ctx context.Context) error { return s.cookie.keys.add(ctx, uuid.NewString()) }

// cookies implements sessions.Store: it signs the session's secret into the cookie
// and reads it back. The database holds the session's data.
type cookies struct {
	Settings
	keys *keyring
}

var _ sessions.Store = (*cookies)(nil)

func (c *cookies) options() *sessions.Options {
	return &sessions.Options{Path: "/", MaxAge: int(Life / time.Second), Secure: c.Secure,
		HttpOnly: true, SameSite: c.SameSite}
}

// Get is New: nothing is cached per request.
func (c *cookies) Get(r *http.Request, name string) (*sessions.Session, error) { return c.New(r, name) }

// New reads the cookie. If two have the same name, it trusts neither.
func (c *cookies) New(r *http.Request, name string) (*sessions.Session, error) {
	out := sessions.NewSession(c, name)
	out.Options, out.IsNew = c.options(), true
	sent := r.CookiesNamed(name)
	if len(sent) != 1 {
		return out, nil
	}
	for _, again := range []bool{false, true} { // another replica may have rotated the keys since they were read
		codecs, err := c.keys.codecs(r.Context(), again)
		if err != nil {
			return out, err
		}
		if securecookie.DecodeMulti(name, sent[0].Value, &out.ID, codecs...) == nil {
			out.IsNew = false
			break
		}
	}
	return out, nil
}

// Save writes the cookie; a negative MaxAge deletes it.
func (c *cookies) Save(r *http.Request, w http.ResponseWriter, s *sessions.Session) error {
	value := ""
	if s.Options.MaxAge >= 0 {
		codecs, err := c.keys.codecs(r.Context(), false)
		if err != nil {
			return err
		}
		if value, err = securecookie.EncodeMulti(s.Name(), s.ID, codecs...); err != nil {
			return err
		}
	}
	http.SetCookie(w, sessions.NewCookie(s.Name(), value, s.Options))
	return nil
}

// keyring caches the signing keys, newest first.
type keyring struct {
	db  *store.DB
	now func() time.Time

	mu   sync.Mutex
	read time.Time // when keys was last read; zero: never
	keys []securecookie.Codec
}

// Keys are read again after freshFor, or after rereadAfter when a cookie does not
// decode, so that invalid cookies do not cost a query each.
const (
	freshFor    = time.Minute
	rereadAfter = 5 * time.Second
)

func (k *keyring) codecs(ctx context.Context, missed bool) ([]securecookie.Codec, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	age := k.now().Sub(k.read)
	if len(k.keys) > 0 && age >= 0 && (age < rereadAfter || age < freshFor && !missed) {
		return k.keys, nil
	}
	raw, err := loadKeys(ctx, k.db)
	if err != nil {
		if len(k.keys) > 0 {
			return k.keys, nil
		}
		return nil, err
	}
	k.keys = k.keys[:0:0]
	for _, key := range raw {
		codec := securecookie.New(key, nil)
		codec.MaxAge(0) // the row holds the expiry
		codec.MaxLength(512)
		codec.SetSerializer(securecookie.JSONEncoder{})
		k.keys = append(k.keys, codec)
	}
	k.read = k.now()
	return k.keys, nil
}

func (k *keyring) add(ctx context.Context, id string) error {
	err := k.db.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		return addKey(ctx, tx, k.db.Vault, id, securecookie.GenerateRandomKey(32), k.now())
	})
	k.mu.Lock()
	k.read = time.Time{}
	k.mu.Unlock()
	return err
}
