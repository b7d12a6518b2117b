package suppliers

import (
	"fmt"
	"strings"

	"vestibule/internal/analysis/passport"
	"vestibule/internal/report"
)

// paymentBehavior is the payment behavior of a person.
type paymentBehavior int

const (
	steady  paymentBehavior = iota // every month
	slips                          // late now and then, and made good
	arrears                        // behind with one credit, another one given up
)

// credit generates scores, tradelines, and their consequences.
func (g *generator) credit(f *passport.File, last string) {
	how := steady
	switch n := g.rand.IntN(100); {
	case last == Delinquent, n >= 88 && last != ThinFile:
		how = arrears
	case n >= 60 && last != ThinFile:
		how = slips
	}
	lines := g.between(3, 8)
	if last == ThinFile {
		lines = 1
	}
	if how == arrears {
		lines = max(lines, 4)
	}
	adult := min(g.adult, 160)
	kinds := []string{report.TradeCard, report.TradeAuto, report.TradeTelecom, report.TradePersonal,
		report.TradeCard, report.TradeMortgage, report.TradeRetail, report.TradeStudent}
	shift := g.rand.IntN(len(kinds))
	for i := range lines {
		kind := kinds[(i+shift)%len(kinds)]
		if i == 0 {
			kind = report.TradeCard // so that there is one that is open
		}
		t := g.tradeline(i, kind, adult, last == ThinFile)
		if t.Closed.IsZero() {
			switch {
			case how == slips && g.chance(60):
				g.missPayment(&t)
			case how == arrears && i == 0:
				g.addArrears(&t, g.between(1, 4))
			case how == arrears && kind != report.TradeMortgage && len(f.Collections) == 0:
				g.chargeOff(&t)
				f.Collections = append(f.Collections, g.collection(t))
			}
		}
		f.Tradelines = append(f.Tradelines, t)
	}
	if how == arrears && len(f.Collections) == 0 { // every other one was closed or a mortgage
		t := g.tradeline(lines, report.TradePersonal, adult, true)
		g.chargeOff(&t)
		f.Tradelines, f.Collections = append(f.Tradelines, t), append(f.Collections, g.collection(t))
	}
	g.inquiriesAndRecords(f, how, last)
	g.score(f, how, last)
	if died := f.Person.Died; f.Person.Deceased {
		kept := f.Inquiries[:0]
		for _, q := range f.Inquiries {
			if !q.Date.After(died.Time) {
				kept = append(kept, q)
			}
		}
		f.Inquiries = kept
	}
}

func monthsBetween(a, b report.Date) int {
	return (b.Year()-a.Year())*12 + int(b.Month()) - int(a.Month())
}

// terms are the usual duration in months of each kind of credit, and its amount in
// hundredths of a monthly income.
var terms = map[string]struct{ months, low, high int }{
	report.TradeCard:     {0, 60, 350},
	report.TradeRetail:   {0, 20, 90},
	report.TradeTelecom:  {0, 4, 12},
	report.TradePersonal: {36, 150, 700},
	report.TradeAuto:     {60, 500, 1400},
	report.TradeMortgage: {300, 4000, 9000},
	report.TradeStudent:  {120, 400, 1600},
}

// tradeline generates a credit without late payments: open, or closed if its term has
// ended. open keeps it open.
func (g *generator) tradeline(i int, kind string, adult int, open bool) passport.Tradeline {
	term := terms[kind]
	age := g.between(4, max(adult, 4))
	if open || i == 0 {
		age = g.between(4, max(min(adult, 30), 4))
	}
	t := passport.Tradeline{ID: derive(g.link, fmt.Sprint(g.supplier, "/tradeline/", i)),
		Type: kind, Opened: g.monthsAgo(age, g.between(1, 28))}
	limit := g.money(g.MonthlyWage*int64(g.between(term.low, term.high))/100, 2)
	t.Limit, t.PastDue = &limit, new(report.Cents)
	until := 1 // months ago of the last mark
	if term.months == 0 {
		balance := wholeUnits(limit * report.Cents(g.between(0, 92)) / 100)
		payment := min(balance, max(wholeUnits(balance/20), wholeUnits(limit/100)))
		if closed := g.between(2, 40); i > 0 && !open && closed < age-2 && g.chance(35) {
			balance, payment, until = 0, 0, closed
			t.Closed = g.monthsAgo(closed, 15)
		}
		t.Balance, t.Payment = &balance, &payment
	} else {
		payment := wholeUnits(limit/report.Cents(term.months)) + wholeUnits(limit/400)
		if open {
			age = min(age, term.months-2)
			t.Opened = g.monthsAgo(age, 12)
		}
		balance := wholeUnits(limit * report.Cents(max(term.months-age, 0)) / report.Cents(term.months))
		if age >= term.months {
			until = age - term.months + 1
			balance, payment = 0, 0
			t.Closed = g.monthsAgo(until, 15)
		}
		payment = min(payment, balance)
		t.Balance, t.Payment = &balance, &payment
	}
	for k := until; k < age && k < until+report.HistoryMonths+6; k++ {
		t.Marks = append(t.Marks, passport.Mark{Month: g.monthsAgo(k, 1)})
	}
	return t
}

