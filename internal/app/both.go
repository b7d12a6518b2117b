package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/portal/doctor"
	"vestibule/internal/provider"
	"vestibule/internal/provider/auth"
	"vestibule/internal/store"
)

// Both configures a provider that serves production and a sandbox in one process. Flags and
// variables are production's, and a file has the sandbox's variables.
type Both struct {
	SandboxSettings string `placeholder:"FILE" help:"File of variables of a sandbox to serve beside production. Default: none."`
	SubmissionURL   string `name:"submission-url" placeholder:"URL" help:"Public base URL where X-ENVIRONMENT chooses. Default: none."`
}

// Validate checks the address of submissions, and removes trailing slashes.
func (b *Both) Validate() error {
	b.SubmissionURL = strings.TrimRight(b.SubmissionURL, "/")
	u, ok := httpx.ParseURL(b.SubmissionURL)
	switch {
	case b.SubmissionURL == "":
		return nil
	case b.SandboxSettings == "":
		return errors.New("--submission-url needs --sandbox-settings")
	case !httpx.IsBaseURL(b.SubmissionURL) || !ok || u.Path != "":
		return fmt.Errorf("--submission-url %q: must be an absolute http or https URL without path, user, query or fragment", b.SubmissionURL)
	}
	return nil
}

// ofProcess are the groups and flags that both environments of a process share.
var ofProcess = []string{"tls", "telemetry", "log", "both", "provider-addr", "operator-addr", "admin-addr", "admin-url", "workers",
	"drain-grace"}

// share takes from production's configuration what is the process's.
func (c *Config) share(production *Config) {
	c.TLS, c.Telemetry, c.Log, c.Both = production.TLS, production.Telemetry, production.Log, production.Both
	c.Listen.ProviderAddr, c.Listen.OperatorAddr = production.Listen.ProviderAddr, production.Listen.OperatorAddr
	c.Listen.AdminAddr, c.Listen.AdminURL = production.Listen.AdminAddr, production.Listen.AdminURL
	c.Process.Workers, c.Process.DrainGrace = production.Process.Workers, production.Process.DrainGrace
}

// readSettings reads the file of --sandbox-settings by flag: lines NAME=VALUE, empty ones, and
// comments after #. It refuses names that are no variable of the provider, or are the process's.
func readSettings(path string, model *kong.Application) (map[string]string, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	flags := map[string]*kong.Flag{}
	for _, f := range model.Flags {
		if f.Group != nil {
			flags[variableOf(f.Name)] = f
		}
	}
	i := slices.IndexFunc(model.Children, func(n *kong.Node) bool { return n.Name == "provider" })
	out := map[string]string{}
	for n, line := range bytes.Split(raw, []byte("\n")) {
		text := strings.TrimSpace(string(line))
		if text == "" || text[0] == '#' {
			continue
		}
		name, value, ok := strings.Cut(text, "=")
		f := flags[name]
		switch {
		case !ok:
			return nil, fmt.Errorf("line %d: must be NAME=VALUE", n+1)
		case f == nil || !usesFlag(model.Children[i], f):
			return nil, fmt.Errorf("line %d: %s is no variable of the command provider", n+1, name)
		case slices.Contains(ofProcess, f.Group.Key) || slices.Contains(ofProcess, f.Name):
			return nil, fmt.Errorf("line %d: %s is the same for both environments: give it with production's settings", n+1, name)
		}
		if _, twice := out[f.Name]; twice {
			return nil, fmt.Errorf("line %d: %s is given twice", n+1, name)
		}
		if n := len(value); n > 1 && value[0] == value[n-1] && (value[0] == '"' || value[0] == '\'') {
			value = value[1 : n-1]
		}
		out[f.Name] = value
	}
	return out, nil
}

