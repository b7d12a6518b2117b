package httpx

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"sync"
)

// Renderer is a page, such as a templ component.
type Renderer interface {
	Render(ctx context.Context, w io.Writer) error
}

// pages are buffers that are used again.
var pages = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// HTML renders a page and writes it with a status. A rendering error is returned before
// anything is written, so that it can still be answered. Set the page's headers before,
// with SetSecurityHeaders.
func HTML(w http.ResponseWriter, r *http.Request, status int, page Renderer) error {
	buf := pages.Get().(*bytes.Buffer)
	defer pages.Put(buf)
	buf.Reset()
	// net/http cancels the context of a request whose body was cut off; its page is
	// still rendered.
	if err := page.Render(context.WithoutCancel(r.Context()), buf); err != nil {
		return err
	}
	sendHTML(w, r, status, buf.Bytes())
	return nil
}

func sendHTML(w http.ResponseWriter, r *http.Request, status int, html []byte) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(html)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(html) // an error means that the browser is gone
	}
}

// IsFromPage reports whether a page led the browser here, and not a person's or a program's own
// request. Old browsers do not say.
func IsFromPage(r *http.Request) bool {
	site := r.Header.Get("Sec-Fetch-Site")
	return site != "" && site != "none"
}

// PartHeader is the header of requests by a page's own script for the part of the page that
// the script keeps current.
const PartHeader = "Dashboard-Page"

// Part writes the part of a page that the page's script keeps current, or 304 if the script
// has it. The ETag ignores once, a text that differs in each answer; "" for none. The answer to
// a refused form has another status.
func Part(w http.ResponseWriter, r *http.Request, status int, html []byte, once string) {
	tagged := html
	if once != "" {
		tagged = bytes.ReplaceAll(html, []byte(once), nil)
	}
	sum := sha256.Sum256(tagged)
	tag := `"` + base64.RawURLEncoding.EncodeToString(sum[:16]) + `"`
	SetSecurityHeaders(w, CSP{Static: true})
	w.Header().Set("ETag", tag)
	if status == http.StatusOK && r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	sendHTML(w, r, status, html)
}

// IsLocalPath reports whether next is a path at or below root, with an optional query,
// and not a URL that a browser would resolve to another place.
func IsLocalPath(next, root string) bool {
	if len(next) > 512 || !IsVisible(next) || strings.ContainsAny(next, "\\#") {
		return false
	}
	u, err := url.Parse(next)
	return err == nil && u.Scheme == "" && u.Host == "" && u.User == nil && u.Opaque == "" && path.Clean(u.Path) == u.Path &&
		(u.Path == root || strings.HasPrefix(u.Path, root+"/"))
}

// SeeOther redirects with 303 (See Other), so that the browser follows with GET. It
// writes a path unchanged, whatever Host the request named. It returns nil, as handlers do.
func SeeOther(w http.ResponseWriter, to string) error {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Location", to)
	w.WriteHeader(http.StatusSeeOther)
	return nil
}

// NoContent answers with 204 (No Content). It returns nil, as handlers do.
func NoContent(w http.ResponseWriter) error {
	w.WriteHeader(http.StatusNoContent)
	return nil
}
