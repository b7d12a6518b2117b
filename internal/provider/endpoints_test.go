package provider_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"vestibule/internal/contract"
	"vestibule/internal/store"
	"vestibule/internal/testutil/storetest"
)

// endpoint is an address of a report, which has a counterpart of a child account.
type endpoint struct {
	path, token, externalID string
	numbers                 bool // ACH details: available when the report is old; not enabled for a child
}

// reportEndpoints completes visits of an account and its child for a product, and returns the addresses of the account's report.
func (b *testServer) reportEndpoints(child string, p contract.Product, root, alias string) []endpoint {
	name := string(p)
	token := b.complete(b.begin("productId", b.seed.Products[p], "prefill", tenantOf(p), "externalId", name), nil).text("publicToken")
	own := b.productOf(child, name)
	b.want("assigned", b.assign(b.configurations()[alias], "product", own), 200, "")
	begun := b.post("/connect/initialization", append(b.basic(), "X-PUBLIC-ID", child),
		map[string]any{"productId": own, "prefill": tenantOf(p), "externalId": "child-" + name})
	b.want("a child's visit", begun, 200, "")
	b.complete(begun.text("token"), nil)
	all := []endpoint{{"/connect/status", token, name, false}, {root + "json", token, name, false}}
	if p == contract.Passport {
		return append(all, endpoint{root + "pdf", token, name, false})
	}
	var files []struct {
		Path string `json:"source_filepath"`
	}
	list := b.get(root+"files", b.named(token))
	if err := json.Unmarshal(list.raw, &files); err != nil || len(files) == 0 {
		b.t.Fatalf("%s has no files: %s", name, list.raw)
	}
	_, account, _ := strings.Cut(string(b.get(root+"json", b.named(token)).raw), `"account_id":"`)
	return append(all, endpoint{root + "files", token, name, false}, endpoint{root + "files/" + files[0].Path, token, name, false},
		endpoint{"/connect/bank-accounts/" + account[:36] + "/ach-details", token, name, true})
}

// wantAnswers checks the answers of an endpoint to valid and invalid headers.
func (b *testServer) wantAnswers(e endpoint, child string, bearer, theirs headers) {
	as := func(more ...string) headers { return append(slices.Clone(bearer), more...) }
	byToken, byName := headers{"X-PUBLIC-TOKEN", e.token}, headers{"X-EXTERNAL-ID", e.externalID}
	for _, c := range []struct {
		name   string
		with   headers
		status int
		code   contract.Code
	}{
		{"by its token", as(byToken...), 200, ""},
		{"by its externalId", as(byName...), 200, ""},
		{"by neither", as(), 400, contract.CodeMalformedHeaders},
		{"by both", as(slices.Concat(byToken, byName)...), 400, contract.CodeMalformedHeaders},
		{"without an access token", byToken, 400, contract.CodeMalformedHeaders},
		{"with the credentials themselves", append(b.basic(), byToken...), 400, contract.CodeMalformedHeaders},
		{"with a text that is not an access token", append(headers{"Authorization", "Bearer bm90aGluZw=="}, byToken...), 403,
			contract.CodeUnknownCustomer},
		{"in the other environment", as("X-PUBLIC-TOKEN", e.token, "X-ENVIRONMENT", "production"), 403, contract.CodeUnknownCustomer},
		{"of no report", as("X-PUBLIC-TOKEN", uuid.NewString()), 404, contract.CodeInvalidToken},
		{"by an empty token", as("X-PUBLIC-TOKEN", ""), 400, contract.CodeMalformedHeaders},
		{"by a text that is not a token", as("X-PUBLIC-TOKEN", "' OR 1=1 --"), 404, contract.CodeInvalidToken},
		{"by its externalId in capitals", as("X-EXTERNAL-ID", strings.ToUpper(e.externalID)), 404, contract.CodeInvalidToken},
		{"of no report's externalId", as("X-EXTERNAL-ID", "unknown"), 404, contract.CodeInvalidToken},
		{"of a child's externalId, without the child", as("X-EXTERNAL-ID", "child-"+e.externalID), 404, contract.CodeInvalidToken},
	} {
		b.want(e.path+" "+c.name, b.get(e.path, c.with), c.status, c.code)
	}
	for _, by := range []headers{byToken, byName} {
		other := b.get(e.path, append(slices.Clone(theirs), by...))
		if e.numbers { // the other customer is not enabled to read them
			b.want(e.path+" of another customer's", other, 403, contract.CodeForbidden)
		} else {
			b.want(e.path+" of another customer's", other, 404, contract.CodeInvalidToken)
		}
	}
	if !e.numbers && !strings.Contains(e.path, "/files/") {
		b.want(e.path+" of a child", b.get(e.path, as("X-EXTERNAL-ID", "child-"+e.externalID, "X-PUBLIC-ID", child)), 200, "")
	}
}

// TestReportEndpoints checks all endpoints of reports with valid headers, also of the
// parent account, and with invalid ones.
func TestReportEndpoints(t *testing.T) {
	t.Parallel()
	b := newTestServer(t, storetest.SQLite(t, store.Provider))
	child := b.child("A child")
	all := slices.Concat(b.reportEndpoints(child, contract.Cashflow, "/connect/cashflow/v2/", "Cashflow"),
		b.reportEndpoints(child, contract.Income, "/connect/income/v2/", "Income, suite 2.0"),
		b.reportEndpoints(child, contract.Eligibility, eligibilityPath, "Eligibility"),
		b.reportEndpoints(child, contract.Passport, "/connect/passport/v4/", "Credit passport"))
	bearer, theirs := b.bearer(b.basic()), b.bearer(b.thirdParty())
	byToken := func(e endpoint) answer { return b.get(e.path, append(slices.Clone(bearer), "X-PUBLIC-TOKEN", e.token)) }
	for _, e := range all {
		b.wantAnswers(e, child, bearer, theirs)
	}
	b.advance("301s")
	for _, e := range all {
		b.want(e.path+" when the access token is over", byToken(e), 401, contract.CodeExpiredToken)
	}
	b.advance("2158h53m")
	bearer = b.bearer(b.basic())
	for _, e := range all {
		if strings.HasSuffix(e.path, "/json") || strings.HasSuffix(e.path, "/status") { // files and data are gone before
			b.want(e.path+" within 90 days", byToken(e), 200, "")
		}
	}
	b.advance("1h3m")
	bearer = b.bearer(b.basic())
	for _, e := range all {
		if !e.numbers {
			b.want(e.path+" after 90 days", byToken(e), 404, contract.CodeInvalidToken)
		}
	}
}
