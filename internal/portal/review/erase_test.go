package review

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"vestibule/internal/contract"
	"vestibule/internal/journey"
	"vestibule/internal/portal/review/deletion"
	"vestibule/internal/portal/review/search"
	"vestibule/internal/prefill"
	"vestibule/internal/store"
	"vestibule/internal/svcapi"
	"vestibule/internal/testutil/i18ntest"
	"vestibule/internal/testutil/storetest"
	pages "vestibule/templates/portal/review"
)

const appOld = "44444444-4444-4444-8444-444444444444"

func TestRetention(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		d := open(t, db)
		d.signInAs(secret, "")
		left := func() (n int) {
			if err := db.SQL.QueryRow(`SELECT COUNT(*) FROM review_index`).Scan(&n); err != nil {
				t.Fatal(err)
			}
			return n
		}
		d.post(own+"/shares", url.Values{"publicId": {harbor}})
		d.add(stored{Application: one(appOld, contract.Cashflow, journey.Exited, noon.AddDate(-1, 0, 0), noon.AddDate(0, 0, -31)),
			Applicant: &prefill.Fields{FirstName: "Ana"}})
		if err := d.Deletion.Retain(t.Context()); err != nil || left() != 3 {
			t.Errorf("without a limit %d are left: %v", left(), err)
		}
		d.Deletion.RetentionDays = 30
		if err := d.Deletion.Retain(t.Context()); err == nil || left() != 2 {
			t.Errorf("after 30 days %d are left, and the job comes again: %v", left(), err)
		}
		_, page := d.get("/review/deletions")
		d.requireText("deleted by age", page, appOld, i18ntest.EN("review.deletion.reasons.age"), i18ntest.EN("review.deletion.aged"), "30")
		d.requirePage("/review/audit?action=retentionDeleted&application=" + appOld)
		*d.now = noon.AddDate(0, 0, 31)
		if err := d.Deletion.Retain(t.Context()); err == nil || left() != 0 || len(d.sharer.revoked) != 1 {
			t.Errorf("a month later %d are left, and %d shares are withdrawn", left(), len(d.sharer.revoked))
		}
	})
}

// TestDeletionWithdrawsSharesFirst checks that an application whose shares cannot be
// withdrawn is not deleted.
func TestDeletionWithdrawsSharesFirst(t *testing.T) {
	d := open(t, storetest.SQLite(t, store.Portal))
	d.signInAs(secret, "")
	d.post(own+"/shares", url.Values{"publicId": {harbor}})
	d.sharer.err = &svcapi.Error{Op: "relay", HTTP: 503, Code: contract.CodeUnavailable}
	form := url.Values{"id": {appReady}, "cause": {deletion.ByRequest}, "sure": {"yes"}}
	d.requirePost(502, own+"/delete", form, i18ntest.EN("review.delete.shared")) // deleting while the service is away
	if _, err := search.Find(t.Context(), d.DB.SQL, appReady); err != nil {
		t.Errorf("it is gone: %v", err)
	}
	d.sharer.err = nil
	if resp, _ := d.post(own+"/delete", form); resp.StatusCode != 303 || len(d.sharer.revoked) != 1 {
		t.Errorf("deleting: %d, %d withdrawn", resp.StatusCode, len(d.sharer.revoked))
	}
}

// TestDeletionWithdrawsConsent checks that deletion at the consumer's request also
// withdraws consent at the service. Nothing is deleted if the service refuses our
// credentials; a service without that consumer does not prevent deletion.
func TestDeletionWithdrawsConsent(t *testing.T) {
	const consumer = "55555555-5555-4555-8555-555555555555"
	for _, tc := range []struct {
		name, cause string
		err         error
		status      int
	}{
		{"on request", deletion.ByRequest, nil, 303},
		{"a mistake", deletion.ByMistake, &svcapi.Error{HTTP: 503, Code: contract.CodeUnavailable}, 303},
		{"a service without consumers", deletion.ByRequest, &svcapi.Error{HTTP: 405, Code: contract.CodeUpstream}, 303},
		{"no answer", deletion.ByRequest, &svcapi.Error{Code: contract.CodeUpstream}, 502},
		{"a service that refuses our key", deletion.ByRequest, &svcapi.Error{HTTP: 403, Code: contract.CodeUnknownCustomer}, 502},
	} {
		d := open(t, storetest.SQLite(t, store.Portal))
		d.signInAs(secret, "")
		d.change(appReady, func(r *stored) { r.Consumers = []string{consumer} })
		d.sharer.err = tc.err
		resp, page := d.post(own+"/delete", url.Values{"id": {appReady}, "cause": {tc.cause}, "sure": {"yes"}})
		_, err := search.Find(t.Context(), d.DB.SQL, appReady)
		if resp.StatusCode != tc.status || (err == nil) != (tc.status == 502) {
			t.Errorf("%s: %d, and the application: %v\n%s", tc.name, resp.StatusCode, err, page)
		}
		if asked := len(d.sharer.consents) == 1 && d.sharer.consents[0] == consumer; asked != (tc.name == "on request") {
			t.Errorf("%s: consent was withdrawn of %v", tc.name, d.sharer.consents)
		}
	}
}

