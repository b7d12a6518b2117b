package dashboard

import (
	"context"
	"net/http"
	"strings"
)

// Routes adds the dashboard. Each change names the page of its form, which is shown
// again after an error and redirected to after success.
func (s *Service) Routes(mux *http.ServeMux) {
	s.mountStaff(mux)
	for pattern, show := range map[string]page{
		"GET /dashboard":               s.overview,
		"GET /dashboard/reports/{id}":  s.report,
		"GET /dashboard/redirects":     s.redirects,
		"GET /dashboard/credentials":   s.credentials,
		"GET /dashboard/products":      s.products,
		"GET /dashboard/accounts/{id}": s.child,
		"GET /dashboard/theme":         s.theme,
	} {
		mux.Handle(pattern, s.get(show))
	}
	mux.Handle("GET /dashboard/webhooks", s.live(s.webhooks))
	mux.Handle("GET /dashboard/webhooks/{id}", s.live(s.webhooks))
	mux.Handle("GET /dashboard/deliveries", s.live(s.deliveries))
	mux.Handle("GET /dashboard/deliveries/{id}", s.live(s.delivery))
	mux.Handle("GET /dashboard/reports", s.live(s.reports))
	own := func(c Change) Change { return c }
	s.MountDisputes(mux, &s.Pages, own)
	s.MountProducts(mux, &s.Pages, "GET /dashboard/prepared", own)
	// A search changes nothing; it uses POST to keep identifiers and names out of URLs.
	mux.Handle("GET /dashboard/deliveries/find", s.adapt(s.redirectToList("/dashboard/deliveries")))
	mux.Handle("GET /dashboard/reports/find", s.adapt(s.redirectToList("/dashboard/reports")))
	mux.Handle("POST /dashboard/deliveries/find", s.find(s.findDeliveries))
	mux.Handle("POST /dashboard/reports/find", s.find(s.findReports))
	s.mountList(mux, "/dashboard/relay-tokens", s.granted)
	s.mountList(mux, "/dashboard/relay-tokens/received", s.received)
	s.mountList(mux, "/dashboard/outbox", s.emails)
	s.mountList(mux, "/dashboard/accounts", s.childList)
	mux.Handle("GET /dashboard/reports/{id}/revisions/{revision}", s.adapt(s.forUser(s.revision)))
	for pattern, c := range s.changes() {
		mux.Handle(pattern, s.post(c))
	}
	mux.Handle("POST /dashboard/theme/logo", s.postDecoded(decodeFile(maxLogoForm), form{s.theme, "/dashboard/theme", s.setLogo, nil}))
}

// MountDisputes adds the pages by which the users of p open and answer disputes and correct reports. recorded
// changes how a change is recorded.
func (s *Service) MountDisputes(mux *http.ServeMux, p *Pages, recorded func(Change) Change) {
	at := func(method, path string, h http.Handler) { mux.Handle(method+" "+p.Home+path, h) }
	at("GET", "/disputes", p.live(s.disputes))
	at("GET", "/disputes/{id}", p.get(s.dispute))
	at("GET", "/disputes/{id}/files/{file}", p.adapt(s.disputeFile(p)))
	at("GET", "/reports/{id}/correct", p.get(s.correction))
	at("POST", "/reports/{id}/correct/check", p.adapt(s.previewCorrection(p)))
	at("GET", "/reports/{id}/dispute", p.get(s.newDispute))
	one, correct, dispute := p.Home+"/disputes/{id}", p.Home+"/reports/{id}/correct", p.Home+"/reports/{id}/dispute"
	at("GET", "/disputes/find", p.adapt(p.redirectToList(p.Home+"/disputes")))
	at("POST", "/disputes/find", p.find(s.findDisputable))
	at("POST", "/reports/{id}/dispute", p.postDecoded(decodeDispute, form{s.newDispute, dispute, recorded(s.openDispute), s.prepareDispute}))
	at("POST", "/disputes/{id}/answer", p.post(form{s.dispute, one, recorded(s.answerDispute), s.prepareAnswer}))
	at("POST", "/disputes/{id}/facts", p.post(form{s.dispute, one, recorded(s.addFacts), nil}))
	at("POST", "/reports/{id}/correct", p.post(form{s.correction, correct, recorded(s.correct), s.draftCorrection}))
}