// parseSandbox reads arguments again, with the file of --sandbox-settings in place of the environment.
func (c *cli) parseSandbox(args []string, in invocation) (invocation, error) {
	path := c.config.Both.SandboxSettings
	settings, err := readSettings(path, in.command.Model)
	if err != nil {
		return in, fmt.Errorf("--sandbox-settings %s: %w", path, err)
	}
	own := cli{settings: settings}
	out, _, err := own.parse(args, in.stdout, in.stderr)
	if err != nil {
		return in, fmt.Errorf("--sandbox-settings %s: %w", path, err)
	}
	if own.config.Process.Environment != contract.Sandbox {
		return in, fmt.Errorf("--sandbox-settings %s: the environment must be sandbox", path)
	}
	for _, p := range out.command.Path {
		if f := p.Flag; f != nil && !p.Resolved && f.Group != nil && f.Group.Key == "store" {
			return in, fmt.Errorf("--%s: the file of --sandbox-settings says where the sandbox's state is: leave the flag out", f.Name)
		}
	}
	own.config.share(&c.config)
	if name := c.config.Operator.ServiceName + " (sandbox)"; settings["service-name"] == "" && len(name) <= 60 {
		own.config.Operator.ServiceName = name // people see in which of the two they are
	}
	return out, nil
}

// checkBoth refuses two environments that share an address, a database, or a key.
func (c *Config) checkBoth(sandbox *Config) error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if c.Process.Environment != contract.Production {
		bad("--sandbox-settings: flags and variables are production's; give --environment production")
	}
	own := c.Listen.OperatorAddr != ""
	type address struct {
		of, environment, url string
		needed               bool
	}
	seen := map[string]address{} // by host
	for _, a := range []address{
		{"--provider-url of production", "production", c.Listen.ProviderURL, true},
		{"--operator-url of production", "production", c.Listen.OperatorURL, own},
		{"--provider-url of the sandbox", "sandbox", sandbox.Listen.ProviderURL, true},
		{"--operator-url of the sandbox", "sandbox", sandbox.Listen.OperatorURL, own},
		{"--submission-url", "both", c.Both.SubmissionURL, false},
	} {
		host := hostOf(a.url)
		other, found := seen[host]
		switch {
		case a.url == "" && a.needed:
			bad("%s is required with --sandbox-settings, because the host of a request says which environment it is for", a.of)
		case a.url == "":
		case found && other.environment != a.environment:
			bad("%s and %s have the same host, %s: each needs its own, because browsers send cookies to every port of a host",
				other.of, a.of, host)
		default:
			seen[host] = a
		}
	}
	here, there := c.Store.Of(store.Provider).Place(), sandbox.Store.Of(store.Provider).Place()
	if here == there || c.Store.URL == "" && sandbox.Store.URL == "" && sameFile(c.Store.Dir, sandbox.Store.Dir) {
		bad("production and the sandbox have the same database, %s: give each its own --data-dir or --database-url", here)
	}
	return errors.Join(errs...)
}

// sameFile reports whether two paths lead to one file or folder, which need not exist.
func sameFile(a, b string) bool {
	one, err := os.Stat(a)
	other, err2 := os.Stat(b)
	if err == nil && err2 == nil {
		return os.SameFile(one, other)
	}
	a, err = filepath.Abs(a)
	b, err2 = filepath.Abs(b)
	return err == nil && err2 == nil && a == b
}

// hostOf returns the host name of an address, in lower case.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Hostname())
}

// loadKeys loads the key-encryption keys of the process, and refuses one key of both environments.
func (p *program) loadKeys() error {
	for _, c := range p.configs() {
		if err := c.Store.LoadKeys(); err != nil {
			return refusal{err}
		}
	}
	if p.sandbox != nil && bytes.Equal(p.config.Store.MasterKey, p.sandbox.Store.MasterKey) {
		return refusal{errors.New("--sandbox-settings: the sandbox has production's key-encryption key: give it its own --master-key-file")}
	}
	return nil
}

// sites are the handlers of one listener by their public address.
type sites map[string]http.Handler

// handleSites hands each request to the site of its host. With one site, every host is its.
func (p *program) handleSites(s *service, all sites) {
	if len(all) == 1 {
		s.handle(slices.Collect(maps.Values(all))[0])
		return
	}
	byHost := map[string]http.Handler{}
	for address, h := range all {
		byHost[hostOf(address)] = httpx.StrictTransport(address, h)
	}
	s.server.Handler = httpx.LimitPace(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := byHost[strings.ToLower((&url.URL{Host: r.Host}).Hostname())]
		if h == nil {
			h = p.refuse(&httpx.Error{Code: contract.CodeForbidden, Status: http.StatusMisdirectedRequest,
				Why: errors.New("request to an unknown host"), Details: []httpx.Detail{{Field: "Host", Message: "is not a host of this service"}}})
		}
		h.ServeHTTP(w, r)
	}))
}

