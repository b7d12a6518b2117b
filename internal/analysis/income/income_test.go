package income

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/contract"
	"vestibule/internal/report"
)

var asOf = time.Date(2026, 3, 10, 15, 0, 0, 0, time.UTC)

func day(s string) report.Date {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		panic(err)
	}
	return report.Date{Time: t}
}

func bank(accounts ...bankdata.Account) bankdata.Data {
	return bankdata.Data{Connections: []bankdata.Connection{{ID: "1", SourceID: "BANK", Status: contract.StatusSuccess, Accounts: accounts}}}
}

func cash(transactions ...bankdata.Transaction) bankdata.Account {
	return bankdata.Account{ID: "a", Type: report.CashEquivalent, Subtype: report.Checking, Transactions: transactions}
}

// each makes a transaction on a day of every month between two (YYYY-MM).
func each(from, to string, dayOfMonth int, amount report.Cents, text string) []bankdata.Transaction {
	var out []bankdata.Transaction
	last := day(to + "-01")
	for m := day(from + "-01"); !m.After(last.Time); m = (report.Date{Time: m.AddDate(0, 1, 0)}) {
		out = append(out, bankdata.Transaction{
			ID: fmt.Sprintf("%s/%d/%s", m, dayOfMonth, text), Posted: report.Date{Time: m.AddDate(0, 0, dayOfMonth-1)},
			Amount: amount, Description: text,
		})
	}
	return out
}

func joined(parts ...[]bankdata.Transaction) bankdata.Account {
	var all []bankdata.Transaction
	for _, p := range parts {
		all = append(all, p...)
	}
	return cash(all...)
}

const (
	northwind = "DIRECT DEP NORTHWIND LOGISTICS PAYROLL PPD"
	globex    = "GLOBEX WIDGETS PAYROLL"
	benefit   = "SSA TREAS 310 XXSOC SEC PPD"
	groceries = "POS DEBIT KROGER #418"
)

// build makes a report of suite 2.0 for a person in Texas.
func build(d bankdata.Data, employers ...string) report.Income {
	return Build(Input{
		Envelope: report.Envelope{PublicToken: "7f7c1f1e-54a9-4a0c-9a2e-6f6c6f6f0001", InputSource: report.ConsumerInput}, State: "TX",
		StatedEmployers: employers, Bank: d, Options: Options{Suite: Suite20, Inflows: true},
	}, asOf)
}

func model(t testing.TB, r report.Income) report.FinancialAccount {
	t.Helper()
	if r.Income == nil || len(r.Income.FinancialAccounts) != 1 {
		t.Fatalf("income is %+v, want one model", r.Income)
	}
	return r.Income.FinancialAccounts[0]
}

func TestOutcome(t *testing.T) {
	for name, c := range map[string]struct {
		data bankdata.Data
		want contract.Status
		sub  contract.Substatus
	}{
		"no connection": {bankdata.Data{}, contract.StatusNotAuthenticated, contract.SubIncompatibleAccounts},
		"no account":    {bank(), contract.StatusNotAuthenticated, contract.SubIncompatibleAccounts},
		"only an investment": {
			bank(bankdata.Account{Type: report.Investment, Transactions: []bankdata.Transaction{{Posted: day("2026-03-01")}}}),
			contract.StatusNotAuthenticated, contract.SubIncompatibleAccounts},
		"no transaction": {bank(cash()), contract.StatusSuccess, contract.SubNoRecentInformation},
		"one pending transaction": {bank(cash(bankdata.Transaction{Posted: day("2026-03-10"), Pending: true})),
			contract.StatusSuccess, contract.SubNoRecentInformation},
		"one transaction, more than two years ago": {bank(cash(bankdata.Transaction{Posted: day("2024-03-09")})),
			contract.StatusSuccess, contract.SubNoRecentInformation},
		"one transaction, more than 12 months ago": {bank(cash(bankdata.Transaction{Posted: day("2025-03-09")})),
			contract.StatusSuccess, contract.SubNoRecentInformation},
		"one transaction, exactly 12 months ago": {bank(cash(bankdata.Transaction{Posted: day("2025-03-10")})), contract.StatusSuccess, ""},
		"one transaction, tomorrow": {bank(cash(bankdata.Transaction{Posted: day("2026-03-11")})),
			contract.StatusSuccess, contract.SubNoRecentInformation},
	} {
		if st, sub := c.data.Outcome(asOf); st != c.want || sub != c.sub {
			t.Errorf("%s: %s %s, want %s %s", name, st, sub, c.want, c.sub)
		}
		r := Build(Input{Bank: c.data}, asOf)
		if r.Meta.Status != c.want || report.Text(r.Meta.Substatus) != string(c.sub) || r.Income != nil {
			t.Errorf("%s: the report says %s %v, with income %v", name, r.Meta.Status, r.Meta.Substatus, r.Income)
		}
	}
}

