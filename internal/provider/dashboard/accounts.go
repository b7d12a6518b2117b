package dashboard

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"vestibule/internal/contract"
	"vestibule/internal/provider/customers"
	"vestibule/internal/staff"
	providerui "vestibule/templates/provider"

	"vestibule/internal/store"
)

// configurations returns the configurations that the user's account may assign: a
// parent's own.
func (s *Service) configurations(ctx context.Context, by user) ([]providerui.DashboardConfiguration, error) {
	if by.account.ParentID != "" {
		return nil, nil
	}
	all, err := s.Customers.Configurations(ctx, s.DB.SQL, by.account.ID)
	var out []providerui.DashboardConfiguration
	for _, c := range all {
		out = append(out, configurationView(c))
	}
	return out, err
}

func configurationView(c customers.Configuration) providerui.DashboardConfiguration {
	return providerui.DashboardConfiguration{ID: c.ID, Alias: c.Alias, Kind: c.Kind, InquiryType: c.InquiryType,
		Deprecated: c.DeprecatedAttributes, ScoreV1: c.ScoreV1, ScoreV21: c.ScoreV21, IncomeModelSuite: c.IncomeModelSuite,
		Inflows: c.IncomeInflows, Workflow: c.EligibilityKind}
}

func (s *Service) productViews(ctx context.Context, customerID string) ([]providerui.DashboardProduct, error) {
	all, err := s.Customers.Products(ctx, s.DB.SQL, customerID)
	var out []providerui.DashboardProduct
	for _, p := range all {
		out = append(out, providerui.DashboardProduct{ID: p.ID, Name: p.Name, DisplayName: p.DisplayName, Kind: p.Kind,
			InquiryType: p.InquiryType, Configuration: configurationView(p.Configuration), Inherited: p.Inherited})
	}
	return out, err
}

func (s *Service) products(ctx context.Context, _ *http.Request, by user, d providerui.Dashboard) (templ.Component, error) {
	own, err := s.productViews(ctx, by.account.ID)
	if err != nil {
		return nil, err
	}
	all, err := s.configurations(ctx, by)
	v := providerui.DashboardProducts{Products: own, Configurations: all, Assignable: by.configurer && len(all) > 0}
	return providerui.DashboardProductsPage(d, v), err
}

func (s *Service) children(ctx context.Context, r *http.Request, by user, d providerui.Dashboard) (templ.Component, error) {
	return s.childList(ctx, r, by, d, "")
}

// childList lists the child accounts in the order of their names, or of the days when they
// were made.
func (s *Service) childList(ctx context.Context, r *http.Request, by user, d providerui.Dashboard, text string) (templ.Component, error) {
	if by.account.ParentID != "" {
		return nil, unknown("page of a child account")
	}
	q := selectionParams(r, "sort")
	sort, err := sortOf(q, "-name", "newest", "oldest")
	if err != nil {
		return nil, err
	}
	all, err := s.Customers.Children(ctx, s.DB.SQL, by.account.ID)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(all, func(a, b customers.Account) int {
		names := strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
		switch sort {
		case "newest":
			return b.Created.Compare(a.Created)
		case "oldest":
			return a.Created.Compare(b.Created)
		case "-name":
			return -names
		}
		return names
	})
	v := providerui.DashboardAccounts{List: listOf("/dashboard/accounts", q), Searched: text, Addable: by.hierarchy}
	for _, a := range all {
		if anyContains(text, a.Name, a.DisplayName, a.PublicID) {
			v.Children = append(v.Children, providerui.DashboardAccount{PublicID: a.PublicID,
				Name: a.Name, DisplayName: a.DisplayName, Created: a.Created})
		}
	}
	return providerui.DashboardAccountsPage(d, v), nil
}

func (s *Service) child(ctx context.Context, r *http.Request, by user, d providerui.Dashboard) (templ.Component, error) {
	id := r.PathValue("id")
	if !customers.IsPublicID(id) {
		return nil, unknown("child account")
	}
	a, err := s.Customers.Child(ctx, s.DB.SQL, by.account.ID, id)
	if err != nil {
		return nil, err
	}
	v := providerui.DashboardAccount{PublicID: a.PublicID, Name: a.Name, DisplayName: a.DisplayName, Created: a.Created,
		Own: a.ConfigurationID}
	if v.Products, err = s.productViews(ctx, a.ID); err != nil {
		return nil, err
	}
	v.Configurations, err = s.configurations(ctx, by)
	v.Assignable = by.configurer && len(v.Configurations) > 0
	return providerui.DashboardAccountPage(d, v), err
}

