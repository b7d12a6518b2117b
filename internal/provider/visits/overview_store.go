package visits

import (
	"context"
	"time"

	"vestibule/internal/provider/visits/flow"
	"vestibule/internal/store"
)

// Reached is how far a visit got. Each value includes those before it.
type Reached int

const (
	Started    Reached = iota
	Opened             // by the applicant
	Consented          // the applicant consented
	SourceSeen         // an institution was chosen, or a file was added
	Connected          // all sources are connected
	Reported           // the report is ready
)

// reachedAt is the CASE of an event e of a visit whose report is r.
const reachedAt = `CASE WHEN r.status = 'SUCCESS' THEN 5 WHEN e.state = 'generating' THEN 4
	WHEN e.kind IN ('chose', 'added', 'handed in') THEN 3 WHEN e.kind = 'consented' THEN 2 WHEN e.kind = 'came' THEN 1 ELSE 0 END`

// Progress counts visits by how far they got: those that got at least as far as the index.
type Progress [Reported + 1]int

// ProgressOf counts the visits of a customer that were created in a range of time; a zero
// until is no end.
func (s *Service) ProgressOf(ctx context.Context, q store.Queryer, customerID string, since, until time.Time) (p Progress, err error) {
	type count struct {
		reached Reached
		n       int
	}
	all, err := store.QueryAll(ctx, q, func(row store.Row) (c count, err error) {
		return c, row.Scan(&c.reached, &c.n)
	}, `SELECT reached, COUNT(*) FROM (
			SELECT MAX(`+reachedAt+`) AS reached
			FROM visits v JOIN visit_events e ON e.visit_id = v.id JOIN reports r ON r.public_token = v.public_token
			WHERE v.customer_id = $1 AND v.created_at >= $2 AND v.created_at < $3 GROUP BY v.id
		) AS furthest GROUP BY reached`, customerID, store.Micros(since), store.MicrosOrEnd(until))
	for _, c := range all {
		for i := range c.reached + 1 {
			p[i] += c.n
		}
	}
	return p, err
}

// StepUnopened is the step of a Stop whose visit was never opened.
const StepUnopened flow.Step = "unopened"

// stoppedAt is the step at which a visit v stopped: the last one before its end.
const stoppedAt = `(SELECT CASE WHEN e.state = 'created' THEN 'unopened' ELSE e.step END FROM visit_events e
	WHERE e.visit_id = v.id AND e.step <> 'end' ORDER BY e.seq DESC LIMIT 1)`

// stopped is the condition of visits that ended or were closed before all sources were
// connected.
const stopped = `v.state IN ('closed', 'failed', 'expired')`

// Stop is the number of visits that stopped at a step, with the institution that the
// applicant had chosen there; "" for none.
type Stop struct {
	Step        flow.Step
	Institution string
	Count       int
}

// StopsOf counts the visits of a customer that were created in a range of time, as for
// ProgressOf, and stopped before all sources were connected.
func (s *Service) StopsOf(ctx context.Context, q store.Queryer, customerID string, since, until time.Time) ([]Stop, error) {
	return store.QueryAll(ctx, q, func(row store.Row) (c Stop, err error) {
		return c, row.Scan(&c.Step, &c.Institution, &c.Count)
	}, `SELECT step, bank, COUNT(*) AS n FROM (
			SELECT coalesce(`+stoppedAt+`, 'end') AS step, v.bank FROM visits v
			WHERE v.customer_id = $1 AND v.created_at >= $2 AND v.created_at < $3 AND `+stopped+`
		) AS stops GROUP BY step, bank ORDER BY n DESC, step, bank`, customerID, store.Micros(since), store.MicrosOrEnd(until))
}

// Selection selects reports by their visits. The zero value selects all reports.
type Selection struct {
	Reached     Reached   // at least
	Visited     bool      // the report has a visit
	Stopped     bool      // the visit stopped before all sources were connected
	Step        flow.Step // with Stopped: at this step; "" for all
	Institution string    // with Stopped: chosen there; "" for all
}

// Where adds the conditions of a selection of reports, whose table is named r.
func (f Selection) Where(c *store.Conditions) {
	if f.Visited || f.Reached > Started {
		c.Add(`EXISTS (SELECT 1 FROM visits v JOIN visit_events e ON e.visit_id = v.id
			WHERE v.public_token = r.public_token AND `+reachedAt+` >= %s)`, int(f.Reached))
	}
	if f.Stopped {
		c.Add(`EXISTS (SELECT 1 FROM visits v WHERE v.public_token = r.public_token AND `+stopped+`
			AND (%s = '' OR `+stoppedAt+` = %s) AND (%s = '' OR v.bank = %s))`,
			string(f.Step), string(f.Step), f.Institution, f.Institution)
	}
}
