// Package remote connects to payroll providers and credit bureaus through connectors:
// programs of the operator that speak the protocol of docs/connector.openapi.yaml.
//
// Requests are signed as webhooks are. An answer is used only if it fits the schemas of
// the document; nothing of another answer is stored.
package remote

import (
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"vestibule/internal/analysis/income"
	"vestibule/internal/analysis/passport"
	"vestibule/internal/httpx"
	"vestibule/internal/provider/sources"
	"vestibule/internal/provider/sources/configfile"
	"vestibule/internal/provider/sources/rest"
	"vestibule/internal/report"
	"vestibule/internal/webhook"
)

// maxAnswer is the maximum size in bytes of one answer.
const maxAnswer = 1 << 20

// Connector reaches the institutions of the configured programs. It is safe for
// concurrent use.
type Connector struct {
	programs map[string]*program // by institution
	list     []sources.Institution
}

var (
	_ sources.Authorizer   = (*Connector)(nil)
	_ sources.DisputeTaker = (*Connector)(nil)
)

// Options are what a Connector depends on. The zero value is for production.
type Options struct {
	Now   func() time.Time                           // real clock, for signatures; nil: time.Now
	Sleep func(context.Context, time.Duration) error // waits before a request is repeated; nil: by the real clock
}

// program is the client of one connector.
type program struct {
	rest.Client
	config Program
	hosts  map[string]bool // of sign-in pages, with ports
}

// New returns a connector for the institutions of programs, which it validates as Load
// does.
func New(list []Program, o Options) (*Connector, error) {
	if err := errors.Join(check(list)...); err != nil {
		return nil, err
	}
	c := &Connector{programs: map[string]*program{}}
	for _, config := range list {
		p := newProgram(config, o)
		for _, in := range config.Institutions {
			c.programs[in.ID] = p
			c.list = append(c.list, config.public(in))
		}
	}
	slices.SortFunc(c.list, func(a, b sources.Institution) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.ID, b.ID))
	})
	return c, nil
}

func newProgram(config Program, o Options) *program {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Sleep == nil {
		o.Sleep = httpx.Sleep
	}
	config.URL = strings.TrimSuffix(config.URL, "/")
	p := &program{config: config, hosts: config.hosts()}
	client := rest.NewHTTPClient(&tls.Config{RootCAs: config.CA, MinVersion: tls.VersionTLS12}, config.Loopback)
	p.Client = rest.Client{ID: config.ID, HTTP: client, Now: o.Now, Sleep: o.Sleep, Limit: maxAnswer, Reason: reasonOf,
		Allows: func(u *url.URL) bool { return strings.HasPrefix(u.String(), config.URL+"/") }}
	return p
}

// Institutions implements sources.Connector.
func (c *Connector) Institutions() []sources.Institution { return slices.Clone(c.list) }

func (c *Connector) program(institution string) (*program, error) {
	if p := c.programs[institution]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("remote: no connector has the institution %q", institution)
}

var errPage = errors.New("the sign-in page is on a host that is not configured: add the host to pages")

// operation is one operation of the protocol.
type operation struct {
	path, name string
	schema     string // of the answer; empty: no content
	once       bool   // a repeated request would fail, so it is not sent again
}

var (
	listInstitutions = operation{path: "/institutions", name: "institutions", schema: "Institutions"}
	authorize        = operation{path: "/authorizations", name: "authorize", schema: "Authorization"}
	complete         = operation{path: "/authorizations/complete", name: "complete", schema: "Grant", once: true}
	renew            = operation{path: "/authorizations/renew", name: "renew", schema: "Grant", once: true}
	fetchPayroll     = operation{path: "/payroll", name: "payroll", schema: "Payroll"}
	fetchFile        = operation{path: "/files", name: "file", schema: "File"}
	passDispute      = operation{path: "/disputes", name: "dispute", schema: "DisputeReceipt"}
	revoke           = operation{path: "/revocations", name: "revoke"}
)

// call sends a signed request and decodes the answer into target. parameters is the
// request without the operation.
func (p *program) call(ctx context.Context, o operation, parameters map[string]any, target any) error {
	parameters = maps.Clone(parameters)
	if parameters == nil {
		parameters = map[string]any{}
	}
	parameters["operation"] = o.name
	body, err := json.Marshal(parameters)
	if err != nil {
		return errors.New("remote: a request cannot be encoded")
	}
	return p.Do(ctx, rest.Request{What: "request " + o.name, Method: http.MethodPost, URL: p.config.URL + o.path, Repeat: !o.once,
		Problem: problemOf,
		Prepare: func(h http.Header, id string) ([]byte, error) {
			h.Set("Content-Type", "application/json")
			return body, webhook.Sign(h, []webhook.Secret{p.config.Secret}, id, p.Now(), body)
		},
		Read: func(r *http.Response) error {
			if o.schema == "" {
				return nil
			}
			raw, err := io.ReadAll(r.Body)
			if err != nil {
				return err
			}
			if err := validate(o.schema, raw); err != nil {
				return sources.Fail(sources.Rejected, err)
			}
			if err := json.Unmarshal(raw, target); err != nil {
				return rest.ErrNotJSON // the library's error may quote the answer
			}
			return nil
		}})
}

