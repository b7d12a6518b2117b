package cashflow

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/report"
	"vestibule/internal/testutil/proptest"
)

// set returns values with full points, except the given ones.
func set(t *testing.T, written map[string]figure) *values {
	t.Helper()
	v := new(values)
	for i := range card {
		b := &card[i]
		for _, n := range []int64{0, 20_000_00} {
			if v[b.at] = (value{n: n}); b.points(v[b.at]) == b.Most() {
				break
			}
		}
	}
	for name, f := range written {
		at := index(name)
		v[at] = universal[at].Type.value(f)
	}
	return v
}

// TestBins checks each bin's points on both sides of every bound.
func TestBins(t *testing.T) {
	cents := func(n int64) figure { return integer(n) }
	ratio := func(n int64) figure { return ratioOf(n, 100_000) }
	for _, c := range []struct {
		attribute string
		of        func(int64) figure
		at        []int64 // values, in units of the last decimal
		points    []int
		neutral   int
		undefined int
	}{
		{"UA_ASSET_TOTAL_AVG_3M", cents,
			[]int64{-1, 0, 249_99, 250_00, 999_99, 1_000_00, 2_499_99, 2_500_00, 4_999_99, 5_000_00, 9_999_99, 10_000_00, 900_000_000},
			[]int{0, 10, 10, 25, 25, 40, 40, 55, 55, 68, 68, 80, 80}, 25, 0},
		{"UA_ASSET_TOTAL_MIN_3M", cents,
			[]int64{-1, 0, 49_99, 50_00, 249_99, 250_00, 999_99, 1_000_00, 2_499_99, 2_500_00},
			[]int{0, 8, 8, 18, 18, 29, 29, 38, 38, 45}, 18, 0},
		{"UA_ASSET_NEGDAYS_CNT_3M", integer, []int64{0, 1, 2, 3, 5, 6, 10, 11, 92}, []int{50, 34, 34, 20, 20, 9, 9, 0, 0}, 34, 0},
		{"UA_EXPENSE_NSFOD_CNT_12M", integer, []int64{0, 1, 2, 3, 4, 6, 7, 9_995}, []int{65, 46, 29, 29, 13, 13, 0, 0}, 46, 0},
		{"UA_CADENCE_INCOME_MONTHS_CNT_12M", integer, []int64{12, 11, 10, 9, 8, 6, 5, 3, 2, 0}, []int{55, 48, 36, 36, 21, 21, 9, 9, 0, 0}, 9, 0},
		{"UA_INFLOW_INCOME_AVG_12R", cents,
			[]int64{7_500_00, 7_499_99, 5_000_00, 4_999_99, 3_500_00, 3_499_99, 2_000_00, 1_999_99, 1_000_00, 999_99, 0},
			[]int{40, 35, 35, 28, 28, 19, 19, 9, 9, 0, 0}, 9, 0},
		{"UA_RATIO_INCOME_VARIATION_12M", ratio, []int64{0, 9_999, 10_000, 24_999, 25_000, 49_999, 50_000, 99_999, 100_000},
			[]int{35, 35, 27, 27, 16, 16, 6, 6, 0}, 6, 0},
		{"UA_RATIO_EXPENSE_INFLOW_3M", ratio,
			[]int64{0, 80_000, 80_001, 90_000, 90_001, 97_000, 97_001, 103_000, 103_001, 115_000, 115_001},
			[]int{45, 45, 37, 37, 27, 27, 17, 17, 7, 7, 0}, 7, 0},
		{"UA_CASHFLOW_NETPOS_CNT_12M", integer, []int64{12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 0},
			[]int{35, 35, 28, 28, 20, 20, 12, 12, 5, 5, 0, 0}, 5, 0},
		{"UA_RATIO_DEBTPMT_INCOME_3M", ratio,
			[]int64{0, 1, 10_000, 10_001, 20_000, 20_001, 36_000, 36_001, 50_000, 50_001},
			[]int{30, 27, 27, 24, 24, 16, 16, 7, 7, 0}, 7, 0},
		{"UA_RATIO_SAVINGS_INFLOW_12M", ratio, []int64{10_000, 9_999, 5_000, 4_999, 1_000, 999, 0}, []int{20, 14, 14, 7, 7, 0, 0}, 0, 0},
		{"UA_INFLOW_ADVANCE_CNT_6M", integer, []int64{0, 1, 2, 3, 5, 6}, []int{20, 11, 11, 4, 4, 0}, 11, 0},
		{"UA_TOTAL_OLDEST_REC", integer, []int64{731, 700, 699, 540, 539, 365, 364, 180, 179, 90, 89, 0},
			[]int{30, 30, 25, 25, 19, 19, 10, 10, 4, 4, 0, 0}, 0, 0},
	} {
		b := &card[slices.IndexFunc(card[:], func(b Bin) bool { return b.Attribute == c.attribute })]
		kind := universal[b.at].Type
		for i, n := range c.at {
			if got := b.points(kind.value(c.of(n))); got != c.points[i] {
				t.Errorf("bin %s at %d = %d points, want %d", b.Letter, n, got, c.points[i])
			}
		}
		if got := b.points(kind.value(missing(noValues))); got != c.neutral {
			t.Errorf("bin %s without usable values = %d points, want %d", b.Letter, got, c.neutral)
		}
		if got := b.points(kind.value(missing(undefined))); got != c.undefined {
			t.Errorf("bin %s divided by nothing = %d points, want %d", b.Letter, got, c.undefined)
		}
	}
}

