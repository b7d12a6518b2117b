package operator

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/provider/customers"
	"vestibule/internal/provider/dashboard"
	"vestibule/internal/staff"
	"vestibule/internal/store"
	"vestibule/internal/webhook"
	providerui "vestibule/templates/provider"
)

// Routes adds the operator's pages. unknown returns the error page of an address that does not exist.
func (s *Service) Routes(mux *http.ServeMux, unknown func(*http.Request) httpx.ErrorPage) {
	pages := http.NewServeMux()
	one := Home + "/customers/{id}"
	form := func(make accountChange) dashboard.Form { return s.onPage(s.customer, one, make) }
	s.Mount(pages, dashboard.Routes{
		Lists: map[string]dashboard.Searched{"/operator": s.customers},
		Pages: map[string]dashboard.Page{
			"GET /operator/customers/{id}":                s.customer,
			"GET /operator/customers/{id}/configurations": s.configurations,
			"GET /operator/customers/new":                 s.newCustomer,
			"GET /operator/health":                        s.health,
			"GET /operator/unlisted":                      s.unlisted,
		},
		Forms: map[string]dashboard.Form{
			"POST /operator/customers":                            s.FormOf(s.newCustomer, Home, s.add),
			"POST /operator/customers/{id}/configurations":        s.onPage(s.configurations, one+"/configurations", s.createConfiguration),
			"POST /operator/customers/{id}/configurations/retire": s.onPage(s.configurations, one+"/configurations", s.retireConfiguration),
			"POST /operator/customers/{id}/products":              s.onPage(s.configurations, one+"/configurations", s.createProduct),
			"POST /operator/customers/{id}/name":                  form(s.rename),
			"POST /operator/customers/{id}/limits":                form(s.limit),
			"POST /operator/customers/{id}/features":              form(s.features),
			"POST /operator/customers/{id}/suspend":               form(s.suspend),
			"POST /operator/customers/{id}/resume":                form(s.resume),
			"POST /operator/customers/{id}/user/password":         form(s.resetPassword),
			"POST /operator/customers/{id}/user/factor":           form(s.resetFactor),
			"POST /operator/customers/{id}/transfer":              form(s.transfer),
		},
	})
	s.Dashboard.MountDisputes(pages, &s.Pages, s.recorded)
	s.Dashboard.MountProducts(pages, &s.Pages, "GET /operator/customers/{id}/prepared", s.recorded)
	all := s.hidden(httpx.NotFound(s.Log, http.NewServeMux(), unknown),
		httpx.NotFound(s.Log, pages, func(*http.Request) httpx.ErrorPage { return s.Missing }))
	mux.Handle(Home, all)
	mux.Handle(Home+"/", all)
}

// accountChange makes the change of a form about an account.
type accountChange func(context.Context, *store.Tx, customers.Account, dashboard.Input) (dashboard.Done, error)

// onPage returns a form about an account, with its page and the page's path.
func (s *Service) onPage(back dashboard.Page, path string, make accountChange) dashboard.Form {
	return s.FormOf(back, path, func(ctx context.Context, tx *store.Tx, _ dashboard.User, in dashboard.Input) (dashboard.Done, error) {
		a, err := s.Account(ctx, tx, in.ID())
		if err != nil {
			return dashboard.Done{}, err
		}
		return make(ctx, tx, a, in)
	})
}

// recorded returns a change of a dispute or of a disputed report that is also recorded in the audit
// trail of the customer.
func (s *Service) recorded(make dashboard.Change) dashboard.Change {
	return func(ctx context.Context, tx *store.Tx, by dashboard.User, in dashboard.Input) (dashboard.Done, error) {
		d, err := make(ctx, tx, by, in)
		if err != nil {
			return d, err
		}
		account, e := d.Entry()
		a, err := s.Customers.ByID(ctx, tx, account)
		if err == nil {
			e, err = s.Record(ctx, tx, a, e)
		}
		return d.As(e), err
	}
}

// pageSize is the number of accounts on a page of the list.
const pageSize = 50

