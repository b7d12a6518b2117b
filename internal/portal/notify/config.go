package notify

import (
	"errors"

	"vestibule/internal/webhook"
)

// Config configures the receiver of signed events.
type Config struct {
	URL     string   `name:"events-url" placeholder:"URL" help:"Receiver of signed application events, https and public. Default: no events."`
	Secrets []string `name:"events-secret" sep:"," placeholder:"SECRET" help:"Secrets that sign events, newest first. Default: generated."`

	// OnLoopback also allows a receiver on this machine, including over plain http.
	OnLoopback bool `kong:"-"`
}

// Validate checks the receiver's address and the form of the secrets.
func (c Config) Validate() error {
	var errs []error
	for _, s := range c.Secrets {
		if _, err := webhook.ParseSecret(s); err != nil {
			errs = append(errs, errors.New("--events-secret: want whsec_ and the base-64 of 24 to 64 bytes"))
		}
	}
	if c.URL != "" && webhook.NewSender(c.OnLoopback, nil).CheckURL(c.URL) != nil {
		errs = append(errs, errors.New("--events-url: want an absolute https address that is public, without user and fragment; "+
			"http and this machine's addresses are for a portal that listens on this machine"))
	}
	return errors.Join(errs...)
}
