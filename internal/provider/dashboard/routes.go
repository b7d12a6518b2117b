package dashboard

import (
	"context"
	"net/http"
)

// Routes adds the dashboard. Each change names the page of its form, which is shown
// again after an error and redirected to after success.
func (s *Service) Routes(mux *http.ServeMux) {
	mux.Handle("GET /dashboard/sign-in", s.guarded(s.Staff.SignInPage))
	mux.Handle("POST /dashboard/sign-in", s.guarded(s.Staff.SignIn))
	mux.Handle("GET /dashboard/sign-in/code", s.guarded(s.Staff.CodePage))
	mux.Handle("POST /dashboard/sign-in/code", s.guarded(s.Staff.SignInByCode))
	mux.Handle("GET /dashboard/sign-in/factor", s.guarded(s.Staff.NewFactorPage))
	mux.Handle("POST /dashboard/sign-in/factor", s.guarded(s.Staff.AddFactor))
	mux.Handle("GET /dashboard/second-factor", s.guarded(s.Staff.FactorPage))
	mux.Handle("POST /dashboard/second-factor", s.guarded(s.Staff.ChangeFactor))
	mux.Handle("POST /dashboard/sign-out", s.guarded(s.Staff.SignOut))
	mux.Handle("GET /dashboard/forgotten-password", s.guarded(s.Staff.ForgottenPage))
	mux.Handle("POST /dashboard/forgotten-password", s.guarded(s.Staff.RequestReset))
	mux.Handle("GET /dashboard/set-password/{token}", s.guarded(s.Staff.PasswordPage))
	mux.Handle("POST /dashboard/set-password/{token}", s.guarded(s.Staff.SetPassword))
	for pattern, show := range map[string]page{
		"GET /dashboard":               s.overview,
		"GET /dashboard/reports/{id}":  s.report,
		"GET /dashboard/redirects":     s.redirects,
		"GET /dashboard/credentials":   s.credentials,
		"GET /dashboard/products":      s.products,
		"GET /dashboard/accounts/{id}": s.child,
		"GET /dashboard/theme":         s.theme,

		"GET /dashboard/reports/{id}/correct": s.correction,
	} {
		mux.Handle(pattern, s.get(show))
	}
	mux.Handle("GET /dashboard/webhooks", s.live(s.webhooks))
	mux.Handle("GET /dashboard/deliveries", s.live(s.deliveries))
	mux.Handle("GET /dashboard/deliveries/{id}", s.live(s.delivery))
	mux.Handle("GET /dashboard/reports", s.live(s.reports))
	mux.Handle("GET /dashboard/relay-tokens", s.live(s.sharing))
	mux.Handle("GET /dashboard/relay-tokens/received", s.live(s.sharedWithMe))
	mux.Handle("GET /dashboard/outbox", s.live(s.outbox))
	mux.Handle("GET /dashboard/accounts", s.live(s.children))
	mux.Handle("GET /dashboard/people", s.live(s.users))
	mux.Handle("GET /dashboard/audit", s.live(s.audit))
	// A search changes nothing; it uses POST to keep identifiers and names out of URLs.
	mux.Handle("GET /dashboard/deliveries/find", s.adapt(s.redirectToList("/dashboard/deliveries")))
	mux.Handle("GET /dashboard/reports/find", s.adapt(s.redirectToList("/dashboard/reports")))
	mux.Handle("GET /dashboard/relay-tokens/find", s.adapt(s.redirectToList(grantedPath)))
	mux.Handle("GET /dashboard/relay-tokens/received/find", s.adapt(s.redirectToList(receivedPath)))
	mux.Handle("GET /dashboard/outbox/find", s.adapt(s.redirectToList("/dashboard/outbox")))
	mux.Handle("GET /dashboard/accounts/find", s.adapt(s.redirectToList("/dashboard/accounts")))
	mux.Handle("GET /dashboard/people/find", s.adapt(s.redirectToList("/dashboard/people")))
	mux.Handle("GET /dashboard/audit/find", s.adapt(s.redirectToList("/dashboard/audit")))
	mux.Handle("POST /dashboard/audit/find", s.find(searchIn("/dashboard/audit", s.entries)))
	mux.Handle("POST /dashboard/deliveries/find", s.find(s.findDeliveries))
	mux.Handle("POST /dashboard/reports/find", s.find(s.findReports))
	mux.Handle("POST /dashboard/relay-tokens/find", s.find(searchIn(grantedPath, s.granted)))
	mux.Handle("POST /dashboard/relay-tokens/received/find", s.find(searchIn(receivedPath, s.received)))
	mux.Handle("POST /dashboard/outbox/find", s.find(searchIn("/dashboard/outbox", s.emails)))
	mux.Handle("POST /dashboard/accounts/find", s.find(searchIn("/dashboard/accounts", s.childList)))
	mux.Handle("POST /dashboard/people/find", s.find(searchIn("/dashboard/people", s.userList)))
	mux.Handle("POST /dashboard/density", s.adapt(s.setDensity))
	mux.Handle("POST /dashboard/reports/{id}/correct/check", s.adapt(s.previewCorrection))
	for pattern, c := range s.changes() {
		mux.Handle(pattern, s.post(c))
	}
	mux.Handle("POST /dashboard/theme/logo", s.postDecoded(decodeFile, form{s.theme, "/dashboard/theme", s.setLogo, nil}))
}

