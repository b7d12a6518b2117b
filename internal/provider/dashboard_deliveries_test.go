package provider_test

import (
	"html"
	"net/url"
	"strings"
	"testing"
	"time"

	"vestibule/internal/testutil/i18ntest"
	providerui "vestibule/templates/provider"
)

// A failed delivery shows what the receiver answered, as text, and all failed events are sent
// again by one form.
func TestFailedDeliveries(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		b.noon()
		b.addUsers()
		const hostile = `<script>alert(1)</script>`
		b.inbox.mu.Lock()
		b.inbox.answers, b.inbox.text = []int{410, 200}, hostile
		b.inbox.mu.Unlock()
		b.cashflowVisit("default")
		b.until(1, `SELECT COUNT(*) FROM deliveries WHERE state = 'disabled'`)
		d, eve := b.signIn(customerUser), b.signIn(thirdPartyUser)

		delivery := d.find("/dashboard/deliveries", `"(/dashboard/deliveries/`+uuidPattern+`)"`)
		raw := string(d.ask("GET", delivery, "").raw)
		if !strings.Contains(raw, html.EscapeString(hostile)) || strings.Contains(raw, hostile) {
			t.Errorf("the answer is not shown as text:\n%s", raw)
		}
		title := i18ntest.EN("dashboard.webhooks.no_failures")
		if strings.Contains(d.page("/dashboard/webhooks"), title) {
			t.Error("the endpoint's page does not show the failure")
		}
		send := func(since string) string {
			t.Helper()
			a := d.send(d.endpoint("redeliver"), d.form("since", since))
			if a.status == 303 {
				return d.page(a.header.Get("Location"))
			}
			return html.UnescapeString(string(a.raw))
		}
		today := b.now().Format(time.DateOnly)
		for since, want := range map[string]string{
			"":           i18ntest.EN("dashboard.failed.invalid"),
			"yesterday":  i18ntest.EN("dashboard.failed.invalid"),
			"2999-01-01": i18ntest.EN("dashboard.failed.invalid"),
			today:        i18ntest.EN("dashboard.flash.no_callback"), // the receiver answered that it is gone
		} {
			if text := send(since); !strings.Contains(text, want) {
				t.Errorf("since %q: the page lacks %q", since, want)
			}
		}
		eve.wantSent("another customer sends the events", 404, d.endpoint("redeliver"), "since", today)
		d.send(d.endpoint("delivery"), d.form("state", "on"))
		if text := send(today); !strings.Contains(text, i18ntest.EN("dashboard.flash.failed_redelivered")) {
			t.Error("the failed events were not sent again")
		}
		b.delivered(1)
		if action, _, detail := b.last(); action != "failed events redelivered" || detail != today {
			t.Errorf("the audit trail has %s of %s", action, detail)
		}
		if text := send(today); !strings.Contains(text, i18ntest.EN("dashboard.flash.no_failed")) ||
			!strings.Contains(text, title) {
			t.Error("delivered events are offered again")
		}
		if n := b.count(`SELECT COUNT(*) FROM deliveries`); n != 2 {
			t.Errorf("%d deliveries", n)
		}
	})
}

// A bar of the plots of deliveries leads to the deliveries of its hour or day.
func TestDeliveriesOfATime(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		b.noon()
		b.addUsers()
		b.cashflowVisit("default")
		b.delivered(1)
		d := b.signIn(customerUser)
		page := d.page("/dashboard/webhooks")
		for _, parameter := range []string{"hour", "from"} {
			links := order(page, `plot-link" href="(/dashboard/deliveries\?`+parameter+`=[^"]+)"`)
			if len(links) != 1 {
				t.Fatalf("%d bars by %s lead to deliveries", len(links), parameter)
			}
			if n := strings.Count(d.page(links[0]), "row-link"); n != 1 {
				t.Errorf("%s lists %d deliveries", links[0], n)
			}
		}
		hour := b.now().Add(-time.Hour).Format(providerui.DashboardHour)
		says(t, "the hour before has deliveries", d.page("/dashboard/deliveries?"+url.Values{"hour": {hour}}.Encode()), nil, "row-link")
		d.unknown("/dashboard/deliveries?hour=noon")
	})
}
