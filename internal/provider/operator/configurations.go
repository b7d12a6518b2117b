package operator

import (
	"context"
	"errors"
	"net/http"

	"github.com/a-h/templ"

	"vestibule/internal/contract"
	"vestibule/internal/provider/customers"
	"vestibule/internal/provider/dashboard"
	"vestibule/internal/store"
	providerui "vestibule/templates/provider"
)

// configurations shows the configurations and products of an account. The query copy fills the form
// with the fields of a configuration.
func (s *Service) configurations(ctx context.Context, r *http.Request, _ dashboard.User, d providerui.Dashboard) (templ.Component, error) {
	q := s.DB.SQL
	a, err := s.Account(ctx, q, r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	v := providerui.OperatorConfigurations{PublicID: a.PublicID, Name: a.Name, Child: a.ParentID != ""}
	all, err := s.Customers.Configurations(ctx, q, a.ParentOrSelf())
	if err != nil {
		return nil, err
	}
	for _, c := range all {
		shown := dashboard.ConfigurationView(c)
		v.Configurations = append(v.Configurations, shown)
		if c.ID == r.URL.Query().Get("copy") {
			v.Form.From = shown
		}
	}
	products, err := s.Customers.Products(ctx, q, a.ID)
	if err != nil {
		return nil, err
	}
	for _, p := range products {
		v.Products = append(v.Products, dashboard.ProductView(p))
	}
	if v.Form.Sandbox = s.Customers.Prepared != nil && a.Environment == contract.Sandbox; v.Form.Sandbox {
		prepared, err := s.Customers.Prepared.List(ctx, q, a.ID)
		if err != nil {
			return nil, err
		}
		for _, p := range prepared {
			v.Form.Prepared = append(v.Form.Prepared, providerui.DashboardPreparedReport{ID: p.ID, Name: p.Name, Kind: p.Kind})
		}
	}
	return providerui.OperatorConfigurationsPage(d, v), nil
}

func (s *Service) createConfiguration(ctx context.Context, tx *store.Tx, a customers.Account, in dashboard.Input) (dashboard.Done, error) {
	c, err := s.Customers.CreateConfiguration(ctx, tx, a.ID, customers.ReadFields(in.Values))
	var problem *customers.FieldProblem
	if errors.As(err, &problem) {
		return dashboard.Done{}, dashboard.FieldProblem(problem.Field, problem.Text, problem.Args...)
	}
	if err != nil {
		return dashboard.Done{}, err
	}
	e, err := s.Record(ctx, tx, a, dashboard.ConfigurationAdded(c))
	return dashboard.Did(e, "saved").To(pathOf(a.PublicID) + "/configurations"), err
}

func (s *Service) retireConfiguration(ctx context.Context, tx *store.Tx, a customers.Account, in dashboard.Input) (dashboard.Done, error) {
	c, err := s.Customers.Configuration(ctx, tx, a.ID, in.Get("configuration"))
	if err == nil {
		err = s.Customers.RetireConfiguration(ctx, tx, a.ID, c.ID)
	}
	if err != nil {
		return dashboard.Done{}, err
	}
	e, err := s.Record(ctx, tx, a, dashboard.ConfigurationRetired(c))
	return dashboard.Did(e, "saved"), err
}

func (s *Service) createProduct(ctx context.Context, tx *store.Tx, a customers.Account, in dashboard.Input) (dashboard.Done, error) {
	n := customers.Names{Name: in.Field("name"), DisplayName: in.Field("displayName")}
	if err := CheckNames(n); err != nil {
		return dashboard.Done{}, formError(err)
	}
	p, err := s.Customers.CreateProduct(ctx, tx, a.ID, n, in.Get("configuration"))
	if errors.Is(err, customers.ErrConfiguration) {
		return dashboard.Done{}, dashboard.FieldProblem("configuration", "dashboard.product.configuration_problem")
	}
	if err != nil {
		return dashboard.Done{}, formError(err)
	}
	e, err := s.Record(ctx, tx, a, dashboard.ProductAdded(p))
	return dashboard.Did(e, "saved"), err
}
