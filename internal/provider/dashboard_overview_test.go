package provider_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/store"
	"vestibule/internal/testutil/i18ntest"
	"vestibule/templates/ui"
)

// TestOverviewCountsReports moves reports to other days and statuses and finds them there.
func TestOverviewCountsReports(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		b.addUsers()
		d := b.signIn(customerUser)
		var today time.Time
		if err := b.db.Read(t.Context(), func(_ context.Context, tx *store.Tx) error {
			today = tx.Now.UTC().Truncate(24 * time.Hour)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		for _, tc := range []struct {
			ago               time.Duration
			status, substatus string
		}{
			{0, "SUCCESS", ""},
			{3 * 24 * time.Hour, "SUPPLIER_UNRESPONSIVE", "E_BANKING_NOT_SUPPORTED"},
			{29 * 24 * time.Hour, "PENDING", ""},
			{30 * 24 * time.Hour, "ERROR", ""}, // the day before the first
		} {
			token, _ := b.cashflowVisit("default")
			if _, err := b.db.SQL.Exec(`UPDATE reports SET created_at = $2, status = $3, substatus = $4 WHERE public_token = $1`,
				token, store.Micros(today.Add(-tc.ago)), tc.status, tc.substatus); err != nil {
				t.Fatal(err)
			}
		}
		page := d.page("/dashboard")
		count := func(ready, pending, failed int, ago int) string {
			return ui.DayWords(i18n.English, today.AddDate(0, 0, -ago)) + ": " + i18ntest.EN("dashboard.overview.day",
				"ready", fmt.Sprint(ready), "pending", fmt.Sprint(pending), "failed", fmt.Sprint(failed))
		}
		for _, want := range []string{count(1, 0, 0, 0), count(0, 0, 1, 3), count(0, 1, 0, 29), count(0, 0, 0, 28),
			i18n.Code(i18n.English, "substatuses", contract.Substatus("E_BANKING_NOT_SUPPORTED"))} {
			if !strings.Contains(page, want) {
				t.Errorf("the overview lacks %q", want)
			}
		}
		if bars := strings.Count(page, `class="plot-bars`); bars != 30 {
			t.Errorf("%d bars for 30 days", bars)
		}
		if strings.Contains(page, count(0, 0, 1, 30)) {
			t.Error("the overview has a day too many")
		}
	})
}
