package access_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/mail"
	"vestibule/internal/provider"
	"vestibule/internal/provider/access"
	"vestibule/internal/provider/freeze"
	"vestibule/internal/store"
	"vestibule/internal/testutil/assets"
	"vestibule/internal/testutil/i18ntest"
	"vestibule/internal/testutil/providertest"
	"vestibule/internal/testutil/storetest"
	"vestibule/templates/ui"
)

// reference returns the name of a report in addresses.
func reference(publicToken string) string {
	sum := sha256.Sum256([]byte(publicToken))
	return hex.EncodeToString(sum[:16])
}

// change posts a change of the file, and requires where it leads.
func (s *testServer) change(b *providertest.Browser, change, until string) {
	s.t.Helper()
	a := b.Do("POST", "/access/freeze?lang=en", url.Values{"change": {change}, "until": {until}})
	if want := "/access/freeze?lang=en&done=" + change; a.Status != http.StatusSeeOther || a.Header.Get("Location") != want {
		s.t.Fatalf("%s: %d %s", change, a.Status, a.Body)
	}
}

// submit submits bank data about a person and returns the publicToken and the final status.
func (s *testServer) submit(email string) (publicToken string, status any) {
	s.t.Helper()
	stamp := func(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
	pulled := s.Now().Add(-time.Hour)
	body := map[string]any{"pullDate": stamp(pulled),
		"personal": map[string]any{"firstName": "Cy", "lastName": "Diaz", "email": email, "dob": "1990-06-15"},
		"accounts": []any{map[string]any{"id": "A1", "institutionName": "Amber Coast Bank", "accountType": "CHECKING",
			"currentBalance": 1204.05, "currency": "USD", "transactions": []any{map[string]any{"id": "T1", "status": "POSTED",
				"datePosted": stamp(pulled.AddDate(0, 0, -3)), "amount": 2100.5, "description": "PAYROLL ACME", "creditOrDebit": "CREDIT"}}}}}
	a := s.Do("POST", "/connect/v2/cashflow/byo-report", body, s.Bearer(""), func(r *http.Request) {
		r.Header.Set("X-PRODUCT-ID", s.Seed.Products[contract.Cashflow])
	})
	if a.Status != http.StatusOK {
		s.t.Fatalf("submission: %d %s", a.Status, a.Body)
	}
	publicToken = a.JSON["publicToken"].(string)
	return publicToken, s.Webhooks(publicToken, 1)[0]["status"]
}

// TestFreezePreventsEverythingNew walks a freeze through: visit, submission, refresh, sharing token, multi-product
// token, and what the business learns of it.
func TestFreezePreventsEverythingNew(t *testing.T) {
	withBanks(t, func(t *testing.T, s *bankServer) {
		const address = "ana@example.com"
		ana := s.consumer(address)
		report := s.connected(ana, "open-bank")
		s.Entitle("refresh", true)
		b := s.open(s.link(address, 1))
		checkBody(t, b.Do("GET", "/access?lang=en", nil), 200, []string{i18ntest.EN("access.freeze.none")}, nil)
		s.change(b, "freeze", "")
		checkBody(t, b.Do("GET", "/access/freeze?lang=en&done=freeze", nil), 200, []string{i18ntest.EN("access.freeze.frozen"),
			i18ntest.EN("access.freeze.done.freeze")}, nil)

		refused := func(what string, a providertest.Answer, status int, code contract.Code) {
			t.Helper()
			if a.Status != status || a.JSON["error"] != string(code) || strings.Contains(strings.ToLower(a.Body), "froz") ||
				strings.Contains(strings.ToLower(a.Body), "freez") {
				t.Errorf("%s: %d %s", what, a.Status, a.Body)
			}
		}
		refused("refresh", s.refresh(report), http.StatusConflict, contract.CodeConsentNotProvided)
		refused("sharing token", s.relay(report), http.StatusForbidden, contract.CodeConsentNotProvided)
		refused("multi-product token", s.Do("POST", "/connect/multi-product-tokens", map[string]any{"publicToken": report,
			"productId": s.Seed.Products[contract.Income]}, s.Basic), http.StatusBadRequest, contract.CodeInvalidState)

		// A visit tells the person, and the business only a status.
		token := s.begin("Ana", address)
		_, ended := s.Control("POST", "/visits/"+token+"/complete", map[string]any{"username": "default"})
		if ended["status"] != string(contract.StatusNotAuthenticated) || ended["substatus"] != nil {
			t.Errorf("the visit ends in %v", ended)
		}
		path := "/visit/" + s.visit(ana).JSON["handle"].(string)
		checkBody(t, s.Do("GET", path+"?lang=en", nil), 200, nil, []string{"frozen"})
		s.Do("POST", path, url.Values{"action": {"consent"}})
		checkBody(t, s.Do("GET", path+"?lang=en", nil), 200, []string{"is frozen, so no report was made", "/access"}, nil)
		if n := s.Count(`SELECT count(*) FROM visits WHERE frozen`); n != 2 {
			t.Errorf("%d visits ended for the freeze", n)
		}
		if n := s.Count(`SELECT count(*) FROM reports WHERE status = 'SUCCESS'`); n != 1 {
			t.Errorf("%d reports", n)
		}
		if token, status := s.submit(address); status != string(contract.StatusError) ||
			s.Count(`SELECT count(*) FROM report_data WHERE public_token = $1`, token) != 0 {
			t.Errorf("a submission ends in %v", status)
		}
		if _, status := s.submit("eve@example.com"); status == string(contract.StatusError) {
			t.Error("another person's submission is refused")
		}
		history := b.Do("GET", "/access/history?lang=en", nil)
		checkBody(t, history, 200, []string{i18ntest.EN("access.log.frozen"), i18ntest.EN("access.log.refused"), "Vestibule"}, nil)
		if n := strings.Count(history.Body, i18ntest.EN("access.log.refused")); n != 1 {
			t.Errorf("%d entries about one company's attempts of a day", n)
		}

		// Lifted for a time: until the end of the day, in UTC without script.
		day := s.Now().UTC().Format(time.DateOnly)
		s.change(b, "until", day)
		s.emails(3) // the link, and two that confirm the changes
		if a := s.relay(report); a.Status != http.StatusOK {
			t.Errorf("sharing while the freeze is lifted: %d %s", a.Status, a.Body)
		}
		s.Advance(24 * time.Hour)
		refused("sharing token after the day", s.Do("POST", "/connect/relay-tokens", map[string]any{"publicToken": report,
			"publicId": s.Seed.ThirdParty.PublicID}, s.Basic), http.StatusForbidden, contract.CodeConsentNotProvided)
		b = s.open(s.link(address, 4))
		s.change(b, "lift", "")
		if a := s.refresh(report); a.Status != http.StatusOK {
			t.Errorf("refresh after the freeze: %d %s", a.Status, a.Body)
		}
		for _, word := range []string{address, "Diaz"} {
			if strings.Contains(s.Log(), word) {
				t.Errorf("the log has %q", word)
			}
		}
	})
}

// TestFreezeWinsOverReport checks that a freeze which commits before a report is stored prevents it, at any
// interleaving.
func TestFreezeWinsOverReport(t *testing.T) {
	storetest.Each(t, store.Provider, onDB(func(t *testing.T, s *testServer) {
		const address = "ana@example.com"
		s.share("Ana", address)
		mailbox := s.mailbox(address)
		files := &freeze.Service{DB: s.DB, Now: s.Now}
		var wg sync.WaitGroup
		for range 4 {
			token := s.begin("Ana", address)
			wg.Go(func() { s.Control("POST", "/visits/"+token+"/complete", map[string]any{"username": "default"}) })
		}
		var before int
		wg.Go(func() {
			err := s.DB.Tx(t.Context(), func(ctx context.Context, tx *store.Tx) error {
				if _, err := files.Freeze(ctx, tx, mailbox); err != nil {
					return err
				}
				return tx.QueryRowContext(ctx, `SELECT count(*) FROM reports WHERE status = 'SUCCESS'`).Scan(&before)
			})
			if err != nil {
				t.Error(err)
			}
		})
		wg.Wait()
		s.Until("reports", func() bool { return s.Count(`SELECT count(*) FROM reports WHERE status = 'PENDING'`) == 0 })
		if after := s.Count(`SELECT count(*) FROM reports WHERE status = 'SUCCESS'`); after != before {
			t.Errorf("%d reports, %d of them from before the freeze", after, before)
		}
	}))
}

// mailbox returns the hash of an address with a consumer.
func (s *testServer) mailbox(address string) (hash []byte) {
	s.t.Helper()
	return s.mailboxes().Hash(address)
}

func (s *testServer) mailboxes() *mail.Mailboxes {
	s.t.Helper()
	boxes, err := mail.OpenMailboxes(s.t.Context(), s.DB)
	if err != nil {
		s.t.Fatal(err)
	}
	return boxes
}

// TestLiftEndsInTheZoneOfThePerson lifts a freeze until days in several time zones.
func TestLiftEndsInTheZoneOfThePerson(t *testing.T) {
	storetest.Each(t, store.Provider, onDB(func(t *testing.T, s *testServer) {
		const address = "ana@example.com"
		s.share("Ana", address)
		b := s.open(s.link(address, 1))
		s.change(b, "freeze", "")
		sent, today := len(s.emails(2)), s.Now().UTC().Truncate(24*time.Hour)
		for _, c := range []struct {
			day    int // from today
			behind string
			ends   time.Duration // after the day in UTC; negative: refused
			zone   string
		}{
			{1, "", 0, "(UTC)"}, {1, "300", 5 * time.Hour, "(UTC-05:00)"}, {1, "-330", -330 * time.Minute, "(UTC+05:30)"},
			{1, "0", 0, "(UTC)"}, {2, "841000", 0, "(UTC)"}, {3, "\u202e", 0, "(UTC)"},
		} {
			day := today.AddDate(0, 0, c.day)
			a := b.Do("POST", "/access/freeze?lang=en", url.Values{"change": {"until"}, "until": {day.Format(time.DateOnly)}, "offset": {c.behind}})
			if a.Status != http.StatusSeeOther {
				t.Fatalf("%+v: %d %s", c, a.Status, a.Body)
			}
			ends := day.AddDate(0, 0, 1).Add(c.ends)
			if n := s.Count(`SELECT count(*) FROM consumer_files WHERE lifted_until = $1`, ends.UnixMicro()); n != 1 {
				t.Errorf("%+v: the freeze does not begin again at %s", c, ends)
			}
			sent++
			mail := s.emails(sent)[sent-1]
			if want := ui.DayWords(i18n.English, day) + " " + c.zone; !strings.Contains(mail.Text, want) || !strings.Contains(mail.Subject, want) {
				t.Errorf("%+v: the email does not say %q: %s", c, want, mail.Text)
			}
			want := ui.MomentWords(i18n.English, ends.Add(-time.Second))
			for _, path := range []string{"/access", "/access/freeze", "/access/history"} {
				checkBody(t, b.Do("GET", path+"?lang=en", nil), 200, []string{want}, nil)
			}
		}
		a := b.Do("POST", "/access/freeze?lang=en", url.Values{"change": {"until"}, "until": {today.AddDate(0, 0, -2).Format(time.DateOnly)},
			"offset": {"720"}})
		checkBody(t, a, http.StatusUnprocessableEntity, []string{i18ntest.EN("access.freeze.no_day")}, nil)
	}))
}

// TestFraudAlertIsInNewReports checks the alert's notice in reports of its time, and not in others.
func TestFraudAlertIsInNewReports(t *testing.T) {
	storetest.Each(t, store.Provider, onDB(func(t *testing.T, s *testServer) {
		const address = "ana@example.com"
		notice := func() bool {
			t.Helper()
			a := s.Do("GET", "/connect/cashflow/v2/json", nil, s.Bearer(s.share("Ana", address)))
			if a.Status != http.StatusOK {
				t.Fatalf("report: %d %s", a.Status, a.Body)
			}
			return strings.Contains(a.Body, "Fraud alert until 2027-02-")
		}
		if notice() {
			t.Error("a report without an alert has one")
		}
		b := s.open(s.link(address, 1))
		s.change(b, "alert-short", "")
		if !notice() {
			t.Error("the report lacks the alert")
		}
		s.change(b, "alert-remove", "")
		if notice() {
			t.Error("a report has a removed alert")
		}
		s.change(b, "alert-short", "")
		s.Advance(90 * 24 * time.Hour)
		if notice() {
			t.Error("a report has an expired alert")
		}
	}))
}

// TestChangesOfFileAreConfirmed checks that each change of a freeze and of an alert is confirmed once, to the person
// alone: no business sees the email.
func TestChangesOfFileAreConfirmed(t *testing.T) {
	storetest.Each(t, store.Provider, onDB(func(t *testing.T, s *testServer) {
		const address = "ana@example.com"
		s.share("Ana", address)
		b := s.open(s.link(address, 1))
		s.change(b, "lift", "") // changes nothing
		s.change(b, "alert-remove", "")
		until := s.Now().UTC()
		for i, c := range []struct {
			change  string
			subject i18n.Key
			day     time.Time
		}{
			{"freeze", "email.access_frozen.subject", until},
			{"until", "email.access_lifted_until.subject", until},
			{"lift", "email.access_lifted.subject", until},
			{"alert-short", "email.access_alert.subject", until.Add(freeze.AlertShort)},
			{"alert-long", "email.access_alert.subject", until.Add(freeze.AlertLong)},
			{"alert-remove", "email.access_alert_removed.subject", until},
		} {
			for range 2 {
				s.change(b, c.change, until.Format(time.DateOnly))
			}
			day := ui.DayInZone(i18n.English, c.day)
			m := s.emails(i + 2)[i+1]
			if want := i18ntest.EN(c.subject, "service", "Plainview Verification", "day", day); m.To != address || m.Subject != want ||
				c.day != until && !strings.Contains(m.Text, day) || !strings.Contains(m.Text, s.URL+"/access?lang=en") {
				t.Errorf("%s: %q to %s: %s", c.change, m.Subject, m.To, m.Text)
			}
		}
		s.idle()
		s.emails(7)
		box := mail.Outbox{DB: s.DB, Now: s.Now}
		all, err := box.List(t.Context(), s.DB.SQL, mail.Filter{CustomerID: s.customerID(s.Seed.PublicID), Limit: 10})
		if err != nil || len(all) != 0 {
			t.Errorf("the dashboard lists %v (%v)", all, err)
		}
	}))
	t.Run("without mail server", func(t *testing.T) {
		s := &testServer{t: t}
		s.Server = providertest.Start(t, storetest.SQLite(t, store.Provider), "get")
		s.share("Ana", "ana@example.com")
		service := &access.Service{DB: s.DB, Freeze: &freeze.Service{DB: s.DB, Now: s.Now}, Mailboxes: s.mailboxes()}
		var link string
		err := s.DB.Tx(t.Context(), func(ctx context.Context, tx *store.Tx) (err error) {
			link, err = service.PersonLink(ctx, tx, "ana@example.com")
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		s.change(s.open(link+"?lang=en"), "freeze", "")
		if n := s.Count(`SELECT count(*) FROM emails`); n != 0 {
			t.Errorf("%d emails wait for users of the dashboard", n)
		}
	})
}

// TestFileIsClosedToOthers attacks the pages: without a session, with another person's, by forged origins and
// values, and by a company's link.
func TestFileIsClosedToOthers(t *testing.T) {
	storetest.Each(t, store.Provider, onDB(func(t *testing.T, s *testServer) {
		own, others := s.share("Ana", "ana@example.com"), s.share("Eve", "eve@example.com")
		eve := s.open(s.link("eve@example.com", 1))
		pages := []string{"/access/report/" + reference(own), "/access/history", "/access/file.json", "/access/file.pdf", "/access/freeze",
			"/access/end/" + s.Seed.PublicID, "/access/delete/" + s.Seed.PublicID, "/access/delete/all"}
		for _, path := range pages {
			checkBody(t, s.Do("GET", path+"?lang=en", nil), http.StatusForbidden, []string{submit}, []string{own})
		}
		for _, path := range []string{"/access/freeze", "/access/delete/" + s.Seed.PublicID, "/access/end/all"} {
			checkBody(t, s.Do("POST", path+"?lang=en", url.Values{"change": {"freeze"}}), http.StatusForbidden, []string{submit}, nil)
			a := eve.Do("POST", path+"?lang=en", url.Values{"change": {"freeze"}}, func(r *http.Request) {
				r.Header.Set("Sec-Fetch-Site", "cross-site")
			})
			if a.Status != http.StatusForbidden {
				t.Errorf("%s from another site: %d", path, a.Status)
			}
		}
		for _, token := range []string{reference(own), own, others, "x"} {
			checkBody(t, eve.Do("GET", "/access/report/"+token+"?lang=en", nil), http.StatusNotFound, nil, []string{"Ana"})
		}
		if a := eve.Do("GET", "/access/file.json", nil); a.Status != 200 || strings.Contains(a.Body, own) || !strings.Contains(a.Body, others) {
			t.Errorf("another person's file: %d %s", a.Status, a.Body)
		}
		for _, until := range []string{"", "2020-01-01", "2999-01-01", "tomorrow"} {
			checkBody(t, eve.Do("POST", "/access/freeze?lang=en", url.Values{"change": {"until"}, "until": {until}}),
				http.StatusUnprocessableEntity, []string{i18ntest.EN("access.freeze.no_day")}, nil)
		}
		if n := s.Count(`SELECT count(*) FROM consumer_files WHERE frozen_at <> 0 OR alert_until <> 0`); n != 0 {
			t.Errorf("%d files were changed", n)
		}
		for range 20 {
			eve.Do("POST", "/access/freeze?lang=en", url.Values{"change": {"freeze"}})
		}
		if a := eve.Do("POST", "/access/freeze?lang=en", url.Values{"change": {"lift"}}); a.Status != http.StatusTooManyRequests {
			t.Errorf("the 21st change within an hour: %d", a.Status)
		}

	}))
}

// TestCompanyLink checks the link that a company hands out: it works once, shows what that company got, and changes
// nothing of the whole file.
func TestCompanyLink(t *testing.T) {
	storetest.Each(t, store.Provider, onDB(func(t *testing.T, s *testServer) {
		own := s.share("Ana", "ana@example.com")
		service := &access.Service{DB: s.DB, Mailboxes: s.mailboxes(), Freeze: &freeze.Service{DB: s.DB, Now: s.Now}}
		link := func(publicID string) (path string, err error) {
			err = s.DB.Tx(t.Context(), func(ctx context.Context, tx *store.Tx) (err error) {
				path, err = service.CompanyLink(ctx, tx, s.customerID(publicID), own, "")
				return err
			})
			return path, err
		}
		if _, err := link(s.Seed.ThirdParty.PublicID); err == nil {
			t.Error("another company can make a link to the report's person")
		}
		path, err := link(s.Seed.PublicID)
		if err != nil {
			t.Fatal(err)
		}
		b := s.open(path + "?lang=en")
		checkBody(t, b.Do("GET", "/access?lang=en", nil), 200, []string{i18ntest.EN("access.list.text_company"), "Vestibule"},
			[]string{"/access/freeze"})
		checkBody(t, b.Do("GET", "/access/freeze?lang=en", nil), http.StatusForbidden, []string{i18ntest.EN("access.forbidden.title")}, nil)
		checkBody(t, b.Do("POST", "/access/freeze?lang=en", url.Values{"change": {"lift"}}), http.StatusForbidden, nil, nil)
		checkBody(t, s.Browser().Do("POST", path+"?lang=en", nil), http.StatusGone, []string{used}, nil)
		if path, err = link(s.Seed.PublicID); err != nil {
			t.Fatal(err)
		}
		s.Advance(24 * time.Hour)
		checkBody(t, s.Browser().Do("POST", path+"?lang=en", nil), http.StatusGone, []string{used}, nil)
	}))
}

// customerID returns the id of an account.
func (s *testServer) customerID(publicID string) (id string) {
	s.t.Helper()
	if err := s.DB.SQL.QueryRowContext(s.t.Context(), `SELECT id FROM customers WHERE public_id = $1`, publicID).Scan(&id); err != nil {
		s.t.Fatal(err)
	}
	return id
}

// TestReportInWords checks the figures, transactions, reads and downloads of a report.
func TestReportInWords(t *testing.T) {
	storetest.Each(t, store.Provider, onDB(func(t *testing.T, s *testServer) {
		own := s.share("Ana", "ana@example.com")
		for range 3 {
			s.Do("GET", "/connect/cashflow/v2/json", nil, s.Bearer(own))
			s.Advance(time.Hour)
		}
		relay := s.relay(own).JSON["relayToken"].(string)
		third, _ := s.Do("GET", "/connect/accesstoken", nil, s.ThirdParty).JSON["accessToken"].(string)
		if a := s.Do("GET", "/connect/cashflow/v2/json", nil, func(r *http.Request) {
			r.Header.Set("Authorization", "Bearer "+base64.StdEncoding.EncodeToString([]byte(third)))
			r.Header.Set("X-PUBLIC-TOKEN", relay)
		}); a.Status != 200 {
			t.Fatalf("the third party reads: %d %s", a.Status, a.Body)
		}
		if n := s.Count(`SELECT count(*) FROM report_reads`); n != 2 {
			t.Errorf("%d rows of reads, want one for each reader", n)
		}
		b := s.open(s.link("ana@example.com", 1))
		for _, path := range []string{"/access/delete/svc-unknown", "/access/delete/" + s.Seed.ThirdParty.PublicID} { // as after a deletion
			if a := b.Do("GET", path+"?lang=en", nil); a.Status != 303 || a.Header.Get("Location") != "/access?lang=en" {
				t.Errorf("%s: %d", path, a.Status)
			}
		}
		checkBody(t, b.Do("GET", "/access/history?lang=en", nil), 200,
			[]string{i18ntest.EN("access.reads.through", "reader", "Third Party", "company", "Vestibule")}, nil)
		page := b.Do("GET", "/access/report/"+reference(own)+"?lang=en", nil)
		checkBody(t, page, 200, []string{i18ntest.EN("access.field.account_details"), i18ntest.EN("access.transactions"),
			i18ntest.EN("access.transactions.older"), "Checking", `<td role="cell" class="td number"`, `"><time datetime="2026-1`},
			[]string{"account_id", "null"})
		last := b.Do("GET", "/access/report/"+reference(own)+"?lang=es&page=999", nil)
		checkBody(t, last, 200, []string{"Cuentas", "Suma de los saldos actuales de las cuentas de cheques"},
			[]string{"Sum of", "9,999,99", "9,998", "9,996"})
		file := b.Do("GET", "/access/file.json?lang=en", nil)
		reports, _ := file.JSON["reports"].([]any)
		if file.Status != 200 || len(reports) != 1 || !strings.Contains(file.Body, `"posted_date"`) ||
			!strings.Contains(file.Body, "Third Party") || file.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("the file: %d %.600s", file.Status, file.Body)
		}
		if pdf := b.Do("GET", "/access/file.pdf?lang=es", nil); pdf.Status != 200 || !strings.HasPrefix(pdf.Body, "%PDF-") {
			t.Errorf("the file as PDF: %d %.200s", pdf.Status, pdf.Body)
		}
		s.Advance(31 * 24 * time.Hour)
		s.Control("POST", "/clock", map[string]string{"advance": "0s"}) // which sweeps
		b = s.open(s.link("ana@example.com", 2))
		checkBody(t, b.Do("GET", "/access/report/"+reference(own)+"?lang=en", nil), 200, []string{i18ntest.EN("access.transactions.deleted"),
			i18ntest.EN("access.field.account_details")}, nil)
	}))
}

// TestDeletion checks that a deletion deletes at once, tells the company, keeps who read the report, and runs once for
// several requests.
func TestDeletion(t *testing.T) {
	start(t, func(t *testing.T, s *testServer) {
		const address = "ana@example.com"
		own, others := s.share("Ana", address), s.share("Eve", "eve@example.com")
		s.Do("GET", "/connect/cashflow/v2/json", nil, s.Bearer(own))
		submitted, _ := s.submit(address)
		waiting := s.begin("Ana", address)
		b := s.open(s.link(address, 1))
		path := "/access/delete/" + s.Seed.PublicID + "?lang=en"
		checkBody(t, b.Do("GET", path, nil), 200, []string{"1681g", i18ntest.EN("access.delete.submit")}, nil)
		if n := s.Count(`SELECT count(*) FROM report_data`); n != 3 {
			t.Fatalf("%d reports have data", n)
		}
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				if a := b.Do("POST", path, nil); a.Status != http.StatusSeeOther {
					t.Errorf("delete: %d %s", a.Status, a.Body)
				}
			})
		}
		wg.Wait()
		for _, token := range []string{own, submitted} {
			if a := s.Do("GET", "/connect/cashflow/v2/json", nil, s.Bearer(token)); a.JSON["error"] != string(contract.CodeInvalidToken) {
				t.Errorf("the report can be read: %d %s", a.Status, a.Body)
			}
			if events := s.Webhooks(token, 2); events[1]["status"] != string(contract.StatusExpired) {
				t.Errorf("the company is told %v", events)
			}
		}
		if a := s.Do("GET", "/connect/cashflow/v2/json", nil, s.Bearer(others)); a.Status != 200 {
			t.Errorf("another person's report: %d", a.Status)
		}
		if _, a := s.Control("POST", "/visits/"+waiting+"/complete", map[string]any{}); a["status"] == string(contract.StatusSuccess) {
			t.Errorf("a visit goes on: %v", a)
		}
		s.idle()
		if sent := s.emails(2)[1]; !strings.Contains(sent.Subject, "deleted") {
			t.Errorf("confirmation %q", sent.Subject)
		}
		for query, want := range map[string]int{`SELECT count(*) FROM report_data`: 1,
			`SELECT count(*) FROM consumers WHERE prefill IS NOT NULL`: 1,
			`SELECT count(*) FROM audit WHERE action = 'data deleted'`: 3, `SELECT count(*) FROM consumer_file_log WHERE action = 'deleted'`: 1,
			`SELECT count(*) FROM report_reads`: 2} {
			if n := s.Count(query); n != want {
				t.Errorf("%s: %d, want %d", query, n, want)
			}
		}
		checkBody(t, b.Do("GET", "/access?lang=en&deleted=all", nil), 200, []string{i18ntest.EN("access.list.none")}, []string{"/access/report/"})
		checkBody(t, b.Do("GET", "/access/history?lang=en", nil), 200, []string{i18ntest.EN("access.log.deleted"), "Vestibule"}, nil)
		keys := s.Count(`SELECT count(*) FROM data_keys`)
		s.Advance(6 * 24 * time.Hour)
		s.Control("POST", "/clock", map[string]string{"advance": "0s"}) // which sweeps
		if n := s.Count(`SELECT count(*) FROM data_keys`); n != keys-3 {
			t.Errorf("%d data keys of %d are left, want 3 fewer", n, keys)
		}
	})
}

