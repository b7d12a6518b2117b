package provider_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"vestibule/internal/contract"
	"vestibule/internal/provider/customers"
	"vestibule/internal/report"
	"vestibule/internal/store"
)

func (b *testServer) put(path string, h headers, body any) answer {
	b.t.Helper()
	return b.ask(b.service.URL, "PUT", path, h, body)
}

// child adds a child account of the generated customer by the API.
func (b *testServer) child(name string) string {
	b.t.Helper()
	a := b.post("/accounts", b.basic(), map[string]any{"accountName": name})
	b.want("child "+name, a, 201, "")
	return a.text("publicId")
}

// productOf adds a product of a child by the API.
func (b *testServer) productOf(child, name string) string {
	b.t.Helper()
	a := b.post("/accounts/"+child+"/products", b.basic(), map[string]any{"productName": name})
	b.want("product "+name, a, 201, "")
	return a.text("productId")
}

// configurations returns the ids of the generated customer's configurations by alias.
func (b *testServer) configurations() map[string]string {
	b.t.Helper()
	a := b.get("/config/v1/product-configurations", b.basic())
	b.want("configurations", a, 200, "")
	var all []struct{ ID, SvcProduct, Alias string }
	if err := json.Unmarshal(a.raw, &all); err != nil {
		b.t.Fatal(err)
	}
	out := map[string]string{}
	for _, c := range all {
		out[c.Alias] = c.ID
		if c.ID == "" || !contract.Product(c.SvcProduct).Valid() {
			b.t.Errorf("configuration %+v", c)
		}
	}
	return out
}

// Aliases of the generated configurations.
const (
	plain  = "Cashflow"
	avV1   = "Cashflow with AV attributes and score v1.0"
	income = "Income, suite 2.0"
)

func (b *testServer) assign(configuration, kind, id string) answer {
	b.t.Helper()
	return b.put("/config/v1/product-configuration-assignments/"+configuration, b.basic(), map[string]any{"type": kind, "id": id})
}

func (b *testServer) unassign(kind, id string) answer {
	b.t.Helper()
	return b.ask(b.service.URL, "DELETE", "/config/v1/product-configuration-assignments", b.basic(), map[string]any{"type": kind, "id": id})
}

// effective returns the alias of the effective configuration of a child's product, and
// whether it is inherited.
func (b *testServer) effective(child, product string) string {
	b.t.Helper()
	a := b.get("/config/v1/accounts/"+child+"/products", b.basic())
	b.want("review", a, 200, "")
	var all []struct {
		ProductID, Name, CreatedAt, UpdatedAt string
		ProductConfiguration                  struct {
			ID, Alias string
			Inherited bool
		}
	}
	if err := json.Unmarshal(a.raw, &all); err != nil {
		b.t.Fatal(err)
	}
	for _, p := range all {
		if p.ProductID != product {
			continue
		}
		if p.Name == "" || p.UpdatedAt < p.CreatedAt || len(p.CreatedAt) != len("2026-01-02T15:04:05.000Z") {
			b.t.Errorf("reviewed %+v", p)
		}
		if p.ProductConfiguration.Inherited {
			return p.ProductConfiguration.Alias + ", inherited"
		}
		return p.ProductConfiguration.Alias
	}
	b.t.Fatalf("the review has no product %s: %s", product, a.raw)
	return ""
}

