package httpx

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
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
	// A request whose body was cut off is over, by net/http, but its page is not.
	if err := page.Render(context.WithoutCancel(r.Context()), &buf); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(buf.Len()))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(buf.Bytes()) // the browser is gone; nobody is left to tell
	}
	return nil
}

// IsLocalPath reports whether next is a path at or below root, with or without a
// query, as opposed to an address that a browser would read as somewhere else.
func IsLocalPath(next, root string) bool {
	if len(next) > 512 || strings.ContainsAny(next, "\\#") {
		return false
	}
	for i := range len(next) {
		if next[i] <= ' ' || next[i] >= 0x7f {
			return false
		}
	}
	u, err := url.Parse(next)
	return err == nil && u.Scheme == "" && u.Host == "" && u.User == nil && u.Opaque == "" && path.Clean(u.Path) == u.Path &&
		(u.Path == root || strings.HasPrefix(u.Path, root+"/"))
}

// SeeOther answers 303: go on by a GET of that address. A path stays a path, whatever
// Host the request named.
func SeeOther(w http.ResponseWriter, to string) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Location", to)
	w.WriteHeader(http.StatusSeeOther)
}
