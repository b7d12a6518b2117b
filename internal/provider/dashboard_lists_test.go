package provider_test

import (
	"fmt"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vestibule/internal/console"
	"vestibule/internal/contract"
	"vestibule/internal/testutil/i18ntest"
)

// order returns the first submatches of a pattern in a page, in order and without repeats.
func order(text, pattern string) (out []string) {
	for _, m := range groups(text, pattern) {
		if !slices.Contains(out, m) {
			out = append(out, m)
		}
	}
	return out
}

// TestSmallLists checks that the lists of users, child accounts, sharing tokens and
// emails are searched by names, which stay out of addresses, and sorted.
func TestSmallLists(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		b.addUsers()
		token, _ := b.cashflowVisit("default")
		other, _ := b.cashflowVisit("default")
		d, eve := b.signIn(customerUser), b.signIn(thirdPartyUser)
		for _, name := range []string{"bob", "carol"} {
			b.advance("1h")
			d.send("/dashboard/people", d.form("email", name+"@customer.example"))
			d.send("/dashboard/accounts", d.form("name", strings.ToUpper(name)+" Lending"))
		}
		for _, shared := range []string{token, other} {
			b.advance("1m")
			d.send("/dashboard/relay-tokens", d.form("publicToken", shared, "publicId", b.seed.ThirdParty.PublicID))
		}
		for i := range 2 {
			b.advance("1m")
			b.want("invite", b.post("/connect/invite", b.basic(), map[string]any{"productId": b.seed.Products[contract.Cashflow],
				"prefill": applicant, "deliverTo": fmt.Sprintf("zoe%d@mail.example", i)}), 200, "")
		}
		relays := order(d.page("/dashboard/relay-tokens"), `title="`+uuidPattern)
		if len(relays) != 2 {
			t.Fatalf("%d sharing tokens", len(relays))
		}
		for _, tc := range []struct {
			list, pattern, text string
			found               []string
			sorted              map[string][]string // by the parameter sort
		}{
			{"/dashboard/people", `dashboard-break" href="[^"]+">([a-z]+)@customer`, "BOB customer", []string{"bob"},
				map[string][]string{"": {"ada", "bob", "carol"}, "-email": {"carol", "bob", "ada"}, "newest": {"carol", "bob", "ada"},
					"oldest": {"ada", "bob", "carol"}}},
			{"/dashboard/accounts", `>([A-Z]+) Lending<`, "carol", []string{"CAROL"},
				map[string][]string{"": {"BOB", "CAROL"}, "-name": {"CAROL", "BOB"}, "newest": {"CAROL", "BOB"}, "oldest": {"BOB", "CAROL"}}},
			{"/dashboard/relay-tokens", `title="` + uuidPattern, relays[1][:12], []string{relays[1]},
				map[string][]string{"": relays, "oldest": {relays[1], relays[0]}}},
			{"/dashboard/outbox", `>(zoe\d)@mail.example<`, "zoe1", []string{"zoe1"},
				map[string][]string{"": {"zoe1", "zoe0"}, "oldest": {"zoe0", "zoe1"}}},
		} {
			a := d.send(tc.list+"/find", url.Values{"query": {tc.text}})
			if got := order(string(a.raw), tc.pattern); a.status != 200 || !slices.Equal(got, tc.found) {
				t.Errorf("%s finds by %q %q (%d), want %q\n%s", tc.list, tc.text, got, a.status, tc.found, a.raw)
			}
			if a := d.send(tc.list+"/find", url.Values{"query": {"nothing like it"}}); len(order(string(a.raw), tc.pattern)) > 0 ||
				!strings.Contains(string(a.raw), i18ntest.EN("dashboard.list.nothing_fits")) {
				t.Errorf("%s finds something by another text: %d", tc.list, a.status)
			}
			if a := d.send(tc.list+"/find", url.Values{"query": {" "}}); a.status != 303 || a.header.Get("Location") != tc.list {
				t.Errorf("%s without a text: %d", tc.list, a.status)
			}
			for sort, want := range tc.sorted {
				if got := order(d.page(tc.list+"?sort="+sort), tc.pattern); !slices.Equal(got, want) {
					t.Errorf("%s by %q: %q, want %q", tc.list, sort, got, want)
				}
			}
			d.unknown(tc.list + "?sort=x")
		}
		for list, pattern := range map[string]string{"/dashboard/relay-tokens": `title="` + uuidPattern,
			"/dashboard/outbox": `>(zoe\d)@mail.example<`} {
			for query, want := range map[string]int{"?from=2000-01-01&to=2999-01-01": 2, "?from=2999-01-01": 0, "?to=2000-01-01": 0} {
				if got := order(d.page(list+query), pattern); len(got) != want {
					t.Errorf("%s%s lists %q, want %d", list, query, got, want)
				}
			}
			d.unknown(list + "?from=x")
		}
		says(t, "an email that waits is shown as sent", d.page("/dashboard/outbox?state=sent"), nil, "zoe0")
		if text := eve.page("/dashboard/relay-tokens/received"); strings.Contains(text, `href="/dashboard/reports/`) ||
			!slices.Equal(order(text, `title="`+uuidPattern), relays) {
			t.Errorf("the third party gets a link to the customer's report, or not its sharing tokens\n%s", text)
		}
	})
}

