package provider_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"vestibule/internal/contract"
	"vestibule/internal/store"
	"vestibule/internal/testutil/storetest"
)

// TestMessages: errors name what is wrong and what would be right, with the contract's codes.
func TestMessages(t *testing.T) {
	b := newTestServer(t, storetest.SQLite(t, store.Provider))
	encode := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	auth := func(value string) headers { return headers{"Authorization", value} }
	token := b.bearer(b.basic())
	raw, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(token[1], "Bearer "))
	cashflow, income := b.seed.Products[contract.Cashflow], b.seed.Products[contract.Income]
	report := b.complete(b.begin(), nil).text("publicToken")
	begin := func(more ...any) map[string]any {
		return with(map[string]any{"productId": cashflow, "prefill": applicant}, more...)
	}
	widget := func(more ...any) map[string]any {
		return with(map[string]any{"env": "sandbox", "publicId": b.seed.PublicID, "productId": cashflow, "token": "x"}, more...)
	}
	const (
		undefined   = "is the word undefined: a variable of your program has no value"
		basicWanted = "; send Basic and the base64 of clientId:secretKey"
		tokenWanted = "; send Bearer and the base64 of an accessToken"
		access      = "/connect/accesstoken"
		status      = "/connect/status"
		initialize  = "/connect/initialization"
		visits      = "/widget/v1/visits"
	)
	for _, c := range []struct {
		name, path string
		h          headers
		body       any // nil for GET
		status     int
		code       contract.Code
		field      string // empty for the message
		message    string
	}{
		{"no credentials", access, nil, nil, 400, "MALFORMED_HEADERS", "Authorization", "is missing" + basicWanted},
		{"another scheme", access, token, nil, 400, "MALFORMED_HEADERS", "Authorization", "must be Basic and the base64 of clientId:secretKey"},
		{"credentials without base64", access, auth("Basic " + b.seed.ClientID + ":x"), nil, 403, "UNKNOWN_CUSTOMER", "Authorization",
			"is not base64 after the scheme" + basicWanted},
		{"credentials without colon", access, auth("Basic " + encode("client")), nil, 403, "UNKNOWN_CUSTOMER", "Authorization",
			"has no text with a colon in its base64" + basicWanted},
		{"credentials of unset variables", access, basic("undefined", "undefined"), nil, 403, "UNKNOWN_CUSTOMER", "Authorization",
			undefined + basicWanted},
		{"credentials of the other environment", access, append(b.basic(), "X-ENVIRONMENT", "production"), nil, 403, "UNKNOWN_CUSTOMER", "",
			"The credentials belong to no customer of the production environment."},
		{"unknown credentials", access, basic("undef", "x"), nil, 403, "UNKNOWN_CUSTOMER", "",
			"The credentials belong to no customer of the sandbox environment."},
		{"environment in capitals", access, append(b.basic(), "X-ENVIRONMENT", "SANDBOX"), nil, 400, "MALFORMED_HEADERS", "X-ENVIRONMENT",
			"must be sandbox or production, in lower case"},
		{"no token", status, nil, nil, 400, "MALFORMED_HEADERS", "Authorization", "is missing" + tokenWanted},
		{"token without base64", status, auth("Bearer " + string(raw)), nil, 403, "UNKNOWN_CUSTOMER", "Authorization",
			"is not base64 after the scheme" + tokenWanted},
		{"token undefined", status, auth("Bearer undefined"), nil, 403, "UNKNOWN_CUSTOMER", "Authorization", undefined + tokenWanted},
		{"token undefined in base64", status, auth("Bearer " + encode("undefined")), nil, 403, "UNKNOWN_CUSTOMER", "Authorization",
			undefined + tokenWanted},
		{"something else in base64", status, auth("Bearer " + encode("hello")), nil, 403, "UNKNOWN_CUSTOMER", "Authorization",
			"has no accessToken in its base64" + tokenWanted},
		{"no identifier", status, token, nil, 400, "MALFORMED_HEADERS", "X-PUBLIC-TOKEN",
			"is missing, and so is X-EXTERNAL-ID; send one of the two"},
		{"identifier undefined", status, append(token, "X-PUBLIC-TOKEN", "undefined"), nil, 404, "INVALID_TOKEN", "X-PUBLIC-TOKEN",
			undefined},
		{"unknown report", status, append(token, "X-PUBLIC-TOKEN", uuid.NewString()), nil, 404, "INVALID_TOKEN", "",
			"No report of yours has this identifier, or it is over 90 days old."},
		{"report of another kind", contract.Income.Path() + "/json", append(token, "X-PUBLIC-TOKEN", report), nil, 404, "INVALID_TOKEN", "",
			"This report is of the kind cashflow; read it under /connect/cashflow/v2."},
		{"submission without product", submissionPath, token, map[string]any{}, 400, "MALFORMED_HEADERS", "X-PRODUCT-ID",
			"must be given once, with the id of a cashflow product of yours"},
		{"submission to a product of another kind", submissionPath, append(token, "X-PRODUCT-ID", income), map[string]any{}, 400,
			"INVALID_PRODUCT", "X-PRODUCT-ID", "is a product for income reports; a submission needs one for cashflow reports"},
		{"submission to an unknown product", submissionPath, append(token, "X-PRODUCT-ID", uuid.NewString()), map[string]any{}, 400,
			"INVALID_PRODUCT", "X-PRODUCT-ID", "must be a product of your account"},
		{"mistyped member", initialize, b.basic(), begin("product_id", "x"), 400, "MALFORMED_BODY", "product_id",
			`is not a field of this request; did you mean "productId"?`},
		{"mistyped key", initialize, b.basic(), begin("prefill", with(applicant, "first_name", "Ana")), 400, "INVALID_PREFILL_KEY",
			"prefill.first_name", `is not a key of this prefill; did you mean "firstName"?`},
		{"date in another form", initialize, b.basic(), begin("prefill", with(applicant, "dob", "04/12/1990")), 400, "INVALID_PREFILL_DOB",
			"prefill.dob", "must be YYYY-MM-DD, for an age from 1 to 110 years"},
		{"no product", initialize, b.basic(), begin("productId", ""), 400, "INVALID_PRODUCT", "productId", "is missing"},
		{"product null", initialize, b.basic(), begin("productId", "null"), 400, "INVALID_PRODUCT", "productId",
			"is the word null: a variable of your program has no value"},
		{"consumer with prefill", initialize, b.basic(), begin("consumerId", uuid.NewString()), 400, "INVALID_CONSUMER_ID", "consumerId",
			"is given together with prefill; send one of the two"},
		{"another environment of the widget", visits, nil, widget("env", "Sandbox"), 400, "UNKNOWN_CUSTOMER", "env",
			"must be sandbox or production, and publicId must be given"},
		{"publicId of the other environment", visits, nil, widget("env", "production"), 403, "UNKNOWN_CUSTOMER", "",
			"publicId belongs to no customer of the production environment."},
		{"widget's token undefined", visits, nil, widget("token", "undefined"), 400, "INVALID_TOKEN", "token",
			undefined},
		{"widget's product of another token", visits, nil, widget("token", b.begin(), "productId", income), 400,
			"MISMATCHED_PRODUCT_ID", "productId", "differs from the token's, which is " + cashflow},
		{"mistyped member of a redirect", "/secure-redirect", b.basic(), begin("completeURL", "https://evil.example/"), 400, "MALFORMED_BODY",
			"completeURL", `is not a field of this request; did you mean "completeUrl"?`},
		{"product missing from a multi-product request", "/connect/multi-product-tokens", b.basic(), map[string]any{"publicToken": report},
			400, "INVALID_PARAMETERS", "productId", "is missing"},
		{"report of another form to share", "/connect/relay-tokens", b.basic(), map[string]any{"publicToken": "x", "publicId": "y"}, 400,
			"INVALID_PARAMETERS", "publicToken", "must be a report's UUID"},
		{"redirect URL that is not registered", "/secure-redirect", b.basic(), begin("completeUrl", "https://evil.example/"), 400,
			"INVALID_COMPLETE_URL", "completeUrl", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			method := http.MethodGet
			if c.body != nil {
				method = http.MethodPost
			}
			a := b.ask(b.service.URL, method, c.path, c.h, c.body)
			b.want(c.name, a, c.status, c.code)
			var got struct {
				Message string
				Details []struct{ Field, Message string }
			}
			json.Unmarshal(a.raw, &got)
			found := c.field == "" && got.Message == c.message
			for _, d := range got.Details {
				found = found || d.Field == c.field && (d.Message == c.message || c.message == "")
			}
			if !found {
				t.Errorf("%s has no %q: %q", a.raw, c.field, c.message)
			}
			for _, secret := range []string{b.seed.SecretKey, string(raw), "04/12/1990", "evil.example"} {
				if strings.Contains(string(a.raw), secret) {
					t.Errorf("the error quotes a value: %s", a.raw)
				}
			}
		})
	}
}
