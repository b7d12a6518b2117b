package telemetry

import (
	"errors"
	"log/slog"

	"vestibule/internal/httpx"
)

// Config configures the sending of traces.
type Config struct {
	Endpoint string `name:"otlp-endpoint" placeholder:"URL" help:"Collector of traces by OTLP over HTTP, without /v1/traces. Default: none."`
	// Sent with every request to the collector, as for authentication.
	Headers map[string]string `name:"otlp-headers" mapsep:"," placeholder:"NAME=VALUE,…" help:"Headers of requests to the collector."`
	Share   float64           `name:"otlp-share" default:"1" placeholder:"N" help:"Share of new traces that are sent, 0 to 1."`

	Version string       `kong:"-"` // of this program
	Log     *slog.Logger `kong:"-"`
}

// Validate checks the configuration without connecting.
func (c Config) Validate() error {
	var errs []error
	if c.Endpoint != "" && !httpx.IsBaseURL(c.Endpoint) {
		errs = append(errs, errors.New("--otlp-endpoint: must be an absolute http or https URL without user, query or fragment"))
	}
	if !(c.Share >= 0 && c.Share <= 1) {
		errs = append(errs, errors.New("--otlp-share: must be a number from 0 to 1"))
	}
	return errors.Join(errs...)
}
