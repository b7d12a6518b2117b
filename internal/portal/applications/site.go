package applications

import (
	"context"
	"encoding/hex"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/session"
	"vestibule/internal/store"
	"vestibule/internal/webhook"
	pages "vestibule/templates/portal"
)

// Handler serves the applicant's pages and the endpoints of their scripts.
type Handler struct {
	Service  *Service
	Sessions *session.Sessions
	Webhooks Receiver
	PublicID string           // of the account: webhooks that name another are refused
	Limit    *httpx.RateLimit // of form submissions, by client address; may be nil
	Secure   bool             // whether the portal's address uses https

	// Base returns the data that all pages of a request share.
	Base func(r *http.Request) pages.Base

	// Asked returns the text that a reviewer wrote to the applicant when asking for
	// more.
	Asked func(ctx context.Context, id string) (pages.Asked, error)

	// Letters reports whether applicants can request a resume link by email.
	Letters bool

	// Adapt turns a handler into one that shows its errors as a page.
	Adapt func(httpx.HandlerFunc) http.Handler

	// Grant returns the application that an embed token opens inside a frame, the
	// token to use from then on, and the origin that may frame it. With opens set,
	// for page requests, the token is bound to that frame. Redeem exchanges such a
	// token for access by a browser's session. Both return store.ErrNotFound for a
	// token that opens nothing.
	Grant  func(ctx context.Context, token string, opens bool) (applicationID, held, origin string, err error)
	Redeem func(ctx context.Context, tx *store.Tx, token, sessionID string) (applicationID string, err error)

	blanks blanks
}

// Receiver verifies webhooks. *webhook.Receiver implements it.
type Receiver interface {
	Receive(r *http.Request) (webhook.Event, error)
}

// Visitor is the client that requests an application, and how it gained access.
type Visitor struct {
	Session     session.Session
	Holder      string // identifies the browser or, with Framed, the frames of one page
	Framed      bool   // in another site's frame, by embed token and without cookies
	QuerySuffix string // suffix for addresses of the same application: "" or ?grant=…
	Origin      string // with Framed: the site that may frame it
}

// Addresses of an application. Append Visitor.QuerySuffix.
func StatusURL(id string) string  { return "/applications/" + id }
func ConnectURL(id string) string { return "/applications/" + id + "/connect" }

// RestartURL is the address that opens another attempt.
func RestartURL(id string) string { return "/applications/" + id + "/restart" }

// StreamURL is the event stream of an application's changes.
func StreamURL(id string) string { return "/applications/" + id + "/stream" }

// CallbacksURL is where the callbacks of an application's widget are reported.
func CallbacksURL(id string) string { return "/applications/" + id + "/callbacks" }

// ResumeOptions returns the ways to continue an application in another browser. A
// frame has none, because it has no session.
func (s *Handler) ResumeOptions(id string, framed bool) pages.Elsewhere {
	if framed {
		return pages.Elsewhere{}
	}
	e := pages.Elsewhere{Link: "/applications/" + id + "/link"}
	if s.Letters {
		e.Letter = "/applications/" + id + "/letter"
	}
	return e
}

// ErrSentOn means that the response is already written: the browser was redirected to
// the address without the token.
var ErrSentOn = errors.New("applications: the browser was sent on")

var errNotYours = httpx.NewError(contract.CodeNotFound, errors.New("no application of this visitor"))

// Authorize returns the application that the address names if the visitor may see it,
// by the browser's session or by an embed token. For a token in a top-level page it
// grants the browser's session access and redirects to the address without the token
// (ErrSentOn); in a frame, which has no cookies, the token stays in the address. For
// all others the application does not exist.
func (s *Handler) Authorize(w http.ResponseWriter, r *http.Request) (Application, Visitor, error) {
	id := r.PathValue("id")
	if !contract.IsUUID(id) {
		return Application{}, Visitor{}, errNotYours
	}
	cur, err := s.Sessions.Of(r)
	if err != nil {
		return Application{}, Visitor{}, err
	}
	v := Visitor{Session: cur, Holder: "session:" + cur.ID}
	if token := r.URL.Query().Get("grant"); token != "" {
		if err := s.admit(w, r, id, token, &v); err != nil {
			return Application{}, v, err
		}
	} else if ok, err := s.Service.Bound(r.Context(), id, cur.ID); err != nil {
		return Application{}, v, err
	} else if !ok {
		return Application{}, v, errNotYours
	}
	a, err := s.Service.Get(r.Context(), id)
	if errors.Is(err, store.ErrNotFound) {
		return Application{}, v, errNotYours
	}
	return a, v, err
}

// admit grants access to a visitor with an embed token.
func (s *Handler) admit(w http.ResponseWriter, r *http.Request, id, token string, v *Visitor) error {
	dest := r.Header.Get("Sec-Fetch-Dest")
	// Without Sec-Fetch-Dest, assume a frame if the token has a frame's key, unless
	// the address says that it is for the top window.
	if dest != "document" && (dest != "" || strings.Contains(token, ".") && r.URL.Query().Get("window") != "top") {
		return s.frame(w, r, id, token, v)
	}
	var cookie session.Cookie
	err := s.Service.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) error {
		next, c, err := s.Sessions.Renew(ctx, tx, v.Session)
		if err != nil {
			return err
		}
		got, err := s.Redeem(ctx, tx, token, next.ID)
		if errors.Is(err, store.ErrNotFound) || err == nil && got != id {
			return errNotYours
		}
		if err != nil {
			return err
		}
		v.Session, v.Holder, cookie = next, "session:"+next.ID, c
		return s.Service.Bind(ctx, tx, id, next.ID)
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
	return ErrSentOn
}

// frame grants access to a frame. Grant's error page explains refusals. A token that
// is newly bound to the frame is put into its address by a redirect.
func (s *Handler) frame(w http.ResponseWriter, r *http.Request, id, token string, v *Visitor) error {
	dest := r.Header.Get("Sec-Fetch-Dest")
	page := dest == "" || slices.Contains([]string{"iframe", "frame", "embed", "object"}, dest)
	got, held, origin, err := s.Grant(r.Context(), token, page && r.Method == http.MethodGet)
	carry := url.Values{}
	if lang := r.URL.Query().Get("lang"); contract.Lang(lang).Spoken() {
		carry.Set("lang", lang) // frames have no cookie to store it
	}
	if errors.Is(err, store.ErrNotFound) || err == nil && got != id {
		if !page || err == nil {
			return errNotYours
		}
		carry.Set("grant", token)
		httpx.SeeOther(w, "/embed/v1/frame?"+carry.Encode())
		return ErrSentOn
	}
	if err != nil {
		return err
	}
	carry.Set("grant", held)
	v.Holder = "frame:" + hex.EncodeToString(store.Hash(held))
	v.Framed, v.QuerySuffix, v.Origin = true, "?"+carry.Encode(), origin
	if held != token {
		httpx.SeeOther(w, r.URL.Path+v.QuerySuffix)
		return ErrSentOn
	}
	return nil
}

// policy returns a page's content security policy: only the token's origin may frame
// it, and only for a visitor with that token.
func policy(v Visitor, p httpx.CSP) httpx.CSP {
	if v.Framed {
		p.FrameAncestors = v.Origin
	}
	return p
}
