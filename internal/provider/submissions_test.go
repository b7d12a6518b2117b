package provider_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"vestibule/docs/openapitest"
	"vestibule/internal/contract"
	"vestibule/internal/provider"
	"vestibule/internal/provider/customers"
	"vestibule/internal/provider/sandbox"
	"vestibule/internal/report"
	"vestibule/internal/store"
	"vestibule/internal/testutil/assets"
	"vestibule/internal/testutil/storetest"
)

const submissionPath = "/connect/v2/cashflow/byo-report"

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// submission returns a valid body with a pullDate an hour ago.
func submission(more ...any) map[string]any {
	pulled := time.Now().Add(-time.Hour)
	return with(map[string]any{
		"pullDate": stamp(pulled),
		"personal": map[string]any{"firstName": "Ana", "lastName": "Pérez", "email": "ana@example.com", "dob": "1990-06-15"},
		"accounts": []any{map[string]any{
			"id": "A1", "institutionName": "Amber Coast Bank", "accountType": "CHECKING", "currentBalance": 1204.05, "currency": "USD",
			"transactions": []any{
				map[string]any{"id": "T1", "status": "POSTED", "datePosted": stamp(pulled.AddDate(0, 0, -3)), "amount": 2100.5,
					"description": "PAYROLL ACME", "creditOrDebit": "CREDIT"},
				map[string]any{"id": "T2", "status": "POSTED", "datePosted": stamp(pulled.AddDate(0, 0, -2)), "amount": 12.5,
					"description": "CORNER MARKET", "merchant": "Corner Market", "creditOrDebit": "DEBIT"},
			},
		}},
	}, more...)
}

func personal(more ...any) map[string]any {
	return with(map[string]any{"firstName": "Ana", "lastName": "Pérez", "email": "ana@example.com", "dob": "1990-06-15"}, more...)
}

// submit sends a body of the generated customer, for its cashflow product.
func (b *testServer) submit(body any, more ...string) answer {
	b.t.Helper()
	h := append(append(b.bearer(b.basic()), "X-PRODUCT-ID", b.seed.Products[contract.Cashflow]), more...)
	return b.post(submissionPath, h, body)
}

func TestSubmission(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		a := b.submit(submission("externalId", "sub-1", "userArgs", "args"))
		b.want("submission", a, 200, "")
		token := a.text("publicToken")
		if a.text("status") != "PENDING" || a.text("externalId") != "sub-1" || a.text("userArgs") != "args" ||
			a.header.Get("Cache-Control") != "no-store" {
			t.Errorf("answered %s %v", a.raw, a.header)
		}
		event := b.inbox.wait(t, 1)[0]
		if event.PublicToken != token || event.Status != contract.StatusSuccess || event.ExternalID != "sub-1" || event.UserArgs != "args" {
			t.Errorf("webhook: %+v", event)
		}
		h := append(b.bearer(b.basic()), "X-EXTERNAL-ID", "sub-1")
		got := b.get("/connect/cashflow/v2/json", h)
		b.want("report", got, 200, "")
		r, err := report.ParseCashflow(got.raw)
		if err != nil {
			t.Fatal(err)
		}
		if r.Meta.PublicToken != token || r.Identities[0].SourceID != report.CustomerInput || *r.Identities[0].FullName != "Ana Pérez" ||
			len(r.AccountDetails) != 1 || *r.AccountDetails[0].CurrentBalance != 120405 ||
			*r.AccountDetails[0].InstitutionName != "Amber Coast Bank" ||
			r.AccountDetails[0].MonthsAvailable != 1 || r.Sources[1].SourceID != "AMBER_COAST_BANK" {
			t.Errorf("report: %s", got.raw)
		}
		if age := time.Since(r.Meta.CreatedAt.Time); age < 59*time.Minute || age > 61*time.Minute {
			t.Errorf("created_at is %v ago, want that of the pullDate", age)
		}
		if !strings.Contains(string(b.submit(submission("externalId", "sub-1")).raw), "DUPLICATE_EXTERNAL_ID") {
			t.Error("the external id was accepted twice")
		}
		plain := b.submit(submission())
		if v, there := plain.body["externalId"]; v != nil || !there {
			t.Errorf("without labels: %s", plain.raw)
		}
	})
}

