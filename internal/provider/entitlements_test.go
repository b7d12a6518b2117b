package provider_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"vestibule/internal/contract"
	"vestibule/internal/provider"
	"vestibule/internal/provider/customers"
	"vestibule/internal/provider/operator"
	"vestibule/internal/report"
	"vestibule/internal/store"
	"vestibule/internal/testutil/i18ntest"
)

// TestEntitlementsOverHTTP checks that a customer that an operator adds has only the
// secure redirect until others are enabled, and that its children follow it.
func TestEntitlementsOverHTTP(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		e := addEntitled(b)
		t.Run("each", e.tryEach)
		t.Run("inherited by a child", e.inherit)
		t.Run("audit trail", e.checkTrail)
	})
}

// entitledCustomer is a customer with one report, which has no entitlements at first.
type entitledCustomer struct {
	*testServer
	thirdParty  string // public id
	staff       provider.Login
	resident    map[string]any
	publicToken string
	account     string // of the report
	childID     string
	theirs      func() answer // reads the numbers of the child's account
}

func addEntitled(b *testServer) *entitledCustomer {
	e := &entitledCustomer{testServer: b, thirdParty: b.seed.ThirdParty.PublicID}
	b.seed = provider.Seed{PublicID: "svc-added", ClientID: "client-added",
		SecretKey: store.NewSecret(), Products: map[contract.Product]string{}}
	for _, kind := range contract.Products() {
		b.seed.Products[kind] = uuid.NewString()
	}
	e.staff = provider.Login{Email: "ops@harbor.example", Password: "correct horse battery staple"}
	b.addCustomer(provider.NewCustomer{Name: "Harbor Bank", PublicID: b.seed.PublicID, ClientID: b.seed.ClientID,
		SecretKey: b.seed.SecretKey, Products: b.seed.Products, Staff: e.staff.Email}, e.staff.Password)
	b.exec(`INSERT INTO complete_urls (customer_id, position, url) SELECT id, 0, 'https://harbor.example/return?jwt=[token]'
		FROM customers WHERE public_id = $1`, b.seed.PublicID)
	e.resident = with(applicant, "state", "TX")
	var r *report.Cashflow
	e.publicToken, r = b.cashflowVisit("default", "prefill", e.resident)
	e.account = r.AccountDetails[0].AccountID
	return e
}

func (e *entitledCustomer) numbers() answer {
	return e.get("/connect/bank-accounts/"+e.account+"/ach-details", e.named(e.publicToken))
}

// entitled asks for what an entitlement is for, and has the status without and with it.
type entitled struct {
	ask             func() answer
	refused, served int
}

func (e *entitledCustomer) features() map[customers.Entitlement]entitled {
	prepared := e.do("POST", "/sandbox-reports", map[string]any{"publicId": e.seed.PublicID,
		"product": "cashflow", "profile": "default"}).text("sandboxReportId")
	body := func(more ...any) map[string]any {
		return with(map[string]any{"productId": e.seed.Products[contract.Cashflow], "prefill": e.resident}, more...)
	}
	return map[customers.Entitlement]entitled{
		customers.SecureRedirect: {func() answer { return e.post("/secure-redirect", e.basic(), body()) }, 403, 200},
		customers.AccountNumbers: {e.numbers, 403, 200},
		customers.PreparedReports: {func() answer {
			return e.post("/connect/initialization",
				e.basic(), body("sandboxReportId", prepared))
		}, 400, 200},
		customers.Configurations: {func() answer { return e.get("/config/v1/product-configurations", e.basic()) }, 403, 200},
		customers.RelayTokens: {func() answer {
			return e.post(relayPath, e.basic(), map[string]any{"publicToken": e.publicToken, "publicId": e.thirdParty})
		}, 403, 200},
		customers.MultiProductTokens: {func() answer { return e.multi(e.publicToken, e.seed.Products[contract.Income]) }, 403, 200},
		customers.Hierarchy: {func() answer {
			return e.post("/accounts", e.basic(), map[string]any{"accountName": uuid.NewString()})
		}, 403, 201},
		// With the entitlement: no connection is kept.
		customers.Refresh:            {func() answer { return e.post("/connect/refresh", e.named(e.publicToken), nil) }, 403, 409},
		customers.CredentialRotation: {func() answer { return e.rotate(e.basic()) }, 403, 200},
		customers.Corrections:        {func() answer { return e.signIn(e.staff).ask("GET", "/dashboard/disputes", "") }, 404, 200},
	}
}

