package review

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"vestibule/internal/contract"
	"vestibule/internal/journey"
	"vestibule/internal/portal/applications"
	"vestibule/internal/portal/review/sharing"
	"vestibule/internal/store"
	"vestibule/internal/svcapi"
	"vestibule/internal/testutil/i18ntest"
	"vestibule/internal/testutil/storetest"
)

// sharer is a fake provider with one sharing token for each report and third
// party.
type sharer struct {
	mu      sync.Mutex
	tokens  map[string]string // report and third party → token
	revoked map[string]bool   // by token
	asked   int
	err     error  // returned instead of an answer
	meet    func() // called before the answer
	after   func() // called after the service created a token, before its answer arrives

	consents []string // consumers whose consent was withdrawn
}

func (s *sharer) answer(f func() error) error {
	s.mu.Lock()
	meet, err := s.meet, s.err
	s.asked++
	s.mu.Unlock()
	if meet != nil {
		meet()
	}
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return f()
}

func (s *sharer) CreateRelayToken(ctx context.Context, publicToken, publicID string) (out string, err error) {
	defer func() {
		s.mu.Lock()
		after := s.after
		s.mu.Unlock()
		if after != nil {
			after()
		}
	}()
	err = s.answer(func() error {
		pair := publicToken + "/" + publicID
		if s.tokens[pair] == "" {
			s.tokens[pair] = uuid.NewString()
		}
		if out = s.tokens[pair]; s.revoked[out] {
			return refusal(contract.CodeRelayTokenRevoked)
		}
		return ctx.Err()
	})
	return out, err
}

func (s *sharer) RevokeRelayToken(ctx context.Context, relayToken string) error {
	return s.answer(func() error {
		if s.revoked[relayToken] {
			return refusal(contract.CodeRelayTokenRevoked)
		}
		s.revoked[relayToken] = true
		return ctx.Err()
	})
}

func (s *sharer) WithdrawConsent(_ context.Context, consumerID string) error {
	return s.answer(func() error {
		s.consents = append(s.consents, consumerID)
		return nil
	})
}

func (s *sharer) set(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

func refusal(code contract.Code) error {
	return &svcapi.Error{Op: "share report", HTTP: 400, Code: code}
}

const (
	own    = "/review/applications/" + appReady
	harbor = "svc-harbor"
)

func shareForm(publicID, label string) url.Values {
	return url.Values{"publicId": {publicID}, "label": {label}}
}

// rows returns the stored shares without their random parts, one per line.
func (d *testServer) rows() []string {
	d.t.Helper()
	all, err := d.Sharing.Shares(d.t.Context(), d.DB.SQL, appReady)
	if err != nil {
		d.t.Fatal(err)
	}
	var out []string
	for _, s := range all {
		state := "open"
		if !s.Withdrawn.IsZero() {
			state = "withdrawn"
		}
		d.sharer.mu.Lock()
		if s.RelayToken != d.sharer.tokens[token+"/"+s.PublicID] {
			state += " with another token"
		}
		d.sharer.mu.Unlock()
		out = append(out, fmt.Sprintf("%s %q since %s, %s", s.PublicID, s.Label, s.Granted.Format(time.DateTime), state))
	}
	return out
}

// lines returns the share log, oldest first.
func (d *testServer) lines() []string {
	d.t.Helper()
	rows, err := d.DB.SQL.Query(`SELECT user_id, action, public_id, done_at IS NOT NULL FROM report_share_log
		WHERE application_id = $1 ORDER BY at, id DESC`, appReady)
	if err != nil {
		d.t.Fatal(err)
	}
	defer rows.Close()
	var out, by []string
	for rows.Next() {
		var reviewer, action, publicID string
		var done bool
		if err := rows.Scan(&reviewer, &action, &publicID, &done); err != nil {
			d.t.Fatal(err)
		}
		end := "done"
		if !done {
			end = "unknown"
		}
		out, by = append(out, fmt.Sprintf("%s %s %s", action, publicID, end)), append(by, reviewer)
	}
	if rows.Err() != nil {
		d.t.Fatal(rows.Err())
	}
	for i, id := range by {
		u, err := d.Staff.User(d.t.Context(), d.DB.SQL, id)
		if err != nil {
			d.t.Fatal(err)
		}
		out[i] = u.Email + " " + out[i]
	}
	return out
}

func (d *testServer) expect(what string, got, want []string) {
	d.t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		d.t.Errorf("%s: -want +got\n%s", what, diff)
	}
}

