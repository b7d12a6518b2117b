package provider_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/uuid"

	"vestibule/docs/openapitest"
	"vestibule/internal/contract"
	"vestibule/internal/store"
	"vestibule/internal/testutil/storetest"
)

// TestMain requires that the tests of this package receive every response of the service's
// OpenAPI document.
func TestMain(m *testing.M) { os.Exit(openapitest.Main(m, openapitest.OfTheService, nil)) }

// operations calls f for every operation of the service's OpenAPI document, with unknown
// UUIDs as the parameters of its path.
func operations(t *testing.T, f func(method, path string, op *openapi3.Operation)) {
	t.Helper()
	for _, path := range openapitest.Provider(t).Paths.InMatchingOrder() {
		item := openapitest.Provider(t).Paths.Value(path)
		address := path
		for strings.Contains(address, "{") {
			before, rest, _ := strings.Cut(address, "{")
			_, after, _ := strings.Cut(rest, "}")
			address = before + uuid.NewString() + after
		}
		for method, op := range item.Operations() {
			f(method, address, op)
		}
	}
}

// scheme returns the security scheme of an operation; empty if it needs no credentials.
func scheme(op *openapi3.Operation) string {
	if op.Security != nil {
		for _, requirement := range *op.Security {
			for name := range requirement {
				return name
			}
		}
	}
	return ""
}

// TestOperationsRequireCredentials checks every operation of the OpenAPI document.
func TestOperationsRequireCredentials(t *testing.T) {
	b := newTestServer(t, storetest.SQLite(t, store.Provider))
	token := b.bearer(b.basic())
	ask := func(method, path string, op *openapi3.Operation, h headers) answer {
		var body any
		if op.RequestBody != nil {
			body = map[string]any{}
		}
		return b.ask(b.service.URL, method, path, h, body)
	}
	bearers := 0
	operations(t, func(method, path string, op *openapi3.Operation) {
		what := method + " " + path
		switch scheme(op) {
		case "basic":
			b.want(what+" with a wrong secret", ask(method, path, op, basic(b.seed.ClientID, "wrong")),
				403, codeOf(op, contract.CodeUnknownCustomer))
			b.want(what+" with a token", ask(method, path, op, token), 400, codeOf(op, contract.CodeMalformedHeaders))
		case "bearer":
			bearers++
			b.want(what+" with an invalid token", ask(method, path, op, headers{"Authorization", "Bearer bm9uZQ=="}),
				403, contract.CodeUnknownCustomer)
			b.want(what+" with the secret", ask(method, path, op, b.basic()), 400, contract.CodeMalformedHeaders)
		default:
			return
		}
		b.want(what+" without credentials", ask(method, path, op, nil), 400, codeOf(op, contract.CodeMalformedHeaders))
		b.want(what+" for an unknown child", ask(method, path, op, append(append(headers{}, pick(scheme(op), b.basic(), token)...),
			"X-PUBLIC-ID", "svc-unknown")), 403, codeOf(op, contract.CodeUnknownCustomer))
	})
	if bearers == 0 {
		t.Fatal("no operation takes a token")
	}
	b.advance("6m")
	operations(t, func(method, path string, op *openapi3.Operation) {
		if scheme(op) == "bearer" {
			b.want(method+" "+path+" with an old token", ask(method, path, op, token), 401, contract.CodeExpiredToken)
		}
	})
}

// codeOf returns the code of an operation for the error that has code at others: the
// endpoints of a consumer's bank accounts differ (API reference: Consumers).
func codeOf(op *openapi3.Operation, code contract.Code) contract.Code {
	if op.OperationID != "consumerBankAccounts" && op.OperationID != "consumerACH" {
		return code
	}
	return map[contract.Code]contract.Code{contract.CodeUnknownCustomer: contract.CodeForbidden,
		contract.CodeMalformedHeaders: contract.CodeBadRequest}[code]
}

func pick(scheme string, basic, bearer headers) headers {
	if scheme == "basic" {
		return basic
	}
	return bearer
}

