package provider

import (
	"net/url"
	"strings"
	"testing"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/testutil"
)

// TestConfigurationFields checks that the form of a configuration offers every inquiry type, and
// shows what is copied and what was submitted.
func TestConfigurationFields(t *testing.T) {
	render := func(d Dashboard, f ConfigurationForm) string {
		t.Helper()
		var b strings.Builder
		testutil.Must(t, ConfigurationFields(d, f).Render(t.Context(), &b))
		return b.String()
	}
	from := DashboardConfiguration{Kind: contract.Cashflow, InquiryType: contract.InquiryMonitoring, ScoreV21: true, Deprecated: true,
		Banks:       2,
		RefreshDays: 3, PreparedReport: "id"}
	copied := render(Dashboard{Lang: i18n.English}, ConfigurationForm{From: from, Sandbox: true,
		Prepared: []DashboardPreparedReport{{ID: "id", Name: "Joint", Kind: contract.Cashflow}}})
	for _, want := range append(contract.InquiryTypes(), `value="MONITORING" selected`, `value="v2.1" checked`, `value="AV" checked`,
		`value="id" selected`) {
		if !strings.Contains(copied, want) {
			t.Errorf("the form has no %s", want)
		}
	}
	again := render(Dashboard{Lang: i18n.English, Given: url.Values{"scores": {"v1.0"}, "banks": {"9"}}, Invalid: "banks", Words: "Wrong."},
		ConfigurationForm{From: from})
	if !strings.Contains(again, `value="v1.0" checked`) || strings.Contains(again, `value="v2.1" checked`) ||
		!strings.Contains(again, `value="9"`) || !strings.Contains(again, "Wrong.") || strings.Contains(again, "preparedReport") {
		t.Errorf("a rejected form is shown as\n%s", again)
	}
}
