package api

import (
	"errors"
	"fmt"

	"vestibule/internal/httpx"
)

// Config configures the portal's API.
type Config struct {
	Key  string `name:"portal-api-key" placeholder:"KEY" help:"Bearer key of the portal's API. Default: generated."`
	Rate int    `name:"api-rate" default:"50" placeholder:"N" help:"Requests per second to the portal's API, per process."`
}

// Validate checks the form of the key and the rate.
func (c Config) Validate() error {
	var errs []error
	if c.Key != "" && (len(c.Key) < 20 || len(c.Key) > 200 || !httpx.IsVisible(c.Key)) {
		errs = append(errs, errors.New("--portal-api-key: must have 20 to 200 printable characters without spaces; "+
			"the key alone protects the portal's API"))
	}
	if c.Rate < 1 || c.Rate > 1_000_000 {
		errs = append(errs, fmt.Errorf("--api-rate %d: must be from 1 to 1000000", c.Rate))
	}
	return errors.Join(errs...)
}
