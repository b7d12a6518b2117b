package dashboard

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"vestibule/internal/console"
	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/mail"
	"vestibule/internal/provider/access"
	"vestibule/internal/provider/customers"
	"vestibule/internal/provider/disputes"
	"vestibule/internal/provider/reports"
	"vestibule/internal/provider/sharing"
	"vestibule/internal/provider/visits"
	"vestibule/internal/provider/visits/flow"
	"vestibule/internal/provider/webhooks"
	"vestibule/internal/store"
	"vestibule/internal/webhook"
	providerui "vestibule/templates/provider"
	"vestibule/templates/ui"
)

// reports lists reports. Status "failed" selects those that ended without data.
func (s *Service) reports(ctx context.Context, r *http.Request, by user, d providerui.Dashboard) (templ.Component, error) {
	q := selectionParams(r, "account", "status", "substatus", "product", "reached", "stopped", "institution", "from", "to", "sort")
	f, err := s.reportFilter(q, by.Zone)
	if err != nil {
		return nil, err
	}
	children, err := s.childrenOf(ctx, s.DB.SQL, by)
	if err != nil {
		return nil, err
	}
	owner := by.account.ID
	switch id := q.Get("account"); {
	case id == allAccounts:
		f.Children = true
	case id != "":
		i := slices.IndexFunc(children, func(a customers.Account) bool { return a.PublicID == id })
		if i < 0 {
			return nil, unknown("child account")
		}
		owner = children[i].ID
	}
	all, err := s.Reports.List(ctx, s.DB.SQL, owner, f)
	if err != nil {
		return nil, err
	}
	v := s.reportList(by, q, all, children)
	if n := len(all); n > 0 {
		last := store.Cursor{At: all[n-1].Created, ID: s.Reference(all[n-1].PublicToken)}.String()
		if f.Sort == reports.ByStatus {
			last = string(all[n-1].Status) + "." + last
		}
		v.List.Pager = pager(q, "/dashboard/reports", n == pageSize, last)
	}
	return providerui.DashboardReportsPage(d, v), nil
}

func (s *Service) reportFilter(q url.Values, zone *time.Location) (f reports.Filter, err error) {
	f = reports.Filter{Status: contract.Status(q.Get("status")), Substatus: contract.Substatus(q.Get("substatus")),
		Kind: contract.Product(q.Get("product")), Sort: reports.Sort(q.Get("sort")), Limit: pageSize}
	if f.Status == failed {
		f.Status, f.Failed = "", true
	}
	after := q.Get("after")
	if f.Sort == reports.ByStatus && after != "" {
		status, rest, _ := strings.Cut(after, ".")
		f.After, after = contract.Status(status), rest
	}
	var err2, err3 error
	f.Before, err = store.ParseCursor(after)
	f.From, f.To, err2 = console.ParseDays(q, zone)
	visit := visits.Selection{Visited: q.Has("reached"), Stopped: q.Has("stopped") || q.Has("institution"),
		Step: flow.Step(q.Get("stopped")), Institution: q.Get("institution")}
	if visit.Visited {
		var n int
		n, err3 = strconv.Atoi(q.Get("reached"))
		visit.Reached = visits.Reached(n)
	}
	f.Also = visit.Where
	sorts := []reports.Sort{reports.Newest, reports.Oldest, reports.ByStatus}
	if errors.Join(err, err2, err3) != nil || f.Status != "" && !f.Status.Valid() || f.Kind != "" && !f.Kind.Valid() ||
		!slices.Contains(sorts, f.Sort) || len(f.Substatus)+len(visit.Step)+len(visit.Institution) > 200 {
		return f, unknown("list")
	}
	if f.Before.ID != "" {
		f.Before.ID = s.token(f.Before.ID)
	}
	return f, nil
}

// allAccounts is the value of the filter by account for the account with its children.
const allAccounts = providerui.DashboardAllAccounts

