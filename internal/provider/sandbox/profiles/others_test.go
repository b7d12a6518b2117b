package profiles

import (
	"slices"
	"strings"
	"testing"

	"vestibule/internal/analysis/cashflow"
	"vestibule/internal/contract"
	"vestibule/internal/report"
	"vestibule/internal/testutil/golden"
)

// TestOtherProfileReports compares the cashflow report of each profile that only a
// sign-in selects with its golden file.
func TestOtherProfileReports(t *testing.T) {
	when := at(t, "2026-07-14T09:30:15.123Z")
	for _, name := range []string{"gig", "overdraft", "benefits", "transfers", "transfers_savings"} {
		data := Bank{}.Fetch(name, link, when)
		if login := (Bank{}).Login(name); login.Profile != name {
			t.Errorf("%s signs in as %+v", name, login)
		}
		if status, sub := data.Outcome(when); status != contract.StatusSuccess || sub != "" {
			t.Errorf("%s: %s %s", name, status, sub)
		}
		got, err := report.Encode(cashflow.Build(cashflow.Input{Envelope: report.Envelope{PublicToken: link}, Bank: data,
			Options: cashflow.Options{Attributes: true}}, when))
		if err != nil {
			t.Fatal(err)
		}
		golden.CompareJSON(t, "testdata/"+name+"-2026-07-14.json", "  ", got)
	}
}

// TestProfilePurchases checks that the purchases that fill a month are money out.
func TestProfilePurchases(t *testing.T) {
	var shops []string
	for _, b := range consumers().Purchases {
		shops = append(shops, b.Texts...)
	}
	for name := range consumers().Profiles {
		for n := range 24 {
			when := at(t, "2026-07-31T12:00:00Z").AddDate(0, n, 0)
			for _, a := range (Bank{}).Fetch(name, link, when).Connections[0].Accounts {
				for _, tx := range a.Transactions {
					if tx.Amount > 0 && slices.Contains(shops, tx.Description) {
						t.Fatalf("%s on %s: %s brings %s", name, tx.Posted, tx.Description, tx.Amount)
					}
				}
			}
		}
	}
}

// TestTransfersBetweenTwoBanks checks that every transfer out of one bank arrives at the
// other on the same day.
func TestTransfersBetweenTwoBanks(t *testing.T) {
	when := at(t, "2026-07-14T09:30:15Z")
	moves := func(name string) (out []string) {
		for _, tx := range (Bank{}).Fetch(name, link, when).Connections[0].Accounts[0].Transactions {
			if strings.HasPrefix(tx.Description, "ONLINE TRANSFER") {
				amount := tx.Amount
				if name != "transfers" {
					amount = -amount
				}
				out = append(out, tx.Posted.String()+" "+amount.String())
			}
		}
		return out
	}
	here, there := moves("transfers"), moves("transfers_savings")
	if len(here) < 40 || !slices.Equal(here, there) {
		t.Errorf("one bank has %v, the other %v", here, there)
	}
}

// TestOverdraftProfile checks that each of the last three months has more fees than the
// one before, and that the balance ends below zero.
func TestOverdraftProfile(t *testing.T) {
	when := at(t, "2026-07-14T09:30:15Z")
	a := Bank{}.Fetch("overdraft", link, when).Connections[0].Accounts[0]
	fees := map[string]int{}
	for _, tx := range a.Transactions {
		if strings.HasSuffix(tx.Description, "ITEM FEE") {
			fees[tx.Posted.Format("2006-01")]++
		}
	}
	if fees["2026-03"] != 1 || fees["2026-04"] != 2 || fees["2026-05"] != 3 || fees["2026-06"] != 5 || a.Balance >= 0 {
		t.Errorf("fees %v, balance %s", fees, a.Balance)
	}
}
