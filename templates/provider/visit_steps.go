package provider

import (
	"slices"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/templates/ui"
)

// connecting is the step of a source of which the applicant chooses the type: how many pages
// it has differs by type and institution.
const connecting Step = "connecting"

// steps returns the steps of the whole visit. Their number depends on nothing that the
// applicant chooses on the way, so that it stays the same.
func (v Visit) steps() ui.Steps {
	name := map[Step]string{Consent: i18n.T(v.Lang, "visit.steps.consent"), Source: i18n.T(v.Lang, "visit.steps.source"),
		Banks: i18n.T(v.Lang, "visit.source.bank.title"), Stated: i18n.T(v.Lang, "visit.steps.employers"),
		Suppliers: i18n.T(v.Lang, "visit.steps.country"), SignIn: i18n.T(v.Lang, "visit.steps.connection"),
		connecting: i18n.T(v.Lang, "visit.steps.connection"), Finish: i18n.T(v.Lang, "visit.steps.finish")}
	if v.SourceType == SourceStubs {
		name[connecting] = i18n.T(v.Lang, "visit.connected.pay_stubs")
	}
	order, now := []Step{Consent, Banks, SignIn, Finish}, v.Step
	switch {
	case v.Verifies:
		order, now = v.verifySteps()
	case v.Product == contract.Income:
		order = []Step{Consent, Source, connecting, Finish}
		if !slices.Contains(order, now) {
			now = connecting
		}
	case v.Product == contract.Passport:
		order = []Step{Consent, Suppliers}
	}
	switch now {
	case Confirm: // part of the list before it
		now = Suppliers
	case Failed:
		now = order[1]
	case Authorize, Code, Accounts: // the number of pages differs by institution
		now = SignIn
	}
	out := ui.Steps{Lang: v.Lang, Current: slices.Index(order, now)}
	for _, s := range order {
		out.Names = append(out.Names, name[s])
	}
	return out
}

func (v Visit) isInProgress() bool {
	switch v.Step {
	case Consent, Stated, Why, Source, Banks, Employers, Suppliers, Confirm, Authorize, SignIn, Code, Accounts, Documents, Finish,
		Failed:
		return true
	}
	return false
}
