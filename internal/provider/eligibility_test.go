package provider_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"vestibule/internal/contract"
	"vestibule/internal/report"
	"vestibule/internal/testutil/paystubtest"
)

const eligibilityPath = "/connect/affordable-housing-verification/v1/"

// eligibilityVisit completes a visit of the eligibility product with a configuration, and returns
// the publicToken, the body, and the report.
func (b *testServer) eligibilityVisit(alias string, more ...any) (string, []byte, *report.Eligibility) {
	b.t.Helper()
	product := b.seed.Products[contract.Eligibility]
	b.want("configuration", b.assign(b.configurations()[alias], "product", product), 200, "")
	token := b.complete(b.begin(append([]any{"productId", product}, more...)...), nil).text("publicToken")
	a := b.get(eligibilityPath+"json", b.named(token))
	b.want(alias, a, 200, "")
	r, err := report.ParseEligibility(a.raw)
	if err != nil {
		b.t.Fatal(err)
	}
	return token, a.raw, r
}

// tenant is an applicant with employers to verify.
var tenant = with(resident, "statedEmployerNames", []string{"Northwind Logistics, Inc.", "Globex"})

func TestEligibilityWorkflows(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		for _, c := range []struct {
			alias   string
			prefill map[string]any
			keys    string
			sub     contract.Substatus
		}{
			{"Eligibility", tenant, "meta product stated_employers identities assets " +
				"documents application_completeness_checks consumer_notices", ""},
			{"Eligibility, assets only", resident, "meta product identities assets documents application_completeness_checks", ""},
			{"Eligibility, income only", tenant, "meta product stated_employers identities", contract.SubNoRecentInformation},
		} {
			token, raw, r := b.eligibilityVisit(c.alias, "prefill", c.prefill, "externalId", c.alias)
			var nodes map[string]json.RawMessage
			if err := json.Unmarshal(raw, &nodes); err != nil {
				t.Fatal(err)
			}
			want := strings.Fields(c.keys)
			slices.Sort(want)
			if diff := cmp.Diff(want, slices.Sorted(maps.Keys(nodes))); diff != "" {
				t.Errorf("%s: nodes (-want +got):\n%s", c.alias, diff)
			}
			if m := r.Meta; m.PublicToken != token || m.APIVersion != "1.0.0" || report.Text(m.ExternalID) != c.alias ||
				report.Text(m.Substatus) != string(c.sub) ||
				r.Product.ProductID != b.seed.Products[contract.Eligibility] || report.Text(m.ConsumerID) == "" {
				t.Errorf("%s: meta %+v, product %+v", c.alias, m, r.Product)
			}
			for _, e := range r.StatedEmployers {
				if e.InputMethod != report.ConsumerInput || len(e.VerificationSources) != 0 || e.SkippedReason != nil {
					t.Errorf("%s: neither verified nor skipped: %+v", c.alias, e)
				}
			}
			if st := b.get("/connect/status", b.named(token)); st.text("status") != "SUCCESS" || st.text("substatus") != string(c.sub) {
				t.Errorf("%s: status %s", c.alias, st.raw)
			}
			// The report's documents are the list of its files.
			list := b.get(eligibilityPath+"files", b.named(token))
			b.want("files", list, 200, "")
			var files []map[string]string
			if err := json.Unmarshal(list.raw, &files); err != nil || len(files) != len(r.Documents) {
				t.Fatalf("%s: %d documents, files %s", c.alias, len(r.Documents), list.raw)
			}
			for i, d := range r.Documents {
				same := map[string]string{"document_type": d.DocumentType, "document_id": d.DocumentID, "source_id": d.SourceID,
					"source_uuid": d.SourceUUID, "source_filepath": d.SourceFilepath}
				if diff := cmp.Diff(same, files[i]); diff != "" || d.AvailableDate == nil {
					t.Errorf("%s: document %+v is listed as (-want +got):\n%s", c.alias, d, diff)
				}
			}
			if r.Assets == nil {
				continue
			}
			if a := r.Assets.AccountDetails; len(a) != 1 || a[0].AverageBalance == nil || a[0].IncomeFromAssets == nil ||
				report.Text(a[0].TruncatedNumber) != "7301" || len(r.Assets.Inflows) == 0 {
				t.Errorf("%s: assets %+v", c.alias, r.Assets)
			}
			if matched := len(r.Assets.MatchedIncome) == 1; matched != (r.StatedEmployers != nil) {
				t.Errorf("%s: matched %+v", c.alias, r.Assets.MatchedIncome)
			}
			if v := r.Checks[report.CheckEmployers].Value; (v == nil) != (r.StatedEmployers == nil) || v != nil && *v {
				t.Errorf("%s: checks %+v", c.alias, r.Checks)
			}
		}
	})
}