// MountProducts adds the pages by which the users of p change products and, at the pattern show, prepared
// reports. recorded changes how a change is recorded.
func (s *Service) MountProducts(mux *http.ServeMux, p *Pages, show string, recorded func(Change) Change) {
	at := func(method, path string, h http.Handler) { mux.Handle(method+" "+p.Home+path, h) }
	at("GET", "/products/{id}", p.get(s.product))
	product, prepared := p.Home+"/products/{id}", strings.TrimPrefix(show, "GET ")
	at("POST", "/products/{id}/rename", p.post(form{s.product, product, recorded(s.renameProduct), nil}))
	at("POST", "/products/{id}/configuration", p.post(form{s.product, product, recorded(s.configureProduct), nil}))
	mux.Handle(show, p.get(s.prepared))
	mux.Handle("POST "+prepared, p.postDecoded(decodeFile(maxPreparedForm), form{s.prepared, prepared, recorded(s.addPrepared), nil}))
	mux.Handle("POST "+prepared+"/remove", p.post(form{s.prepared, prepared, recorded(s.removePrepared), nil}))
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
	endpoint, redirects, credentials := "/dashboard/webhooks/{id}", "/dashboard/redirects", "/dashboard/credentials"
	child, sharing := "/dashboard/accounts/{id}", searched(s.granted).whole
	return map[string]form{
		"POST /dashboard/webhooks":                         {s.webhooks, "/dashboard/webhooks", s.addCallback, nil},
		"POST /dashboard/webhooks/{id}/url":                {s.webhooks, endpoint, s.changeEndpoint(s.setCallback), nil},
		"POST /dashboard/webhooks/{id}/delivery":           {s.webhooks, endpoint, s.changeEndpoint(s.switchCallback), nil},
		"POST /dashboard/webhooks/{id}/subscription":       {s.webhooks, endpoint, s.changeEndpoint(s.subscribe), nil},
		"POST /dashboard/webhooks/{id}/rotate":             {s.webhooks, endpoint, s.changeEndpoint(s.rotateSigner), nil},
		"POST /dashboard/webhooks/{id}/test":               {s.webhooks, endpoint, s.changeEndpoint(s.sendTest), nil},
		"POST /dashboard/webhooks/{id}/redeliver":          {s.webhooks, endpoint, s.changeEndpoint(s.redeliverFailed), nil},
		"POST /dashboard/webhooks/{id}/remove":             {s.webhooks, endpoint, s.changeEndpoint(s.removeCallback), nil},
		"POST /dashboard/deliveries/{id}/redeliver":        {s.delivery, "/dashboard/deliveries/{id}", s.redeliver, nil},
		"POST /dashboard/reports/{id}/share":               {s.report, "/dashboard/reports/{id}", s.shareReport, nil},
		"POST /dashboard/reports/{id}/link":                {s.report, "/dashboard/reports/{id}", s.linkConsumer, nil},
		"POST /dashboard/relay-tokens":                     {sharing, "/dashboard/relay-tokens", s.share, nil},
		"POST /dashboard/relay-tokens/{id}/withdraw":       {sharing, "/dashboard/relay-tokens", s.withdraw, nil},
		"POST /dashboard/outbox/{id}/resend":               {searched(s.emails).whole, "/dashboard/outbox", s.resendEmail, nil},
		"POST /dashboard/redirects/add":                    {s.redirects, redirects, s.addURL, nil},
		"POST /dashboard/redirects/remove":                 {s.redirects, redirects, s.removeURL, nil},
		"POST /dashboard/redirects/static":                 {s.redirects, redirects, s.staticURL, nil},
		"POST /dashboard/redirects/origins/add":            {s.redirects, redirects, s.addOrigin, nil},
		"POST /dashboard/redirects/origins/remove":         {s.redirects, redirects, s.removeOrigin, nil},
		"POST /dashboard/redirects/return":                 {s.redirects, redirects, s.setReturn, nil},
		"POST /dashboard/credentials":                      {s.credentials, credentials, s.issue, nil},
		"POST /dashboard/credentials/{id}/rename":          {s.credentials, credentials, s.rename, nil},
		"POST /dashboard/credentials/{id}/rotate":          {s.credentials, credentials, s.rotate, nil},
		"POST /dashboard/credentials/{id}/revoke":          {s.credentials, credentials, s.revoke, nil},
		"POST /dashboard/accounts":                         {searched(s.childList).whole, "/dashboard/accounts", s.addChild, nil},
		"POST /dashboard/accounts/{id}/products":           {s.child, "/dashboard/accounts/{id}", s.addProduct, nil},
		"POST /dashboard/accounts/{id}/configuration":      {s.child, "/dashboard/accounts/{id}", s.assign, nil},
		"POST /dashboard/accounts/{id}/people":             {s.child, child, s.ofChild(s.addChildUser), s.setLanguage},
		"POST /dashboard/accounts/{id}/people/remove":      {s.child, child, s.ofChild(s.removeChildUser), nil},
		"POST /dashboard/accounts/{id}/credentials":        {s.child, child, s.ofChild(s.issueToChild), nil},
		"POST /dashboard/accounts/{id}/credentials/revoke": {s.child, child, s.ofChild(s.revokeOfChild), nil},
		"POST /dashboard/products":                         {s.products, "/dashboard/products", s.addProduct, nil},
		"POST /dashboard/theme":                            {s.theme, "/dashboard/theme", s.setTheme, nil},
		"POST /dashboard/theme/reset":                      {s.theme, "/dashboard/theme", s.resetTheme, nil},
	}
}
