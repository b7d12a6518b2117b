package review

import (
	"math/bits"
	"slices"
	"strconv"

	"github.com/a-h/templ"

	"vestibule/internal/i18n"
	"vestibule/internal/portal/review/verdict"
	"vestibule/internal/report"
	"vestibule/templates/ui"
)

// PassportView is a credit passport as a page.
type PassportView struct {
	Case
	Report  *report.Passport
	Verdict verdict.Passport
}

// Decided returns what the report means.
func (v PassportView) Decided() verdict.Verdict { return v.Verdict.Verdict }

func (v PassportView) sheet(l i18n.Lang) sheet {
	r := v.Report
	return sheet{Case: v.Case, title: "review.report.passport_title", verdict: v.Decided(), product: r.Product, meta: r.Meta,
		notices: slices.Concat(alertNotices(l, v.consumerNotices()), otherShape(l, r.LeftOut), noData(l, r.Meta)),
		keys:    v.keys(l), sections: v.sections(l),
		downloads: []download{{"/report.json", "review.application.download"}}}
}

// sections returns the sections for which the report has data.
func (v PassportView) sections(l i18n.Lang) (out []section) {
	r := v.Report
	add := adder(l, &out)
	table := func(g func() ui.Grid) func() templ.Component {
		return func() templ.Component { return ui.Table(g()) }
	}
	add(len(r.Identities) > 0, "identity", "review.report.identities", func() templ.Component { return passportIdentities(l, v) })
	add(len(r.Scores) > 0, "scores", "review.passport.scores", func() templ.Component { return passportScoreList(l, r.Scores) })
	add(len(r.Currencies) > 0, "currencies", "review.passport.totals", func() templ.Component { return passportCurrencies(l, r.Currencies) })
	add(len(r.Tradelines) > 0, "tradelines", "review.passport.tradelines", func() templ.Component { return passportCredits(l, v) })
	add(len(r.Collections) > 0, "collections", "review.passport.collections", table(func() ui.Grid { return v.collections(l) }))
	add(len(r.PublicRecords) > 0, "records", "review.passport.records", table(func() ui.Grid { return v.records(l) }))
	add(len(r.NSF) > 0, "returned", "review.passport.returned", table(func() ui.Grid { return v.returned(l) }))
	add(len(r.Disputes) > 0, "disputes", "review.passport.disputes", table(func() ui.Grid { return v.disputes(l) }))
	add(len(r.Inquiries) > 0, "inquiries", "review.passport.inquiries", table(func() ui.Grid { return v.inquiries(l) }))
	add(len(r.Addresses) > 0, "addresses", "review.passport.addresses", table(func() ui.Grid { return v.addresses(l) }))
	add(len(r.Employers) > 0, "employers", "review.report.employment", table(func() ui.Grid { return v.employers(l) }))
	add(len(r.OtherIncomes) > 0, "incomes", "review.passport.incomes", table(func() ui.Grid { return v.incomes(l) }))
	add(len(r.Identifiers) > 0, "identifiers", "review.passport.identifiers", table(func() ui.Grid { return v.identifiers(l) }))
	add(len(r.BankAccounts) > 0, "accounts", "review.report.accounts", table(func() ui.Grid { return v.accounts(l) }))
	add(len(r.Notices) > 0, "notices", "review.report.notices", table(func() ui.Grid { return v.notices(l) }))
	add(len(r.Sources) > 0, "sources", "review.report.sources", func() templ.Component { return ui.Table(sourceGrid(l, r.Sources)) })
	add(true, "about", "review.report.about", func() templ.Component { return ui.Facts(aboutFacts(l, r.Product, r.Meta)) })
	return out
}

func (v PassportView) keys(l i18n.Lang) []key {
	var out []key
	for _, s := range v.Report.Scores {
		out = append(out, key{label: i18n.T(l, "review.passport.score"), value: strconv.Itoa(s.Value),
			is: scoreName(s) + ", " + strconv.Itoa(s.Minimum) + " " + i18n.T(l, "review.report.score_to") + " " + strconv.Itoa(s.Maximum)})
	}
	for _, c := range v.Report.Currencies {
		native := func(label i18n.Key, converted, own *report.Cents) {
			if converted != nil && own != nil {
				out = append(out, key{label: i18n.T(l, label), value: usd.format(*converted),
					is: foreign(own, c.Currency) + " " + i18n.T(l, "review.passport.at_rate")})
			} else if own != nil {
				out = append(out, key{label: i18n.T(l, label), value: foreign(own, c.Currency), is: i18n.T(l, "review.passport.no_rate")})
			}
		}
		native("review.trade.balance", c.TotalsUSD.Balance, c.Totals.Balance)
		native("review.trade.payment", c.TotalsUSD.MonthlyPayment, c.Totals.MonthlyPayment)
		native("review.trade.past_due", c.TotalsUSD.PastDue, c.Totals.PastDue)
	}
	if n := len(v.Report.Tradelines); n > 0 {
		out = append(out, key{label: i18n.T(l, "review.passport.tradelines"), value: strconv.Itoa(n), is: say(l, v.Verdict.Paid)})
	}
	return out
}

// inDollars converts an amount by the report's exchange rate; false without a rate, for
// nil, for dollars, and if the result is too large.
func (v PassportView) inDollars(c *report.Cents, currency string) (report.Cents, bool) {
	i := slices.IndexFunc(v.Report.Currencies, func(x report.PassportCurrency) bool { return x.Currency == currency && x.Rate != nil })
	if c == nil || i < 0 || currency == "USD" {
		return 0, false
	}
	amount := uint64(positive(*c))
	hi, lo := bits.Mul64(amount, uint64(*v.Report.Currencies[i].Rate))
	lo, carry := bits.Add64(lo, uint64(report.RateUnit)/2, 0)
	if hi += carry; hi >= uint64(report.RateUnit) {
		return 0, false
	}
	q, _ := bits.Div64(hi, lo, uint64(report.RateUnit))
	if q > 1<<62 {
		return 0, false
	}
	if *c < 0 {
		return -report.Cents(q), true
	}
	return report.Cents(q), true
}
