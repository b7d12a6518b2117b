package provider_test

import (
	"encoding/base64"
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"vestibule/internal/contract"
	"vestibule/internal/report"
)

// incomeVisit completes a visit for an income report, and returns the report and its files.
func (b *testServer) incomeVisit(prefill, how map[string]any) (publicToken string, r *report.Income, files []map[string]string) {
	b.t.Helper()
	done := b.complete(b.begin("productId", b.seed.Products[contract.Income], "prefill", prefill), how)
	publicToken = done.text("publicToken")
	if done.text("status") == "SUCCESS" {
		r = b.incomeReport(b.named(publicToken))
	}
	list := b.get("/connect/income/v2/files", b.named(publicToken))
	b.want("the files", list, 200, "")
	if err := json.Unmarshal(list.raw, &files); err != nil {
		b.t.Fatal(err)
	}
	return publicToken, r, files
}

func stubs(files ...string) map[string]any {
	var all []map[string]any
	for i := 0; i < len(files); i += 2 {
		all = append(all, map[string]any{"fileName": files[i], "contentBase64": base64.StdEncoding.EncodeToString([]byte(files[i+1]))})
	}
	return map[string]any{"payStubs": all}
}

func person(first, last string) map[string]any {
	return map[string]any{"firstName": first, "lastName": last, "email": "applicant@example.com", "dob": "1990-06-15"}
}

func TestIncomeFromPayroll(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		prefill := person("Multi", "Chen")
		prefill["statedEmployerName"] = "Great Lakes Medical Center"
		token, r, files := b.incomeVisit(prefill,
			map[string]any{"payroll": map[string]any{"provider": "great-lakes-medical", "username": "two_jobs"}})
		if len(r.Sources) != 2 || r.Sources[1].SourceType != report.SourcePayroll ||
			r.AccountDetails != nil || len(r.Income.FinancialAccounts) != 0 {
			t.Errorf("sources %v, accounts %v", r.Sources, r.AccountDetails)
		}
		if m := r.Identities[0].Matching; m == nil || len(m.FullName.Matched) != 1 {
			t.Errorf("identities %+v", r.Identities)
		}
		if len(r.Employment) != 3 || len(r.Employment[0].Matching.EmployerName.Matched) != 1 ||
			report.Text(r.Employment[1].JobTitle) != "Registered Nurse" || r.Employment[1].HireDate == nil ||
			report.Text(r.Employment[2].Type) != report.EmploymentPartTime {
			t.Errorf("employment %+v", r.Employment)
		}
		if p := r.Income.Payroll; len(p) != 2 || len(p[0].Statements) != 12 || p[0].AnnualSalaryRate.String() != "91200.00" ||
			p[0].EstimatedGrossAnnual.String() != "91200.00" || p[1].AnnualSalaryRate != nil ||
			*r.Income.Summary.AnnualGross != *p[0].EstimatedGrossAnnual+*p[1].EstimatedGrossAnnual {
			t.Errorf("payroll %+v, summary %v", p, r.Income.Summary)
		}
		if len(files) != 1 || files[0]["document_type"] != "PAYROLL_STATEMENTS" || files[0]["source_id"] != "GREAT_LAKES_MEDICAL" {
			t.Fatalf("files %v", files)
		}
		path := "/connect/income/v2/files/" + files[0]["source_filepath"]
		if a := b.get(path, b.named(token)); a.status != 200 || !strings.Contains(string(a.raw), "Weekend Instructor") ||
			!strings.Contains(a.header.Get("Content-Disposition"), "statements.json") {
			t.Errorf("the file: %d %s", a.status, a.raw)
		}
		// A report from payroll cannot be the source of a report from bank data.
		b.want("from it a cashflow report", b.multi(token, b.seed.Products[contract.Cashflow]), 400, contract.CodeInvalidState)
		b.advance("337h") // 14 days and an hour
		b.want("the file after 14 days", b.get(path, b.named(token)), 410, contract.CodeGone)
		if n := b.count(`SELECT COUNT(body) FROM report_data WHERE public_token = $1`, token); n != 1 {
			t.Error("the report was deleted too")
		}
	})
}

