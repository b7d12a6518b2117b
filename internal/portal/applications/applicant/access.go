package applicant

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/i18n"
	"vestibule/internal/portal/applications"
	"vestibule/internal/portal/embedkit"
	"vestibule/internal/session"
	"vestibule/internal/store"
)

// ErrRedirected means that the response is already written: the browser was redirected to
// the address without the token.
var ErrRedirected = errors.New("applicant: the browser was redirected")

var errNotFound = httpx.NewError(contract.CodeNotFound, errors.New("no application of this visitor"))

// Authorize returns the application that the address names if the visitor may see it,
// by the browser's session or by an embed token; otherwise CodeNotFound. For a token in a
// top-level page it grants the browser's session access and redirects to the address
// without the token (ErrRedirected). In a frame, which has no cookies, the token stays in
// the address.
func (s *Handler) Authorize(w http.ResponseWriter, r *http.Request) (applications.Application, Visitor, error) {
	id := r.PathValue("id")
	if !contract.IsUUID(id) {
		return applications.Application{}, Visitor{}, errNotFound
	}
	cur, err := s.Sessions.Of(r)
	if err != nil {
		return applications.Application{}, Visitor{}, err
	}
	v := Visitor{Session: cur, Holder: "session:" + cur.ID}
	if token := r.URL.Query().Get("grant"); token != "" {
		if err := s.authorizeToken(w, r, id, token, &v); err != nil {
			return applications.Application{}, v, err
		}
	} else if err := s.authorizeSession(r.Context(), id, cur.ID); err != nil {
		return applications.Application{}, v, err
	}
	a, err := s.Service.Get(r.Context(), s.Service.DB.SQL, id)
	if errors.Is(err, store.ErrNotFound) {
		return applications.Application{}, v, errNotFound
	}
	return a, v, err
}

// authorizeSession requires that a session may see the application. A session that has
// followed the application's link gets access when the client first sends its cookie.
func (s *Handler) authorizeSession(ctx context.Context, id, sessionID string) error {
	if sessionID == "" {
		return cmp.Or(s.Kit.Release(ctx, id), error(errNotFound))
	}
	ok, err := s.Service.HasAccess(ctx, id, sessionID)
	if err == nil && !ok {
		err = s.Service.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
			if ok, err = s.Kit.Confirm(ctx, tx, id, sessionID); err != nil || !ok {
				return err
			}
			return s.Service.GrantAccess(ctx, tx, id, sessionID)
		})
	}
	if err == nil && !ok {
		err = errNotFound
	}
	return err
}

// authorizeToken grants access to a visitor with an embed token.
func (s *Handler) authorizeToken(w http.ResponseWriter, r *http.Request, id, token string, v *Visitor) error {
	dest := r.Header.Get("Sec-Fetch-Dest")
	// Without Sec-Fetch-Dest, assume a frame if the token has a frame's key, unless
	// the address says that it is for the top window.
	if dest != "document" && (dest != "" || strings.Contains(token, ".") && r.URL.Query().Get("window") != "top") {
		return s.authorizeFrame(w, r, id, token, v)
	}
	var cookie session.Cookie
	err := s.Service.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) error {
		next, c, err := s.Sessions.Renew(ctx, tx, v.Session)
		if err != nil {
			return err
		}
		got, bound, err := s.Kit.Redeem(ctx, tx, token, next.ID, v.Session.Anonymous() && r.Method == http.MethodGet)
		if errors.Is(err, store.ErrNotFound) || err == nil && got != id {
			return errNotFound
		}
		if err != nil {
			return err
		}
		v.Session, v.Holder, cookie = next, "session:"+next.ID, c
		if !bound {
			return nil
		}
		return s.Service.GrantAccess(ctx, tx, id, next.ID)
	})
	if err != nil {
		return err
	}
	if err := s.Sessions.Set(w, r, cookie); err != nil {
		return err
	}
	if r.Method != http.MethodGet {
		return nil
	}
	httpx.SeeOther(w, r.URL.Path)
	return ErrRedirected
}

// authorizeFrame grants access to a frame. A refused page request is redirected to the
// embed kit's page, which explains the refusal. A newly bound token is put into the
// frame's address by a redirect.
func (s *Handler) authorizeFrame(w http.ResponseWriter, r *http.Request, id, token string, v *Visitor) error {
	dest := r.Header.Get("Sec-Fetch-Dest")
	page := dest == "" || slices.Contains([]string{"iframe", "frame", "embed", "object"}, dest)
	got, held, origin, err := s.Kit.Grant(r.Context(), token, page && r.Method == http.MethodGet)
	query := url.Values{}
	if lang := r.URL.Query().Get("lang"); i18n.Lang(lang).Spoken() {
		query.Set("lang", lang) // frames have no cookie to store it
	}
	if v.Isolated = r.URL.Query().Has("isolated"); v.Isolated {
		query.Set("isolated", "1")
		httpx.AllowIsolated(w)
	}
	if errors.Is(err, store.ErrNotFound) || err == nil && got != id {
		if !page || err == nil {
			return errNotFound
		}
		query.Set("grant", token)
		httpx.SeeOther(w, "/embed/v1/frame?"+query.Encode())
		return ErrRedirected
	}
	if err != nil {
		return err
	}
	query.Set("grant", held)
	v.Holder = "frame:" + hex.EncodeToString(store.Hash(held))
	v.Framed, v.QuerySuffix, v.Origin, v.Back = true, "?"+query.Encode(), origin, embedkit.BackURL(held)
	if held != token {
		httpx.SeeOther(w, r.URL.Path+v.QuerySuffix)
		return ErrRedirected
	}
	return nil
}

// Policy returns a page's content security policy: only the token's origin may frame
// it, and only for a visitor with that token.
func (v Visitor) Policy(p httpx.CSP) httpx.CSP {
	p.FrameAncestors, p.Isolated = v.Origin, v.Isolated
	return p
}
