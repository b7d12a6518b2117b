package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vestibule/internal/app"
	"vestibule/internal/staff"
	"vestibule/internal/testutil"
	"vestibule/internal/testutil/assets"
)

// run runs the program and returns its exit code and what it prints.
func run(t *testing.T, args ...string) (exit int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	exit = app.Run(t.Context(), args, &out, &errs)
	return exit, out.String(), errs.String()
}

// runJSON runs a command that succeeds and reads the JSON that it prints, if out is not nil.
func runJSON(t *testing.T, out any, args ...string) {
	t.Helper()
	code, stdout, stderr := run(t, args...)
	if code != 0 {
		t.Fatalf("%v: %d %s", args, code, stderr)
	}
	if out != nil {
		if err := json.Unmarshal([]byte(stdout), out); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, stdout)
		}
	}
}

// attempt starts the program until its configuration is validated.
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

// elsewhere returns the flags of a portal whose provider runs elsewhere.
func elsewhere(more ...string) []string {
	return append([]string{"portal", "--portal-addr=localhost:0", "--provider-url=https://service.example",
		"--public-id=p", "--client-id=c", "--secret-key=" + canaryText,
		"--products=cashflow=6f1a6e0e-3c39-4b4f-9a3d-111111111111", "--webhook-secret=whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz"}, more...)
}

// without returns elsewhere's arguments without a flag, and more.
func without(flag string, more ...string) []string {
	return slices.DeleteFunc(elsewhere(more...), func(arg string) bool { return strings.HasPrefix(arg, flag+"=") })
}

// alone returns the flags of a provider that runs without a portal.
func alone(more ...string) []string { return append([]string{"provider"}, more...) }

