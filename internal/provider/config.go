package provider

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"vestibule/internal/httpx"
	"vestibule/internal/provider/ocr"
	"vestibule/internal/provider/sources"
	"vestibule/internal/provider/sources/fdx"
)

// Limits are limits of visits that begin without a token. A sandbox on loopback does not
// limit requests of this machine.
type Limits struct {
	WidgetRate        int `default:"60" placeholder:"N" help:"Visits per minute without a token from one address, per process; 0: no limit."`
	WidgetAccountRate int `default:"600" placeholder:"N" help:"Visits per minute without a token for one account, per process; 0: no limit."`
	WidgetFiles       int `default:"5000" placeholder:"MB" help:"Megabytes of files per account in 24 hours of such visits; 0: no limit."`
}

// Validate checks the limits.
func (l Limits) Validate() error {
	if l.WidgetRate < 0 || l.WidgetAccountRate < 0 || l.WidgetFiles < 0 {
		return errors.New("--widget-rate, --widget-account-rate, --widget-files: want 0 or more")
	}
	return nil
}

// Banks configures the institutions that authorize access on their own pages.
type Banks struct {
	Institutions string `placeholder:"FILE" help:"YAML file of the banks that applicants connect by OAuth and the FDX API. Default: none."`
}

// Connectors returns the connectors of the configured institutions. now is the real
// clock. The error names every fault of the file with its institution.
func (b Banks) Connectors(now func() time.Time, log *slog.Logger) ([]sources.Connector, error) {
	c, err := b.fdx(now, log)
	if c == nil || err != nil {
		return nil, err
	}
	return []sources.Connector{c}, nil
}

func (b Banks) fdx(now func() time.Time, log *slog.Logger) (*fdx.Connector, error) {
	if b.Institutions == "" {
		return nil, nil
	}
	list, err := fdx.Load(b.Institutions)
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

// Examination is the result of one check of an institution.
type Examination struct {
	Institution string // its name
	fdx.Check
}

// Examine checks each configured institution by requests that need no applicant.
func (b Banks) Examine(ctx context.Context, now func() time.Time) (all []Examination, err error) {
	c, err := b.fdx(now, nil)
	if c == nil || err != nil {
		return nil, err
	}
	for _, i := range c.Institutions() {
		checks, err := c.Examine(ctx, i.ID)
		if err != nil {
			return nil, err
		}
		for _, check := range checks {
			all = append(all, Examination{i.Name, check})
		}
	}
	return all, nil
}

// Simulation configures a sandbox. Production rejects it.
type Simulation struct {
	ControlAddr string `name:"sandbox-control-addr" placeholder:"HOST:PORT" help:"Listener of the sandbox's controls, on loopback."`
	BankAddr    string `name:"sandbox-bank-addr" placeholder:"HOST:PORT" help:"Listener of the mock banks with pages (FDX). Default: none."`
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
		return fmt.Errorf("--sandbox-control-addr %q: want HOST:PORT", s.ControlAddr)
	case !httpx.IsLoopback(host):
		return fmt.Errorf("--sandbox-control-addr %q: the sandbox's controls have no authentication and listen on loopback only", s.ControlAddr)
	}
	return nil
}
