package review

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"vestibule/internal/contract"
	"vestibule/internal/journey"
	"vestibule/internal/mail"
	"vestibule/internal/portal/applications"
	"vestibule/internal/portal/review/decisions"
	"vestibule/internal/portal/review/search"
	"vestibule/internal/portal/review/verdict"
	"vestibule/internal/prefill"
	"vestibule/internal/report"
	"vestibule/internal/staff"
	"vestibule/internal/store"
	"vestibule/internal/testutil/applicationstest"
	"vestibule/internal/testutil/i18ntest"
	"vestibule/internal/testutil/storetest"
	pages "vestibule/templates/portal/review"
)

// fits evaluates a filter directly. answered says that a request for more is answered.
func fits(f filter, a search.Found, who prefill.Fields, answered bool) bool {
	inText := func() bool {
		text := strings.ToLower(f.Text)
		if text == "" || text == a.ID || text == a.PublicToken || strings.HasPrefix(strings.ToLower(a.ExternalID), text) {
			return true
		}
		if strings.Contains(text, "@") {
			return mail.NormalizeAddress(who.Email) == text
		}
		has := search.Words(who.FirstName + " " + who.LastName)
		asked := search.Words(text)
		return len(asked) > 0 && !slices.ContainsFunc(asked, func(w string) bool {
			return !slices.ContainsFunc(has, func(h string) bool { return h == w || len(w) > 2 && strings.HasPrefix(h, w) })
		})
	}
	decided := a.Decision
	if decided == "" {
		decided = search.Undecided
	}
	switch f.Queue {
	case queueToDecide:
		if a.State != "ready" || a.Decision != "" && !(a.Decision == decisions.MoreAsked && answered) {
			return false
		}
	case queueAgain:
		if !a.Outdated {
			return false
		}
	case queueWaiting:
		if !slices.Contains([]string{"started", "connecting", "returned", "pending"}, a.State) &&
			!(a.Decision == decisions.MoreAsked && !answered) {
			return false
		}
	case queueMine:
		if a.Assignee != f.user {
			return false
		}
	case queueDecided:
		if a.Decision == "" || a.Decision == decisions.MoreAsked {
			return false
		}
	case queueToday:
		if a.DecidedAt.Before(noon.Add(-24 * time.Hour)) {
			return false
		}
	}
	return inText() && (f.State == "" || string(f.State) == a.State) && (f.Product == "" || f.Product == a.Product) &&
		(f.Outcome == "" || f.Outcome == a.Outcome) &&
		(f.Decision == "" || f.Decision == decided) && (f.From.IsZero() || !a.CreatedAt.Before(f.From)) &&
		(f.To.IsZero() || a.CreatedAt.Before(f.To.AddDate(0, 0, 1)))
}

// someSummary returns the summary of a report.
func someSummary(r *rand.Rand) (s verdict.Summary) {
	if r.IntN(5) == 0 {
		return s // cannot be shown
	}
	s.Verdict = verdict.Levels[r.IntN(len(verdict.Levels))]
	if r.IntN(4) > 0 {
		income := report.Cents(r.IntN(6) * 1_000_00)
		s.Income, s.Currency = &income, []string{report.Dollars, "CAD"}[r.IntN(2)]
	}
	if r.IntN(3) > 0 {
		score := 300 + r.IntN(5)*50
		s.Score = &score
	}
	return s
}

func states() (out []string) {
	for _, s := range journey.States() {
		out = append(out, string(s))
	}
	return out
}

