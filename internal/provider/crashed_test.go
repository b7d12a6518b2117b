package provider_test

import (
	"context"
	"strings"
	"testing"

	"vestibule/internal/contract"
	"vestibule/internal/store"
	"vestibule/internal/testutil/i18ntest"
)

// TestFatalReportEndsWithItsReason checks that a report during which three processes in a row died
// ends in ERROR, with a webhook, and that the dashboard says why.
func TestFatalReportEndsWithItsReason(t *testing.T) {
	eachEngine(t, func(t *testing.T, b *testServer) {
		b.addUsers()
		d := b.signIn(customerUser)
		if err := b.provider.Stop(context.WithoutCancel(t.Context())); err != nil {
			t.Fatal(err)
		}
		token := b.submit(submission()).text("publicToken")
		metadata := `'{"crashes": 3}'`
		if b.db.Dialect == store.SQLite {
			metadata = `jsonb(` + metadata + `)`
		}
		b.exec(`UPDATE river_job SET metadata = ` + metadata + ` WHERE kind = 'reports.generate'`)
		if err := b.provider.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := b.inbox.wait(t, 1)[0]; got.PublicToken != token || got.Status != contract.StatusError {
			t.Errorf("the webhook says %+v", got)
		}
		b.until(1, `SELECT COUNT(*) FROM river_job WHERE state = 'cancelled'`)
		page := d.page("/dashboard/reports/" + d.reportNamed(token))
		if !strings.Contains(page, i18ntest.EN("dashboard.source_reasons.crashed")) {
			t.Errorf("the page of the report does not say why:\n%s", page)
		}
	})
}