// badConfigurations are commands that are refused, each with words of the refusal.
var badConfigurations = map[string]struct {
	args []string
	says string
}{
	"an unknown flag":              {[]string{"--colour=red"}, "unknown flag --colour; `vestibule --help`"},
	"an unknown command":           {[]string{"dance"}, "dance"},
	"an unknown environment":       {[]string{"--environment=moon"}, "environment"},
	"an unknown log level":         {[]string{"--log-level=loud"}, "log-level"},
	"a rate that is no number":     {[]string{"--api-rate=x"}, `--api-rate: must be a whole number, not "x"`},
	"a share that is no number":    {[]string{"--otlp-share=x"}, `--otlp-share: must be a number, not "x"`},
	"an invalid duration":          {[]string{"--drain-grace=soon"}, `must be a duration such as 30s or 5m, not "soon"`},
	"a key file that is not there": {[]string{"--master-key-file=nowhere.key"}, "--master-key-file: open nowhere.key"},
	"an invalid pooler mode":       {[]string{"--database-url=postgres://a@b/c?pool_mode=d"}, "pool_mode must be session or transaction"},
	"a portal's address without port": {[]string{"--portal-addr=localhost"},
		`--portal-addr "localhost": must be HOST:PORT (variable VESTIBULE_PORTAL_ADDR)`},
	"a port that is no number":        {[]string{"--portal-addr=localhost:http"}, "--portal-addr"},
	"a port that is too large":        {[]string{"--provider-addr=127.0.0.1:65536"}, "--provider-addr"},
	"a negative port":                 {[]string{"--admin-addr=127.0.0.1:-1"}, "--admin-addr"},
	"the portal to all, in the clear": {[]string{"--portal-addr=0.0.0.0:0"}, "--tls-cert"},
	"the portal to all, by no host":   {[]string{"--portal-addr=:0"}, "--behind-proxy"},
	"the provider to all":             {[]string{"--provider-addr=[::]:0"}, "--provider-addr"},
	"a proxy and no public address":   {[]string{"--portal-addr=0.0.0.0:0", "--behind-proxy"}, "--portal-url is required"},
	"the admin listener to all":       {[]string{"--admin-addr=0.0.0.0:0"}, "--admin-addr"},
	"the admin listener by no host":   {alone("--admin-addr=:0"), "--behind-proxy"},
	"an address of no admin listener": {[]string{"--admin-url=https://metrics.example"}, "needs --admin-addr"},
	"the controls to all":             {[]string{"--sandbox-control-addr=0.0.0.0:0"}, "must be on loopback"},
	"controls in production":          {alone("--environment=production", "--sandbox-control-addr=127.0.0.1:0"), "sandbox provider"},
	"faults in production":            {alone("--environment=production", "--sandbox-faults=7"), "sandbox provider"},
	"faults of no provider":           {elsewhere("--sandbox-faults=7"), "--sandbox-faults: the command portal does not use it"},
	"controls of no provider": {elsewhere("--sandbox-control-addr=127.0.0.1:0"),
		"--sandbox-control-addr: the command portal does not use it"},
	"both parties in production":      {[]string{"--environment=production"}, "run the commands portal and provider separately"},
	"a certificate without its key":   {[]string{"--tls-cert=a.pem"}, "--tls-cert and --tls-key"},
	"a certificate that is not there": {[]string{"--tls-cert=a.pem", "--tls-key=b.pem"}, "a.pem"},
	"a public address without scheme": {[]string{"--portal-url=localhost:8080"}, "--portal-url"},
	"another scheme":                  {[]string{"--portal-url=ftp://localhost"}, "--portal-url"},
	"a public address with a user":    {[]string{"--provider-url=http://a:b@localhost"}, "--provider-url"},
	"a public address with a query":   {[]string{"--provider-url=http://localhost?a=b"}, "--provider-url"},
	"a portal below its host":         {[]string{"--portal-url=http://localhost/portal"}, "must have no path"},
	"a mail server without port":      {[]string{"--smtp-addr=mail.example", "--smtp-from=a@b.example"}, "HOST:PORT"},
	"a mail server without sender":    {[]string{"--smtp-addr=mail.example:587"}, "--smtp-from"},
	"a sender without mail server":    {[]string{"--smtp-from=a@b.example"}, "need --smtp-addr"},
	"half of a mail server's login": {[]string{"--smtp-addr=mail.example:587",
		"--smtp-from=a@b.example", "--smtp-username=x"}, "--smtp-username and --smtp-password"},
	"a mail server in the clear": {[]string{"--smtp-addr=mail.example:25",
		"--smtp-from=a@b.example", "--smtp-security=none"}, "unencrypted"},
	"a login sent in the clear": {[]string{"--smtp-addr=127.0.0.1:25", "--smtp-from=a@b.example", "--smtp-security=none",
		"--smtp-username=x", "--smtp-password=y"}, "no password without TLS"},
	"a brand file that is not there":   {[]string{"--brand-file=nowhere/brand.yaml"}, "--brand-file"},
	"a widget script that is no URL":   {[]string{"--widget-script-url=javascript:alert(1)"}, "--widget-script-url"},
	"an access page that is no URL":    {[]string{"--service-access-url=provider.example/access"}, "--service-access-url"},
	"a widget global with a dot":       {[]string{"--widget-global=a.b"}, "JavaScript identifier"},
	"a profile that is not there":      {elsewhere("--provider-profile=nowhere.yaml"), "--provider-profile: open nowhere.yaml"},
	"a profile with an unknown key":    {elsewhere("--provider-profile=../../docs/deploy/compose.yaml"), "is unknown"},
	"a profile of the embedded":        {[]string{"--provider-profile=../svcapi/profile.yaml"}, "run the command portal with it"},
	"a profile without an address":     {without("--provider-url", "--provider-profile=../svcapi/profile.yaml"), "--provider-url is"},
	"another database":                 {[]string{"--database-url=mysql://localhost"}, "postgres://"},
	"a product of an unknown kind":     {elsewhere("--products=loans=6f1a6e0e-3c39-4b4f-9a3d-111111111111"), `"loans" is not a product`},
	"a product without a UUID":         {elsewhere("--products=income=1"), "is not a UUID"},
	"products that are no list":        {[]string{"--products=cashflow"}, `--products: must be NAME=VALUE, not "cashflow"`},
	"an account beside the embedded":   {[]string{"--client-id=c"}, "run the command portal"},
	"a portal alone without anything":  {[]string{"portal"}, "--provider-url is required"},
	"a portal alone without secrets":   {[]string{"portal"}, "--webhook-secret is required"},
	"a webhook secret of another form": {elsewhere("--webhook-secret=" + canaryText), "whsec_"},
	"a short API key":                  {[]string{"--portal-api-key=canary-4711"}, "20 to 200"},
	"an invalid events secret":         {[]string{"--events-secret=canary-4711"}, "--events-secret: must be whsec_"},
	"events without TLS":               {[]string{"--events-url=http://app.example.com/webhooks"}, "--events-url"},
	"events to a private address":      {[]string{"--events-url=https://10.0.0.7/webhooks"}, "--events-url"},
	"a public network of webhooks":     {[]string{"--webhook-networks=10.0.0.0/7"}, "--webhook-networks 10.0.0.0/7: must be a part"},
	"the metadata of a cloud":          {[]string{"--webhook-networks=169.254.0.0/16"}, "--webhook-networks"},
	"a webhook network without a mask": {[]string{"--webhook-networks=10.0.0.7"}, "--webhook-networks"},
	"events to another network": {[]string{"--webhook-networks=10.1.0.0/16",
		"--events-url=https://10.0.0.7/webhooks"}, "--webhook-networks can allow"},
	"events to a proxied portal's own": {[]string{"--portal-addr=0.0.0.0:0", "--behind-proxy",
		"--portal-url=https://portal.example", "--events-url=http://127.0.0.1:9/webhooks"}, "--events-url"},
	"an API key with a space":          {[]string{"--portal-api-key=" + canaryText + " " + canaryText}, "20 to 200"},
	"a retention of less than nothing": {[]string{"--retention-days=-1"}, "--retention-days"},
	"jobs that no process runs":        {[]string{"--no-workers"}, "--no-workers"},
	"an API without requests":          {[]string{"--api-rate=0"}, "--api-rate"},
	"files of less than nothing":       {[]string{"--widget-files=-1"}, "--widget-files"},
	"an agency of two lines":           {[]string{"--report-agency=a\nb"}, "--report-agency"},
	"a regulator without end":          {[]string{"--regulator=" + strings.Repeat("a", 301)}, "--regulator"},
	"an OIDC client without issuer":    {[]string{"--oidc-client-secret=canary-4711"}, "need --oidc-issuer"},
	"an issuer without client":         {[]string{"--oidc-issuer=https://id.example"}, "--oidc-client-id"},
	"an issuer without TLS": {[]string{"--oidc-issuer=http://id.example",
		"--oidc-client-id=a", "--oidc-client-secret=b"}, "must be https"},
	"an issuer that is no URL": {[]string{"--oidc-issuer=id.example", "--oidc-client-id=a", "--oidc-client-secret=b"}, "--oidc-issuer"},
	"an invalid group of a role": {[]string{"--oidc-issuer=https://id.example", "--oidc-client-id=a",
		"--oidc-client-secret=b", "--oidc-roles=x=boss"}, `"boss" of the group "x"`},
	"no sign-in at all": {[]string{"--no-local-accounts"}, "could not sign in"},
	"no administrator": {[]string{"--no-local-accounts", "--oidc-issuer=https://id.example", "--oidc-client-id=a",
		"--oidc-client-secret=b", "--oidc-roles=x=auditor"}, "role administrator"},
	"events of a provider alone": {alone("--events-url=https://app.example/webhooks"), "--events-url: the command provider does not use it"},
	"an invalid mode of return":  {[]string{"--return-mode=put"}, "return-mode"},
}

