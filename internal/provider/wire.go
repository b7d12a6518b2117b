package provider

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/provider/access"
	"vestibule/internal/provider/auth"
	"vestibule/internal/provider/bankaccounts"
	"vestibule/internal/provider/customers"
	"vestibule/internal/provider/dashboard"
	"vestibule/internal/provider/disputes"
	"vestibule/internal/provider/documents"
	"vestibule/internal/provider/freeze"
	"vestibule/internal/provider/invites"
	"vestibule/internal/provider/operator"
	"vestibule/internal/provider/outbox"
	"vestibule/internal/provider/redirects"
	"vestibule/internal/provider/reports"
	"vestibule/internal/provider/sharing"
	"vestibule/internal/provider/sources"
	"vestibule/internal/provider/submissions"
	"vestibule/internal/provider/visits"
	"vestibule/internal/provider/webhooks"
	"vestibule/internal/webhook"

	"vestibule/internal/store"
	providerui "vestibule/templates/provider"
)

// wire builds the packages from the bottom up. Functions of higher packages that lower
// ones call are set when both exist.
func (p *Provider) wire() {
	c := p.config
	p.keys = &auth.Keys{DB: c.DB, Now: p.now, TimeOfDay: c.Now}
	p.auth = &auth.Authenticator{DB: c.DB, Keys: p.keys, Log: c.Log, Now: p.now, Default: c.Environment}
	if p.sandbox == nil {
		p.auth.Only = contract.Production
	}
	p.customers = &customers.Service{DB: c.DB, Log: c.Log, Now: p.now, Auth: p.auth, Mailboxes: p.mailboxes}
	p.documents = &documents.Service{DB: c.DB}
	p.connections = &sources.Service{DB: c.DB, Queue: p.queue, Log: c.Log, Now: p.now, RedirectURI: c.URL + visits.CallbackPath,
		Customers: p.customers, Catalogue: func(env contract.Environment) sources.Catalogue { return p.catalogues[env] }}
	p.freeze = &freeze.Service{DB: c.DB, Now: p.now}
	p.reports = &reports.Service{DB: c.DB, Queue: p.queue, Auth: p.auth, Log: c.Log,
		Now: p.now, Customers: p.customers, Documents: p.documents, Sources: p.connections, Freeze: p.freeze, Scanner: c.Scanner,
		Watch: c.Telemetry.ReportFinished}
	p.webhooks = webhooks.New(webhooks.Service{DB: c.DB, Queue: p.queue, Log: c.Log, Now: p.now, Sender: p.sender(), Reports: p.reports,
		Customers: p.customers})
	p.sharing = &sharing.Service{DB: c.DB, Log: c.Log, Now: p.now, Auth: p.auth,
		Customers: p.customers, Reports: p.reports, Webhooks: p.webhooks}
	p.bankaccounts = &bankaccounts.Service{DB: c.DB, Log: c.Log, Now: p.now, Auth: p.auth, Customers: p.customers, Reports: p.reports,
		Sources: p.connections}
	limit := func(perMinute int) *httpx.RateLimit {
		return &httpx.RateLimit{PerMinute: perMinute, BehindProxy: c.BehindProxy, Now: c.Now,
			ExemptLoopback: httpx.ExemptLoopback(c.Environment, c.URL, c.BehindProxy)}
	}
	p.visits = &visits.Service{DB: c.DB, Log: c.Log, Now: p.now, Assets: c.Assets, Auth: p.auth,
		Customers: p.customers, Reports: p.reports, Documents: p.documents, Sources: p.connections,
		Secure:        strings.HasPrefix(c.URL, "https:"),
		HasAccessPage: c.Mail != nil || c.Environment == contract.Sandbox, // a sandbox names the command that prints a link
		Operator: providerui.Operator{Name: cmp.Or(c.Operator.ServiceName, "Plainview Verification"), Terms: c.Operator.TermsURL,
			Privacy: c.Operator.PrivacyURL},
		LimitByAddress: limit(c.Limits.WidgetRate), LimitByAccount: limit(c.Limits.WidgetAccountRate),
		MaxUploadBytes: int64(c.Limits.WidgetFiles) << 20, Mailboxes: p.mailboxes, BehindProxy: c.BehindProxy}
	p.redirects = &redirects.Service{DB: c.DB, Log: c.Log, Now: p.now, URL: c.URL, Auth: p.auth, Keys: p.keys,
		Customers: p.customers, Visits: p.visits}
	p.outbox = &outbox.Service{DB: c.DB, Queue: p.queue, Mail: c.Mail, Now: p.now}
	p.invites = &invites.Service{DB: c.DB, Log: c.Log, Now: p.now, URL: c.URL, Auth: p.auth,
		Customers: p.customers, Reports: p.reports, Visits: p.visits, Outbox: p.outbox, Mailboxes: p.mailboxes}
	p.submissions = &submissions.Service{DB: c.DB, Log: c.Log, Now: p.now, Auth: p.auth, Customers: p.customers, Reports: p.reports,
		Mailboxes: p.mailboxes}
	p.disputes = &disputes.Service{DB: c.DB, Queue: p.queue, Now: p.now, URL: c.URL, Page: access.Path + "/disputes",
		Brand: p.visits.Operator.Name, Mailboxes: p.mailboxes, Customers: p.customers, Reports: p.reports, Outbox: p.outbox}
	p.dashboard = &dashboard.Service{Pages: dashboard.Pages{DB: c.DB, Log: c.Log, Now: p.now, Today: c.Now, URL: c.URL, Assets: c.Assets,
		Site: p.visits.Operator.Name, BehindProxy: c.BehindProxy, NeedFactor: c.RequireSecondFactor},
		Customers: p.customers, Reports: p.reports, Webhooks: p.webhooks, Sharing: p.sharing, Visits: p.visits, Redirects: p.redirects,
		Outbox: p.outbox, Disputes: p.disputes, Mail: c.Mail, Queue: p.queue, Crashed: p.queue.Crashed}
	p.operator = &operator.Service{Pages: dashboard.Pages{DB: c.DB, Log: c.Log, Now: p.now, Today: c.Now, URL: cmp.Or(c.OperatorURL, c.URL),
		Assets: c.Assets, Site: p.visits.Operator.Name, BehindProxy: c.BehindProxy}, Environment: c.Environment, Customers: p.customers,
		Dashboard: p.dashboard, Queue: p.queue, Outbox: p.outbox, Sources: c.Examine}
	p.access = &access.Service{DB: c.DB, Queue: p.queue, Now: p.now, URL: c.URL, Sandbox: c.Environment == contract.Sandbox,
		Secure: p.visits.Secure, BehindProxy: c.BehindProxy, Mailboxes: p.mailboxes, Customers: p.customers, Sharing: p.sharing,
		Sources: p.connections, Accounts: p.bankaccounts, Visits: p.visits, Reports: p.reports, Freeze: p.freeze, Outbox: p.outbox,
		Disputes: p.disputes,
		NoEmail:  !p.visits.HasAccessPage, ClosesReports: c.Operator.ConsumersCloseReports, Record: p.dashboard.RecordConsumer,
		Reference: p.dashboard.Reference}
	p.dashboard.ConsumerLink = p.access.CompanyLink

	// Package customers imports auth, which reads its credentials.
	p.auth.Directory = p.customers
	// Visits and sources import customers, whose consumers they serve until they withdraw.
	p.customers.Withdrawn = p.consentWithdrawn
	// Webhooks, sharing, bank accounts, and visits import reports, whose changes they follow.
	p.reports.OnChange, p.reports.OnFinished, p.reports.Connect, p.reports.Shared = p.statusChanged,
		p.reportFinished, p.bankaccounts.Connect, p.sharing
	// Sharing imports webhooks, which find shared reports by its tokens.
	p.webhooks.Shared = p.sharing.Shared
	// Redirects and invites import visits, which they begin.
	p.visits.Redirects, p.visits.VisitOfInvite = p.redirects, p.invites.Visit

	// The sandbox imports the packages that it simulates for, and its institutions need them.
	all := c.Connectors
	if p.sandbox != nil {
		more := p.sandbox.Sources(p.services())
		all = slices.Concat(all, more.Connectors)
		p.visits.Sandbox, p.reports.Sandbox, p.submissions.Sandbox = more.Visits, more.Reports, more.Submissions
		p.customers.Prepared = more.Prepared
	}
	p.catalogues = map[contract.Environment]sources.Catalogue{c.Environment: sources.NewCatalogue(all...)}
}

