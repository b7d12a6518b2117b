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

// wiring holds what the steps of wire have built.
type wiring struct {
	Config
	handlers
	renderer *pageRenderer
	registry *jobs.Registry
	client   *svcapi.Client
	service  *applications.Service
}

// wire creates the handlers from the bottom up. Functions of higher packages that lower
// ones call are set when both exist.
func wire(ctx context.Context, c Config, renderer *pageRenderer) (handlers, error) {
	w := &wiring{Config: c, renderer: renderer, registry: jobs.NewRegistry()}
	for _, step := range []func(context.Context) error{w.openQueue, w.serveApplicants, w.serveStaff} {
		if err := step(ctx); err != nil {
			return handlers{}, err
		}
	}
	w.api = &api.API{DB: c.DB, Applications: w.service, Events: w.notify, Kit: w.kit, Key: c.API.Key, Rate: c.API.Rate, URL: c.URL,
		PDF: w.review.ReportPDF, Now: c.Now, Log: c.Log, Spec: docs.Served(docs.PortalOpenAPI, c.URL)}

	// Events, search and emails import applications, whose changes they follow.
	w.service.OnChange = append(w.service.OnChange, w.notify.Record, w.search.OnChange)
	w.service.OnApplicant = append(w.service.OnApplicant, w.resume.OnApplicant, w.search.OnApplicant)
	// Decisions import the emails, whose results they record, and the applicant's pages, which quote them.
	w.applicants.RequestText = w.review.Decisions.RequestOf
	w.resume.OnSettled = w.review.Decisions.EmailSettled
	// The dashboard imports the users, whose pages it draws.
	w.staff.Show = w.review.ShowStaff

	for _, p := range []interface{ Register(*jobs.Registry) }{w.service, w.resume, w.notify, w.deletion, w.search, w.staff} {
		p.Register(w.registry)
	}
	return w.handlers, nil
}

// openQueue opens the sessions and the jobs, and creates the provider's client.
func (w *wiring) openQueue(ctx context.Context) error {
	profile, err := w.Account.Profile()
	if err != nil {
		return fmt.Errorf("portal: the provider's profile: %w", err)
	}
	w.client = &svcapi.Client{BaseURL: w.ProviderURL, ClientID: w.Account.ClientID, SecretKey: w.Account.SecretKey,
		Environment: w.Environment, Profile: profile, Now: w.Now, Log: w.Log, Watch: w.Telemetry.Call}
	for _, address := range []string{w.ProviderURL, w.address(svcapi.AddressWidgetScript)} {
		if _, ok := httpx.ParseURL(address); !ok {
			return errors.New("portal: the address of the provider or of its widget script is not a URL")
		}
	}
	// Lax, because the service links back here. Its cross-site POST arrives without
	// the cookie, which the redirect handler expects.
	w.sessions, err = session.New(ctx, w.DB, w.Now, session.Settings{Name: "vestibule", Secure: w.renderer.language.Secure,
		SameSite: http.SameSiteLaxMode})
	if err != nil {
		return fmt.Errorf("portal: sessions: %w", err)
	}
	if w.queue, err = jobs.NewQueue(ctx, w.DB, w.registry, w.Log, w.Now); err != nil {
		return err
	}
	w.queue.DisableWorkers = w.DisableWorkers
	if w.Telemetry != nil {
		w.queue.Watch(w.Telemetry)
		w.Telemetry.Database(w.DB.SQL, w.DB.Commits())
		w.Telemetry.Queue(w.queue.Waiting)
	}
	return nil
}

// address returns an address of the provider.
func (w *wiring) address(of svcapi.Address) string { return w.client.Profile.At(w.ProviderURL, of) }

// limit returns a limit of requests by a client address and process.
func (w *wiring) limit(perMinute int) *httpx.RateLimit {
	return &httpx.RateLimit{PerMinute: perMinute, BehindProxy: w.BehindProxy,
		ExemptLoopback: httpx.ExemptLoopback(w.Environment, w.URL, w.BehindProxy), Now: w.Now}
}

