package provider_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"vestibule/docs/openapitest"
	"vestibule/internal/contract"
	"vestibule/internal/provider"
	"vestibule/internal/provider/sandbox"
	"vestibule/internal/staff"
	"vestibule/internal/store"
	"vestibule/internal/testutil/assets"
	"vestibule/internal/testutil/logtest"
	"vestibule/internal/testutil/storetest"
	"vestibule/internal/testutil/subtest"
	"vestibule/internal/webhook"
)

// testServer is a provider with its control listener and a customer's webhook receiver.
type testServer struct {
	t        *testing.T
	provider *provider.Provider
	db       *store.DB
	service  *httptest.Server
	control  *httptest.Server
	seed     provider.Seed
	inbox    *inbox
	log      *logtest.Buffer
}

// inbox is the customer's webhook receiver. It responds with answers in turn, and then
// repeats the last one.
type inbox struct {
	mu       sync.Mutex
	receiver webhook.Receiver
	answers  []int
	text     string // body of the answers
	got      []webhook.Event
	about    string // account that the last one is about, by its header
	refused  []error
	arrived  chan struct{}
}

func (in *inbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	in.mu.Lock()
	defer in.mu.Unlock()
	e, err := in.receiver.Receive(r)
	if err != nil {
		in.refused = append(in.refused, err)
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	in.got, in.about = append(in.got, e), r.Header.Get(webhook.HeaderAccount)
	status := http.StatusNoContent
	if len(in.answers) > 0 {
		status = in.answers[0]
		if len(in.answers) > 1 {
			in.answers = in.answers[1:]
		}
	}
	if status == http.StatusFound {
		w.Header().Set("Location", "/elsewhere")
	}
	w.WriteHeader(status)
	_, _ = io.WriteString(w, in.text)
	in.arrived <- struct{}{}
}

// account returns the account that the last event is about, by its header.
func (in *inbox) account() string {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.about
}

// wait waits for n events and returns all events.
func (in *inbox) wait(t *testing.T, n int) []webhook.Event {
	t.Helper()
	for {
		in.mu.Lock()
		got, refused := append([]webhook.Event{}, in.got...), in.refused
		in.mu.Unlock()
		if len(refused) > 0 {
			t.Fatalf("the receiver refused a webhook: %v", refused)
		}
		if len(got) >= n {
			return got
		}
		select {
		case <-in.arrived:
		case <-time.After(2 * time.Minute):
			t.Fatalf("%d webhooks arrived, want %d", len(got), n)
		}
	}
}

func newTestServer(t *testing.T, db *store.DB, more ...func(*provider.Config)) *testServer {
	staff.UseCheapHashes()
	t.Helper()
	secret, err := webhook.ParseSecret("whsec_" + base64.StdEncoding.EncodeToString([]byte("a webhook secret of 32 bytes, ok")))
	if err != nil {
		t.Fatal(err)
	}
	b := &testServer{t: t, db: db, log: &logtest.Buffer{}}
	b.inbox = &inbox{arrived: make(chan struct{}, 100), receiver: webhook.Receiver{Secrets: []webhook.Secret{secret}, Now: time.Now}}
	receiver := httptest.NewServer(b.inbox)
	t.Cleanup(receiver.Close)

	t.Cleanup(func() {
		if t.Failed() {
			for line := range strings.Lines(b.log.String()) {
				if !strings.Contains(line, `"level":"INFO"`) && !strings.Contains(line, `"level":"DEBUG"`) {
					t.Log(line)
				}
			}
		}
	})
	var handler http.Handler
	b.service = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler.ServeHTTP(w, r) }))
	t.Cleanup(b.service.Close)
	log := slog.New(slog.NewJSONHandler(b.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	config := provider.Config{DB: db, Log: log, Now: time.Now, URL: b.service.URL,
		Environment: contract.Sandbox, Sandbox: sandbox.New, AllowLoopbackCallbacks: true, Assets: assets.Provider(t)}
	for _, f := range more {
		f(&config)
	}
	b.provider, err = provider.New(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	b.seed = provider.Seed{PublicID: "svc-portal", ClientID: "client-portal", SecretKey: store.NewSecret(),
		Products:      map[contract.Product]string{},
		WebhookSecret: "whsec_" + base64.StdEncoding.EncodeToString([]byte("a webhook secret of 32 bytes, ok")),
		ThirdParty:    provider.SeedAccount{PublicID: "svc-third", ClientID: "client-third", SecretKey: store.NewSecret()},
		CallbackURL:   receiver.URL, CompleteURL: "https://customer.example/done?jwt=[token]", ReturnMode: "get"}
	for _, p := range contract.Products() {
		b.seed.Products[p] = uuid.NewString()
	}
	if err := b.provider.Seed(t.Context(), b.seed); err != nil {
		t.Fatal(err)
	}
	handler = b.provider.Handler()
	b.control = httptest.NewServer(b.provider.Control())
	t.Cleanup(b.control.Close)
	if err := b.provider.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.provider.Stop(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	return b
}

// run runs a named part of a test.
func (b *testServer) run(name string, part func(t *testing.T)) { subtest.Run(&b.t, name, part) }

// each runs a test of the provider on SQLite, and in make test-full on PostgreSQL too.
func each(t *testing.T, f func(t *testing.T, b *testServer)) {
	storetest.EachInFull(t, store.Provider, func(t *testing.T, db *store.DB) { f(t, newTestServer(t, db)) })
}

// eachEngine runs a test of concurrent requests on both database engines.
func eachEngine(t *testing.T, f func(t *testing.T, b *testServer)) {
	storetest.Each(t, store.Provider, func(t *testing.T, db *store.DB) { f(t, newTestServer(t, db)) })
}

// answer is a response.
type answer struct {
	status int
	header http.Header
	raw    []byte
	body   map[string]any
}

func (a answer) text(name string) string { s, _ := a.body[name].(string); return s }

// headers are names and values of headers, alternately.
type headers []string

func (b *testServer) ask(base, method, path string, h headers, body any) answer {
	b.t.Helper()
	var reader io.Reader
	if raw, ok := body.(string); ok {
		reader = strings.NewReader(raw)
	} else if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			b.t.Fatal(err)
		}
		reader = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(b.t.Context(), method, base+path, reader)
	if err != nil {
		b.t.Fatal(err)
	}
	for i := 0; i < len(h); i += 2 {
		req.Header.Add(h[i], h[i+1])
	}
	if body != nil && !slices.Contains(h, "Content-Type") {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := client.Do(req)
	if err != nil {
		return answer{raw: []byte(err.Error())}
	}
	openapitest.Check(b.t, resp)
	defer resp.Body.Close()
	a := answer{status: resp.StatusCode, header: resp.Header}
	if a.raw, err = io.ReadAll(resp.Body); err != nil {
		a.status = 0
	}
	json.Unmarshal(a.raw, &a.body) // arrays and empty bodies are read from raw
	return a
}

// client does not keep connections, because it would repeat a request by itself after a
// kept connection is closed.
var client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}

// continueClient sends a body only after 100 Continue.
var continueClient = &http.Client{Transport: &http.Transport{DisableKeepAlives: true, ExpectContinueTimeout: 10 * time.Second}}

// want checks the status of an answer, and the code and members of an error.
func (b *testServer) want(what string, a answer, status int, code contract.Code) {
	b.t.Helper()
	if a.status != status || a.text("error") != string(code) {
		b.t.Errorf("%s: %d %s, want %d %s\n%s", what, a.status, a.text("error"), status, code, a.raw)
	}
	if code == "" {
		return
	}
	if terminated, ok := a.body["terminated"].(bool); !ok || terminated || a.text("message") == "" || a.text("requestId") == "" {
		b.t.Errorf("%s: the error lacks members: %s", what, a.raw)
	}
}

// wantField is want for an error with a detail about a field; "" for none.
func (b *testServer) wantField(what string, a answer, status int, code contract.Code, field string) {
	b.t.Helper()
	b.want(what, a, status, code)
	if field != "" && !strings.Contains(string(a.raw), `"field":"`+field+`"`) {
		b.t.Errorf("%s: %s does not name %s", what, a.raw, field)
	}
}

// refusedBody is a body that is refused.
type refusedBody struct {
	what   string
	more   []any // names and values that differ from a good body
	status int
	code   contract.Code
	field  string
}

// refuses posts bodies that are refused, and a good one without authorization.
func (b *testServer) refuses(path string, good map[string]any, all []refusedBody) {
	b.t.Helper()
	for _, c := range all {
		b.wantField(c.what, b.post(path, b.basic(), with(good, c.more...)), c.status, c.code, c.field)
	}
	b.want("no JSON", b.post(path, b.basic(), "{"), 400, contract.CodeMalformedBody)
	b.wantField("no authorization", b.post(path, nil, good), 400, contract.CodeMalformedHeaders, "Authorization")
	b.want("wrong credentials", b.post(path, basic(b.seed.ClientID, store.NewSecret()), good), 403, contract.CodeUnknownCustomer)
}

func (b *testServer) get(path string, h headers) answer {
	b.t.Helper()
	return b.ask(b.service.URL, "GET", path, h, nil)
}

func (b *testServer) post(path string, h headers, body any) answer {
	b.t.Helper()
	return b.ask(b.service.URL, "POST", path, h, body)
}

func (b *testServer) do(method, path string, body any) answer {
	b.t.Helper()
	return b.ask(b.control.URL, method, path, nil, body)
}

func basic(id, secret string) headers {
	return headers{"Authorization", "Basic " + base64.StdEncoding.EncodeToString([]byte(id+":"+secret))}
}

func (b *testServer) basic() headers { return basic(b.seed.ClientID, b.seed.SecretKey) }
func (b *testServer) thirdParty() headers {
	return basic(b.seed.ThirdParty.ClientID, b.seed.ThirdParty.SecretKey)
}

// bearer obtains an access token.
func (b *testServer) bearer(credentials headers) headers {
	b.t.Helper()
	a := b.get("/connect/accesstoken", credentials)
	if a.status != http.StatusOK {
		b.t.Fatalf("access token: %d %s", a.status, a.raw)
	}
	return headers{"Authorization", "Bearer " + base64.StdEncoding.EncodeToString([]byte(a.text("accessToken")))}
}

var applicant = map[string]any{"firstName": "Default", "lastName": "Harper", "email": "default.harper@mail.example", "dob": "1990-04-12"}

func with(m map[string]any, more ...any) map[string]any {
	out := map[string]any{}
	for k, v := range m {
		out[k] = v
	}
	for i := 0; i < len(more); i += 2 {
		out[more[i].(string)] = more[i+1]
	}
	return out
}

// begin initializes a visit and returns its token.
func (b *testServer) begin(more ...any) string {
	b.t.Helper()
	body := with(map[string]any{"productId": b.seed.Products[contract.Cashflow], "prefill": applicant}, more...)
	a := b.post("/connect/initialization", b.basic(), body)
	if a.status != http.StatusOK {
		b.t.Fatalf("initialization: %d %s", a.status, a.raw)
	}
	return a.text("token")
}

// complete completes a visit by the sandbox's control and returns the answer.
func (b *testServer) complete(token string, how map[string]any) answer {
	b.t.Helper()
	if how == nil {
		how = map[string]any{}
	}
	a := b.do("POST", "/visits/"+token+"/complete", how)
	if a.status != http.StatusOK {
		b.t.Fatalf("complete: %d %s", a.status, a.raw)
	}
	return a
}
