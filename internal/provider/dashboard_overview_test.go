package provider_test

import (
	"context"
	"fmt"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/store"
	"vestibule/internal/testutil/i18ntest"
	"vestibule/templates/ui"
)

// now returns the provider's time.
func (b *testServer) now() (now time.Time) {
	b.t.Helper()
	err := b.db.Read(b.t.Context(), func(_ context.Context, tx *store.Tx) error {
		now = tx.Now.UTC()
		return nil
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return now
}

// reportOf adds a report that was begun some time ago and has a status. One of a supplier that did not answer has
// stopped at the sign-in.
func (b *testServer) reportOf(begun time.Time, status, substatus string) {
	b.t.Helper()
	token, _ := b.cashflowVisit("default")
	b.exec(`UPDATE reports SET created_at = $2, status = $3, substatus = nullif($4, '') WHERE public_token = $1`,
		token, store.Micros(begun), status, substatus)
	b.exec(`UPDATE visits SET created_at = $2 WHERE public_token = $1`, token, store.Micros(begun))
	if status == "SUPPLIER_UNRESPONSIVE" {
		b.exec(`UPDATE visits SET state = 'failed', step = 'end' WHERE public_token = $1`, token)
		b.exec(`DELETE FROM visit_events WHERE step IN ('accounts', 'progress')
			AND visit_id IN (SELECT id FROM visits WHERE public_token = $1)`, token)
	}
}

// noon advances to tomorrow's noon, so that the day does not change during the test.
func (b *testServer) noon() {
	b.advance(b.now().Truncate(24 * time.Hour).Add(36 * time.Hour).Sub(b.now()).String())
}

// TestOverviewCountsReports moves reports to other days and statuses and finds them there.
func TestOverviewCountsReports(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		b.noon()
		b.addUsers()
		d := b.signIn(customerUser)
		today := b.now().Truncate(24 * time.Hour)
		b.reportOf(today, "SUCCESS", "")
		b.reportOf(today.AddDate(0, 0, -3), "SUPPLIER_UNRESPONSIVE", "E_BANKING_NOT_SUPPORTED")
		b.reportOf(today.AddDate(0, 0, -29), "PENDING", "")
		b.reportOf(today.AddDate(0, 0, -30), "ERROR", "") // the day before the first
		count := func(ready, pending, failed int, ago int) string {
			return ui.DayWords(i18n.English, today.AddDate(0, 0, -ago)) + ": " + i18ntest.EN("dashboard.overview.day",
				"ready", fmt.Sprint(ready), "pending", fmt.Sprint(pending), "failed", fmt.Sprint(failed))
		}
		date := func(ago int) string { return today.AddDate(0, 0, -ago).Format(time.DateOnly) }
		bars := func(page string) int { return strings.Count(page, `class="plot-bars`) }
		nine := "/dashboard?from=" + date(10) + "&to=" + date(2)
		b.run("each day counts its reports", func(t *testing.T) {
			page := d.page("/dashboard")
			says(t, "the overview", page, []string{count(1, 0, 0, 0), count(0, 0, 1, 3), count(0, 1, 0, 29), count(0, 0, 0, 28),
				i18n.Code(i18n.English, "substatuses", contract.Substatus("E_BANKING_NOT_SUPPORTED"))}, count(0, 0, 1, 30))
			if n := bars(page); n != 60 {
				t.Errorf("%d bars in two plots of 30 days", n)
			}
			ranged := d.raw(nine)
			says(t, "the overview of nine days", ranged, []string{count(0, 0, 1, 3)})
			if n := bars(ranged); n != 9 {
				t.Errorf("%d bars in a plot of nine days", n)
			}
		})
		b.run("each row leads to a list of as many reports or deliveries", func(t *testing.T) {
			b.delivered(4) // none changes any more
			seen := map[string]bool{}
			for _, row := range regexp.MustCompile(`(?s)class="row-link" href="([^"]+)".*?<td[^>]* class="td number"[^>]*>\s*(\d+)`).
				FindAllStringSubmatch(d.raw("/dashboard")+d.raw(nine), -1) {
				path := html.UnescapeString(row[1])
				if n := strings.Count(d.raw(path), `class="row-link"`); fmt.Sprint(n) != row[2] {
					t.Errorf("%s has %d rows, and the overview counts %s", path, n, row[2])
				}
				u, _ := url.Parse(path)
				for name := range u.Query() {
					seen[name] = true
				}
			}
			for _, name := range []string{"status", "substatus", "reached", "stopped", "institution", "answer", "from", "to"} {
				if !seen[name] {
					t.Errorf("no row of the overview leads to a list by %s", name)
				}
			}
		})
		b.run("a range is no longer than 90 days and ends today", func(t *testing.T) {
			for query, want := range map[string]int{"?from=2000-01-01": 90, "?from=2999-01-01": 1, "?to=2999-01-01&from=" + date(4): 5,
				"?to=" + date(5) + "&from=" + date(1): 5, "?days=7&to=" + date(0): 7} {
				reports, _, _ := strings.Cut(d.raw("/dashboard"+query), `id="sent-name"`)
				if n := bars(reports); n != want {
					t.Errorf("%s has %d days, want %d", query, n, want)
				}
			}
			for _, bad := range []string{"?days=31", "?days=x", "?from=x", "/reports?reached=x", "/reports?sort=name", "/reports?from=x",
				"/deliveries?answer=x"} {
				d.unknown("/dashboard" + bad)
			}
		})
	})
}