// TestShareDuringDeletion checks that a share created during a deletion is withdrawn too.
func TestShareDuringDeletion(t *testing.T) {
	form := url.Values{"id": {appReady}, "cause": {deletion.ByRequest}, "sure": {"yes"}}
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		d := open(t, db)
		d.signInAs(secret, "")
		other := d.as(Administrator)
		d.post(own+"/shares", url.Values{"publicId": {harbor}})
		once := func(f func()) func() {
			return func() { d.sharer.set(func() { d.sharer.meet = nil }); f() }
		}
		d.sharer.set(func() {
			d.sharer.meet = once(func() { other.post(own+"/shares", url.Values{"publicId": {"svc-late"}}) })
		})
		if resp, page := d.post(own+"/delete", form); resp.StatusCode != 303 || len(d.sharer.tokens) != 2 || len(d.sharer.revoked) != 2 {
			t.Errorf("deleting what is shared meanwhile: %d, %d of %d withdrawn\n%s", resp.StatusCode,
				len(d.sharer.revoked), len(d.sharer.tokens), page)
		}
	})
}

func TestDeletionDuringShare(t *testing.T) {
	form := url.Values{"id": {appReady}, "cause": {deletion.ByRequest}, "sure": {"yes"}}
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		d := open(t, db)
		d.signInAs(secret, "")
		other := d.as(Administrator)
		d.sharer.set(func() {
			d.sharer.meet = func() {
				d.sharer.set(func() { d.sharer.meet = nil })
				other.requirePost(303, own+"/delete", form)
			}
		})
		if resp, _ := d.post(own+"/shares", url.Values{"publicId": {harbor}}); resp.StatusCode != 404 ||
			len(d.sharer.tokens) != 1 || len(d.sharer.revoked) != 1 {
			t.Errorf("sharing what is deleted meanwhile: %d, %d of %d withdrawn", resp.StatusCode, len(d.sharer.revoked), len(d.sharer.tokens))
		}
		for _, table := range []string{"report_shares", "report_share_log"} {
			var left int
			if err := db.SQL.QueryRow(`SELECT COUNT(*) FROM ` + table).Scan(&left); err != nil || left > 0 {
				t.Errorf("%d rows are left in %s: %v", left, table, err)
			}
		}
	})
}

// TestRefillIndexesOldApplications checks that Refill makes applications older than the
// index searchable.
func TestRefillIndexesOldApplications(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		d := open(t, db)
		if _, err := db.SQL.Exec(`UPDATE review_index SET version = 0, external_key = NULL, outcome = ''`); err != nil {
			t.Fatal(err)
		}
		if _, err := db.SQL.Exec(`DELETE FROM review_tokens`); err != nil {
			t.Fatal(err)
		}
		if err := d.Index.Refill(t.Context()); err == nil {
			t.Error("there may be more, and the job does not come again")
		}
		if err := d.Index.Refill(t.Context()); err != nil {
			t.Errorf("all is filled in, and the job says %v", err)
		}
		for _, f := range []pages.Filter{{Text: "zoe"}, {Text: "ord"}, {Outcome: "SUCCESS"}} {
			if page, err := d.search(t.Context(), filter{Filter: f}, 5); err != nil || len(page.Rows) != 1 || page.Rows[0].ID != appReady {
				t.Errorf("%+v finds %v, %v", f, page.Rows, err)
			}
		}
	})
}

// TestDeletionOffersOnlyTheApplicantsApplications lists the applications with the same
// name and email address. If only one of them is known, it lists a few others, none of
// them selected.
func TestDeletionOffersOnlyTheApplicantsApplications(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		d := open(t, db)
		d.signInAs(secret, "")
		id := func(n int) string { return fmt.Sprintf("aaaaaaaa-0000-4000-8000-%012d", n) }
		put := func(n int, who prefill.Fields) {
			d.add(stored{Application: one(id(n), contract.Cashflow, journey.Ready, noon, noon), Applicant: &who})
		}
		put(1, prefill.Fields{FirstName: "Zoe", LastName: "O'Hara Núñez", Email: "zoe@example.org "}) // the same person
		put(2, prefill.Fields{FirstName: "Zoë", LastName: "O’Hara-Núñez", Email: "other@example.org"})
		put(3, prefill.Fields{FirstName: "Ben", LastName: "Ode", Email: "zoe@example.org"})
		offered := func(of string) (ids []string) {
			_, page := d.get("/review/applications/" + of + "/delete")
			for _, part := range strings.Split(page, `name="id" value="`)[1:] {
				ids = append(ids, part[:36])
			}
			return ids
		}
		if got := offered(appReady); len(got) != 2 || got[0] != appReady || got[1] != id(1) {
			t.Errorf("of a name and an address %v are offered", got)
		}
		for _, stranger := range []string{id(2), id(3)} {
			form := url.Values{"id": {appReady, stranger}, "cause": {deletion.ByRequest}, "sure": {"yes"}}
			d.requirePost(400, own+"/delete", form) // a stranger's application
		}
		for n := 10; n < 50; n++ {
			put(n, prefill.Fields{FirstName: "Maria", LastName: "Garcia", Email: fmt.Sprintf("m%d@example.org", n)})
		}
		put(5, prefill.Fields{FirstName: "María", LastName: "García"})
		_, page := d.get("/review/applications/" + id(5) + "/delete")
		if got := offered(id(5)); len(got) != maxStrangers || got[0] != id(5) {
			t.Errorf("of a name alone %d are offered: %v", len(got), got)
		}
		if n := strings.Count(page, " checked"); n != 2 { // this application, and the reason
			t.Errorf("%d choices are made in advance", n)
		}
		d.requireText("a name alone", page, "may belong to other people", "Maria Garcia")
		form := url.Values{"id": {id(5), id(49)}, "cause": {deletion.ByMistake}, "sure": {"yes"}}
		d.requirePost(303, "/review/applications/"+id(5)+"/delete", form) // deleting two
		_, trail := d.get("/review/audit?action=deleted")
		d.requireText("the trail of two", trail, id(5), id(49))
	})
}
