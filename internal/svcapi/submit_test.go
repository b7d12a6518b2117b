package svcapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/report"
)

func submission() Submission {
	day := DateTime{time.Date(2026, 11, 1, 2, 3, 4, 5_999_999, time.FixedZone("", 3600))}
	return Submission{ProductID: token2, ExternalID: "e", PullDate: day,
		Personal: SubmittedPerson{FirstName: "Ana", LastName: "P", Email: "a@example.com", DOB: "1990-01-02"},
		Accounts: []SubmittedAccount{{ID: "A", InstitutionName: "B", AccountType: "CHECKING", CurrentBalance: 1205, Currency: "USD",
			Transactions: []SubmittedTransaction{{ID: "T", Status: "POSTED", DatePosted: day,
				Amount: 7, Description: "d", CreditOrDebit: "DEBIT"}}}}}
}

func TestSubmissionRequest(t *testing.T) {
	var got, product, child string
	s := &service{handler: func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		got, product, child = string(raw), r.Header.Get("X-PRODUCT-ID"), r.Header.Get("X-PUBLIC-ID")
		if r.Method+" "+r.URL.Path != "POST /connect/v2/cashflow/byo-report" || bearerOf(r) != "token-1" {
			t.Errorf("%s %s with %q", r.Method, r.URL.Path, bearerOf(r))
		}
		writeJSON(w, 200, map[string]any{"publicToken": token1, "externalId": "e", "userArgs": nil, "status": "PENDING"})
	}}
	in := submission()
	in.PublicID = "child"
	out, err := s.client().Submit(t.Context(), in)
	if err != nil || out != (Submitted{token1, contract.StatusPending}) {
		t.Fatalf("%+v, %v", out, err)
	}
	want := `{"externalId":"e","pullDate":"2026-11-01T01:03:04.005Z","personal":{"firstName":"Ana",` +
		`"lastName":"P","dob":"1990-01-02","email":"a@example.com"},` +
		`"accounts":[{"id":"A","institutionName":"B","accountType":"CHECKING","currentBalance":12.05,"currency":"USD","transactions":[` +
		`{"id":"T","status":"POSTED","datePosted":"2026-11-01T01:03:04.005Z","amount":0.07,"description":"d","creditOrDebit":"DEBIT"}]}]}`
	if got != want || product != token2 || child != "child" {
		t.Errorf("sent %s for %s of %s\nwant %s", got, product, child, want)
	}
}

func TestSubmissionIsNotRetriedIfPossiblyAccepted(t *testing.T) {
	for _, c := range []struct {
		status int
		header http.Header
		calls  int64
		code   contract.Code
	}{
		{500, nil, 1, contract.CodeInternal},
		{503, nil, 1, contract.CodeInternal},
		{400, nil, 1, contract.CodeInternal},
		{429, http.Header{"Retry-After": {"3"}}, 4, contract.CodeInternal},
		{429, http.Header{"Retry-After": {"50"}}, 1, contract.CodeInternal},
	} {
		synctest.Test(t, func(t *testing.T) {
			var calls atomic.Int64
			s := &service{handler: func(w http.ResponseWriter, r *http.Request) {
				calls.Add(1)
				for k, v := range c.header {
					w.Header()[k] = v
				}
				writeJSON(w, c.status, map[string]any{"error": c.code, "details": []any{map[string]any{"field": "accounts[0].id", "message": "m"}}})
			}}
			_, err := s.client().Submit(t.Context(), submission())
			var e *Error
			if !errors.As(err, &e) || calls.Load() != c.calls || e.HTTP != c.status || len(e.Details) != 1 {
				t.Errorf("%d %v: %d calls, %v", c.status, c.header, calls.Load(), err)
			}
			if c.calls == 1 && c.header != nil && e.RetryAfter != 50*time.Second {
				t.Errorf("RetryAfter = %v", e.RetryAfter)
			}
		})
	}
	if _, err := (&service{}).client().Submit(t.Context(), Submission{ProductID: "x"}); CodeOf(err) != contract.CodeMalformedHeaders {
		t.Errorf("a product that is no UUID: %v", err)
	}
}

func TestWaitStatusBacksOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked []time.Time
		s := &service{handler: func(w http.ResponseWriter, r *http.Request) {
			asked = append(asked, time.Now())
			status := "PENDING"
			if len(asked) == 12 {
				status = "ERROR"
			}
			writeJSON(w, 200, map[string]any{"status": status, "substatus": nil})
		}}
		a, err := s.client().WaitStatus(t.Context(), Ref{PublicToken: token1})
		if err != nil || a.Status != contract.StatusError || len(asked) != 12 {
			t.Fatalf("%v %v after %d questions", a, err, len(asked))
		}
		first, last := asked[1].Sub(asked[0]), asked[11].Sub(asked[10])
		if first > 250*time.Millisecond || last < 4*time.Second || last > 5*time.Second {
			t.Errorf("waits from %v to %v", first, last)
		}
		asked = nil
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		a, err = s.client().WaitStatus(ctx, Ref{PublicToken: token1})
		if !errors.Is(err, context.DeadlineExceeded) || a.Status != contract.StatusPending {
			t.Errorf("beyond its time: %v %v", a, err)
		}
	})
}

func TestFilesOfAReport(t *testing.T) {
	list := []any{map[string]any{"document_type": "BANK_TRANSACTIONS", "document_id": token1, "source_id": "B",
		"source_uuid": token2, "source_filepath": token2 + "/a b.pdf"}}
	for at, product := range map[string]contract.Product{
		"/connect/cashflow/v2/files":                        contract.Cashflow,
		"/connect/income/v2/files":                          contract.Income,
		"/connect/affordable-housing-verification/v1/files": contract.Eligibility,
	} {
		s := &service{handler: func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.Header.Get("X-PUBLIC-TOKEN") != token1:
				writeJSON(w, 404, map[string]any{"error": "INVALID_TOKEN"})
			case r.URL.Path == at:
				writeJSON(w, 200, list)
			case r.URL.EscapedPath() == at+"/"+token2+"/a%20b.pdf":
				w.Header().Set("Content-Type", "application/pdf")
				fmt.Fprint(w, "%PDF")
			case strings.HasPrefix(r.URL.Path, at+"/"):
				writeJSON(w, 410, map[string]any{"error": "GONE"})
			}
		}}
		c, ref := s.client(), Ref{PublicToken: token1}
		files, err := c.Files(t.Context(), product, ref)
		if err != nil || len(files) != 1 || files[0].SourceUUID != token2 {
			t.Fatalf("%s: %v %v", at, files, err)
		}
		got, err := c.File(t.Context(), product, ref, files[0].Path)
		if err != nil || got.Type != "application/pdf" || string(got.Body) != "%PDF" {
			t.Errorf("%s: %+v %v", at, got, err)
		}
		if _, err := c.File(t.Context(), product, ref, "old.pdf"); CodeOf(err) != contract.CodeGone {
			t.Errorf("%s: an old file: %v", at, err)
		}
		if _, err := c.Files(t.Context(), product, Ref{PublicToken: token2}); CodeOf(err) != contract.CodeInvalidToken {
			t.Errorf("%s: the files of another report: %v", at, err)
		}
		for _, path := range []string{"", "../json", "a/../../json", "/a", "a//b", "./a", "a\\b", "a\r\nb", strings.Repeat("a", 2000)} {
			if _, err := c.File(t.Context(), product, ref, path); CodeOf(err) != contract.CodeNotFound {
				t.Errorf("%s: %.20q: %v, want it refused here", at, path, err)
			}
		}
		if got, err := c.File(t.Context(), product, ref, "a?b#c%2e"); CodeOf(err) != contract.CodeGone {
			t.Errorf("%s: a path of specials: %v %v", at, got, err)
		}
	}
}

func TestCents(t *testing.T) {
	raw, _ := json.Marshal([]report.Cents{0, 5, -1999})
	if string(raw) != "[0.00,0.05,-19.99]" {
		t.Errorf("%s", raw)
	}
}
