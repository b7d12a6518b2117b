package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	yaml "go.yaml.in/yaml/v3"

	"vestibule/internal/provider/sources"
	"vestibule/internal/provider/sources/remote"
	"vestibule/internal/provider/visits"
)

// connectorCommands are the commands for authors and operators of connectors.
type connectorCommands struct {
	Check        connectorCheck `cmd:"" help:"Check that a connector follows the protocol of docs/connector.openapi.yaml; exit code 1 if not."`
	Institutions connectorList  `cmd:"" help:"Print the institutions of a connector in the form of the file of --connectors."`
}

// connectorTarget names a connector.
type connectorTarget struct {
	URL        string `arg:"" help:"Base URL of the connector."`
	SecretFile string `required:"" env:"-" placeholder:"FILE" help:"File with the secret, whsec_ and base64."`
	Loopback   bool   `env:"-" help:"Permit addresses of this machine, also without TLS."`
}

type connectorCheck struct {
	connectorTarget
	Pages       []string `env:"-" placeholder:"HOST" help:"Further hosts of its sign-in pages."`
	RedirectURI string   `env:"-" placeholder:"URI" help:"A redirect URI that it accepts. Default: that of the provider."`
	Files       bool     `env:"-" help:"Also request the file of an invented person, which a bureau may count as an inquiry."`
}

type connectorList struct{ connectorTarget }

func (t connectorTarget) program() (remote.Program, error) {
	p := remote.Program{ID: "connector", URL: t.URL, SecretFile: t.SecretFile, Loopback: t.Loopback}
	err := p.Prepare(".")
	if err != nil {
		err = refusal{errors.New(connectorFlags.Replace(err.Error()))}
	}
	return p, err
}

// connectorFlags turns keys of the file of --connectors into flags of these commands.
var connectorFlags = strings.NewReplacer("secret_file: ", "--secret-file: ", "url: ", "URL: ",
	"loopback: true", "--loopback")

func (connectorCheck) uses() string { return "provider-addr provider-url ca-file" }
func (connectorList) uses() string  { return "ca-file" }

// Run prints a line for each check, and returns errUnhealthy if one failed.
func (c connectorCheck) Run(ctx context.Context, in *invocation) error {
	p, err := c.program()
	if err != nil {
		return err
	}
	p.Pages = c.Pages
	listen, healthy := in.config.Listen, true
	redirectURI := cmp.Or(c.RedirectURI, in.config.addressOf(listen.ProviderURL, listen.ProviderAddr)+visits.CallbackPath)
	for _, check := range remote.Conformance(ctx, p, redirectURI, c.Files, remote.Options{Now: time.Now}) {
		level := "ok"
		if !check.OK {
			level, healthy = "fail", false
		}
		fmt.Fprintf(in.stdout, "%-5s %-13s %s\n", level, check.Name, check.Detail)
	}
	if !healthy {
		return errUnhealthy
	}
	return nil
}

// Run prints the institutions as YAML.
func (c connectorList) Run(ctx context.Context, in *invocation) error {
	p, err := c.program()
	if err != nil {
		return err
	}
	list, err := remote.List(ctx, p, remote.Options{Now: time.Now})
	if f := (*sources.Failure)(nil); errors.As(err, &f) {
		err = f.Err
	}
	if err != nil {
		return err
	}
	enc := yaml.NewEncoder(in.stdout)
	enc.SetIndent(2)
	if err := enc.Encode(list); err != nil {
		return err
	}
	return enc.Close()
}
