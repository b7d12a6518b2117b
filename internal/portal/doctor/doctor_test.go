package doctor_test

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/jose"
	"vestibule/internal/portal/doctor"
	"vestibule/internal/svcapi"
	"vestibule/internal/webhook"
)

const (
	cashflow = "0b4d2b3c-1b1e-4c07-9c7e-5c1d8a0f8a01"
	secret   = "a secretKey that stays secret"
)

// fixture is a provider and a portal whose responses can be replaced.
type fixture struct {
	t                *testing.T
	provider, portal *httptest.Server
	answer           map[string]http.HandlerFunc
}

func admit(t *testing.T) (*fixture, doctor.Config) {
	t.Helper()
	key, err := jose.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	keys, err := json.Marshal(jose.KeySet{key.Public()})
	if err != nil {
		t.Fatal(err)
	}
	webhookSecret := webhook.NewSecret()
	parsed, err := webhook.ParseSecret(webhookSecret)
	if err != nil {
		t.Fatal(err)
	}
	receiver := &webhook.Receiver{Secrets: []webhook.Secret{parsed}}
	profile, err := svcapi.ParseProfile(nil)
	if err != nil {
		t.Fatal(err)
	}
	w := &fixture{t: t, answer: map[string]http.HandlerFunc{
		"/connect/jwkset": respond(200, "application/json", string(keys)),
		"/connect/accesstoken": respond(200, "application/json",
			fmt.Sprintf(`{"accessToken":"YQ==","exp":%d}`, time.Now().Add(5*time.Minute).Unix())),
		"/connect/status":           respond(404, "application/json", `{"error":"INVALID_TOKEN"}`),
		"/connect/cashflow/v2/json": respond(404, "application/json", `{"error":"INVALID_TOKEN"}`),
		"/connect/initialization":   respond(400, "application/json", `{"error":"INVALID_PREFILL_EMAIL"}`),
		"/secure-redirect":          respond(400, "application/json", `{"error":"INVALID_PREFILL_EMAIL"}`),
		"/widget/v1/widget.js":      respond(200, "text/javascript; charset=utf-8", "window.SvcWidget={}"),
		"/webhooks/visit": func(rw http.ResponseWriter, r *http.Request) {
			if _, err := receiver.Receive(r); err != webhook.ErrOtherType {
				rw.WriteHeader(http.StatusUnauthorized)
				return
			}
			rw.WriteHeader(http.StatusNoContent)
		},
	}}
	serve := http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		h := w.answer[r.URL.Path]
		if h == nil {
			t.Errorf("asked for %s %s", r.Method, r.URL.Path)
			h = http.NotFound
		}
		h(rw, r)
	})
	w.provider, w.portal = httptest.NewServer(serve), httptest.NewServer(serve)
	t.Cleanup(w.provider.Close)
	t.Cleanup(w.portal.Close)
	return w, doctor.Config{
		PortalURL: strings.Replace(w.portal.URL, "127.0.0.1", "localhost", 1), ProviderURL: w.provider.URL, Environment: contract.Sandbox,
		PublicID: "svc-us", ClientID: "client-us", SecretKey: secret, Products: map[contract.Product]string{contract.Cashflow: cashflow},
		WebhookSecrets: []string{webhookSecret}, Profile: profile,
		ReturnMode: "get", Now: time.Now}
}

func respond(status int, contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}
}

// refuses answers with an error of the API.
func refuses(status int, code string) http.HandlerFunc {
	return respond(status, "application/json", `{"error":"`+code+`"}`)
}

