package crashtest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/journey"
	"vestibule/internal/report"
	"vestibule/internal/store"
	"vestibule/internal/svcapi"
	"vestibule/internal/testutil/svcapitest"
)

// ledger records what the program acknowledged. At the end of a test, all of it must
// exist exactly once.
type ledger struct {
	t     *testing.T
	f     *fleet
	owner svcapitest.Client
	third *svcapi.Client
	http  *http.Client

	mu           sync.Mutex
	submissions  map[string]string // externalId → publicToken; "" if the response was lost
	submitter    map[string]string // externalId → the child account
	shared       map[string]string // relay token → publicToken
	withdrawn    map[string]bool   // relay token
	applications map[string]bool   // id → whether its visit's end was acknowledged
	returned     map[string]bool   // applications whose redirect callback was acknowledged
	decided      map[string]string // application → a reviewer's decision
}

func newLedger(t *testing.T, f *fleet) *ledger {
	c := f.Credentials
	return &ledger{t: t, f: f,
		owner: svcapitest.Client{Client: &svcapi.Client{BaseURL: f.provider, ClientID: c.ClientID, SecretKey: c.SecretKey,
			Environment: contract.Sandbox}},
		third: &svcapi.Client{BaseURL: f.provider, ClientID: c.ThirdParty.ClientID,
			SecretKey: c.ThirdParty.SecretKey, Environment: contract.Sandbox},
		http: &http.Client{Timeout: 15 * time.Second, Transport: &http.Transport{DisableKeepAlives: true},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
		submissions: map[string]string{}, submitter: map[string]string{}, shared: map[string]string{}, withdrawn: map[string]bool{},
		applications: map[string]bool{}, returned: map[string]bool{}, decided: map[string]string{}}
}

// locked calls f while no other caller changes the ledger.
func (l *ledger) locked(f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f()
}

func (l *ledger) acknowledged() int {
	return len(l.submissions) + len(l.shared) + len(l.withdrawn) + len(l.applications) + len(l.returned) + len(l.decided)
}

func (l *ledger) String() string {
	return fmt.Sprintf("%d submissions, %d shares, %d withdrawals, %d applications with %d returns and %d decisions, %d events",
		len(l.submissions), len(l.shared), len(l.withdrawn), len(l.applications), len(l.returned), len(l.decided), l.f.app.count())
}

// retryTime bounds the retries of a request that never succeeds: longer than a process needs to restart
// on a busy machine.
const retryTime = 2 * time.Minute

// retry calls f until it returns true. It returns false if retryTime has passed.
func retry(f func(ctx context.Context) bool) bool {
	ctx, cancel := context.WithTimeout(context.Background(), retryTime)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for !f(ctx) {
		select {
		case <-ctx.Done():
			return false
		case <-tick.C:
		}
	}
	return true
}

// submit submits bank data for child accounts until working ends.
func (l *ledger) submit(working context.Context, worker int) {
	var child, product, configuration string
	for n := 0; working.Err() == nil; n++ {
		if n%25 == 0 { // an account's limit is 30 submissions a minute
			name := svcapitest.Names{Name: fmt.Sprintf("Branch %d %d", worker, n)}
			ok := retry(func(ctx context.Context) bool {
				var err error
				if configuration == "" {
					all, err := l.owner.Configurations(ctx)
					for _, c := range all {
						if c.Product == contract.Cashflow {
							configuration = c.ID
						}
					}
					if err != nil {
						return false
					}
				}
				if child, _, err = l.owner.Account(ctx, "PUT", name); err != nil {
					return false
				}
				if product, _, err = l.owner.Product(ctx, "PUT", child, "Loan"); err != nil {
					return false
				}
				return l.owner.Assign(ctx, configuration, svcapitest.Target{Type: "product", ID: product}) == nil
			})
			if !ok {
				l.t.Error("a child account could not be made")
				return
			}
		}
		in := household(product, child, fmt.Sprintf("s-%d-%d", worker, n))
		var last error
		ok := retry(func(ctx context.Context) bool {
			sent, err := l.owner.Submit(ctx, in)
			if last = err; err == nil || svcapi.CodeOf(err) == contract.CodeDuplicateExternalID {
				l.locked(func() { l.submissions[in.ExternalID], l.submitter[in.ExternalID] = sent.PublicToken, child })
				return true
			}
			return false
		})
		if !ok {
			l.t.Errorf("a submission was not taken: %v", last)
			return
		}
		if n%5 == 4 { // waits, to leave capacity for apply
			retry(func(ctx context.Context) bool {
				s, err := l.owner.Status(ctx, svcapi.Ref{ExternalID: in.ExternalID, PublicID: child})
				return working.Err() != nil || err == nil && s.Status != contract.StatusPending
			})
		}
	}
}

// share shares a report with the third party, and withdraws it if withdraw is true.
func (l *ledger) share(publicToken string, withdraw bool) {
	var relay string
	var last error
	ok := retry(func(ctx context.Context) bool {
		relay, last = l.owner.CreateRelayToken(ctx, publicToken, l.f.Credentials.ThirdParty.PublicID)
		return last == nil
	})
	if !ok {
		l.t.Errorf("a report was not shared: %v", last)
		return
	}
	l.locked(func() { l.shared[relay] = publicToken })
	if !withdraw {
		return
	}
	ok = retry(func(ctx context.Context) bool {
		last = l.owner.RevokeRelayToken(ctx, relay)
		return last == nil || svcapi.CodeOf(last) == contract.CodeRelayTokenRevoked
	})
	if !ok {
		l.t.Errorf("a report was not withdrawn: %v", last)
	}
	l.locked(func() { l.withdrawn[relay] = true })
}

// Personal data of every applicant.
const (
	firstName = "Zsófia-Canaria"
	lastName  = "Canarison"
	email     = "zsofia.canarison@example.org"
	payer     = "CANARY CORP PAYROLL"
	landlord  = "CANARY WHARF RENT"
)

// household returns half a year of pay and rent.
func household(product, child, externalID string) svcapi.Submission {
	pulled := time.Now().Add(-time.Hour)
	account := svcapi.SubmittedAccount{ID: "A1", InstitutionName: "Amber Coast Bank",
		AccountType: "CHECKING", CurrentBalance: 320405, Currency: "USD"}
	for day := 3; day <= 180; day += 7 {
		tx := svcapi.SubmittedTransaction{ID: fmt.Sprint("T", day), Status: "POSTED",
			DatePosted: svcapi.DateTime{Time: pulled.AddDate(0, 0, -day)},
			Amount:     210050, Description: payer, CreditOrDebit: "CREDIT"}
		if day%2 == 0 {
			tx.Amount, tx.Description, tx.CreditOrDebit = 90000, landlord, "DEBIT"
		}
		account.Transactions = append(account.Transactions, tx)
	}
	return svcapi.Submission{ProductID: product, PublicID: child, ExternalID: externalID, PullDate: svcapi.DateTime{Time: pulled},
		Personal: svcapi.SubmittedPerson{FirstName: firstName, LastName: lastName, Email: email, DOB: "1990-06-15"},
		Accounts: []svcapi.SubmittedAccount{account}}
}

// answer is a response; status 0 means that none arrived.
type answer struct {
	status int
	header http.Header
	body   []byte
}

func (a answer) field(name string) string {
	var all map[string]any
	json.Unmarshal(a.body, &all)
	s, _ := all[name].(string)
	return s
}

func (l *ledger) ask(ctx context.Context, method, to, body string, header ...string) answer {
	req, err := http.NewRequestWithContext(ctx, method, to, strings.NewReader(body))
	if err != nil {
		l.t.Error(err)
		return answer{}
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := l.http.Do(req)
	if err != nil {
		return answer{}
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		return answer{}
	}
	return answer{res.StatusCode, res.Header, raw}
}

// until repeats a request until it is answered without a server error, and reports
// whether the status is the wanted one.
func (l *ledger) until(method, to, body string, want int, header ...string) (got answer, ok bool) {
	retry(func(ctx context.Context) bool {
		got = l.ask(ctx, method, to, body, header...)
		return got.status != 0 && got.status < 500
	})
	return got, got.status == want
}

const (
	asJSON = "application/json"
	asForm = "application/x-www-form-urlencoded"
)

// signIn signs a reviewer in and returns the cookie.
func (l *ledger) signIn() string {
	in := url.Values{"email": {l.f.Credentials.Reviewer.Email}, "password": {l.f.Credentials.Reviewer.Password}}
	got, ok := l.until("POST", l.f.portal+"/review/sign-in", in.Encode(), 303, "Content-Type", asForm)
	if !ok {
		l.t.Errorf("the reviewer's sign-in fails: %d", got.status)
	}
	return cookies(got)
}

// decide stores a reviewer's decision. A conflict means that the response to an earlier
// try was lost.
func (l *ledger) decide(reviewer, id, what string) {
	form := url.Values{"seen": {"0"}, "decision": {what}, "text": {"as we talked about"}}
	got, ok := l.until("POST", l.f.portal+"/review/applications/"+id+"/decision",
		form.Encode(), 303, "Content-Type", asForm, "Cookie", reviewer)
	if !ok && got.status != http.StatusConflict {
		l.t.Errorf("a decision was not taken: %d %.300s", got.status, got.body)
		return
	}
	l.locked(func() { l.decided[id] = what })
}

func cookies(a answer) string {
	for _, c := range (&http.Response{Header: a.header}).Cookies() {
		return c.Name + "=" + c.Value
	}
	return ""
}

// apply completes secure redirects until working ends, shares every second report,
// withdraws every second share, and decides on two of three applications. It abandons an
// application if the response to a single-use step is lost.
func (l *ledger) apply(working context.Context, worker int) {
	reviewer := l.signIn()
	for n := 0; working.Err() == nil; n++ {
		body := fmt.Sprintf(`{"product":"cashflow","mode":"redirect","externalId":"a-%d-%d","prefill":{"firstName":%q,`+
			`"lastName":%q,"email":%q,"dob":"1990-12-10"}}`, worker, n, firstName, lastName, email)
		made, ok := l.until("POST", l.f.portal+"/api/v1/applications", body, 201, "Authorization", "Bearer "+l.f.Credentials.PortalAPIKey,
			"Content-Type", asJSON, "Idempotency-Key", fmt.Sprintf("a-%d-%d", worker, n))
		if !ok {
			l.t.Errorf("an application was not taken: %d %s", made.status, made.body)
			return
		}
		id := made.field("id")
		l.locked(func() { l.applications[id] = false })
		at := l.f.portal + "/applications/" + id
		entered, ok := l.until("POST", at+"/connect", "grant="+made.field("embedToken"), 303, "Content-Type", asForm,
			"Cookie", "vestibule-probe=1")
		if !ok {
			continue
		}
		cookie := cookies(entered)
		away, ok := l.until("GET", at+"/connect", "", 303, "Cookie", cookie)
		if !ok {
			continue
		}
		visit, ok := l.until("GET", away.header.Get("Location"), "", 303)
		if !ok {
			continue
		}
		_, handle, _ := strings.Cut(visit.header.Get("Location"), "/visit/")
		handle, _, _ = strings.Cut(handle, "?")
		var done answer
		turn := 0
		retry(func(ctx context.Context) bool {
			turn++
			control := l.f.replicas[turn%len(l.f.replicas)].control
			done = l.ask(ctx, "POST", "http://"+control+"/visits/"+handle+"/complete", `{}`, "Content-Type", asJSON)
			return done.status != 0 && done.status < 500
		})
		if done.status != 200 || done.field("completeUrl") == "" { // an earlier try, whose response was lost, ended the visit
			continue
		}
		l.locked(func() { l.applications[id] = true })
		if _, ok := l.until("GET", done.field("completeUrl"), "", 303, "Cookie", cookie); ok {
			l.locked(func() { l.returned[id] = true })
		}
		if kind := []string{"approved", "declined", ""}[n%3]; kind != "" {
			l.decide(reviewer, id, kind)
		}
		if n%2 == 0 {
			l.share(done.field("publicToken"), n%4 == 0)
		}
	}
}

// settle is how long the program may take to finish interrupted work.
const settle = 90 * time.Second

// reconcile waits until all acknowledged work is done, and describes what is lost and
// what was done more than once.
func (l *ledger) reconcile() (lost, doubled []string) {
	deadline, cancel := context.WithTimeout(l.t.Context(), settle)
	defer cancel()
	eventually := func(what string, f func() (string, bool)) {
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for {
			said, ok := f()
			if ok {
				return
			}
			select {
			case <-deadline.Done():
				lost = append(lost, what+": "+said)
				return
			case <-tick.C:
			}
		}
	}
	ctx := l.t.Context()
	for external, token := range l.submissions {
		eventually("submission "+external, func() (string, bool) {
			r, err := l.owner.Cashflow(ctx, svcapi.Ref{ExternalID: external, PublicID: l.submitter[external]})
			if err != nil {
				return err.Error(), false
			}
			if token != "" && r.Meta.PublicToken != token || len(r.Attributes) == 0 || report.Text(r.Meta.ExternalID) != external {
				return "it is another report", false
			}
			return "", true
		})
	}
	for relay := range l.shared {
		eventually("share", func() (string, bool) {
			_, err := l.third.Status(ctx, svcapi.Ref{PublicToken: relay})
			gone := svcapi.CodeOf(err) == contract.CodeRelayTokenRevoked
			if err != nil && !gone {
				return err.Error(), false
			}
			return fmt.Sprintf("withdrawn is %v, want %v", gone, l.withdrawn[relay]), gone == l.withdrawn[relay]
		})
	}
	for id, done := range l.applications {
		eventually("application "+id, func() (string, bool) {
			got := l.ask(ctx, "GET", l.f.portal+"/api/v1/applications/"+id, "", "Authorization", "Bearer "+l.f.Credentials.PortalAPIKey)
			if got.status != 200 {
				return fmt.Sprintf("it is %d", got.status), false
			}
			return "its visit ended, and it is " + got.field("state"), !done || got.field("state") == "ready"
		})
		if done {
			eventually("application "+id, func() (string, bool) {
				return "the onboarding app was not notified of its report", l.f.app.notified(id, "application.ready") > 0
			})
		}
	}
	for id, want := range l.decided {
		eventually("decision on "+id, func() (string, bool) {
			var got struct {
				Decision struct {
					Kind   string
					Number int
				}
			}
			json.Unmarshal(l.ask(ctx, "GET", l.f.portal+"/api/v1/applications/"+id, "", "Authorization",
				"Bearer "+l.f.Credentials.PortalAPIKey).body, &got)
			return fmt.Sprintf("it is %+v, want %s", got.Decision, want), got.Decision.Kind == want && got.Decision.Number == 1
		})
		if *older != "" {
			continue // an older version may not send the event
		}
		eventually("decision on "+id, func() (string, bool) {
			return "the onboarding app was not notified of it", l.f.app.notified(id, "application.decided") > 0
		})
	}
	doubled = append(doubled, l.f.app.doubled()...)
	l.checkRows(&lost, &doubled, eventually)
	return lost, doubled
}

// checkRows compares the rows of both databases with the ledger.
func (l *ledger) checkRows(lost, doubled *[]string, eventually func(string, func() (string, bool))) {
	provider, portal := l.f.open(store.Provider), l.f.open(store.Portal)
	count := func(db *store.DB, query string, args ...any) int {
		var n int
		if err := db.SQL.QueryRowContext(l.t.Context(), query, args...).Scan(&n); err != nil {
			l.t.Errorf("%s: %v", query, err)
		}
		return n
	}
	// After three failed attempts, the next is due later than this test ends. A delivery that waits
	// for it is not lost, but it must have such an attempt.
	settled := store.Micros(time.Now().Add(settle))
	eventually("webhooks", func() (string, bool) {
		n := count(provider, `SELECT count(*) FROM reports r WHERE status = 'SUCCESS'
			AND customer_id IN (SELECT customer_id FROM callbacks WHERE disabled_at IS NULL)
			AND NOT EXISTS (SELECT 1 FROM events e JOIN deliveries d ON d.event_id = e.id
				WHERE e.subject_id = r.public_token AND e.type = 'SUCCESS'
				AND (d.state = 'delivered' OR d.state = 'pending' AND d.next_at > $1))`, settled)
		return fmt.Sprintf("%d reports whose webhook was not delivered", n), n == 0
	})
	for _, c := range []struct {
		db          *store.DB
		what, query string
	}{
		{provider, "webhook of one status", `SELECT count(*)
			FROM (SELECT 1 FROM events GROUP BY subject_id, type HAVING count(*) > 1) AS twice`},
		{provider, "report of one externalId", `SELECT count(*) FROM (SELECT 1 FROM reports WHERE external_id IS NOT NULL
			GROUP BY customer_id, external_id HAVING count(*) > 1) AS twice`},
		{provider, "report of one visit", `SELECT count(*) FROM (SELECT 1 FROM visits GROUP BY public_token HAVING count(*) > 1) AS twice`},
		{provider, "live relay token of one pair", `SELECT count(*) FROM (SELECT 1 FROM relay_tokens
			GROUP BY public_token, third_party_id HAVING count(*) > 1) AS twice`},
		{portal, "callback of one attempt", `SELECT count(*) FROM (SELECT 1 FROM redirect_attempts WHERE returned_at <> 0
			GROUP BY application_id, number HAVING count(*) > 1) AS twice`},
		{portal, "application of one externalId", `SELECT count(*)
			FROM (SELECT 1 FROM applications GROUP BY external_id HAVING count(*) > 1) AS twice`},
		{portal, "decision on what one reviewer saw", `SELECT count(*)
			FROM (SELECT 1 FROM review_decisions GROUP BY application_id HAVING count(*) > 1) AS twice`},
		{portal, "event of one change", `SELECT count(*) FROM (SELECT 1 FROM events
			GROUP BY subject_id, sequence, type HAVING count(*) > 1) AS twice`},
		{portal, "fetch in one timeline", `SELECT count(*) FROM (SELECT 1 FROM application_timeline WHERE kind = '` +
			string(journey.Fetched) + `' GROUP BY application_id HAVING count(*) > 1) AS twice`},
	} {
		if n := count(c.db, c.query); n > 0 {
			*doubled = append(*doubled, fmt.Sprintf("%d times more than one %s", n, c.what))
		}
	}
	if want, n := len(l.applications), count(portal, `SELECT count(*) FROM applications`); n != want {
		*doubled = append(*doubled, fmt.Sprintf("%d applications are there, and %d were acknowledged", n, want))
	}
	for id := range l.returned {
		if n := count(portal, `SELECT count(*) FROM redirect_attempts WHERE application_id = $1 AND returned_at <> 0`, id); n != 1 {
			*lost = append(*lost, fmt.Sprintf("application %s: its redirect callback was acknowledged, and %d attempts have one", id, n))
		}
	}
}
