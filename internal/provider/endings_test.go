package provider_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vestibule/internal/contract"
	"vestibule/internal/store"
	"vestibule/internal/testutil/paystubtest"
	"vestibule/internal/testutil/storetest"
)

// ending is a simulation of the sandbox: the status and substatus of a visit
// for a name, a username, or the name of a file.
type ending struct {
	product contract.Product
	first   string // of the applicant; empty: Default
	last    string // empty: Harper
	how     map[string]any
	status  contract.Status
	sub     contract.Substatus
}

func (e ending) String() string {
	return fmt.Sprintf("%s of %s %s by %.200s", e.product, e.first, e.last, fmt.Sprint(e.how))
}

// endings returns the simulations of all products.
func endings() (all []ending) {
	const (
		ok, fails, refused, down, mute = contract.StatusSuccess, contract.StatusError, contract.StatusNotAuthenticated,
			contract.StatusBureauUnresponsive, contract.StatusSupplierUnresponsive
	)
	at := func(key string, with any) map[string]any { return map[string]any{key: with} }
	payroll := func(username string) map[string]any { return map[string]any{"username": username} }
	holding := func(name string, content []byte) []any {
		return []any{map[string]any{"fileName": name, "contentBase64": base64.StdEncoding.EncodeToString(content)}}
	}
	file := func(name string) []any { return holding(name, []byte("%PDF-1.4 a file")) }
	letter := paystubtest.Letter()
	// The sources of an employer of an eligibility report are those of other products.
	brought := func(p contract.Product, key string, what any) map[string]any {
		if p == contract.Eligibility {
			return at("employers", []any{at(key, what), at("skip", "OTHER")})
		}
		return at(key, what)
	}
	for _, p := range []contract.Product{contract.Cashflow, contract.Income, contract.Eligibility} {
		all = append(all,
			// By the name of the applicant.
			ending{p, "", "supplierdown", nil, down, ""},
			ending{p, "mfa required", "", nil, refused, contract.SubMFARequired},
			// By the username at a bank.
			ending{p, "", "", at("username", "debt_only"), refused, contract.SubIncompatibleAccounts},
			ending{p, "", "", at("username", "investment_only"), refused, contract.SubIncompatibleAccounts},
			ending{p, "", "", at("username", "no_transactions"), ok, contract.SubNoRecentInformation},
			ending{p, "", "", at("username", "default"), ok, ""},
			ending{p, "", "", at("username", "error"), fails, ""},
			ending{p, "", "", at("username", "supplier_unresponsive"), mute, ""},
			// Substatuses of a bank.
			ending{p, "", "", at("username", "e_banking_unsupported"), refused, contract.SubEBankingNotSupported},
			ending{p, "", "", at("username", "mfa"), refused, contract.SubMFARequired},
		)
	}
	for username, sub := range map[string]contract.Substatus{"noincome": contract.SubNoRecentInformation, "joint": "", "multi": ""} {
		all = append(all, ending{contract.Cashflow, "", "", at("username", username), ok, sub})
	}
	for _, p := range []contract.Product{contract.Income, contract.Eligibility} {
		all = append(all,
			// By the username at a payroll provider.
			ending{p, "mfa required", "", brought(p, "payroll", payroll("default")), refused, contract.SubMFARequired},
			ending{p, "", "", brought(p, "payroll", payroll("default")), ok, ""},
			ending{p, "", "", brought(p, "payroll", payroll("no_statements")), ok, contract.SubNoRecentInformation},
			ending{p, "", "", brought(p, "payroll", payroll("error")), fails, ""},
			ending{p, "", "", brought(p, "payroll", payroll("supplier_unresponsive")), mute, ""},
			ending{p, "", "", brought(p, "payroll", payroll("session_expired")), mute, contract.SubWidgetSessionExpired},
			ending{p, "", "", brought(p, "payroll", payroll("mfa")), refused, contract.SubMFARequired},
			ending{p, "", "", brought(p, "payroll", payroll("incomplete")), fails, contract.SubIncomplete},
			// By the name of a file.
			ending{p, "", "", brought(p, "payStubs", file("paystub.pdf")), ok, ""},
			ending{p, "", "", brought(p, "payStubs", file("missingfields.pdf")), ok, ""},
			ending{p, "", "", brought(p, "payStubs", file("my-empty-stub.pdf")), refused, ""},
			ending{p, "", "", brought(p, "payStubs", file("down.pdf")), down, ""},
			ending{p, "", "", brought(p, "payStubs", file("holiday.pdf")), refused, ""},
			// Images are not read.
			ending{p, "", "", brought(p, "payStubs", file("paystub.png")), refused, contract.SubIncomplete},
			ending{p, "", "", brought(p, "payStubs", file("missingfields.jpg")), ok, ""},
			// Encrypted and damaged PDF files and other files are not pay stubs.
			ending{p, "", "", brought(p, "payStubs",
				holding("paystub.pdf", bytes.Replace(letter, []byte("/Root "), []byte("/Encrypt 1 0 R/Root "), 1))), refused, ""},
			ending{p, "", "", brought(p, "payStubs",
				holding("paystub.pdf", append([]byte("%PDF-1.7\n"), bytes.Repeat([]byte("7 0 obj<<>>endobj "), 60_000)...))), refused, ""},
			ending{p, "", "", brought(p, "payStubs", holding("paystub.pdf", append([]byte("%PDF-1.7\n"), make([]byte, 4096)...))), refused, ""},
			ending{p, "", "", brought(p, "payStubs", holding("paystub.pdf", append([]byte("MZ\x90\x00"), make([]byte, 4096)...))), refused, ""},
		)
		// Irregularities; TestIrregularityByName checks their results.
		for _, last := range []string{"pdfTrusted", "pdfHighRisk", "pdfWarningApproved", "imageTrusted", "imageHighRiskManualReview"} {
			all = append(all, ending{p, "getAdaptiveDecisionResult", last, brought(p, "payStubs", file("scan.pdf")), ok, ""})
		}
	}
	return append(all,
		ending{contract.Passport, "", "", at("supplier", "GBR_EFX"), ok, ""},
		ending{contract.Passport, "", "nofile", at("supplier", "GBR_EFX"), ok, contract.SubNoRecentInformation},
		ending{contract.Passport, "", "supplierdown", at("supplier", "GBR_EFX"), down, ""},
	)
}

