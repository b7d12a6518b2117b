package resume

import (
	"context"
	"errors"
	"fmt"
	"image"
	"net/http"
	"net/url"
	"strings"

	"github.com/boombuler/barcode/qr"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/i18n"
	"vestibule/internal/mail"
	"vestibule/internal/portal/applications"
	"vestibule/internal/portal/applications/applicant"
	"vestibule/internal/prefill"
	"vestibule/internal/session"
	"vestibule/internal/store"
	portalui "vestibule/templates/portal"
)

// Routes mounts the pages. If no email can be sent, it leaves out the pages that
// request one.
func (d *Handler) Routes(mux *http.ServeMux) {
	page := func(pattern string, h httpx.HandlerFunc) { mux.Handle(pattern, d.Applicants.Adapt(h)) }
	page("POST /applications/{id}/link", d.handleNewLink)
	page("GET /resume/{token}", d.showLink)
	page("POST /resume/{token}", d.handleOpen)
	if d.CanEmail() {
		page("POST /applications/{id}/letter", d.handleEmail)
		page("GET /return", d.showForm)
		page("POST /return", d.handleForm)
	}
}

// authorize returns the application that the address names, for a browser with a
// session. A frame has no session that another browser could join.
func (d *Handler) authorize(w http.ResponseWriter, r *http.Request) (applications.Application, error) {
	a, v, err := d.Applicants.Authorize(w, r)
	if err == nil && v.Framed {
		err = httpx.NewError(contract.CodeNotFound, errors.New("no links in a frame"))
	}
	return a, err
}

// handleNewLink creates a link and shows it once: only this response contains its secret.
func (d *Handler) handleNewLink(w http.ResponseWriter, r *http.Request) error {
	a, err := d.authorize(w, r)
	if err != nil {
		return err
	}
	if ok, err := d.mailboxes.Allow(r.Context(), "links", a.ID, maxLinks); err != nil {
		return err
	} else if !ok {
		return errTooOften
	}
	base := d.Applicants.Base(r)
	m := portalui.AnotherDevice{Base: base, Status: applicant.StatusURL(a.ID), Stream: applicant.StreamURL(a.ID), Version: a.Version,
		LinkURL: "/applications/" + a.ID + "/link", Minutes: int(ShownLife.Minutes()), Local: d.isLoopback()}
	if d.CanEmail() {
		m.EmailURL = "/applications/" + a.ID + "/letter"
	}
	err = d.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) error {
		m.Link, err = d.link(ctx, tx, a.ID, ShownLife, base.Lang)
		return err
	})
	if err != nil {
		return err
	}
	if m.Code, m.Size, err = code(m.Link); err != nil {
		return err
	}
	httpx.SetSecurityHeaders(w, httpx.CSP{})
	return httpx.HTML(w, r, http.StatusOK, portalui.AnotherDevicePage(m))
}

// isLoopback reports whether the portal's address is a loopback address, which other
// devices cannot reach.
func (d *Handler) isLoopback() bool {
	u, err := url.Parse(d.URL)
	return err == nil && httpx.IsLoopback(u.Hostname())
}

// quietZone is the width of a QR code's quiet zone, in modules.
const quietZone = 4

// code returns a QR code as an SVG path and the size of its square drawing.
func code(text string) (path string, size int, err error) {
	c, err := qr.Encode(text, qr.M, qr.Auto)
	if err != nil {
		return "", 0, fmt.Errorf("resume: no QR code: %w", err)
	}
	return draw(c), c.Bounds().Dx() + 2*quietZone, nil
}

// draw draws each run of dark modules as one stroke.
func draw(c image.Image) string {
	var b strings.Builder
	size := c.Bounds().Dx()
	dark := func(x, y int) bool {
		if x >= size {
			return false
		}
		r, _, _, _ := c.At(x, y).RGBA()
		return r == 0
	}
	for y := range size {
		for x := 0; x < size; x++ {
			from := x
			for dark(x, y) {
				x++
			}
			if x > from {
				fmt.Fprintf(&b, "M%d %dh%dv1h-%dz", from+quietZone, y+quietZone, x-from, x-from)
			}
		}
	}
	return b.String()
}

// showLink shows the page of a link. It changes nothing, so that mail scanners that
// open links do not use them up.
func (d *Handler) showLink(w http.ResponseWriter, r *http.Request) error {
	id, works, err := getLink(r.Context(), d.DB.SQL, store.Hash(r.PathValue("token")), d.now())
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	if err == nil {
		if in, err := d.hasAccess(r, id); err != nil {
			return err
		} else if in {
			return httpx.SeeOther(w, applicant.StatusURL(id))
		}
	}
	if !works {
		return d.showExpired(w, r)
	}
	a, err := d.Applicants.Service.Get(r.Context(), d.DB.SQL, id)
	if errors.Is(err, store.ErrNotFound) {
		return d.showExpired(w, r)
	}
	if err != nil {
		return err
	}
	httpx.SetSecurityHeaders(w, httpx.CSP{})
	return httpx.HTML(w, r, http.StatusOK, portalui.OpenLinkPage(portalui.OpenLink{Base: d.Applicants.Base(r), Product: a.Product,
		Begun: a.CreatedAt, Action: "/resume/" + url.PathEscape(r.PathValue("token"))}))
}

