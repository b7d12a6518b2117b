package cashflow

import (
	"cmp"
	"slices"
	"time"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/report"
)

// The scale of every version of the score.
const (
	scoreBase  = 300
	scoreRange = 550
)

// Comparison is the order in which a value is compared with a bin's cells, from the first
// to the last.
type Comparison uint8

// The comparisons.
const (
	Below   Comparison = iota // the first cell whose bound the value is below
	AtMost                    // the first cell whose bound the value does not exceed
	AtLeast                   // the first cell whose bound the value reaches
)

// Cell holds the points for values up to a bound, in units of the attribute's last decimal
// (cents, hundred-thousandths, or days and times).
type Cell struct {
	Bound  int64
	Points int
}

// Bin is one line of the scorecard: an attribute and the points for its values.
type Bin struct {
	Letter    string
	Attribute string
	Compare   Comparison
	Cells     []Cell
	Else      int // beyond the last cell
	Neutral   int // without usable values
	Mean      int // points of the card's reference household; see docs/explanation/score.md
	V1        bool

	at int // index in universal
}

// index returns the position of a universal attribute.
func index(name string) int {
	i := slices.IndexFunc(universal[:], func(d Definition) bool { return d.Name == name })
	if i < 0 {
		panic("cashflow: no attribute " + name)
	}
	return i
}

// points returns the points for a value. A quotient without a denominator gets those of the
// worst value.
func (b *Bin) points(v value) int {
	switch v.state {
	case undefined:
		return b.worst()
	case noValues, noCategory, noRecords:
		return b.Neutral
	}
	for _, c := range b.Cells {
		switch {
		case b.Compare == Below && v.n < c.Bound, b.Compare == AtMost && v.n <= c.Bound, b.Compare == AtLeast && v.n >= c.Bound:
			return c.Points
		}
	}
	return b.Else
}

// Most returns the maximum points of the bin.
func (b *Bin) Most() int { return max(b.Cells[0].Points, b.Else) }

func (b *Bin) worst() int { return min(b.Cells[0].Points, b.Else) }

const (
	leastScoreDays = 60                     // minimum days of history for a score
	countCode      = "UA_TOTAL_TXN_CNT_12M" // attribute whose code explains a missing score
)

// scorable reports whether the data suffice for a score.
func (f *facts) scorable() bool {
	return f.records() && f.used(Rolling12) && f.historyDays() >= leastScoreDays
}

// scored is a line of a card with its value and points.
type scored struct {
	*Bin
	value  value
	points int
	code   string // adverse action code
	about  string // description of the value
}

// line returns the line for a value.
func (b *Bin) line(v value) scored {
	return scored{Bin: b, value: v, points: b.points(v), code: universal[b.at].Code, about: universal[b.at].Description}
}

// scoreVersion is a version of the score. lines returns the card's lines, or nil if the
// data do not suffice for a score.
type scoreVersion struct {
	name  string
	lines func(*facts, *values) []scored
}

// versions returns the versions of a report's scores by ascending semantic version.
func (o Options) versions() (out []scoreVersion) {
	if !o.Attributes {
		return nil
	}
	if o.ScoreV1 {
		out = append(out, scoreVersion{"v1.0", linesOf(inV1)})
	}
	out = append(out, scoreVersion{"v2.0", linesOf(inV2)})
	if o.ScoreV21 {
		out = append(out, scoreVersion{"v2.1", ownLines})
	}
	return out
}

func inV1(b *Bin) bool { return b.V1 }
func inV2(*Bin) bool   { return true }

// linesOf returns a function that makes the lines of the chosen bins.
func linesOf(chosen func(*Bin) bool) func(*facts, *values) []scored {
	return func(f *facts, v *values) []scored {
		if !f.scorable() {
			return nil
		}
		out := make([]scored, 0, len(card))
		for i := range card {
			if b := &card[i]; chosen(b) {
				out = append(out, b.line(v[b.at]))
			}
		}
		return out
	}
}

