package app_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"vestibule/internal/app"
	"vestibule/internal/testutil/program"
)

// TestCustomerCommand adds customers to a provider in production, which has none at its
// start.
func TestCustomerCommand(t *testing.T) {
	dir := t.TempDir()
	run := func(args ...string) (code int, out, errs string) {
		var stdout, stderr bytes.Buffer
		code = app.Run(t.Context(), append(args, "--environment=production", "--data-dir="+dir), &stdout, &stderr)
		return code, stdout.String(), stderr.String()
	}
	code, out, errs := run("customer", "Harbor Bank", "--staff=ops@harbor.example")
	var made struct {
		program.Account
		Products  map[string]string
		Dashboard struct{ Email, Link string }
	}
	if err := json.Unmarshal([]byte(out), &made); code != 0 || err != nil || made.PublicID == "" ||
		made.ClientID == "" || len(made.SecretKey) < 40 ||
		len(made.Products) != 4 || made.Dashboard.Email != "ops@harbor.example" ||
		!strings.Contains(made.Dashboard.Link, "/dashboard/set-password/") {
		t.Fatalf("exit code %d, %v\n%s%s", code, err, out, errs)
	}
	if strings.Contains(errs, made.SecretKey) || strings.Contains(errs, "ops@harbor.example") {
		t.Errorf("the log has what is personal or secret:\n%s", errs)
	}
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
		if code, out, _ := run(tc.args...); code != tc.code || out != "" && code == 1 {
			t.Errorf("%s: exit code %d, want %d\n%s", name, code, tc.code, out)
		}
	}
	type shown struct {
		PublicID, Name, Environment string
		Entitlements                map[string]struct{ Enabled bool }
	}
	enabled := func(of shown) (all []string) {
		for name, e := range of.Entitlements {
			if e.Enabled {
				all = append(all, name)
			}
		}
		slices.Sort(all)
		return all
	}
	var one shown
	if code, out, errs := run("customer", "enable", made.PublicID, "account-numbers", "hierarchy"); code != 0 ||
		json.Unmarshal([]byte(out), &one) != nil ||
		!slices.Equal(enabled(one), []string{"account-numbers", "hierarchy", "secure-redirect"}) || one.Name != "Harbor Bank" {
		t.Errorf("enable: %d %s%s", code, out, errs)
	}
	if code, out, errs := run("customer", "disable", made.PublicID, "hierarchy"); code != 0 || json.Unmarshal([]byte(out), &one) != nil ||
		!slices.Equal(enabled(one), []string{"account-numbers", "secure-redirect"}) {
		t.Errorf("disable: %d %s%s", code, out, errs)
	}
	for _, args := range [][]string{{"customer", "show"}, {"customer", "show", made.PublicID}} {
		var all []shown
		if code, out, errs := run(args...); code != 0 || json.Unmarshal([]byte(out), &all) != nil ||
			len(all) != 1 || all[0].PublicID != made.PublicID ||
			all[0].Environment != "production" || !slices.Equal(enabled(all[0]), []string{"account-numbers", "secure-redirect"}) {
			t.Errorf("%v: %d %s%s", args, code, out, errs)
		}
	}
	if code, out, errs := run("customer", "add", "Second Bank", "--staff=ops@second.example"); code != 0 ||
		!strings.Contains(out, "secretKey") {
		t.Errorf("add: %d %s%s", code, out, errs)
	}
}