// inOrder returns the order of a filter, evaluated directly.
func inOrder(f filter, users []string) func(a, b search.Found) int {
	by, descending := f.order().By, f.order().Descending
	figure := func(known bool, currency string, n int) int { // the first comes first
		switch {
		case !known:
			return 1 << 40
		case descending:
			n = -n
		}
		if currency != report.Dollars && currency != "" {
			n += 1 << 35
		}
		return n
	}
	place := func(all []string, v string) int {
		i := slices.Index(all, v)
		if i < 0 {
			return 1 << 40
		}
		if descending {
			return -i
		}
		return i
	}
	key := func(e search.Found) int {
		switch by {
		case search.SortState:
			return place(states(), e.State)
		case search.SortVerdict:
			return place([]string{"contradicted", "check", "unknown", "confirmed"}, string(e.Verdict))
		case search.SortAssigned:
			return place(users, e.Assignee)
		case search.SortIncome:
			if e.Summary.Income == nil {
				return figure(false, "", 0)
			}
			return figure(true, e.Summary.Currency, int(*e.Summary.Income))
		case search.SortScore:
			if e.Summary.Score == nil {
				return figure(false, "", 0)
			}
			return figure(true, "", *e.Summary.Score)
		}
		return 0
	}
	return func(a, b search.Found) int {
		newest := cmp.Or(b.CreatedAt.Compare(a.CreatedAt), strings.Compare(b.ID, a.ID))
		switch {
		case by == search.SortDecided && (a.Decision == "") != (b.Decision == ""):
			return cmp.Compare(b.Decision, a.Decision)
		case by == search.SortDecided && a.Decision != "":
			newest = cmp.Or(b.DecidedAt.Compare(a.DecidedAt), strings.Compare(b.ID, a.ID))
			fallthrough
		case by == search.SortStarted:
			if !descending {
				return -newest
			}
			return newest
		}
		return cmp.Or(cmp.Compare(key(a), key(b)), newest)
	}
}

// TestFiltersFindExactlyTheMatches checks for each filter and order that the pages
// together hold the matching applications, in order, without duplicates.
func TestFiltersFindExactlyTheMatches(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		x := newIndexed(t, db)
		for i := range 300 {
			x.add(t, i)
		}
		*x.now = noon
		for range 250 {
			x.check(t, x.randomFilter())
		}
	})
}

// indexed are random applications, and what the index has of them.
type indexed struct {
	*testServer
	db      *store.DB
	rand    *rand.Rand
	users   []string        // ids, by email
	summary verdict.Summary // of the application that is indexed next
	all     []search.Found
	people  map[string]prefill.Fields // by application

	answered map[string]bool // whether an application's request for more is answered
}

// firstDay is when the first of them began.
var firstDay = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

func newIndexed(t *testing.T, db *store.DB) *indexed {
	t.Helper()
	x := &indexed{testServer: open(t, db), db: db, rand: rand.New(rand.NewPCG(7, 7)), people: map[string]prefill.Fields{},
		answered: map[string]bool{}}
	for _, table := range []string{"review_index", "review_tokens"} {
		if _, err := db.SQL.Exec(`DELETE FROM ` + table); err != nil {
			t.Fatal(err)
		}
	}
	x.Index.Summarize = func(context.Context, store.Queryer, applications.Application) (verdict.Summary, error) {
		return x.summary, nil
	}
	x.signInAs(secret, "")
	x.as(Reviewer)
	users, err := x.Staff.Users(t.Context(), db.SQL, "")
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(users, func(a, b staff.User) int { return strings.Compare(a.Email, b.Email) })
	for _, u := range users {
		x.users = append(x.users, u.ID)
	}
	return x
}

func (x *indexed) pick(all ...string) string { return all[x.rand.IntN(len(all))] }

// oneIn is true once in n times.
func (x *indexed) oneIn(n int) bool { return x.rand.IntN(n) == 0 }

