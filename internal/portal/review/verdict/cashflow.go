package verdict

import (
	"strconv"

	"vestibule/internal/i18n"
	"vestibule/internal/prefill"
	"vestibule/internal/report"
)

// Cashflow says what a cashflow report means.
type Cashflow struct {
	Verdict
	Signals []Signal
}

// Signal is a figure that speaks against the applicant.
type Signal struct {
	Attribute string
	Label     i18n.Key
	Count     int
}

// signals lists the attributes that speak against the applicant if they are above zero.
var signals = []Signal{
	{Attribute: "UA_ASSET_NEGDAYS_CNT_3M", Label: "review.key_figures.days_below_zero_3_months"},
	{Attribute: "UA_EXPENSE_NSFOD_CNT_12M", Label: "review.key_figures.nsf_or_overdraft_12_months"},
	{Attribute: "UA_EXPENSE_RETURNED_CNT_12M", Label: "review.key_figures.returned_payments_12_months"},
	{Attribute: "UA_INFLOW_ADVANCE_CNT_6M", Label: "review.against.advances"},
	{Attribute: "UA_EXPENSE_GAMBLING_CNT_6M", Label: "review.against.gambling"},
}

// OfCashflow decides what a cashflow report means.
func OfCashflow(r *report.Cashflow, stated prefill.Fields) (v Cashflow) {
	institutions := map[string]string{}
	s := sources{identities: identities(r.Identities), incomeIs: "review.stated.deposited", currency: r.CurrencyCode()}
	for _, a := range r.AccountDetails {
		institutions[a.SourceID] = report.Text(a.InstitutionName)
		for _, x := range a.Addresses {
			s.addresses = append(s.addresses, value{text: x.Line()})
		}
	}
	if c, ok := cents(r, "UA_INFLOW_INCOME_SUM_12M"); ok {
		s.income = &c
	}
	s.gaps = sourceGaps(r.Sources, institutions)
	v.Verdict = verdictOf(stated, s)
	if n := len(r.Scores); n > 0 {
		v.Score = r.Scores[n-1].Value
	}
	v.Findings = s.gaps.qualify("sources", []Finding{v.cashflowIncome(r), canPay(r), v.personReal(v.Names)})
	for _, x := range signals {
		if n, ok := count(r, x.Attribute); ok && n > 0 {
			x.Count = n
			v.Signals = append(v.Signals, x)
		}
	}
	return v
}

// cashflowIncome compares a year's income with the stated one.
func (v Verdict) cashflowIncome(r *report.Cashflow) Finding {
	year, known := cents(r, "UA_INFLOW_INCOME_SUM_12M")
	months, counted := count(r, "UA_CADENCE_INCOME_MONTHS_CNT_12M")
	switch {
	case dormant(r):
		return found(noIncome, "", say("review.income_real.dormant"))
	case !known || !counted || isRecent(r, "UA_TOTAL_OLDEST_REC"):
		return unknown(income, "", say("review.pay.too_little"))
	case year <= 0 && isRecent(r, "UA_INFLOW_INCOME_REC"):
		return found(fewIncomeMonths, "regular", say("review.income_real.this_month"))
	case year <= 0:
		return found(noIncome, "regular", say("review.income_real.none"))
	}
	f := confirmed(income, "regular", say("review.income_real.year", "amount", Amount{year, r.CurrencyCode()}, "months", months))
	history := 12 // of the last twelve months, those that the report covers
	if days, ok := count(r, "UA_TOTAL_OLDEST_REC"); ok {
		history = min(history, days/30)
	}
	f.apply(fewIncomeMonths, months+12-fewIncomeMonths.Limit < history)
	return v.addIncomeShare(f)
}

// dormant reports whether the history covers the last 12 complete months, and has no transaction of them.
func dormant(r *report.Cashflow) bool {
	year := r.Attribute("UA_INFLOW_INCOME_SUM_12M")
	days, known := count(r, "UA_TOTAL_OLDEST_REC")
	return year != nil && year.Missing() == "no_values" && known && days >= 365
}

func isRecent(r *report.Cashflow, attribute string) bool {
	days, known := count(r, attribute)
	return known && days < 31
}

// canPay answers from the money that is left, low balances and returned payments.
func canPay(r *report.Cashflow) Finding {
	left, known := cents(r, "UA_CASHFLOW_NET_SUM_12M")
	switch {
	case dormant(r):
		return unknown(pay, "", say("review.income_real.dormant"))
	case !known || isRecent(r, "UA_TOTAL_OLDEST_REC"):
		return unknown(pay, "", say("review.pay.too_little"))
	}
	below, _ := count(r, "UA_ASSET_NEGDAYS_CNT_3M")
	events, _ := count(r, "UA_EXPENSE_NSFOD_CNT_12M")
	often, many := below > oftenBelowZero.Limit, events > manyOverdrafts.Limit
	f := confirmed(pay, "money", say("review.pay.left", "amount", Amount{left, r.CurrencyCode()}))
	switch {
	case left == 0:
		f.Answer = []Message{say("review.pay.even")}
	case left < 0:
		f.Answer = []Message{say("review.pay.short", "amount", Amount{-left, r.CurrencyCode()})}
	}
	f.apply(overspent, left < 0)
	f.apply(oftenBelowZero, often, say("review.pay.below_zero", "n", below))
	f.apply(manyOverdrafts, many, say("review.pay.overdrafts", "n", events))
	f.apply(overspentAndBelow, left < 0 && (often || many))
	return f
}

// cents returns an attribute that is an amount; false if the report has no value.
func cents(r *report.Cashflow, name string) (report.Cents, bool) {
	a := r.Attribute(name)
	if a == nil || a.Missing() != "" {
		return 0, false
	}
	c, err := report.ParseCents(a.Value.String())
	return c, err == nil
}

// count returns an attribute that is a whole number; false if the report has no value.
func count(r *report.Cashflow, name string) (int, bool) {
	a := r.Attribute(name)
	if a == nil || a.Missing() != "" {
		return 0, false
	}
	n, err := strconv.Atoi(a.Value.String())
	return n, err == nil
}