// TestSubmissionBalancesAndCurrencies submits a balance of twenty days ago and an account
// in euros, and checks the report, its files, and a secondary report.
func TestSubmissionBalancesAndCurrencies(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		pulled := time.Now().Add(-time.Hour)
		stated := pulled.AddDate(0, 0, -20)
		tx := func(id string, days int, amount float64, side string) any {
			return map[string]any{"id": id, "status": "POSTED", "datePosted": stamp(pulled.AddDate(0, 0, -days)),
				"amount": amount, "description": "PAYROLL ACME", "creditOrDebit": side}
		}
		body := submission("pullDate", stamp(pulled), "address", map[string]any{"street": "12 Main Street",
			"city": "San Diego", "state": "CA", "postalCode": "92101"}, "accounts", []any{
			map[string]any{"id": "A1", "institutionName": "Amber Coast Bank", "accountType": "CHECKING", "currentBalance": 5000, "currency": "USD",
				"dateBalanceLastUpdated": stamp(stated), "transactions": []any{tx("1", 100, 10, "CREDIT"), tx("2", 3, 4900, "DEBIT")}},
			map[string]any{"id": "E1", "institutionName": "Banque du Lac", "accountType": "SAVINGS", "currentBalance": 77, "currency": "EUR",
				"transactions": []any{tx("1", 5, 900, "CREDIT")}},
		})
		token := b.ready(b.submit(body).text("publicToken"))
		r := b.report(b.named(token))
		for _, a := range r.Attributes {
			want := map[string]string{"UA_ASSET_TOTAL_BAL_CUR": "100.00", "UA_ASSET_TOTAL_AVG_1M": "", "UA_ASSET_NEGDAYS_CNT_3M": "0",
				"UA_ASSET_ACCOUNT_CNT_CUR": "1", "UA_TOTAL_TXN_REC": "3"}[a.Name]
			if want != "" && a.Value.String() != want {
				t.Errorf("%s = %s, want %s", a.Name, a.Value, want)
			}
		}
		home, abroad := r.AccountDetails[0], r.AccountDetails[1]
		if *home.CurrentBalance != 5000_00 || home.BalanceDate.String() != report.DateOf(stated).String() ||
			home.LeftOut || !abroad.LeftOut || abroad.Currency != "EUR" {
			t.Errorf("accounts %+v %+v", home, abroad)
		}
		for _, f := range b.files(token) {
			raw := string(b.get(filePath+f["source_filepath"], b.named(token)).raw)
			for source, words := range map[string]string{"REPORT_ANALYSIS": `"currency":"EUR"}`, "AMBER_COAST_BANK": `"balance_date":"` +
				report.DateOf(stated).String(), "BANQUE_DU_LAC": `"currency":"EUR","left_out_of_figures":true`} {
				if f["source_id"] == source && !strings.Contains(raw, words) {
					t.Errorf("%s has no %s: %.700s", source, words, raw)
				}
			}
		}
		second := b.multi(token, b.seed.Products[contract.Income])
		b.want("an income report of its data", second, 200, "")
		made := b.get("/connect/income/v2/json", b.named(b.ready(second.text("multiProductToken"))))
		income, err := report.ParseIncome(made.raw)
		if err != nil {
			t.Fatal(err)
		}
		if d := income.AccountDetails; len(d) != 2 || d[0].BalanceDate == nil || d[0].LeftOut || !d[1].LeftOut ||
			income.Income == nil || len(income.Income.FinancialAccounts[0].SourceIDs) != 1 {
			t.Errorf("its income report: %s", made.raw)
		}
	})
}

