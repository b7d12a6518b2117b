package reports

import (
	"context"
	"errors"
	"strconv"
	"sync"

	"vestibule/internal/analysis/bankdata"
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
	for _, at := range in.Banks {
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
