package app_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vestibule/internal/testutil/program"
)

// TestCustomerCommand adds customers to a provider in production, which has none at its
// start.
func TestCustomerCommand(t *testing.T) {
	d := commandDir(t.TempDir())
	made := d.create(t)
	t.Run("refused", func(t *testing.T) { d.refuse(t, made) })
	t.Run("features", func(t *testing.T) { d.changeFeatures(t, made) })
	t.Run("another", func(t *testing.T) {
		if code, out, errs := d.run(t, "customer", "add", "Second Bank", "--staff=ops@second.example"); code != 0 ||
			!strings.Contains(out, "secretKey") || !strings.Contains(errs, filepath.Join(string(d), "provider.db")) {
			t.Errorf("add: %d %s%s", code, out, errs)
		}
	})
	t.Run("named by its name", func(t *testing.T) {
		if code, out, errs := d.run(t, "customer", "limit", "Harbor Bank", "31"); code != 0 || !strings.Contains(out, made.PublicID) {
			t.Errorf("limit: %d %s%s", code, out, errs)
		}
		if code, out, errs := d.run(t, "customer", "show", "Harbor Bank"); code != 0 || !strings.Contains(out, made.PublicID) {
			t.Errorf("show: %d %s%s", code, out, errs)
		}
		for range 2 {
			d.run(t, "customer", "add", "Twin Bank", "--staff=ops@twin.example")
		}
		if code, _, errs := d.run(t, "customer", "suspend", "Twin Bank"); code != 1 || !strings.Contains(errs, "several have the name") {
			t.Errorf("suspend one of two: %d %s", code, errs)
		}
	})
	t.Run("with the addresses of its portal", d.addWithPortal)
	t.Run("changes", func(t *testing.T) { d.changeCustomer(t, made) })
	t.Run("transferred and suspended", func(t *testing.T) {
		if code, out, errs := d.run(t, "customer", "transfer", made.PublicID, "new@harbor.example"); code != 0 ||
			!strings.Contains(out, "/dashboard/set-password/") {
			t.Errorf("transfer: %d %s%s", code, out, errs)
		}
		d.run(t, "customer", "suspend", made.PublicID)
		if code, out, errs := d.run(t, "customer", "list"); code != 0 ||
			!regexp.MustCompile(made.PublicID+` +suspended +Harbor`).MatchString(out) {
			t.Errorf("list: %d %s%s", code, out, errs)
		}
		if code, out, errs := d.run(t, "customer", "resume", made.PublicID); code != 0 || !strings.Contains(out, `"suspended": false`) {
			t.Errorf("resume: %d %s%s", code, out, errs)
		}
	})
}

// commandDir is the data directory of commands for production.
type commandDir string

func (d commandDir) run(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	return run(t, append(args, "--environment=production", "--data-dir="+string(d))...)
}

// createdCustomer is what the command that creates a customer prints.
type createdCustomer struct {
	program.Account
	Products  map[string]string
	Dashboard struct{ Email, Link string }
}

// create creates the database with a customer, which other commands do not.
func (d commandDir) create(t *testing.T) (made createdCustomer) {
	t.Helper()
	if code, out, errs := d.run(t, "customer", "Harbor Bank", "--staff=ops@harbor.example"); code != 1 || out != "" ||
		!strings.Contains(errs, "provider.db") || !strings.Contains(errs, "--create") {
		t.Errorf("without a database: %d %s%s", code, out, errs)
	}
	if files, err := os.ReadDir(string(d)); err != nil || len(files) != 0 {
		t.Errorf("a refused command made %v %v", files, err)
	}
	code, out, errs := d.run(t, "customer", "--create", "Harbor Bank", "--staff=ops@harbor.example")
	if err := json.Unmarshal([]byte(out), &made); code != 0 || err != nil || made.PublicID == "" ||
		made.ClientID == "" || len(made.SecretKey) < 40 ||
		len(made.Products) != 4 || made.Dashboard.Email != "ops@harbor.example" ||
		!strings.Contains(made.Dashboard.Link, "/dashboard/set-password/") {
		t.Fatalf("exit code %d, %v\n%s%s", code, err, out, errs)
	}
	if strings.Contains(errs, made.SecretKey) || strings.Contains(errs, "ops@harbor.example") {
		t.Errorf("the log has what is personal or secret:\n%s", errs)
	}
	return made
}

func (d commandDir) refuse(t *testing.T, made createdCustomer) {
	for name, tc := range map[string]struct {
		args []string
		code int
	}{
		"no address":         {[]string{"customer", "Other", "--staff=unknown"}, 2},
		"no name":            {[]string{"customer", " ", "--staff=a@other.example"}, 1},
		"no user to sign in": {[]string{"customer", "Other"}, 2},
		"an unknown account": {[]string{"customer", "enable", "svc-unknown", "hierarchy"}, 1},
		"an unknown feature": {[]string{"customer", "enable", made.PublicID, "wings"}, 2},
		"no feature":         {[]string{"customer", "disable", made.PublicID}, 2},
		"a parent's parent":  {[]string{"customer", "inherit", made.PublicID, "hierarchy"}, 1},
	} {
		if code, out, _ := d.run(t, tc.args...); code != tc.code || out != "" && code == 1 {
			t.Errorf("%s: exit code %d, want %d\n%s", name, code, tc.code, out)
		}
	}
}

