package applications

import (
	"context"
	"slices"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/journey"
	"vestibule/internal/store"
)

// Progress says how far applications got.
type Progress struct {
	Started  int
	Visited  int // the applicant was at the provider
	Finished int // the applicant finished there
	Reported int
}

// Period selects applications that were started in [From, To).
type Period struct {
	From, To time.Time
	Product  contract.Product // "" for all products
}

// Progress counts the applications of a period by the furthest state that each reached.
func (s *Service) Progress(ctx context.Context, q store.Queryer, in Period) (p Progress, err error) {
	err = q.QueryRowContext(ctx, `SELECT COUNT(*), COALESCE(SUM(visited), 0), COALESCE(SUM(finished), 0), COALESCE(SUM(reported), 0)
		FROM (
			SELECT MAX(CASE WHEN t.to_state = $2 THEN 1 ELSE 0 END) AS visited,
				MAX(CASE WHEN t.to_state IN ($3, $4, $5) THEN 1 ELSE 0 END) AS finished,
				MAX(CASE WHEN t.to_state = $5 THEN 1 ELSE 0 END) AS reported
			FROM applications a LEFT JOIN application_timeline t ON t.application_id = a.id
			WHERE a.created_at >= $1 AND a.created_at < $6 AND ($7 = '' OR a.product = $7)
			GROUP BY a.id
		) AS furthest`,
		store.Micros(in.From), string(journey.Connecting), string(journey.Returned), string(journey.Pending), string(journey.Ready),
		store.Micros(in.To), string(in.Product)).
		Scan(&p.Started, &p.Visited, &p.Finished, &p.Reported)
	return p, err
}

// maxDurations is the number of newest reports whose times are read.
const maxDurations = 5000

// TimesToReport returns, for applications of a period, the times from their start to their
// report, shortest first.
func (s *Service) TimesToReport(ctx context.Context, q store.Queryer, in Period) ([]time.Duration, error) {
	return store.QueryAll(ctx, q, func(row store.Row) (time.Duration, error) {
		var micros int64
		err := row.Scan(&micros)
		return time.Duration(micros) * time.Microsecond, err
	}, `SELECT took FROM (
			SELECT report_at - created_at AS took FROM applications
			WHERE created_at >= $1 AND created_at < $2 AND report_at > 0 AND ($4 = '' OR product = $4)
			ORDER BY created_at DESC LIMIT $3
		) AS newest ORDER BY took`, store.Micros(in.From), store.Micros(in.To), maxDurations, string(in.Product))
}

// Ending is a way in which applications ended without a report. Status, Substatus and Error
// may be empty.
type Ending struct {
	State     journey.State
	Status    contract.Status
	Substatus contract.Substatus
	Error     contract.WidgetError
	Count     int
}

// Endings counts the ways in which applications of a period ended without a report, the most
// frequent first.
func (s *Service) Endings(ctx context.Context, q store.Queryer, in Period) ([]Ending, error) {
	return store.QueryAll(ctx, q, func(row store.Row) (e Ending, err error) {
		return e, row.Scan(&e.State, &e.Status, &e.Substatus, &e.Error, &e.Count)
	}, `SELECT state, status, substatus, error, COUNT(*) AS n FROM applications
		WHERE created_at >= $1 AND created_at < $5 AND state IN ($2, $3, $4) AND ($6 = '' OR product = $6)
		GROUP BY state, status, substatus, error ORDER BY n DESC, state, status, substatus, error`,
		store.Micros(in.From), string(journey.Failed), string(journey.Exited), string(journey.Expired), store.Micros(in.To),
		string(in.Product))
}

// minUsual is the number of applicants whose times say something about others.
const minUsual = 20

// UsualTimes returns, by product, the time in which three of four applicants finished the
// verification after they sent the form. It counts applications that were started since a
// moment, the newest 5,000, and leaves out products that fewer than 20 applicants finished.
func (s *Service) UsualTimes(ctx context.Context, q store.Queryer, since time.Time) (map[contract.Product]time.Duration, error) {
	type finish struct {
		product contract.Product
		took    time.Duration
	}
	all, err := store.QueryAll(ctx, q, func(row store.Row) (f finish, err error) {
		var micros int64
		err = row.Scan(&f.product, &micros)
		f.took = time.Duration(micros) * time.Microsecond
		return f, err
	}, `SELECT a.product, MIN(t.at) - a.created_at
		FROM applications a JOIN application_timeline t ON t.application_id = a.id
		WHERE a.created_at >= $1 AND t.to_state IN ($2, $3, $4)
		GROUP BY a.id, a.product, a.created_at
		ORDER BY a.created_at DESC LIMIT $5`,
		store.Micros(since), string(journey.Returned), string(journey.Pending), string(journey.Ready), maxDurations)
	if err != nil {
		return nil, err
	}
	times := map[contract.Product][]time.Duration{}
	for _, f := range all {
		times[f.product] = append(times[f.product], f.took)
	}
	usual := map[contract.Product]time.Duration{}
	for product, took := range times {
		if len(took) >= minUsual {
			slices.Sort(took)
			usual[product] = took[(3*len(took)-1)/4]
		}
	}
	return usual, nil
}
