package visits

import "vestibule/internal/svc"

// WaySupplier is the one way of a passport: the applicant says which country's credit
// bureau, or reader of identity documents, is asked, and it knows the person by the
// name of the application. There is nothing to sign in to.
const WaySupplier Way = "supplier"

// StepSupplier is the choice of it.
const StepSupplier Step = "supplier"

// supplier asks the one that was chosen.
func (j Journey) supplier(in Input) (Journey, Do, bool) {
	j.Bank = in.Bank
	if j.Rehearsal == BureauDown {
		return j.fail(svc.StatusBureauUnresponsive, "", svc.WidgetSupplierError)
	}
	j.State, j.Step = Generating, StepProgress
	return j, Generate, true
}
