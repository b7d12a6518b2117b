package provider_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"vestibule/internal/contract"
	"vestibule/internal/report"
	"vestibule/internal/store"
)

const multiPath = "/connect/multi-product-tokens"

// resident is an applicant with the data that a secondary report needs.
var resident = with(applicant, "state", "OH")

// multi requests a secondary report of a product.
func (b *testServer) multi(publicToken, productID string, more ...any) answer {
	b.t.Helper()
	return b.post(multiPath, b.basic(), with(map[string]any{"publicToken": publicToken, "productId": productID}, more...))
}

// secondaryReport requests a secondary report, waits for it, and returns its token.
func (b *testServer) secondaryReport(publicToken, productID string, more ...any) string {
	b.t.Helper()
	a := b.multi(publicToken, productID, more...)
	b.want("multi-product token", a, 200, "")
	token := a.text("multiProductToken")
	waitFor(b.t, b.db, "SELECT count(*) FROM reports WHERE status = 'PENDING' AND retrieved_at IS NOT NULL", 0)
	return token
}

func TestIncomeFromCashflow(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		income := b.seed.Products[contract.Income]
		source, own := b.cashflowVisit("default", "prefill", with(resident, "statedEmployerName", "Unlisted & Sons"),
			"externalId", "first", "userArgs", "one")
		b.inbox.wait(t, 1)
		a := b.multi(source, income, "externalId", "second", "userArgs", "two")
		b.want("multi-product token", a, 200, "")
		token := a.text("multiProductToken")
		if !contract.IsUUID(token) || token == source || a.header.Get("Cache-Control") != "no-store" {
			t.Fatalf("answered %s", a.raw)
		}
		if e := b.inbox.wait(t, 2)[1]; e.PublicToken != token || e.Status != contract.StatusSuccess || e.ProductID != income ||
			e.ExternalID != "second" || e.UserArgs != "two" || e.PublicID != b.seed.PublicID || e.ConsumerID != report.Text(own.Meta.ConsumerID) {
			t.Errorf("webhook: %+v", e)
		}
		if st := b.get("/connect/status", b.named(token)); st.text("status") != "SUCCESS" {
			t.Errorf("status: %s", st.raw)
		}
		got := b.get("/connect/income/v2/json", append(b.bearer(b.basic()), "X-EXTERNAL-ID", "second"))
		b.want("income report", got, 200, "")
		r, err := report.ParseIncome(got.raw)
		if err != nil {
			t.Fatal(err)
		}
		if m := r.Meta; m.PublicToken != token || report.Text(m.ExternalID) != "second" || report.Text(m.UserArgs) != "two" ||
			!m.CreatedAt.Equal(own.Meta.CreatedAt.Time) || report.Text(m.ConsumerID) != report.Text(own.Meta.ConsumerID) ||
			r.Product.ProductID != income || m.APIVersion != report.IncomeVersion {
			t.Errorf("meta %+v, product %+v", m, r.Product)
		}
		if r.Income == nil || r.Income.Summary.AnnualNet == nil || *r.Income.Summary.AnnualNet <= 0 || len(r.Income.FinancialAccounts) == 0 ||
			len(r.AccountDetails) != len(own.AccountDetails) || r.AccountDetails[0].AccountID != own.AccountDetails[0].AccountID {
			t.Errorf("income: %s", got.raw)
		}
		if len(r.Employment) == 0 || report.Text(r.Employment[0].EmployerName) != "Unlisted & Sons" {
			t.Errorf("employment: %+v", r.Employment)
		}
		// Each report has its kind, and its own files of the same data.
		b.want("as a cashflow report", b.get("/connect/cashflow/v2/json", b.named(token)), 404, contract.CodeInvalidToken)
		b.want("the source as an income report", b.get("/connect/income/v2/json", b.named(source)), 404, contract.CodeInvalidToken)
		b.want("the source's files as an income report's", b.get("/connect/income/v2/files", b.named(source)), 404, contract.CodeInvalidToken)
		list := b.get("/connect/income/v2/files", b.named(token))
		b.want("files", list, 200, "")
		var files []map[string]string
		if err := json.Unmarshal(list.raw, &files); err != nil || len(files) != 1 || files[0]["document_type"] != "BANK_TRANSACTIONS" {
			t.Fatalf("files: %s", list.raw)
		}
		path := "/connect/income/v2/files/" + files[0]["source_filepath"]
		whole := b.get(path, b.named(token))
		b.want("file", whole, 200, "")
		if part := b.get(path, append(b.named(token), "Range", "bytes=10-19")); part.status != http.StatusPartialContent ||
			!bytes.Equal(part.raw, whole.raw[10:20]) {
			t.Errorf("a range: %d %q", part.status, part.raw)
		}
		if none := b.get(path, append(b.named(token), "Range", "bytes=99999999-")); none.status != http.StatusRequestedRangeNotSatisfiable {
			t.Errorf("an invalid range: %d", none.status)
		}
		b.want("an unknown file", b.get("/connect/income/v2/files/"+uuid.NewString()+"/x.json", b.named(token)), 404, contract.CodeNotFound)

		// It can be shared.
		relayToken := b.relayed(token)
		theirs := b.get("/connect/income/v2/json", b.relay(relayToken))
		b.want("to a third party", theirs, 200, "")
		if at := bytes.Index(got.raw, []byte(`"product":`)); at < 0 || !bytes.HasSuffix(theirs.raw, got.raw[at:]) ||
			bytes.Contains(theirs.raw, []byte("second")) {
			t.Errorf("the third party reads %.400s", theirs.raw)
		}
		b.want("withdrawn", b.withdraw(relayToken), 200, "")
		for _, p := range []string{"/connect/income/v2/json", "/connect/income/v2/files", path} {
			b.want(p+" withdrawn", b.get(p, b.relay(relayToken)), 400, contract.CodeRelayTokenRevoked)
		}

		unread := b.relayed(b.secondaryReport(source, income))
		waiting := b.begin("productId", income, "externalId", "waiting", "prefill", resident)
		b.want("a report that is not made", b.get("/connect/income/v2/json", append(b.bearer(b.basic()), "X-EXTERNAL-ID", "waiting")),
			404, contract.CodeReportNotReady)
		b.complete(waiting, nil)
		b.want("a file of no report", b.get(path, b.named(uuid.NewString())), 404, contract.CodeInvalidToken)
		b.advance("73h")
		for _, p := range []string{"/connect/income/v2/json", "/connect/income/v2/files", path} {
			b.want(p+" after 72 hours", b.get(p, b.relay(unread)), 400, contract.CodeRelayTokenExpired)
		}

		// It cannot be a source, but its source can be one again.
		b.want("from a secondary one", b.multi(token, b.seed.Products[contract.Cashflow]), 400, contract.CodeInvalidState)
		again := b.secondaryReport(source, income)
		if other := b.get("/connect/income/v2/json", b.named(again)); other.status != 200 || again == token {
			t.Errorf("another one of the same source: %d %s", other.status, again)
		}
	})
}