func TestTransactionsWithoutIncome(t *testing.T) {
	r := build(bank(joined(each("2025-01", "2026-02", 3, -80_00, groceries), each("2025-04", "2025-04", 9, 600_00, "IRS TREAS 310 TAX REF"))))
	if r.Income != nil || r.Meta.Status != contract.StatusSuccess || r.Meta.Substatus != nil {
		t.Errorf("status %s %v, income %+v", r.Meta.Status, r.Meta.Substatus, r.Income)
	}
}

// TestIncomeClassification adds one credit to a household of wages.
func TestIncomeClassification(t *testing.T) {
	wages := each("2025-01", "2026-02", 15, 1_000_00, northwind)
	for text, c := range map[string]struct{ counts, taxed bool }{
		globex:                         {true, true},
		benefit:                        {true, false},
		"INTEREST PAYMENT":             {true, false},
		"UBER PAYOUT":                  {true, false},
		"TX CHILD SUPPORT SDU":         {true, false},
		"TWC UNEMPLOYMENT BENEFITS":    {true, false},
		"IRS TREAS 310 TAX REF":        {false, false},
		"MOBILE CHECK DEPOSIT":         {false, false},
		"ZELLE PAYMENT FROM J RIVERA":  {false, false},
		"KROGER REFUND":                {false, false},
		"LENDING CLUB LOAN PROCEEDS":   {false, false},
		"ONLINE TRANSFER FROM SAVINGS": {false, false},
	} {
		without := model(t, build(bank(joined(wages))))
		m := model(t, build(bank(joined(wages, each("2025-09", "2025-09", 20, 500_00, text)))))
		want := *without.NetAnnual
		if c.counts {
			want += 500
		}
		if *m.NetAnnual != want {
			t.Errorf("with %q, net_annual is %d, want %d", text, *m.NetAnnual, want)
		}
		if more := *m.GrossAnnual - *without.GrossAnnual - (*m.NetAnnual - *without.NetAnnual); (more > 0) != c.taxed {
			t.Errorf("%q: its gross is %d more than its net, taxed should be %v", text, more, c.taxed)
		}
	}
}

