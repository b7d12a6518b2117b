package profiles

import (
	"bytes"
	"testing"
	"time"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/analysis/cashflow"
	"vestibule/internal/analysis/eligibility"
	incomes "vestibule/internal/analysis/income"
	"vestibule/internal/contract"
	"vestibule/internal/provider/sandbox/signin"
	"vestibule/internal/provider/sources"
	"vestibule/internal/report"
	"vestibule/internal/testutil/golden"
)

const link = "5c9d3f52-7a2b-4f0e-8f0e-3a6a3d1f0a11"

func at(t *testing.T, s string) time.Time {
	t.Helper()
	v, err := time.Parse(time.RFC3339, s)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestProfileReports holds the whole report of each profile against its
// golden file, at the end of a leap February and in the middle of a July.
func TestProfileReports(t *testing.T) {
	for _, name := range Names() {
		for _, day := range []string{"2024-02-29", "2026-07-14"} {
			t.Run(name+" on "+day, func(t *testing.T) {
				when := at(t, day+"T09:30:15.123Z")
				in := cashflow.Input{
					Envelope: report.Envelope{PublicToken: link, ExternalID: "application-17", ConsumerID: "0b3f6a0e-6a53-4a0c-b9a2-0d6a1de4f5b7",
						Product:     report.Product{Name: "Cashflow", ProductID: "7d0b6f0e-2f6f-4d0e-9c55-5b1b5d7f0c3e", InquiryType: "PERSONAL"},
						InputSource: report.ConsumerInput, InputUUID: "ddf4f759-0621-57d3-b98f-635f4578f016",
						InputRecordID: "f15055cf-6c30-5125-a3f6-43d31ad5d57f"},

					Consumer: &bankdata.Person{FirstName: "Joint", LastName: "Okafor", Emails: []string{"applicant@mail.example"}},
					Bank:     Bank{}.Fetch(name, link, when),
					Options:  cashflow.Options{Attributes: true, Deprecated: name == "default", ScoreV1: name == "default"},
				}
				got, err := report.Encode(cashflow.Build(in, when))
				if err != nil {
					t.Fatal(err)
				}
				again, _ := report.Encode(cashflow.Build(in, when))
				if !bytes.Equal(got, again) {
					t.Error("the same input gave other bytes")
				}
				golden.CompareJSON(t, "testdata/"+name+"-"+day+".json", "  ", got)
				if _, err := report.ParseCashflow(got); err != nil {
					t.Errorf("its own reader refuses it: %v", err)
				}
			})
		}
	}
}

func TestProfileOutcomes(t *testing.T) {
	when := at(t, "2026-07-14T00:00:00Z")
	for _, name := range Names() {
		want := contract.Substatus("")
		if name == "noincome" {
			want = contract.SubNoRecentInformation
		}
		st, sub := Bank{}.Fetch(name, link, when).Outcome(when)
		if st != contract.StatusSuccess || sub != want {
			t.Errorf("outcome of %s = %s %s, want SUCCESS %s", name, st, sub, want)
		}
	}
	multi := Bank{}.Fetch("multi", link, when)
	brokerage := multi.Connections[0].Accounts[2]
	st, sub := multi.Only([]string{brokerage.ID}).Outcome(when)
	if st != contract.StatusNotAuthenticated || sub != contract.SubIncompatibleAccounts {
		t.Errorf("outcome of an investment account alone = %s %s, want %s %s",
			st, sub, contract.StatusNotAuthenticated, contract.SubIncompatibleAccounts)
	}
}

// fetchDates are 400 consecutive dates, a leap day among them; in a short run, every
// thirteenth.
func fetchDates(t *testing.T) (all []time.Time) {
	t.Helper()
	step := 1
	if testing.Short() {
		step = 13
	}
	for n := 0; n < 400; n += step {
		all = append(all, at(t, "2023-12-20T23:59:59Z").AddDate(0, 0, n))
	}
	return all
}

// TestGeneratorProperties walks a year of fetch dates.
func TestGeneratorProperties(t *testing.T) {
	for _, when := range fetchDates(t) {
		fetch := report.DateOf(when)
		for _, name := range Names() {
			for _, a := range (Bank{}).Fetch(name, link, when).Connections[0].Accounts {
				seen := map[string]bool{}
				for _, tx := range a.Transactions {
					if seen[tx.ID] {
						t.Fatalf("%s on %s: transaction id %s twice", name, fetch, tx.ID)
					}
					seen[tx.ID] = true
					if tx.Posted.After(fetch.Time) || tx.Posted.Before(bankdata.HistoryStart(fetch).Time) {
						t.Fatalf("%s on %s: a transaction of %s", name, fetch, tx.Posted)
					}
					if tx.Amount == 0 {
						t.Fatalf("%s on %s: a transaction of nothing on %s", name, fetch, tx.Posted)
					}
				}
			}
		}
	}
}

// TestPastBalancesDoNotChange checks that tomorrow's history, walked
// back one day, gives today's balance, within a month.
func TestPastBalancesDoNotChange(t *testing.T) {
	for _, name := range Names() {
		today := at(t, "2026-03-01T12:00:00Z")
		for ; today.Day() < 31; today = today.AddDate(0, 0, 1) {
			tomorrow := today.AddDate(0, 0, 1)
			a := Bank{}.Fetch(name, link, today).Connections[0].Accounts[0]
			b := Bank{}.Fetch(name, link, tomorrow).Connections[0].Accounts[0]
			back := b.Balance
			for _, tx := range b.History(report.DateOf(tomorrow)) {
				if tx.Posted.Equal(report.DateOf(tomorrow).Time) {
					back -= tx.Amount
				}
			}
			if back != a.Balance {
				t.Errorf("%s: balance of %s is %s, and seen a day later %s", name, today.Format(time.DateOnly), a.Balance, back)
			}
		}
	}
}

func TestAccountsKeepTheirIDs(t *testing.T) {
	when := at(t, "2026-07-14T00:00:00Z")
	accounts := func(name, link string, when time.Time) []bankdata.Account {
		return Bank{}.Fetch(name, link, when).Connections[0].Accounts
	}
	for _, name := range Names() {
		chosen := accounts(name, link, when)
		for i, a := range accounts(name, link, when.AddDate(0, 0, 3)) {
			if chosen[i].ID != a.ID {
				t.Errorf("%s has account %d as %s, and later as %s", name, i, chosen[i].ID, a.ID)
			}
		}
		if accounts(name, "another link", when)[0].ID == chosen[0].ID {
			t.Errorf("%s gives two consumers one account id", name)
		}
	}
	if d := (Bank{}).Fetch("unknown", link, when); len(d.Connections) != 0 {
		t.Errorf("an unknown profile has %d connections", len(d.Connections))
	}
}

func TestLogin(t *testing.T) {
	for _, c := range []struct {
		username, profile string
		reason            sources.Reason
		ok                bool
	}{
		{"default", "default", "", true},
		{" Joint ", "joint", "", true},
		{"SUPPLIER_UNRESPONSIVE", "", sources.Unresponsive, true},
		{"Error ", "", sources.Rejected, true},
		{"errors", "", "", false},
		{"no transactions", "", "", false},
		{"no_transactions", "noincome", "", true},
		{"error", "", sources.Rejected, true},
		{"mfa", "", sources.Challenged, true},
		{"debt_only", "debt_only", "", true},
		{"investment_only", "investment_only", "", true},
		{"e_banking_unsupported", "", sources.Unsupported, true},
		{"supplier_unresponsive", "", sources.Unresponsive, true},
		{"", "", "", false},
		{"admin", "", "", false},
	} {
		in := Bank{}.Login(c.username)
		if want := (signin.Login{Known: c.ok, Profile: c.profile, Reason: c.reason}); in != want {
			t.Errorf("Login(%q) = %+v, want %+v", c.username, in, want)
		}
	}
}

// TestProfilesWithoutUsableAccounts: that a report of debts or of investments alone is
// refused follows from the accounts, in the engine of every product.
func TestProfilesWithoutUsableAccounts(t *testing.T) {
	at := time.Date(2026, 7, 14, 9, 30, 0, 0, time.UTC)
	for _, name := range []string{"debt_only", "investment_only"} {
		data := Bank{}.Fetch(name, "link", at)
		if len(data.Connections) != 1 || len(data.Connections[0].Accounts) == 0 || len(data.Connections[0].Accounts[0].Transactions) == 0 {
			t.Fatalf("%s has no accounts: %+v", name, data)
		}
		type outcome struct {
			status contract.Status
			sub    contract.Substatus
		}
		got := map[string]outcome{}
		set := func(product string, status contract.Status, sub contract.Substatus) {
			got[product] = outcome{status, sub}
		}
		status, sub := data.Outcome(at)
		set("cashflow", status, sub)
		in := incomes.Input{Bank: data}
		status, sub = in.Outcome(at)
		set("income", status, sub)
		status, sub = eligibility.Outcome(eligibility.Input{Bank: data}, at)
		set("eligibility", status, sub)
		for product, o := range got {
			if o != (outcome{contract.StatusNotAuthenticated, contract.SubIncompatibleAccounts}) {
				t.Errorf("%s of %s: %v", product, name, o)
			}
		}
	}
}