// TestIncomeMatchesStatedEmployers checks that all stated employers are matched, by either
// key of a prefill, of a visit, or of a consumer.
func TestIncomeMatchesStatedEmployers(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		prefill := person("Default", "Harper")
		prefill["statedEmployerNames"] = []string{"Great Lakes Medical Center", "Northwind Logistics"}
		prefill["statedEmployerName"] = "Globex"
		consumer := b.post("/connect/consumers", b.basic(), map[string]any{"prefill": prefill}).text("consumerId")
		for key, begin := range map[string][]any{"prefill": {"prefill", prefill}, "consumer": {"consumerId", consumer, "prefill", nil}} {
			how := map[string]any{"username": "default", "payroll": map[string]any{"provider": "great-lakes-medical"}}
			token := b.complete(b.begin(append([]any{"productId", b.seed.Products[contract.Income]}, begin...)...), how).text("publicToken")
			r := b.incomeReport(b.named(token))
			stated := map[string]bool{}
			for _, e := range r.Employment {
				if e.SourceID == report.ConsumerInput {
					stated[report.Text(e.EmployerName)] = e.Matching != nil && len(e.Matching.EmployerName.Matched) > 0
				}
			}
			want := map[string]bool{"Great Lakes Medical Center": true, "Northwind Logistics": true, "Globex": false}
			if !maps.Equal(stated, want) {
				t.Errorf("by %s the stated employers are matched %v, want %v", key, stated, want)
			}
		}
	})
}

// TestIncomeFromSeveralSources checks that a report has all kinds of sources of one visit,
// and names those that failed.
func TestIncomeFromSeveralSources(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		how := stubs("paystub.pdf", "%PDF-1.4")
		how["username"], how["bank"] = "default", "Kestrel Bank"
		how["payroll"] = map[string]any{"provider": "northwind-logistics"}
		token, r, files := b.incomeVisit(person("Default", "Harper"), how)
		var types []string
		for _, s := range r.Sources {
			types = append(types, s.SourceType)
		}
		if got := strings.Join(types, " "); got != "MANUAL BANK_TRANSACTION PAYROLL PAYSTUB" {
			t.Errorf("sources %s", got)
		}
		if len(r.Income.FinancialAccounts) != 1 || len(r.Income.Payroll) != 1 || len(r.Income.Paystubs) != 1 ||
			len(r.AccountDetails) != 1 || len(files) != 3 ||
			*r.Income.Summary.AnnualNet != report.Cents(*r.Income.FinancialAccounts[0].NetAnnual)*100 &&
				*r.Income.Summary.AnnualNet/100 != report.Cents(*r.Income.FinancialAccounts[0].NetAnnual) {
			t.Errorf("income %+v, files %v", r.Income, files)
		}
		if m := r.Identities[0].Matching; m == nil || len(m.FullName.Matched) != 3 {
			t.Errorf("identities %+v", r.Identities)
		}
		prefill := person("Default", "Harper")
		prefill["state"] = "TX"
		other := b.complete(b.begin("productId", b.seed.Products[contract.Income], "prefill", prefill), how).text("publicToken")
		if a := b.multi(other, b.seed.Products[contract.Cashflow]); a.status != 200 {
			t.Errorf("a cashflow report of its bank data: %d %s", a.status, a.raw)
		}
		how["payroll"] = map[string]any{"username": "supplier_unresponsive"}
		if _, r, _ := b.incomeVisit(person("Default", "Harper"), how); len(r.Sources) != 4 || r.Income.Payroll != nil ||
			r.Sources[3].SourceType != report.SourcePayroll || r.Sources[3].Status != contract.StatusSupplierUnresponsive {
			t.Errorf("with a provider that is down: %v of %s", r.Sources, token)
		}
	})
}

