package httpx_test

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"vestibule/internal/httpx"
)

func TestStaticPageIsRevalidatedByETag(t *testing.T) {
	words := strings.Repeat("<p>the same for everybody</p>", 50)
	page, err := httpx.NewStaticPage(t.Context(), rendered(func(w io.Writer) error { _, err := io.WriteString(w, words); return err }))
	if err != nil {
		t.Fatal(err)
	}
	ask := func(method string, headers ...string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, "/docs", nil)
		for i := 0; i < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		w := httptest.NewRecorder()
		page.ServeHTTP(w, r)
		return w
	}
	plain := ask("GET")
	if plain.Code != 200 || plain.Body.String() != words || plain.Header().Get("Cache-Control") != "public, max-age=300, must-revalidate" ||
		plain.Header().Get("Content-Security-Policy") == "" {
		t.Errorf("plain: %d %v", plain.Code, plain.Header())
	}
	tag := plain.Header().Get("ETag")
	for _, coding := range []string{"gzip", "br, GZIP;q=0.5", "deflate,gzip"} {
		zipped := ask("GET", "Accept-Encoding", coding)
		z, err := gzip.NewReader(zipped.Body)
		if err != nil {
			t.Fatalf("%s: %v", coding, err)
		}
		if raw, err := io.ReadAll(z); err != nil || string(raw) != words || zipped.Header().Get("ETag") == tag ||
			zipped.Header().Get("Content-Encoding") != "gzip" {
			t.Errorf("%s: %v %v", coding, zipped.Header(), err)
		}
	}
	for _, coding := range []string{"gzip;q=0", "gzip; q=0.0", "br", "xgzip"} {
		if w := ask("GET", "Accept-Encoding", coding); w.Body.String() != words || w.Header().Get("Content-Encoding") != "" {
			t.Errorf("%s: %v", coding, w.Header())
		}
	}
	if w := ask("GET", "If-None-Match", tag); w.Code != 304 || w.Body.Len() != 0 {
		t.Errorf("the same tag: %d with %d bytes", w.Code, w.Body.Len())
	}
	if w := ask("HEAD"); w.Code != 200 || w.Body.Len() != 0 || w.Header().Get("ETag") != tag {
		t.Errorf("HEAD: %d %v", w.Code, w.Header())
	}
	if w := ask("GET", "Range", "bytes=0-1"); w.Code != 200 {
		t.Errorf("a part: %d", w.Code)
	}
	broken := errors.New("broken")
	if _, err := httpx.NewStaticPage(context.Background(), rendered(func(io.Writer) error { return broken })); !errors.Is(err, broken) {
		t.Errorf("a page that breaks: %v", err)
	}
}

func TestStaticPagesAreMadeAtTheFirstRequest(t *testing.T) {
	made := 0
	serve := func(pages func() (map[string]rendered, error)) func(path string) *httptest.ResponseRecorder {
		h := httpx.StaticPages(slog.New(slog.DiscardHandler), pages, func(w http.ResponseWriter, _ *http.Request, status int) {
			w.WriteHeader(status)
		})
		return func(path string) *httptest.ResponseRecorder {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
			return w
		}
	}
	get := serve(func() (map[string]rendered, error) {
		made++
		return map[string]rendered{"/docs": func(w io.Writer) error { _, err := io.WriteString(w, "a page"); return err }}, nil
	})
	if made != 0 {
		t.Error("the pages were made before a request")
	}
	for range 2 {
		if w := get("/docs"); w.Code != 200 || w.Body.String() != "a page" {
			t.Errorf("the page: %d %q", w.Code, w.Body)
		}
	}
	if w := get("/docs/other"); w.Code != 404 {
		t.Errorf("another path: %d", w.Code)
	}
	if made != 1 {
		t.Errorf("the pages were made %d times", made)
	}
	broken := errors.New("broken")
	for name, pages := range map[string]func() (map[string]rendered, error){
		"not made": func() (map[string]rendered, error) { return nil, broken },
		"not rendered": func() (map[string]rendered, error) {
			return map[string]rendered{"/": func(io.Writer) error { return broken }}, nil
		},
	} {
		if w := serve(pages)("/"); w.Code != 500 {
			t.Errorf("%s: %d, want 500", name, w.Code)
		}
	}
}
