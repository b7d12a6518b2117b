package cashflow

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/report"
	"vestibule/internal/testutil/proptest"
)

var everyOption = Options{Attributes: true, Deprecated: true, ScoreV1: true}

// TestAnalysisIsConsistent compares the parts of an analysis with each other and with the
// report of the same input.
func TestAnalysisIsConsistent(t *testing.T) {
	proptest.Check(t, func(t *rapid.T) {
		d, at := people(t)
		in := Input{Envelope: report.Envelope{PublicToken: "token"}, Bank: d, Options: everyOption}
		a, r := Explain(in, at), Build(in, at)
		checkBalances(t, a, d)
		checkMoney(t, a, r)
		checkScores(t, a, r)
		checkTransactions(t, a)
	})
}

// checkTransactions compares the transactions with the figures that they make up.
func checkTransactions(t *rapid.T, a report.Analysis) {
	type key struct{ category, direction string }
	categories, months := map[key]report.Cents{}, map[string][2]report.Cents{}
	streams, returned := make([]int, len(a.Streams)), 0
	for i, x := range a.Transactions {
		if i > 0 && x.Date.After(a.Transactions[i-1].Date.Time) {
			t.Fatalf("%s comes after %s", x.Date, a.Transactions[i-1].Date)
		}
		if x.Stream != nil {
			streams[*x.Stream]++
		}
		if x.Returned {
			returned++
		}
		if x.OwnTransfer {
			continue
		}
		m := months[x.Date.Format("2006-01")]
		if x.Amount > 0 {
			categories[key{x.Category, "IN"}] += x.Amount
			m[0] += x.Amount
		} else if x.Amount < 0 {
			categories[key{x.Category, "OUT"}] += x.Amount
			m[1] += x.Amount
		}
		months[x.Date.Format("2006-01")] = m
	}
	for _, c := range a.Categories {
		if got := categories[key{c.Category, c.Direction}]; got != c.Total {
			t.Fatalf("%s %s: transactions of %s, want %s", c.Direction, c.Category, got, c.Total)
		}
	}
	for _, m := range a.Months {
		if got := months[m.Month]; got != [2]report.Cents{m.In, m.Out} {
			t.Fatalf("%s: transactions of %v, want %s and %s", m.Month, got, m.In, m.Out)
		}
	}
	for i, s := range a.Streams {
		if streams[i] != s.Count {
			t.Fatalf("%s: %d transactions, want %d", s.Name, streams[i], s.Count)
		}
	}
	if returned != len(a.Returned) {
		t.Fatalf("%d returned payments, want %d", returned, len(a.Returned))
	}
	for _, s := range a.Scores {
		for _, b := range s.Bins {
			if b.Attribute != "UA_EXPENSE_NSFOD_CNT_12M" || s.Version != "v2.0" || b.Neutral {
				continue
			}
			n := 0
			for _, x := range a.Transactions {
				if strings.Contains(x.Bins, b.Letter) {
					n++
				}
			}
			if b.Value.String() != fmt.Sprint(n) {
				t.Fatalf("%s is %s, %d transactions count", b.Attribute, b.Value, n)
			}
		}
	}
}

func checkBalances(t *rapid.T, a report.Analysis, d bankdata.Data) {
	days := 0
	if a.From != nil {
		days = int(bankdata.DayOf(a.To)-bankdata.DayOf(*a.From)) + 1
	}
	if len(a.Total) != days || len(a.Accounts) != len(d.Connections[0].Accounts) {
		t.Fatalf("%d days of %d accounts, want %d of %d", len(a.Total), len(a.Accounts), days, len(d.Connections[0].Accounts))
	}
	sum := make([]report.Cents, days)
	for i, account := range a.Accounts {
		known := d.Connections[0].Accounts[i]
		if account.AccountID != known.ID || account.SourceID != "BANK" || len(account.Balances) != days {
			t.Fatalf("account %d is %s of %s with %d days", i, account.AccountID, account.SourceID, len(account.Balances))
		}
		if days > 0 && account.Balances[days-1] != known.Balance {
			t.Fatalf("the balances of %s end at %s, want %s", known.ID, account.Balances[days-1], known.Balance)
		}
		for j, b := range account.Balances {
			sum[j] += b
		}
	}
	if !slices.Equal(sum, a.Total) {
		t.Fatalf("the total is %v, the sum of accounts %v", a.Total, sum)
	}
	for i, m := range a.Months {
		from, until := monthOf(m.Month), monthOf(m.Month).AddDate(0, 1, 0)
		if i == 0 && !monthOf(a.From.Format("2006-01")).Equal(from) || i == len(a.Months)-1 && !monthOf(a.To.Format("2006-01")).Equal(from) ||
			i > 0 && !monthOf(a.Months[i-1].Month).AddDate(0, 1, 0).Equal(from) {
			t.Fatalf("month %d is %s, of %s to %s", i, m.Month, a.From, a.To)
		}
		if want := !from.Before(a.From.Time) && !until.After(a.To.Time); m.Complete != want {
			t.Fatalf("%s complete: %v, from %s to %s", m.Month, m.Complete, a.From, a.To)
		}
		first := max(0, int(from.Sub(a.From.Time).Hours()/24))
		last := min(days, int(until.Sub(a.From.Time).Hours()/24)) - 1
		if m.End != a.Total[last] || m.Lowest != slices.Min(a.Total[first:last+1]) {
			t.Fatalf("%s ends at %s after %s, want %v", m.Month, m.End, m.Lowest, a.Total[first:last+1])
		}
	}
}

