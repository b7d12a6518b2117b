package api

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"vestibule/docs"
	"vestibule/docs/openapitest"
	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/jobs"
	"vestibule/internal/journey"
	"vestibule/internal/portal/applications"
	"vestibule/internal/portal/embedkit"
	"vestibule/internal/portal/notify"
	"vestibule/internal/store"
	"vestibule/internal/svcapi"
	"vestibule/internal/testutil/applicationstest"
	"vestibule/internal/testutil/storetest"
)

const key = "a key that is only for tests"

var noon = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)

// provider is a fake of the provider's API with one file per report.
type provider struct {
	applications.Provider
	away error // returned instead of files
}

func (p *provider) Files(context.Context, contract.Product, svcapi.Ref) ([]svcapi.File, error) {
	if p.away != nil {
		return nil, p.away
	}
	return []svcapi.File{{DocumentType: "PAYSTUB", DocumentID: "d1", SourceID: "s1", SourceUUID: "u", Path: "stubs/may 1.pdf"}}, nil
}

func (p *provider) File(_ context.Context, _ contract.Product, _ svcapi.Ref, path string) (svcapi.Content, error) {
	switch {
	case p.away != nil:
		return svcapi.Content{}, p.away
	case path == "stubs/may 1.pdf":
		return svcapi.Content{Type: "application/pdf", Body: []byte("%PDF-1.7")}, nil
	case path == "old.pdf":
		return svcapi.Content{}, &svcapi.Error{Op: "file", HTTP: 410, Code: contract.CodeGone}
	}
	return svcapi.Content{}, &svcapi.Error{Op: "file", Code: contract.CodeNotFound}
}

// queue drops the jobs that deliver events.
type queue struct{}

func (queue) Enqueue(context.Context, *store.Tx, jobs.Args, ...jobs.EnqueueOption) error { return nil }
func (queue) Remove(context.Context, *store.Tx, string, int64) error                     { return nil }

type client struct {
	*API
	t        testing.TB
	provider *provider
	mux      *http.ServeMux
	now      time.Time
}

func serve(t testing.TB, db *store.DB) *client {
	t.Helper()
	c := &client{t: t, now: noon, mux: http.NewServeMux(), provider: &provider{}}
	now, log := func() time.Time { return c.now }, slog.New(slog.DiscardHandler)
	db.SetClock(now)
	apps := &applications.Service{DB: db, Provider: c.provider, Products: map[contract.Product]string{
		contract.Cashflow: "product"}, Environment: contract.Sandbox, Now: now, Log: log}
	c.API = &API{DB: db, Applications: apps, Kit: &embedkit.Kit{DB: db, Now: now}, Key: key,
		URL: "http://localhost:8080", Now: now, Log: log, Spec: docs.PortalOpenAPI,
		Events: notify.New(notify.Service{DB: db, Queue: queue{}, Applications: apps, Environment: contract.Sandbox,
			URL: "https://app.example.com/webhooks", Now: now, Log: log})}
	apps.OnChange = append(apps.OnChange, c.Events.Record)
	c.PDF = func(ctx context.Context, a applications.Application, of applications.StoredReport, l i18n.Lang) ([]byte, error) {
		raw, err := apps.Report(ctx, apps.DB.SQL, a.ID, of.Attempt, of.Revision)
		return append([]byte("%PDF-1.7 "+string(l)+" "), raw...), err
	}
	c.Routes(c.mux)
	return c
}

// made lists all applications, newest first.
func (c *client) made() []applications.Application {
	c.t.Helper()
	all, _, err := c.Applications.List(c.t.Context(), applications.Filter{Limit: 100})
	if err != nil {
		c.t.Fatal(err)
	}
	return all
}

// ready gives an application a report, as after a successful visit.
func (c *client) ready(id string, body string) {
	c.t.Helper()
	a, err := c.Applications.Get(c.t.Context(), c.Applications.DB.SQL, id)
	if err != nil {
		c.t.Fatal(err)
	}
	a.Journey = journey.Application{State: journey.Ready, Attempt: 1, Succeeded: 1, Status: contract.StatusSuccess}
	a.Report = applications.StoredReport{Attempt: 1, At: c.now}
	applicationstest.Put(c.t, c.DB, applicationstest.Row{Application: a, Body: []byte(body)})
}