// requireSharing sends a form, and checks that it leads to the sharing card.
func (d *testServer) requireSharing(what, done, path string, form url.Values) {
	d.t.Helper()
	if to := d.requirePost(303, path, form); to != own+"?done="+done+"#sharing" {
		d.t.Errorf("%s leads to %q", what, to)
	}
}

func TestShareRenewAndWithdraw(t *testing.T) {
	storetest.EachInFull(t, store.Portal, func(t *testing.T, db *store.DB) {
		d := open(t, db)
		d.signInAs(secret, "")
		d.requirePage(own, i18ntest.EN("review.share.none")) // before sharing
		d.requireSharing("sharing", "shared", own+"/shares", shareForm(" "+harbor+" ", "Harbor <b>Bank</b>"))
		d.requirePage(own+"?done=shared", i18ntest.EN("review.share.done.shared"), harbor, "Harbor &lt;b&gt;Bank&lt;/b&gt;", "Active",
			"Mar 17, 2026, 12:00 UTC", "by reviewer@example.com", i18ntest.EN("review.share.more"), "!"+d.sharer.tokens[token+"/"+harbor])

		*d.now = noon.Add(73 * time.Hour)
		d.signInAs(secret, "")
		d.requirePage(own, i18ntest.EN("review.share.over"), i18ntest.EN("review.share.over_how"))
		d.requireSharing("another 72 hours", "renewed", own+"/shares", url.Values{"publicId": {harbor}})
		d.expect("renewed", d.rows(), []string{harbor + ` "Harbor <b>Bank</b>" since 2026-03-17 13:00:00, open`})
		d.requirePage(own+"?done=renewed&lang=es", i18ntest.ES("review.share.done.renewed"), "Activo", i18ntest.ES("review.share.more"))

		*d.now = d.now.Add(time.Hour)
		id := sharing.ID(appReady, harbor)
		d.requirePage("/review/shares/"+id+"/withdraw", i18ntest.EN("review.share.withdraw_submit"),
			"Harbor &lt;b&gt;Bank&lt;/b&gt;", "order-7", i18ntest.EN("review.share.withdraw_good"))
		d.expect("only asked", d.rows(), []string{harbor + ` "Harbor <b>Bank</b>" since 2026-03-17 13:00:00, open`})
		d.requireSharing("withdrawing", "withdrawn", "/review/shares/"+id+"/withdraw", nil)
		asked := d.sharer.asked
		d.requireSharing("withdrawing twice", "withdrawn", "/review/shares/"+id+"/withdraw", nil)
		if d.sharer.asked != asked {
			t.Error("what was withdrawn is withdrawn at the service again")
		}
		if resp, _ := d.get("/review/shares/" + id + "/withdraw"); resp.Header.Get("Location") != own+"#sharing" {
			t.Errorf("the question, once it is withdrawn, leads to %q", resp.Header.Get("Location"))
		}
		d.requirePage(own+"?done=withdrawn", i18ntest.EN("review.share.done.withdrawn"), ">Withdrawn<", "Mar 17, 2026, 14:00 UTC",
			"by reviewer@example.com", "!"+i18ntest.EN("review.share.more"))
		d.requirePost(409, own+"/shares", shareForm(harbor, ""), i18ntest.EN("review.share.withdrawn_before"))
		d.expect("withdrawn", d.rows(), []string{harbor + ` "Harbor <b>Bank</b>" since 2026-03-17 13:00:00, withdrawn`})
		d.expect("written down", d.lines(), []string{
			"reviewer@example.com shared svc-harbor done", "reviewer@example.com renewed svc-harbor done",
			"reviewer@example.com withdrawn svc-harbor done"})

		var label, sealed []byte
		if err := db.SQL.QueryRow(`SELECT label, relay_token FROM report_shares`).Scan(&label, &sealed); err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(label, []byte("Harbor")) || bytes.Contains(sealed, []byte(d.sharer.tokens[token+"/"+harbor])) {
			t.Errorf("kept in the clear: %q %q", label, sealed)
		}
	})
}

