package httpx

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"
	"time"
)

// StaticPage is a page that is rendered once and is the same for every visitor. Caches
// keep it for five minutes and then revalidate it by its ETag.
type StaticPage struct {
	plain, zipped []byte
	tag           string
}

// NewStaticPage renders the page.
func NewStaticPage(ctx context.Context, page Renderer) (*StaticPage, error) {
	var plain, zipped bytes.Buffer
	if err := page.Render(ctx, &plain); err != nil {
		return nil, err
	}
	zip := gzip.NewWriter(&zipped)
	if _, err := zip.Write(plain.Bytes()); err != nil {
		return nil, err
	}
	if err := zip.Close(); err != nil {
		return nil, err
	}
	sum := sha256.Sum256(plain.Bytes())
	return &StaticPage{plain.Bytes(), zipped.Bytes(), hex.EncodeToString(sum[:8])}, nil
}

// StaticPages are static pages by their paths. Missing answers other paths.
type StaticPages struct {
	pages   map[string]*StaticPage
	missing func(w http.ResponseWriter, r *http.Request, status int)
}

// NewStaticPages renders the pages.
func NewStaticPages[R Renderer](ctx context.Context, pages map[string]R,
	missing func(w http.ResponseWriter, r *http.Request, status int)) (*StaticPages, error) {
	all := &StaticPages{map[string]*StaticPage{}, missing}
	for path, page := range pages {
		static, err := NewStaticPage(ctx, page)
		if err != nil {
			return nil, err
		}
		all.pages[path] = static
	}
	return all, nil
}

func (all *StaticPages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	page, ok := all.pages[r.URL.Path]
	if !ok {
		all.missing(w, r, http.StatusNotFound)
		return
	}
	page.ServeHTTP(w, r)
}

// ServeHTTP answers GET and HEAD.
func (c *StaticPage) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	SetSecurityHeaders(w, CSP{})
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "public, max-age=300, must-revalidate")
	h.Set("Vary", "Accept-Encoding")
	body, tag := c.plain, c.tag
	if zips(r) {
		h.Set("Content-Encoding", "gzip")
		body, tag = c.zipped, c.tag+"-gzip"
	}
	h.Set("ETag", `"`+tag+`"`)
	r = r.Clone(r.Context())
	r.Header.Del("Range") // send whole pages only
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
}

// zips reports whether Accept-Encoding names gzip with a weight above 0.
func zips(r *http.Request) bool {
	return slices.ContainsFunc(strings.Split(strings.Join(r.Header.Values("Accept-Encoding"), ","), ","), func(s string) bool {
		name, weight, _ := strings.Cut(strings.ToLower(strings.ReplaceAll(s, " ", "")), ";")
		return name == "gzip" && strings.Trim(strings.TrimPrefix(weight, "q="), "0.") != "" || name == "gzip" && weight == ""
	})
}