// problems are the error codes of the protocol with their reasons.
var problems = map[string]sources.Reason{
	"DENIED":                sources.Denied,
	"ABANDONED":             sources.Abandoned,
	"EXPIRED":               sources.Unauthorized,
	"ENDED":                 sources.Ended,
	"CONFIRMATION_REQUIRED": sources.Challenged,
	"UNRESPONSIVE":          sources.Unresponsive,
	"UNSUPPORTED":           sources.Unsupported,
	"INVALID_SIGNATURE":     sources.Misused,
	"INVALID_REQUEST":       sources.Misused,
}

// problemOf returns the code of an error answer, or "" for an unknown code.
func problemOf(r *http.Response) string {
	var answer struct {
		Error string `json:"error"`
	}
	if json.NewDecoder(r.Body).Decode(&answer) != nil || problems[answer.Error] == "" {
		return ""
	}
	return answer.Error
}

// reasonOf returns the reason of a failure by the code of the answer, or else by its
// status.
func reasonOf(e *rest.StatusError) sources.Reason {
	if reason, known := problems[e.Problem]; known {
		return reason
	}
	if e.Code == http.StatusTooManyRequests || e.Code >= 500 {
		return sources.Unresponsive
	}
	return sources.Misused
}

// pending is the plain text of Authorization.Pending.
type pending struct {
	Authorization string `json:"authorization"`
}

// Authorize implements sources.Authorizer.
func (c *Connector) Authorize(ctx context.Context, institution string, r sources.AuthorizeRequest) (out sources.Authorization, err error) {
	p, err := c.program(institution)
	if err != nil {
		return out, err
	}
	var answer struct {
		URL string `json:"url"`
		pending
	}
	language := "en" // the document allows en and es
	if r.Language == "es" {
		language = "es"
	}
	err = p.call(ctx, authorize, map[string]any{"institution": institution, "redirectUri": r.RedirectURI, "state": r.State,
		"language": language}, &answer)
	if err != nil {
		return out, err
	}
	u, err := url.Parse(answer.URL)
	if err != nil || configfile.CheckURL(answer.URL, p.config.Loopback) != nil || !p.hosts[rest.HostOf(u)] {
		return out, sources.Fail(sources.Rejected, fmt.Errorf("%s: %w", p.ID, errPage))
	}
	raw, err := json.Marshal(answer.pending)
	return sources.Authorization{URL: answer.URL, Pending: raw}, err
}

// Complete implements sources.Authorizer.
func (c *Connector) Complete(ctx context.Context, institution string, state []byte, callback url.Values) (g sources.Grant, err error) {
	p, err := c.program(institution)
	if err != nil {
		return g, err
	}
	var begun pending
	if json.Unmarshal(state, &begun) != nil {
		return g, errors.New("remote: a stored authorization cannot be decoded")
	}
	code := callback["code"]
	switch {
	case callback.Get("error") == "access_denied":
		return g, sources.Fail(sources.Denied, errors.New(p.ID+": the applicant denied access"))
	case callback.Get("error") != "":
		return g, sources.Fail(sources.Abandoned, errors.New(p.ID+": the callback has an error"))
	case len(code) != 1 || code[0] == "" || len(code[0]) > 4096:
		return g, sources.Fail(sources.Rejected, errors.New(p.ID+": the callback has no code"))
	}
	var answer grant
	err = p.call(ctx, complete, map[string]any{"institution": institution, "authorization": begun.Authorization, "code": code[0]}, &answer)
	return answer.public(), err
}

// grant is a Grant of the protocol.
type grant struct {
	Access  string    `json:"access"`
	Expires time.Time `json:"accessExpiresAt"`
	Refresh string    `json:"refresh"`
	Until   time.Time `json:"expiresAt"`
}

func (g grant) public() sources.Grant {
	return sources.Grant{Access: g.Access, Refresh: g.Refresh, Expires: g.Expires, Until: g.Until}
}

// Renew implements sources.Authorizer. Connectors renew access only if they gave a refresh.
func (c *Connector) Renew(ctx context.Context, institution string, g sources.Grant) (sources.Grant, error) {
	p, err := c.program(institution)
	if err != nil {
		return sources.Grant{}, err
	}
	if g.Refresh == "" {
		return sources.Grant{}, sources.Fail(sources.Ended, errors.New(p.ID+": the access cannot be renewed"))
	}
	var answer grant
	err = p.call(ctx, renew, map[string]any{"institution": institution, "refresh": g.Refresh}, &answer)
	switch sources.ReasonOf(err) {
	case sources.Denied, sources.Abandoned, sources.Unauthorized:
		err = sources.Fail(sources.Ended, cause(err))
	}
	if err != nil {
		return sources.Grant{}, err
	}
	renewed := answer.public()
	renewed.Refresh = cmp.Or(renewed.Refresh, g.Refresh)
	if renewed.Until.IsZero() {
		renewed.Until = g.Until
	}
	return renewed, nil
}