func monthOf(s string) time.Time {
	t, err := time.Parse("2006-01", s)
	if err != nil {
		panic(err)
	}
	return t
}

func checkMoney(t *rapid.T, a report.Analysis, r report.Cashflow) {
	var in, out, earned, net report.Cents
	var count, returned, used int
	for i, m := range a.Months {
		in, out, earned = in+m.In, out+m.Out, earned+m.Income
		count, returned = count+m.Count, returned+m.Returned
		if ago := len(a.Months) - 1 - i; ago >= 1 && ago <= 6 {
			net += m.In + m.Out
			used += m.Count
		}
		if m.Income > m.In || m.Income < 0 || m.Out > 0 {
			t.Fatalf("%+v", m)
		}
	}
	if got := attribute(r, "UA_CASHFLOW_NET_SUM_6M"); used > 0 && got != net.String() {
		t.Fatalf("6 months leave %s, the report says %s", net, got)
	}
	type key struct{ category, direction string }
	left := map[key]int{}
	for i, c := range a.Categories {
		left[key{c.Category, c.Direction}] = c.Count
		count -= c.Count
		switch {
		case c.Direction == "IN" && c.Total > 0:
			in -= c.Total
		case c.Direction == "OUT" && c.Total < 0:
			out -= c.Total
		default:
			t.Fatalf("%+v", c)
		}
		if c.Group == "INCOME" && c.Direction == "IN" {
			earned -= c.Total
		}
		if i > 0 && max(c.Total, -c.Total) > max(a.Categories[i-1].Total, -a.Categories[i-1].Total) {
			t.Fatalf("%+v is after %+v", c, a.Categories[i-1])
		}
	}
	if in != 0 || out != 0 || earned != 0 || count != 0 {
		t.Fatalf("the months have %s in (%s income), %s out and %d transactions more than the categories", in, earned, out, count)
	}
	for _, s := range a.Streams {
		k := key{s.Category, s.Direction}
		left[k] -= s.Count
		if s.Count < 3 || left[k] < 0 || s.Last.Before(s.First.Time) || (s.Direction == "IN") != (s.Mean > 0) || s.Name == "" {
			t.Fatalf("%+v of %+v", s, a.Categories)
		}
	}
	if returned != len(a.Returned) || !slices.IsSortedFunc(a.Returned,
		func(x, y report.AnalysisReturned) int { return y.Date.Compare(x.Date.Time) }) {
		t.Fatalf("%d returned payments by month; newest first are %+v", returned, a.Returned)
	}
}

func attribute(r report.Cashflow, name string) string {
	i := slices.IndexFunc(r.Attributes, func(a report.Attribute) bool { return a.Name == name })
	return string(r.Attributes[i].Value)
}

