// Package payroll implements the sandbox's payroll providers: a catalogue of invented
// employers, payroll companies, and gig platforms, and the test consumers who sign in
// there (docs/divergences.md lists the user names). Statements are generated relative
// to the day they are fetched: the same sign-in, link, and day give the same data, and
// an issued statement never changes. Withheld amounts follow the year's taxes.
//
// Identifiers derive from the link (the report's publicToken), so that consumers do
// not share them.
package payroll

import (
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/analysis/income"
	"vestibule/internal/contract"
	"vestibule/internal/provider/visits/flow"
	"vestibule/internal/report"
)

// Provider is one mock payroll provider.
type Provider struct {
	ID     string // as in a form's value
	Name   string
	Type   string // income.ProviderEmployer, income.ProviderPayroll or income.ProviderGig
	Hint   string // to tell providers apart: city and state, or what it is
	HintES string // in Spanish; empty: the same
}

// Providers implements all of them. Its zero value is ready.
type Providers struct{}

// Login returns the result of a user name: a profile, or the status and substatus with
// which the visit ends. User names of the mock banks work too where they make sense.
func (Providers) Login(username string) flow.Login {
	name := strings.ToLower(strings.TrimSpace(username))
	if known, alias := aliases[name]; alias {
		name = known
	}
	if _, known := profiles[name]; known {
		return flow.Login{Known: true, Profile: name}
	}
	switch name {
	case "error":
		return flow.Login{Known: true, Status: contract.StatusError}
	case "supplier_unresponsive":
		return flow.Login{Known: true, Status: contract.StatusSupplierUnresponsive}
	case "session_expired":
		return flow.Login{Known: true, Status: contract.StatusSupplierUnresponsive, Substatus: contract.SubWidgetSessionExpired}
	case "mfa":
		return flow.Login{Known: true, Status: contract.StatusNotAuthenticated, Substatus: contract.SubMFARequired}
	}
	return flow.Login{}
}

// aliases are user names of the mock banks with their profiles here.
var aliases = map[string]string{"single": "hourly", "multi": "two_jobs", "noincome": "no_statements", "no_transactions": "no_statements"}

// Empty reports whether a profile has no pay statements at a provider.
func (p Providers) Empty(providerID, profile string, at time.Time) bool {
	return !slices.ContainsFunc(p.Fetch(providerID, profile, "", at).Jobs, func(j income.Job) bool { return len(j.Statements) > 0 })
}

// Fetch retrieves a provider's data on a profile at an instant. An unknown provider or
// profile has no jobs.
func (Providers) Fetch(providerID, profile, link string, at time.Time) income.Payroll {
	at = at.UTC()
	p, ok := Find(providerID)
	if !ok {
		return income.Payroll{}
	}
	if p.Type == income.ProviderGig && profile != "incomplete" && profile != "no_statements" {
		profile = "gig" // gig platforms pay no salaries
	}
	out := income.Payroll{
		ID: derive(link, p.ID), SourceID: bankdata.SourceID(p.Name, 0), Provider: p.Name, Type: p.Type,
	}
	person, known := profiles[profile]
	if !known {
		return out
	}
	if person.owner.FirstName != "" {
		out.Owner = bankdata.Owner{RecordID: derive(link, p.ID+"/owner"), Person: person.owner}
	}
	for i, j := range person.jobs {
		if i == 0 && p.Type != income.ProviderPayroll && j.employer != "" && j.employer != p.Name {
			j.employer, j.address = p.Name, p.address()
		}
		out.Jobs = append(out.Jobs, j.fetch(profile, derive(link, p.ID+"/"+j.title), report.DateOf(at)))
	}
	return out
}

// address returns the provider's address, as far as the catalogue has it.
func (p Provider) address() (a income.Address) {
	if city, state, ok := strings.Cut(p.Hint, ", "); ok && p.Type == income.ProviderEmployer {
		a.City, a.State = city, state
	}
	return a
}

func derive(link, what string) string {
	return uuid.NewSHA1(uuid.NameSpaceURL, []byte(link+"/payroll/"+what)).String()
}
