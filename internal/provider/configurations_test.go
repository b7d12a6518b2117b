package provider_test

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
	"testing"

	"vestibule/internal/contract"
	"vestibule/internal/provider"
	"vestibule/internal/provider/customers"
	"vestibule/internal/provider/operator"
	"vestibule/internal/report"
	"vestibule/internal/staff"
	"vestibule/internal/store"
	"vestibule/internal/testutil/i18ntest"
)

// byOperator makes an operator's change of the account with a publicId, as a command does.
func byOperator[T any](p *provider.Provider, publicID string,
	do func(context.Context, *store.Tx, *operator.Service, customers.Account) (T, staff.Entry, error)) (out T, err error) {
	err = p.ChangeAccount(context.Background(), publicID, func(ctx context.Context, tx *store.Tx, a customers.Account) (
		e staff.Entry, err error) {
		out, e, err = do(ctx, tx, p.Operator(), a)
		return e, err
	})
	return out, err
}

func createConfiguration(p *provider.Provider, publicID string, f customers.Fields) (customers.Configuration, error) {
	return byOperator(p, publicID, func(ctx context.Context, tx *store.Tx, s *operator.Service, a customers.Account) (
		customers.Configuration, staff.Entry, error) {
		return s.CreateConfiguration(ctx, tx, a, f)
	})
}

func retireConfiguration(p *provider.Provider, publicID, name string, retire bool) (customers.Configuration, error) {
	return byOperator(p, publicID, func(ctx context.Context, tx *store.Tx, s *operator.Service, a customers.Account) (
		customers.Configuration, staff.Entry, error) {
		return s.RetireConfiguration(ctx, tx, a, name, retire)
	})
}

func createProduct(p *provider.Provider, publicID, name, configuration string) (customers.Product, error) {
	return byOperator(p, publicID, func(ctx context.Context, tx *store.Tx, s *operator.Service, a customers.Account) (
		customers.Product, staff.Entry, error) {
		return s.CreateProduct(ctx, tx, a, customers.Names{Name: name}, configuration)
	})
}

func addPrepared(p *provider.Provider, publicID, body string) (customers.PreparedReport, error) {
	return byOperator(p, publicID, func(ctx context.Context, tx *store.Tx, s *operator.Service, a customers.Account) (
		customers.PreparedReport, staff.Entry, error) {
		return s.AddPrepared(ctx, tx, a, []byte(body))
	})
}

// configured creates a configuration and a product with it, by the functions of the
// operator's commands, and returns the productId.
func (b *testServer) configured(f customers.Fields) (configuration, product string) {
	b.t.Helper()
	f.Kind, f.InquiryType = orElse(f.Kind, "cashflow"), orElse(f.InquiryType, "PERSONAL")
	c, err := createConfiguration(b.provider, b.seed.PublicID, f)
	if err != nil {
		b.t.Fatal(err)
	}
	p, err := createProduct(b.provider, b.seed.PublicID, "Of "+f.Alias, c.ID)
	if err != nil {
		b.t.Fatal(err)
	}
	return c.ID, p.ID
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// of returns the report of a submission to a product.
func (b *testServer) of(product string, body map[string]any) *report.Cashflow {
	b.t.Helper()
	h := append(b.bearer(b.basic()), "X-PRODUCT-ID", product)
	a := b.ask(b.service.URL, "POST", "/connect/v2/cashflow/byo-report", h, body)
	b.want("a submission", a, 200, "")
	return b.report(append(headers{"X-Public-Token", b.ready(a.text("publicToken"))}, b.bearer(b.basic())...))
}

// TestConfigurationFieldsReachReports checks that each inquiry type, several score versions and
// both attribute families are in the reports of products that have them.
func TestConfigurationFieldsReachReports(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		for i, inquiry := range contract.InquiryTypes() {
			f := customers.Fields{Alias: "Of " + inquiry, InquiryType: inquiry}
			want := []string{"v2.0"}
			if i%2 == 0 {
				f.Scores, f.Families, want = []string{"v2.1", "v1.0"}, []string{"AV"}, []string{"v1.0", "v2.0", "v2.1"}
			}
			_, product := b.configured(f)
			r := b.of(product, submission("externalId", inquiry))
			var versions []string
			for _, s := range r.Scores {
				versions = append(versions, s.ScoreVersion)
			}
			family := slices.ContainsFunc(r.Attributes, func(a report.Attribute) bool { return strings.HasPrefix(a.Name, "AV_") })
			if r.Product.InquiryType != inquiry || !slices.Equal(versions, want) || family != (i%2 == 0) {
				t.Errorf("%s: the report has the inquiry type %s, scores %q, the family AV: %t", inquiry, r.Product.InquiryType, versions, family)
			}
		}
	})
}

