package fdx

import (
	"context"
	"crypto/tls"
	"net/http"
	"net/url"

	"vestibule/internal/provider/sources"
	"vestibule/internal/provider/sources/rest"
)

// maxAnswer is the maximum size in bytes of one answer.
const maxAnswer = 8 << 20

// newHTTPClient returns a client for one institution.
func newHTTPClient(in *Institution) *http.Client {
	config := &tls.Config{RootCAs: in.CA, MinVersion: tls.VersionTLS12}
	if in.Certificate != nil {
		config.Certificates = []tls.Certificate{*in.Certificate}
	}
	return rest.NewHTTPClient(config, in.Loopback)
}

// allows reports whether requests may go to an address.
func (b *bank) allows(u *url.URL) bool {
	return b.hosts[rest.HostOf(u)] && b.in.checkURL(u.String()) == nil
}

// get sends a GET request, with a bearer token unless that is empty.
func (b *bank) get(ctx context.Context, token string, r rest.Request) error {
	r.Method, r.Repeat = http.MethodGet, true
	r.Prepare = func(h http.Header, id string) ([]byte, error) {
		h.Set("X-Fapi-Interaction-Id", id)
		if token != "" {
			h.Set("Authorization", "Bearer "+token)
		}
		return nil, nil
	}
	return b.Do(ctx, r)
}

// statusReason returns the reason of a failure with a status of the FDX API.
func statusReason(e *rest.StatusError) sources.Reason {
	switch {
	case e.Code == http.StatusUnauthorized:
		return sources.Unauthorized
	case e.Code == http.StatusForbidden && e.Scope, e.Code == http.StatusNotFound, e.Code == http.StatusMethodNotAllowed,
		e.Code == http.StatusNotImplemented:
		return sources.Unsupported
	case e.Code == http.StatusForbidden:
		return sources.Ended
	case e.Code == http.StatusTooManyRequests, e.Code >= 500:
		return sources.Unresponsive
	case e.Code >= 400:
		return sources.Misused
	}
	return sources.Rejected
}