// wholeUnits rounds an amount down to whole units.
func wholeUnits(c report.Cents) report.Cents { return c / 100 * 100 }

// missPayment makes one payment late and the next one on time.
func (g *generator) missPayment(t *passport.Tradeline) {
	if len(t.Marks) > 4 {
		at, days := g.between(2, len(t.Marks)-2), []int{12, 30, 30, 60}[g.rand.IntN(4)]
		t.Marks[at].Days, t.Marks[at+1].Days = days, max(days-30, 0)
	}
}

// addArrears makes the last payments missing.
func (g *generator) addArrears(t *passport.Tradeline, months int) {
	months = min(months, len(t.Marks)-1)
	if *t.Balance < 100_00 { // nothing was owed
		t.Balance = new(wholeUnits(*t.Limit * report.Cents(g.between(40, 90)) / 100))
	}
	payment := max(*t.Payment, wholeUnits(*t.Balance/20), 100)
	due := min(payment*report.Cents(months), *t.Balance)
	t.Payment, t.PastDue = &payment, &due
	for k := range months {
		t.Marks[k].Days = 30 * (months - k)
	}
}

// chargeOff makes the lender charge the credit off after half a year without a payment.
func (g *generator) chargeOff(t *passport.Tradeline) {
	if *t.Balance < 100_00 {
		t.Balance = new(wholeUnits(*t.Limit * report.Cents(g.between(40, 90)) / 100))
	}
	due, zero := *t.Balance, report.Cents(0)
	t.PastDue, t.Payment, t.ChargedOff = &due, &zero, true
	since := g.between(2, 9)
	if least := since + 6 + g.between(1, 12); len(t.Marks) < least { // some of it was paid before
		t.Opened = g.monthsAgo(least+1, t.Opened.Day())
		for k := len(t.Marks) + 1; k <= least; k++ {
			t.Marks = append(t.Marks, passport.Mark{Month: g.monthsAgo(k, 1)})
		}
	}
	for k := range t.Marks {
		switch {
		case k < since:
			t.Marks[k].Days, t.Marks[k].ChargedOff = 180, true
		case k < since+6:
			t.Marks[k].Days = 30 * (since + 6 - k)
		}
	}
}

func (g *generator) collection(t passport.Tradeline) passport.Collection {
	original, balance := *t.Balance, wholeUnits(*t.Balance*report.Cents(g.between(30, 100))/100)
	return passport.Collection{Agency: g.Collector, Creditor: g.pick(g.Lenders...),
		Assigned: report.Date{Time: t.Marks[0].Month.AddDate(0, 0, 9)}, Original: &original, Balance: &balance}
}