// shownCustomer is a customer as commands print it.
type shownCustomer struct {
	PublicID, Name, Environment string
	Entitlements                map[string]struct{ Enabled bool }
}

// enabled returns the features that are on.
func (c shownCustomer) enabled() (all []string) {
	for name, e := range c.Entitlements {
		if e.Enabled {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}

func (d commandDir) changeFeatures(t *testing.T, made createdCustomer) {
	var one shownCustomer
	if code, out, errs := d.run(t, "customer", "enable", made.PublicID, "account-numbers", "hierarchy"); code != 0 ||
		json.Unmarshal([]byte(out), &one) != nil ||
		!slices.Equal(one.enabled(), []string{"account-numbers", "hierarchy", "secure-redirect"}) || one.Name != "Harbor Bank" {
		t.Errorf("enable: %d %s%s", code, out, errs)
	}
	if code, out, errs := d.run(t, "customer", "disable", made.PublicID, "hierarchy"); code != 0 || json.Unmarshal([]byte(out), &one) != nil ||
		!slices.Equal(one.enabled(), []string{"account-numbers", "secure-redirect"}) {
		t.Errorf("disable: %d %s%s", code, out, errs)
	}
	for _, args := range [][]string{{"customer", "show"}, {"customer", "show", made.PublicID}} {
		var all []shownCustomer
		if code, out, errs := d.run(t, args...); code != 0 || json.Unmarshal([]byte(out), &all) != nil ||
			len(all) != 1 || all[0].PublicID != made.PublicID ||
			all[0].Environment != "production" || !slices.Equal(all[0].enabled(), []string{"account-numbers", "secure-redirect"}) {
			t.Errorf("%v: %d %s%s", args, code, out, errs)
		}
	}
}

// addWithPortal adds a customer with the addresses of its portal, and prints the variables of that portal.
func (d commandDir) addWithPortal(t *testing.T) {
	for _, refused := range []string{"http://third.example", "https://10.1.2.3", "https://third.example/portal", "third.example"} {
		if code, out, errs := d.run(t, "customer", "add", "Third Bank", "--staff=ops@third.example", "--portal="+refused); code != 1 ||
			out != "" || !strings.Contains(errs, "--portal: ") {
			t.Errorf("%s: %d %s%s", refused, code, out, errs)
		}
	}
	code, out, errs := d.run(t, "customer", "add", "Third Bank", "--staff=ops@third.example", "--portal=https://10.1.2.3")
	if !strings.Contains(errs, "it leads to an address that is not public; --webhook-networks can allow its network") {
		t.Errorf("a private address: %d %s%s", code, out, errs)
	}
	if code, out, errs = d.run(t, "customer", "add", "Fourth Bank", "--staff=ops@fourth.example", "--portal=https://10.1.2.3",
		"--webhook-networks=10.1.0.0/16"); code != 0 {
		t.Errorf("a private address that is allowed: %d %s%s", code, out, errs)
	}
	code, out, errs = d.run(t, "customer", "add", "Third Bank", "--staff=ops@third.example", "--portal=https://third.example/",
		"--format=env", "--provider-url=https://service.example")
	for _, want := range []string{"^VESTIBULE_ENVIRONMENT=production\n", "\nVESTIBULE_PORTAL_URL=https://third.example\n",
		"\nVESTIBULE_PROVIDER_URL=https://service.example\n", "\nVESTIBULE_PUBLIC_ID=svc-\\w+\n", "\nVESTIBULE_CLIENT_ID=client-\\w+\n",
		"\nVESTIBULE_SECRET_KEY=\\S{40,}\n", "\nVESTIBULE_PRODUCTS=cashflow=[-0-9a-f]{36},\\S+\n", "\nVESTIBULE_WEBHOOK_SECRET=whsec_\\S+\n$"} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if code != 0 || !strings.Contains(errs, "https://service.example/dashboard/set-password/") || strings.Count(out, "\n") != 8 {
		t.Errorf("%d %s%s", code, out, errs)
	}
}

func (d commandDir) changeCustomer(t *testing.T, made createdCustomer) {
	for name, tc := range map[string]struct {
		args []string
		want string // in the output, or in the error of exit code 1
		code int
	}{
		"renamed":          {[]string{"rename", made.PublicID, "Harbor & Sons"}, `Harbor \u0026 Sons`, 0},
		"limit":            {[]string{"limit", made.PublicID, "90"}, `"submissionsPerMinute": 90`, 0},
		"a limit of none":  {[]string{"limit", made.PublicID, "0"}, "from 1 to 10000", 1},
		"suspended":        {[]string{"suspend", made.PublicID}, `"suspended": true`, 0},
		"suspended again":  {[]string{"suspend", made.PublicID}, `"suspended": true`, 0},
		"password":         {[]string{"reset-password", made.PublicID, "ops@harbor.example"}, "/dashboard/set-password/", 0},
		"another's":        {[]string{"reset-password", made.PublicID, "ops@second.example"}, "no user", 1},
		"no second factor": {[]string{"reset-factor", made.PublicID, "ops@harbor.example"}, "nothing was changed", 1},
	} {
		code, out, errs := d.run(t, append([]string{"customer"}, tc.args...)...)
		if code != tc.code || !strings.Contains(map[int]string{0: out, 1: errs}[code], tc.want) {
			t.Errorf("%s: %d %s%s", name, code, out, errs)
		}
	}
}

// TestErrorsAsJSON checks that a command with --json that fails prints one value on standard error, and nothing else.
func TestErrorsAsJSON(t *testing.T) {
	d := commandDir(t.TempDir())
	if code, _, errs := d.run(t, "operator", "add", "ops@service.example", "--create"); code != 0 {
		t.Fatalf("%d %s", code, errs)
	}
	for _, c := range []struct {
		args          []string
		exit          int
		code, message string
		notes         int
	}{
		{[]string{"customer", "show", "svc-unknown"}, 1, "NOT_FOUND", `no account has the publicId or name "svc-unknown"`, 1},
		{[]string{"customer", "suspend", "svc-unknown"}, 1, "NOT_FOUND", "", 1},
		{[]string{"operator", "remove", "x@service.example"}, 1, "NOT_FOUND", "no operator has this email address", 1},
		{[]string{"operator", "add", "x"}, 2, "INVALID_COMMAND", "the operator needs an email address", 0},
		{[]string{"customer", "lst"}, 2, "INVALID_COMMAND", `did you mean "list"?`, 0},
		{[]string{"customer", "list", "--database-url=postgres://127.0.0.1:1/none"}, 1, "COMMAND_FAILED", "", 0},
		{[]string{"serve"}, 2, "INVALID_COMMAND", "--json", 0},
	} {
		code, out, errs := d.run(t, append(c.args, "--json")...)
		var got struct {
			Code, Message string
			Notes         []string
		}
		if err := json.Unmarshal([]byte(errs), &got); code != c.exit || out != "" || err != nil || got.Code != c.code || got.Message == "" ||
			!strings.Contains(got.Message, c.message) || len(got.Notes) != c.notes {
			t.Errorf("%q: %d %s%s, %v", c.args, code, out, errs, err)
		}
	}
	if code, out, errs := d.run(t, "operator", "list", "--json"); code != 0 || !json.Valid([]byte(out)) ||
		!strings.Contains(errs, "database is") {
		t.Errorf("list: %d %s%s", code, out, errs)
	}
}

// TestOperatorCommand adds and removes an operator, and prints the health of the provider.
func TestOperatorCommand(t *testing.T) {
	dir := t.TempDir()
	run := func(args ...string) (code int, out, errs string) {
		return run(t, append([]string{"operator", "--environment=production", "--data-dir=" + dir}, args...)...)
	}
	if code, _, errs := run("add", "ops@service.example"); code != 1 || !strings.Contains(errs, "--create") {
		t.Errorf("without a database: %d %s", code, errs)
	}
	for _, step := range []struct {
		args []string
		code int // -1: any
		want string
	}{
		{[]string{"--create", "add", "not-an-address"}, 2, ""},
		{[]string{"--create", "add", "ops@service.example"}, 0, "/operator/set-password/"},
		{[]string{"add", "ops@service.example", "--operator-addr=127.0.0.1:9999"}, 0, "http://127.0.0.1:9999/operator/set-password/"},
		{[]string{"list", "--json"}, 0, `"email": "ops@service.example"`},
		{[]string{"health", "--json"}, 1, `"lastBackup": null`},
		{[]string{"backup-done", "tape 7"}, 0, ""},
		{[]string{"health"}, -1, `"place": "tape 7"`},
		{[]string{"remove", "ops@service.example"}, 0, ""},
		{[]string{"remove", "ops@service.example"}, 1, ""},
		{[]string{"list"}, 0, "[]\n"},
	} {
		code, out, errs := run(step.args...)
		if step.code >= 0 && code != step.code || !strings.Contains(out, step.want) {
			t.Errorf("%v: %d, want %d and %q\n%s%s", step.args, code, step.code, step.want, out, errs)
		}
		if strings.Contains(errs, "ops@service") {
			t.Errorf("%v: the log has an address\n%s", step.args, errs)
		}
	}
}
