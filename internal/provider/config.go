package provider

import (
	"errors"
	"fmt"

	"vestibule/internal/httpx"
)

// Limits bound visits that begin without a token of the customer's. A sandbox on
// loopback does not limit requests of this machine.
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

// Simulation controls a sandbox. Production refuses it.
type Simulation struct {
	ControlAddr string `name:"sandbox-control-addr" placeholder:"HOST:PORT" help:"Listener of the sandbox's controls, on loopback."`
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
