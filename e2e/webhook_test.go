package e2e

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/playwright-community/playwright-go"

	"vestibule/internal/webhook"
)

// mailbox receives webhooks in place of the portal and keeps them: a test passes them on
// whenever, and as often as, it wants.
type mailbox struct {
	url string

	mu   sync.Mutex
	kept []delivery
}

// delivery is a webhook as the provider sent it.
type delivery struct {
	header http.Header
	body   []byte
	event  webhook.Event
}

func newMailbox(t *testing.T) *mailbox {
	t.Helper()
	m := &mailbox{}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		e, perr := webhook.Parse(body)
		if err != nil || perr != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		m.mu.Lock()
		defer m.mu.Unlock()
		m.kept = append(m.kept, delivery{r.Header.Clone(), body, e})
		w.WriteHeader(http.StatusNoContent)
	}))
	t.Cleanup(srv.Close)
	m.url = srv.URL
	return m
}

// about waits for the webhook that says how the visit of a report ended.
func (m *mailbox) about(t *testing.T, publicToken string) (d delivery) {
	t.Helper()
	until(t, "the provider has sent its webhook", func() bool {
		m.mu.Lock()
		defer m.mu.Unlock()
		for _, k := range m.kept {
			if k.event.PublicToken == publicToken && k.event.Status.Final() {
				d = k
			}
		}
		return d.body != nil
	})
	return d
}

// receive posts a webhook to the portal and returns its answer's status.
func (s *site) receive(t *testing.T, d delivery) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.Portal+"/webhooks/visit", strings.NewReader(string(d.body)))
	must(t, err)
	for name, values := range d.header {
		if name == "Content-Type" || strings.HasPrefix(name, "Webhook-") {
			req.Header[name] = values
		}
	}
	resp, err := http.DefaultClient.Do(req)
	must(t, err)
	io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
	return resp.StatusCode
}

// callback sets where the provider sends the portal's webhooks.
func (s *site) callback(t *testing.T, url string) {
	t.Helper()
	s.control(t, "POST", "/callbacks", map[string]any{"publicId": s.Credentials.PublicID, "url": url})
}

// reportCallback reports a callback of the widget as the page's module does, in v's browser.
func (s *site) reportCallback(t *testing.T, v *visitor, a opened, eventID, kind string) {
	t.Helper()
	resp, err := v.Context.Request().Post(s.statusURL(a)+"/callbacks", playwright.APIRequestContextPostOptions{
		Data: map[string]any{"eventId": eventID, "type": kind, "attempt": 1}})
	must(t, err)
	if resp.Status() != http.StatusNoContent {
		t.Fatalf("the callback is answered %d", resp.Status())
	}
}

// orders are all ways to take some of the given webhooks, in every order.
func orders(all []string) [][]string {
	var out [][]string
	for i, first := range all {
		out = append(out, []string{first})
		rest := append(append([]string{}, all[:i]...), all[i+1:]...)
		for _, more := range orders(rest) {
			out = append(out, append([]string{first}, more...))
		}
	}
	return out
}

// TestWebhooksInEveryOrder delivers callback, return and webhook in every order, each of them
// twice, or not at all, while the provider does not answer polls. Then it polls for
// applications that got none of them. Each application gets its report, and each report
// is fetched once. The orders of two are the beginnings of orders of three, so they are
// left out.
func TestWebhooksInEveryOrder(t *testing.T) {
	t.Parallel()
	s := start(t)
	box := newMailbox(t)
	s.callback(t, box.url)
	s.fault(t, "GET /connect/status", "status:404", -1)
	v := visit(t, noScript)

	var all, unproven []reached
	for _, order := range orders([]string{"callback", "return", "webhook"}) {
		if len(order) == 2 {
			continue
		}
		r := s.reach(t, v, "default", "")
		all = append(all, r)
		proven := false
		for _, webhooks := range order {
			switch webhooks {
			case "callback":
				for _, id := range []string{"one", "one", "two"} {
					s.reportCallback(t, v, r.opened, id, "onSuccess")
				}
			case "return":
				v.open(t, r.back)
				v.open(t, r.back)
				at(t, v, s.statusURL(r.opened))
				proven = true
			case "webhook":
				for range 2 {
					if status := s.receive(t, box.about(t, r.publicToken)); status != http.StatusNoContent {
						t.Fatalf("a genuine webhook is answered %d", status)
					}
				}
				proven = true
			}
		}
		if proven {
			s.await(t, r.ID, "ready")
		} else {
			unproven = append(unproven, r)
		}
	}
	for _, r := range unproven {
		if got := s.stateOf(t, r.ID); got != "returned" {
			t.Errorf("with callbacks alone, which prove nothing, the application is %s", got)
		}
	}
	if n, want := s.fetches(), len(all)-len(unproven); n != want {
		t.Errorf("%d reports were fetched for %d applications with a proof", n, want)
	}

	// These, and one more application without any notification, depend on the polls.
	silent := s.reach(t, v, "default", "")
	all, unproven = append(all, silent), append(unproven, silent)
	s.control(t, "DELETE", "/faults", nil)
	for _, r := range unproven {
		s.await(t, r.ID, "ready")
	}
	for _, r := range all { // late notifications change nothing
		s.receive(t, box.about(t, r.publicToken))
		v.open(t, r.back)
		s.reportCallback(t, v, r.opened, "late", "onExit")
		state(t, v, "ready")
		if kinds := s.events(t, r.ID); count(kinds, "fetched") != 1 || count(kinds, "hookSuccess") > 2 ||
			count(kinds, "webhook") > 1 || count(kinds, "returnSuccess") > 1 {
			t.Errorf("the timeline is %q", kinds)
		}
	}
	if n := s.fetches(); n != len(all) {
		t.Errorf("%d reports were fetched for %d applications", n, len(all))
	}
}