// do sends a request and validates the response against the OpenAPI document.
func (c *client) do(method, path, body string, headers ...string) (*http.Response, map[string]any) {
	c.t.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+key)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	resp := openapitest.Serve(c.t, c.mux, r)
	raw, _ := io.ReadAll(resp.Body)
	var out map[string]any
	if err := json.Unmarshal(raw, &out); err != nil {
		c.t.Errorf("%s %s answered %d %s", method, path, resp.StatusCode, raw)
	}
	return resp, out
}

// requireError sends a request, and checks that it is refused with a status and a code.
func (c *client) requireError(status int, code, method, path, body string, headers ...string) {
	c.t.Helper()
	if resp, e := c.do(method, path, body, headers...); resp.StatusCode != status || e["error"] != code {
		c.t.Errorf("%s %s = %d %v, want %d %s", method, path, resp.StatusCode, e, status, code)
	}
}

const good = `{"product":"cashflow","mode":"embedded","prefill":{"firstName":"Ana","lastName":"Núñez","email":"ana@example.com",
	"dob":"1990-02-28","statedAnnualIncome":52000},
	"externalId":"order-7","userArgs":"a=b","returnUrl":"https://app.example.com/done?x=1","allowedOrigin":"https://app.example.com"}`

func TestCreateAndFollow(t *testing.T) {
	storetest.EachInFull(t, store.Portal, func(t *testing.T, db *store.DB) {
		c := serve(t, db)
		resp, made := c.do("POST", "/api/v1/applications", strings.TrimSuffix(good, "}")+`,"language":"es"}`)
		id, _ := made["id"].(string)
		token, _ := made["embedToken"].(string)
		if resp.StatusCode != 201 || made["connectUrl"] != "http://localhost:8080/applications/"+id+"/connect?grant="+
			token+"&lang=es" || resp.Header.Get("Location") != "/api/v1/applications/"+id {
			t.Fatalf("made %d %v", resp.StatusCode, made)
		}
		n := c.made()[0]
		given, err := c.Applications.Applicant(t.Context(), c.Applications.DB.SQL, id)
		if err != nil || given.LastName != "Núñez" || *given.StatedAnnualIncome != 52000 || n.ExternalID != "order-7" ||
			n.ReturnURL != "https://app.example.com/done?x=1" ||
			n.Origin != applications.FromAPI || n.UserArgs != "a=b" || n.Lang != i18n.Spanish {
			t.Errorf("kept: %+v of %+v, %v", n, given, err)
		}
		if resp, app := c.do("GET", "/api/v1/applications/"+strings.ToUpper(id), ""); resp.StatusCode != 200 ||
			app["state"] != "started" || app["outcome"] != nil || app["publicToken"] != nil {
			t.Errorf("application: %d %v", resp.StatusCode, app)
		}
		if resp, e := c.do("GET", "/api/v1/applications/"+id+"/report", ""); resp.StatusCode != 404 ||
			e["error"] != "REPORT_NOT_READY" || e["state"] != "started" {
			t.Errorf("report before it is there: %d %v", resp.StatusCode, e)
		}
		body := sandboxReport(t, "income")
		c.ready(id, body)
		r := httptest.NewRequest("GET", "/api/v1/applications/"+id+"/report", nil)
		r.Header.Set("Authorization", "bearer "+key)
		got := openapitest.Serve(t, c.mux, r)
		if raw, _ := io.ReadAll(got.Body); string(raw) != body || got.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("report = %s, %v", raw, got.Header)
		}
		if resp, made := c.do("POST", "/api/v1/applications/"+id+"/embed-token", ""); resp.StatusCode != 201 || made["embedToken"] == token {
			t.Errorf("a new embed token: %d %v", resp.StatusCode, made)
		}
		if _, made := c.do("POST", "/api/v1/applications", `{"product":"cashflow","mode":"redirect"}`); made["id"] == nil {
			t.Errorf("without prefill: %v", made)
		} else if a, err := c.Applications.Get(t.Context(), c.Applications.DB.SQL, made["id"].(string)); err != nil || a.HasApplicant {
			t.Errorf("without prefill: %+v, %v", a, err)
		}
	})
}

