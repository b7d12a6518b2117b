package redirect

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"vestibule/internal/httpx"
)

const (
	returnPath = "/redirect/return"
	finishPath = "/redirect/finish/"
)

// Routes mounts the three addresses. The POST is cross-site and has no
// cookie: exempt it from cross-site request protection. The page argument adapts page
// handlers and answers the errors that they return, which are internal failures.
//
// Patterns name no method, because GET would match HEAD too and a browser's preview
// request would consume an attempt.
func (c *Handler) Routes(mux *http.ServeMux, page func(httpx.HandlerFunc) http.Handler) {
	mux.Handle(returnPath, page(c.methods(map[string]httpx.HandlerFunc{http.MethodGet: c.handleReturnGet,
		http.MethodPost: c.handleReturnPost})))
	mux.Handle(finishPath+"{handle}", page(c.methods(map[string]httpx.HandlerFunc{http.MethodGet: c.finish})))
}

// methods dispatches on exactly these methods and refuses prefetches: the browser may
// never show a prefetched page.
func (c *Handler) methods(by map[string]httpx.HandlerFunc) httpx.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		httpx.SetSecurityHeaders(w, httpx.CSP{})
		h, ok := by[r.Method]
		if !ok {
			w.Header().Set("Allow", strings.Join(slices.Sorted(maps.Keys(by)), ", "))
			return c.refuse(w, r, errMethod)
		}
		for _, name := range []string{"Sec-Purpose", "Purpose", "X-Moz", "X-Purpose"} {
			if r.Header.Get(name) != "" {
				return c.refuse(w, r, errPrefetch)
			}
		}
		if err := h(w, r); err != nil {
			return c.refuse(w, r, err)
		}
		return nil
	}
}
