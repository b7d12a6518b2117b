package applications

import (
	"context"
	"encoding/json"
	"errors"

	"vestibule/internal/prefill"
	"vestibule/internal/store"
)

// Applicants returns the data that applicants entered, by application ID. It omits
// applications without such data.
func (s *Service) Applicants(ctx context.Context, ids []string) (map[string]prefill.Fields, error) {
	return s.applicants(ctx, s.DB.SQL, ids)
}

func (s *Service) applicants(ctx context.Context, q store.Queryer, ids []string) (map[string]prefill.Fields, error) {
	out := make(map[string]prefill.Fields, len(ids))
	if len(ids) == 0 {
		return out, nil
	}
	found, err := sealedPrefills(ctx, q, ids)
	if err != nil {
		return nil, err
	}
	for _, f := range found {
		open, err := s.DB.Vault.Unwrap(q, f.dataKey, f.wrapped)
		if errors.Is(err, store.ErrShredded) {
			continue // deleted concurrently
		}
		if err != nil {
			return nil, err
		}
		plain, err := open.Open(prefillCell(f.id), f.sealed)
		if err != nil {
			return nil, err
		}
		var fields prefill.Fields
		if err := json.Unmarshal(plain, &fields); err != nil {
			return nil, errors.New("applications: an applicant's data cannot be read")
		}
		out[f.id] = fields
	}
	return out, nil
}

// Applicant returns the data that the applicant entered; empty if they were not asked
// yet.
func (s *Service) Applicant(ctx context.Context, q store.Queryer, id string) (prefill.Fields, error) {
	all, err := s.applicants(ctx, q, []string{id})
	return all[id], err
}

// SetApplicant stores the applicant's data of an application that was created without
// it. If the data has problems, it returns them with a nil error and stores nothing.
func (s *Service) SetApplicant(ctx context.Context, tx *store.Tx, a Application, o prefill.Object, mode Mode) ([]prefill.Problem, error) {
	if !mode.Valid() {
		return nil, ErrBadMode
	}
	f, problems := s.rules(a.Product, tx.Now).Check(o)
	if len(problems) > 0 {
		return problems, nil
	}
	sealed, err := seal(ctx, s.DB.Vault, tx, a.dataKey, a.ID, f)
	if err != nil {
		return nil, err
	}
	kept, err := setApplicant(ctx, tx, a.ID, sealed, mode)
	if err == nil && kept {
		err = s.notifyApplicantStored(ctx, tx, a, f)
	}
	return nil, err
}
