package resume

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"image"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/boombuler/barcode/qr"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/prefill"
	"vestibule/internal/session"
	"vestibule/internal/store"
	pages "vestibule/templates/portal"
	"vestibule/templates/portal/review"
)

// Routes mounts the room's pages. Where no letter can be sent, none can be asked
// for.
func (d *Desk) Routes(mux *http.ServeMux) {
	page := func(pattern string, h httpx.HandlerFunc) { mux.Handle(pattern, d.Adapt(h)) }
	page("POST /applications/{id}/link", d.show)
	page("GET /go/{secret}", d.arrive)
	page("POST /go/{secret}", d.enter)
	if d.Letters() {
		page("POST /applications/{id}/letter", d.mine)
		page("GET /return", d.returning)
		page("POST /return", d.returned)
	}
	if d.Outbox() {
		page("GET /review/letters", d.Guard(d.outbox))
	}
}

// enterWith finds the application of the address for a browser with a session: in a
// frame there is none that another could be bound beside.
func (d *Desk) enterWith(w http.ResponseWriter, r *http.Request) (Application, error) {
	a, framed, err := d.Applications.Enter(w, r)
	if err == nil && framed {
		err = httpx.Fail(contract.CodeNotFound, errors.New("no links in a frame"))
	}
	return a, err
}

// show makes a link and shows it, once: the answer to the POST is all there is of
// its secret.
func (d *Desk) show(w http.ResponseWriter, r *http.Request) error {
	a, err := d.enterWith(w, r)
	if err != nil {
		return err
	}
	if ok, err := d.allowed(r.Context(), d.keyed("links", a.ID), linksEach); err != nil {
		return err
	} else if !ok {
		return errTooOften
	}
	base := d.Base(r)
	m := pages.Handover{Base: base, Status: d.StatusURL(a.ID), Stream: d.StreamURL(a.ID), Version: a.Version,
		Again: "/applications/" + a.ID + "/link", Minutes: int(ShownLife.Minutes()), Local: d.local()}
	if d.Letters() {
		m.Letter = "/applications/" + a.ID + "/letter"
	}
	err = d.DB.Tx(r.Context(), func(ctx context.Context, tx *sql.Tx) error {
		m.Link, _, err = d.link(ctx, tx, a.ID, ShownLife, base.Lang)
		return err
	})
	if err != nil {
		return err
	}
	if m.Code, m.Size, err = code(m.Link); err != nil {
		return err
	}
	httpx.Secure(w, httpx.CSP{})
	return httpx.HTML(w, r, http.StatusOK, pages.HandoverPage(m))
}

// local reports whether our address means another machine elsewhere.
func (d *Desk) local() bool {
	u, err := url.Parse(d.URL)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// quiet is the light edge that a QR code needs, in modules.
const quiet = 4

// code is a QR code as the path of an SVG drawing of that many units each way.
func code(text string) (path string, size int, err error) {
	c, err := qr.Encode(text, qr.M, qr.Auto)
	if err != nil {
		return "", 0, fmt.Errorf("resume: no QR code: %w", err)
	}
	return draw(c), c.Bounds().Dx() + 2*quiet, nil
}

// draw makes one stroke of each run of dark modules.
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
				fmt.Fprintf(&b, "M%d %dh%dv1h-%dz", from+quiet, y+quiet, x-from, x-from)
			}
		}
	}
	return b.String()
}

// arrive is the page of a link. It changes nothing: whoever looks at addresses
// before people do uses no link up.
func (d *Desk) arrive(w http.ResponseWriter, r *http.Request) error {
	id, works, err := leads(r.Context(), d.DB.SQL, store.Hash(r.PathValue("secret")), d.now())
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	if err == nil {
		if mine, err := d.mineAlready(r, id); err != nil || mine {
			if err == nil {
				httpx.See(w, d.StatusURL(id))
			}
			return err
		}
	}
	if !works {
		return d.dead(w, r)
	}
	base := d.Base(r)
	base.Languages = nil // the address is a secret, and works here and now
	a, err := d.Applications.Get(r.Context(), id)
	if errors.Is(err, store.ErrNotFound) {
		return d.dead(w, r)
	}
	if err != nil {
		return err
	}
	httpx.Secure(w, httpx.CSP{})
	return httpx.HTML(w, r, http.StatusOK, pages.ArrivePage(pages.Arrive{Base: base, Product: a.Product, Begun: a.Begun, Action: r.URL.EscapedPath()}))
}

// mineAlready reports whether this browser is in the application already.
func (d *Desk) mineAlready(r *http.Request, id string) (bool, error) {
	cur, err := d.Sessions.Of(r)
	if err != nil {
		return false, err
	}
	return d.Applications.Bound(r.Context(), id, cur.ID)
}

