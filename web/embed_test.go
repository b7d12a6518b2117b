package web

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"vestibule/web/manifest"
)

// built is a party's folder as web/build leaves it: a style sheet in three
// encodings, a picture in one, and a script of a stable name.
func built(t *testing.T) *Assets {
	t.Helper()
	list := manifest.Manifest{
		"a.css": {File: "a-0123.css", Type: "text/css; charset=utf-8", Hash: "0123", Size: 5,
			Encodings: []string{"br", "gzip"}},
		"p.wasm":    {File: "p-4567.wasm", Type: "application/wasm", Hash: "4567", Size: 4},
		"widget.js": {File: "widget.js", Type: "text/javascript; charset=utf-8", Hash: "89ab", Encodings: []string{"gzip"}, Stable: true},
	}
	raw, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	a, err := New(fstest.MapFS{
		manifest.Name:   {Data: raw},
		"a-0123.css":    {Data: []byte("plain")},
		"a-0123.css.br": {Data: []byte("brotli")},
		"a-0123.css.gz": {Data: []byte("gzip")},
		"p-4567.wasm":   {Data: []byte("wasm")},
		"widget.js":     {Data: []byte("script")},
		"widget.js.gz":  {Data: []byte("zipped")},
		"secret.txt":    {Data: []byte("not in the manifest")},
	})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestHandler(t *testing.T) {
	a := built(t)
	const forever = "public, max-age=31536000, immutable"
	css := func(body, encoding, tag string) answer {
		return answer{200, body, "text/css; charset=utf-8", encoding, tag, forever, ""}
	}
	plain, br, zip := css("plain", "", `"0123"`), css("brotli", "br", `"0123-br"`), css("gzip", "gzip", `"0123-gzip"`)
	fresh := answer{Status: 304, Tag: `"0123-br"`, Cache: forever}
	none := answer{Status: 404, Body: "no such asset\n", Type: "text/plain; charset=utf-8", Cache: "no-store"}
	head := br
	head.Body = ""

	for _, c := range []struct {
		name, method, path, accept, ifNone string
		want                               answer
	}{
		{"nothing accepted", "GET", "/assets/a-0123.css", "", "", plain},
		{"brotli is preferred", "GET", "/assets/a-0123.css", "gzip, deflate, br, zstd", "", br},
		{"gzip where brotli is not", "GET", "/assets/a-0123.css", "gzip", "", zip},
		{"anything", "GET", "/assets/a-0123.css", "*", "", br},
		{"anything but brotli", "GET", "/assets/a-0123.css", "*, br;q=0", "", zip},
		{"refused by weight", "GET", "/assets/a-0123.css", "br;q=0, gzip;q=0.0", "", plain},
		{"upper case and spaces", "GET", "/assets/a-0123.css", " BR ; Q=0.5 ", "", br},
		{"a broken weight refuses", "GET", "/assets/a-0123.css", "br;q=much", "", plain},
		{"unknown codings only", "GET", "/assets/a-0123.css", "zstd, identity", "", plain},
		{"head", "HEAD", "/assets/a-0123.css", "br", "", head},
		{"not changed", "GET", "/assets/a-0123.css", "br", `"other", W/"0123-br"`, fresh},
		{"not changed, any", "GET", "/assets/a-0123.css", "br", `*`, fresh},
		{"the tag of another encoding", "GET", "/assets/a-0123.css", "gzip", `"0123-br"`, zip},
		{"a module without encodings", "GET", "/assets/p-4567.wasm", "br", "",
			answer{200, "wasm", "application/wasm", "", `"4567"`, forever, ""}},
		{"the plain name", "GET", "/assets/a.css", "", "", none},
		{"an encoded file", "GET", "/assets/a-0123.css.br", "", "", none},
		{"the manifest", "GET", "/assets/manifest.json", "", "", none},
		{"a file that is not listed", "GET", "/assets/secret.txt", "", "", none},
		{"a path upwards", "GET", "/assets/../embed.go", "", "", none},
		{"a stable name", "GET", "/assets/widget.js", "", "", none},
		{"another prefix", "GET", "/a-0123.css", "", "", none},
		{"a write", "POST", "/assets/a-0123.css", "", "", answer{Status: 405, Body: "method not allowed\n", Type: "text/plain; charset=utf-8"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := ask(a.Handler(), c.method, c.path, c.accept, c.ifNone)
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
		})
	}
	t.Run("a stable script", func(t *testing.T) {
		got := ask(a.Stable("widget.js"), "GET", "/widget/v1/widget.js", "gzip, br", "")
		want := answer{200, "zipped", "text/javascript; charset=utf-8", "gzip", `"89ab-gzip"`, "public, max-age=300, must-revalidate", "*"}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("-want +got:\n%s", d)
		}
	})
	t.Run("a stable script that was not built", func(t *testing.T) {
		got := ask(a.Stable("embed.js"), "GET", "/embed/v1/embed.js", "", "")
		if d := cmp.Diff(none, got); d != "" {
			t.Errorf("-want +got:\n%s", d)
		}
	})
}

// answer is an expected response; Any is Access-Control-Allow-Origin.
type answer struct {
	Status                                int
	Body, Type, Encoding, Tag, Cache, Any string
}

func ask(h http.Handler, method, path, accept, ifNone string) answer {
	r := httptest.NewRequest(method, "http://x/", nil)
	r.URL.Path = path
	if accept != "" {
		r.Header.Set("Accept-Encoding", accept)
	}
	if ifNone != "" {
		r.Header.Set("If-None-Match", ifNone)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	g := w.Header().Get
	return answer{w.Code, w.Body.String(), g("Content-Type"), g("Content-Encoding"), g("ETag"),
		g("Cache-Control"), g("Access-Control-Allow-Origin")}
}

func TestAssets(t *testing.T) {
	a := built(t)
	for _, c := range []struct{ f, in, got, want string }{
		{"URL", "a.css", a.URL("a.css"), "/assets/a-0123.css"},
		{"URL", "nowhere.css", a.URL("nowhere.css"), "/assets/nowhere.css"},
	} {
		if c.got != c.want {
			t.Errorf("%s(%q) = %q, want %q", c.f, c.in, c.got, c.want)
		}
	}
	if raw, ok := a.Raw("a.css"); string(raw) != "plain" || !ok {
		t.Errorf("Raw(a.css) = %q, %v, want the plain content", raw, ok)
	}
	if raw, ok := a.Raw("secret.txt"); ok {
		t.Errorf("Raw(secret.txt) = %q, want nothing", raw)
	}
	if !a.Ready() {
		t.Error("built assets are not ready")
	}
}

func TestFolders(t *testing.T) {
	unbuilt, err := New(fstest.MapFS{})
	if err != nil || unbuilt.Ready() {
		t.Errorf("a folder without a build: ready %v, %v; want not ready, no error", unbuilt.Ready(), err)
	}
	for name, list := range map[string]string{
		"a manifest that is not JSON":              `{`,
		"a manifest with a file that is not there": `{"a.css":{"file":"a-1.css"}}`,
	} {
		if _, err := New(fstest.MapFS{manifest.Name: {Data: []byte(list)}}); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
	for name, a := range map[string]*Assets{"portal": Portal(), "provider": Provider()} {
		if a == nil {
			t.Errorf("%s has no assets", name)
		}
	}
}
