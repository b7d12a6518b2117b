package provider_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"vestibule/internal/contract"
	"vestibule/internal/provider"
	"vestibule/internal/provider/customers"
	"vestibule/internal/provider/sources"
	"vestibule/internal/report"
	"vestibule/internal/store"
	"vestibule/internal/testutil/providertest"
	"vestibule/internal/testutil/storetest"
)

// prepared uploads a report, and completes a visit of its product with it.
func (b *testServer) prepared(product contract.Product, upload map[string]any, more ...any) (sandboxReportID, publicToken string) {
	b.t.Helper()
	a := b.do("POST", "/sandbox-reports", with(upload, "product", product))
	b.want("a prepared report", a, 201, "")
	sandboxReportID = a.text("sandboxReportId")
	done := b.complete(b.begin(append([]any{"productId", b.seed.Products[product], "sandboxReportId",
		sandboxReportID, "prefill", nil}, more...)...), nil)
	if done.text("status") != "SUCCESS" {
		b.t.Fatalf("%s: %s", product, done.raw)
	}
	return sandboxReportID, done.text("publicToken")
}

// earner returns a submission with wages.
func earner() map[string]any {
	day := time.Now().UTC().AddDate(0, 0, -1)
	var paid []any
	for i := range 30 {
		paid = append(paid, map[string]any{"id": "p" + strings.Repeat("x", i), "status": "POSTED", "amount": 1500.25, "creditOrDebit": "CREDIT",
			"datePosted": stamp(day.AddDate(0, 0, -14*i)), "description": "DIRECT DEP NORTHWIND LOGISTICS PAYROLL PPD ID 99"})
	}
	return map[string]any{
		"personal": map[string]any{"firstName": "Ada", "lastName": "Quill", "email": "ada@mail.example", "dob": "1988-03-09"},
		"address":  map[string]any{"street": "1 Elm St", "city": "Austin", "state": "TX", "postalCode": "78701"},
		"accounts": []any{map[string]any{"id": "a1", "institutionName": "Harbor National Bank", "accountType": "CHECKING",
			"currentBalance": 2204.50, "currency": "USD", "transactions": paid}},
	}
}

// preparedEligibility is prepared for an eligibility report, which it returns.
func (b *testServer) preparedEligibility(upload map[string]any, more ...any) *report.Eligibility {
	b.t.Helper()
	_, token := b.prepared(contract.Eligibility, upload, more...)
	e, err := report.ParseEligibility(b.get(eligibilityPath+"json", b.named(token)).raw)
	if err != nil {
		b.t.Fatal(err)
	}
	return e
}

