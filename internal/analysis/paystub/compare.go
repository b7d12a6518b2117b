package paystub

import (
	"cmp"
	"slices"

	"vestibule/internal/report"
)

// Deposit is a deposit to an account in the bank data.
type Deposit struct {
	Day    report.Date
	Amount report.Cents
}

// Bank holds the deposits to a consumer's accounts from one day to another, both included.
// If these are zero, bank data are missing.
type Bank struct {
	From, To report.Date
	Deposits []Deposit
}

// Report returns the contract's pay stub for each of a consumer's documents, in their order
// and with any outcome. It compares each stub with the others of the same person and
// employer, with the bank data, and with asOf, the day of the report. The caller adds the
// fields of the source. Report does not change the documents.
func Report(docs []*Document, bank Bank, asOf report.Date) []report.Paystub {
	found := make([][]finding, len(docs))
	for i, d := range docs {
		found[i] = slices.Clone(d.findings)
		if d.Outcome != Read {
			continue
		}
		if pay := d.fields.pay; pay.valid && pay.date.After(asOf.AddDate(0, 0, 31)) {
			found[i] = append(found[i], finding{DatesDisagree, false, areasOf(pay)})
		}
		if made, ok := stamp(d.file.Info.Created); ok && made.After(asOf.AddDate(0, 0, 2)) {
			found[i] = append(found[i], finding{DatesDisagree, true, nil})
		}
		if !bank.hasDeposit(d) {
			found[i] = append(found[i], finding{NoDeposit, false, d.areas(now, net)})
		}
	}
	compareStubs(docs, found)
	out := make([]report.Paystub, len(docs))
	for i, d := range docs {
		out[i] = d.Stub
		out[i].IrregularityDetection = d.verdict(found[i])
		out[i].Positions = d.positions(found[i])
	}
	return out
}

// hasDeposit reports whether the net pay was deposited, in one or several deposits of one day from
// two days before the pay date to five days after it. It is true if the bank data do not
// cover these days, or the pay date or the net pay is unknown.
func (b *Bank) hasDeposit(d *Document) bool {
	pay, amount := d.fields.pay, d.Stub.NetTotal
	if !pay.valid || amount == nil || *amount <= 0 || b.From.IsZero() || b.To.IsZero() {
		return true
	}
	from, to := pay.date.AddDate(0, 0, -2), pay.date.AddDate(0, 0, 5)
	if from.Before(b.From.Time) || to.After(b.To.Time) {
		return true
	}
	var days [8][]report.Cents
	for _, x := range b.Deposits {
		if x.Amount > 0 && !x.Day.Before(from) && !x.Day.After(to) {
			if k := int(x.Day.Sub(from).Hours() / 24); len(days[k]) < 12 {
				days[k] = append(days[k], x.Amount)
			}
		}
	}
	return slices.ContainsFunc(days[:], func(day []report.Cents) bool { return sumTo(day, *amount) })
}

// sumTo reports whether some of the amounts add up to the sum.
func sumTo(amounts []report.Cents, sum report.Cents) bool {
	if sum == 0 {
		return true
	}
	for i, a := range amounts {
		if a <= sum && sumTo(amounts[i+1:], sum-a) {
			return true
		}
	}
	return false
}

// compareStubs compares the stubs of one person and employer: the periods of any two stubs, and
// the other values of consecutive stubs in a year.
func compareStubs(docs []*Document, found [][]finding) {
	type who struct{ employee, employer string }
	groups := map[who][]int{}
	for i, d := range docs {
		if d.Outcome == Read && d.fields.pay.valid && d.fields.employee != "" {
			k := who{plain(d.fields.employee), plain(d.fields.employer)}
			groups[k] = append(groups[k], i)
		}
	}
	for _, all := range groups {
		slices.SortStableFunc(all, func(a, b int) int { return docs[a].fields.pay.date.Compare(docs[b].fields.pay.date.Time) })
		for m := range all {
			for k := range m {
				a, b := docs[all[k]], docs[all[m]]
				reason, grave := "", false
				switch {
				case overlap(a, b) && !sameStub(a, b):
					reason = StubsDisagree
				case k == m-1 && a.fields.pay.date.Year() == b.fields.pay.date.Year():
					reason, grave = consecutive(a, b)
				}
				if reason == "" {
					continue
				}
				// It is unknown which of the two is wrong.
				for _, n := range []int{all[k], all[m]} {
					found[n] = append(found[n], finding{reason, grave, docs[n].disagreement(reason)})
				}
			}
		}
	}
}

// disagreement returns where a stub shows what it and another stub disagree about.
func (d *Document) disagreement(reason string) []area {
	if reason == YearToDate {
		return d.areas(toDate, gross)
	}
	return areasOf(d.fields.start, d.fields.end, d.fields.pay)
}

// overlap reports whether the periods of two stubs have a day in common.
func overlap(a, b *Document) bool {
	within := func(day when, f *fields) bool {
		return day.valid && f.start.valid && f.end.valid && !day.date.Before(f.start.date.Time) && !day.date.After(f.end.date.Time)
	}
	return within(a.fields.start, &b.fields) || within(b.fields.start, &a.fields)
}

// sameStub reports whether two documents show the same stub.
func sameStub(a, b *Document) bool {
	p, q := &a.Stub, &b.Stub
	return a.fields.pay.date.Equal(b.fields.pay.date.Time) &&
		equal(p.GrossTotal, q.GrossTotal) && equal(p.NetTotal, q.NetTotal) && equal(p.GrossTotalYTD, q.GrossTotalYTD)
}

// consecutive compares a stub with the one before it in the same year. The reason is empty
// if they agree.
func consecutive(a, b *Document) (reason string, grave bool) {
	if sameStub(a, b) {
		return "", false
	}
	if a.fields.pay.date.Equal(b.fields.pay.date.Time) {
		return StubsDisagree, false // maybe a correction, or a separate bonus
	}
	p, q := &a.Stub, &b.Stub
	next := a.fields.end.valid && b.fields.start.valid && b.fields.start.date.Equal(a.fields.end.date.AddDate(0, 0, 1))
	for _, x := range []struct{ before, after, now *report.Cents }{
		{p.GrossTotalYTD, q.GrossTotalYTD, q.GrossTotal}, {p.NetTotalYTD, q.NetTotalYTD, q.NetTotal},
		{p.RegularPayYTD, q.RegularPayYTD, q.RegularPay}, {p.SocialSecurityTaxYTD, q.SocialSecurityTaxYTD, q.SocialSecurityTax},
		{p.MedicareTaxYTD, q.MedicareTaxYTD, q.MedicareTax},
	} {
		if x.before == nil || x.after == nil {
			continue
		}
		least := *x.before
		if x.now != nil && *x.now > 0 {
			least += *x.now
		}
		if *x.after < least-2 {
			return YearToDate, true
		}
		if next && x.now != nil && *x.after > least+2 { // neither stub shows the rest
			reason = YearToDate
		}
	}
	if p.HireDate != nil && q.HireDate != nil && !p.HireDate.Equal(q.HireDate.Time) {
		reason = cmp.Or(reason, StubsDisagree)
	}
	return reason, false
}

func equal(a, b *report.Cents) bool { return a == b || a != nil && b != nil && *a == *b }
