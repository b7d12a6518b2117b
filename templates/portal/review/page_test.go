package review

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/a-h/templ"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/portal/review/verdict"
	"vestibule/internal/prefill"
	"vestibule/internal/report"
	"vestibule/internal/testutil"
	"vestibule/internal/testutil/i18ntest"
	"vestibule/templates/ui"
)

const madeToken = "33333333-3333-4333-8333-333333333333"

func on(s string) report.Date {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		panic(err)
	}
	return report.DateOf(t)
}

func number(s string) *json.Number { n := json.Number(s); return &n }

// madeReport is a made-up household: forty days and two accounts, one of which is
// below zero for a while.
func madeReport() ReportView {
	score := 512
	attribute := func(name, description, node, value, code string) report.Attribute {
		return report.Attribute{Name: name, Description: description, Node: node, Value: json.Number(value), AdverseActionCode: code}
	}
	r := &report.Cashflow{
		Meta: &report.Meta{PublicToken: madeToken, CreatedAt: report.TimestampOf(time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)),
			APIVersion: "2.0.0", Status: contract.StatusSuccess},
		Product: &report.Product{Name: "Cash <flow>", ProductID: madeToken, InquiryType: "PERSONAL"},
		Attributes: []report.Attribute{
			attribute("UA_ASSET_TOTAL_BAL_CUR", "Sum of current balances of all cash-equivalent accounts", "ASSET", "1234567.80", "10"),
			attribute("UA_ASSET_TOTAL_MIN_3M", "Lowest end-of-day total balance, last 3 complete months", "ASSET", "-12.05", "11"),
			attribute("UA_RATIO_EXPENSE_INFLOW_3M", "Debits divided by credits excluding own-account transfers, last 3 complete months",
				"RATIO", "9999995", "32"),
			attribute("UA_INFLOW_INCOME_AVG_12R", "Average monthly income credits with tax refunds, rolling 12 months", "INFLOW", "9999996", "21"),
			attribute("XX_OF_ANOTHER", "Another provider's <figure>", "STRANGE", "7", "99"),
		},
		Properties: []report.ConsumerDataProperty{{FieldName: "TOTAL_TRANSACTION_COUNT", Value: report.PropertyValue{Integer: 1234}}},
		Scores: []report.Score{{ScoreType: report.ScoreCashflow, ScoreVersion: "v2.0", Value: &score,
			AdverseActionCodes: []report.AdverseCode{{Code: "11", Description: "Lowest balance"}, {Code: "32", Description: "Their own words"}}}},
	}
	from, monthly := on("2026-01-30"), report.Cents(2_000_00)
	a := &report.Analysis{Version: "1.0.0", PublicToken: madeToken, From: &from, To: on("2026-03-10"),
		Months: []report.AnalysisMonth{{Month: "2026-01", In: 10_00, Count: 1, End: 90_00, Lowest: 80_00},
			{Month: "2026-02", Complete: true, In: 2_100_00, Income: 2_000_00, Out: -1_900_00, End: 250_00, Lowest: -40_00, Count: 30, Returned: 1},
			{Month: "2026-03", Out: -100_00, End: 150_00, Lowest: 150_00, Count: 3}},
		Streams: []report.AnalysisStream{
			{Name: "ACME <PAY>", Direction: "IN", Category: "INCOME.PAYROLL", Group: "INCOME", Cadence: "MONTHLY", Active: true,
				First: on("2025-01-31"), Last: on("2026-01-31"), Count: 12, Mean: 2_000_00, Monthly: &monthly},
			{Name: "A FRIEND", Direction: "IN", Category: "TRANSFER.P2P_IN", Group: "TRANSFER", Cadence: "WEEKLY",
				Active: true, First: on("2026-01-30"), Last: on("2026-03-01"), Mean: 25_00},
			{Name: "OLD GYM", Direction: "OUT", Category: "BILL.SUBSCRIPTION", Group: "BILL", Cadence: "MONTHLY",
				First: on("2025-01-30"), Last: on("2025-12-01"), Mean: -30_00},
			{Name: "LANDLORD", Direction: "OUT", Category: "NEW.CODE", Group: "NEW", Cadence: "FORTNIGHTLY", Active: true,
				First: on("2026-01-30"), Last: on("2026-03-01"), Mean: -900_00}},
		Categories: []report.AnalysisCategory{
			{Category: "INCOME.PAYROLL", Group: "INCOME", Direction: "IN", Count: 1, Total: 2_000_00, Monthly: &monthly},
			{Category: "LIVING.GROCERY", Group: "LIVING", Direction: "OUT", Count: 20, Total: -999_00},
			{Category: "LIVING.HEALTH", Group: "LIVING", Direction: "OUT", Count: 2, Total: -1_00},
			{Category: "NEW.CODE", Group: "NEW", Description: "something new", Direction: "OUT", Count: 1, Total: -900_00}},
		Returned: []report.AnalysisReturned{{Date: on("2026-02-11"), AccountID: "a1",
			Category: "FEE.NSF", Amount: -35_00, Description: "NSF FEE <1>"}},
		Scores: []report.AnalysisScore{{Version: "v2.0", Value: &score, Base: 300, Maximum: 850, Points: 27, Most: 70, Bins: []report.AnalysisBin{
			{Letter: "A", Attribute: "UA_ASSET_TOTAL_MIN_3M", Description: "Lowest end-of-day total balance, last 3 complete months",
				Code: "11", Unit: "DOLLARS", Value: "-12.05", Points: 0, Most: 45, Reference: 22,
				Ranges: []report.AnalysisCell{{High: number("0.00"), Reached: true}, {Low: number("0.00"), LowIncluded: true,
					High: number("50.00"), Points: 8}, {Low: number("50.00"), LowIncluded: true, Points: 45}}},
			{Letter: "B", Attribute: "UA_TOTAL_TXN_CNT_12M", Description: "Number of posted transactions, last 12 complete months",
				Code: "61", Unit: "COUNT", Value: "9998", Neutral: true, Points: 27, Most: 25 + 2, Reference: 20}}}},
	}
	one, two := report.AnalysisAccount{AccountID: "a1", Name: contract.Null("Everyday"), TruncatedNumber: contract.Null("4321")},
		report.AnalysisAccount{AccountID: "a2", Name: contract.Null("Savings")}
	for i := range a.Days() {
		b := report.Cents(100_00 - (i%20)*10_00)
		one.Balances, two.Balances, a.Total = append(one.Balances, b), append(two.Balances, 50_00), append(a.Total, b+50_00)
	}
	a.Accounts = []report.AnalysisAccount{one, two}
	return ReportView{Case: Case{ApplicationID: "11111111-1111-4111-8111-111111111111"}, Report: r, Analysis: a}
}

