package provider

import (
	"cmp"
	"context"
	"database/sql"
	"errors"

	"vestibule/internal/analysis/income"
	"vestibule/internal/provider/customers"
	"vestibule/internal/provider/events"
	"vestibule/internal/provider/reports"
	"vestibule/internal/provider/sharing"
	"vestibule/internal/store"
	"vestibule/internal/svc"
)

// statusChanged notifies the owner of a report, and those it is shared with.
func (p *Provider) statusChanged(ctx context.Context, tx *sql.Tx, c reports.StatusChange) error {
	if err := p.events.Record(ctx, tx, c.CustomerID, c.PublicToken, c.Status, c.Substatus); err != nil {
		return err
	}
	return p.sharing.Ended(ctx, tx, c.PublicToken, c.Status, c.Substatus)
}

// sharedEvents tells third parties of what is shared with them.
type sharedEvents struct{ events *events.Service }

func (e sharedEvents) Record(ctx context.Context, tx *sql.Tx, all []sharing.Told) error {
	var news []events.News
	for _, t := range all {
		news = append(news, events.News{CustomerID: t.ThirdPartyID, PublicToken: t.RelayToken, Status: t.Status, Substatus: t.Substatus})
	}
	return e.events.RecordAll(ctx, tx, news)
}

// sharedReports tells sharing about reports.
type sharedReports struct{ reports *reports.Service }

func (s sharedReports) Hold(ctx context.Context, tx *sql.Tx, customerID, publicToken string) (sharing.Report, error) {
	r, err := s.reports.Hold(ctx, tx, customerID, publicToken)
	return sharing.Report{PublicToken: r.PublicToken, Status: r.Status, Substatus: r.Substatus, Created: r.Created}, err
}

func (sharedReports) NotReady(r sharing.Report) error {
	return reports.NotReady(reports.Report{Status: r.Status, Substatus: r.Substatus})
}

// secondaryReports makes reports from the data of others for sharing.
type secondaryReports struct {
	reports   *reports.Service
	customers *customers.Service
}

func (s secondaryReports) Source(ctx context.Context, q store.Queryer, customerID, publicToken string) (sharing.Source, error) {
	r, err := s.reports.Own(ctx, q, customerID, publicToken)
	if err != nil {
		return sharing.Source{}, err
	}
	source := sharing.Source{Report: sharing.Report{PublicToken: r.PublicToken, Status: r.Status, Substatus: r.Substatus, Created: r.Created},
		CustomerID: r.CustomerID, ProductID: r.ProductID, Kind: r.Kind, Secondary: r.Secondary()}
	if r.ConsumerID != "" {
		c, err := s.customers.Consumer(ctx, q, customerID, r.ConsumerID)
		source.Withdrawn = c.ConsentWithdrawn
		return source, err
	}
	return source, nil
}

func (s secondaryReports) Product(ctx context.Context, q store.Queryer, customerID, productID string) (sharing.Product, error) {
	p, err := s.customers.Product(ctx, q, customerID, productID)
	suite := p.Kind != svc.Income || income.AtLeast(cmp.Or(p.Configuration.IncomeModelSuite, income.Suite12), income.Suite12)
	return sharing.Product{Kind: p.Kind, Suite: suite}, err
}

func (s secondaryReports) Material(ctx context.Context, source sharing.Source) (sharing.Material, error) {
	m, err := s.reports.Material(ctx, reports.Report{PublicToken: source.PublicToken})
	if errors.Is(err, store.ErrShredded) {
		err = store.ErrNotFound
	}
	return material{m, s.reports}, err
}

// material is what a secondary report is made from.
type material struct {
	reports.Material
	reports *reports.Service
}

func (m material) Derive(n sharing.Derived) (func(context.Context, *sql.Tx) error, error) {
	begin, err := m.reports.Derive(m.Material, reports.New{PublicToken: n.PublicToken, CustomerID: n.CustomerID, ProductID: n.ProductID,
		Kind: n.Kind, ExternalID: n.ExternalID, UserArgs: n.UserArgs})
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, tx *sql.Tx) error {
		err := begin(ctx, tx)
		if errors.Is(err, reports.ErrDuplicateExternalID) {
			return sharing.ErrDuplicateExternalID
		}
		return err
	}, nil
}