func TestEventPages(t *testing.T) {
	c := serve(t, storetest.SQLite(t, store.Portal))
	_, made := c.do("POST", "/api/v1/applications", good)
	a, err := c.Applications.Get(t.Context(), c.Applications.DB.SQL, made["id"].(string))
	if err != nil {
		t.Fatal(err)
	}
	applicationstest.Put(t, c.DB, applicationstest.Row{Application: a, Timeline: []applications.TimelineEntry{
		{Seq: 1, At: noon, Kind: "created", To: "started"},
		{Seq: 2, At: noon, Kind: "connect", Attempt: 1, From: "started", To: "connecting"},
		{Seq: 5, At: noon, Kind: "webhook", Attempt: 1, Status: contract.StatusSuccess, From: "connecting", To: "pending"},
	}})
	at := "/api/v1/applications/" + a.ID + "/events"
	var seen []string
	next := "0"
	for range 3 {
		_, page := c.do("GET", at+"?limit=2&after="+next, "")
		for _, e := range page["events"].([]any) {
			seen = append(seen, e.(map[string]any)["kind"].(string))
		}
		if page["next"] == nil {
			break
		}
		next = fmt.Sprint(page["next"])
	}
	if got := strings.Join(seen, " "); got != "created connect webhook" {
		t.Errorf("events = %s", got)
	}
	if _, page := c.do("GET", at+"?after=5", ""); len(page["events"].([]any)) != 0 || page["next"] != nil {
		t.Errorf("after the last: %v", page)
	}
	for _, bad := range []string{"?after=x", "?after=-1", "?limit=0", "?limit=201", "?limit=1&limit=2", "?after="} {
		c.requireError(400, "INVALID_PARAMETERS", "GET", at+bad, "")
	}
}

