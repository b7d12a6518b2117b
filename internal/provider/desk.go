package provider

import (
	"context"
	"database/sql"
	"errors"
	"strconv"
	"strings"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/provider/auth"
	"vestibule/internal/provider/customers"
	"vestibule/internal/provider/dashboard"
	"vestibule/internal/provider/redirects"
	"vestibule/internal/provider/reports"
	"vestibule/internal/provider/sharing"
	"vestibule/internal/provider/visits"
	"vestibule/internal/provider/webhooks"
	"vestibule/internal/store"
)

// newDesk is the dashboard, over the rooms of p.
func (p *Provider) newDesk() *dashboard.Service {
	return &dashboard.Service{DB: p.config.DB, Log: p.config.Log, Now: p.now, Today: p.config.Now, URL: p.config.URL, Assets: p.config.Assets, BehindProxy: p.config.BehindProxy,
		Accounts: deskAccounts{p.customers}, Credentials: deskCredentials{p.customers, p.now}, Hierarchy: deskHierarchy{p.customers},
		Webhooks: deskWebhooks{p.events}, Deliveries: deskDeliveries{p.events},
		Corrections: deskCorrections{p.reports},
		Reports:     deskReports{p.reports, p.visits, p.redirects, p.events, p.sharing, p.customers, p.now},
		Sharing:     deskSharing{p.sharing, p.customers, p.now}, Outbox: deskOutbox{p.invites}}
}

// deskAccounts tells the dashboard about the account.
type deskAccounts struct{ customers *customers.Service }

func deskAccount(a customers.Account) dashboard.Account {
	return dashboard.Account{ID: a.ID, PublicID: a.PublicID, ParentID: a.ParentID, Name: a.Name, DisplayName: a.DisplayName, Environment: a.Environment,
		ReturnMode: a.ReturnMode, RequireForm: a.RequireForm, Own: a.Own, Created: a.Created}
}

func (d deskAccounts) Account(ctx context.Context, q store.Queryer, customerID string) (dashboard.Account, error) {
	a, err := d.customers.ByID(ctx, q, customerID)
	if err != nil {
		return dashboard.Account{}, err
	}
	out := deskAccount(a)
	if out.Configurer, err = d.customers.Entitled(ctx, q, customerID, customers.Configurations); err == nil {
		out.Hierarchy, err = d.customers.Entitled(ctx, q, customerID, customers.Hierarchy)
	}
	return out, err
}

func (d deskAccounts) CompleteURLs(ctx context.Context, q store.Queryer, customerID string) ([]string, error) {
	return d.customers.OwnCompleteURLs(ctx, q, customerID)
}

func (d deskAccounts) EditCompleteURLs(ctx context.Context, tx *sql.Tx, customerID string, edit func([]string) ([]string, error)) error {
	err := d.customers.EditCompleteURLs(ctx, tx, customerID, edit)
	if errors.Is(err, customers.ErrCompleteURL) {
		err = dashboard.ErrCompleteURL
	}
	return err
}

func (d deskAccounts) WidgetOrigins(ctx context.Context, q store.Queryer, customerID string) ([]string, error) {
	return d.customers.OwnWidgetOrigins(ctx, q, customerID)
}

func (d deskAccounts) AddWidgetOrigin(ctx context.Context, tx *sql.Tx, customerID, origin string) (bool, error) {
	added, err := d.customers.AddWidgetOrigin(ctx, tx, customerID, origin)
	if errors.Is(err, customers.ErrWidgetOrigin) {
		err = dashboard.ErrWidgetOrigin
	}
	return added, err
}

func (d deskAccounts) RemoveWidgetOrigin(ctx context.Context, tx *sql.Tx, customerID, origin string) (bool, error) {
	return d.customers.RemoveWidgetOrigin(ctx, tx, customerID, origin)
}

func (d deskAccounts) SetReturn(ctx context.Context, tx *sql.Tx, customerID, mode string, requireForm bool) error {
	return d.customers.SetReturn(ctx, tx, customerID, mode, requireForm)
}

// deskCredentials tells the dashboard about secrets of the API.
type deskCredentials struct {
	customers *customers.Service
	now       func() time.Time
}

func (d deskCredentials) Credentials(ctx context.Context, q store.Queryer, customerID string) ([]dashboard.Credential, error) {
	all, err := d.customers.Credentials(ctx, q, customerID)
	var out []dashboard.Credential
	for _, c := range all {
		out = append(out, dashboard.Credential{ID: c.ID, ClientID: c.ClientID, Created: c.Created, Expires: c.Expires, Revoked: c.Revoked, Live: c.Live(d.now())})
	}
	return out, err
}

func (d deskCredentials) Issue(ctx context.Context, tx *sql.Tx, customerID string) (dashboard.Issued, error) {
	made, err := d.customers.IssueCredential(ctx, tx, customerID)
	return dashboard.Issued{ClientID: made.ClientID, SecretKey: made.SecretKey}, err
}