// enter lets the browser in, and the link is used up.
func (d *Desk) enter(w http.ResponseWriter, r *http.Request) error {
	hash := store.Hash(r.PathValue("secret"))
	cur, err := d.Sessions.Of(r)
	if err != nil {
		return err
	}
	var id string
	var cookie session.Cookie
	err = d.DB.Tx(r.Context(), func(ctx context.Context, tx *sql.Tx) error {
		if id, err = use(ctx, tx, hash, d.now()); err != nil {
			return err
		}
		var next session.Session
		if next, cookie, err = d.Sessions.Renew(ctx, tx, cur); err != nil {
			return err
		}
		return d.Applications.Join(ctx, tx, id, next.ID)
	})
	if errors.Is(err, store.ErrNotFound) {
		return d.arrive(w, r) // says why, or leads on who is in already
	}
	if err != nil {
		return err
	}
	if err := d.Sessions.Set(w, r, cookie); err != nil {
		return err
	}
	httpx.See(w, d.StatusURL(id))
	return nil
}

// dead says that a link lets nobody in any more, which is all that is said of one
// that never was.
func (d *Desk) dead(w http.ResponseWriter, r *http.Request) error {
	base := d.Base(r)
	base.Languages = nil
	httpx.Secure(w, httpx.CSP{})
	return httpx.HTML(w, r, http.StatusGone, pages.NoticePage(pages.Notice{Base: base, Title: wordsUsed, Text: wordsUsedText, Home: true, Return: d.Letters()}))
}

// mine sends a link to the address of the application itself, which need not be the
// asker's: it counts as a letter to that address, and no more is said than in returned.
func (d *Desk) mine(w http.ResponseWriter, r *http.Request) error {
	a, err := d.enterWith(w, r)
	if err != nil {
		return err
	}
	email, err := d.Applications.Email(r.Context(), a.ID)
	if err != nil {
		return err
	}
	base := d.Base(r)
	if err := d.wish(r, email, request{application: a.ID, lang: base.Lang}); err != nil {
		return err
	}
	httpx.Secure(w, httpx.CSP{})
	return httpx.HTML(w, r, http.StatusOK, pages.NoticePage(pages.Notice{Base: base, Title: wordsMine, Text: wordsMineText, Next: d.StatusURL(a.ID)}))
}

// returning is the form of who comes back without a link.
func (d *Desk) returning(w http.ResponseWriter, r *http.Request) error {
	return d.form(w, r, http.StatusOK, "", contract.Words{})
}

func (d *Desk) form(w http.ResponseWriter, r *http.Request, status int, email string, problem contract.Words) error {
	httpx.Secure(w, httpx.CSP{})
	return httpx.HTML(w, r, status, pages.ReturnPage(pages.Return{Base: d.Base(r), Email: email, Problem: problem}))
}

// returned takes that form. The answer is the same for every address that is one;
// that a letter was asked for too often shows only in that no other is sent.
func (d *Desk) returned(w http.ResponseWriter, r *http.Request) error {
	form, err := httpx.DecodeForm(w, r, 4<<10)
	if err != nil {
		return err
	}
	email := strings.TrimSpace(form.Get("email"))
	if !prefill.IsEmail(email) {
		return d.form(w, r, http.StatusUnprocessableEntity, email, wordsNoEmail)
	}
	base := d.Base(r)
	if err := d.wish(r, email, request{mailbox: d.mailbox(email), lang: base.Lang}); err != nil {
		return err
	}
	httpx.Secure(w, httpx.CSP{})
	return httpx.HTML(w, r, http.StatusOK, pages.NoticePage(pages.Notice{Base: base, Title: wordsSent, Text: wordsSentText, Home: true}))
}

// wish keeps a wish for a letter to an address, unless there were too many: of the
// place that asks, which is said, or to that mailbox, which shows only in that no
// letter comes. An address that nobody gave yet gets none.
func (d *Desk) wish(r *http.Request, email string, wanted request) error {
	if ok, err := d.allowed(r.Context(), d.keyed("place", httpx.Place(r, d.BehindProxy).String()), lettersAPlace); err != nil {
		return err
	} else if !ok {
		return errTooOften
	}
	if email == "" {
		return nil
	}
	ok, err := d.allowed(r.Context(), d.keyed("letters", string(d.mailbox(email))), lettersEach)
	if err != nil || !ok {
		return err
	}
	return d.ask(r.Context(), wanted)
}

// outbox shows the letters of a sandbox without a mail server to the people of the
// review desk.
func (d *Desk) outbox(w http.ResponseWriter, r *http.Request, by Member) error {
	waiting, err := unsent(r.Context(), d.DB.SQL, d.now(), 50)
	if err != nil {
		return err
	}
	m := review.OutboxView{By: by.Email}
	for _, l := range waiting {
		to, body, err := d.open(r.Context(), l)
		if errors.Is(err, store.ErrShredded) {
			continue
		}
		if err != nil {
			return err
		}
		m.Letters = append(m.Letters, review.OutboxLetter{At: l.created, To: to, Subject: l.subject, Text: body})
	}
	httpx.Secure(w, httpx.CSP{})
	return httpx.HTML(w, r, http.StatusOK, review.Outbox(by.Page, m))
}