func TestValidateRejectsBadConfigurations(t *testing.T) {
	for name, c := range badConfigurations {
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

// startOutput collects the program's output, and stops the program when it is ready.
type startOutput struct {
	bytes.Buffer
	stop func()
}

func (o *startOutput) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte("\nready\n")) {
		o.stop()
	}
	return o.Buffer.Write(p)
}

// TestStartPagesSayHowToSignIn reads the lines after ready, with and without passwords of
// reviewers.
func TestStartPagesSayHowToSignIn(t *testing.T) {
	if testing.Short() {
		t.Skip("starts the whole program")
	}
	assets.Need(t)
	staff.UseCheapHashes()
	const issuer = "https://id.example"
	by := []string{"--no-local-accounts", "--oidc-issuer=" + issuer, "--oidc-client-id=a", "--oidc-client-secret=b",
		"--oidc-roles=it=administrator"}
	const provider = "--provider-addr=127.0.0.1:0"
	for name, c := range map[string]struct {
		args         []string
		review, says string
	}{
		"both parties": {[]string{"--portal-addr=localhost:0", provider}, "/review\n", "prints the email addresses and passwords\n"},
		"both parties, no passwords of reviewers": {append(by, "--portal-addr=localhost:0", provider),
			"/review (sign in with your account at " + issuer + ")\n", "passwords of the provider's dashboard\n"},
		"the portal alone":               {elsewhere(), "/review\n", "prints the email addresses and passwords\n"},
		"the portal alone, no passwords": {elsewhere(by...), "/review (sign in with your account at " + issuer + ")\n", ""},
		"the provider alone":             {[]string{"provider", provider}, "", "prints the email addresses and passwords\n"},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, stop := context.WithCancel(t.Context())
			out := &startOutput{stop: stop}
			var log bytes.Buffer
			if exit := app.Run(ctx, append(c.args, "--data-dir="+t.TempDir()), out, &log); exit != 0 {
				t.Fatalf("exit code %d\n%s", exit, &log)
			}
			_, pages, _ := strings.Cut(out.String(), "ready\n")
			if !strings.Contains(pages, c.review) || strings.Contains(pages, "password") != (c.says != "") || !strings.Contains(pages, c.says) {
				t.Errorf("want %q and %q in\n%s", c.review, c.says, pages)
			}
		})
	}
}