// serveApplicants creates the applications, their events, and the applicants' pages.
func (w *wiring) serveApplicants(ctx context.Context) (err error) {
	profile := w.client.Profile
	receiver := &webhook.Receiver{Now: time.Now, Headers: profile.WebhookHeaders}
	if receiver.Secrets, err = webhook.ParseSecrets(w.Account.WebhookSecrets); err != nil {
		return err
	}
	w.service = &applications.Service{DB: w.DB, Queue: w.queue, Provider: w.client,
		Products: w.Account.Products, AssetsOnly: w.Account.AssetsOnly,
		Environment: w.Environment, FetchEarly: !w.DisableWorkers, RevisionCheck: profile.RevisionCheck, Now: w.Now, Log: w.Log,
		FormTargets: profile.PageOrigins(w.ProviderURL), NotifiedDecisions: w.Review.Pages()}
	w.kit = &embedkit.Kit{DB: w.DB, Now: w.Now, Base: w.renderer.base, Adapt: w.renderer.adapt, Assets: w.Assets}
	w.applicants = &applicant.Handler{Service: w.service, Sessions: w.sessions, Webhooks: receiver, Kit: w.kit,
		PublicID: w.Account.PublicID, Limit: w.limit(w.Pages.ApplyRate), Mode: w.Pages.mode(), RetentionDays: w.Review.RetentionDays,
		Secure: w.renderer.language.Secure, ResumeByEmail: w.renderer.resumeByEmail, Base: w.renderer.base, Adapt: w.renderer.adapt}
	if w.notify, err = wireNotify(w.Config, w.service, w.queue); err != nil {
		return err
	}
	w.resume = &resume.Handler{DB: w.DB, Applicants: w.applicants, Queue: w.queue, Mail: w.Mail, URL: w.URL, Brand: w.Brand.Page.Name,
		Light: w.Brand.Light, Dark: w.Brand.Dark, Environment: w.Environment, BehindProxy: w.BehindProxy, Now: w.Now, Log: w.Log}
	if err := w.resume.Open(ctx); err != nil {
		return fmt.Errorf("portal: %w", err)
	}
	w.redirect = &redirect.Handler{DB: w.DB, Service: w.client, Sessions: w.sessions, Telemetry: w.Telemetry, Log: w.Log,
		Tokens: redirect.NewVerifier(&jose.RemoteKeySet{URL: w.address(svcapi.AddressKeySet), Algs: profile.Result.Algorithms,
			Now: w.Now, Log: w.Log, Watch: w.Telemetry.KeysFetched}, profile.Result, w.Now), Form: profile.Result,
		CompleteURL: redirect.CompleteURL(w.URL, profile.Result, w.Account.ReturnMode == "post"), Audience: w.Account.PublicID,
		Issuer: cmp.Or(profile.Result.Issuer, w.ProviderURL), OnStarted: w.service.RedirectStarted, OnOutcome: w.service.RedirectOutcome,
		StatusURL: applicant.StatusURL, ShowNotice: w.renderer.returnNotice}
	w.connect = &connect.Handler{Applicants: w.applicants, Service: w.client, Redirects: w.redirect,
		ScriptURL: w.address(svcapi.AddressWidgetScript), Global: profile.WidgetGlobal, Policy: profile.Policy(w.ProviderURL),
		RedirectTokenField: profile.RedirectTokenField, Now: w.Now, Log: w.Log}
	if w.Environment == contract.Sandbox {
		w.developers = &developers.Handler{Applicants: w.applicants, Kit: w.kit, Events: w.notify, URL: w.URL, ProviderURL: w.ProviderURL,
			Profile: profile}
		w.redirect.Verified = w.developers.Verified
	}
	return nil
}

// serveStaff creates the staff's users and the review dashboard.
func (w *wiring) serveStaff(ctx context.Context) (err error) {
	w.staff, err = staff.New(ctx, staff.Config{AuditSignIns: true, DB: w.DB, Sessions: w.sessions, Now: w.Now, Log: w.Log, URL: w.URL,
		Home: "/review", KnownCookie: "vestibule-known", BehindProxy: w.BehindProxy, NoPasswords: !w.SignIn.LocalAccounts,
		NeedFactor: w.SignIn.RequireSecondFactor, Site: cmp.Or(w.Brand.Page.Name, "Vestibule"),
		Emails: staffEmails(w.Config, w.renderer, w.queue),
		OIDC:   w.SignIn.Issuer(), OIDCStarts: w.limit(signInStarts), Roles: review.RolesByPrivilege})
	if err != nil {
		return err
	}
	w.search = &search.Index{DB: w.DB, Applications: w.service, Queue: w.queue, Now: w.Now, Summarize: review.Summarize(w.service)}
	if err := w.search.Prepare(ctx); err != nil {
		return err
	}
	shares := &sharing.Service{DB: w.DB, Staff: w.staff, Applications: w.service, Provider: w.client, Log: w.Log}
	w.deletion = &deletion.Service{DB: w.DB, Staff: w.staff, Applications: w.service, Sharing: shares, Provider: w.client, Queue: w.queue,
		RetentionDays: w.Review.RetentionDays, IncompleteDays: w.Review.IncompleteDays, UnstartedHours: w.Review.UnstartedHours,
		Now: w.Now, Log: w.Log,
		Erase: []func(context.Context, *store.Tx, string) error{w.service.Delete, embedkit.Forget, api.Forget, w.redirect.Forget,
			w.notify.Outbox.Forget, resume.Forget, developers.Forget, w.queue.Forget, decisions.Forget, sharing.Forget, search.Forget}}
	decided := &decisions.Service{DB: w.DB, Staff: w.staff, Applications: w.service, Letters: w.resume, URL: w.URL,
		Agency: w.Review.Agency, Host: hostOf(w.ProviderURL), Regulator: w.Review.Regulator,
		Creditor: w.Review.Creditor, Brand: w.Brand.Page.Name, Emails: w.Review.Emails(), Now: w.Now}
	w.review = &review.Handler{DB: w.DB, Staff: w.staff, Applications: w.service, Letters: w.resume, Events: w.notify,
		Index: w.search, Sharing: shares, Decisions: decided, Deletion: w.deletion,
		Audit: &audit.Service{DB: w.DB, Staff: w.staff, Log: w.Log}, PageImages: pageimage.New(w.Review.PageImages != "off"),
		Brand: printout.Brand{Name: cmp.Or(w.Brand.Page.Name, "Vestibule"), Logo: w.Brand.Print,
			Wordmark: w.Brand.Page.Logo != nil && w.Brand.Page.Logo.Wordmark},
		URL: w.URL, Log: w.Log, Page: w.renderer.page, Adapt: w.renderer.adapt}
	return nil
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
