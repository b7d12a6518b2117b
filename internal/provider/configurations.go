package provider

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"vestibule/internal/contract"
	"vestibule/internal/provider/customers"
	"vestibule/internal/provider/dashboard"
	"vestibule/internal/provider/operator"
	"vestibule/internal/staff"
	"vestibule/internal/store"
)

// Configurations lists the configurations of the parent account with a publicId, oldest
// first, retired ones included. For a child account it lists its parent's.
func (p *Provider) Configurations(ctx context.Context, publicID string) ([]customers.Configuration, error) {
	a, err := p.account(ctx, p.config.DB.SQL, publicID)
	if err != nil {
		return nil, err
	}
	return p.customers.Configurations(ctx, p.config.DB.SQL, a.ParentOrSelf())
}

// CreateConfiguration adds a configuration to the parent account with a publicId. For an
// invalid field it returns a *customers.FieldProblem.
func (p *Provider) CreateConfiguration(ctx context.Context, publicID string, f customers.Fields) (c customers.Configuration, err error) {
	err = p.operate(ctx, publicID, func(ctx context.Context, tx *store.Tx, a customers.Account) (staff.Entry, error) {
		c, err = p.customers.CreateConfiguration(ctx, tx, a.ID, f)
		return dashboard.ConfigurationAdded(c), parentOnly(a, err)
	})
	return c, err
}

// CopyConfiguration adds a configuration with the fields of another one of the account,
// which is named by id or alias, where change has none.
func (p *Provider) CopyConfiguration(ctx context.Context, publicID, name string, change customers.Fields) (c customers.Configuration,
	err error) {
	err = p.operate(ctx, publicID, func(ctx context.Context, tx *store.Tx, a customers.Account) (staff.Entry, error) {
		from, err := p.configuration(ctx, tx, a, name)
		if err == nil {
			c, err = p.customers.CreateConfiguration(ctx, tx, a.ID, from.Fields().With(change))
		}
		return dashboard.ConfigurationAdded(c), parentOnly(a, err)
	})
	return c, err
}

// RetireConfiguration retires a configuration of the parent account with a publicId.
func (p *Provider) RetireConfiguration(ctx context.Context, publicID, name string) (c customers.Configuration, err error) {
	err = p.operate(ctx, publicID, func(ctx context.Context, tx *store.Tx, a customers.Account) (staff.Entry, error) {
		c, err = p.configuration(ctx, tx, a, name)
		if err == nil {
			c.Retired, err = tx.Now, p.customers.RetireConfiguration(ctx, tx, a.ID, c.ID)
		}
		if errors.Is(err, store.ErrNotFound) {
			err = fmt.Errorf("the configuration %q is retired already", c.Alias)
		}
		return dashboard.ConfigurationRetired(c), parentOnly(a, err)
	})
	return c, err
}

// parentOnly explains an error of an account that is a child and has no configurations.
func parentOnly(a customers.Account, err error) error {
	if err != nil && a.ParentID != "" {
		return errors.New("a child account has no configurations of its own: name its parent account")
	}
	return err
}

// Products lists the products of the account with a publicId.
func (p *Provider) Products(ctx context.Context, publicID string) ([]customers.Product, error) {
	a, err := p.account(ctx, p.config.DB.SQL, publicID)
	if err != nil {
		return nil, err
	}
	return p.customers.Products(ctx, p.config.DB.SQL, a.ID)
}

// CreateProduct adds a product to the account with a publicId. Its configuration is named by
// id or alias; an empty name is the one that the account inherits.
func (p *Provider) CreateProduct(ctx context.Context, publicID string, n customers.Names,
	configuration string) (made customers.Product, err error) {
	if err := operator.CheckNames(n); err != nil {
		return made, err
	}
	err = p.operate(ctx, publicID, func(ctx context.Context, tx *store.Tx, a customers.Account) (staff.Entry, error) {
		c, err := p.assignable(ctx, tx, a, configuration)
		if err == nil {
			made, err = p.customers.CreateProduct(ctx, tx, a.ID, n, c.ID)
		}
		return dashboard.ProductAdded(made), productError(err)
	})
	return made, err
}

// RenameProduct changes the names of a product, which is named by id or name.
func (p *Provider) RenameProduct(ctx context.Context, publicID, product string, n customers.Names) (made customers.Product, err error) {
	if err := operator.CheckNames(n); err != nil {
		return made, err
	}
	return p.changeProduct(ctx, publicID, product, func(ctx context.Context, tx *store.Tx, _ customers.Account, before customers.Product) (
		staff.Entry, error) {
		return dashboard.ProductRenamed(before, n), p.customers.RenameProduct(ctx, tx, before.CustomerID, before.ID, n)
	})
}

