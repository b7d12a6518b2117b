package profiles

import (
	"testing"
	"time"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/analysis/cashflow"
	"vestibule/internal/analysis/corrections"
	"vestibule/internal/analysis/eligibility"
	incomes "vestibule/internal/analysis/income"
	"vestibule/internal/report"
	"vestibule/internal/testutil/golden"
)

// TestCorrectedReports holds reports of each kind of the multi-account profile, computed from its
// data with corrections, against their golden files.
func TestCorrectedReports(t *testing.T) {
	when := at(t, "2026-07-14T09:30:15.123Z")
	envelope := report.Envelope{PublicToken: link, Product: report.Product{Name: "Product", ProductID: "2c8b1f57-6d0b-4a0a-a2f1-2f5a6e0d9b11",
		InquiryType: "PERSONAL"}, InputSource: report.ConsumerInput, InputRecordID: "f15055cf-6c30-5125-a3f6-43d31ad5d57f"}
	data := Bank{}.Fetch("multi", link, when)
	savings, newest := data.Connections[0].Accounts[1], ""
	checking := data.Connections[0].Accounts[0]
	for _, tx := range checking.Transactions {
		if tx.Amount > 1000_00 {
			newest = tx.ID
		}
	}
	made := []corrections.Correction{
		{Target: corrections.Account, ID: savings.ID, Field: corrections.Excluded, Value: corrections.Yes},
		{Target: corrections.Transaction, Account: checking.ID, ID: newest, Field: corrections.Category, Value: "DEPOSIT.REFUND"},
		{Target: corrections.Identity, ID: data.Connections[0].Owners[0].RecordID, Field: corrections.Last, Value: "Cheng"},
	}
	s := corrections.Apply(corrections.Subject{Consumer: &bankdata.Person{FirstName: "Multi", LastName: "Chen"}, Bank: data,
		Fetch: report.DateOf(when)}, made)
	later := when.Add(20 * 24 * time.Hour)
	flows := cashflow.Build(cashflow.Input{Envelope: envelope, Consumer: s.Consumer, Bank: s.Bank,
		Options: cashflow.Options{Attributes: true}}, when)
	flows.Meta = flows.Meta.Revised(1, later)
	wages := incomes.Build(incomes.Input{Envelope: envelope, Consumer: s.Consumer, Bank: s.Bank,
		Options: incomes.Options{Suite: incomes.Suite20, Inflows: true}}, when)
	wages = incomes.Revise(wages, incomes.Figures(&wages), 1, later)
	both := eligibility.Build(eligibility.Input{Envelope: envelope, Consumer: s.Consumer, Bank: s.Bank,
		StatedEmployers: []string{"Great Lakes Medical"}}, when)
	both.Meta = both.Meta.Revised(1, later)
	for name, body := range map[string]any{"cashflow": flows, "income": wages, "eligibility": both} {
		got, err := report.Encode(body)
		if err != nil {
			t.Fatal(err)
		}
		golden.CompareJSON(t, "testdata/"+name+"-multi-corrected.json", "  ", got)
	}
}
