package operator

import (
	"context"
	"time"

	"vestibule/internal/analysis/income"
	"vestibule/internal/jobs"
	"vestibule/internal/mail"
	providerui "vestibule/templates/provider"
)

// Health is the state of the service, and SourceCheck one check of an institution or a connector.
type (
	Health      = providerui.Health
	SourceCheck = providerui.SourceCheck
)

// examinationLife is how long the last examination of sources is shown.
const examinationLife = 5 * time.Minute

func (s *Service) sources(ctx context.Context) ([]SourceCheck, error) {
	x := &s.examined
	x.Lock()
	defer x.Unlock()
	if now := s.Today(); s.Sources != nil && now.Sub(x.at) > examinationLife {
		checks, err := s.Sources(ctx)
		if err != nil {
			return nil, err
		}
		x.at, x.checks = now, checks
	}
	return append([]SourceCheck{}, x.checks...), nil
}

// Health reads the state of the service.
func (s *Service) Health(ctx context.Context) (h Health, err error) {
	h = Health{At: s.Now().UTC(), Queues: []providerui.QueueHealth{}, FailedJobs: map[string]int{}}
	if h.Sources, err = s.sources(ctx); err != nil {
		return h, err
	}
	waiting, err := s.Queue.Waiting(ctx)
	if err != nil {
		return h, err
	}
	h.Queues = queuesOf(waiting)
	if h.FailedJobs, err = s.Queue.Failed(ctx); err != nil {
		return h, err
	}
	counts, err := s.Outbox.Emails().Counts(ctx, s.DB.SQL)
	if err != nil {
		return h, err
	}
	h.Mail = providerui.MailHealth{Sends: s.Outbox.Sends(), Waiting: counts[mail.Waiting], GivenUp: counts[mail.GivenUp]}
	if h.Disputes.Open, h.Disputes.Late, err = s.Dashboard.Disputes.CountOpen(ctx, s.DB.SQL); err != nil {
		return h, err
	}
	if h.Backup, err = lastBackup(ctx, s.DB.SQL); err != nil {
		return h, err
	}
	h.Tax.LastYear = income.LastTaxYear()
	h.Tax.Current = h.Tax.LastYear >= h.At.Year()
	return h, nil
}

// queuesOf adds up the jobs of each queue that are due or running.
func queuesOf(all []jobs.Waiting) []providerui.QueueHealth {
	out := []providerui.QueueHealth{}
	at := map[jobs.QueueName]int{}
	for _, w := range all {
		i, known := at[w.Queue]
		if !known {
			i = len(out)
			at[w.Queue], out = i, append(out, providerui.QueueHealth{Queue: string(w.Queue)})
		}
		out[i].Jobs += w.Jobs
		out[i].Oldest = max(out[i].Oldest, int(w.Oldest.Seconds()))
	}
	return out
}
