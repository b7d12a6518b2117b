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
	portalui "vestibule/templates/portal"
)

// ErrRedirected means that the response is already written: a redirect to the address without
// the token, or the page of a link.
var ErrRedirected = errors.New("applicant: the response is written")

var errNotFound = httpx.NewError(contract.CodeNotFound, errors.New("no application of this visitor"))

// Authorize returns the application that the address names if the visitor may see it,
// by the browser's session or by an embed token; otherwise CodeNotFound. For a token in the
// address of a top-level page it shows a page that posts the token (ErrRedirected). If the
// token has a frame's key, it grants the browser's session access and redirects to the address
// without the token. In a frame, which has no cookies, the token stays in the address.
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
	var a applications.Application
	if token := r.URL.Query().Get("grant"); token == "" {
		a, err = s.Service.GetFor(r.Context(), id, cur.ID)
	} else if err = s.authorizeToken(w, r, id, token, &v); err == nil {
		a, err = s.Service.Get(r.Context(), s.Service.DB.SQL, id)
	}
	if errors.Is(err, store.ErrNotFound) {
		err = errNotFound
	}
	return a, v, err
}

// authorizeSession requires that a session may see the application.
func (s *Handler) authorizeSession(ctx context.Context, id, sessionID string) error {
	ok, err := s.Service.HasAccess(ctx, id, sessionID)
	if err == nil && !ok {
		err = errNotFound
	}
	return err
}

// authorizeToken grants access to a visitor with an embed token.
func (s *Handler) authorizeToken(w http.ResponseWriter, r *http.Request, id, token string, v *Visitor) error {
	dest, keyed := r.Header.Get("Sec-Fetch-Dest"), strings.Contains(token, ".")
	// Without Sec-Fetch-Dest, assume a frame if the token has a frame's key, unless
	// the address says that it is for the top window.
	switch {
	case dest != "document" && (dest != "" || keyed && r.URL.Query().Get("window") != "top"):
		return s.authorizeFrame(w, r, id, token, v)
	case r.Method == http.MethodGet && !keyed:
		return s.showLink(w, r, id, token, v.Session.ID)
	}
	if err := s.redeem(w, r, id, token, v); err != nil || r.Method != http.MethodGet {
		return err
	}
	httpx.SeeOther(w, r.URL.Path)
	return ErrRedirected
}

// showLink shows the page of an application's link, which posts the token: programs that
// look at links post nothing. Some run scripts, so the page goes on by itself only if another
// page led to it, and not from an email or an address. A browser that has access is redirected.
func (s *Handler) showLink(w http.ResponseWriter, r *http.Request, id, token, sessionID string) error {
	switch err := s.authorizeSession(r.Context(), id, sessionID); {
	case err == nil:
		httpx.SeeOther(w, r.URL.Path)
		return ErrRedirected
	case !errors.Is(err, errNotFound):
		return err
	}
	got, err := s.Kit.Unused(r.Context(), token)
	if errors.Is(err, store.ErrNotFound) || err == nil && got != id {
		return errNotFound
	}
	if err != nil {
		return err
	}
	s.probe(w, r)
	w.Header().Set("Referrer-Policy", "no-referrer")
	httpx.SetSecurityHeaders(w, httpx.CSP{FormAction: s.Service.FormTargets})
	return cmp.Or(httpx.HTML(w, r, http.StatusOK, portalui.LeavePage(portalui.Leave{Base: s.Base(r), URL: ConnectURL(id),
		Field: linkField, Token: token, Text: "leave.link", Button: "resume.arrive.continue", Waits: !httpx.IsFromPage(r)})), ErrRedirected)
}

const linkField = "grant"

// useLink grants the browser that posted a link's token access. A browser that keeps no
// cookies does not use the link up.
func (s *Handler) useLink(w http.ResponseWriter, r *http.Request) error {
	form, err := httpx.DecodeForm(w, r, 4<<10)
	if err != nil {
		return err
	}
	if keeps, err := s.acceptsCookies(r); err != nil {
		return err
	} else if !keeps {
		s.probe(w, r)
		httpx.SetSecurityHeaders(w, httpx.CSP{})
		return httpx.HTML(w, r, http.StatusUnprocessableEntity, portalui.NoticePage(portalui.Notice{Base: s.Base(r),
			Title: "apply.no_cookies.title", Text: "apply.no_cookies.text"}))
	}
	v := Visitor{}
	if v.Session, err = s.Sessions.Of(r); err == nil {
		err = s.redeem(w, r, r.PathValue("id"), form.Get(linkField), &v)
	}
	if err != nil {
		return err
	}
	return httpx.SeeOther(w, ConnectURL(r.PathValue("id")))
}

// redeem uses up an embed token for the browser's session, which gets a new secret.
func (s *Handler) redeem(w http.ResponseWriter, r *http.Request, id, token string, v *Visitor) error {
	var cookie session.Cookie
	err := s.Service.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) error {
		next, c, err := s.Sessions.Renew(ctx, tx, v.Session)
		if err != nil {
			return err
		}
		got, err := s.Kit.Redeem(ctx, tx, token, next.ID)
		if errors.Is(err, store.ErrNotFound) || err == nil && got != id {
			return errNotFound
		}
		if err != nil {
			return err
		}
		v.Session, v.Holder, cookie = next, "session:"+next.ID, c
		return s.Service.GrantAccess(ctx, tx, id, next.ID)
	})
	if err != nil {
		return err
	}
	return s.Sessions.Set(w, r, cookie)
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
