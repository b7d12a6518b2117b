package review

import (
	"context"
	"crypto/subtle"
	"database/sql"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/google/uuid"
	"golang.org/x/oauth2"

	"vestibule/internal/door"
	"vestibule/internal/password"
	"vestibule/internal/session"
	"vestibule/internal/store"
	"vestibule/internal/svc"
	pages "vestibule/templates/portal/review"
)

// OIDC is the house by whose accounts people may sign in: OpenID Connect, code flow
// with PKCE. Who has signed in there has a place here if a group of theirs has a
// role, or, without such roles, if an administrator has added their address.
type OIDC struct {
	Issuer       string
	ClientID     string
	ClientSecret string
	Name         string          // of the house, on the button; "" is the issuer's host
	Domains      []string        // of e-mail addresses that are let in; none: any
	Scopes       []string        // asked for besides openid
	GroupsClaim  string          // names the groups; "" is groups
	Roles        map[string]Role // by group

	mu       sync.Mutex
	provider *oidc.Provider // once it was discovered
}

const (
	arrivalLife  = 10 * time.Minute
	elsewhereMax = 1 << 20 // bytes of an answer of the issuer's
	elsewhere    = "elsewhere"
	returnPath   = "/review/sign-in/return"
)

// limited bounds what is read of an issuer's answers.
type limited struct{ http.RoundTripper }

func (l limited) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := l.RoundTripper.RoundTrip(r)
	if err == nil {
		resp.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(resp.Body, elsewhereMax), resp.Body}
	}
	return resp, err
}

// issuers asks them: with an end, and without being led elsewhere.
var issuers = &http.Client{Timeout: 10 * time.Second, Transport: limited{http.DefaultTransport},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

func (o *OIDC) name() string {
	if o.Name != "" {
		return o.Name
	}
	if u, err := url.Parse(o.Issuer); err == nil {
		return u.Hostname()
	}
	return o.Issuer
}

// discover learns where the issuer's addresses are, once it can be reached.
func (o *OIDC) discover() (*oidc.Provider, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.provider != nil {
		return o.provider, nil
	}
	p, err := oidc.NewProvider(oidc.ClientContext(context.Background(), issuers), o.Issuer)
	if err == nil {
		o.provider = p
	}
	return p, err
}

// flow is the way there and back.
func (d *Desk) flow(p *oidc.Provider) *oauth2.Config {
	return &oauth2.Config{ClientID: d.OIDC.ClientID, ClientSecret: d.OIDC.ClientSecret, Endpoint: p.Endpoint(), RedirectURL: d.URL + returnPath,
		Scopes: append([]string{oidc.ScopeOpenID}, d.OIDC.Scopes...)}
}

// arrival is a sign-in that is under way.
type arrival struct {
	id, next        string
	nonce, verifier string
}

// leave begins a sign-in elsewhere. What comes back is good once, for ten minutes,
// and in this browser.
func (d *Desk) leave(w http.ResponseWriter, r *http.Request) error {
	if d.OIDC == nil {
		return door.Fail(svc.CodeNotFound, errors.New("nobody signs in elsewhere"))
	}
	if r.Method == http.MethodHead || r.Header.Get("Sec-Purpose") != "" {
		return door.Fail(svc.CodeMethodNotAllowed, errors.New("a sign-in fetched ahead"))
	}
	p, err := d.OIDC.discover()
	if err != nil {
		d.Log.WarnContext(r.Context(), "the issuer of sign-ins cannot be reached", "why", err.Error(), "requestId", door.RequestID(r.Context()))
		return d.showSignIn(w, r, http.StatusBadGateway, pages.SignInView{Problem: pages.SignInElsewhere})
	}
	a := arrival{id: uuid.NewString(), nonce: store.NewSecret(), verifier: oauth2.GenerateVerifier()}
	if next := r.URL.Query().Get("next"); local(next) {
		a.next = next
	}
	state := store.NewSecret()
	current, err := d.Sessions.Of(r)
	if err != nil {
		return err
	}
	var cookie session.Cookie
	err = d.DB.Tx(r.Context(), func(ctx context.Context, tx *sql.Tx) error {
		here, c, err := d.Sessions.Ensure(ctx, tx, current)
		if err != nil {
			return err
		}
		cookie = c
		return d.insertArrival(ctx, tx, store.Hash(state), here.ID, a)
	})
	if err != nil {
		return err
	}
	if err := d.Sessions.Set(w, r, cookie); err != nil {
		return err
	}
	door.See(w, d.flow(p).AuthCodeURL(state, oidc.Nonce(a.nonce), oauth2.S256ChallengeOption(a.verifier)))
	return nil
}

// errNoEntry is somebody who is known there and has no place here.
var errNoEntry = errors.New("review: signed in elsewhere, and has no place here")

// arrive takes what the issuer sends a browser back with.
func (d *Desk) arrive(w http.ResponseWriter, r *http.Request) error {
	if d.OIDC == nil || r.Method == http.MethodHead {
		return door.Fail(svc.CodeNotFound, errors.New("nobody signs in elsewhere"))
	}
	ctx, cancel := context.WithTimeout(r.Context(), 15*time.Second)
	defer cancel()
	q := r.URL.Query()
	a, who, err := d.arrived(ctx, r, q.Get("state"), q.Get("code"))
	if err == nil {
		var id string
		if id, err = d.place(ctx, who); err == nil {
			if err := d.enter(w, r, id, elsewhere, func(context.Context, *sql.Tx) error { return nil }); err != nil {
				return err
			}
			door.See(w, after(a.next))
			return nil
		}
	}
	var e *elsewhereError
	problem, status := pages.SignInElsewhere, http.StatusUnprocessableEntity
	switch {
	case errors.Is(err, errNoEntry):
		problem, status = pages.SignInNoEntry, http.StatusForbidden
	case errors.As(err, &e):
		// The library's errors may repeat a token.
		d.Log.InfoContext(ctx, "a sign-in elsewhere came to nothing", "why", e.why, "requestId", door.RequestID(ctx))
	default:
		return err
	}
	if err := d.failed(r.Context(), "", elsewhere); err != nil {
		return err
	}
	return d.showSignIn(w, r, status, pages.SignInView{Problem: problem})
}

// elsewhereError says in our own words why what came back is no sign-in.
type elsewhereError struct{ why string }

func (e *elsewhereError) Error() string { return "review: " + e.why }

// claims is what the issuer says of a person.
type claims struct {
	subject, email string
	groups         []string
}

// arrived uses the state up and learns who signed in.
func (d *Desk) arrived(ctx context.Context, r *http.Request, state, code string) (arrival, claims, error) {
	no := func(why string) (arrival, claims, error) { return arrival{}, claims{}, &elsewhereError{why} }
	current, err := d.Sessions.Of(r)
	if err != nil {
		return arrival{}, claims{}, err
	}
	if state == "" || len(state) > 100 || current.Anonymous() {
		return no("no state, or not this browser's")
	}
	var a arrival
	err = d.DB.Tx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		a, err = d.useArrival(ctx, tx, store.Hash(state), current.ID)
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return no("a state that is unknown, used, over, or another browser's")
	}
	if err != nil {
		return a, claims{}, err
	}
	if code == "" || len(code) > 4096 {
		return no("the issuer gave no code")
	}
	p, err := d.OIDC.discover()
	if err != nil {
		return no("the issuer cannot be reached")
	}
	ctx = oidc.ClientContext(ctx, issuers)
	token, err := d.flow(p).Exchange(ctx, code, oauth2.VerifierOption(a.verifier))
	if err != nil {
		return no("the code was not exchanged")
	}
	raw, _ := token.Extra("id_token").(string)
	id, err := p.VerifierContext(ctx, &oidc.Config{ClientID: d.OIDC.ClientID, Now: d.Now}).Verify(ctx, raw)
	if err != nil {
		return no("the ID token does not verify")
	}
	if subtle.ConstantTimeCompare([]byte(id.Nonce), []byte(a.nonce)) != 1 {
		return no("the ID token has another nonce")
	}
	var c struct {
		Email    string `json:"email"`
		Verified any    `json:"email_verified"`
	}
	var all map[string]json.RawMessage
	if id.Claims(&c) != nil || id.Claims(&all) != nil || id.Subject == "" {
		return no("the ID token's claims cannot be read")
	}
	if c.Verified != true && c.Verified != "true" {
		return no("the e-mail address is not verified")
	}
	who := claims{subject: id.Subject, email: password.Email(c.Email)}
	if !addressed(who.email) {
		return no("there is no e-mail address")
	}
	name := d.OIDC.GroupsClaim
	if name == "" {
		name = "groups"
	}
	if err := json.Unmarshal(all[name], &who.groups); err != nil {
		var one string
		if json.Unmarshal(all[name], &one) == nil {
			who.groups = []string{one}
		}
	}
	return a, who, nil
}

