// Package fdx connects to banks that implement the API of the Financial Data Exchange,
// version 5 or 6, with authorization by OAuth 2.1.
//
// It is strict in what it sends and tolerant in what it reads: it ignores unknown
// members, and accepts nulls and missing optional parts. It rejects bodies that violate
// the standard or a bound, and links to hosts that are not configured; nothing of a
// rejected body is used.
package fdx

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"vestibule/internal/httpx"
	"vestibule/internal/provider/sources"
	"vestibule/internal/provider/sources/rest"
)

// Connector reaches the configured institutions. It implements sources.Authorizer and is
// safe for concurrent use.
type Connector struct {
	banks map[string]*bank
	list  []sources.Institution
}

var _ sources.Authorizer = (*Connector)(nil)

// Options are what a Connector depends on. The zero value is for production.
type Options struct {
	Now   func() time.Time                           // nil: time.Now
	Sleep func(context.Context, time.Duration) error // waits before a request is repeated; nil: by the real clock
	Log   *slog.Logger                               // nil: silent
}

// New returns a connector for institutions, which it validates as Load does.
func New(list []Institution, o Options) (*Connector, error) {
	if err := errors.Join(check(list)...); err != nil {
		return nil, err
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Sleep == nil {
		o.Sleep = httpx.Sleep
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	c := &Connector{banks: map[string]*bank{}}
	for _, in := range list {
		in.BaseURL = strings.TrimSuffix(in.BaseURL, "/")
		b := &bank{in: in, hosts: in.allowedHosts(), now: o.Now, log: o.Log, found: make(chan discovered, 1)}
		b.Client = rest.Client{ID: in.ID, HTTP: newHTTPClient(&b.in), Now: o.Now, Sleep: o.Sleep, Limit: maxAnswer,
			Allows: b.allows, Reason: statusReason}
		b.found <- discovered{}
		c.banks[in.ID] = b
		c.list = append(c.list, in.public())
	}
	slices.SortFunc(c.list, func(a, b sources.Institution) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.ID, b.ID))
	})
	return c, nil
}

// Institutions implements sources.Connector.
func (c *Connector) Institutions() []sources.Institution { return slices.Clone(c.list) }

func (c *Connector) bank(id string) (*bank, error) {
	if b := c.banks[id]; b != nil {
		return b, nil
	}
	return nil, fmt.Errorf("fdx: no institution %q is configured", id)
}

// bank is a client of one institution.
type bank struct {
	rest.Client
	in    Institution
	hosts map[string]bool // of permitted requests, with ports
	now   func() time.Time
	log   *slog.Logger

	found         chan discovered // contains the cached metadata while no discovery runs
	tokenAudience atomic.Bool     // assertions have the token endpoint as their audience, not the issuer
}