func TestShareConcurrently(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		d := open(t, db)
		d.signInAs(secret, "")
		const many = 12
		together := func(path string, form func(i int) url.Values) map[string]int {
			var here, wait sync.WaitGroup
			here.Add(many) // no request is answered before all were sent
			d.sharer.set(func() { d.sharer.meet = func() { here.Done(); here.Wait() } })
			defer d.sharer.set(func() { d.sharer.meet = nil })
			var mu sync.Mutex
			got := map[string]int{}
			for i := range many {
				wait.Go(func() {
					resp, _ := d.post(path, form(i))
					mu.Lock()
					defer mu.Unlock()
					got[fmt.Sprint(resp.StatusCode, " ", resp.Header.Get("Location"))]++
				})
			}
			wait.Wait()
			return got
		}
		got := together(own+"/shares", func(int) url.Values { return shareForm(harbor, "Harbor") })
		if diff := cmp.Diff(map[string]int{"303 " + own + "?done=shared#sharing": 1,
			"303 " + own + "?done=renewed#sharing": many - 1}, got); diff != "" {
			t.Errorf("sharing at once: -want +got\n%s", diff)
		}
		d.expect("shared at once", d.rows(), []string{harbor + ` "Harbor" since 2026-03-14 12:00:00, open`})
		if n := len(d.lines()); n != many {
			t.Errorf("%d lines are written down, want %d", n, many)
		}
		*d.now = noon.Add(time.Hour)
		got = together("/review/shares/"+sharing.ID(appReady, harbor)+"/withdraw", func(int) url.Values { return nil })
		if diff := cmp.Diff(map[string]int{"303 " + own + "?done=withdrawn#sharing": many}, got); diff != "" {
			t.Errorf("withdrawing at once: -want +got\n%s", diff)
		}
		withdrew := 0
		for _, l := range d.lines() {
			if strings.HasSuffix(l, " withdrawn svc-harbor done") {
				withdrew++
			}
		}
		if withdrew != 1 || len(d.lines()) != many+1 {
			t.Errorf("%d reviewers withdrew it, of %d lines", withdrew, len(d.lines()))
		}
		d.expect("withdrawn at once", d.rows(), []string{harbor + ` "Harbor" since 2026-03-14 12:00:00, withdrawn`})
	})
}

// TestWithdrawDuringShare has the response of a grant arrive after the
// share was withdrawn.
func TestWithdrawDuringShare(t *testing.T) {
	storetest.EachInFull(t, store.Portal, func(t *testing.T, db *store.DB) {
		d := open(t, db)
		d.signInAs(secret, "")
		d.post(own+"/shares", shareForm(harbor, ""))
		*d.now = noon.Add(time.Hour)
		withdrawn := false
		d.sharer.after = func() {
			d.sharer.set(func() { d.sharer.after = nil })
			withdrawn = true
			d.requireSharing("withdrawing", "withdrawn", "/review/shares/"+sharing.ID(appReady, harbor)+"/withdraw", nil)
		}
		d.requirePost(409, own+"/shares", shareForm(harbor, ""), i18ntest.EN("review.share.withdrawn_before"))
		if !withdrawn {
			t.Error("it was not withdrawn meanwhile")
		}
		d.expect("withdrawn", d.rows(), []string{harbor + ` "" since 2026-03-14 12:00:00, withdrawn`})
	})
}

