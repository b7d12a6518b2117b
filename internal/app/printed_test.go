package app_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
)

// TestPrintedJSON checks that commands that print JSON print one value whose names are in camel case, that flags
// and commands agree about --json, and that a refused command prints nothing to standard output.
func TestPrintedJSON(t *testing.T) {
	w := startServer(t, "")
	account := w.Credentials.PublicID
	run := func(command string) (exit int, stdout []byte) {
		args := strings.Fields(command)
		switch args[0] {
		case "version":
		case "credentials":
			args = append(args, "--data-dir="+w.dir)
		default:
			args = append(args, "--data-dir="+w.dir, "--provider-url="+w.Provider)
		}
		exit, out, _ := run(t, args...)
		return exit, []byte(out)
	}
	camel := regexp.MustCompile(`^[a-z][A-Za-z0-9-]*$`) // entitlements and products are values of the contract
	var check func(t *testing.T, v any)
	check = func(t *testing.T, v any) {
		switch v := v.(type) {
		case map[string]any:
			for name, value := range v {
				if !camel.MatchString(name) {
					t.Errorf("a member is named %q", name)
				}
				check(t, value)
			}
		case []any:
			for _, value := range v {
				check(t, value)
			}
		}
	}
	for _, command := range []string{"version --json", "credentials --format=json", "customer list --json", "customer show --json " + account,
		"customer add Harbor --staff=ada@harbor.example --json", "configuration list --json " + account, "product list --json " + account,
		"prepared list --json --account=" + account, "operator add --json ops@service.example", "operator list --json",
		"operator health --json", "consumer link --json " + canaryEmail} {
		t.Run(command, func(t *testing.T) {
			exit, out := run(command)
			var v any
			if err := json.Unmarshal(out, &v); err != nil || exit != 0 && !strings.HasPrefix(command, "operator health") {
				t.Fatalf("exit code %d, %v: %s", exit, err, out)
			}
			check(t, v)
		})
	}
	for _, command := range []string{"customer show --json none", "configuration list --json none", "product list --json none",
		"consumer link --json none", "operator add --json none", "operator remove --json none@service.example"} {
		if exit, out := run(command); exit == 0 || len(out) > 0 {
			t.Errorf("%s: exit code %d, and printed %s", command, exit, out)
		}
	}
}