func TestChildAccountsAndProducts(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		body := map[string]any{"accountName": "Höhe & Söhne", "displayName": "The Shop"}
		a := b.post("/accounts", b.basic(), body)
		b.want("a child", a, 201, "")
		child := a.text("publicId")
		if !strings.HasPrefix(child, "svc-") || len(a.body) != 1 {
			t.Errorf("answered %s", a.raw)
		}
		b.want("its name again", b.post("/accounts", b.basic(), body), 400, contract.CodeDuplicateCustomer)
		same := b.put("/accounts", b.basic(), map[string]any{"accountName": "Höhe & Söhne", "displayName": "Renamed"})
		if same.status != 200 || same.text("publicId") != child {
			t.Errorf("got by its name: %d %s", same.status, same.raw)
		}
		if got := b.one(`SELECT display_name FROM customers WHERE public_id = $1`, child); got != "The Shop" {
			t.Errorf("PUT renamed an existing account to %q", got)
		}
		other := b.put("/accounts", b.basic(), map[string]any{"accountName": "höhe & söhne", "displayName": "The Shop"})
		if other.status != 201 || other.text("publicId") == child {
			t.Errorf("another spelling with the same display name: %d %s", other.status, other.raw)
		}
		theirs := b.post("/accounts", b.thirdParty(), body)
		b.want("the name below another parent", theirs, 201, "")

		path := "/accounts/" + child + "/products"
		p := b.post(path, b.basic(), map[string]any{"productName": "Car loan", "displayName": "Car"})
		b.want("a product", p, 201, "")
		if !contract.IsUUID(p.text("productId")) || len(p.body) != 1 {
			t.Errorf("answered %s", p.raw)
		}
		b.want("its name again", b.post(path, b.basic(), map[string]any{"productName": "Car loan"}), 400, contract.CodeDuplicateProduct)
		if a := b.put(path, b.basic(), map[string]any{"productName": "Car loan"}); a.status != 200 || a.text("productId") != p.text("productId") {
			t.Errorf("got by its name: %d %s", a.status, a.raw)
		}
		if a := b.put(path, b.basic(), map[string]any{"productName": "House loan", "displayName": "Car"}); a.status != 201 ||
			a.text("productId") == p.text("productId") {
			t.Errorf("another: %d %s", a.status, a.raw)
		}
		b.want("its name in another account", b.post("/accounts/"+other.text("publicId")+"/products",
			b.basic(), map[string]any{"productName": "Car loan"}), 201, "")

		for what, id := range map[string]string{"unknown": "svc-unknown", "another parent's child": theirs.text("publicId"),
			"another customer":  b.seed.ThirdParty.PublicID,
			"the parent itself": b.seed.PublicID, "no id": "%00", "no text": "%ff"} {
			for _, method := range []string{"POST", "PUT"} {
				b.want(method+" a product of "+what, b.ask(b.service.URL, method, "/accounts/"+id+"/products", b.basic(),
					map[string]any{"productName": "x"}), 404, contract.CodeUnknownChild)
			}
			b.want("review of "+what, b.get("/config/v1/accounts/"+id+"/products", b.basic()), 404, contract.CodeUnknownChild)
		}
	})
}

// one returns the text of a query's single row.
func (b *testServer) one(query string, args ...any) string {
	b.t.Helper()
	var s string
	if err := b.db.SQL.QueryRowContext(b.t.Context(), query, args...).Scan(&s); err != nil {
		b.t.Fatal(err)
	}
	return s
}

func (b *testServer) exec(query string, args ...any) {
	b.t.Helper()
	if _, err := b.db.SQL.ExecContext(b.t.Context(), query, args...); err != nil {
		b.t.Fatal(err)
	}
}

// hierarchy returns the stored account hierarchy as text.
func (b *testServer) hierarchy() string {
	b.t.Helper()
	all, err := store.QueryAll(b.t.Context(), b.db.SQL, func(row store.Row) (c [5]string, err error) {
		err = row.Scan(&c[0], &c[1], &c[2], &c[3], &c[4])
		return c, err
	}, `SELECT 'a', id, name, coalesce(display_name, ''),
		coalesce(configuration_id, '') FROM customers
		UNION ALL SELECT 'p', id, name, coalesce(display_name, ''), coalesce(configuration_id, '') FROM products
		UNION ALL SELECT 'k', id, client_id, coalesce(CAST(expires_at AS TEXT), ''),
		coalesce(CAST(revoked_at AS TEXT), '') FROM credentials ORDER BY 1, 2`)
	if err != nil {
		b.t.Fatal(err)
	}
	return fmt.Sprintln(all)
}