// TestCommandErrors reads what commands print in place of their results.
func TestCommandErrors(t *testing.T) {
	assets.Need(t)
	dir := t.TempDir()
	secret := filepath.Join(dir, "secret")
	testutil.Must(t, os.WriteFile(secret, []byte(canaryText), 0o600))
	t.Setenv("VESTIBULE_SANDBOX_FAULTS", "some")
	for _, c := range []struct {
		args string
		exit int
		says string
	}{
		{"serve", 2, `--sandbox-faults: must be a whole number, not "some" (variable VESTIBULE_SANDBOX_FAULTS)`},
		{"keys", 2, `missing command: "rotate"`},
		{"connector", 2, `missing command: "check", "institutions"`},
		{"report", 2, "missing arguments: <file> ...; `vestibule help report` explains them"},
		{"report nowhere.csv", 1, "open nowhere.csv: no such file or directory"},
		{"customer add X --staff=someone", 2, "--staff: must be an email address"},
		{"keys rotate", 1, "no database found: give its --data-dir or --database-url"},
		{"connector check http://127.0.0.1:1 --secret-file=nowhere", 2, "URL: must be https; http needs a loopback address " +
			"and --loopback\n--secret-file: open nowhere: no such file or directory"},
		{"connector check http://127.0.0.1:1 --loopback --secret-file=" + secret, 2,
			"--secret-file: must be whsec_ and the base64 of 24 to 64 bytes"},
		{"health", 2, "give --admin-addr or --admin-url, the admin listener of the running program"},
		{"health --admin-url=nope", 2,
			`--admin-url "nope": must be an absolute http or https URL without user, query or fragment (variable VESTIBULE_ADMIN_URL)`},
		{"doctor", 2, "no account is configured: give --provider-url, --public-id, --client-id, --secret-key, --products and " +
			"--webhook-secret, or start `vestibule serve` once, which makes an account in --data-dir"},
		{"provider --provider-addr=127.0.0.1:0 --institutions=nowhere.yaml", 2, "this configuration is refused:\n" +
			"--institutions: open nowhere.yaml: " +
			"no such file or directory (variable VESTIBULE_INSTITUTIONS)"},
	} {
		t.Run(c.args, func(t *testing.T) {
			t.Setenv("VESTIBULE_DATA_DIR", filepath.Join(dir, "none"))
			if c.args != "serve" {
				t.Setenv("VESTIBULE_SANDBOX_FAULTS", "0")
			}
			exit, _, errs := run(t, strings.Fields(c.args)...)
			if exit != c.exit || !strings.HasSuffix(errs, "vestibule: "+c.says+"\n") {
				t.Errorf("exit code %d, want %d\n%s\nwant %s", exit, c.exit, errs, c.says)
			}
		})
	}
}

