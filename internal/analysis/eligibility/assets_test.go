package eligibility

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/analysis/income"
	"vestibule/internal/contract"
	"vestibule/internal/report"
)

// figuresFor formats an account's first transaction, average and income, with "-" for null.
func figuresFor(a report.AssetAccount) string {
	out := "-"
	if a.FirstTransaction != nil {
		out = a.FirstTransaction.String()
	}
	for _, c := range []*report.Cents{a.AverageBalance, a.IncomeFromAssets} {
		if c == nil {
			out += " -"
		} else {
			out += " " + c.String()
		}
	}
	return out
}

func TestAccountFigures(t *testing.T) {
	for name, c := range map[string]struct {
		balance      report.Cents
		transactions []bankdata.Transaction
		want         string
	}{
		"no transaction":          {500_00, nil, "- - -"},
		"an old transaction":      {500_00, []bankdata.Transaction{posted("2024-06-01", 500_00, "DEPOSIT")}, "2024-06-01 500.00 0.00"},
		"exactly two years ago":   {500_00, []bankdata.Transaction{posted("2024-03-10", 500_00, "DEPOSIT")}, "2024-03-10 500.00 0.00"},
		"more than two years ago": {500_00, []bankdata.Transaction{posted("2024-03-09", 500_00, "DEPOSIT")}, "- - -"},
		"pending": {500_00, []bankdata.Transaction{{ID: "1", Posted: day("2026-03-01"),
			Pending: true, Amount: 1_00, Description: "INTEREST PAYMENT"}}, "- - -"},
		"today only": {500_00, []bankdata.Transaction{posted("2026-03-10", 500_00, "DEPOSIT")}, "2026-03-10 500.00 0.00"},
		"two days": {501_00, []bankdata.Transaction{posted("2026-03-09", 500_00, "DEPOSIT"),
			posted("2026-03-10", 1_00, "DEPOSIT")}, "2026-03-09 500.50 0.00"},
		"a third of a cent is rounded down": {1, []bankdata.Transaction{posted("2026-03-08", 0, "NOTHING"),
			posted("2026-03-10", 1, "DEPOSIT")}, "2026-03-08 0.00 0.00"},
		"half a cent is rounded up": {1, []bankdata.Transaction{posted("2026-03-09", 0, "NOTHING"),
			posted("2026-03-10", 1, "DEPOSIT")}, "2026-03-09 0.01 0.00"},
		"half a cent of debt is rounded up": {-1, []bankdata.Transaction{posted("2026-03-09", 0, "NOTHING"),
			posted("2026-03-10", -1, "FEE")}, "2026-03-09 0.00 0.00"},
		"a deposit on the first day of the six months": {1_81, []bankdata.Transaction{posted("2025-01-01", 1, "DEPOSIT"),
			posted("2025-09-11", 1_80, "DEPOSIT")}, "2025-01-01 1.81 0.00"},
		"a deposit on the second day of the six months": {1_81, []bankdata.Transaction{posted("2025-01-01", 1, "DEPOSIT"),
			posted("2025-09-12", 1_81, "DEPOSIT")}, "2025-01-01 1.80 0.00"},
		"interest and dividends": {9_00, []bankdata.Transaction{posted("2025-03-11", 1_00, "INTEREST PAYMENT"),
			posted("2025-08-11", 2_00, "DIVIDEND RECEIVED INDEX FUND"),
			posted("2026-03-10", 4_00, "INTEREST PAYMENT")}, "2025-03-11 5.02 7.00"},
		"interest exactly a year ago": {9_00, []bankdata.Transaction{posted("2025-03-10", 9_00, "INTEREST PAYMENT")},
			"2025-03-10 9.00 0.00"},
		"negative amounts": {9_00, []bankdata.Transaction{posted("2025-03-11", 10_00, "INTEREST PAYMENT"),
			posted("2025-06-11", -1_00, "DIVIDEND REINVESTED INDEX FUND"), posted("2025-06-12", -2_00, "INTEREST PAYMENT REVERSAL"),
			posted("2025-06-13", -3_00, "INTEREST PAYMENT")}, "2025-03-11 9.00 10.00"},
		"wages and interest charges": {9_00, []bankdata.Transaction{posted("2025-03-11", 10_00, "ACME PAYROLL"),
			posted("2025-06-11", -1_00, "INTEREST CHARGE")}, "2025-03-11 9.00 0.00"},
	} {
		a := cash(c.transactions...)
		a.Balance = c.balance
		// Another account's longer history changes nothing.
		other := cash(posted("2024-04-01", 1_00, "INTEREST PAYMENT"), posted("2026-03-10", 70_00, "INTEREST PAYMENT"))
		other.ID = "b"
		for _, d := range []bankdata.Data{bank(a), bank(a, other)} {
			r := Build(Input{Envelope: labels, Workflow: report.AssetsOnly, Bank: d}, asOf)
			if got := figuresFor(r.Assets.AccountDetails[0]); got != c.want {
				t.Errorf("%s: %s, want %s", name, got, c.want)
			}
		}
	}
}