// TestOverviewComparesPeriods with as long a time before, if the account existed then and its
// data are still kept.
func TestOverviewComparesPeriods(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		b.noon() // an hour before is today
		b.addUsers()
		d := b.signIn(customerUser)
		now := b.now()
		// Reports are ready after a minute in the last days, and after two before.
		day := 24 * time.Hour
		for i, ago := range []time.Duration{0, time.Hour, day, 7*day + time.Minute, 8 * day, 14*day + time.Hour} {
			token, _ := b.cashflowVisit("default")
			at, took := now.Add(-ago), time.Minute
			if i >= 3 {
				took = 2 * time.Minute
			}
			b.exec(`UPDATE reports SET created_at = $2, updated_at = $3 WHERE public_token = $1`,
				token, store.Micros(at), store.Micros(at.Add(took)))
		}
		figures := func(path string) []string {
			return groups(d.page(path), `class="key-figure-change">([^<]+)<`)
		}
		b.delivered(6)
		b.exec(`UPDATE customers SET created_at = $1`, store.Micros(now.AddDate(0, 0, -13)))
		if got := figures("/dashboard?days=7"); got != nil {
			t.Errorf("an account of 13 days has the changes %q", got)
		}
		b.exec(`UPDATE customers SET created_at = $1`, store.Micros(now.AddDate(0, 0, -100)))
		// Two reports of the week before count; all events were delivered today.
		today := now.Truncate(day)
		before := ui.DaysWords(i18n.English, today.AddDate(0, 0, -13), today.AddDate(0, 0, -7))
		more := i18ntest.EN("ui.change.more", "percent", "50", "days", before)
		less := i18ntest.EN("ui.change.less", "percent", "50", "days", before)
		sent := i18ntest.EN("ui.change.before", "days", before, "n", "0")
		if got := figures("/dashboard?days=7"); !slices.Equal(got, []string{more, more, less, less, sent}) {
			t.Errorf("changes %q", got)
		}
		// The plot has the day a week ago behind today, by the same hour.
		page := d.page("/dashboard?days=7")
		counted := func(ready int) string {
			return i18ntest.EN("dashboard.overview.day", "ready", fmt.Sprint(ready), "pending", "0", "failed", "0")
		}
		both := ui.DayWords(i18n.English, today) + ": " + counted(2) + ". " +
			ui.DayWords(i18n.English, today.AddDate(0, 0, -7)) + ": " + counted(1)
		if !strings.Contains(page, both) || strings.Count(page, `class="plot-before"`) != 2 {
			t.Errorf("the plots lack the days before: %q", groups(page, `<title>([^<]*)</title>`))
		}
		if got := figures("/dashboard?days=90"); got != nil {
			t.Errorf("data of 180 days are not kept, and the changes are %q", got)
		}
	})
}

// groups returns the first submatches of a pattern in a text, in order.
func groups(text, pattern string) (out []string) {
	for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
		out = append(out, m[1])
	}
	return out
}

// raw returns the HTML of a page.
func (d *dashboardBrowser) raw(path string) string {
	d.t.Helper()
	a := d.ask("GET", path, "")
	if a.status != 200 {
		d.t.Fatalf("GET %s = %d", path, a.status)
	}
	return string(a.raw)
}

