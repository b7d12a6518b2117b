package access

import (
	"context"
	"errors"
	"slices"
	"strings"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/provider/reports"
	"vestibule/internal/provider/sharing"
	"vestibule/internal/provider/sources"
	"vestibule/internal/provider/visits/flow"
	"vestibule/internal/store"
	providerui "vestibule/templates/provider"
)

// ofSession returns the access to institutions that a session shows.
func (s *Service) ofSession(ctx context.Context, q store.Queryer, o session) ([]sources.Connection, error) {
	all, err := s.Sources.OfMailbox(ctx, q, o.mailbox)
	return slices.DeleteFunc(all, func(c sources.Connection) bool { return !o.all() && c.CustomerID != o.company }), err
}

// shared lists the companies that the consumers of a session shared reports with, those of
// the newest reports first, with the sources that they can still use.
func (s *Service) shared(ctx context.Context, l i18n.Lang, o session) (out []providerui.AccessCompany, err error) {
	rows, err := sharedReports(ctx, s.DB.SQL, o)
	if err != nil {
		return nil, err
	}
	at := map[string]int{}      // indexes in out by customer
	listed := map[string]bool{} // customer and institution of a source
	for _, row := range rows {
		i, known := at[row.customerID]
		if !known {
			a, err := s.Customers.ByID(ctx, s.DB.SQL, row.customerID)
			if err != nil {
				return nil, err
			}
			i = len(out)
			at[row.customerID] = i
			out = append(out, providerui.AccessCompany{Name: a.ApplicantName(), Account: a.PublicID, Older: row.total})
		}
		report, err := s.report(ctx, l, row)
		if err != nil {
			return nil, err
		}
		c := &out[i]
		c.Open = c.Open || row.withdrawn.IsZero() && !row.submitted
		c.Older--
		c.Reports = append(c.Reports, report)
	}
	connections, err := s.ofSession(ctx, s.DB.SQL, o)
	if err != nil {
		return nil, err
	}
	for _, source := range connections {
		i, known := at[source.CustomerID]
		key := source.CustomerID + "/" + source.Institution
		if !known || !source.Open(s.Now()) || listed[key] {
			continue
		}
		listed[key] = true
		out[i].Sources = append(out[i].Sources, providerui.AccessSource{ID: source.ID, Name: s.sourceName(source)})
	}
	for _, c := range out {
		slices.SortFunc(c.Sources, func(a, b providerui.AccessSource) int { return strings.Compare(a.Name, b.Name) })
	}
	return out, nil
}

func (s *Service) sourceName(c sources.Connection) string {
	return s.Visits.InstitutionName(c.Environment, c.Institution)
}

// report describes a report without personal data.
func (s *Service) report(ctx context.Context, l i18n.Lang, row sharedReport) (providerui.AccessReport, error) {
	r := providerui.AccessReport{ID: reference(row.publicToken), Kind: row.kind, Closed: row.closed,
		Made: row.status == contract.StatusSuccess, Shared: row.created, Withdrawn: row.withdrawn, Updates: row.updates, Updated: row.updated,
		Pending: row.status == contract.StatusPending}
	if row.status == contract.StatusSuccess {
		r.Until = row.created.Add(reports.MaxAge)
		r.Figures = s.Now().Before(r.Until)
		if row.updates > 0 {
			r.Until = row.updated.Add(reports.MaxAge)
		}
		r.Over = !s.Now().Before(r.Until)
	}
	if err := s.addSources(ctx, l, row, &r); err != nil {
		return r, err
	}
	reads, err := s.Reports.Reads(ctx, s.DB.SQL, row.publicToken)
	if err != nil {
		return r, err
	}
	for _, x := range reads {
		a, err := s.Customers.ByID(ctx, s.DB.SQL, x.Reader)
		if err != nil {
			return r, err
		}
		if name := a.ApplicantName(); !slices.Contains(r.ReadBy, name) {
			r.ReadBy = append(r.ReadBy, name)
		}
	}
	shares, err := s.Sharing.Shares(ctx, s.DB.SQL, row.customerID, row.publicToken)
	if err != nil {
		return r, err
	}
	for _, share := range shares {
		if share.Read.IsZero() && share.State(s.Now()) != sharing.Active {
			continue // it was never read, and cannot be
		}
		a, err := s.Customers.ByID(ctx, s.DB.SQL, share.ThirdPartyID)
		if err != nil {
			return r, err
		}
		r.ThirdParties = append(r.ThirdParties, a.ApplicantName())
	}
	return r, nil
}

// addSources adds the sources that the report has data of, and the access that is open.
func (s *Service) addSources(ctx context.Context, l i18n.Lang, row sharedReport, r *providerui.AccessReport) error {
	add := func(name string) {
		if !slices.Contains(r.From, name) {
			r.From = append(r.From, name)
		}
	}
	visit, err := s.Visits.Summary(ctx, s.DB.SQL, row.source)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	for _, source := range visit.Sources {
		switch {
		case source.Skipped != "" || source.Failed != "":
		case source.Institution != "":
			add(source.Institution)
		case source.Type == flow.SourceDocuments:
			add(i18n.T(l, "visit.connected.documents"))
		default:
			add(i18n.T(l, "visit.connected.pay_stubs"))
		}
	}
	connections, err := s.Sources.OfReport(ctx, s.DB.SQL, row.source)
	if err != nil {
		return err
	}
	for _, c := range connections {
		name := s.sourceName(c)
		add(name)
		if c.Open(s.Now()) {
			r.Access = append(r.Access, providerui.OpenAccess{Name: name, Until: c.Expires})
		}
	}
	return nil
}