func (d deskCredentials) Rotate(ctx context.Context, tx *sql.Tx, customerID, id string) (dashboard.Issued, error) {
	made, err := d.customers.RotateCredential(ctx, tx, customerID, id)
	if errors.Is(err, customers.ErrOverlap) {
		err = dashboard.ErrOverlap
	}
	return dashboard.Issued{ClientID: made.ClientID, SecretKey: made.SecretKey}, err
}

func (d deskCredentials) Revoke(ctx context.Context, tx *sql.Tx, customerID, id string) error {
	return d.customers.RevokeCredential(ctx, tx, customerID, id)
}

// deskWebhooks tells the dashboard about the callback.
type deskWebhooks struct{ events *webhooks.Service }

func (d deskWebhooks) Callback(ctx context.Context, q store.Queryer, customerID string) (dashboard.Callback, error) {
	c, err := d.events.Callback(ctx, q, customerID)
	out := dashboard.Callback{URL: c.URL, Disabled: c.Disabled, Statuses: c.Statuses}
	for _, g := range c.Signers {
		out.Signers = append(out.Signers, dashboard.Signer(g))
	}
	return out, err
}

func (d deskWebhooks) Direct(ctx context.Context, tx *sql.Tx, customerID, url string) (string, error) {
	return d.events.Direct(ctx, tx, customerID, url)
}

func (d deskWebhooks) Switch(ctx context.Context, tx *sql.Tx, customerID string, on bool) (bool, error) {
	return d.events.Switch(ctx, tx, customerID, on)
}

func (d deskWebhooks) Subscribe(ctx context.Context, tx *sql.Tx, customerID string, statuses []contract.Status) error {
	return d.events.Subscribe(ctx, tx, customerID, statuses)
}

func (d deskWebhooks) Rotate(ctx context.Context, tx *sql.Tx, customerID, secretID string) (string, bool, error) {
	return d.events.Rotate(ctx, tx, customerID, secretID)
}

func (d deskWebhooks) CheckURL(url string) error { return d.events.CheckURL(url) }

func (d deskWebhooks) Subscribable() []contract.Status { return webhooks.Subscribable() }

// deskDeliveries tells the dashboard what became of events.
type deskDeliveries struct{ events *webhooks.Service }

func deskDelivery(x webhooks.Delivery) dashboard.Delivery {
	out := dashboard.Delivery{ID: x.ID, EventID: x.EventID, PublicToken: x.PublicToken, Status: x.Status, Substatus: x.Substatus, Happened: x.Happened,
		State: x.State, Tries: x.Tries, HTTP: x.HTTP, Created: x.Created, Resends: x.Resends, Body: x.Body, Shredded: x.Shredded}
	for _, a := range x.Attempts {
		out.Attempts = append(out.Attempts, dashboard.Attempt{At: a.At, HTTP: a.HTTP, Took: a.Took, Error: string(a.Error)})
	}
	return out
}

func (d deskDeliveries) Deliveries(ctx context.Context, q store.Queryer, customerID string, f dashboard.DeliveryFilter) ([]dashboard.Delivery, error) {
	filter := webhooks.Filter{State: f.State, PublicToken: f.PublicToken, Limit: f.Limit}
	if !f.Before.At.IsZero() {
		filter.Before, filter.BeforeID = store.Micros(f.Before.At), f.Before.ID
	}
	all, err := d.events.Deliveries(ctx, q, customerID, filter)
	var out []dashboard.Delivery
	for _, x := range all {
		out = append(out, deskDelivery(x))
	}
	return out, err
}

func (d deskDeliveries) Delivery(ctx context.Context, q store.Queryer, customerID, id string) (dashboard.Delivery, error) {
	x, err := d.events.Delivery(ctx, q, customerID, id)
	return deskDelivery(x), err
}

func (d deskDeliveries) Redeliver(ctx context.Context, tx *sql.Tx, customerID, id string, resends int64) (string, error) {
	made, err := d.events.Redeliver(ctx, tx, customerID, id, resends)
	switch {
	case errors.Is(err, webhooks.ErrOnItsWay):
		err = dashboard.ErrOnItsWay
	case errors.Is(err, webhooks.ErrNoCallback):
		err = dashboard.ErrNoCallback
	}
	return made, err
}

func (d deskDeliveries) Counts(ctx context.Context, q store.Queryer, customerID string, since time.Time) (map[string]int, error) {
	return d.events.DeliveryCounts(ctx, q, customerID, since)
}

// deskReports tells the dashboard about reports, their visits and what happened.
type deskReports struct {
	reports   *reports.Service
	visits    *visits.Service
	redirects *redirects.Service
	events    *webhooks.Service
	sharing   *sharing.Service
	customers *customers.Service
	now       func() time.Time
}