// TestConfigurationLimitsBanks checks that a visit connects no more banks than its product's
// configuration allows.
func TestConfigurationLimitsBanks(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		_, product := b.configured(customers.Fields{Alias: "One bank", Banks: "1"})
		banks := []any{map[string]any{"bank": "kestrel-bank", "username": "default"},
			map[string]any{"bank": "harbor-national-bank", "username": "default"}}
		if a := b.tryComplete(b.begin("productId", product), map[string]any{"banks": banks}); a.status == 200 {
			t.Errorf("a second bank: %s", a.raw)
		}
		b.complete(b.begin("productId", product), map[string]any{"banks": banks[:1]})
		b.complete(b.begin(), map[string]any{"banks": banks}) // of another configuration
	})
}

// TestConfigurationOfPreparedReport checks that each report of such a configuration is the
// prepared one with its own identity, also a child's, and that a sandboxReportId still selects
// another.
func TestConfigurationOfPreparedReport(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		body := `{"product": "cashflow", "name": "Joint", "submission": ` + ada + `}`
		made, err := addPrepared(b.provider, b.seed.PublicID, body)
		if err != nil {
			t.Fatal(err)
		}
		configuration, product := b.configured(customers.Fields{Alias: "Prepared", PreparedReport: strings.ToUpper(made.ID)})
		check := func(what string, r *report.Cashflow) {
			t.Helper()
			if len(r.Identities) != 1 || report.Text(r.Identities[0].FullName) != "Ada Quill" || len(r.AccountDetails) != 1 ||
				report.Text(r.AccountDetails[0].InstitutionName) != "Quill Bank" {
				t.Errorf("%s: the report is of %+v, %+v", what, r.Identities, r.AccountDetails)
			}
		}
		check("a submission", b.of(product, submission("externalId", "s")))
		done := b.complete(b.begin("productId", product), nil)
		check("a visit with a prefill", b.report(append(headers{"X-Public-Token", done.text("publicToken")}, b.bearer(b.basic())...)))
		other := b.do("POST", "/sandbox-reports", map[string]any{"product": "cashflow", "profile": "joint"}).text("sandboxReportId")
		if r := b.of(product, submission("sandboxReportId", other)); report.Text(r.AccountDetails[0].Responsibility) != report.Joint {
			t.Errorf("another sandboxReportId: %+v", r.AccountDetails)
		}

		child := b.child("Child")
		ofChild := b.productOf(child, "Product")
		b.want("assigned to a child", b.assign(configuration, "product", ofChild), 200, "")
		asChild := append(b.bearer(b.basic()), "X-PUBLIC-ID", child, "X-PRODUCT-ID", ofChild)
		a := b.ask(b.service.URL, "POST", "/connect/v2/cashflow/byo-report", asChild, submission("externalId", "c"))
		b.want("a child's submission", a, 200, "")
		b.until(1, `SELECT COUNT(*) FROM reports WHERE public_token = '`+a.text("publicToken")+`' AND status = 'SUCCESS'`)
		check("a child's", b.report(append(headers{"X-Public-Token", a.text("publicToken"), "X-PUBLIC-ID", child}, b.bearer(b.basic())...)))
		b.want("the parent's, by id", b.ask(b.service.URL, "POST", "/connect/v2/cashflow/byo-report", asChild,
			submission("externalId", "d", "sandboxReportId", made.ID)), 400, contract.CodeMalformedBody)

		for name, f := range map[string]customers.Fields{"unknown": {PreparedReport: b.seed.Products[contract.Cashflow]},
			"of another kind": {Kind: "income", PreparedReport: made.ID}} {
			f.Alias, f.Kind, f.InquiryType = name, orElse(f.Kind, "cashflow"), "PERSONAL"
			if _, err := createConfiguration(b.provider, b.seed.PublicID, f); problemOf(err) != "preparedReport" {
				t.Errorf("%s: %v", name, err)
			}
		}
		f := customers.Fields{Alias: "Theirs", Kind: "cashflow", InquiryType: "PERSONAL", PreparedReport: made.ID}
		if _, err := createConfiguration(b.provider, b.seed.ThirdParty.PublicID, f); problemOf(err) != "preparedReport" {
			t.Errorf("of another customer: %v", err)
		}
	})
}