func checkScores(t *rapid.T, a report.Analysis, r report.Cashflow) {
	if len(a.Scores) != len(r.Scores) {
		t.Fatalf("%d scores, the report has %d", len(a.Scores), len(r.Scores))
	}
	for i, s := range a.Scores {
		of := r.Scores[i]
		if s.Version != of.ScoreVersion || (s.Value == nil) != (of.Value == nil) {
			t.Fatalf("score %s is %v, the report's %s is %v", s.Version, s.Value, of.ScoreVersion, of.Value)
		}
		if s.Value == nil {
			if len(s.Bins) != 0 || s.Points != 0 || s.Most != 0 {
				t.Fatalf("there is no score, and %+v", s)
			}
			continue
		}
		points, most := 0, 0
		for _, b := range s.Bins {
			points, most = points+b.Points, most+b.Most
			if string(b.Value) != attribute(r, b.Attribute) {
				t.Fatalf("%s is %s, the report says %s", b.Attribute, b.Value, attribute(r, b.Attribute))
			}
		}
		exact := big.NewRat(int64(points*(s.Maximum-s.Base)), int64(most))
		rounded, _ := exact.Float64()
		if s.Points != points || s.Most != most || *s.Value != *of.Value || *s.Value != s.Base+int(rounded+0.5) {
			t.Fatalf("%d of %d points make %d of the report's %d", points, most, *s.Value, *of.Value)
		}
	}
}

// TestExplainIgnoresInputOrder explains the same transactions in two orders.
func TestExplainIgnoresInputOrder(t *testing.T) {
	proptest.Check(t, func(t *rapid.T) {
		d, at := people(t)
		in := Input{Bank: d, Options: everyOption}
		want, err := report.Encode(Explain(in, at))
		if err != nil {
			t.Fatal(err)
		}
		for i := range d.Connections[0].Accounts {
			if a := &d.Connections[0].Accounts[i]; len(a.Transactions) > 1 {
				a.Transactions = rapid.Permutation(a.Transactions).Draw(t, "order")
			}
		}
		got, _ := report.Encode(Explain(in, at))
		if !bytes.Equal(got, want) {
			t.Fatalf("another order gave\n%s\nwant\n%s", got, want)
		}
		if _, err := report.ParseAnalysis(got); err != nil {
			t.Fatalf("its own reader refuses it: %v", err)
		}
		if bytes.Contains(got, []byte("null,null")) || bytes.Contains(got, []byte(`s":null`)) {
			t.Fatalf("a list is null: %s", got)
		}
	})
}

// TestReachedRange draws values on, beside and away from the bounds of each bin, and
// compares the reached range with the one found by the formatted numbers.
func TestReachedRange(t *testing.T) {
	number := func(n json.Number) *big.Rat {
		r, ok := new(big.Rat).SetString(string(n))
		if !ok {
			t.Fatalf("%q is not a number", n)
		}
		return r
	}
	proptest.Check(t, func(t *rapid.T) {
		b := &card[rapid.IntRange(0, len(card)-1).Draw(t, "bin")]
		limits := valueTypes[universal[b.at].Type]
		v := value{n: rapid.Int64Range(limits.min, limits.max).Draw(t, "anywhere")}
		if near := rapid.IntRange(-1, len(b.Cells)-1).Draw(t, "near"); near >= 0 {
			v.n = b.Cells[near].Bound + rapid.Int64Range(-2, 2).Draw(t, "beside")
		}
		line := b.explained(v)
		if line.Neutral || line.Points != b.points(v) || len(line.Ranges) != len(b.Cells)+1 {
			t.Fatalf("%+v", line)
		}
		reached := 0
		for i, c := range line.Ranges {
			if (c.Low == nil) != (i == 0) || (c.High == nil) != (i == len(line.Ranges)-1) ||
				c.Low == nil && c.LowIncluded || c.High == nil && c.HighIncluded {
				t.Fatalf("range %d of %d: %+v", i, len(line.Ranges), c)
			}
			if i > 0 {
				below := line.Ranges[i-1]
				if number(*below.High).Cmp(number(*c.Low)) != 0 || below.HighIncluded == c.LowIncluded {
					t.Fatalf("between %+v and %+v is a gap, or an overlap", below, c)
				}
			}
			if c.Low != nil && c.High != nil && number(*c.Low).Cmp(number(*c.High)) >= 0 {
				t.Fatalf("%+v is empty", c)
			}
			at := number(line.Value)
			inside := (c.Low == nil || at.Cmp(number(*c.Low)) > 0 || c.LowIncluded && at.Cmp(number(*c.Low)) == 0) &&
				(c.High == nil || at.Cmp(number(*c.High)) < 0 || c.HighIncluded && at.Cmp(number(*c.High)) == 0)
			if inside != c.Reached {
				t.Fatalf("%s in %+v: %v", line.Value, c, inside)
			}
			if c.Reached {
				reached++
				if c.Points != line.Points {
					t.Fatalf("%d points, of %+v", line.Points, c)
				}
			}
		}
		if reached != 1 {
			t.Fatalf("%d ranges are reached: %+v", reached, line.Ranges)
		}
	})
}

