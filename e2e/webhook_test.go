package e2e

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"vestibule/internal/testutil/tools"
)

// callback sets where the provider sends the portal's webhooks.
func (s *site) callback(t *testing.T, url string) {
	t.Helper()
	s.control(t, "POST", "/callbacks", map[string]any{"publicId": s.Credentials.PublicID, "url": url})
}

// TestWebhookIsSentUntilItArrives takes the receiver away while the visit ends,
// and has the provider send its webhooks once more, out of order, when all is done.
func TestWebhookIsSentUntilItArrives(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := alone(t)
	s.fault(t, "GET /connect/status", "status:404", -1) // only the webhook reports the status
	away := httptest.NewServer(http.NotFoundHandler())
	away.Close()
	s.callback(t, away.URL)
	v := visit(t)
	a := s.begin(t, "redirect-form")
	v.follow(t, a.ConnectURL)
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