// TestHierarchyRejects sends invalid requests to every endpoint of the hierarchy, and
// checks that nothing of them is stored.
func TestHierarchyRejects(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		h := newFamily(b)
		before := b.hierarchy()
		for name, rows := range map[string][]rejected{"callers": h.callers(), "targets": h.targets(), "names": h.names(),
			"credentials": h.credentials()} {
			b.run(name, func(*testing.T) {
				for _, r := range rows {
					b.wantField(r.what, b.ask(b.service.URL, r.method, r.path, r.h, r.body), r.status, r.code, r.field)
				}
			})
		}
		if after := b.hierarchy(); after != before {
			t.Errorf("refused requests changed what is stored, from\n%s\nto\n%s", before, after)
		}
	})
}

// family is a customer's child account and product, and those of another customer.
type family struct {
	*testServer
	childID, product, config string
	theirs, theirProduct     string
}

const (
	theirConfig = "11111111-2222-4333-8444-555555555555" // of the other customer
	assignments = "/config/v1/product-configuration-assignments"
)

func newFamily(b *testServer) *family {
	h := &family{testServer: b}
	h.childID = b.child("Child")
	h.product = b.productOf(h.childID, "Product")
	h.theirs = b.post("/accounts", b.thirdParty(), map[string]any{"accountName": "Theirs"}).text("publicId")
	h.theirProduct = b.post("/accounts/"+h.theirs+"/products", b.thirdParty(), map[string]any{"productName": "Theirs"}).text("productId")
	h.config = b.configurations()[avV1]
	b.exec(`INSERT INTO product_configurations (id, customer_id, kind, alias, inquiry_type, created_at)
		SELECT $1, id, 'cashflow', 'Theirs', 'OTHER', 0
		FROM customers WHERE public_id = $2`, theirConfig, b.seed.ThirdParty.PublicID)
	return h
}

// rejected is a request that is refused.
type rejected struct {
	what, method, path string
	h                  headers
	body               any
	status             int
	code               contract.Code
	field              string
}

func (h *family) asChild() headers { return append(h.basic(), "X-PUBLIC-ID", h.childID) }

func (h *family) valid() map[string]any { return map[string]any{"type": "product", "id": h.product} }

// callers are not allowed to use an endpoint, or send what it does not accept.
func (h *family) callers() []rejected {
	asChild, valid := h.asChild(), h.valid()
	return []rejected{
		{"a child's child", "POST", "/accounts", asChild, map[string]any{"accountName": "x"}, 403, contract.CodeForbidden, ""},
		{"a child's child, or its name", "PUT", "/accounts", asChild, map[string]any{"accountName": "x"}, 403, contract.CodeForbidden, ""},
		{"a product by the child", "POST", "/accounts/" + h.childID + "/products", asChild,
			map[string]any{"productName": "x"}, 403, contract.CodeForbidden, ""},
		{"a product by the child, or its name", "PUT", "/accounts/" + h.childID + "/products", asChild,
			map[string]any{"productName": "x"}, 403, contract.CodeForbidden, ""},
		{"configurations of a child", "GET", "/config/v1/product-configurations", asChild, nil, 403, contract.CodeForbidden, ""},
		{"a review by a child", "GET", "/config/v1/accounts/" + h.childID + "/products", asChild, nil, 403, contract.CodeForbidden, ""},
		{"an assignment by a child", "PUT", assignments + "/" + h.config, asChild, valid, 403, contract.CodeForbidden, ""},
		{"configurations that are not enabled", "GET", "/config/v1/product-configurations",
			h.thirdParty(), nil, 403, contract.CodeForbidden, ""},
		{"a review that is not enabled", "GET", "/config/v1/accounts/" + h.theirs + "/products",
			h.thirdParty(), nil, 403, contract.CodeForbidden, ""},
		{"an assignment that is not enabled", "PUT", assignments + "/" + theirConfig, h.thirdParty(),
			map[string]any{"type": "account", "id": h.theirs}, 403, contract.CodeForbidden, ""},
		{"a removal that is not enabled", "DELETE", assignments, h.thirdParty(),
			map[string]any{"type": "account", "id": h.theirs}, 403, contract.CodeForbidden, ""},
		{"a rotation that is not enabled", "POST", "/credentials/rotate", h.thirdParty(), nil, 403, contract.CodeForbidden, ""},
		{"a rotation for a child", "POST", "/credentials/rotate", asChild, nil, 403, contract.CodeForbidden, ""},

		{"an unknown configuration", "PUT", assignments + "/" + uuid.NewString(), h.basic(), valid, 404, contract.CodeUnknownConfiguration, ""},
		{"an invalid configuration id", "PUT", assignments + "/%00", h.basic(), valid, 404, contract.CodeUnknownConfiguration, ""},
		{"another's configuration", "PUT", assignments + "/" + theirConfig, h.basic(), valid, 404, contract.CodeUnknownConfiguration, ""},
		{"a member in capitals", "POST", "/accounts", h.basic(), `{"ACCOUNTNAME":"x"}`, 400, contract.CodeMalformedBody, "ACCOUNTNAME"},
		{"no target", "PUT", assignments + "/" + h.config, h.basic(), map[string]any{}, 400, contract.CodeMalformedBody, "type"},
		{"no id", "PUT", assignments + "/" + h.config, h.basic(), map[string]any{"type": "account"}, 400, contract.CodeMalformedBody, "id"},
		{"another type", "DELETE", assignments, h.basic(), map[string]any{"type": "Account", "id": h.childID},
			400, contract.CodeMalformedBody, "type"},
		{"a removal without a body", "DELETE", assignments, append(h.basic(), "Content-Type", "application/json"),
			nil, 400, contract.CodeMalformedBody, ""},
		{"a removal without a content type either", "DELETE", assignments, h.basic(), nil, 400, contract.CodeMalformedBody, ""},
		{"a removal of another content type", "DELETE", assignments, append(h.basic(), "Content-Type", "text/plain"),
			nil, 400, contract.CodeMalformedHeaders, "Content-Type"},
	}
}

