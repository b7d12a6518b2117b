package remote

import (
	"cmp"
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"vestibule/internal/analysis/income"
	"vestibule/internal/provider/sources"
	"vestibule/internal/provider/sources/configfile"
	"vestibule/internal/provider/sources/rest"
	"vestibule/internal/report"
	"vestibule/internal/strictyaml"
	"vestibule/internal/webhook"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
)

// Program is the configuration of one connector.
type Program struct {
	ID           string        `yaml:"id"`          // lowercase letters, digits, and hyphens
	URL          string        `yaml:"url"`         // base URL of the protocol
	SecretFile   string        `yaml:"secret_file"` // whsec_ and base64, as webhook.ParseSecret reads it
	Pages        []string      `yaml:"pages"`       // further hosts of sign-in pages, with a port if it is not 443
	CAFile       string        `yaml:"ca_file"`     // PEM; default: the system's
	Loopback     bool          `yaml:"loopback"`    // permits loopback addresses, also without TLS
	Institutions []Institution `yaml:"institutions"`

	// Contents of the files. Load sets them; a program may set them itself.
	Secret webhook.Secret `yaml:"-"`
	CA     *x509.CertPool `yaml:"-"`
}

// Institution is one institution that is offered to applicants. Suppliers have an id and
// a kind only.
type Institution struct {
	ID       string       `yaml:"id" json:"id"`
	Kind     sources.Kind `yaml:"kind" json:"kind"` // sources.Payroll or sources.Supplier
	Name     string       `yaml:"name,omitempty" json:"name"`
	Place    string       `yaml:"place,omitempty" json:"place,omitempty"`
	PlaceES  string       `yaml:"place_es,omitempty" json:"placeEs"`
	Type     string       `yaml:"type,omitempty" json:"type"` // of a payroll provider: one of the constants income.Provider…
	Homepage []string     `yaml:"homepage,omitempty" json:"-"`
	Large    bool         `yaml:"large,omitempty" json:"-"` // shown to applicants before the others
	Renewal  bool         `yaml:"-" json:"renewal"`         // the connector can renew access
}

// Bounds of the configuration.
const (
	maxPrograms     = 50
	maxInstitutions = 5000
)

// Load reads a YAML file of connectors and the files that it names, whose paths are
// relative to its directory. The error names every fault with its connector.
func Load(path string) ([]Program, error) {
	entries, err := configfile.Entries(path, "connectors", maxPrograms)
	if err != nil {
		return nil, err
	}
	var list []Program
	var faults []error
	for n := range entries {
		var p Program
		err := strictyaml.DecodeNode(&entries[n], &p)
		if err == nil {
			err = p.Prepare(filepath.Dir(path))
		}
		if err != nil {
			faults = append(faults, configfile.Faults(p.entry(n), err)...)
		} else {
			list = append(list, p)
		}
	}
	if faults = append(faults, check(list)...); len(faults) > 0 {
		return nil, fmt.Errorf("%s:\n%w", path, errors.Join(faults...))
	}
	return list, nil
}

// entry names a connector in errors.
func (p *Program) entry(n int) string {
	return "connector " + cmp.Or(p.ID, fmt.Sprintf("number %d", n+1))
}

func (p *Program) fault(n int, err error) error { return fmt.Errorf("%s: %w", p.entry(n), err) }

// Prepare checks the URL, and reads the secret and the certificates that the configuration
// names, by paths relative to a directory.
func (p *Program) Prepare(dir string) error {
	files := configfile.Files{Dir: dir}
	if err := p.checkURL(); err != nil {
		files.Faults = append(files.Faults, err)
	}
	if p.SecretFile == "" {
		files.Faults = append(files.Faults, errors.New("secret_file: is required"))
	}
	files.Read("secret_file", p.SecretFile, func(raw []byte) (err error) {
		p.Secret, err = webhook.ParseSecret(strings.TrimSpace(string(raw)))
		return err
	})
	files.Read("ca_file", p.CAFile, func(raw []byte) error {
		if p.CA = x509.NewCertPool(); !p.CA.AppendCertsFromPEM(raw) {
			return errors.New("the file has no PEM certificate")
		}
		return nil
	})
	return errors.Join(files.Faults...)
}

func (p *Program) checkURL() error {
	if err := configfile.CheckURL(p.URL, p.Loopback); err != nil {
		return fmt.Errorf("url: %w", err)
	}
	if strings.Contains(p.URL, "?") {
		return errors.New("url: must be a URL without a query")
	}
	return nil
}