func (s *Service) childrenOf(ctx context.Context, q store.Queryer, by user) ([]customers.Account, error) {
	if by.account.ParentID != "" {
		return nil, nil
	}
	return s.Customers.Children(ctx, q, by.account.ID)
}

func (s *Service) reportList(by user, q url.Values, all []reports.Report, children []customers.Account) providerui.DashboardReports {
	v := providerui.DashboardReports{List: listOf("/dashboard/reports", q)}
	v.List.Statuses = contract.Statuses()
	if id := q.Get("institution"); id != "" {
		v.Institution = s.Visits.InstitutionName(by.account.Environment, id)
	}
	names := map[string]string{}
	for _, a := range children {
		names[a.ID] = a.Name
		v.Children = append(v.Children, providerui.DashboardAccount{PublicID: a.PublicID, Name: a.Name})
	}
	for _, x := range all {
		row := s.reportView(x)
		row.Account = names[x.CustomerID]
		v.Rows = append(v.Rows, row)
	}
	return v
}

func (s *Service) reportView(x reports.Report) providerui.DashboardReport {
	return providerui.DashboardReport{Reference: s.Reference(x.PublicToken), ProductID: x.ProductID, Kind: x.Kind, ExternalID: x.ExternalID,
		Status: x.Status, Substatus: x.Substatus, Created: x.Created, Retrieved: x.Retrieved}
}

// own returns a report of the user's account or of its child accounts, of any age, or
// store.ErrNotFound.
func (s *Service) own(ctx context.Context, q store.Queryer, by user, publicToken string) (reports.Report, error) {
	r, err := s.Reports.Get(ctx, q, publicToken)
	if err == nil {
		err = s.mayRead(ctx, q, by, r.CustomerID)
	}
	return r, err
}

// mayRead returns store.ErrNotFound unless an account is the user's or one of its children. Operators
// answer disputes of all accounts.
func (s *Service) mayRead(ctx context.Context, q store.Queryer, by user, customerID string) error {
	if customerID == by.account.ID || by.pages.Operators {
		return nil
	}
	a, err := s.Customers.ByID(ctx, q, customerID)
	if err == nil && a.ParentID != by.account.ID {
		err = store.ErrNotFound
	}
	return err
}

// redirectToList redirects a reloaded search to the list.
func (s *Pages) redirectToList(path string) httpx.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		if err := s.guard(r); err != nil {
			return err
		}
		return httpx.SeeOther(w, path)
	}
}

// finder searches for reports by what their names begin with. It returns the page with
// what was found, and where to go at once, if there is only one result.
type finder func(ctx context.Context, by user, query string) (to string, found page, err error)

// find handles a search form. The pages' script gets the part of the page with the result.
func (s *Pages) find(look finder) http.Handler {
	return s.adapt(func(w http.ResponseWriter, r *http.Request) error {
		script := r.Header.Get(pageHeader) != ""
		guard := s.guard
		if script {
			guard = s.guardScript
		}
		if err := guard(r); err != nil {
			return err
		}
		form, err := httpx.DecodeForm(w, r, maxForm)
		if err != nil {
			return err
		}
		var by user
		if script {
			by, err = s.byScript(r)
		} else {
			by, err = s.current(r.Context(), s.DB.SQL, r)
		}
		if err != nil {
			return err
		}
		if by.ID == "" {
			return s.redirectToSignIn(w, r)
		}
		query := strings.TrimSpace(form.Get("query"))
		if len(query) > 400 { // an externalId has at most 64 characters
			query = ""
		}
		to, found, err := look(r.Context(), by, query)
		if err != nil {
			return err
		}
		if to != "" && !script {
			return httpx.SeeOther(w, to)
		}
		d := s.frameOf(r, by)
		d.Given = url.Values{"query": {query}, "after": {form.Get("after")}}
		if !script {
			return s.render(w, r, by, http.StatusOK, d, found)
		}
		c, err := found(r.Context(), r, by, d)
		if err != nil {
			return err
		}
		return console.ShowPart(w, r, http.StatusOK, c, ui.Live, d.Once)
	})
}