func reportPage(t *testing.T, l i18n.Lang, v ReportView) string {
	t.Helper()
	return render(t, ReportPage(ui.Page{Lang: l}, decide(v)))
}

// decide returns a view with the verdict of its report.
func decide(m Measured, stated ...prefill.Fields) Measured {
	f := prefill.Fields{}
	if len(stated) > 0 {
		f = stated[0]
	}
	switch v := m.(type) {
	case ReportView:
		v.Verdict = verdict.OfCashflow(v.Report, f)
		return v
	case IncomeView:
		v.Verdict = verdict.OfIncome(v.Report, f)
		return v
	case EligibilityView:
		v.Verdict = verdict.OfEligibility(v.Report, f)
		return v
	case PassportView:
		v.Verdict = verdict.OfPassport(v.Report, f)
		return v
	}
	return m
}

func TestReportPageNamesItsSources(t *testing.T) {
	v := madeReport()
	if raw, err := report.Encode(v.Analysis); err != nil {
		t.Fatal(err)
	} else if _, err := report.ParseAnalysis(raw); err != nil {
		t.Fatalf("the made analysis is invalid: %v", err)
	}
	for l, wants := range map[i18n.Lang][]string{
		i18n.English: {"−$12.05", "$1,234,567.80", i18ntest.EN("review.reasons.11"), "Their own words",
			"Score 512 " + i18ntest.EN("review.report.score_scale") + " 300 to 850; " + i18ntest.EN("review.report.ref_home") + " 630",
			"27 of 70", "below $0.00", "$0.00 " + i18ntest.EN("review.report.up_to") + " below $50.00", "$50.00 " +
				i18ntest.EN("review.or_more"), i18ntest.EN("review.report.neutral"), i18ntest.EN("review.report.capped"),
			i18ntest.EN("review.story.below_zero", "n", "8", "all", "40"), "lowest −$40.00 on",
			i18ntest.EN("review.story.money.other", "count", "2", "in", "$2,110.00", "income", "$2,000.00", "out", "$1,900.00",
				"net", "$210.00", "best", "Feb 2026 ($200.00)", "weakest", "Jan 2026 ($10.00)"),
			"(" + i18ntest.EN("review.report.part") + ")", "ACME &lt;PAY&gt;", i18ntest.EN("review.categories.INCOME.PAYROLL"), "Feb 28, 2026",
			i18ntest.EN("review.report.streams_mix"), i18ntest.EN("review.report.ended") + " (1)", "FORTNIGHTLY",
			"something new", "53%", "&lt; 1%", "NSF FEE &lt;1&gt;", "Another provider&#39;s &lt;figure&gt;",
			"STRANGE", "1,234", `href="#categories"`,
			`action="/review/applications/11111111-1111-4111-8111-111111111111/report#figures"`},
		i18n.Spanish: {i18ntest.ES("review.reasons.11"), "Their own words", "Puntaje 512 " +
			i18ntest.ES("review.report.score_scale") + " 300 a 850; " + i18ntest.ES("review.report.ref_home") + " 630",
			"27 de 70", i18ntest.ES("review.report.below") + " $0.00",
			i18ntest.ES("review.story.below_zero", "n", "8", "all", "40"), "Últimos 2 meses, sin el actual", "(incompleto)",
			i18ntest.ES("review.categories.INCOME.PAYROLL"), "28 feb 2026",
			"Saldo total más bajo al cierre del día, últimos 3 meses completos", `<span lang="en">Another provider`},
	} {
		page := reportPage(t, l, v)
		for _, want := range wants {
			if !strings.Contains(page, want) {
				t.Errorf("the page in %s lacks %q", l, want)
			}
		}
		if hit := inline.FindString(page); hit != "" {
			t.Errorf("the page has %q", hit)
		}
	}
}

