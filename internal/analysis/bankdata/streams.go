package bankdata

import (
	"cmp"
	"math/bits"
	"slices"

	"vestibule/internal/report"
)

// minStream is the minimum number of payments in a stream.
const minStream = 3

// findStreams finds recurring payments of one counterparty in one direction and category,
// without own transfers and zero amounts. If all together have no rhythm, it tries those of
// each exact amount. For the rhythm, payments of one day count as one.
func (l *Ledger) findStreams() {
	order := l.byParty()
	s := finder{ledger: l}
	for i := 0; i < len(order); {
		j := i + 1
		for j < len(order) && l.sameSeries(order[i], order[j]) {
			j++
		}
		if j-i >= minStream {
			s.series(order[i:j])
		}
		i = j
	}
	sums := make([]report.Cents, len(s.found))
	rank := make([]int, len(s.found))
	for i := range s.found {
		rank[i] = i
		for _, x := range s.found[i].Entries {
			sums[i] += abs(l.Entries[x].Amount)
		}
	}
	slices.SortFunc(rank, func(a, b int) int {
		x, y := &s.found[a], &s.found[b]
		return cmp.Or(cmp.Compare(sums[b], sums[a]), cmp.Compare(l.Parties[x.Party], l.Parties[y.Party]),
			cmp.Compare(x.Leaf, y.Leaf), cmp.Compare(x.Entries[0], y.Entries[0]))
	})
	l.Streams = make([]Stream, len(rank))
	for i, n := range rank {
		l.Streams[i] = s.found[n]
	}
}

// byParty lists the entries that may belong to a stream, sorted by counterparty,
// direction, category and day.
func (l *Ledger) byParty() []int32 {
	next := make([]int32, 2*len(l.Parties)+1)
	for i := range l.Entries {
		if e := &l.Entries[i]; !e.Own && e.Amount != 0 {
			next[e.bucket()+1]++
		}
	}
	for i := range next[1:] {
		next[i+1] += next[i]
	}
	order := make([]int32, next[len(next)-1])
	for i := range l.Entries {
		if e := &l.Entries[i]; !e.Own && e.Amount != 0 {
			b := e.bucket()
			order[next[b]] = int32(i)
			next[b]++
		}
	}
	from := int32(0)
	for _, to := range next[:len(next)-1] {
		if part := order[from:to]; !l.uniform(part) {
			slices.SortStableFunc(part, func(a, b int32) int {
				return cmp.Compare(l.Entries[a].Leaf, l.Entries[b].Leaf)
			})
		}
		from = to
	}
	return order
}

// bucket numbers an entry's counterparty and direction.
func (e *Entry) bucket() int32 {
	if e.Amount > 0 {
		return 2*e.Party + 1
	}
	return 2 * e.Party
}

func (l *Ledger) uniform(part []int32) bool {
	for i := 1; i < len(part); i++ {
		if !l.sameSeries(part[0], part[i]) {
			return false
		}
	}
	return true
}

func (l *Ledger) sameSeries(a, b int32) bool {
	x, y := &l.Entries[a], &l.Entries[b]
	return x.Party == y.Party && x.Leaf == y.Leaf && (x.Amount > 0) == (y.Amount > 0)
}

// finder collects streams. Its buffers are reused for each series.
type finder struct {
	ledger  *Ledger
	found   []Stream
	days    []Day
	amounts []report.Cents
	keys    []uint64 // amount × maxSeries + index in the series
	same    []int32
	seen    []uint16 // number of payments by bits of their amount
}

// series tries a whole series, then its exact amounts.
func (s *finder) series(of []int32) {
	if s.try(of) {
		return
	}
	leaf := s.ledger.Entries[of[0]].Leaf
	if irregular(leaf) {
		s.add(of, Irregular)
		return
	}
	if len(of) == minStream || len(of) > maxSeries {
		return
	}
	s.repeated(of)
	slices.Sort(s.keys)
	for i := 0; i < len(s.keys); {
		j := i + 1
		for j < len(s.keys) && s.keys[j]/maxSeries == s.keys[i]/maxSeries {
			j++
		}
		if j-i >= minStream && j-i < len(of) {
			s.same = s.same[:0]
			for _, k := range s.keys[i:j] {
				s.same = append(s.same, of[k%maxSeries])
			}
			s.try(s.same)
		}
		i = j
	}
}

// repeated sets s.keys to the payments whose amount may occur minStream times; it
// rules out most amounts by a few of their bits.
func (s *finder) repeated(of []int32) {
	shift := 64 - bits.Len(uint(4*len(of)))
	s.seen = slices.Grow(s.seen[:0], 1<<(64-shift))[:1<<(64-shift)]
	clear(s.seen)
	for _, x := range of {
		s.seen[mix(s.ledger.Entries[x].Amount)>>shift]++
	}
	s.keys = s.keys[:0]
	for i, x := range of {
		if a := s.ledger.Entries[x].Amount; s.seen[mix(a)>>shift] >= minStream {
			s.keys = append(s.keys, uint64(abs(a))*maxSeries+uint64(i))
		}
	}
}

// mix spreads an amount over the upper bits.
func mix(c report.Cents) uint64 { return uint64(c) * 0x9E3779B97F4A7C15 }

// maxSeries is the maximum length of a series that is searched by amount. An amount times
// maxSeries does not overflow, because report.Cents parses at most 10^15.
const maxSeries = 4096

