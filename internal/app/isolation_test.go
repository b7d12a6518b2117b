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
	"vestibule/internal/testutil/program"
)

// TestIdentifiersBelongToOneCustomer requests everything of one customer with another's
// credentials. The answer must be the same as for an unknown identifier, and must
// change nothing.
func TestIdentifiersBelongToOneCustomer(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *testServer) {
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
	own := w.Credentials.Account
	token := w.token(t, `,"externalId":"mine-1"`)
	r.publicToken = w.complete(t, token).field("publicToken")
	r.unused = w.token(t, `,"externalId":"mine-2"`)
	r.consumer = good(t, 201, ask(t, "POST", w.Provider+"/connect/consumers", `{"consumerExternalId":"mine-3","prefill":`+goodPrefill+`}`,
		"Authorization", basic(own), "Content-Type", asJSON)).field("consumerId")
	r.prepared = good(t, 201, ask(t, "POST", w.Control+"/sandbox-reports", `{"product":"cashflow","profile":"joint"}`,
		"Content-Type", asJSON)).field("sandboxReportId")
	child := good(t, 201, ask(t, "POST", w.Provider+"/accounts", `{"accountName":"Elsewhere"}`,
		"Authorization", basic(own), "Content-Type", asJSON)).field("publicId")
	r.elsewhere = good(t, 200, ask(t, "POST", w.Provider+"/connect/relay-tokens", `{"publicToken":"`+r.publicToken+`","publicId":"`+child+`"}`,
		"Authorization", basic(own), "Content-Type", asJSON)).field("relayToken")
	r.child, r.childProduct, _ = w.child(t)
	r.othersProduct = w.productOf(t, w.Credentials.ThirdParty.Account)
	return r
}

// foreignIDs are the identifiers, in requests of another customer.
func (w *testServer) foreignIDs(t *testing.T, r customerRows) map[string]foreignID {
	own, other := w.Credentials.Account, w.Credentials.ThirdParty.Account
	product, theirs := r.othersProduct, w.bearer(t, other)
	initialization := func(member, id string) string {
		body := `{"productId":"` + product + `","` + member + `":"` + id + `"`
		if member != "consumerId" {
			body += `,"prefill":` + goodPrefill
		}
		return body + `}`
	}
	asOther := []string{"Authorization", basic(other), "Content-Type", asJSON}
	widget := func(token string) string {
		return `{"env":"sandbox","productId":"` + product + `","publicId":"` + other.PublicID + `","token":"` + token + `"}`
	}
	return map[string]foreignID{
		"status": {r.publicToken, uuid.NewString(), func(id string) *http.Request {
			return ask(t, "GET", w.Provider+"/connect/status", "", "Authorization", theirs, "X-Public-Token", id)
		}},
		"status by external id": {"mine-1", "unknown", func(id string) *http.Request {
			return ask(t, "GET", w.Provider+"/connect/status", "", "Authorization", theirs, "X-External-Id", id)
		}},
		"report": {r.publicToken, uuid.NewString(), func(id string) *http.Request {
			return ask(t, "GET", w.Provider+"/connect/cashflow/v2/json", "", "Authorization", theirs, "X-Public-Token", id)
		}},
		"report by external id": {"mine-1", "unknown", func(id string) *http.Request {
			return ask(t, "GET", w.Provider+"/connect/cashflow/v2/json", "", "Authorization", theirs, "X-External-Id", id)
		}},
		"report to share": {r.publicToken, uuid.NewString(), func(id string) *http.Request {
			return ask(t, "POST", w.Provider+"/connect/relay-tokens", `{"publicToken":"`+id+`","publicId":"`+own.PublicID+`"}`, asOther...)
		}},
		"relay token to withdraw": {r.elsewhere, uuid.NewString(), func(id string) *http.Request {
			return ask(t, "DELETE", w.Provider+"/connect/relay-tokens/"+id, "", asOther...)
		}},
		"relay token for another third party": {r.elsewhere, uuid.NewString(), func(id string) *http.Request {
			return ask(t, "GET", w.Provider+"/connect/cashflow/v2/json", "", "Authorization", theirs, "X-Public-Token", id)
		}},
		"account": {own.PublicID, "unknown", func(id string) *http.Request {
			return ask(t, "GET", w.Provider+"/connect/status", "", "Authorization", theirs, "X-Public-Token", r.publicToken, "X-Public-Id", id)
		}},
		"consumer": {r.consumer, uuid.NewString(), func(id string) *http.Request {
			return ask(t, "GET", w.Provider+"/connect/consumers/"+id, "", asOther...)
		}},
		"consumer changed": {r.consumer, uuid.NewString(), func(id string) *http.Request {
			return ask(t, "PATCH", w.Provider+"/connect/consumers/"+id, `{"consumerExternalId":"x"}`, asOther...)
		}},
		"consumer withdrawn": {r.consumer, uuid.NewString(), func(id string) *http.Request {
			return ask(t, "DELETE", w.Provider+"/connect/consumers/"+id, "", asOther...)
		}},
		"consumer in an initialization": {r.consumer, uuid.NewString(), func(id string) *http.Request {
			return ask(t, "POST", w.Provider+"/connect/initialization", initialization("consumerId", id), asOther...)
		}},
		"prepared report": {r.prepared, uuid.NewString(), func(id string) *http.Request {
			return ask(t, "POST", w.Provider+"/connect/initialization", initialization("sandboxReportId", id), asOther...)
		}},
		"product": {w.Credentials.Products["cashflow"], uuid.NewString(), func(id string) *http.Request {
			return ask(t, "POST", w.Provider+"/connect/initialization",
				strings.Replace(initialization("userArgs", "u"), product, id, 1), asOther...)
		}},
		"child account": {r.child, "svc-unknowns", func(id string) *http.Request {
			return ask(t, "POST", w.Provider+"/accounts/"+id+"/products", `{"productName":"x"}`, asOther...)
		}},
		"child account by its name": {r.child, "svc-unknowns", func(id string) *http.Request {
			return ask(t, "PUT", w.Provider+"/accounts/"+id+"/products", `{"productName":"Theirs"}`, asOther...)
		}},
		"child account acted for": {r.child, "svc-unknowns", func(id string) *http.Request {
			return ask(t, "GET", w.Provider+"/connect/status", "", "Authorization", theirs, "X-Public-Token", r.publicToken, "X-Public-Id", id)
		}},
		"child account's product": {r.childProduct, uuid.NewString(), func(id string) *http.Request {
			return ask(t, "POST", w.Provider+"/connect/initialization",
				strings.Replace(initialization("userArgs", "u"), product, id, 1), asOther...)
		}},
		"token in a redirect": {r.unused, strings.Repeat("A", 43), func(id string) *http.Request {
			return ask(t, "POST", w.Provider+"/secure-redirect", `{"token":"`+id+`","completeUrl":"https://other.example/back"}`, asOther...)
		}},
		"token in the widget": {r.unused, strings.Repeat("A", 43), func(id string) *http.Request {
			return ask(t, "POST", w.Provider+"/widget/v1/visits", widget(id), "Content-Type", asJSON)
		}},
		"complete URL": {w.Portal + "/redirect/return", "https://unknown.example/", func(id string) *http.Request {
			return ask(t, "POST", w.Provider+"/secure-redirect", initialization("completeUrl", id), asOther...)
		}},
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
	if err != nil {
		t.Fatal(err)
	}
	good(t, 204, ask(t, "POST", w.Control+"/complete-urls", `{"publicId":"`+a.PublicID+
		`","url":"https://other.example/back"}`, "Content-Type", asJSON))
	return id
}
