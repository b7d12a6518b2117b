package svcapi

import (
	"net/http"
	"testing"

	"vestibule/internal/contract"
	"vestibule/internal/report"
)

func TestPassport(t *testing.T) {
	meta := map[string]any{"public_token": token1, "external_id": "e", "status": "SUCCESS",
		"created_at": "2026-01-01T00:00:00Z", "api_version": "4.0.0"}
	document := "%PDF-1.3 and so on"
	s := &service{handler: func(w http.ResponseWriter, r *http.Request) {
		if bearerOf(r) != "token-1" {
			t.Errorf("%s with %q", r.URL.Path, bearerOf(r))
		}
		switch r.URL.Path {
		case "/connect/passport/v4/json":
			writeJSON(w, 200, map[string]any{"meta": meta, "scores": []any{report.PassportScore{Value: 700},
				map[string]any{"points": 5}}, "tradelines": "none"})
		case "/connect/passport/v4/pdf":
			w.Header().Set("Content-Type", "application/pdf")
			w.Write([]byte(document))
		default:
			t.Errorf("asked for %s", r.URL.Path)
		}
	}}
	c := s.client()
	raw, got, err := c.Report(t.Context(), contract.Passport, Ref{PublicToken: token1})
	if err != nil || got.PublicToken != token1 || len(raw) == 0 {
		t.Errorf("%+v, %v", got, err)
	}
	for _, ref := range []Ref{{PublicToken: token2}, {ExternalID: "other"}} {
		if _, _, err := c.Report(t.Context(), contract.Passport, ref); CodeOf(err) != contract.CodeUpstream {
			t.Errorf("another report than %+v: %v", ref, err)
		}
	}
	pdf := func(ref Ref) (Content, error) { return c.File(t.Context(), contract.Passport, ref, passportPath) }
	if file, err := pdf(Ref{ExternalID: "e"}); err != nil || file.Type != "application/pdf" || string(file.Body) != document {
		t.Errorf("%q, %v", file, err)
	}
	document = "<html>"
	if _, err := pdf(Ref{ExternalID: "e"}); CodeOf(err) != contract.CodeUpstream {
		t.Errorf("no PDF: %v", err)
	}
	if _, err := pdf(Ref{}); err == nil {
		t.Error("a document of no report was asked for")
	}
	meta["public_token"] = "x"
	if _, _, err := c.Report(t.Context(), contract.Passport, Ref{PublicToken: token1}); CodeOf(err) != contract.CodeUpstream {
		t.Errorf("no report: %v", err)
	}
}