// TestDashboardDensity checks that the density of lists is the user's, on each page.
func TestDashboardDensity(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		b.addUsers()
		d, eve := b.signIn(customerUser), b.signIn(thirdPartyUser)
		dense := func(d *dashboardBrowser) bool {
			return strings.Contains(d.page("/dashboard/reports"), `"dashboard-main dense"`)
		}
		for _, density := range []string{console.Dense, console.Comfortable, console.Dense} {
			a := d.send("/dashboard/density", url.Values{"density": {density}, "back": {"/dashboard/people?sort=oldest"}})
			if a.status != 303 || a.header.Get("Location") != "/dashboard/people?sort=oldest" || dense(d) != (density == console.Dense) {
				t.Errorf("%s: %d to %q, and the lists are dense: %v", density, a.status, a.header.Get("Location"), dense(d))
			}
		}
		if dense(eve) {
			t.Error("another user's lists are dense")
		}
		for _, bad := range [][2]string{{"x", "/dashboard"}, {console.Dense, "https://evil.example/dashboard"}, {console.Dense, ""}} {
			if a := d.send("/dashboard/density", url.Values{"density": {bad[0]}, "back": {bad[1]}}); a.status != 400 {
				t.Errorf("%q: %d", bad, a.status)
			}
		}
	})
}

