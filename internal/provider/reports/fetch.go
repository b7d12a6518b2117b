package reports

import (
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

// fetched is the data of a connection, or why there is none.
type fetched struct {
	data   sources.Fetched
	failed sources.Reason // empty: data is complete, except for data.Failed
}

// fetchConnections retrieves the data of the input's connections from their institutions,
// concurrently. The result is by connection id and includes failures of institutions. After
// an error the report has to be tried again.
func (s *Service) fetchConnections(ctx context.Context, r Report, in Input) (map[string]fetched, error) {
	var mu sync.Mutex
	var wait sync.WaitGroup
	var faults error
	out := map[string]fetched{}
	to := report.DateOf(r.Retrieved)
	for _, at := range slices.Concat(in.Banks, in.SignIns) {
		if !at.good() || at.Connection == "" {
			continue
		}
		wait.Go(func() {
			institution, data, err := s.Connections.Fetch(ctx, at.Connection, bankdata.HistoryStart(to), to)
			mu.Lock()
			defer mu.Unlock()
			failure := (*sources.Failure)(nil)
			switch {
			case errors.As(err, &failure):
				s.Log.WarnContext(ctx, "a source failed", "institution", institution.ID, "report", r.PublicToken, "err", err)
				out[at.Connection] = fetched{failed: failure.Reason}
			case err != nil:
				faults = errors.Join(faults, err)
			default:
				for _, a := range data.Failed {
					s.Log.WarnContext(ctx, "an account of a source is incomplete", "institution", institution.ID,
						"report", r.PublicToken, "partial", a.Partial, "err", string(a.Reason))
				}
				out[at.Connection] = fetched{data: data}
			}
		})
	}
	wait.Wait()
	return out, faults
}

// connectedPayroll returns the source of a sign-in at a payroll provider of a connector,
// without data; false for one of the sandbox without.
func (s *Service) connectedPayroll(env contract.Environment, r Report, at SignIn) (p income.Payroll, ok bool) {
	if s.Connections == nil {
		return p, false
	}
	in, _, found := s.Connections.Find(env, at.Provider)
	if !found && at.Connection == "" {
		return p, false
	}
	return income.Payroll{ID: derivedID(r.link(at), "payroll/"+at.Provider), SourceID: bankdata.SourceID(at.Name, 0),
		Provider: at.Name, Type: in.Employer}, true
}

// payrollOf adds fetched data to a source, with the report's identifiers in place of the
// connector's.
func payrollOf(p income.Payroll, r Report, at SignIn, f sources.Fetched) income.Payroll {
	if f.Payroll == nil {
		return p
	}
	id := func(what string) string { return derivedID(r.PublicToken, at.Connection+"/"+what) }
	if p.Owner = f.Payroll.Owner; p.Owner.FirstName != "" || p.Owner.LastName != "" {
		p.Owner.RecordID = id("owner")
	}
	for _, j := range f.Payroll.Jobs {
		j.RecordID = id("job/" + j.RecordID)
		p.Jobs = append(p.Jobs, j)
	}
	return p
}

// connectionOf converts fetched data to a connection of the report, with the report's
// identifiers in place of the institution's. n is how many connections with the same
// institution are before it.
func connectionOf(r Report, at SignIn, f sources.Fetched, n int) bankdata.Connection {
	id := func(what string) string { return derivedID(r.PublicToken, at.Connection+"/"+what) }
	c := bankdata.Connection{ID: id("connection"), SourceID: bankdata.SourceID(at.Name, n), Institution: at.Name,
		Status: contract.StatusSuccess}
	for i, o := range f.Owners {
		o.RecordID = id("owner/" + strconv.Itoa(i))
		c.Owners = append(c.Owners, o)
	}
	for _, a := range f.Accounts {
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