func TestReportWithoutAnalysis(t *testing.T) {
	v := madeReport()
	v.Analysis = nil
	page := reportPage(t, i18n.English, v)
	for _, absent := range []string{i18ntest.EN("review.report.balances"), "by month", i18ntest.EN("review.report.regular"),
		i18ntest.EN("review.report.categories"), i18ntest.EN("review.report.returned"),
		"months.csv", "plot", i18ntest.EN("review.report.pending"), i18ntest.EN("review.report.card")} {
		if strings.Contains(page, absent) {
			t.Errorf("%q is on the page", absent)
		}
	}
	v.Pending = true
	if page := reportPage(t, i18n.English, v); !strings.Contains(page, i18ntest.EN("review.report.pending")) {
		t.Error("nothing says that more is to come")
	}
	v = madeReport()
	other := 600
	v.Analysis.Scores[0].Value = &other
	if page := reportPage(t, i18n.English, v); strings.Contains(page, i18ntest.EN("review.report.card")) {
		t.Error("the card of another score is shown")
	}
	v.Analysis = &report.Analysis{Version: "1.0.0", To: on("2026-03-10")}
	if page := reportPage(t, i18n.English, v); strings.Contains(page, "plot") || strings.Contains(page, "months.csv") {
		t.Error("an analysis of nothing is drawn")
	}
}

func TestSearchFigures(t *testing.T) {
	for _, tc := range []struct {
		query, node string
		lang        i18n.Lang
		want        []string
	}{
		{"lowest BALANCE", "", i18n.English, []string{"UA_ASSET_TOTAL_MIN_3M"}},
		{"saldo mas bajo", "", i18n.Spanish, []string{"UA_ASSET_TOTAL_MIN_3M"}},
		{"total_min", "", i18n.English, []string{"UA_ASSET_TOTAL_MIN_3M"}},
		{"total min", "", i18n.English, []string{"UA_ASSET_TOTAL_MIN_3M"}},
		{"ratios", "", i18n.English, []string{"UA_RATIO_EXPENSE_INFLOW_3M"}},
		{"", "ASSET", i18n.English, []string{"UA_ASSET_TOTAL_BAL_CUR", "UA_ASSET_TOTAL_MIN_3M"}},
		{"income", "ASSET", i18n.English, nil},
		{`"><script>`, "", i18n.English, nil},
	} {
		v := madeReport()
		v.Query, v.Node = tc.query, tc.node
		var got []string
		for _, n := range v.nodes() {
			for _, a := range v.figures(tc.lang, n) {
				got = append(got, a.Name)
			}
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%q of %q in %s: -want +got\n%s", tc.query, tc.node, tc.lang, diff)
		}
		page := reportPage(t, tc.lang, v)
		if strings.Contains(page, "<script>") || strings.Count(page, `class="figure-name mono"`) != len(tc.want) ||
			!strings.Contains(page, foundWords(tc.lang, len(tc.want))) {
			t.Errorf("%q of %q: the page shows other figures", tc.query, tc.node)
		}
	}
}