// hasAccess reports whether this browser already has access to the application.
func (d *Handler) hasAccess(r *http.Request, id string) (bool, error) {
	cur, err := d.Applicants.Sessions.Of(r)
	if err != nil {
		return false, err
	}
	return d.Applicants.Service.HasAccess(r.Context(), id, cur.ID)
}

// handleOpen grants the browser access and uses up the link.
func (d *Handler) handleOpen(w http.ResponseWriter, r *http.Request) error {
	hash := store.Hash(r.PathValue("token"))
	cur, err := d.Applicants.Sessions.Of(r)
	if err != nil {
		return err
	}
	var id string
	var cookie session.Cookie
	err = d.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) error {
		if id, err = useLink(ctx, tx, hash); err != nil {
			return err
		}
		var next session.Session
		if next, cookie, err = d.Applicants.Sessions.Renew(ctx, tx, cur); err != nil {
			return err
		}
		return d.Applicants.Service.GrantNewAccess(ctx, tx, id, next.ID)
	})
	if errors.Is(err, store.ErrNotFound) {
		return d.showLink(w, r) // shows the reason, or redirects a browser that has access
	}
	if err != nil {
		return err
	}
	if err := d.Applicants.Sessions.Set(w, r, cookie); err != nil {
		return err
	}
	return httpx.SeeOther(w, applicant.StatusURL(id))
}

// showExpired says that a link no longer works. The page is the same for a link that
// never existed.
func (d *Handler) showExpired(w http.ResponseWriter, r *http.Request) error {
	httpx.SetSecurityHeaders(w, httpx.CSP{})
	return httpx.HTML(w, r, http.StatusGone, portalui.NoticePage(portalui.Notice{Base: d.Applicants.Base(r), Title: "resume.used.title",
		Text: "resume.used.text", Home: "/", Return: d.CanEmail()}))
}

// handleEmail sends a link to the application's email address, which may not be the
// visitor's. It counts toward that address's limit, and the response reveals no more
// than that of handleForm.
func (d *Handler) handleEmail(w http.ResponseWriter, r *http.Request) error {
	a, err := d.authorize(w, r)
	if err != nil {
		return err
	}
	base := d.Applicants.Base(r)
	if err := d.requestEmail(r, request{application: a.ID, lang: base.Lang}); err != nil {
		return err
	}
	httpx.SetSecurityHeaders(w, httpx.CSP{})
	return httpx.HTML(w, r, http.StatusOK,
		portalui.NoticePage(portalui.Notice{Base: base, Title: "resume.sent_to_own.title", Text: "resume.sent_to_own.text",
			Next: applicant.StatusURL(a.ID)}))
}

// showForm shows the form to request a link by email.
func (d *Handler) showForm(w http.ResponseWriter, r *http.Request) error {
	return d.form(w, r, http.StatusOK, "", "")
}

func (d *Handler) form(w http.ResponseWriter, r *http.Request, status int, email string, problem i18n.Key) error {
	httpx.SetSecurityHeaders(w, httpx.CSP{})
	return httpx.HTML(w, r, status, portalui.FindPage(portalui.Find{Base: d.Applicants.Base(r), Email: email, Problem: problem}))
}

// handleForm requests a link for the entered email address. The response is the same for
// every valid address, including one over its limit.
func (d *Handler) handleForm(w http.ResponseWriter, r *http.Request) error {
	form, err := httpx.DecodeForm(w, r, 4<<10)
	if err != nil {
		return err
	}
	email := strings.TrimSpace(form.Get("email"))
	if !prefill.IsEmail(email) {
		return d.form(w, r, http.StatusUnprocessableEntity, email, "resume.find.no_email")
	}
	base := d.Applicants.Base(r)
	if err := d.requestEmail(r, request{mailbox: d.mailboxes.Hash(email), lang: base.Lang}); err != nil {
		return err
	}
	httpx.SetSecurityHeaders(w, httpx.CSP{})
	return httpx.HTML(w, r, http.StatusOK,
		portalui.NoticePage(portalui.Notice{Base: base, Title: "resume.sent.title", Text: "resume.sent.text", Home: "/"}))
}

// requestEmail stores a request for an email unless the client's network requested too many.
// The job that writes the email applies the limit of the address, which no response reveals.
func (d *Handler) requestEmail(r *http.Request, wanted request) error {
	err := d.mailboxes.AllowRequest(r.Context(), httpx.ClientNetworks(r, d.BehindProxy))
	if errors.Is(err, mail.ErrNetworkLimit) {
		return errTooOften
	}
	if err != nil {
		return err
	}
	return d.enqueueRequest(r.Context(), wanted)
}
