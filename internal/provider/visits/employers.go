package visits

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"vestibule/internal/contract"
	"vestibule/internal/prefill"
	"vestibule/internal/provider/customers"
	"vestibule/internal/provider/visits/flow"
	"vestibule/internal/report"
	"vestibule/internal/store"
)

// storeEmployers stores the employers of a visit, so that their numbers stay valid
// until its end even if the consumer's data change.
func (s *Service) storeEmployers(ctx context.Context, tx *store.Tx, v *visit, keyID string, names []string) error {
	raw, err := json.Marshal(names)
	if err != nil {
		return err
	}
	v.stated, err = s.DB.Vault.Seal(ctx, tx, keyID, statedCell(v.id), raw)
	return err
}

func (s *Service) statedEmployers(ctx context.Context, q store.Queryer, v visit, keyID string) (names []string, err error) {
	raw, err := s.DB.Vault.Open(ctx, q, keyID, statedCell(v.id), v.stated)
	if err != nil {
		return nil, err
	}
	if err = json.Unmarshal(raw, &names); err == nil && len(names) != v.Employers {
		err = errors.New("visits: the employers of a visit are not those that it counts")
	}
	return names, err
}

func statedCell(id string) store.Cell { return store.Cell{Table: "visits", Column: "stated", Row: id} }

// employersToVerify lists the employers that an applicant stated. An eligibility visit
// verifies statedEmployerNames one by one; for other products statedEmployerName is
// added.
func employersToVerify(product contract.Product, p prefill.Fields) []string {
	names := withoutDuplicates(p.StatedEmployerNames)
	if product != contract.Eligibility || names == nil {
		names = withoutDuplicates(append(names, p.StatedEmployerName))
	}
	return names
}

// withoutDuplicates returns the employers that an applicant named, without duplicates.
func withoutDuplicates(names []string) (out []string) {
	for _, n := range names {
		if n != "" && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

// newJourney returns the initial journey of a visit.
func newJourney(p customers.Product, employers []string) flow.Journey {
	j, kind := flow.Journey{Product: p.Kind, BankLimit: p.Configuration.BankLimit}, p.Configuration.EligibilityKind
	if p.Kind == contract.Eligibility && kind != report.AssetsOnly {
		j.Employers, j.IncomeOnly = len(employers), kind == report.IncomeOnly
	}
	return j
}
