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
	raw, got, err := c.Passport(t.Context(), Ref{PublicToken: token1})
	if err != nil || got.Meta.PublicToken != token1 || len(got.Scores) != 1 ||
		got.Scores[0].Value != 700 || len(got.LeftOut) != 2 || len(raw) == 0 {
		t.Errorf("%+v, %v", got, err)
	}
	for _, ref := range []Ref{{PublicToken: token2}, {ExternalID: "other"}} {
		if _, _, err := c.Passport(t.Context(), ref); CodeOf(err) != contract.CodeUpstream {
			t.Errorf("another report than %+v: %v", ref, err)
		}
	}
	if pdf, err := c.PassportPDF(t.Context(), Ref{ExternalID: "e"}); err != nil || string(pdf) != document {
		t.Errorf("%q, %v", pdf, err)
	}
	document = "<html>"
	if _, err := c.PassportPDF(t.Context(), Ref{ExternalID: "e"}); CodeOf(err) != contract.CodeUpstream {
		t.Errorf("no PDF: %v", err)
	}
	if _, err := c.PassportPDF(t.Context(), Ref{}); err == nil {
		t.Error("a document of no report was asked for")
	}
	meta["public_token"] = "x"
	if _, _, err := c.Passport(t.Context(), Ref{PublicToken: token1}); CodeOf(err) != contract.CodeUpstream {
		t.Errorf("no report: %v", err)
	}
}

func TestSuppliers(t *testing.T) {
	list := []map[string]any{{"code": "KOR_NICE", "country": "KOR", "name": "NICE Korea",
		"identity_fields": map[string]any{"full_name": true}}}
	s := &service{handler: func(w http.ResponseWriter, r *http.Request) {
		if _, _, ok := r.BasicAuth(); !ok || r.URL.Path != "/connect/suppliers" {
			t.Errorf("%s without Basic", r.URL.Path)
		}
		writeJSON(w, 200, list)
	}}
	c := s.client()
	got, err := c.Suppliers(t.Context())
	if err != nil || len(got) != 1 || got[0].Code != "KOR_NICE" || *got[0].Country != "KOR" ||
		!got[0].Fields.FullName || got[0].Fields.FirstName {
		t.Errorf("%+v, %v", got, err)
	}
	list[0]["code"] = ""
	if _, err := c.Suppliers(t.Context()); CodeOf(err) != contract.CodeUpstream {
		t.Errorf("a supplier without a code: %v", err)
	}
}
