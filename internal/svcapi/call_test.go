package svcapi

import (
	"io"
	"net/http"
	"testing"
	"testing/synctest"

	"vestibule/internal/contract"
)

// TestCall checks the request of a call, and its reading of the answer.
func TestCall(t *testing.T) {
	type body struct {
		Text string `json:"text"`
	}
	for name, tc := range map[string]struct {
		method, publicID string
		in               any
		sent, answer     string
		status           int
		want             string
		code             contract.Code
	}{
		"a body":                 {"POST", "", body{"A & B"}, `POST /path {"text":"A \u0026 B"}`, `{"text":"here","more":1}`, 201, "here", ""},
		"no body":                {"GET", "", nil, "GET /path ", `{"text":"here"}`, 200, "here", ""},
		"a child":                {"PUT", "svc-child", nil, "PUT /path svc-child", `{"text":"here"}`, 200, "here", ""},
		"a child of no name":     {"PUT", "a\nb", nil, "", "", 0, "", contract.CodeMalformedHeaders},
		"what is no JSON":        {"PUT", "", func() {}, "", "", 0, "", contract.CodeMalformedBody},
		"a refusal":              {"DELETE", "", nil, "DELETE /path ", `{"error":"FORBIDDEN"}`, 403, "", contract.CodeForbidden},
		"an answer of its shape": {"GET", "", nil, "GET /path ", `[]`, 200, "", contract.CodeUpstream},
	} {
		t.Run(name, func(t *testing.T) {
			sent := ""
			s := &service{handler: func(w http.ResponseWriter, r *http.Request) {
				raw, _ := io.ReadAll(r.Body)
				sent = r.Method + " " + r.URL.Path + " " + string(raw) + r.Header.Get("X-PUBLIC-ID")
				if user, secret, _ := r.BasicAuth(); user != "client" || secret != "secret" ||
					(len(raw) > 0) != (r.Header.Get("Content-Type") == "application/json") {
					t.Errorf("sent with %v", r.Header)
				}
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(tc.status)
				_, _ = io.WriteString(w, tc.answer)
			}}
			var got body
			status, err := s.client().Call(t.Context(), "op", tc.method, "/path", tc.publicID, tc.in, &got)
			if got.Text != tc.want || CodeOf(err) != tc.code || sent != tc.sent || err == nil && status != tc.status {
				t.Errorf("= %d %q, %v; want %q, %q\nsent %s\nwant %s", status, got.Text, err, tc.want, tc.code, sent, tc.sent)
			}
		})
	}
	s := &service{handler: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }}
	if status, err := s.client().Call(t.Context(), "op", "DELETE", "/path", "", nil, nil); status != http.StatusNoContent || err != nil {
		t.Errorf("no answer is wanted: %d, %v", status, err)
	}
}

// TestCallsThatAreRetried counts the tries of each method while the service fails.
func TestCallsThatAreRetried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for method, want := range map[string]int{"POST": 1, "PUT": tries, "DELETE": tries, "GET": tries} {
			tried := 0
			s := &service{handler: func(w http.ResponseWriter, _ *http.Request) {
				tried++
				writeJSON(w, 503, map[string]any{"error": "UNAVAILABLE"})
			}}
			_, err := s.client().Call(t.Context(), "op", method, "/path", "", nil, nil)
			if CodeOf(err) != contract.CodeUnavailable || tried != want {
				t.Errorf("%s: %v after %d tries, want %d", method, err, tried, want)
			}
		}
	})
}

func TestParentNamesItsChild(t *testing.T) {
	received := ""
	s := &service{handler: func(w http.ResponseWriter, r *http.Request) {
		received = r.Header.Get("X-PUBLIC-ID")
		writeJSON(w, 200, map[string]any{"token": "abc", "redirectUrl": "http://127.0.0.1:1/redirect/abc",
			"redirectToken": "rt", "consumerId": token1})
	}}
	c := s.client()
	for name, call := range map[string]func(publicID string) error{
		"initialization": func(id string) error { _, err := c.Initialize(t.Context(), InitRequest{PublicID: id}); return err },
		"redirect": func(id string) error {
			_, err := c.SecureRedirect(t.Context(), RedirectRequest{InitRequest: InitRequest{PublicID: id}})
			return err
		},
		"consumer": func(id string) error {
			_, err := c.CreateConsumer(t.Context(), ConsumerRequest{PublicID: id})
			return err
		},
	} {
		for _, id := range []string{"svc-child", ""} {
			received = "nothing"
			if err := call(id); err != nil || received != id {
				t.Errorf("%s for %q: %v, and the service received %q", name, id, err, received)
			}
		}
		if err := call("a\nb"); CodeOf(err) != contract.CodeMalformedHeaders {
			t.Errorf("%s for no publicId: %v", name, err)
		}
	}
}