// findReportsByID returns the reports whose publicToken or externalId begins with a text, the newest
// first, and the only one or the one with exactly that name; nil for none.
func (s *Service) findReportsByID(ctx context.Context, by user, query string) (all []reports.Report, one *reports.Report, err error) {
	if query == "" {
		return nil, nil, nil
	}
	if contract.IsUUID(query) {
		query = strings.ToLower(query)
	}
	if all, err = s.Reports.List(ctx, s.DB.SQL, by.account.ID, reports.Filter{Begins: query, Children: true, Limit: pageSize}); err != nil {
		return nil, nil, err
	}
	i := slices.IndexFunc(all, func(x reports.Report) bool { return x.PublicToken == query || x.ExternalID == query })
	switch {
	case i >= 0:
		one = &all[i]
	case len(all) == 1:
		one = &all[0]
	}
	return all, one, nil
}

func (s *Service) findReports(ctx context.Context, by user, query string) (string, page, error) {
	all, one, err := s.findReportsByID(ctx, by, query)
	to := ""
	switch {
	case query == "":
		to = "/dashboard/reports"
	case one != nil:
		to = "/dashboard/reports/" + s.Reference(one.PublicToken)
	}
	return to, func(ctx context.Context, _ *http.Request, by user, d providerui.Dashboard) (templ.Component, error) {
		children, err := s.childrenOf(ctx, s.DB.SQL, by)
		if err != nil {
			return nil, err
		}
		v := s.reportList(by, url.Values{}, all, children)
		v.Searched = query
		return providerui.DashboardReportsPage(d, v), nil
	}, err
}

func (s *Service) findDeliveries(ctx context.Context, by user, query string) (string, page, error) {
	found, one, err := s.findReportsByID(ctx, by, query)
	to := ""
	switch {
	case query == "":
		to = "/dashboard/deliveries"
	case one != nil:
		to = "/dashboard/deliveries?report=" + s.Reference(one.PublicToken)
	}
	return to, func(ctx context.Context, _ *http.Request, by user, d providerui.Dashboard) (templ.Component, error) {
		v := providerui.DashboardDeliveries{List: listOf("/dashboard/deliveries", url.Values{}), Searched: query}
		v.List.Statuses = webhooks.Subscribable()
		f := webhook.Filter{Limit: pageSize}
		for _, x := range found {
			f.Subjects = append(f.Subjects, x.PublicToken)
		}
		if len(f.Subjects) == 0 {
			return providerui.DashboardDeliveriesPage(d, v), nil
		}
		v.Rows, err = s.Webhooks.Deliveries(ctx, s.DB.SQL, by.account.ID, "", f)
		return providerui.DashboardDeliveriesPage(d, v), err
	}, err
}