// inquiriesAndRecords generates inquiries and other entries of third parties.
func (g *generator) inquiriesAndRecords(f *passport.File, how paymentBehavior, last string) {
	looks := g.between(1, 5) + 2*int(how)
	if last == ThinFile {
		looks = 1
	}
	for range looks {
		q := passport.Inquiry{Date: g.monthsAgo(g.between(0, 23), g.between(1, 28)), Inquirer: g.pick(g.Lenders...),
			Purpose: g.pick("NEW_CREDIT", "NEW_CREDIT", "ACCOUNT_REVIEW", "TENANCY")}
		if q.Purpose == "NEW_CREDIT" {
			asked := g.money(g.MonthlyWage*int64(g.between(50, 900))/100, 2)
			q.Amount = &asked
		}
		f.Inquiries = append(f.Inquiries, q)
	}
	if how == arrears {
		amount := *f.Tradelines[0].Balance
		p := passport.PublicRecord{Type: g.pick("JUDGMENT", "TAX_LIEN"), Court: g.Court,
			Filed: g.monthsAgo(min(g.between(4, 50), g.adult), 21), Amount: &amount}
		if g.chance(40) {
			p.Resolved = report.Date{Time: p.Filed.AddDate(0, g.between(1, 3), 0)}
		}
		f.PublicRecords = append(f.PublicRecords, p)
	}
	if how == arrears || how == slips && g.chance(40) {
		for n := g.between(1, 2); n > 0; n-- {
			amount := wholeUnits(report.Cents(g.MonthlyWage * int64(g.between(3, 20))))
			f.NSF = append(f.NSF, passport.NSF{Institution: f.BankAccounts[0].Institution,
				Date: g.monthsAgo(g.between(1, 18), g.between(1, 28)), Amount: &amount})
		}
	}
	if how != steady && g.chance(50) {
		f.Disputes = append(f.Disputes, passport.Dispute{AccountID: f.Tradelines[0].ID,
			Description: "The consumer disputes the reported payment dates.",
			Filed:       g.monthsAgo(g.between(1, 12), 16), Resolved: g.chance(50)})
	}
	f.Notices = []string{"This file was generated by a sandbox. It describes no real person."}
}

// scales are the limits of each supplier's score in the sandbox; higher is better.
var scales = map[string][2]int{
	"AUS_EFX": {0, 1200}, "CAN_TU": {300, 900}, "CAN_EFX": {300, 900}, "GBR_EFX": {0, 1000}, "IND_CHM": {300, 900}, "IND_CIBIL": {300, 900},
	"MEX_CDC": {300, 850}, "MEX_BDC": {400, 850}, "KOR_NICE": {1, 1000}, "NGA_CRC": {300, 850}, "BRA_XP": {0, 1000}, "CHN_CCX": {350, 950},
	"KEN_CI": {200, 900}, "DOM_TU": {300, 850}, "PHL_CRIF": {300, 850}, "ESP_EFX": {0, 1000}, "AUT_CRIF": {250, 700}, "DEU_CRIF": {250, 700},
	"CHE_CRIF": {250, 700}, "PHL_TU": {300, 850}, "USA_XP": {300, 850}, "UKR_CI": {0, 600},
	"ZAF_TU": {0, 999}, "GHA_XDS": {300, 850}, "COL_TU": {150, 950},
}

// score computes a score from the file: arrears weigh most, then late payments, card
// utilization, inquiries, and the age of the file.
func (g *generator) score(f *passport.File, how paymentBehavior, last string) {
	ends := scales[f.Supplier]
	s := passport.Score{Name: f.Supplier + " credit score", Minimum: ends[0], Maximum: ends[1], Date: g.monthsAgo(1, 28)}
	if last == ThinFile {
		s.Reasons = append(s.Reasons, report.ScoreFactor{Code: "SHORT_HISTORY", Description: "The file has little credit to go by."})
	}
	late, used, limits := 0, report.Cents(0), report.Cents(0)
	oldest := g.day
	for _, t := range f.Tradelines {
		for _, m := range t.Marks {
			if m.Days >= 30 {
				late++
			}
		}
		if t.Closed.IsZero() && t.Type == report.TradeCard {
			used, limits = used+*t.Balance, limits+*t.Limit
		}
		if t.Opened.Before(oldest.Time) {
			oldest = t.Opened
		}
	}
	share := 930
	less := func(by int, code, words string) {
		if by > 0 {
			share -= by
			s.Reasons = append(s.Reasons, report.ScoreFactor{Code: code, Description: words})
		}
	}
	if how == arrears {
		less(380, "PAST_DUE", "A credit is past due, and another one was charged off.")
	}
	less(min(late*35, 260), "LATE_PAYMENTS", "Payments were late by 30 days or more.")
	if limits > 0 {
		less(int(used*220/limits), "UTILISATION", "Balances use "+fmt.Sprint(int(used*100/limits))+"% of the card limits.")
	}
	less(min(len(f.Inquiries)*14, 110), "INQUIRIES", "Other companies asked for the file in the last two years.")
	less(max(60-monthsBetween(oldest, g.day), 0)*2, "YOUNG_FILE", "The oldest credit is less than five years old.")
	s.Reasons = s.Reasons[:min(len(s.Reasons), 4)]
	s.Value = s.Minimum + (s.Maximum-s.Minimum)*max(share, 20)/1000
	if last == ThinFile && strings.HasPrefix(f.Supplier, "USA") {
		return // too little to score
	}
	f.Scores = append(f.Scores, s)
}