// customers lists the accounts that have all words of a text in a name or the publicId.
func (s *Service) customers(ctx context.Context, r *http.Request, _ dashboard.User, d providerui.Dashboard,
	text string) (templ.Component, error) {
	list, err := dashboard.List(r, Home, []string{"-name", "newest", "oldest"}, "state")
	if err != nil {
		return nil, err
	}
	state := list.Query.Get("state")
	all, err := s.Customers.All(ctx, s.DB.SQL)
	if err != nil {
		return nil, err
	}
	suspended, names := map[string]bool{}, map[string]string{}
	for _, a := range all {
		suspended[a.ID], names[a.ID] = !a.Suspended.IsZero(), a.Name
	}
	var rows []providerui.OperatorRow
	for _, a := range all {
		row := providerui.OperatorRow{PublicID: a.PublicID, Name: a.Name, Parent: names[a.ParentID], Created: a.Created,
			Suspended: suspended[a.ID] || suspended[a.ParentID]}
		if dashboard.Contains(text, a.Name, a.DisplayName, a.PublicID) && (state == "" || (state == "suspended") == row.Suspended) {
			rows = append(rows, row)
		}
	}
	dashboard.SortNamed(rows, list.Query.Get("sort"), func(a providerui.OperatorRow) (string, time.Time) { return a.Name, a.Created })
	v := providerui.OperatorCustomers{List: list, Searched: text, Total: len(all)}
	from, err := strconv.Atoi(list.Query.Get("after") + d.Given.Get("after"))
	if err != nil || from < 0 || from > len(rows) {
		from = 0
	}
	end := min(from+pageSize, len(rows))
	v.Rows = rows[from:end]
	v.List.Pager = dashboard.Pager(list.Query, Home, text, end < len(rows), strconv.Itoa(end))
	return providerui.OperatorCustomersPage(d, v), nil
}

func (s *Service) newCustomer(_ context.Context, _ *http.Request, _ dashboard.User, d providerui.Dashboard) (templ.Component, error) {
	return providerui.OperatorNewCustomerPage(d, s.Environment), nil
}

