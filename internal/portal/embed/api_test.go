package embed

import (
	"context"
	"errors"
	"fmt"
	"io"
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
	"vestibule/internal/store"
	"vestibule/internal/store/storetest"
	"vestibule/internal/svcapi"
	"vestibule/internal/webhook"
)

// List of the double pages by a number.
func (r *room) List(_ context.Context, f Filter) ([]Application, string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked = f
	from := 0
	if f.Cursor != "" {
		if _, err := fmt.Sscanf(f.Cursor, "%d", &from); err != nil {
			return nil, "", ErrCursor
		}
	}
	var all []Application
	for _, a := range r.apps {
		if f.ExternalID == "" || a.ExternalID == f.ExternalID {
			all = append(all, a)
		}
	}
	slices.SortFunc(all, func(a, b Application) int { return strings.Compare(a.ExternalID, b.ExternalID) })
	all = all[min(from, len(all)):]
	if len(all) <= f.Limit {
		return all, "", nil
	}
	return all[:f.Limit], fmt.Sprint(from + f.Limit), nil
}

func (r *room) Files(_ context.Context, id string) ([]svcapi.File, error) {
	if r.away != nil {
		return nil, r.away
	}
	return []svcapi.File{{DocumentType: "PAYSTUB", DocumentID: "d1", SourceID: "s1", SourceUUID: "u", Path: "stubs/may 1.pdf"}}, nil
}

func (r *room) File(_ context.Context, id, path string) (svcapi.Content, error) {
	switch {
	case r.away != nil:
		return svcapi.Content{}, r.away
	case path == "stubs/may 1.pdf":
		return svcapi.Content{Type: "application/pdf", Body: []byte("%PDF-1.7")}, nil
	case path == "old.pdf":
		return svcapi.Content{}, &svcapi.Error{Op: "file", HTTP: 410, Code: contract.CodeGone}
	}
	return svcapi.Content{}, &svcapi.Error{Op: "file", Code: contract.CodeNotFound}
}

// outbox is a double of what sends events: two deliveries, of which the second is
// of an application that was deleted.
type outbox struct {
	url     string
	stopped time.Time
	all     []Delivery
	asked   DeliveryFilter
	refuse  error
}

func (o *outbox) Target(context.Context) (string, time.Time, error) { return o.url, o.stopped, nil }

func (o *outbox) Resume(context.Context) error {
	o.stopped = time.Time{}
	return nil
}

func (o *outbox) Deliveries(_ context.Context, f DeliveryFilter) ([]Delivery, string, error) {
	o.asked = f
	switch f.Cursor {
	case "":
		return o.all[:1], "1.next", nil
	case "1.next":
		return o.all[1:], "", nil
	}
	return nil, "", ErrCursor
}

func (o *outbox) Delivery(_ context.Context, id string) (Delivery, error) {
	for _, d := range o.all {
		if d.ID == id {
			return d, nil
		}
	}
	return Delivery{}, store.ErrNotFound
}

func (o *outbox) Redeliver(_ context.Context, id string, resends int64) (string, error) {
	if o.refuse != nil {
		return "", o.refuse
	}
	d, err := o.Delivery(context.Background(), id)
	if err != nil || resends != d.Resends {
		return "", errors.Join(err, ErrOnItsWay)
	}
	d.ID, d.State, d.Tries, d.HTTP = uuid.NewString(), webhook.StatePending, 0, 0
	o.all = append(o.all, d)
	return d.ID, nil
}