func TestRejectedSubmissions(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		rows := func() (n int) {
			for _, table := range []string{"reports", "data_keys", "submission_slots", "submission_counts", "events"} {
				n += b.count("SELECT count(*) FROM " + table)
			}
			return n
		}
		token, valid, before := b.bearer(b.basic()), submission(), rows()
		product := headers{"X-PRODUCT-ID", b.seed.Products[contract.Cashflow]}
		good := slices.Clip(slices.Concat(token, product))
		b.run("wrong headers", func(*testing.T) {
			for _, c := range []struct {
				what   string
				h      headers
				status int
				code   contract.Code
				field  string
			}{
				{"no authorization", product, 400, contract.CodeMalformedHeaders, "Authorization"},
				{"not an access token", append(product, "Authorization", "Bearer bm9uZQ=="), 403, contract.CodeUnknownCustomer, ""},
				{"the other environment", append(good, "X-ENVIRONMENT", "production"), 403, contract.CodeUnknownCustomer, ""},
				{"an unknown environment", append(good, "X-ENVIRONMENT", "test"), 400, contract.CodeMalformedHeaders, "X-ENVIRONMENT"},
				{"another customer's child", append(good, "X-PUBLIC-ID", "svc-third"), 403, contract.CodeUnknownCustomer, ""},
				{"no product", token, 400, contract.CodeMalformedHeaders, "X-PRODUCT-ID"},
				{"two products", slices.Concat(good, product), 400, contract.CodeMalformedHeaders, "X-PRODUCT-ID"},
				{"an unknown product", append(token, "X-PRODUCT-ID", uuid.NewString()), 400, contract.CodeInvalidProduct, ""},
				{"an invalid product id", append(token, "X-PRODUCT-ID", "'; --"), 400, contract.CodeInvalidProduct, ""},
				{"a product of another kind", append(token, "X-PRODUCT-ID", b.seed.Products[contract.Income]), 400, contract.CodeInvalidProduct, ""},
				{"another customer's product", slices.Concat(b.bearer(b.thirdParty()), product), 400, contract.CodeInvalidProduct, ""},
				{"another content type", append(good, "Content-Type", "text/plain"), 400, contract.CodeMalformedHeaders, "Content-Type"},
			} {
				b.wantField(c.what, b.post(submissionPath, c.h, valid), c.status, c.code, c.field)
			}
		})
		b.run("wrong bodies", func(*testing.T) {
			for field, body := range map[string]any{
				"": "{", // no JSON
				"accounts[0].currentBalance": submission("accounts", []any{map[string]any{"id": "A1", "institutionName": "B",
					"accountType": "CHECKING", "currency": "USD", "currentBalance": "7"}}),
				"pullDate":        submission("pullDate", stamp(time.Now().Add(-30*24*time.Hour-time.Minute))),
				"sandboxReportId": submission("sandboxReportId", uuid.NewString()),
			} {
				b.wantField("a bad "+field, b.post(submissionPath, good, body), 400, contract.CodeMalformedBody, field)
			}
		})
		if after := rows(); after != before {
			t.Errorf("refused submissions left %d rows", after-before)
		}
		b.want("a valid body after all that", b.submit(valid), 200, "")
		b.advance("6m")
		b.want("an ended token", b.post(submissionPath, good, valid), 401, contract.CodeExpiredToken)
	})
}

