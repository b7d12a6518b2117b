package app_test

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/google/uuid"

	"vestibule/internal/store"
	"vestibule/internal/testutil"
	"vestibule/internal/testutil/program"
)

// TestIdentifiersBelongToOneCustomer requests everything of one customer with another's
// credentials. The answer must be the same as for an unknown identifier, and must
// change nothing.
func TestIdentifiersBelongToOneCustomer(t *testing.T) {
	eachEngineInFull(t, func(t *testing.T, w *testServer) {
		r := w.addCustomerRows(t)
		tries := w.foreignIDs(t, r)
		w.rested(t)
		before := w.rows(t)
		for name, c := range tries {
			got, want := do(t, c.request(c.id)), do(t, c.request(c.unknown))
			if got.Status < 400 || got.Status != want.Status || !reflect.DeepEqual(anonymous(got), anonymous(want)) {
				t.Errorf("%s: another's is answered %d %s\nan unknown one        %d %s", name, got.Status, got.Body, want.Status, want.Body)
			}
		}
		if d := difference(before, w.rows(t)); d != "" {
			t.Errorf("refused requests left rows: %s", d)
		}

		// An external id that one customer has used is free for another.
		asOther := []string{"Authorization", basic(w.Credentials.ThirdParty.Account), "Content-Type", asJSON}
		for path, body := range map[string]string{"/connect/consumers": `{"consumerExternalId":"mine-3"}`,
			"/connect/initialization": `{"productId":"` + r.othersProduct + `","externalId":"mine-1","prefill":` + goodPrefill + `}`} {
			if got := do(t, ask(t, "POST", w.Provider+path, body, asOther...)); got.Status >= 300 {
				t.Errorf("%s with another's external id = %d %s", path, got.Status, got.Body)
			}
		}
		// The first customer's data did not change.
		good(t, 200, ask(t, "GET", w.Provider+"/connect/consumers/"+r.consumer, "", "Authorization", basic(w.Credentials.Account)))
		good(t, 201, ask(t, "POST", w.Provider+"/widget/v1/visits", w.registration(r.unused), "Content-Type", asJSON))
	})
}

// customerRows are identifiers of one customer, and a product of another.
type customerRows struct {
	publicToken, unused, consumer, prepared, elsewhere, child, childProduct string
	othersProduct                                                           string
}

func (w *testServer) addCustomerRows(t *testing.T) (r customerRows) {
	t.Helper()
	r.publicToken = w.complete(t, w.token(t, `,"externalId":"mine-1"`)).field("publicToken")
	r.unused = w.token(t, `,"externalId":"mine-2"`)
	r.consumer = w.post(t, 201, "/connect/consumers", `{"consumerExternalId":"mine-3","prefill":`+goodPrefill+`}`).field("consumerId")
	r.prepared = good(t, 201, ask(t, "POST", w.Control+"/sandbox-reports", `{"product":"cashflow","profile":"joint"}`,
		"Content-Type", asJSON)).field("sandboxReportId")
	child := w.post(t, 201, "/accounts", `{"accountName":"Elsewhere"}`).field("publicId")
	r.elsewhere = w.post(t, 200, "/connect/relay-tokens", `{"publicToken":"`+r.publicToken+`","publicId":"`+child+`"}`).field("relayToken")
	r.child, r.childProduct, _ = w.child(t)
	r.othersProduct = w.productOf(t, w.Credentials.ThirdParty.Account)
	return r
}