func TestValidateReportsAllErrors(t *testing.T) {
	_, says := attempt(t, "--portal-addr=x", "--widget-global=1", "--portal-url=here")
	for _, want := range []string{"--portal-addr", "--widget-global", "--portal-url"} {
		if !strings.Contains(says, want) {
			t.Errorf("nothing of %s in:\n%s", want, says)
		}
	}
}

func TestValidateAcceptsGoodConfigurations(t *testing.T) {
	profile := filepath.Join(t.TempDir(), "provider.yaml")
	testutil.Must(t, os.WriteFile(profile, []byte("url: https://service.example/v9"), 0o600))
	for name, args := range map[string][]string{
		"the default":                {"--portal-addr=localhost:0", "--provider-addr=127.0.0.1:0"},
		"the provider in production": {"provider", "--provider-addr=127.0.0.1:0", "--environment=production"},
		"the portal alone":           elsewhere(),
		"events to a named network":  elsewhere("--webhook-networks=10.0.0.0/16,fd00:1::/32", "--events-url=https://10.0.0.7/webhooks"),
		"an address in a profile":    without("--provider-url", "--provider-profile="+profile),
		"a slash at the end":         {"--portal-addr=localhost:0", "--provider-addr=127.0.0.1:0", "--portal-url=https://apply.example/"},
		"behind a proxy":             elsewhere("--portal-addr=0.0.0.0:0", "--behind-proxy", "--portal-url=https://apply.example"),
		"IPv6":                       {"provider", "--provider-addr=[::1]:0"},
		"events of an app": elsewhere("--events-url=https://app.example.com/webhooks",
			"--events-secret=whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz,whsec_YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4"),
		"events of an app here":   elsewhere("--events-url=http://127.0.0.1:9000/webhooks"),
		"an API key of one's own": elsewhere("--portal-api-key=0123456789-abcdefghij"),
	} {
		t.Run(name, func(t *testing.T) {
			if exit, says := attempt(t, args...); exit == 2 {
				t.Errorf("refused:\n%s", says)
			}
		})
	}
}

// TestVariablesOfOtherCredentials starts in a shell with the exports of another data folder.
func TestVariablesOfOtherCredentials(t *testing.T) {
	t.Setenv("VESTIBULE_PUBLIC_ID", "svc-other")
	t.Setenv("VESTIBULE_WEBHOOK_SECRET", "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz")
	exit, says := attempt(t, "--portal-addr=localhost:0", "--provider-addr=127.0.0.1:0")
	if exit != 2 || !strings.Contains(says, "unset VESTIBULE_PUBLIC_ID VESTIBULE_CLIENT_ID") {
		t.Errorf("exit code %d:\n%s", exit, says)
	}
}

func TestEnvironmentVariablesSetFlags(t *testing.T) {
	t.Setenv("VESTIBULE_PORTAL_ADDR", "nowhere")
	if exit, says := attempt(t); exit != 2 || !strings.Contains(says, `--portal-addr "nowhere"`) {
		t.Errorf("exit code %d:\n%s", exit, says)
	}
	if exit, says := attempt(t, "--portal-addr=localhost:0", "--provider-addr=127.0.0.1:0"); exit == 2 {
		t.Errorf("the flag does not win over the variable:\n%s", says)
	}
}

