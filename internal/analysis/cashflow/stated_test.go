package cashflow

import (
	"strings"
	"testing"
	"time"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/contract"
	"vestibule/internal/report"
)

// spender has a balance of 5,000 as of twenty days ago, and spent 4,950 since.
func spender() bankdata.Data {
	stated := day("2026-02-18")
	a := bankdata.Account{ID: "a", Type: report.CashEquivalent, Subtype: report.Checking,
		Currency: "USD", Balance: 5_000_00, BalanceDate: &stated}
	for _, m := range []struct {
		day    string
		amount report.Cents
	}{{"2025-10-02", 100_00}, {"2026-01-05", 200_00}, {"2026-02-20", -2_450_00}, {"2026-03-02", -2_500_00}} {
		a.Transactions = append(a.Transactions, bankdata.Transaction{ID: m.day, Posted: day(m.day), Amount: m.amount, Description: "SOMETHING"})
	}
	return bankdata.Data{Connections: []bankdata.Connection{{ID: "1", SourceID: "BANK",
		Status: contract.StatusSuccess, Accounts: []bankdata.Account{a}}}}
}

// TestStatedBalanceDate checks that CUR is the balance at the fetch date, while the
// account's current_balance is the stated one.
func TestStatedBalanceDate(t *testing.T) {
	at := time.Date(2026, 3, 10, 9, 0, 0, 0, time.UTC)
	in := Input{Bank: spender(), Options: Options{Attributes: true}}
	r := Build(in, at)
	got := map[string]string{}
	for _, a := range r.Attributes {
		got[a.Name] = a.Value.String()
	}
	for name, want := range map[string]string{
		"UA_ASSET_TOTAL_BAL_CUR": "50.00", "UA_ASSET_CHECKING_BAL_CUR": "50.00", "UA_ASSET_NEGDAYS_CNT_3M": "0",
		"UA_ASSET_TOTAL_MAX_3M": "5000.00", "UA_ASSET_TOTAL_MIN_3M": "2550.00", "UA_ASSET_NEGDAYS_REC": "9996",
	} {
		if got[name] != want {
			t.Errorf("%s = %s, want %s", name, got[name], want)
		}
	}
	if d := r.AccountDetails[0]; *d.CurrentBalance != 5_000_00 || d.BalanceDate == nil ||
		d.BalanceDate.String() != "2026-02-18" || d.LeftOut || d.Currency != "" {
		t.Errorf("the account is %+v", d)
	}
	a := Explain(in, at)
	if n := len(a.Total); a.Total[n-1] != 50_00 || a.Total[0] != 4_800_00 ||
		a.Accounts[0].BalanceDate.String() != "2026-02-18" || a.Months[len(a.Months)-1].End != 50_00 {
		t.Errorf("the explanation ends with %v, its account %+v", a.Total[n-1], a.Accounts[0].BalanceDate)
	}
}

// TestOtherCurrenciesAreNotAdded has a second account in euros, which would add income, the
// other leg of a transfer and days below zero.
func TestOtherCurrenciesAreNotAdded(t *testing.T) {
	at := time.Date(2026, 3, 10, 9, 0, 0, 0, time.UTC)
	in := Input{Bank: spender(), Options: Options{Attributes: true, Deprecated: true, ScoreV1: true}}
	alone, explained := Build(in, at), Explain(in, at)
	other := bankdata.Account{ID: "e", Institution: "Abroad", Type: report.CashEquivalent,
		Subtype: report.Checking, Currency: "EUR", Balance: -900_00, Number: "12345678"}
	for _, m := range []string{"2026-01-05", "2026-02-20", "2026-03-02"} {
		other.Transactions = append(other.Transactions,
			bankdata.Transaction{ID: m, Posted: day(m), Amount: 2_450_00, Description: "ACME PAYROLL"})
	}
	in.Bank.Connections = append(in.Bank.Connections, bankdata.Connection{ID: "2", SourceID: "ABROAD",
		Status: contract.StatusSuccess, Accounts: []bankdata.Account{other}})
	both := Build(in, at)
	for i, a := range both.Attributes {
		if was := alone.Attributes[i]; a.Value != was.Value || strings.Join(a.SourceIDs, " ") != "BANK" {
			t.Errorf("%s of %v becomes %s, was %s", a.Name, a.SourceIDs, a.Value, was.Value)
		}
	}
	if len(both.AccountDetails) != 2 || !both.AccountDetails[1].LeftOut || both.AccountDetails[1].Currency != "EUR" ||
		both.AccountDetails[0].Currency != "" || len(both.Sources) != 2 {
		t.Errorf("accounts %+v", both.AccountDetails)
	}
	a := Explain(in, at)
	if len(a.Accounts) != 1 || a.Currency != "USD" || len(a.Streams) != len(explained.Streams) || a.Total[len(a.Total)-1] != 50_00 {
		t.Errorf("explained: %+v", a)
	}
	if len(a.Others) != 1 || a.Others[0].AccountID != "e" || a.Others[0].Currency != "EUR" ||
		report.Text(a.Others[0].TruncatedNumber) != "5678" {
		t.Errorf("other accounts %+v", a.Others)
	}
}
