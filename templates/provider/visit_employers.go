package provider

import (
	"slices"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/provider/visits/flow"
	"vestibule/internal/report"
	"vestibule/templates/ui"
)

// Employer is a stated employer.
type Employer struct {
	N       int // from 1
	Name    string
	Sources []Connected
	Skipped bool
}

func (e Employer) shown() bool {
	return slices.ContainsFunc(e.Sources, func(c Connected) bool { return !c.Failed && !c.Empty })
}

// hasNoRecentData reports whether one of its sources has no recent data.
func (e Employer) hasNoRecentData() bool {
	return slices.ContainsFunc(e.Sources, func(c Connected) bool { return c.Empty })
}

// badge returns the tone and the text of the employer's state. Only the report shows
// whether a source verifies the employer.
func (e Employer) badge(v Visit) (ui.Tone, string) {
	switch {
	case e.shown():
		return ui.Success, i18n.T(v.Lang, "visit.employer_state.done")
	case e.Skipped:
		return ui.Neutral, i18n.T(v.Lang, "visit.employer_state.skipped")
	case e.hasNoRecentData():
		return ui.Warning, i18n.T(v.Lang, "visit.employer_state.empty")
	case len(e.Sources) > 0:
		return ui.Warning, i18n.T(v.Lang, "visit.employer_state.failed")
	}
	return ui.Info, i18n.T(v.Lang, "visit.employer_state.open")
}

// verify returns the label of the employer's button.
func (e Employer) verify(v Visit) string {
	switch {
	case e.shown(), e.hasNoRecentData() && !e.Skipped:
		return i18n.T(v.Lang, "visit.employers.add_source")
	case e.Skipped:
		return i18n.T(v.Lang, "visit.employers.verify_after_all")
	case len(e.Sources) > 0:
		return i18n.T(v.Lang, "visit.try_again")
	}
	return i18n.T(v.Lang, "visit.employers.verify")
}

func (v Visit) nameWithType(c Connected) string {
	if c.SourceType == flow.SourcePayroll {
		return i18n.T(v.Lang, "visit.connected.payroll") + c.Name
	}
	return c.shown(v)
}

// hasAllSources reports whether the employer has a source of every type.
func (e Employer) hasAllSources() bool {
	good := 0
	for _, c := range e.Sources {
		if !c.Failed {
			good++
		}
	}
	return good >= 3
}

// nextOpen returns the number of the first employer that is neither shown nor skipped; 0
// for none.
func (v Visit) nextOpen() int {
	for _, e := range v.Employers {
		if !e.shown() && !e.Skipped {
			return e.N
		}
	}
	return 0
}

func (v Visit) verifyTitle() string {
	if v.IncomeOnly {
		return i18n.T(v.Lang, "visit.title.consent_employers")
	}
	return i18n.T(v.Lang, "visit.title.consent_employers_and_money")
}

// verifySteps returns the steps of a visit that verifies employers, and the current one.
func (v Visit) verifySteps() (order []flow.Step, now flow.Step) {
	order, now = []flow.Step{flow.StepConsent, flow.StepEmployers}, flow.StepBank
	if !v.IncomeOnly {
		order = append(order, flow.StepBank, flow.StepConnected)
	}
	switch {
	case v.Step == flow.StepConsent, v.Step == flow.StepEmployers, v.Step == flow.StepConnected:
		now = v.Step
	case v.Employer != "":
		now = flow.StepEmployers
	}
	return order, now
}

// reasons returns the reasons to skip an employer.
func (v Visit) reasons() []ui.Row {
	var rows []ui.Row
	for _, r := range report.SkippedReasons() {
		rows = append(rows, ui.Row{Name: "reason", Value: r, Title: i18n.Code(v.Lang, "visit.skip_reasons", r), Plain: true})
	}
	return rows
}

// continueText returns the label of the button below the list of employers.
func (v Visit) continueText() string {
	switch {
	case v.IncomeOnly && v.nextOpen() > 0:
		return i18n.T(v.Lang, "visit.employers.finish_with_open")
	case v.IncomeOnly:
		return i18n.T(v.Lang, "visit.employers.finish")
	case v.nextOpen() > 0:
		return i18n.T(v.Lang, "visit.employers.continue_with_open")
	}
	return i18n.T(v.Lang, "visit.employers.continue")
}

func (v Visit) continueKind() ui.Kind {
	if v.nextOpen() > 0 {
		return ui.Secondary
	}
	return ""
}

// verifyWords returns the texts of endWords that differ if employers are verified;
// otherwise "".
func (v Visit) verifyWords() string {
	switch {
	case v.End == "success" && v.Status == contract.StatusSuccess && v.IncomeOnly:
		return i18n.T(v.Lang, "visit.end.employers.shared", "company", v.Customer)
	case v.End == "success" && v.Status == contract.StatusSuccess:
		return i18n.T(v.Lang, "visit.end.employers.shared_with_money", "company", v.Customer)
	case v.End == "success":
		return i18n.T(v.Lang, "visit.end.employers.error", "company", v.Customer)
	}
	return ""
}
