// Package embedkit provides the script and the element with which an onboarding app's
// page shows the portal's pages in a frame, and the embed tokens that open them
// (docs/tutorials/embed.md).
//
// An embed token is stored as a hash, expires, and belongs to the first browser that
// redeems it, or to the frames of the first page that uses it.
package embedkit

import (
	"net/http"
	"time"

	"vestibule/internal/httpx"
	"vestibule/internal/store"
	portalui "vestibule/templates/portal"
)

// Kit serves /embed/v1 and issues embed tokens. All fields are required.
type Kit struct {
	DB  *store.DB
	Now func() time.Time

	// Base returns the data that all pages of a request share. Adapt turns a handler
	// into one that shows its errors as a page.
	Base  func(r *http.Request) portalui.Base
	Adapt func(httpx.HandlerFunc) http.Handler

	Assets interface { // serves the script and its declarations
		Stable(name string) http.Handler
	}
}

// Routes mounts the script, its declarations, the frame's first page and the way back to it.
func (k *Kit) Routes(mux *http.ServeMux) {
	mux.Handle("GET /embed/v1/embed.js", k.Assets.Stable("embed.js"))
	mux.Handle("GET /embed/v1/embed.d.ts", k.Assets.Stable("embed.d.ts"))
	mux.Handle("GET /embed/v1/frame", k.Adapt(k.frame))
	mux.Handle("GET "+backPath+"{hash}", k.Adapt(k.back))
}
