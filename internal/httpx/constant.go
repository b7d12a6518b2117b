package httpx

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
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

// StaticPages returns the handler of static pages by their paths. They are made and rendered
// at the first request: few visitors open them, and they are large. failed answers requests
// for other paths by 404, and all requests by 500 if a page cannot be made.
func StaticPages[R Renderer](log *slog.Logger, pages func() (map[string]R, error),
	failed func(w http.ResponseWriter, r *http.Request, status int)) http.Handler {
	rendered := sync.OnceValues(func() (map[string]*StaticPage, error) {
		made, err := pages()
		if err != nil {
			return nil, err
		}
		all := map[string]*StaticPage{}
		for path, page := range made {
			if all[path], err = NewStaticPage(context.Background(), page); err != nil {
				return nil, err
			}
		}
		return all, nil
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		all, err := rendered()
		if err != nil {
			log.ErrorContext(r.Context(), "static pages were not made", "err", err)
			failed(w, r, http.StatusInternalServerError)
			return
		}
		if page, ok := all[r.URL.Path]; ok {
			page.ServeHTTP(w, r)
			return
		}
		failed(w, r, http.StatusNotFound)
	})
}

// ServeHTTP answers GET and HEAD.
func (c *StaticPage) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	SetSecurityHeaders(w, CSP{})
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "public, max-age=300, must-revalidate")
	h.Set("Vary", "Accept-Encoding")
	body, tag := c.plain, c.tag
	if acceptsGzip(r) {
		h.Set("Content-Encoding", "gzip")
		body, tag = c.zipped, c.tag+"-gzip"
	}
	h.Set("ETag", `"`+tag+`"`)
	r = r.Clone(r.Context())
	r.Header.Del("Range") // send whole pages only
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
}

// acceptsGzip reports whether Accept-Encoding names gzip with a weight above 0.
func acceptsGzip(r *http.Request) bool {
	return slices.ContainsFunc(strings.Split(strings.Join(r.Header.Values("Accept-Encoding"), ","), ","), func(s string) bool {
		name, weight, _ := strings.Cut(strings.ToLower(strings.ReplaceAll(s, " ", "")), ";")
		return name == "gzip" && strings.Trim(strings.TrimPrefix(weight, "q="), "0.") != "" || name == "gzip" && weight == ""
	})
}
