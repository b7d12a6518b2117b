package developers

import (
	"context"
	"database/sql"
	"errors"
	"net/http"
	"net/url"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/session"
	"vestibule/internal/store"
	pages "vestibule/templates/portal"
)

// maxForm bounds the playground's form, which has choices and nothing to type.
const maxForm = 8 << 10

// theirs is the origin that the code shows for the reader's page.
const theirs = "https://app.example.com"

func (d *Desk) playground(w http.ResponseWriter, r *http.Request) error {
	return d.show(w, r, http.StatusOK, d.read(r.URL.Query()), false)
}

func (d *Desk) show(w http.ResponseWriter, r *http.Request, status int, c pages.Choice, tooOften bool) error {
	m := pages.Playground{Base: d.Base(r), Choice: c, Products: d.Products, Usernames: usernames, Listings: d.listings(c, theirs), TooOften: tooOften}
	for _, w := range ways {
		m.Ways = append(m.Ways, w.name)
	}
	httpx.Secure(w, httpx.CSP{})
	return httpx.HTML(w, r, status, pages.PlaygroundPage(m))
}

// run makes an application as the code on the page does. A browser gains an
// application by it, so its session gets a new secret.
func (d *Desk) run(w http.ResponseWriter, r *http.Request) error {
	form, err := httpx.DecodeForm(w, r, maxForm)
	if err != nil {
		return err
	}
	c := d.read(form)
	if wait := d.Limit.Take(r); wait > 0 {
		httpx.RetryAfter(w, wait)
		return d.show(w, r, http.StatusTooManyRequests, c, true)
	}
	cur, err := d.Sessions.Of(r)
	if err != nil {
		return err
	}
	way := wayOf(c.Way)
	n := New{Product: c.Product, Mode: way.mode, Variant: way.variant, Origin: d.origin(r)}
	if person := d.person(c); person != nil {
		n.Prefill = person.Object()
	}
	var id string
	var cookie session.Cookie
	err = d.DB.Tx(r.Context(), func(ctx context.Context, tx *sql.Tx) error {
		next, renewed, err := d.Sessions.Renew(ctx, tx, cur)
		if err != nil {
			return err
		}
		n.SessionID, cookie = next.ID, renewed
		n.ReturnURL = n.Origin + "/developers"
		var token string
		if id, token, err = d.Applications.Make(ctx, tx, n); err != nil {
			return err
		}
		return d.keep(ctx, tx, id, kept{way: c.Way, lang: c.Speaks, theme: c.Theme, username: c.Username, token: token})
	})
	if errors.Is(err, ErrRefused) {
		return httpx.Fail(contract.CodeInvalidParameters, err)
	}
	if err != nil {
		return err
	}
	if err := d.Sessions.Set(w, r, cookie); err != nil {
		return err
	}
	httpx.See(w, runURL(id))
	return nil
}

func runURL(id string) string { return "/developers/runs/" + id }

// origin is the origin that the reader's browser has this page from: on this
// machine it may go by another name than our address.
func (d *Desk) origin(r *http.Request) string {
	u, err := url.Parse(d.URL)
	if err != nil {
		return d.URL
	}
	return u.Scheme + "://" + r.Host
}

// watch shows an application of this browser as it goes on.
func (d *Desk) watch(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("id")
	none := httpx.Fail(contract.CodeNotFound, errors.New("no application of this browser"))
	if !contract.IsUUID(id) {
		return none
	}
	cur, err := d.Sessions.Of(r)
	if err != nil {
		return err
	}
	if mine, err := d.Applications.Bound(r.Context(), id, cur.ID); err != nil {
		return err
	} else if !mine {
		return none
	}
	k, err := d.kept(r.Context(), id)
	if errors.Is(err, store.ErrNotFound) {
		return none
	}
	if err != nil {
		return err
	}
	a, err := d.Applications.Get(r.Context(), id)
	if err != nil {
		return err
	}
	lines, err := d.trace(r.Context(), a, k)
	if err != nil {
		return err
	}
	way := wayOf(k.way)
	m := pages.Run{Base: d.Base(r), ID: id, Product: a.Product, Way: k.way, Speaks: k.lang, Theme: k.theme, Username: k.username, Token: k.token,
		Element: way.element, State: a.State, Version: a.Version, Final: a.Final, Lines: lines,
		Self: runURL(id), Connect: d.ConnectURL(id), Status: d.StatusURL(id), Again: "/developers?" + url.Values{"product": {string(a.Product)}, "way": {k.way},
			"speaks": {string(k.lang)}, "theme": {k.theme}, "username": {k.username}}.Encode()}
	if way.variant != "" {
		m.Element = "inline"
	}
	if !a.Final {
		m.Stream = d.StreamURL(id)
	}
	httpx.Secure(w, httpx.CSP{Frame: []string{"'self'"}})
	return httpx.HTML(w, r, http.StatusOK, pages.RunPage(m))
}