// TestOperationsValidateBodies sends invalid bodies to every operation of the OpenAPI
// document.
func TestOperationsValidateBodies(t *testing.T) {
	b := newTestServer(t, storetest.SQLite(t, store.Provider))
	token := b.bearer(b.basic())
	operations(t, func(method, path string, op *openapi3.Operation) {
		if op.RequestBody == nil {
			return
		}
		what := method + " " + path
		h := append(append(headers{}, pick(scheme(op), b.basic(), token)...), "X-PRODUCT-ID", b.seed.Products[contract.Cashflow])
		b.want(what+" with half a body", b.ask(b.service.URL, method, path, h, "{"), 400, contract.CodeMalformedBody)
		b.want(what+" with a list", b.ask(b.service.URL, method, path, h, "[]"), 400, contract.CodeMalformedBody)
		for _, c := range []struct {
			kind, coding, body string
			status             int
			code               contract.Code
		}{
			{"text/plain", "", "{}", 400, contract.CodeMalformedHeaders},
			{"", "", "{", 400, contract.CodeMalformedBody}, // it is read
			{"application/json", "", strings.Repeat(" ", 20<<20+1), 413, contract.CodeBodyTooLarge},
			{"application/json", "gzip", "\x1f\x8b", 415, contract.CodeUnsupportedMediaType},
			{"application/json", "identity", "{", 400, contract.CodeMalformedBody},
		} {
			req, err := http.NewRequestWithContext(t.Context(), method, b.service.URL+path, strings.NewReader(c.body))
			if err != nil {
				t.Fatal(err)
			}
			for i := 0; i < len(h); i += 2 {
				req.Header.Add(h[i], h[i+1])
			}
			if c.kind != "" {
				req.Header.Set("Content-Type", c.kind)
			}
			if c.coding != "" {
				req.Header.Set("Content-Encoding", c.coding)
			}
			req.Header.Set("Expect", "100-continue") // the body is not sent if it is rejected
			resp, err := continueClient.Do(req)
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			openapitest.Check(t, resp)
			a := answer{status: resp.StatusCode}
			json.NewDecoder(resp.Body).Decode(&a.body)
			resp.Body.Close()
			b.want(what+" as "+c.kind+" "+c.coding, a, c.status, c.code)
			if got := resp.Header.Get("Accept-Encoding"); (c.status == 415) != (got == "identity") {
				t.Errorf("%s in %q: Accept-Encoding %q", what, c.coding, got)
			}
		}
	})
}

// badPrefills has a change to a valid prefill for each error code.
var badPrefills = map[contract.WidgetError]any{
	contract.WidgetPIIMissing:           map[string]any{"email": nil},
	contract.WidgetPrefillKey:           map[string]any{"shoeSize": "44"},
	contract.WidgetPrefillAddress:       map[string]any{"address": strings.Repeat("x", 101)},
	contract.WidgetPrefillCity:          map[string]any{"city": strings.Repeat("x", 101)},
	contract.WidgetPrefillDOB:           map[string]any{"dob": "1990-02-30"},
	contract.WidgetPrefillEmail:         map[string]any{"email": "x"},
	contract.WidgetPrefillFirstName:     map[string]any{"firstName": "4"},
	contract.WidgetPrefillLastName:      map[string]any{"lastName": "4"},
	contract.WidgetPrefillIncome:        map[string]any{"statedAnnualIncome": -1},
	contract.WidgetPrefillPhone:         map[string]any{"phone": strings.Repeat("5", 256)},
	contract.WidgetPrefillState:         map[string]any{"state": "ZZ"},
	contract.WidgetPrefillZIP:           map[string]any{"zip": "1"},
	contract.WidgetPrefillEmployerNames: map[string]any{"statedEmployerNames": []string{}},
}

