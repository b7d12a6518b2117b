package visits

import "vestibule/internal/contract"

// SourceSupplier is the only source type of a passport: the applicant selects a
// country's credit bureau, or a reader of identity documents, which finds the person
// by the name in the application. It needs no sign-in.
const SourceSupplier SourceType = "supplier"

// StepSupplier is the choice of a supplier. StepConfirm asks for confirmation, because
// the request to the bureau cannot be undone.
const (
	StepSupplier Step = "supplier"
	StepConfirm  Step = "confirm"
)

// supplier queries the selected supplier.
func (j Journey) supplier(in Input) (Journey, Do, bool) {
	if j.Scenario == ScenarioBureauDown {
		return j.miss(contract.StatusBureauUnresponsive, "", in)
	}
	j.State, j.Step = Generating, StepProgress
	return j, Generate, true
}