// form is a change with the page of its form.
type form struct {
	back page
	path string // of back
	make change

	// prepare does slow work before the transaction; may be nil.
	prepare func(ctx context.Context, r *http.Request, by user, in *input) error
}

func (s *Service) changes() map[string]form {
	webhooks, redirects, credentials := "/dashboard/webhooks", "/dashboard/redirects", "/dashboard/credentials"
	people := "/dashboard/people"
	return map[string]form{
		"POST /dashboard/people":                     {s.users, people, s.addUser, s.setLanguage},
		"POST /dashboard/people/{id}/remove":         {s.users, people, s.removeUser, nil},
		"POST /dashboard/people/{id}/invite":         {s.users, people, s.inviteAgain, s.setLanguage},
		"POST /dashboard/people/{id}/factor":         {s.users, people, s.removeFactor, nil},
		"POST /dashboard/people/password":            {s.users, people, s.setPassword, s.hashOwn},
		"POST /dashboard/webhooks/callback":          {s.webhooks, webhooks, s.setCallback, nil},
		"POST /dashboard/webhooks/delivery":          {s.webhooks, webhooks, s.switchCallback, nil},
		"POST /dashboard/webhooks/subscription":      {s.webhooks, webhooks, s.subscribe, nil},
		"POST /dashboard/webhooks/rotate":            {s.webhooks, webhooks, s.rotateSigner, nil},
		"POST /dashboard/webhooks/test":              {s.webhooks, webhooks, s.sendTest, nil},
		"POST /dashboard/deliveries/{id}/redeliver":  {s.delivery, "/dashboard/deliveries/{id}", s.redeliver, nil},
		"POST /dashboard/deliveries/redeliver":       {s.deliveries, "/dashboard/deliveries", s.redeliverFailed, nil},
		"POST /dashboard/reports/{id}/share":         {s.report, "/dashboard/reports/{id}", s.shareReport, nil},
		"POST /dashboard/reports/{id}/link":          {s.report, "/dashboard/reports/{id}", s.linkConsumer, nil},
		"POST /dashboard/reports/{id}/correct":       {s.correction, "/dashboard/reports/{id}/correct", s.correct, nil},
		"POST /dashboard/relay-tokens":               {s.sharing, "/dashboard/relay-tokens", s.share, nil},
		"POST /dashboard/relay-tokens/{id}/withdraw": {s.sharing, "/dashboard/relay-tokens", s.withdraw, nil},
		"POST /dashboard/outbox/{id}/resend":         {s.outbox, "/dashboard/outbox", s.resendEmail, nil},
		"POST /dashboard/redirects/add":              {s.redirects, redirects, s.addURL, nil},
		"POST /dashboard/redirects/remove":           {s.redirects, redirects, s.removeURL, nil},
		"POST /dashboard/redirects/static":           {s.redirects, redirects, s.staticURL, nil},
		"POST /dashboard/redirects/origins/add":      {s.redirects, redirects, s.addOrigin, nil},
		"POST /dashboard/redirects/origins/remove":   {s.redirects, redirects, s.removeOrigin, nil},
		"POST /dashboard/redirects/return":           {s.redirects, redirects, s.setReturn, nil},
		"POST /dashboard/credentials":                {s.credentials, credentials, s.issue, nil},
		"POST /dashboard/credentials/{id}/rename":    {s.credentials, credentials, s.rename, nil},
		"POST /dashboard/credentials/{id}/rotate":    {s.credentials, credentials, s.rotate, nil},
		"POST /dashboard/credentials/{id}/revoke":    {s.credentials, credentials, s.revoke, nil},
		"POST /dashboard/accounts":                   {s.children, "/dashboard/accounts", s.addChild, nil},
		"POST /dashboard/accounts/{id}/products":     {s.child, "/dashboard/accounts/{id}", s.addProduct, nil},
		"POST /dashboard/theme":                      {s.theme, "/dashboard/theme", s.setTheme, nil},
		"POST /dashboard/theme/reset":                {s.theme, "/dashboard/theme", s.resetTheme, nil},
		"POST /dashboard/configurations":             {s.products, "/dashboard/products", s.assign, nil},
	}
}
