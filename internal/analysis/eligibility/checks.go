package eligibility

import (
	"slices"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/contract"
	"vestibule/internal/report"
)

// checks returns the results of application_completeness_checks. A check that does not
// apply to the application is null.
func (in *Input) checks(r *report.Eligibility, fetch report.Date) map[string]report.Check {
	out := map[string]report.Check{}
	answer := func(name string, asked, yes bool) {
		c := report.Check{}
		if asked {
			c.Value = &yes
		}
		out[name] = c
	}
	unverified := slices.ContainsFunc(r.StatedEmployers, func(e report.StatedEmployer) bool { return open(r, e) })
	answer(report.CheckEmployers, len(r.StatedEmployers) > 0, !unverified)

	var accounts []report.AssetAccount
	failed := 0
	if r.Assets != nil {
		accounts, failed = r.Assets.AccountDetails, len(r.Assets.Failed)
	}
	answer(report.CheckAssets, true, len(accounts) > 0)
	answer(report.CheckFailed, true, failed == 0)

	deposits, unmatched := 0, 0
	for _, e := range r.Employment {
		if d := e.Matching.DirectDeposits; d != nil {
			deposits += len(d.Matched) + len(d.Unmatched)
			unmatched += len(d.Unmatched)
		}
	}
	answer(report.CheckDirectDeposits, deposits > 0, unmatched == 0)

	cash, short := 0, 0
	before := bankdata.MonthsBefore(fetch, 6)
	for _, a := range accounts {
		if report.Text(a.AccountType) != report.CashEquivalent {
			continue
		}
		cash++
		if a.FirstTransaction == nil || a.FirstTransaction.After(before.Time) {
			short++
		}
	}
	answer(report.CheckSixMonths, cash > 0, short == 0)

	unread := slices.ContainsFunc(in.Documents, func(d Document) bool { return d.Status != contract.StatusSuccess })
	answer(report.CheckDocuments, len(in.Documents) > 0, !unread)
	return out
}

// open reports whether an employer was neither verified nor skipped. A failed source does
// not verify, nor does a payroll connection or pay stub that shows only other employers. A
// document verifies if it is readable, because staff read it.
func open(r *report.Eligibility, e report.StatedEmployer) bool {
	shown := slices.ContainsFunc(r.Employment, func(j report.EligibilityEmployment) bool {
		return slices.Contains(j.Matching.EmployerName.Matched, report.StatedName{StatedEmployer: e.Name})
	})
	return e.SkippedReason == nil && !slices.ContainsFunc(e.VerificationSources, func(s report.VerificationSource) bool {
		return s.Status == contract.StatusSuccess && (shown || s.SourceType == report.VerifiedByDocument)
	})
}
