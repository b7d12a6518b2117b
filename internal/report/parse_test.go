package report

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func testAnalysis() Analysis {
	from := DateOf(time.Date(2026, 4, 29, 0, 0, 0, 0, time.UTC))
	value, low, monthly := 612, json.Number("0.00"), Cents(120_00)
	return Analysis{Version: AnalysisVersion, PublicToken: "7f7c1f1e-54a9-4a0c-9a2e-6f6c6f6f0001",
		From: &from, To: DateOf(time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)), Total: []Cents{1, -2, 3},
		Accounts:   []AnalysisAccount{{AccountID: "a", Balances: []Cents{1, -2, 3}}},
		Months:     []AnalysisMonth{{Month: "2026-04", In: 5, Out: -7, Income: 4}, {Month: "2026-05"}},
		Streams:    []AnalysisStream{{Name: "ACME", Direction: "IN", First: from, Last: from, Monthly: &monthly}},
		Categories: []AnalysisCategory{{Category: "OTHER", Direction: "OUT", Total: -3}},
		Returned:   []AnalysisReturned{{Date: from, Category: "FEE.NSF"}},
		Scores: []AnalysisScore{{Version: "v2.0", Value: &value, Base: 300, Maximum: 850, Points: 10, Most: 20,
			Bins: []AnalysisBin{{Letter: "A", Points: 10, Most: 20, Reference: 12, Value: "1.00",
				Ranges: []AnalysisCell{{Low: &low, Points: 10, Reached: true}}}}}}}
}

func TestAnalysisSurvivesJSON(t *testing.T) {
	want := testAnalysis()
	raw, err := Encode(want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := ParseAnalysis(raw)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&want, got); diff != "" {
		t.Errorf("-written +read\n%s", diff)
	}
	if _, err := ParseAnalysis([]byte(strings.Replace(string(raw), `{"version"`, `{"added_later":[1],"version"`, 1))); err != nil {
		t.Errorf("an addition is refused: %v", err)
	}
	none := Analysis{Version: "1.7.0", To: want.To}
	if raw, _ = Encode(none); none.Days() != 0 {
		t.Errorf("%d days without a history", none.Days())
	}
	if _, err := ParseAnalysis(raw); err != nil {
		t.Errorf("an analysis of nothing: %v", err)
	}
}

func TestSplitAnalysis(t *testing.T) {
	want, stream := testAnalysis(), 0
	want.Transactions = []AnalysisTransaction{{Date: want.To, Bins: "A", Description: `says ","transactions":[ and "bins":"Z"`},
		{Date: want.To, Bins: "CA", Stream: &stream}}
	raw, err := Encode(want)
	if err != nil {
		t.Fatal(err)
	}
	figures, transactions := SplitAnalysis(raw)
	got, err := ParseAnalysis(figures)
	if err != nil || got.Transactions != nil || !got.HasTransactions() {
		t.Fatalf("%v, %+v", err, got)
	}
	for letter, counted := range map[string]bool{"A": true, "C": true, "B": false, "Z": false} {
		if got.IsCounted(letter) != counted || want.IsCounted(letter) != counted {
			t.Errorf("bin %s is counted: %v, want %v", letter, got.IsCounted(letter), counted)
		}
	}
	if err := got.ParseTransactions(transactions); err != nil {
		t.Fatal(err)
	}
	got.CountedBins = nil
	if diff := cmp.Diff(&want, got); diff != "" {
		t.Errorf("-written +read\n%s", diff)
	}
	if err := got.ParseTransactions([]byte(`[{"account":7}]`)); err == nil {
		t.Error("a transaction of no account")
	}
	for _, other := range []string{``, `{`, `{"version":"1","transactions":null}`, `{"version":"1","transactions":[]}`,
		`{"x":{"a":1,"transactions":[1]},"b":[{}]}`, `{"a":1,"transactions":[{}],"b":1}`, `{"a":,"transactions":[{}]}`} {
		if figures, transactions := SplitAnalysis([]byte(other)); string(figures) != other || transactions != nil {
			t.Errorf("%s is split: %s and %s", other, figures, transactions)
		}
	}
}

func TestParseAnalysisRejects(t *testing.T) {
	for name, change := range map[string]func(*Analysis){
		"another version":               func(a *Analysis) { a.Version = "2.0.0" },
		"no version":                    func(a *Analysis) { a.Version = "" },
		"days in no order":              func(a *Analysis) { *a.From = DateOf(a.To.AddDate(0, 0, 1)) },
		"a day too many":                func(a *Analysis) { a.Total = append(a.Total, 1) },
		"a day too few":                 func(a *Analysis) { a.Total = a.Total[1:] },
		"balances without days":         func(a *Analysis) { a.From = nil },
		"801 days":                      func(a *Analysis) { *a.From = DateOf(a.To.AddDate(0, 0, -800)); a.Total = make([]Cents, 801) },
		"an account of other days":      func(a *Analysis) { a.Accounts[0].Balances = nil },
		"201 accounts":                  func(a *Analysis) { a.Accounts = make([]AnalysisAccount, 201) },
		"months out of order":           func(a *Analysis) { a.Months[0].Month = "2026-06" },
		"a month twice":                 func(a *Analysis) { a.Months[0].Month = "2026-05" },
		"no month":                      func(a *Analysis) { a.Months[0].Month = "2026-13" },
		"41 months":                     func(a *Analysis) { a.Months = make([]AnalysisMonth, 41) },
		"money out that is in":          func(a *Analysis) { a.Months[0].Out = 1 },
		"money in that is out":          func(a *Analysis) { a.Months[0].In = -1 },
		"a stream in no direction":      func(a *Analysis) { a.Streams[0].Direction = "SIDEWAYS" },
		"a name as long as a book":      func(a *Analysis) { a.Streams[0].Name = strings.Repeat("x", maxAnalysisText+1) },
		"a category in no direction":    func(a *Analysis) { a.Categories[0].Direction = "" },
		"too many categories":           func(a *Analysis) { a.Categories = make([]AnalysisCategory, maxAnalysisKinds+1) },
		"a description that is a book":  func(a *Analysis) { a.Returned[0].Description = strings.Repeat("x", maxAnalysisText+1) },
		"a score beyond its scale":      func(a *Analysis) { a.Scores[0].Maximum = 600 },
		"a scale of nothing":            func(a *Analysis) { a.Scores[0].Base = 850 },
		"more points than there are":    func(a *Analysis) { a.Scores[0].Points = 21 },
		"a bin with more than its most": func(a *Analysis) { a.Scores[0].Bins[0].Points = 21 },
		"a reference beyond the most":   func(a *Analysis) { a.Scores[0].Bins[0].Reference = 21 },
		"points below nothing":          func(a *Analysis) { a.Scores[0].Bins[0].Ranges[0].Points = -1 },
	} {
		a := testAnalysis()
		change(&a)
		raw, err := Encode(a)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ParseAnalysis(raw); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}

func FuzzParseAnalysis(f *testing.F) {
	raw, _ := Encode(testAnalysis())
	f.Add(raw)
	f.Add([]byte(`{"version":"1","to":"2026-01-01"}`))
	f.Add([]byte(`{"version":"1","from":"0001-01-01","to":"9999-12-31"}`))
	f.Add([]byte(`{"version":1,"secret":"x"`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		a, err := ParseAnalysis(raw)
		if err != nil {
			return
		}
		if len(a.Total) != a.Days() || a.Days() > maxAnalysisDays {
			t.Fatalf("%d balances of %d days", len(a.Total), a.Days())
		}
	})
}