func TestIncomeFromPayStubs(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		pdf, png := "%PDF-1.4\ncanary-of-a-stub", "\x89PNG\r\n\x1a\ncanary"
		token, r, files := b.incomeVisit(person("Ana", "Pérez"), stubs("paystub march.pdf", pdf, "unknown.pdf", pdf, "missing_fields.png", png))
		var statuses []contract.Status
		for _, s := range r.Sources[1:] {
			statuses = append(statuses, s.Status)
		}
		if len(statuses) != 3 || statuses[0] != contract.StatusSuccess || statuses[1] != contract.StatusNotAuthenticated ||
			statuses[2] != contract.StatusSuccess || r.Sources[2].SourceID != "PAYSTUB_2" {
			t.Errorf("sources %v", r.Sources)
		}
		p := r.Income.Paystubs
		if len(p) != 2 || report.Text(p[0].EmployeeName) != "Ana Pérez" || p[0].HireDate == nil || p[1].HireDate != nil ||
			p[1].GrossTotal != nil || p[1].IrregularityDetection.Status != report.IrregularityReview ||
			report.Text(p[1].IrregularityDetection.FileType) != report.FileImage || p[0].SourceFilepath != files[0]["source_filepath"] ||
			p[1].SourceRecordID != files[2]["document_id"] || len(p[0].ConsistencyChecks) != len(report.PaystubChecks()) {
			t.Errorf("stubs %+v, files %v", p, files)
		}
		if m := r.Identities[0].Matching; m == nil || len(m.FullName.Matched) != 1 || r.Income.Summary.AnnualGross == nil {
			t.Errorf("identities %+v, summary %v", r.Identities, r.Income.Summary)
		}
		for i, want := range []struct{ kind, body, name string }{{"application/pdf", pdf, "paystub.pdf"},
			{"application/pdf", pdf, "paystub.pdf"}, {"image/png", png, "paystub.png"}} {
			path := "/connect/income/v2/files/" + files[i]["source_filepath"]
			a := b.get(path, b.named(token))
			if a.status != 200 || string(a.raw) != want.body || a.header.Get("Content-Type") != want.kind ||
				a.header.Get("Content-Disposition") != `attachment; filename="`+want.name+`"` ||
				a.header.Get("X-Content-Type-Options") != "nosniff" || files[i]["document_type"] != "PAYSTUB" {
				t.Errorf("file %d: %d %v %q", i, a.status, a.header, a.raw)
			}
			if a := b.get(path, append(b.named(token), "Range", "bytes=0-3")); a.status != 206 || string(a.raw) != want.body[:4] {
				t.Errorf("a part of file %d: %d %q", i, a.status, a.raw)
			}
			if strings.Contains(path, "march") {
				t.Errorf("an address has the name that the applicant gave: %s", path)
			}
		}
		// Files of another report or another customer are unknown.
		other, _, _ := b.incomeVisit(person("Ana", "Pérez"), stubs("paystub.pdf", pdf))
		b.want("another report's file", b.get("/connect/income/v2/files/"+files[0]["source_filepath"], b.named(other)),
			404, contract.CodeNotFound)
		b.want("another customer's", b.get("/connect/income/v2/files", append(b.bearer(b.thirdParty()), "X-PUBLIC-TOKEN", token)),
			404, contract.CodeInvalidToken)
		b.advance("337h")
		b.want("a file after 14 days", b.get("/connect/income/v2/files/"+files[0]["source_filepath"], b.named(token)), 410, contract.CodeGone)
		if list := b.get("/connect/income/v2/files", b.named(token)); strings.TrimSpace(string(list.raw)) != "[]" {
			t.Errorf("the list after 14 days: %s", list.raw)
		}
		b.advance("408h") // 31 days
		if n := b.count(`SELECT COUNT(*) FROM document_parts`) + b.count(`SELECT COUNT(*) FROM documents`); n != 0 {
			t.Errorf("%d rows of files after 31 days", n)
		}
	})
}