// names reads the names of an account or a product from the form.
func (s *Service) names(in input) (customers.Names, error) {
	for _, f := range []string{"name", "displayName"} {
		if v := in.field(f); customers.NameProblem(v) != "" && (v != "" || f == "name") {
			return customers.Names{}, fieldProblem(f, "dashboard.name.invalid")
		}
	}
	return customers.Names{Name: in.field("name"), DisplayName: in.field("displayName")}, nil
}

// unlessAdded returns the error for a name that already existed.
func unlessAdded(added bool, err error) error {
	if err == nil && !added {
		return fieldProblem("name", "dashboard.name.taken")
	}
	return err
}

func (s *Service) addChild(ctx context.Context, tx *store.Tx, by user, in input) (done, error) {
	if !by.hierarchy {
		return done{}, unknown("way to make a child account")
	}
	names, err := s.names(in)
	if err != nil {
		return done{}, err
	}
	a, added, err := s.Customers.AddAccount(ctx, tx, by.account.ID, names)
	return done{action: "child added", object: a.PublicID, values: namesGiven(names), flash: "child",
			to: "/dashboard/accounts/" + url.PathEscape(a.PublicID)},
		unlessAdded(added, err)
}

func (s *Service) addProduct(ctx context.Context, tx *store.Tx, by user, in input) (done, error) {
	if !customers.IsPublicID(in.id) {
		return done{}, unknown("child account")
	}
	a, err := s.Customers.Child(ctx, tx, by.account.ID, in.id)
	if err != nil {
		return done{}, err
	}
	names, err := s.names(in)
	if err != nil {
		return done{}, err
	}
	p, added, err := s.Customers.AddProduct(ctx, tx, customers.Product{CustomerID: a.ID, Name: names.Name, DisplayName: names.DisplayName})
	return done{action: "product added", object: p.ID, values: namesGiven(names), flash: "product"}, unlessAdded(added, err)
}

// namesGiven returns the names of a new account or product for the audit trail.
func namesGiven(n customers.Names) []staff.Value {
	return staff.Changed(staff.Value{Setting: staff.SettingName, After: n.Name},
		staff.Value{Setting: staff.SettingDisplayName, After: n.DisplayName})
}

// inherited is a configuration in the audit trail that is the account's or its parent's.
const inherited = "inherited"

// ownConfiguration returns the ID of the configuration that a product has of its own; "" if it
// inherits one, and for a product of another account.
func (s *Service) ownConfiguration(ctx context.Context, q store.Queryer, customerID, product string) (string, error) {
	all, err := s.Customers.Products(ctx, q, customerID)
	for _, p := range all {
		if p.ID == product && !p.Inherited {
			return p.Configuration.ID, err
		}
	}
	return "", err
}

// assign assigns a configuration to a product or a child account, or removes it so
// that the target inherits.
func (s *Service) assign(ctx context.Context, tx *store.Tx, by user, in input) (done, error) {
	account, product, configuration := in.Get("account"), in.Get("product"), in.Get("configuration")
	if (account == "") == (product == "") || product != "" && !contract.IsUUID(product) ||
		!customers.IsPublicID(account+product+in.Get("child")) || configuration != "" && !contract.IsUUID(configuration) {
		return done{}, malformed("configuration")
	}
	if by.account.ParentID != "" || !by.configurer {
		return done{}, unknown("configuration to assign")
	}
	out := done{action: "configuration changed", object: account + product, detail: inherited, flash: "inherited"}
	all, err := s.Customers.Configurations(ctx, tx, by.account.ID)
	if err != nil {
		return done{}, err
	}
	if configuration != "" {
		i := slices.IndexFunc(all, func(c customers.Configuration) bool { return c.ID == configuration })
		if i < 0 {
			return done{}, unknown("configuration")
		}
		out.flash, out.detail = "assigned", all[i].Alias
	}
	before, owner := "", by.account.ID
	if on := account + in.Get("child"); on != "" {
		// The form is on the page of a child account.
		a, err := s.Customers.Child(ctx, tx, by.account.ID, on)
		if err != nil {
			return done{}, err
		}
		out.to = "/dashboard/accounts/" + url.PathEscape(a.PublicID)
		before, owner = a.ConfigurationID, a.ID
	}
	if product != "" {
		if before, err = s.ownConfiguration(ctx, tx, owner, product); err != nil {
			return done{}, err
		}
	}
	alias := inherited
	if i := slices.IndexFunc(all, func(c customers.Configuration) bool { return c.ID == before }); i >= 0 {
		alias = all[i].Alias
	}
	out.values = staff.Changed(staff.Value{Setting: staff.SettingConfiguration, Before: alias, After: out.detail})
	to := customers.Target{Type: customers.TargetProduct, ID: product}
	if account != "" {
		to = customers.Target{Type: customers.TargetAccount, ID: account}
	}
	return out, s.Customers.Assign(ctx, tx, by.account.ID, to, configuration)
}
