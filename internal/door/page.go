package door

import (
	"bytes"
	"context"
	"io"
	"net/http"
)

// Renderer is a page; templ's components are.
type Renderer interface {
	Render(ctx context.Context, w io.Writer) error
}

// HTML writes a page with a status, once it has rendered whole: one that did not
// is an error that can still be answered as one. Set the page's headers before,
// with Secure.
func HTML(w http.ResponseWriter, r *http.Request, status int, page Renderer) error {
	var buf bytes.Buffer
	if err := page.Render(r.Context(), &buf); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(buf.Bytes()) // the browser is gone; nobody is left to tell
	}
	return nil
}

// See answers 303: go on by a GET of that address. A path stays a path, whatever
// Host the request named.
func See(w http.ResponseWriter, to string) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Location", to)
	w.WriteHeader(http.StatusSeeOther)
}