// targets are accounts and products that the customer cannot configure.
func (h *family) targets() (rows []rejected) {
	for what, id := range map[string]string{"unknown": "svc-unknown", "another's": h.theirs,
		"the parent's own": h.seed.PublicID, "another customer's": h.seed.ThirdParty.PublicID,
		"odd": "\u202eé", "the id of a product": h.product} {
		rows = append(rows, rejected{what + " account", "PUT", assignments + "/" + h.config, h.basic(),
			map[string]any{"type": "account", "id": id}, 404, contract.CodeUnknownChild, ""},
			rejected{what + " account, removed", "DELETE", assignments, h.basic(),
				map[string]any{"type": "account", "id": id}, 404, contract.CodeUnknownChild, ""})
	}
	for what, id := range map[string]string{"unknown": uuid.NewString(), "another's": h.theirProduct,
		"odd": "'; --", "the id of an account": h.childID} {
		rows = append(rows, rejected{what + " product", "PUT", assignments + "/" + h.config, h.basic(),
			map[string]any{"type": "product", "id": id}, 404, contract.CodeInvalidProduct, ""},
			rejected{what + " product, removed", "DELETE", assignments, h.basic(),
				map[string]any{"type": "product", "id": id}, 404, contract.CodeInvalidProduct, ""})
	}
	return rows
}

// names are names that accounts and products cannot have.
func (h *family) names() (rows []rejected) {
	long := strings.Repeat("é", 101)
	for what, name := range map[string]any{"nothing": nil, "an empty name": "", "too long a name": long,
		"a number": 7, "a space before": " x", "a space after": "x ",
		"a line break": "a\nb", "turned text": "a\u202eb", "an invisible name": "\u200b"} {
		for path, field := range map[string]string{"/accounts": "accountName", "/accounts/" + h.childID + "/products": "productName"} {
			for _, method := range []string{"POST", "PUT"} {
				rows = append(rows, rejected{what + " as " + field, method, path, h.basic(),
					map[string]any{field: name}, 400, contract.CodeMalformedBody, field})
				if name != nil {
					rows = append(rows, rejected{what + " as displayName", method, path, h.basic(),
						map[string]any{field: "x", "displayName": name}, 400, contract.CodeMalformedBody, "displayName"})
				}
			}
		}
	}
	return rows
}

