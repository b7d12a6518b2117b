package review

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/jobs"
	"vestibule/internal/journey"
	"vestibule/internal/mail"
	"vestibule/internal/pageimage"
	"vestibule/internal/portal/applications"
	"vestibule/internal/portal/applications/applicant"
	"vestibule/internal/portal/notify"
	"vestibule/internal/portal/resume"
	"vestibule/internal/portal/review/audit"
	"vestibule/internal/portal/review/decisions"
	"vestibule/internal/portal/review/deletion"
	"vestibule/internal/portal/review/printout"
	"vestibule/internal/portal/review/search"
	"vestibule/internal/portal/review/sharing"
	"vestibule/internal/prefill"
	"vestibule/internal/report"
	"vestibule/internal/session"
	"vestibule/internal/staff"
	"vestibule/internal/store"
	"vestibule/internal/svcapi"
	"vestibule/internal/testutil/applicationstest"
	"vestibule/internal/testutil/i18ntest"
	"vestibule/internal/testutil/storetest"
	"vestibule/templates/ui"
)

const (
	appReady   = "11111111-1111-4111-8111-111111111111"
	appStarted = "22222222-2222-4222-8222-222222222222"
	token      = "33333333-3333-4333-8333-333333333333"
	secret     = "correct horse battery"
)

// statedZoe is the ready application's applicant in an exported report.
const statedZoe = `{"firstName":"Zoë","lastName":"O’Hara-Núñez","email":"Zoe@Example.org"}`

var noon = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)

// stored is an application with its related data.
type stored = applicationstest.Row

// reporter is a fake provider with files and newer versions of reports. It also
// holds the stored applications of a test.
type reporter struct {
	applications.Provider
	rows    map[string]stored
	files   []svcapi.File
	content map[string]svcapi.Content // by path
	refuses error
	newest  []byte // newer version of every report
}

func (s *reporter) Files(context.Context, contract.Product, svcapi.Ref) ([]svcapi.File, error) {
	if s.content == nil {
		return s.files, s.refuses
	}
	return s.files, nil
}

func (s *reporter) File(_ context.Context, _ contract.Product, _ svcapi.Ref, path string) (svcapi.Content, error) {
	return s.content[path], s.refuses
}

func (s *reporter) Report(context.Context, contract.Product, svcapi.Ref) ([]byte, *report.Meta, error) {
	var r struct {
		Meta report.Meta `json:"meta"`
	}
	_ = json.Unmarshal(s.newest, &r) // some tests have no report
	return s.newest, &r.Meta, s.refuses
}

// queue drops every job.
type queue struct{}

func (queue) Enqueue(context.Context, *store.Tx, jobs.Args, ...jobs.EnqueueOption) error { return nil }
func (queue) Remove(context.Context, *store.Tx, string, int64) error                     { return nil }

// add stores an application and indexes it.
func (d *testServer) add(r stored) {
	d.t.Helper()
	d.reporter.rows[r.ID] = r
	a := applicationstest.Put(d.t, d.DB, r)
	err := d.DB.Tx(d.t.Context(), func(ctx context.Context, tx *store.Tx) error {
		if err := d.Index.OnChange(ctx, tx, a, applications.TimelineEntry{}); err != nil || r.Applicant == nil {
			return err
		}
		return d.Index.OnApplicant(ctx, tx, a, *r.Applicant)
	})
	if err != nil {
		d.t.Fatal(err)
	}
}

// change updates a stored application.
func (d *testServer) change(id string, f func(*stored)) {
	d.t.Helper()
	r := d.reporter.rows[id]
	f(&r)
	d.reporter.rows[id] = r
	applicationstest.Put(d.t, d.DB, r)
}

// keep replaces the report of the ready application.
func (d *testServer) keep(raw []byte) { d.change(appReady, func(r *stored) { r.Body = raw }) }

