package provider

import (
	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/provider/visits/flow"
)

// missingSources names the source types that this visit needs and that are not configured; empty
// for none. rest reports whether the applicant can connect or upload something else.
func (v Visit) missingSources() (words i18n.Key, rest bool) {
	banks, payroll := v.Missing.Banks && !v.IncomeOnly, v.Missing.Payroll && (v.Verifies || v.Product == contract.Income)
	switch {
	case v.Product == contract.Passport && v.Missing.Suppliers:
		return "visit.unsourced.no_bureau", false
	case v.Product == contract.Passport:
		return "", true
	case banks && payroll:
		return "visit.unsourced.no_bank_and_payroll", true
	case banks:
		return "visit.unsourced.no_bank", v.Verifies || v.Product == contract.Income
	case payroll:
		return "visit.unsourced.no_payroll", true
	}
	return "", true
}

// unsourcedWords returns the current step's text about missing sources; "" for none.
func (v Visit) unsourcedWords() string {
	lacking, rest := v.missingSources()
	if lacking == "" {
		return ""
	}
	words := i18n.T(v.Lang, "visit.unsourced.text", "company", v.Customer, "lacking", i18n.T(v.Lang, lacking))
	switch {
	case v.Step == flow.StepConsent && !rest:
		return words + i18n.T(v.Lang, "visit.unsourced.will_end", "company", v.Customer)
	case v.Step == flow.StepEmployers && v.EndsIfFinished:
		return words + i18n.T(v.Lang, "visit.unsourced.upload_or_skip") + i18n.T(v.Lang, "visit.unsourced.neither_ends", "company", v.Customer)
	case v.Verifies && (v.Step == flow.StepConsent || v.Step == flow.StepEmployers):
		return words + i18n.T(v.Lang, "visit.unsourced.upload_or_skip")
	case v.Step == flow.StepConsent, v.Step == flow.StepDocuments && v.Employer == "" && v.Back == "",
		v.Step == flow.StepSource && v.Employer == "":
		return words + i18n.T(v.Lang, "visit.unsourced.upload")
	}
	return ""
}

// unconfiguredWords returns the text of endWords for a visit without any source.
func (v Visit) unconfiguredWords() string {
	lacking, _ := v.missingSources()
	return i18n.T(v.Lang, "visit.unsourced.ended", "company", v.Customer, "lacking", i18n.T(v.Lang, lacking))
}