// credentials are missing, wrong, or of another environment or account.
func (h *family) credentials() (rows []rejected) {
	valid := h.valid()
	for _, e := range [][2]string{{"POST", "/accounts"}, {"PUT", "/accounts"}, {"POST", "/accounts/" + h.childID + "/products"},
		{"PUT", "/accounts/" + h.childID + "/products"},
		{"GET", "/config/v1/product-configurations"}, {"GET", "/config/v1/accounts/" + h.childID + "/products"},
		{"PUT", assignments + "/" + h.config},
		{"DELETE", assignments}, {"POST", "/credentials/rotate"}} {
		rows = append(rows, rejected{"no credentials for " + e[1], e[0], e[1], nil, valid, 400, contract.CodeMalformedHeaders, "Authorization"},
			rejected{"a wrong secret for " + e[1], e[0], e[1], basic(h.seed.ClientID, "x"), valid, 403, contract.CodeUnknownCustomer, ""},
			rejected{"an access token for " + e[1], e[0], e[1], h.bearer(h.basic()), valid, 400, contract.CodeMalformedHeaders, "Authorization"},
			rejected{"the other environment for " + e[1], e[0], e[1], append(h.basic(), "X-ENVIRONMENT", "production"),
				valid, 403, contract.CodeUnknownCustomer, ""},
			rejected{"another's child for " + e[1], e[0], e[1], append(h.basic(), "X-PUBLIC-ID", h.theirs),
				valid, 403, contract.CodeUnknownCustomer, ""})
		if e[0] != "GET" && e[1] != "/credentials/rotate" {
			rows = append(rows, rejected{"an unknown member for " + e[1], e[0], e[1], h.basic(),
				map[string]any{"parent": "x"}, 400, contract.CodeMalformedBody, "parent"},
				rejected{"a large body for " + e[1], e[0], e[1], h.basic(), `{"accountName":"` +
					strings.Repeat("x", 9<<10) + `"}`, 413, contract.CodeBodyTooLarge, ""})
		}
	}
	return rows
}

// TestCreateChildrenConcurrently sends a hundred concurrent requests for the same account
// and the same product.
func TestCreateChildrenConcurrently(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		child := b.child("Child")
		for _, c := range []struct {
			method, path, field, id string
			status                  int
			code                    string
		}{
			{"POST", "/accounts", "accountName", "publicId", 400, "DUPLICATE_CUSTOMER"},
			{"PUT", "/accounts", "accountName", "publicId", 200, ""},
			{"POST", "/accounts/" + child + "/products", "productName", "productId", 400, "DUPLICATE_PRODUCT"},
			{"PUT", "/accounts/" + child + "/products", "productName", "productId", 200, ""},
		} {
			answers := b.concurrently(16, c.method, c.path, b.basic(), map[string]any{c.field: "Of " + c.method})
			created, ids := 0, map[string]bool{}
			for _, a := range answers {
				switch {
				case a.status == 201:
					created++
				case a.status != c.status || a.text("error") != c.code:
					t.Errorf("%s %s: %d %s", c.method, c.path, a.status, a.raw)
				}
				if id := a.text(c.id); id != "" {
					ids[id] = true
				}
			}
			if created != 1 || len(ids) != 1 {
				t.Errorf("%s %s: %d were created, with %d ids; want one", c.method, c.path, created, len(ids))
			}
		}
	})
}

// concurrently sends a request n times concurrently.
func (b *testServer) concurrently(n int, method, path string, h headers, body any) []answer {
	b.t.Helper()
	out := make([]answer, n)
	var wg sync.WaitGroup
	for i := range out {
		wg.Go(func() {
			raw, _ := json.Marshal(body)
			req, _ := http.NewRequestWithContext(context.WithoutCancel(b.t.Context()), method, b.service.URL+path, strings.NewReader(string(raw)))
			for i := 0; i < len(h); i += 2 {
				req.Header.Add(h[i], h[i+1])
			}
			req.Header.Set("Content-Type", "application/json")
			resp, err := client.Do(req)
			if err != nil {
				b.t.Error(err)
				return
			}
			defer resp.Body.Close()
			out[i].status = resp.StatusCode
			if err := json.NewDecoder(resp.Body).Decode(&out[i].body); err != nil {
				b.t.Error(err)
			}
		})
	}
	wg.Wait()
	return out
}

