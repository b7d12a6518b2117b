// Package web holds the browser assets of the two parties, built by web/build into
// web/dist and embedded in the program. Each party has a separate set and serves
// only that set.
//
// Most assets have a content hash in their name and may be cached forever. The few
// that other sites link to keep a stable name and are revalidated. Assets are
// compressed by the build, never while serving. A program compiled without a build
// serves no assets and reports that by Ready.
package web

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"vestibule/web/manifest"
)

//go:embed all:dist
var embedded embed.FS

var dist = must(fs.Sub(embedded, "dist"))

// ErrNotBuilt means that the program was compiled before its assets were built.
var ErrNotBuilt = errors.New("this program was compiled without the assets that browsers " +
	"load; run make assets, then compile it again (make build does both)")

// Prefix is the path below which Handler serves, with its trailing slash.
const Prefix = "/assets/"

// Assets is one party's set. It is read-only and safe for concurrent use.
type Assets struct {
	files    fs.FS
	manifest manifest.Manifest
	byFile   map[string]string // fingerprinted file name → name
}

var (
	portal   = sync.OnceValues(func() (*Assets, error) { return open("portal") })
	provider = sync.OnceValues(func() (*Assets, error) { return open("provider") })
)

// Portal is the portal's set of assets.
func Portal() *Assets { return must(portal()) }

// Provider is the provider's set of assets.
func Provider() *Assets { return must(provider()) }

// Use serves the files of a folder that web/build wrote in place of the embedded
// ones. Tests call it before Portal and Provider.
func Use(files fs.FS) { dist = files }

// Files is the folder that web/build wrote, as it was embedded or given to Use.
func Files() fs.FS { return dist }

func must[T any](v T, err error) T {
	if err != nil {
		// The files were embedded by the compiler: a broken manifest is a broken
		// program, not a state it can be in.
		panic("web: " + err.Error())
	}
	return v
}

func open(party string) (*Assets, error) {
	sub, err := fs.Sub(dist, party)
	if err != nil {
		return nil, err
	}
	return New(sub)
}

// New makes a set from a folder that web/build wrote. A folder without a
// manifest gives a set that is not ready and holds nothing; a manifest that
// cannot be read, or names a file that is not there, is an error.
func New(files fs.FS) (*Assets, error) {
	a := &Assets{files: files, byFile: map[string]string{}}
	raw, err := fs.ReadFile(files, manifest.Name)
	if err != nil {
		return a, nil
	}
	if err := json.Unmarshal(raw, &a.manifest); err != nil {
		return nil, fmt.Errorf("%s: %w", manifest.Name, err)
	}
	for name, e := range a.manifest {
		for _, f := range e.Variants() {
			if _, err := fs.Stat(files, f.Path); err != nil {
				return nil, fmt.Errorf("%s: %s: %w", manifest.Name, name, err)
			}
		}
		a.byFile[e.File] = name
	}
	return a, nil
}

// Ready reports whether the assets were built before the program was.
func (a *Assets) Ready() bool { return len(a.manifest) > 0 }

// URL is the address of an asset by the name of its source without folders:
// "portal.css", "apply.js", "icon.svg", "vestibule.wasm". A name that was not
// built keeps its own name there, and is answered 404.
func (a *Assets) URL(name string) string {
	if e, ok := a.manifest[name]; ok && !e.Stable {
		return Prefix + e.File
	}
	return Prefix + name
}

// Raw is the uncompressed content of an asset, and whether there is one.
func (a *Assets) Raw(name string) ([]byte, bool) {
	e, ok := a.manifest[name]
	if !ok {
		return nil, false
	}
	b, err := fs.ReadFile(a.files, e.File)
	return b, err == nil
}

// Handler serves the fingerprinted assets below Prefix, to be cached for a
// year. Anything else is 404, without a cache.
func (a *Assets) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		file, ok := strings.CutPrefix(r.URL.Path, Prefix)
		name, known := a.byFile[file]
		if !ok || !known || a.manifest[name].Stable {
			absent(w)
			return
		}
		a.serve(w, r, a.manifest[name], "public, max-age=31536000, immutable")
	})
}

// Stable serves the asset with that name at any address, for other sites that link to it:
// any site may load it; caches keep it for five minutes and then revalidate.
func (a *Assets) Stable(name string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e, ok := a.manifest[name]
		if !ok {
			absent(w)
			return
		}
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin")
		a.serve(w, r, e, "public, max-age=300, must-revalidate")
	})
}

func absent(w http.ResponseWriter) {
	w.Header().Set("Cache-Control", "no-store")
	http.Error(w, "no such asset", http.StatusNotFound)
}

func (a *Assets) serve(w http.ResponseWriter, r *http.Request, e manifest.Entry, cache string) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	v := e.Variants()[0]
	for _, candidate := range e.Variants()[1:] {
		if accepts(r.Header.Values("Accept-Encoding"), candidate.Encoding) {
			v = candidate
			break
		}
	}
	tag := `"` + e.Hash + `"`
	h := w.Header()
	if v.Encoding != "" {
		tag = `"` + e.Hash + "-" + v.Encoding + `"`
	}
	h.Set("Cache-Control", cache)
	h.Set("ETag", tag)
	h.Set("Vary", "Accept-Encoding")
	h.Set("X-Content-Type-Options", "nosniff")
	if matches(r.Header.Values("If-None-Match"), tag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	f, err := a.files.Open(v.Path)
	if err != nil {
		absent(w)
		return
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil {
		h.Set("Content-Length", strconv.FormatInt(info.Size(), 10))
	}
	if v.Encoding != "" {
		h.Set("Content-Encoding", v.Encoding)
	}
	h.Set("Content-Type", e.Type)
	if r.Method == http.MethodGet {
		io.Copy(w, f) // an error here is the reader's going away
	}
}

// accepts reports whether an Accept-Encoding header admits the coding: named
// or covered by *, and not with a weight of zero (RFC 9110, 12.5.3).
func accepts(header []string, coding string) bool {
	star := false
	for _, item := range items(header) {
		name, params, _ := strings.Cut(item, ";")
		name = strings.ToLower(strings.TrimSpace(name))
		if name != coding && name != "*" {
			continue
		}
		ok := weight(params) > 0
		if name == coding {
			return ok
		}
		star = ok
	}
	return star
}

func weight(params string) float64 {
	for p := range strings.SplitSeq(params, ";") {
		if q, ok := strings.CutPrefix(strings.ToLower(strings.TrimSpace(p)), "q="); ok {
			w, err := strconv.ParseFloat(q, 64)
			if err != nil {
				return 0
			}
			return w
		}
	}
	return 1
}

// matches is the weak comparison of If-None-Match.
func matches(header []string, tag string) bool {
	return slices.ContainsFunc(items(header), func(item string) bool { return item == "*" || strings.TrimPrefix(item, "W/") == tag })
}

func items(header []string) []string {
	var out []string
	for _, h := range header {
		for item := range strings.SplitSeq(h, ",") {
			if item = strings.TrimSpace(item); item != "" {
				out = append(out, item)
			}
		}
	}
	return out
}
