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

// stated is what the consumer of a test says about the work.
func stated(profile string) (employers []string, annual *int64) {
	amount := int64(84_000)
	switch profile {
	case "default":
		return []string{"Northwind Logistics, Inc."}, &amount
	case "multi":
		return []string{"Harbor Freight", "Great Lakes Medical Center"}, &amount
	case "joint":
		return []string{"Somebody Else LLC"}, nil
	}
	return nil, nil
}

// TestProfileIncomeReports holds the whole report of each profile against
// its golden file, on the days of TestProfileReports. The default profile is
// modelled by suite 1.2, the others by 2.0 with its inflows.
func TestProfileIncomeReports(t *testing.T) {
	for _, name := range Names() {
		for _, day := range []string{"2024-02-29", "2026-07-14"} {
			t.Run(name+" on "+day, func(t *testing.T) {
				when := at(t, day+"T09:30:15.123Z")
				in := incomes.Input{
					Envelope: report.Envelope{PublicToken: link, ExternalID: "application-18", ConsumerID: "0b3f6a0e-6a53-4a0c-b9a2-0d6a1de4f5b7",
						Product:     report.Product{Name: "Income", ProductID: "2c8b1f57-6d0b-4a0a-a2f1-2f5a6e0d9b11", InquiryType: "PERSONAL"},
						InputSource: report.ConsumerInput, InputRecordID: "f15055cf-6c30-5125-a3f6-43d31ad5d57f"},

					Consumer: &bankdata.Person{FirstName: "Joint", LastName: "Okafor", Emails: []string{"applicant@mail.example"}},
					Bank:     Bank{}.Fetch(name, link, when),
					Options:  incomes.Options{Suite: incomes.Suite20, Inflows: true},
				}
				if name == "default" {
					in.Options = incomes.Options{}
				}
				in.StatedEmployers, in.StatedAnnualIncome = stated(name)
				got, err := report.Encode(incomes.Build(in, when))
				if err != nil {
					t.Fatal(err)
				}
				again, _ := report.Encode(incomes.Build(in, when))
				if !bytes.Equal(got, again) {
					t.Error("the same input gave other bytes")
				}
				golden.CompareJSON(t, "testdata/income-"+name+"-"+day+".json", "  ", got)
				back, err := report.ParseIncome(got)
				if err != nil {
					t.Fatalf("its own reader refuses it: %v", err)
				}
				if same, _ := report.Encode(back); !bytes.Equal(got, same) {
					t.Errorf("read and written again it differs:\n%s", cmp.Diff(string(got), string(same)))
				}
			})
		}
	}
}

func TestIncomeListsInvestmentAccounts(t *testing.T) {
	when := at(t, "2026-07-14T00:00:00Z")
	multi := Bank{}.Fetch("multi", link, when)
	if got := incomes.Build(incomes.Input{Bank: multi}, when).AccountDetails; len(got) != 3 || got[2].AccountType != report.Investment {
		t.Errorf("the multi-account profile lists %d accounts, want three with the investment account", len(got))
	}
}

// TestIncomeDoesNotDependOnTheDayWithinTheMonth: its figures are of complete
// months, the history's begun one aside.
func TestIncomeDoesNotDependOnTheDayWithinTheMonth(t *testing.T) {
	for _, name := range []string{"default", "single", "multi", "joint"} {
		var want string
		for d := at(t, "2026-05-01T12:00:00Z"); d.Month() == 5; d = d.AddDate(0, 0, 1) {
			r := incomes.Build(incomes.Input{
				Envelope: report.Envelope{PublicToken: link, InputSource: report.ConsumerInput}, Bank: Bank{}.Fetch(name, link, d),
				StatedEmployers: []string{"Northwind", "Pacific Print"},
				Options:         incomes.Options{Suite: incomes.Suite20, Inflows: true},
			}, d)
			r.Income.FinancialAccounts[0].History = nil
			got, err := report.Encode(r.Income)
			if err != nil {
				t.Fatal(err)
			}
			if want == "" {
				want = string(got)
			}
			if diff := cmp.Diff(want, string(got)); diff != "" {
				t.Fatalf("%s on %s: %s", name, d.Format(time.DateOnly), diff)
			}
		}
	}
}
