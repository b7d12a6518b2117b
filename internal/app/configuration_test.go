package app_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vestibule/internal/testutil"
)

// configurationCommands runs commands for the account of one customer of a sandbox.
type configurationCommands struct {
	dir, account string
}

// with returns the arguments of a command, in which ACCOUNT stands for the account.
func (c configurationCommands) with(args ...string) []string {
	args = append(args, "--data-dir="+c.dir)
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], "ACCOUNT", c.account)
	}
	return args
}

// read runs a command and reads the JSON that it prints.
func (c configurationCommands) read(t *testing.T, into any, args ...string) {
	t.Helper()
	runJSON(t, into, c.with(append(args, "--json")...)...)
}

// prepare adds a prepared report and returns its id and name.
func (c configurationCommands) prepare(t *testing.T, content string) (id, name string) {
	t.Helper()
	var made struct{ SandboxReportID, Name string }
	c.read(t, &made, "prepared", "add", "--account=ACCOUNT", "--file="+preparedFile(t, content))
	return made.SandboxReportID, made.Name
}

func preparedFile(t *testing.T, content string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "prepared.json")
	testutil.Must(t, os.WriteFile(name, []byte(content), 0o600))
	return name
}

// printedConfiguration is a configuration as the commands print it.
type printedConfiguration struct {
	ID, Alias, Kind, InquiryType, PreparedReport string
	Scores, Families                             []string
	Banks, RefreshDays                           int
	RetiredAt                                    *string
}

// TestConfigurationCommands creates configurations, products and prepared reports of a sandbox
// customer by command.
func TestConfigurationCommands(t *testing.T) {
	c := configurationCommands{dir: t.TempDir()}
	var customer struct{ PublicID string }
	runJSON(t, &customer, "customer", "--create", "Harbor Bank", "--staff=ops@harbor.example", "--data-dir="+c.dir)
	c.account = customer.PublicID
	prepared, name := c.prepare(t, `{"product":"cashflow","name":"Joint","profile":"joint"}`)
	spare := ""
	t.Run("prepared reports", func(t *testing.T) {
		var all []struct{ SandboxReportID string }
		if c.read(t, &all, "prepared", "list", "--account=ACCOUNT"); len(all) != 1 || all[0].SandboxReportID != prepared || name != "Joint" {
			t.Errorf("prepared reports: %+v of %s, %s", all, prepared, name)
		}
		spare, _ = c.prepare(t, `{"product":"cashflow","profile":"joint"}`)
		if code, _, errs := run(t, c.with("prepared", "remove", "--account=ACCOUNT", spare)...); code != 0 {
			t.Errorf("removing a prepared report: %s", errs)
		}
	})
	t.Run("configurations", func(t *testing.T) { c.testConfigurations(t, prepared) })
	t.Run("products", func(t *testing.T) {
		var product struct{ ProductID, Name, Configuration, InquiryType string }
		c.read(t, &product, "product", "create", "ACCOUNT", "Tenants", "--configuration=Watch")
		c.read(t, &product, "product", "rename", "ACCOUNT", product.ProductID, "Renters")
		if c.read(t, &product, "product", "configure", "ACCOUNT", "Renters", "Cashflow"); product.Name != "Renters" ||
			product.Configuration != "Cashflow" || product.InquiryType != "PERSONAL" {
			t.Errorf("the product is %+v", product)
		}
	})
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"an unknown account":       {[]string{"configuration", "list", "svc-unknown"}, "no account"},
		"an unknown inquiry type":  {strings.Fields("configuration create ACCOUNT A --kind=cashflow --inquiry-type=X"), "--inquiry-type: "},
		"the alias of another one": {strings.Fields("configuration create ACCOUNT Watch --kind=cashflow"), "--alias: "},
		"a retired one":            {strings.Fields("product configure ACCOUNT Renters Check"), "retired"},
		"a name that is taken":     {strings.Fields("product create ACCOUNT Renters"), "this name"},
		"renamed to another":       {[]string{"product", "rename", "ACCOUNT", "Renters", "Cashflow report"}, "this name"},
		"a file with an error": {[]string{"prepared", "add", "--account=ACCOUNT",
			"--file=" + preparedFile(t, `{"product":"cashflow","profile":"x"}`)}, "profile: must be one of"},
		"restored twice":                       {strings.Fields("configuration restore ACCOUNT Watch"), "nothing was changed"},
		"a prepared report that is gone":       {[]string{"prepared", "remove", "--account=ACCOUNT", spare}, "no prepared report"},
		"a prepared report of a configuration": {[]string{"prepared", "remove", "--account=ACCOUNT", prepared}, "names the prepared report"},
		"production":                           {strings.Fields("prepared list --account=ACCOUNT --environment=production"), "sandbox only"},
	} {
		t.Run(name, func(t *testing.T) {
			if code, out, errs := run(t, c.with(tc.args...)...); code != 1 || out != "" || !strings.Contains(errs, tc.want) {
				t.Errorf("exit code %d\n%s%s", code, out, errs)
			}
		})
	}
}

// testConfigurations creates, copies, retires and restores configurations, and leaves the copy retired.
func (c configurationCommands) testConfigurations(t *testing.T, prepared string) {
	var watch, check printedConfiguration
	c.read(t, &watch, "configuration", "create", "ACCOUNT", "Watch", "--kind=cashflow", "--inquiry-type=MONITORING", "--scores=v2.1,v1.0",
		"--families=AV", "--banks=2", "--refresh-days=3", "--prepared-report="+prepared)
	if !slices.Equal(watch.Scores, []string{"v1.0", "v2.0", "v2.1"}) || !slices.Equal(watch.Families, []string{"UA", "AV"}) ||
		watch.Banks != 2 || watch.RefreshDays != 3 || watch.InquiryType != "MONITORING" || watch.PreparedReport != prepared {
		t.Errorf("the configuration is %+v", watch)
	}
	c.read(t, &check, "configuration", "copy", "ACCOUNT", watch.ID, "Check", "--inquiry-type=TENANT", "--refresh-days=none", "--scores=v2.0")
	if check.InquiryType != "TENANT" || check.RefreshDays != 0 || len(check.Scores) != 1 || check.Banks != 2 {
		t.Errorf("the copy is %+v", check)
	}
	if c.read(t, &check, "configuration", "retire", "ACCOUNT", "Check"); check.RetiredAt == nil {
		t.Errorf("the retired one is %+v", check)
	}
	if code, out, _ := run(t, c.with("configuration", "list", "ACCOUNT")...); code != 0 || !strings.Contains(out, "Watch") ||
		!strings.Contains(out, "TENANT, AV, banks 2, preparedReport "+prepared+", retired") {
		t.Errorf("the list is\n%s", out)
	}
	check.RetiredAt = nil
	if c.read(t, &check, "configuration", "restore", "ACCOUNT", "Check"); check.RetiredAt != nil {
		t.Errorf("the restored one is %+v", check)
	}
	c.read(t, &check, "configuration", "retire", "ACCOUNT", "Check")
}