// letter is a readable PDF file that is not a pay stub.
var letter = base64.StdEncoding.EncodeToString(paystubtest.Letter())

func fileNamed(name string) []any {
	return []any{map[string]any{"fileName": name, "contentBase64": letter}}
}

// TestEligibilityEmployers completes visits of every workflow by the control, and compares
// the reports with the sources of each employer.
func TestEligibilityEmployers(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		for _, c := range eligibilityCases() {
			t.Run(c.alias, func(t *testing.T) { b.verifyEmployers(t, c) })
		}
		t.Run("sources that the workflow does not use", b.refuseSources)
	})
}

// sixEmployers is an applicant who states six employers.
var sixEmployers = with(resident, "statedEmployerNames",
	[]string{"Northwind Logistics", "Tern & Sons", "Vandelay", "Umbrella", "Globex", "Soylent"})

type eligibilityCase struct {
	alias    string
	how      map[string]any
	status   string
	stated   []string
	jobs     string // source: employer, matched employers, direct deposits found and not
	accounts string // source and bank of each
	failed   string
	checks   string // those that are answered no
}

func eligibilityCases() []eligibilityCase {
	shown := []any{
		map[string]any{"payroll": map[string]any{"provider": "northwind-logistics", "username": "default"}},
		map[string]any{"payStubs": fileNamed("paystub.pdf"), "documents": fileNamed("offer.pdf")},
		map[string]any{"skip": "NO_LONGER_EMPLOYED"},
		map[string]any{"payroll": map[string]any{"provider": "paywright", "username": "session_expired"}},
		map[string]any{},
		map[string]any{"payroll": map[string]any{"provider": "northwind-logistics", "username": "hourly"}, "documents": fileNamed("empty.pdf")},
	}
	employers := []string{
		"Northwind Logistics: NORTHWIND_LOGISTICS PAYROLL SUCCESS",
		"Tern & Sons: PAYSTUB PAYSTUB SUCCESS, DOCUMENT DOCUMENT SUCCESS",
		"Vandelay: skipped NO_LONGER_EMPLOYED",
		"Umbrella: PAYWRIGHT PAYROLL SUPPLIER_UNRESPONSIVE WIDGET_SESSION_EXPIRED",
		"Globex:",
		"Soylent: NORTHWIND_LOGISTICS_2 PAYROLL SUCCESS, DOCUMENT_2 DOCUMENT NOT_AUTHENTICATED",
	}
	return []eligibilityCase{
		{"Eligibility", map[string]any{"employers": shown, "banks": []any{map[string]any{"bank": "harbor-national-bank"},
			map[string]any{"bank": "kestrel-bank"}, map[string]any{"bank": "meridian-quay-bank", "username": "e_banking_unsupported"}}},
			"SUCCESS", employers,
			"NORTHWIND_LOGISTICS: Northwind Logistics of [Northwind Logistics] 1 0; NORTHWIND_LOGISTICS_2: Northwind " +
				"Logistics of [Northwind Logistics] 0 1; PAYSTUB: Tern & Sons of [Tern & Sons] 0 0",
			"HARBOR_NATIONAL_BANK Harbor National Bank; KESTREL_BANK Kestrel Bank", "MERIDIAN_QUAY_BANK NOT_AUTHENTICATED E_BANKING_NOT_SUPPORTED",
			"DIRECT_DEPOSIT_ACCOUNTS_CONNECTED DOCUMENTS_READABLE EMPLOYERS_VERIFIED_OR_SKIPPED NO_FAILED_CONNECTIONS"},
		{"Eligibility, income only", map[string]any{"employers": shown, "username": "default"}, "SUCCESS", employers,
			"NORTHWIND_LOGISTICS: Northwind Logistics of [Northwind Logistics] - -; NORTHWIND_LOGISTICS_2: Northwind " +
				"Logistics of [Northwind Logistics] - -; PAYSTUB: Tern & Sons of [Tern & Sons] - -", "", "", ""},
		{"Eligibility, assets only", map[string]any{"banks": []any{map[string]any{"bank": "kestrel-bank", "username": "single"},
			map[string]any{"bank": "harbor-national-bank", "username": "noincome"}}}, "SUCCESS", nil, "",
			"KESTREL_BANK Kestrel Bank; HARBOR_NATIONAL_BANK Harbor National Bank", "", "SIX_MONTHS_HISTORY_AVAILABLE"},
		{"Eligibility", map[string]any{"payroll": map[string]any{"username": "gig", "provider": "Zipporah Rides"},
			"username": "noincome"}, "SUCCESS",
			[]string{"Northwind Logistics: ZIPPORAH_RIDES PAYROLL SUCCESS", "Tern & Sons:", "Vandelay:", "Umbrella:",
				"Globex:", "Soylent:"}, "ZIPPORAH_RIDES: Zipporah Rides of [] 0 1",
			"AMBER_COAST_BANK Amber Coast Bank", "",
			"DIRECT_DEPOSIT_ACCOUNTS_CONNECTED EMPLOYERS_VERIFIED_OR_SKIPPED SIX_MONTHS_HISTORY_AVAILABLE"},
	}
}