// TestIncomeFilesWithoutReport checks that uploaded files are available also without a
// successful report.
func TestIncomeFilesWithoutReport(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		token, _, files := b.incomeVisit(person("Ana", "Pérez"), stubs("empty.pdf", "", "something.pdf", "text"))
		if len(files) != 2 {
			t.Fatalf("files %v", files)
		}
		b.want("the report", b.get("/connect/income/v2/json", b.named(token)), 404, contract.CodeReportNotReady)
		if a := b.get("/connect/income/v2/files/"+files[1]["source_filepath"], b.named(token)); a.status != 200 ||
			string(a.raw) != "text" || a.header.Get("Content-Type") != "application/octet-stream" {
			t.Errorf("the file: %d %v %q", a.status, a.header, a.raw)
		}
		if a := b.get("/connect/income/v2/files/"+files[0]["source_filepath"], b.named(token)); a.status != 200 || len(a.raw) != 0 {
			t.Errorf("the empty file: %d %q", a.status, a.raw)
		}
	})
}

func TestIrregularityByName(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		for last, want := range map[string][2]string{
			"pdfTrusted": {"NOT_DETECTED", "pdf"}, "pdfHighRisk": {"DETECTED", "pdf"}, "pdfWarningApproved": {"REVIEW", "pdf"},
			"imageTrusted": {"NOT_DETECTED", "image"}, "imageHighRiskManualReview": {"DETECTED", "image"},
		} {
			_, r, _ := b.incomeVisit(person("getAdaptiveDecisionResult", last), stubs("scan.pdf", "x"))
			if d := r.Income.Paystubs[0].IrregularityDetection; d.Status != want[0] || report.Text(d.FileType) != want[1] {
				t.Errorf("%s: %+v", last, d)
			}
		}
	})
}

// TestIncomeFromTwoBanks checks that each bank is a source with its own accounts.
func TestIncomeFromTwoBanks(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		_, one, _ := b.incomeVisit(person("Ana", "Pérez"), map[string]any{"bank": "kestrel-bank", "username": "multi"})
		_, r, files := b.incomeVisit(person("Ana", "Pérez"), map[string]any{"banks": []any{
			map[string]any{"bank": "kestrel-bank", "username": "multi"},
			map[string]any{"bank": "harbor-national-bank", "username": "multi"}, map[string]any{"bank": "meridian-quay-bank", "username": "mfa"}}})
		var sources, banks []string
		for _, s := range r.Sources[1:] {
			sources = append(sources, s.SourceID+" "+string(s.Status))
		}
		ids := map[string]bool{}
		for _, a := range r.AccountDetails {
			ids[a.AccountID] = true
			banks = append(banks, a.SourceID+" "+report.Text(a.InstitutionName))
		}
		if got := strings.Join(sources, ", "); got != "KESTREL_BANK SUCCESS, HARBOR_NATIONAL_BANK SUCCESS, MERIDIAN_QUAY_BANK NOT_AUTHENTICATED" {
			t.Errorf("sources %s", got)
		}
		if got := strings.Join(banks, ", "); len(ids) != 6 || got != strings.Repeat("KESTREL_BANK Kestrel Bank, ", 3)+
			strings.Repeat("HARBOR_NATIONAL_BANK Harbor National Bank, ", 2)+"HARBOR_NATIONAL_BANK Harbor National Bank" {
			t.Errorf("%d accounts %s", len(ids), got)
		}
		if len(files) != 2 || files[0]["source_id"] == files[1]["source_id"] {
			t.Errorf("files %v", files)
		}
		twice := *one.Income.Summary.AnnualNet * 2
		if got := *r.Income.Summary.AnnualNet; got != twice {
			t.Errorf("net %v of two banks, want %v", got, twice)
		}
		if all := b.bankAccounts(report.Text(r.Meta.ConsumerID)); len(all) != 4 {
			t.Errorf("the consumer has the bank accounts %+v", all)
		}
	})
}