// ada is a submission of a person with one account.
const ada = `{"pullDate": "2026-01-20T00:00:00.000Z", "personal": {"firstName": "Ada", "lastName": "Quill", "email": "ada@mail.example"},
	"accounts": [{"id": "a1", "institutionName": "Quill Bank", "accountType": "SAVINGS", "currentBalance": 4.5, "currency": "USD",
	"transactions": [{"id": "t1", "status": "POSTED", "datePosted": "2026-01-10T00:00:00.000Z", "amount": 12.34, "description": "Coffee",
	"creditOrDebit": "DEBIT"}]}]}`

func problemOf(err error) string {
	var problem *customers.FieldProblem
	if !errors.As(err, &problem) {
		return ""
	}
	return problem.Field
}

// TestRetiredConfiguration checks that products keep a retired configuration, and that none can
// get it.
func TestRetiredConfiguration(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		b.addUsers()
		configuration, product := b.configured(customers.Fields{Alias: "Old", InquiryType: "TENANT"})
		child := b.child("Child")
		if _, err := retireConfiguration(b.provider, b.seed.PublicID, "Old", true); err != nil {
			t.Fatal(err)
		}
		if r := b.of(product, submission("externalId", "s")); r.Product.InquiryType != "TENANT" {
			t.Errorf("a product that has it: %+v", r.Product)
		}
		if _, listed := b.configurations()["Old"]; listed {
			t.Error("it is listed")
		}
		b.want("an assignment", b.assign(configuration, "account", child), 404, contract.CodeUnknownConfiguration)
		for what, err := range map[string]error{
			"again":     errorOf(retireConfiguration(b.provider, b.seed.PublicID, configuration, true)),
			"a product": errorOf(createProduct(b.provider, b.seed.PublicID, "Late", configuration)),
			"its alias": errorOf(createConfiguration(b.provider, b.seed.PublicID,
				customers.Fields{Alias: "Old", Kind: "cashflow", InquiryType: "OTHER"})),
		} {
			if err == nil {
				t.Errorf("%s: it is not refused", what)
			}
		}
		d := b.signIn(customerUser)
		for path, fields := range map[string][]string{"/dashboard/products": {"name", "Late"},
			"/dashboard/accounts/" + child + "/configuration":                              nil,
			"/dashboard/products/" + b.seed.Products[contract.Cashflow] + "/configuration": nil} {
			d.wantSent(path, 422, path, append(fields, "configuration", configuration)...)
		}
		// The operator restores it: products can get it again, once.
		o := b.operator("ops@service.example")
		theirs := "/operator/customers/" + b.seed.PublicID + "/configurations"
		if a := o.operate(theirs, theirs+"/retire", "configuration", configuration, "restore", "yes"); a.status != 303 {
			t.Errorf("restoring it: %d %s", a.status, a.raw)
		}
		if _, listed := b.configurations()["Old"]; !listed {
			t.Error("the restored one is not listed")
		}
		if _, err := retireConfiguration(b.provider, b.seed.PublicID, "Old", false); !errors.Is(err, operator.ErrUnchanged) {
			t.Errorf("restored twice: %v", err)
		}
		if c, err := retireConfiguration(b.provider, b.seed.PublicID, "Old", true); err != nil || c.Retired.IsZero() {
			t.Errorf("retired again: %+v, %v", c, err)
		}
		// The form of a product that has it can be sent unchanged.
		page := "/dashboard/products/" + product
		if got := d.find(page, `<option value="([^"]+)" selected`); got != configuration {
			t.Errorf("%s is selected, want %s", got, configuration)
		}
		before := b.audited()
		if a := d.send(page+"/configuration", d.form("configuration", configuration)); a.status != 303 || b.audited() != before {
			t.Errorf("sent unchanged: %d", a.status)
		}
	})
}

func errorOf[T any](_ T, err error) error { return err }