func TestConfigurationsAreInherited(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		config := b.configurations()
		for _, alias := range []string{plain, avV1, income, "Income, suite 2.0 without inflows", "Income, suite 1.2",
			"Eligibility", "Eligibility, income only", "Eligibility, assets only", "Credit passport"} {
			if config[alias] == "" {
				t.Errorf("there is no configuration %q: %v", alias, config)
			}
		}
		child := b.child("Child")
		if a := b.get("/config/v1/accounts/"+child+"/products", b.basic()); a.status != 200 || strings.TrimSpace(string(a.raw)) != "[]" {
			t.Errorf("review of a child without products: %d %s", a.status, a.raw)
		}
		p, q := b.productOf(child, "P"), b.productOf(child, "Q")
		expect := func(when, wantP, wantQ string) {
			t.Helper()
			if got := b.effective(child, p); got != wantP {
				t.Errorf("%s, P has %q, want %q", when, got, wantP)
			}
			if got := b.effective(child, q); got != wantQ {
				t.Errorf("%s, Q has %q, want %q", when, got, wantQ)
			}
		}
		expect("at first", plain+", inherited", plain+", inherited")
		a := b.assign(config[income], "account", child)
		if b.want("to the account", a, 200, ""); a.text("type") != "account" || a.text("id") != child ||
			a.text("productConfigId") != config[income] || len(a.body) != 3 {
			t.Errorf("answered %s", a.raw)
		}
		expect("when the account is assigned", income+", inherited", income+", inherited")
		b.want("to P", b.assign(strings.ToUpper(config[avV1]), "product", strings.ToUpper(p)), 200, "")
		expect("when P is assigned", avV1, income+", inherited")
		b.want("to the account again", b.assign(config["Eligibility"], "account", child), 200, "")
		expect("when the account is updated", avV1, "Eligibility, inherited")
		b.want("removed from the account", b.unassign("account", child), 204, "")
		expect("when the account inherits", avV1, plain+", inherited")
		b.want("removed from the account twice", b.unassign("account", child), 204, "")
		b.want("removed from P", b.unassign("product", p), 204, "")
		b.want("removed from P twice", b.unassign("product", p), 204, "")
		expect("when all inherit", plain+", inherited", plain+", inherited")
		b.want("the same as is inherited", b.assign(config[plain], "product", p), 200, "")
		expect("when P has what it would inherit", plain, plain+", inherited")

		// A parent can configure its own products, but not its account.
		b.want("a product of the parent", b.assign(config[avV1], "product", b.seed.Products[contract.Cashflow]), 200, "")
		// A restart keeps assignments.
		if err := b.provider.Seed(t.Context(), b.seed); err != nil {
			t.Fatal(err)
		}
		if got := b.one(`SELECT configuration_id FROM products WHERE id = $1`, b.seed.Products[contract.Cashflow]); got != config[avV1] {
			t.Error("a restart changed an assignment")
		}
		if len(b.configurations()) != len(config) {
			t.Error("a restart added configurations")
		}

		// Products of a customer without configurations have no kind.
		theirs := b.post("/accounts", b.thirdParty(), map[string]any{"accountName": "Theirs"}).text("publicId")
		bare := b.post("/accounts/"+theirs+"/products", b.thirdParty(), map[string]any{"productName": "Bare"}).text("productId")
		b.entitle(b.seed.ThirdParty.PublicID, true, customers.Configurations)
		if a := b.get("/config/v1/accounts/"+theirs+"/products", b.thirdParty()); a.status != 200 ||
			!strings.Contains(string(a.raw), `"productConfiguration":null`) {
			t.Errorf("review without any configuration: %d %s", a.status, a.raw)
		}
		as := append(b.thirdParty(), "X-PUBLIC-ID", theirs)
		b.want("a visit for it", b.post("/connect/initialization", as, map[string]any{"productId": bare, "prefill": applicant}),
			400, contract.CodeInvalidProduct)
		b.want("a submission for it", b.post(submissionPath, append(b.bearer(b.thirdParty()), "X-PUBLIC-ID", theirs,
			"X-PRODUCT-ID", bare), submission()), 400, contract.CodeInvalidProduct)
	})
}