func deskReport(r reports.Report) dashboard.Report {
	return dashboard.Report{PublicToken: r.PublicToken, ProductID: r.ProductID, Kind: r.Kind, ExternalID: r.ExternalID,
		Status: r.Status, Substatus: r.Substatus, Created: r.Created, Retrieved: r.Retrieved, Forgotten: r.Forgotten}
}

func (d deskReports) Reports(ctx context.Context, q store.Queryer, customerID string, f dashboard.ReportFilter) ([]dashboard.Report, error) {
	all, err := d.reports.List(ctx, q, customerID, reports.Filter{Status: f.Status, Named: f.Named, Before: f.Before.At, Token: f.Before.ID, Limit: f.Limit})
	var out []dashboard.Report
	for _, r := range all {
		out = append(out, deskReport(r))
	}
	return out, err
}

func (d deskReports) Report(ctx context.Context, q store.Queryer, customerID, publicToken string) (dashboard.Report, error) {
	r, err := d.reports.Get(ctx, q, publicToken)
	if err == nil && r.CustomerID != customerID {
		err = store.ErrNotFound
	}
	if err != nil {
		return dashboard.Report{}, err
	}
	out := deskReport(r)
	out.Revisable = d.reports.Revisable(r)
	return out, nil
}

func (d deskReports) Counts(ctx context.Context, q store.Queryer, customerID string, since time.Time) (map[contract.Status]int, error) {
	return d.reports.Counts(ctx, q, customerID, since)
}

// History gathers what the rooms know of a report, each in its own order.
func (d deskReports) History(ctx context.Context, q store.Queryer, customerID, publicToken string) (*dashboard.Visit, []dashboard.Moment, error) {
	visit, out, err := d.visit(ctx, q, publicToken)
	if err != nil {
		return nil, nil, err
	}
	changes, err := d.events.Changes(ctx, q, customerID, publicToken)
	if err != nil {
		return nil, nil, err
	}
	for _, c := range changes {
		out = append(out, dashboard.Moment{At: c.At, Kind: "status", Text: strings.TrimSuffix(string(c.Status)+" · "+string(c.Substatus), " · ")})
	}
	corrected, err := d.reports.Revised(ctx, q, publicToken)
	if err != nil {
		return nil, nil, err
	}
	for i, at := range corrected {
		out = append(out, dashboard.Moment{At: at, Kind: "corrected", Text: strconv.Itoa(i + 1)})
	}
	withdrawn, err := d.sharing.Withdrawn(ctx, q, publicToken)
	if err != nil {
		return nil, nil, err
	}
	if !withdrawn.IsZero() {
		out = append(out, dashboard.Moment{At: withdrawn, Kind: "consent"})
	}
	shares, err := d.sharing.Shares(ctx, q, customerID, publicToken)
	if err != nil {
		return nil, nil, err
	}
	for _, s := range shares {
		a, err := d.customers.ByID(ctx, q, s.ThirdPartyID)
		if err != nil {
			return nil, nil, err
		}
		happened := func(at time.Time, kind string) {
			if !at.IsZero() {
				out = append(out, dashboard.Moment{At: at, Kind: kind, Text: a.PublicID})
			}
		}
		happened(s.Created, "relay made")
		happened(s.Read, "relay read")
		happened(s.Revoked, "relay revoked")
		if s.State(d.now()) == sharing.Expired {
			happened(s.Expires, "relay expired")
		}
	}
	return visit, out, nil
}

func (d deskReports) visit(ctx context.Context, q store.Queryer, publicToken string) (*dashboard.Visit, []dashboard.Moment, error) {
	v, err := d.visits.Summary(ctx, q, publicToken)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil, nil // it was submitted
	}
	if err != nil {
		return nil, nil, err
	}
	out := &dashboard.Visit{State: string(v.State), Step: string(v.Step), Expires: v.Expires, Ended: v.Ended}
	lines, err := d.visits.Timeline(ctx, q, publicToken)
	if err != nil {
		return nil, nil, err
	}
	var moments []dashboard.Moment
	for _, l := range lines {
		moments = append(moments, dashboard.Moment{At: l.At, Kind: "visit " + l.Kind})
	}
	way, err := d.redirects.Made(ctx, q, v.ID)
	if errors.Is(err, store.ErrNotFound) {
		return out, moments, nil
	}
	out.Redirect, out.FormOnly = true, way.FormOnly
	return out, append(moments, dashboard.Moment{At: way.At, Kind: "redirect"}), err
}

// deskSharing tells the dashboard about relay tokens.
type deskSharing struct {
	sharing   *sharing.Service
	customers *customers.Service
	now       func() time.Time
}