func (version scoreVersion) score(f *facts, v *values, sources []string) report.Score {
	out := report.Score{SourceIDs: sources, ScoreType: report.ScoreCashflow, ScoreVersion: version.name}
	lines := version.lines(f, v)
	if lines == nil {
		out.AdverseActionCodes = adverse(universal[index(countCode)].Code)
		return out
	}
	out.Value = totalOf(lines)
	out.AdverseActionCodes = adverse(reasonCodes(lines)...)
	return out
}

func totalOf(lines []scored) *int {
	sum, most := 0, 0
	for i := range lines {
		sum, most = sum+lines[i].points, most+lines[i].Most()
	}
	return new(scoreBase + (2*sum*scoreRange+most)/(2*most))
}

// Points returns the points of each bin for the data, in the card's order, or nil if the
// score is null. 300 plus their sum is the score v2.0.
func Points(d bankdata.Data, asOf time.Time) []int {
	f := newFacts(bankdata.Read(d, report.DateOf(asOf)))
	if !f.scorable() {
		return nil
	}
	v := newValues(f)
	out := make([]int, len(card))
	for i := range card {
		out[i] = card[i].points(v[card[i].at])
	}
	return out
}

// mostReasons is the maximum number of reasons of a score.
const mostReasons = 4

// reasonCodes lists the codes of the lines that cost the most points compared with the
// reference household, or with the bins' maxima if no line is below the reference.
func reasonCodes(lines []scored) []string {
	losses := make([]int, len(lines))
	lose := func(against func(*Bin) int) bool {
		any := false
		for i, b := range lines {
			losses[i] = against(b.Bin) - b.points
			any = any || losses[i] > 0
		}
		return any
	}
	if !lose(func(b *Bin) int { return b.Mean }) && !lose((*Bin).Most) {
		return []string{weakest(lines).code}
	}
	order := make([]int, 0, len(lines))
	for i, l := range losses {
		if l > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(losses[b], losses[a]) })
	var codes []string
	for _, i := range order {
		if c := lines[i].code; !slices.Contains(codes, c) && len(codes) < mostReasons {
			codes = append(codes, c)
		}
	}
	return codes
}

// weakest returns the line with the lowest ratio of the reference household's points to the
// maximum.
func weakest(lines []scored) scored {
	return slices.MinFunc(lines, func(a, b scored) int { return cmp.Compare(a.Mean*b.Most(), b.Mean*a.Most()) })
}

func adverse(codes ...string) []report.AdverseCode {
	out := make([]report.AdverseCode, len(codes))
	for i, c := range codes {
		out[i] = report.AdverseCode{Code: c, Description: reasons[c]}
	}
	return out
}

// Limits below which data are marked as low or limited.
const (
	lowTransactions = 10 // in the last 3 complete months
	lowDaysActive   = 6  // in the last 3 complete months
	limitedDays     = 90 // of history
	limitedMonths   = 3  // complete months of history
)

// properties returns the measures of the data behind a v2.0 score.
func properties(f *facts) []report.ConsumerDataProperty {
	recent := f.in(everything, Last3).count
	low := recent < lowTransactions || f.in(activeDay, Last3).count < lowDaysActive
	limited := f.historyDays() < limitedDays || f.whole < limitedMonths
	return []report.ConsumerDataProperty{
		{FieldName: "TOTAL_TRANSACTION_COUNT", Value: report.PropertyValue{Integer: f.in(everything, History).count}},
		{FieldName: "TOTAL_HISTORY_LENGTH_DAYS", Value: report.PropertyValue{Integer: f.historyDays()}},
		{FieldName: "LOW_ACCOUNT_ACTIVITY_INDICATOR", Value: report.PropertyValue{Boolean: &low}},
		{FieldName: "LIMITED_DATA_AVAILABLE_INDICATOR", Value: report.PropertyValue{Boolean: &limited}},
	}
}
