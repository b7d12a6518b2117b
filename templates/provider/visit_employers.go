package provider

import (
	"slices"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/report"
	"vestibule/templates/ui"
)

// Where an eligibility report verifies stated employers, its visit has a list of them,
// to which every one of them leads back.

// Stated is the list, and Why asks why one of them is skipped.
const (
	Stated Step = "employers"
	Why    Step = "skip"
)

// Letters is the source of documents other than pay stubs.
const Letters Way = "documents"

// Employer is a stated employer.
type Employer struct {
	N       int // from 1
	Name    string
	Sources []Connected
	Skipped bool
}

func (e Employer) shown() bool {
	for _, c := range e.Sources {
		if !c.Failed && !c.Empty {
			return true
		}
	}
	return false
}

// empty reports whether a source of it was connected that has nothing recent.
func (e Employer) empty() bool {
	return slices.ContainsFunc(e.Sources, func(c Connected) bool { return c.Empty })
}

// standing words the employer's state. Whether the source verifies the employer is
// only known from the report.
func (e Employer) standing(v Visit) (ui.Tone, string) {
	switch {
	case e.shown():
		return ui.Success, i18n.T(v.Lang, "visit.employer_state.done")
	case e.Skipped:
		return ui.Neutral, i18n.T(v.Lang, "visit.employer_state.skipped")
	case e.empty():
		return ui.Warning, i18n.T(v.Lang, "visit.employer_state.empty")
	case len(e.Sources) > 0:
		return ui.Warning, i18n.T(v.Lang, "visit.employer_state.failed")
	}
	return ui.Info, i18n.T(v.Lang, "visit.employer_state.open")
}

// verify is what its button says.
func (e Employer) verify(v Visit) string {
	switch {
	case e.shown(), e.empty() && !e.Skipped:
		return i18n.T(v.Lang, "visit.employers.add_source")
	case e.Skipped:
		return i18n.T(v.Lang, "visit.employers.verify_after_all")
	case len(e.Sources) > 0:
		return i18n.T(v.Lang, "visit.try_again")
	}
	return i18n.T(v.Lang, "visit.employers.verify")
}

// by says what kind of source one is.
func (v Visit) by(c Connected) string {
	if c.Way == Payroll {
		return i18n.T(v.Lang, "visit.connected.payroll") + c.Name
	}
	return c.shown(v)
}

// full reports whether it has a source of every kind.
func (e Employer) full() bool {
	good := 0
	for _, c := range e.Sources {
		if !c.Failed {
			good++
		}
	}
	return good >= 3
}

// nextOpen is the number of the first that is neither shown nor skipped; 0 for none.
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

// verifySteps are the steps of such a visit, and the present one of them.
func (v Visit) verifySteps() (order []Step, now Step, rest Way) {
	order, now = []Step{Consent, Stated}, Banks
	if !v.IncomeOnly {
		order = append(order, Banks)
	}
	switch {
	case v.Step == Consent, v.Step == Stated, v.Step == Finish:
		now = v.Step
	case v.Employer != "":
		now = Stated
	}
	return order, now, Letters // which has no separate steps here
}

// reasons are why an employer may be skipped.
func (v Visit) reasons() []ui.Row {
	var rows []ui.Row
	for _, r := range report.SkippedReasons() {
		rows = append(rows, ui.Row{Name: "reason", Value: r, Title: i18n.Code(v.Lang, "visit.skip_reasons", r), Plain: true})
	}
	return rows
}

// goOn labels the button below the list of employers.
func (v Visit) goOn() string {
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

func (v Visit) goOnKind() ui.Kind {
	if v.nextOpen() > 0 {
		return ui.Secondary
	}
	return ""
}

// verifyWords are those of endWords that are others where employers are verified;
// empty where they are not.
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