func TestRangeWords(t *testing.T) {
	for _, tc := range []struct {
		unit string
		cell report.AnalysisCell
		want string
	}{
		{"COUNT", report.AnalysisCell{High: number("0"), HighIncluded: true}, "0"},
		{"COUNT", report.AnalysisCell{Low: number("0"), High: number("1"), HighIncluded: true}, "1"},
		{"COUNT", report.AnalysisCell{Low: number("1"), High: number("3"), HighIncluded: true}, "2 to 3"},
		{"COUNT", report.AnalysisCell{Low: number("6")}, "7 " + i18ntest.EN("review.or_more")},
		{"COUNT", report.AnalysisCell{High: number("3")}, i18ntest.EN("review.report.up_to") + " 2"},
		{"DAYS", report.AnalysisCell{Low: number("90"), LowIncluded: true, High: number("180")}, "90 to 179 days"},
		{"DAYS", report.AnalysisCell{Low: number("700"), LowIncluded: true}, "700 days " + i18ntest.EN("review.or_more")},
		{"RATIO", report.AnalysisCell{Low: number("0.80000"), High: number("0.97500"), HighIncluded: true},
			"more than 80% " + i18ntest.EN("review.report.up_to") + " 97.5%"},
		{"RATIO", report.AnalysisCell{High: number("0.10000")}, "below 10%"},
		{"DOLLARS", report.AnalysisCell{Low: number("1000.00"), LowIncluded: true, High: number("2500.00")},
			"$1,000.00 " + i18ntest.EN("review.report.up_to") + " below $2,500.00"},
		{"DOLLARS", report.AnalysisCell{}, i18ntest.EN("review.report.any_value")},
		{"PARSECS", report.AnalysisCell{High: number("1234.5"), HighIncluded: true}, i18ntest.EN("review.report.up_to") + " 1,234.5"},
		{"COUNT", report.AnalysisCell{High: number("1.5"), HighIncluded: true}, i18ntest.EN("review.report.up_to") + " 1.5"},
	} {
		if got := rangeWords(i18n.English, usd, tc.unit, tc.cell); got != tc.want {
			t.Errorf("a range of %s is said as %q, want %q", tc.unit, got, tc.want)
		}
	}
}

func TestNextPayment(t *testing.T) {
	for _, tc := range []struct{ cadence, last, want string }{
		{"WEEKLY", "2026-02-25", "2026-03-04"}, {"BIWEEKLY", "2026-02-25", "2026-03-11"}, {"SEMI_MONTHLY", "2026-02-15", "2026-03-02"},
		{"MONTHLY", "2026-01-31", "2026-02-28"}, {"MONTHLY", "2026-02-28", "2026-03-28"}, {"MONTHLY", "2025-12-31", "2026-01-31"},
		{"IRREGULAR", "2026-01-31", ""}, {"", "2026-01-31", ""},
	} {
		got, ok := next(report.AnalysisStream{Active: true, Cadence: tc.cadence, Last: on(tc.last)})
		if ok != (tc.want != "") || ok && got.Format(time.DateOnly) != tc.want {
			t.Errorf("after %s, %s, the next payment is %s (%v), want %q", tc.last, tc.cadence, got.Format(time.DateOnly), ok, tc.want)
		}
	}
	if _, ok := next(report.AnalysisStream{Cadence: "MONTHLY", Last: on("2026-01-31")}); ok {
		t.Error("a stream that has ended has a next payment")
	}
}

func TestAxisAmounts(t *testing.T) {
	for cents, want := range map[int64]string{0: "$0", 500_00: "$500", -500_00: "−$500", 1_000_00: "$1k", 1_500_00: "$1.5k", 12_000_00: "$12k",
		-12_500_00: "−$12.5k", 1_050_00: "$1,050", 2_000_000_00: "$2M", 1_500_000_00: "$1.5M", 950_000_00: "$950k"} {
		if got := usd.onAxis(cents); got != want {
			t.Errorf("onAxis(%d) = %s, want %s", cents, got, want)
		}
	}
}

func render(t *testing.T, c templ.Component) string {
	t.Helper()
	var buf bytes.Buffer
	testutil.Must(t, c.Render(t.Context(), &buf))
	return buf.String()
}

// inline is what a strict policy would not let run.
var inline = regexp.MustCompile(`(?i)<style|\sstyle=|\son[a-z]+=|javascript:|<script(?:\s+type="module")?>`)
