package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"vestibule/docs/openapitest"
	"vestibule/internal/contract"
	"vestibule/internal/portal/applications"
	"vestibule/internal/store"
	"vestibule/internal/svcapi"
	"vestibule/internal/testutil/storetest"
	"vestibule/internal/webhook"
)

func TestList(t *testing.T) {
	c := serve(t, storetest.SQLite(t, store.Portal))
	for i := range 5 {
		c.now = noon.Add(-time.Duration(i) * time.Second)
		c.do("POST", "/api/v1/applications", fmt.Sprintf(`{"product":"cashflow","mode":"redirect","externalId":"order-%d"}`, i))
	}
	var seen []string
	for at, pages := "/api/v1/applications?limit=2", 0; at != ""; pages++ {
		resp, page := c.do("GET", at, "")
		if resp.StatusCode != 200 || pages > 3 {
			t.Fatalf("%s = %d %v", at, resp.StatusCode, page)
		}
		for _, a := range page["applications"].([]any) {
			seen = append(seen, a.(map[string]any)["externalId"].(string))
		}
		at = ""
		if page["next"] != nil {
			at = "/api/v1/applications?limit=2&cursor=" + page["next"].(string)
		}
	}
	if got := strings.Join(seen, " "); got != "order-0 order-1 order-2 order-3 order-4" {
		t.Errorf("in pages: %s", got)
	}
	const filtered = "/api/v1/applications?state=ready&product=income&externalId=order-3" +
		"&createdFrom=2026-01-02T03:04:05Z&createdTo=2026-02-02T03:04:05.678%2B02:00"
	c.do("GET", filtered, "")
	want := applications.Filter{State: "ready", Product: contract.Income, ExternalID: "order-3",
		From: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		To:   time.Date(2026, 2, 2, 1, 4, 5, 678e6, time.UTC), Limit: defaultPage}
	got := newQuery(httptest.NewRequest("GET", filtered, nil), "state", "product", "externalId", "createdFrom", "createdTo").filter()
	if !got.From.Equal(want.From) || !got.To.Equal(want.To) {
		t.Errorf("from %s to %s, want %s to %s", got.From, got.To, want.From, want.To)
	}
	if got.From, got.To = want.From, want.To; got != want {
		t.Errorf("asked for %+v, want %+v", got, want)
	}
	if _, page := c.do("GET", "/api/v1/applications?state=started&product=cashflow&externalId=order-3",
		""); len(page["applications"].([]any)) != 1 {
		t.Errorf("filtered: %v", page)
	}
	for _, bad := range []string{"state=done", "state=", "product=mortgage", "externalId=" + strings.Repeat("x", 65),
		"externalId=%00", "externalId=%ff", "createdFrom=yesterday",
		"createdTo=2026-13-01T00:00:00Z", "cursor=x", "limit=0", "limit=101", "limit=x", "limit=1&limit=2", "states=ready", "%zz"} {
		if resp, e := c.do("GET", "/api/v1/applications?"+bad, ""); resp.StatusCode != 400 ||
			e["error"] != "INVALID_PARAMETERS" || e["details"] == nil {
			t.Errorf("?%s = %d %v", bad, resp.StatusCode, e)
		}
	}
}

