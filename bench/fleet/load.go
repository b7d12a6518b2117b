//go:build linux

package fleet

import (
	"cmp"
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

	"vestibule/internal/contract"
	"vestibule/internal/svcapi"
)

// Load sends the requests of applicants, onboarding apps and reviewers.
type Load struct {
	f        *Fleet
	http     *http.Client
	provider *svcapi.Client
	reviewer string // the reviewer's cookie
	serial   atomic.Int64
	arrivals atomic.Int64
	AtRush   atomic.Bool  // answers now belong to the rush hour
	report   atomic.Value // publicToken of the last visit
	submits  sync.Mutex
	next     time.Time // when the account may submit again

	mu    sync.Mutex
	Times map[string][]time.Duration // by route, of the current measurement
	Rush  map[string][]time.Duration // those of the rush hour
	Errs  map[string]int
	Held  int            // answers 429
	Sizes map[string]int // bytes of the last answer by route, as they were sent
}

// NewLoad signs the reviewer in, where there is one.
func NewLoad(f *Fleet) (*Load, error) {
	c := f.credentials
	l := &Load{f: f,
		http: &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 256},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
		provider: &svcapi.Client{BaseURL: f.Provider, ClientID: c.ClientID, SecretKey: c.SecretKey, Environment: contract.Sandbox}}
	l.Begin()
	if c.Reviewer.Email == "" {
		return l, nil
	}
	in, err := l.Send(context.Background(), "POST /review/sign-in", 303, f.Portal+"/review/sign-in",
		url.Values{"email": {c.Reviewer.Email}, "password": {c.Reviewer.Password}, "next": {"/review"}}.Encode(),
		"Content-Type", asForm, "Origin", f.Portal)
	l.reviewer = in.Cookie()
	return l, err
}

const (
	asForm = "application/x-www-form-urlencoded"
	asJSON = "application/json"
)

// Begin deletes the measurements.
func (l *Load) Begin() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.Times, l.Rush, l.Errs, l.Held = map[string][]time.Duration{}, map[string][]time.Duration{}, map[string]int{}, 0
	l.Sizes = map[string]int{}
}

// note stores the duration of a request by route, and whether its answer was correct.
func (l *Load) note(route string, took time.Duration, wrong string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.Times[route] = append(l.Times[route], took)
	if l.AtRush.Load() {
		l.Rush[route] = append(l.Rush[route], took)
	}
	if wrong != "" {
		l.Errs[route+": "+wrong]++
	}
}

// Reply is an answer.
type Reply struct {
	Header http.Header
	body   []byte
}

// Cookie returns the first cookie of the answer, as a request has it.
func (r Reply) Cookie() string {
	for _, c := range (&http.Response{Header: r.Header}).Cookies() {
		return c.Name + "=" + c.Value
	}
	return ""
}

func (r Reply) field(name string) string {
	m := regexp.MustCompile(`"` + name + `":"([^"]*)"`).FindSubmatch(r.body)
	if m == nil {
		return ""
	}
	return strings.ReplaceAll(string(m[1]), `\u0026`, "&")
}

// errHeld is returned for a request that a rate limit rejects: neither a failure nor a
// journey.
var errHeld = errors.New("held back")