func TestRefusedShareIsNotStored(t *testing.T) {
	d := open(t, storetest.SQLite(t, store.Portal))
	d.signInAs(secret, "")
	for _, tc := range []struct {
		err           error
		status        int
		en, es        string
		openWithFiles bool // whether a log entry with unknown outcome remains
	}{
		{refusal(contract.CodeInvalidPublicID), 422, i18ntest.EN("review.share.unknown_party"), i18ntest.ES("review.share.unknown_party"), false},
		{refusal(contract.CodeRelayTokenExpired), 409, i18ntest.EN("review.share.too_old"), i18ntest.ES("review.share.too_old"), false},
		{refusal(contract.CodeRelayTokenRevoked), 409, i18ntest.EN("review.share.withdrawn_before"),
			i18ntest.ES("review.share.withdrawn_before"), false},
		{refusal(contract.CodeInvalidToken), 409, i18ntest.EN("review.share.gone"), i18ntest.ES("review.share.gone"), false},
		{refusal(contract.CodeUnknownCustomer), 409, "<code>UNKNOWN_CUSTOMER</code>", "<code>UNKNOWN_CUSTOMER</code>", false},
		{&svcapi.Error{Op: "share report", Code: contract.CodeUpstream, Err: context.DeadlineExceeded}, 502,
			i18ntest.EN("review.share.no_answer"), i18ntest.ES("review.share.no_answer"), true},
		{&svcapi.Error{Op: "share report", HTTP: 429, Code: contract.CodeRateLimited}, 502,
			i18ntest.EN("review.share.no_answer"), i18ntest.ES("review.share.no_answer"), true},
	} {
		d.sharer.set(func() { d.sharer.err = tc.err })
		d.requirePost(tc.status, own+"/shares", shareForm(harbor, "Harbor"), tc.en, `value="svc-harbor"`, `value="Harbor"`)
		_, page := d.post(own+"/shares?lang=es", shareForm(harbor, "Harbor"))
		d.requireText(tc.err.Error(), page, tc.es)
		d.expect(tc.err.Error(), d.rows(), nil)
		var want []string
		if tc.openWithFiles {
			want = []string{"reviewer@example.com shared svc-harbor unknown", "reviewer@example.com shared svc-harbor unknown"}
			d.requireText("no answer", page, i18ntest.ES("review.share.unknown_end"))
		}
		d.expect(tc.err.Error(), d.lines(), want)
		if _, err := d.DB.SQL.Exec(`DELETE FROM report_share_log`); err != nil {
			t.Fatal(err)
		}
	}
	d.sharer.set(func() { d.sharer.err = nil })
	d.post(own+"/shares", shareForm(harbor, ""))
	withdraw := "/review/shares/" + sharing.ID(appReady, harbor) + "/withdraw"
	for _, tc := range []struct {
		err    error
		status int
		words  string
	}{
		{&svcapi.Error{Op: "withdraw report", Code: contract.CodeUpstream}, 502, i18ntest.EN("review.share.not_withdrawn")},
		{refusal(contract.CodeNotFound), 409, i18ntest.EN("review.share.gone")},
	} {
		d.sharer.set(func() { d.sharer.err = tc.err })
		d.requirePost(tc.status, withdraw, nil, tc.words)
		d.expect("not withdrawn", d.rows(), []string{harbor + ` "" since 2026-03-14 12:00:00, open`})
	}
}

// TestRepeatAfterKilledProcess repeats actions that the service performed but
// the killed process did not record.
func TestRepeatAfterKilledProcess(t *testing.T) {
	storetest.EachInFull(t, store.Portal, func(t *testing.T, db *store.DB) {
		d := open(t, db)
		d.signInAs(secret, "")
		users, err := d.Staff.Users(t.Context(), db.SQL, "")
		if err != nil {
			t.Fatal(err)
		}
		begin := func(action string) { // what a killed process leaves
			_, err := db.SQL.Exec(`INSERT INTO report_share_log (id, application_id, public_id, user_id, action, request_id, at)
				VALUES ($1, $2, $3, $4, $5, '', $6)`, uuid.NewString(), appReady, harbor, users[0].ID, action, store.Micros(*d.now))
			if err != nil {
				t.Fatal(err)
			}
		}

		// Killed between the service's grant and storing the share.
		begin("shared")
		first, _ := d.sharer.CreateRelayToken(t.Context(), token, harbor)
		d.requirePage(own, i18ntest.EN("review.share.none"), i18ntest.EN("review.share.unknown_end"))
		*d.now = noon.Add(time.Minute)
		d.requireSharing("sharing again", "shared", own+"/shares", shareForm(harbor, ""))
		if d.sharer.tokens[token+"/"+harbor] != first {
			t.Error("it is another token")
		}
		d.expect("sharing again", d.rows(), []string{harbor + ` "" since 2026-03-14 12:01:00, open`})

		// Killed between the service's withdrawal and storing it.
		begin("withdrawn")
		if err := d.sharer.RevokeRelayToken(t.Context(), first); err != nil {
			t.Fatal(err)
		}
		*d.now = noon.Add(2 * time.Minute)
		d.requireSharing("withdrawing again", "withdrawn", "/review/shares/"+sharing.ID(appReady, harbor)+"/withdraw", nil)
		d.expect("withdrawing again", d.rows(), []string{harbor + ` "" since 2026-03-14 12:01:00, withdrawn`})

		// Withdrawn by other means, and extended here.
		d.post(own+"/shares", shareForm("svc-other", ""))
		if err := d.sharer.RevokeRelayToken(t.Context(), d.sharer.tokens[token+"/svc-other"]); err != nil {
			t.Fatal(err)
		}
		d.requirePost(409, own+"/shares", shareForm("svc-other", ""), i18ntest.EN("review.share.elsewhere"))
		d.expect("withdrawn elsewhere", d.rows()[1:], []string{`svc-other "" since 2026-03-14 12:02:00, withdrawn`})
	})
}

