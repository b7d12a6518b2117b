package verdict

import (
	"encoding/json"
	"slices"
	"strconv"
	"testing"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/personname"
	"vestibule/internal/prefill"
	"vestibule/internal/report"
)

func ptr[T any](v T) *T { return &v }

func on(s string) report.Date {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		panic(err)
	}
	return report.DateOf(t)
}

// levels returns the levels of the answers by question.
func levels(v Verdict) map[i18n.Key]Level {
	out := map[i18n.Key]Level{}
	for _, f := range v.Findings {
		out[f.Question] = f.Level
	}
	return out
}

// answer returns the keys of the sentences of an answer.
func answer(v Verdict, q Question) (out []i18n.Key) {
	for _, f := range v.Findings {
		if f.Question == q.Text {
			for _, m := range f.Answer {
				out = append(out, m.Key)
			}
		}
	}
	return out
}

func cashflow(attributes map[string]string) *report.Cashflow {
	r := &report.Cashflow{}
	for name, n := range attributes {
		r.Attributes = append(r.Attributes, report.Attribute{Name: name, Value: json.Number(n)})
	}
	return r
}

// TestCanPay checks that one figure beyond its limit is to be checked, and that spending too much contradicts
// with another.
func TestCanPay(t *testing.T) {
	for _, c := range []struct {
		left          string
		below, events int
		want          Level
	}{
		{"0.00", 0, 0, Confirmed}, {"10.00", 5, 3, Confirmed}, {"10.00", 6, 0, Check}, {"10.00", 0, 4, Check}, {"10.00", 90, 90, Check},
		{"-0.01", 5, 3, Check}, {"-0.01", 6, 0, Contradicted}, {"-0.01", 0, 4, Contradicted}, {"9999998", 90, 90, Unknown},
	} {
		v := OfCashflow(cashflow(map[string]string{"UA_CASHFLOW_NET_SUM_12M": c.left, "UA_ASSET_NEGDAYS_CNT_3M": strconv.Itoa(c.below),
			"UA_EXPENSE_NSFOD_CNT_12M": strconv.Itoa(c.events)}), prefill.Fields{})
		if got := levels(v.Verdict)[pay.Text]; got != c.want {
			t.Errorf("%s left, %d days below zero, %d overdrafts: %s, want %s", c.left, c.below, c.events, got, c.want)
		}
		for key, held := range map[i18n.Key]bool{"review.pay.below_zero": c.below > 5, "review.pay.overdrafts": c.events > 3,
			"review.pay.even": c.left == "0.00", "review.pay.short": c.left[0] == '-'} {
			if known := c.want != Unknown; slices.Contains(answer(v.Verdict, pay), key) != (held && known) {
				t.Errorf("%s left, %d days below zero, %d overdrafts: the answer is %q", c.left, c.below, c.events, answer(v.Verdict, pay))
			}
		}
		if got := len(v.Signals); got != min(c.below, 1)+min(c.events, 1) {
			t.Errorf("%d days and %d overdrafts are %d signals", c.below, c.events, got)
		}
	}
}

// TestEmployersOnce requires that the legal form of a company's name makes no other employer.
func TestEmployersOnce(t *testing.T) {
	s := sources{employers: []value{{text: "NORTHWIND LOGISTICS"}, {text: "Northwind Logistics, Inc."}, {text: "Tern Co"}, {text: "Co"}}}
	for stated, want := range map[string]Comparison{"Northwind Logistics LLC": Matched, "Tern": Matched, "Tern Logistics": Unmatched} {
		got := s.compare(prefill.Fields{StatedEmployerName: stated}, Finding{})[0]
		if got.Compared != want || !slices.Equal(got.Found, []string{"NORTHWIND LOGISTICS", "Tern Co", "Co"}) {
			t.Errorf("%s is %d among %q, want %d", stated, got.Compared, got.Found, want)
		}
	}
}