func TestReachedRangeWithoutValue(t *testing.T) {
	for i := range card {
		b := &card[i]
		kind := universal[b.at].Type
		neutral := b.explained(kind.value(missing(noValues)))
		if !neutral.Neutral || neutral.Points != b.Neutral || slices.ContainsFunc(neutral.Ranges,
			func(c report.AnalysisCell) bool { return c.Reached }) {
			t.Errorf("bin %s without usable values: %+v", b.Letter, neutral)
		}
		undefined := b.explained(kind.value(missing(undefined)))
		at := slices.IndexFunc(undefined.Ranges, func(c report.AnalysisCell) bool { return c.Reached })
		if undefined.Neutral || at < 0 || undefined.Ranges[at].Points != 0 || undefined.Points != 0 {
			t.Errorf("bin %s divided by nothing: %+v", b.Letter, undefined)
		}
	}
}

func TestUnits(t *testing.T) {
	got := ""
	for i := range card {
		got += card[i].Letter + " " + universal[card[i].at].unit() + ", "
	}
	if want := "A DOLLARS, B DOLLARS, C COUNT, D COUNT, E COUNT, F DOLLARS, G RATIO, H " +
		"RATIO, I COUNT, J RATIO, K RATIO, L COUNT, M DAYS, "; got != want {
		t.Errorf("units are %s\nwant %s", got, want)
	}
}

// TestAnalysisScores compares the scores of analysis and report for the options.
func TestAnalysisScores(t *testing.T) {
	d, at := crowd(600)
	for _, c := range []struct {
		options Options
		want    []string
	}{
		{Options{}, nil},
		{Options{Deprecated: true, ScoreV1: true}, nil},
		{Options{Attributes: true}, []string{"v2.0 13"}},
		{Options{Attributes: true, Deprecated: true}, []string{"v2.0 13"}},
		{Options{Attributes: true, ScoreV1: true}, []string{"v1.0 8", "v2.0 13"}},
		{Options{Attributes: true, ScoreV21: true}, []string{"v2.0 13", "v2.1 13"}},
		{Options{Attributes: true, ScoreV1: true, ScoreV21: true}, []string{"v1.0 8", "v2.0 13", "v2.1 13"}},
	} {
		in := Input{Bank: d, Options: c.options}
		var got, reported []string
		for _, s := range Explain(in, at).Scores {
			got = append(got, fmt.Sprint(s.Version, " ", len(s.Bins)))
		}
		for i, s := range Build(in, at).Scores {
			reported = append(reported, s.ScoreVersion+c.want[i][4:])
		}
		if diff := cmp.Diff(c.want, got) + cmp.Diff(c.want, reported); diff != "" {
			t.Errorf("%+v: %s", c.options, diff)
		}
	}
}

func TestAnalysisWithoutData(t *testing.T) {
	for name, c := range map[string]struct {
		data bankdata.Data
		want string
	}{
		"no account": {bankdata.Data{}, `"accounts":[]`},
		"no transaction": {bank(bankdata.Account{ID: "a", Type: report.CashEquivalent, Number: "123456789", Name: "Main"},
			bankdata.Account{ID: "i", Type: report.Investment}),
			`"accounts":[{"account_id":"a","source_id":"BANK","institution_name":null,"account_name":"Main","account_subtype":null,` +
				`"truncated_account_number":"6789","balance_date":null,"balances":[]}]`},
	} {
		got, err := report.Encode(Explain(Input{Envelope: report.Envelope{PublicToken: "t"}, Bank: c.data,
			Options: Options{Attributes: true}}, asOf))
		if err != nil {
			t.Fatal(err)
		}
		want := `{"version":"1.2.0","public_token":"t","retrieved_at":"2026-03-10T15:00:00.000Z",` +
			`"currency":"USD","from":null,"to":"2026-03-10","total_balances":[],` + c.want +
			`,"other_accounts":[],"months":[],"streams":[],"categories":[],"returned_payments":[],` +
			`"scores":[{"score_version":"v2.0","value":null,"base":300,"maximum":850,"points":0,"most_points":0,"bins":[]}],"transactions":[]}`
		if string(got) != want {
			t.Errorf("%s: %s\nwant %s", name, got, want)
		}
	}
}

