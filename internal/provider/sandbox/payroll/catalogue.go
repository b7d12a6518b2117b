package payroll

import (
	_ "embed"
	"strings"

	"vestibule/internal/analysis/income"
	"vestibule/internal/provider/sandbox/signin"
	"vestibule/internal/provider/sources"
)

// catalogue.txt describes its format in its header.
//
//go:embed catalogue.txt
var catalogue string

// All is the catalogue in alphabetical order.
func All() []sources.Institution {
	var out []sources.Institution
	for line := range strings.Lines(catalogue) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		name, rest, _ := strings.Cut(strings.TrimSpace(line), "|")
		kind, rest, _ := strings.Cut(rest, "|")
		place, spanish, _ := strings.Cut(rest, "|")
		out = append(out, sources.Institution{ID: signin.Slug(name), Kind: sources.Payroll, Name: name, Place: place, PlaceES: spanish,
			Employer: types[kind], Large: kind != "e"}) // a payroll company or platform serves many employers
	}
	return out
}

var types = map[string]string{"e": income.ProviderEmployer, "p": income.ProviderPayroll, "g": income.ProviderGig}
