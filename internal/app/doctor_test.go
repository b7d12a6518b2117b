package app_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vestibule/internal/jose"
	"vestibule/internal/testutil"
)

// TestDoctorAcceptsTheEmbeddedProvider runs doctor against a running program, and then
// for a portal with another account's product and an address that the provider does not
// know. Doctor leaves no row in any table.
func TestDoctorAcceptsTheEmbeddedProvider(t *testing.T) {
	eachEngineInFull(t, func(t *testing.T, w *testServer) {
		w.rested(t)
		before := w.rows(t)
		examine := func(args ...string) (int, string) {
			code, out, log := run(t, append([]string{"doctor", "--data-dir=" + w.dir, "--database-url=" + w.databaseURL,
				"--portal-url=" + w.Portal, "--provider-url=" + w.Provider}, args...)...)
			if log != "" {
				t.Errorf("the doctor logs %s", log)
			}
			return code, out
		}
		code, said := examine()
		if code != 0 || strings.Contains(said, "→") || strings.Count(said, "\n") < 11 {
			t.Errorf("all is well, and the doctor ends with %d:\n%s", code, said)
		}
		for _, secret := range []string{w.Credentials.SecretKey, w.Credentials.WebhookSecret} {
			if strings.Contains(said, secret) {
				t.Error("the doctor shows a secret")
			}
		}
		own := []string{"--public-id=" + w.Credentials.PublicID, "--client-id=" + w.Credentials.ClientID, "--secret-key=" +
			w.Credentials.SecretKey, "--webhook-secret=" + w.Credentials.WebhookSecret}
		code, said = examine(append(own, "--products=income=00000000-0000-4000-8000-000000000000")...)
		if code != 1 || !strings.Contains(said, "fail  product income") {
			t.Errorf("another's product: exit code %d:\n%s", code, said)
		}
		code, said = examine(append(own, "--products=income="+w.Credentials.Products["income"], "--portal-url=http://localhost:1")...)
		if code != 1 || !strings.Contains(said, "fail  redirect URL") {
			t.Errorf("an unknown portal: exit code %d:\n%s", code, said)
		}
		own[0] = "--public-id=another"
		code, said = examine(append(own, "--products=income="+w.Credentials.Products["income"])...)
		if code != 1 || !strings.Contains(said, "fail  database            the portal's database belongs to the account") {
			t.Errorf("another account's database: exit code %d:\n%s", code, said)
		}
		key := filepath.Join(t.TempDir(), "key")
		testutil.Must(t, os.WriteFile(key, []byte(strings.Repeat("0a", 32)), 0o600))
		code, said = examine("--master-key-file=" + key)
		if code != 1 || !strings.Contains(said, "fail  database            the portal's database was encrypted with another") {
			t.Errorf("another key: exit code %d:\n%s", code, said)
		}
		code, out, log := run(t, "doctor", "--data-dir="+w.dir, "--database-url="+w.databaseURL, "--master-key-file="+key)
		if code != 1 || !strings.Contains(out, "fail  database            the provider's database was encrypted with another") {
			t.Errorf("another key of the provider's: exit code %d:\n%s%s", code, out, log)
		}
		if diff := cmp.Diff(before, w.rows(t)); diff != "" {
			t.Errorf("the doctor changes the databases: -before +after\n%s", diff)
		}
	})
}

func TestDoctorRequiresAConfiguration(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "none")
	if code, _, log := run(t, "doctor", "--data-dir="+dir); code != 2 || !strings.Contains(log, "no account is configured") {
		t.Errorf("exit code %d, %s", code, log)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("the doctor made the data folder")
	}
}

// TestDoctorExaminesServices examines a portal before its first start, whose database, issuer,
// mail server and collector are in order and not.
func TestDoctorExaminesServices(t *testing.T) {
	var issuer *httptest.Server
	issuer = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/.well-known/openid-configuration":
			at := func(path string) string { return `"` + issuer.URL + path + `"` }
			fmt.Fprint(w, `{"issuer":`+at("")+`,"authorization_endpoint":`+at("/authorize")+`,"token_endpoint":`+at("/token")+
				`,"jwks_uri":`+at("/keys")+`,"id_token_signing_alg_values_supported":["RS256"]}`)
		case "/keys":
			key, err := jose.GenerateKey()
			if err != nil {
				t.Error(err)
			}
			_ = json.NewEncoder(w).Encode(jose.KeySet{key.Public()})
		case "/v1/traces":
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	defer issuer.Close()
	const dead = "127.0.0.1:1"
	dir := filepath.Join(t.TempDir(), "none")
	examine := func(more ...string) string {
		args := append([]string{"doctor", "--data-dir=" + dir}, elsewhere("--provider-url=http://" + dead)[1:]...)
		_, out, log := run(t, append(args, more...)...)
		if log != "" {
			t.Errorf("the doctor logs %s", log)
		}
		return out
	}
	oidc := func(at string) string { return "--oidc-issuer=" + at }
	client := []string{"--oidc-client-id=a", "--oidc-client-secret=b"}
	for want, args := range map[string][]string{
		"ok    sign-in ": append(client, oidc(issuer.URL)),
		"fail  sign-in ": append(client, oidc(issuer.URL+"/other")),
		"ok    traces ":  {"--otlp-endpoint=" + issuer.URL},
		"fail  traces ":  {"--otlp-endpoint=" + issuer.URL + "/other"},
		"ok    events ":  {"--events-url=" + issuer.URL},
		"fail  events ":  {"--events-url=http://" + dead},
		"warn  pages ":   {"--service-access-url=http://" + dead},
		"fail  email ":   {"--smtp-addr=" + dead, "--smtp-from=a@b.example"},
		"fail  database": {"--database-url=postgres://nobody@" + dead + "/none?sslmode=disable"},
	} {
		if said := examine(args...); !strings.Contains(said, want) {
			t.Errorf("no %q in:\n%s", want, said)
		}
	}
	if said := examine(); strings.Contains(said, "database") || strings.Contains(said, "sign-in") {
		t.Errorf("findings about what is not configured:\n%s", said)
	}
}