// TestEndClosesReports checks that access of all companies ends, and that reports stay readable unless the policy
// allows the person's choice.
func TestEndClosesReports(t *testing.T) {
	for _, allowed := range []bool{false, true} {
		s := &testServer{t: t}
		s.Server = providertest.Start(t, storetest.SQLite(t, store.Provider), "get", func(c *provider.Config) {
			c.Mail, c.Operator.ConsumersCloseReports = s, allowed
		})
		own := s.share("Ana", "ana@example.com")
		b := s.open(s.link("ana@example.com", 1))
		page := b.Do("GET", "/access/end/all?lang=en", nil)
		if offered := strings.Contains(page.Body, i18ntest.EN("access.end.close")); offered != allowed {
			t.Errorf("allowed %v: the choice is offered: %v", allowed, offered)
		}
		if a := b.Do("POST", "/access/end/all?lang=en", url.Values{"close": {"yes"}}); a.Status != http.StatusSeeOther {
			t.Fatalf("end: %d %s", a.Status, a.Body)
		}
		want := http.StatusOK
		if allowed {
			want = http.StatusNotFound
		}
		if a := s.Do("GET", "/connect/cashflow/v2/json", nil, s.Bearer(own)); a.Status != want {
			t.Errorf("allowed %v: the report is answered %d", allowed, a.Status)
		}
		checkBody(t, b.Do("GET", "/access/report/"+reference(own)+"?lang=en", nil), 200,
			[]string{i18ntest.EN("access.field.account_details")}, nil)
	}
}

