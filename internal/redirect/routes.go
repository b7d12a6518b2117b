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

// Routes mounts the three addresses. The POST comes from the service's site and
// without a cookie: it must be exempt from protection against cross-site
// requests. Page adapts a handler of pages: it answers the errors it returns,
// which are our own failures.
//
// Patterns name no method, because GET would answer HEAD too and so land an
// attempt for a browser that only looks ahead.
func (c *Handler) Routes(mux *http.ServeMux, page func(httpx.HandlerFunc) http.Handler) {
	mux.Handle(returnPath, page(c.methods(map[string]httpx.HandlerFunc{http.MethodGet: c.handleReturnGet, http.MethodPost: c.handleReturnPost})))
	mux.Handle(finishPath+"{handle}", page(c.methods(map[string]httpx.HandlerFunc{http.MethodGet: c.finish})))
}

// methods picks the handler for exactly these methods. A page that is fetched
// ahead of a click is fetched by a browser that may never show it.
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
