package visits

import (
	"context"
	"slices"
	"strings"
	"time"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/provider/reports"
	"vestibule/internal/provider/visits/flow"
	"vestibule/internal/store"
	pages "vestibule/templates/provider"
)

// SignInSimulator simulates the sign-in of the mock banks or payroll providers.
type SignInSimulator interface {
	Login(username string) flow.Login
	// Empty reports whether a provider has no recent data of a profile.
	Empty(provider, profile string, at time.Time) bool
}

// BankSimulator simulates the sign-in of the mock banks, and their accounts.
type BankSimulator interface {
	SignInSimulator
	// Accounts returns the accounts of a profile, with their ids under a link.
	Accounts(profile, link string, at time.Time) []bankdata.Account
}

// PreparedReports are the reports that a sandbox serves by sandboxReportId.
type PreparedReports interface {
	// Lookup returns the kind of a prepared report, or store.ErrNotFound.
	Lookup(ctx context.Context, q store.Queryer, customerID, id string) (contract.Product, error)
	// Attach attaches the prepared report to publicToken.
	Attach(ctx context.Context, tx *store.Tx, customerID, id, publicToken string, from reports.Input) error
}

// Catalogue lists the data sources that visits of an environment can connect, in the
// order shown to applicants. With the zero value, a visit that needs a source ends as
// unsupported.
type Catalogue struct {
	Banks     []Bank
	Bank      BankSimulator   // of the banks without Authorize; nil without any
	Employers []Bank          // payroll providers
	Payroll   SignInSimulator // of the providers without Authorize; nil without any
	Suppliers []Bank          // of passports

	Prepared  PreparedReports // nil: there are no prepared reports
	Scenarios bool            // the applicant's name may select a simulated failure
}

// missing returns which source types have no source.
func (c Catalogue) missing() flow.MissingSources {
	return flow.MissingSources{Banks: len(c.Banks) == 0, Payroll: len(c.Employers) == 0, Suppliers: len(c.Suppliers) == 0}
}

// passwords says where applicants type their passwords: at banks, and with payroll at
// payroll providers too.
func (c Catalogue) passwords(payroll bool) pages.Passwords {
	all := c.Banks
	if payroll {
		all = slices.Concat(c.Banks, c.Employers)
	}
	own := slices.ContainsFunc(all, func(b Bank) bool { return b.Authorize })
	here := slices.ContainsFunc(all, func(b Bank) bool { return !b.Authorize })
	switch {
	case own && here:
		return pages.PasswordsVary
	case here:
		return pages.PasswordsHere
	}
	return pages.PasswordsThere
}

// catalogue returns the data sources of an environment.
func (s *Service) catalogue(env contract.Environment) Catalogue {
	if s.Catalogues == nil {
		return Catalogue{}
	}
	return s.Catalogues(env)
}

// InstitutionName returns the name of an institution of an environment, or its id if it is
// no longer offered.
func (s *Service) InstitutionName(env contract.Environment, id string) string {
	c := s.catalogue(env)
	for _, list := range [][]Bank{c.Banks, c.Employers, c.Suppliers} {
		for _, b := range list {
			if b.ID == id {
				return b.Name
			}
		}
	}
	return id
}

// Bank is a mock bank, payroll provider, or supplier. The names are invented; all of a
// kind accept the same user names.
type Bank struct {
	ID      string // as in a form's value
	Name    string // institution_name or provider_name of the report
	Place   string // to tell them apart: city and state, Online, or what it is
	PlaceES string // the same in Spanish, where that is another

	Large     bool // shown before the others
	Authorize bool // access is authorized on its own pages
}

func (b Bank) place(lang i18n.Lang) string {
	if lang == i18n.Spanish && b.PlaceES != "" {
		return b.PlaceES
	}
	return b.Place
}

// find returns the entry with an id in the list of a source type.
func (c Catalogue) find(w flow.SourceType, id string) (Bank, bool) {
	for _, b := range c.list(w) {
		if b.ID == id {
			return b, true
		}
	}
	return Bank{}, false
}

// list returns the catalogue of a source type.
func (c Catalogue) list(w flow.SourceType) []Bank {
	switch w {
	case flow.SourceBank:
		return c.Banks
	case flow.SourcePayroll:
		return c.Employers
	case flow.SourceSupplier:
		return c.Suppliers
	}
	return nil
}

// login returns the result of signing in with a user name to a source type; without a
// source, the zero Login.
func (c Catalogue) login(w flow.SourceType, username string) flow.Login {
	switch {
	case w == flow.SourcePayroll && c.Payroll != nil:
		return c.Payroll.Login(username)
	case w == flow.SourceBank && c.Bank != nil:
		return c.Bank.Login(username)
	}
	return flow.Login{}
}

// empty reports whether the source of the sign-in has no recent data.
func (s *Service) empty(v visit) bool {
	c := s.catalogue(v.environment)
	profile := c.login(v.SourceType, v.Username).Profile
	if v.SourceType == flow.SourcePayroll {
		return profile != "" && c.Payroll.Empty(v.Bank, profile, v.created)
	}
	return profile != "" && c.Bank.Empty(v.Bank, profile, v.created)
}

// maxFound is the maximum number of search results on a page.
const maxFound = 12

// FindBanks returns those of all for which every word of the query is the prefix of a
// word in name or place: first names that begin with the query, then the others, each
// in the order of all. more is the number of results left out. An empty query
// matches all.
func FindBanks(all []Bank, query string) (found []Bank, more int) {
	wanted := strings.Fields(strings.ToLower(query))
	var first, rest []Bank
	for _, b := range all {
		switch {
		case !hasWords(strings.ToLower(b.Name+" "+b.Place+" "+b.PlaceES), wanted):
		case strings.HasPrefix(strings.ToLower(b.Name), strings.Join(wanted, " ")):
			first = append(first, b)
		default:
			rest = append(rest, b)
		}
	}
	found = append(first, rest...)
	more = max(len(found)-maxFound, 0)
	return found[:len(found)-more], more
}

func hasWords(text string, wanted []string) bool {
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" ,.&-", r) })
next:
	for _, w := range wanted {
		if w == "&" {
			continue
		}
		for _, have := range words {
			if strings.HasPrefix(have, w) {
				continue next
			}
		}
		return false
	}
	return true
}