// TestPreparedReportsOfEachProduct checks prepared reports of each product, by every way
// that a visit begins.
func TestPreparedReportsOfEachProduct(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		jobs := []any{map[string]any{"provider": "northwind-logistics"}}
		stated := []string{"Northwind Logistics, Inc."}
		b.run("income", func(t *testing.T) {
			_, token := b.prepared(contract.Income, map[string]any{"submission": earner(), "payroll": jobs, "statedEmployerNames": stated})
			i := b.incomeReport(b.named(token))
			if f := i.Income.FinancialAccounts; len(f) != 1 || f[0].MatchedIncome == nil || *f[0].NetAnnual < 30_000 ||
				len(i.Income.Payroll) != 1 || i.Identities[0].SourceID != report.CustomerInput ||
				report.Text(i.Identities[0].FullName) != "Ada Quill" || report.Text(i.Employment[0].EmployerName) != stated[0] {
				t.Errorf("income %+v, identities %+v, employment %+v", i.Income, i.Identities, i.Employment)
			}
			// The uploaded personal data is the consumer's.
			b.want("from it a cashflow report", b.multi(token, b.seed.Products[contract.Cashflow]), 200, "")
		})
		b.run("eligibility", func(t *testing.T) {
			e := b.preparedEligibility(map[string]any{"submission": earner(), "payroll": jobs, "statedEmployerNames": stated})
			if len(e.StatedEmployers) != 1 || len(e.StatedEmployers[0].VerificationSources) != 1 ||
				e.StatedEmployers[0].VerificationSources[0].SourceType != report.SourcePayroll ||
				len(e.Employment) != 1 || len(e.Income.Payroll) != 1 || len(e.Assets.AccountDetails) != 1 || len(e.Documents) != 2 {
				t.Errorf("employers %+v, employment %+v, assets %+v, documents %+v", e.StatedEmployers, e.Employment, e.Assets, e.Documents)
			}
			// What it lacks is the prefill's, and what it has is its own.
			e = b.preparedEligibility(map[string]any{"payroll": jobs, "statedEmployerNames": stated}, "prefill", tenant)
			if len(e.StatedEmployers) != 1 || report.Text(e.Identities[0].FullName) != "Default Harper" || e.Assets != nil {
				t.Errorf("with a prefill: %+v", e)
			}
			e = b.preparedEligibility(map[string]any{"submission": earner(), "payroll": jobs}, "prefill", tenant)
			if len(e.StatedEmployers) != 2 || report.Text(e.Identities[0].FullName) != "Ada Quill" {
				t.Errorf("with a prefill, and its own identity: %+v", e)
			}
		})
		passport := b.seed.Products[contract.Passport]
		id := ""
		b.run("passport", func(t *testing.T) {
			token := ""
			id, token = b.prepared(contract.Passport, map[string]any{"supplier": "GBR_EFX",
				"submission": map[string]any{"personal": earner()["personal"]}})
			p, err := report.ParsePassport(b.get(passportJSON, b.named(token)).raw)
			if err != nil || len(p.Identities) != 2 || report.Text(p.Identities[1].FullName) != "Ada Quill" ||
				p.Identities[1].DateOfBirth.String() != "1988-03-09" || len(p.Tradelines) == 0 {
				t.Fatalf("%v, %+v", err, p)
			}
			if pdf := b.get(passportPDF, b.named(token)); pdf.status != 200 || !bytes.HasPrefix(pdf.raw, []byte("%PDF-")) {
				t.Errorf("its PDF: %d", pdf.status)
			}
		})
		b.run("an invite and a secure redirect", func(t *testing.T) {
			body := map[string]any{"productId": passport, "sandboxReportId": id}
			invite := b.post("/connect/invite-link", b.basic(), body)
			b.want("an invite", invite, 200, "")
			link := invite.text("inviteLink")
			if done := b.complete(link[strings.LastIndexByte(link, '/')+1:], nil); done.text("status") != "SUCCESS" ||
				done.text("publicToken") != invite.text("publicToken") {
				t.Errorf("an invite: %s", done.raw)
			}
			redirect := b.post("/secure-redirect", b.basic(), body)
			b.want("a redirect", redirect, 200, "")
			if done := b.complete(redirect.text("redirectToken"), nil); done.text("status") != "SUCCESS" ||
				!strings.HasPrefix(done.text("completeUrl"), "https://customer.example/done?jwt=ey") {
				t.Errorf("a redirect: %s", done.raw)
			}
		})
		b.run("it requires its product, its owner, and the entitlement", func(*testing.T) {
			refused := func(what, product, id string) {
				b.want(what, b.post("/connect/initialization", b.basic(), map[string]any{"productId": product, "sandboxReportId": id}),
					400, contract.CodeMalformedBody)
			}
			refused("of another product", b.seed.Products[contract.Income], id)
			refused("unknown", passport, uuid.NewString())
			b.want("in a submission", b.submit(submission("sandboxReportId", id)), 400, contract.CodeMalformedBody)
			b.entitle(b.seed.PublicID, false, customers.PreparedReports)
			refused("without the entitlement", passport, id)
		})
	})
}

// TestPreparedPayrollOfConnectors checks that payroll companies with their own sign-in
// pages have prepared data without a sign-in, and that those of the operator's connectors
// have none.
func TestPreparedPayrollOfConnectors(t *testing.T) {
	storetest.EachInFull(t, store.Provider, func(t *testing.T, db *store.DB) {
		b := newTestServer(t, db, func(c *provider.Config) {
			c.BankURL = "http://127.0.0.1:1" // nothing answers there
			c.Connectors = []sources.Connector{&providertest.OAuthBank{}}
		})
		jobs := []any{map[string]any{"provider": "Paywright", "username": "two_jobs"}, map[string]any{"provider": "zipporah-rides"}}
		for name, upload := range map[string]map[string]any{
			"alone": {}, "beside a profile": {"profile": "joint"}, "beside a submission": {"submission": earner()},
		} {
			_, token := b.prepared(contract.Income, with(upload, "payroll", jobs))
			i := b.incomeReport(b.named(token))
			var names []string
			for _, p := range i.Income.Payroll {
				names = append(names, report.Text(p.ProviderName))
			}
			if !slices.Equal(names, []string{"Paywright", "Paywright", "Zipporah Rides"}) || len(i.Employment) < 3 {
				t.Errorf("income %s: payroll of %q, employment %+v", name, names, i.Employment)
			}
			for _, source := range i.Sources {
				if source.Status != contract.StatusSuccess {
					t.Errorf("income %s: source %+v", name, source)
				}
			}
			e := b.preparedEligibility(with(upload, "payroll", jobs, "statedEmployerNames", []string{"Great Lakes Medical"}), "prefill", tenant)
			if len(e.Income.Payroll) != 3 || len(e.Employment) < 3 {
				t.Errorf("eligibility %s: %+v", name, e.Employment)
			}
		}

		a := b.do("POST", "/sandbox-reports", map[string]any{"product": "income", "payroll": []any{map[string]any{"provider": "open-payroll"}}})
		b.want("of the operator's connector", a, 400, contract.CodeInvalidParameters)
		token := b.begin("productId", b.seed.Products[contract.Income])
		a = b.do("POST", "/visits/"+token+"/complete", map[string]any{"payroll": map[string]any{"provider": "paywright"}})
		b.want("a visit that is completed at its pages", a, 400, contract.CodeMalformedBody)
		if !strings.Contains(string(a.raw), "own pages") {
			t.Errorf("the answer does not name the pages: %s", a.raw)
		}
	})
}