func TestBadRequestsAreRejectedWithoutStoring(t *testing.T) {
	c := serve(t, storetest.SQLite(t, store.Portal))
	app := func(members string) string { return `{"product":"cashflow","mode":"embedded"` + members + `}` }
	for _, tc := range []struct {
		name, body, code string
		status           int
		field            string
	}{
		{"no JSON", `{`, "MALFORMED_BODY", 400, ""},
		{"a list", `[]`, "MALFORMED_BODY", 400, ""},
		{"an unknown field", app(`,"x":1`), "MALFORMED_BODY", 400, "x"},
		{"a field twice", app(`,"mode":"redirect"`), "MALFORMED_BODY", 400, "mode"},
		{"a number for a text", app(`,"userArgs":1`), "MALFORMED_BODY", 400, "userArgs"},
		{"something after", good + "{}", "MALFORMED_BODY", 400, ""},
		{"too large", app(`,"userArgs":"` + strings.Repeat("x", maxRequest) + `"`), "BODY_TOO_LARGE", 413, ""},
		{"nothing", `{}`, "INVALID_PARAMETERS", 400, "product"},
		{"an unknown mode", `{"product":"cashflow","mode":"popup"}`, "INVALID_PARAMETERS", 400, "mode"},
		{"an unknown product", `{"product":"mortgage","mode":"embedded"}`, "INVALID_PRODUCT", 400, "product"},
		{"a product that is not offered", `{"product":"income","mode":"embedded"}`, "INVALID_PRODUCT", 400, "product"},
		{"a long externalId", app(`,"externalId":"` + strings.Repeat("é", 65) + `"`), "INVALID_PARAMETERS", 400, "externalId"},
		{"an externalId with a line break", app(`,"externalId":"a\nb"`), "INVALID_PARAMETERS", 400, "externalId"},
		{"long userArgs", app(`,"userArgs":"` + strings.Repeat("é", 256) + `"`), "INVALID_PARAMETERS", 400, "userArgs"},
		{"a returnUrl without host", app(`,"returnUrl":"/done"`), "INVALID_PARAMETERS", 400, "returnUrl"},
		{"a returnUrl that is script", app(`,"returnUrl":"javascript:alert(1)"`), "INVALID_PARAMETERS", 400, "returnUrl"},
		{"a returnUrl over http", app(`,"returnUrl":"http://app.example.com/"`), "INVALID_PARAMETERS", 400, "returnUrl"},
		{"a returnUrl with a user", app(`,"returnUrl":"https://a@app.example.com/"`), "INVALID_PARAMETERS", 400, "returnUrl"},
		{"a returnUrl with a backslash", app(`,"returnUrl":"https://app.example.com\\@evil.example"`), "INVALID_PARAMETERS", 400, "returnUrl"},
		{"an origin with a path", app(`,"allowedOrigin":"https://app.example.com/x"`), "INVALID_PARAMETERS", 400, "allowedOrigin"},
		{"a language that pages do not have", app(`,"language":"fr"`), "INVALID_PARAMETERS", 400, "language"},
		{"any origin", app(`,"allowedOrigin":"https://*.example.com"`), "INVALID_PARAMETERS", 400, "allowedOrigin"},
		{"an origin with a policy in it", app(`,"allowedOrigin":"https://a.example;script-src"`), "INVALID_PARAMETERS", 400, "allowedOrigin"},
		{"a prefill that is a text", app(`,"prefill":"x"`), "MALFORMED_BODY", 400, "prefill"},
		{"an unsupported key", app(`,"prefill":{"nickname":"A"}`), "INVALID_PREFILL_KEY", 400, "prefill.nickname"},
		{"missing personal data", app(`,"prefill":{"firstName":"Ana"}`), "INVALID_PREFILLS_PII_MISSING", 400, "prefill.lastName"},
		{"a wrong date", app(`,"prefill":{"firstName":"Ana","lastName":"N","email":"a@example.com","dob":"1990-02-30"}`),
			"INVALID_PREFILL_DOB", 400, "prefill.dob"},
		{"an income beyond all numbers", app(`,"prefill":{"firstName":"Ana","lastName":"N","email":"a@example.com",` +
			`"dob":"1990-02-28","statedAnnualIncome":1e999}`), "INVALID_PREFILL_INCOME", 400, "prefill.statedAnnualIncome"},
		{"invalid employers", `{"product":"eligibility","mode":"embedded","prefill":{"firstName":"Ana","lastName":"N",` +
			`"email":"a@example.com","dob":"1990-02-28","state":"CA","statedEmployerNames":[]}}`,
			"INVALID_PREFILL_STATED_EMPLOYER_NAMES", 400, "prefill.statedEmployerNames"},
		{"an externalId that no header carries", app(`,"externalId":"\ufffd"`), "INVALID_PARAMETERS", 400, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			resp, e := c.do("POST", "/api/v1/applications", tc.body)
			if resp.StatusCode != tc.status || e["error"] != tc.code {
				t.Errorf("answered %d %v, want %d %s", resp.StatusCode, e, tc.status, tc.code)
			}
			if raw, _ := json.Marshal(e["details"]); tc.field != "" && !strings.Contains(string(raw), `"field":"`+tc.field+`"`) {
				t.Errorf("details %s name no %s", raw, tc.field)
			}
		})
	}
	if resp, e := c.do("POST", "/api/v1/applications", good, "Content-Type", "text/plain"); resp.StatusCode != 415 {
		t.Errorf("as text: %d %v", resp.StatusCode, e)
	}
	if made := c.made(); len(made) != 0 {
		t.Errorf("stored: %+v", made)
	}
	c.do("POST", "/api/v1/applications", good)
	c.requireError(400, "DUPLICATE_EXTERNAL_ID", "POST", "/api/v1/applications", good)                    // the same external id
	c.requireError(404, "NOT_FOUND", "POST", "/api/v1/applications/"+uuid.NewString()+"/embed-token", "") // an embed token of nothing
	for _, path := range []string{"/api/v1/applications/abc", "/api/v1/applications/" + uuid.NewString() +
		"/report", "/api/v1/applications/" + uuid.NewString() + "/events"} {
		c.requireError(404, "NOT_FOUND", "GET", path, "")
	}
}

