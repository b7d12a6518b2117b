package e2e

import (
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base32"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/playwright-community/playwright-go"

	"vestibule/internal/testutil"
	"vestibule/internal/testutil/tools"
)

var (
	getLiteral  = regexp.MustCompile(`"(GET /[^" ]*)"`)
	listLiteral = regexp.MustCompile(`mountList\(mux, "(/[^" ]*)"`)
	// Pages that the dashboard and the operator's pages have in common.
	commonLiteral = regexp.MustCompile(`(?:at\("GET", |mountList\(mux, s\.Home\+)"(/[^" ]*)"`)
)

// addresses returns the GET patterns in the code of a party. It leaves out the sandbox's FDX
// bank, which has its own listener.
func addresses(t *testing.T, dirs ...string) (mux *http.ServeMux, patterns []string) {
	t.Helper()
	mux = http.NewServeMux()
	seen := map[string]bool{}
	for _, dir := range dirs {
		must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "providertest") ||
				strings.Contains(path, "fdxbank") {
				return err
			}
			raw, err := os.ReadFile(path)
			var all []string
			for _, m := range getLiteral.FindAllStringSubmatch(string(raw), -1) {
				all = append(all, m[1])
			}
			for _, m := range listLiteral.FindAllStringSubmatch(string(raw), -1) {
				all = append(all, "GET "+m[1])
			}
			for _, m := range commonLiteral.FindAllStringSubmatch(string(raw), -1) {
				all = append(all, "GET /dashboard"+m[1], "GET /operator"+m[1])
			}
			for _, pattern := range all {
				if !seen[pattern] {
					seen[pattern] = true
					patterns = append(patterns, pattern)
					mux.Handle(pattern, http.NotFoundHandler())
				}
			}
			return err
		}))
	}
	if len(patterns) < 40 {
		t.Fatalf("only %d addresses found in the code", len(patterns))
	}
	return mux, patterns
}

// brandOfTexts is the example brand with its pages and without its colors: a brand's
// colors are checked when the program starts; this test needs the default ones.
func brandOfTexts(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	must(t, os.CopyFS(dir, os.DirFS("../docs/brand")))
	file := filepath.Join(dir, "brand.yaml")
	raw := testutil.ReadFile(t, file)
	plain := regexp.MustCompile(`(?m)^colors:\n(  .*\n)+`).ReplaceAll(raw, nil)
	if len(plain) == len(raw) {
		t.Fatal("the brand has no colours to leave out")
	}
	must(t, os.WriteFile(file, plain, 0o600))
	return file
}

// noPage matches addresses for programs, files and streams, those that only redirect to
// a page, and the parts of the widget, which other tests cover.
var noPage = regexp.MustCompile(`^GET /(jwkset$|connect/|config/|api/v1/(applications|webhooks|sandbox)|assets/|brand/|clock$|faults$` +
	`|inbox$)|\.(json|csv|pdf|js|ts)$|/stream$|^GET /widget/|/files/\{file\}(/pages/\{page\})?$|/oidc/login$|/sign-in/return$` +
	`|/find$|/revisions/\{revision\}$|/review/applications/\{id\}/(shares|decision|preview|notes|next|refresh|keep)$`)

// typical are the pages of staff and consumers that stand for the layouts of others.
var typical = []string{"GET /review", "GET /review/applications/{id}", "GET /dashboard/reports", "GET /access"}

// seen records the checked addresses, by the patterns of both parties.
type seen struct {
	site             *site
	portal, provider *http.ServeMux
	looked           sync.Map // pattern → true
	screens          *screens
}

func (s *seen) pattern(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	must(t, err)
	mux := s.portal
	if strings.HasPrefix(address, s.site.Provider) {
		mux = s.provider
	}
	_, pattern := mux.Handler(&http.Request{Method: http.MethodGet, URL: u, Host: u.Host})
	return pattern
}

