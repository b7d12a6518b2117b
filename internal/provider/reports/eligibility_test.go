package reports

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vestibule/internal/analysis/eligibility"
	"vestibule/internal/analysis/income"
	"vestibule/internal/contract"
	"vestibule/internal/provider/customers"
	"vestibule/internal/report"
	"vestibule/internal/store"
	"vestibule/internal/testutil/storetest"
)

// TestEligibilityReportHasTheVisitsData: payroll connections that were
// retrieved, one that failed, a pay stub, a document and an employer that was skipped.
func TestEligibilityReportHasTheVisitsData(t *testing.T) {
	storetest.Each(t, store.Provider, func(t *testing.T, db *store.DB) {
		r := newTestServer(t, db)
		for w, want := range map[report.Workflow][]string{
			report.IncomeOnly: {"Globex: GLOBEX SUCCESS", "Vandelay: INITECH SUCCESS, HOOLI NOT_AUTHENTICATED",
				"Pied Piper: STUB SUCCESS", "Umbrella: skipped OTHER", "Soylent: PAYSTUB SUCCESS",
				"employment 3, payroll 2, accounts 0, documents 2"},
			report.AssetsOnly: {"employment 0, payroll 0, accounts 2, documents 1"},
			report.IncomeAndAssets: {"Globex: GLOBEX SUCCESS", "Vandelay: INITECH SUCCESS, HOOLI NOT_AUTHENTICATED",
				"Pied Piper: STUB SUCCESS", "Umbrella: skipped OTHER", "Soylent: PAYSTUB SUCCESS",
				"employment 3, payroll 2, accounts 2, documents 3"},
		} {
			var rep Report
			if err := r.tx(t, func(ctx context.Context, tx *store.Tx) (err error) {
				err = r.Customers.AddConfiguration(ctx, tx, customers.Configuration{ID: string(w), CustomerID: customer, Kind: contract.Eligibility,
					Alias: string(w), Settings: customers.Settings{EligibilityKind: w}})
				if err != nil {
					return err
				}
				if err := r.Customers.Assign(ctx, tx, customer, customers.Target{Type: customers.TargetProduct, ID: product}, string(w)); err != nil {
					return err
				}
				rep, err = r.Create(ctx, tx, New{CustomerID: customer, ProductID: product, Kind: contract.Eligibility})
				return err
			}); err != nil {
				t.Fatal(err)
			}
			in := Input{Source: report.ConsumerInput, Profile: "default",
				Given:   &Given{Employers: []string{"Globex", "Vandelay", "Pied Piper", "Umbrella", "Soylent"}},
				SignIns: []SignIn{{Provider: "globex"}, {Provider: "initech", Employer: "Vandelay"}},
				Paystubs: []income.Paystub{{ID: "d", SourceID: "PAYSTUB", Path: "d/paystub.pdf",
					Status: contract.StatusSuccess, Employer: "SOYLENT CORP"}},
				Gathered: &eligibility.Gathered{
					Payroll: []eligibility.Connected{{Payroll: income.Payroll{ID: "h", SourceID: "HOOLI"},
						Employer: "Vandelay", Status: contract.StatusNotAuthenticated}},
					Documents: []eligibility.Document{{SourceID: "STUB", SourceUUID: "s", Type: report.VerifiedByPaystub,
						Employer: "Pied Piper", Status: contract.StatusSuccess}},
					Skipped: map[string]string{"Umbrella": "OTHER"},
				}}
			r.generateFrom(t, rep, in)
			raw, err := r.body(t.Context(), rep)
			if err != nil {
				t.Fatal(err)
			}
			body, err := report.ParseEligibility(raw)
			if err != nil {
				t.Fatalf("%s: %v of %s", w, err, raw)
			}
			if diff := cmp.Diff(want, summaryLines(body)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", w, diff)
			}
			// A report is the same each time it is generated from its input.
			_, kept, err := r.input(t.Context(), rep.PublicToken)
			if err != nil {
				t.Fatal(err)
			}
			rep = r.now(t, rep)
			of, err := r.subjectOfBody(t.Context(), rep, kept, body)
			if err != nil {
				t.Fatal(err)
			}
			_, _, again := kinds[rep.Kind].compute(of, rep, kept)
			if same, _ := report.Encode(again); string(same) != string(raw) {
				t.Errorf("%s: generated again, it differs:\n%s", w, cmp.Diff(string(raw), string(same)))
			}
		}
	})
}

// summaryLines summarizes an eligibility report in lines.
func summaryLines(r *report.Eligibility) (out []string) {
	for _, e := range r.StatedEmployers {
		line, sep := e.Name+":", " "
		for _, s := range e.VerificationSources {
			line, sep = line+sep+s.SourceID+" "+string(s.Status), ", "
		}
		if e.SkippedReason != nil {
			line += " skipped " + *e.SkippedReason
		}
		out = append(out, line)
	}
	payroll, accounts := 0, 0
	if r.Income != nil {
		payroll = len(r.Income.Payroll)
	}
	if r.Assets != nil {
		accounts = len(r.Assets.AccountDetails)
	}
	digit := func(n int) string { return string(rune('0' + n)) }
	return append(out, "employment "+digit(len(r.Employment))+", payroll "+digit(payroll)+
		", accounts "+digit(accounts)+", documents "+digit(len(r.Documents)))
}