func TestSubmissionsTooLarge(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		h := append(b.bearer(b.basic()), "X-PRODUCT-ID", b.seed.Products[contract.Cashflow])
		send := func(body io.Reader, length int64) (int, string) {
			req, _ := http.NewRequestWithContext(t.Context(), "POST", b.service.URL+submissionPath, body)
			for i := 0; i < len(h); i += 2 {
				req.Header.Add(h[i], h[i+1])
			}
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set("Expect", "100-continue")
			req.ContentLength = length
			resp, err := continueClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			openapitest.Check(t, resp)
			defer resp.Body.Close()
			raw, _ := io.ReadAll(resp.Body)
			return resp.StatusCode, string(raw)
		}
		// A body announced as too large is rejected before any of it is sent.
		unread := &neverRead{}
		if status, raw := send(unread, 20<<20+1); status != 413 || !strings.Contains(raw, "BODY_TOO_LARGE") || unread.read {
			t.Errorf("announced: %d %s, body read: %v", status, raw, unread.read)
		}
		// 20 MiB are accepted without a Content-Length, a byte more is not.
		raw, _ := json.Marshal(submission())
		if status, answer := send(io.MultiReader(bytes.NewReader(raw), spaces(20<<20-len(raw))), -1); status != 200 {
			t.Errorf("20 MB: %d %s", status, answer)
		}
		if status, answer := send(io.MultiReader(bytes.NewReader(raw), spaces(20<<20-len(raw)+1)), -1); status != 413 ||
			!strings.Contains(answer, "BODY_TOO_LARGE") {
			t.Errorf("20 MB and a byte: %d %s", status, answer)
		}
		// An error at the beginning is reported, whatever follows.
		if status, answer := send(io.MultiReader(strings.NewReader("]"), spaces(8<<20)), -1); status != 400 ||
			!strings.Contains(answer, "MALFORMED_BODY") {
			t.Errorf("wrong and long: %d %s", status, answer)
		}
	})
}

type neverRead struct{ read bool }

func (n *neverRead) Read([]byte) (int, error) { n.read = true; return 0, io.ErrUnexpectedEOF }

func spaces(n int) io.Reader { return io.LimitReader(blank{}, int64(n)) }

type blank struct{}

func (blank) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

func TestInvalidPersonalDataEndsInError(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		for i, c := range []struct {
			personal any
			want     contract.Substatus
		}{
			{personal("dob", nil), "INVALID_PREFILLS_PII_MISSING"},
			{nil, "INVALID_PREFILLS_PII_MISSING"},
			{personal("firstName", "4na"), "INVALID_PREFILL_FIRST_NAME"},
			{personal("email", "unknown"), "INVALID_PREFILL_EMAIL"},
			{personal("phone", "5550100123"), "INVALID_PREFILL_PHONE"},
			{personal("lastName", "error"), ""},
			{personal("lastName", "error", "dob", nil), ""}, // before any rule
		} {
			a := b.submit(submission("personal", c.personal))
			if a.status != 200 || a.text("status") != "PENDING" {
				t.Fatalf("%v: %d %s, want it accepted as PENDING", c.personal, a.status, a.raw)
			}
			event := b.inbox.wait(t, i+1)[i]
			if event.PublicToken != a.text("publicToken") || event.Status != contract.StatusError || event.Substatus != c.want {
				t.Errorf("%v: webhook %+v, want ERROR %s", c.personal, event, c.want)
			}
			h := append(b.bearer(b.basic()), "X-PUBLIC-TOKEN", a.text("publicToken"))
			got := b.get("/connect/status", h)
			if sub, _ := got.body["substatus"].(string); got.text("status") != "ERROR" || sub != string(c.want) {
				t.Errorf("%v: status %s, want ERROR %s", c.personal, got.raw, c.want)
			}
			b.want("report of it", b.get("/connect/cashflow/v2/json", h), 404, contract.CodeReportNotReady)
		}
		// Invalid personal data also rejects a prepared report.
		made := b.do("POST", "/sandbox-reports", map[string]any{"product": "cashflow", "submission": submission()})
		for name, who := range map[string]any{"error": personal("lastName", "error"), "unknown": nil} {
			a := b.submit(map[string]any{"sandboxReportId": made.text("sandboxReportId"), "personal": who})
			if a.status != 200 || a.text("status") != "PENDING" {
				t.Fatalf("prepared, for %s: %d %s", name, a.status, a.raw)
			}
			if got := b.get("/connect/status", b.named(a.text("publicToken"))); got.text("status") != "ERROR" {
				t.Errorf("prepared, for %s: status %s, want ERROR", name, got.raw)
			}
		}
	})
}

