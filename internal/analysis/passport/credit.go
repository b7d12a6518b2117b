package passport

import (
	"math/bits"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/report"
)

// tradeline converts a credit to the report's form. Its status follows from a charge-off, a
// closing date or a past-due amount, in this order.
func (b builder) tradeline(t Tradeline) report.Tradeline {
	out := report.Tradeline{
		SourceID: b.Supplier, AccountID: t.ID, Type: t.Type, Status: report.TradelineOpen,
		Opened: date(t.Opened), Closed: date(t.Closed), Currency: b.Currency,
		CreditLimit: b.amount(t.Limit), Balance: b.amount(t.Balance), MonthlyPayment: b.amount(t.Payment), PastDue: b.amount(t.PastDue),
		History: History(t.Marks, b.day),
	}
	switch {
	case t.ChargedOff:
		out.Status = report.TradelineChargedOff
	case !t.Closed.IsZero():
		out.Status = report.TradelineClosed
	case out.PastDue != nil && *out.PastDue > 0:
		out.Status = report.TradelineDelinquent
	}
	return out
}

// History returns the last 24 complete months before a day, the latest first. It ignores
// marks of other months.
func History(marks []Mark, day report.Date) []report.PaymentMonth {
	out := make([]report.PaymentMonth, report.HistoryMonths)
	worst := [report.HistoryMonths]int{} // 1 + place in paid, or 0 without a mark
	now := monthNumber(day.Time)
	for _, m := range marks {
		if at := now - 1 - monthNumber(m.Month.Time); at >= 0 && at < report.HistoryMonths {
			worst[at] = max(worst[at], 1+severity(m))
		}
	}
	for i := range out {
		n := now - 1 - i
		out[i].Month = time.Date(n/12, time.Month(n%12+1), 1, 0, 0, 0, 0, time.UTC).Format("2006-01")
		if worst[i] > 0 {
			status := paid[worst[i]-1]
			out[i].Status = &status
		}
	}
	return out
}

// paid lists the statuses of a month from the best to the worst.
var paid = []string{report.PaidOK, report.PaidLate1, report.PaidLate30, report.PaidLate60,
	report.PaidLate90, report.PaidLate120, report.PaidChargedOff}

func severity(m Mark) int {
	switch {
	case m.ChargedOff:
		return 6
	case m.Days >= 120:
		return 5
	case m.Days >= 30:
		return 1 + m.Days/30
	case m.Days > 0:
		return 1
	}
	return 0
}

// monthNumber counts months since the year 0, in UTC.
func monthNumber(t time.Time) int {
	t = t.UTC()
	return t.Year()*12 + int(t.Month()) - 1
}

// wholeUnits lists the currencies of ISO 4217 without a smaller unit, among those of
// consumer credit.
var wholeUnits = map[string]bool{"CLP": true, "ISK": true, "JPY": true, "KRW": true,
	"PYG": true, "UGX": true, "VND": true, "XAF": true, "XOF": true}

// Round rounds an amount to its currency's decimals, half away from zero.
func Round(c report.Cents, currency string) report.Cents {
	if !wholeUnits[currency] {
		return c
	}
	if c < 0 {
		return -((-c + 50) / 100 * 100)
	}
	return (c + 50) / 100 * 100
}

// Decimals returns the number of decimals of a currency's amounts.
func Decimals(currency string) int {
	if wholeUnits[currency] {
		return 0
	}
	return 2
}

// Convert returns an amount in US dollars at a rate, rounded half away from zero. ok is
// false if the result is out of range.
func Convert(c report.Cents, rate report.Rate) (out report.Cents, ok bool) {
	sign := report.Cents(1)
	if c < 0 {
		sign, c = -1, -c
	}
	hi, lo := bits.Mul64(uint64(c), uint64(rate))
	lo, carry := bits.Add64(lo, uint64(report.RateUnit)/2, 0)
	hi += carry
	if hi >= uint64(report.RateUnit) {
		return 0, false
	}
	q, _ := bits.Div64(hi, lo, uint64(report.RateUnit))
	if q > 1<<62 {
		return 0, false
	}
	return sign * report.Cents(q), true
}

// currencies returns the totals of the tradelines, or nil for a file without credit.
func (b builder) currencies(lines []report.Tradeline, quote *Quote) []report.PassportCurrency {
	if b.Currency == "" {
		return nil
	}
	out := report.PassportCurrency{SourceID: b.Supplier, Currency: b.Currency}
	for _, t := range lines {
		if t.Status == report.TradelineClosed {
			continue
		}
		sum := &out.Totals
		add(&sum.CreditLimit, t.CreditLimit)
		add(&sum.Balance, t.Balance)
		add(&sum.MonthlyPayment, t.MonthlyPayment)
		add(&sum.PastDue, t.PastDue)
	}
	switch {
	case b.Currency == "USD":
		quote = &Quote{Currency: "USD", Rate: report.RateUnit, Day: b.day}
	case quote == nil || quote.Currency != b.Currency || quote.Rate <= 0:
		return []report.PassportCurrency{out}
	}
	rate := quote.Rate
	out.Rate, out.RateDate, out.RateSource = &rate, date(quote.Day), contract.Null(quote.Source)
	in := func(c *report.Cents) *report.Cents {
		if c == nil {
			return nil
		}
		if v, ok := Convert(*c, rate); ok {
			return &v
		}
		return nil
	}
	out.TotalsUSD = report.TradelineTotals{CreditLimit: in(out.Totals.CreditLimit), Balance: in(out.Totals.Balance),
		MonthlyPayment: in(out.Totals.MonthlyPayment), PastDue: in(out.Totals.PastDue)}
	return []report.PassportCurrency{out}
}

func add(sum **report.Cents, c *report.Cents) {
	if c == nil {
		return
	}
	if *sum == nil {
		*sum = new(report.Cents)
	}
	**sum += *c
}
