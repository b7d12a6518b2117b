package api

import (
	"encoding/json"
	"strings"
	"testing"

	"vestibule/internal/store"
	"vestibule/internal/testutil/storetest"
)

const create = "/api/v1/applications"

// withMembers returns an application with more members, and withPrefill one whose prefill has more.
func withMembers(members string) string {
	return `{"product":"cashflow","mode":"redirect"` + members + `}`
}

func withPrefill(members string) string {
	return withMembers(`,"prefill":{"firstName":"Ana","lastName":"N","email":"a@example.com"` + members + `}`)
}

var refusedRequests = []struct {
	name, method, path, body string
	headers                  []string
	code, field, message     string
}{
	{"no body", "POST", create, "", nil, "MALFORMED_BODY", "", "is empty"},
	{"broken JSON", "POST", create, "{\n \"product\": cashflow}", nil, "MALFORMED_BODY", "product",
		"is not valid JSON near line 2, column 13"},
	{"mistyped member", "POST", create, withMembers(`,"external_id":"a"`), nil, "MALFORMED_BODY", "external_id",
		`is not a field of this request; did you mean "externalId"?`},
	{"unknown member", "POST", create, withMembers(`,"color":"a"`), nil, "MALFORMED_BODY", "color",
		"is not a field of this request; known are product, mode, prefill, externalId, userArgs, returnUrl, allowedOrigin, " +
			"language"},
	{"large body", "POST", create, withMembers(`,"userArgs":"` + strings.Repeat("x", maxRequest) + `"`), nil, "BODY_TOO_LARGE", "",
		"must have at most 65536 bytes"},
	{"a form", "POST", create, "product=cashflow", []string{"Content-Type", "application/x-www-form-urlencoded"}, "UNSUPPORTED_MEDIA_TYPE",
		"Content-Type", "must be application/json, in UTF-8"},
	{"no product", "POST", create, `{"mode":"redirect"}`, nil, "INVALID_PARAMETERS", "product", "is required: cashflow"},
	{"mistyped product", "POST", create, `{"product":"cash-flow","mode":"redirect"}`, nil, "INVALID_PRODUCT", "product",
		`is not offered here; did you mean "cashflow"?`},
	{"unknown product", "POST", create, `{"product":"mortgage","mode":"redirect"}`, nil, "INVALID_PRODUCT", "product",
		"is not offered here; known are cashflow"},
	{"unknown mode", "POST", create, `{"product":"cashflow","mode":"popup"}`, nil, "INVALID_PARAMETERS", "mode",
		"must be embedded, redirect or redirect-form"},
	{"long label", "POST", create, withMembers(`,"externalId":"` + strings.Repeat("x", 65) + `"`), nil, "INVALID_PARAMETERS", "externalId",
		"must have at most 64 characters, without control or invisible characters and without spaces at either end"},
	{"label that reorders text", "POST", create, withMembers(`,"externalId":"a\u202eb"`), nil, "INVALID_PARAMETERS", "externalId",
		"must have at most 64 characters, without control or invisible characters and without spaces at either end"},
	{"origin with a path", "POST", create, withMembers(`,"allowedOrigin":"https://app.example.com/x"`), nil, "INVALID_PARAMETERS",
		"allowedOrigin", "must be an https origin without a path, such as https://app.example.com (http on this machine)"},
	{"mistyped key of a prefill", "POST", create, withPrefill(`,"dateOfBirth":"1990-12-10","emial":"secret@example.com"`), nil,
		"INVALID_PREFILL_KEY", "prefill.emial", `is not a key of this prefill; did you mean "email"?`},
	{"date of birth in another form", "POST", create, withPrefill(`,"dob":"12/10/1990"`), nil, "INVALID_PREFILL_DOB", "prefill.dob",
		"must be YYYY-MM-DD, for an age from 1 to 110 years"},
	{"income as text", "POST", create, withPrefill(`,"dob":"1990-12-10","statedAnnualIncome":"52000"`), nil, "INVALID_PREFILL_INCOME",
		"prefill.statedAnnualIncome", "must be an integer from 0 to 2147483647"},
	{"neither date of birth nor address", "POST", create, withPrefill(""), nil, "INVALID_PREFILLS_PII_MISSING", "prefill.dob",
		"is required: give dob, or address, city, state and zip"},
	{"missing before wrong", "POST", create, withMembers(`,"prefill":{"firstName":"","lastName":"N","dob":"1990-12-10"}`), nil,
		"INVALID_PREFILLS_PII_MISSING", "prefill.email", "is required"},
	{"idempotency key with spaces", "POST", create, good, []string{"Idempotency-Key", "a b"}, "MALFORMED_HEADERS", "Idempotency-Key",
		"must be given once, with 1 to 255 printable characters without spaces"},
	{"empty idempotency key", "POST", create, good, []string{"Idempotency-Key", ""}, "MALFORMED_HEADERS", "Idempotency-Key",
		"is empty; it must have 1 to 255 printable characters without spaces"},
	{"empty email", "POST", create, withMembers(`,"prefill":{"firstName":"A","lastName":"N","email":"","dob":"1990-12-10"}`), nil,
		"INVALID_PREFILL_EMAIL", "prefill.email", "is empty; it must be a valid address of at most 100 characters"},
	{"delivery of an unset variable", "GET", "/api/v1/webhooks/deliveries/undefined", "", nil, "NOT_FOUND", "id",
		"is the word undefined: a variable of your program has no value"},
	{"mistyped parameter", "GET", create + "?stat=ready", "", nil, "INVALID_PARAMETERS", "stat",
		`is not a parameter of this request; did you mean "state"?`},
	{"empty parameter", "GET", create + "?state=", "", nil, "INVALID_PARAMETERS", "state",
		"is empty; leave the parameter out or give it a value"},
	{"unknown state", "GET", create + "?state=done", "", nil, "INVALID_PARAMETERS", "state",
		"must be one of started connecting returned pending ready failed exited expired"},
	{"page too large", "GET", create + "?limit=1000", "", nil, "INVALID_PARAMETERS", "limit", "must be a whole number from 1 to 100"},
	{"day without time", "GET", create + "?createdFrom=2026-05-04", "", nil, "INVALID_PARAMETERS", "createdFrom",
		"must be a time in the form 2026-05-04T10:00:00Z (RFC 3339); in a query, + is written %2B"},
	{"times in the wrong order", "GET", create + "?createdFrom=2026-05-04T10:00:00Z&createdTo=2026-05-03T10:00:00Z", "", nil,
		"INVALID_PARAMETERS", "createdTo", "is before createdFrom, so that no application can be between them"},
	{"events after an unset variable", "GET", "/api/v1/sandbox/events?after=undefined", "", nil, "INVALID_PARAMETERS", "after",
		"is the word undefined: a variable of your program has no value"},
	{"key of an unset variable", "GET", create, "", []string{"Authorization", "Bearer undefined"}, "UNAUTHORIZED", "Authorization",
		"is the word undefined: a variable of your program has no value"},
	{"another scheme", "GET", create, "", []string{"Authorization", "Basic abc"}, "UNAUTHORIZED", "Authorization",
		"must be given once: Bearer and the portalApiKey"},
	{"another key", "GET", create, "", []string{"Authorization", "Bearer s3cret"}, "UNAUTHORIZED", "Authorization",
		"has another key than the portalApiKey of this portal"},
}

