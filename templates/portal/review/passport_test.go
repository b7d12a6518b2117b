package review

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/report"
	"vestibule/internal/testutil/i18ntest"
	"vestibule/internal/testutil/proptest"
	"vestibule/templates/ui"
)

// madePassport is a credit file of a country whose currency the report has a rate
// for, and of one that it has none for.
func madePassport() PassportView {
	record, rate := contract.Null("r-1"), report.Rate(50_000_000) // 0.05
	born, opened, expires := on("1980-02-29"), on("2020-01-15"), on("2025-01-01")
	month := func(m string, status string) report.PaymentMonth {
		return report.PaymentMonth{Month: m, Status: contract.Null(status)}
	}
	return PassportView{Case: Case{ApplicationID: "11111111-1111-4111-8111-111111111111"}, Report: &report.Passport{
		Meta: madeMeta(), Product: &report.Product{Name: "Passport", ProductID: madeToken, InquiryType: "PERSONAL"},
		Identities: []report.PassportIdentity{
			{SourceID: report.ConsumerInput, FullName: contract.Null("Ana Núñez"),
				Matching: &report.IncomeMatching{FullName: report.RecordMatching{
					Matched: []report.RecordRef{{SourceID: "MEX_CDC", SourceRecordID: record}}}}},
			{SourceID: "MEX_CDC", SourceRecordID: record, FirstName: contract.Null("ANA"), LastName: contract.Null("NUNEZ"),
				DateOfBirth: &born, OtherNames: []string{"A. <N>"}, Telephones: []string{"+52 1"}, IsDeceased: b(false),
				Documents: []report.IdentityDocument{{Type: "PASSPORT", TruncatedNumber: contract.Null("4821"),
					Country: contract.Null("MEX"), Expires: &expires}}}},
		Scores: []report.PassportScore{{SourceID: "MEX_CDC", Type: "MEX_CDC score", Value: 650, Minimum: 400, Maximum: 850,
			Reasons: []report.ScoreFactor{{Code: "LATE_PAYMENTS", Description: "Paid <late>"}}}},
		Currencies: []report.PassportCurrency{{SourceID: "MEX_CDC", Currency: "MXN", Rate: &rate,
			RateDate: &opened, RateSource: contract.Null("SANDBOX_FIXED_RATES"),
			Totals: report.TradelineTotals{Balance: c(10_000_00)}, TotalsUSD: report.TradelineTotals{Balance: c(500_00)}},
			{SourceID: "X", Currency: "XAF", Totals: report.TradelineTotals{Balance: c(77_00)}}},
		Tradelines: []report.Tradeline{{SourceID: "MEX_CDC", AccountID: "t1", Type: report.TradeCard, Status: report.TradelineOpen,
			Opened: &opened, Currency: "MXN", CreditLimit: c(20_000_50), Balance: c(-10_00),
			History: []report.PaymentMonth{month("2026-02", "OK"), month("2026-01", "LATE_30_59"),
				month("2025-12", ""), month("2025-11", "NEW_STATUS")}},
			{SourceID: "X", AccountID: "t2", Type: "NEW_KIND", Status: report.TradelineClosed, Currency: "XAF", CreditLimit: c(5_00)}},
		Inquiries: []report.PassportInquiry{{SourceID: "MEX_CDC", Date: &opened, Inquirer: contract.Null("Banco <X>"),
			Purpose: contract.Null("NEW_CREDIT"), Currency: contract.Null("MXN"), Amount: c(1_000_00)}},
		PublicRecords: []report.PublicRecord{{Type: "BANKRUPTCY", Status: "FILED", Court: contract.Null("Juzgado 1")}},
		Disputes:      []report.PassportDispute{{AccountID: contract.Null("t1"), Status: "OPEN", Description: contract.Null("Not mine")}},
		Notices:       []report.PassportNotice{{Description: "About no one."}}}}
}

