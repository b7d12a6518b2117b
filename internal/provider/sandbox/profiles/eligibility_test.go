package profiles

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/analysis/eligibility"
	incomes "vestibule/internal/analysis/income"
	"vestibule/internal/contract"
	"vestibule/internal/provider/sandbox/payroll"
	"vestibule/internal/report"
	"vestibule/internal/testutil/golden"
)

// tenant is a profile's whole application: what the consumer states, where that is
// verified, and what the bank has.
func tenant(name string, w report.Workflow, when time.Time) eligibility.Input {
	in := eligibility.Input{
		Envelope: report.Envelope{PublicToken: link, ExternalID: "application-19", ConsumerID: "0b3f6a0e-6a53-4a0c-b9a2-0d6a1de4f5b7",
			Product:     report.Product{Name: "Eligibility", ProductID: "9a1d2c3b-6d0b-4a0a-a2f1-2f5a6e0d9b11", InquiryType: "TENANT"},
			InputSource: report.ConsumerInput, InputUUID: "ddf4f759-0621-57d3-b98f-635f4578f016"}, Workflow: w,

		Consumer: &bankdata.Person{FirstName: "Joint", LastName: "Okafor", Emails: []string{"applicant@mail.example"}},
		Bank:     Bank{}.Fetch(name, link, when),
		Notices:  []report.ConsumerNotice{{Description: "You may ask for a copy of this report."}},
	}
	at := func(provider, profile, employer string) eligibility.Connected {
		return eligibility.Connected{Payroll: payroll.Providers{}.Fetch(provider, profile, link, when), Employer: employer}
	}
	switch name {
	case "default":
		in.StatedEmployers = []string{"Northwind Logistics, Inc."}
		in.Payroll = []eligibility.Connected{at("northwind-logistics", "default", "")}
	case "single": // the stub says what the payroll company would not
		in.StatedEmployers = []string{"Sunflower Foods", "Prairie Night School"}
		in.Payroll = []eligibility.Connected{at("sunflower-foods-inc", "hourly", "Sunflower Foods"),
			{Payroll: incomes.Payroll{ID: derive(link, "failed"), SourceID: "PAYWRIGHT", Provider: "Paywright",
				Type: incomes.ProviderPayroll}, Employer: "Prairie Night School",
				Status: contract.StatusNotAuthenticated, Substatus: contract.SubMFARequired}}
		stub := eligibility.Stub(incomes.Paystub{ID: derive(link, "stub"), SourceID: "PAYSTUB",
			Status: contract.StatusSuccess, Employer: "PRAIRIE NIGHT SCHOOL"})
		stub.Employer = "Prairie Night School"
		in.Documents = []eligibility.Document{stub}
		in.Files = []report.EligibilityDocument{{SourceID: "PAYSTUB", SourceUUID: derive(link, "stub"),
			DocumentType: report.VerifiedByPaystub, DocumentID: derive(link, "stub/1"),
			SourceFilepath: derive(link, "stub") + "/stub.pdf"}}
	case "multi":
		in.StatedEmployers = []string{"Great Lakes Medical", "Lantern Street", "Harbor Freight",
			"Uplift Pets", "Old Job", "Great Lakes Medical Center"}
		in.Payroll = []eligibility.Connected{at("great-lakes-medical", "two_jobs", "")}
		in.Skipped = map[string]string{"Old Job": "NO_LONGER_EMPLOYED"}
	case "joint":
		in.StatedEmployers = []string{"Zipporah"}
		in.Payroll = []eligibility.Connected{at("zipporah-rides", "gig", "")}
		in.Failed = []eligibility.Failed{{SourceID: "SECOND_BANK", SourceUUID: derive(link, "second"), Institution: "Second Bank",
			Status: contract.StatusNotAuthenticated, Substatus: contract.SubEBankingNotSupported, At: when.Add(-time.Minute)}}
	case "noincome":
		in.StatedEmployers = []string{"Quarry Hill Stores"}
		in.Payroll = []eligibility.Connected{at("quarry-hill-stores", "no_statements", "")}
	}
	return in
}

// TestProfileEligibilityReports holds the whole report of each profile by each
// workflow against its golden file, and the nodes to those of the contract.
func TestProfileEligibilityReports(t *testing.T) {
	for _, name := range Names() {
		for _, w := range report.Workflows() {
			t.Run(name+" "+string(w), func(t *testing.T) {
				when := at(t, "2026-07-14T09:30:15.123Z")
				got, err := report.Encode(eligibility.Build(tenant(name, w, when), when))
				if err != nil {
					t.Fatal(err)
				}
				again, _ := report.Encode(eligibility.Build(tenant(name, w, when), when))
				if !bytes.Equal(got, again) {
					t.Error("the same input gave other bytes")
				}
				golden.CompareJSON(t, "testdata/eligibility-"+name+"-"+strings.ToLower(string(w))+".json", "  ", got)
				back, err := report.ParseEligibility(got)
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

// TestProfileDirectDeposits: who is at a mock bank and at a mock payroll
// provider has the pay deposited to the account there.
func TestProfileDirectDeposits(t *testing.T) {
	when := at(t, "2026-07-14T09:30:15Z")
	for name, want := range map[string]bool{"default": true, "single": true, "multi": true, "joint": false} {
		r := eligibility.Build(tenant(name, report.IncomeAndAssets, when), when)
		for _, e := range r.Employment {
			if e.SourceID == "PAYSTUB" {
				continue // which says nothing of deposits
			}
			if d := e.Matching.DirectDeposits; len(d.Matched)+len(d.Unmatched) == 0 || (len(d.Unmatched) == 0) != want {
				t.Errorf("%s at %s: %+v", name, report.Text(e.EmployerName), d)
			}
		}
		if v := r.Checks[report.CheckDirectDeposits].Value; v == nil || *v != want {
			t.Errorf("%s: checks %+v", name, r.Checks)
		}
	}
}