func TestFilesOfAReport(t *testing.T) {
	c := serve(t, storetest.SQLite(t, store.Portal))
	_, made := c.do("POST", "/api/v1/applications", good)
	id := made["id"].(string)
	at := "/api/v1/applications/" + id + "/files"
	c.requireError(404, "REPORT_NOT_READY", "GET", at, "")      // before the report
	c.requireError(404, "REPORT_NOT_READY", "GET", at+"/x", "") // a file before the report
	c.ready(id, `{}`)
	resp, all := c.do("GET", at, "")
	if list, _ := all["files"].([]any); resp.StatusCode != 200 || len(list) != 1 || list[0].(map[string]any)["path"] != "stubs/may 1.pdf" {
		t.Fatalf("files = %d %v", resp.StatusCode, all)
	}
	r := httptest.NewRequest("GET", at+"/stubs%2Fmay%201.pdf", nil)
	r.Header.Set("Authorization", "Bearer "+key)
	got := openapitest.Serve(t, c.mux, r)
	if raw, _ := io.ReadAll(got.Body); string(raw) != "%PDF-1.7" || got.Header.Get("Content-Type") != "application/pdf" ||
		got.Header.Get("Content-Disposition") != "attachment" || got.Header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("file = %s, %v", raw, got.Header)
	}
	c.requireError(410, "GONE", "GET", at+"/old.pdf", "")
	for _, path := range []string{"/none.pdf", "/..%2f..%2fetc", "/%ff", "/%00", "/" + strings.Repeat("x", 600)} {
		c.requireError(404, "NOT_FOUND", "GET", at+path, "")
	}
	unknown := "/api/v1/applications/" + uuid.NewString() + "/files"
	c.requireError(404, "NOT_FOUND", "GET", unknown, "")
	c.requireError(404, "NOT_FOUND", "GET", unknown+"/x", "")
	c.provider.away = &svcapi.Error{Op: "files", Code: contract.CodeUpstream, RetryAfter: 7 * time.Second}
	c.requireError(502, "PROVIDER_UNAVAILABLE", "GET", at, "")
	if resp, _ := c.do("GET", at+"/x", ""); resp.StatusCode != 502 || resp.Header.Get("Retry-After") != "7" {
		t.Errorf("away: %d %v", resp.StatusCode, resp.Header)
	}
}

func TestReportPDF(t *testing.T) {
	c := serve(t, storetest.SQLite(t, store.Portal))
	_, made := c.do("POST", "/api/v1/applications", good)
	id := made["id"].(string)
	at := "/api/v1/applications/" + id + "/report.pdf"
	if resp, e := c.do("GET", at, ""); resp.StatusCode != 404 || e["error"] != "REPORT_NOT_READY" || e["state"] != "started" {
		t.Errorf("before the report: %d %v", resp.StatusCode, e)
	}
	c.ready(id, `{}`)
	for query, want := range map[string]string{"": "%PDF-1.7 en {}", "?lang=en": "%PDF-1.7 en {}", "?lang=es": "%PDF-1.7 es {}"} {
		r := httptest.NewRequest("GET", at+query, nil)
		r.Header.Set("Authorization", "Bearer "+key)
		got := openapitest.Serve(t, c.mux, r)
		if raw, _ := io.ReadAll(got.Body); string(raw) != want || got.Header.Get("Content-Type") != "application/pdf" ||
			got.Header.Get("Content-Disposition") != `attachment; filename="cashflow-`+id+`.pdf"` ||
			got.Header.Get("Cache-Control") != "no-store" || got.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %s, %v", query, raw, got.Header)
		}
	}
	for _, bad := range []string{"lang=", "lang=fr", "lang=en&lang=es"} {
		c.requireError(400, "INVALID_PARAMETERS", "GET", at+"?"+bad, "")
	}
	for _, unknown := range []string{uuid.NewString(), "x"} {
		c.requireError(404, "NOT_FOUND", "GET", "/api/v1/applications/"+unknown+"/report.pdf", "")
	}
}

