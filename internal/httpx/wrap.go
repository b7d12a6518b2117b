package httpx

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"path"
	"runtime/debug"
	"strings"
	"time"

	"vestibule/internal/contract"
)

type requestIDKey struct{}

// RequestID returns the id of the request of ctx: 16 hexadecimal characters, sent in
// the X-Request-Id header and written to every log line.
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey{}).(string)
	return id
}

// RequestRecord is the route and status of a finished request. Wrap fills it for
// handlers around it, which do not see the copies of the request made by inner
// handlers.
type RequestRecord struct {
	Route  string // the pattern, or "none"
	Status int
}

type seenKey struct{}

// WithRequestRecord returns a context that makes Wrap fill seen.
func WithRequestRecord(ctx context.Context, seen *RequestRecord) context.Context {
	return context.WithValue(ctx, seenKey{}, seen)
}

// Wrap is the outermost handler of a party. It gives the request its id, answers a
// panic with an error page instead of a broken connection, and writes one line to the
// access log: method, route pattern, status, bytes and time. It never logs the URL,
// which may contain a secret handle.
func Wrap(log *slog.Logger, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var raw [8]byte
		rand.Read(raw[:])
		id := hex.EncodeToString(raw[:])
		ctx := context.WithValue(r.Context(), requestIDKey{}, id)
		r = r.WithContext(ctx)
		w.Header().Set("X-Request-Id", id)
		rec := &recorder{ResponseWriter: w}
		start := time.Now()
		seen, _ := ctx.Value(seenKey{}).(*RequestRecord)
		defer func() {
			if seen != nil {
				seen.Route = route(r)
			}
			if p := recover(); p != nil {
				if p == http.ErrAbortHandler {
					panic(p)
				}
				log.Error("panic", "requestId", id, "route", r.Pattern, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
				if rec.status == 0 {
					WriteError(rec, r, log, NewError(contract.CodeInternal, errors.New("panic")))
				}
			}
			if seen != nil {
				seen.Status = rec.code()
			}
			log.LogAttrs(ctx, slog.LevelInfo, "request", slog.String("requestId", id),
				slog.String("method", r.Method), slog.String("route", route(r)),
				slog.Int("status", rec.code()), slog.Int64("bytes", rec.bytes), slog.Float64("ms", float64(time.Since(start).Microseconds())/1000))
		}()
		next.ServeHTTP(rec, r)
	})
}

func route(r *http.Request) string {
	if r.Pattern == "" {
		return "none"
	}
	return r.Pattern
}

// recorder records the status and size of a response. Unwrap lets
// http.ResponseController flush streams.
type recorder struct {
	http.ResponseWriter
	status int
	bytes  int64
}

func (r *recorder) code() int {
	if r.status == 0 {
		return http.StatusOK
	}
	return r.status
}

func (r *recorder) WriteHeader(status int) {
	if r.status == 0 && status >= 200 {
		r.status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(b []byte) (int, error) {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	n, err := r.ResponseWriter.Write(b)
	r.bytes += int64(n)
	return n, err
}

func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// ErrorPage shows an error to people.
type ErrorPage func(w http.ResponseWriter, r *http.Request, status int)

// ErrorPages is a table of paths and who shows their errors; nil is the API's error shape, for
// programs. A path that ends in / is for all paths below it, and * is one segment. The longest
// path that matches decides.
type ErrorPages map[string]ErrorPage

// Of returns who shows the errors of a request to people, or nil.
func (e ErrorPages) Of(r *http.Request) ErrorPage {
	longest, page := "", ErrorPage(nil)
	for pattern, p := range e {
		same, _ := path.Match(pattern, r.URL.Path)
		if below := strings.HasSuffix(pattern, "/") && strings.HasPrefix(r.URL.Path, pattern); (same || below) && len(pattern) > len(longest) {
			longest, page = pattern, p
		}
	}
	return page
}

// NotFound answers unknown paths and wrong methods in the API's error shape, where a
// ServeMux would answer in plain text. Where pageOf returns an error page, it calls that with
// the status, after setting Allow.
func NotFound(log *slog.Logger, mux *http.ServeMux, pageOf func(*http.Request) ErrorPage) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h, pattern := mux.Handler(r)
		if pattern != "" {
			mux.ServeHTTP(w, r)
			return
		}
		// The mux's handler tells the cases apart: a redirect to the cleaned path, a
		// wrong method with its Allow header, or an unknown path.
		probe := &probe{header: http.Header{}}
		h.ServeHTTP(probe, r)
		e := NewError(contract.CodeNotFound, errors.New("no such route"))
		switch {
		case probe.status >= 300 && probe.status < 400:
			h.ServeHTTP(w, r)
			return
		case probe.status == http.StatusMethodNotAllowed:
			e.Code = contract.CodeMethodNotAllowed
			e.Message = "This address does not take this method. Send " + probe.header.Get("Allow") + "."
			w.Header().Set("Allow", probe.header.Get("Allow"))
		}
		if page := pageOf(r); page != nil {
			page(w, r, e.Code.Info().Status)
			return
		}
		WriteError(w, r, log, e)
	})
}

type probe struct {
	header http.Header
	status int
}

func (p *probe) Header() http.Header         { return p.header }
func (p *probe) WriteHeader(status int)      { p.status = status }
func (p *probe) Write(b []byte) (int, error) { return len(b), nil }

// CSP is a page's Content-Security-Policy. Directives that are not listed are 'none' or
// 'self'; inline scripts and styles cannot be allowed.
type CSP struct {
	Script         []string // besides 'self'
	WASM           bool     // 'wasm-unsafe-eval'
	Frame          []string // origins that the page may frame; none by default
	Connect        []string // besides 'self'
	FormAction     []string // besides 'self'
	FrameAncestors string   // default 'none'
	Isolated       bool     // pages that are isolated from other origins may frame it; all it loads must allow that
	Static         bool     // no script at all, and no connection by one
}

// String returns the header's value.
func (c CSP) String() string {
	script := append([]string{"'self'"}, c.Script...)
	if c.WASM {
		script = append(script, "'wasm-unsafe-eval'")
	}
	connect := append([]string{"'self'"}, c.Connect...)
	if c.Static {
		script, connect = []string{"'none'"}, []string{"'none'"}
	}
	ancestors := cmp.Or(c.FrameAncestors, "'none'")
	frame := "'none'"
	if len(c.Frame) > 0 {
		frame = strings.Join(c.Frame, " ")
	}
	return strings.Join([]string{
		"default-src 'none'",
		"script-src " + strings.Join(script, " "),
		"style-src 'self'",
		"img-src 'self' data:",
		"font-src 'self'",
		"manifest-src 'self'",
		"connect-src " + strings.Join(connect, " "),
		"frame-src " + frame,
		"form-action " + strings.Join(append([]string{"'self'"}, c.FormAction...), " "),
		"frame-ancestors " + ancestors,
		"base-uri 'none'",
	}, "; ")
}

// AllowIsolated sets the headers without which a page that is isolated from other origins
// cannot frame a response. WebKit also requires them of a redirect.
func AllowIsolated(w http.ResponseWriter) {
	w.Header().Set("Cross-Origin-Embedder-Policy", "require-corp")
	w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin")
}

// SetSecurityHeaders sets the headers of every page: the policy, no referrer, no
// sniffing, no caching (pages are personal), and isolation from openers.
func SetSecurityHeaders(w http.ResponseWriter, policy CSP) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy.String())
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	if policy.Isolated {
		AllowIsolated(w)
	}
	h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=(), payment=()")
	h.Set("Cache-Control", "no-store")
}