// reportPaths are the paths of the reports of each product.
var reportPaths = map[contract.Product]string{
	contract.Cashflow: "/connect/cashflow/v2/json", contract.Income: "/connect/income/v2/json",
	contract.Eligibility: eligibilityPath + "json", contract.Passport: passportJSON,
}

// prefill is the data of the ending's applicant.
func (e ending) prefill() map[string]any {
	out := with(tenantOf(e.product))
	if e.first != "" {
		out["firstName"] = e.first
	}
	if e.last != "" {
		out["lastName"] = e.last
	}
	return out
}

// wantEnding completes a visit and checks the answer, the status, and the report. It returns the report's token.
func (b *testServer) wantEnding(t *testing.T, e ending) (publicToken string) {
	done := b.tryComplete(b.begin("productId", b.seed.Products[e.product], "prefill", e.prefill()), with(e.how))
	if done.status != 200 || done.text("status") != string(e.status) || done.text("substatus") != string(e.sub) {
		t.Errorf("%v: %s, want %s %s", e, done.raw, e.status, e.sub)
		return ""
	}
	as := b.named(done.text("publicToken"))
	if a := b.get("/connect/status", as); a.status != 200 || a.text("status") != string(e.status) ||
		a.text("substatus") != string(e.sub) || len(a.body) != 2 {
		t.Errorf("%v: its status is %s", e, a.raw)
	}
	a := b.get(reportPaths[e.product], as)
	if e.status != contract.StatusSuccess {
		if b.want(e.String(), a, 404, contract.CodeReportNotReady); a.text("status") != string(e.status) {
			t.Errorf("%v: the answer does not say its status: %s", e, a.raw)
		}
	} else if meta, _ := a.body["meta"].(map[string]any); a.status != 200 ||
		meta["status"] != "SUCCESS" || meta["substatus"] != nullable(e.sub) {
		t.Errorf("%v: its report has %v", e, meta)
	}
	return done.text("publicToken")
}

// expireVisits begins visits, which are EXPIRED after 72 hours, or after 5 minutes for one last name.
func (b *testServer) expireVisits(t *testing.T) {
	for _, product := range contract.Products() {
		for _, last := range []string{"Harper", "expiresoon"} {
			b.begin("productId", b.seed.Products[product], "externalId", fmt.Sprint(product, last),
				"prefill", with(tenantOf(product), "lastName", last))
		}
	}
	for _, at := range []struct {
		advance string
		want    map[string]contract.Status
	}{
		{"290s", map[string]contract.Status{"Harper": contract.StatusPending, "expiresoon": contract.StatusPending}},
		{"11s", map[string]contract.Status{"Harper": contract.StatusPending, "expiresoon": contract.StatusExpired}},
		{"71h54m", map[string]contract.Status{"Harper": contract.StatusPending}},
		{"5m", map[string]contract.Status{"Harper": contract.StatusExpired}},
	} {
		b.advance(at.advance)
		token := b.bearer(b.basic())
		for _, product := range contract.Products() {
			for last, want := range at.want {
				a := b.get("/connect/status", append(slices.Clone(token), "X-EXTERNAL-ID", fmt.Sprint(product, last)))
				if a.text("status") != string(want) || a.body["substatus"] != nil {
					t.Errorf("%s of %s after another %s: %s, want %s", product, last, at.advance, a.raw, want)
				}
			}
		}
	}
}