// TestAccountsInOtherCurrencies has cash and a fund abroad, and a balance of an earlier day
// at home.
func TestAccountsInOtherCurrencies(t *testing.T) {
	home, abroad := cash(posted("2026-03-01", 10_00, "INTEREST PAYMENT"), posted("2026-03-09", -4_00, "GROCERY")),
		cash(posted("2026-02-01", 700_00, "INTEREST PAYMENT"))
	stated := day("2026-03-05")
	home.Balance, home.BalanceDate = 100_00, &stated
	abroad.ID, abroad.Currency, abroad.Balance = "x", "EUR", 50_00
	fund := abroad
	fund.ID, fund.Type = "f", report.Investment
	d := bankdata.Data{Connections: []bankdata.Connection{{ID: "1", SourceID: "ONE", Status: contract.StatusSuccess,
		Accounts: []bankdata.Account{abroad, fund, home}}}}
	r := Build(Input{Envelope: labels, Workflow: report.AssetsOnly, Bank: d}, asOf)
	var got []string
	for _, x := range r.Assets.AccountDetails {
		got = append(got, x.AccountID+" "+figuresFor(x)+" "+x.CurrentBalance.String()+" "+x.Currency+
			" "+fmt.Sprint(x.LeftOut)+" "+fmt.Sprint(x.BalanceDate))
	}
	want := []string{"x 2026-02-01 - - 50.00 EUR true <nil>", "f 2026-02-01 - - 50.00 EUR true <nil>",
		home.ID + " 2026-03-01 99.20 10.00 100.00  false 2026-03-05"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if len(r.Assets.Inflows) != 0 {
		t.Errorf("inflows %v", r.Assets.Inflows)
	}
}

func TestInvestmentAccounts(t *testing.T) {
	invested := bankdata.Account{ID: "i", Type: report.Investment, Balance: 9_000_00, Transactions: []bankdata.Transaction{
		posted("2025-01-10", 31_50, "DIVIDEND REINVESTED INDEX FUND"), posted("2025-04-10", 31_50, "DIVIDEND REINVESTED INDEX FUND"),
		posted("2025-04-11", -31_50, "BUY INDEX FUND"), posted("2025-10-10", 32_00, "DIVIDEND REINVESTED INDEX FUND"),
		posted("2025-11-10", 500_00, "ACME PAYROLL"),
	}}
	a := cash(posted("2026-03-10", 4_00, "INTEREST PAYMENT"))
	d := bankdata.Data{Connections: []bankdata.Connection{
		{ID: "1", SourceID: "ONE", Status: contract.StatusSuccess, Accounts: []bankdata.Account{invested, a}},
		{ID: "2", SourceID: "TWO", Status: contract.StatusSuccess, Accounts: []bankdata.Account{{ID: "e", Type: report.Investment}}},
	}}
	r := Build(Input{Envelope: labels, Workflow: report.AssetsOnly, Bank: d}, asOf)
	var got []string
	for _, x := range r.Assets.AccountDetails {
		got = append(got, x.SourceID+" "+x.AccountID+" "+*x.AccountType+" "+report.Text(x.AccountSubtype)+" "+figuresFor(x))
	}
	want := []string{"ONE i INVESTMENT  2025-01-10 - 63.50", "ONE a CASH_EQUIVALENT CHECKING 2026-03-10 0.00 4.00", "TWO e INVESTMENT  - - -"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if len(r.Assets.Inflows) != 0 {
		t.Errorf("a deposit into an investment account is an inflow: %+v", r.Assets.Inflows)
	}
}

func TestFailedConnectionsAreListed(t *testing.T) {
	d := bank(cash())
	d.Connections = append(d.Connections, bankdata.Connection{ID: "3", SourceID: "THREE",
		Institution: "Third Bank", Status: contract.StatusSupplierUnresponsive})
	in := Input{Envelope: labels, Bank: d, Gathered: Gathered{Failed: []Failed{{SourceID: "TWO", SourceUUID: "2", Institution: "Second Bank",
		Status: contract.StatusNotAuthenticated, Substatus: contract.SubEBankingNotSupported, At: asOf.AddDate(0, 0, -1)}}}}
	raw, err := report.Encode(Build(in, asOf).Assets.Failed)
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"source_id":"TWO","source_uuid":"2","institution_name":"Second Bank","status":"NOT_AUTHENTICATED",` +
		`"substatus":"E_BANKING_NOT_SUPPORTED","failed_at":"2026-03-09T15:00:00.000Z"},` +
		`{"source_id":"THREE","source_uuid":"3","institution_name":"Third Bank","status":"SUPPLIER_UNRESPONSIVE",` +
		`"substatus":null,"failed_at":"2026-03-10T15:00:00.000Z"}]`
	if string(raw) != want {
		t.Errorf("failed connections are %s", raw)
	}
}

func TestCompletenessChecks(t *testing.T) {
	old, young := cash(posted("2025-09-10", 1_00, "DEPOSIT")), cash(posted("2025-09-11", 1_00, "DEPOSIT"))
	paid := works("p", "Globex")
	paid.Payroll.Jobs[0].Deposits = append(paid.Payroll.Jobs[0].Deposits, deposit("7301"))
	astray := works("p", "Globex")
	astray.Payroll.Jobs[0].Deposits = append(astray.Payroll.Jobs[0].Deposits, deposit("7301"), deposit("0000"))
	failed := works("p", "Globex")
	failed.Status = contract.StatusError
	read, unread := Document{Status: contract.StatusSuccess}, Document{Status: contract.StatusNotAuthenticated}
	skipped := map[string]string{"Globex": "OTHER"}
	elsewhere := works("e", "Vandelay Industries")
	elsewhere.Employer = "Globex"
	stub := func(shows string) Document {
		d := Stub(income.Paystub{ID: "s", SourceID: "S", Status: contract.StatusSuccess, Employer: shows})
		d.Employer = "Globex"
		return d
	}
	letter := Document{Type: report.VerifiedByDocument, Employer: "Globex", Status: contract.StatusSuccess}
	for name, c := range map[string]struct {
		accounts []bankdata.Account
		stated   string
		gathered Gathered
		want     string // of employers, assets, direct deposits, six months, failed, documents: y, n or -
	}{
		"nothing":                                     {nil, "", Gathered{}, "-n--y-"},
		"an account of six months":                    {[]bankdata.Account{old}, "", Gathered{}, "-y-yy-"},
		"an account a day younger":                    {[]bankdata.Account{young}, "", Gathered{}, "-y-ny-"},
		"one of each":                                 {[]bankdata.Account{old, young}, "", Gathered{}, "-y-ny-"},
		"one without transactions":                    {[]bankdata.Account{old, cash()}, "", Gathered{}, "-y-ny-"},
		"an investment account":                       {[]bankdata.Account{{Type: report.Investment}}, "", Gathered{}, "-y--y-"},
		"an open employer":                            {nil, "Globex", Gathered{}, "nn--y-"},
		"a skipped employer":                          {nil, "Globex", Gathered{Skipped: skipped}, "yn--y-"},
		"a verified employer":                         {nil, "Globex", Gathered{Payroll: []Connected{works("p", "Globex")}}, "yn--y-"},
		"one of two is verified":                      {nil, "Globex,Initech", Gathered{Payroll: []Connected{works("p", "Globex")}}, "nn--y-"},
		"a failed connection":                         {nil, "Globex", Gathered{Payroll: []Connected{failed}}, "nn--y-"},
		"skipped, a failed connection":                {nil, "Globex", Gathered{Payroll: []Connected{failed}, Skipped: skipped}, "yn--y-"},
		"a source of another employer":                {nil, "Globex", Gathered{Payroll: []Connected{elsewhere}}, "nn--y-"},
		"skipped, a source of another employer":       {nil, "Globex", Gathered{Payroll: []Connected{elsewhere}, Skipped: skipped}, "yn--y-"},
		"sources of another employer and of this one": {nil, "Globex", Gathered{Payroll: []Connected{elsewhere, works("p", "Globex")}}, "yn--y-"},
		"the other is stated too":                     {nil, "Globex,Vandelay", Gathered{Payroll: []Connected{elsewhere}}, "nn--y-"},
		"its pay stub":                                {nil, "Globex", Gathered{Documents: []Document{stub("GLOBEX INC")}}, "yn--yy"},
		"a stub of another employer":                  {nil, "Globex", Gathered{Documents: []Document{stub("Vandelay")}}, "nn--yy"},
		"a stub without an employer":                  {nil, "Globex", Gathered{Documents: []Document{stub("")}}, "nn--yy"},
		"another kind of document":                    {nil, "Globex", Gathered{Documents: []Document{letter}}, "yn--yy"},
		"pay to the account":                          {[]bankdata.Account{old}, "Globex", Gathered{Payroll: []Connected{paid}}, "yyyyy-"},
		"part of the pay goes elsewhere":              {[]bankdata.Account{old}, "Globex", Gathered{Payroll: []Connected{astray}}, "yynyy-"},
		"pay to an unknown account":                   {nil, "Globex", Gathered{Payroll: []Connected{paid}}, "ynn-y-"},
		"a bank that failed":                          {[]bankdata.Account{old}, "", Gathered{Failed: []Failed{{}}}, "-y-yn-"},
		"documents":                                   {nil, "", Gathered{Documents: []Document{read}}, "-n--yy"},
		"an unreadable document":                      {nil, "", Gathered{Documents: []Document{read, unread}}, "-n--yn"},
	} {
		in := Input{Envelope: labels, StatedEmployers: strings.Split(c.stated, ","), Gathered: c.gathered}
		if c.accounts != nil {
			in.Bank = bank(c.accounts...)
		}
		got := ""
		checks := Build(in, asOf).Checks
		for _, name := range report.CompletenessChecks() {
			switch v := checks[name].Value; {
			case v == nil:
				got += "-"
			case *v:
				got += "y"
			default:
				got += "n"
			}
		}
		if got != c.want || len(checks) != len(report.CompletenessChecks()) {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestMean(t *testing.T) {
	for _, c := range []struct {
		of   []report.Cents
		want report.Cents
	}{
		{[]report.Cents{7}, 7}, {[]report.Cents{1, 2}, 2}, {[]report.Cents{-1, -2}, -1}, {[]report.Cents{-1, 0}, 0},
		{[]report.Cents{-1, -1, 0}, -1}, {[]report.Cents{-1, 0, 0}, 0},
		{[]report.Cents{most, most - 1}, most}, {[]report.Cents{math.MaxInt64, math.MaxInt64, math.MaxInt64}, most},
		{[]report.Cents{math.MinInt64, math.MinInt64}, -most},
		{[]report.Cents{math.MaxInt64, -math.MaxInt64, 3}, 1},
	} {
		if got := mean(c.of); got != c.want {
			t.Errorf("mean(%v) = %d, want %d", c.of, got, c.want)
		}
	}
}