// add stores and indexes an application.
func (x *indexed) add(t *testing.T, i int) {
	t.Helper()
	a := one(uuid.NewString(), contract.Products()[x.rand.IntN(4)], journey.State(x.pick(states()...)),
		firstDay.Add(time.Duration(x.rand.IntN(20))*6*time.Hour), noon)
	a.ExternalID, a.Journey.PublicToken = fmt.Sprintf("%s-%d", x.pick("Loan", "lease", "Ana"), i), uuid.NewString()
	if a.Journey.State == journey.Failed && x.oneIn(2) {
		a.Journey.Status = contract.StatusError // the journey is complete
	}
	stored := stored{Application: a}
	e := search.Found{ID: a.ID, Product: a.Product, ExternalID: a.ExternalID,
		PublicToken: a.Journey.PublicToken, State: string(a.Journey.State),
		Outcome: a.Journey.Outcome(), CreatedAt: a.CreatedAt, DecidedAt: time.UnixMicro(0)}
	if a.Journey.State == journey.Ready {
		stored.Body, stored.Report = []byte(`{}`), applications.StoredReport{Attempt: 1, At: noon}
		e.Summary = someSummary(x.rand)
		e.Verdict = e.Summary.Verdict
	}
	x.summary = e.Summary
	a = applicationstest.Put(t, x.db, stored)
	who := prefill.Fields{FirstName: x.pick("Ana", "Zoë", "José", "Mary Ann"), LastName: x.pick("Núñez", "O’Neil", "Lee", "Smith-Lee")}
	who.Email = x.pick("a@example.com", "B@Example.com", "")
	x.people[e.ID] = who
	err := x.db.Tx(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		if err := x.Index.OnChange(ctx, tx, a, applications.TimelineEntry{}); err != nil {
			return err
		}
		if x.oneIn(2) {
			e.Decision = x.pick(decisions.All...)
			*x.now = noon.Add(-time.Duration(x.rand.IntN(36)) * time.Hour)
			a.Decision = applications.Decision{Kind: e.Decision, At: *x.now}
			if err := x.Index.OnChange(ctx, tx, a, applications.TimelineEntry{}); err != nil {
				return err
			}
			e.DecidedAt, e.Outdated = *x.now, x.oneIn(3)
			x.answered[e.ID] = e.Decision == decisions.MoreAsked && x.oneIn(2)
			if _, err := tx.ExecContext(ctx, `UPDATE review_index SET outdated = $2, answered = $3 WHERE application_id = $1`,
				e.ID, e.Outdated, x.answered[e.ID]); err != nil {
				return err
			}
		}
		if x.oneIn(3) {
			e.Assignee = x.pick(x.users[0], x.users[1])
			if err := search.Assign(ctx, tx, e.ID, e.Assignee); err != nil {
				return err
			}
		}
		return x.Index.OnApplicant(ctx, tx, a, who)
	})
	if err != nil {
		t.Fatal(err)
	}
	x.all = append(x.all, e)
}

func (x *indexed) randomFilter() filter {
	some := x.all[x.rand.IntN(len(x.all))]
	f := filter{Filter: pages.Filter{Text: x.pick("", "", "", "ana", "nunez zoe", "LEE", "mary lee smith",
		"mar sm", "smi", "unknown", "b@example.com", "loan", "LEASE-1", "ana-", some.ID, strings.ToUpper(some.PublicToken), some.ExternalID)}}
	f.Queue, f.user = x.pick(append(queues[:], "", "", "")...), x.pick(x.users[0], x.users[1])
	if x.oneIn(2) {
		f.Sort = pages.Order{By: x.pick(search.Sorts...), Descending: x.oneIn(2)}
	}
	if x.oneIn(2) {
		f.State = journey.State(x.pick(states()...))
	}
	if x.oneIn(2) {
		f.Product = contract.Products()[x.rand.IntN(4)]
	}
	if x.oneIn(3) {
		f.Outcome = contract.Outcome(x.pick("SUCCESS", "EXIT", "ERROR"))
	}
	if x.oneIn(3) {
		f.Decision = x.pick(append(decisions.All, search.Undecided)...)
	}
	if x.oneIn(4) {
		f.From = firstDay.AddDate(0, 0, x.rand.IntN(4))
	}
	if x.oneIn(4) {
		f.To = firstDay.AddDate(0, 0, x.rand.IntN(5))
	}
	return f
}