func TestPassportPage(t *testing.T) {
	v := madePassport()
	page := render(t, ReportPage(ui.Page{Lang: i18n.English}, decide(v)))
	mustHave(t, page, "ANA NUNEZ", "A. &lt;N&gt;", "Feb 29, 1980", i18ntest.EN("review.documents.expired"),
		i18ntest.EN("review.passport.score_on_scale", "type", "Círculo de Crédito Mexico score", "value", "650",
			"minimum", "400", "maximum", "850"), "Paid &lt;late&gt;",
		"1 MXN = 0.05 USD", i18ntest.EN("review.sources.SANDBOX_FIXED_RATES"), "$500.00", "10,000 MXN at the report",
		i18ntest.EN("review.passport.no_rate"), "77 XAF",
		"20,000.50 MXN", "$1,000.03", "−10 MXN", "−$0.50", "5 XAF", "NEW_KIND",
		"Feb 2026: "+i18ntest.EN("review.passport.codes.OK"), "Jan 2026: "+i18ntest.EN("review.passport.codes.LATE_30_59"),
		"Dec 2025: no data", "Nov 2025: NEW_STATUS", "Banco &lt;X&gt;",
		i18ntest.EN("review.passport.codes.NEW_CREDIT"), "Bankruptcy", "Not mine",
		"1. "+i18ntest.EN("review.passport.codes.CREDIT_CARD"), "About no one.", i18ntest.EN("review.report.whole"),
		i18ntest.EN("review.late.one"), "/files\"")
	mustNotHave(t, page, "Collections", i18ntest.EN("review.passport.returned"), i18ntest.EN("review.passport.incomes"), ".csv", "Addresses")
	if strings.Index(page, "Nov 2025") > strings.Index(page, "Feb 2026: "+i18ntest.EN("review.passport.codes.OK")) {
		t.Error("the latest month does not come last")
	}
	mustHave(t, render(t, ReportPage(ui.Page{Lang: i18n.Spanish}, decide(v))), "ene 2026: "+i18ntest.ES("review.passport.codes.LATE_30_59"),
		i18ntest.ES("review.passport.codes.CREDIT_CARD"),
		i18ntest.ES("review.documents.expired"), i18ntest.ES("review.report.score_scale")+" 400 a 850")
	v.Report.LeftOut = []string{"scores", "collections"}
	mustHave(t, render(t, ReportPage(ui.Page{Lang: i18n.English}, decide(v))),
		"can’t show all or some of these parts of the report: scores, collections.")
	v.Report = &report.Passport{Meta: madeMeta()}
	mustNotHave(t, render(t, ReportPage(ui.Page{Lang: i18n.English}, decide(v))), "cannot show")
	mustNotHave(t, render(t, ReportPage(ui.Page{Lang: i18n.English}, decide(v))), "Credits", "Scores",
		"Identity</h2>", `class="keys"`, i18ntest.EN("review.ask.credit"), i18ntest.EN("review.ask.documents"))
}

// TestInDollars holds the conversion to its definition, and any
// amount and rate to an answer.
func TestInDollars(t *testing.T) {
	proptest.Check(t, func(t *rapid.T) {
		amount := report.Cents(rapid.Int64().Draw(t, "amount"))
		rate := report.Rate(rapid.Int64Range(1, 1e15).Draw(t, "rate"))
		v := PassportView{Report: &report.Passport{Currencies: []report.PassportCurrency{{Currency: "MXN", Rate: &rate}}}}
		got, ok := v.inDollars(&amount, "MXN")
		if amount > -1e8 && amount < 1e8 && rate < 1e10 {
			n, half := int64(positive(amount))*int64(rate), int64(report.RateUnit)/2
			want := report.Cents((n + half) / int64(report.RateUnit))
			if amount < 0 {
				want = -want
			}
			if !ok || got != want {
				t.Fatalf("%d at %d = %d (%v), want %d", amount, rate, got, ok, want)
			}
		}
		if _, ok := v.inDollars(&amount, "XAF"); ok {
			t.Fatal("an amount without a rate has one")
		}
	})
}