func (d deskSharing) Shares(ctx context.Context, q store.Queryer, customerID string, received bool, before dashboard.Cursor, limit int) ([]dashboard.Share, error) {
	all, err := d.sharing.Granted(ctx, q, customerID, received, before.At, before.ID, limit)
	if err != nil {
		return nil, err
	}
	var out []dashboard.Share
	for _, s := range all {
		x := dashboard.Share{RelayToken: s.RelayToken, PublicToken: s.PublicToken, State: string(s.State(d.now())),
			Created: s.Created, Expires: s.Expires, Read: s.Read, Revoked: s.Revoked}
		with := s.ThirdPartyID
		if received {
			with, x.PublicToken = s.CustomerID, ""
		}
		a, err := d.customers.ByID(ctx, q, with)
		if err != nil {
			return nil, err
		}
		x.With, x.WithName = a.PublicID, a.Shown()
		out = append(out, x)
	}
	return out, nil
}

func (d deskSharing) Share(ctx context.Context, tx *sql.Tx, customerID, publicToken, publicID string) (string, error) {
	a, err := d.customers.ByID(ctx, tx, customerID)
	if err != nil {
		return "", err
	}
	caller := auth.Caller{CustomerID: a.ID, PublicID: a.PublicID, ParentID: a.ParentID, Environment: a.Environment}
	return d.sharing.Grant(ctx, tx, caller, publicToken, publicID)
}

func (d deskSharing) Withdraw(ctx context.Context, tx *sql.Tx, customerID, relayToken string) (bool, error) {
	return d.sharing.Withdraw(ctx, tx, customerID, relayToken)
}

// deskHierarchy tells the dashboard about children, products and configurations.
type deskHierarchy struct{ customers *customers.Service }

func (d deskHierarchy) Children(ctx context.Context, q store.Queryer, parentID string) ([]dashboard.Account, error) {
	all, err := d.customers.Children(ctx, q, parentID)
	var out []dashboard.Account
	for _, a := range all {
		out = append(out, deskAccount(a))
	}
	return out, err
}

func (d deskHierarchy) Child(ctx context.Context, q store.Queryer, parentID, publicID string) (dashboard.Account, error) {
	a, err := d.customers.Child(ctx, q, parentID, publicID)
	return deskAccount(a), err
}

func (d deskHierarchy) AddChild(ctx context.Context, tx *sql.Tx, parentID, name, displayName string) (string, error) {
	a, added, err := d.customers.AddAccount(ctx, tx, parentID, customers.Names{Name: name, DisplayName: displayName})
	return a.PublicID, unlessAdded(added, err)
}

// unlessAdded is the error of what was found under the name in place of being made.
func unlessAdded(added bool, err error) error {
	if err == nil && !added {
		return dashboard.ErrTaken
	}
	return err
}

func (d deskHierarchy) Products(ctx context.Context, q store.Queryer, customerID string) ([]dashboard.Product, error) {
	all, err := d.customers.Products(ctx, q, customerID)
	var out []dashboard.Product
	for _, p := range all {
		out = append(out, dashboard.Product{ID: p.ID, Name: p.Name, DisplayName: p.DisplayName, Kind: p.Kind, InquiryType: p.InquiryType,
			Configuration: deskConfiguration(p.Configuration), Inherited: p.Inherited})
	}
	return out, err
}

func deskConfiguration(c customers.Configuration) dashboard.Configuration {
	return dashboard.Configuration{ID: c.ID, Alias: c.Alias, Kind: c.Kind, InquiryType: c.InquiryType,
		DeprecatedAttributes: c.DeprecatedAttributes, ScoreV1: c.ScoreV1, ScoreV21: c.ScoreV21, IncomeModelSuite: c.IncomeModelSuite, IncomeInflows: c.IncomeInflows, Workflow: c.EligibilityKind}
}

func (d deskHierarchy) AddProduct(ctx context.Context, tx *sql.Tx, customerID, name, displayName string) (string, error) {
	p, added, err := d.customers.AddProduct(ctx, tx, customerID, customers.Names{Name: name, DisplayName: displayName})
	return p.ID, unlessAdded(added, err)
}

func (d deskHierarchy) Configurations(ctx context.Context, q store.Queryer, parentID string) ([]dashboard.Configuration, error) {
	all, err := d.customers.Configurations(ctx, q, parentID)
	var out []dashboard.Configuration
	for _, c := range all {
		out = append(out, deskConfiguration(c))
	}
	return out, err
}

func (d deskHierarchy) Assign(ctx context.Context, tx *sql.Tx, parentID string, account bool, id, configurationID string) error {
	to := customers.Target{Type: customers.TargetProduct, ID: id}
	if account {
		to.Type = customers.TargetAccount
	}
	return d.customers.Assign(ctx, tx, parentID, to, configurationID)
}

func (d deskHierarchy) NameProblem(name string) string { return customers.NameProblem(name) }