// Send sends a request and notes its duration by route; the answer must have the status want.
func (l *Load) Send(ctx context.Context, route string, want int, to, body string, header ...string) (Reply, error) {
	method, _, _ := strings.Cut(route, " ")
	req, err := http.NewRequestWithContext(ctx, method, to, strings.NewReader(body))
	if err != nil {
		return Reply{}, err
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	began := time.Now()
	resp, err := l.http.Do(req)
	if ctx.Err() != nil {
		return Reply{}, ctx.Err()
	}
	if err != nil {
		l.note(route, time.Since(began), "no answer")
		return Reply{}, err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if resp.StatusCode == http.StatusTooManyRequests {
		l.mu.Lock()
		l.Held++
		l.mu.Unlock()
		return Reply{}, errHeld
	}
	wrong := ""
	if err != nil || resp.StatusCode != want {
		wrong = fmt.Sprintf("%d instead of %d", resp.StatusCode, want)
		err = fmt.Errorf("%s: %s: %.200s", route, wrong, raw)
	}
	l.note(route, time.Since(began), wrong)
	l.mu.Lock()
	l.Sizes[route] = len(raw)
	l.mu.Unlock()
	return Reply{resp.Header, raw}, err
}

// One runs a journey, and reports whether it was completed. Of twenty, in a fixed order, seven
// use the form and the widget, four redirects, three the API, two the review dashboard, three
// request a report's status, and one submits bank data.
func (l *Load) One(ctx context.Context) bool {
	journeys := map[byte]func(context.Context) error{'f': l.form, 'r': l.redirect, 'a': l.api, 'v': l.review, 'p': l.poll, 's': l.submit}
	const order = "frafpfvrfapfrfsavrfp"
	return journeys[order[l.arrivals.Add(1)%int64(len(order))]](ctx) == nil
}

var token = regexp.MustCompile(`data-token="([A-Za-z0-9_-]{43})"`)

func (l *Load) complete(ctx context.Context, handle string) (Reply, error) {
	r := l.f.Replicas[rand.IntN(len(l.f.Replicas))]
	done, err := l.Send(ctx, "POST (a whole visit)", 200, "http://"+r.Control+"/visits/"+handle+"/complete", `{}`, "Content-Type", asJSON)
	if err == nil {
		l.report.Store(done.field("publicToken"))
	}
	return done, err
}

// Apply fills in the form and sends it; it returns the address of the next page and the
// applicant's cookie.
func (l *Load) Apply(ctx context.Context, mode string) (at, cookie string, err error) {
	p := l.f.Portal
	if _, err := l.Send(ctx, "GET /apply/{product}", 200, p+"/apply/cashflow", ""); err != nil {
		return "", "", err
	}
	fields := url.Values{"product": {"cashflow"}, "mode": {mode}, "firstName": {"Ada"}, "lastName": {"Lovelace"},
		"email": {fmt.Sprintf("ada.%d@example.org", l.serial.Add(1))}, "dob-year": {"1990"}, "dob-month": {"12"}, "dob-day": {"10"}}
	sent, err := l.Send(ctx, "POST /applications", 303, p+"/applications", fields.Encode(), "Content-Type", asForm, "Origin", p)
	return sent.Header.Get("Location"), sent.Cookie(), err
}

// visit completes the form and the widget on the page after it, and returns the address of the
// application and the applicant's cookie.
func (l *Load) visit(ctx context.Context) (at, cookie string, err error) {
	if at, cookie, err = l.Apply(ctx, "embedded"); err != nil {
		return "", "", err
	}
	page, err := l.Send(ctx, "GET /applications/{id}/connect", 200, l.f.Portal+at, "", "Cookie", cookie)
	if err != nil {
		return "", "", err
	}
	m := token.FindSubmatch(page.body)
	if m == nil {
		return "", "", errors.New("a connect page without a token")
	}
	_, err = l.complete(ctx, string(m[1]))
	return strings.TrimSuffix(at, "/connect"), cookie, err
}

// form completes a visit in the widget, and waits for the end.
func (l *Load) form(ctx context.Context) error {
	at, cookie, err := l.visit(ctx)
	if err != nil {
		return err
	}
	return l.look(ctx, at, cookie)
}

var (
	seen    = regexp.MustCompile(`name="seen" value="([0-9]+)"`)
	decided = regexp.MustCompile(`name="report" value="([^"]*)"`)
)

// Whole runs a journey from the form to a decision: the form, the widget with a whole visit, the
// stream until the portal has the report, the status page, the reviewer's page of the
// application, their approval, and the status page again.
func (l *Load) Whole(ctx context.Context) error {
	at, cookie, err := l.visit(ctx)
	if err != nil {
		return err
	}
	if _, err := l.Send(ctx, "GET /applications/{id}/stream", 200, l.f.Portal+at+"/stream", "", "Cookie", cookie); err != nil {
		return err
	}
	if _, err := l.Send(ctx, "GET /applications/{id}", 200, l.f.Portal+at, "", "Cookie", cookie); err != nil {
		return err
	}
	review := l.f.Portal + "/review" + at
	form, err := l.Send(ctx, "GET /review/applications/{id}", 200, review, "", "Cookie", l.reviewer)
	if err != nil {
		return err
	}
	last, about := seen.FindSubmatch(form.body), decided.FindSubmatch(form.body)
	if last == nil || about == nil {
		return errors.New("an application's page without a decision to make")
	}
	decision := url.Values{"seen": {string(last[1])}, "report": {string(about[1])}, "decision": {"approved"}}
	if _, err := l.Send(ctx, "POST /review/applications/{id}/decision", 303, review+"/decision", decision.Encode(),
		"Content-Type", asForm, "Origin", l.f.Portal, "Cookie", l.reviewer); err != nil {
		return err
	}
	_, err = l.Send(ctx, "GET /applications/{id}", 200, l.f.Portal+at, "", "Cookie", cookie)
	return err
}

// look requests the status page a few times, as a browser without scripts does.
func (l *Load) look(ctx context.Context, at, cookie string) error {
	for range 3 {
		if _, err := l.Send(ctx, "GET /applications/{id}", 200, l.f.Portal+at, "", "Cookie", cookie); err != nil {
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

// redirect completes the provider's pages and returns with a signed result.
func (l *Load) redirect(ctx context.Context) error {
	at, cookie, err := l.Apply(ctx, "redirect")
	if err != nil {
		return err
	}
	away, err := l.Send(ctx, "GET /applications/{id}/connect (away)", 303, l.f.Portal+at, "", "Cookie", cookie)
	if err != nil {
		return err
	}
	visit, err := l.Send(ctx, "GET (redirectUrl)", 303, away.Header.Get("Location"), "")
	if err != nil {
		return err
	}
	_, handle, _ := strings.Cut(visit.Header.Get("Location"), "/visit/")
	handle, _, _ = strings.Cut(handle, "?")
	done, err := l.complete(ctx, handle)
	if err != nil {
		return err
	}
	back, err := l.Send(ctx, "GET /redirect/return", 303, done.field("completeUrl"), "", "Cookie", cookie)
	if err != nil {
		return err
	}
	return l.look(ctx, strings.TrimSuffix(at, "/connect"), cmp.Or(back.Cookie(), cookie)) // it may be renewed
}

// api creates an application as an onboarding app does, and requests its state.
func (l *Load) api(ctx context.Context) error {
	n := l.serial.Add(1)
	body := fmt.Sprintf(`{"product":"cashflow","mode":"embedded","externalId":"soak-%d","prefill":{"firstName":"Ada",`+
		`"lastName":"Lovelace","email":"ada.%d@example.org","dob":"1990-12-10"}}`, n, n)
	made, err := l.Send(ctx, "POST /api/v1/applications", 201, l.f.Portal+"/api/v1/applications", body,
		"Authorization", "Bearer "+l.f.credentials.PortalAPIKey, "Content-Type", asJSON)
	if err != nil {
		return err
	}
	for range 2 {
		if _, err := l.Send(ctx, "GET /api/v1/applications/{id}", 200, l.f.Portal+"/api/v1/applications/"+made.field("id"), "",
			"Authorization", "Bearer "+l.f.credentials.PortalAPIKey); err != nil {
			return err
		}
	}
	return nil
}

// poll requests a report's status from the provider, as other portals do.
func (l *Load) poll(ctx context.Context) error {
	publicToken, _ := l.report.Load().(string)
	if publicToken == "" {
		return nil // before the first visit
	}
	began := time.Now()
	_, err := l.provider.Status(ctx, svcapi.Ref{PublicToken: publicToken})
	return l.called(ctx, "GET /connect/status", began, err)
}

func (l *Load) called(ctx context.Context, route string, began time.Time, err error) error {
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
func (l *Load) review(ctx context.Context) error {
	list, err := l.Send(ctx, "GET /review", 200, l.f.Portal+"/review", "", "Cookie", l.reviewer)
	if err != nil {
		return err
	}
	m := regexp.MustCompile(`/review/applications/[0-9a-f-]{36}`).Find(list.body)
	if m == nil {
		return nil
	}
	_, err = l.Send(ctx, "GET /review/applications/{id}", 200, l.f.Portal+string(m), "", "Cookie", l.reviewer)
	return err
}

// Find requests a list of applications as a reviewer: by the parameters of its address or, unless it is empty, by a search text.
func (l *Load) Find(ctx context.Context, list, text string) error {
	if text == "" {
		_, err := l.Send(ctx, "GET /review", 200, l.f.Portal+"/review?"+list, "", "Cookie", l.reviewer)
		return err
	}
	found, err := l.Send(ctx, "POST /review/find", 303, l.f.Portal+"/review/find", url.Values{"query": {text}}.Encode(),
		"Content-Type", asForm, "Origin", l.f.Portal, "Cookie", l.reviewer)
	if err != nil {
		return err
	}
	_, err = l.Send(ctx, "GET (what was found)", 200, l.f.Portal+found.Header.Get("Location"), "", "Cookie", l.reviewer)
	return err
}

// submit sends bank data, or requests a report's status if the account may not submit again
// yet.
func (l *Load) submit(ctx context.Context) error {
	l.submits.Lock()
	now := time.Now()
	early := now.Before(l.next)
	if !early {
		l.next = now.Add(2500 * time.Millisecond)
	}
	l.submits.Unlock()
	if early {
		return l.poll(ctx)
	}
	pulled := now.Add(-time.Hour)
	account := svcapi.SubmittedAccount{ID: "A1", InstitutionName: "Amber Coast Bank",
		AccountType: "CHECKING", CurrentBalance: 320405, Currency: "USD"}
	for day := 1; day <= 180; day++ {
		account.Transactions = append(account.Transactions, svcapi.SubmittedTransaction{ID: fmt.Sprint("T", day), Status: "POSTED",
			DatePosted: svcapi.DateTime{Time: pulled.AddDate(0, 0, -day)}, Amount: 2500, Description: "CORNER SHOP", CreditOrDebit: "DEBIT"})
	}
	began := time.Now()
	_, err := l.provider.Submit(ctx, svcapi.Submission{ProductID: l.f.credentials.Products["cashflow"],
		ExternalID: fmt.Sprintf("bank-%d", l.serial.Add(1)),
		PullDate:   svcapi.DateTime{Time: pulled}, Personal: svcapi.SubmittedPerson{FirstName: "Ana",
			LastName: "Perez", Email: "ana@example.com", DOB: "1990-06-15"},
		Accounts: []svcapi.SubmittedAccount{account}})
	return l.called(ctx, "POST /connect/v2/cashflow/byo-report", began, err)
}

// Crowd runs journeys one after the other in many goroutines for d, and returns the number of
// completed ones and the elapsed time.
func (l *Load) Crowd(ctx context.Context, many int, d time.Duration) (ended int, took time.Duration) {
	var n atomic.Int64
	var wait sync.WaitGroup
	began := time.Now()
	for range many {
		wait.Go(func() {
			for ctx.Err() == nil && time.Since(began) < d {
				if l.One(ctx) {
					n.Add(1)
				}
			}
		})
	}
	wait.Wait()
	return int(n.Load()), time.Since(began)
}