// TestConfigurationFieldsAreValidated checks the fields that a configuration refuses.
func TestConfigurationFieldsAreValidated(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		for want, all := range map[string][]customers.Fields{
			"alias":       {{}, {Alias: "a\u202e"}, {Alias: strings.Repeat("a", 101)}, {Alias: "Cashflow"}},
			"kind":        {{Alias: "A", Kind: "mortgage"}},
			"inquiryType": {{Alias: "A", InquiryType: "NONE"}, {Alias: "A", InquiryType: "tenant"}},
			"scores":      {{Alias: "A", Scores: []string{"v3.0"}}, {Alias: "A", Kind: "income", Scores: []string{"v1.0"}}},
			"families":    {{Alias: "A", Families: []string{"XX"}}, {Alias: "A", Kind: "passport", Families: []string{"AV"}}},
			"modelSuite":  {{Alias: "A", ModelSuite: "2.0"}, {Alias: "A", Kind: "income", ModelSuite: "3.0"}},
			"inflows":     {{Alias: "A", Inflows: "yes"}, {Alias: "A", Kind: "income", ModelSuite: "1.2", Inflows: "yes"}},
			"verifies":    {{Alias: "A", Verifies: "ASSETS"}, {Alias: "A", Kind: "eligibility", Verifies: "DEBTS"}},
			"banks": {{Alias: "A", Banks: "0"}, {Alias: "A", Banks: "6"}, {Alias: "A", Banks: "two"}, {Alias: "A", Kind: "passport", Banks: "1"},
				{Alias: "A", Kind: "eligibility", Verifies: "INCOME", Banks: "1"}},
			"refreshDays": {{Alias: "A", RefreshDays: "7"}, {Alias: "A", InquiryType: "MONITORING", RefreshDays: "91"},
				{Alias: "A", InquiryType: "MONITORING", RefreshDays: "-1"},
				{Alias: "A", Kind: "passport", InquiryType: "MONITORING", RefreshDays: "1"}},
			"preparedReport": {{Alias: "A", PreparedReport: "x"}},
		} {
			for _, f := range all {
				f.Kind, f.InquiryType = orElse(f.Kind, "cashflow"), orElse(f.InquiryType, "PERSONAL")
				if _, err := createConfiguration(b.provider, b.seed.PublicID, f); problemOf(err) != want {
					t.Errorf("%+v: %v, want a problem of %s", f, err, want)
				}
			}
		}
		full := customers.Fields{Alias: "Full", Kind: "income", InquiryType: "MONITORING", ModelSuite: "2.0", Inflows: "yes", Banks: "2",
			RefreshDays: "90"}
		c, err := createConfiguration(b.provider, b.seed.PublicID, full)
		if err != nil || c.BankLimit != 2 || c.RefreshDays != 90 || !c.IncomeInflows {
			t.Errorf("%+v, %v", c, err)
		}
		copied, err := createConfiguration(b.provider, b.seed.PublicID,
			c.Fields().With(customers.Fields{Alias: "Copy", Inflows: "none", ModelSuite: "1.2", Banks: "none"}))
		if err != nil || copied.BankLimit != 0 || copied.RefreshDays != 90 || copied.IncomeInflows || copied.IncomeModelSuite != "1.2" {
			t.Errorf("the copy is %+v, %v", copied, err)
		}
		child := b.child("Child")
		full.Alias = "Of a child"
		if _, err := createConfiguration(b.provider, child, full); err == nil {
			t.Error("a child account has a configuration")
		}
	})
}