func check(list []Program) (faults []error) {
	programs, institutions := map[string]bool{}, map[string]bool{}
	for n := range list {
		p := &list[n]
		if programs[p.ID] {
			faults = append(faults, p.fault(n, errors.New("id: another connector has the same id")))
		}
		programs[p.ID] = p.ID != ""
		for _, err := range p.faults() {
			faults = append(faults, p.fault(n, err))
		}
		for _, in := range p.Institutions {
			if institutions[in.ID] {
				faults = append(faults, p.fault(n, fmt.Errorf("institution %s: id: another institution has the same id", in.ID)))
			}
			institutions[in.ID] = true
		}
	}
	return faults
}

func (p *Program) faults() (faults []error) {
	require := func(ok bool, key, text string) {
		if !ok {
			faults = append(faults, errors.New(key+": "+text))
		}
	}
	require(configfile.IsID(p.ID), "id", "must be 1 to 64 lowercase letters, digits, and hyphens")
	if err := p.checkURL(); err != nil {
		faults = append(faults, err)
	}
	for _, host := range p.Pages {
		require(configfile.IsDomain(host), "pages", "must be host names in lowercase, without scheme and path")
	}
	require(len(p.Institutions) > 0 && len(p.Institutions) <= maxInstitutions, "institutions",
		fmt.Sprintf("must have 1 to %d entries", maxInstitutions))
	for n := range p.Institutions {
		in := &p.Institutions[n]
		if err := in.fault(); err != nil {
			faults = append(faults, fmt.Errorf("institution %s: %w", cmp.Or(in.ID, fmt.Sprintf("number %d", n+1)), err))
		}
	}
	return faults
}

// fault returns the first fault of an institution, or nil.
func (in *Institution) fault() error {
	switch {
	case in.Kind == sources.Supplier:
		if _, known := report.SupplierOf(in.ID); !known {
			return errors.New("id: must be a code of GET /connect/suppliers")
		}
		return nil
	case in.Kind != sources.Payroll:
		return fmt.Errorf("kind: must be %s or %s", sources.Payroll, sources.Supplier)
	case !configfile.IsID(in.ID):
		return errors.New("id: must be 1 to 64 lowercase letters, digits, and hyphens")
	case in.Name == "" || !configfile.IsLine(in.Name, 100):
		return errors.New("name: must have 1 to 100 characters on one line")
	case !configfile.IsLine(in.Place, 100) || !configfile.IsLine(in.PlaceES, 100):
		return errors.New("place, place_es: must have at most 100 characters on one line")
	case in.Type != income.ProviderEmployer && in.Type != income.ProviderPayroll && in.Type != income.ProviderGig:
		return fmt.Errorf("type: must be %s, %s, or %s", income.ProviderEmployer, income.ProviderPayroll, income.ProviderGig)
	}
	for _, domain := range in.Homepage {
		if !configfile.IsDomain(domain) {
			return errors.New("homepage: must be host names in lowercase, without scheme and path")
		}
	}
	return nil
}

// hosts returns the hosts, with ports, that sign-in pages may have.
func (p *Program) hosts() map[string]bool {
	out := map[string]bool{}
	for _, raw := range append([]string{p.URL}, p.Pages...) {
		if !strings.Contains(raw, "://") {
			raw = "https://" + raw
		}
		if u, err := url.Parse(raw); err == nil {
			out[rest.HostOf(u)] = true
		}
	}
	return out
}

// public returns an institution without its configuration.
func (p *Program) public(in Institution) sources.Institution {
	if in.Kind == sources.Supplier {
		s, _ := report.SupplierOf(in.ID)
		in.Name = s.Name
		if region, err := language.ParseRegion(report.Text(s.Country)); err == nil && in.Place == "" {
			in.Place, in.PlaceES = display.English.Regions().Name(region), display.Spanish.Regions().Name(region)
		}
	}
	out := sources.Institution{ID: in.ID, Kind: in.Kind, Name: in.Name, Place: in.Place, PlaceES: in.PlaceES, Employer: in.Type,
		Homepage: in.Homepage, Large: in.Large}
	if u, err := url.Parse(p.URL); err == nil && in.Kind == sources.Payroll {
		out.OAuth = append([]string{u.Hostname()}, p.Pages...)
	}
	return out
}