// sender returns the sender of webhooks. It signs with the real time, because the
// receiver's clock does not move with the sandbox's.
func (p *Provider) sender() webhook.Deliverer {
	s := webhook.NewSender(p.config.AllowLoopbackCallbacks && p.config.Environment == contract.Sandbox, p.config.Now,
		p.config.WebhookNetworks...)
	s.Watch = p.config.Telemetry.Delivered
	if p.sandbox != nil {
		return p.sandbox.Sender(s)
	}
	return s
}

// statusChanged notifies the owner of a report and the accounts that it is shared
// with.
func (p *Provider) statusChanged(ctx context.Context, tx *store.Tx, c reports.StatusChange) error {
	if err := p.webhooks.Record(ctx, tx, c); err != nil {
		return err
	}
	return p.sharing.StatusChanged(ctx, tx, c)
}

// consentWithdrawn ends a consumer's visits and access to institutions.
func (p *Provider) consentWithdrawn(ctx context.Context, tx *store.Tx, consumerID string) error {
	if err := p.visits.ConsentWithdrawn(ctx, tx, consumerID); err != nil {
		return err
	}
	return p.connections.ConsentWithdrawn(ctx, tx, consumerID)
}

// reportFinished ends the visit of a report. It also ends the report's access to
// institutions, unless that is kept for refreshed reports.
func (p *Provider) reportFinished(ctx context.Context, tx *store.Tx, publicToken string,
	status contract.Status, sub contract.Substatus) error {
	if err := p.visits.ReportFinished(ctx, tx, publicToken, status, sub); err != nil {
		return err
	}
	return p.connections.ReportFinished(ctx, tx, publicToken, status == contract.StatusSuccess)
}

func (p *Provider) services() Services {
	return Services{DB: p.config.DB, Log: p.config.Log, Keys: p.keys, Customers: p.customers, Reports: p.reports, Webhooks: p.webhooks,
		Visits: p.visits, Sharing: p.sharing, BankAccounts: p.bankaccounts, Disputes: p.disputes}
}
