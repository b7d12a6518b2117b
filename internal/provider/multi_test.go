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
		path := ""
		b.run("it is an income report of the same data", func(t *testing.T) {
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
		})
		b.run("each report has its kind, and its own files", func(t *testing.T) {
			b.want("as a cashflow report", b.get("/connect/cashflow/v2/json", b.named(token)), 404, contract.CodeInvalidToken)
			b.want("the source as an income report", b.get("/connect/income/v2/json", b.named(source)), 404, contract.CodeInvalidToken)
			b.want("the source's files as an income report's", b.get("/connect/income/v2/files", b.named(source)), 404, contract.CodeInvalidToken)
			path = b.onlyFile(token, "BANK_TRANSACTIONS")
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
			b.want("a file of no report", b.get(path, b.named(uuid.NewString())), 404, contract.CodeInvalidToken)
		})
		b.run("it can be shared", func(t *testing.T) { b.sharesIncome(t, got.raw, token, b.secondaryReport(source, income), path) })
		b.run("it cannot be a source, but its source can be one again", func(t *testing.T) {
			b.want("from a secondary one", b.multi(token, b.seed.Products[contract.Cashflow]), 400, contract.CodeInvalidState)
			again := b.secondaryReport(source, income)
			if other := b.get("/connect/income/v2/json", b.named(again)); other.status != 200 || again == token {
				t.Errorf("another one of the same source: %d %s", other.status, again)
			}
		})
		b.begin("productId", income, "externalId", "waiting", "prefill", resident)
		b.want("a report that is not made", b.get("/connect/income/v2/json", append(b.bearer(b.basic()), "X-EXTERNAL-ID", "waiting")),
			404, contract.CodeReportNotReady)
	})
}

// onlyFile returns the path of the only file of an income report.
func (b *testServer) onlyFile(publicToken, kind string) string {
	b.t.Helper()
	list := b.get("/connect/income/v2/files", b.named(publicToken))
	var files []map[string]string
	if err := json.Unmarshal(list.raw, &files); err != nil || len(files) != 1 || files[0]["document_type"] != kind {
		b.t.Fatalf("files: %s", list.raw)
	}
	return "/connect/income/v2/files/" + files[0]["source_filepath"]
}

// sharesIncome checks that a third party reads an income report and its file until the share is withdrawn, and another one that they
// do not read until it expires.
func (b *testServer) sharesIncome(t *testing.T, raw []byte, token, unread, file string) {
	paths := []string{"/connect/income/v2/json", "/connect/income/v2/files", file}
	relayToken, unreadToken := b.relayed(token), b.relayed(unread)
	theirs := b.get(paths[0], b.relay(relayToken))
	b.want("to a third party", theirs, 200, "")
	if at := bytes.Index(raw, []byte(`"product":`)); at < 0 || !bytes.HasSuffix(theirs.raw, raw[at:]) ||
		bytes.Contains(theirs.raw, []byte("second")) {
		t.Errorf("the third party reads %.400s", theirs.raw)
	}
	b.want("withdrawn", b.withdraw(relayToken), 200, "")
	for _, p := range paths {
		b.want(p+" withdrawn", b.get(p, b.relay(relayToken)), 400, contract.CodeRelayTokenRevoked)
	}
	b.advance("73h")
	for _, p := range paths {
		b.want(p+" after 72 hours", b.get(p, b.relay(unreadToken)), 400, contract.CodeRelayTokenExpired)
	}
}

