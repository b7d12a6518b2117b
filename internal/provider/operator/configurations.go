package operator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"vestibule/internal/provider/customers"
	"vestibule/internal/provider/dashboard"
	"vestibule/internal/staff"
	"vestibule/internal/store"
	providerui "vestibule/templates/provider"
)

// Errors of changes of configurations and products. Their texts are for the command line.
var (
	errChild = errors.New("a child account has no configurations of its own: name its parent account")
	errTaken = errors.New("another product of the account has this name")
)

// Configuration returns the configuration of an account or its parent with an id or alias.
func (s *Service) Configuration(ctx context.Context, q store.Queryer, a customers.Account, name string) (customers.Configuration, error) {
	all, err := s.Customers.Configurations(ctx, q, a.ParentOrSelf())
	if err != nil {
		return customers.Configuration{}, err
	}
	i := slices.IndexFunc(all, func(c customers.Configuration) bool { return c.ID == strings.ToLower(name) || c.Alias == name })
	if i < 0 {
		return customers.Configuration{}, fmt.Errorf("%w: %q", customers.ErrConfiguration, name)
	}
	return all[i], nil
}

// CreateConfiguration adds a configuration to a parent account. For an invalid field it returns a
// *customers.FieldProblem.
func (s *Service) CreateConfiguration(ctx context.Context, tx *store.Tx, a customers.Account,
	f customers.Fields) (c customers.Configuration, e staff.Entry, err error) {
	if a.ParentID != "" {
		return c, e, errChild
	}
	if c, err = s.Customers.CreateConfiguration(ctx, tx, a.ID, f); err == nil {
		e, err = s.Record(ctx, tx, a, staff.Entry{Action: "configuration added", Object: c.Alias, Detail: c.ID, Values: staff.Changed(
			staff.Value{Setting: staff.SettingName, After: c.Alias}, staff.Value{Setting: staff.SettingConfiguration, After: c.Summary()})})
	}
	return c, e, err
}

// RetireConfiguration retires a configuration of a parent account, or lets products get it again. It
// returns ErrUnchanged if nothing was to do.
func (s *Service) RetireConfiguration(ctx context.Context, tx *store.Tx, a customers.Account, name string,
	retire bool) (c customers.Configuration, e staff.Entry, err error) {
	if a.ParentID != "" {
		return c, e, errChild
	}
	if c, err = s.Configuration(ctx, tx, a, name); err != nil {
		return c, e, err
	}
	changed, err := s.Customers.RetireConfiguration(ctx, tx, a.ID, c.ID, retire)
	if err == nil && !changed {
		err = ErrUnchanged
	}
	if err == nil {
		c, err = s.Customers.Configuration(ctx, tx, a.ID, c.ID)
	}
	if err == nil {
		e = staff.Entry{Action: "configuration restored", Object: c.Alias, Detail: c.ID}
		if retire {
			e.Action = "configuration retired"
		}
		e, err = s.Record(ctx, tx, a, e)
	}
	return c, e, err
}

// CreateProduct adds a product to an account. Its configuration is named by id or alias; an empty name
// is the one that the account inherits.
func (s *Service) CreateProduct(ctx context.Context, tx *store.Tx, a customers.Account, n customers.Names,
	configuration string) (p customers.Product, e staff.Entry, err error) {
	c, err := s.assignable(ctx, tx, a, configuration)
	if err = cmp.Or(CheckNames(n), err); err != nil {
		return p, e, err
	}
	if p, err = s.Customers.CreateProduct(ctx, tx, a.ID, n, c.ID); err == nil {
		e, err = s.Record(ctx, tx, a, dashboard.ProductAdded(p))
	}
	return p, e, taken(err)
}

// RenameProduct changes the names of a product, which is named by id or name.
func (s *Service) RenameProduct(ctx context.Context, tx *store.Tx, a customers.Account, product string,
	n customers.Names) (p customers.Product, e staff.Entry, err error) {
	before, err := s.product(ctx, tx, a, product)
	if err = cmp.Or(CheckNames(n), err); err != nil {
		return p, e, err
	}
	if err = s.Customers.RenameProduct(ctx, tx, a.ID, before.ID, n); err == nil {
		e, err = s.Record(ctx, tx, a, dashboard.ProductRenamed(before, n))
	}
	if err == nil {
		p, err = s.product(ctx, tx, a, before.ID)
	}
	return p, e, taken(err)
}

