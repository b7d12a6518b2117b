package visits

import "strings"

// Bank is one of the mock banks, payroll providers or suppliers. The names are invented; all
// of a kind take the same user names.
type Bank struct {
	ID    string // as in a form's value
	Name  string // institution_name or provider_name of the report
	Place string // to tell them apart: city and state, Online, or what it is
	Lugar string // the same in Spanish, where that is another
}

// bank returns the bank of that id.
func (s *Service) bank(id string) (Bank, bool) { return s.listed(WayBank, id) }

// listed returns what is listed under that id on a way.
func (s *Service) listed(w Way, id string) (Bank, bool) {
	for _, b := range s.list(w) {
		if b.ID == id {
			return b, true
		}
	}
	return Bank{}, false
}

// list is what there is to choose from on a way.
func (s *Service) list(w Way) []Bank {
	switch w {
	case WayPayroll:
		return s.Employers
	case WaySupplier:
		return s.Suppliers
	}
	return s.Banks
}

// login is what there is behind a user name on a way.
func (s *Service) login(w Way, username string) Login {
	if w == WayPayroll {
		return s.Payroll.Login(username)
	}
	return s.Bank.Login(username)
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
		case !hasWords(strings.ToLower(b.Name+" "+b.Place+" "+b.Lugar), wanted):
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
