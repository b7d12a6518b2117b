package provider

import (
	"slices"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/provider/visits/flow"
	"vestibule/templates/ui"
)

// steps returns the steps of the whole visit. Their number depends on nothing that the
// applicant chooses on the way, and the last one stays while they add more sources.
func (v Visit) steps() ui.Steps {
	name := map[flow.Step]string{
		flow.StepConsent:   i18n.T(v.Lang, "visit.steps.consent"),
		flow.StepSource:    i18n.T(v.Lang, "visit.steps.source"),
		flow.StepBank:      i18n.T(v.Lang, "visit.source.bank.title"),
		flow.StepEmployers: i18n.T(v.Lang, "visit.steps.employers"),
		flow.StepSupplier:  i18n.T(v.Lang, "visit.steps.country"),
		flow.StepConfirm:   i18n.T(v.Lang, "visit.steps.confirm"),
		flow.StepSignIn:    i18n.T(v.Lang, "visit.steps.sign_in"),
		flow.StepAccounts:  i18n.T(v.Lang, "visit.steps.accounts"),
		flow.StepConnected: i18n.T(v.Lang, "visit.steps.finish"),
	}
	order, now := []flow.Step{flow.StepConsent, flow.StepBank, flow.StepSignIn, flow.StepAccounts}, v.Step
	switch {
	case v.Verifies:
		order, now = v.verifySteps()
	case v.Product == contract.Income:
		order = []flow.Step{flow.StepConsent, flow.StepSource, flow.StepSignIn, flow.StepConnected}
		switch v.SourceType {
		case flow.SourceBank:
			name[flow.StepSource] = name[flow.StepBank]
		case flow.SourcePayroll:
			name[flow.StepSource] = i18n.T(v.Lang, "visit.steps.employer")
		case flow.SourcePaystubs:
			name[flow.StepSignIn] = i18n.T(v.Lang, "visit.connected.pay_stubs")
		}
		if now == flow.StepBank || now == flow.StepPayroll {
			now = flow.StepSource
		}
	case v.Product == contract.Passport:
		order = []flow.Step{flow.StepConsent, flow.StepSupplier, flow.StepConfirm}
	}
	last := order[len(order)-1]
	switch {
	case now != flow.StepEmployers && slices.ContainsFunc(v.Connected, func(c Connected) bool { return !c.Failed }):
		now = last
	case v.Product == contract.Passport && now == flow.StepFailed:
		now = last
	case !slices.Contains(order, now): // how many pages a sign-in has differs by institution
		now = flow.StepSignIn
	}
	out := ui.Steps{Lang: v.Lang, Current: slices.Index(order, now)}
	for _, s := range order {
		out.Names = append(out.Names, name[s])
	}
	return out
}

func (v Visit) isInProgress() bool {
	return v.Step != flow.StepProgress && v.Step != flow.StepEnd && v.Step != flow.StepLeave
}