// Fetch implements sources.Authorizer.
func (c *Connector) Fetch(ctx context.Context, institution string, g sources.Grant, from, to report.Date) (out sources.Fetched, err error) {
	p, err := c.program(institution)
	if err != nil {
		return out, err
	}
	var answer income.Payroll
	err = p.call(ctx, fetchPayroll, map[string]any{"institution": institution, "access": g.Access, "from": from, "to": to}, &answer)
	if err != nil {
		return out, err
	}
	if err := checkPayroll(&answer, to); err != nil {
		return out, sources.Fail(sources.Rejected, fmt.Errorf("%s: the payroll data %w", p.ID, err))
	}
	i := slices.IndexFunc(p.config.Institutions, func(in Institution) bool { return in.ID == institution })
	in := p.config.Institutions[i]
	answer.Provider, answer.Type = in.Name, in.Type
	out.Payroll = &answer
	return out, nil
}

// checkPayroll returns an error for data that contradict themselves, and removes payments
// after a day.
func checkPayroll(p *income.Payroll, to report.Date) error {
	ids := map[string]bool{}
	for n := range p.Jobs {
		j := &p.Jobs[n]
		if ids[j.RecordID] {
			return errors.New("have two jobs with the same recordId")
		}
		ids[j.RecordID] = true
		if j.Hired != nil && j.Ended != nil && j.Ended.Before(j.Hired.Time) {
			return errors.New("have a job that ends before it begins")
		}
		if j.Rate < 0 {
			return errors.New("have a negative rate of pay")
		}
		if j.RatePer == "" {
			j.Rate = 0
		}
		j.Statements = slices.DeleteFunc(j.Statements, func(s income.Statement) bool { return s.PayDate.After(to.Time) })
		for _, s := range j.Statements {
			if s.End.Before(s.Start.Time) {
				return errors.New("have a pay period that ends before it begins")
			}
		}
		slices.SortStableFunc(j.Statements, func(a, b income.Statement) int { return b.PayDate.Compare(a.PayDate.Time) })
	}
	return nil
}

// Revoke implements sources.Authorizer.
func (c *Connector) Revoke(ctx context.Context, institution string, g sources.Grant) error {
	p, err := c.program(institution)
	if err != nil {
		return err
	}
	parameters := map[string]any{"institution": institution, "access": g.Access}
	if g.Refresh != "" {
		parameters["refresh"] = g.Refresh
	}
	err = p.call(ctx, revoke, parameters, nil)
	switch sources.ReasonOf(err) {
	case sources.Ended, sources.Unauthorized:
		return nil
	}
	return err
}

// File implements sources.Bureau. Without a name, the supplier is not asked.
func (c *Connector) File(ctx context.Context, supplier string, r sources.FileRequest) (f passport.File, q *passport.Quote, err error) {
	p, err := c.program(supplier)
	if err != nil {
		return f, nil, err
	}
	if r.Person == nil {
		return passport.File{Supplier: supplier}, nil, nil
	}
	var answer struct {
		passport.File
		Quote *passport.Quote `json:"quote"`
	}
	parameters := map[string]any{"institution": supplier, "reference": r.Reference, "asOf": r.AsOf, "person": r.Person}
	if len(r.Documents) > 0 {
		parameters["documents"] = r.Documents
	}
	err = p.call(ctx, fetchFile, parameters, &answer)
	if err != nil {
		return f, nil, err
	}
	f = answer.File
	if !f.Found {
		return passport.File{Supplier: supplier}, nil, nil
	}
	f.Supplier = supplier
	if err := checkFile(&f); err != nil {
		return passport.File{}, nil, sources.Fail(sources.Rejected, fmt.Errorf("%s: the file %w", p.ID, err))
	}
	return f, answer.Quote, nil
}

// Dispute implements sources.DisputeTaker. Connectors need not have the operation.
func (c *Connector) Dispute(ctx context.Context, supplier string, r sources.DisputeRequest) (out sources.DisputeReceipt, err error) {
	p, err := c.program(supplier)
	if err != nil {
		return out, err
	}
	parameters := map[string]any{"institution": supplier, "reference": r.Reference, "number": r.Number, "kind": r.Kind, "about": r.About,
		"statement": r.Statement, "due": r.Due}
	if r.Facts != "" {
		parameters["facts"] = r.Facts
	}
	err = p.call(ctx, passDispute, parameters, &out)
	if e := (*rest.StatusError)(nil); errors.As(err, &e) && e.Problem == "" && e.Code == http.StatusNotFound {
		err = sources.Fail(sources.Unsupported, err)
	}
	return out, err
}

// checkFile returns an error for a file that contradicts itself.
func checkFile(f *passport.File) error {
	ids := map[string]bool{}
	for _, t := range f.Tradelines {
		if ids[t.ID] {
			return errors.New("has two tradelines with the same id")
		}
		ids[t.ID] = true
	}
	if f.Currency == "" && len(f.Tradelines)+len(f.Employers)+len(f.OtherIncomes)+len(f.Collections)+len(f.PublicRecords)+len(f.NSF) > 0 {
		return errors.New("has no currency")
	}
	return nil
}
