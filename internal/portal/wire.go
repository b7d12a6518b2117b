package portal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"vestibule/docs"
	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/jobs"
	"vestibule/internal/jose"
	"vestibule/internal/pageimage"
	"vestibule/internal/portal/api"
	"vestibule/internal/portal/applications"
	"vestibule/internal/portal/applications/applicant"
	"vestibule/internal/portal/branding"
	"vestibule/internal/portal/connect"
	"vestibule/internal/portal/developers"
	"vestibule/internal/portal/embedkit"
	"vestibule/internal/portal/notify"
	"vestibule/internal/portal/resume"
	"vestibule/internal/portal/review"
	"vestibule/internal/portal/review/audit"
	"vestibule/internal/portal/review/decisions"
	"vestibule/internal/portal/review/deletion"
	"vestibule/internal/portal/review/printout"
	"vestibule/internal/portal/review/search"
	"vestibule/internal/portal/review/sharing"
	"vestibule/internal/redirect"
	"vestibule/internal/session"
	"vestibule/internal/staff"
	"vestibule/internal/store"
	"vestibule/internal/svcapi"
	"vestibule/internal/webhook"
	"vestibule/templates/ui"
)

// handlers holds the packages of a portal, connected to each other.
type handlers struct {
	sessions   *session.Sessions
	queue      *jobs.Queue
	applicants *applicant.Handler
	notify     *notify.Service
	resume     *resume.Handler
	kit        *embedkit.Kit
	api        *api.API
	staff      *staff.Service
	search     *search.Index
	deletion   *deletion.Service
	review     *review.Handler
	redirect   *redirect.Handler
	connect    *connect.Handler
	developers *developers.Handler // nil outside the sandbox
}

// signInStarts is how many OpenID Connect sign-ins a client address may start per
// minute and process.
const signInStarts = 30