// TestMessages: each refused request names the field, what is wrong, and what would be right.
func TestMessages(t *testing.T) {
	c := serve(t, storetest.SQLite(t, store.Portal))
	for _, tc := range refusedRequests {
		t.Run(tc.name, func(t *testing.T) {
			_, e := c.do(tc.method, tc.path, tc.body, tc.headers...)
			raw, _ := json.Marshal(e)
			var got struct {
				Error   string
				Details []struct{ Field, Message string }
			}
			if json.Unmarshal(raw, &got); got.Error != tc.code {
				t.Errorf("%s, want %s", raw, tc.code)
			}
			found := false
			for _, d := range got.Details {
				found = found || d.Field == tc.field && d.Message == tc.message
			}
			if !found {
				t.Errorf("%+v has no %q: %q", got.Details, tc.field, tc.message)
			}
			for _, value := range []string{"s3cret", "secret@example.com", "12/10/1990"} {
				if strings.Contains(string(raw), value) {
					t.Errorf("the error quotes a value: %s", raw)
				}
			}
		})
	}
}

// TestEmbeddedWithoutOrigin: the answer warns that no other page can show the application.
func TestEmbeddedWithoutOrigin(t *testing.T) {
	c := serve(t, storetest.SQLite(t, store.Portal))
	for body, warned := range map[string]bool{
		`{"product":"cashflow","mode":"embedded"}`:                                           true,
		`{"product":"cashflow","mode":"embedded","allowedOrigin":"https://app.example.com"}`: false,
		`{"product":"cashflow","mode":"redirect"}`:                                           false,
	} {
		resp, made := c.do("POST", "/api/v1/applications", body, "Idempotency-Key", strings.ReplaceAll(body, `"`, ""))
		again, _ := c.do("POST", "/api/v1/applications", body, "Idempotency-Key", strings.ReplaceAll(body, `"`, ""))
		raw, _ := json.Marshal(made["warnings"])
		if resp.StatusCode != 201 || again.StatusCode != 201 || strings.Contains(string(raw), `"field":"allowedOrigin"`) != warned {
			t.Errorf("%s: %d %s", body, resp.StatusCode, raw)
		}
		_, renewed := c.do("POST", "/api/v1/applications/"+made["id"].(string)+"/embed-token", "")
		if (renewed["warnings"] != nil) != warned {
			t.Errorf("%s: a new token: %v", body, renewed)
		}
	}
}
