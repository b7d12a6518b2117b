// Package embedkit is the script and the element by which an onboarding app's own page
// shows the portal's pages in a frame, and the embed tokens that open them
// (docs/embed.md).
//
// An embed token is kept as a hash, ends by itself, and belongs to the first browser
// that redeems it, or to the frames of the first page that does.
package embedkit

import (
	"net/http"
	"time"

	"vestibule/internal/httpx"
	"vestibule/internal/store"
	pages "vestibule/templates/portal"
)

// Kit serves /embed/v1 and makes embed tokens. All fields are required.
type Kit struct {
	DB  *store.DB
	Now func() time.Time

	// Base is what every page of a request has in common, and Adapt turns a handler
	// into one that shows its errors as a page.
	Base  func(r *http.Request) pages.Base
	Adapt func(httpx.HandlerFunc) http.Handler

	Assets interface { // has the script and its declarations
		Stable(name string) http.Handler
	}
}

// Routes mounts the script, its declarations and the page where a frame begins.
func (k *Kit) Routes(mux *http.ServeMux) {
	mux.Handle("GET /embed/v1/embed.js", k.Assets.Stable("embed.js"))
	mux.Handle("GET /embed/v1/embed.d.ts", k.Assets.Stable("embed.d.ts"))
	mux.Handle("GET /embed/v1/frame", k.Adapt(k.frame))
}
