package portal_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"vestibule/internal/contract"
	"vestibule/internal/jose"
	"vestibule/internal/portal"
	"vestibule/internal/portal/doctor"
	"vestibule/internal/store"
	"vestibule/internal/svcapi"
	"vestibule/internal/testutil/storetest"
	"vestibule/internal/webhook"
)

// otherProvider is a provider that differs from Vestibule's own in every setting of a profile.
// It translates requests for the fake provider behind it.
type otherProvider struct {
	t                        *testing.T
	inner                    *service
	api, keys, script, pages *httptest.Server
	profile                  string // the file of --provider-profile
}

// translated has the addresses of the fake provider, by prefix of the other's.
var translated = map[string]string{
	"/finance/v9/auth/token":   "/connect/accesstoken",
	"/finance/v9/visits":       "/connect/initialization",
	"/finance/v9/links":        "/secure-redirect",
	"/finance/v9/people":       "/connect/consumers",
	"/finance/v9/state":        "/connect/status",
	"/finance/v9/reports/cash": "/connect/cashflow/v2",
}

const otherProfile = `
url: %[1]s/finance
addresses:
  accessToken: /v9/auth/token
  initialization: /v9/visits
  secureRedirect: /v9/links
  consumers: /v9/people
  status: /v9/state
  relayTokens: /v9/shares
  submission: %[1]s/finance/v9/uploads
  cashflow: /v9/reports/cash
  income: /v9/reports/pay
  eligibility: /v9/reports/homes
  passport: /v9/reports/people
  keySet: %[2]s/signing/keys.json
  widgetScript: %[3]s/sdk/3/connect.js
headers:
  environment: Other-Mode
  publicId: Other-Account
  productId: Other-Product
  publicToken: Other-Report
  externalId: Other-Reference
  include: ""
accessTokenEncoding: plain
widgetGlobal: OtherConnect
pages: ['%[4]s']
frames: ['%[4]s']
connects: ['%[1]s']
redirectTokenField: handle
result:
  placeholder: "{result}"
  parameter: outcome_token
  field: outcomeToken
  encoding: base64
  types: [result+jwt]
  algorithms: [ES256]
  issuer: https://issuer.other.example
  claims: {outcome: how, publicToken: report, status: state, error: problem, redirectArgs: echo}
webhookHeaders: {id: other-id, timestamp: other-time, signature: other-signature}
`

func newOtherProvider(t *testing.T, inner *service) *otherProvider {
	o := &otherProvider{t: t, inner: inner}
	start := func(h http.HandlerFunc) *httptest.Server {
		s := httptest.NewServer(h)
		t.Cleanup(s.Close)
		return s
	}
	only := func(path, contentType string, body func() []byte) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != path {
				w.WriteHeader(http.StatusNotFound)
				return
			}
			w.Header().Set("Content-Type", contentType)
			_, _ = w.Write(body())
		}
	}
	o.keys = start(only("/signing/keys.json", "application/json", func() []byte {
		raw, _ := json.Marshal(jose.KeySet{inner.key.Public()})
		return raw
	}))
	o.script = start(only("/sdk/3/connect.js", "text/javascript", func() []byte { return []byte("window.OtherConnect = {}") }))
	o.pages = start(func(http.ResponseWriter, *http.Request) {})
	o.api = start(o.serve)
	o.profile = fmt.Sprintf(otherProfile, o.api.URL, o.keys.URL, o.script.URL, o.pages.URL)
	return o
}

// serve answers a request of the other API by the fake provider.
func (o *otherProvider) serve(w http.ResponseWriter, r *http.Request) {
	refuse := func(status int, code string) { answer(w, status, map[string]any{"error": code}) }
	path := ""
	for prefix, own := range translated {
		if rest, ok := strings.CutPrefix(r.URL.Path, prefix); ok && (rest == "" || rest[0] == '/') {
			path = own + rest
		}
	}
	if strings.HasPrefix(r.URL.Path, "/finance/v9/reports/pay/") {
		path = "/connect/status" // this provider has no report of that product
	}
	for name := range r.Header {
		if strings.HasPrefix(name, "X-") {
			o.t.Errorf("%s has the header %s", r.URL.Path, name)
		}
	}
	body, _ := io.ReadAll(r.Body)
	bearer, byToken := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	reports := strings.HasPrefix(path, "/connect/cashflow") || path == "/connect/status"
	switch {
	case path == "":
		w.WriteHeader(http.StatusNotFound)
		return
	case r.Header.Get("Other-Mode") != "sandbox", reports && r.Header.Get("Other-Report")+r.Header.Get("Other-Reference") == "":
		refuse(400, "MALFORMED_HEADERS")
		return
	case reports != byToken || byToken && bearer != "at":
		refuse(403, "UNAUTHORIZED")
		return
	case bytes.Contains(body, []byte(`"email":"doctor"`)):
		refuse(400, "INVALID_PREFILL_EMAIL")
		return
	}
	inner := r.Clone(r.Context())
	inner.URL.Path, inner.Body = path, io.NopCloser(bytes.NewReader(body))
	inner.Header.Set("X-PUBLIC-TOKEN", r.Header.Get("Other-Report"))
	inner.Header.Set("X-EXTERNAL-ID", r.Header.Get("Other-Reference"))
	rec := httptest.NewRecorder()
	o.inner.Config.Handler.ServeHTTP(rec, inner)
	maps.Copy(w.Header(), rec.Header())
	w.WriteHeader(rec.Code)
	_, _ = w.Write(bytes.ReplaceAll(rec.Body.Bytes(), []byte(o.inner.URL), []byte(o.pages.URL)))
}

