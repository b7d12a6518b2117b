package visits

import (
	"net/http"

	"vestibule/internal/httpx"
	"vestibule/internal/theme"
)

// Routes adds the endpoints and pages of visits to mux.
func (s *Service) Routes(mux *http.ServeMux) {
	// For the customer's server.
	mux.Handle("POST /connect/initialization", httpx.API(s.Log, s.Auth.Basic(s.initialize)))

	// For the customer's page.
	mux.Handle("GET /widget/v1/widget.js", s.Assets.Stable("widget.js"))
	mux.Handle("GET /widget/v1/widget.d.ts", s.Assets.Stable("widget.d.ts"))

	// For the frame.
	mux.Handle("GET /widget/v1/frame", s.page(s.frame))
	mux.Handle("POST /widget/v1/visits", httpx.API(s.Log, s.register))
	mux.Handle("GET /widget/v1/problems/{code}", s.page(s.problem))

	// The look of both, for an account.
	mux.HandleFunc("GET "+theme.Prefix+"{file}", s.styleSheet)
	mux.Handle("GET "+logoPrefix+"{file}", s.page(s.logo))

	// For the applicant, in the frame and on the hosted page alike.
	mux.Handle("GET /visit/{handle}", s.page(s.show))
	mux.Handle("POST /visit/{handle}", s.page(s.submit))
	mux.Handle("POST /visit/{handle}/documents", s.page(s.upload))
	// Another site must not begin an authorization: its access would go to that site's visit.
	sameOrigin := http.NewCrossOriginProtection()
	sameOrigin.SetDenyHandler(s.page(func(http.ResponseWriter, *http.Request) error { return errOtherSite }))
	mux.Handle("POST /visit/{handle}/authorize", sameOrigin.Handler(s.page(s.beginAuthorization)))
	mux.Handle("GET "+CallbackPath, s.LinkPage(s.finishAuthorization, authorizationErrorText))
	mux.Handle("GET "+CallbackPath+"/{institution}", s.LinkPage(s.finishAuthorization, authorizationErrorText))
	mux.Handle("GET /visit/{handle}/return", s.page(s.redirectBack))
}
