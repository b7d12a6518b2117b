package provider_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"vestibule/internal/contract"
	"vestibule/internal/store"
	"vestibule/internal/testutil/golden"
	"vestibule/internal/testutil/storetest"
)

// refusedRequest is a request with a mistake that back ends make. Without a body it is sent by GET.
type refusedRequest struct {
	name, path string
	h          headers
	body       any
}

// refusedRequests are of the generated customer, with an access token, also as it is issued, and a cashflow report.
func (b *testServer) refusedRequests(token headers, raw, report string) []refusedRequest {
	const access, status, initialize, visits = "/connect/accesstoken", "/connect/status", "/connect/initialization", "/widget/v1/visits"
	encode := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	auth := func(value string) headers { return headers{"Authorization", value} }
	product := func(kind contract.Product) any { return b.seed.Products[kind] }
	begin := func(more ...any) any {
		return with(map[string]any{"productId": product(contract.Cashflow), "prefill": applicant}, more...)
	}
	widget := func(more ...any) any {
		return with(map[string]any{"env": "sandbox", "publicId": b.seed.PublicID, "productId": product(contract.Cashflow), "token": "x"}, more...)
	}
	nothing := map[string]any{}
	return []refusedRequest{
		{"no credentials", access, nil, nil},
		{"another scheme", access, token, nil},
		{"credentials without base64", access, auth("Basic client-portal:x"), nil},
		{"credentials without colon", access, auth("Basic " + encode("client")), nil},
		{"credentials of unset variables", access, basic("undefined", "undefined"), nil},
		{"credentials of the other environment", access, append(b.basic(), "X-ENVIRONMENT", "production"), nil},
		{"credentials without secret", access, auth("Basic " + encode("client-portal:")), nil},
		{"unknown credentials", access, basic("undef", "x"), nil},
		{"environment in capitals", access, append(b.basic(), "X-ENVIRONMENT", "SANDBOX"), nil},
		{"no token", status, nil, nil},
		{"token without base64", status, auth("Bearer " + raw), nil},
		{"token undefined", status, auth("Bearer undefined"), nil},
		{"token undefined in base64", status, auth("Bearer " + encode("undefined")), nil},
		{"something else in base64", status, auth("Bearer " + encode("hello")), nil},
		{"no identifier", status, token, nil},
		{"identifier undefined", status, append(token, "X-PUBLIC-TOKEN", "undefined"), nil},
		{"unknown report", status, append(token, "X-PUBLIC-TOKEN", uuid.NewString()), nil},
		{"report of another kind", contract.Income.Path() + "/json", append(token, "X-PUBLIC-TOKEN", report), nil},
		{"submission without product", submissionPath, token, nothing},
		{"submission to a product of another kind", submissionPath, append(token, "X-PRODUCT-ID", b.seed.Products[contract.Income]), nothing},
		{"submission to an unknown product", submissionPath, append(token, "X-PRODUCT-ID", uuid.NewString()), nothing},
		{"mistyped member", initialize, b.basic(), begin("product_id", "x")},
		{"mistyped key", initialize, b.basic(), begin("prefill", with(applicant, "first_name", "Ana"))},
		{"date in another form", initialize, b.basic(), begin("prefill", with(applicant, "dob", "04/12/1990"))},
		{"no product", initialize, b.basic(), begin("productId", "")},
		{"product null", initialize, b.basic(), begin("productId", "null")},
		{"consumer with prefill", initialize, b.basic(), begin("consumerId", uuid.NewString())},
		{"another environment of the widget", visits, nil, widget("env", "Sandbox")},
		{"publicId of the other environment", visits, nil, widget("env", "production")},
		{"widget's token undefined", visits, nil, widget("token", "undefined")},
		{"widget's product of another token", visits, nil, widget("token", b.begin(), "productId", product(contract.Income))},
		{"mistyped member of a redirect", "/secure-redirect", b.basic(), begin("completeURL", "https://evil.example/")},
		{"redirect URL that is not registered", "/secure-redirect", b.basic(), begin("completeUrl", "https://evil.example/")},
		{"product missing from a multi-product request", multiPath, b.basic(), map[string]any{"publicToken": report}},
		{"nothing to share", relayPath, b.basic(), nothing},
		{"empty values to share", relayPath, b.basic(), map[string]any{"publicToken": "", "publicId": ""}},
		{"numbers to share", relayPath, b.basic(), map[string]any{"publicToken": 1, "publicId": 2}},
		{"share with undefined", relayPath, b.basic(), map[string]any{"publicToken": report, "publicId": "undefined"}},
		{"invite without address", "/connect/invite", b.basic(), begin()},
		{"invite to an empty address", "/connect/invite", b.basic(), begin("deliverTo", "")},
		{"invite to a number", "/connect/invite", b.basic(), begin("deliverTo", 5)},
		{"empty values of prefill", initialize, b.basic(), begin("prefill", with(applicant, "firstName", "", "email", "", "zip", "", "dob", ""))},
		{"unknown consumer", initialize, b.basic(), map[string]any{"productId": product(contract.Cashflow), "consumerId": uuid.NewString()}},
		{"consumer with an empty id of yours", "/connect/consumers", b.basic(), map[string]any{"consumerExternalId": ""}},
		{"consumer undefined", "/connect/consumers/undefined", b.basic(), nil},
		{"method of another address", status, token, nothing},
		{"report of another form to share", relayPath, b.basic(), map[string]any{"publicToken": "x", "publicId": "y"}},
	}
}

// TestMessages: errors name what is wrong and what would be right, with the contract's codes, and quote no value.
func TestMessages(t *testing.T) {
	b := newTestServer(t, storetest.SQLite(t, store.Provider))
	token := b.bearer(b.basic())
	raw, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(token[1], "Bearer "))
	var messages strings.Builder
	for _, c := range b.refusedRequests(token, string(raw), b.complete(b.begin(), nil).text("publicToken")) {
		method := http.MethodGet
		if c.body != nil {
			method = http.MethodPost
		}
		a := b.ask(b.service.URL, method, c.path, c.h, c.body)
		b.want(c.name, a, a.status, contract.Code(a.text("error")))
		fmt.Fprintf(&messages, "%s: %d %s %s\n", c.name, a.status, a.text("error"), a.text("message"))
		var got struct {
			Details []struct{ Field, Message string }
		}
		json.Unmarshal(a.raw, &got)
		for _, d := range got.Details {
			fmt.Fprintf(&messages, "  %s %s\n", d.Field, d.Message)
		}
		for _, secret := range []string{b.seed.SecretKey, string(raw), "04/12/1990", "evil.example"} {
			if strings.Contains(string(a.raw), secret) {
				t.Errorf("%s: the error quotes a value: %s", c.name, a.raw)
			}
		}
	}
	golden.Compare(t, "testdata/messages.txt", strings.ReplaceAll(messages.String(), b.seed.Products[contract.Cashflow], "CASHFLOW-PRODUCT"))
}