// sandboxReport returns a report of the sandbox.
func sandboxReport(t *testing.T, product string) string {
	t.Helper()
	raw, err := os.ReadFile("../../../docs/reports/" + product + ".json")
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// TestReportsOfEachProduct fetches a report of each product, byte for byte, and holds it against the product's schema.
func TestReportsOfEachProduct(t *testing.T) {
	c := serve(t, storetest.SQLite(t, store.Portal))
	for product, schema := range map[string]string{"cashflow": "CashflowReport", "income": "IncomeReport", "eligibility": "EligibilityReport",
		"passport": "Passport"} {
		c.Applications.Products[contract.Product(product)] = "product"
		_, made := c.do("POST", "/api/v1/applications", `{"product":"`+product+`","mode":"redirect"}`)
		id, _ := made["id"].(string)
		c.ready(id, sandboxReport(t, product))
		r := httptest.NewRequest("GET", "/api/v1/applications/"+id+"/report", nil)
		r.Header.Set("Authorization", "Bearer "+key)
		raw, err := io.ReadAll(openapitest.Serve(t, c.mux, r).Body)
		if err != nil || string(raw) != sandboxReport(t, product) {
			t.Errorf("%s: %v\n%.200s", product, err, raw)
		}
		if err := openapitest.Valid(t, openapitest.OfThePortal, "/components/schemas/"+schema, raw); err != nil {
			t.Errorf("%s: %v", product, err)
		}
	}
}

// TestReportRevisions reads revisions of a report.
func TestReportRevisions(t *testing.T) {
	c := serve(t, storetest.SQLite(t, store.Portal))
	_, made := c.do("POST", "/api/v1/applications", good)
	at := "/api/v1/applications/" + made["id"].(string)
	c.requireError(404, "REPORT_NOT_READY", "GET", at+"/report?revision=0", "") // before the report
	c.ready(made["id"].(string), sandboxReport(t, "income"))
	for query, want := range map[string]int{"": 200, "?revision=0": 200, "?revision=1": 404, "?revision=-1": 400, "?revision=x": 400,
		"?revision=": 400, "?revision=0&revision=0": 400} {
		for _, path := range []string{"/report", "/report.pdf"} {
			r := httptest.NewRequest("GET", at+path+query, nil)
			r.Header.Set("Authorization", "Bearer "+key)
			if got := openapitest.Serve(t, c.mux, r); got.StatusCode != want {
				t.Errorf("%s%s = %d, want %d", path, query, got.StatusCode, want)
			}
		}
	}
	if _, e := c.do("GET", at, ""); e["report"].(map[string]any)["revision"] != 0.0 {
		t.Errorf("the application has the report %v", e["report"])
	}
}

func TestDeliveriesOfEvents(t *testing.T) {
	c := serve(t, storetest.SQLite(t, store.Portal))
	first, other := c.delivered()
	at := "/api/v1/webhooks/deliveries"

	resp, page := c.do("GET", at+"?state=delivered&applicationId="+strings.ToUpper(first.Subject)+"&limit=1", "")
	if list, _ := page["deliveries"].([]any); resp.StatusCode != 200 || len(list) != 1 || list[0].(map[string]any)["id"] != first.ID {
		t.Errorf("deliveries = %d %v", resp.StatusCode, page)
	}
	if _, page := c.do("GET", at+"?state=given_up&applicationId="+first.Subject, ""); len(page["deliveries"].([]any)) != 0 {
		t.Errorf("given up = %v", page)
	}
	_, page = c.do("GET", at+"?limit=1", "")
	if _, page := c.do("GET", at+"?cursor="+page["next"].(string), ""); page["next"] != nil ||
		page["deliveries"].([]any)[0].(map[string]any)["state"] != "given_up" {
		t.Errorf("the rest = %v", page)
	}
	for _, bad := range []string{"state=given+up", "state=sent", "applicationId=x", "cursor=x", "limit=0", "page=2"} {
		c.requireError(400, "INVALID_PARAMETERS", "GET", at+"?"+bad, "")
	}

	resp, d := c.do("GET", at+"/"+first.ID, "")
	tries, _ := d["tries"].([]any)
	if resp.StatusCode != 200 || len(tries) != 2 || tries[0].(map[string]any)["problem"] != "TIMEOUT" ||
		tries[1].(map[string]any)["httpStatus"] != 204.0 ||
		d["event"].(map[string]any)["eventId"] != first.EventID {
		t.Errorf("delivery = %d %v", resp.StatusCode, d)
	}
	if _, d := c.do("GET", at+"/"+other.ID, ""); d["event"] != nil || d["tries"] == nil {
		t.Errorf("of a deleted application: %v", d)
	}
	resp, again := c.do("POST", at+"/"+first.ID+"/redeliver", "")
	if resp.StatusCode != 202 || again["eventId"] != first.EventID || again["state"] != "pending" ||
		again["httpStatus"] != nil || resp.Header.Get("Location") != at+"/"+again["id"].(string) {
		t.Errorf("sent again: %d %v", resp.StatusCode, again)
	}
	for _, why := range []error{webhook.ErrPending, webhook.ErrStopped} {
		if errors.Is(why, webhook.ErrStopped) {
			c.Events.URL = ""
		}
		c.requireError(409, "INVALID_STATE", "POST", at+"/"+first.ID+"/redeliver", "")
	}
	for _, id := range []string{uuid.NewString(), "x"} {
		for _, target := range []string{"GET " + at + "/" + id, "POST " + at + "/" + id + "/redeliver"} {
			method, path, _ := strings.Cut(target, " ")
			c.requireError(404, "NOT_FOUND", method, path, "")
		}
	}
}

// TestSandboxEvents lists the events of a portal without a receiver, those of a deleted application left out.
func TestSandboxEvents(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		c := serve(t, db)
		c.Events.URL = ""
		const events = "/api/v1/sandbox/events"
		make := func() string {
			t.Helper()
			resp, made := c.do("POST", "/api/v1/applications", `{"product":"cashflow","mode":"redirect"}`)
			if resp.StatusCode != 201 {
				t.Fatalf("application: %d %v", resp.StatusCode, made)
			}
			return made["id"].(string)
		}
		make()
		_, newest := c.do("GET", events, "")
		id := make()
		resp, got := c.do("GET", events+"?after="+newest["last"].(string), "")
		if all := got["events"].([]any); resp.StatusCode != 200 || len(all) != 1 {
			t.Fatalf("after the first application: %d %v", resp.StatusCode, got)
		}
		e := got["events"].([]any)[0].(map[string]any)
		if e["eventId"] != got["last"] || e["type"] != "application.started" || e["application"].(map[string]any)["id"] != id {
			t.Errorf("the event of %s is %v", id, e)
		}
		if _, err := c.DB.SQL.Exec(`UPDATE events SET subject_id = $1 WHERE subject_id = $2`, uuid.NewString(), id); err != nil {
			t.Fatal(err)
		}
		if _, rest := c.do("GET", events+"?after=", ""); len(rest["events"].([]any)) != 1 || rest["last"] != got["last"] {
			t.Errorf("without its application: %v", rest)
		}
		c.requireError(400, "INVALID_PARAMETERS", "GET", events+"?after=%27", "") // after no id
		c.Events.Environment = contract.Production
		c.requireError(404, "NOT_FOUND", "GET", events, "") // in production
	})
}

