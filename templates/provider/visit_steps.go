package provider

import (
	"slices"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/provider/visits/flow"
	"vestibule/templates/ui"
)

// steps returns the steps of the whole visit. Their number depends on nothing that the
// applicant chooses on the way, so that it stays the same.
func (v Visit) steps() ui.Steps {
	name := map[flow.Step]string{
		flow.StepConsent:   i18n.T(v.Lang, "visit.steps.consent"),
		flow.StepSource:    i18n.T(v.Lang, "visit.steps.source"),
		flow.StepBank:      i18n.T(v.Lang, "visit.source.bank.title"),
		flow.StepEmployers: i18n.T(v.Lang, "visit.steps.employers"),
		flow.StepSupplier:  i18n.T(v.Lang, "visit.steps.country"),
		flow.StepSignIn:    i18n.T(v.Lang, "visit.steps.connection"),
		flow.StepConnected: i18n.T(v.Lang, "visit.steps.finish"),
	}
	if v.SourceType == flow.SourcePaystubs {
		name[flow.StepSignIn] = i18n.T(v.Lang, "visit.connected.pay_stubs")
	}
	order, now := []flow.Step{flow.StepConsent, flow.StepBank, flow.StepSignIn, flow.StepConnected}, v.Step
	switch {
	case v.Verifies:
		order, now = v.verifySteps()
	case v.Product == contract.Income:
		order = []flow.Step{flow.StepConsent, flow.StepSource, flow.StepSignIn, flow.StepConnected}
		if !slices.Contains(order, now) {
			now = flow.StepSignIn // how many pages a source has differs by type and institution
		}
	case v.Product == contract.Passport:
		order = []flow.Step{flow.StepConsent, flow.StepSupplier}
	}
	switch now {
	case flow.StepConfirm: // part of the list before it
		now = flow.StepSupplier
	case flow.StepFailed:
		now = order[1]
	case flow.StepAuthorize, flow.StepCode, flow.StepAccounts: // the number of pages differs by institution
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
