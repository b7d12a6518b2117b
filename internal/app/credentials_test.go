package app_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vestibule/internal/app"
	"vestibule/internal/testutil"
)

// printed runs vestibule credentials and returns its output.
func printed(t *testing.T, args ...string) (exit int, stdout, stderr string) {
	t.Helper()
	return run(t, append([]string{"credentials"}, args...)...)
}

// evaluated returns the VESTIBULE_ variables of a shell that evaluates exports.
func evaluated(t *testing.T, exports string) map[string]string {
	t.Helper()
	shell := exec.Command("sh", "-c", `eval "$EXPORTS"; unset EXPORTS; env -0`)
	shell.Env = []string{"PATH=" + os.Getenv("PATH"), "EXPORTS=" + exports}
	raw, err := shell.Output()
	testutil.Must(t, err)
	out := map[string]string{}
	for line := range strings.SplitSeq(string(raw), "\x00") {
		if name, value, _ := strings.Cut(line, "="); strings.HasPrefix(name, "VESTIBULE_") {
			out[name] = value
		}
	}
	return out
}

// files returns the contents of a folder.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	all, err := os.ReadDir(dir)
	testutil.Must(t, err)
	for _, f := range all {
		raw := testutil.ReadFile(t, filepath.Join(dir, f.Name()))
		out[f.Name()] = string(raw)
	}
	return out
}

// TestCredentialsBesideARunningServer prints the running program's credentials in both
// formats, and starts the next process with them.
func TestCredentialsBesideARunningServer(t *testing.T) {
	w := startServer(t, "")
	exit, exports, log := printed(t, "--data-dir="+w.dir)
	if exit != 0 || log != "" {
		t.Fatalf("exit code %d\n%s", exit, log)
	}
	c, got := w.Credentials, evaluated(t, exports)
	want := map[string]string{
		"VESTIBULE_PUBLIC_ID": c.PublicID, "VESTIBULE_CLIENT_ID": c.ClientID, "VESTIBULE_SECRET_KEY": c.SecretKey,
		"VESTIBULE_PRODUCTS": "cashflow=" + c.Products["cashflow"] + ",income=" + c.Products["income"] +
			",eligibility=" + c.Products["eligibility"] + ",passport=" + c.Products["passport"],
		"VESTIBULE_WEBHOOK_SECRET": c.WebhookSecret, "VESTIBULE_PORTAL_API_KEY": c.PortalAPIKey, "VESTIBULE_EVENTS_SECRET": c.EventsSecret,
		"VESTIBULE_REVIEWER_EMAIL": c.Reviewer.Email, "VESTIBULE_REVIEWER_PASSWORD": c.Reviewer.Password,
		"VESTIBULE_DASHBOARD_EMAIL": c.Dashboard.Email, "VESTIBULE_DASHBOARD_PASSWORD": c.Dashboard.Password,
		"VESTIBULE_THIRD_PARTY_PUBLIC_ID": c.ThirdParty.PublicID, "VESTIBULE_THIRD_PARTY_CLIENT_ID": c.ThirdParty.ClientID,
		"VESTIBULE_THIRD_PARTY_SECRET_KEY": c.ThirdParty.SecretKey, "VESTIBULE_THIRD_PARTY_WEBHOOK_SECRET": c.ThirdParty.WebhookSecret,
		"VESTIBULE_THIRD_PARTY_DASHBOARD_EMAIL":    c.ThirdParty.Dashboard.Email,
		"VESTIBULE_THIRD_PARTY_DASHBOARD_PASSWORD": c.ThirdParty.Dashboard.Password,
	}
	want["VESTIBULE_CHILD_PUBLIC_ID"], want["VESTIBULE_CHILD_CLIENT_ID"] = c.Child.PublicID, c.Child.ClientID
	want["VESTIBULE_CHILD_SECRET_KEY"] = c.Child.SecretKey
	want["VESTIBULE_CHILD_PRODUCTS"] = "cashflow=" + c.Child.Products["cashflow"] + ",income=" + c.Child.Products["income"]
	for kind, id := range c.Products {
		want["VESTIBULE_PRODUCT_"+strings.ToUpper(kind)] = id
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}

	_, text, _ := printed(t, "--data-dir="+w.dir, "--format=json")
	var made, file any
	raw, err := os.ReadFile(filepath.Join(w.dir, "sandbox-credentials.json"))
	if err != nil || json.Unmarshal([]byte(text), &made) != nil || json.Unmarshal(raw, &file) != nil {
		t.Fatalf("%v, %s", err, text)
	}
	if diff := cmp.Diff(file, made); diff != "" {
		t.Errorf("the file and the JSON differ:\n%s", diff)
	}

	// With these variables, a shell can start the program again, and run doctor.
	own := []string{"--public-id=" + c.PublicID, "--client-id=" + c.ClientID, "--secret-key=" +
		c.SecretKey, "--products=" + want["VESTIBULE_PRODUCTS"]}
	var out, errs bytes.Buffer
	doctor := append([]string{"doctor", "--data-dir=" + w.dir, "--portal-url=" + w.Portal, "--provider-url=" + w.Provider}, own...)
	if exit := app.Run(t.Context(), doctor, &out, &errs); exit != 0 {
		t.Errorf("doctor: exit code %d\n%s%s", exit, &out, &errs)
	}
	// attempt uses another folder, where these credentials belong to another provider.
	if exit, log := attempt(t, own...); exit != 2 || !strings.Contains(log, "another provider") {
		t.Errorf("another folder: exit code %d\n%s", exit, log)
	}
}

// TestCredentialsAreQuoted evaluates credentials that a shell would run without quotes.
func TestCredentialsAreQuoted(t *testing.T) {
	dir := t.TempDir()
	const hostile = "a'b $(touch owned) `id`\n\"\\;&é"
	raw := testutil.JSON(t, map[string]any{"reviewer": map[string]string{"email": hostile, "password": "'"}, "portalApiKey": "$HOME"})
	testutil.Must(t, os.WriteFile(filepath.Join(dir, "portal-credentials.json"), raw, 0o600))
	before := files(t, dir)
	_, exports, _ := printed(t, "--data-dir="+dir)
	want := map[string]string{"VESTIBULE_REVIEWER_EMAIL": hostile, "VESTIBULE_REVIEWER_PASSWORD": "'", "VESTIBULE_PORTAL_API_KEY": "$HOME"}
	if got := evaluated(t, exports); !maps.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if diff := cmp.Diff(before, files(t, dir)); diff != "" {
		t.Errorf("the command writes:\n%s", diff)
	}
}

func TestNoCredentials(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "none")
	exit, out, log := printed(t, "--data-dir="+dir)
	if exit != 1 || out != "" || !strings.Contains(log, "no generated credentials in "+dir) {
		t.Errorf("exit code %d, %q, %s", exit, out, log)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("the command made the data folder")
	}
}
