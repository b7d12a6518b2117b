package svcapi

import (
	"bytes"
	"io"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"vestibule/internal/contract"
	"vestibule/internal/report"
)

func TestCreateRelayToken(t *testing.T) {
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
		want   contract.Code
	}{
		{400, map[string]any{"error": "INVALID_PUBLIC_ID"}, contract.CodeInvalidPublicID},
		{400, map[string]any{"error": "RELAY_TOKEN_EXPIRED"}, contract.CodeRelayTokenExpired},
		{400, map[string]any{"error": "RELAY_TOKEN_REVOKED"}, contract.CodeRelayTokenRevoked},
		{404, map[string]any{"error": "INVALID_TOKEN"}, contract.CodeInvalidToken},
		{200, map[string]any{"relayToken": "<script>"}, contract.CodeUpstream},
		{200, map[string]any{}, contract.CodeUpstream},
	} {
		s := &service{handler: func(w http.ResponseWriter, r *http.Request) { writeJSON(w, c.status, c.body) }}
		if got, err := s.client().CreateRelayToken(t.Context(), token1, "x"); CodeOf(err) != c.want || got != "" {
			t.Errorf("%v: %q, %v, want %s", c.body, got, err, c.want)
		}
	}
}

func TestRevokeRelayToken(t *testing.T) {
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
	for _, want := range []contract.Code{"", "", contract.CodeRelayTokenRevoked} {
		if err := c.RevokeRelayToken(t.Context(), token2); CodeOf(err) != want || (err == nil) != (want == "") {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if err := c.RevokeRelayToken(t.Context(), "../consumers"); CodeOf(err) != contract.CodeNotFound {
		t.Errorf("no relay token: %v", err)
	}
}

func TestWithdrawConsent(t *testing.T) {
	for status, want := range map[int]contract.Code{204: "", 404: contract.CodeNotFound,
		405: contract.CodeUpstream, 503: contract.CodeUpstream} {
		s := &service{handler: func(w http.ResponseWriter, r *http.Request) {
			if r.Method+" "+r.URL.Path != "DELETE /connect/consumers/"+token2 || r.Header.Get("Authorization") == "" {
				t.Errorf("%s %s", r.Method, r.URL.Path)
			}
			if status == 404 {
				writeJSON(w, status, map[string]any{"error": "NOT_FOUND"})
				return
			}
			w.WriteHeader(status)
		}}
		if err := s.client().WithdrawConsent(t.Context(), token2); CodeOf(err) != want ||
			(err == nil) != (want == "") || Temporary(err) != (status == 503) {
			t.Errorf("%d: %v, want %q", status, err, want)
		}
	}
	if err := (&service{}).client().WithdrawConsent(t.Context(), "../relay-tokens"); CodeOf(err) != contract.CodeNotFound {
		t.Errorf("no consumer: %v", err)
	}
}

func TestIncomeReport(t *testing.T) {
	revised := false
	meta := map[string]any{"public_token": token1, "external_id": "e", "status": "SUCCESS",
		"created_at": "2026-01-01T00:00:00Z", "api_version": "2.0.0"}
	s := &service{handler: func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/connect/income/v2/json" || bearerOf(r) != "token-1" {
			t.Errorf("%s with %q", r.URL.Path, bearerOf(r))
		}
		body := map[string]any{"meta": meta}
		if revised {
			w.Header().Set("Sunset", "Sat, 27 Feb 2027 09:31:00 GMT")
			meta["svc_report_revision"], meta["svc_report_revision_created_at"] = "1", "2026-02-01T00:00:00Z"
			body["income"] = map[string]any{"summary": map[string]any{"annual_gross_income": 50000, "annual_net_income": 40000},
				"revised_report_values": map[string]any{"gross_annual": 50000, "net_annual": 40000}}
		}
		writeJSON(w, 200, body)
	}}
	c := s.client()
	raw, got, err := c.Report(t.Context(), contract.Income, Ref{PublicToken: token1})
	if err != nil || got.PublicToken != token1 || len(raw) == 0 {
		t.Errorf("%+v, %v", got, err)
	}
	if got.Revision != nil || !got.Until.IsZero() {
		t.Errorf("never revised: %+v", got)
	}
	// After a dispute the same call gives the report's newest revision.
	revised = true
	raw, got, err = c.Report(t.Context(), contract.Income, Ref{PublicToken: token1})
	if err != nil || report.Text(got.Revision) != "1" || got.RevisionCreatedAt == nil ||
		got.Until.Day() != 27 || !bytes.Contains(raw, []byte("40000")) {
		t.Errorf("revised: %+v, %v", got, err)
	}
	for _, ref := range []Ref{{PublicToken: token2}, {ExternalID: "other"}} {
		if _, _, err := c.Report(t.Context(), contract.Income, ref); CodeOf(err) != contract.CodeUpstream {
			t.Errorf("another report than %+v: %v", ref, err)
		}
	}
	meta["public_token"] = "x"
	if _, _, err := c.Report(t.Context(), contract.Income, Ref{PublicToken: token1}); CodeOf(err) != contract.CodeUpstream {
		t.Errorf("no report: %v", err)
	}
}
