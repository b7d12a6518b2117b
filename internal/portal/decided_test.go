package portal_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vestibule/internal/portal"
	"vestibule/internal/store"
	"vestibule/internal/testutil/storetest"
	"vestibule/internal/webhook"
)

// eventReceiver is an onboarding app that passes on the events of one type.
type eventReceiver struct {
	*httptest.Server
	secret string
	bodies chan string
}

func newEventReceiver(t *testing.T, kind string) *eventReceiver {
	h := &eventReceiver{secret: webhook.NewSecret(), bodies: make(chan string, 100)}
	secret, err := webhook.ParseSecret(h.secret)
	if err != nil {
		t.Fatal(err)
	}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if _, err := (&webhook.Receiver{Secrets: []webhook.Secret{secret}}).Verify(r.Header, body); err != nil {
			t.Errorf("an event that cannot be verified: %v", err)
		}
		if strings.Contains(string(body), `"type":"`+kind+`"`) {
			h.bodies <- string(body)
		}
		w.WriteHeader(http.StatusNoContent)
	}))
	t.Cleanup(h.Close)
	return h
}

func (h *eventReceiver) next(t *testing.T) string {
	t.Helper()
	select {
	case body := <-h.bodies:
		return body
	case <-time.After(2 * time.Minute):
		t.Fatal("no event arrived")
		return ""
	}
}

// decidedEvent is an event about a decision.
type decidedEvent struct {
	raw         string
	Sequence    int64
	Application map[string]any
}

func (h *eventReceiver) nextDecision(t *testing.T) (e decidedEvent) {
	t.Helper()
	e.raw = h.next(t)
	if err := json.Unmarshal([]byte(e.raw), &e); err != nil {
		t.Fatal(err)
	}
	return e
}

// require checks the decision that an event tells.
func (e decidedEvent) require(t *testing.T, kind string, number float64, reasons ...any) {
	t.Helper()
	at := e.Application["decision"].(map[string]any)["at"]
	want := map[string]any{"kind": kind, "number": number, "at": at, "answeredAt": nil, "outdated": false,
		"reasons": append([]any{}, reasons...)}
	if d := cmp.Diff(want, e.Application["decision"]); d != "" {
		t.Errorf("event %s (-want +got)\n%s", e.raw, d)
	}
}

// TestOnboardingAppReceivesDecisions checks that the onboarding app gets each decision of
// a reviewer once, even if it is made on two replicas at once, with codes and without
// text.
func TestOnboardingAppReceivesDecisions(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		app := newEventReceiver(t, "application.decided")
		events := func(c *portal.Config) {
			c.Events.URL, c.Events.Secrets, c.Events.OnLoopback = app.URL, []string{app.secret}, true
		}
		r, other := newTestServer(t, db, events), newTestServer(t, db, events)
		b := r.browser()
		a := b.apply()
		id := strings.TrimPrefix(a, "/applications/")
		if got := b.api(id); got["decision"] != nil || got["resumable"] != true {
			t.Errorf("before anything was decided: %v", got)
		}
		b.get(a + "/connect")
		r.provider.reasons("R21", "R07")
		r.ready(b, a)
		var first, second decidedEvent
		t.Run("decisions at once", func(t *testing.T) {
			declined := url.Values{"seen": {"0"}, "decision": {"declined"}, "reason": {"R07", "R21"}, "text": {"a canary text"}}
			answers := make([]int, 4)
			var wg sync.WaitGroup
			for i, admin := range []*browser{r.signedInAdmin(), other.signedInAdmin(), r.signedInAdmin(), other.signedInAdmin()} {
				wg.Go(func() { answers[i] = admin.post("/review/applications/"+id+"/decision", declined).status })
			}
			wg.Wait()
			slices.Sort(answers)
			if want := []int{303, 409, 409, 409}; !slices.Equal(answers, want) {
				t.Fatalf("the answers are %v, want %v\n%s", answers, want, r.log)
			}
			first = app.nextDecision(t)
			first.require(t, "declined", 1, "R07", "R21")
			if first.Application["state"] != "ready" || first.Application["resumable"] != false {
				t.Errorf("event %s", first.raw)
			}
		})
		t.Run("a second decision", func(t *testing.T) {
			r.signedInAdmin().post("/review/applications/"+id+"/decision",
				url.Values{"seen": {"1"}, "decision": {"moreAsked"}, "text": {"another canary text"}}).require(t, "asking for more", 303)
			second = app.nextDecision(t) // events of an application arrive in order, so nothing else came before it
			second.require(t, "moreAsked", 2)
			if second.Sequence <= first.Sequence {
				t.Errorf("event %s", second.raw)
			}
		})
		t.Run("the application", func(t *testing.T) {
			if d := cmp.Diff(second.Application["decision"], b.api(id)["decision"]); d != "" {
				t.Errorf("the application shows another decision (-event +application):\n%s", d)
			}
			lines := b.api(id + "/events")["events"].([]any)
			last := lines[len(lines)-2].(map[string]any)
			if last["kind"] != "declined" || !cmp.Equal(last["reasons"], []any{"R07", "R21"}) ||
				!cmp.Equal(lines[0].(map[string]any)["reasons"], []any{}) {
				t.Errorf("the timeline: %v", lines)
			}
		})
		t.Run("deliveries", func(t *testing.T) { r.redeliver(t, app, id, first.raw) })
		if strings.Contains(first.raw+second.raw+r.log.String()+other.log.String(), "canary") {
			t.Error("a reviewer's text is sent")
		}
	})
}

// redeliver checks that two decisions of an application are in the delivery log, and that the first is
// sent again unchanged.
func (r *testServer) redeliver(t *testing.T, app *eventReceiver, id, first string) {
	b := r.browser()
	p := b.do("GET", "/api/v1/webhooks/deliveries?applicationId="+id, "", "", "Authorization", "Bearer "+apiKey)
	var log struct{ Deliveries []struct{ ID, Type string } }
	if err := json.Unmarshal([]byte(p.body), &log); err != nil {
		t.Fatal(err)
	}
	log.Deliveries = slices.DeleteFunc(log.Deliveries, func(d struct{ ID, Type string }) bool { return d.Type != "application.decided" })
	if len(log.Deliveries) != 2 {
		t.Fatalf("the log of deliveries:\n%s", p.body)
	}
	until(t, func() bool {
		return b.do("POST", "/api/v1/webhooks/deliveries/"+log.Deliveries[1].ID+"/redeliver",
			"", "", "Authorization", "Bearer "+apiKey).status == 202
	})
	if again := app.next(t); again != first {
		t.Errorf("sent again as %s, which was %s", again, first)
	}
}

// until polls done until it is true.
func until(t *testing.T, done func() bool) {
	t.Helper()
	again, end := time.NewTicker(50*time.Millisecond), time.After(2*time.Minute)
	defer again.Stop()
	for !done() {
		select {
		case <-again.C:
		case <-end:
			t.Fatal("it never came about")
		}
	}
}