// TestVisitOutcomes completes a visit for each simulation, and checks the answer of the
// control, the status, the report, and the webhook. The simulations have every status and
// substatus.
func TestVisitOutcomes(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	t.Parallel()
	b := newTestServer(t, storetest.SQLite(t, store.Provider))
	wanted, all, workflow := map[string]ending{}, endings(), ""
	for _, e := range all {
		// Without assets, the outcome is that of the employers' sources.
		if _, by := e.how["employers"]; by != (workflow != "") {
			workflow = map[bool]string{true: ", income only"}[by]
			b.want("the workflow", b.assign(b.configurations()["Eligibility"+workflow], "product", b.seed.Products[contract.Eligibility]), 200, "")
		}
		if token := b.wantEnding(t, e); token != "" {
			wanted[token] = e
		}
	}
	for _, e := range b.inbox.wait(t, len(wanted)) {
		want, known := wanted[e.PublicToken]
		if !known || e.Status != want.status || e.Substatus != want.sub {
			t.Errorf("%v: the webhook has %s %s", want, e.Status, e.Substatus)
		}
		delete(wanted, e.PublicToken)
	}
	b.expireVisits(t)
	for _, s := range contract.Statuses() {
		if s != contract.StatusPending && s != contract.StatusExpired && !slices.ContainsFunc(all, func(e ending) bool { return e.status == s }) {
			t.Errorf("no row ends with %s", s)
		}
	}
	for _, s := range contract.Substatuses() {
		if !slices.ContainsFunc(all, func(e ending) bool { return e.sub == s }) {
			t.Errorf("no row ends with %s", s)
		}
	}
}

// TestSourceOutcomes checks that a report has the status and substatus of each source that
// failed beside connected ones.
func TestSourceOutcomes(t *testing.T) {
	t.Parallel()
	b := newTestServer(t, storetest.SQLite(t, store.Provider))
	type end struct {
		Status    contract.Status    `json:"status"`
		Substatus contract.Substatus `json:"substatus"`
	}
	rows := []struct {
		username       string
		bank, employer *end
	}{
		{"default", nil, &end{contract.StatusSuccess, ""}},
		{"mfa", &end{contract.StatusNotAuthenticated, contract.SubMFARequired}, &end{contract.StatusNotAuthenticated, contract.SubMFARequired}},
		{"supplier_unresponsive", &end{contract.StatusSupplierUnresponsive, ""}, &end{contract.StatusSupplierUnresponsive, ""}},
		{"error", nil, &end{contract.StatusError, ""}},
		{"e_banking_unsupported", &end{contract.StatusNotAuthenticated, contract.SubEBankingNotSupported}, nil},
		{"debt_only", &end{contract.StatusNotAuthenticated, contract.SubIncompatibleAccounts}, nil},
		{"session_expired", nil, &end{contract.StatusSupplierUnresponsive, contract.SubWidgetSessionExpired}},
		{"incomplete", nil, &end{contract.StatusError, contract.SubIncomplete}},
	}
	names := []string{"Harbor National Bank", "Kestrel Bank", "Trellis Bank", "Acorn Trail Bank", "Prairie Federal Bank"}
	banks := []any{map[string]any{"bank": names[0]}}
	var employers, stated []any
	var failed, verified []end
	for _, r := range rows {
		if r.bank != nil {
			banks = append(banks, map[string]any{"bank": names[len(banks)], "username": r.username})
			failed = append(failed, *r.bank)
		}
		if r.employer != nil {
			employers = append(employers, map[string]any{"payroll": map[string]any{"provider": "northwind-logistics", "username": r.username}})
			stated = append(stated, "Employer of "+r.username)
			verified = append(verified, *r.employer)
		}
	}
	done := b.tryComplete(b.begin("productId", b.seed.Products[contract.Eligibility], "prefill",
		with(resident, "statedEmployerNames", stated)), map[string]any{"banks": banks, "employers": employers})
	if done.text("status") != "SUCCESS" {
		t.Fatalf("completed: %s", done.raw)
	}
	var report struct {
		Employers []struct {
			Sources []end `json:"verification_sources"`
		} `json:"stated_employers"`
		Assets struct {
			Failed []end `json:"failed_connections"`
		} `json:"assets"`
	}
	if err := json.Unmarshal(b.get(eligibilityPath+"json", b.named(done.text("publicToken"))).raw, &report); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(failed, report.Assets.Failed); diff != "" {
		t.Errorf("banks (-want +got):\n%s", diff)
	}
	var got []end
	for _, e := range report.Employers {
		got = append(got, e.Sources...)
	}
	if diff := cmp.Diff(verified, got); diff != "" {
		t.Errorf("employers (-want +got):\n%s", diff)
	}
}

// nullable returns a substatus as a report has it.
func nullable(s contract.Substatus) any {
	if s == "" {
		return nil
	}
	return string(s)
}

// tenantOf returns an applicant's data for a product.
func tenantOf(p contract.Product) map[string]any {
	if p == contract.Eligibility {
		return tenant
	}
	return resident
}