// eligibilitySummary is what a report says, in words of eligibilityCase.
type eligibilitySummary struct {
	stated, jobs, accounts, failed, checks []string
	ids                                    map[string]bool // of accounts
}

func summaryOf(r *report.Eligibility) eligibilitySummary {
	s := eligibilitySummary{ids: map[string]bool{}}
	for _, e := range r.StatedEmployers {
		var words []string
		for _, v := range e.VerificationSources {
			words = append(words, strings.TrimSpace(v.SourceID+" "+v.SourceType+" "+string(v.Status)+" "+string(value(v.Substatus))))
		}
		if e.SkippedReason != nil {
			words = append(words, "skipped "+*e.SkippedReason)
		}
		s.stated = append(s.stated, strings.TrimSpace(e.Name+": "+strings.Join(words, ", ")))
	}
	for _, e := range r.Employment {
		names := []string{}
		for _, n := range e.Matching.EmployerName.Matched {
			names = append(names, n.StatedEmployer)
		}
		found := "- -"
		if d := e.Matching.DirectDeposits; d != nil {
			found = fmt.Sprint(len(d.Matched), len(d.Unmatched))
		}
		s.jobs = append(s.jobs, fmt.Sprintf("%s: %s of %v %s", e.SourceID, *e.EmployerName, names, found))
	}
	if r.Assets != nil {
		for _, acc := range r.Assets.AccountDetails {
			s.accounts = append(s.accounts, acc.SourceID+" "+*acc.InstitutionName)
			s.ids[acc.AccountID] = true
		}
		for _, f := range r.Assets.Failed {
			s.failed = append(s.failed, strings.TrimSpace(f.SourceID+" "+string(f.Status)+" "+string(value(f.Substatus))))
		}
	}
	for name, check := range r.Checks {
		if check.Value != nil && !*check.Value {
			s.checks = append(s.checks, name)
		}
	}
	slices.Sort(s.checks)
	return s
}

