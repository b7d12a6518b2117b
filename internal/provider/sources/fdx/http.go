package fdx

import (
	"context"
	"crypto/tls"
	"errors"
	"net/http"
	"net/url"

	"vestibule/internal/provider/sources"
	"vestibule/internal/provider/sources/rest"
)

// maxAnswer is the maximum size in bytes of one answer.
const maxAnswer = 8 << 20

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
	r.Method, r.Repeat, r.Problem = http.MethodGet, true, codeOf
	r.Prepare = func(h http.Header, id string) ([]byte, error) {
		h.Set("X-Fapi-Interaction-Id", id)
		if token != "" {
			h.Set("Authorization", "Bearer "+token)
		}
		return nil, nil
	}
	return b.Do(ctx, r)
}

// codeOf returns the code of an FDX error answer, or "" without one.
func codeOf(r *http.Response) string {
	var answer struct {
		Code text `json:"code"`
	}
	if decodeJSON(r, &answer) != nil || len(answer.Code) > 5 {
		return ""
	}
	if n, rest := digits([]byte(answer.Code)); len(n) == 0 || len(rest) > 0 {
		return ""
	}
	return string(answer.Code)
}

// Codes of FDX error answers. Institutions send them with different statuses.
const (
	codeFailed        = "500"  // internal server error
	codeDown          = "501"  // subsystem unavailable
	codeMaintenance   = "503"  // scheduled maintenance
	codeNoData        = "601"  // data not found
	codeNotAuthorized = "602"  // customer not authorized
	codeNoAccount     = "701"  // account not found
	codeOtherType     = "704"  // account type not supported
	codeClosed        = "705"  // account is closed
	codeNoTransaction = "801"  // transaction not found
	codeNothing       = "1107" // no data for the parameters
)

// statusReason returns the reason of a failure with a status of the FDX API.
func statusReason(e *rest.StatusError) sources.Reason {
	switch {
	case e.StepUp:
		return sources.Challenged
	case e.Code == http.StatusUnauthorized:
		return sources.Unauthorized
	case e.Code == http.StatusForbidden && e.Scope:
		return sources.Unsupported
	case e.Code == http.StatusForbidden:
		return sources.Ended
	case e.Code >= 400 && e.Code < 500, e.Code == http.StatusNotImplemented:
		switch e.Problem {
		case codeFailed, codeDown, codeMaintenance:
			return sources.Unresponsive
		case codeNotAuthorized:
			return sources.Ended
		case codeNoAccount, codeOtherType, codeClosed:
			return sources.Unsupported
		}
	}
	switch {
	case e.Code == http.StatusNotFound, e.Code == http.StatusGone, e.Code == http.StatusMethodNotAllowed, e.Code == http.StatusNotImplemented:
		return sources.Unsupported
	case e.Code == http.StatusRequestTimeout, e.Code == http.StatusTooManyRequests, e.Code >= 500:
		return sources.Unresponsive
	case e.Code >= 400:
		return sources.Misused
	}
	return sources.Rejected
}

// hasNone reports whether an error means that an account has no transactions.
func hasNone(err error) bool {
	var status *rest.StatusError
	return errors.As(err, &status) && status.Code == http.StatusNotFound &&
		(status.Problem == codeNoData || status.Problem == codeNoTransaction || status.Problem == codeNothing)
}
