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

	"vestibule/internal/contract"
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
	case <-time.After(30 * time.Second):
		t.Fatal("no event arrived")
		return ""
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
		api := func(path string) map[string]any {
			t.Helper()
			p := b.do("GET", "/api/v1/applications/"+id+path, "", "", "Authorization", "Bearer "+apiKey)
			var out map[string]any
			if err := json.Unmarshal([]byte(p.body), &out); err != nil || p.status != 200 {
				t.Fatalf("%s: %d, %v", path, p.status, err)
			}
			return out
		}
		if got := api(""); got["decision"] != nil || got["resumable"] != true {
			t.Errorf("before anything was decided: %v", got)
		}
		b.get(a + "/connect")
		r.provider.reasons("R21", "R07")
		externalID, publicToken := r.provider.finish(contract.StatusSuccess)
		if got := r.webhook(externalID, publicToken, contract.StatusSuccess); got != 204 {
			t.Fatalf("webhook: %d", got)
		}
		b.follow(a, "ready")

		declined := url.Values{"seen": {"0"}, "decision": {"declined"}, "reason": {"R07", "R21"}, "text": {"a canary text"}}
		var answers []int
		var mu sync.Mutex
		var wg sync.WaitGroup
		for _, admin := range []*browser{r.signedInAdmin(), other.signedInAdmin(), r.signedInAdmin(), other.signedInAdmin()} {
			wg.Go(func() {
				p := admin.post("/review/applications/"+id+"/decision", declined)
				mu.Lock()
				defer mu.Unlock()
				answers = append(answers, p.status)
			})
		}
		wg.Wait()
		slices.Sort(answers)
		if want := []int{303, 409, 409, 409}; !slices.Equal(answers, want) {
			t.Fatalf("of decisions at once the answers are %v, want %v\n%s", answers, want, r.log)
		}
		first := app.next(t)
		if p := r.signedInAdmin().post("/review/applications/"+id+"/decision",
			url.Values{"seen": {"1"}, "decision": {"moreAsked"}, "text": {"another canary text"}}); p.status != 303 {
			t.Fatalf("asking for more: %d", p.status)
		}
		second := app.next(t) // events of an application arrive in order, so nothing else came before it

		type event struct {
			Type        string
			Sequence    int64
			Application map[string]any
		}
		var one, two event
		for body, into := range map[string]*event{first: &one, second: &two} {
			if err := json.Unmarshal([]byte(body), into); err != nil {
				t.Fatal(err)
			}
		}
		at := func(e event) any { return e.Application["decision"].(map[string]any)["at"] }
		decision := func(kind string, number float64, at any, reasons ...any) map[string]any {
			return map[string]any{"kind": kind, "number": number, "at": at, "answeredAt": nil, "outdated": false,
				"reasons": append([]any{}, reasons...)}
		}
		if d := cmp.Diff(decision("declined", 1, at(one), "R07", "R21"), one.Application["decision"]); d != "" ||
			one.Application["state"] != "ready" || one.Application["resumable"] != false {
			t.Errorf("event of the first: %s (-want +got)\n%s", first, d)
		}
		if d := cmp.Diff(decision("moreAsked", 2, at(two)), two.Application["decision"]); d != "" || two.Sequence <= one.Sequence {
			t.Errorf("event of the second: %s (-want +got)\n%s", second, d)
		}
		if d := cmp.Diff(two.Application["decision"], api("")["decision"]); d != "" {
			t.Errorf("the application shows another decision (-event +application):\n%s", d)
		}
		lines := api("/events")["events"].([]any)
		last := lines[len(lines)-2].(map[string]any)
		if last["kind"] != "declined" || !cmp.Equal(last["reasons"], []any{"R07", "R21"}) ||
			!cmp.Equal(lines[0].(map[string]any)["reasons"], []any{}) {
			t.Errorf("the timeline: %v", lines)
		}

		// Both are in the delivery log and are resent unchanged.
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
		if strings.Contains(first+second+r.log.String()+other.log.String(), "canary") {
			t.Error("a reviewer's text is sent")
		}

	})
}

// until polls done until it is true.
func until(t *testing.T, done func() bool) {
	t.Helper()
	again, end := time.NewTicker(50*time.Millisecond), time.After(30*time.Second)
	defer again.Stop()
	for !done() {
		select {
		case <-again.C:
		case <-end:
			t.Fatal("it never came about")
		}
	}
}