func (e *entitledCustomer) tryEach(t *testing.T) {
	features := e.features()
	if len(features) != len(customers.Entitlements()) {
		t.Errorf("%d of %d entitlements are tried", len(features), len(customers.Entitlements()))
	}
	for name, f := range features {
		first := map[bool]int{true: f.served, false: f.refused}[name == customers.SecureRedirect]
		if a := f.ask(); a.status != first {
			t.Errorf("%s from the start: %d %s, want %d", name, a.status, a.raw, first)
		}
		e.entitle(e.seed.PublicID, true, name)
		if a := f.ask(); a.status != f.served {
			t.Errorf("%s when it is enabled: %d %s, want %d", name, a.status, a.raw, f.served)
		}
		e.entitle(e.seed.PublicID, false, name)
		if a := f.ask(); a.status != f.refused {
			t.Errorf("%s when it is disabled: %d %s, want %d", name, a.status, a.raw, f.refused)
		}
	}
}

// inherit lets the parent read a child's report.
func (e *entitledCustomer) inherit(t *testing.T) {
	e.entitle(e.seed.PublicID, true, customers.Hierarchy, customers.Configurations)
	e.childID = e.child("Child")
	product := e.productOf(e.childID, "Loan")
	e.want("assigned", e.assign(e.configurations()["Cashflow"], "product", product), 200, "")
	acting := append(e.basic(), "X-PUBLIC-ID", e.childID)
	begun := e.post("/connect/initialization", acting, map[string]any{"productId": product, "prefill": e.resident})
	e.want("a child's visit", begun, 200, "")
	of := e.complete(begun.text("token"), map[string]any{"username": "default"}).text("publicToken")
	account := e.one(`SELECT account_id FROM bank_account_names WHERE public_token = $1`, of)
	e.theirs = func() answer {
		return e.get("/connect/bank-accounts/"+account+"/ach-details", append(e.named(of), "X-PUBLIC-ID", e.childID))
	}
	e.want("a child's numbers", e.theirs(), 403, contract.CodeForbidden)
	e.entitle(e.seed.PublicID, true, customers.AccountNumbers)
	e.want("inherited", e.theirs(), 200, "")
	e.entitle(e.childID, false, customers.AccountNumbers)
	e.want("disabled for the child alone", e.theirs(), 403, contract.CodeForbidden)
	e.want("and not for its parent", e.numbers(), 200, "")
	if err := e.setFeatures(e.childID, operator.Inherit, customers.AccountNumbers); err != nil {
		t.Fatal(err)
	}
	e.want("inherited again", e.theirs(), 200, "")
}

// checkTrail checks that the audit trail of the account has every change by the operator.
func (e *entitledCustomer) checkTrail(t *testing.T) {
	page := string(e.signIn(e.staff).ask("GET", "/dashboard/audit", "").raw)
	for _, want := range []string{i18ntest.EN("dashboard.actions.entitlement_enabled"),
		i18ntest.EN("dashboard.actions.entitlement_disabled"), i18ntest.EN("dashboard.actions.entitlement_inherited"),
		i18ntest.EN("dashboard.author.providers_operator"), "account-numbers", e.childID} {
		if !strings.Contains(page, want) {
			t.Errorf("the audit trail has no %q", want)
		}
	}
	for _, id := range []string{e.seed.PublicID, e.childID} {
		if n := e.count(`SELECT COUNT(*) FROM audit WHERE actor = 'operator' AND object = 'account-numbers'
			AND subject_id = (SELECT id FROM customers WHERE public_id = $1)`, id); n < 2 {
			t.Errorf("%d lines of %s", n, id)
		}
	}
	lines := e.count(`SELECT COUNT(*) FROM audit`)
	e.entitle(e.seed.PublicID, true, customers.AccountNumbers)
	for what, err := range map[string]error{
		"an unknown name":    e.setFeatures(e.childID, operator.Off, customers.AccountNumbers, "wings"),
		"an unknown account": e.setFeatures("svc-unknown", operator.Off, customers.Hierarchy),
	} {
		if err == nil {
			t.Errorf("%s was accepted", what)
		}
	}
	if n := e.count(`SELECT COUNT(*) FROM audit`); n != lines {
		t.Errorf("%d lines for what changed nothing", n-lines)
	}
	e.want("nothing of what was refused is kept", e.theirs(), 200, "")
}