func TestWindows(t *testing.T) {
	for name, c := range map[string]struct {
		account                     bankdata.Account
		recent, annual              int64 // net; -1 is null
		inflowRecent, inflowsAnnual string
		consistent                  bool
	}{
		"two years and part of a month": {
			joined(each("2024-04", "2026-03", 5, 1_000_00, northwind)),
			12_000, 12_000, "12000.00", "12000.00", true,
		},
		"a raise in the last three months": {
			joined(each("2024-04", "2025-11", 5, 1_000_00, northwind), each("2025-12", "2026-02", 5, 2_000_00, northwind)),
			24_000, 15_000, "24000.00", "15000.00", true,
		},
		"six complete months: their sum, and the projected inflow": {
			joined(each("2025-09", "2025-09", 1, -5_00, groceries), each("2025-09", "2026-02", 5, 1_000_00, northwind)),
			12_000, 6_000, "12000.00", "12000.00", true,
		},
		"an incomplete month counts only in the sum": {
			joined(each("2025-09", "2026-02", 5, 1_000_00, northwind)),
			12_000, 6_000, "12000.00", "12000.00", true,
		},
		"two complete months": {
			joined(each("2025-12", "2025-12", 20, -5_00, groceries), each("2026-01", "2026-03", 5, 1_000_00, northwind)),
			12_000, 2_000, "12000.00", "12000.00", false,
		},
		"three months, one of them incomplete": {
			cash(func() (out []bankdata.Transaction) {
				for _, d := range []string{"2025-12-19", "2026-01-02", "2026-01-16", "2026-01-30", "2026-02-13", "2026-02-27"} {
					out = append(out, bankdata.Transaction{ID: d, Posted: day(d), Amount: 500_00, Description: northwind})
				}
				return out
			}()...),
			15_000, 3_000, "15000.00", "15000.00", true,
		},
		"no complete month": {
			cash(
				bankdata.Transaction{ID: "1", Posted: day("2026-02-04"), Amount: 500_00, Description: northwind},
				bankdata.Transaction{ID: "2", Posted: day("2026-02-18"), Amount: 500_00, Description: northwind},
				bankdata.Transaction{ID: "3", Posted: day("2026-03-04"), Amount: 500_00, Description: northwind},
			),
			-1, 1_000, "null", "null", false,
		},
		"a month without pay": {
			joined(each("2024-04", "2025-12", 5, 1_000_00, northwind), each("2026-02", "2026-02", 5, 1_000_00, northwind)),
			8_000, 11_000, "8000.00", "11000.00", false,
		},
		"income that ended seven months ago": {
			joined(each("2024-04", "2025-07", 5, 1_000_00, northwind), each("2025-08", "2026-02", 6, -9_00, groceries)),
			0, 5_000, "0.00", "5000.00", false,
		},
	} {
		m := model(t, build(bank(c.account)))
		null := func(n *int64) int64 {
			if n == nil {
				return -1
			}
			return *n
		}
		if null(m.NetRecent) != c.recent || null(m.NetAnnual) != c.annual || m.IsConsistent != c.consistent {
			t.Errorf("%s: recent %d, annual %d, consistent %v; want %d, %d, %v", name, null(m.NetRecent),
				null(m.NetAnnual), m.IsConsistent, c.recent, c.annual, c.consistent)
		}
		if (m.GrossRecent == nil) != (m.NetRecent == nil) {
			t.Errorf("%s: gross_recent is %v, net_recent %v", name, m.GrossRecent, m.NetRecent)
		}
		money := func(c *report.Cents) string {
			if c == nil {
				return "null"
			}
			return c.String()
		}
		if len(m.Inflows) != 1 || money(m.Inflows[0].RecentIncome) != c.inflowRecent || money(m.Inflows[0].AnnualIncome) != c.inflowsAnnual {
			t.Errorf("%s: inflows are %+v, want %s recent and %s a year", name, m.Inflows, c.inflowRecent, c.inflowsAnnual)
		}
	}
}

func TestGrossAnnual(t *testing.T) {
	wages := each("2024-04", "2026-03", 5, 4_199_17, northwind) // 50,390.04 a year, of 60,000 in Texas
	m := model(t, build(bank(joined(wages))))
	if *m.NetAnnual != 50_390 || *m.GrossAnnual != 60_000 || *m.GrossRecent != 60_000 {
		t.Errorf("net %d, gross %d and %d", *m.NetAnnual, *m.GrossAnnual, *m.GrossRecent)
	}
	// A benefit beside it is its own gross, and does not change that of the wage.
	m = model(t, build(bank(joined(wages, each("2024-04", "2026-03", 12, 1_000_00, benefit)))))
	if *m.NetAnnual != 62_390 || *m.GrossAnnual != 72_000 {
		t.Errorf("with a benefit, net %d, gross %d", *m.NetAnnual, *m.GrossAnnual)
	}
	// Half a year of the same wage is half of the same gross.
	half := model(t, build(bank(joined(each("2025-09", "2025-09", 1, -5_00, groceries), each("2025-09", "2026-02", 5, 4_199_17, northwind)))))
	if *half.NetAnnual != 25_195 || *half.GrossAnnual != 30_000 || *half.GrossRecent != 60_000 {
		t.Errorf("half a year: net %d, gross %d and %d", *half.NetAnnual, *half.GrossAnnual, *half.GrossRecent)
	}
}

