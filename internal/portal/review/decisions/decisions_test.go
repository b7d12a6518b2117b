package decisions

import (
	"slices"
	"strings"
	"testing"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/prefill"
	"vestibule/internal/report"
	"vestibule/internal/testutil/i18ntest"
	pages "vestibule/templates/portal/review"
)

func TestReasons(t *testing.T) {
	no, yes := false, true
	encode := func(v any) []byte {
		raw, err := report.Encode(v)
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	meta := func(version string) *report.Meta {
		return &report.Meta{PublicToken: "33333333-3333-4333-8333-333333333333", CreatedAt: report.TimestampOf(time.Unix(0, 0)),
			APIVersion: version, Status: contract.StatusSuccess}
	}
	for _, tc := range []struct {
		product contract.Product
		raw     []byte
		want    []string
	}{
		{contract.Cashflow, encode(report.Cashflow{Meta: meta(report.CashflowVersion), Scores: []report.Score{
			{ScoreVersion: "1.0.0", AdverseActionCodes: []report.AdverseCode{{Code: "11", Description: "Old reason"},
				{Code: "33", Description: "Third"}}},
			{ScoreVersion: "2.0.0", AdverseActionCodes: []report.AdverseCode{{Code: "11", Description: "Balance too low"},
				{Code: "22", Description: "Returned payments"}}}}}),
			[]string{"11 Balance too low", "22 Returned payments", "33 Third"}},
		{contract.Cashflow, encode(report.Cashflow{Meta: meta(report.CashflowVersion)}), nil},
		{contract.Eligibility, encode(report.Eligibility{Meta: meta(report.EligibilityVersion),
			Checks: map[string]report.Check{"DOCUMENTS_READABLE": {Value: &no},
				"ASSET_ACCOUNT_CONNECTED": {Value: &yes}, "NO_FAILED_CONNECTIONS": {}}}),
			[]string{"UNABLE_TO_VERIFY_INCOME Unable to verify income", "UNABLE_TO_VERIFY_DOCUMENTS Unable to verify documents",
				"DOCUMENTS_READABLE " + i18ntest.EN("review.incomplete.DOCUMENTS_READABLE")}},
		{contract.Income, encode(report.Income{Meta: meta(report.IncomeVersion), Income: &report.IncomeNode{Paystubs: []report.Paystub{
			{IrregularityDetection: report.IrregularityDetection{Status: report.IrregularityDetected,
				Reasons: []string{"TEXT_OVER_TEXT", "DATES_DISAGREE"}}},
			{IrregularityDetection: report.IrregularityDetection{Status: report.IrregularityNotDetected, Reasons: []string{}}},
			{IrregularityDetection: report.IrregularityDetection{Status: report.IrregularityReview, Reasons: []string{"DATES_DISAGREE"}}}}}}),
			[]string{"UNABLE_TO_VERIFY_DOCUMENTS Unable to verify documents", "UNABLE_TO_VERIFY_INCOME Unable to verify income",
				"TEXT_OVER_TEXT " + i18ntest.EN("review.irregularities.TEXT_OVER_TEXT"),
				"DATES_DISAGREE " + i18ntest.EN("review.irregularities.DATES_DISAGREE")}},
		{contract.Passport, encode(report.Passport{Meta: meta(report.PassportVersion),
			Scores: []report.PassportScore{{Reasons: []report.ScoreFactor{{Code: "K1", Description: "Too many inquiries"}}}}}),
			[]string{"K1 Too many inquiries"}},
	} {
		held, err := View(tc.product, tc.raw, prefill.Fields{}, pages.Case{})
		got := reasons(held)
		if err != nil {
			t.Errorf("%s: %v", tc.product, err)
			continue
		}
		var all []string
		for _, r := range got {
			all = append(all, r.Code+" "+r.Text(i18n.English))
			if r.Text(i18n.Spanish) == "" {
				t.Errorf("%s has no Spanish words", r.Code)
			}
		}
		if !slices.Equal(all, tc.want) {
			t.Errorf("reasons of a report of %s = %q, want %q", tc.product, all, tc.want)
		}
	}
	_, err := View(contract.Cashflow, []byte(`{"broken`), prefill.Fields{}, pages.Case{})
	if err == nil || strings.Contains(err.Error(), "broken") {
		t.Errorf("a broken report: %v", err)
	}
}

func TestValidText(t *testing.T) {
	for text, want := range map[string]bool{"": true, " First\r\nsecond\tthird ": true, strings.Repeat("é", MaxText): true,
		strings.Repeat("é", MaxText+1): false, "a\x01b": false, "a\u202eb": false} {
		if got := ValidText(NormalizeText(text)); got != want {
			t.Errorf("ValidText(%.20q) = %v", text, got)
		}
	}
	if got := NormalizeText(" a\r\nb\rc \n"); got != "a\nb\nc" {
		t.Errorf("NormalizeText = %q", got)
	}
}
