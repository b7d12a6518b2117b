package console

import (
	"bytes"
	"net/http"

	"github.com/a-h/templ"

	"vestibule/internal/httpx"
)

// ShowPart sends the fragment of a page that a script of the page asked for. once is a text of
// the page that differs in each answer; "" for none.
func ShowPart(w http.ResponseWriter, r *http.Request, status int, page templ.Component, fragment, once string) error {
	var part bytes.Buffer
	if err := templ.RenderFragments(r.Context(), &part, page, fragment); err != nil {
		return err
	}
	httpx.Part(w, r, status, part.Bytes(), once)
	return nil
}
