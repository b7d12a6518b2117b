package disputes

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/jobs"
	"vestibule/internal/provider/sources"
	"vestibule/internal/report"
	"vestibule/internal/store"
)

// Passing says whether a dispute about a passport was passed to its bureau.
type Passing string

// The values; empty for a report of another kind.
const (
	Waiting     Passing = "waiting"
	Passed      Passing = "passed"
	Unsupported Passing = "unsupported" // the bureau takes no disputes by its connector
	Failed      Passing = "failed"      // the bureau did not answer, or the report is deleted
)

// Pass is the job that passes a dispute to the bureau of its passport, again with new facts.
type Pass struct {
	Number string `json:"number"`
	Facts  bool   `json:"facts,omitempty"`
}

// Kind names the job.
func (Pass) Kind() string { return "disputes.pass" }

// Register adds the jobs of the package.
func (s *Service) Register(r *jobs.Registry) {
	jobs.Register(r, func(ctx context.Context, _ jobs.Job, p Pass) error { return s.pass(ctx, p) }, jobs.MaxAttempts(8),
		jobs.Backoff(func(attempt int) time.Duration { return time.Minute << attempt }), jobs.Timeout(sources.FetchTimeout+10*time.Second),
		jobs.OnDiscard(func(ctx context.Context, p Pass) error { return s.passed(ctx, p, Failed, nil) }))
}

// enqueuePass enqueues the job for a dispute about a passport.
func (s *Service) enqueuePass(ctx context.Context, tx *store.Tx, d Dispute, p Pass) error {
	if d.ReportKind != contract.Passport {
		return nil
	}
	key := p.Number
	if p.Facts {
		key += "/facts"
	}
	return s.Queue.Enqueue(ctx, tx, p, jobs.UniqueKey(key), jobs.Account(d.CustomerID))
}

// pass runs the job.
func (s *Service) pass(ctx context.Context, p Pass) error {
	d, err := s.Get(ctx, s.DB.SQL, "", p.Number)
	if err != nil {
		return store.OrNone(err)
	}
	receipt, err := s.Reports.PassDispute(ctx, d.CustomerID, d.PublicToken, sources.DisputeRequest{Number: d.Number, Kind: string(d.Kind),
		About: d.About, Statement: d.Statement, Facts: d.Facts, Due: report.DateOf(d.Due)})
	switch {
	case errors.Is(err, store.ErrNotFound):
		return s.passed(ctx, p, Failed, nil)
	case sources.ReasonOf(err) == sources.Unsupported:
		return s.passed(ctx, p, Unsupported, nil)
	case err != nil:
		return err
	}
	return s.passed(ctx, p, Passed, &receipt)
}

// passed records the end of the job. Facts that could not be passed do not replace the receipt.
func (s *Service) passed(ctx context.Context, p Pass, now Passing, receipt *sources.DisputeReceipt) error {
	return s.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		d, err := s.Get(ctx, tx, "", p.Number)
		if err != nil {
			return err
		}
		var sealed []byte
		if receipt != nil {
			raw, err := json.Marshal(receipt)
			if err == nil {
				sealed, err = s.DB.Vault.Seal(ctx, tx, d.keyID, cell(d.Number, "receipt"), raw)
			}
			if err != nil {
				return err
			}
		}
		return setPassing(ctx, tx, d.Number, now, sealed)
	})
}