func (s *Service) report(ctx context.Context, r *http.Request, by user, d providerui.Dashboard) (templ.Component, error) {
	token := s.token(r.PathValue("id"))
	if token == "" {
		return nil, unknown("report")
	}
	var v providerui.DashboardReport
	err := s.DB.Read(ctx, func(ctx context.Context, tx *store.Tx) error {
		x, err := s.own(ctx, tx, by, token)
		if err != nil {
			return err
		}
		v = s.reportView(x)
		v.PublicToken, v.Origin, v.Revisable = x.PublicToken, "submission", by.corrects && s.Reports.Correctable(x)
		if x.CustomerID != by.account.ID {
			a, err := s.Customers.ByID(ctx, tx, x.CustomerID)
			if err != nil {
				return err
			}
			v.Account, v.Child = a.Name, a.PublicID
		}
		if by.corrects {
			about, err := s.Disputes.List(ctx, tx, disputes.Filter{CustomerID: x.CustomerID, PublicToken: token, Latest: true, Limit: pageSize})
			if err != nil {
				return err
			}
			for _, dispute := range about {
				v.Disputes = append(v.Disputes, dispute.Number)
			}
		}
		if v.Known, err = s.known(ctx, tx, by); err != nil {
			return err
		}
		v.Moments = []providerui.DashboardMoment{{At: x.Created, Kind: "report"}}
		if err := s.history(ctx, tx, x, &v); err != nil {
			return err
		}
		v.Deliveries, err = s.Webhooks.Deliveries(ctx, tx, by.account.ID, "", webhook.Filter{Subject: token, Limit: 50})
		if err != nil {
			return err
		}
		if v.Child != "" { // which may have a callback of its own
			more, err := s.Webhooks.Deliveries(ctx, tx, x.CustomerID, "", webhook.Filter{Subject: token, Limit: 50})
			if err != nil {
				return err
			}
			v.ChildDeliveries = more
		}
		// The stable sort keeps the order of simultaneous events.
		slices.SortStableFunc(v.Moments, func(a, b providerui.DashboardMoment) int { return cmp.Compare(a.At.UnixMicro(), b.At.UnixMicro()) })
		return nil
	})
	return providerui.DashboardReportPage(d, v), err
}

// The lists of sharing tokens.
const (
	grantedPath  = "/dashboard/relay-tokens"
	receivedPath = grantedPath + "/received"
)

func (s *Service) granted(ctx context.Context, r *http.Request, by user, d providerui.Dashboard, text string) (templ.Component, error) {
	v, err := s.shares(ctx, r, by, d, grantedPath, text)
	if err == nil {
		v.Known, err = s.known(ctx, s.DB.SQL, by)
	}
	return providerui.DashboardSharingPage(d, v), err
}

// known lists the accounts that a report can be shared with by name.
func (s *Service) known(ctx context.Context, q store.Queryer, by user) (out []ui.Option, err error) {
	all, err := s.Sharing.Known(ctx, q, by.account.ID)
	for _, p := range all {
		out = append(out, ui.Option{Value: p.PublicID, Label: p.Name + " (" + p.PublicID + ")"})
	}
	return out, err
}

func (s *Service) received(ctx context.Context, r *http.Request, by user, d providerui.Dashboard, text string) (templ.Component, error) {
	v, err := s.shares(ctx, r, by, d, receivedPath, text)
	return providerui.DashboardReceivedPage(d, v), err
}

// shares lists the sharing tokens that the account gave or received, by the list's path.
func (s *Service) shares(ctx context.Context, r *http.Request, by user, d providerui.Dashboard,
	path, text string) (providerui.DashboardSharing, error) {
	q := selectionParams(r, "from", "to", "sort")
	sort, err := sortOf(q, string(reports.Oldest))
	after, err2 := store.ParseCursor(cmp.Or(q.Get("after"), d.Given.Get("after")))
	from, to, err3 := console.ParseDays(q, by.Zone)
	v := providerui.DashboardSharing{List: listOf(path, q), Searched: text}
	if errors.Join(err, err2, err3) != nil {
		return v, unknown("list")
	}
	if after.ID != "" {
		after.ID = s.token(after.ID)
	}
	f := sharing.Filter{Received: path == receivedPath, Text: text, From: from, To: to, Oldest: sort == string(reports.Oldest),
		After: after, Limit: pageSize}
	all, err := s.Sharing.Granted(ctx, s.DB.SQL, by.account.ID, f)
	if err != nil {
		return v, err
	}
	if v.Rows, err = s.shareViews(ctx, by, all, f.Received); err != nil {
		return v, err
	}
	if n := len(all); n > 0 {
		last := store.Cursor{At: all[n-1].Created, ID: s.Reference(all[n-1].RelayToken)}.String()
		v.List.Pager = Pager(q, path, text, n == pageSize, last)
	}
	return v, nil
}

