package webhook

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	sender "vestibule/internal/webhook"
)

const body = `{"eventId":"evt_1","type":"application.ready","userArgs":"é ☂"}`

// signed returns the headers of an event, signed by the program's own code.
func signed(t *testing.T, id string, at time.Time, secrets ...string) http.Header {
	t.Helper()
	var all []sender.Secret
	for _, text := range secrets {
		s, err := sender.ParseSecret(text)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	h := http.Header{"Content-Type": {"application/json"}}
	if err := sender.Sign(h, all, id, at, []byte(body)); err != nil {
		t.Fatal(err)
	}
	return h
}

func TestHandler(t *testing.T) {
	mine, next := sender.NewSecret(), sender.NewSecret()
	now := time.Now()
	without := func(name string) http.Header {
		h := signed(t, "evt_1", now, mine)
		h.Del(name)
		return h
	}
	for _, c := range []struct {
		name   string
		h      http.Header
		body   string
		want   int
		broken bool // the store
	}{
		{name: "signed now", h: signed(t, "evt_1", now, mine), want: 204},
		{name: "signed four minutes ago", h: signed(t, "evt_1", now.Add(-4*time.Minute), mine), want: 204},
		{name: "during a rotation", h: signed(t, "evt_1", now, next, mine), want: 204},
		{name: "after a rotation", h: signed(t, "evt_1", now, next), want: 401},
		{name: "signed an hour ago", h: signed(t, "evt_1", now.Add(-time.Hour), mine), want: 401},
		{name: "signed in an hour", h: signed(t, "evt_1", now.Add(time.Hour), mine), want: 401},
		{name: "altered", h: signed(t, "evt_1", now, mine), body: strings.Replace(body, "ready", "exited", 1), want: 401},
		{name: "without a signature", h: without("Webhook-Signature"), want: 401},
		{name: "without a timestamp", h: without("Webhook-Timestamp"), want: 401},
		{name: "without an id", h: without("Webhook-Id"), want: 401},
		{name: "without a content type", h: without("Content-Type"), want: 415},
		{name: "too large", h: signed(t, "evt_1", now, mine), body: strings.Repeat("x", 64<<10+1), want: 413},
		{name: "that is not stored", h: signed(t, "evt_1", now, mine), want: 503, broken: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			kept := ""
			h := Handler(mine, func(id string, raw []byte) error {
				if c.broken {
					return errors.New("the disk is full")
				}
				kept = id + string(raw)
				return nil
			})
			if c.body == "" {
				c.body = body
			}
			r := httptest.NewRequest("POST", "/hooks", strings.NewReader(c.body))
			r.Header = c.h
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code != c.want || (kept == "evt_1"+body) != (c.want == 204) {
				t.Errorf("%d, kept %q; want %d", w.Code, kept, c.want)
			}
		})
	}
	for _, secret := range []string{"", "whsec_", "whsec_%", "short"} {
		if _, err := Verify(secret, signed(t, "evt_1", now, mine), []byte(body)); err == nil {
			t.Errorf("the secret %q is taken", secret)
		}
	}
}
