package income

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math/bits"
	"slices"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/report"
)

// inflow is the recurring income of one counterparty and kind: all of its
// streams that have a payment since the beginning of the last 12 complete months.
type inflow struct {
	party       string // as in Ledger.Parties
	number      int32  // of the party
	payer       string // of a wage: the employer as the bank writes it, or ""
	description string // payer, or else party
	leaf        bankdata.Leaf
	kind        int
	active      bool
	recent      report.Cents // net, of the last 3 complete months
	year        report.Cents // net, of the last 12 complete months
	whole       report.Cents // net, of the wholly covered ones of these
	interval    int32        // of its largest stream, in hundredths of a day
	account     int32        // of its latest payment; index into Ledger.Accounts
	latest      int32        // that payment; index into Ledger.Entries
	payments    []int32
	employer    int // index of the stated employer, or -1
}

// isJob reports whether an inflow is income from work.
func (x *inflow) isJob() bool {
	return x.leaf == bankdata.LeafPayroll || x.leaf == bankdata.LeafGig || x.leaf == bankdata.LeafSelfEmployed
}

// inflowsOf returns the inflows, sorted by their sum of the last 12 complete months, the
// largest first. data is the ledger's input.
func (f *facts) inflowsOf(data *bankdata.Data, stated []employer) []inflow {
	type key struct {
		party int32
		leaf  bankdata.Leaf
	}
	known := map[key]int{}
	var out []inflow
	for i := range f.ledger.Streams {
		s := &f.ledger.Streams[i]
		kind, is := f.kindOfStream(i)
		if !is || s.Last < f.start[12] {
			continue
		}
		leaf := s.Leaf
		if kind == wage {
			leaf = bankdata.LeafPayroll
		}
		n, there := known[key{s.Party, leaf}]
		if !there {
			n = len(out)
			known[key{s.Party, leaf}] = n
			out = append(out, inflow{party: f.ledger.Parties[s.Party], number: s.Party, leaf: leaf, kind: kind, interval: s.Interval, latest: -1})
		}
		f.join(&out[n], s)
	}
	for i := range out {
		x := &out[i]
		if x.kind == wage {
			x.payer = f.payer(data, &f.ledger.Entries[x.latest])
		}
		x.description = cmp.Or(x.payer, x.party)
		x.employer = matchOf(x, stated)
	}
	slices.SortFunc(out, func(a, b inflow) int {
		return cmp.Or(cmp.Compare(b.year, a.year), cmp.Compare(b.recent, a.recent), cmp.Compare(a.party, b.party), cmp.Compare(a.leaf, b.leaf))
	})
	return out
}

// payer returns the payer of a wage, by the words of its transaction, or as staff named it. A
// payment that staff found to be of another counterparty has that one's payer.
func (f *facts) payer(data *bankdata.Data, e *bankdata.Entry) string {
	from, account, t := f.paymentOf(data, e)
	if fixed := t.Corrected; fixed != nil && fixed.Payer != "" {
		return fixed.Payer
	} else if fixed != nil && fixed.Party != "" {
		for i := len(f.ledger.Entries) - 1; i >= 0; i-- {
			if x := &f.ledger.Entries[i]; x.Party == e.Party && x.Amount > 0 {
				if c, a, other := f.paymentOf(data, x); other.Corrected == nil || other.Corrected.Party == "" {
					return payerOf(other, holdersOf(c, a, f.consumer))
				}
			}
		}
	}
	return payerOf(t, holdersOf(from, account, f.consumer))
}

func (f *facts) paymentOf(data *bankdata.Data, e *bankdata.Entry) (*bankdata.Connection, *bankdata.Account, *bankdata.Transaction) {
	c, a, t := f.ledger.Source(e.Index)
	from := &data.Connections[c]
	return from, &from.Accounts[a], &from.Accounts[a].Transactions[t]
}

func (f *facts) kindOfStream(i int) (kind int, is bool) {
	s := &f.ledger.Streams[i]
	if !s.In {
		return 0, false
	}
	if f.promoted[i] {
		return wage, true
	}
	earned, is := isIncome(&f.ledger.Entries[s.Entries[0]])
	if is && !earned {
		return other, true
	}
	return wage, is
}

func (f *facts) kind(x *inflow) int {
	if x.kind == wage {
		return f.job(x.number)
	}
	return other
}

func (f *facts) join(x *inflow, s *bankdata.Stream) {
	x.active = x.active || s.Active
	whole := f.start[min(f.whole, 12)]
	for _, at := range s.Entries {
		e := &f.ledger.Entries[at]
		if at > x.latest {
			x.latest, x.account = at, e.Account
		}
		if e.Day < f.start[12] {
			continue
		}
		x.payments = append(x.payments, at)
		if e.Day >= f.start[0] {
			continue
		}
		x.year = addCapped(x.year, e.Amount)
		if e.Day >= f.start[3] {
			x.recent = addCapped(x.recent, e.Amount)
		}
		if e.Day >= whole {
			x.whole = addCapped(x.whole, e.Amount)
		}
	}
}

