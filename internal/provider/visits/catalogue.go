package visits

import (
	"context"
	"slices"
	"strings"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/provider/reports"
	"vestibule/internal/provider/sources"
	"vestibule/internal/provider/visits/flow"
	"vestibule/internal/store"
	providerui "vestibule/templates/provider"
)

// Sandbox has the prepared reports that a sandbox serves by sandboxReportId.
type Sandbox interface {
	// Lookup returns the kind of a prepared report, or store.ErrNotFound.
	Lookup(ctx context.Context, q store.Queryer, customerID, id string) (contract.Product, error)
	// Attach attaches the prepared report to publicToken.
	Attach(ctx context.Context, tx *store.Tx, customerID, id, publicToken string, from reports.Input) error
}

// catalogue lists the institutions that visits of an environment can connect. Without any,
// a visit that needs a source ends as unsupported.
type catalogue struct{ sources.Catalogue }

func (s *Service) catalogue(env contract.Environment) catalogue {
	return catalogue{s.Sources.Catalogue(env)}
}

// sandbox returns the sandbox of an environment; nil for production.
func (s *Service) sandbox(env contract.Environment) Sandbox {
	if env != contract.Sandbox {
		return nil
	}
	return s.Sandbox
}

// missing returns which source types have no source.
func (c catalogue) missing() flow.MissingSources {
	none := func(kind sources.Kind) bool { return len(c.List(kind)) == 0 }
	return flow.MissingSources{Banks: none(sources.Bank), Payroll: none(sources.Payroll), Suppliers: none(sources.Supplier)}
}

// passwords says where applicants type their passwords: at banks, and with payroll at
// payroll providers too.
func (c catalogue) passwords(payroll bool) providerui.Passwords {
	all := c.List(sources.Bank)
	if payroll {
		all = slices.Concat(all, c.List(sources.Payroll))
	}
	own := slices.ContainsFunc(all, func(i sources.Institution) bool { return i.OwnPages })
	here := slices.ContainsFunc(all, func(i sources.Institution) bool { return !i.OwnPages })
	switch {
	case own && here:
		return providerui.PasswordsVary
	case here:
		return providerui.PasswordsHere
	}
	return providerui.PasswordsThere
}

// InstitutionName returns the name of an institution of an environment, or its id if it is
// no longer offered.
func (s *Service) InstitutionName(env contract.Environment, id string) string {
	for _, kind := range []sources.Kind{sources.Bank, sources.Payroll, sources.Supplier} {
		if i, ok := s.catalogue(env).Find(kind, id); ok {
			return i.Name
		}
	}
	return id
}

func placeOf(i sources.Institution, lang i18n.Lang) string {
	if lang == i18n.Spanish && i.PlaceES != "" {
		return i.PlaceES
	}
	return i.Place
}

func (c catalogue) find(w flow.SourceType, id string) (sources.Institution, bool) {
	return c.Find(sources.Kind(w), id) // both have the same names for the types that have institutions
}

// selected returns the input that selects an institution; the zero input if it is unknown.
func (c catalogue) selected(w flow.SourceType, id string) (in flow.Input) {
	if i, ok := c.find(w, id); ok {
		in = flow.Input{Kind: flow.EventInstitutionSelected, SourceType: w, Bank: i.ID, Authorize: i.OwnPages}
	}
	return in
}

// maxFound is the maximum number of search results on a page.
const maxFound = 12

// FindInstitutions returns those of all for which every word of the query is the prefix of a
// word in name or place: first names that begin with the query, then the others, each
// in the order of all. An empty query matches all.
func FindInstitutions(all []sources.Institution, query string) []sources.Institution {
	wanted := strings.Fields(strings.ToLower(query))
	var first, rest []sources.Institution
	for _, b := range all {
		switch {
		case !hasWords(strings.ToLower(b.Name+" "+b.Place+" "+b.PlaceES), wanted):
		case strings.HasPrefix(strings.ToLower(b.Name), strings.Join(wanted, " ")):
			first = append(first, b)
		default:
			rest = append(rest, b)
		}
	}
	return append(first, rest...)
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