func TestEmbedTokenOrigin(t *testing.T) {
	c := serve(t, storetest.SQLite(t, store.Portal))
	const shop = "https://shop.example"
	_, made := c.do("POST", "/api/v1/applications", `{"product":"cashflow","mode":"embedded","allowedOrigin":"`+shop+`"}`)
	id := made["id"].(string)
	path := "/api/v1/applications/" + id + "/embed-token"
	for body, want := range map[string]string{"": shop, `{}`: shop, `{"allowedOrigin":null}`: shop,
		`{"allowedOrigin":"https://other.example"}`:    "https://other.example",
		`{"allowedOrigin":"https://Shop.Example:443"}`: "https://Shop.Example:443"} {
		_, made := c.do("POST", path, body)
		token, _ := made["embedToken"].(string)
		if _, _, origin, err := c.Kit.Grant(t.Context(), token, true); err != nil || origin != want {
			t.Errorf("a token with %q is for %q (%v), want %q", body, origin, err, want)
		}
	}
	for body, code := range map[string]string{`{"allowedOrigin":"https://a.example/x"}`: "INVALID_PARAMETERS",
		`{"allowedOrigin":"https://*.example"}`: "INVALID_PARAMETERS",
		`{"allowedOrigin":"http://a.example"}`:  "INVALID_PARAMETERS", `{"other":1}`: "MALFORMED_BODY"} {
		c.requireError(400, code, "POST", path, body)
	}
	c.do("POST", path, "x", "Content-Type", "text/plain")
	c.do("POST", path, `{"allowedOrigin":"`+strings.Repeat("x", maxRequest)+`"}`)
}

func TestRequiresKey(t *testing.T) {
	c := serve(t, storetest.SQLite(t, store.Portal))
	for _, bad := range []string{"", "Bearer", "Bearer ", "Bearer wrong", "Basic " + key,
		"Bearer " + key + " ", "Bearer  " + key, "Bearer " + strings.ToUpper(key)} {
		for _, target := range keyed() {
			method, path, _ := strings.Cut(target, " ")
			resp, e := c.do(method, path, "", "Authorization", bad)
			if resp.StatusCode != 401 || e["error"] != "UNAUTHORIZED" || resp.Header.Get("WWW-Authenticate") == "" {
				t.Errorf("%s with %q = %d %v", target, bad, resp.StatusCode, e)
			}
		}
	}
	c.Key = ""
	if resp, _ := c.do("GET", "/api/v1/applications/x", "", "Authorization", "Bearer "); resp.StatusCode != 401 {
		t.Errorf("without a key configured: %d", resp.StatusCode)
	}
	if resp, doc := c.do("GET", "/api/v1/openapi.json", "", "Authorization", ""); resp.StatusCode != 200 || doc["openapi"] != "3.1.0" {
		t.Errorf("the document: %d", resp.StatusCode)
	}
}

func TestKeyRateLimit(t *testing.T) {
	c := serve(t, storetest.SQLite(t, store.Portal))
	c.Rate = 5
	path := "/api/v1/applications/" + uuid.NewString()
	limited := 0
	for range 8 {
		if resp, e := c.do("GET", path, ""); resp.StatusCode == 429 {
			limited++
			if e["error"] != "RATE_LIMITED" || resp.Header.Get("Retry-After") != "1" {
				t.Errorf("limited: %v, Retry-After %q", e, resp.Header.Get("Retry-After"))
			}
		}
	}
	if limited != 3 {
		t.Errorf("%d of 8 were limited, want 3", limited)
	}
	for _, target := range keyed() {
		method, path, _ := strings.Cut(target, " ")
		c.requireError(429, "RATE_LIMITED", method, path, "")
	}
	c.now = noon.Add(time.Second)
	if resp, _ := c.do("GET", path, ""); resp.StatusCode != 404 {
		t.Errorf("a second later: %d", resp.StatusCode)
	}
	c.do("GET", path, "", "Authorization", "Bearer wrong")
}
