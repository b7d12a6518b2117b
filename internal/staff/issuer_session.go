package staff

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"vestibule/internal/httpx"
	"vestibule/internal/session"
	"vestibule/internal/store"
)

// A session of a user who signed in at the issuer is checked there again after recheckAfter, at most
// once in recheckPause. It is not valid maxUnchecked after the last successful check.
const (
	recheckAfter = 10 * time.Minute
	recheckPause = time.Minute
	maxUnchecked = 15 * time.Minute
)

// issuerSession is the row of a session of a user who signed in at the issuer.
type issuerSession struct {
	id      string
	refresh string // refresh token; "" if the issuer gave none
	checked time.Time
}

// admitted reports whether a signed-in user may use the session: with a second factor if one is
// required or, after a sign-in at the issuer, if the issuer still admits the user.
func (s *Service) admitted(ctx context.Context, q store.Queryer, u User, current session.Session) (bool, error) {
	from, err := s.issuerSession(ctx, q, current.ID)
	if errors.Is(err, store.ErrNotFound) {
		return !s.NeedFactor || u.HasFactor, nil
	}
	age := s.Clock().Sub(from.checked)
	if _, changing := q.(*store.Tx); err != nil || age < recheckAfter || from.refresh == "" || changing {
		return age < maxUnchecked, err
	}
	if first, err := s.claimCheck(ctx, from.id); err != nil || !first {
		return age < maxUnchecked, err // another request checks it, or has just failed to
	}
	c, err := s.refresh(ctx, from.refresh)
	if err == nil {
		err = s.admitAgain(ctx, u, c)
	}
	if err == nil {
		return true, s.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error { return s.setChecked(ctx, tx, from.id, c.refresh) })
	}
	s.Log.WarnContext(ctx, "the issuer did not confirm a session", "err", err.Error(), "requestId", httpx.RequestID(ctx))
	var lost errNotAdmitted
	if !errors.As(err, &lost) {
		return age < maxUnchecked, nil // the issuer may answer again
	}
	return false, s.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		return errors.Join(s.Sessions.EndAll(ctx, tx, u.ID),
			s.Record(ctx, tx, Entry{Actor: u.ID, Action: SignedOut, Subject: u.Account, Detail: byOIDC}))
	})
}

// refresh returns a user's new claims by a refresh token.
func (s *Service) refresh(ctx context.Context, refreshToken string) (claims, error) {
	ctx, cancel := context.WithTimeout(oidc.ClientContext(ctx, issuerClient), 15*time.Second)
	defer cancel()
	found, err := s.OIDC.discover()
	if err != nil {
		return claims{}, err
	}
	token, err := s.flow(found).TokenSource(ctx, &oauth2.Token{RefreshToken: refreshToken}).Token()
	var refused *oauth2.RetrieveError
	if errors.As(err, &refused) && refused.ErrorCode == "invalid_grant" {
		return claims{}, errNotAdmitted("the issuer has revoked the refresh token")
	}
	if err != nil {
		return claims{}, refuse("the refresh token was not exchanged: " + exchangeError(err))
	}
	subject, all := "", members{}
	if raw, ok := token.Extra("id_token").(string); ok {
		id, err := found.verifier(oidc.Config{ClientID: s.OIDC.ClientID, Now: s.Clock}).Verify(ctx, raw)
		if err != nil || id.Claims(&all) != nil {
			return claims{}, refuse("the new ID token does not verify")
		}
		subject = id.Subject
	} else if all, err = found.askUserInfo(ctx, token); err != nil {
		return claims{}, refuse("without a new ID token, UserInfo " + err.Error())
	} else {
		subject = all.text("sub")
	}
	c, err := s.complete(ctx, found, token, subject, all)
	c.refresh = token.RefreshToken
	return c, err
}

func (s *Service) admitAgain(ctx context.Context, u User, c claims) error {
	same, err := s.bySubject(ctx, s.DB.SQL, s.subjectHash(c.subject))
	if err == nil && same.ID != u.ID || errors.Is(err, store.ErrNotFound) {
		return refuse("the new claims are another user's")
	}
	if err == nil {
		_, err = s.admit(ctx, c)
	}
	return err
}

// renewSilently asks the issuer to confirm the user of an old session without a page
// (OpenID Connect Core, section 3.1.2.1). It reports false if the browser has no such session.
func (s *Service) renewSilently(w http.ResponseWriter, r *http.Request, current session.Session) (bool, error) {
	if mode := r.Header.Get("Sec-Fetch-Mode"); current.Principal == "" || r.Method != http.MethodGet || mode != "" && mode != "navigate" {
		return false, nil
	}
	_, err := s.issuerSession(r.Context(), s.DB.SQL, current.ID)
	if err != nil {
		return false, store.OrNone(err)
	}
	return true, s.startOIDC(w, r, "none")
}

// endUnconfirmed ends the browser's session if it is one of the issuer's, after the issuer did not
// confirm its user.
func (s *Service) endUnconfirmed(w http.ResponseWriter, r *http.Request) error {
	current, err := s.Sessions.Of(r)
	if err == nil {
		_, err = s.issuerSession(r.Context(), s.DB.SQL, current.ID)
	}
	if err != nil {
		return store.OrNone(err)
	}
	cookie, err := store.Value(r.Context(), s.DB.Tx, func(ctx context.Context, tx *store.Tx) (session.Cookie, error) {
		return s.Sessions.SignOut(ctx, tx, current)
	})
	if err != nil {
		return err
	}
	return s.Sessions.Set(w, r, cookie)
}
