// Package session knows a browser again: by one small signed cookie that holds
// an opaque secret, and a row in the database that holds the secret's hash. What
// a browser may do hangs on the row's id, which never leaves the server; so the
// cookie stays as small with thirty applications as with one.
//
// The secret is replaced whenever the browser gains something (an application, a
// sign-in, a verified return), and the one before it is dead at once. A cookie
// that is tampered with, cut, old or unknown makes an anonymous visitor, never an
// error. The cookie is HttpOnly, for the whole host and never for a domain.
//
// Each party has sessions of its own, in its own tables and under its own
// cookie's name: a cookie of one says nothing to the other.
package session

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/gorilla/securecookie"
	"github.com/gorilla/sessions"

	"vestibule/internal/store"
)

// How long a session lives: an anonymous one from its last renewal, a
// signed-in one from its sign-in.
const (
	Life         = 7 * 24 * time.Hour
	SignedInLife = 12 * time.Hour
)

// hostPrefix makes a browser refuse the cookie unless it is Secure, has Path=/
// and no Domain.
const hostPrefix = "__Host-"

// Settings say what the cookie is like. All are required, but for Secure.
type Settings struct {
	Name     string        // over https the prefix __Host- is put before it
	Secure   bool          // the public URL is https
	SameSite http.SameSite // Lax where other sites lead here, else Strict
}

// Sessions finds, makes and renews sessions. Use New.
type Sessions struct {
	db     *store.DB
	now    func() time.Time
	cookie cookies
}

// Session is a browser as the server knows it. The zero value is an anonymous
// visitor without a row.
type Session struct {
	ID         string    // internal and stable: bind rows to it; never send it out
	Principal  string    // who signed in here; empty for an applicant
	CreatedAt  time.Time // when the row was made
	SignedInAt time.Time // zero when nobody signed in

	hash string // of the secret that the browser showed
}

// Anonymous reports whether there is no row for this browser.
func (s Session) Anonymous() bool { return s.ID == "" }

// Identity names a session and who signed in there; empty without a session. It stays
// the same when the session's secret is renewed.
func (s Session) Identity() string {
	if s.Anonymous() {
		return ""
	}
	return s.ID + "/" + s.Principal
}

// Cookie is what a browser is to be given once the transaction that made it has
// committed. The zero value changes nothing.
type Cookie struct {
	secret string
	until  time.Time
	clear  bool
}

// New readies the sessions of a party. The signing keys are made at the first
// start and shared by all replicas.
func New(ctx context.Context, db *store.DB, now func() time.Time, c Settings) (*Sessions, error) {
	s := &Sessions{db: db, now: now}
	s.cookie = cookies{Settings: c, keys: &keyring{db: db, now: now}}
	if c.Secure {
		s.cookie.Name = hostPrefix + c.Name
	}
	return s, s.cookie.keys.ensure(ctx)
}

// Of returns the session of the browser that sent r. Whatever is wrong with the
// cookie makes a zero Session; an error means that the database did not answer.
func (s *Sessions) Of(r *http.Request) (Session, error) { return s.In(r.Context(), s.db.SQL, r) }

// In is Of within a transaction.
func (s *Sessions) In(ctx context.Context, q store.Queryer, r *http.Request) (Session, error) {
	got, err := s.cookie.New(r, s.cookie.Name)
	if bad := securecookie.Error(nil); err != nil && !errors.As(err, &bad) {
		return Session{}, err
	}
	if got.IsNew {
		return Session{}, nil
	}
	found, err := find(ctx, q, store.Hash(got.ID), s.now())
	if errors.Is(err, store.ErrNotFound) {
		return Session{}, nil
	}
	return found, err
}

// Ensure makes a row for an anonymous visitor; for any other it changes nothing.
func (s *Sessions) Ensure(ctx context.Context, tx *store.Tx, cur Session) (Session, Cookie, error) {
	if !cur.Anonymous() {
		return cur, Cookie{}, nil
	}
	return s.Renew(ctx, tx, cur)
}

// Renew gives the session a new secret, making the row for an anonymous visitor.
// The cookie that the browser had is dead from the commit on. If another request
// of the browser was faster, or signed it out, this one gets a session of its
// own, with nobody signed in: the browser keeps the cookie that comes last.
func (s *Sessions) Renew(ctx context.Context, tx *store.Tx, cur Session) (Session, Cookie, error) {
	next, c, ok, err := s.replace(ctx, tx, cur)
	if err != nil || ok {
		return next, c, err
	}
	return s.begin(ctx, tx, Session{})
}

// SignIn renews the session and says who is there from now on.
func (s *Sessions) SignIn(ctx context.Context, tx *store.Tx, cur Session, principal string) (Session, Cookie, error) {
	cur.Principal, cur.SignedInAt = principal, s.moment()
	next, c, ok, err := s.replace(ctx, tx, cur)
	if err != nil || ok {
		return next, c, err
	}
	return s.begin(ctx, tx, cur)
}

