package remote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"vestibule/internal/analysis/passport"
	"vestibule/internal/provider/sources"
	"vestibule/internal/provider/sources/configfile"
	"vestibule/internal/provider/sources/rest"
	"vestibule/internal/report"
	"vestibule/internal/webhook"
)

// Names of checks.
const (
	CheckInstitutions = "institutions" // the list fits the document, and contains what is configured
	CheckSignature    = "signature"    // requests with a wrong signature, time, or operation are rejected
	CheckErrors       = "errors"       // unknown institutions, codes, and access are rejected as the document says
	CheckAuthorize    = "authorize"    // an authorization begins on a page of the connector
	CheckRenewal      = "renewal"      // where it is offered, unknown access is not renewed
	CheckFiles        = "files"        // a supplier answers with a file
)

// Examine checks the connectors by requests that need no applicant and concern no person.
// It begins an authorization that nobody completes, for the provider's redirectURI. The result
// is by connector, in the order of the configuration.
func Examine(ctx context.Context, list []Program, redirectURI string, o Options) ([][]sources.Check, error) {
	if err := errors.Join(check(list)...); err != nil {
		return nil, err
	}
	var out [][]sources.Check
	for _, config := range list {
		e := examination{program: newProgram(config, o)}
		offered := e.institutions(ctx)
		if offered != nil {
			e.configured(offered)
		}
		e.signature(ctx)
		i := slices.IndexFunc(config.Institutions, func(in Institution) bool { return in.Kind == sources.Payroll })
		if i >= 0 {
			e.authorize(ctx, config.Institutions[i], redirectURI)
		}
		out = append(out, e.checks)
	}
	return out, nil
}

// Conformance checks that a connector follows the protocol: everything that needs neither
// an applicant nor a secret of the institution. With files, it also requests the file of
// an invented person from one supplier, which a bureau may count as an inquiry. redirectURI
// is one that the connector accepts.
func Conformance(ctx context.Context, config Program, redirectURI string, files bool, o Options) []sources.Check {
	e := examination{program: newProgram(config, o)}
	offered := e.institutions(ctx)
	e.signature(ctx)
	first := func(kind sources.Kind) (Institution, bool) {
		i := slices.IndexFunc(offered, func(in Institution) bool { return in.Kind == kind })
		if i < 0 {
			return Institution{}, false
		}
		return offered[i], true
	}
	if in, ok := first(sources.Payroll); ok {
		e.authorize(ctx, in, redirectURI)
		e.unknown(ctx, in)
	}
	if i := slices.IndexFunc(offered, func(in Institution) bool { return in.Kind == sources.Payroll && in.Renewal }); i >= 0 {
		e.renewal(ctx, offered[i])
	}
	if in, ok := first(sources.Supplier); ok && files {
		e.file(ctx, in)
	}
	return e.checks
}

// List returns the institutions that a connector offers.
func List(ctx context.Context, config Program, o Options) ([]Institution, error) {
	p := newProgram(config, o)
	var answer struct {
		Institutions []Institution `json:"institutions"`
	}
	err := p.call(ctx, listInstitutions, nil, &answer)
	return answer.Institutions, err
}

type examination struct {
	*program
	checks []sources.Check
}

func (e *examination) add(name string, err error, detail string) {
	if err != nil {
		detail = cause(err).Error()
	}
	e.checks = append(e.checks, sources.Check{Name: name, OK: err == nil, Detail: detail})
}

// cause returns the error of a failure without its reason.
func cause(err error) error {
	if f := (*sources.Failure)(nil); errors.As(err, &f) {
		return f.Err
	}
	return err
}

// institutions lists the institutions and checks each. It returns nil if that fails.
func (e *examination) institutions(ctx context.Context) []Institution {
	list, err := List(ctx, e.config, Options{Now: e.Now, Sleep: e.Sleep})
	seen := map[string]bool{}
	for _, in := range list {
		if seen[in.ID] && err == nil {
			err = fmt.Errorf("two institutions have the id %s", in.ID)
		}
		seen[in.ID] = true
		if fault := in.fault(); fault != nil && err == nil {
			err = fmt.Errorf("institution %s: %w", in.ID, fault)
		}
	}
	e.add(CheckInstitutions, err, fmt.Sprintf("%d listed; each fits the document", len(list)))
	if err != nil {
		return nil
	}
	return list
}

// configured checks that the connector offers what is configured.
func (e *examination) configured(offered []Institution) {
	var missing []string
	for _, in := range e.config.Institutions {
		if !slices.ContainsFunc(offered, func(o Institution) bool { return o.ID == in.ID && o.Kind == in.Kind }) {
			missing = append(missing, in.ID)
		}
	}
	if missing != nil {
		e.add(CheckInstitutions, errors.New("the connector does not offer these of the file: "+strings.Join(missing, ", ")), "")
		return
	}
	e.add(CheckInstitutions, nil, "the connector offers every institution of the file")
}