// ConfigureProduct changes the configuration of a product; an empty name makes it inherit
// one.
func (p *Provider) ConfigureProduct(ctx context.Context, publicID, product, configuration string) (made customers.Product, err error) {
	return p.changeProduct(ctx, publicID, product, func(ctx context.Context, tx *store.Tx, a customers.Account, before customers.Product) (
		staff.Entry, error) {
		c, err := p.assignable(ctx, tx, a, configuration)
		if err == nil {
			err = p.customers.ConfigureProduct(ctx, tx, a.ID, before.ID, c.ID)
		}
		return dashboard.ProductConfigured(before, c), err
	})
}

func (p *Provider) changeProduct(ctx context.Context, publicID, product string,
	change func(context.Context, *store.Tx, customers.Account, customers.Product) (staff.Entry, error)) (made customers.Product, err error) {
	err = p.operate(ctx, publicID, func(ctx context.Context, tx *store.Tx, a customers.Account) (staff.Entry, error) {
		all, err := p.customers.Products(ctx, tx, a.ID)
		if err != nil {
			return staff.Entry{}, err
		}
		i := slices.IndexFunc(all, func(o customers.Product) bool { return o.ID == strings.ToLower(product) || o.Name == product })
		if i < 0 {
			return staff.Entry{}, fmt.Errorf("the account has no product %q", product)
		}
		e, err := change(ctx, tx, a, all[i])
		if err != nil {
			return e, productError(err)
		}
		made, err = p.customers.Product(ctx, tx, a.ID, all[i].ID)
		if errors.Is(err, store.ErrNotFound) {
			err = customers.ErrConfiguration // none to inherit
		}
		return e, productError(err)
	})
	return made, err
}

func productError(err error) error {
	switch {
	case errors.Is(err, customers.ErrDuplicateName):
		return errors.New("another product of the account has this name")
	case errors.Is(err, customers.ErrConfiguration):
		return errors.New("the account has no such configuration that can be assigned: `vestibule configuration list` lists all")
	}
	return err
}

// configuration returns the configuration of an account with an id or alias.
func (p *Provider) configuration(ctx context.Context, q store.Queryer, a customers.Account, name string) (customers.Configuration, error) {
	all, err := p.customers.Configurations(ctx, q, a.ParentOrSelf())
	if err != nil {
		return customers.Configuration{}, err
	}
	i := slices.IndexFunc(all, func(c customers.Configuration) bool { return c.ID == strings.ToLower(name) || c.Alias == name })
	if i < 0 {
		return customers.Configuration{}, fmt.Errorf("the account has no configuration %q: `vestibule configuration list` lists all", name)
	}
	return all[i], nil
}

// assignable returns the configuration to give to a product. An empty name returns the zero
// configuration, and the product then inherits one. It refuses a retired configuration.
func (p *Provider) assignable(ctx context.Context, q store.Queryer, a customers.Account, name string) (c customers.Configuration,
	err error) {
	if name == "" {
		return c, nil
	}
	if c, err = p.configuration(ctx, q, a, name); err == nil && !c.Retired.IsZero() {
		err = fmt.Errorf("the configuration %q is retired", c.Alias)
	}
	return c, err
}

// errNoPrepared is returned in production, which has no prepared reports.
var errNoPrepared = errors.New("prepared reports exist in the sandbox only")

// PreparedReports lists the prepared reports of the account with a publicId.
func (p *Provider) PreparedReports(ctx context.Context, publicID string) ([]customers.PreparedReport, error) {
	a, err := p.account(ctx, p.config.DB.SQL, publicID)
	if err == nil && (p.customers.Prepared == nil || a.Environment != contract.Sandbox) {
		err = errNoPrepared
	}
	if err != nil {
		return nil, err
	}
	return p.customers.Prepared.List(ctx, p.config.DB.SQL, a.ID)
}

// AddPreparedReport stores the prepared report that JSON describes, for the account with a
// publicId.
func (p *Provider) AddPreparedReport(ctx context.Context, publicID string, body []byte) (r customers.PreparedReport, err error) {
	if p.customers.Prepared == nil {
		return r, errNoPrepared
	}
	add, err := p.customers.Prepared.Read(body)
	if err != nil {
		return r, err
	}
	err = p.operate(ctx, publicID, func(ctx context.Context, tx *store.Tx, a customers.Account) (staff.Entry, error) {
		if a.Environment != contract.Sandbox {
			return staff.Entry{}, errNoPrepared
		}
		r, err = add(ctx, tx, a.ID)
		return dashboard.PreparedAdded(r), err
	})
	return r, err
}

// operate makes an operator's change to the account with a publicId, and records it in the
// audit trails of the operators, of the account and, for a child, of its parent.
func (p *Provider) operate(ctx context.Context, publicID string,
	change func(context.Context, *store.Tx, customers.Account) (staff.Entry, error)) error {
	return p.ChangeAccount(ctx, publicID, func(ctx context.Context, tx *store.Tx, a customers.Account) (staff.Entry, error) {
		e, err := change(ctx, tx, a)
		if err != nil {
			return e, err
		}
		return p.operator.Record(ctx, tx, a, e)
	})
}
