package embed

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"vestibule/docs"
	"vestibule/docs/openapitest"
	"vestibule/internal/contract"
	"vestibule/internal/prefill"
	"vestibule/internal/store"
	"vestibule/internal/store/storetest"
)

const key = "a key that is only for tests"

var noon = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)

// room is a double of the applications room. Like the real one it keeps what it
// makes in the caller's transaction, in a table that the tests add.
type room struct {
	db      *store.DB
	mu      sync.Mutex
	apps    map[string]Application
	made    []New
	reports map[string][]byte
	asked   Filter
	away    error // instead of files
}

func (r *room) Create(ctx context.Context, tx *sql.Tx, n New) (string, []prefill.Problem, error) {
	if n.Product != contract.Cashflow {
		return "", nil, ErrUnknownProduct
	}
	if n.UserArgs == "refuse" {
		return "", nil, ErrRefused
	}
	id := uuid.NewString()
	if n.ExternalID == "" {
		n.ExternalID = id
	}
	ok, err := store.One(tx.ExecContext(ctx, `INSERT INTO made (external_id) VALUES ($1) ON CONFLICT (external_id) DO NOTHING`, n.ExternalID))
	if err != nil {
		return "", nil, err
	}
	if !ok {
		return "", nil, ErrDuplicateExternalID
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.made = append(r.made, n)
	r.apps[id] = Application{ID: id, Product: n.Product, Mode: n.Mode, ExternalID: n.ExternalID, State: "started", AllowedOrigin: n.AllowedOrigin, CreatedAt: noon, UpdatedAt: noon}
	return id, nil, nil
}

func (r *room) Get(_ context.Context, id string) (Application, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if a, ok := r.apps[id]; ok {
		return a, nil
	}
	return Application{}, store.ErrNotFound
}

func (r *room) Timeline(_ context.Context, _ string, after int64, limit int) (lines []Line, err error) {
	all := []Line{
		{Seq: 1, At: noon, Kind: "created", To: "started"},
		{Seq: 2, At: noon, Kind: "connect", Attempt: 1, From: "started", To: "connecting"},
		{Seq: 5, At: noon, Kind: "webhook", Attempt: 1, Status: contract.StatusSuccess, From: "connecting", To: "pending"},
	}
	for _, l := range all {
		if l.Seq > after && len(lines) < limit {
			lines = append(lines, l)
		}
	}
	return lines, nil
}

func (r *room) Report(_ context.Context, id string) ([]byte, error) {
	if raw, ok := r.reports[id]; ok {
		return raw, nil
	}
	return nil, store.ErrNotFound
}

type client struct {
	*API
	t      testing.TB
	room   *room
	mux    *http.ServeMux
	outbox *outbox
	now    time.Time
}

func serve(t testing.TB, db *store.DB) *client {
	t.Helper()
	if _, err := db.SQL.Exec(`CREATE TABLE made (external_id TEXT PRIMARY KEY)`); err != nil {
		t.Fatal(err)
	}
	spec, err := docs.PortalOpenAPI()
	if err != nil {
		t.Fatal(err)
	}
	c := &client{t: t, now: noon, mux: http.NewServeMux(), room: &room{db: db, apps: map[string]Application{}, reports: map[string][]byte{}}, outbox: newOutbox()}
	c.API = &API{DB: db, Applications: c.room, Files: c.room, Webhooks: c.outbox, Key: key, URL: "http://localhost:8080", Environment: contract.Sandbox,
		Now: func() time.Time { return c.now }, Log: slog.New(slog.DiscardHandler), Spec: spec}
	c.dress()
	c.Routes(c.mux)
	return c
}

// do sends a request and checks the answer against the OpenAPI document.
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

const good = `{"product":"cashflow","mode":"embedded","prefill":{"firstName":"Ana","lastName":"Núñez","email":"ana@example.com","dob":"1990-02-28","statedAnnualIncome":52000},
	"externalId":"order-7","userArgs":"a=b","returnUrl":"https://app.example.com/done?x=1","allowedOrigin":"https://app.example.com"}`

func TestAnApplicationIsMadeAndFollowed(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		c := serve(t, db)
		resp, made := c.do("POST", "/api/v1/applications", good)
		id, _ := made["id"].(string)
		token, _ := made["embedToken"].(string)
		if resp.StatusCode != 201 || made["connectUrl"] != "http://localhost:8080/applications/"+id+"/connect?grant="+token || resp.Header.Get("Location") != "/api/v1/applications/"+id {
			t.Fatalf("made %d %v", resp.StatusCode, made)
		}
		n := c.room.made[0]
		if n.Prefill == nil || n.Prefill.LastName != "Núñez" || *n.Prefill.StatedAnnualIncome != 52000 || n.ExternalID != "order-7" || n.ReturnURL != "https://app.example.com/done?x=1" {
			t.Errorf("the room got %+v", n)
		}
		if resp, app := c.do("GET", "/api/v1/applications/"+strings.ToUpper(id), ""); resp.StatusCode != 200 || app["state"] != "started" || app["outcome"] != nil || app["publicToken"] != nil {
			t.Errorf("application: %d %v", resp.StatusCode, app)
		}
		if resp, e := c.do("GET", "/api/v1/applications/"+id+"/report", ""); resp.StatusCode != 404 || e["error"] != "REPORT_NOT_READY" || e["state"] != "started" {
			t.Errorf("report before it is there: %d %v", resp.StatusCode, e)
		}
		const report = `{"meta":{"public_token":"x"},  "kept": "as it came"}`
		c.room.reports[id] = []byte(report)
		r := httptest.NewRequest("GET", "/api/v1/applications/"+id+"/report", nil)
		r.Header.Set("Authorization", "bearer "+key)
		got := openapitest.Serve(t, c.mux, r)
		if raw, _ := io.ReadAll(got.Body); string(raw) != report || got.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("report = %s, %v", raw, got.Header)
		}
		if resp, made := c.do("POST", "/api/v1/applications/"+id+"/embed-token", ""); resp.StatusCode != 201 || made["embedToken"] == token {
			t.Errorf("a new embed token: %d %v", resp.StatusCode, made)
		}
		if _, made := c.do("POST", "/api/v1/applications", `{"product":"cashflow","mode":"redirect"}`); made["id"] == nil || c.room.made[1].Prefill != nil {
			t.Errorf("without prefill: %v", made)
		}
	})
}

