package dashboard

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/provider/customers"
	"vestibule/internal/staff"
	providerui "vestibule/templates/provider"

	"vestibule/internal/store"
)

// Changes of products and prepared reports in the audit trail, whether
// staff, the operator's page or a command makes them.

// ProductAdded returns the entry of a new product.
func ProductAdded(p customers.Product) staff.Entry {
	values := namesGiven(customers.Names{Name: p.Name, DisplayName: p.DisplayName})
	return staff.Entry{Action: "product added", Object: p.ID, Values: append(values,
		staff.Value{Setting: staff.SettingConfiguration, After: aliasOf(p)})}
}

// ProductRenamed returns the entry of a product with new names.
func ProductRenamed(before customers.Product, n customers.Names) staff.Entry {
	return staff.Entry{Action: "product renamed", Object: before.ID, Values: staff.Changed(
		staff.Value{Setting: staff.SettingName, Before: before.Name, After: n.Name},
		staff.Value{Setting: staff.SettingDisplayName, Before: before.DisplayName, After: n.DisplayName})}
}

// ProductConfigured returns the entry of a product with another configuration; a zero one is
// inherited.
func ProductConfigured(before customers.Product, c customers.Configuration) staff.Entry {
	after := c.Alias
	if c.ID == "" {
		after = inherited
	}
	return staff.Entry{Action: "configuration changed", Object: before.ID, Detail: after, Values: staff.Changed(
		staff.Value{Setting: staff.SettingConfiguration, Before: aliasOf(before), After: after})}
}

// PreparedAdded returns the entry of a new prepared report, and PreparedRemoved that of a deleted one.
func PreparedAdded(r customers.PreparedReport) staff.Entry {
	return staff.Entry{Action: "prepared report added", Object: r.ID, Detail: string(r.Kind)}
}

func PreparedRemoved(id string) staff.Entry {
	return staff.Entry{Action: "prepared report removed", Object: id}
}

// inherited is a configuration in the audit trail that is the account's or its parent's.
const inherited = "inherited"

// aliasOf returns the alias of a product's own configuration, or inherited.
func aliasOf(p customers.Product) string {
	if p.Inherited {
		return inherited
	}
	return p.Configuration.Alias
}

// about names the account that a change is about.
func (d done) about(customerID string) done {
	d.account = customerID
	return d
}

// configurations returns the configurations that products of an account can get.
func (s *Service) configurations(ctx context.Context, customerID string) ([]providerui.DashboardConfiguration, error) {
	all, err := s.Customers.Assignable(ctx, s.DB.SQL, customerID)
	var out []providerui.DashboardConfiguration
	for _, c := range all {
		out = append(out, ConfigurationView(c))
	}
	return out, err
}

// ConfigurationView returns a configuration as pages show it.
func ConfigurationView(c customers.Configuration) providerui.DashboardConfiguration {
	return providerui.DashboardConfiguration{ID: c.ID, Alias: c.Alias, Kind: c.Kind, InquiryType: c.InquiryType,
		Deprecated: c.DeprecatedAttributes, ScoreV1: c.ScoreV1, ScoreV21: c.ScoreV21, IncomeModelSuite: c.IncomeModelSuite,
		Inflows: c.IncomeInflows, Workflow: c.EligibilityKind, Banks: c.BankLimit, RefreshDays: int(c.RefreshInterval().Hours()) / 24,
		PreparedReport: c.PreparedReport, Retired: c.Retired}
}

// ProductView returns a product as pages show it.
func ProductView(p customers.Product) providerui.DashboardProduct {
	return providerui.DashboardProduct{ID: p.ID, Name: p.Name, DisplayName: p.DisplayName, Kind: p.Kind,
		InquiryType: p.InquiryType, Configuration: ConfigurationView(p.Configuration), Inherited: p.Inherited, Created: p.Created}
}

func (s *Service) productViews(ctx context.Context, customerID string) ([]providerui.DashboardProduct, error) {
	all, err := s.Customers.Products(ctx, s.DB.SQL, customerID)
	var out []providerui.DashboardProduct
	for _, p := range all {
		out = append(out, ProductView(p))
	}
	return out, err
}

func (s *Service) products(ctx context.Context, _ *http.Request, by user, d providerui.Dashboard) (templ.Component, error) {
	own, err := s.productViews(ctx, by.account.ID)
	if err != nil {
		return nil, err
	}
	all, err := s.configurations(ctx, by.account.ID)
	_, preparing := s.prepares(ctx, s.DB.SQL, by, "")
	v := providerui.DashboardProducts{Products: own, Configurations: all, Prepares: preparing == nil}
	return providerui.DashboardProductsPage(d, v), err
}