func TestCashflowFromIncome(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		done := b.complete(b.begin("productId", b.seed.Products[contract.Income], "prefill", resident), nil)
		source := done.text("publicToken")
		if _, err := report.ParseIncome(b.get("/connect/income/v2/json", b.named(source)).raw); err != nil {
			t.Fatalf("%s: %v", done.raw, err)
		}
		token := b.secondaryReport(source, b.seed.Products[contract.Cashflow])
		r, err := report.ParseCashflow(b.get("/connect/cashflow/v2/json", b.named(token)).raw)
		if err != nil {
			t.Fatal(err)
		}
		// It equals the report of a visit of the profile.
		if len(r.Scores) != 1 || r.Scores[0].Value == nil || *r.Scores[0].Value != 685 || r.Meta.PublicToken != token {
			t.Errorf("scores %+v of %+v", r.Scores, r.Meta)
		}
		b.want("its product again", b.multi(source, b.seed.Products[contract.Income]), 400, contract.CodeInvalidState)
	})
}

func TestSecondaryReportOfSubmission(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		income := b.seed.Products[contract.Income]
		address := map[string]any{"street": "1 Main St", "city": "Columbus", "state": "OH", "postalCode": "43004"}
		made := func(body map[string]any) string {
			t.Helper()
			a := b.submit(body)
			b.want("submission", a, 200, "")
			waitFor(t, b.db, "SELECT count(*) FROM reports WHERE status = 'PENDING'", 0)
			return a.text("publicToken")
		}
		token := b.secondaryReport(made(submission("address", address)), income)
		r, err := report.ParseIncome(b.get("/connect/income/v2/json", b.named(token)).raw)
		if err != nil || report.Text(r.AccountDetails[0].InstitutionName) != "Amber Coast Bank" ||
			report.Text(r.Identities[0].FullName) != "Ana Pérez" {
			t.Errorf("%v: %+v", err, r)
		}
		b.want("without a state", b.multi(made(submission()), income), 400, contract.CodeInvalidState)
		b.want("without a date of birth", b.multi(made(submission("address", address, "personal", personal("dob", nil))), income),
			400, contract.CodeInvalidState)
	})
}

