package provider

import (
	"vestibule/internal/provider/reports"
	"vestibule/internal/provider/sandbox"
	"vestibule/internal/provider/sandbox/payroll"
	"vestibule/internal/provider/visits"
)

// What else than banks reports are made from.

// visitEmployers are the payroll providers as the widget lists them.
func visitEmployers() []visits.Bank {
	var out []visits.Bank
	for _, p := range payroll.All() {
		out = append(out, visits.Bank{ID: p.ID, Name: p.Name, Place: p.Hint})
	}
	return out
}

// visitPayroll is the sandbox's payroll providers as the widget shows them.
type visitPayroll struct{}

func (visitPayroll) Login(username string) visits.Login {
	profile, st, sub, ok := payroll.Providers{}.Login(username)
	return visits.Login{Known: ok, Profile: profile, Status: st, Substatus: sub}
}

// signIns are the payroll connections of a visit as reports keep them.
func signIns(from visits.Source) []reports.SignIn {
	var out []reports.SignIn
	for _, s := range from.SignIns {
		out = append(out, reports.SignIn{Provider: s.Provider, Profile: s.Profile})
	}
	return out
}

// walkOf is how the sandbox control wants a visit walked.
func walkOf(how sandbox.Walk) visits.Walk {
	w := visits.Walk{Username: how.Username, Bank: how.Bank, End: how.End}
	if how.Payroll != nil {
		w.Payroll = &visits.Payroll{Provider: how.Payroll.Provider, Username: how.Payroll.Username}
	}
	return w
}
