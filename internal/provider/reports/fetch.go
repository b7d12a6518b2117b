package reports

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/analysis/income"
	"vestibule/internal/contract"
	"vestibule/internal/provider/sources"
	"vestibule/internal/report"
)

// fetched is the data of a source, or the failure to get it.
type fetched struct {
	data   sources.Fetched
	failed sources.Reason // empty: data is complete, except for data.Failed
}

// unusable returns why a source has no account for the report, if its accounts failed.
func unusable(r Report, data sources.Fetched) sources.Reason {
	failed := slices.IndexFunc(data.Failed, func(a sources.AccountFailure) bool { return a.Reason != sources.Unsupported })
	uses := func(a bankdata.Account) bool { return kinds[r.Kind].uses(a.Type) }
	if failed < 0 || slices.ContainsFunc(data.Accounts, uses) {
		return ""
	}
	return data.Failed[failed].Reason
}

// fetchSources retrieves the data of the input's sign-ins from their institutions,
// concurrently. The result is by source and includes failures of institutions. After an
// error the report has to be tried again.
func (s *Service) fetchSources(ctx context.Context, env contract.Environment, r Report, in Input) (map[string]fetched, error) {
	var mu sync.Mutex
	var wait sync.WaitGroup
	var faults error
	out := map[string]fetched{}
	for _, at := range slices.Concat(in.Banks, in.SignIns) {
		if !at.good() {
			continue
		}
		wait.Go(func() {
			data, err := s.fetch(ctx, env, r, at)
			mu.Lock()
			defer mu.Unlock()
			failure := (*sources.Failure)(nil)
			switch {
			case errors.As(err, &failure):
				s.Log.WarnContext(ctx, "a source failed", "institution", at.Provider, "report", r.PublicToken, "err", err)
				out[r.sourceKey(at)] = fetched{failed: failure.Reason}
			case err != nil:
				faults = errors.Join(faults, err)
			default:
				data.Failed = slices.DeleteFunc(data.Failed, func(a sources.AccountFailure) bool {
					return a.Type != "" && !kinds[r.Kind].uses(a.Type)
				})
				for _, a := range data.Failed {
					s.Log.WarnContext(ctx, "an account of a source is incomplete", "institution", at.Provider,
						"report", r.PublicToken, "partial", a.Partial, "err", string(a.Reason))
				}
				out[r.sourceKey(at)] = fetched{data: data, failed: unusable(r, data)}
			}
		})
	}
	wait.Wait()
	return out, faults
}

// fetch retrieves the data of a sign-in.
func (s *Service) fetch(ctx context.Context, env contract.Environment, r Report, at SignIn) (sources.Fetched, error) {
	to := report.DateOf(r.Retrieved)
	from := bankdata.HistoryStart(to)
	if at.Connection != "" {
		return s.Sources.Fetch(ctx, at.Connection, from, to)
	}
	form, err := s.Sources.Form(env, at.Provider)
	if err != nil {
		return sources.Fetched{}, err
	}
	return form.Fetch(ctx, at.Provider, sources.Grant{Access: at.Profile, ConsentID: r.link(at)}, from, to)
}

// sourceKey identifies the source of a sign-in within the report.
func (r Report) sourceKey(at SignIn) string { return cmp.Or(at.Connection, at.Provider+"/"+r.link(at)) }

// payrollOf returns the source of a sign-in at a payroll provider, with the report's
// identifiers in place of the connector's.
func payrollOf(r Report, at SignIn, provider sources.Institution, f sources.Fetched) income.Payroll {
	name := cmp.Or(at.Name, provider.Name)
	p := income.Payroll{ID: DerivedID(r.link(at), "payroll/"+at.Provider), SourceID: bankdata.SourceID(name, 0),
		Provider: name, Type: provider.Employer}
	if f.Payroll == nil {
		return p
	}
	id := func(what string) string { return DerivedID(r.PublicToken, r.sourceKey(at)+"/"+what) }
	if p.Owner = f.Payroll.Owner; p.Owner.FirstName != "" || p.Owner.LastName != "" {
		p.Owner.RecordID = id("owner")
	}
	for _, j := range f.Payroll.Jobs {
		j.RecordID = id("job/" + j.RecordID)
		p.Jobs = append(p.Jobs, j)
	}
	return p
}

// ConnectionID returns the identifier that a report uses for a source: the id of the access
// to an institution.
func ConnectionID(publicToken, source string) string {
	return DerivedID(publicToken, source+"/connection")
}

// connectionOf converts fetched data to a connection of the report, with the report's
// identifiers in place of the institution's. n is how many connections with the same
// institution are before it.
func connectionOf(r Report, at SignIn, f sources.Fetched, n int) bankdata.Connection {
	id := func(what string) string { return DerivedID(r.PublicToken, r.sourceKey(at)+"/"+what) }
	c := bankdata.Connection{ID: ConnectionID(r.PublicToken, r.sourceKey(at)), SourceID: bankdata.SourceID(at.Name, n), Institution: at.Name,
		Status: f.Status()}
	for i, o := range f.Owners {
		o.RecordID = id("owner/" + strconv.Itoa(i))
		c.Owners = append(c.Owners, o)
	}
	for _, a := range f.Accounts {
		if at.Accounts != nil && !slices.Contains(at.Accounts, a.ID) {
			continue
		}
		account := a.ID
		a.ID, a.Institution = id("account/"+account), at.Name
		a.Addresses = append([]bankdata.Address(nil), a.Addresses...)
		for i := range a.Addresses {
			a.Addresses[i].ID = id("address/" + account + "/" + strconv.Itoa(i))
		}
		c.Accounts = append(c.Accounts, a)
	}
	return c
}