// irregular reports whether income of this kind is a stream without a rhythm.
func irregular(l Leaf) bool {
	return l == LeafGig || l == LeafRental || l == LeafP2PIn || l == LeafCashDeposit
}

// try adds the payments as a stream if they have a rhythm.
func (s *finder) try(of []int32) bool {
	s.daysOf(of)
	if len(s.days) < minStream {
		return false
	}
	c := cadenceOf(s.days)
	if c == Irregular {
		return false
	}
	s.add(of, c)
	return true
}

// daysOf sets s.days to the distinct days of the payments.
func (s *finder) daysOf(of []int32) {
	s.days = s.days[:0]
	for _, x := range of {
		if d := s.ledger.Entries[x].Day; len(s.days) == 0 || s.days[len(s.days)-1] != d {
			s.days = append(s.days, d)
		}
	}
}

func (s *finder) add(of []int32, c Cadence) {
	s.daysOf(of)
	e := &s.ledger.Entries[of[0]]
	st := Stream{
		Party: e.Party, Leaf: e.Leaf, In: e.Amount > 0, Irregular: c == Irregular, Cadence: c,
		First: s.days[0], Last: s.days[len(s.days)-1], Count: int32(len(of)),
		Mean: s.mean(of), Entries: slices.Clone(of),
	}
	if gaps := int64(len(s.days) - 1); gaps > 0 {
		st.Interval = int32((int64(st.Last-st.First)*200 + gaps) / (2 * gaps))
	}
	interval := cadences[c].interval
	if c == Irregular {
		interval = st.Interval
	}
	st.Active = int32(s.ledger.Fetch-st.Last)*100 <= interval*3/2+500 &&
		!slices.ContainsFunc(of, func(x int32) bool { return s.ledger.ended(&s.ledger.Entries[x]) })
	s.found = append(s.found, st)
}

// mean returns the mean amount without outliers: those more than one and a half
// interquartile ranges below the first or above the third quartile.
func (s *finder) mean(of []int32) report.Cents {
	s.amounts = s.amounts[:0]
	for _, x := range of {
		s.amounts = append(s.amounts, s.ledger.Entries[x].Amount)
	}
	slices.Sort(s.amounts)
	q1, q3 := s.amounts[len(of)/4], s.amounts[len(of)-1-len(of)/4]
	low, high := q1-(q3-q1)*3/2, q3+(q3-q1)*3/2
	var sum, n report.Cents
	for _, a := range s.amounts {
		if a >= low && a <= high {
			sum, n = sum+a, n+1
		}
	}
	if sum < 0 {
		return -((-sum*2 + n) / (2 * n))
	}
	return (sum*2 + n) / (2 * n)
}

// cadences holds, for each rhythm, the minimum and maximum days between two payments and
// the average in hundredths of a day.
var cadences = [...]struct {
	low, high Day
	interval  int32
}{
	Weekly:      {5, 9, 700},
	Biweekly:    {12, 16, 1400},
	SemiMonthly: {11, 20, 1522},
	Monthly:     {26, 35, 3044},
}

// anchors holds the days of the month of semi-monthly payments; 0 is the last day.
var anchors = [...][2]int{{1, 15}, {15, 0}}

// anchorDays is the maximum distance of a payment from its anchor.
const anchorDays = 2

// cadenceOf returns the cadence that three quarters of the gaps between the days have,
// or Irregular. Days that fit both biweekly and semi-monthly are biweekly if all fall
// on one day of the week.
func cadenceOf(days []Day) Cadence {
	var fit [len(cadences)]int
	for i := 1; i < len(days); i++ {
		gap := days[i] - days[i-1]
		if gap < cadences[Weekly].low {
			continue // mostly of shops
		}
		for c := Weekly; c <= Monthly; c++ {
			if gap >= cadences[c].low && gap <= cadences[c].high {
				fit[c]++
			}
		}
	}
	keeps := func(c Cadence) bool { return 4*fit[c] >= 3*(len(days)-1) }
	switch {
	case keeps(Weekly):
		return Weekly
	case keeps(Monthly):
		return Monthly
	case keeps(Biweekly) && oneWeekday(days):
		return Biweekly
	case keeps(SemiMonthly) && (onAnchors(days, anchors[0]) || onAnchors(days, anchors[1])):
		return SemiMonthly
	case keeps(Biweekly):
		return Biweekly
	}
	return Irregular
}

func oneWeekday(days []Day) bool {
	return !slices.ContainsFunc(days, func(d Day) bool { return d.Weekday() != days[0].Weekday() })
}

// onAnchors reports whether three quarters of the days are near one of two days of the
// month, at least a third of them near each.
func onAnchors(days []Day, on [2]int) bool {
	var near [2]int
	for _, d := range days {
		for i, a := range on {
			if nearAnchor(d, a) {
				near[i]++
				break
			}
		}
	}
	return 4*(near[0]+near[1]) >= 3*len(days) && 3*min(near[0], near[1]) >= near[0]+near[1]
}

func nearAnchor(d Day, anchor int) bool {
	for n := -Day(anchorDays); n <= anchorDays; n++ {
		_, _, day := (d + n).Civil()
		if anchor == day {
			return true
		}
		if _, _, tomorrow := (d + n + 1).Civil(); anchor == 0 && tomorrow == 1 {
			return true
		}
	}
	return false
}