// TestFileWithoutEmail checks production without email: the page says where to get a link, and the operator's
// command makes one.
func TestFileWithoutEmail(t *testing.T) {
	storetest.Each(t, store.Provider, func(t *testing.T, db *store.DB) {
		p, err := provider.New(t.Context(), provider.Config{DB: db, Log: slog.New(slog.DiscardHandler), Now: time.Now,
			Environment: contract.Production, URL: "https://provider.example", Assets: assets.Provider(t)})
		if err != nil {
			t.Fatal(err)
		}
		ask := func(method, path string) *httptest.ResponseRecorder {
			rec := httptest.NewRecorder()
			p.Handler().ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), method, "https://provider.example"+path, nil))
			return rec
		}
		if a := ask("GET", "/access?lang=en"); a.Code != 200 || strings.Contains(a.Body.String(), submit) ||
			!strings.Contains(a.Body.String(), "doesn’t send email") {
			t.Errorf("the page: %d %s", a.Code, a.Body)
		}
		link, err := p.ConsumerLink(t.Context(), "Ana@Example.com")
		if err != nil {
			t.Fatal(err)
		}
		path := strings.TrimPrefix(link, "https://provider.example")
		if a := ask("POST", path); a.Code != http.StatusSeeOther || len(a.Result().Cookies()) != 1 {
			t.Errorf("the link: %d %s", a.Code, a.Body)
		}
		if a := ask("POST", path); a.Code != http.StatusGone {
			t.Errorf("the used link: %d", a.Code)
		}
	})
}