// report waits for a report and returns it.
func (b *testServer) report(h headers) *report.Cashflow {
	b.t.Helper()
	for {
		a := b.get("/connect/cashflow/v2/json", h)
		if a.status == http.StatusOK {
			r, err := report.ParseCashflow(a.raw)
			if err != nil {
				b.t.Fatal(err)
			}
			return r
		}
		if a.text("status") != "PENDING" {
			b.t.Fatalf("report: %d %s", a.status, a.raw)
		}
	}
}

// TestConfigurationSelectsReportParts compares reports of products with different
// configurations.
func TestConfigurationSelectsReportParts(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		config, child := b.configurations(), b.child("Child")
		old, current := b.productOf(child, "Old"), b.productOf(child, "Current")
		b.want("AV and v1.0", b.assign(config[avV1], "product", old), 200, "")
		as := append(b.bearer(b.basic()), "X-PUBLIC-ID", child)
		submit := func(product string) answer {
			return b.post(submissionPath, append(slices.Clone(as), "X-PRODUCT-ID", product),
				submission("personal", personal("firstName", "Default")))
		}
		has := func(what, product string, attributes int, scores ...string) {
			t.Helper()
			a := submit(product)
			b.want(what, a, 200, "")
			r := b.report(append(slices.Clone(as), "X-PUBLIC-TOKEN", a.text("publicToken")))
			var versions []string
			for _, s := range r.Scores {
				versions = append(versions, s.ScoreVersion)
			}
			if len(r.Attributes) != attributes || !slices.Equal(versions, scores) {
				t.Errorf("%s: %d attributes and scores %v, want %d and %v", what, len(r.Attributes), versions, attributes, scores)
			}
		}
		has("with AV and v1.0", old, 144, "v1.0", "v2.0")
		has("with what is inherited", current, 120, "v2.0")
		own := b.productOf(child, "Own money")
		b.want("v2.1", b.assign(config["Cashflow with score v2.1"], "product", own), 200, "")
		has("with v2.1", own, 120, "v2.0", "v2.1")
		token := submit(own).text("publicToken")
		r := b.report(append(slices.Clone(as), "X-PUBLIC-TOKEN", token))
		if len(r.Properties) == 0 || r.Scores[1].Value == nil || len(r.Scores[1].AdverseActionCodes) == 0 {
			t.Errorf("with v2.1: %+v %+v", r.Properties, r.Scores)
		}
		list := b.get("/connect/cashflow/v2/files", append(slices.Clone(as), "X-PUBLIC-TOKEN", token))
		var files []map[string]string
		if err := json.Unmarshal(list.raw, &files); err != nil || len(files) == 0 {
			t.Fatalf("files: %s", list.raw)
		}
		a, err := report.ParseAnalysis(b.get("/connect/cashflow/v2/files/"+files[0]["source_filepath"],
			append(slices.Clone(as), "X-PUBLIC-TOKEN", token)).raw)
		if err != nil || len(a.Scores) != 2 || a.Scores[1].Version != "v2.1" || *a.Scores[1].Value != *r.Scores[1].Value {
			t.Errorf("score v2.1: %+v %v", a, err)
		}
		b.want("the account's", b.assign(config[avV1], "account", child), 200, "")
		has("after the account's", current, 144, "v1.0", "v2.0")
		b.want("income", b.assign(config[income], "product", current), 200, "")
		b.want("a submission for an income product", submit(current), 400, contract.CodeInvalidProduct)
		b.want("back", b.unassign("product", current), 204, "")
		has("when it inherits again", current, 144, "v1.0", "v2.0")
	})
}