// wire creates the handlers from the bottom up. Functions of higher packages that lower
// ones call are set when both exist.
func wire(ctx context.Context, c Config, renderer *pageRenderer) (h handlers, err error) {
	profile, err := c.Account.Profile()
	if err != nil {
		return h, fmt.Errorf("portal: the provider's profile: %w", err)
	}
	script := profile.At(c.ProviderURL, svcapi.AddressWidgetScript)
	for _, address := range []string{c.ProviderURL, script} {
		if _, ok := httpx.ParseURL(address); !ok {
			return h, errors.New("portal: the address of the provider or of its widget script is not a URL")
		}
	}
	receiver := &webhook.Receiver{Now: time.Now, Headers: profile.WebhookHeaders}
	if receiver.Secrets, err = webhook.ParseSecrets(c.Account.WebhookSecrets); err != nil {
		return h, err
	}
	// Lax, because the service links back here. Its cross-site POST arrives without
	// the cookie, which the redirect handler expects.
	h.sessions, err = session.New(ctx, c.DB, c.Now, session.Settings{Name: "vestibule", Secure: renderer.language.Secure,
		SameSite: http.SameSiteLaxMode})
	if err != nil {
		return h, fmt.Errorf("portal: sessions: %w", err)
	}
	registry := jobs.NewRegistry()
	if h.queue, err = jobs.NewQueue(ctx, c.DB, registry, c.Log, c.Now); err != nil {
		return h, err
	}
	h.queue.DisableWorkers = c.DisableWorkers
	if c.Telemetry != nil {
		h.queue.Watch(c.Telemetry)
		c.Telemetry.Database(c.DB.SQL, c.DB.Commits())
		c.Telemetry.Queue(h.queue.Waiting)
	}
	client := &svcapi.Client{BaseURL: c.ProviderURL, ClientID: c.Account.ClientID, SecretKey: c.Account.SecretKey,
		Environment: c.Environment, Profile: profile, Now: c.Now, Log: c.Log, Watch: c.Telemetry.Call}
	limit := func(perMinute int) *httpx.RateLimit {
		return &httpx.RateLimit{PerMinute: perMinute, BehindProxy: c.BehindProxy,
			ExemptLoopback: httpx.ExemptLoopback(c.Environment, c.URL, c.BehindProxy), Now: c.Now}
	}

	service := &applications.Service{DB: c.DB, Queue: h.queue, Provider: client,
		Products: c.Account.Products, AssetsOnly: c.Account.AssetsOnly,
		Environment: c.Environment, FetchEarly: !c.DisableWorkers, RevisionCheck: profile.RevisionCheck, Now: c.Now, Log: c.Log,
		FormTargets: profile.PageOrigins(c.ProviderURL), NotifiedDecisions: c.Review.Pages()}
	h.kit = &embedkit.Kit{DB: c.DB, Now: c.Now, Base: renderer.base, Adapt: renderer.adapt, Assets: c.Assets}
	h.applicants = &applicant.Handler{Service: service, Sessions: h.sessions, Webhooks: receiver, Kit: h.kit,
		PublicID: c.Account.PublicID, Limit: limit(c.Pages.ApplyRate), Mode: c.Pages.mode(), RetentionDays: c.Review.RetentionDays,
		Secure: renderer.language.Secure, ResumeByEmail: renderer.resumeByEmail, Base: renderer.base, Adapt: renderer.adapt}
	if h.notify, err = wireNotify(c, service, h.queue); err != nil {
		return h, err
	}
	h.resume = &resume.Handler{DB: c.DB, Applicants: h.applicants, Queue: h.queue, Mail: c.Mail, URL: c.URL, Brand: c.Brand.Page.Name,
		Light: c.Brand.Light, Dark: c.Brand.Dark, Environment: c.Environment, BehindProxy: c.BehindProxy, Now: c.Now, Log: c.Log}
	if err := h.resume.Open(ctx); err != nil {
		return h, fmt.Errorf("portal: %w", err)
	}
	h.redirect = &redirect.Handler{DB: c.DB, Service: client, Sessions: h.sessions, Telemetry: c.Telemetry, Log: c.Log,
		Tokens: redirect.NewVerifier(&jose.RemoteKeySet{URL: profile.At(c.ProviderURL, svcapi.AddressKeySet), Algs: profile.Result.Algorithms,
			Now: c.Now, Log: c.Log, Watch: c.Telemetry.KeysFetched}, profile.Result, c.Now), Form: profile.Result,
		CompleteURL: redirect.CompleteURL(c.URL, profile.Result, c.Account.ReturnMode == "post"), Audience: c.Account.PublicID,
		Issuer: cmp.Or(profile.Result.Issuer, c.ProviderURL), OnStarted: service.RedirectStarted, OnOutcome: service.RedirectOutcome,
		StatusURL: applicant.StatusURL, ShowNotice: renderer.returnNotice}
	h.connect = &connect.Handler{Applicants: h.applicants, Service: client, Redirects: h.redirect,
		ScriptURL: script, Global: profile.WidgetGlobal, Policy: profile.Policy(c.ProviderURL),
		RedirectTokenField: profile.RedirectTokenField, Now: c.Now, Log: c.Log}
	if c.Environment == contract.Sandbox {
		h.developers = &developers.Handler{Applicants: h.applicants, Kit: h.kit, Events: h.notify, URL: c.URL, ProviderURL: c.ProviderURL,
			Profile: profile}
		h.redirect.Verified = h.developers.Verified
	}
	h.staff, err = staff.New(ctx, staff.Config{AuditSignIns: true, DB: c.DB, Sessions: h.sessions, Now: c.Now, Log: c.Log, URL: c.URL,
		Home: "/review", KnownCookie: "vestibule-known", BehindProxy: c.BehindProxy, NoPasswords: !c.SignIn.LocalAccounts,
		NeedFactor: c.SignIn.RequireSecondFactor, Site: cmp.Or(c.Brand.Page.Name, "Vestibule"), Emails: staffEmails(c, renderer, h.queue),
		OIDC: c.SignIn.Issuer(), OIDCStarts: limit(signInStarts), Roles: review.RolesByPrivilege})
	if err != nil {
		return h, err
	}
	h.search = &search.Index{DB: c.DB, Applications: service, Queue: h.queue, Now: c.Now, Summarize: review.Summarize(service)}
	if err := h.search.Prepare(ctx); err != nil {
		return h, err
	}
	shares := &sharing.Service{DB: c.DB, Staff: h.staff, Applications: service, Provider: client, Log: c.Log}
	h.deletion = &deletion.Service{DB: c.DB, Staff: h.staff, Applications: service, Sharing: shares, Provider: client, Queue: h.queue,
		RetentionDays: c.Review.RetentionDays, IncompleteDays: c.Review.IncompleteDays, UnstartedHours: c.Review.UnstartedHours,
		Now: c.Now, Log: c.Log,
		Erase: []func(context.Context, *store.Tx, string) error{service.Delete, embedkit.Forget, api.Forget, h.redirect.Forget,
			h.notify.Outbox.Forget,
			resume.Forget, developers.Forget, h.queue.Forget, decisions.Forget, sharing.Forget, search.Forget}}
	decided := &decisions.Service{DB: c.DB, Staff: h.staff, Applications: service, Letters: h.resume, URL: c.URL,
		Agency: c.Review.Agency, Host: hostOf(c.ProviderURL), Regulator: c.Review.Regulator,
		Creditor: c.Review.Creditor, Brand: c.Brand.Page.Name, Emails: c.Review.Emails(), Now: c.Now}
	h.review = &review.Handler{DB: c.DB, Staff: h.staff, Applications: service, Letters: h.resume, Events: h.notify,
		Index: h.search, Sharing: shares, Decisions: decided, Deletion: h.deletion,
		Audit: &audit.Service{DB: c.DB, Staff: h.staff, Log: c.Log}, PageImages: pageimage.New(c.Review.PageImages != "off"),
		Brand: printoutBrand(c.Brand), URL: c.URL, Log: c.Log, Page: renderer.page, Adapt: renderer.adapt}
	h.api = &api.API{DB: c.DB, Applications: service, Events: h.notify, Kit: h.kit, Key: c.API.Key, Rate: c.API.Rate, URL: c.URL,
		PDF: h.review.ReportPDF, Now: c.Now, Log: c.Log, Spec: docs.Served(docs.PortalOpenAPI, c.URL)}

	// Events, search and emails import applications, whose changes they follow.
	service.OnChange = append(service.OnChange, h.notify.Record, h.search.OnChange)
	service.OnApplicant = append(service.OnApplicant, h.resume.OnApplicant, h.search.OnApplicant)
	// Decisions import the emails, whose results they record, and the applicant's pages, which quote them.
	h.applicants.RequestText = decided.RequestOf
	h.resume.OnSettled = decided.EmailSettled
	// The dashboard imports the users, whose pages it draws.
	h.staff.Show = h.review.ShowStaff

	service.Register(registry)
	h.resume.Register(registry)
	h.notify.Register(registry)
	h.deletion.Register(registry)
	h.search.Register(registry)
	h.staff.Register(registry)
	return h, nil
}