// look opens the address and checks its accessibility, unless it redirected to a page
// that was checked before.
func (s *seen) look(t *testing.T, v *visitor, lang, address string) {
	t.Helper()
	v.open(t, address)
	came, given := s.pattern(t, v.URL()), s.pattern(t, address)
	s.looked.Store(given, true)
	if _, ok := s.looked.Load(came); ok && came != given {
		return
	}
	if strings.HasSuffix(came, "/connect") {
		step(t, v.widget, "consent") // before it is loaded, it has no background
	}
	if strings.HasSuffix(given, "/docs") || strings.Contains(given, "/docs/") {
		if lang == "es" && tools.Full() {
			return // they are in English
		}
		abridge(t, v)
	} else if got, err := v.Evaluate(`() => document.documentElement.lang`); err != nil || got != lang {
		t.Errorf("%s is in %v, %v, want %s", given, got, err, lang)
	}
	s.screens.take(t, v, lang, given)
	if slices.Contains(typical, given) {
		checkClosely(t, v, given)
	} else {
		checkAccessibility(t, v, given)
	}
	if strings.HasSuffix(given, "/report") { // with every table open
		_, err := v.Evaluate(`() => document.querySelectorAll("article.report details").forEach((d) => { d.open = true })`)
		must(t, err)
		checkWidth(t, v, given, 320, 640, "")
		must(t, v.SetViewportSize(1280, 720))
	}
	for _, f := range v.live() {
		s.looked.Store(s.pattern(t, f.URL()), true)
	}
}

// found is what the page at an address has where the pattern has its group.
func found(t *testing.T, v *visitor, address, pattern string) string {
	t.Helper()
	re := regexp.MustCompile(pattern)
	var out string
	var last string
	until(t, address+" has "+pattern, func() bool {
		resp, err := v.Context.Request().Get(address)
		must(t, err)
		last, err = resp.Text()
		must(t, err)
		if m := re.FindStringSubmatch(last); m != nil {
			out = m[1]
		}
		return out != ""
	})
	return out
}

// send posts a form with the visitor's cookies, and returns the page to which it leads.
func (v *visitor) send(t *testing.T, address string, pairs ...string) string {
	t.Helper()
	u, err := url.Parse(address)
	must(t, err)
	form := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		form.Add(pairs[i], pairs[i+1])
	}
	resp, err := v.Context.Request().Post(address, playwright.APIRequestContextPostOptions{Data: form.Encode(), Headers: map[string]string{
		"Content-Type": "application/x-www-form-urlencoded", "Origin": u.Scheme + "://" + u.Host}})
	must(t, err)
	text, err := resp.Text()
	must(t, err)
	if resp.Status() >= 400 {
		t.Fatalf("%s is answered %d", address, resp.Status())
	}
	return text
}

// sweep is a site with everything that its pages can show, and the sessions of the people who see the pages.
type sweep struct {
	*site
	review, dashboard             string // addresses
	first, second, declined       string // applications
	altered                       string // an application with a document that was changed
	letter, welcome               string // links to the portal, from here on without its address
	event, withdraw, document     string
	endpoint, delivery, report    string // pages of the dashboard, from here on without the provider's address
	child, correct, item, queued  string
	toOperator, corrected         string
	end, disconnect, inWords      string // pages of the consumer
	shared, dispute, mineDisputed string
	mine, consented, kept         *playwright.StorageState // of the applicant, the consumer and the staff
}

// newSweep starts a site, and makes what its pages are about.
func newSweep(t *testing.T) *sweep {
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	t.Cleanup(receiver.Close)
	w := &sweep{site: alone(t, "--events-url="+receiver.URL, "--brand-file="+brandOfTexts(t), "--sandbox-bank-addr=127.0.0.1:0")}
	w.review, w.dashboard = w.Portal+"/review", w.Provider+"/dashboard"
	applicant, staff, consumer := visit(t, noScript), visit(t, noScript), visit(t, noScript)
	w.apply(t, applicant)
	w.useReview(t, staff, applicant)
	w.useDashboard(t, staff)
	w.useAccess(t, consumer)
	w.useOperator(t, staff)
	for state, v := range map[**playwright.StorageState]*visitor{&w.kept: staff, &w.mine: applicant, &w.consented: consumer} {
		var err error
		*state, err = v.Context.StorageState()
		must(t, err)
	}
	must(t, applicant.Page.Close()) // others continue as this applicant, and the page would reload
	return w
}

