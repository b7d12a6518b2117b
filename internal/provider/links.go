package provider

import (
	"errors"
	"log/slog"
	"net/http"

	"github.com/a-h/templ"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/store"
	pages "vestibule/templates/provider"
	"vestibule/templates/ui"
	"vestibule/web"
)

// links answers people who follow a link, an invite's or a redirect's.
type links struct {
	assets *web.Assets
	log    *slog.Logger
}

// Page adapts a handler of a link: an error is a page with the room's words for it.
func (l links) Page(h httpx.HandlerFunc, words func(error) (title, text contract.Words)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		err := h(w, r)
		if err == nil {
			return
		}
		m := pages.Message{Lang: ui.PickLanguage(r.URL.Query().Get("lang"), "", r.Header.Get("Accept-Language"))}
		m.Title, m.Text = words(err)
		if errors.Is(err, store.ErrNotFound) {
			err = httpx.Fail(contract.CodeNotFound, err)
		}
		e := httpx.As(err)
		httpx.LogError(r, l.log, e)
		httpx.Secure(w, httpx.CSP{})
		templ.Handler(pages.MessagePage(m, pages.Urls{Style: l.assets.URL("provider.css"), Icon: l.assets.URL("icon.svg")}),
			templ.WithStatus(e.HTTPStatus())).ServeHTTP(w, r)
	})
}