func TestApplicationsAreListed(t *testing.T) {
	c := serve(t, storetest.SQLite(t, store.Portal))
	for i := range 5 {
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
	c.do("GET", "/api/v1/applications?state=ready&product=income&externalId=order-3&createdFrom=2026-01-02T03:04:05Z&createdTo=2026-02-02T03:04:05.678%2B02:00", "")
	want := Filter{State: "ready", Product: contract.Income, ExternalID: "order-3", From: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		To: time.Date(2026, 2, 2, 1, 4, 5, 678e6, time.UTC), Limit: defaultPage}
	got := c.room.asked
	if !got.From.Equal(want.From) || !got.To.Equal(want.To) {
		t.Errorf("from %s to %s, want %s to %s", got.From, got.To, want.From, want.To)
	}
	if got.From, got.To = want.From, want.To; got != want {
		t.Errorf("asked for %+v, want %+v", got, want)
	}
	for _, bad := range []string{"state=done", "state=", "product=mortgage", "externalId=" + strings.Repeat("x", 65), "externalId=%00", "externalId=%ff", "createdFrom=yesterday",
		"createdTo=2026-13-01T00:00:00Z", "cursor=x", "limit=0", "limit=101", "limit=x", "limit=1&limit=2", "states=ready", "%zz"} {
		if resp, e := c.do("GET", "/api/v1/applications?"+bad, ""); resp.StatusCode != 400 || e["error"] != "INVALID_PARAMETERS" || e["details"] == nil {
			t.Errorf("?%s = %d %v", bad, resp.StatusCode, e)
		}
	}
}

func TestFilesOfAReport(t *testing.T) {
	c := serve(t, storetest.SQLite(t, store.Portal))
	_, made := c.do("POST", "/api/v1/applications", good)
	at := "/api/v1/applications/" + made["id"].(string) + "/files"
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
	refused := func(path string, status int, code string) {
		t.Helper()
		if resp, e := c.do("GET", path, ""); resp.StatusCode != status || e["error"] != code {
			t.Errorf("%s = %d %v, want %d %s", path, resp.StatusCode, e, status, code)
		}
	}
	refused(at+"/old.pdf", 410, "GONE")
	for _, path := range []string{"/none.pdf", "/..%2f..%2fetc", "/%ff", "/%00", "/" + strings.Repeat("x", 600)} {
		refused(at+path, 404, "NOT_FOUND")
	}
	nobody := "/api/v1/applications/" + uuid.NewString() + "/files"
	refused(nobody, 404, "NOT_FOUND")
	refused(nobody+"/x", 404, "NOT_FOUND")
	c.room.away = store.ErrNotFound
	refused(at, 404, "REPORT_NOT_READY")
	refused(at+"/x", 404, "REPORT_NOT_READY")
	c.room.away = &svcapi.Error{Op: "files", Code: contract.CodeUpstream, RetryAfter: 7 * time.Second}
	refused(at, 502, "PROVIDER_UNAVAILABLE")
	if resp, _ := c.do("GET", at+"/x", ""); resp.StatusCode != 502 || resp.Header.Get("Retry-After") != "7" {
		t.Errorf("away: %d %v", resp.StatusCode, resp.Header)
	}
}

func TestDeliveriesOfEvents(t *testing.T) {
	c := serve(t, storetest.SQLite(t, store.Portal))
	first := c.outbox.all[0]
	at := "/api/v1/webhooks/deliveries"

	resp, page := c.do("GET", at+"?state=given_up&applicationId="+strings.ToUpper(first.ApplicationID)+"&limit=1", "")
	if list, _ := page["deliveries"].([]any); resp.StatusCode != 200 || len(list) != 1 || page["next"] != "1.next" ||
		c.outbox.asked != (DeliveryFilter{State: webhook.StateGivenUp, ApplicationID: first.ApplicationID, Limit: 1}) {
		t.Errorf("deliveries = %d %v for %+v", resp.StatusCode, page, c.outbox.asked)
	}
	if _, page := c.do("GET", at+"?cursor=1.next", ""); page["next"] != nil || page["deliveries"].([]any)[0].(map[string]any)["state"] != "given_up" {
		t.Errorf("the rest = %v", page)
	}
	for _, bad := range []string{"state=given+up", "state=sent", "applicationId=x", "cursor=x", "limit=0", "page=2"} {
		if resp, e := c.do("GET", at+"?"+bad, ""); resp.StatusCode != 400 || e["error"] != "INVALID_PARAMETERS" {
			t.Errorf("?%s = %d %v", bad, resp.StatusCode, e)
		}
	}

	resp, d := c.do("GET", at+"/"+first.ID, "")
	tries, _ := d["tries"].([]any)
	if resp.StatusCode != 200 || len(tries) != 2 || tries[0].(map[string]any)["problem"] != "TIMEOUT" || tries[1].(map[string]any)["httpStatus"] != 204.0 ||
		d["event"].(map[string]any)["eventId"] != first.EventID {
		t.Errorf("delivery = %d %v", resp.StatusCode, d)
	}
	if _, d := c.do("GET", at+"/"+c.outbox.all[1].ID, ""); d["event"] != nil || d["tries"] == nil {
		t.Errorf("of a deleted application: %v", d)
	}
	resp, again := c.do("POST", at+"/"+first.ID+"/redeliver", "")
	if resp.StatusCode != 202 || again["eventId"] != first.EventID || again["state"] != "pending" || again["httpStatus"] != nil || resp.Header.Get("Location") != at+"/"+again["id"].(string) {
		t.Errorf("sent again: %d %v", resp.StatusCode, again)
	}
	for _, why := range []error{ErrOnItsWay, ErrStopped} {
		c.outbox.refuse = why
		if resp, e := c.do("POST", at+"/"+first.ID+"/redeliver", ""); resp.StatusCode != 409 || e["error"] != "INVALID_STATE" {
			t.Errorf("%v: %d %v", why, resp.StatusCode, e)
		}
	}
	for _, id := range []string{uuid.NewString(), "x"} {
		for _, target := range []string{"GET " + at + "/" + id, "POST " + at + "/" + id + "/redeliver"} {
			method, path, _ := strings.Cut(target, " ")
			if resp, e := c.do(method, path, ""); resp.StatusCode != 404 || e["error"] != "NOT_FOUND" {
				t.Errorf("%s = %d %v", target, resp.StatusCode, e)
			}
		}
	}
}

func TestWhereEventsGo(t *testing.T) {
	c := serve(t, storetest.SQLite(t, store.Portal))
	if _, to := c.do("GET", "/api/v1/webhooks", ""); to["url"] != c.outbox.url || to["enabled"] != true || to["stoppedAt"] != nil {
		t.Errorf("target = %v", to)
	}
	c.outbox.stopped = noon
	if _, to := c.do("GET", "/api/v1/webhooks", ""); to["enabled"] != false || to["stoppedAt"] != "2026-03-14T12:00:00.000Z" {
		t.Errorf("after 410: %v", to)
	}
	for range 2 {
		if resp, to := c.do("POST", "/api/v1/webhooks/enable", ""); resp.StatusCode != 200 || to["enabled"] != true || to["stoppedAt"] != nil {
			t.Errorf("enabled: %d %v", resp.StatusCode, to)
		}
	}
	c.outbox.url = ""
	if _, to := c.do("GET", "/api/v1/webhooks", ""); to["url"] != nil || to["enabled"] != false {
		t.Errorf("without an address: %v", to)
	}
	if resp, e := c.do("POST", "/api/v1/webhooks/enable", ""); resp.StatusCode != 409 || e["error"] != "INVALID_STATE" {
		t.Errorf("nothing enabled: %d %v", resp.StatusCode, e)
	}
}

func TestOneIdempotencyKeyMakesOneApplication(t *testing.T) {
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
		if len(answers) != 1 || replayed != n-1 || len(c.room.made) != 1 {
			t.Errorf("%d at once were answered in %d ways, %d of them again, and made %d applications", n, len(answers), replayed, len(c.room.made))
		}
		_, first := c.do("POST", path, good, "Idempotency-Key", "once-1")
		var kept []byte
		if err := db.SQL.QueryRow(`SELECT answer FROM api_requests`).Scan(&kept); err != nil || strings.Contains(string(kept), first["embedToken"].(string)) {
			t.Errorf("the answer is kept as %q, %v", kept, err)
		}

		other := strings.Replace(good, "order-7", "order-8", 1)
		if resp, e := c.do("POST", path, other, "Idempotency-Key", "once-1"); resp.StatusCode != 409 || e["error"] != "INVALID_STATE" {
			t.Errorf("with another body: %d %v", resp.StatusCode, e)
		}
		if resp, e := c.do("POST", path, good, "Idempotency-Key", "once-2"); resp.StatusCode != 400 || e["error"] != "DUPLICATE_EXTERNAL_ID" {
			t.Errorf("the same externalId under another key: %d %v", resp.StatusCode, e)
		}
		if resp, made := c.do("POST", path, other, "Idempotency-Key", "once-2"); resp.StatusCode != 201 || resp.Header.Get("Idempotent-Replayed") != "" {
			t.Errorf("after a refusal, which uses no key: %d %v", resp.StatusCode, made)
		}
		c.Key = "another key of the API, for tests too"
		if resp, made := c.do("POST", path, `{"product":"cashflow","mode":"redirect"}`, "Idempotency-Key", "once-1", "Authorization", "Bearer "+c.Key); resp.StatusCode != 201 || made["id"] == first["id"] {
			t.Errorf("under another API key: %d %v", resp.StatusCode, made)
		}
		c.Key = key

		if _, err := db.SQL.Exec(`UPDATE api_requests SET answer = NULL`); err != nil {
			t.Fatal(err)
		}
		if _, made := c.do("POST", path, good, "Idempotency-Key", "once-1"); made["id"] != first["id"] || made["embedToken"] == first["embedToken"] {
			t.Errorf("of the version before: %v", made)
		}
		c.now = noon.Add(keptFor + time.Minute)
		if resp, made := c.do("POST", path, strings.Replace(good, "order-7", "order-9", 1), "Idempotency-Key", "once-1"); resp.StatusCode != 201 || made["id"] == first["id"] {
			t.Errorf("a day later: %d %v", resp.StatusCode, made)
		}
		for _, bad := range []string{" ", "a b", strings.Repeat("x", 256), "é"} {
			if resp, e := c.do("POST", path, good, "Idempotency-Key", bad); resp.StatusCode != 400 || e["error"] != "MALFORMED_HEADERS" {
				t.Errorf("Idempotency-Key %q = %d %v", bad, resp.StatusCode, e)
			}
		}
	})
}