// one returns an application in a state.
func one(id string, product contract.Product, state journey.State, created, updated time.Time) applications.Application {
	return applications.Application{ID: id, Product: product, Journey: journey.Application{State: state},
		CreatedAt: created, UpdatedAt: updated}
}

var someLines = []applications.TimelineEntry{
	{Seq: 1, At: noon, Kind: "created", From: "", To: "started"},
	{Seq: 2, At: noon, Kind: "connect", Attempt: 1, From: "started", To: "connecting"},
	{Seq: 3, At: noon.Add(time.Minute), Kind: "hookError", Attempt: 1,
		Error: contract.WidgetSupplierError, From: "connecting", To: "connecting"},
	{Seq: 4, At: noon.Add(2 * time.Minute), Kind: "hookExit", Attempt: 1, From: "connecting", To: "exited"},
	{Seq: 5, At: noon.Add(3 * time.Minute), Kind: "restart", Attempt: 2, From: "exited", To: "connecting"},
	{Seq: 6, At: noon.Add(4 * time.Minute), Kind: "webhook", Attempt: 2, Status: contract.StatusSuccess, From: "connecting", To: "pending"},
}

func sample(t testing.TB) []byte {
	t.Helper()
	text := contract.Null[string]
	ref := report.SourceRef{SourceID: "FIRST_BANK", SourceUUID: text(token), SourceRecordID: text(appReady)}
	other := report.SourceRef{SourceID: "SECOND_BANK", SourceUUID: text(token), SourceRecordID: text(appStarted)}
	cents := report.Cents(-123456789)
	opened := report.DateOf(noon)
	raw, err := report.Encode(report.Cashflow{
		Meta: &report.Meta{PublicToken: token, CreatedAt: report.TimestampOf(noon),
			APIVersion: report.CashflowVersion, Status: contract.StatusSuccess},
		Product: &report.Product{Name: "Everyday <b>cashflow</b>", ProductID: token, InquiryType: "PERSONAL"},
		Sources: []report.Source{{SourceID: "FIRST_BANK", SourceType: report.SourceBankTransaction, Status: contract.StatusSuccess}},
		Identities: []report.Identity{
			{SourceID: report.ConsumerInput, FullName: text("Ana María Núñez"), Emails: []string{"ana@example.com"},
				Matching: &report.Matching{FullName: report.MatchingField{Matched: []report.SourceRef{ref}, Unmatched: []report.SourceRef{other}}}},
			{SourceID: "FIRST_BANK", SourceUUID: ref.SourceUUID, SourceRecordID: ref.SourceRecordID, FullName: text("ANA NUNEZ")},
			{SourceID: "SECOND_BANK", SourceUUID: other.SourceUUID, SourceRecordID: other.SourceRecordID, FullName: text("A. Stranger")},
		},
		AccountDetails: []report.Account{{SourceID: "FIRST_BANK", AccountID: token, MonthsAvailable: 24, InstitutionName: text("First Bank"),
			AccountName: text("Everyday"), AccountType: report.CashEquivalent, AccountSubtype: text(report.Checking), DateOpened: &opened,
			TruncatedNumber: text("4321"), CurrentBalance: &cents,
			Addresses: []report.Address{{AddressID: token, Street: text("1 Main St"), City: text("Springfield"),
				State: text("IL"), ZIPCode: text("62701")}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// testServer is a running review dashboard with a browser.
type testServer struct {
	*Handler
	t        *testing.T
	reporter *reporter
	sharer   *sharer
	srv      *httptest.Server
	http     *http.Client
	now      *time.Time
}

func open(t *testing.T, db *store.DB, more ...func(*Handler)) *testServer {
	t.Helper()
	staff.UseCheapHashes()
	now := noon
	d := &testServer{t: t, now: &now, sharer: &sharer{tokens: map[string]string{}, revoked: map[string]bool{}},
		reporter: &reporter{rows: map[string]stored{}}}
	clock := func() time.Time { return *d.now }
	db.SetClock(clock)
	sessions, err := session.New(t.Context(), db, clock, session.Settings{Name: "vestibule", SameSite: http.SameSiteLaxMode})
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	apps := &applications.Service{DB: db, Queue: queue{}, Provider: d.reporter,
		Products:    map[contract.Product]string{contract.Cashflow: "product"},
		Environment: contract.Sandbox, Now: clock, Log: log}
	letters := &resume.Handler{DB: db, Applicants: &applicant.Handler{Service: apps},
		Queue: queue{}, Mail: &mail.Sender{}, URL: "https://portal.example",
		Environment: contract.Sandbox, Now: clock, Log: log}
	events := notify.New(notify.Service{DB: db, Queue: queue{}, Applications: apps, Environment: contract.Sandbox, Now: clock, Log: log})
	users, err := staff.New(t.Context(), staff.Config{AuditSignIns: true, DB: db,
		Sessions: sessions, Now: clock, Log: log, URL: "https://portal.example",
		Home: home, KnownCookie: "vestibule-known", Roles: RolesByPrivilege})
	if err != nil {
		t.Fatal(err)
	}
	d.Handler = &Handler{PageImages: pageimage.New(false), DB: db, Staff: users, Applications: apps, Letters: letters, Events: events,
		Index:   &search.Index{DB: db, Applications: apps, Queue: queue{}, Now: clock, Summarize: Summarize(apps)},
		Sharing: &sharing.Service{DB: db, Staff: users, Applications: apps, Provider: d.sharer, Log: log},
		Audit:   &audit.Service{DB: db, Staff: users, Log: log},
		Decisions: &decisions.Service{DB: db, Staff: users, Applications: apps, Letters: letters, URL: "https://portal.example",
			Host: "reports.example", Now: clock},
		Brand: printout.Brand{Name: "Harbor Lending"}, Log: log, URL: "https://portal.example",
		Page: func(r *http.Request) ui.Page {
			lang := ui.PickLanguage(r.URL.Query().Get("lang"), "", r.Header.Get("Accept-Language"))
			return ui.Page{Lang: lang, Languages: ui.Languages(lang, r.URL)}
		},
		Adapt: func(h httpx.HandlerFunc) http.Handler { return httpx.API(log, h) }}
	d.Deletion = &deletion.Service{DB: db, Staff: users, Applications: apps, Sharing: d.Sharing, Provider: d.sharer, Queue: queue{},
		Now: clock, Log: log,
		Erase: []func(context.Context, *store.Tx, string) error{apps.Delete, decisions.Forget,
			sharing.Forget, search.Forget}}
	for _, f := range more {
		f(d.Handler)
	}
	letters.OnSettled = d.Decisions.EmailSettled
	users.Show = d.ShowStaff
	added := db.Tx(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		return users.Ensure(ctx, tx, staff.User{Email: "Reviewer@Example.com", Role: Administrator}, secret)
	})
	if err := errors.Join(letters.Open(t.Context()), d.Index.Prepare(t.Context()), added); err != nil {
		t.Fatal(err)
	}
	d.add(stored{Application: applications.Application{ID: appReady, Product: contract.Cashflow,
		ExternalID: "order-7", CreatedAt: noon, UpdatedAt: noon,
		Journey: journey.Application{State: journey.Ready, Attempt: 2, Succeeded: 2, PublicToken: token, Status: contract.StatusSuccess},
		Report:  applications.StoredReport{Attempt: 2, At: noon}},
		Applicant: &prefill.Fields{FirstName: "Zoë", LastName: "O’Hara-Núñez", Email: "Zoe@Example.org"}, Body: sample(t), Timeline: someLines})
	d.add(stored{Application: applications.Application{ID: appStarted, Product: contract.Cashflow,
		Mode: applications.Redirect, Origin: applications.FromAPI,
		Journey: journey.New(noon.Unix()), CreatedAt: noon, UpdatedAt: noon}})
	apps.OnChange = append(apps.OnChange, d.Index.OnChange)
	mux := http.NewServeMux()
	d.Routes(mux)
	d.srv = httptest.NewServer(httpx.NotFound(log, mux, func(*http.Request) httpx.ErrorPage { return d.ShowStatus }))
	t.Cleanup(d.srv.Close)
	jar, _ := cookiejar.New(nil)
	d.http = &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return d
}

// browser returns the dashboard with another browser.
func (d *testServer) browser() *testServer {
	out := *d
	jar, _ := cookiejar.New(nil)
	out.http = &http.Client{Jar: jar, CheckRedirect: d.http.CheckRedirect}
	return &out
}

func (d *testServer) do(req *http.Request) (*http.Response, string) {
	d.t.Helper()
	resp, err := d.http.Do(req)
	if err != nil {
		d.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		d.t.Fatal(err)
	}
	return resp, string(body)
}

func (d *testServer) get(path string) (*http.Response, string) {
	d.t.Helper()
	req, err := http.NewRequest("GET", d.srv.URL+path, nil)
	if err != nil {
		d.t.Fatal(err)
	}
	return d.do(req)
}

func (d *testServer) post(path string, form url.Values) (*http.Response, string) {
	d.t.Helper()
	req, err := http.NewRequest("POST", d.srv.URL+path, strings.NewReader(form.Encode()))
	if err != nil {
		d.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return d.do(req)
}

// run runs a named step of a test.
func (d *testServer) run(name string, step func(t *testing.T, d *testServer)) {
	d.t.Helper()
	d.t.Run(name, func(t *testing.T) {
		in := *d
		in.t = t
		step(t, &in)
	})
}

// requireText checks that a page has texts, and lacks those after an exclamation mark.
func (d *testServer) requireText(what, page string, texts ...string) {
	d.t.Helper()
	for _, want := range texts {
		if text := strings.TrimPrefix(want, "!"); strings.Contains(page, text) == (text != want) {
			d.t.Errorf("%s: %q\n%s", what, want, page)
		}
	}
}

// requirePage gets a page, checks its texts as requireText does, and returns it.
func (d *testServer) requirePage(path string, texts ...string) string {
	d.t.Helper()
	resp, page := d.get(path)
	if resp.StatusCode != 200 {
		d.t.Errorf("GET %s = %d", path, resp.StatusCode)
	}
	d.requireText("GET "+path, page, texts...)
	return page
}

// requireStatus checks the status of pages.
func (d *testServer) requireStatus(status int, paths ...string) {
	d.t.Helper()
	for _, path := range paths {
		if resp, _ := d.get(path); resp.StatusCode != status {
			d.t.Errorf("GET %s = %d, want %d", path, resp.StatusCode, status)
		}
	}
}

// requirePost sends a form, checks the answer's status and texts, and returns where it leads.
func (d *testServer) requirePost(status int, path string, form url.Values, texts ...string) (to string) {
	d.t.Helper()
	resp, page := d.post(path, form)
	if resp.StatusCode != status {
		d.t.Errorf("POST %s of %.80v = %d to %q, want %d", path, form, resp.StatusCode, resp.Header.Get("Location"), status)
	}
	d.requireText("POST "+path, page, texts...)
	return resp.Header.Get("Location")
}

func (d *testServer) signInAs(pass, next string) *http.Response {
	d.t.Helper()
	resp, _ := d.post("/review/sign-in", url.Values{"email": {" reviewer@example.COM"}, "password": {pass}, "next": {next}})
	return resp
}

func TestSignInAndOut(t *testing.T) {
	storetest.EachInFull(t, store.Portal, func(t *testing.T, db *store.DB) {
		d := open(t, db)
		want := "/review/applications/" + appReady + "/report"
		resp, _ := d.get(want)
		to := resp.Header.Get("Location")
		if resp.StatusCode != http.StatusSeeOther || to != "/review/sign-in?next="+url.QueryEscape(want) {
			t.Fatalf("not signed in: %d to %q", resp.StatusCode, to)
		}
		d.requirePage(to, `name="next" value="`+want+`"`)
		session := func(r *http.Request) string {
			for _, c := range d.http.Jar.Cookies(r.URL) {
				if c.Name == "vestibule" {
					return c.Value
				}
			}
			return ""
		}
		before := session(resp.Request)
		resp = d.signInAs(secret, want)
		if resp.StatusCode != http.StatusSeeOther || resp.Header.Get("Location") != want {
			t.Fatalf("signing in: %d to %q", resp.StatusCode, resp.Header.Get("Location"))
		}
		if after := session(resp.Request); after == "" || after == before {
			t.Errorf("the session was not renewed: %q, then %q", before, after)
		}
		d.requirePage(want, "Ana María Núñez")
		if resp, _ := d.get("/review/sign-in?next=" + url.QueryEscape(want)); resp.Header.Get("Location") != want {
			t.Errorf("the sign-in page of one who has signed in leads to %q", resp.Header.Get("Location"))
		}
		d.requirePost(http.StatusSeeOther, "/review/sign-out", nil)
		d.requireStatus(http.StatusSeeOther, want) // after signing out
	})
}

func TestList(t *testing.T) {
	d := open(t, storetest.SQLite(t, store.Portal))
	d.signInAs(secret, "")
	resp, page := d.get("/review")
	if resp.StatusCode != 200 || !strings.Contains(page, "order-7") || !strings.Contains(page, "Zoë O’Hara-Núñez") ||
		resp.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("list: %d\n%s", resp.StatusCode, page)
	}
	// It opens on what is to be decided, with its age. A search that finds nothing there finds it anywhere.
	if strings.Contains(page, appStarted) || !strings.Contains(page, `<span class="list-age">`) {
		t.Errorf("the first list has what is not to be decided, or no ages:\n%s", page)
	}
	if _, all := d.get("/review?queue=all"); !strings.Contains(all, appStarted) || !strings.Contains(all, appReady) {
		t.Errorf("the list of all:\n%s", all)
	}
	resp, _ = d.post("/review/find", url.Values{"queue": {queueToDecide}, "query": {appStarted}})
	if to := resp.Header.Get("Location"); to != "/review/applications/"+appStarted {
		t.Errorf("a search in a queue leads to %q", to)
	}
	d.requirePage("/review?state=started&lang=es", "Iniciada", "!order-7") // filtered list in Spanish
	for _, bad := range []string{"/review?state=nonsense", "/review?after=" + strings.Repeat("x", 300),
		"/review?from=2026-02-30", "/review?product=x", "/review?find=x",
		"/review?decision=x", "/review?outcome=x", "/review/applications/abc", "/review/applications/" + token} {
		if resp, _ := d.get(bad); resp.StatusCode != 404 {
			t.Errorf("GET %s = %d, want 404", bad, resp.StatusCode)
		}
	}
	if resp, _ := d.get("/review/find"); resp.Header.Get("Location") != "/review" {
		t.Errorf("reloading what was found leads to %q", resp.Header.Get("Location"))
	}
}

func TestApplicationPage(t *testing.T) {
	d := open(t, storetest.SQLite(t, store.Portal))
	d.signInAs(secret, "")
	_, page := d.get("/review/applications/" + appReady)
	for _, want := range []string{"order-7", token, "Your report is done.", i18ntest.EN("review.timeline.webhook"),
		i18ntest.EN("review.widget_errors.SUPPLIER_ERROR"), i18ntest.EN("review.application.print"),
		i18ntest.EN("review.verdict.check.one"), "ANA NUNEZ", i18ntest.EN("review.timeline.hookExit")} {
		if !strings.Contains(page, want) {
			t.Errorf("the application's page lacks %q:\n%s", want, page)
		}
	}
	// an application without a report
	d.requirePage("/review/applications/"+appStarted, i18ntest.EN("review.awaited.started"), "!"+i18ntest.EN("review.application.print"))
	got := attempts(nil)
	if len(got) != 0 {
		t.Errorf("attempts of nothing = %v", got)
	}
	got = attempts(someLines)
	if len(got) != 2 || got[0].State != "exited" || got[0].Error != contract.WidgetSupplierError || got[1].State != "pending" ||
		got[1].Status != contract.StatusSuccess || got[0].Last != noon.Add(2*time.Minute) {
		t.Errorf("attempts = %+v", got)
	}
}

func TestReportPage(t *testing.T) {
	d := open(t, storetest.SQLite(t, store.Portal))
	d.signInAs(secret, "")
	resp, page := d.get("/review/applications/" + appReady + "/report")
	for _, want := range []string{
		"Everyday &lt;b&gt;cashflow&lt;/b&gt;", i18ntest.EN("review.report.matched"), i18ntest.EN("review.report.unmatched"),
		i18ntest.EN("review.report.typed"), "doesn’t match every source",
		"−$1,234,567.89", "Checking", "1 Main St, Springfield, IL, 62701", "Mar 14, 2026, 12:00 UTC",
		i18ntest.EN("inquiry_types.PERSONAL"), "4321", i18ntest.EN("review.codes.BANK_TRANSACTION"),
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the report's page lacks %q", want)
		}
	}
	if strings.Contains(page, "style=") || strings.Contains(page, "<script") || resp.Header.Get("Content-Security-Policy") == "" {
		t.Error("the page has inline style or script, or no policy")
	}
	d.keep([]byte(`{"meta":{"public_token":"` + token + `","created_at":"2026-03-14T12:00:00.000Z",` +
		`"api_version":"2.0.0","status":"SUCCESS","substatus":"NO_RECENT_USABLE_INFORMATION"}}`))
	_, page = d.get("/review/applications/" + appReady + "/report")
	for _, absent := range []string{">Identity<", ">Accounts<", ">Sources<", "Scores", "Attributes"} {
		if strings.Contains(page, absent) {
			t.Errorf("a node that the report has not is on the page: %q", absent)
		}
	}
	if !strings.Contains(page, i18ntest.EN("review.report.no_data")) {
		t.Errorf("a report without data does not say so:\n%s", page)
	}
	d.keep([]byte(`{"broken`))
	if resp, page := d.get("/review/applications/" + appReady + "/report"); resp.StatusCode != 500 || strings.Contains(page, "broken") {
		t.Errorf("a broken report: %d %s", resp.StatusCode, page)
	}
	d.requireStatus(404, "/review/applications/"+appStarted+"/report") // a report that is not there
}

func TestDownloadsReportUnchanged(t *testing.T) {
	storetest.EachInFull(t, store.Portal, func(t *testing.T, db *store.DB) {
		d := open(t, db)
		d.signInAs(secret, "")
		resp, body := d.get("/review/applications/" + appReady + "/report.json")
		if body != `{"stated":`+statedZoe+`,`+string(d.reporter.rows[appReady].Body)[1:] ||
			resp.Header.Get("Content-Type") != "application/json" || resp.Header.Get("Cache-Control") != "no-store" ||
			resp.Header.Get("Content-Disposition") != `attachment; filename="cashflow-`+appReady+`.json"` {
			t.Errorf("download: %v\n%s", resp.Header, body)
		}
		d.get("/review/applications/" + appReady + "/report")
		d.get("/review/applications/" + appStarted + "/report")
		rows, err := db.SQL.Query(`SELECT subject_id, action, at FROM audit WHERE subject_id <> '' ORDER BY action`)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		var got []string
		for rows.Next() {
			var id, action string
			var at int64
			if err := rows.Scan(&id, &action, &at); err != nil {
				t.Fatal(err)
			}
			got = append(got, id+" "+action+" "+store.Time(at).Format(time.RFC3339))
		}
		want := []string{appReady + " reportExported 2026-03-14T12:00:00Z", appReady + " reportViewed 2026-03-14T12:00:00Z"}
		if !slices.Equal(got, want) {
			t.Errorf("written down: %q, want %q", got, want)
		}
	})
}

func TestSignInPage(t *testing.T) {
	d := open(t, storetest.SQLite(t, store.Portal))
	show := func(v staff.SignInPage) string {
		t.Helper()
		w := httptest.NewRecorder()
		if err := d.ShowStaff(w, httptest.NewRequest("GET", "/review/sign-in", nil), 200, v); err != nil {
			t.Fatal(err)
		}
		return w.Body.String()
	}
	for problem, want := range map[staff.Problem]string{staff.WrongPassword: i18ntest.EN("ui.sign_in.wrong"),
		staff.TooManyTries: i18ntest.EN("ui.sign_in.too_many"),
		staff.NotAdmitted:  i18ntest.EN("ui.sign_in.no_entry"), staff.IssuerFailed: i18ntest.EN("ui.sign_in.oidc_failed"),
		staff.ClaimsMissing: i18ntest.EN("ui.sign_in.no_claims")} {
		if page := show(staff.SignInPage{Problem: problem}); !strings.Contains(page, want) || !strings.Contains(page, "sign-in-problem") {
			t.Errorf("problem %d is not shown as %q:\n%s", problem, want, page)
		}
	}
	page := show(staff.SignInPage{Issuer: "Acme <ID>", Next: own, Passwords: true})
	if !strings.Contains(page, "Acme &lt;ID&gt;") || !strings.Contains(page, "/review/oidc/login?next=") ||
		!strings.Contains(page, `name="password"`) {
		t.Errorf("with an issuer and passwords:\n%s", page)
	}
	if page := show(staff.SignInPage{Issuer: "Acme", Problem: staff.NotAdmitted}); !strings.Contains(page, "/review/oidc/login?choose=1") {
		t.Errorf("after a refused account:\n%s", page)
	}
	if page := show(staff.SignInPage{Issuer: "Acme"}); strings.Contains(page, `name="password"`) || strings.Contains(page, "choose=") {
		t.Errorf("without passwords:\n%s", page)
	}
	if page := show(staff.SignInPage{Passwords: true}); strings.Contains(page, i18ntest.EN("ui.sign_in.with")) ||
		strings.Contains(page, "sign-in-problem") {
		t.Errorf("without an issuer:\n%s", page)
	}
}

// TestFormsAfterTheSessionEnded checks that a form submitted after the session ended
// leads to the sign-in page and from there to the form's page, which names its user.
func TestFormsAfterTheSessionEnded(t *testing.T) {
	d := open(t, storetest.SQLite(t, store.Portal))
	for path, next := range map[string]string{
		own + "/notes":                          own + "/notes",
		own + "/decision":                       own + "/decision",
		own + "/shares":                         own + "/shares",
		"/review/people/" + appReady:            "/review/people",
		"/review/find":                          "/review/find",
		"/review/shares/" + token + "/withdraw": "/review/shares/" + token + "/withdraw",
	} {
		resp, _ := d.post(path, url.Values{"text": {"a note"}})
		to := resp.Header.Get("Location")
		if want := "/review/sign-in?ended=1&next=" + url.QueryEscape(next); to != want {
			t.Errorf("POST %s leads to %q, want %q", path, to, want)
		}
		if _, page := d.get(to); !strings.Contains(page, i18ntest.EN("ui.sign_in.session_ended")) || strings.Contains(page, "data-reviewer") {
			t.Errorf("the sign-in page after %s:\n%s", path, page)
		}
	}
	d.signInAs(secret, "")
	d.requirePage(own, `data-reviewer="`, "!data-done")
	d.requirePage(own+"?done=noted", "data-done")
}