func TestCardRange(t *testing.T) {
	v1, v2 := 0, 0
	for i := range card {
		b := &card[i]
		v2 += b.Most()
		if b.V1 {
			v1 += b.Most()
		}
		if b.Mean < b.worst() || b.Mean >= b.Most() {
			t.Errorf("the reference household has %d of %d points in bin %s", b.Mean, b.Most(), b.Letter)
		}
	}
	if v2 != scoreRange || v1 != 415 {
		t.Errorf("the bins give %d and %d points, want %d and 415", v2, v1, scoreRange)
	}
}

// enough returns facts that suffice for a score.
func enough(t testing.TB) *facts {
	return newFacts(household(t, "2026-03-10; account a CHECKING 0.00; 2024-06-01 a 1.00 PAYROLL; 2026-02-01 a 1.00 PAYROLL"))
}

func TestReasons(t *testing.T) {
	for name, c := range map[string]struct {
		of   map[string]figure
		want string
	}{
		"at full points, that of the reference's weakest bin": {nil, "850 [72]"},
		"below the reference, the largest loss first": {map[string]figure{
			"UA_EXPENSE_NSFOD_CNT_12M": integer(9), "UA_ASSET_TOTAL_MIN_3M": integer(-1), "UA_INFLOW_ADVANCE_CNT_6M": integer(9),
		}, "720 [40 11 27]"},
		"never more than four": {map[string]figure{
			"UA_EXPENSE_NSFOD_CNT_12M": integer(9), "UA_ASSET_TOTAL_MIN_3M": integer(-1), "UA_INFLOW_ADVANCE_CNT_6M": integer(9),
			"UA_ASSET_TOTAL_AVG_3M": integer(-1), "UA_ASSET_NEGDAYS_CNT_3M": integer(60),
		}, "590 [40 10 15 11]"},
		"a tie in the card's order": {map[string]figure{
			"UA_RATIO_INCOME_VARIATION_12M": integer(2), "UA_ASSET_TOTAL_MIN_3M": integer(-1),
		}, "770 [11 23]"},
		"none below the reference, measured against the maximum": {map[string]figure{
			"UA_ASSET_TOTAL_AVG_3M": integer(6_000_00), "UA_TOTAL_OLDEST_REC": integer(600), "UA_EXPENSE_NSFOD_CNT_12M": integer(0),
			"UA_RATIO_SAVINGS_INFLOW_12M": ratioOf(7, 100),
		}, "827 [60]"},
		"none below it, several below the maximum": {map[string]figure{
			"UA_ASSET_TOTAL_AVG_3M": integer(6_000_00), "UA_RATIO_SAVINGS_INFLOW_12M": ratioOf(7, 100),
		}, "832 [10 72]"},
	} {
		v := set(t, c.of)
		s := scoreVersion{"v2.0", linesOf(inV2)}.score(enough(t), v, nil)
		if got := spell(s); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func spell(s report.Score) string {
	var codes []string
	for _, c := range s.AdverseActionCodes {
		codes = append(codes, c.Code)
	}
	if s.Value == nil {
		return fmt.Sprintf("null %v", codes)
	}
	return fmt.Sprintf("%d %v", *s.Value, codes)
}

func TestEqualCodesAreMerged(t *testing.T) {
	a, b := card[0], card[0]
	b.Letter = "Z"
	if got := reasonCodes([]scored{a.line(value{n: -1}), b.line(value{n: -1})}); !slices.Equal(got, []string{"10"}) {
		t.Errorf("reasons of two bins with one code are %v", got)
	}
}

func TestVersion10(t *testing.T) {
	f := enough(t)
	for _, c := range []struct {
		of   map[string]figure
		want string
	}{
		{nil, "850 [11]"},
		// 45 of 415 points less: 300 + 370 × 550 ÷ 415 = 790.36
		{map[string]figure{"UA_ASSET_TOTAL_MIN_3M": integer(-1)}, "790 [11]"},
		// bins of v2.0 only change nothing
		{map[string]figure{"UA_INFLOW_ADVANCE_CNT_6M": integer(60), "UA_TOTAL_OLDEST_REC": integer(70)}, "850 [11]"},
	} {
		if got := spell(scoreVersion{"v1.0", linesOf(inV1)}.score(f, set(t, c.of), nil)); got != c.want {
			t.Errorf("v1.0 with %v = %s, want %s", c.of, got, c.want)
		}
	}
}

func TestScoreNeedsHistory(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		null bool
	}{
		"no account":                      {"2026-03-10", true},
		"no transaction":                  {"2026-03-10; account a CHECKING 9.00", true},
		"59 days":                         {"2026-03-10; account a CHECKING 9.00; 2026-01-10 a 1.00 PAYROLL", true},
		"60 days":                         {"2026-03-10; account a CHECKING 9.00; 2026-01-09 a 1.00 PAYROLL", false},
		"all before the last 12 months":   {"2026-03-10; account a CHECKING 9.00; 2025-03-09 a 1.00 PAYROLL", true},
		"one on the first day of the 12":  {"2026-03-10; account a CHECKING 9.00; 2025-03-10 a 1.00 PAYROLL", false},
		"the only recent one on the date": {"2026-03-10; account a CHECKING 9.00; 2025-01-10 a 1.00 PAYROLL; 2026-03-10 a 1.00 PAYROLL", true},
	} {
		f := newFacts(household(t, c.text))
		for version, bins := range map[string]func(*Bin) bool{"v1.0": inV1, "v2.0": inV2} {
			s := scoreVersion{version, linesOf(bins)}.score(f, newValues(f), nil)
			if (s.Value == nil) != c.null {
				t.Errorf("%s: %s is %s", name, version, spell(s))
			}
			if c.null && spell(s) != "null [61]" {
				t.Errorf("%s: %s is %s, want null [61]", name, version, spell(s))
			}
		}
	}
}

func TestProperties(t *testing.T) {
	nine := "2026-03-10; account a CHECKING 9.00; 2024-06-01 a 1.00 OTHER;"
	for i := range 9 {
		nine += fmt.Sprintf("2026-02-%02d a 1.00 OTHER;", 1+i%6)
	}
	for name, c := range map[string]struct{ text, want string }{
		"nothing":              {"2026-03-10", "[0 0 true true]"},
		"no transaction":       {"2026-03-10; account a CHECKING 9.00", "[0 0 true true]"},
		"nine in three months": {nine, "[10 647 true false]"},
		"ten on six days":      {nine + "2026-02-06 a 1.00 OTHER", "[11 647 false false]"},
		"ten on five days": {strings.ReplaceAll(nine, "2026-02-06", "2026-02-05") +
			"2026-02-04 a 1.00 OTHER", "[11 647 true false]"},
		"90 days and three months":            {"2026-03-10; account a CHECKING 9.00; 2025-12-01 a 1.00 OTHER", "[1 99 true false]"},
		"90 days, two whole months":           {"2026-03-10; account a CHECKING 9.00; 2025-12-02 a 1.00 OTHER", "[1 98 true true]"},
		"89 days":                             {"2026-02-28; account a CHECKING 9.00; 2025-12-01 a 1.00 OTHER", "[1 89 true true]"},
		"three whole months in 90":            {"2025-03-01; account a CHECKING 9.00; 2024-12-01 a 1.00 OTHER", "[1 90 true false]"},
		"the incomplete month does not count": {"2026-03-31; account a CHECKING 9.00; 2025-12-31 a 1.00 OTHER", "[1 90 true true]"},
	} {
		var got []any
		for _, p := range properties(newFacts(household(t, c.text))) {
			if p.Value.Boolean != nil {
				got = append(got, *p.Value.Boolean)
			} else {
				got = append(got, p.Value.Integer)
			}
		}
		if s := fmt.Sprint(got); s != c.want {
			t.Errorf("%s: %s, want %s", name, s, c.want)
		}
	}
}

// TestOptions checks that a report has only the requested parts, versions in order, the
// properties with v2.0, and for every reason an attribute with its code.
func TestOptions(t *testing.T) {
	for _, c := range []struct {
		options    Options
		attributes int
		versions   string
		properties int
	}{
		{Options{}, 0, "[]", 0},
		{Options{Deprecated: true, ScoreV1: true}, 0, "[]", 0},
		{Options{Attributes: true}, 120, "[v2.0]", 4},
		{Options{Attributes: true, ScoreV1: true}, 120, "[v1.0 v2.0]", 4},
		{Options{Attributes: true, Deprecated: true}, 144, "[v2.0]", 4},
	} {
		for _, data := range []bankdata.Data{bank(), bank(cash()),
			bank(cash(bankdata.Transaction{ID: "1", Posted: day("2025-10-20"), Amount: 5}))} {
			r := Build(Input{Bank: data, Options: c.options}, time.Date(2026, 3, 10, 1, 0, 0, 0, time.UTC))
			versions := []string{}
			for _, s := range r.Scores {
				versions = append(versions, s.ScoreVersion)
				if n := len(s.AdverseActionCodes); n < 1 || n > mostReasons {
					t.Errorf("%s has %d reasons", s.ScoreVersion, n)
				}
				for _, a := range s.AdverseActionCodes {
					if !slices.ContainsFunc(r.Attributes, func(x report.Attribute) bool { return x.AdverseActionCode == a.Code }) {
						t.Errorf("%s gives the reason %s of no returned attribute", s.ScoreVersion, a.Code)
					}
				}
			}
			if len(r.Attributes) != c.attributes || fmt.Sprint(versions) != c.versions || len(r.Properties) != c.properties {
				t.Errorf("with %+v there are %d attributes, scores %v and %d properties", c.options, len(r.Attributes), versions, len(r.Properties))
			}
		}
	}
}

func TestSourcesAreBanksWithCashAccounts(t *testing.T) {
	d := bank(cash())
	d.Connections = append(d.Connections, bankdata.Connection{SourceID: "BROKER", Accounts: []bankdata.Account{{Type: report.Investment}}})
	r := Build(Input{Bank: d, Options: Options{Attributes: true}}, asOf)
	if got := r.Attributes[0].SourceIDs; !slices.Equal(got, []string{"BANK"}) || !slices.Equal(r.Scores[0].SourceIDs, got) {
		t.Errorf("sources are %v and %v, want BANK", got, r.Scores[0].SourceIDs)
	}
}

// TestScorecardProperties: the score is 300 and the points; to improve one bin never
// lowers it; a reason is a bin that lost points.
func TestScorecardProperties(t *testing.T) {
	f := enough(t)
	draw := func(t *rapid.T, b *Bin) value {
		kind := universal[b.at].Type
		if rapid.IntRange(0, 9).Draw(t, b.Letter+" missing") == 0 {
			return kind.value(missing(noValues))
		}
		c := b.Cells[rapid.IntRange(0, len(b.Cells)-1).Draw(t, b.Letter+" cell")]
		n := c.Bound + rapid.Int64Range(-2, 2).Draw(t, b.Letter)
		return kind.value(ratioOf(n, map[ValueType]int64{Float: 100_000}[kind]+map[ValueType]int64{Dollar: 1, Short: 1}[kind]))
	}
	proptest.Check(t, func(t *rapid.T) {
		v := new(values)
		sum := 0
		for i := range card {
			v[card[i].at] = draw(t, &card[i])
			sum += card[i].points(v[card[i].at])
		}
		s := scoreVersion{"v2.0", linesOf(inV2)}.score(f, v, nil)
		if *s.Value != 300+sum {
			t.Fatalf("the score is %d, its points %d", *s.Value, sum)
		}
		for _, a := range s.AdverseActionCodes {
			b := &card[slices.IndexFunc(card[:], func(b Bin) bool { return universal[b.at].Code == a.Code })]
			if b.points(v[b.at]) == b.Most() && *s.Value < scoreBase+scoreRange {
				t.Fatalf("bin %s is a reason at full points", b.Letter)
			}
		}
		b := &card[rapid.IntRange(0, len(card)-1).Draw(t, "improved")]
		better := *v
		better[b.at] = draw(t, b)
		if b.points(better[b.at]) < b.points(v[b.at]) {
			return
		}
		for version, bins := range map[string]func(*Bin) bool{"v1.0": inV1, "v2.0": inV2} {
			of := scoreVersion{version, linesOf(bins)}
			if before, after := of.score(f, v, nil), of.score(f, &better, nil); *after.Value < *before.Value {
				t.Fatalf("%s falls from %d to %d when bin %s improves", version, *before.Value, *after.Value, b.Letter)
			}
		}
	})
}
