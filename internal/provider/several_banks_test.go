package provider_test

import (
	"testing"

	"vestibule/internal/contract"
	"vestibule/internal/report"
)

// TestCashflowReportFromTwoBanks checks that a report lists both banks, and does not count
// transfers between them.
func TestCashflowReportFromTwoBanks(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		of := func(usernames map[string]string) *report.Cashflow {
			t.Helper()
			var banks []any
			for _, bank := range []string{"kestrel-bank", "harbor-national-bank"} {
				if usernames[bank] != "" {
					banks = append(banks, map[string]any{"bank": bank, "username": usernames[bank]})
				}
			}
			token := b.complete(b.begin(), map[string]any{"banks": banks}).text("publicToken")
			r := b.report(b.named(token))
			return r
		}
		external := func(r *report.Cashflow) float64 {
			t.Helper()
			for _, a := range r.Attributes {
				if v, err := a.Value.Float64(); a.Name == "UA_INFLOW_EXTERNAL_SUM_3M" && err == nil && v > 0 {
					return v
				}
			}
			t.Fatal("no money in")
			return 0
		}
		checking := of(map[string]string{"kestrel-bank": "transfers"})
		both := of(map[string]string{"kestrel-bank": "transfers", "harbor-national-bank": "transfers_savings"})
		if len(both.Sources) != 3 || both.Sources[1].SourceID != "KESTREL_BANK" || both.Sources[2].SourceID != "HARBOR_NATIONAL_BANK" ||
			both.Sources[2].Status != contract.StatusSuccess || len(both.AccountDetails) <= len(checking.AccountDetails) {
			t.Errorf("sources %+v, %d accounts", both.Sources, len(both.AccountDetails))
		}
		if one, two := external(checking), external(both); two >= one || two < one/2 {
			t.Errorf("money in is %v at one bank and %v at both, want less: transfers from the other bank are the consumer's own", one, two)
		}
	})
}