// TestJobsAreTaxedSeparately checks that each of two simultaneous jobs is taxed as the only
// one, and that consecutive jobs count as one.
func TestJobsAreTaxedSeparately(t *testing.T) {
	const globex, initech = "GLOBEX CORPORATION PAYROLL PPD", "INITECH SYSTEMS DES:PAYROLL ID:771 INDN:PAT DOE CO ID:123 PPD"
	net := func(gross report.Cents) report.Cents { return (Net(2026, "TX", gross) + 6) / 12 }
	for name, c := range map[string]struct {
		account bankdata.Account
		gross   int64
	}{
		"one": {joined(each("2024-04", "2026-02", 5, net(60_000_00), northwind)), 60_000},
		"two at once": {joined(each("2024-04", "2026-02", 5, net(60_000_00), northwind),
			each("2024-04", "2026-02", 20, net(90_000_00), globex)), 150_000},
		"three at once": {joined(each("2024-04", "2026-02", 5, net(60_000_00), northwind),
			each("2024-04", "2026-02", 20, net(24_000_00), globex), each("2024-04", "2026-02", 9, net(120_000_00), initech)), 204_000},
		"one after the other": {joined(each("2024-04", "2025-08", 5, net(60_000_00), northwind),
			each("2025-09", "2026-02", 20, net(60_000_00), globex)), 60_000},
		"with one month of both": {joined(each("2024-04", "2025-08", 5, net(60_000_00), northwind),
			each("2025-08", "2026-02", 1, net(60_000_00), globex)), 65_000},
		"two spellings of one employer": {joined(each("2024-04", "2026-02", 5, net(60_000_00)/2, northwind),
			each("2024-04", "2026-02", 20, net(60_000_00)/2, "NORTHWIND LOGISTIC DIR DEP PAYROLL")), 60_000},
	} {
		m := model(t, Build(Input{Bank: bank(c.account), State: "TX"}, asOf))
		if off := *m.GrossAnnual - c.gross; off < -c.gross/200 || off > c.gross/200 {
			t.Errorf("%s: gross %d, want about %d", name, *m.GrossAnnual, c.gross)
		}
	}
}

func TestState(t *testing.T) {
	a := joined(each("2024-04", "2026-03", 5, 4_000_00, northwind))
	gross := func(state string, addresses ...bankdata.Address) int64 {
		a.Addresses = addresses
		return *model(t, Build(Input{Bank: bank(a), State: state}, asOf)).GrossAnnual
	}
	texas, oregon := gross("TX"), gross("OR")
	if texas >= gross("") || gross("") >= oregon {
		t.Errorf("gross is %d in Texas, %d anywhere, %d in Oregon", texas, gross(""), oregon)
	}
	if got := gross("", bankdata.Address{State: "OR"}, bankdata.Address{State: "TX"}); got != oregon {
		t.Errorf("by the bank's address in Oregon %d, want %d", got, oregon)
	}
	if got := gross("TX", bankdata.Address{State: "OR"}); got != texas {
		t.Errorf("stated Texas, bank in Oregon: %d, want %d", got, texas)
	}
}

