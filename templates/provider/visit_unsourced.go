package provider

import (
	"vestibule/internal/contract"
	"vestibule/internal/i18n"
)

// Unsourced says which kinds of source the visit's environment has none of.
type Unsourced struct{ Banks, Payroll, Suppliers bool }

// lacking names the kinds of source that this visit would use and that are not there;
// empty for none. rest reports whether something else is left to connect or upload.
func (v Visit) lacking() (words i18n.Key, rest bool) {
	banks, payroll := v.Unsourced.Banks && !v.IncomeOnly, v.Unsourced.Payroll && (v.Verifies || v.Product == contract.Income)
	switch {
	case v.Product == contract.Passport && v.Unsourced.Suppliers:
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

// unsourcedWords are what the present step says of it; empty for nothing.
func (v Visit) unsourcedWords() string {
	lacking, rest := v.lacking()
	if lacking == "" {
		return ""
	}
	words := i18n.T(v.Lang, "visit.unsourced.text", "company", v.Customer, "lacking", i18n.T(v.Lang, lacking))
	switch {
	case v.Step == Consent && !rest:
		return words + i18n.T(v.Lang, "visit.unsourced.will_end", "company", v.Customer)
	case v.Verifies && (v.Step == Consent || v.Step == Stated):
		return words + i18n.T(v.Lang, "visit.unsourced.upload_or_skip")
	case v.Step == Consent, v.Step == Documents && v.Employer == "" && v.Back == "", v.Step == Source && v.Employer == "":
		return words + i18n.T(v.Lang, "visit.unsourced.upload")
	}
	return ""
}

// unconfiguredWords are those of endWords for a visit that ended for want of any
// source.
func (v Visit) unconfiguredWords() string {
	lacking, _ := v.lacking()
	return i18n.T(v.Lang, "visit.unsourced.ended", "company", v.Customer, "lacking", i18n.T(v.Lang, lacking))
}