// TestProductsOfOthers checks that staff of another customer and of a child neither see nor
// change products and configurations of an account, and that they manage their own.
func TestProductsOfOthers(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		b.addUsers()
		configuration, product := b.configured(customers.Fields{Alias: "Secret plan"})
		child := b.child("Child")
		ofChild := b.productOf(child, "Product")
		d, eve := b.signIn(customerUser), b.signIn(thirdPartyUser)
		eve.wantSent("another customer's configuration", 422, "/dashboard/products", "name", "Mine", "configuration", configuration)
		for _, page := range []string{"/dashboard/products/" + product, "/dashboard/products/" + ofChild, "/dashboard/accounts/" + child} {
			eve.unknown(page)
		}
		says(t, "another customer sees the configuration", eve.page("/dashboard/products"), nil, "Secret plan", product)
		for path, form := range map[string]url.Values{
			"/dashboard/products/" + product + "/rename":        eve.form("name", "x"),
			"/dashboard/products/" + product + "/configuration": eve.form("configuration", ""),
			"/dashboard/products/" + ofChild + "/rename":        eve.form("name", "x"),
			"/dashboard/accounts/" + child + "/products":        eve.form("name", "x"),
			"/dashboard/accounts/" + child + "/configuration":   eve.form("configuration", ""),
		} {
			if a := eve.send(path, form); a.status != 404 {
				t.Errorf("%s by another customer: %d", path, a.status)
			}
		}

		// The parent manages the child's products.
		d.wantSent("a child's product by its parent", 303, "/dashboard/products/"+ofChild+"/configuration", "configuration", configuration)
		d.wantSent("renaming a child's product", 303, "/dashboard/products/"+ofChild+"/rename", "name", "Product 2")

		// A child's own staff manages its products with the parent's configurations, and nothing else.
		b.exec(`UPDATE users SET customer_id = (SELECT id FROM customers WHERE public_id = $1)
			WHERE customer_id = (SELECT id FROM customers WHERE public_id = $2)`, child, b.seed.ThirdParty.PublicID)
		if text := eve.page("/dashboard/products"); !strings.Contains(text, "Secret plan") || strings.Contains(text, product) {
			t.Error("the child's staff does not see what its products can get, or sees the parent's products")
		}
		eve.wantSent("a product of the child", 303, "/dashboard/products", "name", "Mine", "configuration", configuration)
		eve.wantSent("renaming the child's product", 303, "/dashboard/products/"+ofChild+"/rename", "name", "Product 3")
		sibling := b.child("Sibling")
		for path, form := range map[string]url.Values{
			"/dashboard/products/" + product + "/rename":                   eve.form("name", "x"),
			"/dashboard/products/" + b.productOf(sibling, "P") + "/rename": eve.form("name", "x"),
			"/dashboard/accounts/" + sibling + "/products":                 eve.form("name", "x"),
			"/dashboard/accounts/" + child + "/configuration":              eve.form("configuration", configuration),
		} {
			if a := eve.send(path, form); a.status != 404 {
				t.Errorf("%s by a child: %d", path, a.status)
			}
		}
	})
}

// TestOperatorCreatesConfigurations checks that an operator's page creates, copies and retires
// configurations and creates products, with the form's errors at their fields.
func TestOperatorCreatesConfigurations(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		d := b.operator("ops@service.example")
		page := "/operator/customers/" + b.seed.PublicID + "/configurations"
		if a := d.operate(page, page, "alias", "Watch", "kind", "cashflow", "inquiryType", "TENANT", "refreshDays", "3"); a.status != 422 ||
			!strings.Contains(string(a.raw), i18ntest.EN("configuration.problem.monitoring")) || !strings.Contains(string(a.raw), `value="Watch"`) {
			t.Errorf("an invalid field: %d %s", a.status, a.raw)
		}
		a := d.operate(page, page, "alias", "Watch", "kind", "cashflow", "inquiryType", "MONITORING", "scores", "v1.0", "scores", "v2.1",
			"families", "AV", "banks", "2", "refreshDays", "3")
		if action, object, _ := b.last(); a.status != 303 || action != "configuration added" || object != "Watch" {
			t.Fatalf("creating: %d, %s of %s\n%s", a.status, action, object, a.raw)
		}
		id := b.one(`SELECT id FROM product_configurations WHERE alias = 'Watch'`)
		if text := d.page(page + "?copy=" + id); !strings.Contains(text, `value="v2.1" checked`) ||
			!strings.Contains(text, `value="MONITORING" selected`) {
			t.Error("the form has not the fields of the copied configuration")
		}
		if a := d.operate(page, strings.TrimSuffix(page, "configurations")+"products", "name", "Renters", "configuration", id); a.status != 303 ||
			!strings.Contains(d.page(page), "Renters") {
			t.Errorf("a product: %d %s", a.status, a.raw)
		}
		if a := d.operate(page, page+"/retire", "configuration", id); a.status != 303 ||
			b.count(`SELECT COUNT(*) FROM product_configurations WHERE retired_at IS NOT NULL`) != 1 {
			t.Errorf("retiring: %d", a.status)
		}
		child := "/operator/customers/" + b.child("Child") + "/configurations"
		if a := d.operate(child, child, "alias", "Theirs", "kind", "cashflow", "inquiryType", "TENANT"); a.status != 404 {
			t.Errorf("a configuration of a child: %d", a.status)
		}
		b.addUsers()
		if a := b.signIn(customerUser).ask("GET", page, ""); a.status != 303 && a.status != 404 {
			t.Errorf("the operator's page by a customer's user: %d", a.status)
		}
	})
}