// apply makes applications and reports of the products.
func (w *sweep) apply(t *testing.T, applicant *visitor) {
	w.first = w.submit(t, applicant, "default", "", map[string]any{"externalId": "loan-1001", "userArgs": "branch 7"}).ID
	w.second = w.submit(t, applicant, "default", "", nil).ID
	stub := testutil.ReadFile(t, "../internal/analysis/paystub/testdata/modern.pdf")
	altered := w.api(t, "POST", "/applications", map[string]any{"product": "income", "mode": "redirect-form", "prefill": map[string]any{
		"firstName": "getAdaptiveDecisionResult", "lastName": "pdfHighRisk", "email": "d@example.org", "dob": "1980-02-29"}})
	w.altered = altered["id"].(string)
	w.control(t, "POST", "/visits/"+leave(t, applicant, altered["connectUrl"].(string))+"/complete", map[string]any{
		"payStubs": []any{map[string]any{"fileName": "paystub.pdf", "contentBase64": base64.StdEncoding.EncodeToString(stub)}}})
	for _, id := range []string{w.first, w.second, w.altered} {
		w.await(t, id, "ready")
	}
	disputed := call(t, "POST", w.Provider+"/connect/initialization", w.basic(), map[string]any{
		"productId": w.Credentials.Products["income"], "externalId": "dispute-1", "prefill": person}, 2)
	w.control(t, "POST", "/visits/"+disputed["token"].(string)+"/complete", map[string]any{"username": "default"})
	w.connectOpenBank(t, person)
	call(t, "POST", w.Provider+"/connect/invite", w.basic(), map[string]any{"productId": w.Credentials.Products["cashflow"],
		"prefill": person, "deliverTo": "zoe@example.org"}, 2)
}

// useReview decides, shares, notes and adds a colleague, and finds the pages of the review dashboard.
func (w *sweep) useReview(t *testing.T, staff, applicant *visitor) {
	staff.open(t, w.review)
	w.signInToReview(t, staff, w.Credentials.Reviewer.Password)
	at(t, staff, w.review)
	w.declined = w.begin(t, "redirect").ID
	applications := w.review + "/applications/"
	own := applications + w.first
	staff.send(t, applications+w.declined+"/decision", "seen", "0", "decision", "declined", "text", "You may apply again in six months.")
	staff.send(t, own+"/shares", "publicId", w.Credentials.ThirdParty.PublicID, "label", "Harbor Bank")
	staff.send(t, own+"/notes", "text", "Called about the second job.")
	w.welcome = regexp.MustCompile(`/review/set-password/[^"<\s]+`).FindString(
		staff.send(t, w.review+"/people", "email", "colleague@example.org", "role", "auditor"))
	if w.welcome == "" {
		t.Fatal("the colleague was given no link")
	}
	applicant.send(t, w.Portal+"/return", "email", person["email"].(string))
	w.letter = strings.TrimPrefix(w.emailedLink(t), w.Portal)
	w.event = found(t, staff, w.review+"/events", `"(/review/events/[0-9a-f-]{36})"`)
	w.withdraw = found(t, staff, own, `"(/review/shares/[0-9a-f-]{36}/withdraw)"`)
	found(t, staff, own+"/report", `(id="total")`) // its explanation is ready
	w.document = found(t, staff, applications+w.altered+"/report",
		`(?s)class="stub-head.*?"(/review/applications/[^"]+/files/[^"/]+)"`) + "/view"
}

