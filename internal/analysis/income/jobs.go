package income

import (
	"cmp"
	"slices"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/report"
)

// jobOverlap is the maximum number of days for which a job that ends still pays after the
// next job has begun.
const jobOverlap = 31

// paying is an employer's regular payments.
type paying struct {
	parties     []int32
	name        employer
	first, last bankdata.Day
	sum         report.Cents
}

// findJobs assigns employers to jobs. Employers that pay at the same time are separate jobs,
// because each withholds taxes separately. Employers that follow one another are one job,
// and so are similar names.
func (f *facts) findJobs() {
	f.jobs = nil
	found := f.employers()
	if len(found) < 2 {
		return
	}
	slices.SortFunc(found, func(a, b paying) int {
		return cmp.Or(cmp.Compare(a.first, b.first), cmp.Compare(a.name.name, b.name.name))
	})
	f.jobs = map[int32]int{}
	var until []bankdata.Day
	var sums [maxJobs]report.Cents
	for i := range found {
		p := &found[i]
		job := -1
		for n, last := range until {
			if last <= p.first+jobOverlap && (job < 0 || last > until[job]) {
				job = n
			}
		}
		switch {
		case job >= 0:
		case len(until) < maxJobs:
			job = len(until)
			until = append(until, 0)
		default:
			job = 0
		}
		until[job] = max(until[job], p.last)
		sums[job] = addCapped(sums[job], p.sum)
		for _, party := range p.parties {
			f.jobs[party] = job
		}
	}
	for n, sum := range sums {
		if sum > sums[f.main] {
			f.main = n
		}
	}
}

// employers returns the employers that pay regular wages.
func (f *facts) employers() (found []paying) {
	for i := range f.ledger.Streams {
		s := &f.ledger.Streams[i]
		if !s.In || s.Leaf != bankdata.LeafPayroll && !f.promoted[i] {
			continue
		}
		name := employerOf(f.ledger.Parties[s.Party])
		n := slices.IndexFunc(found, func(p paying) bool {
			return slices.Contains(p.parties, s.Party) || similarity(&p.name, &name) > 0
		})
		if n < 0 {
			n = len(found)
			found = append(found, paying{name: name, first: s.First, last: s.Last})
		}
		p := &found[n]
		p.parties = append(p.parties, s.Party)
		p.first, p.last = min(p.first, s.First), max(p.last, s.Last)
		for _, at := range s.Entries {
			p.sum = addCapped(p.sum, f.ledger.Entries[at].Amount)
		}
	}
	return found
}

// job returns the kind of a party's wages.
func (f *facts) job(party int32) int {
	if n, known := f.jobs[party]; known {
		return wage + n
	}
	return wage + f.main
}
