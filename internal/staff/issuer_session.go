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

// admitAgain admits the user of a session by new claims.
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
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
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
		if errors.Is(err, store.ErrNotFound) {
			err = nil
		}
		return err
	}
	var cookie session.Cookie
	err = s.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) (err error) {
		cookie, err = s.Sessions.SignOut(ctx, tx, current)
		return err
	})
	if err != nil {
		return err
	}
	return s.Sessions.Set(w, r, cookie)
}

func refreshCell(id string) store.Cell {
	return store.Cell{Table: "issuer_sessions", Column: "refresh_sealed", Row: id}
}

// issuerSession returns the row of a session, or store.ErrNotFound if the user signed in with a
// password.
func (s *Service) issuerSession(ctx context.Context, q store.Queryer, id string) (issuerSession, error) {
	from := issuerSession{id: id}
	if s.OIDC == nil {
		return from, store.ErrNotFound
	}
	var sealed []byte
	var checked int64
	err := q.QueryRowContext(ctx, `SELECT refresh_sealed, checked_at FROM issuer_sessions WHERE session_id = $1`, id).
		Scan(&sealed, &checked)
	if err != nil {
		return from, store.MapNotFound(err)
	}
	plain, err := s.DB.Vault.Open(ctx, q, store.SystemKey, refreshCell(id), sealed)
	from.refresh, from.checked = string(plain), store.Time(checked)
	return from, err
}

// setIssuerSession stores that a session is of a sign-in at the issuer, or, for other methods, that
// it is not.
func (s *Service) setIssuerSession(ctx context.Context, tx *store.Tx, id, method, refreshToken string) error {
	if s.OIDC == nil {
		return nil
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM issuer_sessions WHERE session_id = $1`, id); err != nil || method != byOIDC {
		return err
	}
	now := store.Micros(s.Clock())
	if _, err := tx.ExecContext(ctx, `INSERT INTO issuer_sessions (session_id, checked_at, tried_at) VALUES ($1, $2, $2)`, id, now); err != nil {
		return err
	}
	return s.setChecked(ctx, tx, id, refreshToken)
}

// claimCheck reports whether this request is the one that checks the session.
func (s *Service) claimCheck(ctx context.Context, id string) (first bool, err error) {
	now := s.Clock()
	err = s.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		first, err = store.ExecOne(tx.ExecContext(ctx, `UPDATE issuer_sessions SET tried_at = $2 WHERE session_id = $1 AND tried_at <= $3`,
			id, store.Micros(now), store.Micros(now.Add(-recheckPause))))
		return err
	})
	return first, err
}

// setChecked stores a successful check with the refresh token for the next one.
func (s *Service) setChecked(ctx context.Context, tx *store.Tx, id, refreshToken string) error {
	var sealed []byte
	if refreshToken != "" {
		var err error
		if sealed, err = s.DB.Vault.Seal(ctx, tx, store.SystemKey, refreshCell(id), []byte(refreshToken)); err != nil {
			return err
		}
	}
	_, err := tx.ExecContext(ctx, `UPDATE issuer_sessions SET checked_at = $2, refresh_sealed = $3 WHERE session_id = $1`,
		id, store.Micros(s.Clock()), sealed)
	return err
}