// product shows a product of the account or of a child, to operators that of any account.
func (s *Service) product(ctx context.Context, r *http.Request, by user, d providerui.Dashboard) (templ.Component, error) {
	p, owner, err := s.productOf(ctx, s.DB.SQL, by, r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	all, err := s.configurations(ctx, owner.ID)
	v := providerui.DashboardProductDetails{DashboardProduct: ProductView(p), Configurations: all,
		Assignable: len(all) > 0 && (owner.ID == by.account.ID || by.configurer)}
	if owner.ID != by.account.ID {
		v.Owner, v.OwnerName = owner.PublicID, owner.Name
	}
	return providerui.DashboardProductPage(d, v), err
}

// productOf returns a product of the user's account or of a child, for operators that of any account, with
// its account.
func (s *Service) productOf(ctx context.Context, q store.Queryer, by user, id string) (customers.Product, customers.Account, error) {
	p, err := s.Customers.AnyProduct(ctx, q, strings.ToLower(id))
	if err == nil {
		err = s.mayRead(ctx, q, by, p.CustomerID)
	}
	if err != nil {
		return customers.Product{}, customers.Account{}, err
	}
	owner, err := s.Customers.ByID(ctx, q, p.CustomerID)
	return p, owner, err
}

// addProduct adds a product to the user's account, or to a child.
func (s *Service) addProduct(ctx context.Context, tx *store.Tx, by user, in input) (done, error) {
	owner := by.account
	if in.id != "" {
		var err error
		if owner, err = s.Customers.Child(ctx, tx, by.account.ID, in.id); err != nil {
			return done{}, err
		}
	}
	configuration := in.Get("configuration")
	if configuration != "" && !contract.IsUUID(configuration) {
		return done{}, malformed("configuration")
	}
	if configuration != "" && owner.ID != by.account.ID && !by.configurer {
		return done{}, unknown("configuration to assign")
	}
	names, err := s.names(in)
	if err != nil {
		return done{}, err
	}
	p, err := s.Customers.CreateProduct(ctx, tx, owner.ID, names, configuration)
	return Did(ProductAdded(p), "product").To("/dashboard/products/" + url.PathEscape(p.ID)), productProblem(err)
}

// productProblem returns the error of a form for an error of a product's names or
// configuration.
func productProblem(err error) error {
	switch {
	case errors.Is(err, customers.ErrDuplicateName):
		return fieldProblem("name", "dashboard.name.taken")
	case errors.Is(err, customers.ErrConfiguration):
		return fieldProblem("configuration", "dashboard.product.configuration_problem")
	}
	return err
}

func (s *Service) renameProduct(ctx context.Context, tx *store.Tx, by user, in input) (done, error) {
	p, _, err := s.productOf(ctx, tx, by, in.id)
	if err != nil {
		return done{}, err
	}
	names, err := s.names(in)
	if err != nil {
		return done{}, err
	}
	if names == (customers.Names{Name: p.Name, DisplayName: p.DisplayName}) {
		return done{}, noChange{flashNoChange}
	}
	all, err := s.Customers.Products(ctx, tx, p.CustomerID)
	if err != nil {
		return done{}, err
	}
	if slices.ContainsFunc(all, func(o customers.Product) bool { return o.ID != p.ID && o.Name == names.Name }) {
		return done{}, fieldProblem("name", "dashboard.name.taken")
	}
	return Did(ProductRenamed(p, names), "product renamed").about(p.CustomerID),
		s.Customers.RenameProduct(ctx, tx, p.CustomerID, p.ID, names)
}

// configureProduct sets the configuration of a product, or removes it so that the product
// inherits one.
func (s *Service) configureProduct(ctx context.Context, tx *store.Tx, by user, in input) (done, error) {
	p, owner, err := s.productOf(ctx, tx, by, in.id)
	if err != nil {
		return done{}, err
	}
	id := in.Get("configuration")
	switch {
	case owner.ID != by.account.ID && !by.configurer:
		return done{}, unknown("configuration to assign")
	case id != "" && !contract.IsUUID(id):
		return done{}, malformed("configuration")
	case id == "" && p.Inherited, !p.Inherited && id == p.Configuration.ID:
		return done{}, noChange{flashNoChange}
	}
	all, err := s.Customers.Assignable(ctx, tx, p.CustomerID)
	if err != nil {
		return done{}, err
	}
	to, f := customers.Configuration{}, "inherited"
	if i := slices.IndexFunc(all, func(c customers.Configuration) bool { return c.ID == id }); i >= 0 {
		to, f = all[i], "assigned"
	}
	return Did(ProductConfigured(p, to), f).about(p.CustomerID),
		productProblem(s.Customers.ConfigureProduct(ctx, tx, p.CustomerID, p.ID, id))
}

// ErrNoPrepared is returned in production, which has no prepared reports.
var ErrNoPrepared = errors.New("prepared reports exist in the sandbox only")

// PreparedReports lists the prepared reports of an account. It returns ErrNoPrepared if the account is not
// a sandbox's.
func (s *Service) PreparedReports(ctx context.Context, q store.Queryer, a customers.Account) ([]customers.PreparedReport, error) {
	if s.Customers.Prepared == nil || a.Environment != contract.Sandbox {
		return nil, ErrNoPrepared
	}
	return s.Customers.Prepared.List(ctx, q, a.ID)
}

// PreparedViews returns prepared reports as pages show them.
func PreparedViews(all []customers.PreparedReport) (out []providerui.DashboardPreparedReport) {
	for _, r := range all {
		out = append(out, providerui.DashboardPreparedReport{ID: r.ID, Name: r.Name, Kind: r.Kind, Created: r.Created})
	}
	return out
}

// AddPrepared stores the prepared report that JSON describes for an account.
func (s *Service) AddPrepared(ctx context.Context, tx *store.Tx, a customers.Account, body []byte) (r customers.PreparedReport, err error) {
	if s.Customers.Prepared == nil || a.Environment != contract.Sandbox {
		return r, ErrNoPrepared
	}
	add, err := s.Customers.Prepared.Read(body)
	if err != nil {
		return r, err
	}
	return add(ctx, tx, a.ID)
}

// prepares returns the account whose prepared reports a page is about: the user's, which needs the feature,
// or the one with the publicId that an operator's page names.
func (s *Service) prepares(ctx context.Context, q store.Queryer, by user, publicID string) (a customers.Account, err error) {
	a = by.account
	if by.pages.Operators {
		a, err = s.Customers.ByPublicID(ctx, q, publicID)
	}
	if err == nil && (!by.prepares || s.Customers.Prepared == nil || a.Environment != contract.Sandbox) {
		err = unknown("page of this account")
	}
	return a, err
}

func (s *Service) prepared(ctx context.Context, r *http.Request, by user, d providerui.Dashboard) (templ.Component, error) {
	a, err := s.prepares(ctx, s.DB.SQL, by, r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	all, err := s.PreparedReports(ctx, s.DB.SQL, a)
	v := providerui.DashboardPrepared{PublicID: a.PublicID, Rows: PreparedViews(all)}
	return providerui.DashboardPreparedPage(d, v), err
}

// addPrepared stores the prepared report that a file describes.
func (s *Service) addPrepared(ctx context.Context, tx *store.Tx, by user, in input) (done, error) {
	a, err := s.prepares(ctx, tx, by, in.id)
	if err != nil {
		return done{}, err
	}
	if in.Get(fileBody) == "" {
		return done{}, fieldProblem("file", "dashboard.prepared.missing")
	}
	made, err := s.AddPrepared(ctx, tx, a, []byte(in.Get(fileBody)))
	if details := httpx.AsError(err); err != nil && details.Details != nil {
		return done{}, fieldProblem("file", "dashboard.prepared.invalid", "field", details.Details[0].Field,
			"problem", details.Details[0].Message)
	}
	return Did(PreparedAdded(made), "prepared").about(a.ID), err
}

// removePrepared deletes a prepared report that no configuration or open visit needs.
func (s *Service) removePrepared(ctx context.Context, tx *store.Tx, by user, in input) (done, error) {
	a, err := s.prepares(ctx, tx, by, in.id)
	if err != nil {
		return done{}, err
	}
	id := in.Get("report")
	if err = s.Customers.Prepared.Remove(ctx, tx, a.ID, id); errors.Is(err, customers.ErrPreparedUsed) {
		err = noChange{"prepared used"}
	}
	return Did(PreparedRemoved(id), "prepared removed").about(a.ID), err
}