// check compares what a filter finds, page by page, with what fits it.
func (x *indexed) check(t *testing.T, f filter) {
	t.Helper()
	slices.SortFunc(x.all, inOrder(f, x.users))
	var want, got []string
	for _, e := range x.all {
		if fits(f, e, x.people[e.ID], x.answered[e.ID]) {
			want = append(want, e.ID)
		}
	}
	for read := 0; ; read++ {
		page, err := x.search(t.Context(), f, 7)
		if err != nil {
			t.Fatalf("%+v: %v", f, err)
		}
		for _, e := range page.Rows {
			got = append(got, e.ID)
		}
		if f.After = page.Next; page.Next == "" || read > 50 {
			break
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("%+v finds %d, want %d:\n%v\n%v", f, len(got), len(want), got, want)
	}
	x.checkOrder(t, f, want)
	if f.Text != "" {
		return
	}
	if n, err := x.Index.Count(t.Context(), x.db.SQL, f.selection(noon)); err != nil || n != len(want) {
		t.Errorf("%+v counts %d, want %d (%v)", f, n, len(want), err)
	}
}

// checkOrder compares the whole order, and the rest of it after a random application.
func (x *indexed) checkOrder(t *testing.T, f filter, want []string) {
	t.Helper()
	f.After = ""
	s, err := x.selection(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := x.Index.Order(t.Context(), s, search.MaxCounted)
	if err != nil || whole.Next != "" || !slices.EqualFunc(whole.Rows, want, func(e search.Found, id string) bool { return e.ID == id }) {
		t.Errorf("%+v orders %d, want %d (%v)", f, len(whole.Rows), len(want), err)
	} else if n := len(want); n > 0 {
		i := x.rand.IntN(n)
		f.After = whole.Rows[i].After
		rest, err := x.search(t.Context(), f, n)
		if err != nil || !slices.EqualFunc(rest.Rows, want[i+1:], func(e search.Found, id string) bool { return e.ID == id }) {
			t.Errorf("%+v after %d of %d has %d (%v)", f, i, n, len(rest.Rows), err)
		}
	}
}

func TestSearchHandlesExpire(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		d := open(t, db)
		d.signInAs(secret, "")
		for what, to := range map[string]string{" " + token + " ": appReady, "ORDER-7": appReady,
			appStarted: appStarted, "núñez zoe": appReady, " zoe@example.ORG ": appReady} {
			if resp, _ := d.post("/review/find", url.Values{"query": {what}}); resp.Header.Get("Location") != "/review/applications/"+to {
				t.Errorf("looking for %q leads to %q", what, resp.Header.Get("Location"))
			}
		}
		if resp, _ := d.post("/review/find", url.Values{"state": {"ready"}, "product": {"cashflow"},
			"from": {"2026-01-01"}}); resp.Header.Get("Location") != "/review?from=2026-01-01&product=cashflow&state=ready" {
			t.Errorf("filters without a text lead to %q", resp.Header.Get("Location"))
		}
		resp, _ := d.post("/review/find", url.Values{"query": {"Canaria Núñez"}, "decision": {search.Undecided}})
		to := resp.Header.Get("Location")
		if !strings.HasPrefix(to, "/review?decision=none&find=") || strings.Contains(strings.ToLower(to), "canaria") {
			t.Fatalf("a search leads to %q", to)
		}
		d.requirePage(to, i18ntest.EN("review.list.not_found"), `value="Canaria Núñez"`, `href="/review?find=`) // a search without hits
		d.as(Reviewer).requirePage(to, i18ntest.EN("review.list.over.title"), "!Canaria")                       // another user's search
		*d.now = noon.Add(search.SearchLife)
		d.requirePage(to, i18ntest.EN("review.list.over.title"), "!order-7") // a search after its time
		if err := d.Index.Sweep(t.Context()); err != nil {
			t.Error(err)
		}
		var n int
		if err := db.SQL.QueryRow(`SELECT COUNT(*) FROM review_searches`).Scan(&n); err != nil || n != 0 {
			t.Errorf("%d searches are kept for ever: %v", n, err)
		}
		for _, bad := range []url.Values{{"query": {strings.Repeat("x", 201)}}, {"query": {"a\u202eb"}}, {"query": {"x"}, "state": {"y"}}} {
			if resp, _ := d.post("/review/find", bad); resp.StatusCode != 400 {
				t.Errorf("looking for %.40v: %d", bad, resp.StatusCode)
			}
		}
	})
}

// TestIndexHashesNames checks that the index reveals no names without its key.
func TestIndexHashesNames(t *testing.T) {
	dir := t.TempDir()
	db, err := store.Open(t.Context(), store.Config{Dir: dir, Party: store.Portal, MasterKey: storetest.MasterKey})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	d := open(t, db)
	d.signInAs(secret, "")
	d.post("/review/find", url.Values{"query": {"Núñez Canaria"}})
	for _, f := range []string{"portal.db", "portal.db-wal"} {
		raw, err := os.ReadFile(filepath.Join(dir, f))
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range []string{"nunez", "Núñez", "Zoe@", "zoe@", "O’Hara", "ohara", "Canaria", "canaria"} {
			if bytes.Contains(raw, []byte(word)) {
				t.Errorf("%q is in %s", word, f)
			}
		}
	}
}