func TestEventDestinations(t *testing.T) {
	c := serve(t, storetest.SQLite(t, store.Portal))
	if _, to := c.do("GET", "/api/v1/webhooks", ""); to["url"] != c.Events.URL || to["enabled"] != true || to["stoppedAt"] != nil {
		t.Errorf("target = %v", to)
	}
	if _, err := c.DB.SQL.Exec(`INSERT INTO disabled_urls (url_hash, disabled_at) VALUES ($1, $2)`,
		store.Hash(c.Events.URL), store.Micros(noon)); err != nil {
		t.Fatal(err)
	}
	if _, to := c.do("GET", "/api/v1/webhooks", ""); to["enabled"] != false || to["stoppedAt"] != "2026-03-14T12:00:00.000Z" {
		t.Errorf("after 410: %v", to)
	}
	for range 2 {
		if resp, to := c.do("POST", "/api/v1/webhooks/enable", ""); resp.StatusCode != 200 || to["enabled"] != true || to["stoppedAt"] != nil {
			t.Errorf("enabled: %d %v", resp.StatusCode, to)
		}
	}
	c.Events.URL = ""
	if _, to := c.do("GET", "/api/v1/webhooks", ""); to["url"] != nil || to["enabled"] != false {
		t.Errorf("without an address: %v", to)
	}
	c.requireError(409, "INVALID_STATE", "POST", "/api/v1/webhooks/enable", "") // nothing enabled
}

