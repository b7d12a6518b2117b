package provider

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"vestibule/internal/httpx"
	"vestibule/internal/provider/ocr"
	"vestibule/internal/provider/operator"
	"vestibule/internal/provider/sources"
	"vestibule/internal/provider/sources/fdx"
	"vestibule/internal/provider/sources/remote"
	"vestibule/internal/provider/visits"
)

// Limits are limits of visits that begin without a token, and of visits that have no consent.
// A sandbox on loopback does not limit requests of this machine.
type Limits struct {
	WidgetRate        int `default:"60" placeholder:"N" help:"Visits per minute without a token from one address, per process; 0: no limit."`
	WidgetAccountRate int `default:"600" placeholder:"N" help:"Visits per minute without a token for one account, per process; 0: no limit."`

	WidgetFiles int `default:"5000" placeholder:"MB" help:"MB of files per account in 24 hours (a visit 1/25, a network 1/10); 0: no limit."`

	UnconsentedHours int `default:"24" placeholder:"HOURS" help:"Hours for which an ended visit without consent is kept; 0: 90 days."`
}

// Validate checks the limits.
func (l Limits) Validate() error {
	if l.WidgetRate < 0 || l.WidgetAccountRate < 0 || l.WidgetFiles < 0 || l.UnconsentedHours < 0 {
		return errors.New("--widget-rate, --widget-account-rate, --widget-files, --unconsented-hours: must be 0 or more")
	}
	return nil
}

// Operator tells applicants who runs the verification service.
type Operator struct {
	ServiceName string `default:"Plainview Verification" placeholder:"NAME" help:"Name of the verification service, as applicants see it."`
	TermsURL    string `name:"service-terms-url" placeholder:"URL" help:"Terms of the verification service, linked where applicants consent."`
	PrivacyURL  string `name:"service-privacy-url" placeholder:"URL" help:"Privacy policy of the service, linked where applicants consent."`

	ConsumersCloseReports bool `help:"When consumers end access, they may also end the reading of reports that companies have."`
}

// maxServiceName is the maximum length of the service's name in characters.
const maxServiceName = 60

// Validate checks the name and the addresses.
func (o Operator) Validate() error {
	var errs []error
	if n := utf8.RuneCountInString(o.ServiceName); n == 0 || n > maxServiceName || strings.ContainsFunc(o.ServiceName, unicode.IsControl) {
		errs = append(errs, fmt.Errorf("--service-name: must have 1 to %d characters on one line", maxServiceName))
	}
	for flag, address := range map[string]string{"--service-terms-url": o.TermsURL, "--service-privacy-url": o.PrivacyURL} {
		if address != "" && !httpx.IsHTTPS(address) {
			errs = append(errs, fmt.Errorf("%s %q: must be an https address", flag, address))
		}
	}
	return errors.Join(errs...)
}

// DataSources configures where the data of reports come from.
type DataSources struct {
	Institutions string `placeholder:"FILE" help:"YAML file of the banks that applicants connect by OAuth and the FDX API. Default: none."`
	Programs     string `name:"connectors" placeholder:"FILE" help:"YAML file of connectors to payroll providers and bureaus. Default: none."`
}

// Connectors returns the connectors of the configured institutions. now is the real
// clock. The error names every fault of the files with its institution or connector.
func (d DataSources) Connectors(now func() time.Time, log *slog.Logger) (all []sources.Connector, err error) {
	if c, err := d.fdx(now, log); err != nil {
		return nil, err
	} else if c != nil {
		all = append(all, c)
	}
	programs, err := d.programs()
	if err != nil || programs == nil {
		return all, err
	}
	c, err := remote.New(programs, remote.Options{Now: now})
	if err != nil {
		return nil, err
	}
	return append(all, c), nil
}

func (d DataSources) programs() ([]remote.Program, error) {
	if d.Programs == "" {
		return nil, nil
	}
	list, err := remote.Load(d.Programs)
	if err != nil {
		return nil, fmt.Errorf("--connectors: %w", err)
	}
	return list, nil
}

