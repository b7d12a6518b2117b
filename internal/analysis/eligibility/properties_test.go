package eligibility

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/contract"
	"vestibule/internal/report"
	"vestibule/internal/testutil/proptest"
)

// texts lists the descriptions of a drawn household's transactions and their ranges of
// amounts.
var texts = []struct {
	text     string
	from, to int64
}{
	{"DIRECT DEP NORTHWIND LOGISTICS PAYROLL PPD", 900_00, 1_600_00},
	{"GLOBEX WIDGETS PAYROLL", 100_00, 3_000_00}, {"VANDELAY 8812", 700_00, 700_01},
	{"INTEREST PAYMENT", 1, 5_00}, {"DIVIDEND RECEIVED INDEX FUND", 1, 90_00},
	{"INTEREST CHARGE", -9_00, -1}, {"POS DEBIT KROGER #418", -90_00, -5_00},
	{"ONLINE TRANSFER TO SAVINGS", -100_00, -50_00}, {"ONLINE TRANSFER FROM CHECKING", 50_00, 100_00},
}

var employers = []string{"Northwind", "Vandelay", "Globex Widgets", "Globex", "Initech", "The Company"}

// household draws an applicant with up to four accounts at two banks, jobs, documents and
// skipped employers.
func household(t *rapid.T) (Input, time.Time) {
	at := time.Date(2025, 1, 1, 12, 0, 0, 0, time.UTC).AddDate(0, 0, rapid.IntRange(0, 800).Draw(t, "fetch"))
	in := Input{
		Envelope:        report.Envelope{PublicToken: link, InputSource: report.ConsumerInput, InputUUID: "u"},
		Workflow:        rapid.SampledFrom(report.Workflows()).Draw(t, "workflow"),
		StatedEmployers: rapid.SliceOfN(rapid.SampledFrom(employers), 0, 6).Draw(t, "stated"),
	}
	if rapid.Bool().Draw(t, "named") {
		in.Consumer = &bankdata.Person{FirstName: "Ana", LastName: "Núñez"}
	}
	n := 0
	for b := range rapid.IntRange(0, 2).Draw(t, "banks") {
		c := bankdata.Connection{ID: fmt.Sprint("c", b), SourceID: fmt.Sprint("BANK_", b), Status: contract.StatusSuccess,
			Owners: []bankdata.Owner{{RecordID: "o",
				Person: bankdata.Person{FirstName: rapid.SampledFrom([]string{"Ana", "Jo"}).Draw(t, "owner"), LastName: "Nunez"}}}}
		for i := range rapid.IntRange(0, 2).Draw(t, "accounts") {
			a := bankdata.Account{ID: fmt.Sprint(b, i),
				Type:    rapid.SampledFrom([]string{report.CashEquivalent, report.CashEquivalent, report.Investment}).Draw(t, "type"),
				Subtype: report.Savings, Number: fmt.Sprint("000", b, i, "22"),
				Balance: report.Cents(rapid.Int64Range(-9_000_00, 90_000_00).Draw(t, "balance"))}
			for range rapid.IntRange(0, 6).Draw(t, "series") {
				x := texts[rapid.IntRange(0, len(texts)-1).Draw(t, "text")]
				every := rapid.SampledFrom([]int{7, 14, 30, 90, 1000}).Draw(t, "every")
				for back := rapid.IntRange(-5, 500).Draw(t, "last"); back < rapid.IntRange(1, 800).Draw(t, "first"); back += every {
					a.Transactions = append(a.Transactions, bankdata.Transaction{ID: fmt.Sprintf("%05d", n),
						Posted: report.DateOf(at.AddDate(0, 0, -back)), Pending: n%17 == 3,
						Amount: report.Cents(rapid.Int64Range(x.from, x.to).Draw(t, "amount")), Description: x.text})
					n++
				}
			}
			c.Accounts = append(c.Accounts, a)
		}
		in.Bank.Connections = append(in.Bank.Connections, c)
	}
	for i := range rapid.IntRange(0, 3).Draw(t, "sign-ins") {
		c := works(fmt.Sprint("p", i), rapid.SampledFrom(append(employers, "")).Draw(t, "employer"))
		c.Payroll.Jobs[0].Deposits = append(c.Payroll.Jobs[0].Deposits,
			deposit(rapid.SampledFrom([]string{"0022", "1022", "9999"}).Draw(t, "deposit")))
		c.Status = rapid.SampledFrom([]contract.Status{"", contract.StatusSuccess, contract.StatusSuccess,
			contract.StatusNotAuthenticated}).Draw(t, "status")
		c.Employer = rapid.SampledFrom(append(employers, "", "")).Draw(t, "for")
		in.Payroll = append(in.Payroll, c)
	}
	in.Skipped = rapid.MapOfN(rapid.SampledFrom(employers), rapid.SampledFrom(report.SkippedReasons()), 0, 2).Draw(t, "skipped")
	return in, at
}

