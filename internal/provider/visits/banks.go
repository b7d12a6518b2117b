package visits

import (
	"cmp"
	"strings"

	"vestibule/internal/contract"
)

// Catalogue has the data sources that the visits of an environment connect. The
// zero value is none: a visit that needs one then ends as unsupported. Catalogues
// are in the order in which applicants see them.
type Catalogue struct {
	Banks     []Bank
	Bank      BankAccess // set where Banks are
	Employers []Bank     // payroll providers
	Payroll   Access     // set where Employers are
	Suppliers []Bank     // of passports

	Prepared  PreparedReports // nil: there are no prepared reports
	Scenarios bool            // the applicant's name may ask for a failure
}

// lacks says which ways have no source.
func (c Catalogue) lacks() Lacks {
	return Lacks{Banks: len(c.Banks) == 0, Payroll: len(c.Employers) == 0, Suppliers: len(c.Suppliers) == 0}
}

// catalogue has the data sources of an environment.
func (s *Service) catalogue(env contract.Environment) Catalogue {
	if s.Catalogues == nil {
		return Catalogue{}
	}
	return s.Catalogues(env)
}

// Bank is one of the mock banks, payroll providers or suppliers. The names are invented; all
// of a kind take the same user names.
type Bank struct {
	ID      string // as in a form's value
	Name    string // institution_name or provider_name of the report
	Place   string // to tell them apart: city and state, Online, or what it is
	PlaceES string // the same in Spanish, where that is another
}

func (b Bank) place(lang contract.Lang) string {
	return contract.Words{EN: b.Place, ES: cmp.Or(b.PlaceES, b.Place)}.In(lang)
}

// listed returns the entry of that id in the catalogue of a way.
func (c Catalogue) listed(w SourceType, id string) (Bank, bool) {
	for _, b := range c.list(w) {
		if b.ID == id {
			return b, true
		}
	}
	return Bank{}, false
}

// list is the catalogue of a way.
func (c Catalogue) list(w SourceType) []Bank {
	switch w {
	case SourceBank:
		return c.Banks
	case SourcePayroll:
		return c.Employers
	case SourceSupplier:
		return c.Suppliers
	}
	return nil
}

// login is what a user name leads to on a way; without a source, nothing.
func (c Catalogue) login(w SourceType, username string) Login {
	switch {
	case w == SourcePayroll && c.Payroll != nil:
		return c.Payroll.Login(username)
	case w == SourceBank && c.Bank != nil:
		return c.Bank.Login(username)
	}
	return Login{}
}

// empty reports whether there is nothing recent where the applicant signed in.
func (s *Service) empty(v visit) bool {
	c := s.catalogue(v.environment)
	profile := c.login(v.SourceType, v.Username).Profile
	if v.SourceType == SourcePayroll {
		return profile != "" && c.Payroll.Empty(v.Bank, profile, v.created)
	}
	return profile != "" && c.Bank.Empty(v.Bank, profile, v.created)
}

// maxFound is how many a page of the search shows.
const maxFound = 12

// FindBanks returns the banks of all that every word of the query begins a word of, in
// name or place: names that begin with the query first, then the others, each in
// alphabetical order. more says how many were left out. An empty query finds
// them all.
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
