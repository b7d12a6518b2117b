package developers

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os/exec"
	"strings"
	"testing"

	"vestibule/internal/prefill"
	"vestibule/internal/testutil/tools"
)

// TestPythonCodeRuns runs the shown code, and compares what it sends with the choice.
func TestPythonCodeRuns(t *testing.T) {
	python := tools.Program(t, "python3")
	for _, basic := range []bool{false, true} {
		var got struct{ Prefill *prefill.Fields }
		var header http.Header
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			header = r.Header
			if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
				t.Error(err)
			}
			w.WriteHeader(http.StatusCreated)
			_, _ = w.Write([]byte(`{"id": "one", "embedToken": "two", "connectUrl": "three", "token": "four"}`))
		}))
		defer server.Close()
		for _, listing := range call(server.URL, body{Prefill: &prefill.Fields{FirstName: "Ana", LastName: "Pérez"}}, basic) {
			if listing.ID != "python" {
				continue
			}
			program := exec.CommandContext(t.Context(), python, "-c", listing.Code)
			program.Env = []string{"VESTIBULE_PORTAL_API_KEY=key", "CLIENT_ID=client", "SECRET_KEY=secret"}
			out, err := program.CombinedOutput()
			want, authorization := "one two three", "Bearer key"
			if basic {
				want, authorization = "four", "Basic Y2xpZW50OnNlY3JldA=="
			}
			if err != nil || strings.TrimSpace(string(out)) != want || header.Get("Authorization") != authorization ||
				got.Prefill == nil || got.Prefill.LastName != "Pérez" {
				t.Errorf("prints %s (%v), sends %+v with %q", out, err, got.Prefill, header.Get("Authorization"))
			}
		}
	}
}

// TestPlaceChoosesTheIntegration where the chosen one is of another place.
func TestPlaceChoosesTheIntegration(t *testing.T) {
	for query, want := range map[string]string{
		"":                                  "page inline",
		"integration=redirect-form":         "provider redirect-form",
		"where=provider&integration=inline": "provider redirect",
		"where=portal&integration=register-token": "portal page",
		"where=nowhere&integration=modal":         "page modal",
		"where=page&integration=register-prefill": "page register-prefill",
	} {
		q, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		c := placed(q)
		if got := c.where + " " + c.name; got != want {
			t.Errorf("%q chooses %s, want %s", query, got, want)
		}
	}
}
