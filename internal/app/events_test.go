package app_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"vestibule/internal/testutil/storetest"
	"vestibule/internal/webhook"
)

// onboarding is an onboarding app that receives events.
type onboarding struct {
	*httptest.Server
	t *testing.T

	mu      sync.Mutex
	secret  webhook.Secret
	answers []int // of the next requests; 204 after these
	got     []delivery
	arrived chan struct{} // a value for each request
}

// delivery is one request to the onboarding app.
type delivery struct {
	id, body  string
	answered  int
	EventID   string
	Type      string
	Sequence  int64
	Applicant map[string]any `json:"application"`
}

func newOnboarding(t *testing.T) *onboarding {
	o := &onboarding{t: t, arrived: make(chan struct{}, 1000)}
	o.Server = httptest.NewServer(o)
	t.Cleanup(o.Close)
	return o
}

func (o *onboarding) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	o.mu.Lock()
	defer o.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		o.t.Error(err)
	}
	receiver := &webhook.Receiver{Secrets: []webhook.Secret{o.secret}}
	e := delivery{body: string(body), answered: http.StatusNoContent}
	if e.id, err = receiver.Verify(r.Header, body); err != nil {
		o.t.Errorf("an event that cannot be verified: %v\n%s", err, body)
	}
	if err := json.Unmarshal(body, &e); err != nil || e.EventID != e.id || e.id == "" {
		o.t.Errorf("event %q says %v:\n%s", e.id, err, body)
	}
	if len(o.answers) > 0 {
		e.answered, o.answers = o.answers[0], o.answers[1:]
	}
	o.got = append(o.got, e)
	w.WriteHeader(e.answered)
	o.arrived <- struct{}{}
}

// next waits for n more requests.
func (o *onboarding) next(n int) {
	o.t.Helper()
	for end := time.After(30 * time.Second); n > 0; n-- {
		select {
		case <-o.arrived:
		case <-end:
			o.mu.Lock()
			defer o.mu.Unlock()
			o.t.Fatalf("%d requests more are waited for; there were %+v", n, o.got)
		}
	}
}

func (o *onboarding) set(f func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	f()
}

// TestOnboardingAppReceivesEvents uses a receiver that verifies signatures, fails once,
// answers 410, and requests redeliveries.
func TestOnboardingAppReceivesEvents(t *testing.T) {
	t.Parallel()
	for engine, url := range map[string]func(testing.TB) string{"sqlite": func(testing.TB) string { return "" }, "postgres": storetest.URL} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			app := newOnboarding(t)
			w := startServer(t, url(t), "--events-url="+app.URL+"/webhooks")
			secret, err := webhook.ParseSecret(w.Credentials.EventsSecret)
			if err != nil {
				t.Fatal(err)
			}
			app.set(func() { app.secret, app.answers = secret, []int{204, 500} })
			get := func(path string) map[string]any {
				var out map[string]any
				if err := json.Unmarshal(good(t, 200, ask(t, "GET", w.Portal+path, "", "Authorization", w.key())).Body, &out); err != nil {
					t.Fatal(err)
				}
				return out
			}

			id, embedToken := w.application(t, "embedded")
			visitor := w.enter(t, id, embedToken)
			w.complete(t, w.connect(t, id, visitor))
			w.state(t, id, "ready")
			app.next(5) // started, connecting, pending, ready, and connecting once more
			want := []string{"application.started", "application.connecting", "application.pending", "application.ready"}
			var first, again []string
			var last int64
			seen := map[string]string{}
			for _, e := range app.got {
				if body, twice := seen[e.id]; twice {
					again = append(again, e.Type)
					if body != e.body {
						t.Errorf("sent again with another body:\n%s\n%s", body, e.body)
					}
					continue
				}
				if e.Sequence <= last || e.Applicant["id"] != id {
					t.Errorf("%s of %v has sequence %d after %d", e.Type, e.Applicant["id"], e.Sequence, last)
				}
				seen[e.id], last, first = e.body, e.Sequence, append(first, e.Type)
			}
			if !slices.Equal(first, want) || !slices.Equal(again, []string{"application.connecting"}) {
				t.Errorf("sent %q and then %q, want %q and then what had failed", first, again, want)
			}
			ready := app.got[slices.IndexFunc(app.got, func(e delivery) bool { return e.Type == "application.ready" })]
			if shown := get("/api/v1/applications/" + id); ready.Applicant["state"] != "ready" ||
				ready.Applicant["outcome"] != "SUCCESS" || ready.Applicant["externalId"] != shown["externalId"] {
				t.Errorf("the event is %s, and the application\n%v", ready.body, shown)
			}

			// The delivery log lists all deliveries, and redelivers on request.
			w.until(t, func() bool { return len(get("/api/v1/webhooks/deliveries?state=pending")["deliveries"].([]any)) == 0 })
			page := get("/api/v1/webhooks/deliveries?applicationId=" + id)["deliveries"].([]any)
			newest := page[0].(map[string]any)
			if len(page) != 4 || newest["type"] != "application.ready" || newest["httpStatus"] != 204.0 ||
				page[2].(map[string]any)["attempts"] != 2.0 {
				t.Errorf("deliveries: %v", page)
			}
			at := w.Portal + "/api/v1/webhooks/deliveries/" + newest["id"].(string) + "/redeliver"
			good(t, 202, ask(t, "POST", at, "", "Authorization", w.key()))
			app.next(1)
			if e := app.got[len(app.got)-1]; e.id != ready.id || e.body != ready.body {
				t.Errorf("sent again as %s, which was %s", e.body, ready.body)
			}

			// 410 stops all deliveries until the webhook is enabled.
			app.set(func() { app.answers = []int{http.StatusGone} })
			other, _ := w.application(t, "redirect")
			app.next(1)
			w.until(t, func() bool { return get("/api/v1/webhooks")["enabled"] == false })
			w.application(t, "redirect")
			w.until(t, func() bool { return len(get("/api/v1/webhooks/deliveries?state=disabled")["deliveries"].([]any)) == 2 })
			good(t, 200, ask(t, "POST", w.Portal+"/api/v1/webhooks/enable", "", "Authorization", w.key()))
			missed := get("/api/v1/webhooks/deliveries?applicationId=" + other)["deliveries"].([]any)[0].(map[string]any)
			good(t, 202, ask(t, "POST", w.Portal+"/api/v1/webhooks/deliveries/"+missed["id"].(string)+"/redeliver", "", "Authorization", w.key()))
			app.next(1)
			if e := app.got[len(app.got)-1]; e.id != missed["eventId"] || e.Applicant["id"] != other || len(app.got) != 8 {
				t.Errorf("after it was enabled: %d requests, and then %s", len(app.got), e.body)
			}
			w.nothingLeaked(t)
		})
	}
}

// until waits until done returns true.
func (w *testServer) until(t *testing.T, done func() bool) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for end := time.After(30 * time.Second); !done(); {
		select {
		case <-tick.C:
		case <-end:
			t.Fatalf("it does not come about\n%s", w.Log)
		}
	}
}
