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
	order, now := []flow.Step{flow.StepConsent, flow.StepBank, flow.StepSignIn, flow.StepAccounts}, v.Step
	switch {
	case v.Verifies:
		order, now = v.verifySteps()
	case v.Product == contract.Income:
		order[1], order[3] = flow.StepSource, flow.StepConnected
		switch first := v.SourceType.FirstStep(); {
		case v.SourceType == "":
		case first == flow.StepDocuments:
			order[2] = first
		default:
			order[1] = first
		}
	case v.Product == contract.Passport:
		order = []flow.Step{flow.StepConsent, flow.StepSupplier, flow.StepConfirm}
	}
	switch {
	case now != flow.StepEmployers && slices.ContainsFunc(v.Connected, func(c Connected) bool { return !c.Failed }):
		now = order[len(order)-1]
	case !slices.Contains(order, now): // how many pages a sign-in has differs by institution
		now = order[min(2, len(order)-1)]
	}
	out := ui.Steps{Lang: v.Lang, Current: slices.Index(order, now)}
	for _, s := range order {
		out.Names = append(out.Names, i18n.Code(v.Lang, "visit.steps", s))
	}
	return out
}

func (v Visit) isInProgress() bool {
	return v.Step != flow.StepProgress && v.Step != flow.StepEnd && v.Step != flow.StepLeave
}