// verifyEmployers completes a visit of six employers, and compares its report and files.
func (b *testServer) verifyEmployers(t *testing.T, c eligibilityCase) {
	product := b.seed.Products[contract.Eligibility]
	b.want("configuration", b.assign(b.configurations()[c.alias], "product", product), 200, "")
	a := b.complete(b.begin("productId", product, "prefill", sixEmployers), c.how)
	token := a.text("publicToken")
	if a.text("status") != c.status {
		t.Errorf("%s", a.raw)
		return
	}
	answer := b.get(eligibilityPath+"json", b.named(token))
	b.want("report", answer, 200, "")
	r, err := report.ParseEligibility(answer.raw)
	if err != nil {
		t.Fatal(err)
	}
	got := summaryOf(r)
	if diff := cmp.Diff(c.stated, got.stated); diff != "" {
		t.Errorf("stated employers (-want +got):\n%s", diff)
	}
	for what, pair := range map[string][2]string{"jobs": {c.jobs, strings.Join(got.jobs, "; ")},
		"accounts": {c.accounts, strings.Join(got.accounts, "; ")},
		"failed":   {c.failed, strings.Join(got.failed, "; ")}, "checks": {c.checks, strings.Join(got.checks, " ")}} {
		if pair[0] != pair[1] {
			t.Errorf("%s\n%s, want\n%s", what, pair[1], pair[0])
		}
	}
	if len(got.ids) != len(got.accounts) {
		t.Errorf("%d accounts have %d ids", len(got.accounts), len(got.ids))
	}
	var files []map[string]string
	if err := json.Unmarshal(b.get(eligibilityPath+"files", b.named(token)).raw, &files); err != nil || len(files) != len(r.Documents) {
		t.Errorf("%d documents, %d files", len(r.Documents), len(files))
	}
	for _, f := range files {
		file := b.get(eligibilityPath+"files/"+f["source_filepath"], b.named(token))
		if want := f["document_type"] == report.VerifiedByDocument ||
			f["document_type"] == report.VerifiedByPaystub; file.status != 200 || want != bytes.Equal(file.raw, paystubtest.Letter()) {
			t.Errorf("file %v answers %d", f, file.status)
		}
	}
}

// refuseSources checks that they are refused, and change nothing.
func (b *testServer) refuseSources(t *testing.T) {
	token := b.begin("productId", b.seed.Products[contract.Eligibility], "prefill", tenant)
	for name, how := range map[string]map[string]any{
		"three employers of two":   {"employers": []any{map[string]any{}, map[string]any{}, map[string]any{}}},
		"employers and a source":   {"employers": []any{map[string]any{}}, "payroll": map[string]any{}},
		"an unknown reason":        {"skip": "BECAUSE"},
		"a reason beside a source": {"skip": "OTHER", "payroll": map[string]any{}},
		"a bank twice":             {"banks": []any{map[string]any{}, map[string]any{}}},
		"six banks": {"banks": []any{map[string]any{}, map[string]any{},
			map[string]any{}, map[string]any{}, map[string]any{}, map[string]any{}}},
		"banks and a username":         {"banks": []any{map[string]any{}}, "username": "default"},
		"a supplier":                   {"supplier": "USA_XP"},
		"no such bank for an employer": {"employers": []any{map[string]any{"payroll": map[string]any{"provider": "kestrel-bank"}}}},
		"no base-64 in a document":     {"documents": []any{map[string]any{"fileName": "a", "contentBase64": "%"}}},
		"no base-64 in a pay stub of one": {
			"employers": []any{map[string]any{"payStubs": []any{map[string]any{"fileName": "a", "contentBase64": "%"}}}}},
	} {
		if a := b.do("POST", "/visits/"+token+"/complete", how); a.status != 400 || len(a.body["details"].([]any)) == 0 {
			t.Errorf("%s answers %d %s", name, a.status, a.raw)
		}
	}
	if a := b.complete(token, map[string]any{"end": "exit"}); a.text("status") != "PENDING" {
		t.Errorf("closing: %s", a.raw)
	}
}

