package app_test

import (
	"bytes"
	"context"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"vestibule/internal/app"
	"vestibule/internal/testutil/assets"
)

// attempt starts the program only as far as its configuration is judged.
func attempt(t *testing.T, args ...string) (exit int, stderr string) {
	t.Helper()
	assets.Need(t)
	ctx, stop := context.WithCancel(context.Background())
	stop() // what is not refused ends before it serves
	var out, errs bytes.Buffer
	exit = app.Run(ctx, append(args, "--data-dir="+t.TempDir()), &out, &errs)
	if strings.Contains(out.String(), "ready") {
		t.Errorf("%v: got ready", args)
	}
	return exit, errs.String()
}

// elsewhere are the flags of a portal at a provider that is not ours.
func elsewhere(more ...string) []string {
	return append([]string{"portal", "--portal-addr=localhost:0", "--provider-url=https://service.example", "--public-id=p", "--client-id=c", "--secret-key=" + canaryText,
		"--products=cashflow=6f1a6e0e-3c39-4b4f-9a3d-111111111111", "--webhook-secret=whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz"}, more...)
}

func TestAConfigurationThatCannotBeServedIsRefused(t *testing.T) {
	alone := func(more ...string) []string { return append([]string{"provider"}, more...) }
	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"an unknown flag":                  {[]string{"--colour=red"}, "--colour"},
		"an unknown command":               {[]string{"dance"}, "dance"},
		"an unknown environment":           {[]string{"--environment=moon"}, "environment"},
		"an unknown log level":             {[]string{"--log-level=loud"}, "log-level"},
		"a portal's address without port":  {[]string{"--portal-addr=localhost"}, `--portal-addr "localhost": want HOST:PORT`},
		"a port that is no number":         {[]string{"--portal-addr=localhost:http"}, "--portal-addr"},
		"a port that is too large":         {[]string{"--provider-addr=127.0.0.1:65536"}, "--provider-addr"},
		"a negative port":                  {[]string{"--admin-addr=127.0.0.1:-1"}, "--admin-addr"},
		"the portal to all, in the clear":  {[]string{"--portal-addr=0.0.0.0:0"}, "--tls-cert"},
		"the portal to all, by no host":    {[]string{"--portal-addr=:0"}, "--behind-proxy"},
		"the provider to all":              {[]string{"--provider-addr=[::]:0"}, "--provider-addr"},
		"a proxy and no public address":    {[]string{"--portal-addr=0.0.0.0:0", "--behind-proxy"}, "--portal-url is required"},
		"the admin listener to all":        {[]string{"--admin-addr=0.0.0.0:0"}, "--admin-addr"},
		"the admin listener by no host":    {alone("--admin-addr=:0"), "--behind-proxy"},
		"an address of no admin listener":  {[]string{"--admin-url=https://metrics.example"}, "needs --admin-addr"},
		"the controls to all":              {[]string{"--sandbox-control-addr=0.0.0.0:0"}, "loopback only"},
		"controls in production":           {alone("--environment=production", "--sandbox-control-addr=127.0.0.1:0"), "sandbox provider"},
		"awkward in production":            {alone("--environment=production", "--sandbox-awkward=7"), "sandbox provider"},
		"awkward of no provider":           {elsewhere("--sandbox-awkward=7"), "sandbox provider"},
		"controls of no provider":          {elsewhere("--sandbox-control-addr=127.0.0.1:0"), "sandbox provider"},
		"both parties in production":       {[]string{"--environment=production"}, "run the commands portal and provider apart"},
		"a certificate without its key":    {[]string{"--tls-cert=a.pem"}, "go together"},
		"a certificate that is not there":  {[]string{"--tls-cert=a.pem", "--tls-key=b.pem"}, "a.pem"},
		"a public address without scheme":  {[]string{"--portal-url=localhost:8080"}, "--portal-url"},
		"another scheme":                   {[]string{"--portal-url=ftp://localhost"}, "--portal-url"},
		"a public address with a user":     {[]string{"--provider-url=http://a:b@localhost"}, "--provider-url"},
		"a public address with a query":    {[]string{"--provider-url=http://localhost?a=b"}, "--provider-url"},
		"a portal below its host":          {[]string{"--portal-url=http://localhost/portal"}, "want no path"},
		"a mail server without port":       {[]string{"--smtp-addr=mail.example", "--smtp-from=a@b.example"}, "HOST:PORT"},
		"a mail server without sender":     {[]string{"--smtp-addr=mail.example:587"}, "the sender is no address"},
		"a sender without mail server":     {[]string{"--smtp-from=a@b.example"}, "need --smtp-addr"},
		"half of a mail server's login":    {[]string{"--smtp-addr=mail.example:587", "--smtp-from=a@b.example", "--smtp-username=x"}, "go together"},
		"a mail server in the clear":       {[]string{"--smtp-addr=mail.example:25", "--smtp-from=a@b.example", "--smtp-security=none"}, "in the clear"},
		"a login sent in the clear":        {[]string{"--smtp-addr=127.0.0.1:25", "--smtp-from=a@b.example", "--smtp-security=none", "--smtp-username=x", "--smtp-password=y"}, "not sent without TLS"},
		"a brand file that is not there":   {[]string{"--brand-file=nowhere/brand.yaml"}, "--brand-file"},
		"a widget script that is no URL":   {[]string{"--widget-script-url=javascript:alert(1)"}, "--widget-script-url"},
		"a widget global with a dot":       {[]string{"--widget-global=a.b"}, "JavaScript identifier"},
		"another database":                 {[]string{"--database-url=mysql://localhost"}, "postgres://"},
		"a product of an unknown kind":     {elsewhere("--products=loans=6f1a6e0e-3c39-4b4f-9a3d-111111111111"), `"loans" is no product`},
		"a product without a UUID":         {elsewhere("--products=income=1"), "no UUID"},
		"products that are no list":        {[]string{"--products=cashflow"}, "products"},
		"an account beside the embedded":   {[]string{"--client-id=c"}, "run the command portal"},
		"a portal alone without anything":  {[]string{"portal"}, "--provider-url is required"},
		"a portal alone without secrets":   {[]string{"portal"}, "--webhook-secret is required"},
		"a webhook secret of another form": {elsewhere("--webhook-secret=" + canaryText), "whsec_"},
		"a short API key":                  {[]string{"--portal-api-key=canary-4711"}, "20 to 200"},
		"an events secret that is none":    {[]string{"--events-secret=canary-4711"}, "--events-secret: want whsec_"},
		"events without TLS":               {[]string{"--events-url=http://app.example.com/hooks"}, "--events-url"},
		"events to a private address":      {[]string{"--events-url=https://10.0.0.7/hooks"}, "--events-url"},
		"events to a proxied portal's own": {[]string{"--portal-addr=0.0.0.0:0", "--behind-proxy", "--portal-url=https://portal.example", "--events-url=http://127.0.0.1:9/hooks"}, "--events-url"},
		"an API key with a space":          {[]string{"--portal-api-key=" + canaryText + " " + canaryText}, "20 to 200"},
		"a retention of less than nothing": {[]string{"--retention-days=-1"}, "--retention-days"},
		"jobs that nobody runs":            {[]string{"--no-jobs"}, "--no-jobs"},
		"an API that answers nobody":       {[]string{"--api-rate=0"}, "--api-rate"},
		"files of less than nothing":       {[]string{"--widget-files=-1"}, "--widget-files"},
		"an agency of two lines":           {[]string{"--report-agency=a\nb"}, "--report-agency"},
		"a regulator without end":          {[]string{"--regulator=" + strings.Repeat("a", 301)}, "--regulator"},
		"an OIDC client without issuer":    {[]string{"--oidc-client-secret=canary-4711"}, "need --oidc-issuer"},
		"an issuer without client":         {[]string{"--oidc-issuer=https://id.example"}, "--oidc-client-id"},
		"an issuer without TLS":            {[]string{"--oidc-issuer=http://id.example", "--oidc-client-id=a", "--oidc-client-secret=b"}, "want https"},
		"an issuer that is no URL":         {[]string{"--oidc-issuer=id.example", "--oidc-client-id=a", "--oidc-client-secret=b"}, "--oidc-issuer"},
		"a group of a role that is none":   {[]string{"--oidc-issuer=https://id.example", "--oidc-client-id=a", "--oidc-client-secret=b", "--oidc-roles=x=boss"}, `"boss" of the group "x"`},
		"no way in to the desk":            {[]string{"--no-local-accounts"}, "nobody could sign in"},
		"no administrator of the desk":     {[]string{"--no-local-accounts", "--oidc-issuer=https://id.example", "--oidc-client-id=a", "--oidc-client-secret=b", "--oidc-roles=x=auditor"}, "role administrator"},
		"a mode of return that is none":    {[]string{"--return-mode=put"}, "return-mode"},
	} {
		t.Run(name, func(t *testing.T) {
			exit, says := attempt(t, c.args...)
			if exit != 2 || !strings.Contains(says, c.says) {
				t.Errorf("exit code %d, want 2, and words with %q:\n%s", exit, c.says, says)
			}
			if strings.Contains(says, "canary") {
				t.Errorf("a secret is repeated:\n%s", says)
			}
		})
	}
}