func TestSandboxDataForSubmission(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		read := func(a answer) *report.Cashflow {
			t.Helper()
			b.want("submission", a, 200, "")
			h := append(b.bearer(b.basic()), "X-PUBLIC-TOKEN", a.text("publicToken"))
			for {
				if got := b.get("/connect/cashflow/v2/json", h); got.status == 200 {
					r, err := report.ParseCashflow(got.raw)
					if err != nil {
						t.Fatal(err)
					}
					return r
				} else if got.text("status") != "PENDING" {
					t.Fatalf("report: %s", got.raw)
				}
			}
		}
		profile := func(first string) any {
			return map[string]any{"firstName": first, "lastName": "Any", "email": "a@example.com"}
		}
		anywhere := map[string]any{"street": "?", "city": "4", "state": "-", "postalCode": "x"}
		if r := read(b.submit(submission("personal", profile("Joint"), "address", anywhere))); len(r.AccountDetails) == 0 ||
			*r.AccountDetails[0].Responsibility != report.Joint || *r.Identities[0].FullName != "Joint Any" {
			t.Errorf("Joint: %+v", r)
		}
		if r := read(b.submit(submission("personal",
			personal("firstName", "joint")))); *r.AccountDetails[0].InstitutionName != "Amber Coast Bank" {
			t.Errorf("another spelling of Joint: %+v", r.AccountDetails)
		}
		made := b.do("POST", "/sandbox-reports", map[string]any{"product": "cashflow", "submission": submission()})
		b.want("prepared report", made, 201, "")
		if r := read(b.submit(map[string]any{"sandboxReportId": made.text("sandboxReportId"),
			"personal": personal()})); *r.AccountDetails[0].InstitutionName != "Amber Coast Bank" {
			t.Errorf("prepared report: %+v", r.AccountDetails)
		}
		// Without the entitlement, prepared reports are unknown.
		b.entitle(b.seed.PublicID, false, customers.PreparedReports)
		b.want("not entitled", b.submit(map[string]any{"sandboxReportId": made.text("sandboxReportId"), "personal": personal()}),
			400, contract.CodeMalformedBody)
	})
}

func TestSubmissionLimit(t *testing.T) {
	began := time.Now()
	still := func(c *provider.Config) { c.Now = func() time.Time { return began } } // but for what the test advances
	storetest.EachInFull(t, store.Provider, func(t *testing.T, db *store.DB) {
		b := newTestServer(t, db, still)
		h := append(b.bearer(b.basic()), "X-PRODUCT-ID", b.seed.Products[contract.Cashflow])
		advance := func(d string) {
			b.want("clock", b.do("POST", "/clock", map[string]string{"advance": d}), 200, "")
		}
		failing := submission("personal", nil) // costs nothing to make
		for i := range 30 {
			b.want("a refused one", b.post(submissionPath, h, map[string]any{}), 400, contract.CodeMalformedBody)
			b.want(fmt.Sprint("submission ", i+1), b.post(submissionPath, h, failing), 200, "")
			if i == 9 {
				advance("20s")
			}
		}
		a := b.post(submissionPath, h, failing)
		b.want("the 31st", a, 429, contract.CodeRateLimited)
		after, err := strconv.Atoi(a.header.Get("Retry-After"))
		if err != nil || after < 1 || after > 40 {
			t.Errorf("Retry-After = %q, want what is left of the minute", a.header.Get("Retry-After"))
		}
		b.want("another endpoint", b.get("/connect/accesstoken", b.basic()), 200, "")
		advance(fmt.Sprint(after, "s"))
		b.want("after Retry-After", b.post(submissionPath, h, failing), 200, "")
		advance("5s")
		// The first ten are outside of the window, the other twenty are not.
		for i := range 9 {
			b.want(fmt.Sprint("later, submission ", i+1), b.post(submissionPath, h, failing), 200, "")
		}
		b.want("one more", b.post(submissionPath, h, failing), 429, contract.CodeRateLimited)
		// The account is not locked out after the clock was set back.
		advance("-2h")
		fresh := append(b.bearer(b.basic()), "X-PRODUCT-ID", b.seed.Products[contract.Cashflow])
		b.want("two hours earlier", b.post(submissionPath, fresh, submission("personal", nil, "pullDate", stamp(time.Now().Add(-3*time.Hour)),
			"accounts", []any{map[string]any{"id": "A", "institutionName": "B", "accountType": "SAVINGS",
				"currentBalance": 0, "currency": "USD"}})), 200, "")
	})
}