// annual returns the inflow's income of a year by the last 12 complete months, or nil if
// none of them is wholly covered.
func (f *facts) annual(x *inflow) *report.Cents {
	n := min(f.whole, 12)
	if n == 0 {
		return nil
	}
	c := annual(x.whole, n)
	return &c
}

// recent is annual by the last 3 complete months.
func (f *facts) recent(x *inflow) *report.Cents {
	n := min(f.whole, 3)
	if n == 0 {
		return nil
	}
	c := annual(x.recent, n)
	if f.whole < 3 { // excludes the partly covered month
		c = annual(x.whole, n)
	}
	return &c
}

// maxDescriptions is the maximum number of descriptions in a report.
const maxDescriptions = 3

// descriptions returns the descriptions of the active inflows, sorted by their sum of the
// last 3 complete months, the largest first.
func descriptions(all []inflow) []string {
	var active []*inflow
	for i := range all {
		if all[i].active {
			active = append(active, &all[i])
		}
	}
	slices.SortStableFunc(active, func(a, b *inflow) int { return cmp.Compare(b.recent, a.recent) })
	out := []string{}
	for _, x := range active {
		if len(out) < maxDescriptions && !slices.Contains(out, x.description) {
			out = append(out, x.description)
		}
	}
	return out
}

// primary returns the active job with the largest sum of the last 3 complete months, or
// nil. Wages have priority.
func primary(all []inflow) *inflow {
	var best *inflow
	for i := range all {
		x := &all[i]
		if !x.active || !x.isJob() {
			continue
		}
		if best == nil || x.kind == wage && best.kind != wage || x.kind == best.kind && x.recent > best.recent {
			best = x
		}
	}
	return best
}

// risk rates a job's payments in the last 12 complete months and since by the variations
// (standard deviation divided by mean) of the amounts and of the days between them: LOW if
// both are below 1/4, HIGH from 1/2 on or with fewer than 3 payments, else MEDIUM.
func (f *facts) risk(x *inflow) string {
	slices.Sort(x.payments)
	var amounts, gaps []int64
	day := bankdata.Day(0)
	for i, at := range x.payments {
		e := &f.ledger.Entries[at]
		if i > 0 && e.Day == day { // payments of one day count as one
			amounts[len(amounts)-1] += int64(e.Amount)
			continue
		}
		if i > 0 {
			gaps = append(gaps, int64(e.Day-day)*1000)
		}
		day = e.Day
		amounts = append(amounts, int64(e.Amount))
	}
	switch {
	case len(amounts) < 3 || varies(amounts, 1, 2) || varies(gaps, 1, 2):
		return report.RiskHigh
	case varies(amounts, 1, 4) || varies(gaps, 1, 4):
		return report.RiskMedium
	}
	return report.RiskLow
}

// varies reports whether the population standard deviation of positive values is at least
// p/q of their mean, which is rounded to an integer. p and q are small.
func varies(values []int64, p, q uint64) bool {
	if len(values) == 0 {
		return false
	}
	n, sum := uint64(len(values)), uint64(0)
	for _, v := range values {
		sum += uint64(v)
	}
	mean := (2*sum + n) / (2 * n)
	var square wide
	for _, v := range values {
		d := uint64(v) - mean
		if uint64(v) < mean {
			d = -d
		}
		square = square.plus(product(d, d))
	}
	return !square.times(q * q).less(product(mean, mean).times(n).times(p * p))
}

// wide is an unsigned integer of 128 bits. Squares of a report's amounts have up to 100.
type wide struct{ hi, lo uint64 }

func product(a, b uint64) wide {
	hi, lo := bits.Mul64(a, b)
	return wide{hi, lo}
}

func (w wide) plus(v wide) wide {
	lo, carry := bits.Add64(w.lo, v.lo, 0)
	return wide{w.hi + v.hi + carry, lo}
}

func (w wide) times(n uint64) wide {
	hi, lo := bits.Mul64(w.lo, n)
	return wide{w.hi*n + hi, lo}
}

func (w wide) less(v wide) bool { return w.hi < v.hi || w.hi == v.hi && w.lo < v.lo }

// identifier derives a UUID (version 8, RFC 9562) from words.
func identifier(words ...string) string {
	h := fnv.New128a()
	var size [8]byte
	for _, w := range words {
		binary.BigEndian.PutUint64(size[:], uint64(len(w)))
		_, _ = h.Write(size[:])
		_, _ = h.Write([]byte(w))
	}
	b := h.Sum(nil)
	b[6] = b[6]&0x0f | 0x80
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[0:4], b[4:6], b[6:8], b[8:10], b[10:16])
}
