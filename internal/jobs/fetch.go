package jobs

import (
	"context"
	"slices"
	"sync"

	"github.com/riverqueue/river"
)

// roomy is how many unfinished jobs of an account a queue has at most with each priority, from
// the first. Others get the next priority; the last one has no limit.
var roomy = [river.PriorityDefault + 3]int{1: 2, 2: 16, 3: 64}

// lookAhead is how many due jobs are looked at, so that jobs which may not start do not hide
// others: more than an account has of all priorities but the last.
const lookAhead = 100

// started is a job that this process runs, or may start.
type started struct {
	id      int64
	queue   QueueName
	kind    string
	account string // empty: none
	crashed bool   // its last run ended with its process
}

// running has the jobs that this process runs.
type running struct {
	mu      sync.Mutex
	jobs    []started
	waiting map[QueueName]bool // queues with jobs that wait for one of them to end
}

// choose adds up to n of the due jobs of a queue, and returns their ids.
//
// A job that a process died of runs without others of its kind, and without another such job, so
// that the one that is at fault soon runs among others that have never crashed. An account has
// at most half of the workers that the other accounts leave.
func (r *running) choose(queue QueueName, due []started, n int) (ids []int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	held := map[string]bool{} // kinds of which a crashed job is the next one
	for _, c := range due {
		if len(ids) == n {
			break
		}
		if ok := !held[c.kind] && r.mayStart(c, held); ok {
			r.jobs, ids = append(r.jobs, c), append(ids, c.id)
			continue
		}
		if r.waiting == nil {
			r.waiting = map[QueueName]bool{}
		}
		r.waiting[queue] = true
	}
	return ids
}

func (r *running) mayStart(c started, held map[string]bool) bool {
	var crashed, sameKind, crashedKind bool
	var own, others int
	for _, j := range r.jobs {
		crashed = crashed || j.crashed
		sameKind = sameKind || j.kind == c.kind
		crashedKind = crashedKind || j.kind == c.kind && j.crashed
		switch {
		case j.queue != c.queue:
		case j.account == c.account:
			own++
		default:
			others++
		}
	}
	if c.crashed {
		held[c.kind] = sameKind && !crashed
		return !sameKind && !crashed
	}
	return !crashedKind && (c.account == "" || own < max(1, (workers[c.queue]-others+1)/2))
}

// remove removes jobs that ended, and returns the queues that waited for that.
func (r *running) remove(ids ...int64) (waited []QueueName) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.jobs = slices.DeleteFunc(r.jobs, func(j started) bool { return slices.Contains(ids, j.id) })
	for queue := range r.waiting {
		waited = append(waited, queue)
	}
	clear(r.waiting)
	return waited
}

// fetch starts up to n due jobs of a queue for a runner, and returns their ids.
func (q *Queue) fetch(ctx context.Context, queue QueueName, runner string, n int) ([]int64, error) {
	for range 3 { // other replicas may be faster
		due, err := q.due(ctx, queue)
		if err != nil {
			return nil, err
		}
		chosen := q.running.choose(queue, due, n)
		if len(chosen) == 0 {
			return nil, nil
		}
		ids, err := q.start(ctx, runner, chosen)
		if err == nil && len(ids) == len(chosen) {
			return ids, nil
		}
		q.running.remove(slices.DeleteFunc(chosen, func(id int64) bool { return slices.Contains(ids, id) })...)
		if err != nil || len(ids) > 0 {
			return ids, err
		}
	}
	return nil, nil
}
