package dashboard

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/a-h/templ"

	"vestibule/internal/contract"
	"vestibule/internal/provider/customers"
	"vestibule/internal/staff"
	providerui "vestibule/templates/provider"

	"vestibule/internal/store"
)

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
	SortNamed(all, sort, func(a customers.Account) (string, time.Time) { return a.Name, a.Created })
	v := providerui.DashboardAccounts{List: listOf("/dashboard/accounts", q), Searched: text, Addable: by.hierarchy}
	for _, a := range all {
		if Contains(text, a.Name, a.DisplayName, a.PublicID) {
			v.Children = append(v.Children, providerui.DashboardAccount{PublicID: a.PublicID,
				Name: a.Name, DisplayName: a.DisplayName, Created: a.Created})
		}
	}
	return providerui.DashboardAccountsPage(d, v), nil
}

func (s *Service) child(ctx context.Context, r *http.Request, by user, d providerui.Dashboard) (templ.Component, error) {
	a, err := s.Customers.Child(ctx, s.DB.SQL, by.account.ID, r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	v := providerui.DashboardAccount{PublicID: a.PublicID, Name: a.Name, DisplayName: a.DisplayName, Created: a.Created,
		Own: a.ConfigurationID}
	if v.Products, err = s.productViews(ctx, a.ID); err != nil {
		return nil, err
	}
	if v.Users, err = s.Staff.Users(ctx, s.DB.SQL, a.ID); err != nil {
		return nil, err
	}
	if v.Credentials, err = s.credentialViews(ctx, a.ID); err != nil {
		return nil, err
	}
	v.Configurations, err = s.configurations(ctx, by.account.ID)
	v.Assignable = by.configurer && len(v.Configurations) > 0
	return providerui.DashboardAccountPage(d, v), err
}

// names reads the names of an account or a product from the form.
func (s *Service) names(in input) (customers.Names, error) {
	for _, f := range []string{"name", "displayName"} {
		if v := in.Field(f); customers.NameProblem(v) != "" && (v != "" || f == "name") {
			return customers.Names{}, fieldProblem(f, "dashboard.name.invalid")
		}
	}
	return customers.Names{Name: in.Field("name"), DisplayName: in.Field("displayName")}, nil
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
	if err == nil && !added {
		err = fieldProblem("name", "dashboard.name.taken")
	}
	return done{action: "child added", object: a.PublicID, values: namesGiven(names), flash: "child",
		to: "/dashboard/accounts/" + url.PathEscape(a.PublicID)}, err
}

// namesGiven returns the names of a new account or product for the audit trail.
func namesGiven(n customers.Names) []staff.Value {
	return staff.Changed(staff.Value{Setting: staff.SettingName, After: n.Name},
		staff.Value{Setting: staff.SettingDisplayName, After: n.DisplayName})
}

// assign assigns a configuration to a child account, or removes it so that the account
// inherits.
func (s *Service) assign(ctx context.Context, tx *store.Tx, by user, in input) (done, error) {
	configuration := in.Get("configuration")
	if configuration != "" && !contract.IsUUID(configuration) {
		return done{}, malformed("configuration")
	}
	if !by.configurer {
		return done{}, unknown("configuration to assign")
	}
	a, err := s.Customers.Child(ctx, tx, by.account.ID, in.id)
	if err != nil {
		return done{}, err
	}
	if configuration == a.ConfigurationID {
		return done{}, noChange{flashNoChange}
	}
	all, err := s.Customers.Configurations(ctx, tx, by.account.ID)
	if err != nil {
		return done{}, err
	}
	alias := func(id string) string {
		if i := slices.IndexFunc(all, func(c customers.Configuration) bool { return c.ID == id }); i >= 0 {
			return all[i].Alias
		}
		return inherited
	}
	out := done{action: "configuration changed", object: a.PublicID, detail: alias(configuration), flash: "inherited"}
	if configuration != "" {
		out.flash = "assigned"
		if i := slices.IndexFunc(all, func(c customers.Configuration) bool { return c.ID == configuration }); i < 0 || !all[i].Retired.IsZero() {
			return done{}, fieldProblem("account-configuration", "dashboard.product.configuration_problem")
		}
	}
	out.values = staff.Changed(staff.Value{Setting: staff.SettingConfiguration, Before: alias(a.ConfigurationID), After: out.detail})
	return out, s.Customers.Assign(ctx, tx, by.account.ID, customers.Target{Type: customers.TargetAccount, ID: a.PublicID}, configuration)
}
