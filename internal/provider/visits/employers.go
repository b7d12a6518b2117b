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

// An eligibility report verifies the stated employers, assets, or both (API reference:
// Visits). Employers come first, as a list. In any order and any number of times, the
// applicant verifies one by a payroll provider, pay stubs, or other documents, skips
// it with a reason, or leaves it open. Failures are listed in the report and do not
// end the visit. A bank account that receives pay is not a source for an employer: it
// belongs to the assets and is matched there.

// StepEmployers is the list; StepSkip asks for the reason to skip an employer.
const (
	StepEmployers Step = "employers"
	StepSkip      Step = "skip"
)

// SourceLetters are documents other than pay stubs: a contract, an offer, or a letter
// about a benefit.
const SourceLetters SourceType = "documents"

// Inputs of these steps.
const (
	EventEmployerSelected   EventKind = "verify"  // to verify one of the employers
	EventEmployerSkipOpened EventKind = "skip"    // to skip one; the reason is asked next
	EventEmployerSkipped    EventKind = "skipped" // with a reason
)

// employers handles the inputs of StepEmployers and StepSkip.
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

// onward moves from the employers to the assets, or without these to the end. If no
// source could be connected, the visit ends as unsupported.
func (j Journey) onward() (Journey, Do, bool) {
	switch {
	case j.IncomeOnly && j.Lacks.Payroll:
		return j.unsupported()
	case j.IncomeOnly:
		j.State, j.Step = Generating, StepProgress
		return j, Generate, true
	case j.from() == StepConnected: // the assets came before
		j.pause()
		return j, 0, true
	}
	return j.choose()
}

// verified reports whether a source of the employer is connected.
func (j Journey) verified(employer int) bool {
	return slices.ContainsFunc(j.sources(), func(c connected) bool { return c.Employer == employer && c.good() && !c.Empty })
}

// state stores the employers of a visit, so that their numbers stay valid until its
// end even if the consumer's data change.
func (s *Service) state(ctx context.Context, tx *store.Tx, v *visit, keyID string, names []string) error {
	raw, err := json.Marshal(names)
	if err != nil {
		return err
	}
	v.stated, err = s.DB.Vault.Seal(ctx, tx, keyID, statedCell(v.id), raw)
	return err
}

// statedIn returns the employers that a visit verifies.
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

// employers lists the employers that an applicant stated. An eligibility visit
// verifies statedEmployerNames one by one; for other products statedEmployerName is
// added.
func employers(product contract.Product, p prefill.Fields) []string {
	names := stated(p.StatedEmployerNames)
	if product != contract.Eligibility || names == nil {
		names = stated(append(names, p.StatedEmployerName))
	}
	return names
}

// stated returns the employers that an applicant named, without duplicates.
func stated(names []string) (out []string) {
	for _, n := range names {
		if n != "" && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

// plan returns the initial journey of a visit.
func plan(p customers.Product, employers []string) Journey {
	j, kind := Journey{Product: p.Kind}, p.Configuration.EligibilityKind
	if p.Kind == contract.Eligibility && kind != report.AssetsOnly {
		j.Employers, j.IncomeOnly = len(employers), kind == report.IncomeOnly
	}
	return j
}