// configure makes the provider that of a portal's account.
func (o *otherProvider) configure(c *portal.Config) {
	file := filepath.Join(o.t.TempDir(), "provider.yaml")
	if err := os.WriteFile(file, []byte(o.profile), 0o600); err != nil {
		o.t.Fatal(err)
	}
	c.ProviderURL, c.Account.ProfileFile, c.Account.WidgetScriptURL = o.api.URL+"/finance", file, ""
}

// result returns a signed result for the last redirect as this provider writes it.
func (o *otherProvider) result(publicToken string) string {
	o.t.Helper()
	token, err := jose.Signer{Key: o.inner.key, Type: "result+jwt"}.Sign(time.Now(), time.Now().Add(5*time.Minute), jose.Claims{
		"how": "SUCCESS", "report": publicToken, "state": "SUCCESS", "echo": o.inner.args, "iss": "https://issuer.other.example"})
	if err != nil {
		o.t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString([]byte(token))
}

// withOther returns a portal of an account at another provider.
func withOther(t *testing.T, db *store.DB) (*testServer, *otherProvider) {
	var o *otherProvider
	inner := newService(t)
	r := newTestServer(t, db, func(c *portal.Config) {
		o = newOtherProvider(t, inner)
		o.configure(c)
	})
	r.provider = inner
	return r, o
}

// TestAnotherProvider walks applications to their reports at a provider that differs in every
// setting.
func TestAnotherProvider(t *testing.T) {
	storetest.EachInFull(t, store.Portal, func(t *testing.T, db *store.DB) {
		r, o := withOther(t, db)
		t.Run("embedded", func(t *testing.T) {
			b := r.browser()
			a := b.apply()
			p := b.get(a + "/connect")
			got := section(p)
			if got["script"] != o.script.URL+"/sdk/3/connect.js" || got["global"] != "OtherConnect" || got["token"] == "" {
				t.Fatalf("connect: %d %v", p.status, got)
			}
			policy := p.header.Get("Content-Security-Policy")
			for _, want := range []string{"script-src 'self' " + o.script.URL + " ", "frame-src " + o.pages.URL + ";",
				"connect-src 'self' " + o.api.URL + ";", "form-action 'self' " + o.pages.URL + ";"} {
				if !strings.Contains(policy+";", want) {
					t.Errorf("the policy %q has no %q", policy, want)
				}
			}
			externalID, token := r.provider.finish(contract.StatusSuccess)
			if status := o.webhook(r, externalID, token); status != 204 {
				t.Fatalf("webhook: %d\n%s", status, r.log)
			}
			if status := r.webhook(externalID, token, contract.StatusSuccess); status == 204 {
				t.Error("a webhook with the headers of another provider is accepted")
			}
			b.follow(a, "ready")
		})
		t.Run("redirect", func(t *testing.T) {
			b := r.browser()
			a := b.apply("mode", "redirect")
			if p := b.get(a + "/connect"); p.status != 303 || !strings.HasPrefix(p.location, o.pages.URL+"/redirect/") {
				t.Fatalf("connect: %d %s\n%s", p.status, p.location, r.log)
			}
			last := r.provider.inits[len(r.provider.inits)-1]
			if want := r.url + "/redirect/return?outcome_token={result}"; last["completeUrl"] != want {
				t.Errorf("completeUrl = %v, want %s", last["completeUrl"], want)
			}
			_, token := r.provider.finish(contract.StatusSuccess)
			if p := b.get("/redirect/return?jwt=" + url.QueryEscape(o.result(token))); p.status == 303 {
				t.Error("a result in the parameter of another provider is accepted")
			}
			// Not escaped, as a provider may write it.
			b.get("/redirect/return?outcome_token="+o.result(token)).requireRedirect(t, "return", a)
			b.follow(a, "ready")
		})
		t.Run("redirect by forms", func(t *testing.T) {
			b := r.browser()
			a := b.apply("mode", "redirect-form")
			b.get(a+"/connect").require(t, "connect", 200, `action="`+o.pages.URL+`/redirect/`, `name="handle"`)
			_, token := r.provider.finish(contract.StatusSuccess)
			sent := `{"outcomeToken":"` + o.result(token) + `"}`
			p := (&browser{&http.Client{CheckRedirect: b.CheckRedirect}, r}).do("POST", "/redirect/return", "application/json", sent)
			if p.status != 303 {
				t.Fatalf("POST: %d\n%s", p.status, r.log)
			}
			b.get(p.location).requireRedirect(t, "taken up", a)
			b.follow(a, "ready")
		})
	})
}

// webhook sends the webhook of a successful report with this provider's headers.
func (o *otherProvider) webhook(r *testServer, externalID, publicToken string) int {
	o.t.Helper()
	profile, err := svcapi.ParseProfile([]byte(o.profile))
	if err != nil {
		o.t.Fatal(err)
	}
	secret, err := webhook.ParseSecret(r.secret)
	if err != nil {
		o.t.Fatal(err)
	}
	body, _ := json.Marshal(webhook.Event{EventID: uuid.NewString(), Type: webhook.TypeVisit, CreatedAt: time.Now(),
		Environment: contract.Sandbox, PublicID: "pub", ProductID: productID, PublicToken: publicToken, ExternalID: externalID,
		Status: contract.StatusSuccess})
	req, _ := http.NewRequestWithContext(o.t.Context(), "POST", r.url+"/webhooks/visit", bytes.NewReader(body))
	req.Header.Set("Content-Type", "application/json")
	if err := webhook.Sign(req.Header, []webhook.Secret{secret}, uuid.NewString(), time.Now(), body); err != nil {
		o.t.Fatal(err)
	}
	profile.WebhookHeaders.Rename(req.Header)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		o.t.Fatal(err)
	}
	resp.Body.Close()
	return resp.StatusCode
}

