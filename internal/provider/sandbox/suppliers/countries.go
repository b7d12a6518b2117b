package suppliers

import (
	_ "embed"
	"strings"
	"sync"

	"vestibule/internal/strictyaml"
)

// country has the data for files of one country; countries.yaml explains it.
type country struct {
	Name         string
	Currency     string // ISO 4217
	Rate         int64  // US dollars for one unit, in billionths
	MonthlyWage  int64  `yaml:"monthly_wage"` // in whole units
	NameOrder    string `yaml:"name_order"`
	NamesJoined  bool   `yaml:"names_joined"`
	Capitals     bool
	GivenNames   []string `yaml:"given_names"`
	FamilyNames  []string `yaml:"family_names"`
	Addresses    []home
	AddressLine  string `yaml:"address_line"`
	CountryFirst bool   `yaml:"country_first"`
	Employers    []string
	Jobs         []string
	Lenders      []string
	Collector    string
	Court        string
	Phone        string
	Identifier   string

	IdentifierType string `yaml:"identifier_type"`
}

type home struct{ Street, City, Region, Postcode string }

//go:embed countries.yaml
var countriesFile []byte

// countries returns the countries by their codes.
var countries = sync.OnceValue(func() (all map[string]country) {
	if err := strictyaml.Decode(countriesFile, &all); err != nil {
		panic("suppliers: countries.yaml: " + err.Error()) // tests read it
	}
	return all
})

// countryOf returns the country of a code; MITEK's documents have no fixed country.
func countryOf(code string) (country, bool) {
	c, ok := countries()[code]
	return c, ok
}

// spelling returns a name in its own script and in Latin letters.
func spelling(s string) (own, latin string) {
	own, latin, found := strings.Cut(s, "/")
	if !found {
		return own, own
	}
	return own, latin
}

// foreign reports whether the country uses another script than Latin.
func (c country) foreign() bool { return strings.Contains(c.GivenNames[0], "/") }
