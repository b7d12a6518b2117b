package app_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vestibule/internal/app"
)

// TestConfigurationCommands creates configurations, products and prepared reports of a sandbox
// customer by command.
func TestConfigurationCommands(t *testing.T) {
	dir := t.TempDir()
	file := func(content string) string {
		name := filepath.Join(t.TempDir(), "prepared.json")
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	run := func(args ...string) (code int, out, errs string) {
		var stdout, stderr bytes.Buffer
		code = app.Run(t.Context(), append(args, "--data-dir="+dir), &stdout, &stderr)
		return code, stdout.String(), stderr.String()
	}
	read := func(into any, args ...string) {
		t.Helper()
		if code, out, errs := run(append(args, "--json")...); code != 0 || json.Unmarshal([]byte(out), into) != nil {
			t.Fatalf("%v: exit code %d\n%s%s", args, code, out, errs)
		}
	}
	_, out, _ := run("customer", "--create", "Harbor Bank", "--staff=ops@harbor.example")
	var made struct{ PublicID string }
	if err := json.Unmarshal([]byte(out), &made); err != nil {
		t.Fatal(err)
	}

	var prepared struct{ SandboxReportID, Name string }
	read(&prepared, "prepared", "add", "--account="+made.PublicID, "--file="+file(`{"product":"cashflow","name":"Joint","profile":"joint"}`))
	var all []struct{ SandboxReportID string }
	if read(&all, "prepared", "list", "--account="+made.PublicID); len(all) != 1 || all[0].SandboxReportID != prepared.SandboxReportID ||
		prepared.Name != "Joint" {
		t.Errorf("prepared reports: %+v of %+v", all, prepared)
	}
	type configuration struct {
		ID, Alias, Kind, InquiryType, PreparedReport string
		Scores, Families                             []string
		Banks, RefreshDays                           int
		RetiredAt                                    *string
	}
	var watch, check configuration
	read(&watch, "configuration", "create", made.PublicID, "Watch", "--kind=cashflow", "--inquiry-type=MONITORING", "--scores=v2.1,v1.0",
		"--families=AV", "--banks=2", "--refresh-days=3", "--prepared-report="+prepared.SandboxReportID)
	if !slices.Equal(watch.Scores, []string{"v1.0", "v2.0", "v2.1"}) || !slices.Equal(watch.Families, []string{"UA", "AV"}) ||
		watch.Banks != 2 || watch.RefreshDays != 3 || watch.InquiryType != "MONITORING" || watch.PreparedReport != prepared.SandboxReportID {
		t.Errorf("the configuration is %+v", watch)
	}
	read(&check, "configuration", "copy", made.PublicID, watch.ID, "Check", "--inquiry-type=TENANT", "--refresh-days=none", "--scores=v2.0")
	if check.InquiryType != "TENANT" || check.RefreshDays != 0 || len(check.Scores) != 1 || check.Banks != 2 {
		t.Errorf("the copy is %+v", check)
	}
	if read(&check, "configuration", "retire", made.PublicID, "Check"); check.RetiredAt == nil {
		t.Errorf("the retired one is %+v", check)
	}
	if code, out, _ := run("configuration", "list", made.PublicID); code != 0 || !strings.Contains(out, "Watch") ||
		!strings.Contains(out, "TENANT, AV, banks 2, preparedReport "+prepared.SandboxReportID+", retired") {
		t.Errorf("the list is\n%s", out)
	}
	check.RetiredAt = nil
	if read(&check, "configuration", "restore", made.PublicID, "Check"); check.RetiredAt != nil {
		t.Errorf("the restored one is %+v", check)
	}
	read(&check, "configuration", "retire", made.PublicID, "Check")
	var spare struct{ SandboxReportID string }
	read(&spare, "prepared", "add", "--account="+made.PublicID, "--file="+file(`{"product":"cashflow","profile":"joint"}`))
	if code, _, errs := run("prepared", "remove", "--account="+made.PublicID, spare.SandboxReportID); code != 0 {
		t.Errorf("removing a prepared report: %s", errs)
	}
	var product struct{ ProductID, Name, Configuration, InquiryType string }
	read(&product, "product", "create", made.PublicID, "Tenants", "--configuration=Watch")
	read(&product, "product", "rename", made.PublicID, product.ProductID, "Renters")
	if read(&product, "product", "configure", made.PublicID, "Renters", "Cashflow"); product.Name != "Renters" ||
		product.Configuration != "Cashflow" || product.InquiryType != "PERSONAL" {
		t.Errorf("the product is %+v", product)
	}
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"an unknown account": {[]string{"configuration", "list", "svc-unknown"}, "no account"},
		"an unknown inquiry type": {[]string{"configuration", "create", made.PublicID, "A", "--kind=cashflow", "--inquiry-type=X"},
			"--inquiry-type: "},
		"the alias of another one": {[]string{"configuration", "create", made.PublicID, "Watch", "--kind=cashflow"}, "--alias: "},
		"a retired one":            {[]string{"product", "configure", made.PublicID, "Renters", "Check"}, "retired"},
		"a name that is taken":     {[]string{"product", "create", made.PublicID, "Renters"}, "this name"},
		"renamed to another": {[]string{"product", "rename", made.PublicID, "Renters",
			"Cashflow report"}, "this name"},
		"a file with an error": {[]string{"prepared", "add", "--account=" + made.PublicID,
			"--file=" + file(`{"product":"cashflow","profile":"x"}`)},
			"profile: must be one of"},
		"restored twice": {[]string{"configuration", "restore", made.PublicID, "Watch"}, "nothing was changed"},
		"a prepared report that is gone": {[]string{"prepared", "remove", "--account=" + made.PublicID, spare.SandboxReportID},
			"no prepared report"},
		"a prepared report of a configuration": {[]string{"prepared", "remove", "--account=" + made.PublicID, prepared.SandboxReportID},
			"names the prepared report"},
		"production": {[]string{"prepared", "list", "--account=" + made.PublicID, "--environment=production"}, "sandbox only"},
	} {
		if code, out, errs := run(tc.args...); code != 1 || out != "" || !strings.Contains(errs, tc.want) {
			t.Errorf("%s: exit code %d\n%s%s", name, code, out, errs)
		}
	}
}