func (s *Service) customer(ctx context.Context, r *http.Request, _ dashboard.User, d providerui.Dashboard) (templ.Component, error) {
	q := s.DB.SQL
	a, err := s.Account(ctx, q, r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	v := providerui.OperatorCustomer{PublicID: a.PublicID, Name: a.Name, DisplayName: a.DisplayName, Environment: a.Environment,
		Created: a.Created, Suspended: a.Suspended, Limit: a.SubmissionLimit, MaxLimit: customers.MaxSubmissions}
	if a.ParentID != "" {
		parent, err := s.Customers.ByID(ctx, q, a.ParentID)
		if err != nil {
			return nil, err
		}
		v.Parent, v.ParentID, v.ParentSuspended = parent.Name, parent.PublicID, !parent.Suspended.IsZero()
	}
	children, err := s.Customers.Children(ctx, q, a.ID)
	if err != nil {
		return nil, err
	}
	for _, c := range children {
		v.Children = append(v.Children, providerui.OperatorRow{PublicID: c.PublicID, Name: c.Name, Created: c.Created,
			Suspended: !c.Suspended.IsZero() || !a.Suspended.IsZero()})
	}
	if v.Users, err = s.Dashboard.Staff.Users(ctx, q, a.ID); err != nil {
		return nil, err
	}
	granted, err := s.Customers.Granted(ctx, q, a.ID)
	for _, g := range granted {
		v.Features = append(v.Features, providerui.OperatorFeature{Name: string(g.Entitlement), On: g.Enabled, Inherited: g.Inherited})
	}
	return providerui.OperatorCustomerPage(d, v), err
}

// NewSecrets completes a customer that is to be added: it gives it identifiers, a secret, and a
// product of each kind.
func (n NewCustomer) NewSecrets() NewCustomer {
	n.PublicID, n.ClientID = "svc-"+strings.ToLower(rand.Text()), "client-"+strings.ToLower(rand.Text())
	n.SecretKey, n.Products, n.WebhookSecret = store.NewSecret(), map[contract.Product]string{}, webhook.NewSecret()
	for _, kind := range contract.Products() {
		n.Products[kind] = uuid.NewString()
	}
	return n
}

func (s *Service) add(ctx context.Context, tx *store.Tx, _ dashboard.User, in dashboard.Input) (dashboard.Done, error) {
	n := NewCustomer{Name: in.Field("name"), Staff: in.Field("email")}.NewSecrets()
	link, e, err := s.AddCustomer(ctx, tx, n, in.Lang())
	if err != nil {
		return dashboard.Done{}, formError(err)
	}
	// One line for each value, in the order in which the page names them.
	lines := []string{"publicId " + n.PublicID, "clientId " + n.ClientID, "secretKey " + n.SecretKey}
	for _, kind := range contract.Products() {
		lines = append(lines, string(kind)+" "+n.Products[kind])
	}
	message := "customer invited"
	if link != "" {
		lines, message = append(lines, link), "customer added"
	}
	return dashboard.Did(e, message).Showing(strings.Join(lines, "\n")).To(pathOf(n.PublicID)), nil
}

func pathOf(publicID string) string { return Home + "/customers/" + url.PathEscape(publicID) }

func formError(err error) error {
	var name NameError
	var field *customers.FieldProblem
	switch {
	case errors.As(err, &name):
		return dashboard.FieldProblem(name.Field, "dashboard.name.invalid")
	case errors.Is(err, ErrEmail):
		return dashboard.FieldProblem("email", "dashboard.email.invalid")
	case errors.Is(err, ErrKnown):
		return dashboard.FieldProblem("email", "dashboard.email.taken")
	case errors.Is(err, customers.ErrLimit):
		return dashboard.FieldProblem("limit", "operator.limits.invalid")
	case errors.Is(err, customers.ErrDuplicateName), errors.Is(err, errTaken):
		return dashboard.FieldProblem("name", "dashboard.name.taken")
	case errors.Is(err, customers.ErrConfiguration):
		return dashboard.FieldProblem("configuration", "dashboard.product.configuration_problem")
	case errors.As(err, &field):
		return dashboard.FieldProblem(field.Field, field.Text, field.Args...)
	case errors.Is(err, errChild):
		return store.ErrNotFound
	case errors.Is(err, ErrUnchanged):
		return dashboard.ErrNoChange
	}
	return err
}

func (s *Service) rename(ctx context.Context, tx *store.Tx, a customers.Account, in dashboard.Input) (dashboard.Done, error) {
	e, err := s.Rename(ctx, tx, a, customers.Names{Name: in.Field("name"), DisplayName: in.Field("displayName")})
	return dashboard.Did(e, "saved"), formError(err)
}

func (s *Service) limit(ctx context.Context, tx *store.Tx, a customers.Account, in dashboard.Input) (dashboard.Done, error) {
	n, _ := strconv.Atoi(in.Field("limit")) // 0 is refused
	e, err := s.SetLimit(ctx, tx, a, n)
	return dashboard.Did(e, "saved"), formError(err)
}

// features sets the features of a parent by one box each, and those of a child by one choice each.
func (s *Service) features(ctx context.Context, tx *store.Tx, a customers.Account, in dashboard.Input) (dashboard.Done, error) {
	to := map[customers.Entitlement]Setting{}
	for _, e := range customers.Entitlements() {
		switch set := Setting(in.Get(string(e))); {
		case a.ParentID != "" && (set == On || set == Off || set == Inherit):
			to[e] = set
		case a.ParentID == "" && slices.Contains(in.Values["feature"], string(e)):
			to[e] = On
		case a.ParentID == "":
			to[e] = Off
		}
	}
	e, err := s.SetFeatures(ctx, tx, a, to)
	if err == nil && e.Action == "" {
		err = dashboard.ErrNoChange
	}
	return dashboard.Did(e, "saved"), err
}

func (s *Service) suspend(ctx context.Context, tx *store.Tx, a customers.Account, _ dashboard.Input) (dashboard.Done, error) {
	e, err := s.Suspend(ctx, tx, a, true)
	return dashboard.Did(e, "suspended"), formError(err)
}

func (s *Service) resume(ctx context.Context, tx *store.Tx, a customers.Account, _ dashboard.Input) (dashboard.Done, error) {
	e, err := s.Suspend(ctx, tx, a, false)
	return dashboard.Did(e, "resumed"), formError(err)
}

// withLink describes a change with a link for a user; without one it was emailed, or none was needed.
func withLink(e staff.Entry, link, message string) dashboard.Done {
	if link == "" {
		return dashboard.Did(e, message)
	}
	return dashboard.Did(e, "user link").Showing(link)
}

func (s *Service) resetPassword(ctx context.Context, tx *store.Tx, a customers.Account, in dashboard.Input) (dashboard.Done, error) {
	link, e, err := s.ResetPassword(ctx, tx, a, in.Get("user"), in.Lang())
	return withLink(e, link, "password reset"), formError(err)
}

func (s *Service) resetFactor(ctx context.Context, tx *store.Tx, a customers.Account, in dashboard.Input) (dashboard.Done, error) {
	e, err := s.ResetFactor(ctx, tx, a, in.Get("user"))
	return dashboard.Did(e, "factor"), formError(err)
}

func (s *Service) transfer(ctx context.Context, tx *store.Tx, a customers.Account, in dashboard.Input) (dashboard.Done, error) {
	link, e, err := s.Transfer(ctx, tx, a, in.Field("email"), in.Lang())
	return withLink(e, link, "transferred"), formError(err)
}

// unlisted lists the institutions that applicants missed most.
func (s *Service) unlisted(ctx context.Context, _ *http.Request, _ dashboard.User, d providerui.Dashboard) (templ.Component, error) {
	all, err := s.Dashboard.Visits.Unlisted(ctx, s.DB.SQL, "", 200)
	return providerui.OperatorUnlistedPage(d, all), err
}

// health shows the state of the service.
func (s *Service) health(ctx context.Context, _ *http.Request, _ dashboard.User, d providerui.Dashboard) (templ.Component, error) {
	h, err := s.Health(ctx)
	return providerui.OperatorHealthPage(d, h), err
}
