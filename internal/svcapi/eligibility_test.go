package svcapi

import (
	"net/http"
	"testing"

	"vestibule/internal/contract"
)

func TestEligibilityReport(t *testing.T) {
	meta := map[string]any{"public_token": token1, "external_id": "e", "status": "SUCCESS",
		"created_at": "2026-01-01T00:00:00Z", "api_version": "1.0.0"}
	body := map[string]any{"meta": meta, "stated_employers": []any{map[string]any{"name": "Globex",
		"input_method": "CONSUMER_INPUT", "verification_sources": []any{}, "skipped_reason": nil}}}
	s := &service{handler: func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/connect/affordable-housing-verification/v1/json" || bearerOf(r) != "token-1" {
			t.Errorf("%s with %q", r.URL.Path, bearerOf(r))
		}
		writeJSON(w, 200, body)
	}}
	c := s.client()
	raw, got, err := c.Report(t.Context(), contract.Eligibility, Ref{PublicToken: token1})
	if err != nil || got.PublicToken != token1 || len(raw) == 0 {
		t.Errorf("%+v, %v", got, err)
	}
	for _, ref := range []Ref{{PublicToken: token2}, {ExternalID: "other"}} {
		if _, _, err := c.Report(t.Context(), contract.Eligibility, ref); CodeOf(err) != contract.CodeUpstream {
			t.Errorf("another report than %+v: %v", ref, err)
		}
	}
	body["assets"] = "none"
	if _, _, err := c.Report(t.Context(), contract.Eligibility, Ref{PublicToken: token1}); CodeOf(err) != contract.CodeUpstream {
		t.Errorf("no report: %v", err)
	}
}
