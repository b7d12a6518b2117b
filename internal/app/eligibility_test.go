package app_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// eligibility makes an eligibility report, and returns its headers and one of its
// files.
func (w *world) eligibility(t *testing.T) (headers []string, path string) {
	t.Helper()
	c := w.Credentials
	begin := strings.NewReplacer(c.Products["cashflow"], c.Products["eligibility"],
		`"phone":`, `"state":"OH","statedEmployerNames":["Northwind Logistics"],"phone":`).Replace(w.initialization(""))
	token := good(t, 200, ask(t, "POST", w.Provider+"/connect/initialization", begin, "Authorization", basic(c.account), "Content-Type", asJSON)).field("token")
	headers = []string{"Authorization", w.bearer(t, c.account), "X-Public-Token", w.complete(t, token).field("publicToken")}
	var files []struct {
		Path string `json:"source_filepath"`
	}
	json.Unmarshal(good(t, 200, ask(t, "GET", w.Provider+"/connect/affordable-housing-verification/v1/files", "", headers...)).Body, &files)
	if len(files) != 1 {
		t.Fatalf("an eligibility report has %d files", len(files))
	}
	return headers, files[0].Path
}