// TestInvalidPrefillCodes checks the error codes of all endpoints with a prefill.
func TestInvalidPrefillCodes(t *testing.T) {
	b := newTestServer(t, storetest.SQLite(t, store.Provider))
	product := b.seed.Products[contract.Eligibility] // which takes every field
	valid := with(applicant, "state", "OH", "statedEmployerNames", []string{"Acme"})
	made := b.post("/connect/consumers", b.basic(), map[string]any{"prefill": valid})
	b.want("consumer", made, 201, "")
	consumer := "/connect/consumers/" + made.text("consumerId")
	for code, change := range badPrefills {
		var flat []any
		for name, v := range change.(map[string]any) {
			flat = append(flat, name, v)
		}
		bad := with(valid, flat...)
		for what, a := range map[string]answer{
			"initialization":  b.post("/connect/initialization", b.basic(), map[string]any{"productId": product, "prefill": bad}),
			"secure redirect": b.post("/secure-redirect", b.basic(), map[string]any{"productId": product, "prefill": bad}),
			"invite link":     b.post("/connect/invite-link", b.basic(), map[string]any{"productId": product, "prefill": bad}),
			"invite": b.post("/connect/invite", b.basic(),
				map[string]any{"productId": product, "prefill": bad, "deliverTo": "ada@mail.example"}),
			"consumer": b.post("/connect/consumers", b.basic(), map[string]any{"prefill": bad}),
			"change":   b.ask(b.service.URL, "PATCH", consumer, b.basic(), map[string]any{"prefill": change}),
		} {
			b.want(fmt.Sprint(what, " with ", change), a, 400, contract.Code(code))
		}
	}
}

// TestStartErrors checks other errors of the endpoints that begin a visit.
func TestStartErrors(t *testing.T) {
	b := newTestServer(t, storetest.SQLite(t, store.Provider))
	product := b.seed.Products[contract.Cashflow]
	for i, path := range []string{"/connect/initialization", "/secure-redirect", "/connect/invite-link", "/connect/invite"} {
		begin := func(more ...any) answer {
			if path == "/connect/invite" {
				more = append(more, "deliverTo", "ada@mail.example")
			}
			return b.post(path, b.basic(), with(map[string]any{"productId": product, "prefill": applicant}, more...))
		}
		label := fmt.Sprint("case-", i)
		b.want(path, begin("externalId", label), 200, "")
		b.want(path+" with the same label", begin("externalId", label), 400, contract.CodeDuplicateExternalID)
		b.want(path+" for no product", begin("productId", uuid.NewString()), 400, contract.CodeInvalidProduct)
		b.want(path+" for no consumer", begin("prefill", nil, "consumerId", uuid.NewString()), 400, contract.CodeInvalidConsumerID)
	}
	invite := func() answer {
		return b.post("/connect/invite", b.basic(), map[string]any{"productId": product, "prefill": applicant, "deliverTo": "often@mail.example"})
	}
	for range 3 {
		b.want("an invite", invite(), 200, "")
	}
	b.want("a fourth invite of an hour", invite(), 429, contract.CodeRateLimited)
	redirect := func(body map[string]any) answer { return b.post("/secure-redirect", b.basic(), body) }
	b.want("an address that is not registered",
		redirect(map[string]any{"productId": product, "prefill": applicant, "completeUrl": "https://elsewhere.example/"}),
		400, contract.CodeInvalidCompleteURL)
	token := b.begin()
	b.want("a token", redirect(map[string]any{"token": token}), 200, "")
	again := redirect(map[string]any{"token": token})
	b.want("a token again", again, 400, contract.CodeInvalidToken)
	if !strings.Contains(again.text("message"), "initialization token") {
		t.Errorf("a token again: %q does not name the token", again.text("message"))
	}
}

// TestFileWithEndedRelayToken checks the files, which the tests of sharing do not request.
func TestFileWithEndedRelayToken(t *testing.T) {
	b := newTestServer(t, storetest.SQLite(t, store.Provider))
	publicToken, _ := b.cashflowVisit("single")
	relayToken := b.relayed(publicToken)
	file := "/connect/cashflow/v2/files/" + uuid.NewString() + "/transactions.json"
	b.advance("73h")
	b.want("after 72 hours", b.get(file, b.relay(relayToken)), 400, contract.CodeRelayTokenExpired)
	b.want("withdrawn", b.withdraw(relayToken), 200, "")
	b.want("after that", b.get(file, b.relay(relayToken)), 400, contract.CodeRelayTokenRevoked)
}