func TestCashflowFromIncome(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		done := b.complete(b.begin("productId", b.seed.Products[contract.Income], "prefill", resident), nil)
		source := done.text("publicToken")
		if _, err := report.ParseIncome(b.get("/connect/income/v2/json", b.named(source)).raw); err != nil {
			t.Fatalf("%s: %v", done.raw, err)
		}
		token := b.secondaryReport(source, b.seed.Products[contract.Cashflow])
		r := b.report(b.named(token))
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

var (
	longLabel = strings.Repeat("é", 256)
	badMulti  = []refusedBody{
		{"an unknown member", []any{"consumerId", "x"}, 400, contract.CodeMalformedBody, "consumerId"},
		{"no product", []any{"productId", nil}, 400, contract.CodeInvalidParameters, "productId"},
		{"no source", []any{"publicToken", nil}, 400, contract.CodeInvalidParameters, "publicToken"},
		{"an empty source", []any{"publicToken", ""}, 400, contract.CodeInvalidParameters, "publicToken"},
		{"a number for the product", []any{"productId", 7}, 400, contract.CodeInvalidParameters, "productId"},
		{"a number for userArgs", []any{"userArgs", 7}, 400, contract.CodeInvalidParameters, "userArgs"},
		{"userArgs of 256", []any{"userArgs", longLabel}, 400, contract.CodeInvalidParameters, "userArgs"},
		{"an externalId of 65", []any{"externalId", longLabel[:130]}, 400, contract.CodeInvalidParameters, "externalId"},
		{"a line break in the externalId", []any{"externalId", "a\nb"}, 400, contract.CodeInvalidParameters, "externalId"},
		{"a NUL in userArgs", []any{"userArgs", "a\x00b"}, 400, contract.CodeInvalidParameters, "userArgs"},
		{"a duplicate externalId", []any{"externalId", "taken"}, 400, contract.CodeInvalidParameters, "externalId"},
		{"an unknown source", []any{"publicToken", uuid.NewString()}, 404, contract.CodeInvalidToken, ""},
		{"an invalid source", []any{"publicToken", "mine"}, 404, contract.CodeInvalidToken, ""},
		{"an unknown product", []any{"productId", uuid.NewString()}, 404, contract.CodeInvalidProduct, ""},
		{"an invalid product", []any{"productId", "income"}, 404, contract.CodeInvalidProduct, ""},
	}
)

func TestSecondaryReportErrors(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		income, cashflow := b.seed.Products[contract.Income], b.seed.Products[contract.Cashflow]
		source, _ := b.cashflowVisit("single", "prefill", resident, "externalId", "taken")
		sources := map[string]string{"a source that failed": b.submit(submission("personal", nil)).text("publicToken")}
		sources["no state"], _ = b.cashflowVisit("single")
		sources["no date of birth"], _ = b.cashflowVisit("single", "prefill",
			with(resident, "dob", nil, "address", "1 Main St", "city", "Columbus", "zip", "43004"))
		_, sources["no consumer data"] = b.prepared(contract.Cashflow, map[string]any{"profile": "joint"})
		b.begin("externalId", "waiting", "prefill", resident)
		sources["a source that is not made"] = b.one(`SELECT public_token FROM reports WHERE external_id = 'waiting'`)
		reports := b.count(`SELECT count(*) FROM reports`)
		good := map[string]any{"publicToken": source, "productId": income}
		b.run("wrong bodies", func(*testing.T) {
			b.refuses(multiPath, good, badMulti)
			b.wantField("nothing", b.post(multiPath, b.basic(), map[string]any{}), 400, contract.CodeInvalidParameters, "productId")
		})
		b.run("another customer", func(*testing.T) {
			b.want("another customer's source", b.post(multiPath, b.thirdParty(), good), 404, contract.CodeInvalidToken)
			shared := with(good, "publicToken", b.relayed(source))
			b.want("what is only shared", b.post(multiPath, b.thirdParty(), shared), 404, contract.CodeInvalidToken)
		})
		b.run("sources and products that do not fit", func(*testing.T) {
			for what, token := range sources {
				b.want(what, b.multi(token, income), 400, contract.CodeInvalidState)
			}
			b.want("the same product", b.multi(source, cashflow), 400, contract.CodeInvalidState)
			b.want("another pair", b.multi(source, b.seed.Products[contract.Eligibility]), 400, contract.CodeInvalidState)
			b.exec(`UPDATE product_configurations SET income_model_suite = '1.1' WHERE kind = 'income'`)
			b.want("an old suite", b.multi(source, income), 400, contract.CodeInvalidState)
			b.exec(`UPDATE product_configurations SET income_model_suite = '1.10' WHERE kind = 'income'`)
		})
		if n := b.count(`SELECT count(*) FROM reports`); n != reports {
			t.Errorf("rejected requests created %d reports", n-reports)
		}
		b.want("a later suite", b.multi(strings.ToUpper(source), strings.ToUpper(income), "externalId",
			strings.Repeat("é", 64), "userArgs", strings.Repeat("é", 255)), 200, "")
		b.want("labels that are null", b.multi(source, income, "externalId", nil, "userArgs", nil), 200, "")
		b.run("a consumer that has withdrawn consent", func(*testing.T) {
			withdrawn, r := b.cashflowVisit("single", "prefill", resident)
			b.want("withdrawal", b.ask(b.service.URL, "DELETE", "/connect/consumers/"+report.Text(r.Meta.ConsumerID), b.basic(), nil), 204, "")
			b.want("after withdrawal", b.multi(withdrawn, income), 400, contract.CodeInvalidState)
		})
		b.run("a source is 30 days old at most", func(*testing.T) {
			b.advance("719h59m")
			b.want("within 30 days", b.multi(source, income), 200, "")
			b.advance("2m")
			b.want("after 30 days", b.multi(source, income), 400, contract.CodeInvalidState)
			b.advance("1440h")
			b.want("after 90 days", b.multi(source, income), 404, contract.CodeInvalidToken)
		})
	})
}

// TestSecondaryReportKeepsAgeOfData checks that the data of a secondary report are
// available and kept no longer than those of its source.
func TestSecondaryReportKeepsAgeOfData(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		source, r := b.cashflowVisit("single", "prefill", resident)
		b.advance("240h") // 10 days
		token := b.secondaryReport(source, b.seed.Products[contract.Income])
		path := b.onlyFile(token, "BANK_TRANSACTIONS")
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
		for range 16 {
			wg.Go(func() {
				a := b.multi(source, b.seed.Products[contract.Income], "externalId", "one")
				mu.Lock()
				defer mu.Unlock()
				count[a.status]++
			})
		}
		wg.Wait()
		if count[200] != 1 || count[400] != 15 || b.count(`SELECT count(*) FROM reports WHERE external_id = 'one'`) != 1 {
			t.Errorf("answers by status: %v", count)
		}
	})
}