// signature sends requests that the connector must reject.
func (e *examination) signature(ctx context.Context) {
	body := []byte(`{"operation":"institutions"}`)
	other, err := webhook.ParseSecret(webhook.NewSecret())
	if err != nil {
		e.add(CheckSignature, err, "")
		return
	}
	for _, c := range []struct {
		what   string
		secret webhook.Secret
		at     time.Duration
		sent   []byte
		status int
	}{
		{"signed with another secret", other, 0, body, http.StatusUnauthorized},
		{"signed an hour ago", e.config.Secret, -time.Hour, body, http.StatusUnauthorized},
		{"signed for an hour from now", e.config.Secret, time.Hour, body, http.StatusUnauthorized},
		{"with another body than the signed one", e.config.Secret, 0, append(bytes.Clone(body), ' '), http.StatusUnauthorized},
		{"for another operation", e.config.Secret, 0, []byte(`{"operation":"revoke"}`), 0},
	} {
		signed := body
		if c.status == 0 {
			signed = c.sent
		}
		err := e.Do(ctx, rest.Request{What: "request " + c.what, Method: http.MethodPost, URL: e.config.URL + listInstitutions.path,
			Problem: problemOf,
			Prepare: func(h http.Header, id string) ([]byte, error) {
				h.Set("Content-Type", "application/json")
				return c.sent, webhook.Sign(h, []webhook.Secret{c.secret}, id, e.Now().Add(c.at), signed)
			}})
		status := (*rest.StatusError)(nil)
		switch {
		case err == nil:
			e.add(CheckSignature, fmt.Errorf("the connector accepts a request %s, and must reject it", c.what), "")
			return
		case !errors.As(err, &status):
			e.add(CheckSignature, err, "")
			return
		case c.status != 0 && (status.Code != c.status || status.Problem != "INVALID_SIGNATURE"),
			c.status == 0 && (status.Code/100 != 4 || status.Problem == ""):
			want := "status 401 with INVALID_SIGNATURE"
			if c.status == 0 {
				want = "a 4xx status with an error code"
			}
			e.add(CheckSignature, fmt.Errorf("the answer to a request %s is %s; expected %s", c.what, status, want), "")
			return
		}
	}
	e.add(CheckSignature, nil, "wrong secrets, times, bodies, and operations are rejected")
}

func (e *examination) authorize(ctx context.Context, in Institution, redirectURI string) {
	var answer struct {
		URL string `json:"url"`
		pending
	}
	err := e.call(ctx, authorize, map[string]any{"institution": in.ID, "redirectUri": redirectURI, "state": uuid.NewString(),
		"language": "en"}, &answer)
	if err == nil {
		u, parsed := url.Parse(answer.URL)
		if err = parsed; err == nil {
			err = configfile.CheckURL(answer.URL, e.config.Loopback)
		}
		if err == nil && !e.hosts[rest.HostOf(u)] {
			err = errPage
		}
	}
	if err != nil {
		err = fmt.Errorf("for the redirect URI %s: %w", redirectURI, cause(err))
	}
	e.add(CheckAuthorize, err, "the sign-in page is on a configured host")
}

// unknown requests what does not exist.
func (e *examination) unknown(ctx context.Context, in Institution) {
	no := uuid.NewString()
	today := report.DateOf(e.Now())
	for _, c := range []struct {
		what       string
		operation  operation
		parameters map[string]any
		want       []string
	}{
		{"an unknown institution", fetchPayroll, map[string]any{"institution": "no-" + no, "access": no, "from": today, "to": today},
			[]string{"INVALID_REQUEST", "UNSUPPORTED"}},
		{"an unknown code", complete, map[string]any{"institution": in.ID, "authorization": no, "code": no},
			[]string{"ABANDONED", "DENIED", "INVALID_REQUEST"}},
		{"unknown access", fetchPayroll, map[string]any{"institution": in.ID, "access": no, "from": today, "to": today}, []string{"ENDED"}},
	} {
		var answer any
		err := e.call(ctx, c.operation, c.parameters, &answer)
		status := (*rest.StatusError)(nil)
		switch {
		case err == nil:
			e.add(CheckErrors, fmt.Errorf("the connector accepts %s, and must reject it", c.what), "")
			return
		case !errors.As(err, &status):
			e.add(CheckErrors, err, "")
			return
		case !slices.Contains(c.want, status.Problem):
			e.add(CheckErrors, fmt.Errorf("the answer to %s is %s; expected %s", c.what, status, strings.Join(c.want, " or ")), "")
			return
		}
	}
	err := e.call(ctx, revoke, map[string]any{"institution": in.ID, "access": no}, nil)
	if err != nil && sources.ReasonOf(err) != sources.Ended {
		e.add(CheckErrors, fmt.Errorf("the revocation of unknown access fails; expected 204 or ENDED: %w", cause(err)), "")
		return
	}
	e.add(CheckErrors, nil, "unknown institutions, codes, and access are rejected with the right codes")
}

// renewal requests the renewal of access that does not exist.
func (e *examination) renewal(ctx context.Context, in Institution) {
	err := e.call(ctx, renew, map[string]any{"institution": in.ID, "refresh": uuid.NewString()}, new(any))
	status := (*rest.StatusError)(nil)
	switch {
	case err == nil:
		err = errors.New("the connector renews unknown access, and must reject it with ENDED")
	case errors.As(err, &status) && status.Problem == "ENDED":
		err = nil
	case status != nil:
		err = fmt.Errorf("the answer to a renewal of unknown access is %s; expected ENDED", status)
	}
	e.add(CheckRenewal, err, in.ID+" offers renewal, and does not renew unknown access")
}

func (e *examination) file(ctx context.Context, in Institution) {
	c := &Connector{programs: map[string]*program{in.ID: e.program}}
	f, _, err := c.File(ctx, in.ID, sources.FileRequest{Reference: uuid.NewString(), AsOf: report.DateOf(e.Now()),
		Person: &passport.Consumer{First: "Conformance", Last: "Check", Emails: []string{"conformance.check@example.com"}}})
	detail := in.ID + " has no file on an invented person"
	if f.Found {
		detail = in.ID + " answers with a file that fits the document"
	}
	e.add(CheckFiles, err, detail)
}