// TestAssign takes and releases applications, alone and from the list.
func TestAssign(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		d := open(t, db)
		d.signInAs(secret, "")
		other := d.as(Reviewer)
		d.as(Auditor)
		users, err := d.Staff.Users(t.Context(), db.SQL, "")
		if err != nil {
			t.Fatal(err)
		}
		id := map[staff.Role]string{}
		for _, u := range users {
			id[u.Role] = u.ID
		}
		const assign, mine = "/review/assign", "/review?queue=mine"
		leads := func(d *testServer, form url.Values, want string) {
			d.t.Helper()
			if to := d.requirePost(303, assign, form); to != want {
				d.t.Errorf("%v leads to %q, want %q", form, to, want)
			}
		}
		d.run("taking and releasing", func(_ *testing.T, d *testServer) {
			d.requirePage(mine, i18ntest.EN("review.list.queue_empty"))
			leads(d, url.Values{"id": {appReady, appStarted, uuid.NewString()}, "do": {"take"}, "queue": {"decide"}}, "/review?queue=decide")
			d.requirePage(mine, appReady, appStarted, i18ntest.EN("review.list.you"))
			other.requirePage(mine, "!"+appReady)
			other.requirePage("/review", `title="reviewer@example.com"`)
			leads(other, url.Values{"id": {appReady}, "do": {"take"}, "back": {"application"}}, own)
			d.post(assign, url.Values{"id": {appStarted}, "do": {"release"}})
			d.requirePage(mine, i18ntest.EN("review.list.queue_empty"))
		})
		d.run("a row's button", func(_ *testing.T, d *testServer) {
			d.requirePage("/review?queue=all", `name="assign" value="`+appStarted+"."+id[Reviewer])
			// The other fields of the form are not of the row.
			leads(d, url.Values{"assign": {appStarted + "." + id[Reviewer]}, "to": {"2026-03-31"}}, "/review?to=2026-03-31")
			other.requirePage(mine, appStarted)
			d.post(assign, url.Values{"id": {appReady, appStarted}, "do": {"assign"}, "user": {id[Administrator]}})
			d.post(assign, url.Values{"assign": {appStarted + "."}})
			d.requirePage(mine, appReady, "!"+pages.RowID(appStarted))
		})
		d.run("bad forms", func(_ *testing.T, d *testServer) {
			for _, bad := range []url.Values{{"id": {"x"}, "do": {"take"}}, {"id": {appReady}}, {"id": {appReady}, "do": {"take"}, "queue": {"x"}}} {
				d.requirePost(400, assign, bad)
			}
			for _, bad := range []string{appStarted + "." + uuid.NewString(), "x." + id[Reviewer], appStarted + ".x",
				appStarted + "." + id[Auditor]} {
				d.requirePost(400, assign, url.Values{"assign": {bad}})
			}
		})
		var n int
		if err := db.SQL.QueryRow(`SELECT COUNT(*) FROM audit WHERE action = 'assigned'`).Scan(&n); err != nil || n != 8 {
			t.Errorf("%d entries of the audit log (%v)", n, err)
		}
	})
}

// TestListsReadFewRows counts the rows that PostgreSQL reads for lists of a table whose rows are alike: a plan that is made for any
// value would read all of them for each part of a queue.
func TestListsReadFewRows(t *testing.T) {
	db := storetest.Postgres(t, store.Portal)
	for _, statement := range []string{
		`INSERT INTO review_index (application_id, data_key, product, mode, external_id, public_token, state, outcome, attempt, decision,
			has_report, named, created_at, updated_at)
			SELECT 'a' || n, 'key', 'cashflow', 'embedded', 'a' || n, '', 'ready', 'SUCCESS', 1, '', TRUE, TRUE, n, n
			FROM generate_series(1, 20000) AS n`,
		`ANALYZE review_index`,
	} {
		if _, err := db.SQL.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	index := &search.Index{DB: db}
	for _, f := range []pages.Filter{{}, {Queue: queueToDecide}, {Queue: queueWaiting}, {State: journey.Ready, Product: contract.Cashflow},
		{Decision: decisions.Approved}} {
		selection := filter{Filter: f}.selection(noon)
		rows := storetest.RowsRead(t, db, "review_index", func() error {
			_, err := index.Order(t.Context(), selection, 50)
			return err
		})
		if rows > 400 {
			t.Errorf("a page of %+v reads %d rows", f, rows)
		}
		rows = storetest.RowsRead(t, db, "review_index", func() error {
			_, err := index.Count(t.Context(), db.SQL, selection)
			return err
		})
		if rows > 2*search.MaxCounted {
			t.Errorf("counting %+v reads %d rows", f, rows)
		}
	}
}
