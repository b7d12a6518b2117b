package visits

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"vestibule/internal/contract"
	"vestibule/internal/prefill"
	"vestibule/internal/provider/customers"
	"vestibule/internal/report"
	"vestibule/internal/store"
)

// An eligibility report verifies the employers that were stated, assets, or both
// (document 3, "Eligibility report"). Employers come first: a list of them, where each
// is verified by a payroll provider, pay stubs or other documents, skipped with a
// reason, or left open, in any order and as often as the applicant likes. What fails
// there is told in the report and ends nothing. A bank account that pay goes to is no
// source of theirs: it is among the assets, and matched there.

// StepEmployers is the list, and StepSkip asks why one of them is skipped.
const (
	StepEmployers Step = "employers"
	StepSkip      Step = "skip"
)

// SourceLetters is documents other than pay stubs: a contract, an offer, a letter about
// a benefit.
const SourceLetters SourceType = "documents"

// Inputs of these steps.
const (
	EventEmployerSelected   EventKind = "verify"  // one of the employers
	EventEmployerSkipOpened EventKind = "skip"    // one of them: why is asked next
	EventEmployerSkipped    EventKind = "skipped" // with a reason
)

// employers takes the inputs of the list and of the question why.
func (j Journey) employers(in Input) (Journey, Do, bool) {
	known := in.Employer > 0 && in.Employer <= j.Employers
	switch {
	case j.Step == StepEmployers && in.Kind == EventSourcesFinished:
		return j.onward()
	case j.Step == StepEmployers && in.Kind == EventEmployerSelected && known && len(j.leftFor(in.Employer)) > 0:
		j.Employer = in.Employer
		return j.choose()
	case j.Step == StepEmployers && in.Kind == EventEmployerSkipOpened && known && !j.verified(in.Employer):
		j.Employer, j.Step = in.Employer, StepSkip
	case j.Step == StepSkip && in.Kind == EventEmployerSkipped && slices.Contains(report.SkippedReasons(), in.Reason):
		j.with(connected{Skipped: in.Reason})
		j.pause()
	default:
		return j, 0, false
	}
	return j, 0, true
}

// onward leads from the employers to the assets, or to the end where there are none.
// With nothing connected, and nothing that it could have been, it ends as unsupported.
func (j Journey) onward() (Journey, Do, bool) {
	switch {
	case j.IncomeOnly && j.Lacks.Payroll:
		return j.unsupported()
	case j.IncomeOnly:
		j.State, j.Step = Generating, StepProgress
		return j, Generate, true
	case j.from() == StepConnected: // he has been there
		j.pause()
		return j, 0, true
	}
	return j.choose()
}

// verified reports whether a source of that employer is connected.
func (j Journey) verified(employer int) bool {
	return slices.ContainsFunc(j.sources(), func(c connected) bool { return c.Employer == employer && c.good() && !c.Empty })
}

// state keeps the employers of a visit, so that their numbers mean the same to its end,
// whatever becomes of what the consumer is known by.
func (s *Service) state(ctx context.Context, tx *store.Tx, v *visit, keyID string, names []string) error {
	raw, err := json.Marshal(names)
	if err != nil {
		return err
	}
	v.stated, err = s.DB.Vault.Seal(ctx, tx, keyID, statedCell(v.id), raw)
	return err
}

// statedIn are the employers that a visit verifies.
func (s *Service) statedIn(ctx context.Context, q store.Queryer, v visit, keyID string) (names []string, err error) {
	raw, err := s.DB.Vault.Open(ctx, q, keyID, statedCell(v.id), v.stated)
	if err != nil {
		return nil, err
	}
	if err = json.Unmarshal(raw, &names); err == nil && len(names) != v.Employers {
		err = errors.New("visits: the employers of a visit are not those that it counts")
	}
	return names, err
}

func statedCell(id string) store.Cell {
	return store.Cell{Table: "visits", Column: "stated", Row: id}
}

// employers lists those that an applicant stated. An eligibility visit verifies
// statedEmployerNames, one by one; of other products statedEmployerName is one more.
func employers(product contract.Product, p prefill.Fields) []string {
	names := stated(p.StatedEmployerNames)
	if product != contract.Eligibility || names == nil {
		names = stated(append(names, p.StatedEmployerName))
	}
	return names
}

// stated are the employers that an applicant named, each of them once.
func stated(names []string) (out []string) {
	for _, n := range names {
		if n != "" && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

// plan says what a visit is about.
func plan(p customers.Product, employers []string) Journey {
	j, kind := Journey{Product: p.Kind}, p.Configuration.EligibilityKind
	if p.Kind == contract.Eligibility && kind != report.AssetsOnly {
		j.Employers, j.IncomeOnly = len(employers), kind == report.IncomeOnly
	}
	return j
}
