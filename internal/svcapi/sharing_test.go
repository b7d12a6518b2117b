package svcapi

import (
	"io"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"vestibule/internal/svc"
)

func TestSharingAReport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls atomic.Int64
		s := &service{handler: func(w http.ResponseWriter, r *http.Request) {
			raw, _ := io.ReadAll(r.Body)
			id, secret, ok := r.BasicAuth()
			if r.Method+" "+r.URL.Path != "POST /connect/relay-tokens" || !ok || id == "" || secret == "" ||
				string(raw) != `{"publicToken":"`+token1+`","publicId":"svc-third"}` {
				t.Errorf("%s %s %s", r.Method, r.URL.Path, raw)
			}
			if calls.Add(1) == 1 {
				writeJSON(w, 503, map[string]any{"error": "UNAVAILABLE"})
				return
			}
			writeJSON(w, 200, map[string]any{"relayToken": token2})
		}}
		got, err := s.client().CreateRelayToken(t.Context(), token1, "svc-third")
		if err != nil || got != token2 || calls.Load() != 2 {
			t.Errorf("%q, %v after %d calls", got, err, calls.Load())
		}
	})
	for _, c := range []struct {
		status int
		body   map[string]any
		want   svc.Code
	}{
		{400, map[string]any{"error": "INVALID_PUBLIC_ID"}, svc.CodeInvalidPublicID},
		{400, map[string]any{"error": "RELAY_TOKEN_EXPIRED"}, svc.CodeRelayTokenExpired},
		{400, map[string]any{"error": "RELAY_TOKEN_REVOKED"}, svc.CodeRelayTokenRevoked},
		{404, map[string]any{"error": "INVALID_TOKEN"}, svc.CodeInvalidToken},
		{200, map[string]any{"relayToken": "<script>"}, svc.CodeUpstream},
		{200, map[string]any{}, svc.CodeUpstream},
	} {
		s := &service{handler: func(w http.ResponseWriter, r *http.Request) { writeJSON(w, c.status, c.body) }}
		if got, err := s.client().CreateRelayToken(t.Context(), token1, "x"); CodeOf(err) != c.want || got != "" {
			t.Errorf("%v: %q, %v, want %s", c.body, got, err, c.want)
		}
	}
}

func TestWithdrawingAReport(t *testing.T) {
	answers := []int{200, 204, 400}
	s := &service{handler: func(w http.ResponseWriter, r *http.Request) {
		if r.Method+" "+r.URL.Path != "DELETE /connect/relay-tokens/"+token2 {
			t.Errorf("%s %s", r.Method, r.URL.Path)
		}
		status := answers[0]
		answers = answers[1:]
		if status == 400 {
			writeJSON(w, status, map[string]any{"error": "RELAY_TOKEN_REVOKED"})
			return
		}
		w.WriteHeader(status) // whatever it says, or nothing
	}}
	c := s.client()
	for _, want := range []svc.Code{"", "", svc.CodeRelayTokenRevoked} {
		if err := c.RevokeRelayToken(t.Context(), token2); CodeOf(err) != want || (err == nil) != (want == "") {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if err := c.RevokeRelayToken(t.Context(), "../consumers"); CodeOf(err) != svc.CodeNotFound {
		t.Errorf("no relay token: %v", err)
	}
}
