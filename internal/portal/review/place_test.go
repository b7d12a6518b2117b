package review

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vestibule/internal/contract"
	"vestibule/internal/journey"
	"vestibule/internal/portal/review/search"
	"vestibule/internal/store"
	"vestibule/internal/testutil/i18ntest"
	"vestibule/internal/testutil/storetest"
	pages "vestibule/templates/portal/review"
)

// TestPlaceInList opens the applications of a list one after the other, in each order, and
// returns to the page that has them.
func TestPlaceInList(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		d := open(t, db)
		d.signInAs(secret, "")
		const n = pageSize + 3
		for i := range n {
			d.add(stored{Application: one(fmt.Sprintf("bbbbbbbb-0000-4000-8000-%012d", i), contract.Income, journey.Exited,
				noon.Add(-time.Duration(i)*time.Minute), noon)})
		}
		for _, list := range []string{"state=exited", "state=exited&sort=started", "state=exited&sort=state",
			"product=income&state=exited&sort=-score"} {
			_, page := d.get("/review?" + list)
			first := hrefOf(page, `class="list-link"`)
			var back []string
			for to, i := first, 1; to != "" && i <= n; i++ {
				_, page = d.get(to)
				d.requireText(list, page, i18ntest.EN("review.place.number", "n", fmt.Sprint(i), "of", fmt.Sprint(n)))
				if i > 1 && hrefOf(page, `rel="prev"`) != back[i-2] {
					t.Fatalf("%s: before %d is %q, want %q", list, i, hrefOf(page, `rel="prev"`), back[i-2])
				}
				back = append(back, to)
				id := strings.TrimPrefix(strings.Split(to, "?")[0], "/review/applications/")
				in := hrefOf(strings.SplitN(page, "case-place", 2)[1], "")
				if i == 1 || i == pageSize || i == pageSize+1 {
					path, part, _ := strings.Cut(in, "#")
					if _, shown := d.get(path); part != pages.RowID(id) || !strings.Contains(shown, `id="`+part+`"`) {
						t.Errorf("%s: the list of %d, %q, does not have it", list, i, in)
					}
				}
				to = hrefOf(page, `rel="next"`)
				if to == "" && i < n {
					t.Fatalf("%s ends after %d", list, i)
				}
			}
			if hrefOf(page, `rel="next"`) != "" {
				t.Errorf("%s does not end after %d", list, n)
			}
		}
	})
}

// TestPlaceStaysInList keeps the list through the forms of an application, and the place of one
// that leaves it.
func TestPlaceStaysInList(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		d := open(t, db)
		d.signInAs(secret, "")
		newer, older := "bbbbbbbb-0000-4000-8000-000000000001", "bbbbbbbb-0000-4000-8000-000000000002"
		d.add(stored{Application: one(newer, contract.Income, journey.Ready, noon.AddDate(0, 0, 1), noon)})
		d.add(stored{Application: one(older, contract.Income, journey.Ready, noon.AddDate(0, 0, -1), noon)})
		in := "?list=queue%3Ddecide"
		got := map[string]string{}
		for form, fields := range map[string]url.Values{
			own + "/notes":    {"text": {"Called."}},
			own + "/decision": {"seen": {"0"}, "decision": {"approved"}},
			"/review/assign":  {"id": {appReady}, "do": {"take"}, "back": {"application"}},
		} {
			resp, _ := d.post(form+in, fields)
			got[form] = resp.Header.Get("Location")
		}
		want := map[string]string{own + "/notes": own + "?done=noted&list=queue%3Ddecide#notes",
			own + "/decision": own + "?done=decided&list=queue%3Ddecide#decision", "/review/assign": own + in}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("the forms lead to (-want +got)\n%s", diff)
		}
		_, page := d.get(own + in) // decided, and no longer in the queue
		d.requireText("left", page, i18ntest.EN("review.place.left"), i18ntest.EN("review.queues.decide"), `action="`+own+`/notes`+in+`#notes"`)
		if prev, next := hrefOf(page, `rel="prev"`), hrefOf(page, `rel="next"`); prev != "/review/applications/"+newer+in ||
			next != "/review/applications/"+older+in {
			t.Errorf("beside one that left: %q, %q", prev, next)
		}
		for _, bad := range []string{"?list=queue%3Dx", "?list=%25zz"} {
			if resp, page := d.get(own + bad); resp.StatusCode != 200 || strings.Contains(page, "case-place") {
				t.Errorf("in no list, %s: %d", bad, resp.StatusCode)
			}
		}
		resp, _ := d.post("/review/find", url.Values{"query": {"zoe"}, "live": {"1"}})
		list := strings.TrimPrefix(resp.Header.Get("Location"), "/review?")
		*d.now = d.now.Add(search.SearchLife)
		if _, page = d.get(own + "?" + url.Values{"list": {list}}.Encode()); !strings.Contains(page, `href="/review?`+list) {
			t.Errorf("an ended search has no link to its page")
		}
	})
}

// TestPlaceOnSubPages stays on the same page of the next application, and opens the application
// where it lacks that page.
func TestPlaceOnSubPages(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		d := open(t, db)
		d.signInAs(secret, "")
		older := "/review/applications/bbbbbbbb-0000-4000-8000-000000000001"
		d.add(stored{Application: one("bbbbbbbb-0000-4000-8000-000000000001", contract.Income, journey.Exited, noon.AddDate(-1, 0, 0), noon)})
		list := "?list=sort%3Dstarted" // the oldest first
		_, page := d.get(own + list)
		if to := hrefOf(page, `href="`+own+`/report`); to != own+"/report"+list {
			t.Errorf("the application leads to its report at %q", to)
		}
		log := hrefOf(page, `href="/review/audit?`)
		for path, before := range map[string]string{own + "/report" + list: older + "/report" + list, log: ""} {
			_, page := d.get(path)
			to := hrefOf(page, `rel="prev"`)
			if back := hrefOf(page, `href="`+own+`?`); back != own+list {
				t.Errorf("%s leads back to %q", path, back)
			}
			for i := 0; i < 9 && !strings.Contains(to, older[len("/review/applications/"):]); i++ {
				resp, page := d.get(to)
				if resp.StatusCode == 303 {
					_, page = d.get(resp.Header.Get("Location"))
					to = strings.Replace(hrefOf(page, `rel="prev"`), "?", "/report?", 1)
					continue
				}
				to = hrefOf(page, `rel="prev"`)
			}
			if before == "" {
				if resp, page := d.get(to); resp.StatusCode != 200 || !strings.HasPrefix(to, "/review/audit?") || hrefOf(page, `rel="next"`) == "" {
					t.Errorf("the audit log of the oldest is %q: %d", to, resp.StatusCode)
				}
			} else if to != before {
				t.Errorf("the oldest after %s is %q, want %q", path, to, before)
			}
		}
		for _, page := range []string{"/report", "/transactions", "/letter"} {
			resp, _ := d.get(older + page + list)
			if to := resp.Header.Get("Location"); resp.StatusCode != 303 || to != older+list {
				t.Errorf("%s that is not there: %d to %q", page, resp.StatusCode, to)
			}
			d.requireStatus(404, older+page)
		}
	})
}

// hrefOf returns the address of the first link with a part of its tag; "" for none.
func hrefOf(page, part string) string {
	for _, tag := range strings.Split(page, "<a ")[1:] {
		if tag, _, _ = strings.Cut(tag, ">"); strings.Contains(tag, part) {
			_, to, _ := strings.Cut(tag, `href="`)
			to, _, _ = strings.Cut(to, `"`)
			return strings.ReplaceAll(to, "&amp;", "&")
		}
	}
	return ""
}
