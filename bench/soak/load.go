package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"vestibule/internal/svc"
	"vestibule/internal/svcapi"
)

// load sends what people, their onboarding apps and the reviewers send.
type load struct {
	f        *fleet
	http     *http.Client
	provider *svcapi.Client
	desk     string // the reviewer's cookie
	serial   atomic.Int64
	report   atomic.Value // publicToken of the last visit
	submits  sync.Mutex
	next     time.Time // when the account may submit again

	mu    sync.Mutex
	times map[string][]time.Duration // by route, of what is being measured
	errs  map[string]int
	held  int // answers 429
}

func newLoad(f *fleet) (*load, error) {
	c := f.credentials
	l := &load{f: f,
		http: &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 256},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
		provider: &svcapi.Client{BaseURL: f.provider, ClientID: c.ClientID, SecretKey: c.SecretKey, Environment: svc.Sandbox}}
	l.begin()
	in, err := l.send(context.Background(), "POST /review/sign-in", 303, f.portal+"/review/sign-in",
		url.Values{"email": {c.Reviewer.Email}, "password": {c.Reviewer.Password}, "next": {"/review"}}.Encode(), "Content-Type", asForm, "Origin", f.portal)
	l.desk = in.cookie()
	return l, err
}

const (
	asForm = "application/x-www-form-urlencoded"
	asJSON = "application/json"
)

// begin forgets what was measured.
func (l *load) begin() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.times, l.errs, l.held = map[string][]time.Duration{}, map[string]int{}, 0
}

// note takes down how long a route took and whether it was answered as it should be.
func (l *load) note(route string, took time.Duration, wrong string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.times[route] = append(l.times[route], took)
	if wrong != "" {
		l.errs[route+": "+wrong]++
	}
}

type reply struct {
	header http.Header
	body   []byte
}

func (r reply) cookie() string {
	for _, c := range (&http.Response{Header: r.header}).Cookies() {
		return c.Name + "=" + c.Value
	}
	return ""
}

func (r reply) field(name string) string {
	m := regexp.MustCompile(`"` + name + `":"([^"]*)"`).FindSubmatch(r.body)
	if m == nil {
		return ""
	}
	return strings.ReplaceAll(string(m[1]), `\u0026`, "&")
}

// errHeld is a request that a rate limit holds back: no failure, and no journey.
var errHeld = errors.New("held back")