func TestSecondaryReportErrors(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		income := b.seed.Products[contract.Income]
		source, _ := b.cashflowVisit("single", "prefill", resident, "externalId", "taken")
		stateless, _ := b.cashflowVisit("single")
		unborn, _ := b.cashflowVisit("single", "prefill", with(resident, "dob", nil, "address", "1 Main St", "city", "Columbus", "zip", "43004"))
		prepared := b.do("POST", "/sandbox-reports", map[string]any{"product": "cashflow", "profile": "joint"}).text("sandboxReportId")
		nameless := b.complete(b.begin("sandboxReportId", prepared, "prefill", nil), nil).text("publicToken")
		failed := b.submit(submission("personal", nil)).text("publicToken")
		b.begin("externalId", "waiting", "prefill", resident)
		var waiting string
		if err := b.db.SQL.QueryRowContext(t.Context(), `SELECT public_token FROM reports
			WHERE external_id = 'waiting'`).Scan(&waiting); err != nil {
			t.Fatal(err)
		}
		suite := func(version string) {
			t.Helper()
			if _, err := b.db.SQL.ExecContext(t.Context(), `UPDATE product_configurations
				SET income_model_suite = $1 WHERE kind = 'income'`, version); err != nil {
				t.Fatal(err)
			}
		}
		rows := func() int { return b.count(`SELECT count(*) FROM reports`) }
		before := rows()
		body := func(more ...any) map[string]any {
			return with(map[string]any{"publicToken": source, "productId": income}, more...)
		}
		for _, c := range []struct {
			what   string
			h      headers
			body   any
			status int
			code   contract.Code
			field  string
		}{
			{"no authorization", nil, body(), 400, contract.CodeMalformedHeaders, "Authorization"},
			{"wrong credentials", basic(b.seed.ClientID, store.NewSecret()), body(), 403, contract.CodeUnknownCustomer, ""},
			{"no JSON", b.basic(), "{", 400, contract.CodeMalformedBody, ""},
			{"an unknown member", b.basic(), body("consumerId", "x"), 400, contract.CodeMalformedBody, "consumerId"},
			{"nothing", b.basic(), map[string]any{}, 400, contract.CodeInvalidParameters, "productId"},
			{"no source", b.basic(), body("publicToken", nil), 400, contract.CodeInvalidParameters, "publicToken"},
			{"an empty source", b.basic(), body("publicToken", ""), 400, contract.CodeInvalidParameters, "publicToken"},
			{"a number for the product", b.basic(), body("productId", 7), 400, contract.CodeInvalidParameters, "productId"},
			{"a number for userArgs", b.basic(), body("userArgs", 7), 400, contract.CodeInvalidParameters, "userArgs"},
			{"userArgs of 256", b.basic(), body("userArgs", strings.Repeat("é", 256)), 400, contract.CodeInvalidParameters, "userArgs"},
			{"an externalId of 65", b.basic(), body("externalId", strings.Repeat("é", 65)), 400, contract.CodeInvalidParameters, "externalId"},
			{"a line break in the externalId", b.basic(), body("externalId", "a\nb"), 400, contract.CodeInvalidParameters, "externalId"},
			{"a NUL in userArgs", b.basic(), body("userArgs", "a\x00b"), 400, contract.CodeInvalidParameters, "userArgs"},
			{"a duplicate externalId", b.basic(), body("externalId", "taken"), 400, contract.CodeInvalidParameters, "externalId"},
			{"an unknown source", b.basic(), body("publicToken", uuid.NewString()), 404, contract.CodeInvalidToken, ""},
			{"an invalid source", b.basic(), body("publicToken", "mine"), 404, contract.CodeInvalidToken, ""},
			{"another customer's source", b.thirdParty(), body(), 404, contract.CodeInvalidToken, ""},
			{"an unknown product", b.basic(), body("productId", uuid.NewString()), 404, contract.CodeInvalidProduct, ""},
			{"an invalid product", b.basic(), body("productId", "income"), 404, contract.CodeInvalidProduct, ""},
			{"the same product", b.basic(), body("productId", b.seed.Products[contract.Cashflow]), 400, contract.CodeInvalidState, ""},
			{"another pair", b.basic(), body("productId", b.seed.Products[contract.Eligibility]), 400, contract.CodeInvalidState, ""},
			{"a source that failed", b.basic(), body("publicToken", failed), 400, contract.CodeInvalidState, ""},
			{"a source that is not made", b.basic(), body("publicToken", waiting), 400, contract.CodeInvalidState, ""},
			{"no state", b.basic(), body("publicToken", stateless), 400, contract.CodeInvalidState, ""},
			{"no date of birth", b.basic(), body("publicToken", unborn), 400, contract.CodeInvalidState, ""},
			{"no consumer data", b.basic(), body("publicToken", nameless), 400, contract.CodeInvalidState, ""},
		} {
			a := b.post(multiPath, c.h, c.body)
			b.want(c.what, a, c.status, c.code)
			if c.field != "" && !strings.Contains(string(a.raw), `"field":"`+c.field+`"`) {
				t.Errorf("%s: %s does not name %s", c.what, a.raw, c.field)
			}
		}
		relayToken := b.relayed(source)
		b.want("what is only shared", b.post(multiPath, b.thirdParty(), body("publicToken", relayToken)), 404, contract.CodeInvalidToken)
		suite("1.1")
		b.want("an old suite", b.multi(source, income), 400, contract.CodeInvalidState)
		suite("1.10")
		if n := rows(); n != before {
			t.Errorf("rejected requests created %d reports", n-before)
		}
		b.want("a later suite", b.multi(strings.ToUpper(source), strings.ToUpper(income), "externalId",
			strings.Repeat("é", 64), "userArgs", strings.Repeat("é", 255)), 200, "")
		b.want("labels that are null", b.multi(source, income, "externalId", nil, "userArgs", nil), 200, "")

		// A consumer that has withdrawn consent has no new reports.
		withdrawn, r := b.cashflowVisit("single", "prefill", resident)
		b.want("withdrawal", b.ask(b.service.URL, "DELETE", "/connect/consumers/"+report.Text(r.Meta.ConsumerID), b.basic(), nil), 204, "")
		b.want("after withdrawal", b.multi(withdrawn, income), 400, contract.CodeInvalidState)

		b.advance("719h59m")
		b.want("within 30 days", b.multi(source, income), 200, "")
		b.advance("2m")
		b.want("after 30 days", b.multi(source, income), 400, contract.CodeInvalidState)
		b.advance("1440h")
		b.want("after 90 days", b.multi(source, income), 404, contract.CodeInvalidToken)
	})
}