func value[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

func TestEligibilityFiles(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		token, raw, r := b.eligibilityVisit("Eligibility, assets only", "prefill", resident)
		path := eligibilityPath + "files/" + r.Documents[0].SourceFilepath
		file := b.get(path, b.named(token))
		b.want("file", file, 200, "")
		if accounts, _ := file.body["accounts"].([]any); len(accounts) == 0 ||
			accounts[0].(map[string]any)["account_id"] != r.Assets.AccountDetails[0].AccountID ||
			len(accounts[0].(map[string]any)["transactions"].([]any)) == 0 || strings.Contains(string(file.raw), "000412887301") {
			t.Errorf("file: %.500s", file.raw)
		}
		if part := b.get(path, append(b.named(token), "Range", "bytes=10-19")); part.status != http.StatusPartialContent ||
			!bytes.Equal(part.raw, file.raw[10:20]) {
			t.Errorf("a range: %d %q", part.status, part.raw)
		}
		if none := b.get(path, append(b.named(token), "Range", "bytes=99999999-")); none.status != http.StatusRequestedRangeNotSatisfiable {
			t.Errorf("an invalid range: %d", none.status)
		}
		b.want("an unknown file", b.get(eligibilityPath+"files/"+uuid.NewString()+"/transactions.json", b.named(token)),
			404, contract.CodeNotFound)
		b.want("no report named", b.get(eligibilityPath+"files", b.bearer(b.basic())), 400, contract.CodeMalformedHeaders)
		for _, p := range []string{eligibilityPath + "json", eligibilityPath + "files", path} {
			b.want(p+" of no report", b.get(p, b.named(uuid.NewString())), 404, contract.CodeInvalidToken)
			b.want(p+" of another customer's", b.get(p, append(b.bearer(b.thirdParty()), "X-PUBLIC-TOKEN", token)), 404, contract.CodeInvalidToken)
		}
		// It cannot be read as another kind of report.
		for _, p := range []string{"/connect/cashflow/v2/json", "/connect/cashflow/v2/files",
			"/connect/income/v2/json", "/connect/income/v2/files"} {
			b.want(p, b.get(p, b.named(token)), 404, contract.CodeInvalidToken)
		}
		other, _ := b.cashflowVisit("default")
		for _, p := range []string{eligibilityPath + "json", eligibilityPath + "files"} {
			b.want(p+" of a cashflow report", b.get(p, b.named(other)), 404, contract.CodeInvalidToken)
		}
		b.begin("productId", b.seed.Products[contract.Eligibility], "externalId", "waiting", "prefill", resident)
		waiting := append(b.bearer(b.basic()), "X-EXTERNAL-ID", "waiting")
		b.want("a report that is not made", b.get(eligibilityPath+"json", waiting), 404, contract.CodeReportNotReady)
		if a := b.get(eligibilityPath+"files", waiting); a.status != 200 || strings.TrimSpace(string(a.raw)) != "[]" {
			t.Errorf("its files: %d %s", a.status, a.raw)
		}

		// It can be shared.
		relayed, unread := b.relayed(token), b.relayed(b.second("prefill", resident))
		theirs := b.get(eligibilityPath+"json", b.relay(relayed))
		b.want("to a third party", theirs, 200, "")
		if at := bytes.Index(raw, []byte(`"product":`)); at < 0 || !bytes.HasSuffix(theirs.raw, raw[at:]) ||
			bytes.Contains(theirs.raw, []byte(token)) {
			t.Errorf("the third party reads %.400s", theirs.raw)
		}
		b.want("its file to a third party", b.get(path, b.relay(relayed)), 200, "")
		b.want("withdrawn", b.withdraw(relayed), 200, "")
		for _, p := range []string{eligibilityPath + "json", eligibilityPath + "files", path} {
			b.want(p+" withdrawn", b.get(p, b.relay(relayed)), 400, contract.CodeRelayTokenRevoked)
		}
		b.advance("73h")
		for _, p := range []string{eligibilityPath + "json", eligibilityPath + "files", path} {
			b.want(p+" after 72 hours", b.get(p, b.relay(unread)), 400, contract.CodeRelayTokenExpired)
		}

		b.advance("262h")
		b.want("in the 14 days", b.get(path, b.named(token)), 200, "")
		b.advance("2h")
		b.want("after them", b.get(path, b.named(token)), 410, contract.CodeGone)
		b.want("the report after them", b.get(eligibilityPath+"json", b.named(token)), 200, "")
		if a := b.get(eligibilityPath+"files", b.named(token)); a.status != 200 || strings.TrimSpace(string(a.raw)) != "[]" {
			t.Errorf("the list then: %d %s", a.status, a.raw)
		}
		b.advance("2160h")
		for _, p := range []string{eligibilityPath + "json", eligibilityPath + "files", path} {
			b.want(p+" after 90 days", b.get(p, b.named(token)), 404, contract.CodeInvalidToken)
		}
	})
}

// second completes another visit of the eligibility product.
func (b *testServer) second(more ...any) string {
	b.t.Helper()
	return b.complete(b.begin(append([]any{"productId", b.seed.Products[contract.Eligibility]}, more...)...), nil).text("publicToken")
}