// TestWebhookIsSentUntilItArrives takes the receiver away while the visit ends,
// and has the provider send its webhooks once more, out of order, when all is done.
func TestWebhookIsSentUntilItArrives(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.fault(t, "GET /connect/status", "status:404", -1) // only the webhook reports the status
	away := httptest.NewServer(http.NotFoundHandler())
	away.Close()
	s.callback(t, away.URL)
	v := visit(t)
	a := s.begin(t, "redirect-form")
	v.open(t, a.ConnectURL)
	signIn(t, v.page, "supplier_unresponsive")
	giveUp(t, v.page)
	step(t, v.page, "end")
	until(t, "the webhook has failed", func() bool { return s.logged("msg=webhook", "state=pending") > 0 })

	v.open(t, s.statusURL(a))
	state(t, v, "connecting")
	s.callback(t, s.Portal+"/webhooks/visit")
	state(t, v, "failed") // the page updates without a reload
	got := s.api(t, "GET", "/applications/"+a.ID, nil)
	if got["status"] != "SUPPLIER_UNRESPONSIVE" {
		t.Errorf("the status is %v", got["status"])
	}

	before := s.logged(`route="POST /webhooks/visit"`, "status=204")
	lines := len(s.events(t, a.ID))
	fired := s.control(t, "POST", "/webhooks/fire", map[string]any{"publicToken": got["publicToken"],
		"times": 3, "reorder": true})["deliveries"].(float64)
	until(t, "they have arrived again", func() bool { // a service with faults sends each twice
		return s.logged(`route="POST /webhooks/visit"`, "status=204") >= before+int(fired)
	})
	if now := len(s.events(t, a.ID)); now != lines {
		t.Errorf("the timeline had %d lines and has %d", lines, now)
	}
	state(t, v, "failed")
	if s.fetches() != 0 {
		t.Error("a report was fetched of a visit that has none")
	}
}

// TestForgedWebhooks posts forged webhooks between two genuine ones.
func TestForgedWebhooks(t *testing.T) {
	t.Parallel()
	s := start(t)
	box := newMailbox(t)
	s.callback(t, box.url)
	s.fault(t, "GET /connect/status", "status:404", -1)
	v := visit(t, noScript)
	before := s.reach(t, v, "default", "")
	if status := s.receive(t, box.about(t, before.publicToken)); status != http.StatusNoContent {
		t.Fatalf("a genuine webhook is answered %d", status)
	}
	s.await(t, before.ID, "ready")

	r := s.reach(t, v, "default", "")
	genuine := box.about(t, r.publicToken)
	secret, err := webhook.ParseSecret(s.Credentials.WebhookSecret)
	must(t, err)
	stranger, err := webhook.ParseSecret(webhook.NewSecret())
	must(t, err)
	signed := func(with webhook.Secret, at time.Time, change func(map[string]any)) delivery {
		var members map[string]any
		must(t, json.Unmarshal(genuine.body, &members))
		if change != nil {
			change(members)
		}
		body, err := json.Marshal(members)
		must(t, err)
		d := delivery{header: http.Header{"Content-Type": {"application/json"}}, body: body}
		must(t, webhook.Sign(d.header, []webhook.Secret{with}, "evt_forged", at, body))
		return d
	}
	without := func(name string) delivery {
		h := maps.Clone(genuine.header)
		delete(h, name)
		return delivery{header: h, body: genuine.body}
	}
	now := time.Now()
	for name, d := range map[string]delivery{
		"no signature":      without("Webhook-Signature"),
		"no timestamp":      without("Webhook-Timestamp"),
		"no id":             without("Webhook-Id"),
		"another body":      {genuine.header, []byte(strings.Replace(string(genuine.body), "SUCCESS", "EXPIRED", 1)), genuine.event},
		"another's report":  {genuine.header, []byte(strings.Replace(string(genuine.body), r.publicToken, before.publicToken, 1)), genuine.event},
		"another secret":    signed(stranger, now, nil),
		"an hour old":       signed(secret, now.Add(-time.Hour), nil),
		"an hour ahead":     signed(secret, now.Add(time.Hour), nil),
		"another customer":  signed(secret, now, func(m map[string]any) { m["publicId"] = "another" }),
		"production":        signed(secret, now, func(m map[string]any) { m["environment"] = "production" }),
		"an unknown status": signed(secret, now, func(m map[string]any) { m["status"] = "FINE" }),
		"no event":          {genuine.header, []byte(`{}`), genuine.event},
		"empty":             {genuine.header, nil, genuine.event},
	} {
		if status := s.receive(t, d); status < 400 || status > 499 {
			t.Errorf("%s: %d", name, status)
		}
	}
	v.open(t, s.statusURL(r.opened))
	state(t, v, "connecting")
	if n := s.fetches(); n != 1 {
		t.Errorf("%d reports were fetched for one proof", n)
	}

	if status := s.receive(t, genuine); status != http.StatusNoContent {
		t.Errorf("the genuine webhook is answered %d", status)
	}
	s.await(t, r.ID, "ready")
	_, err = v.Reload()
	must(t, err)
	state(t, v, "ready")
	if n := s.fetches(); n != 2 {
		t.Errorf("%d reports were fetched for two proofs", n)
	}
}