func TestIdempotencyKey(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		c := serve(t, db)
		c.Rate = 1000
		const path, n = "/api/v1/applications", 100
		var mu sync.Mutex
		answers, replayed := map[string]int{}, 0
		var wg sync.WaitGroup
		for range n {
			wg.Go(func() {
				resp, made := c.do("POST", path, good, "Idempotency-Key", "once-1")
				mu.Lock()
				defer mu.Unlock()
				if resp.StatusCode != 201 {
					t.Errorf("answered %d %v", resp.StatusCode, made)
				}
				answers[fmt.Sprint(made, resp.Header.Get("Location"))]++
				if resp.Header.Get("Idempotent-Replayed") == "true" {
					replayed++
				}
			})
		}
		wg.Wait()
		if len(answers) != 1 || replayed != n-1 || len(c.made()) != 1 {
			t.Errorf("%d at once were answered in %d ways, %d of them again, and made %d applications", n, len(answers), replayed, len(c.made()))
		}
		_, first := c.do("POST", path, good, "Idempotency-Key", "once-1")
		var kept []byte
		if err := db.SQL.QueryRow(`SELECT answer FROM api_requests`).Scan(&kept); err != nil ||
			strings.Contains(string(kept), first["embedToken"].(string)) {
			t.Errorf("the answer is kept as %q, %v", kept, err)
		}

		other := strings.Replace(good, "order-7", "order-8", 1)
		c.requireError(409, "INVALID_STATE", "POST", path, other, "Idempotency-Key", "once-1")        // with another body
		c.requireError(400, "DUPLICATE_EXTERNAL_ID", "POST", path, good, "Idempotency-Key", "once-2") // the same externalId under another key
		if resp, made := c.do("POST", path, other, "Idempotency-Key", "once-2"); resp.StatusCode != 201 ||
			resp.Header.Get("Idempotent-Replayed") != "" {
			t.Errorf("after a refusal, which uses no key: %d %v", resp.StatusCode, made)
		}
		c.Key = "another key of the API, for tests too"
		if resp, made := c.do("POST", path, `{"product":"cashflow","mode":"redirect"}`, "Idempotency-Key", "once-1",
			"Authorization", "Bearer "+c.Key); resp.StatusCode != 201 || made["id"] == first["id"] {
			t.Errorf("under another API key: %d %v", resp.StatusCode, made)
		}
		c.Key = key

		c.now = noon.Add(keyRetention + time.Minute)
		if resp, made := c.do("POST", path, strings.Replace(good, "order-7", "order-9", 1), "Idempotency-Key",
			"once-1"); resp.StatusCode != 201 || made["id"] == first["id"] {
			t.Errorf("a day later: %d %v", resp.StatusCode, made)
		}
		for _, bad := range []string{" ", "a b", strings.Repeat("x", 256), "é"} {
			c.requireError(400, "MALFORMED_HEADERS", "POST", path, good, "Idempotency-Key", bad)
		}
	})
}

// keyed lists the routes that require the key.
func keyed() []string {
	one, delivery := "/api/v1/applications/"+uuid.NewString(), "/api/v1/webhooks/deliveries/"+uuid.NewString()
	return []string{"POST /api/v1/applications", "GET /api/v1/applications", "GET " + one,
		"POST " + one + "/embed-token", "GET " + one + "/report", "GET " + one + "/report.pdf",
		"GET " + one + "/files", "GET " + one + "/files/x", "GET " + one + "/events",
		"GET /api/v1/sandbox/events", "GET /api/v1/webhooks", "POST /api/v1/webhooks/enable", "GET /api/v1/webhooks/deliveries",
		"GET " + delivery, "POST " + delivery + "/redeliver"}
}

// delivered creates a delivery that succeeded at the second attempt, and a later one
// whose application was deleted.
func (c *client) delivered() (first, other webhook.Delivery) {
	c.t.Helper()
	var ids []string
	for i := range 2 {
		c.now = noon.Add(-time.Duration(i) * time.Second)
		_, made := c.do("POST", "/api/v1/applications", `{"product":"cashflow","mode":"redirect"}`)
		ids = append(ids, made["id"].(string))
	}
	c.now = noon
	all, _, err := c.Events.List(c.t.Context(), webhook.Filter{Limit: 10}, "")
	if err != nil || len(all) != 2 || all[0].Subject != ids[0] {
		c.t.Fatalf("deliveries %+v, %v", all, err)
	}
	err = c.DB.Tx(c.t.Context(), func(ctx context.Context, tx *store.Tx) error {
		_, err1 := tx.Exec(`UPDATE deliveries SET state = 'delivered', attempts = 2, last_http = 204 WHERE id = $1`, all[0].ID)
		_, err2 := tx.Exec(`INSERT INTO delivery_attempts (delivery_id, attempt, at, http, took_ms, error)
			VALUES ($1, 1, $2, 0, 10000, $3), ($1, 2, $2, 204, 7, '')`,
			all[0].ID, store.Micros(noon), string(webhook.ClassTimeout))
		_, err3 := tx.Exec(`UPDATE deliveries SET state = $2 WHERE id = $1`, all[1].ID, string(webhook.StateGivenUp))
		return errors.Join(err1, err2, err3, c.Applications.Delete(ctx, tx, ids[1]))
	})
	if err != nil {
		c.t.Fatal(err)
	}
	return all[0], all[1]
}