// replace gives the row of cur a new secret, if it still has the one that the
// browser showed.
func (s *Sessions) replace(ctx context.Context, tx *store.Tx, cur Session) (Session, Cookie, bool, error) {
	if cur.Anonymous() {
		return cur, Cookie{}, false, nil
	}
	next, c := s.secret(cur)
	ok, err := replace(ctx, tx, next, []byte(cur.hash), c.until)
	return next, c, ok, err
}

// begin makes a row for who is signed in in cur, or for nobody.
func (s *Sessions) begin(ctx context.Context, tx *store.Tx, cur Session) (Session, Cookie, error) {
	cur.ID, cur.CreatedAt = uuid.NewString(), s.moment()
	next, c := s.secret(cur)
	return next, c, insert(ctx, tx, next, c.until)
}

// secret makes the next secret of a session, and says how long it lives.
func (s *Sessions) secret(cur Session) (Session, Cookie) {
	c := Cookie{secret: store.NewSecret(), until: s.moment().Add(Life)}
	if cur.Principal != "" {
		c.until = cur.SignedInAt.Add(SignedInLife)
	}
	cur.hash = string(store.Hash(c.secret))
	return cur, c
}

func (s *Sessions) moment() time.Time { return s.now().UTC().Truncate(time.Microsecond) }

// SignOut ends the session altogether: its row is gone, and so is the cookie.
func (s *Sessions) SignOut(ctx context.Context, tx *store.Tx, cur Session) (Cookie, error) {
	return Cookie{clear: true}, drop(ctx, tx, cur.ID)
}

// EndOthers ends every session of who is signed in in cur, but that one.
func (s *Sessions) EndOthers(ctx context.Context, tx *store.Tx, cur Session) error {
	return dropOthers(ctx, tx, cur.Principal, cur.ID)
}

// EndAll ends every session of a principal.
func (s *Sessions) EndAll(ctx context.Context, tx *store.Tx, principal string) error {
	return dropOthers(ctx, tx, principal, "")
}

// Set sends c to the browser. Call it after the commit and before the body.
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

// Sweep deletes the sessions that have ended and the keys that nothing is signed
// with any more.
func (s *Sessions) Sweep(ctx context.Context) error {
	return s.db.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		return sweep(ctx, tx, s.now())
	})
}

// Rotate makes a new signing key. Cookies signed with the ones before it stay
// good.
func (s *Sessions) Rotate(ctx context.Context) error {
	return s.cookie.keys.add(ctx, uuid.NewString())
}

// cookies is the sessions.Store: it signs the session's secret into the cookie
// and reads it back. What belongs to the secret is the database's to say.
type cookies struct {
	Settings
	keys *keyring
}

var _ sessions.Store = (*cookies)(nil)

func (c *cookies) options() *sessions.Options {
	return &sessions.Options{Path: "/", MaxAge: int(Life / time.Second), Secure: c.Secure,
		HttpOnly: true, SameSite: c.SameSite}
}

// Get is New: nothing is cached with the request.
func (c *cookies) Get(r *http.Request, name string) (*sessions.Session, error) {
	return c.New(r, name)
}

// New reads the cookie. With two of one name neither is trusted.
func (c *cookies) New(r *http.Request, name string) (*sessions.Session, error) {
	out := sessions.NewSession(c, name)
	out.Options, out.IsNew = c.options(), true
	sent := r.CookiesNamed(name)
	if len(sent) != 1 {
		return out, nil
	}
	codecs, err := c.keys.codecs(r.Context(), false)
	if err != nil {
		return out, err
	}
	var secret string
	err = securecookie.DecodeMulti(name, sent[0].Value, &secret, codecs...)
	if err != nil {
		// Perhaps another replica has rotated the keys since they were read.
		if codecs, err = c.keys.codecs(r.Context(), true); err != nil {
			return out, err
		}
		if err = securecookie.DecodeMulti(name, sent[0].Value, &secret, codecs...); err != nil {
			return out, err
		}
	}
	out.ID, out.IsNew = secret, false
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

// keyring holds the signing keys, newest first.
type keyring struct {
	db  *store.DB
	now func() time.Time

	mu   sync.Mutex
	read time.Time // when keys was read; zero: never
	keys []securecookie.Codec
}

// Keys are read again after freshFor, and, when a cookie does not decode, after
// rereadAfter, so that garbage costs no query each.
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
		codec.MaxAge(0) // the row says when a session ends, by the party's clock
		codec.MaxLength(512)
		codec.SetSerializer(securecookie.JSONEncoder{})
		k.keys = append(k.keys, codec)
	}
	k.read = k.now()
	return k.keys, nil
}

func (k *keyring) ensure(ctx context.Context) error { return k.add(ctx, "first") }

func (k *keyring) add(ctx context.Context, id string) error {
	err := k.db.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		return addKey(ctx, tx, k.db.Vault, id, securecookie.GenerateRandomKey(32), k.now())
	})
	k.mu.Lock()
	k.read = time.Time{}
	k.mu.Unlock()
	return err
}
