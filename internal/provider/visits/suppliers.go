package visits

import "vestibule/internal/contract"

// SourceSupplier is the one way of a passport: the applicant says which country's credit
// bureau, or reader of identity documents, is asked, and it knows the person by the
// name of the application. There is nothing to sign in to.
const SourceSupplier SourceType = "supplier"

// StepSupplier is the choice of it, and StepConfirm shows the choice before the bureau
// is asked: that cannot be taken back.
const (
	StepSupplier Step = "supplier"
	StepConfirm  Step = "confirm"
)

// supplier asks the one that was chosen.
func (j Journey) supplier(in Input) (Journey, Do, bool) {
	if j.Scenario == ScenarioBureauDown {
		return j.miss(contract.StatusBureauUnresponsive, "", in)
	}
	j.State, j.Step = Generating, StepProgress
	return j, Generate, true
}