// TestListsOfReports sorts, pages and searches a list of reports.
func TestListsOfReports(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		b.addUsers()
		d := b.signIn(customerUser)
		token, _ := b.cashflowVisit("default")
		columns := `customer_id, product_id, kind, consumer_id, key_id, updated_at`
		for i := range 30 {
			b.exec(`INSERT INTO reports (public_token, external_id, status, created_at, `+columns+`)
				SELECT $2, $3, $4, $5, `+columns+` FROM reports WHERE public_token = $1`, token,
				fmt.Sprintf("%08d-0000-4000-8000-000000000000", i), fmt.Sprintf("loan-%02d", i), []string{"ERROR", "EXPIRED", "SUCCESS"}[i%3],
				int64(1_000_000*(i+1)))
		}
		names := func(path string) []string {
			var out []string
			for path != "" {
				page := d.raw(path)
				for _, m := range regexp.MustCompile(`dashboard-clip" title="([^"]+)"`).FindAllStringSubmatch(page, -1) {
					out = append(out, m[1])
				}
				path = ""
				if m := regexp.MustCompile(`href="([^"]+)"[^>]* rel="next"`).FindStringSubmatch(page); m != nil {
					path = html.UnescapeString(m[1])
				}
			}
			return out
		}
		newest := names("/dashboard/reports")
		if len(newest) != 30 || newest[0] != "loan-29" || newest[29] != "loan-00" {
			t.Errorf("the newest first: %v", newest)
		}
		oldest := names("/dashboard/reports?sort=oldest")
		if slices.Reverse(oldest); !slices.Equal(oldest, newest) {
			t.Errorf("the oldest first: %v", oldest)
		}
		byStatus := names("/dashboard/reports?sort=status")
		if len(byStatus) != 30 || byStatus[0] != "loan-27" || byStatus[9] != "loan-00" || byStatus[10] != "loan-28" || byStatus[29] != "loan-02" {
			t.Errorf("by status: %v", byStatus)
		}
		if got := names("/dashboard/reports?status=failed"); len(got) != 20 {
			t.Errorf("%d failed: %v", len(got), got)
		}
		a := d.send("/dashboard/reports/find", url.Values{"query": {"loan-1"}})
		if n := strings.Count(string(a.raw), `class="row-link"`); a.status != 200 || n != 10 {
			t.Errorf("%d reports are found: %d", n, a.status)
		}
		// Text is no pattern.
		a = d.send("/dashboard/reports/find", url.Values{"query": {"loan%"}})
		if a.status != 200 || strings.Contains(string(a.raw), "row-link") {
			t.Errorf("a pattern finds reports: %d", a.status)
		}
	})
}

// TestPartsForScripts: a page's script gets the live part of a list with the page's token.
func TestPartsForScripts(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		b.addUsers()
		token, _ := b.cashflowVisit("default")
		b.delivered(1)
		d, eve := b.signIn(customerUser), b.signIn(thirdPartyUser)
		page := d.find("/dashboard/reports", `data-page="([^"]+)"`)
		script := []string{"Sec-Fetch-Site", "same-origin", "Sec-Fetch-Mode", "same-origin", "Sec-Fetch-Dest", "empty", "Dashboard-Page"}
		delivery := "/dashboard/deliveries/" + d.find("/dashboard/deliveries", `/dashboard/deliveries/`+uuidPattern)
		for _, path := range []string{"/dashboard/reports", "/dashboard/deliveries", delivery} {
			a := d.ask("GET", path, "", append(script, page)...)
			if text := string(a.raw); a.status != 200 || !strings.Contains(text, `id="live-part"`) || strings.Contains(text, "<html") ||
				strings.Contains(text, `name="once"`) {
				t.Fatalf("the part of %s: %d %s", path, a.status, text)
			}
			tag := a.header.Get("ETag")
			if again := d.ask("GET", path, "", append(script, page, "If-None-Match", tag)...); again.status != 304 || len(again.raw) != 0 {
				t.Errorf("%s again: %d", path, again.status)
			}
			for name, a := range map[string]answer{
				"without a token":          d.ask("GET", path, "", append(script, "x")...),
				"with another session's":   eve.ask("GET", path, "", append(script, page)...),
				"by a visit's script":      d.ask("GET", path, "", script[:6]...),
				"by a navigation":          d.ask("GET", path, "", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document", "Dashboard-Page", page),
				"signed out":               b.browser().ask("GET", path, "", append(script, page)...),
				"of a page without a part": d.ask("GET", "/dashboard/credentials", "", append(script, page)...),
			} {
				if a.status != 403 || strings.Contains(string(a.raw), "live-part") {
					t.Errorf("%s %s: %d", path, name, a.status)
				}
			}
		}
		post := append([]string{"Content-Type", "application/x-www-form-urlencoded"}, script...)
		query := url.Values{"query": {token[:9]}}.Encode()
		if a := d.ask("POST", "/dashboard/reports/find", query, append(post, page)...); a.status != 200 ||
			strings.Count(string(a.raw), "row-link") != 1 || strings.Contains(string(a.raw), token) {
			t.Errorf("found by script: %d %s", a.status, a.raw)
		}
		if a := d.ask("POST", "/dashboard/deliveries/find", query, append(post, page)...); a.status != 200 ||
			strings.Count(string(a.raw), "row-link") != 1 {
			t.Errorf("deliveries found by script: %d %s", a.status, a.raw)
		}
		if a := d.ask("POST", "/dashboard/reports/find", query, append(post, "x")...); a.status != 403 {
			t.Errorf("found without a token: %d", a.status)
		}
	})
}
