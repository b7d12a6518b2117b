package notify

import (
	"errors"
	"fmt"
	"net/netip"

	"vestibule/internal/webhook"
)

// Config configures the receiver of signed events.
type Config struct {
	URL     string   `name:"events-url" placeholder:"URL" help:"Receiver of signed application events, https and public. Default: no events."`
	Secrets []string `name:"events-secret" sep:"," placeholder:"SECRET" help:"Secrets that sign events, newest first. Default: generated."`

	// OnLoopback also allows a receiver on this machine, including over plain http.
	OnLoopback bool `kong:"-"`
	// Networks are private networks that a receiver may be in.
	Networks []netip.Prefix `kong:"-"`
}

// Validate checks the receiver's address and the form of the secrets.
func (c Config) Validate() error {
	var errs []error
	for _, s := range c.Secrets {
		if _, err := webhook.ParseSecret(s); err != nil {
			errs = append(errs, fmt.Errorf("--events-secret: %w", err))
		}
	}
	if c.URL != "" {
		if err := webhook.NewSender(c.OnLoopback, nil, c.Networks...).CheckURL(c.URL); err != nil {
			errs = append(errs, fmt.Errorf("--events-url: %w; "+
				"a portal that listens on loopback also accepts http and addresses of this machine", err))
		}
	}
	return errors.Join(errs...)
}