// useDashboard finds the pages of the provider's dashboard.
func (w *sweep) useDashboard(t *testing.T, staff *visitor) {
	staff.open(t, w.dashboard)
	w.signInToDashboard(t, staff, w.Credentials.Dashboard.Password)
	at(t, staff, w.dashboard)
	w.endpoint = strings.TrimSuffix(found(t, staff, w.dashboard+"/webhooks", `"(/dashboard/webhooks/[0-9a-f-]{36}/url)"`), "/url")
	w.delivery = found(t, staff, w.dashboard+"/deliveries", `"(/dashboard/deliveries/[0-9a-f-]{36})"`)
	w.report = found(t, staff, w.dashboard+"/reports", `"(/dashboard/reports/[0-9a-f-]{36})"`)
	w.child = "/dashboard/accounts/" + call(t, "POST", w.Provider+"/accounts", w.basic(),
		map[string]any{"accountName": "Child"}, 2)["publicId"].(string)
	for _, m := range regexp.MustCompile(`"(/dashboard/reports/[0-9a-f-]{36})"`).FindAllStringSubmatch(
		page(t, staff, w.dashboard+"/reports"), -1) {
		if strings.Contains(page(t, staff, w.Provider+m[1]), m[1]+"/correct") {
			w.correct = m[1] + "/correct"
		}
	}
	w.item = found(t, staff, w.Provider+w.correct, `"(/dashboard/reports/[0-9a-f-]{36}/correct\?item=[0-9a-f]{20})"`)
}

// useAccess disputes a report, and finds the pages of a consumer.
func (w *sweep) useAccess(t *testing.T, consumer *visitor) {
	newest := func() string {
		link, _, _ := strings.Cut(strings.TrimPrefix(w.accessLink(t, person["email"].(string), "en"), w.Provider), "?")
		return link
	}
	consumer.send(t, w.Provider+newest())
	access := w.Provider + "/access"
	w.end = found(t, consumer, access, `(/access/end/[^"<?\s]+)`)
	w.disconnect = found(t, consumer, access, `(/access/disconnect/[^"<?\s]+)`)
	w.inWords = found(t, consumer, access, `(/access/report/[^"<?\s]+)`)
	w.shared = newest()
	w.dispute = found(t, consumer, access+"/disputes", `"(/access/dispute/[\w-]+)`)
	consumer.send(t, w.Provider+w.dispute, "kind", "figure", "about", "The annual income", "statement", "My second job is missing.")
	w.mineDisputed = found(t, consumer, access+"/disputes", `"(/access/disputes/D-[0-9A-Z-]+)`)
}

// useOperator finds the pages about the dispute, of the customer's staff and of the operator.
func (w *sweep) useOperator(t *testing.T, staff *visitor) {
	w.queued = found(t, staff, w.dashboard+"/disputes", `"(/dashboard/disputes/D-[0-9A-Z-]+)"`)
	w.signInAsOperator(t, staff)
	w.toOperator = strings.Replace(w.queued, "/dashboard", "/operator", 1)
	w.corrected = found(t, staff, w.Provider+w.toOperator, `"(/operator/reports/[0-9a-f-]{36}/correct\?dispute=D-[0-9A-Z-]+)"`)
}