// TestStoresShareAfterDisconnect checks that the service's response
// is stored even if the browser disconnects.
func TestStoresShareAfterDisconnect(t *testing.T) {
	d := open(t, storetest.SQLite(t, store.Portal))
	d.signInAs(secret, "")
	asked, gone := make(chan struct{}), make(chan struct{})
	d.sharer.set(func() { d.sharer.meet = func() { close(asked); <-gone } })
	ctx, leave := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, "POST", d.srv.URL+own+"/shares", strings.NewReader(shareForm(harbor, "").Encode()))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	left := make(chan error)
	go func() {
		_, err := d.http.Do(req)
		left <- err
	}()
	<-asked
	leave()
	if err := <-left; err == nil {
		t.Fatal("the browser stayed")
	}
	close(gone)
	d.srv.Close() // waits for the request
	d.expect("shared", d.rows(), []string{harbor + ` "" since 2026-03-14 12:00:00, open`})
}

func TestRejectsMalformedShares(t *testing.T) {
	d := open(t, storetest.SQLite(t, store.Portal))
	id := sharing.ID(appReady, harbor)
	for _, path := range []string{own + "/shares", "/review/shares/" + id + "/withdraw"} {
		if resp, _ := d.post(path, shareForm(harbor, "")); !strings.HasPrefix(resp.Header.Get("Location"), "/review/sign-in?ended=1&") {
			t.Errorf("POST %s without signing in: %d to %q", path, resp.StatusCode, resp.Header.Get("Location"))
		}
	}
	d.signInAs(secret, "")
	for _, tc := range []struct {
		publicID, label string
		status          int
		says            string
	}{
		{"", "", 422, "Enter the third party"},
		{"   ", "", 422, "Enter the third party"},
		{strings.Repeat("x", 129), "", 422, "Enter the third party"},
		{"a\nb", "", 422, "Enter the third party"},
		{"a\u202eb", "", 422, "Enter the third party"},
		{harbor, strings.Repeat("é", 81), 422, i18ntest.EN("review.share.bad_label")},
		{harbor, "a\tb", 422, i18ntest.EN("review.share.bad_label")},
		{"\xff", "", 400, ""},
	} {
		d.requirePost(tc.status, own+"/shares", shareForm(tc.publicID, tc.label), tc.says)
	}
	for _, path := range []string{"/review/shares/" + id + "/withdraw", "/review/shares/x/withdraw",
		"/review/applications/" + appStarted + "/shares"} {
		d.requirePost(404, path, shareForm(harbor, ""))
	}
	if resp, _ := d.get(own + "/shares"); resp.Header.Get("Location") != own+"#sharing" {
		t.Errorf("reloading a form's answer leads to %q", resp.Header.Get("Location"))
	}
	if d.sharer.asked != 0 || len(d.rows())+len(d.lines()) != 0 {
		t.Errorf("the service was asked %d times; %d shares, %d lines", d.sharer.asked, len(d.rows()), len(d.lines()))
	}
}

func TestSuggestsThirdParties(t *testing.T) {
	d := open(t, storetest.SQLite(t, store.Portal))
	d.signInAs(secret, "")
	for i, form := range []url.Values{shareForm("svc-a", "Amber"), shareForm("svc-b", ""),
		shareForm("svc-a", ""), shareForm(harbor, "Harbor")} {
		id := fmt.Sprintf("55555555-5555-4555-8555-%012d", i)
		other := stored{Application: one(id, contract.Cashflow, journey.Ready, noon, noon), Body: []byte("{}")}
		other.Report = applications.StoredReport{Attempt: 1, At: noon}
		other.Journey.PublicToken = fmt.Sprintf("66666666-6666-4666-8666-%012d", i)
		d.add(other)
		*d.now = noon.Add(time.Duration(i) * time.Minute)
		d.requirePost(303, "/review/applications/"+id+"/shares", form)
	}
	d.requirePage(own, `<option value="svc-harbor" label="Harbor">`,
		`<option value="svc-a" label="Amber">`, `<option value="svc-b" label="">`)
	d.post(own+"/shares", shareForm(harbor, ""))
	d.requirePage(own, `!<option value="svc-harbor"`) // an account that has it is not offered again
}