// TestParentActsForChild makes a submission, a visit, and a redirect for a child, and reads
// their reports.
func TestParentActsForChild(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		child, sibling := b.child("Child"), b.child("Sibling")
		product := b.productOf(child, "Loan")
		theirs := b.productOf(sibling, "Loan")
		as := func(h headers, more ...string) headers {
			return append(append(slices.Clone(h), "X-PUBLIC-ID", child), more...)
		}
		bearer := b.bearer(b.basic())

		b.want("submission", b.post(submissionPath, as(bearer, "X-PRODUCT-ID", product), submission("externalId", "by-submission")), 200, "")
		b.want("the child's product without the child", b.post(submissionPath, append(slices.Clone(bearer), "X-PRODUCT-ID", product),
			submission()), 400, contract.CodeInvalidProduct)
		begun := b.post("/connect/initialization", as(b.basic()),
			map[string]any{"productId": product, "externalId": "by-visit", "prefill": applicant})
		b.want("initialization", begun, 200, "")
		visit := b.complete(begun.text("token"), nil)
		link := b.post("/secure-redirect", as(b.basic()), map[string]any{"productId": product, "externalId": "by-redirect", "prefill": applicant})
		b.want("redirect", link, 200, "")
		back := b.complete(link.text("redirectToken"), nil)
		if !strings.HasPrefix(back.text("completeUrl"), "https://customer.example/done?jwt=") {
			t.Errorf("the child's redirect leads to %q, want the parent's redirect URL", back.text("completeUrl"))
		}
		for _, other := range []string{theirs, b.seed.Products[contract.Cashflow]} {
			b.want("a submission of another's product", b.post(submissionPath, as(bearer, "X-PRODUCT-ID", other), submission()),
				400, contract.CodeInvalidProduct)
			b.want("a visit of another's product", b.post("/connect/initialization", as(b.basic()),
				map[string]any{"productId": other, "prefill": applicant}), 400, contract.CodeInvalidProduct)
			b.want("a redirect of another's product", b.post("/secure-redirect", as(b.basic()),
				map[string]any{"productId": other, "prefill": applicant}), 400, contract.CodeInvalidProduct)
		}
		for _, externalID := range []string{"by-submission", "by-visit", "by-redirect"} {
			r := b.report(as(bearer, "X-EXTERNAL-ID", externalID))
			if r.Product.ProductID != product || r.Product.Name != "Loan" || r.Product.InquiryType != "PERSONAL" {
				t.Errorf("%s: product %+v", externalID, r.Product)
			}
			for _, path := range []string{"/connect/status", "/connect/cashflow/v2/json", "/connect/cashflow/v2/files"} {
				b.want(path+" without the child", b.get(path, append(slices.Clone(bearer), "X-EXTERNAL-ID", externalID)),
					404, contract.CodeInvalidToken)
				b.want(path+" for its sibling", b.get(path, append(slices.Clone(bearer), "X-EXTERNAL-ID",
					externalID, "X-PUBLIC-ID", sibling)), 404, contract.CodeInvalidToken)
				b.want(path+" by another customer", b.get(path, as(b.bearer(b.thirdParty()), "X-EXTERNAL-ID", externalID)),
					403, contract.CodeUnknownCustomer)
				b.want(path+" for the third party", b.get(path, append(slices.Clone(bearer), "X-EXTERNAL-ID", externalID,
					"X-PUBLIC-ID", b.seed.ThirdParty.PublicID)), 403, contract.CodeUnknownCustomer)
			}
		}
		token := visit.text("publicToken")
		b.want("by the token, for the child", b.get("/connect/status", as(bearer, "X-PUBLIC-TOKEN", token)), 200, "")
		b.want("by the token alone", b.get("/connect/status", append(slices.Clone(bearer), "X-PUBLIC-TOKEN", token)), 200, "")
		b.want("the report by the token alone", b.get("/connect/cashflow/v2/json",
			append(slices.Clone(bearer), "X-PUBLIC-TOKEN", token)), 200, "")
		b.want("account numbers by the token alone", b.get("/connect/bank-accounts/"+uuid.NewString()+"/ach-details",
			append(slices.Clone(bearer), "X-PUBLIC-TOKEN", token)), 404, contract.CodeInvalidToken)
		b.want("by the token, for its sibling", b.get("/connect/status", append(slices.Clone(bearer), "X-PUBLIC-TOKEN",
			token, "X-PUBLIC-ID", sibling)), 404, contract.CodeInvalidToken)
		b.want("by the token, by another", b.get("/connect/status", append(b.bearer(b.thirdParty()), "X-PUBLIC-TOKEN", token)),
			404, contract.CodeInvalidToken)
	})
}