func encode(t *rapid.T, in Input, at time.Time) []byte {
	b, err := report.Encode(Build(in, at))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestInputOrderDoesNotMatter(t *testing.T) {
	proptest.Check(t, func(t *rapid.T) {
		in, at := household(t)
		before := encode(t, in, at)
		if again := encode(t, in, at); !bytes.Equal(before, again) {
			t.Fatal("the same input gave other bytes")
		}
		for i := range in.Bank.Connections {
			for k := range in.Bank.Connections[i].Accounts {
				a := &in.Bank.Connections[i].Accounts[k]
				a.Transactions = rapid.Permutation(a.Transactions).Draw(t, "order")
			}
		}
		for i := range in.Payroll {
			j := &in.Payroll[i].Payroll.Jobs[0]
			j.Statements = rapid.Permutation(j.Statements).Draw(t, "statements")
		}
		if after := encode(t, in, at); !bytes.Equal(before, after) {
			t.Fatal(cmp.Diff(string(before), string(after)))
		}
	})
}

func TestReportProperties(t *testing.T) {
	proptest.Check(t, func(t *rapid.T) {
		in, at := household(t)
		raw := encode(t, in, at)
		r, err := report.ParseEligibility(raw)
		if err != nil {
			t.Fatal(err)
		}
		if back, _ := report.Encode(r); !bytes.Equal(raw, back) {
			t.Fatalf("read and written again: %s", cmp.Diff(string(raw), string(back)))
		}
		lawsOfEmployers(t, in, r)
		checkAssets(t, in, at, r)
	})
}

func lawsOfEmployers(t *rapid.T, in Input, r *report.Eligibility) {
	seen := map[string]bool{}
	for _, e := range r.StatedEmployers {
		if seen[e.Name] {
			t.Fatalf("%s is there twice", e.Name)
		}
		seen[e.Name] = true
	}
	for _, n := range in.StatedEmployers {
		if in.Workflow.Income() != seen[n] {
			t.Fatalf("%s of %s is there: %v", n, in.Workflow, seen[n])
		}
	}
	for _, e := range r.Employment {
		m := e.Matching.EmployerName
		if len(m.Matched) > 1 || len(m.Matched)+len(m.Unmatched) != len(r.StatedEmployers) {
			t.Fatalf("%+v of %d employers", m, len(r.StatedEmployers))
		}
	}
	if in.Workflow.Income() && (r.Income == nil) != (r.Employment == nil) {
		t.Fatalf("income %v, employment %v", r.Income, r.Employment)
	}
}

// checkAssets compares an account's figures with an independent computation.
func checkAssets(t *rapid.T, in Input, at time.Time, r *report.Eligibility) {
	if r.Assets == nil {
		return
	}
	fetch := report.DateOf(at)
	half, year := bankdata.MonthsBefore(fetch, 6), bankdata.MonthsBefore(fetch, 12)
	var accounts []bankdata.Account
	for _, c := range in.Bank.Connections {
		accounts = append(accounts, c.Accounts...)
	}
	if len(accounts) != len(r.Assets.AccountDetails) {
		t.Fatalf("%d accounts of %d", len(r.Assets.AccountDetails), len(accounts))
	}
	for i, a := range accounts {
		got := r.Assets.AccountDetails[i]
		history := a.History(fetch)
		if got.AccountID != a.ID || (got.FirstTransaction == nil) != (len(history) == 0) || (got.IncomeFromAssets == nil) != (len(history) == 0) {
			t.Fatalf("account %s with %d transactions is %+v", a.ID, len(history), got)
		}
		if (got.AverageBalance == nil) != (len(history) == 0 || a.Type == report.Investment) {
			t.Fatalf("%s account with %d transactions has an average %v", a.Type, len(history), got.AverageBalance)
		}
		if len(history) == 0 {
			continue
		}
		var earned, sum report.Cents
		after := map[string]report.Cents{} // by day: transactions posted that day
		for _, x := range history {
			if x.Posted.After(year.Time) && (x.Description == "INTEREST PAYMENT" || x.Description == "DIVIDEND RECEIVED INDEX FUND") {
				earned += x.Amount
			}
			after[x.Posted.String()] += x.Amount
		}
		if *got.IncomeFromAssets != earned {
			t.Fatalf("income from assets is %s, want %s", *got.IncomeFromAssets, earned)
		}
		if got.AverageBalance == nil {
			continue
		}
		low, high, days := a.Balance, a.Balance, report.Cents(0)
		for d, b := fetch, a.Balance; d.After(half.Time) && !d.Before(history[0].Posted.Time); d = (report.Date{Time: d.AddDate(0, 0, -1)}) {
			low, high, sum, days = min(low, b), max(high, b), sum+b, days+1
			b -= after[d.String()]
		}
		if days == 0 || *got.AverageBalance < low || *got.AverageBalance > high {
			t.Fatalf("the average %s of %d days is not within %s and %s", *got.AverageBalance, days, low, high)
		}
		if off := 2 * (*got.AverageBalance*days - sum); off > days || off <= -days {
			t.Fatalf("the average %s of %d days that add up to %s", *got.AverageBalance, days, sum)
		}
	}
	matched := map[string]bool{}
	for _, x := range r.Assets.MatchedIncome {
		if matched[x.MatchedInflowID] || !slices.Contains(in.StatedEmployers, x.StatedEmployer) ||
			!slices.ContainsFunc(r.Assets.Inflows, func(f report.Inflow) bool { return f.InflowID == x.MatchedInflowID }) {
			t.Fatalf("%+v, twice or of no inflow or employer", x)
		}
		matched[x.MatchedInflowID] = true
	}
}

// TestLargestAmounts checks that sums are limited to the maximum amount.
func TestLargestAmounts(t *testing.T) {
	a := cash(posted("2024-04-01", most, "DEPOSIT"), posted("2025-04-01", most, "INTEREST PAYMENT"),
		posted("2025-04-02", most, "INTEREST PAYMENT"), posted("2026-03-09", -most, "CHECK 1"))
	a.Balance = most
	p := works("p", "Globex")
	for i := range p.Payroll.Jobs[0].Statements {
		p.Payroll.Jobs[0].Statements[i].Gross = most
	}
	raw, err := report.Encode(Build(Input{Envelope: labels, Bank: bank(a), Gathered: Gathered{Payroll: []Connected{p}}}, asOf))
	if err != nil {
		t.Fatal(err)
	}
	r, err := report.ParseEligibility(raw)
	if err != nil {
		t.Fatalf("its own reader refuses it: %v", err)
	}
	if got := r.Assets.AccountDetails[0]; *got.IncomeFromAssets != most || *got.AverageBalance != most ||
		*r.Income.Payroll[0].AnnualGross != most {
		t.Errorf("%s of assets, %s on average, %s of wages", *got.IncomeFromAssets, *got.AverageBalance, *r.Income.Payroll[0].AnnualGross)
	}
}
