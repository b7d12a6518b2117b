package app_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"vestibule/internal/journey"
	"vestibule/internal/store"
	"vestibule/internal/webhook"
)

// mailbox receives webhooks in place of the portal. A test passes them on when, and as often
// as, it wants.
type mailbox struct {
	mu   sync.Mutex
	kept map[string]kept // by publicToken
}

type kept struct {
	header []string
	body   string
}

func (m *mailbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	event, perr := webhook.Parse(body)
	if err != nil || perr != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	if event.Status.Final() {
		k := kept{[]string{"Content-Type", asJSON}, string(body)}
		for name := range r.Header {
			if strings.HasPrefix(name, "Webhook-") {
				k.header = append(k.header, name, r.Header.Get(name))
			}
		}
		m.mu.Lock()
		m.kept[event.PublicToken] = k
		m.mu.Unlock()
	}
	w.WriteHeader(http.StatusNoContent)
}

// about returns the webhook that says how a visit ended.
func (m *mailbox) about(publicToken string) (kept, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	k, ok := m.kept[publicToken]
	return k, ok
}

// orders returns all ways to choose some of the notices, in every order.
func orders(all []string) [][]string {
	out := [][]string{{}}
	for i, first := range all {
		for _, more := range orders(slices.Delete(slices.Clone(all), i, i+1)) {
			out = append(out, append([]string{first}, more...))
		}
	}
	return out
}

// TestNoticesInEveryOrder sends callback, return and webhook in every order, each of them
// twice, or not at all, while the provider does not answer polls. Then it polls for the
// applications without a proof. Each application gets its report, and each report is
// fetched once. The orders of two are the beginnings of orders of three, so they are left out.
func TestNoticesInEveryOrder(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	box := &mailbox{kept: map[string]kept{}}
	receiver := httptest.NewServer(box)
	t.Cleanup(receiver.Close)
	eachEngine(t, func(t *testing.T, w *testServer) {
		good(t, 200, ask(t, "POST", w.Control+"/callbacks", fmt.Sprintf(`{"publicId":%q,"url":%q}`, w.Credentials.PublicID, receiver.URL),
			"Content-Type", asJSON))
		good(t, 201, ask(t, "POST", w.Control+"/faults", `{"match":"GET /connect/status","action":"status:404","times":-1}`,
			"Content-Type", asJSON))
		callback := func(f *finished, eventID, kind string) {
			t.Helper()
			good(t, 204, ask(t, "POST", w.Portal+"/applications/"+f.id+"/callbacks",
				fmt.Sprintf(`{"eventId":%q,"type":%q,"attempt":1}`, eventID, kind), "Cookie", f.cookie, "Content-Type", asJSON))
		}
		deliver := func(f *finished) {
			t.Helper()
			w.until(t, func() bool { _, ok := box.about(f.publicToken); return ok })
			k, _ := box.about(f.publicToken)
			good(t, 204, ask(t, "POST", w.Portal+"/webhooks/visit", k.body, k.header...))
		}
		lines := func(f *finished, kind journey.Kind) int {
			return w.count(t, store.Portal, `SELECT COUNT(*) FROM application_timeline WHERE application_id = $1 AND kind = $2`, f.id, string(kind))
		}

		var all, unproven []*finished
		for _, order := range orders([]string{"callback", "return", "webhook"}) {
			if len(order) == 2 {
				continue
			}
			f := w.finish(t)
			all = append(all, f)
			for _, notice := range order {
				switch notice {
				case "callback":
					for _, eventID := range []string{"one", "one", "two"} {
						callback(f, eventID, "onSuccess")
					}
				case "return":
					w.land(t, f)
					w.land(t, f)
				case "webhook":
					deliver(f)
					deliver(f)
				}
			}
			if slices.Contains(order, "return") || slices.Contains(order, "webhook") {
				w.fetchedOnce(t, f.id)
			} else {
				unproven = append(unproven, f)
			}
		}
		for _, f := range unproven {
			if n := lines(f, journey.Fetched); n != 0 {
				t.Error("a report was fetched without a proof")
			}
		}

		good(t, 204, ask(t, "DELETE", w.Control+"/faults", ""))
		for _, f := range unproven {
			w.fetchedOnce(t, f.id) // by polls
		}
		for _, f := range all { // late notices change nothing
			deliver(f)
			w.land(t, f)
			callback(f, "late", "onExit")
			w.fetchedOnce(t, f.id)
			for kind, most := range map[journey.Kind]int{journey.CallbackSuccess: 2, journey.Webhook: 1, journey.ReturnSuccess: 1} {
				if n := lines(f, kind); n > most {
					t.Errorf("the timeline has %d lines of %s, want %d at most", n, kind, most)
				}
			}
		}
		w.nothingLeaked(t)
	})
}