// ConfigureProduct changes the configuration of a product; an empty name makes it inherit one.
func (s *Service) ConfigureProduct(ctx context.Context, tx *store.Tx, a customers.Account,
	product, configuration string) (p customers.Product, e staff.Entry, err error) {
	before, err := s.product(ctx, tx, a, product)
	if err != nil {
		return p, e, err
	}
	c, err := s.assignable(ctx, tx, a, configuration)
	if err == nil {
		err = s.Customers.ConfigureProduct(ctx, tx, a.ID, before.ID, c.ID)
	}
	if err == nil {
		e, err = s.Record(ctx, tx, a, dashboard.ProductConfigured(before, c))
	}
	if err == nil {
		if p, err = s.Customers.Product(ctx, tx, a.ID, before.ID); errors.Is(err, store.ErrNotFound) {
			err = customers.ErrConfiguration // none to inherit
		}
	}
	return p, e, err
}

// AddPrepared stores the prepared report that JSON describes.
func (s *Service) AddPrepared(ctx context.Context, tx *store.Tx, a customers.Account, body []byte) (r customers.PreparedReport,
	e staff.Entry, err error) {
	if r, err = s.Dashboard.AddPrepared(ctx, tx, a, body); err == nil {
		e, err = s.Record(ctx, tx, a, dashboard.PreparedAdded(r))
	}
	return r, e, err
}

// RemovePrepared removes a prepared report of an account. It returns dashboard.ErrNoPrepared,
// customers.ErrPreparedUsed, and store.ErrNotFound.
func (s *Service) RemovePrepared(ctx context.Context, tx *store.Tx, a customers.Account, id string) (e staff.Entry, err error) {
	if s.Customers.Prepared == nil {
		return e, dashboard.ErrNoPrepared
	}
	if err = s.Customers.Prepared.Remove(ctx, tx, a.ID, id); err == nil {
		e, err = s.Record(ctx, tx, a, dashboard.PreparedRemoved(id))
	}
	return e, err
}

func taken(err error) error {
	if errors.Is(err, customers.ErrDuplicateName) {
		return errTaken
	}
	return err
}

func (s *Service) product(ctx context.Context, q store.Queryer, a customers.Account, name string) (customers.Product, error) {
	all, err := s.Customers.Products(ctx, q, a.ID)
	if err != nil {
		return customers.Product{}, err
	}
	i := slices.IndexFunc(all, func(p customers.Product) bool { return p.ID == strings.ToLower(name) || p.Name == name })
	if i < 0 {
		return customers.Product{}, fmt.Errorf("the account has no product %q", name)
	}
	return all[i], nil
}

// assignable returns the configuration to give to a product, which must not be retired. An empty name
// returns the zero configuration, and the product then inherits one.
func (s *Service) assignable(ctx context.Context, q store.Queryer, a customers.Account, name string) (c customers.Configuration,
	err error) {
	if name == "" {
		return c, nil
	}
	if c, err = s.Configuration(ctx, q, a, name); err == nil && !c.Retired.IsZero() {
		err = fmt.Errorf("%w: %q is retired", customers.ErrConfiguration, c.Alias)
	}
	return c, err
}

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
	prepared, err := s.Dashboard.PreparedReports(ctx, q, a)
	if v.Form.Sandbox = err == nil; errors.Is(err, dashboard.ErrNoPrepared) {
		err = nil
	}
	v.Form.Prepared = dashboard.PreparedViews(prepared)
	return providerui.OperatorConfigurationsPage(d, v), err
}

func (s *Service) createConfiguration(ctx context.Context, tx *store.Tx, a customers.Account, in dashboard.Input) (dashboard.Done, error) {
	_, e, err := s.CreateConfiguration(ctx, tx, a, customers.ReadFields(in.Values))
	return dashboard.Did(e, "saved").To(pathOf(a.PublicID) + "/configurations"), formError(err)
}

func (s *Service) retireConfiguration(ctx context.Context, tx *store.Tx, a customers.Account, in dashboard.Input) (dashboard.Done, error) {
	_, e, err := s.RetireConfiguration(ctx, tx, a, in.Get("configuration"), in.Get("restore") == "")
	return dashboard.Did(e, "saved"), formError(err)
}

func (s *Service) createProduct(ctx context.Context, tx *store.Tx, a customers.Account, in dashboard.Input) (dashboard.Done, error) {
	n := customers.Names{Name: in.Field("name"), DisplayName: in.Field("displayName")}
	_, e, err := s.CreateProduct(ctx, tx, a, n, in.Get("configuration"))
	return dashboard.Did(e, "saved"), formError(err)
}