// TestHelpListsTheCommandsOwnFlags checks that a command's help lists its flags by
// group, without other commands' flags.
func TestHelpListsTheCommandsOwnFlags(t *testing.T) {
	for command, c := range map[string]struct{ has, lacks string }{
		"":      {"--portal-addr --provider-addr --widget-rate --[no-]workers --sandbox-faults", "--format --staff"},
		"serve": {"--portal-addr --provider-addr --widget-rate --brand-file --smtp-addr", "--format --staff"},
		"portal": {"--portal-addr --provider-url --client-id --oidc-issuer --data-dir",
			"--provider-addr --widget-rate --sandbox-faults --sandbox-control-addr --ocr"},
		"provider": {"--provider-addr --widget-rate --sandbox-faults --return-mode --ocr",
			"--portal-addr --client-id --oidc-issuer --brand-file --events-url"},
		"connector check": {"--secret-file --redirect-uri --files --loopback", "--portal-addr --data-dir --connectors"},
		"doctor":          {"--portal-addr --provider-addr --client-id --data-dir --ocr", "--widget-rate --sandbox-faults"},
		"customer":        {"--data-dir --database-url --environment", "--portal-addr --smtp-addr --log-share --tls-cert --drain-grace"},
		"customer add":    {"--data-dir --staff --log-level --portal --format", "--portal-addr --smtp-addr"},
		"keys rotate":     {"--master-key-file --old-master-key-file --database-url", "--portal-addr --provider-url --client-id"},
		"credentials":     {"--data-dir --format", "--database-url --log-level --portal-addr"},
		"health":          {"--admin-addr --admin-url", "--data-dir --portal-addr --log-level"},
		"version":         {"--help", "--data-dir --log-level"},
	} {
		t.Run(command, func(t *testing.T) {
			exit, out, errs := run(t, append(strings.Fields(command), "--help")...)
			if exit != 0 || errs != "" {
				t.Fatalf("exit code %d:\n%s", exit, errs)
			}
			lists := func(flag string) bool {
				return regexp.MustCompile(`(?m)^ +(-h, )?` + regexp.QuoteMeta(flag) + `(=|\s|$)`).MatchString(out)
			}
			for flag := range strings.FieldsSeq(c.has) {
				if !lists(flag) {
					t.Errorf("%s is not in:\n%s", flag, out)
				}
			}
			for flag := range strings.FieldsSeq(c.lacks) {
				if lists(flag) {
					t.Errorf("%s is in:\n%s", flag, out)
				}
			}
		})
	}
}

// TestVariablesOfOtherCommandsAreIgnored checks that one environment can serve every
// command.
func TestVariablesOfOtherCommandsAreIgnored(t *testing.T) {
	t.Setenv("VESTIBULE_SANDBOX_CONTROL_ADDR", "127.0.0.1:0")
	t.Setenv("VESTIBULE_EVENTS_URL", "not an address")
	t.Setenv("VESTIBULE_SMTP_FROM", "half@bank.example")
	for _, args := range [][]string{{"customer", "show"}, {"keys", "rotate"}} {
		if exit, log := attempt(t, args...); exit == 2 || strings.Contains(log, "does not use") {
			t.Errorf("%v: exit code %d\n%s", args, exit, log)
		}
	}
	t.Setenv("VESTIBULE_EVENTS_URL", "")
	t.Setenv("VESTIBULE_SMTP_FROM", "")
	if exit, log := attempt(t, elsewhere()...); exit == 2 || strings.Contains(log, "does not use") {
		t.Errorf("exit code %d\n%s", exit, log)
	}
	if exit, log := attempt(t, elsewhere("--widget-rate=3")...); exit == 2 ||
		!strings.Contains(log, "--widget-rate: the command portal does not use it") {
		t.Errorf("a flag of another command: exit code %d, want a warning\n%s", exit, log)
	}
}

// TestCallbacksCannotReachThisMachine checks that callbacks to loopback are refused
// behind a proxy or with a public URL, even if the listener is on loopback.
func TestCallbacksCannotReachThisMachine(t *testing.T) {
	for _, c := range []struct {
		flags  []string
		status int
	}{{nil, 200}, {[]string{"--behind-proxy"}, 400}, {[]string{"--provider-url=https://sandbox.service.example"}, 400}} {
		w := startServer(t, "", c.flags...)
		for _, to := range []string{"http://127.0.0.1:9/reset", "http://localhost:9/reset"} {
			body := `{"publicId":"` + w.Credentials.PublicID + `","url":"` + to + `"}`
			if a := do(t, ask(t, "POST", w.Control+"/callbacks", body, "Content-Type", "application/json")); a.Status != c.status {
				t.Errorf("%v: a callback to %s = %d, want %d", c.flags, to, a.Status, c.status)
			}
		}
	}
}