func TestAConfigurationSaysEverythingThatIsWrongAtOnce(t *testing.T) {
	_, says := attempt(t, "--portal-addr=x", "--widget-global=1", "--portal-url=here")
	for _, want := range []string{"--portal-addr", "--widget-global", "--portal-url"} {
		if !strings.Contains(says, want) {
			t.Errorf("nothing of %s in:\n%s", want, says)
		}
	}
}

func TestGoodConfigurationsAreNotRefused(t *testing.T) {
	for name, args := range map[string][]string{
		"the default":                {"--portal-addr=localhost:0", "--provider-addr=127.0.0.1:0"},
		"the provider in production": {"provider", "--provider-addr=127.0.0.1:0", "--environment=production"},
		"the portal alone":           elsewhere(),
		"a slash at the end":         {"--portal-addr=localhost:0", "--provider-addr=127.0.0.1:0", "--portal-url=https://apply.example/"},
		"behind a proxy":             elsewhere("--portal-addr=0.0.0.0:0", "--behind-proxy", "--portal-url=https://apply.example"),
		"IPv6":                       {"provider", "--provider-addr=[::1]:0"},
		"events of an app":           elsewhere("--events-url=https://app.example.com/hooks", "--events-secret=whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz,whsec_YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4"),
		"events of an app here":      elsewhere("--events-url=http://127.0.0.1:9000/hooks"),
		"an API key of one's own":    elsewhere("--portal-api-key=0123456789-abcdefghij"),
	} {
		t.Run(name, func(t *testing.T) {
			if exit, says := attempt(t, args...); exit == 2 {
				t.Errorf("refused:\n%s", says)
			}
		})
	}
}

