package review

import (
	"context"
	"errors"

	"vestibule/internal/portal/applications"
	"vestibule/internal/store"
	pages "vestibule/templates/portal/review"
)

// Summarize returns the function by which the search index sums up reports.
func Summarize(s *applications.Service) func(context.Context, store.Queryer, applications.Application) (pages.Summary, error) {
	return func(ctx context.Context, q store.Queryer, a applications.Application) (pages.Summary, error) {
		if !hasPage(a.Product) {
			return pages.Summary{}, nil
		}
		raw, err := s.Report(ctx, q, a.ID, 0)
		if errors.Is(err, store.ErrNotFound) {
			return pages.Summary{}, nil
		}
		if err != nil {
			return pages.Summary{}, err
		}
		fields, err := s.Applicant(ctx, q, a.ID)
		if err != nil {
			return pages.Summary{}, err
		}
		v, err := parseView(a.Product, raw, &pages.Stated{Fields: fields})
		if errors.Is(err, errStored) { // shown as an application without figures
			return pages.Summary{}, nil
		}
		if err != nil {
			return pages.Summary{}, err
		}
		return pages.Summarize(v), nil
	}
}