func TestEventsComeInPages(t *testing.T) {
	c := serve(t, storetest.SQLite(t, store.Portal))
	_, made := c.do("POST", "/api/v1/applications", good)
	at := "/api/v1/applications/" + made["id"].(string) + "/events"
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
		if resp, e := c.do("GET", at+bad, ""); resp.StatusCode != 400 || e["error"] != "INVALID_PARAMETERS" {
			t.Errorf("events%s = %d %v", bad, resp.StatusCode, e)
		}
	}
}

func TestBadRequestsAreRefusedAndNothingIsStored(t *testing.T) {
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
		{"any origin", app(`,"allowedOrigin":"https://*.example.com"`), "INVALID_PARAMETERS", 400, "allowedOrigin"},
		{"an origin with a policy in it", app(`,"allowedOrigin":"https://a.example;script-src"`), "INVALID_PARAMETERS", 400, "allowedOrigin"},
		{"a prefill that is a text", app(`,"prefill":"x"`), "MALFORMED_BODY", 400, "prefill"},
		{"an unsupported key", app(`,"prefill":{"nickname":"A"}`), "INVALID_PREFILL_KEY", 400, "prefill.nickname"},
		{"missing personal data", app(`,"prefill":{"firstName":"Ana"}`), "INVALID_PREFILLS_PII_MISSING", 400, "prefill.lastName"},
		{"a wrong date", app(`,"prefill":{"firstName":"Ana","lastName":"N","email":"a@example.com","dob":"1990-02-30"}`), "INVALID_PREFILL_DOB", 400, "prefill.dob"},
		{"an income beyond all numbers", app(`,"prefill":{"firstName":"Ana","lastName":"N","email":"a@example.com","dob":"1990-02-28","statedAnnualIncome":1e999}`), "INVALID_PREFILL_INCOME", 400, "prefill.statedAnnualIncome"},
		{"employers that are none", `{"product":"eligibility","mode":"embedded","prefill":{"firstName":"Ana","lastName":"N","email":"a@example.com","dob":"1990-02-28","state":"CA","statedEmployerNames":[]}}`,
			"INVALID_PREFILL_STATED_EMPLOYER_NAMES", 400, "prefill.statedEmployerNames"},
		{"what the room refuses", app(`,"userArgs":"refuse"`), "INVALID_PARAMETERS", 400, ""},
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
	if len(c.room.made) != 0 {
		t.Errorf("stored: %+v", c.room.made)
	}
	c.do("POST", "/api/v1/applications", good)
	if resp, e := c.do("POST", "/api/v1/applications", good); resp.StatusCode != 400 || e["error"] != "DUPLICATE_EXTERNAL_ID" {
		t.Errorf("the same external id: %d %v", resp.StatusCode, e)
	}
	if resp, e := c.do("POST", "/api/v1/applications/"+uuid.NewString()+"/embed-token", ""); resp.StatusCode != 404 || e["error"] != "NOT_FOUND" {
		t.Errorf("an embed token of nothing: %d %v", resp.StatusCode, e)
	}
	for _, path := range []string{"/api/v1/applications/abc", "/api/v1/applications/" + uuid.NewString() + "/report", "/api/v1/applications/" + uuid.NewString() + "/events"} {
		if resp, e := c.do("GET", path, ""); resp.StatusCode != 404 || e["error"] != "NOT_FOUND" {
			t.Errorf("GET %s = %d %v", path, resp.StatusCode, e)
		}
	}
}

func TestOnlyTheKeyOpens(t *testing.T) {
	c := serve(t, storetest.SQLite(t, store.Portal))
	for _, bad := range []string{"", "Bearer", "Bearer ", "Bearer wrong", "Basic " + key, "Bearer " + key + " ", "Bearer  " + key, "Bearer " + strings.ToUpper(key)} {
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

func TestTheRateOfTheKey(t *testing.T) {
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
		if resp, e := c.do(method, path, ""); resp.StatusCode != 429 || e["error"] != "RATE_LIMITED" {
			t.Errorf("%s = %d %v, want it limited too", target, resp.StatusCode, e)
		}
	}
	c.now = noon.Add(time.Second)
	if resp, _ := c.do("GET", path, ""); resp.StatusCode != 404 {
		t.Errorf("a second later: %d", resp.StatusCode)
	}
	c.do("GET", path, "", "Authorization", "Bearer wrong")
}