// printoutBrand returns the brand at the top of PDF files.
func printoutBrand(b *branding.Brand) printout.Brand {
	return printout.Brand{Name: cmp.Or(b.Page.Name, "Vestibule"), Logo: b.Print, Wordmark: b.Page.Logo != nil && b.Page.Logo.Wordmark}
}

// staffEmails configures the emails to reviewers; nil without a mail server.
func staffEmails(c Config, renderer *pageRenderer, queue *jobs.Queue) *staff.Emails {
	if c.Mail == nil {
		return nil
	}
	return &staff.Emails{Mail: c.Mail, Queue: queue, Language: renderer.language.Of, Moment: ui.MomentWords,
		HTML: ui.Email{Brand: cmp.Or(c.Brand.Page.Name, "Vestibule"), Light: c.Brand.Light, Dark: c.Brand.Dark}.WithLink}
}

// wireNotify creates the service that sends events to the onboarding app.
func wireNotify(c Config, service *applications.Service, queue *jobs.Queue) (*notify.Service, error) {
	sender := webhook.NewSender(c.Events.OnLoopback, nil, c.Events.Networks...)
	sender.Watch = c.Telemetry.Delivered
	out := notify.New(notify.Service{DB: c.DB, Queue: queue, Sender: sender, Applications: service, Environment: c.Environment,
		URL: c.Events.URL, Now: c.Now, Log: c.Log})
	var err error
	if out.Secrets, err = webhook.ParseSecrets(c.Events.Secrets); err != nil || c.Events.URL == "" {
		return out, err
	}
	if err := sender.CheckURL(c.Events.URL); err != nil {
		return nil, fmt.Errorf("portal: the address of events: %w", err)
	}
	if len(c.Events.Secrets) == 0 {
		return nil, errors.New("portal: there is an address of events and no secret to sign them")
	}
	return out, nil
}

func hostOf(address string) string {
	if u, err := url.Parse(address); err == nil {
		return u.Hostname()
	}
	return address
}