// TestAnalysisComputedByHand uses a history that is small enough to check by hand: one of
// three wages arrives with a returned payment, and money moved to savings is not spent.
func TestAnalysisComputedByHand(t *testing.T) {
	tx := func(id, on string, amount report.Cents, text string) bankdata.Transaction {
		return bankdata.Transaction{ID: id, Posted: day(on), Amount: amount, Description: text}
	}
	const wage, rent, fee = "DIRECT DEP NORTHWIND LOGISTICS PAYROLL PPD", "ACH WEB PMT CEDAR COURT APARTMENTS RENT", "NSF RETURNED ITEM FEE"
	main := bankdata.Account{ID: "main", Type: report.CashEquivalent, Subtype: report.Checking,
		Balance: 500_00, Transactions: []bankdata.Transaction{
			tx("1", "2025-12-30", 1_000_00, wage), tx("2", "2026-01-30", 1_000_01, wage), tx("3", "2026-02-27", 1_000_00, wage),
			tx("4", "2026-01-02", -700_00, rent), tx("5", "2026-01-28", -35_00, fee), tx("6", "2026-02-10", -200_00, "ONLINE TRANSFER TO SAVINGS"),
			tx("7", "2026-03-02", 0, "BALANCE INQUIRY"),
		}}
	nest := bankdata.Account{ID: "nest", Type: report.CashEquivalent, Subtype: report.Savings,
		Balance: 200_00, Transactions: []bankdata.Transaction{
			tx("8", "2026-02-10", 200_00, "ONLINE TRANSFER FROM CHECKING"),
		}}
	a := Explain(Input{Bank: bank(main, nest), Options: Options{Attributes: true}}, asOf)
	cents := func(c report.Cents) *report.Cents { return &c }
	want := report.Analysis{
		Months: []report.AnalysisMonth{
			{Month: "2025-12", In: 1_000_00, Income: 1_000_00, End: -565_01, Lowest: -565_01, Count: 1},
			{Month: "2026-01", Complete: true, In: 1_000_01, Income: 1_000_01, Out: -735_00, End: -300_00, Lowest: -1_300_01, Count: 3, Returned: 1},
			{Month: "2026-02", Complete: true, In: 1_000_00, Income: 1_000_00, End: 700_00, Lowest: -300_00, Count: 1},
			{Month: "2026-03", End: 700_00, Lowest: 700_00, Count: 1},
		},
		Streams: []report.AnalysisStream{
			{Name: "NORTHWIND LOGISTICS PAYROLL", Direction: "IN", Category: "INCOME.PAYROLL", Group: "INCOME", Cadence: "MONTHLY", Active: true,
				First: day("2025-12-30"), Last: day("2026-02-27"), Count: 3, Mean: 1_000_00, Monthly: cents(1_000_01)},
		},
		Categories: []report.AnalysisCategory{
			{Category: "INCOME.PAYROLL", Group: "INCOME", Description: "wages and salaries, direct deposits of employers",
				Direction: "IN", Count: 3, Total: 3_000_01, Monthly: cents(1_000_01)},
			{Category: "HOUSING.RENT", Group: "HOUSING", Description: "rent paid", Direction: "OUT",
				Count: 1, Total: -700_00, Monthly: cents(-350_00)},
			{Category: "FEE.NSF", Group: "FEE", Description: "fees for insufficient funds and returned items",
				Direction: "OUT", Count: 1, Total: -35_00, Monthly: cents(-17_50)},
		},
		Returned: []report.AnalysisReturned{{Date: day("2026-01-28"), AccountID: "main", Category: "FEE.NSF", Amount: -35_00, Description: fee}},
	}
	got := report.Analysis{Months: a.Months, Streams: a.Streams, Categories: a.Categories, Returned: a.Returned}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestLongestDescription checks the longest description of a valid submission.
func TestLongestDescription(t *testing.T) {
	text := "NSF RETURNED ITEM FEE " + strings.Repeat("𝔸", 255-22)
	d := bank(cash(bankdata.Transaction{ID: "1", Posted: day("2026-02-01"), Amount: -35_00, Description: text}))
	raw, err := report.Encode(Explain(Input{Bank: d}, asOf))
	if err != nil {
		t.Fatal(err)
	}
	a, err := report.ParseAnalysis(raw)
	if err != nil || len(a.Returned) != 1 || a.Returned[0].Description != text {
		t.Errorf("read as %+v, %v", a, err)
	}
}

func BenchmarkExplain(b *testing.B) {
	d, at := crowd(3000)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := report.Encode(Explain(Input{Bank: d, Options: Options{Attributes: true}}, at)); err != nil {
			b.Fatal(err)
		}
	}
}
