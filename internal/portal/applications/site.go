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

// Handler is the room's face: its pages and what their scripts talk to.
type Handler struct {
	Service  *Service
	Sessions *session.Sessions
	Webhooks Receiver
	PublicID string           // ours: a webhook that names another account is refused
	Limit    *httpx.RateLimit // of the form, by address; nil is none
	Secure   bool             // the portal's address is https

	// Base is what every page of a request has in common.
	Base func(r *http.Request) pages.Base

	// Asked returns what a reviewer wrote to the applicant in asking for more.
	Asked func(ctx context.Context, id string) (pages.Asked, error)

	// Letters says that who comes back without a link can ask for one by letter.
	Letters bool

	// Adapt turns a handler into one that shows its errors as a page.
	Adapt func(httpx.HandlerFunc) http.Handler

	// Grant tells which application an embed token opens inside a frame, what to
	// carry on there and who may frame it; with opens, which a page is fetched
	// with, the token becomes that frame's. Redeem gives such a token to a browser.
	// Both are store.ErrNotFound if it opens nothing.
	Grant  func(ctx context.Context, token string, opens bool) (applicationID, held, origin string, err error)
	Redeem func(ctx context.Context, tx *store.Tx, token, sessionID string) (applicationID string, err error)

	blanks blanks
}

// Receiver verifies webhooks. *webhook.Receiver is one.
type Receiver interface {
	Receive(r *http.Request) (webhook.Event, error)
}

// Visitor is who asks for an application, and how they came to it.
type Visitor struct {
	Session     session.Session
	Holder      string // names the browser, or with Framed the frames of one page
	Framed      bool   // in another site's frame, by embed token and without cookies
	QuerySuffix string // what to add to addresses of the same application: "" or ?grant=…
	Origin      string // with Framed: the site that may frame it
}

// Addresses of an application. Carry them on with Visitor.Carry.
func StatusURL(id string) string  { return "/applications/" + id }
func ConnectURL(id string) string { return "/applications/" + id + "/connect" }

// RestartURL is where another attempt is asked for.
func RestartURL(id string) string { return "/applications/" + id + "/restart" }

// StreamURL tells, as a stream of events, that an application has moved.
func StreamURL(id string) string { return "/applications/" + id + "/stream" }

// CallbacksURL is where the callbacks of an application's widget are reported.
func CallbacksURL(id string) string { return "/applications/" + id + "/callbacks" }

// ResumeOptions are the ways to go on with an application in another browser; none in a
// frame, which has no session.
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

// ErrSentOn says that the answer is written already: the browser was sent to the
// clean address.
var ErrSentOn = errors.New("applications: the browser was sent on")

var errNotYours = httpx.NewError(contract.CodeNotFound, errors.New("no application of this visitor"))

// Authorize finds the application that the address names, if the visitor may see it:
// by the browser's session, or by an embed token. A token that comes with a page
// of its own is given to the browser, whose address is then the clean one
// (ErrSentOn); in a frame, where there are no cookies, it is carried on. To
// anyone else the application does not exist.
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

// admit lets a visitor with an embed token in.
func (s *Handler) admit(w http.ResponseWriter, r *http.Request, id, token string, v *Visitor) error {
	dest := r.Header.Get("Sec-Fetch-Dest")
	// A browser that does not say what it fetches is in a frame if the token has a
	// frame's key, unless the address says that the window is to go on.
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

// frame lets a frame in. A page that it may not have is said to be so by the room
// that knows why; a token that became the frame's own is put into its address.
func (s *Handler) frame(w http.ResponseWriter, r *http.Request, id, token string, v *Visitor) error {
	dest := r.Header.Get("Sec-Fetch-Dest")
	page := dest == "" || slices.Contains([]string{"iframe", "frame", "embed", "object"}, dest)
	got, held, origin, err := s.Grant(r.Context(), token, page && r.Method == http.MethodGet)
	carry := url.Values{}
	if lang := r.URL.Query().Get("lang"); contract.Lang(lang).Spoken() {
		carry.Set("lang", lang) // there is no cookie to remember it
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

// policy is the policy of a page: only the site that was named may frame it, and
// only for a visitor who came by its token.
func policy(v Visitor, p httpx.CSP) httpx.CSP {
	if v.Framed {
		p.FrameAncestors = v.Origin
	}
	return p
}