// TestDoctorNamesSettings changes one setting of a working profile each time.
func TestDoctorNamesSettings(t *testing.T) {
	storetest.EachInFull(t, store.Portal, func(t *testing.T, db *store.DB) {
		r, o := withOther(t, db)
		const dead = "http://127.0.0.1:1"
		for setting, change := range map[string][2]string{
			"":                         {},
			"url":                      {"url: " + o.api.URL, "url: " + dead},
			"addresses.accessToken":    {"/v9/auth/token", "/v8/auth/token"},
			"addresses.initialization": {"/v9/visits", "/v8/visits"},
			"addresses.secureRedirect": {"/v9/links", "/v8/links"},
			"addresses.status":         {"/v9/state", "/v8/state"},
			"addresses.cashflow":       {"/v9/reports/cash", "/v8/reports/cash"},
			"addresses.keySet":         {"/signing/keys.json", "/jwkset"},
			"addresses.widgetScript":   {"/sdk/3/connect.js", "/sdk/4/connect.js"},
			"headers.environment":      {"Other-Mode", "X-Environment2"},
			"headers.externalId":       {"Other-Reference", "Wrong-Reference"},
			"headers.publicToken":      {"Other-Report", "Wrong-Report"},
			"accessTokenEncoding":      {"accessTokenEncoding: plain", "accessTokenEncoding: base64"},
			"widgetGlobal":             {"OtherConnect", "SvcWidget"},
			"pages":                    {"pages: ['" + o.pages.URL, "pages: ['" + dead},
			"result.algorithms":        {"algorithms: [ES256]", "algorithms: [RS256]"},
		} {
			t.Run(setting, func(t *testing.T) {
				text := strings.Replace(o.profile, change[0], change[1], 1)
				profile, err := svcapi.ParseProfile([]byte(strings.ReplaceAll(text, "X-Environment2", "Wrong-Mode")))
				if err != nil {
					t.Fatal(err)
				}
				found := doctor.Config{PortalURL: strings.Replace(r.url, "127.0.0.1", "localhost", 1), ProviderURL: profile.URL,
					Environment: contract.Sandbox, PublicID: "pub", ClientID: "client", SecretKey: "secret",
					Products:       map[contract.Product]string{contract.Cashflow: productID, contract.Income: productID},
					WebhookSecrets: []string{r.secret}, Profile: profile, ReturnMode: "get", Now: time.Now}.Examine(t.Context())
				wrong := slices.DeleteFunc(found, func(f doctor.Finding) bool { return f.Level == doctor.OK })
				switch {
				case setting == "" && len(wrong) > 0:
					t.Errorf("findings about a working profile: %+v", wrong)
				case setting != "" && !slices.ContainsFunc(wrong, func(f doctor.Finding) bool { return strings.Contains(f.Remedy, setting) }):
					t.Errorf("no finding names %s: %+v", setting, wrong)
				}
			})
		}
	})
}