func (d DataSources) fdx(now func() time.Time, log *slog.Logger) (*fdx.Connector, error) {
	if d.Institutions == "" {
		return nil, nil
	}
	list, err := fdx.Load(d.Institutions)
	if err != nil {
		return nil, fmt.Errorf("--institutions: %w", err)
	}
	return fdx.New(list, fdx.Options{Now: now, Log: log})
}

// Documents controls how uploaded documents are read.
type Documents struct {
	OCR string `default:"auto" enum:"auto,off" placeholder:"auto|off" help:"Read images of pay stubs by tesseract: auto if installed, off."`
}

// Scanner returns the OCR engine of this machine. It returns nil if it is off or missing;
// reason then says why.
func (d Documents) Scanner(ctx context.Context) (engine *ocr.Engine, reason error) {
	if d.OCR == "off" {
		return nil, errors.New("--ocr is off")
	}
	return ocr.Find(ctx)
}

// Examine checks each configured institution and connector of the provider at a URL, by
// requests that need no applicant.
func (d DataSources) Examine(ctx context.Context, url string, now func() time.Time) (all []operator.SourceCheck, err error) {
	c, err := d.fdx(now, nil)
	if err != nil {
		return nil, err
	}
	if c != nil {
		for _, i := range c.Institutions() {
			checks, err := c.Examine(ctx, i.ID, url+visits.CallbackPath)
			if err != nil {
				return nil, err
			}
			for _, check := range checks {
				all = append(all, sourceCheck(i.Name, check, "Change its entry in the file of --institutions, or ask the bank."))
			}
		}
	}
	programs, err := d.programs()
	if err != nil {
		return nil, err
	}
	examined, err := remote.Examine(ctx, programs, url+visits.CallbackPath, remote.Options{Now: now})
	for n, checks := range examined {
		for _, check := range checks {
			all = append(all, sourceCheck(programs[n].ID, check, "Change its entry in the file of --connectors, the connector, "+
				"or what it accepts as redirect URI."))
		}
	}
	return all, err
}

// sourceCheck describes a check with what to do if it fails.
func sourceCheck(source string, c sources.Check, remedy string) operator.SourceCheck {
	return operator.SourceCheck{Source: source, Name: c.Name, OK: c.OK, Warning: c.Warning, Detail: c.Detail, Remedy: remedy}
}

// Simulation configures a sandbox. Production rejects it.
type Simulation struct {
	ControlAddr string `name:"sandbox-control-addr" placeholder:"HOST:PORT" help:"Sandbox controls, on loopback; make run: 127.0.0.1:8082."`
	BankAddr    string `name:"sandbox-bank-addr" placeholder:"HOST:PORT" help:"Mock FDX banks; make run: 127.0.0.1:8083. Default: none."`
	BankURL     string `name:"sandbox-bank-url" placeholder:"URL" help:"Public base URL of the mock banks. Default: from their listener."`
	BankClients string `name:"sandbox-bank-clients" placeholder:"FILE" help:"YAML file of further clients of the mock banks. Default: none."`
	Faults      uint64 `name:"sandbox-faults" default:"0" placeholder:"SEED" help:"Inject faults, the same for the same seed; 0: none."`
}

// Validate checks that the controls, which have no authentication, are on loopback.
func (s Simulation) Validate() error {
	host, ok := httpx.ListenHost(s.ControlAddr)
	switch {
	case s.ControlAddr == "":
		return nil
	case !ok:
		return fmt.Errorf("--sandbox-control-addr %q: must be HOST:PORT", s.ControlAddr)
	case !httpx.IsLoopback(host):
		return fmt.Errorf("--sandbox-control-addr %q: must be on loopback, because the sandbox's controls have no authentication", s.ControlAddr)
	}
	return nil
}