func (s *Service) shareViews(ctx context.Context, by user, all []sharing.Share, received bool) (out []providerui.DashboardShare,
	err error) {
	accounts := map[string]customers.Account{}
	for _, x := range all {
		for _, id := range []string{x.ThirdPartyID, x.CustomerID} {
			if _, ok := accounts[id]; !ok {
				if accounts[id], err = s.Customers.ByID(ctx, s.DB.SQL, id); err != nil {
					return nil, err
				}
			}
		}
		a := accounts[x.ThirdPartyID]
		if received {
			a = accounts[x.CustomerID]
		}
		v := providerui.DashboardShare{Reference: s.Reference(x.RelayToken), RelayToken: x.RelayToken, With: a.PublicID,
			WithName: a.ApplicantName(), State: string(x.State(s.Now())), Created: x.Created, Expires: x.Expires, Read: x.Read, Revoked: x.Revoked}
		if !received { // otherwise it is another customer's report
			v.Report = s.Reference(x.PublicToken)
			if x.CustomerID != by.account.ID {
				v.Child = accounts[x.CustomerID].Name
			}
		}
		out = append(out, v)
	}
	return out, nil
}

func (s *Service) share(ctx context.Context, tx *store.Tx, by user, in input) (done, error) {
	token := strings.ToLower(in.Field("publicToken"))
	if !contract.IsUUID(token) {
		return done{}, fieldProblem("publicToken", "dashboard.share.token_invalid")
	}
	return s.grant(ctx, tx, by, in, token, "publicToken")
}

// shareReport shares the report of the form's page.
func (s *Service) shareReport(ctx context.Context, tx *store.Tx, by user, in input) (done, error) {
	token := s.token(in.id)
	if token == "" {
		return done{}, unknown("report")
	}
	return s.grant(ctx, tx, by, in, token, "publicId")
}

// linkConsumer makes a link for the person whom the report is about, to be handed out.
func (s *Service) linkConsumer(ctx context.Context, tx *store.Tx, by user, in input) (done, error) {
	token := s.token(in.id)
	if token == "" {
		return done{}, unknown("report")
	}
	if _, err := s.own(ctx, tx, by, token); err != nil {
		return done{}, err
	}
	url, err := s.ConsumerLink(ctx, tx, by.account.ID, token, by.ID)
	if errors.Is(err, access.ErrNoPerson) {
		err = noChange{"no person"}
	}
	return done{action: "consumer link made", object: in.id, flash: "consumer link", secret: url}, err
}

// grant shares a report of the user's account or of a child, for its account; field is the form field for
// the error.
func (s *Service) grant(ctx context.Context, tx *store.Tx, by user, in input, token, field string) (done, error) {
	with := cmp.Or(in.Field("publicId"), in.Field("account"))
	if !customers.IsPublicID(with) {
		return done{}, fieldProblem("publicId", "dashboard.share.account_invalid")
	}
	r, err := s.own(ctx, tx, by, token)
	if errors.Is(err, store.ErrNotFound) && field == "publicToken" {
		err = fieldProblem(field, "dashboard.share.no_report")
	}
	if err != nil {
		return done{}, err
	}
	owner, err := s.Customers.ByID(ctx, tx, r.CustomerID)
	if err != nil {
		return done{}, err
	}
	relay, err := s.Sharing.Grant(ctx, tx, owner.Caller(), token, with)
	var no *httpx.Error
	if errors.As(err, &no) {
		switch no.Code {
		case contract.CodeInvalidToken:
			return done{}, fieldProblem(field, "dashboard.share.no_report")
		case contract.CodeReportNotReady:
			return done{}, fieldProblem(field, "dashboard.share.no_body")
		case contract.CodeInvalidPublicID:
			return done{}, fieldProblem("publicId", "dashboard.share.no_account")
		case contract.CodeConsentNotProvided:
			return done{}, refused{field: field, text: "dashboard.share.not_permitted", record: func(ctx context.Context) error {
				return s.Reports.RecordRefusal(ctx, reports.Report{PublicToken: token, CustomerID: owner.ID})
			}}
		case contract.CodeRelayTokenExpired:
			return done{}, fieldProblem(field, "dashboard.share.too_old")
		case contract.CodeRelayTokenRevoked:
			return done{}, fieldProblem("publicId", "dashboard.share.withdrawn")
		}
	}
	if err != nil {
		return done{}, err
	}
	d := done{action: "report shared", object: s.Reference(relay), detail: with, flash: "shared", to: "/dashboard/relay-tokens"}
	return d, s.inTrailOf(ctx, tx, by, owner.ID, d)
}

