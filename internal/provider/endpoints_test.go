package provider_test

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"vestibule/internal/contract"
	"vestibule/internal/store"
	"vestibule/internal/testutil/storetest"
)

// TestReportEndpoints checks all endpoints of reports with valid headers, also of the
// parent account, and with invalid ones.
func TestReportEndpoints(t *testing.T) {
	t.Parallel()
	b := newTestServer(t, storetest.SQLite(t, store.Provider))
	child := b.child("A child")
	roots := map[contract.Product]string{contract.Income: "/connect/income/v2/",
		contract.Eligibility: eligibilityPath, contract.Passport: "/connect/passport/v4/"}
	aliases := map[contract.Product]string{contract.Income: "Income, suite 2.0",
		contract.Eligibility: "Eligibility", contract.Passport: "Credit passport"}
	type endpoint struct {
		path, token, externalID string
		numbers                 bool // ACH details: available when the report is old; not enabled for a child
	}
	var all []endpoint
	for _, p := range []contract.Product{contract.Income, contract.Eligibility, contract.Passport} {
		root, name := roots[p], string(p)
		token := b.complete(b.begin("productId", b.seed.Products[p], "prefill", tenantOf(p), "externalId", name), nil).text("publicToken")
		own := b.productOf(child, name)
		b.want("assigned", b.assign(b.configurations()[aliases[p]], "product", own), 200, "")
		begun := b.post("/connect/initialization", append(b.basic(), "X-PUBLIC-ID", child),
			map[string]any{"productId": own, "prefill": tenantOf(p), "externalId": "child-" + name})
		b.want("a child's visit", begun, 200, "")
		b.complete(begun.text("token"), nil)
		all = append(all, endpoint{path: "/connect/status", token: token, externalID: name},
			endpoint{path: root + "json", token: token, externalID: name})
		if p == contract.Passport {
			all = append(all, endpoint{path: root + "pdf", token: token, externalID: name})
			continue
		}
		var files []struct {
			Path string `json:"source_filepath"`
		}
		list := b.get(root+"files", b.named(token))
		if err := json.Unmarshal(list.raw, &files); err != nil || len(files) == 0 {
			t.Fatalf("%s has no files: %s", name, list.raw)
		}
		all = append(all, endpoint{path: root + "files", token: token, externalID: name},
			endpoint{path: root + "files/" + files[0].Path, token: token, externalID: name})
		_, account, _ := strings.Cut(string(b.get(root+"json", b.named(token)).raw), `"account_id":"`)
		all = append(all, endpoint{"/connect/bank-accounts/" + account[:36] + "/ach-details", token, name, true})
	}
	bearer := b.bearer(b.basic())
	as := func(more ...string) headers { return append(slices.Clone(bearer), more...) }
	wrong := func(scheme string) headers {
		return headers{"Authorization", scheme + " " + base64.StdEncoding.EncodeToString([]byte("nothing"))}
	}
	for _, e := range all {
		for _, c := range []struct {
			name   string
			with   headers
			status int
			code   contract.Code
		}{
			{"by its token", as("X-PUBLIC-TOKEN", e.token), 200, ""},
			{"by its externalId", as("X-EXTERNAL-ID", e.externalID), 200, ""},
			{"by neither", as(), 400, contract.CodeMalformedHeaders},
			{"by both", as("X-PUBLIC-TOKEN", e.token, "X-EXTERNAL-ID", e.externalID), 400, contract.CodeMalformedHeaders},
			{"without an access token", headers{"X-PUBLIC-TOKEN", e.token}, 400, contract.CodeMalformedHeaders},
			{"with the credentials themselves", append(b.basic(), "X-PUBLIC-TOKEN", e.token), 400, contract.CodeMalformedHeaders},
			{"with a text that is not an access token", append(wrong("Bearer"), "X-PUBLIC-TOKEN", e.token), 403, contract.CodeUnknownCustomer},
			{"in the other environment", as("X-PUBLIC-TOKEN", e.token, "X-ENVIRONMENT", "production"), 403, contract.CodeUnknownCustomer},
			{"of no report", as("X-PUBLIC-TOKEN", uuid.NewString()), 404, contract.CodeInvalidToken},
			{"of no report's externalId", as("X-EXTERNAL-ID", "unknown"), 404, contract.CodeInvalidToken},
			{"of a child's externalId, without the child", as("X-EXTERNAL-ID", "child-"+e.externalID), 404, contract.CodeInvalidToken},
		} {
			b.want(e.path+" "+c.name, b.get(e.path, c.with), c.status, c.code)
		}
		theirs := append(b.bearer(b.thirdParty()), "X-PUBLIC-TOKEN", e.token)
		if e.numbers { // they are not enabled to
			b.want(e.path+" of another customer's", b.get(e.path, theirs), 403, contract.CodeForbidden)
		} else {
			b.want(e.path+" of another customer's", b.get(e.path, theirs), 404, contract.CodeInvalidToken)
		}
		if !e.numbers && !strings.Contains(e.path, "/files/") {
			b.want(e.path+" of a child", b.get(e.path, as("X-EXTERNAL-ID", "child-"+e.externalID, "X-PUBLIC-ID", child)), 200, "")
		}
	}
	b.advance("301s")
	for _, e := range all {
		b.want(e.path+" when the access token is over", b.get(e.path, as("X-PUBLIC-TOKEN", e.token)), 401, contract.CodeExpiredToken)
	}
	b.advance("2160h")
	bearer = b.bearer(b.basic())
	for _, e := range all {
		if !e.numbers {
			b.want(e.path+" after 90 days", b.get(e.path, as("X-PUBLIC-TOKEN", e.token)), 404, contract.CodeInvalidToken)
		}
	}
}