// foreignIDs are the identifiers, in requests of another customer.
func (w *testServer) foreignIDs(t *testing.T, r customerRows) map[string]foreignID {
	own, other := w.Credentials.Account, w.Credentials.ThirdParty.Account
	c := foreignCaller{t, w.Provider, w.bearer(t, other), basic(other)}
	begin := func(product, member string) func(id string) *http.Request {
		return c.send("POST", "/connect/initialization", `{"productId":"`+product+`",`+member+`,"prefill":`+goodPrefill+`}`)
	}
	const status, report, unknownAccount = "/connect/status", "/connect/cashflow/v2/json", "svc-unknowns"
	unknown, unknownToken := uuid.NewString(), strings.Repeat("A", 43)
	return map[string]foreignID{
		"status":                {r.publicToken, unknown, c.fetch(status, "X-Public-Token", "{id}")},
		"status by external id": {"mine-1", "unknown", c.fetch(status, "X-External-Id", "{id}")},
		"report":                {r.publicToken, unknown, c.fetch(report, "X-Public-Token", "{id}")},
		"report by external id": {"mine-1", "unknown", c.fetch(report, "X-External-Id", "{id}")},
		"report to share": {r.publicToken, unknown,
			c.send("POST", "/connect/relay-tokens", `{"publicToken":"{id}","publicId":"`+own.PublicID+`"}`)},
		"relay token to withdraw":             {r.elsewhere, unknown, c.send("DELETE", "/connect/relay-tokens/{id}", "")},
		"relay token for another third party": {r.elsewhere, unknown, c.fetch(report, "X-Public-Token", "{id}")},
		"account":                             {own.PublicID, "unknown", c.fetch(status, "X-Public-Token", r.publicToken, "X-Public-Id", "{id}")},
		"consumer":                            {r.consumer, unknown, c.send("GET", "/connect/consumers/{id}", "")},
		"consumer changed":                    {r.consumer, unknown, c.send("PATCH", "/connect/consumers/{id}", `{"consumerExternalId":"x"}`)},
		"consumer withdrawn":                  {r.consumer, unknown, c.send("DELETE", "/connect/consumers/{id}", "")},
		"consumer in an initialization": {r.consumer, unknown,
			c.send("POST", "/connect/initialization", `{"productId":"`+r.othersProduct+`","consumerId":"{id}"}`)},
		"prepared report":           {r.prepared, unknown, begin(r.othersProduct, `"sandboxReportId":"{id}"`)},
		"product":                   {w.Credentials.Products["cashflow"], unknown, begin("{id}", `"userArgs":"u"`)},
		"child account":             {r.child, unknownAccount, c.send("POST", "/accounts/{id}/products", `{"productName":"x"}`)},
		"child account by its name": {r.child, unknownAccount, c.send("PUT", "/accounts/{id}/products", `{"productName":"Theirs"}`)},
		"child account acted for":   {r.child, unknownAccount, c.fetch(status, "X-Public-Token", r.publicToken, "X-Public-Id", "{id}")},
		"child account's product":   {r.childProduct, unknown, begin("{id}", `"userArgs":"u"`)},
		"token in a redirect": {r.unused, unknownToken,
			c.send("POST", "/secure-redirect", `{"token":"{id}","completeUrl":"https://other.example/back"}`)},
		"token in the widget": {r.unused, unknownToken, c.ask("POST", "/widget/v1/visits", `{"env":"sandbox","productId":"`+r.othersProduct+
			`","publicId":"`+other.PublicID+`","token":"{id}"}`, "Content-Type", asJSON)},
		"complete URL": {w.Portal + "/redirect/return", "https://unknown.example/", c.send("POST", "/secure-redirect",
			`{"productId":"`+r.othersProduct+`","completeUrl":"{id}","prefill":`+goodPrefill+`}`)},
	}
}

// anonymous returns an error response without the parts that differ between requests.
func anonymous(r reply) map[string]any {
	all := map[string]any{}
	json.Unmarshal(r.Body, &all)
	all = maps.Clone(all)
	delete(all, "requestId")
	return all
}

// productOf adds a cashflow product and a redirect URL to an account, as its dashboard
// would, and returns the product's id.
func (w *testServer) productOf(t *testing.T, a program.Account) string {
	t.Helper()
	id := uuid.NewString()
	err := w.stores[1].Tx(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO products (id, customer_id, kind, name, inquiry_type, created_at)
			SELECT $1, id, 'cashflow', 'Theirs', 'PERSONAL', 0 FROM customers WHERE public_id = $2`, id, a.PublicID)
		return err
	})
	testutil.Must(t, err)
	good(t, 204, ask(t, "POST", w.Control+"/complete-urls", `{"publicId":"`+a.PublicID+
		`","url":"https://other.example/back"}`, "Content-Type", asJSON))
	return id
}