func TestAnEnvironmentVariableIsTheFlag(t *testing.T) {
	t.Setenv("VESTIBULE_PORTAL_ADDR", "nowhere")
	if exit, says := attempt(t); exit != 2 || !strings.Contains(says, `--portal-addr "nowhere"`) {
		t.Errorf("exit code %d:\n%s", exit, says)
	}
	if exit, says := attempt(t, "--portal-addr=localhost:0", "--provider-addr=127.0.0.1:0"); exit == 2 {
		t.Errorf("the flag does not win over the variable:\n%s", says)
	}
}

func TestTheHelpSaysEveryDefault(t *testing.T) {
	var out, errs bytes.Buffer
	if exit := app.Run(t.Context(), []string{"--help"}, &out, &errs); exit != 0 {
		t.Fatalf("exit code %d:\n%s", exit, &errs)
	}
	flags, _, _ := strings.Cut(out.String(), "\nCommands:")
	said := map[string]string{} // by variable, which ends what is said of a flag
	for text := strings.Join(strings.Fields(flags), " "); ; {
		before, after, ok := strings.Cut(text, "($VESTIBULE_")
		if !ok {
			break
		}
		name, rest, _ := strings.Cut(after, ")")
		said[name], text = before, rest
	}
	defaults := 0
	for _, field := range reflect.VisibleFields(reflect.TypeFor[app.Config]()) {
		name := field.Tag.Get("name")
		if name == "" {
			name = regexp.MustCompile("([a-z])([A-Z])").ReplaceAllString(field.Name, "$1-$2")
			name = strings.ToLower(name)
		}
		help, ok := said[strings.ToUpper(strings.ReplaceAll(name, "-", "_"))]
		if !ok {
			t.Errorf("--%s is not in the help", name)
		}
		if value := field.Tag.Get("default"); value != "" {
			defaults++
			if !strings.Contains(help, " Default: "+value) && !strings.Contains(help, "="+strconv.Quote(value)) {
				t.Errorf("the default of --%s, %s, is not in: %s", name, value, help)
			}
		}
	}
	if defaults < 15 {
		t.Errorf("only %d defaults were found", defaults)
	}
}

// TestNobodyElsesCallbackReachesThisMachine: with a proxy that brings others in, or an
// address that is everybody's, a listener on loopback is no sign that the provider is
// for this machine alone.
func TestNobodyElsesCallbackReachesThisMachine(t *testing.T) {
	for _, c := range []struct {
		flags  []string
		status int
	}{{nil, 200}, {[]string{"--behind-proxy"}, 400}, {[]string{"--provider-url=https://sandbox.service.example"}, 400}} {
		w := startWorld(t, "", c.flags...)
		for _, to := range []string{"http://127.0.0.1:9/reset", "http://localhost:9/reset"} {
			body := `{"publicId":"` + w.Credentials.PublicID + `","url":"` + to + `"}`
			if a := do(t, ask(t, "POST", w.Control+"/callbacks", body, "Content-Type", "application/json")); a.Status != c.status {
				t.Errorf("%v: a callback to %s = %d, want %d", c.flags, to, a.Status, c.status)
			}
		}
	}
}