// TestReviewPagesAreAccessible opens each page of both parties. A page that is registered in
// the code and not opened here fails it.
func TestReviewPagesAreAccessible(t *testing.T) {
	t.Parallel()
	w := newSweep(t)
	portalMux, portalPatterns := addresses(t, "../internal/portal", "../internal/redirect")
	providerMux, providerPatterns := addresses(t, "../internal/provider")
	var pictures screens
	eachPageLanguage(t, func(t *testing.T, lang string, language option) {
		all := &seen{site: w.site, portal: portalMux, provider: providerMux, screens: &pictures}
		t.Run("as", func(t *testing.T) {
			as := func(name string, state *playwright.StorageState, walk func(t *testing.T, l looker)) {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					v := withAxe(t, visit(t, language, func(o *playwright.BrowserNewContextOptions) {
						if state != nil {
							o.StorageState = state.ToOptionalStorageState()
						}
					}))
					v.expect("Failed to load resource")
					walk(t, looker{visitor: v, seen: all, lang: lang})
				})
			}
			as("a visitor", nil, w.lookAsVisitor)
			as("the applicant", w.mine, w.lookAsApplicant)
			as("a consumer", w.consented, w.lookAsConsumer)
			as("a reviewer", w.kept, w.lookAsReviewer)
			as("users with a second factor", nil, lookWithFactor)
			as("an operator", w.kept, w.lookAsOperator)
			as("the customer's staff", w.kept, w.lookAsStaff)
		})
		for _, pattern := range slices.Concat(typical, portalPatterns, providerPatterns) {
			if _, ok := all.looked.Load(pattern); !ok && !noPage.MatchString(pattern) {
				t.Errorf("no check of accessibility covers the page %s", pattern)
			}
		}
	})
}

// looker is a person who opens pages in a language.
type looker struct {
	*visitor
	seen *seen
	lang string
}

// at looks at pages below an address.
func (l looker) at(t *testing.T, base string, paths ...string) {
	t.Helper()
	for _, path := range paths {
		l.seen.look(t, l.visitor, l.lang, base+path)
	}
}

func (w *sweep) lookAsVisitor(t *testing.T, l looker) {
	l.at(t, w.Portal, "/", "/apply/cashflow", "/legal/privacy", "/legal/terms", "/return",
		"/developers", "/developers/guides/embed", "/api/v1/docs", "/api/v1/docs/applications",
		w.letter, "/resume/nothing", w.welcome, "/review/sign-in", "/review/forgotten-password", "/redirect/return",
		"/redirect/finish/nothing", "/embed/v1/frame")
	l.at(t, w.Provider, "/docs", "/docs/visits", "/docs/schemas", "/docs/errors", "/dashboard/sign-in",
		"/dashboard/forgotten-password", "/dashboard/set-password/nothing", "/redirect/nothing", "/invite/nothing",
		"/access", w.shared, "/access/link/nothing")
	l.at(t, "", w.hosted(t, "cashflow", l.lang, nil))
	l.at(t, "", strings.Split(l.URL(), "?")[0]+"/return")
}

func (w *sweep) lookAsApplicant(t *testing.T, l looker) {
	l.at(t, w.Portal, "/", "/applications/"+w.first)
	out := w.api(t, "POST", "/applications", map[string]any{"product": "cashflow", "mode": "embedded", "prefill": person})
	l.follow(t, out["connectUrl"].(string))
	step(t, l.widget, "consent")
	l.at(t, w.Portal, "/applications/"+out["id"].(string)+"/connect")
	l.open(t, w.Portal+"/developers?lang="+l.lang)
	click(t, l.page("form[action='/developers/runs'] button[type=submit]").First())
	awaitAddress(t, l, regexp.MustCompile("^"+regexp.QuoteMeta(w.Portal+"/developers/runs/")))
	l.at(t, "", l.URL())
}

func (w *sweep) lookAsConsumer(t *testing.T, l looker) {
	l.at(t, w.Provider, w.end, w.disconnect, w.inWords, strings.Replace(w.end, "/end/", "/delete/", 1), "/access/freeze", "/access/history",
		"/access", "/access/disputes", w.dispute, w.mineDisputed)
}

func (w *sweep) lookAsReviewer(t *testing.T, l looker) {
	l.at(t, w.review, "", "/overview", "/letters", "/applications/"+w.declined+"/letter", "/deletions", "/audit", "/people", "/events")
	l.at(t, w.review+"/applications/"+w.first, "", "/report", "/transactions?month=2026-10", "/files", "/compare?with="+w.second, "/delete")
	l.at(t, w.Portal, w.event, w.withdraw, w.document, "/review/nothing")
}

