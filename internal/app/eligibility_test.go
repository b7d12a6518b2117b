package app_test

import (
	"strings"
	"testing"

	"vestibule/internal/contract"
	"vestibule/internal/report"
	"vestibule/internal/svcapi"
	"vestibule/internal/testutil"
)

// TestClientFetchesAnEligibilityReport fetches a report and every file that it names by
// svcapi.
func TestClientFetchesAnEligibilityReport(t *testing.T) {
	eachEngineInFull(t, func(t *testing.T, w *testServer) {
		headers, path := w.eligibility(t)
		c := w.Credentials
		client := w.client(c.Account)
		ref := svcapi.Ref{PublicToken: headers[3]}
		raw, _, err := client.Report(t.Context(), contract.Eligibility, ref)
		testutil.Must(t, err)
		r, err := report.ParseEligibility(raw)
		testutil.Must(t, err)
		if len(r.StatedEmployers) != 1 || len(r.Assets.AccountDetails) == 0 || len(r.Checks) != 6 ||
			len(r.Documents) != 1 || r.Documents[0].SourceFilepath != path {
			t.Errorf("the report is %+v", r)
		}
		files, err := client.Files(t.Context(), contract.Eligibility, ref)
		if err != nil || len(files) != len(r.Documents) {
			t.Fatalf("Files = %v, %v", files, err)
		}
		for _, d := range r.Documents {
			if body, err := client.File(t.Context(), contract.Eligibility, ref, d.SourceFilepath); err != nil ||
				len(body.Body) == 0 || !strings.HasPrefix(body.Type, "application/json") {
				t.Errorf("%s: %s, %v", d.DocumentType, body.Type, err)
			}
		}
	})
}

// eligibility makes an eligibility report. It returns the headers that name the report
// and the path of one of its files.
func (w *testServer) eligibility(t *testing.T) (headers []string, path string) {
	t.Helper()
	c := w.Credentials
	begin := strings.NewReplacer(c.Products["cashflow"], c.Products["eligibility"],
		`"phone":`, `"state":"OH","statedEmployerNames":["Northwind Logistics"],"phone":`).Replace(w.initialization(""))
	token := w.post(t, 200, "/connect/initialization", begin).field("token")
	headers = []string{"Authorization", w.bearer(t, c.Account), "X-Public-Token", w.complete(t, token).field("publicToken")}
	return headers, w.sourceFile(t, "affordable-housing-verification/v1", 1, headers)
}