// TestRejectedPreparedReports uploads invalid reports.
func TestRejectedPreparedReports(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		personal := map[string]any{"personal": earner()["personal"]}
		for name, c := range map[string]struct {
			body  map[string]any
			code  contract.Code
			field string
		}{
			"no product":      {map[string]any{"profile": "joint"}, contract.CodeInvalidProduct, "product"},
			"another product": {map[string]any{"product": "mortgage", "profile": "joint"}, contract.CodeInvalidProduct, "product"},
			"a passport of a profile": {map[string]any{"product": "passport", "supplier": "GBR_EFX", "profile": "joint"},
				contract.CodeInvalidParameters, "profile"},
			"a passport without a supplier": {map[string]any{"product": "passport", "submission": personal},
				contract.CodeInvalidParameters, "supplier"},
			"an unknown supplier": {map[string]any{"product": "passport", "supplier": "XXX_YY"},
				contract.CodeInvalidParameters, "supplier"},
			"a passport of accounts": {map[string]any{"product": "passport", "supplier": "GBR_EFX", "submission": earner()},
				contract.CodeMalformedBody, "submission.accounts"},
			"income without accounts": {map[string]any{"product": "income", "submission": personal},
				contract.CodeMalformedBody, "submission.accounts"},
			"income of nothing": {map[string]any{"product": "income", "statedEmployerNames": []string{"Globex"}},
				contract.CodeInvalidParameters, "submission"},
			"income of a supplier": {map[string]any{"product": "income", "profile": "joint", "supplier": "GBR_EFX"},
				contract.CodeInvalidParameters, "supplier"},
			"cashflow of payroll": {map[string]any{"product": "cashflow", "payroll": []any{map[string]any{}}},
				contract.CodeInvalidParameters, "payroll"},
			"cashflow of employers": {map[string]any{"product": "cashflow", "profile": "joint",
				"statedEmployerNames": []string{"Globex"}}, contract.CodeInvalidParameters, "statedEmployerNames"},
			"an unknown payroll provider": {map[string]any{"product": "income", "payroll": []any{map[string]any{"provider": "unknown"}}},
				contract.CodeInvalidParameters, "payroll"},
			"a payroll sign-in that fails": {map[string]any{"product": "income", "payroll": []any{map[string]any{"username": "error"}}},
				contract.CodeInvalidParameters, "payroll"},
			"a payroll provider twice": {map[string]any{"product": "income", "payroll": []any{map[string]any{}, map[string]any{}}},
				contract.CodeInvalidParameters, "payroll"},
			"seven employers": {map[string]any{"product": "income", "profile": "joint",
				"statedEmployerNames": []string{"a", "b", "c", "d", "e", "f", "g"}}, contract.CodeInvalidParameters, "statedEmployerNames"},
			"an employer without a name": {map[string]any{"product": "eligibility", "profile": "joint",
				"statedEmployerNames": []string{" "}}, contract.CodeInvalidParameters, "statedEmployerNames"},
		} {
			b.wantField(name, b.do("POST", "/sandbox-reports", c.body), 400, c.code, c.field)
		}
		if n := b.count(`SELECT COUNT(*) FROM sandbox_reports`); n != 0 {
			t.Errorf("%d refused reports are kept", n)
		}
	})
}
