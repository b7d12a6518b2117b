package applications

import (
	"context"
	"time"

	"vestibule/internal/svcapi"
)

// fileTimeout bounds requests for a file or a list of files.
const fileTimeout = 20 * time.Second

// Files requests the file list of an application's report from the provider. Files
// are not stored here, so files deleted by the provider are gone. It returns the
// provider's refusals as *svcapi.Error, and ErrNoReport if there is no report.
func (s *Service) Files(ctx context.Context, id string) ([]svcapi.File, error) {
	a, ref, err := s.withReport(ctx, id)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, fileTimeout)
	defer cancel()
	return s.Provider.Files(ctx, a.Product, ref)
}

// inMemory limits how many files are in memory at once, so that they fit into that of the shipped
// files (docs/deploy).
var inMemory = make(chan struct{}, 8)

// File requests one file from the provider, by its path. The file counts as in memory until ctx
// ends; File waits while too many others do.
func (s *Service) File(ctx context.Context, id, path string) (svcapi.Content, error) {
	a, ref, err := s.withReport(ctx, id)
	if err != nil {
		return svcapi.Content{}, err
	}
	select {
	case inMemory <- struct{}{}:
		context.AfterFunc(ctx, func() { <-inMemory })
	case <-ctx.Done():
		return svcapi.Content{}, ctx.Err()
	}
	ctx, cancel := context.WithTimeout(ctx, fileTimeout)
	defer cancel()
	return s.Provider.File(ctx, a.Product, ref, path)
}

// withReport returns an application with a report and the provider's reference to the
// report.
func (s *Service) withReport(ctx context.Context, id string) (Application, svcapi.Ref, error) {
	a, err := s.Get(ctx, s.DB.SQL, id)
	if err != nil {
		return a, svcapi.Ref{}, err
	}
	if !a.HasReport() {
		return a, svcapi.Ref{}, ErrNoReport
	}
	t, err := attempt(ctx, s.DB.SQL, a.ID, a.Report.Attempt)
	return a, t.ref(), err
}
