package applications

import (
	"context"
	"time"

	"vestibule/internal/svcapi"
)

// fileTimeout is how long somebody waits for a file or a list of them.
const fileTimeout = 20 * time.Second

// Files asks the provider for the files of an application's report. They are not
// kept here: what the provider deletes is gone. Its refusals are *svcapi.Error;
// ErrNoReport while there is no report.
func (s *Service) Files(ctx context.Context, id string) ([]svcapi.File, error) {
	a, ref, err := s.fetched(ctx, id)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, fileTimeout)
	defer cancel()
	return s.Provider.Files(ctx, a.Product, ref)
}

// File asks the provider for one of them, by its path.
func (s *Service) File(ctx context.Context, id, path string) (svcapi.Content, error) {
	a, ref, err := s.fetched(ctx, id)
	if err != nil {
		return svcapi.Content{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, fileTimeout)
	defer cancel()
	return s.Provider.File(ctx, a.Product, ref, path)
}

// Newest asks the provider for the report as it has it now: after a dispute it may
// have been corrected. The one that was fetched stays what is kept here.
func (s *Service) Newest(ctx context.Context, id string) ([]byte, error) {
	a, ref, err := s.fetched(ctx, id)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, fileTimeout)
	defer cancel()
	raw, _, err := s.Provider.Report(ctx, a.Product, ref)
	return raw, err
}

// fetched is an application with a report, and what the provider knows that by.
func (s *Service) fetched(ctx context.Context, id string) (Application, svcapi.Ref, error) {
	a, err := get(ctx, s.DB.SQL, id)
	if err != nil {
		return a, svcapi.Ref{}, err
	}
	if !a.HasReport() {
		return a, svcapi.Ref{}, ErrNoReport
	}
	t, err := attempt(ctx, s.DB.SQL, a.ID, a.Report.Attempt)
	return a, t.ref(), err
}