func (s *Service) withdraw(ctx context.Context, tx *store.Tx, by user, in input) (done, error) {
	token := s.token(in.id)
	if token == "" {
		return done{}, unknown("relay token")
	}
	share, err := s.Sharing.Get(ctx, tx, token)
	if err == nil {
		err = s.mayRead(ctx, tx, by, share.CustomerID)
	}
	if err != nil {
		return done{}, err
	}
	ok, err := s.Sharing.Withdraw(ctx, tx, share.CustomerID, token)
	if err == nil && !ok {
		err = store.ErrNotFound
	}
	if err != nil {
		return done{}, err
	}
	d := done{action: "share withdrawn", object: in.id, flash: "withdrawn"}
	return d, s.inTrailOf(ctx, tx, by, share.CustomerID, d)
}

// emails renders the emails to applicants, whose text users can pass on.
func (s *Service) emails(ctx context.Context, r *http.Request, by user, d providerui.Dashboard, text string) (templ.Component, error) {
	q := selectionParams(r, "state", "from", "to", "sort")
	sort, err := sortOf(q, string(reports.Oldest))
	after, err2 := store.ParseCursor(cmp.Or(q.Get("after"), d.Given.Get("after")))
	f := mail.Filter{CustomerID: by.account.ID, State: mail.State(q.Get("state")), Oldest: sort == string(reports.Oldest), Before: after,
		Limit: pageSize}
	var err3 error
	f.Since, f.Until, err3 = parseTimes(q, by.Zone)
	if errors.Join(err, err2, err3) != nil || f.State != "" && !slices.Contains(mail.States(), f.State) {
		return nil, unknown("list")
	}
	if text != "" {
		f.Limit = maxSearched
	}
	all, err := s.Outbox.Emails().List(ctx, s.DB.SQL, f)
	if err != nil {
		return nil, err
	}
	v := providerui.DashboardOutbox{List: listOf("/dashboard/outbox", q), Searched: text, Sends: s.Outbox.Sends()}
	for _, l := range all {
		if Contains(text, l.To, l.Subject) {
			row := providerui.DashboardLetter{Email: l, Report: s.Reference(l.About)}
			if v.Sends && l.State() == mail.GivenUp {
				row.Again = l.Failed.Add(mail.RetryWait)
			}
			v.Letters = append(v.Letters, row)
		}
	}
	if n := len(all); n > 0 {
		last := all[n-1]
		v.List.Pager = Pager(q, "/dashboard/outbox", text, n == f.Limit, store.Cursor{At: last.Created, ID: last.ID}.String())
		if v.List.Pager.After != "" {
			v.List.Pager.Back = last.Created
		}
	}
	return providerui.DashboardOutboxPage(d, v), nil
}

// resendEmail sends an email again that could not be delivered.
func (s *Service) resendEmail(ctx context.Context, tx *store.Tx, by user, in input) (done, error) {
	if !contract.IsUUID(in.id) {
		return done{}, unknown("email")
	}
	ok, err := s.Outbox.Emails().Retry(ctx, tx, by.account.ID, in.id)
	if err == nil && !ok {
		err = noChange{"email not sent"}
	}
	return done{action: "email sent again", object: in.id, flash: "email again"}, err
}