// TestSearchesGoOn checks that a search finds sharing tokens of any age, given or
// received, by words of the other account's name, page by page, and changes by the words
// of their actions.
func TestSearchesGoOn(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		b.addUsers()
		token, _ := b.cashflowVisit("default")
		for i := range 27 {
			name := fmt.Sprintf("Harbor %02d%% Lending", i)
			if i == 26 {
				name = "Other Bank"
			}
			for _, query := range []string{
				`INSERT INTO customers (id, public_id, environment, name, created_at) VALUES ($1, $2, 'sandbox', $3, 0)`,
				`INSERT INTO relay_tokens (token, public_token, customer_id, third_party_id, created_at, expires_at)
					SELECT $1, r.public_token, r.customer_id, $1, $2, $3 FROM reports r WHERE r.public_token = $4`,
			} {
				id := fmt.Sprintf("00000000-0000-4000-8000-%012d", i)
				args := []any{id, fmt.Sprintf("svc-%d", i), name}
				if strings.Contains(query, "relay_tokens") {
					args = []any{id, int64(1000 + i), int64(2000), token}
				}
				if _, err := b.db.SQL.Exec(query, args...); err != nil {
					t.Fatal(err)
				}
			}
			account, received := fmt.Sprintf("00000000-0000-4000-8000-%012d", i), fmt.Sprintf("00000000-0000-4000-9000-%012d", i)
			b.exec(`INSERT INTO reports (public_token, customer_id, status, created_at, product_id, kind, key_id, updated_at)
				SELECT $2, $3, status, created_at, product_id, kind, key_id, updated_at FROM reports WHERE public_token = $1`,
				token, received, account)
			b.exec(`INSERT INTO relay_tokens (token, public_token, customer_id, third_party_id, created_at, expires_at)
				SELECT $1, $1, $2, r.customer_id, $3, 2000 FROM reports r WHERE r.public_token = $4`,
				received, account, int64(1000+i), token)
		}
		d := b.signIn(customerUser)
		find := func(list, after, text string) (names []string, next string) {
			t.Helper()
			a := d.send(list+"/find", url.Values{"query": {text}, "after": {after}})
			page := html.UnescapeString(string(a.raw))
			if m := regexp.MustCompile(`name="after" value="([^"]+)"`).FindStringSubmatch(page); m != nil {
				next = m[1]
			}
			if a.status != 200 {
				t.Errorf("%s by %q: %d", list, text, a.status)
			}
			return order(page, `>(Harbor \d\d|Other Bank)[^<]*</(?:a|span)>`), next
		}
		for _, list := range []string{"/dashboard/relay-tokens", "/dashboard/relay-tokens/received"} {
			first, next := find(list, "", "LENDING harbor")
			if len(first) != 25 || first[0] != "Harbor 25" || next == "" {
				t.Fatalf("the first page of %s has %q and goes on at %q", list, first, next)
			}
			if rest, end := find(list, next, "LENDING harbor"); !slices.Equal(rest, []string{"Harbor 00"}) || end != "" {
				t.Errorf("the next page of %s has %q and goes on at %q", list, rest, end)
			}
			for text, want := range map[string]int{"07% lend": 1, "_": 0, "harbor other": 0, "bank": 1} {
				if got, _ := find(list, "", text); len(got) != want {
					t.Errorf("%s: %q finds %q, want %d", list, text, got, want)
				}
			}
			// Without a search, links lead on.
			older := d.find(list, `href="([^"]+)"[^>]* rel="next"`)
			if rest := order(d.page(older), `>(Harbor \d\d|Other Bank)[^<]*</(?:a|span)>`); !slices.Equal(rest, []string{"Harbor 01", "Harbor 00"}) {
				t.Errorf("after the first page %s has %q", list, rest)
			}
		}
		signedIn := i18ntest.EN("dashboard.actions.signedIn")
		for text, want := range map[string]int{"ada@ " + signedIn: 1, signedIn: 1, "ada@ 100%": 0, "eve@": 0} {
			a := d.send("/dashboard/audit/find", url.Values{"query": {text}})
			if n := max(strings.Count(string(a.raw), "<tr")-1, 0); a.status != 200 || n != want {
				t.Errorf("the audit trail has %d changes with %q, want %d (%d)", n, text, want, a.status)
			}
		}
	})
}

// TestSharesByName shares a report with an account that is chosen by its name. The form names only accounts that the
// customer knows.
func TestSharesByName(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		b.addUsers()
		first, _ := b.cashflowVisit("default")
		second, _ := b.cashflowVisit("default")
		d := b.signIn(customerUser)
		listed := func() bool {
			return strings.Contains(d.page("/dashboard/relay-tokens"), `<option value="`+b.seed.ThirdParty.PublicID+`"`)
		}
		if listed() {
			t.Error("an account that the customer does not know is named")
		}
		share := func(token, field string) int {
			return d.send("/dashboard/relay-tokens", d.form("publicToken", token, field, b.seed.ThirdParty.PublicID)).status
		}
		if status := share(first, "publicId"); status != 303 || !listed() {
			t.Fatalf("sharing by id: %d", status)
		}
		if status := share(second, "account"); status != 303 {
			t.Errorf("sharing by name: %d", status)
		}
		if text := d.page("/dashboard/relay-tokens"); strings.Count(text, ">Third Party<") < 2 {
			t.Errorf("the shares do not name the account\n%s", text)
		}
		d.wantSent("an unknown account", 422, "/dashboard/relay-tokens", "publicToken", second, "account", "svc-unknown")
	})
}
