package profiles

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vestibule/internal/analysis/bankdata"
	incomes "vestibule/internal/analysis/income"
	"vestibule/internal/report"
	"vestibule/internal/testutil/golden"
)

// TestRevisedIncomeReport holds the whole report of the multi-account profile,
// after a correction of its net figure, against its golden file.
func TestRevisedIncomeReport(t *testing.T) {
	when := at(t, "2026-07-14T09:30:15.123Z")
	in := incomes.Input{
		Envelope: report.Envelope{PublicToken: link, Product: report.Product{Name: "Income",
			ProductID: "2c8b1f57-6d0b-4a0a-a2f1-2f5a6e0d9b11", InquiryType: "PERSONAL"}, InputSource: report.ConsumerInput,
			InputRecordID: "f15055cf-6c30-5125-a3f6-43d31ad5d57f"},

		Consumer: &bankdata.Person{FirstName: "Multi", LastName: "Chen"}, Bank: Bank{}.Fetch("multi", link, when),
		Options: incomes.Options{Suite: incomes.Suite20, Inflows: true},
	}
	made := incomes.Build(in, when)
	net := int64(90_000)
	then, err := incomes.Corrected(&made, report.RevisedValues{NetAnnual: &net}, func(v report.RevisedValues) (report.RevisedValues, error) {
		return incomes.Gross(in, v, when), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	got, err := report.Encode(incomes.Revise(made, then, 1, when.Add(20*24*time.Hour)))
	if err != nil {
		t.Fatal(err)
	}
	golden.CompareJSON(t, "testdata/income-multi-revised.json", "  ", got)
	back, err := report.ParseIncome(got)
	if err != nil {
		t.Fatalf("its own reader refuses it: %v", err)
	}
	if same, _ := report.Encode(back); !bytes.Equal(got, same) {
		t.Errorf("read and written again it differs:\n%s", cmp.Diff(string(got), string(same)))
	}
}
