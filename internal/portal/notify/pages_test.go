package notify

import (
	"context"
	"database/sql"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/store"
	"vestibule/internal/store/storetest"
	"vestibule/internal/webhook"
	"vestibule/templates/ui"
)

// TestThePagesOfEvents walks them as somebody who decides, and as an auditor.
func TestThePagesOfEvents(t *testing.T) {
	r := newRoom(t, storetest.SQLite(t, store.Portal))
	var did []string
	by := Member{Email: "r@example.com", Decides: true, Page: ui.Page{Lang: contract.English},
		Did: func(_ context.Context, tx *sql.Tx, action, application, object string) error {
			did = append(did, action+" "+application+" "+object)
			return nil
		}}
	pages := &Pages{Service: r.Service, Adapt: func(h httpx.HandlerFunc) http.Handler { return httpx.API(slog.New(slog.DiscardHandler), h) },
		Guard: func(changes bool, next func(http.ResponseWriter, *http.Request, Member) error) httpx.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) error {
				if changes && !by.Decides {
					return httpx.Fail(contract.CodeForbidden, nil)
				}
				return next(w, r, by)
			}
		}}
	mux := http.NewServeMux()
	pages.Routes(mux)
	do := func(method, path, form string) (status int, to, body string) {
		t.Helper()
		req := httptest.NewRequest(method, path, strings.NewReader(form))
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, req)
		raw, _ := io.ReadAll(w.Body)
		return w.Code, w.Header().Get("Location"), string(raw)
	}
	has := func(path string, words ...string) string {
		t.Helper()
		status, _, body := do("GET", path, "")
		for _, w := range words {
			if not := strings.TrimPrefix(w, "!"); status != 200 || strings.Contains(body, not) == (w != not) {
				t.Errorf("GET %s = %d, %q\n%s", path, status, w, body)
			}
		}
		return body
	}

	app := r.application()
	if status, _, body := do("GET", "/review/events", ""); status != 200 || !strings.Contains(body, "Nothing was sent") || !strings.Contains(body, "https://app.example.com<") {
		t.Errorf("of nothing: %d\n%s", status, body) // and the path of the address is not shown
	}
	first, second := r.happen(app, "started", 1), r.happen(app, "connecting", 2)
	one := "/review/events/" + first
	has(one, "On its way", "None was made yet", "!Send it again", "&#34;sequence&#34;: 1")
	r.answers = []webhook.Result{{Err: io.ErrUnexpectedEOF}, {HTTP: 200, Outcome: webhook.Delivered}, {HTTP: 410, Outcome: webhook.Disabled}}
	r.work(first)
	r.work(first)
	r.work(second)
	has("/review/events", "application.started", one, "Not sent", "410", "Send events again")
	has("/review/events?state=disabled", "!"+one, second)
	has("/review/events?state=given_up", "Nothing was sent")
	has("/review/events?application="+app, "Events of one application", first)
	has("/review/events?application="+uuid.NewString(), "Nothing was sent")
	has(one, "the connection broke", "Send it again")

	if _, to, _ := do("POST", one+"/redeliver", "resends=0"); to != one+"?done=stopped" {
		t.Errorf("sent again while it is stopped, leads to %s", to)
	}
	has(one+"?done=stopped", "events go nowhere")
	if _, to, _ := do("POST", "/review/events/enable", ""); to != "/review/events?done=on" {
		t.Errorf("turned on, leads to %s", to)
	}
	has("/review/events?done=on", "Events are sent again", "!Send events again")
	_, made, _ := do("POST", one+"/redeliver", "resends=0")
	if !strings.HasSuffix(made, "?done=sent") || strings.HasPrefix(made, one) {
		t.Errorf("sent again, leads to %s", made)
	}
	has(made, "is being sent again", "1×")
	if _, to, _ := do("POST", one+"/redeliver", "resends=0"); to != one+"?done=busy" {
		t.Errorf("the form once more, leads to %s", to)
	}
	by.Page.Lang = contract.Spanish
	has(one+"?done=busy", "ya está en camino", "se cortó la conexión")

	do("POST", "/review/events/enable", "")
	if want := []string{"eventsOn  ", "eventSent " + app + " application.started"}; !slices.Equal(did, want) {
		t.Errorf("the audit trail has %q, want %q", did, want)
	}

	by.Decides = false
	has(one, "!Enviarlo de nuevo")
	for _, path := range []string{one + "/redeliver", "/review/events/enable"} {
		if status, _, _ := do("POST", path, "resends=1"); status != 403 {
			t.Errorf("POST %s by who only reads = %d", path, status)
		}
	}
	by.Decides = true
	for _, path := range []string{"/review/events/x", "/review/events/" + uuid.NewString(), "/review/events?state=done", "/review/events?state=given+up+", "/review/events?application=x", "/review/events?after=x"} {
		if status, _, _ := do("GET", path, ""); status != 404 {
			t.Errorf("GET %s = %d, want 404", path, status)
		}
	}
	if status, _, _ := do("POST", one+"/redeliver", "resends=x"); status != 400 {
		t.Errorf("a form that is none of ours = %d", status)
	}
	r.now = r.now.Add(time.Minute)
	for i := range pageSize {
		r.happen(app, "pending", int64(10+i))
	}
	_, rest, _ := strings.Cut(has("/review/events", "Eventos anteriores"), "after=")
	has("/review/events?after="+rest[:strings.IndexByte(rest, '"')], one, "Volver a las más recientes")
	r.URL = ""
	has("/review/events", "no se envían a ningún sitio")
}