// keyed are the addresses that the key opens.
func keyed() []string {
	one, delivery := "/api/v1/applications/"+uuid.NewString(), "/api/v1/webhooks/deliveries/"+uuid.NewString()
	return []string{"POST /api/v1/applications", "GET /api/v1/applications", "GET " + one, "POST " + one + "/embed-token", "GET " + one + "/report",
		"GET " + one + "/files", "GET " + one + "/files/x", "GET " + one + "/events",
		"GET /api/v1/webhooks", "POST /api/v1/webhooks/enable", "GET /api/v1/webhooks/deliveries", "GET " + delivery, "POST " + delivery + "/redeliver"}
}

func newOutbox() *outbox {
	return &outbox{url: "https://app.example.com/hooks", all: []Delivery{
		{ID: uuid.NewString(), EventID: "evt_1", ApplicationID: uuid.NewString(), Type: "application.ready", Sequence: 7, Happened: noon,
			State: webhook.StateDelivered, Tries: 2, HTTP: http.StatusNoContent, Created: noon, Updated: noon,
			Attempts: []DeliveryAttempt{{At: noon, Took: 10 * time.Second, Error: webhook.ClassTimeout}, {At: noon, HTTP: 204, Took: 7 * time.Millisecond}},
			Body:     []byte(`{"eventId":"evt_1","type":"application.ready","createdAt":"2026-03-14T12:00:00.000Z","environment":"sandbox","sequence":7,"application":{"id":"2f5c7a52-8f0b-4d53-9a5e-0d2f6f3c9b11","externalId":"order-7","userArgs":null,"product":"cashflow","state":"ready","outcome":"SUCCESS","status":"SUCCESS","substatus":null,"error":null,"resumable":false,"decision":null}}`)},
		{ID: uuid.NewString(), EventID: "evt_2", ApplicationID: uuid.NewString(), Type: "application.expired", Sequence: 3, Happened: noon,
			State: webhook.StateGivenUp, Created: noon, Updated: noon},
	}}
}
