package verdict

import (
	"slices"

	"vestibule/internal/contract"
	"vestibule/internal/prefill"
	"vestibule/internal/report"
)

// Passport says what a credit passport means.
type Passport struct {
	Verdict
	Late    int     // months of the payment histories that were paid late
	Gravely int     // of those, by 90 days or more
	Paid    Message // sums up the payment histories
}

// OfPassport decides what a credit passport means.
func OfPassport(r *report.Passport, stated prefill.Fields) (v Passport) {
	var s sources
	var all []report.Identity
	for _, i := range r.Identities {
		one := report.Identity{SourceID: i.SourceID, SourceRecordID: i.SourceRecordID, FirstName: i.FirstName,
			LastName: i.LastName, FullName: i.FullName, Emails: i.Emails, Matching: i.Matching.Common()}
		if one.FullName == nil {
			one.FullName = contract.Null(joined(" ", report.Text(i.FirstName), report.Text(i.MiddleName), report.Text(i.LastName)))
		}
		all = append(all, one)
		if i.SourceID == report.ConsumerInput || i.Matching != nil {
			continue
		}
		for _, p := range i.Telephones {
			s.phones = append(s.phones, value{text: p})
		}
		if i.DateOfBirth != nil {
			s.births = append(s.births, value{text: i.DateOfBirth.String()})
		}
	}
	s.identities = identities(all)
	for _, a := range r.Addresses {
		s.addresses = append(s.addresses, value{text: report.Text(a.Address)})
	}
	for _, e := range r.Employers {
		s.employers = append(s.employers, value{text: report.Text(e.Name)})
	}
	v.Verdict = verdictOf(stated, s)
	if n := len(r.Scores); n > 0 {
		v.Score = &r.Scores[n-1].Value
	}
	v.countLate(r.Tradelines)
	if slices.ContainsFunc(r.Identities, func(i report.PassportIdentity) bool { return i.IsDeceased != nil && *i.IsDeceased }) {
		v.Findings = []Finding{found(deceased, "identity", say("review.person_real.deceased"))}
	} else {
		v.Findings = []Finding{v.personReal(v.Names)}
	}
	if f, ok := v.employerReal("employers"); ok {
		v.Findings = append(v.Findings, f)
	}
	if f, ok := documentsReal(r); ok {
		v.Findings = append(v.Findings, f)
	}
	if len(r.Tradelines) > 0 {
		v.Findings = append(v.Findings, v.creditPaid(r.Tradelines))
	}
	return v
}

// countLate counts the months that were paid late.
func (v *Passport) countLate(all []report.Tradeline) {
	for _, t := range all {
		for _, m := range t.History {
			switch report.Text(m.Status) {
			case report.PaidLate1, report.PaidLate30, report.PaidLate60:
				v.Late++
			case report.PaidLate90, report.PaidLate120, report.PaidChargedOff:
				v.Late, v.Gravely = v.Late+1, v.Gravely+1
			}
		}
	}
	switch {
	case v.Late == 0:
		v.Paid = say("review.late.none")
	case v.Late == 1 && v.Gravely == 1:
		v.Paid = say("review.late.one_grave")
	case v.Late == 1:
		v.Paid = say("review.late.one")
	default:
		v.Paid = say("review.late.other", "late", v.Late, "grave", v.Gravely)
	}
}

// documentsReal compares the identity documents with the day of the report; false if there are none.
func documentsReal(r *report.Passport) (f Finding, ok bool) {
	f = confirmed(document, "identity", say("review.documents.valid"))
	for _, i := range r.Identities {
		for _, d := range i.Documents {
			ok = true
			if d.Expires != nil && d.Expires.Before(report.DateOf(r.Meta.CreatedAt.Time).Time) {
				f = found(expired, "identity", say("review.documents.expired"))
			}
		}
	}
	return f, ok
}

func (v Passport) creditPaid(all []report.Tradeline) Finding {
	has := func(status string) bool {
		return slices.ContainsFunc(all, func(t report.Tradeline) bool { return t.Status == status })
	}
	pastDue, chargedOff := has(report.TradelineDelinquent), has(report.TradelineChargedOff)
	f := confirmed(credit, "tradelines", v.Paid)
	f.apply(latePayment, v.Late > 0 || pastDue)
	f.apply(gravelyLate, v.Gravely > 0)
	f.apply(writtenOff, chargedOff)
	if pastDue || chargedOff {
		f.Answer = append(f.Answer, say("review.credit_real.past_due"))
	}
	return f
}