// TestSubmissionWaitsForNoOther sends a submission while another of the account waits for a
// transaction that gives its externalId to a report.
func TestSubmissionWaitsForNoOther(t *testing.T) {
	t.Parallel()
	db := storetest.Postgres(t, store.Provider) // SQLite has one transaction at a time
	b := newTestServer(t, db)
	h := append(b.bearer(b.basic()), "X-PRODUCT-ID", b.seed.Products[contract.Cashflow])
	b.want("a report", b.post(submissionPath, h, submission("personal", nil, "externalId", "first")), 200, "")
	waiting := make(chan answer, 1)
	err := db.Tx(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		err := store.Exec(tx.ExecContext(ctx, `UPDATE reports SET external_id = 'second' WHERE external_id = 'first'`))
		if err != nil {
			return err
		}
		go func() { waiting <- b.post(submissionPath, h, submission("personal", nil, "externalId", "second")) }()
		b.until(1, `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`)
		b.want("another submission", b.post(submissionPath, h, submission("personal", nil)), 200, "")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	b.want("the one that waited", <-waiting, 400, contract.CodeDuplicateExternalID)
}

// TestSubmissionLimitOverReplicas sends more than 30 submissions to two providers on one
// database, eight at a time: a request waits ten seconds for one of four connections.
func TestSubmissionLimitOverReplicas(t *testing.T) {
	storetest.Each(t, store.Provider, func(t *testing.T, db *store.DB) {
		b := newTestServer(t, db)
		second, err := provider.New(t.Context(), provider.Config{DB: db, Log: slog.New(slog.DiscardHandler), Now: time.Now,
			URL: b.service.URL, Environment: contract.Sandbox, Sandbox: sandbox.New, Assets: assets.Provider(t)})
		if err != nil {
			t.Fatal(err)
		}
		other := httptest.NewServer(second.Handler())
		t.Cleanup(other.Close)
		h := append(b.bearer(b.basic()), "X-PRODUCT-ID", b.seed.Products[contract.Cashflow])
		raw, _ := json.Marshal(submission("personal", nil))
		var mu sync.Mutex
		count := map[int]int{}
		var wg sync.WaitGroup
		send := func(base string) {
			for range 8 {
				req, _ := http.NewRequestWithContext(context.WithoutCancel(t.Context()), "POST", base+submissionPath, bytes.NewReader(raw))
				for i := 0; i < len(h); i += 2 {
					req.Header.Add(h[i], h[i+1])
				}
				req.Header.Set("Content-Type", "application/json")
				resp, err := client.Do(req)
				if err != nil {
					t.Error(err)
					return
				}
				openapitest.Check(t, resp)
				resp.Body.Close()
				mu.Lock()
				count[resp.StatusCode]++
				mu.Unlock()
			}
		}
		for range 4 {
			wg.Go(func() { send(b.service.URL) })
			wg.Go(func() { send(other.URL) })
		}
		wg.Wait()
		if count[200] != 30 || count[429] != 34 {
			t.Errorf("answers by status: %v, want 30 of 200 and 34 of 429", count)
		}
	})
}