// refuse answers every request with an error.
func (p *program) refuse(err error) http.Handler {
	observed := p.telemetry.Party(store.Provider)
	return observed.Handler(httpx.Wrap(p.log, httpx.API(p.log, func(http.ResponseWriter, *http.Request) error { return err })))
}

// submissionPaths are the endpoints of the submission host (API reference: Environments).
var submissionPaths = []string{"/connect/accesstoken", "/connect/v2/cashflow/byo-report", "/connect/status", "/connect/cashflow/v2/json"}

// submissions is the handler of the submission host: X-ENVIRONMENT chooses the provider.
func (p *program) submissions(of map[contract.Environment]http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		env, err := auth.NamedEnvironment(r)
		switch {
		case !slices.Contains(submissionPaths, r.URL.Path):
			err = httpx.NewError(contract.CodeNotFound, errors.New("not an endpoint of the submission host"))
		case err == nil && env == "":
			err = httpx.NewError(contract.CodeMalformedHeaders, errors.New("the submission host needs an environment"),
				httpx.Detail{Field: "X-ENVIRONMENT", Message: "is missing; send sandbox or production"})
		}
		if err != nil {
			p.refuse(err).ServeHTTP(w, r)
			return
		}
		of[env].ServeHTTP(w, r)
	})
}

// sandboxBeside names the provider of the sandbox beside production in logs and metrics.
const sandboxBeside = "provider-sandbox"

// configs returns the configurations of the process: one, or production's and the sandbox's.
func (p *program) configs() []*Config {
	if p.sandbox == nil {
		return []*Config{p.config}
	}
	return []*Config{p.config, p.sandbox}
}

// startProviders starts the provider, or those of both environments, and gives each host its handler.
// It returns the generated customers of a single sandbox.
func (p *program) startProviders(ctx context.Context, which parties) (generatedCustomers, error) {
	public, pages := sites{}, sites{}
	made, err := p.startProvider(ctx, p.config, store.Provider, which, public, pages)
	if err == nil && p.sandbox != nil {
		if _, err = p.startProvider(ctx, p.sandbox, sandboxBeside, which, public, pages); err != nil {
			return made, errors.Join(fmt.Errorf("sandbox: %w", err), p.drain())
		}
		p.parties[store.Provider].(*provider.Provider).Beside(p.parties[sandboxBeside].(*provider.Provider))
		if address := p.config.Both.SubmissionURL; address != "" {
			public[address] = p.submissions(map[contract.Environment]http.Handler{
				contract.Production: public[p.config.Listen.ProviderURL], contract.Sandbox: public[p.sandbox.Listen.ProviderURL]})
		}
	}
	if err != nil {
		return made, err
	}
	p.handleSites(p.service("provider"), public)
	if own := p.service("operator"); own != nil {
		p.handleSites(own, pages)
	}
	return made, nil
}

// examineHosts checks that the hosts of both environments lead to the environments, which publish
// different keys, and the submission host to what needs X-ENVIRONMENT.
func (c *Config) examineHosts(ctx context.Context, sandbox *Config) (found []doctor.Finding) {
	seen := map[string]bool{}
	for _, host := range []struct{ name, flag, url, path, says string }{
		{"production", "--provider-url", c.Listen.ProviderURL, "/connect/jwkset", `"keys"`},
		{"the sandbox", "--provider-url", sandbox.Listen.ProviderURL, "/connect/jwkset", `"keys"`},
		{"the submission host", "--submission-url", c.Both.SubmissionURL, "/connect/accesstoken", "X-ENVIRONMENT"},
	} {
		if host.url == "" {
			continue
		}
		said, err := readFrom(ctx, host.url+host.path)
		if err == nil && (seen[said] || !strings.Contains(said, host.says)) {
			err = errors.New("another host answers at " + host.url + ": the name must lead here, and a proxy must pass Host on")
		}
		seen[said] = true
		found = append(found, doctor.Service(doctor.Environments, host.name+" answers at "+host.url, host.flag+" of "+host.name, err))
	}
	return found
}

// readFrom reads at most 64 KiB of an answer.
func readFrom(ctx context.Context, address string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, "GET", address, nil)
	if err != nil {
		return "", err
	}
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	return string(raw), err
}