func (l *load) send(ctx context.Context, route string, want int, to, body string, header ...string) (reply, error) {
	method, _, _ := strings.Cut(route, " ")
	req, err := http.NewRequestWithContext(ctx, method, to, strings.NewReader(body))
	if err != nil {
		return reply{}, err
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	began := time.Now()
	resp, err := l.http.Do(req)
	if ctx.Err() != nil {
		return reply{}, ctx.Err()
	}
	if err != nil {
		l.note(route, time.Since(began), "no answer")
		return reply{}, err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if resp.StatusCode == http.StatusTooManyRequests {
		l.mu.Lock()
		l.held++
		l.mu.Unlock()
		return reply{}, errHeld
	}
	wrong := ""
	if err != nil || resp.StatusCode != want {
		wrong = fmt.Sprintf("%d instead of %d", resp.StatusCode, want)
		err = fmt.Errorf("%s: %s: %.200s", route, wrong, raw)
	}
	l.note(route, time.Since(began), wrong)
	return reply{resp.Header, raw}, err
}

// journeys are what an arrival does, and how many of a hundred do it.
func (l *load) journeys() []journey {
	return []journey{{"form and widget", 35, l.form}, {"redirect", 20, l.redirect}, {"onboarding app", 15, l.api},
		{"status polls", 15, l.poll}, {"reviewer", 10, l.review}, {"submission", 5, l.submit}}
}

type journey struct {
	name  string
	share int
	run   func(context.Context) error
}

// one runs a journey that chance picks.
func (l *load) one(ctx context.Context) error {
	n := rand.IntN(100)
	for _, j := range l.journeys() {
		if n -= j.share; n < 0 {
			if err := j.run(ctx); err != nil && !errors.Is(err, errHeld) {
				return err
			}
			return nil
		}
	}
	return nil
}

var token = regexp.MustCompile(`data-token="([A-Za-z0-9_-]{43})"`)

func (l *load) complete(ctx context.Context, handle string) (reply, error) {
	r := l.f.replicas[rand.IntN(len(l.f.replicas))]
	done, err := l.send(ctx, "POST (a whole visit)", 200, "http://"+r.control+"/visits/"+handle+"/complete", `{}`, "Content-Type", asJSON)
	if err == nil {
		l.report.Store(done.field("publicToken"))
	}
	return done, err
}

// form fills in the form, meets the widget on the next page, and waits for the end.
func (l *load) form(ctx context.Context) error {
	p := l.f.portal
	if _, err := l.send(ctx, "GET /apply/{product}", 200, p+"/apply/cashflow", ""); err != nil {
		return err
	}
	fields := url.Values{"product": {"cashflow"}, "mode": {"embedded"}, "firstName": {"Ada"}, "lastName": {"Lovelace"},
		"email": {fmt.Sprintf("ada.%d@example.org", l.serial.Add(1))}, "dob-year": {"1990"}, "dob-month": {"12"}, "dob-day": {"10"}}
	sent, err := l.send(ctx, "POST /applications", 303, p+"/applications", fields.Encode(), "Content-Type", asForm, "Origin", p)
	if err != nil {
		return err
	}
	at := sent.header.Get("Location")
	page, err := l.send(ctx, "GET /applications/{id}/connect", 200, p+at, "", "Cookie", sent.cookie())
	if err != nil {
		return err
	}
	m := token.FindSubmatch(page.body)
	if m == nil {
		return errors.New("a connect page without a token")
	}
	if _, err := l.complete(ctx, string(m[1])); err != nil {
		return err
	}
	return l.look(ctx, strings.TrimSuffix(at, "/connect"), sent.cookie())
}

// look looks at the status page a few times, as a browser without scripts does.
func (l *load) look(ctx context.Context, at, cookie string) error {
	for range 3 {
		if _, err := l.send(ctx, "GET /applications/{id}", 200, l.f.portal+at, "", "Cookie", cookie); err != nil {
			return err
		}
		select {
		case <-time.After(200 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func (l *load) make(ctx context.Context, mode string) (reply, error) {
	n := l.serial.Add(1)
	body := fmt.Sprintf(`{"product":"cashflow","mode":"%s","externalId":"soak-%d","prefill":{"firstName":"Ada","lastName":"Lovelace","email":"ada.%d@example.org","dob":"1990-12-10"}}`, mode, n, n)
	return l.send(ctx, "POST /api/v1/applications", 201, l.f.portal+"/api/v1/applications", body, "Authorization", "Bearer "+l.f.credentials.PortalAPIKey, "Content-Type", asJSON)
}

// redirect goes to the provider's pages and comes back with a signed outcome.
func (l *load) redirect(ctx context.Context) error {
	made, err := l.make(ctx, "redirect")
	if err != nil {
		return err
	}
	at := "/applications/" + made.field("id")
	entered, err := l.send(ctx, "GET /applications/{id} (first)", 303, l.f.portal+at+"?grant="+made.field("embedToken"), "")
	if err != nil {
		return err
	}
	away, err := l.send(ctx, "GET /applications/{id}/connect (away)", 303, l.f.portal+at+"/connect", "", "Cookie", entered.cookie())
	if err != nil {
		return err
	}
	visit, err := l.send(ctx, "GET (redirectUrl)", 303, away.header.Get("Location"), "")
	if err != nil {
		return err
	}
	_, handle, _ := strings.Cut(visit.header.Get("Location"), "/visit/")
	handle, _, _ = strings.Cut(handle, "?")
	done, err := l.complete(ctx, handle)
	if err != nil {
		return err
	}
	back, err := l.send(ctx, "GET /redirect/return", 303, done.field("completeUrl"), "", "Cookie", entered.cookie())
	if err != nil {
		return err
	}
	cookie := back.cookie()
	if cookie == "" {
		cookie = entered.cookie()
	}
	return l.look(ctx, at, cookie)
}

// api is an onboarding app that makes an application and asks how it stands.
func (l *load) api(ctx context.Context) error {
	made, err := l.make(ctx, "embedded")
	if err != nil {
		return err
	}
	for range 2 {
		if _, err := l.send(ctx, "GET /api/v1/applications/{id}", 200, l.f.portal+"/api/v1/applications/"+made.field("id"), "",
			"Authorization", "Bearer "+l.f.credentials.PortalAPIKey); err != nil {
			return err
		}
	}
	return nil
}

// poll asks the provider how a report stands, as other portals do.
func (l *load) poll(ctx context.Context) error {
	publicToken, _ := l.report.Load().(string)
	if publicToken == "" {
		return nil // before the first visit
	}
	began := time.Now()
	_, err := l.provider.Status(ctx, svcapi.Ref{PublicToken: publicToken})
	return l.called(ctx, "GET /connect/status", began, err)
}

func (l *load) called(ctx context.Context, route string, began time.Time, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	wrong := ""
	if err != nil {
		wrong = string(svcapi.CodeOf(err))
	}
	l.note(route, time.Since(began), wrong)
	return err
}

// review lists the applications and opens the first.
func (l *load) review(ctx context.Context) error {
	list, err := l.send(ctx, "GET /review", 200, l.f.portal+"/review", "", "Cookie", l.desk)
	if err != nil {
		return err
	}
	m := regexp.MustCompile(`/review/applications/[0-9a-f-]{36}`).Find(list.body)
	if m == nil {
		return nil
	}
	_, err = l.send(ctx, "GET /review/applications/{id}", 200, l.f.portal+string(m), "", "Cookie", l.desk)
	return err
}

// submit sends bank data, no more often than an account may.
func (l *load) submit(ctx context.Context) error {
	l.submits.Lock()
	now := time.Now()
	early := now.Before(l.next)
	if !early {
		l.next = now.Add(2500 * time.Millisecond)
	}
	l.submits.Unlock()
	if early {
		return nil
	}
	pulled := now.Add(-time.Hour)
	account := svcapi.SubmittedAccount{ID: "A1", InstitutionName: "Amber Coast Bank", AccountType: "CHECKING", CurrentBalance: 320405, Currency: "USD"}
	for day := 1; day <= 180; day++ {
		account.Transactions = append(account.Transactions, svcapi.SubmittedTransaction{ID: fmt.Sprint("T", day), Status: "POSTED",
			DatePosted: svcapi.DateTime{Time: pulled.AddDate(0, 0, -day)}, Amount: 2500, Description: "CORNER SHOP", CreditOrDebit: "DEBIT"})
	}
	began := time.Now()
	_, err := l.provider.Submit(ctx, svcapi.Submission{ProductID: l.f.credentials.Products["cashflow"], ExternalID: fmt.Sprintf("bank-%d", l.serial.Add(1)),
		PullDate: svcapi.DateTime{Time: pulled}, Personal: svcapi.SubmittedPerson{FirstName: "Ana", LastName: "Perez", Email: "ana@example.com", DOB: "1990-06-15"},
		Accounts: []svcapi.SubmittedAccount{account}})
	return l.called(ctx, "POST /connect/v2/cashflow/byo-report", began, err)
}