// role is what somebody's groups make of them: of several roles that which may
// most. False where none of them has one.
func (o *OIDC) role(groups []string) (Role, bool) {
	for _, r := range []Role{Administrator, Reviewer, Auditor} {
		for _, g := range groups {
			if o.Roles[g] == r {
				return r, true
			}
		}
	}
	return "", false
}

// place finds the person here, or makes one for whom a group has a role. Whoever
// came once is known by the issuer's subject, and no longer by an address.
func (d *Desk) place(ctx context.Context, who claims) (id string, err error) {
	_, domain, _ := strings.Cut(who.email[strings.LastIndexByte(who.email, '@'):], "@")
	if len(d.OIDC.Domains) > 0 && !slices.ContainsFunc(d.OIDC.Domains, func(allowed string) bool { return strings.EqualFold(allowed, domain) }) {
		return "", errNoEntry
	}
	role, grouped := d.OIDC.role(who.groups)
	if len(d.OIDC.Roles) > 0 && !grouped {
		return "", errNoEntry
	}
	subject := store.Hash(d.OIDC.Issuer + "\x00" + who.subject)
	err = d.DB.Tx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		found, err := reviewerBySubject(ctx, tx, subject)
		if errors.Is(err, store.ErrNotFound) {
			found, err = reviewerByEmail(ctx, tx, who.email)
			switch {
			case errors.Is(err, store.ErrNotFound) && grouped:
				found = reviewer{id: uuid.NewString(), role: role}
				if _, err = d.insertReviewer(ctx, tx, found.id, who.email, "", role); err != nil {
					return err
				}
				err = d.write(ctx, tx, auditLine{actor: found.id, action: personAdded, object: found.id, detail: string(role)})
			case errors.Is(err, store.ErrNotFound):
				return errNoEntry
			}
			if err != nil {
				return err
			}
			if ok, err := bindSubject(ctx, tx, found.id, subject); err != nil {
				return err
			} else if !ok {
				return errNoEntry // the address is another account's of that house
			}
		}
		if err != nil {
			return err
		}
		if !found.disabled.IsZero() {
			return errNoEntry
		}
		if id = found.id; grouped && found.role != role {
			if err := setRole(ctx, tx, id, role); err != nil {
				return err
			}
			return d.write(ctx, tx, auditLine{actor: id, action: personChanged, object: id, detail: string(role)})
		}
		return nil
	})
	return id, err
}
