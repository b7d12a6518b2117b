// Package payroll implements the sandbox's payroll providers: a catalogue of invented
// employers, payroll companies, and gig platforms, and the test consumers who sign in
// there (docs/divergences.md lists the usernames). Statements are generated relative
// to the day they are fetched: the same sign-in, link, and day give the same data, and
// an issued statement never changes. Withheld amounts follow the year's taxes.
//
// Identifiers derive from the link (the report's publicToken), so that consumers do
// not share them.
package payroll

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/analysis/income"
	"vestibule/internal/provider/sandbox/signin"
	"vestibule/internal/provider/sources"
	"vestibule/internal/report"
	"vestibule/internal/strictyaml"
)

// profile is a test consumer.
type profile struct {
	Owner bankdata.Person
	Jobs  []job
}

// job describes how a profile's job is generated.
type job struct {
	Title, Kind, Employer string

	Address      income.Address
	State        string
	Hired, Ended int
	Rate         report.Cents
	Per          string
	Frequency    string
	Hours        [2]int
	Bonus        int64
	Gigs         [2]int
	Fare         report.Cents
	Deposits     []income.Deposit
}

// people.yaml explains its fields.
//
//go:embed people.yaml
var peopleFile []byte

// profiles has the test consumers by username.
var profiles = sync.OnceValue(func() (all map[string]profile) {
	if err := strictyaml.Decode(peopleFile, &all); err != nil {
		panic("payroll: people.yaml: " + err.Error()) // tests read it
	}
	return all
})

// Providers implements all of them. Its zero value is ready.
type Providers struct{}

// Login returns the result of a username. Usernames of the mock banks work too where
// they make sense.
func (Providers) Login(username string) signin.Login {
	name := strings.ToLower(strings.TrimSpace(username))
	if known, alias := aliases[name]; alias {
		name = known
	}
	if _, known := profiles()[name]; known {
		return signin.Login{Known: true, Profile: name}
	}
	reason, known := map[string]sources.Reason{"error": sources.Rejected, "supplier_unresponsive": sources.Unresponsive,
		"session_expired": sources.TimedOut, "mfa": sources.Challenged}[name]
	return signin.Login{Known: known, Reason: reason}
}

// aliases are usernames of the mock banks with their profiles here.
var aliases = map[string]string{"single": "hourly", "multi": "two_jobs", "noincome": "no_statements", "no_transactions": "no_statements"}

// Fetch retrieves a provider's data on a profile at an instant. An unknown provider or
// profile has no jobs.
func (Providers) Fetch(providerID, profile, link string, at time.Time) income.Payroll {
	at = at.UTC()
	all := All()
	n := slices.IndexFunc(all, func(p sources.Institution) bool { return p.ID == providerID })
	if n < 0 {
		return income.Payroll{}
	}
	p := all[n]
	if p.Employer == income.ProviderGig && profile != "incomplete" && profile != "no_statements" {
		profile = "gig" // gig platforms pay no salaries
	}
	out := income.Payroll{
		ID: derive(link, p.ID), SourceID: bankdata.SourceID(p.Name, 0), Provider: p.Name, Type: p.Employer,
	}
	person, known := profiles()[profile]
	if !known {
		return out
	}
	if person.Owner.FirstName != "" {
		out.Owner = bankdata.Owner{RecordID: derive(link, p.ID+"/owner"), Person: person.Owner}
	}
	for i, j := range person.Jobs {
		if i == 0 && p.Employer != income.ProviderPayroll && j.Employer != "" && j.Employer != p.Name {
			j.Employer, j.Address = p.Name, addressOf(p)
		}
		out.Jobs = append(out.Jobs, j.fetch(profile, derive(link, p.ID+"/"+j.Title), report.DateOf(at)))
	}
	return out
}

// addressOf returns the provider's address, as far as the catalogue has it.
func addressOf(p sources.Institution) (a income.Address) {
	if city, state, ok := strings.Cut(p.Place, ", "); ok && p.Employer == income.ProviderEmployer {
		a.City, a.State = city, state
	}
	return a
}

func derive(link, what string) string {
	return uuid.NewSHA1(uuid.NameSpaceURL, []byte(link+"/payroll/"+what)).String()
}