// lookWithFactor looks at the pages of a second factor, on a site of its own.
func lookWithFactor(t *testing.T, l looker) {
	own := alone(t)
	pages := &seen{site: own, portal: l.seen.portal, provider: l.seen.provider, screens: l.seen.screens}
	pages.addFactor(t, l.visitor, l.lang, own.Portal+"/review", own.Credentials.Reviewer.Email, own.Credentials.Reviewer.Password)
	pages.addFactor(t, l.visitor, l.lang, own.Provider+"/dashboard", own.Credentials.Dashboard.Email, own.Credentials.Dashboard.Password)
	pages.operate(t, l.visitor, l.lang)
	pages.looked.Range(func(pattern, _ any) bool {
		l.seen.looked.Store(pattern, true)
		return true
	})
}

func (w *sweep) lookAsOperator(t *testing.T, l looker) {
	l.at(t, w.Provider, "/operator/disputes", "/operator/unlisted", w.toOperator, w.corrected,
		strings.Replace(w.corrected[:strings.Index(w.corrected, "?")], "/correct", "/dispute", 1))
}

func (w *sweep) lookAsStaff(t *testing.T, l looker) {
	l.at(t, w.dashboard, "", "/webhooks", "/deliveries", "/reports", "/disputes", "/relay-tokens", "/relay-tokens/received", "/redirects",
		"/credentials", "/products", "/products/"+w.Credentials.Products["cashflow"], "/prepared", "/accounts",
		"/people", "/audit", "/outbox", "/theme")
	l.at(t, w.Provider, w.endpoint, w.delivery, w.report, w.correct, w.item, strings.TrimSuffix(w.correct, "correct")+"dispute",
		w.queued, w.child)
}

// addFactor signs a user in, adds a second factor, and signs in with both.
func (s *seen) addFactor(t *testing.T, v *visitor, lang, home, email, password string) {
	t.Helper()
	signIn := func(then string) {
		v.open(t, home+"/sign-in?lang="+lang)
		fill(t, v.page("[name=email]"), email)
		fill(t, v.page("[name=password]"), password)
		click(t, v.page("form[action$='/sign-in'] button"))
		at(t, v, home+then)
	}
	signIn("")
	s.look(t, v, lang, home+"/second-factor")
	fill(t, v.page("[name=password]"), password)
	click(t, v.page("button[value=add]"))
	at(t, v, home+"/sign-in/factor")
	s.look(t, v, lang, home+"/sign-in/factor")
	text, err := v.page("main code").InnerText()
	must(t, err)
	secret, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(text)
	must(t, err)
	period := time.Now().Unix() / 30
	fill(t, v.page("[name=code]"), totp(secret, period))
	click(t, v.page("form[action$='/sign-in/factor'] button"))
	see(t, v.page("main li code").First())
	checkAccessibility(t, v, "recovery codes")
	v.send(t, home+"/sign-out")
	signIn("/sign-in/code")
	s.look(t, v, lang, home+"/sign-in/code")
	fill(t, v.page("[name=code]"), totp(secret, max(period+1, time.Now().Unix()/30))) // a code works once
	click(t, v.page("form[action$='/sign-in/code'] button"))
	at(t, v, home)
}

// totp returns the code of a period of 30 seconds (RFC 6238).
func totp(secret []byte, period int64) string {
	mac := hmac.New(sha1.New, secret)
	mac.Write(binary.BigEndian.AppendUint64(nil, uint64(period)))
	sum := mac.Sum(nil)
	return fmt.Sprintf("%06d", binary.BigEndian.Uint32(sum[sum[len(sum)-1]&0xf:])&0x7fffffff%1e6)
}

// page returns the content of an address, as the visitor gets it.
func page(t *testing.T, v *visitor, address string) string {
	t.Helper()
	resp, err := v.Context.Request().Get(address)
	must(t, err)
	text, err := resp.Text()
	must(t, err)
	return text
}
