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
	raw, err := os.ReadFile(file)
	must(t, err)
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

// TestReviewPagesAreAccessible opens each page of both parties. A page that is registered in
// the code and not opened here fails it.
func TestReviewPagesAreAccessible(t *testing.T) {
	t.Parallel()
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	t.Cleanup(receiver.Close)
	s := alone(t, "--events-url="+receiver.URL, "--brand-file="+brandOfTexts(t), "--sandbox-bank-addr=127.0.0.1:0")
	portalMux, portalPatterns := addresses(t, "../internal/portal", "../internal/redirect")
	providerMux, providerPatterns := addresses(t, "../internal/provider")

	// What the pages are about.
	applicant := visit(t, noScript)
	first := s.submit(t, applicant, "default", "", map[string]any{"externalId": "loan-1001", "userArgs": "branch 7"})
	second := s.submit(t, applicant, "default", "", nil)
	stub, err := os.ReadFile("../internal/analysis/paystub/testdata/modern.pdf")
	must(t, err)
	altered := s.api(t, "POST", "/applications", map[string]any{"product": "income", "mode": "redirect-form", "prefill": map[string]any{
		"firstName": "getAdaptiveDecisionResult", "lastName": "pdfHighRisk", "email": "d@example.org", "dob": "1980-02-29"}})
	s.control(t, "POST", "/visits/"+leave(t, applicant, altered["connectUrl"].(string))+"/complete", map[string]any{
		"payStubs": []any{map[string]any{"fileName": "paystub.pdf", "contentBase64": base64.StdEncoding.EncodeToString(stub)}}})
	for _, id := range []string{first.ID, second.ID, altered["id"].(string)} {
		s.await(t, id, "ready")
	}
	disputed := call(t, "POST", s.Provider+"/connect/initialization", s.basic(), map[string]any{
		"productId": s.Credentials.Products["income"], "externalId": "dispute-1", "prefill": person}, 2)
	s.control(t, "POST", "/visits/"+disputed["token"].(string)+"/complete", map[string]any{"username": "default"})
	s.connectOpenBank(t, person)
	call(t, "POST", s.Provider+"/connect/invite", s.basic(), map[string]any{"productId": s.Credentials.Products["cashflow"],
		"prefill": person, "deliverTo": "zoe@example.org"}, 2)

	staff := visit(t, noScript)
	review, dashboard := s.Portal+"/review", s.Provider+"/dashboard"
	staff.open(t, review)
	s.signInToReview(t, staff, s.Credentials.Reviewer.Password)
	at(t, staff, review)
	declined := s.begin(t, "redirect")
	own := review + "/applications/" + first.ID
	staff.send(t, review+"/applications/"+declined.ID+"/decision", "seen", "0", "decision",
		"declined", "text", "You may apply again in six months.")
	staff.send(t, own+"/shares", "publicId", s.Credentials.ThirdParty.PublicID, "label", "Harbor Bank")
	staff.send(t, own+"/notes", "text", "Called about the second job.")
	welcome := regexp.MustCompile(`/review/set-password/[^"<\s]+`).FindString(
		staff.send(t, review+"/people", "email", "colleague@example.org", "role", "auditor"))
	if welcome == "" {
		t.Fatal("the colleague was given no link")
	}
	applicant.send(t, s.Portal+"/return", "email", person["email"].(string))
	letter := strings.TrimPrefix(s.emailedLink(t), s.Portal)
	event := found(t, staff, review+"/events", `"(/review/events/[0-9a-f-]{36})"`)
	withdraw := found(t, staff, own, `"(/review/shares/[0-9a-f-]{36}/withdraw)"`)
	found(t, staff, own+"/report", `(id="total")`) // its explanation is ready
	document := found(t, staff, review+"/applications/"+altered["id"].(string)+"/report",
		`(?s)class="stub-head.*?"(/review/applications/[^"]+/files/[^"/]+)"`) + "/view"
	staff.open(t, dashboard)
	s.signInToDashboard(t, staff, s.Credentials.Dashboard.Password)
	at(t, staff, dashboard)
	endpoint := strings.TrimSuffix(found(t, staff, dashboard+"/webhooks", `"(/dashboard/webhooks/[0-9a-f-]{36}/url)"`), "/url")
	delivery := found(t, staff, dashboard+"/deliveries", `"(/dashboard/deliveries/[0-9a-f-]{36})"`)
	report := found(t, staff, dashboard+"/reports", `"(/dashboard/reports/[0-9a-f-]{36})"`)
	consumer := visit(t, noScript)
	newest := func() string {
		link, _, _ := strings.Cut(strings.TrimPrefix(s.accessLink(t, person["email"].(string), "en"), s.Provider), "?")
		return link
	}
	used := newest()
	consumer.send(t, s.Provider+used)
	end := found(t, consumer, s.Provider+"/access", `(/access/end/[^"<?\s]+)`)
	disconnect := found(t, consumer, s.Provider+"/access", `(/access/disconnect/[^"<?\s]+)`)
	inWords := found(t, consumer, s.Provider+"/access", `(/access/report/[^"<?\s]+)`)
	shared := newest()
	child := "/dashboard/accounts/" + call(t, "POST", s.Provider+"/accounts", s.basic(),
		map[string]any{"accountName": "Child"}, 2)["publicId"].(string)
	var correct string
	for _, m := range regexp.MustCompile(`"(/dashboard/reports/[0-9a-f-]{36})"`).FindAllStringSubmatch(
		page(t, staff, dashboard+"/reports"), -1) {
		if strings.Contains(page(t, staff, s.Provider+m[1]), m[1]+"/correct") {
			correct = m[1] + "/correct"
		}
	}
	item := found(t, staff, s.Provider+correct, `"(/dashboard/reports/[0-9a-f-]{36}/correct\?item=[0-9a-f]{20})"`)
	dispute := found(t, consumer, s.Provider+"/access/disputes", `"(/access/dispute/[\w-]+)`)
	consumer.send(t, s.Provider+dispute, "kind", "figure", "about", "The annual income", "statement", "My second job is missing.")
	mineDisputed := found(t, consumer, s.Provider+"/access/disputes", `"(/access/disputes/D-[0-9A-Z-]+)`)
	queued := found(t, staff, dashboard+"/disputes", `"(/dashboard/disputes/D-[0-9A-Z-]+)"`)
	s.signInAsOperator(t, staff)
	toOperator := strings.Replace(queued, "/dashboard", "/operator", 1)
	corrected := found(t, staff, s.Provider+toOperator, `"(/operator/reports/[0-9a-f-]{36}/correct\?dispute=D-[0-9A-Z-]+)"`)
	kept, err := staff.Context.StorageState()
	must(t, err)
	mine, err := applicant.Context.StorageState()
	must(t, err)
	consented, err := consumer.Context.StorageState()
	must(t, err)
	must(t, applicant.Page.Close()) // others continue as this applicant, and the page would reload

	var pictures screens
	eachPageLanguage(t, func(t *testing.T, lang string, language option) {
		all := &seen{site: s, portal: portalMux, provider: providerMux, screens: &pictures}
		t.Run("as", func(t *testing.T) {
			as := func(name string, state *playwright.StorageState, walk func(t *testing.T, v *visitor, look func(base string, paths ...string))) {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					v := visit(t, language, func(o *playwright.BrowserNewContextOptions) {
						if state != nil {
							o.StorageState = state.ToOptionalStorageState()
						}
					})
					v.expect("Failed to load resource")
					walk(t, v, func(base string, paths ...string) {
						for _, path := range paths {
							all.look(t, v, lang, base+path)
						}
					})
				})
			}
			as("a visitor", nil, func(t *testing.T, v *visitor, look func(string, ...string)) {
				look(s.Portal, "/", "/apply/cashflow", "/legal/privacy", "/legal/terms", "/return",
					"/developers", "/developers/guides/embed", "/api/v1/docs", "/api/v1/docs/applications",
					letter, "/resume/nothing", welcome, "/review/sign-in", "/review/forgotten-password", "/redirect/return",
					"/redirect/finish/nothing", "/embed/v1/frame")
				look(s.Provider, "/docs", "/docs/visits", "/docs/schemas", "/docs/errors", "/dashboard/sign-in",
					"/dashboard/forgotten-password", "/dashboard/set-password/nothing", "/redirect/nothing", "/invite/nothing",
					"/access", shared, "/access/link/nothing")
				look("", s.hosted(t, "cashflow", lang, nil))
				look("", strings.Split(v.URL(), "?")[0]+"/return")
			})
			as("the applicant", mine, func(t *testing.T, v *visitor, look func(string, ...string)) {
				look(s.Portal, "/", "/applications/"+first.ID)
				out := s.api(t, "POST", "/applications", map[string]any{"product": "cashflow", "mode": "embedded", "prefill": person})
				v.open(t, out["connectUrl"].(string))
				step(t, v.widget, "consent")
				look(s.Portal, "/applications/"+out["id"].(string)+"/connect")
				v.open(t, s.Portal+"/developers?lang="+lang)
				click(t, v.page("form[action='/developers/runs'] button[type=submit]").First())
				must(t, v.WaitForURL(s.Portal+"/developers/runs/*"))
				look("", v.URL())
			})
			as("a consumer", consented, func(t *testing.T, v *visitor, look func(string, ...string)) {
				look(s.Provider, end, disconnect, inWords, strings.Replace(end, "/end/", "/delete/", 1), "/access/freeze", "/access/history",
					"/access", "/access/disputes", dispute, mineDisputed)
			})
			as("a reviewer", kept, func(t *testing.T, v *visitor, look func(string, ...string)) {
				look(review, "", "/overview", "/letters", "/applications/"+first.ID, "/applications/"+first.ID+"/report",
					"/applications/"+first.ID+"/transactions?month=2026-10",
					"/applications/"+first.ID+"/files",
					"/applications/"+first.ID+"/compare?with="+second.ID, "/applications/"+declined.ID+"/letter", "/applications/"+first.ID+"/delete",
					"/deletions", "/audit", "/people", "/events")
				look(s.Portal, event, withdraw, document, "/review/nothing")
			})
			as("users with a second factor", nil, func(t *testing.T, v *visitor, _ func(string, ...string)) {
				own := alone(t)
				pages := &seen{site: own, portal: portalMux, provider: providerMux, screens: &pictures}
				pages.addFactor(t, v, lang, own.Portal+"/review", own.Credentials.Reviewer.Email, own.Credentials.Reviewer.Password)
				pages.addFactor(t, v, lang, own.Provider+"/dashboard", own.Credentials.Dashboard.Email, own.Credentials.Dashboard.Password)
				pages.operate(t, v, lang)
				pages.looked.Range(func(pattern, _ any) bool {
					all.looked.Store(pattern, true)
					return true
				})
			})
			as("an operator", kept, func(t *testing.T, v *visitor, look func(string, ...string)) {
				look(s.Provider, "/operator/disputes", "/operator/unlisted", toOperator, corrected,
					strings.Replace(corrected[:strings.Index(corrected, "?")], "/correct", "/dispute", 1))
			})
			as("the customer's staff", kept, func(t *testing.T, v *visitor, look func(string, ...string)) {
				look(dashboard, "", "/webhooks", "/deliveries", "/reports", "/disputes", "/relay-tokens", "/relay-tokens/received", "/redirects",
					"/credentials", "/products", "/products/"+s.Credentials.Products["cashflow"], "/prepared", "/accounts",
					"/people", "/audit", "/outbox", "/theme")
				look(s.Provider, endpoint, delivery, report, correct, item, strings.TrimSuffix(correct, "correct")+"dispute", queued, child)
			})
		})
		for _, pattern := range slices.Concat(typical, portalPatterns, providerPatterns) {
			if _, ok := all.looked.Load(pattern); !ok && !noPage.MatchString(pattern) {
				t.Errorf("no check of accessibility covers the page %s", pattern)
			}
		}
	})
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
	fill(t, v.page("[name=code]"), totp(secret, period+1)) // a code works once
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
