package provider_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"vestibule/internal/contract"
	"vestibule/internal/provider"
	"vestibule/internal/provider/customers"
	"vestibule/internal/provider/operator"
	"vestibule/internal/store"
	"vestibule/internal/testutil/i18ntest"
)

// TestEntitlementsOverHTTP checks that a customer that an operator adds has only the
// secure redirect until others are enabled, and that its children follow it.
func TestEntitlementsOverHTTP(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		third := b.seed.ThirdParty.PublicID
		b.seed = provider.Seed{PublicID: "svc-added", ClientID: "client-added",
			SecretKey: store.NewSecret(), Products: map[contract.Product]string{}}
		for _, kind := range contract.Products() {
			b.seed.Products[kind] = uuid.NewString()
		}
		staff := provider.Login{Email: "ops@harbor.example", Password: "correct horse battery staple"}
		b.addCustomer(provider.NewCustomer{Name: "Harbor Bank", PublicID: b.seed.PublicID, ClientID: b.seed.ClientID,
			SecretKey: b.seed.SecretKey, Products: b.seed.Products, Staff: staff.Email}, staff.Password)
		b.exec(`INSERT INTO complete_urls (customer_id, position, url) SELECT id, 0, 'https://harbor.example/return?jwt=[token]'
			FROM customers WHERE public_id = $1`, b.seed.PublicID)
		resident := with(applicant, "state", "TX")
		publicToken, r := b.cashflowVisit("default", "prefill", resident)
		prepared := b.do("POST", "/sandbox-reports", map[string]any{"publicId": b.seed.PublicID,
			"product": "cashflow", "profile": "default"}).text("sandboxReportId")
		body := func(more ...any) map[string]any {
			return with(map[string]any{"productId": b.seed.Products[contract.Cashflow], "prefill": resident}, more...)
		}
		numbers := func() answer {
			return b.get("/connect/bank-accounts/"+r.AccountDetails[0].AccountID+"/ach-details", b.named(publicToken))
		}
		features := map[customers.Entitlement]struct {
			ask             func() answer
			refused, served int
		}{
			customers.SecureRedirect: {func() answer { return b.post("/secure-redirect", b.basic(), body()) }, 403, 200},
			customers.AccountNumbers: {numbers, 403, 200},
			customers.PreparedReports: {func() answer {
				return b.post("/connect/initialization",
					b.basic(), body("sandboxReportId", prepared))
			}, 400, 200},
			customers.Configurations: {func() answer { return b.get("/config/v1/product-configurations", b.basic()) }, 403, 200},
			customers.RelayTokens: {func() answer {
				return b.post(relayPath, b.basic(), map[string]any{"publicToken": publicToken, "publicId": third})
			}, 403, 200},
			customers.MultiProductTokens: {func() answer { return b.multi(publicToken, b.seed.Products[contract.Income]) }, 403, 200},
			customers.Hierarchy: {func() answer {
				return b.post("/accounts", b.basic(), map[string]any{"accountName": uuid.NewString()})
			}, 403, 201},
			// With the entitlement: no connection is kept.
			customers.Refresh:            {func() answer { return b.post("/connect/refresh", b.named(publicToken), nil) }, 403, 409},
			customers.CredentialRotation: {func() answer { return b.rotate(b.basic()) }, 403, 200},
			customers.Corrections:        {func() answer { return b.signIn(staff).ask("GET", "/dashboard/disputes", "") }, 404, 200},
		}
		if len(features) != len(customers.Entitlements()) {
			t.Errorf("%d of %d entitlements are tried", len(features), len(customers.Entitlements()))
		}
		for e, f := range features {
			first := map[bool]int{true: f.served, false: f.refused}[e == customers.SecureRedirect]
			if a := f.ask(); a.status != first {
				t.Errorf("%s from the start: %d %s, want %d", e, a.status, a.raw, first)
			}
			b.entitle(b.seed.PublicID, true, e)
			if a := f.ask(); a.status != f.served {
				t.Errorf("%s when it is enabled: %d %s, want %d", e, a.status, a.raw, f.served)
			}
			b.entitle(b.seed.PublicID, false, e)
			if a := f.ask(); a.status != f.refused {
				t.Errorf("%s when it is disabled: %d %s, want %d", e, a.status, a.raw, f.refused)
			}
		}

		// The parent reads a child's report.
		b.entitle(b.seed.PublicID, true, customers.Hierarchy, customers.Configurations)
		child := b.child("Child")
		product := b.productOf(child, "Loan")
		b.want("assigned", b.assign(b.configurations()["Cash flow"], "product", product), 200, "")
		acting := append(b.basic(), "X-PUBLIC-ID", child)
		begun := b.post("/connect/initialization", acting, map[string]any{"productId": product, "prefill": resident})
		b.want("a child's visit", begun, 200, "")
		of := b.complete(begun.text("token"), map[string]any{"username": "default"}).text("publicToken")
		named := append(b.named(of), "X-PUBLIC-ID", child)
		account := b.one(`SELECT account_id FROM bank_account_names WHERE public_token = $1`, of)
		theirs := func() answer { return b.get("/connect/bank-accounts/"+account+"/ach-details", named) }
		b.want("a child's numbers", theirs(), 403, contract.CodeForbidden)
		b.entitle(b.seed.PublicID, true, customers.AccountNumbers)
		b.want("inherited", theirs(), 200, "")
		b.entitle(child, false, customers.AccountNumbers)
		b.want("disabled for the child alone", theirs(), 403, contract.CodeForbidden)
		b.want("and not for its parent", numbers(), 200, "")
		if err := b.setFeatures(child, operator.Inherit, customers.AccountNumbers); err != nil {
			t.Fatal(err)
		}
		b.want("inherited again", theirs(), 200, "")

		// The audit trail of the account has every change by the operator.
		page := string(b.signIn(staff).ask("GET", "/dashboard/audit", "").raw)
		for _, want := range []string{i18ntest.EN("dashboard.actions.entitlement_enabled"),
			i18ntest.EN("dashboard.actions.entitlement_disabled"), i18ntest.EN("dashboard.actions.entitlement_inherited"),
			i18ntest.EN("dashboard.author.providers_operator"), "account-numbers", child} {
			if !strings.Contains(page, want) {
				t.Errorf("the audit trail has no %q", want)
			}
		}
		for _, id := range []string{b.seed.PublicID, child} {
			if n := b.count(`SELECT COUNT(*) FROM audit WHERE actor = 'operator' AND object = 'account-numbers'
				AND subject_id = (SELECT id FROM customers WHERE public_id = $1)`, id); n < 2 {
				t.Errorf("%d lines of %s", n, id)
			}
		}
		lines := b.count(`SELECT COUNT(*) FROM audit`)
		b.entitle(b.seed.PublicID, true, customers.AccountNumbers)
		for what, err := range map[string]error{
			"an unknown name":    b.setFeatures(child, operator.Off, customers.AccountNumbers, "wings"),
			"an unknown account": b.setFeatures("svc-unknown", operator.Off, customers.Hierarchy),
		} {
			if err == nil {
				t.Errorf("%s was accepted", what)
			}
		}
		if n := b.count(`SELECT COUNT(*) FROM audit`); n != lines {
			t.Errorf("%d lines for what changed nothing", n-lines)
		}
		b.want("nothing of what was refused is kept", theirs(), 200, "")
	})
}
