package svcapi

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"vestibule/internal/contract"
)

// TestReportUsesTheProductsCall requests a report and its files of every product, and
// compares the paths of the requests.
func TestReportUsesTheProductsCall(t *testing.T) {
	var asked []string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Path == "/connect/accesstoken" {
			fmt.Fprintf(w, `{"accessToken":"at","exp":%d}`, time.Now().Add(5*time.Minute).Unix())
			return
		}
		asked = append(asked, r.URL.Path)
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte(`{"error":"INVALID_TOKEN"}`))
	}))
	defer srv.Close()
	c := &Client{BaseURL: srv.URL, ClientID: "c", SecretKey: "s"}
	ref := Ref{ExternalID: "e"}
	for product, want := range map[contract.Product][3]string{
		contract.Cashflow: {"/connect/cashflow/v2/json", "/connect/cashflow/v2/files", "/connect/cashflow/v2/files/a/passport.pdf"},
		contract.Income:   {"/connect/income/v2/json", "/connect/income/v2/files", "/connect/income/v2/files/a/passport.pdf"},
		contract.Eligibility: {"/connect/affordable-housing-verification/v1/json",
			"/connect/affordable-housing-verification/v1/files", "/connect/affordable-housing-verification/v1/files/a/passport.pdf"},
	} {
		asked = nil
		_, _, err := c.Report(t.Context(), product, ref)
		_, err2 := c.Files(t.Context(), product, ref)
		_, err3 := c.File(t.Context(), product, ref, "a/passport.pdf")
		if CodeOf(err) != contract.CodeInvalidToken || CodeOf(err2) != contract.CodeInvalidToken ||
			CodeOf(err3) != contract.CodeInvalidToken || len(asked) != 3 || [3]string(asked) != want {
			t.Errorf("%s asks %q (%v, %v, %v)", product, asked, err, err2, err3)
		}
	}
	// A passport's only file is the report itself, listed without a request.
	asked = nil
	files, err := c.Files(t.Context(), contract.Passport, ref)
	if err != nil || len(files) != 1 || len(asked) != 0 {
		t.Fatalf("a passport's files are %v, %v, after %q", files, err, asked)
	}
	_, _, err = c.Report(t.Context(), contract.Passport, ref)
	_, err2 := c.File(t.Context(), contract.Passport, ref, files[0].Path)
	if CodeOf(err) != contract.CodeInvalidToken || CodeOf(err2) != contract.CodeInvalidToken ||
		len(asked) != 2 || asked[1] != "/connect/passport/v4/pdf" {
		t.Errorf("a passport asks %q (%v, %v)", asked, err, err2)
	}
	asked = nil
	_, _, err = c.Report(t.Context(), "loan", ref)
	_, err2 = c.Files(t.Context(), "loan", ref)
	_, err3 := c.File(t.Context(), contract.Passport, ref, "another.pdf")
	if CodeOf(err) != contract.CodeInvalidProduct || CodeOf(err2) != contract.CodeInvalidProduct ||
		CodeOf(err3) != contract.CodeInvalidProduct || len(asked) != 0 {
		t.Errorf("what has no call: %v, %v, %v, after %q", err, err2, err3, asked)
	}
}
