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

	"vestibule/internal/testutil"
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
	for end := time.After(2 * time.Minute); n > 0; n-- {
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

// last returns the newest request.
func (o *onboarding) last() delivery { return o.got[len(o.got)-1] }

// apiMap reads a JSON object of the portal's API.
func (w *testServer) apiMap(t *testing.T, path string) map[string]any {
	t.Helper()
	var out map[string]any
	testutil.Must(t, json.Unmarshal(good(t, 200, ask(t, "GET", w.Portal+path, "", "Authorization", w.key())).Body, &out))
	return out
}

// deliveries reads the log of deliveries.
func (w *testServer) deliveries(t *testing.T, query string) (all []map[string]any) {
	t.Helper()
	for _, d := range w.apiMap(t, "/api/v1/webhooks/deliveries?"+query)["deliveries"].([]any) {
		all = append(all, d.(map[string]any))
	}
	return all
}

// redeliver requests that a delivery is sent once more.
func (w *testServer) redeliver(t *testing.T, d map[string]any) {
	t.Helper()
	good(t, 202, ask(t, "POST", w.Portal+"/api/v1/webhooks/deliveries/"+d["id"].(string)+"/redeliver", "", "Authorization", w.key()))
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
			testutil.Must(t, err)
			app.set(func() { app.secret, app.answers = secret, []int{204, 500} })
			id, embedToken := w.application(t, "embedded")
			w.complete(t, w.connect(t, id, w.enter(t, id, embedToken)))
			w.state(t, id, "ready")
			app.next(5) // started, connecting, pending, ready, and connecting once more
			var ready delivery
			if !t.Run("each event, and once more what failed", func(t *testing.T) { ready = app.examine(t, w, id) }) {
				return
			}
			t.Run("redelivery on request", func(t *testing.T) {
				w.until(t, func() bool { return len(w.deliveries(t, "state=pending")) == 0 })
				all := w.deliveries(t, "applicationId="+id)
				if len(all) != 4 || all[0]["type"] != "application.ready" || all[0]["httpStatus"] != 204.0 || all[2]["attempts"] != 2.0 {
					t.Errorf("deliveries: %v", all)
				}
				w.redeliver(t, all[0])
				app.next(1)
				if e := app.last(); e.id != ready.id || e.body != ready.body {
					t.Errorf("sent again as %s, which was %s", e.body, ready.body)
				}
			})
			t.Run("410 stops deliveries until the webhook is enabled", func(t *testing.T) {
				app.set(func() { app.answers = []int{http.StatusGone} })
				other, _ := w.application(t, "redirect")
				app.next(1)
				w.until(t, func() bool { return w.apiMap(t, "/api/v1/webhooks")["enabled"] == false })
				w.application(t, "redirect")
				w.until(t, func() bool { return len(w.deliveries(t, "state=disabled")) == 2 })
				good(t, 200, ask(t, "POST", w.Portal+"/api/v1/webhooks/enable", "", "Authorization", w.key()))
				missed := w.deliveries(t, "applicationId="+other)[0]
				w.redeliver(t, missed)
				app.next(1)
				if e := app.last(); e.id != missed["eventId"] || e.Applicant["id"] != other || len(app.got) != 8 {
					t.Errorf("after it was enabled: %d requests, and then %s", len(app.got), e.body)
				}
			})
			w.nothingLeaked(t)
		})
	}
}

// examine checks the events about one application, of which the second had failed, and returns the one that its report is ready.
func (o *onboarding) examine(t *testing.T, w *testServer, id string) (ready delivery) {
	want := []string{"application.started", "application.connecting", "application.pending", "application.ready"}
	var first, again []string
	var last int64
	seen := map[string]string{}
	for _, e := range o.got {
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
		if e.Type == "application.ready" {
			ready = e
		}
		seen[e.id], last, first = e.body, e.Sequence, append(first, e.Type)
	}
	if !slices.Equal(first, want) || !slices.Equal(again, []string{"application.connecting"}) {
		t.Errorf("sent %q and then %q, want %q and then what had failed", first, again, want)
	}
	if shown := w.apiMap(t, "/api/v1/applications/"+id); ready.Applicant["state"] != "ready" ||
		ready.Applicant["outcome"] != "SUCCESS" || ready.Applicant["externalId"] != shown["externalId"] {
		t.Errorf("the event is %s, and the application\n%v", ready.body, shown)
	}
	return ready
}

// until waits until done returns true.
func (w *testServer) until(t *testing.T, done func() bool) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for end := time.After(2 * time.Minute); !done(); {
		select {
		case <-tick.C:
		case <-end:
			t.Fatalf("it does not come about\n%s", w.Log)
		}
	}
}
