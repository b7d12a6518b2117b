package sandbox

import (
	"context"
	"net/http"

	"vestibule/internal/provider"
	"vestibule/internal/webhook"
)

// Sandbox implements provider.Sandbox.
type Sandbox struct {
	*Clock
	faults   *Faults
	injector *FaultInjector // nil: as the service should be
	prepared *Prepared
	banks    *openBanking
}

// New creates a sandbox, with the clock's offset from the database.
func New(ctx context.Context, c provider.SandboxConfig) (provider.Sandbox, error) {
	s := &Sandbox{Clock: &Clock{DB: c.DB, Base: c.Now, Log: c.Log}, faults: &Faults{Log: c.Log}}
	if err := s.Load(ctx); err != nil {
		return nil, err
	}
	s.prepared = &Prepared{DB: c.DB, Now: s.Now}
	var err error
	if s.banks, err = newOpenBanking(ctx, c, s.Now, s.faults); err != nil {
		return nil, err
	}
	if c.FaultSeed != 0 {
		s.injector = &FaultInjector{Seed: c.FaultSeed, Log: c.Log, Now: s.Now}
	}
	return s, nil
}

// Wrap applies the configured faults to requests.
func (s *Sandbox) Wrap(next http.Handler) http.Handler {
	if s.injector != nil {
		next = s.injector.Wrap(next)
	}
	return s.faults.Wrap(next)
}

// Sender sends events with the injected faults.
func (s *Sandbox) Sender(to webhook.Deliverer) webhook.Deliverer {
	if s.injector == nil {
		return to
	}
	return s.injector.Sender(to)
}

// Control returns the handler of the control listener.
func (s *Sandbox) Control(of provider.Services, h provider.ControlHooks) http.Handler {
	c := &Control{DB: of.DB, Log: of.Log, Clock: s.Clock, Faults: s.faults, Prepared: s.prepared,
		Keys: of.Keys, Customers: of.Customers, Reports: of.Reports, Webhooks: of.Webhooks, Sharing: of.Sharing,
		BankAccounts: of.BankAccounts, Visits: of.Visits, Disputes: of.Disputes,
		First: h.First, Receive: h.Receive, Moved: h.Moved, Refill: h.Refill}
	return c.Handler()
}