func TestHistory(t *testing.T) {
	a := joined(each("2024-11", "2024-11", 20, 700_00, benefit), each("2025-01", "2026-03", 5, 1_000_00, benefit))
	h := model(t, build(bank(a))).History
	write := func(of []*report.Cents) string {
		words := make([]string, len(of))
		for i, c := range of {
			words[i] = "-"
			if c != nil {
				words[i] = fmt.Sprint(dollars(*c))
			}
		}
		return strings.Join(words, " ")
	}
	var got []string
	for _, y := range h {
		got = append(got, fmt.Sprint(y.Year, ": ", write(y.Net)))
		if write(y.Net) != write(y.Gross) {
			t.Errorf("%d: a benefit's gross is %s", y.Year, write(y.Gross))
		}
	}
	want := []string{
		"2026: - - - - - - - - - 1000 1000 1000",
		"2025: 1000 1000 1000 1000 1000 1000 1000 1000 1000 1000 1000 1000",
		"2024: 0 700 - - - - - - - - - -",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestDescriptions(t *testing.T) {
	a := joined(
		each("2025-01", "2026-02", 3, 900_00, northwind),
		each("2025-01", "2026-02", 9, 1_500_00, benefit),
		each("2025-01", "2026-02", 12, 20_00, "INTEREST PAYMENT"),
		each("2025-09", "2026-02", 15, 1_200_00, globex),
		each("2025-01", "2025-10", 18, 9_000_00, "INITECH HOLDINGS PAYROLL"),
	)
	m := model(t, build(bank(a)))
	if diff := cmp.Diff([]string{"SSA TREAS SOC", "GLOBEX WIDGETS", "NORTHWIND LOGISTICS"}, m.Descriptions); diff != "" {
		t.Error(diff)
	}
	var all []string
	for _, x := range m.Inflows {
		all = append(all, x.Description)
	}
	want := []string{"INITECH HOLDINGS", "SSA TREAS SOC", "NORTHWIND LOGISTICS", "GLOBEX WIDGETS", "INTEREST"}
	if diff := cmp.Diff(want, all); diff != "" {
		t.Errorf("inflows, by the year, the ended one included: %s", diff)
	}
}

func TestInflowsOfTheLastYear(t *testing.T) {
	for until, want := range map[string]int{"2025-02": 0, "2025-03": 1, "2026-03": 1} {
		a := joined(each("2024-04", until, 3, 900_00, northwind), each("2025-03", "2026-03", 9, -1_00, groceries))
		if m := model(t, build(bank(a))); len(m.Inflows) != want {
			t.Errorf("last paid in %s: inflows are %+v, want %d", until, m.Inflows, want)
		}
	}
}

func TestSuites(t *testing.T) {
	d := bank(joined(each("2025-01", "2026-02", 3, 900_00, northwind)))
	for _, c := range []struct {
		options Options
		version string
		more    bool
	}{
		{Options{}, "1.2", false},
		{Options{Inflows: true}, "1.2", false},
		{Options{Suite: "1.9", Inflows: true}, "1.9", false},
		{Options{Suite: "2.0"}, "2.0", false},
		{Options{Suite: "2.0", Inflows: true}, "2.0", true},
		{Options{Suite: "10.1", Inflows: true}, "10.1", true},
		{Options{Suite: "two", Inflows: true}, "two", false},
	} {
		m := model(t, Build(Input{Bank: d, Options: c.options}, asOf))
		if m.ModelType != report.ModelIncome || m.ModelVersion != c.version || (m.IncomeSuite2 != nil) != c.more {
			t.Errorf("%+v: model %s %s, more %v", c.options, m.ModelType, m.ModelVersion, m.IncomeSuite2)
		}
	}
	for _, c := range []struct {
		a, b string
		want bool
	}{{"1.2", "1.2", true}, {"1.2.0", "1.2", true}, {"1.10", "1.2", true}, {"1.1", "1.2", false}, {"2", "2.0", true},
		{"1.1.9", "1.2", false}, {"", "1.2", false}, {"-2", "1.2", false}, {"2.x", "1.2", false}} {
		if got := AtLeast(c.a, c.b); got != c.want {
			t.Errorf("AtLeast(%q, %q) = %v", c.a, c.b, got)
		}
	}
}

func TestEmptySuite20(t *testing.T) {
	b, err := report.Encode(model(t,
		build(bank(joined(each("2025-06", "2025-06", 3, 900_00, benefit), each("2025-01", "2026-02", 9, -1_00, groceries))))))
	if err != nil {
		t.Fatal(err)
	}
	want := `"primary_account_detected":false,"job_irregularity_risk":null,"inflows":[],"matched_income_sources":[]}`
	if !bytes.HasSuffix(b, []byte(want)) || !bytes.Contains(b, []byte(`"descriptions":[]`)) || bytes.Contains(b, []byte("matched_income\"")) {
		t.Errorf("the model is %s", b)
	}
}