var problems = map[string]struct {
	change func(*fixture, *doctor.Config)
	want   string // the findings that are not OK: level, subject: message
}{
	"nothing is wrong": {func(*fixture, *doctor.Config) {}, ""},
	"no answer": {func(_ *fixture, p *doctor.Config) {
		const none = "http://127.0.0.1:1" // another program may take the port of a closed server
		p.ProviderURL = none
	}, "fail provider: does not answer|fail widget: the script does not load"},
	"an unknown certificate authority": {func(w *fixture, p *doctor.Config) {
		srv := httptest.NewUnstartedServer(http.NotFoundHandler())
		srv.Config.ErrorLog = log.New(io.Discard, "", 0)
		srv.StartTLS()
		w.t.Cleanup(srv.Close)
		p.ProviderURL = srv.URL
	}, "fail provider: does not answer: the certificate is of an authority that is not known here|fail widget: the script does not load"},
	"our clock is slow": {func(_ *fixture, p *doctor.Config) {
		p.Now = func() time.Time { return time.Now().Add(-10 * time.Minute) }
	}, "fail clock: |fail webhooks: the portal at"},
	"our clock is a little slow": {func(_ *fixture, p *doctor.Config) {
		p.Now = func() time.Time { return time.Now().Add(-15 * time.Second) }
	}, "warn clock: "},
	"no key set": {func(w *fixture, _ *doctor.Config) {
		w.answer["/connect/jwkset"] = respond(200, "text/html", "<p>hello")
	}, "fail key set: addresses.keySet: is not a key set"},
	"no usable key": {func(w *fixture, _ *doctor.Config) {
		w.answer["/connect/jwkset"] = respond(200, "application/json", `{"keys":[{"kty":"oct","k":"AAAA","kid":"a"}]}`)
	}, "fail key set: has no usable key"},
	"another environment's credentials": {func(w *fixture, _ *doctor.Config) {
		w.answer["/connect/accesstoken"] = refuses(403, "UNKNOWN_CUSTOMER")
	}, "fail credentials: the provider does not know this clientId in sandbox"},
	"an old secretKey": {func(w *fixture, _ *doctor.Config) {
		w.answer["/connect/accesstoken"] = refuses(401, "UNAUTHORIZED")
	}, "fail credentials: the secretKey does not belong to"},
	"no credentials": {func(_ *fixture, p *doctor.Config) { p.SecretKey = "" }, "fail credentials: svcapi"},
	"another's product": {func(w *fixture, _ *doctor.Config) {
		w.answer["/secure-redirect"] = refuses(400, "INVALID_PRODUCT")
	}, "fail product cashflow: the account has no product " + cashflow},
	"no products": {func(_ *fixture, p *doctor.Config) { p.Products = nil }, "fail products: no product is configured"},
	"a return that is not registered": {func(w *fixture, _ *doctor.Config) {
		w.answer["/secure-redirect"] = refuses(400, "INVALID_COMPLETE_URL")
	}, "fail redirect URL: the account does not allow http"},
	"a provider that is in trouble": {func(w *fixture, _ *doctor.Config) {
		w.answer["/secure-redirect"] = refuses(500, "INTERNAL_ERROR")
	}, "skip product cashflow: could not be checked"},
	"a page in place of the script": {func(w *fixture, _ *doctor.Config) {
		w.answer["/widget/v1/widget.js"] = respond(200, "text/html", "SvcWidget")
	}, "fail widget: the script's address answers with a content type other"},
	"no script": {func(w *fixture, _ *doctor.Config) {
		w.answer["/widget/v1/widget.js"] = respond(404, "text/plain", "")
	}, "fail widget: the script's address answers 404"},
	"another global": {func(_ *fixture, p *doctor.Config) { p.Profile.WidgetGlobal = "Other" },
		"warn widget: the script does not define Other"},
	"another webhook secret": {func(_ *fixture, p *doctor.Config) {
		p.WebhookSecrets = append(p.WebhookSecrets, webhook.NewSecret())
	}, "fail webhooks: the portal at"},
	"an invalid webhook secret": {func(_ *fixture, p *doctor.Config) { p.WebhookSecrets = []string{"x"} },
		"fail webhooks: a secret does not have the form"},
	"no webhook secret":          {func(_ *fixture, p *doctor.Config) { p.WebhookSecrets = nil }, "fail webhooks: no secret"},
	"a portal that does not run": {func(w *fixture, _ *doctor.Config) { w.portal.Close() }, "skip webhooks: the portal cannot be reached"},
	"one host for both": {func(w *fixture, p *doctor.Config) {
		p.PortalURL = w.portal.URL
	}, "warn addresses: portal and provider share a host"},
	"plain http in production": {func(_ *fixture, p *doctor.Config) {
		p.Environment = contract.Production
	}, "fail addresses: --portal-url is plain http|fail addresses: --provider-url is plain http"},
}

func TestFindsEachProblem(t *testing.T) {
	for name, c := range problems {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, p := admit(t)
			c.change(w, &p)
			found := p.Examine(t.Context())
			var got []string
			for _, f := range found {
				if (f.Level == doctor.OK) != (f.Remedy == "") && f.Level != doctor.Skip {
					t.Errorf("%s %s: what to do is %q", f.Level, f.Subject, f.Remedy)
				}
				if strings.Contains(f.Message+f.Remedy, secret) {
					t.Errorf("%s shows the secretKey", f.Subject)
				}
				if f.Level != doctor.OK {
					got = append(got, fmt.Sprintf("%s %s: %s", f.Level, f.Subject, f.Message))
				}
			}
			var want []string
			if c.want != "" {
				want = strings.Split(c.want, "|")
			}
			ok := len(got) == len(want)
			for i := range want {
				ok = ok && strings.HasPrefix(got[i], want[i])
			}
			if !ok {
				t.Errorf("found:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			if healthy := !strings.Contains(c.want, "fail"); doctor.Healthy(found) != healthy {
				t.Errorf("Healthy = %v, want %v", !healthy, healthy)
			}
		})
	}
}