// TestSecondaryReportKeepsAgeOfData checks that the data of a secondary report are
// available and kept no longer than those of its source.
func TestSecondaryReportKeepsAgeOfData(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		source, r := b.cashflowVisit("single", "prefill", resident)
		b.advance("240h") // 10 days
		token := b.secondaryReport(source, b.seed.Products[contract.Income])
		list := b.get("/connect/income/v2/files", b.named(token))
		var files []map[string]string
		if err := json.Unmarshal(list.raw, &files); err != nil || len(files) != 1 {
			t.Fatalf("files: %s", list.raw)
		}
		path := "/connect/income/v2/files/" + files[0]["source_filepath"]
		ach := "/connect/bank-accounts/" + r.AccountDetails[0].AccountID + "/ach-details"
		b.advance("95h")
		b.want("a file within 14 days of the source", b.get(path, b.named(token)), 200, "")
		b.advance("2h")
		b.want("a file after them", b.get(path, b.named(token)), 410, contract.CodeGone)
		b.want("account numbers after them", b.get(ach, b.named(token)), 404, contract.CodeNotFound)
		if n := b.count(`SELECT count(*) FROM report_data WHERE public_token = $1 AND input IS NULL`, token); n != 1 {
			t.Error("the copy of the data is kept")
		}
		if n := b.count(`SELECT count(*) FROM report_data WHERE public_token = $1 AND input IS NOT NULL`, source); n != 1 {
			t.Error("the source's data were deleted")
		}
		b.want("the report", b.get("/connect/income/v2/json", b.named(token)), 200, "")
	})
}

// TestSecondaryReportsConcurrently checks that one of concurrent requests with one external
// id creates a report.
func TestSecondaryReportsConcurrently(t *testing.T) {
	eachEngine(t, func(t *testing.T, b *testServer) {
		source, _ := b.cashflowVisit("single", "prefill", resident)
		var mu sync.Mutex
		count := map[int]int{}
		var wg sync.WaitGroup
		for range 30 {
			wg.Go(func() {
				a := b.multi(source, b.seed.Products[contract.Income], "externalId", "one")
				mu.Lock()
				defer mu.Unlock()
				count[a.status]++
			})
		}
		wg.Wait()
		if count[200] != 1 || count[400] != 29 || b.count(`SELECT count(*) FROM reports WHERE external_id = 'one'`) != 1 {
			t.Errorf("answers by status: %v", count)
		}
	})
}
