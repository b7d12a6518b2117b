package app_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"vestibule/internal/app"
)

// An operator of a provider in production, which has no customers of its own
// accord, adds them one by one.
func TestTheCommandCustomer(t *testing.T) {
	dir := t.TempDir()
	run := func(args ...string) (code int, out, errs string) {
		var stdout, stderr bytes.Buffer
		code = app.Run(t.Context(), append(args, "--environment=production", "--data-dir="+dir), &stdout, &stderr)
		return code, stdout.String(), stderr.String()
	}
	code, out, errs := run("customer", "Harbor Bank", "--staff=ops@harbor.example")
	var made struct {
		account
		Products  map[string]string
		Dashboard login
	}
	if err := json.Unmarshal([]byte(out), &made); code != 0 || err != nil || made.PublicID == "" || made.ClientID == "" || len(made.SecretKey) < 40 ||
		len(made.Products) != 4 || made.Dashboard.Email != "ops@harbor.example" || len(made.Dashboard.Password) < 20 {
		t.Fatalf("exit code %d, %v\n%s%s", code, err, out, errs)
	}
	if strings.Contains(errs, made.SecretKey) || strings.Contains(errs, "ops@harbor.example") {
		t.Errorf("the log has what is personal or secret:\n%s", errs)
	}
	for name, tc := range map[string]struct {
		args []string
		code int
	}{
		"somebody has the address": {[]string{"customer", "Other", "--staff=OPS@harbor.example"}, 1},
		"no address":               {[]string{"customer", "Other", "--staff=nobody"}, 1},
		"no name":                  {[]string{"customer", " ", "--staff=a@other.example"}, 1},
		"nobody to sign in":        {[]string{"customer", "Other"}, 2},
	} {
		if code, out, _ := run(tc.args...); code != tc.code || out != "" && code == 1 {
			t.Errorf("%s: exit code %d, want %d\n%s", name, code, tc.code, out)
		}
	}
}