func TestCashflowIncome(t *testing.T) {
	for _, c := range []struct {
		name, year, months, days string
		stated                   int64
		want                     Level
	}{
		{"every month", "50000.00", "12", "730", 0, Confirmed},
		{"ten months", "50000.00", "10", "730", 0, Confirmed},
		{"nine months", "50000.00", "9", "730", 0, Check},
		{"nine months of eleven", "50000.00", "9", "330", 0, Confirmed},
		{"none", "0.00", "0", "730", 50_000, Contradicted},
		{"unknown", "9999998", "0", "730", 50_000, Unknown},
		{"no transaction in a year", "9999996", "9996", "420", 0, Contradicted},
		{"a short history", "9999996", "9996", "20", 0, Unknown},
		{"as stated", "50000.00", "12", "730", 50_000, Confirmed},
		{"90%", "45000.00", "12", "730", 50_000, Confirmed},
		{"89%", "44999.99", "12", "730", 50_000, Check},
		{"75%", "37500.00", "12", "730", 50_000, Check},
		{"74%", "37499.99", "9", "730", 50_000, Contradicted},
	} {
		f := prefill.Fields{}
		if c.stated > 0 {
			f.StatedAnnualIncome = &c.stated
		}
		v := OfCashflow(cashflow(map[string]string{"UA_INFLOW_INCOME_SUM_12M": c.year, "UA_CADENCE_INCOME_MONTHS_CNT_12M": c.months,
			"UA_TOTAL_OLDEST_REC": c.days}), f)
		if got := levels(v.Verdict)[income.Text]; got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestNewHistory checks that days without a complete month of history do not count as months without income.
func TestNewHistory(t *testing.T) {
	for _, c := range []struct {
		name, oldest, recency string
		income, pay           Level
		says                  i18n.Key
	}{
		{"a deposit four days ago", "4", "4", Unknown, Unknown, "review.pay.too_little"},
		{"a deposit of another kind", "4", "9999998", Unknown, Unknown, "review.pay.too_little"},
		{"income began this month", "400", "4", Check, Confirmed, "review.income_real.this_month"},
		{"no income in a year", "400", "390", Contradicted, Confirmed, "review.income_real.none"},
	} {
		v := OfCashflow(cashflow(map[string]string{"UA_INFLOW_INCOME_SUM_12M": "0.00", "UA_CADENCE_INCOME_MONTHS_CNT_12M": "0",
			"UA_CASHFLOW_NET_SUM_12M": "0.00", "UA_TOTAL_OLDEST_REC": c.oldest, "UA_INFLOW_INCOME_REC": c.recency}), prefill.Fields{})
		if got := levels(v.Verdict); got[income.Text] != c.income || got[pay.Text] != c.pay || v.Findings[0].Answer[0].Key != c.says {
			t.Errorf("%s: %v, says %s", c.name, got, v.Findings[0].Answer[0].Key)
		}
	}
}

// someIncome is an income report of a bank, a payroll provider and two pay stubs, of which one was altered.
func someIncome() *report.Income {
	bank, stub := ptr("r-bank"), ptr("r-stub")
	matching := report.RecordMatching{Matched: []report.RecordRef{{SourceID: "BANK", SourceRecordID: bank}},
		Unmatched: []report.RecordRef{{SourceID: "STUB", SourceRecordID: stub}}}
	return &report.Income{
		Sources: []report.Source{{SourceID: "BANK", SourceType: report.SourceBankTransaction, Status: contract.StatusSuccess}},
		Identities: []report.IncomeIdentity{
			{SourceID: report.ConsumerInput, FullName: ptr("Ana Núñez"), Matching: &report.IncomeMatching{FullName: matching}},
			{SourceID: "BANK", SourceRecordID: bank, FullName: ptr("ANA NUNEZ")},
			{SourceID: "STUB", SourceRecordID: stub, FullName: ptr("A. Stranger")}},
		Employment: []report.Employment{
			{SourceID: report.ConsumerInput, EmployerName: ptr("Tern & Sons"), Matching: &report.EmploymentMatching{EmployerName: matching}},
			{SourceID: "BANK", SourceRecordID: bank, EmployerName: ptr("TERN")},
			{SourceID: "STUB", SourceRecordID: stub, EmployerName: ptr("Heron Ltd")}},
		Income: &report.IncomeNode{Summary: report.IncomeSummary{AnnualGross: ptr(report.Cents(50_000_00))},
			FinancialAccounts: []report.FinancialAccount{{IsConsistent: true, GrossRecent: ptr(int64(55_000)), GrossAnnual: ptr(int64(50_000)),
				IncomeSuite2: &report.IncomeSuite2{JobIrregularityRisk: ptr(report.RiskMedium)}}},
			Payroll: []report.Payroll{{Statements: []report.Statement{{}}}},
			Paystubs: []report.Paystub{{SourceID: "STUB", ConsistencyChecks: map[string]report.ConsistencyCheck{"CHECK": {Value: ptr(false)}},
				IrregularityDetection: report.IrregularityDetection{Status: report.IrregularityDetected}},
				{SourceID: "STUB", IrregularityDetection: report.IrregularityDetection{Status: report.IrregularityNotDetected}}}},
	}
}

func TestIncome(t *testing.T) {
	for _, c := range []struct {
		name     string
		change   func(*report.Income)
		question Question
		want     Level
	}{
		{"regular income at a bank", func(*report.Income) {}, income, Confirmed},
		{"a month without", func(r *report.Income) { r.Income.FinancialAccounts[0].IsConsistent = false }, income, Check},
		{"a high risk", func(r *report.Income) { r.Income.FinancialAccounts[0].JobIrregularityRisk = ptr(report.RiskHigh) }, income, Check},
		{"less of late", func(r *report.Income) { r.Income.FinancialAccounts[0].GrossRecent = ptr(int64(37_499)) }, income, Check},
		{"three quarters", func(r *report.Income) { r.Income.FinancialAccounts[0].GrossRecent = ptr(int64(37_500)) }, income, Confirmed},
		{"payroll alone", func(r *report.Income) { r.Income.FinancialAccounts = nil }, income, Confirmed},
		{"pay stubs alone", func(r *report.Income) { r.Income.FinancialAccounts, r.Income.Payroll = nil, nil }, income, Check},
		{"no source", func(r *report.Income) { r.Income = &report.IncomeNode{} }, income, Unknown},
		{"no income", func(r *report.Income) { r.Income = nil }, income, Contradicted},
		{"an employer that was found", func(*report.Income) {}, employer, Confirmed},
		{"another employer", func(r *report.Income) { r.Employment[0].Matching.EmployerName.Matched = nil }, employer, Contradicted},
		{"an employer that no source names", func(r *report.Income) { r.Employment = r.Employment[:1] }, employer, Check},
		{"an employer of pay stubs only", func(r *report.Income) {
			m := r.Employment[0].Matching
			m.EmployerName.Matched, m.EmployerName.Unmatched = m.EmployerName.Unmatched, nil
		}, employer, Check},
		{"no employer stated", func(r *report.Income) { r.Employment = r.Employment[1:] }, employer, Unknown},
		{"an altered pay stub", func(*report.Income) {}, document, Contradicted},
		{"a doubtful one", func(r *report.Income) { r.Income.Paystubs[0].IrregularityDetection.Status = report.IrregularityReview },
			document, Check},
		{"one of an unknown status", func(r *report.Income) { r.Income.Paystubs[0].IrregularityDetection.Status = "NEW" }, document, Check},
		{"a check that does not hold", func(r *report.Income) {
			r.Income.Paystubs[0].IrregularityDetection.Status = report.IrregularityNotDetected
		}, document, Check},
		{"good pay stubs", func(r *report.Income) { r.Income.Paystubs = r.Income.Paystubs[1:] }, document, Confirmed},
		{"one name of two", func(*report.Income) {}, person, Check},
		{"every name", func(r *report.Income) { r.Identities[0].Matching.FullName.Unmatched = nil }, person, Confirmed},
		{"a name of pay stubs only", func(r *report.Income) {
			m := r.Identities[0].Matching
			m.FullName.Matched, m.FullName.Unmatched = m.FullName.Unmatched, nil
		}, person, Check},
		{"a name of no source", func(r *report.Income) { r.Identities[0].Matching.FullName.Matched = nil }, person, Contradicted},
		{"no other name", func(r *report.Income) { r.Identities = nil }, person, Unknown},
	} {
		r := someIncome()
		c.change(r)
		if got := levels(OfIncome(r, prefill.Fields{}).Verdict)[c.question.Text]; got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestIncompleteReport checks that low income does not contradict the applicant if accounts are missing, and
// that the verdict begins with the banks.
func TestIncompleteReport(t *testing.T) {
	r, stated := someIncome(), prefill.Fields{StatedAnnualIncome: ptr(int64(200_000))}
	if got := levels(OfIncome(r, stated).Verdict)[income.Text]; got != Contradicted {
		t.Fatalf("a quarter of the stated income is %s", got)
	}
	r.Sources[0].Status = contract.StatusSupplierUnresponsive
	v := OfIncome(r, stated)
	if got := levels(v.Verdict)[income.Text]; got != Check || v.Stated[0].Income.Level != Check || v.Findings[0].Question != complete.Text {
		t.Errorf("the same of an incomplete report is %s, beside the stated income %s", got, v.Stated[0].Income.Level)
	}
	if got, want := answer(v.Verdict, complete), []i18n.Key{"review.complete.none", "review.complete.low"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestUsesWhatThePortalKnows checks that a report that does not have what the applicant stated is compared
// with what they stated to the portal, in the answers as beside the stated values.
func TestUsesWhatThePortalKnows(t *testing.T) {
	stated := func(first, last, employer string) prefill.Fields {
		return prefill.Fields{FirstName: first, LastName: last, StatedEmployerName: employer}
	}
	for _, c := range []struct {
		name             string
		stated           prefill.Fields
		names            []string
		person, employer Level
		compared         []Comparison
	}{
		{"nothing stated", prefill.Fields{}, []string{"ANA NUNEZ"}, Unknown, Unknown, nil},
		{"all agree", stated("Ana", "Núñez", "Tern"), []string{"NUNEZ ANA"}, Confirmed, Confirmed, []Comparison{Matched, Matched}},
		{"one name", stated("Ana", "Núñez", "TERN"), []string{"ANA NUNEZ", "A. Stranger"}, Check, Confirmed, []Comparison{Partly, Matched}},
		{"another", stated("Zoë", "Hart", "Heron"), []string{"ANA NUNEZ"}, Contradicted, Contradicted, []Comparison{Unmatched, Unmatched}},
		{"a middle name", stated("John", "Smith", ""), []string{"SMITH JOHN A JR"}, Confirmed, Unknown, []Comparison{Matched}},
		{"a son", stated("John", "Smith Sr", ""), []string{"SMITH JOHN A JR"}, Contradicted, Unknown, []Comparison{Unmatched}},
		{"no source", stated("Zoë", "Hart", ""), nil, Unknown, Unknown, []Comparison{NotCompared}},
	} {
		r := someIncome()
		r.Identities = nil
		for _, n := range c.names {
			r.Identities = append(r.Identities, report.IncomeIdentity{SourceID: "BANK", FullName: contract.Null(n)})
		}
		r.Employment = []report.Employment{{SourceID: "BANK", EmployerName: contract.Null("TERN")}}
		v := OfIncome(r, c.stated)
		var compared []Comparison
		for _, s := range v.Stated {
			compared = append(compared, s.Compared)
		}
		if got := levels(v.Verdict); got[person.Text] != c.person || got[employer.Text] != c.employer || !slices.Equal(compared, c.compared) {
			t.Errorf("%s: %v %v, want person %s, employer %s, %v", c.name, got, compared, c.person, c.employer, c.compared)
		}
	}
}

// TestNotesOnNames checks that a name that agrees except for details says which, in the answer, beside the
// stated name and beside the source's.
func TestNotesOnNames(t *testing.T) {
	r := someIncome()
	r.Identities[1].FullName = ptr("NUNEZ ANA M")
	v := OfIncome(r, prefill.Fields{FirstName: "Ana", LastName: "Núñez"})
	want := []personname.Note{personname.MiddleName, personname.Order, personname.Spelling}
	if got := v.Identities[1].Notes; !slices.Equal(got, want) {
		t.Errorf("the bank’s name has the notes %v, want %v", got, want)
	}
	if got := v.Stated[0].Notes; !slices.Equal(got, want) || v.Identities[2].Notes != nil {
		t.Errorf("the stated name has the notes %v and another person’s %v", got, v.Identities[2].Notes)
	}
	if got := answer(v.Verdict, person); got[len(got)-1] != "review.person_real.written_differently" {
		t.Errorf("the answer says %v", got)
	}
	for _, l := range i18n.Languages() {
		for _, n := range personname.Notes {
			if _, ok := i18n.Find(l, "review.name_notes", n); !ok {
				t.Errorf("%s has no text in %s", n, l)
			}
		}
	}
}

// someEligibility is an eligibility report with four stated employers and one account.
func someEligibility() *report.Eligibility {
	return &report.Eligibility{
		StatedEmployers: []report.StatedEmployer{
			{Name: "Tern & Sons", VerificationSources: []report.VerificationSource{{SourceType: "PAYROLL", Status: contract.StatusSuccess}}},
			{Name: "Heron", VerificationSources: []report.VerificationSource{{SourceType: "PAYROLL", Status: contract.StatusNotAuthenticated}}},
			{Name: "Stork", SkippedReason: ptr("NO_LONGER_EMPLOYED")}, {Name: "Egret"}},
		Employment: []report.EligibilityEmployment{{EmployerName: ptr("Tern & Sons"), Matching: report.EmployerMatches{
			EmployerName: report.EmployerNameMatching{Matched: []report.StatedName{{StatedEmployer: "Tern & Sons"}}}}}},
		Assets: &report.Assets{
			AccountDetails: []report.AssetAccount{{CurrentBalance: ptr(report.Cents(0)), AverageBalance: ptr(report.Cents(0))}},
			Inflows:        []report.Inflow{{InflowID: "i1", AnnualIncome: ptr(report.Cents(40_000_00))}},
			MatchedIncome:  []report.MatchedIncomeSource{{StatedEmployer: "Tern & Sons", MatchedInflowID: "i1"}}},
		Income: &report.EligibilityIncome{Payroll: []report.EligibilityPayroll{{AnnualGross: ptr(report.Cents(44_720_00)),
			Statements: []report.EligibilityStatement{{}}}, {AnnualNet: ptr(report.Cents(1_00))}}},
		Checks: map[string]report.Check{report.CheckDocuments: {Value: ptr(true)}},
	}
}

func TestAssets(t *testing.T) {
	for _, c := range []struct {
		name         string
		now, average report.Cents
		want         Level
	}{
		{"as ever", 4_000_00, 4_000_00, Confirmed}, {"twice as much", 8_000_00, 4_000_00, Confirmed}, {"more", 8_000_01, 4_000_00, Check},
		{"much from nothing", 1_000_01, -50_00, Check}, {"little from nothing", 999_00, 1_00, Confirmed},
		{"half", 2_000_00, 4_000_00, Confirmed}, {"less", 1_999_99, 4_000_00, Check},
	} {
		r := someEligibility()
		r.Assets.AccountDetails[0].CurrentBalance, r.Assets.AccountDetails[0].AverageBalance = &c.now, &c.average
		if got := levels(OfEligibility(r, prefill.Fields{}).Verdict)[assets.Text]; got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	r := someEligibility()
	r.Assets.AccountDetails[0].AverageBalance = nil
	if v := OfEligibility(r, prefill.Fields{}); levels(v.Verdict)[assets.Text] != Unknown || v.Held != nil {
		t.Errorf("without an average: %+v", v)
	}
	r.Assets.AccountDetails = nil
	if got := levels(OfEligibility(r, prefill.Fields{}).Verdict)[assets.Text]; got != Check {
		t.Errorf("without an account: %s", got)
	}
}

func TestStatedEmployers(t *testing.T) {
	r := someEligibility()
	v := OfEligibility(r, prefill.Fields{})
	if want := []EmployerState{EmployerVerified, EmployerTried, EmployerSkipped, EmployerOpen}; !slices.Equal(v.Employers, want) {
		t.Errorf("%v, want %v", v.Employers, want)
	}
	if *v.Gross != 44_720_00 || *v.Net != 1_00 || *v.Deposited != 40_000_00 || levels(v.Verdict)[employer.Text] != Check {
		t.Errorf("%+v", v)
	}
	// Payroll of another employer does not verify one; a document is for the reviewer to read.
	r.Employment[0].Matching.EmployerName.Matched = nil
	if v = OfEligibility(r, prefill.Fields{}); v.Employers[0] != EmployerElsewhere || levels(v.Verdict)[employer.Text] != Contradicted {
		t.Errorf("payroll of another: %v", v.Employers)
	}
	r.StatedEmployers = r.StatedEmployers[:1]
	r.StatedEmployers[0].VerificationSources = append(r.StatedEmployers[0].VerificationSources,
		report.VerificationSource{SourceType: report.VerifiedByDocument, Status: contract.StatusSuccess})
	if v = OfEligibility(r, prefill.Fields{}); v.Employers[0] != EmployerVerified || levels(v.Verdict)[employer.Text] != Confirmed {
		t.Errorf("payroll of another, and a document: %v", v.Employers)
	}
	for _, want := range []i18n.Key{"review.income_real.payroll", "review.income_real.employer_pays", "review.income_real.unstated",
		"review.income_real.no_income_shown"} {
		v := OfEligibility(r, prefill.Fields{})
		if got := answer(v.Verdict, income); !slices.Equal(got, []i18n.Key{want}) {
			t.Errorf("%q, want %q", got, want)
		}
		switch { // the next source is missing, too
		case r.Income != nil:
			r.Income = nil
		case r.Assets.MatchedIncome != nil:
			r.Assets.MatchedIncome = nil
		default:
			r.Assets.Inflows = nil
		}
	}
}

// TestStatedEmployersDoNotContradictEachOther has two stated employers, of which one is found.
func TestStatedEmployersDoNotContradictEachOther(t *testing.T) {
	r := someEligibility()
	compared := func() (out []Comparison) {
		for _, s := range OfEligibility(r, prefill.Fields{StatedEmployerNames: []string{"Tern & Sons", "Heron"}}).Stated {
			out = append(out, s.Compared)
		}
		return out
	}
	if got, want := compared(), []Comparison{Matched, NotCompared}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	r.Employment[0].Matching.EmployerName = report.EmployerNameMatching{Unmatched: []report.StatedName{{StatedEmployer: "Heron"}}}
	r.Employment[0].EmployerName = ptr("Egret")
	if got, want := compared(), []Comparison{Unmatched, Unmatched}; !slices.Equal(got, want) {
		t.Errorf("an employer that the applicant did not state: %v, want %v", got, want)
	}
}

// somePassport is a credit file with a late payment and a document that has expired.
func somePassport() *report.Passport {
	born, expires := on("1980-02-29"), on("2025-01-01")
	return &report.Passport{Meta: &report.Meta{CreatedAt: report.TimestampOf(on("2026-03-10").Time)},
		Identities: []report.PassportIdentity{
			{SourceID: report.ConsumerInput, FullName: ptr("Ana Núñez"), Matching: &report.IncomeMatching{FullName: report.RecordMatching{
				Matched: []report.RecordRef{{SourceID: "BUREAU"}}}}},
			{SourceID: "BUREAU", FirstName: ptr("ANA"), LastName: ptr("NUNEZ"), DateOfBirth: &born, IsDeceased: ptr(false),
				Documents: []report.IdentityDocument{{Expires: &expires}}}},
		Tradelines: []report.Tradeline{{Status: report.TradelineOpen, History: []report.PaymentMonth{{Status: ptr(report.PaidOK)},
			{Status: ptr(report.PaidLate30)}}}},
		Employers: []report.PassportEmployer{{Name: ptr("ACME INC")}}}
}

func TestPassport(t *testing.T) {
	for _, c := range []struct {
		name     string
		change   func(*report.Passport)
		question Question
		want     Level
	}{
		{"late once", func(*report.Passport) {}, credit, Check},
		{"never late", func(r *report.Passport) { r.Tradelines[0].History = r.Tradelines[0].History[:1] }, credit, Confirmed},
		{"late by 90 days", func(r *report.Passport) { r.Tradelines[0].History[1].Status = ptr(report.PaidLate90) }, credit, Contradicted},
		{"past due", func(r *report.Passport) {
			r.Tradelines[0].History, r.Tradelines[0].Status = nil, report.TradelineDelinquent
		}, credit, Check},
		{"charged off", func(r *report.Passport) {
			r.Tradelines[0].History, r.Tradelines[0].Status = nil, report.TradelineChargedOff
		}, credit, Contradicted},
		{"a document that has expired", func(*report.Passport) {}, document, Check},
		{"one of that very day", func(r *report.Passport) { r.Identities[1].Documents[0].Expires = ptr(on("2026-03-10")) }, document, Confirmed},
		{"a name that is known", func(*report.Passport) {}, person, Confirmed},
		{"a person who is deceased", func(r *report.Passport) { r.Identities[1].IsDeceased = ptr(true) }, person, Contradicted},
	} {
		r := somePassport()
		c.change(r)
		if got := levels(OfPassport(r, prefill.Fields{}).Verdict)[c.question.Text]; got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestCountsContradictions checks that the verdict counts each contradiction beside the stated values.
func TestCountsContradictions(t *testing.T) {
	for _, c := range []struct {
		name   string
		stated prefill.Fields
		level  Level
		count  int
	}{
		{"nothing stated", prefill.Fields{}, Confirmed, 1},
		{"all agree", prefill.Fields{DOB: "1980-02-29", StatedEmployerName: "Acme, Inc."}, Confirmed, 2},
		{"birth", prefill.Fields{DOB: "1980-03-01"}, Contradicted, 1},
		{"employer", prefill.Fields{StatedEmployerName: "Hartland"}, Contradicted, 1},
		{"both", prefill.Fields{DOB: "1980-03-01", StatedEmployerNames: []string{"ACME INC", "Hartland"}}, Contradicted, 2},
	} {
		r := somePassport()
		r.Tradelines, r.Identities[1].Documents = nil, nil
		if s := OfPassport(r, c.stated).Summary(); s.Verdict != c.level || s.Findings != c.count {
			t.Errorf("%s: %s, %d; want %s, %d", c.name, s.Verdict, s.Findings, c.level, c.count)
		}
	}
}
