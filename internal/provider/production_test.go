package provider_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"log/slog"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"vestibule/internal/analysis/paystub"
	"vestibule/internal/contract"
	"vestibule/internal/provider"
	"vestibule/internal/provider/sandbox"
	"vestibule/internal/report"
	"vestibule/internal/store"
	"vestibule/internal/testutil/assets"
	"vestibule/internal/testutil/i18ntest"
	"vestibule/internal/testutil/paystubtest"
	"vestibule/internal/testutil/storetest"
	"vestibule/internal/testutil/tools"
)

// production is a customer of the production environment, of a provider in production or,
// with mixed, in the sandbox.
type production struct {
	*testServer
	mixed   bool
	browser *http.Client
}

// inProduction runs a test with both providers.
func inProduction(t *testing.T, f func(t *testing.T, p production)) {
	for name, mixed := range map[string]bool{"production": false, "a production customer of a sandbox": true} {
		t.Run(name, func(t *testing.T) {
			db := storetest.SQLite(t, store.Provider)
			b := &testServer{t: t, db: db, seed: provider.Seed{PublicID: "svc-production", ClientID: "client-production",
				SecretKey: store.NewSecret(), Products: map[contract.Product]string{}}}
			for _, kind := range contract.Products() {
				b.seed.Products[kind] = uuid.NewString()
			}
			operator := startProvider(t, b, provider.Config{Environment: contract.Production, Scanner: scanner{}})
			_, err := operator.AddCustomer(t.Context(), provider.NewCustomer{Name: "Harbor Bank", PublicID: b.seed.PublicID,
				ClientID: b.seed.ClientID, SecretKey: b.seed.SecretKey,
				Products: b.seed.Products, Staff: "ops@harbor.example"})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := db.SQL.ExecContext(t.Context(), `INSERT INTO complete_urls (customer_id, position, url)
				SELECT id, 0, 'https://harbor.example/return?jwt=[token]' FROM customers WHERE public_id = $1`, b.seed.PublicID); err != nil {
				t.Fatal(err)
			}
			b.provider = operator
			if mixed {
				b.provider = startProvider(t, b, provider.Config{Environment: contract.Sandbox, Sandbox: sandbox.New, Scanner: scanner{}})
			}
			b.control = httptest.NewServer(b.provider.Control())
			t.Cleanup(b.control.Close)
			if err := b.provider.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := b.provider.Stop(context.WithoutCancel(t.Context())); err != nil {
					t.Error(err)
				}
			})
			jar, err := cookiejar.New(nil)
			if err != nil {
				t.Fatal(err)
			}
			f(t, production{b, mixed, &http.Client{Jar: jar}})
		})
	}
}

// startProvider serves a provider on b's database, as b's service.
func startProvider(t *testing.T, b *testServer, c provider.Config) *provider.Provider {
	t.Helper()
	var handler http.Handler
	b.service = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler.ServeHTTP(w, r) }))
	t.Cleanup(b.service.Close)
	c.DB, c.Log, c.Now, c.URL, c.Assets = b.db, slog.New(slog.DiscardHandler), time.Now, b.service.URL, assets.Provider(t)
	p, err := provider.New(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	handler = p.Handler()
	return p
}

// as adds the environment, which the mixed provider needs.
func (p production) as(h headers) headers {
	return append(headers{"X-ENVIRONMENT", "production"}, h...)
}

func (p production) named(publicToken string) headers {
	return append(p.as(p.bearer()), "X-PUBLIC-TOKEN", publicToken)
}

func (p production) bearer() headers {
	p.t.Helper()
	a := p.get("/connect/accesstoken", p.as(p.basic()))
	if a.status != 200 {
		p.t.Fatalf("access token: %d %s", a.status, a.raw)
	}
	return headers{"Authorization", "Bearer " + base64.StdEncoding.EncodeToString([]byte(a.text("accessToken")))}
}

// form posts the form of a step, and returns the next page.
func (p production) form(path string, pairs ...string) string {
	p.t.Helper()
	form := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		form.Add(pairs[i], pairs[i+1])
	}
	return p.send(path, "application/x-www-form-urlencoded", strings.NewReader(form.Encode()))
}

func (p production) send(path, kind string, body interface{ Read([]byte) (int, error) }) string {
	p.t.Helper()
	resp, err := p.browser.Post(p.service.URL+path, kind, body)
	if err != nil {
		p.t.Fatal(err)
	}
	defer resp.Body.Close()
	var b bytes.Buffer
	if _, err := b.ReadFrom(resp.Body); err != nil || resp.StatusCode >= 500 {
		p.t.Fatalf("%s: %d %v", path, resp.StatusCode, err)
	}
	return b.String()
}

// upload uploads a file and submits it.
func (p production) upload(path, name string, content []byte) {
	p.t.Helper()
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	w, _ := form.CreateFormFile("file", name)
	_, _ = w.Write(content)
	_ = form.Close()
	p.send(path+"/documents", form.FormDataContentType(), &b)
	p.form(path, "action", "hand-in")
}

// open begins a visit by token, prefill, redirect, or invite, and returns its path and
// publicToken.
func (p production) open(how string, body map[string]any) (path, publicToken string) {
	p.t.Helper()
	register := func(more ...any) (string, string) {
		a := p.post("/widget/v1/visits", nil,
			with(map[string]any{"env": "production", "publicId": p.seed.PublicID, "productId": body["productId"]}, more...))
		if a.status != 201 {
			p.t.Fatalf("%s of %v: %d %s", how, body, a.status, a.raw)
		}
		return "/visit/" + a.text("handle"), a.text("publicToken")
	}
	ask := func(at string) answer {
		a := p.post(at, p.as(p.basic()), body)
		if a.status != 200 {
			p.t.Fatalf("%s of %v: %d %s", how, body, a.status, a.raw)
		}
		return a
	}
	switch how {
	case "token":
		return register("token", ask("/connect/initialization").text("token"))
	case "prefill":
		return register("prefill", body["prefill"], "sandboxReportId", body["sandboxReportId"])
	case "redirect":
		at := ask("/secure-redirect").text("redirectUrl")
		return p.followed(at)
	}
	a := ask("/connect/invite-link")
	path, _ = p.followed(a.text("inviteLink"))
	return path, a.text("publicToken")
}

// page returns a page in the applicant's browser.
func (p production) page(path string) string {
	p.t.Helper()
	resp, err := p.browser.Get(p.service.URL + path)
	if err != nil {
		p.t.Fatal(err)
	}
	defer resp.Body.Close()
	var b bytes.Buffer
	_, _ = b.ReadFrom(resp.Body)
	return b.String()
}

var publicTokenIn = regexp.MustCompile(`data-public-token="([^"]+)"`)

// followed returns the path and publicToken of the visit that a link leads to.
func (p production) followed(link string) (path, publicToken string) {
	p.t.Helper()
	resp, err := p.browser.Get(link)
	if err != nil {
		p.t.Fatal(err)
	}
	defer resp.Body.Close()
	var b bytes.Buffer
	_, _ = b.ReadFrom(resp.Body)
	m := publicTokenIn.FindStringSubmatch(b.String())
	if m == nil {
		p.t.Fatalf("%s is not a page of a visit: %d %s", link, resp.StatusCode, b.String())
	}
	return resp.Request.URL.Path, m[1]
}

// names are names with a simulation in the sandbox.
var names = [][2]string{{"Default", "Harper"}, {"Noincome", "Doyle"}, {"Ana", "error"}, {"Ana", "supplierdown"},
	{"Ana", "expiresoon"}, {"mfa required", "Ana"}, {"Ana", "nofile"},
	{"getAdaptiveDecisionResult", "pdfTrusted"}, {"getAdaptiveDecisionResult", "imageTrusted"}}

// usernames are usernames of the sandbox's banks and payroll providers.
var usernames = []string{"default", "single", "multi", "joint", "noincome", "no_transactions", "error",
	"supplier_unresponsive", "mfa", "debt_only", "investment_only", "gig", "overdraft", "benefits", "transfers", "transfers_savings",
	"e_banking_unsupported", "hourly", "two_jobs", "new_hire", "terminated", "no_statements", "incomplete", "session_expired"}

// tryAllSteps posts forms for every step that the sandbox has, until the visit ends.
func (p production) tryAllSteps(path, username string) {
	over := false
	do := func(pairs ...string) {
		if over {
			return
		}
		over = strings.Contains(p.form(path, pairs...), "data-over")
	}
	do("action", "consent")
	do("action", "verify", "stated", "1")
	for _, step := range [][]string{{"bank", "bank", "harbor-national-bank"},
		{"payroll", "employer", "northwind-logistics"}, {"supplier", "supplier", "GBR_EFX"}} {
		do("action", "source", "source", step[0])
		do("action", step[1], step[1], step[2])
		do("action", "sign-in", "username", username, "password", "x")
		do("action", "code", "code", "123456")
		do("action", "accounts")
		do("action", "turn")
		if do("action", "more"); over {
			return
		}
	}
	do("action", "turn")
	do("action", "skip", "stated", "1")
	do("action", "skipped", "reason", "OTHER")
	do("action", "finish")
	do("action", "finish")
}

// TestProductionHasNoInventedData tries to complete visits of every product, begun in every
// way, with names and usernames of the sandbox. None of them has a report, but one of skipped employers, and the
// status, substatus, and page of each say so.
func TestProductionHasNoInventedData(t *testing.T) {
	inProduction(t, func(t *testing.T, p production) {
		origins, n, count := []string{"token", "prefill", "redirect", "invite"}, 0, 0
		walk := func(kind contract.Product, productID string, workflow string) {
			for i, username := range usernames {
				if count++; !tools.Full() && (count+i/9)%9 != 0 {
					continue
				}
				name, how := names[i%len(names)], origins[n%len(origins)]
				n++
				prefill := with(applicant, "firstName", name[0], "lastName", name[1])
				if kind == contract.Eligibility {
					prefill["state"] = "TX"
					if workflow != "assets" {
						prefill["statedEmployerNames"] = []string{"Northwind Logistics"}
					}
				}
				path, publicToken := p.open(how, map[string]any{"productId": productID, "prefill": prefill, "sandboxReportId": uuid.NewString()})
				p.tryAllSteps(path, username)
				if kind == contract.Income { // waits for pay stubs
					p.upload(path, "paystub.pdf", []byte("%PDF-1.4"))
					p.form(path, "action", "finish")
				}
				status, sub := p.settled(publicToken)
				if kind == contract.Eligibility && workflow != "assets" {
					// Its report has the reason for which the employer was skipped, and no data.
					a := p.get(reportPaths[kind], p.named(publicToken))
					if status != contract.StatusSuccess || sub != string(contract.SubNoRecentInformation) || a.status != 200 ||
						!strings.Contains(string(a.raw), `"verification_sources":[],"skipped_reason":"OTHER"`) ||
						regexp.MustCompile(`"(employment|income|assets|documents)":`).Match(a.raw) {
						t.Errorf("%s %s, %s: %s %s, report %d %s", kind, workflow, how, status, sub, a.status, a.raw)
					}
					if page := p.page(path + "?lang=en"); !strings.Contains(page, i18ntest.EN("visit.end.employers.none", "company", "Harbor Bank")) {
						t.Errorf("the page after all employers were skipped:\n%s", page)
					}
					continue
				}
				if status != contract.StatusNotAuthenticated {
					t.Errorf("%s %s, %s as %v, user %s: %s %s", kind, workflow, how, name, username, status, sub)
				}
				if kind != contract.Income && sub != string(contract.SubEBankingNotSupported) {
					t.Errorf("%s %s, %s: substatus %q", kind, workflow, how, sub)
				}
				if a := p.get(reportPaths[kind], p.named(publicToken)); a.status != 404 {
					t.Errorf("%s %s: a report: %d %s", kind, workflow, a.status, a.raw)
				}
				if kind == contract.Cashflow && i < 6 {
					page := p.page(path + "?lang=en")
					if !strings.Contains(page, i18ntest.EN("visit.unsourced.no_bank")) || !strings.Contains(page, `data-end="error"`) ||
						!strings.Contains(page, `data-error="SUPPLIER_ERROR"`) || strings.Contains(page, "andbox") {
						t.Errorf("the page at the end:\n%s", page)
					}
					if page := p.page(path + "?lang=es"); !strings.Contains(page, i18ntest.ES("visit.unsourced.no_bank")) {
						t.Errorf("the page at the end, in Spanish:\n%s", page)
					}
				}
			}
		}
		for _, kind := range contract.Products() {
			walk(kind, p.seed.Products[kind], "")
		}
		for _, workflow := range []string{"income", "assets"} {
			walk(contract.Eligibility, p.eligibility(workflow), workflow)
		}
		for _, at := range []string{"/connect/suppliers", "/connect/cashflow/oauth-destinations"} {
			h := p.as(p.basic())
			if at != "/connect/suppliers" {
				h = p.as(p.bearer())
			}
			if a := p.get(at, h); a.status != 200 || strings.TrimSpace(string(a.raw)) != "[]" {
				t.Errorf("%s: %d %s, want an empty list", at, a.status, a.raw)
			}
		}
	})
}

// settled waits for the final status of a report and returns it.
func (p production) settled(publicToken string) (contract.Status, string) {
	p.t.Helper()
	h := p.named(publicToken)
	for tick := time.NewTicker(5 * time.Millisecond); ; <-tick.C {
		a := p.get("/connect/status", h)
		if status := contract.Status(a.text("status")); status.Final() || a.status != 200 {
			tick.Stop()
			return status, a.text("substatus")
		}
	}
}

// eligibility adds a product with a workflow and returns its id.
func (p production) eligibility(workflow string) string {
	p.t.Helper()
	id, configuration := uuid.NewString(), uuid.NewString()
	kind := map[string]string{"income": "INCOME", "assets": "ASSETS"}[workflow]
	for _, x := range []struct {
		query string
		args  []any
	}{
		{`INSERT INTO product_configurations (id, customer_id, kind, alias, inquiry_type, eligibility_kind, created_at)
			SELECT $1, id, 'eligibility', $2, 'OTHER', $3, 0
			FROM customers WHERE public_id = $4`, []any{configuration, workflow, kind, p.seed.PublicID}},
		{`INSERT INTO products (id, customer_id, kind, name, inquiry_type, created_at, configuration_id)
			SELECT $1, id, 'eligibility', $2, 'OTHER', 0, $3
			FROM customers WHERE public_id = $4`, []any{id, workflow, configuration, p.seed.PublicID}},
	} {
		if _, err := p.db.SQL.ExecContext(p.t.Context(), x.query, x.args...); err != nil {
			p.t.Fatal(err)
		}
	}
	return id
}

// TestProductionReadsUploads checks that a readable pay stub is the source of income and
// eligibility reports. An image is listed as a file, and alone has the substatus
// INCOMPLETE.
func TestProductionReadsUploads(t *testing.T) {
	inProduction(t, func(t *testing.T, p production) {
		draw := rand.New(rand.NewPCG(7, 1)).IntN
		stub := paystubtest.Random(draw)
		pdf := stub.Printed(draw, paystubtest.Layouts()[0])
		var picture bytes.Buffer
		if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 30, 20))); err != nil {
			t.Fatal(err)
		}
		prefill := with(applicant, "firstName", "getAdaptiveDecisionResult", "lastName", "pdfHighRisk")
		income := map[string]any{"productId": p.seed.Products[contract.Income], "prefill": prefill}
		path, publicToken := p.open("token", income)
		p.form(path, "action", "consent")
		if page := p.page(path + "?lang=en"); !strings.Contains(page,
			i18ntest.EN("visit.unsourced.no_bank_and_payroll")+"."+i18ntest.EN("visit.unsourced.upload")) {
			t.Errorf("the page for pay stubs:\n%s", page)
		}
		p.upload(path, "down.pdf", pdf)
		p.form(path, "action", "finish")
		if status, sub := p.settled(publicToken); status != contract.StatusSuccess {
			t.Fatalf("a readable pay stub: %s %s", status, sub)
		}
		if a := p.get(reportPaths[contract.Income], p.named(publicToken)); a.status != 200 ||
			!strings.Contains(string(a.raw), `"file_type":"pdf"`) || strings.Contains(string(a.raw), "Northwind") {
			t.Errorf("its report: %d %s", a.status, a.raw)
		}
		path, publicToken = p.open("token", income)
		p.form(path, "action", "consent")
		p.upload(path, "paystub.png", picture.Bytes())
		p.form(path, "action", "finish")
		if status, sub := p.settled(publicToken); status != contract.StatusNotAuthenticated || sub != string(contract.SubIncomplete) {
			t.Errorf("an image alone: %s %s", status, sub)
		}
		if page := p.page(path + "?lang=en"); !strings.Contains(page, i18ntest.EN("visit.end.pay_stubs.image", "company", "Harbor Bank")) {
			t.Errorf("the page after an image:\n%s", page)
		}
		if a := p.get("/connect/income/v2/files", p.named(publicToken)); a.status != 200 || !strings.Contains(string(a.raw), "paystub.png") {
			t.Errorf("the files of an image: %d %s", a.status, a.raw)
		}
		// A report of one image and one readable pay stub.
		path, publicToken = p.open("token", map[string]any{"productId": p.eligibility("income"),
			"prefill": with(prefill, "state", "TX", "statedEmployerNames", []string{"One", "Two"})})
		p.form(path, "action", "consent")
		for i, file := range [][]byte{picture.Bytes(), pdf} {
			p.form(path, "action", "verify", "stated", fmt.Sprint(i+1))
			p.form(path, "action", "source", "source", "paystubs")
			p.upload(path, "paystub", file)
		}
		p.form(path, "action", "finish")
		if status, sub := p.settled(publicToken); status != contract.StatusSuccess || sub != "" {
			t.Errorf("an image beside a readable pay stub: %s %s", status, sub)
		}
	})
}

// scanner reads a pay stub in images that are higher than wide, and fails for others.
type scanner struct{}

func (scanner) Read(_ context.Context, file []byte) ([]paystub.ScannedPage, error) {
	c, err := png.DecodeConfig(bytes.NewReader(file))
	if err != nil || c.Width > c.Height {
		return nil, errors.New("no text")
	}
	p := paystub.ScannedPage{Width: 612, Height: 792}
	for i, line := range []string{"Employer: Harbor Dental", "Pay Date: 11/13/2026", "Period End: 11/13/2026", "Gross Pay: 1,000.00",
		"Net Pay: 800.00"} {
		p.Words = append(p.Words, paystub.Word{Text: line, X0: 60, X1: 200, Y: 700 - 20*float64(i), Size: 10, Confidence: 90})
	}
	return []paystub.ScannedPage{p}, nil
}

// TestImageOfPayStubIsRead checks that an image of a pay stub that the OCR engine reads
// is a pay stub like others.
func TestImageOfPayStubIsRead(t *testing.T) {
	inProduction(t, func(t *testing.T, p production) {
		var picture bytes.Buffer
		if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 20, 30))); err != nil {
			t.Fatal(err)
		}
		path, publicToken := p.open("token", map[string]any{"productId": p.seed.Products[contract.Income], "prefill": applicant})
		p.form(path, "action", "consent")
		p.upload(path, "paystub.png", picture.Bytes())
		p.form(path, "action", "finish")
		if status, sub := p.settled(publicToken); status != contract.StatusSuccess {
			t.Fatalf("%s %s", status, sub)
		}
		got, err := report.ParseIncome(p.get(reportPaths[contract.Income], p.named(publicToken)).raw)
		if err != nil || len(got.Income.Paystubs) != 1 {
			t.Fatalf("%v, %+v", err, got)
		}
		stub := got.Income.Paystubs[0]
		if stub.GrossTotal == nil || *stub.GrossTotal != 100_000 || report.Text(stub.IrregularityDetection.FileType) != report.FileImage {
			t.Errorf("%+v", stub)
		}
	})
}

// TestProductionCannotReachSandbox tries the controls, submissions with names of the
// sandbox, and customers of the sandbox.
func TestProductionCannotReachSandbox(t *testing.T) {
	inProduction(t, func(t *testing.T, p production) {
		a := p.post("/connect/initialization", p.as(p.basic()),
			map[string]any{"productId": p.seed.Products[contract.Cashflow], "prefill": applicant})
		for path, body := range map[string]any{
			"/visits/" + a.text("token") + "/complete": map[string]any{"username": "default"},
			"/callbacks":       map[string]any{"publicId": p.seed.PublicID, "url": "https://elsewhere.example/webhook"},
			"/complete-urls":   map[string]any{"publicId": p.seed.PublicID, "url": "https://elsewhere.example/return"},
			"/sandbox-reports": map[string]any{"publicId": p.seed.PublicID, "product": "cashflow", "profile": "default"},
		} {
			if got := p.do("POST", path, body); got.status < 400 || got.status >= 500 {
				t.Errorf("the control %s: %d %s", path, got.status, got.raw)
			}
		}
		if got := p.get("/connect/sandbox/events", p.as(p.basic())); got.status != 404 {
			t.Errorf("the events of a sandbox: %d %s", got.status, got.raw)
		}
		// The controls did not use the token.
		if got := p.post("/widget/v1/visits", nil, map[string]any{"env": "production", "publicId": p.seed.PublicID,
			"productId": p.seed.Products[contract.Cashflow], "token": a.text("token")}); got.status != 201 {
			t.Errorf("the token afterwards: %d %s", got.status, got.raw)
		}
		// The report of a submission is generated from it, whatever the name.
		h := append(p.as(p.bearer()), "X-PRODUCT-ID", p.seed.Products[contract.Cashflow])
		for _, name := range [][2]string{{"Default", "Harper"}, {"Ana", "error"}} {
			body := submission("personal", personal("firstName", name[0], "lastName", name[1]), "sandboxReportId", uuid.NewString())
			got := p.post(submissionPath, h, body)
			if got.status != 200 {
				t.Fatalf("a submission of %v: %d %s", name, got.status, got.raw)
			}
			token := got.text("publicToken")
			if status, sub := p.settled(token); status != contract.StatusSuccess {
				t.Errorf("a submission of %v: %s %s", name, status, sub)
			}
			if got := p.get(reportPaths[contract.Cashflow], p.named(token)); strings.Contains(string(got.raw), "Harbor National Bank") {
				t.Errorf("a submission of %v is answered with a profile: %s", name, got.raw)
			}
		}
		if p.mixed {
			return
		}
		// A customer of the sandbox is unknown to a provider in production.
		if _, err := p.db.SQL.ExecContext(t.Context(), `UPDATE customers SET environment = 'sandbox'`); err != nil {
			t.Fatal(err)
		}
		for name, got := range map[string]answer{
			"access token": p.get("/connect/accesstoken", append(headers{"X-ENVIRONMENT", "sandbox"}, p.basic()...)),
			"widget": p.post("/widget/v1/visits", nil, map[string]any{"env": "sandbox", "publicId": p.seed.PublicID,
				"productId": p.seed.Products[contract.Cashflow], "prefill": applicant}),
		} {
			if got.text("error") != string(contract.CodeUnknownCustomer) {
				t.Errorf("%s of a sandbox customer: %d %s", name, got.status, got.raw)
			}
		}
	})
}

// TestUnsupportedVisitReturns checks that the signed result agrees with the status.
func TestUnsupportedVisitReturns(t *testing.T) {
	inProduction(t, func(t *testing.T, p production) {
		path, publicToken := p.open("redirect", map[string]any{"productId": p.seed.Products[contract.Cashflow],
			"prefill": applicant, "redirectArgs": "args"})
		p.form(path, "action", "consent")
		still := &http.Client{Jar: p.browser.Jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		resp, err := still.Get(p.service.URL + path + "/return")
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		at, err := resp.Location()
		if err != nil || at.Host != "harbor.example" {
			t.Fatalf("the return: %d %v %v", resp.StatusCode, at, err)
		}
		payload, err := base64.RawURLEncoding.DecodeString(strings.Split(at.Query().Get("jwt")+"..", ".")[1])
		var claims map[string]any
		if err := errors.Join(err, json.Unmarshal(payload, &claims)); err != nil {
			t.Fatal(err)
		}
		if claims["outcome"] != "ERROR" || claims["error"] != "SUPPLIER_ERROR" || claims["publicToken"] != publicToken ||
			claims["status"] != nil || claims["redirectArgs"] != "args" {
			t.Errorf("claims %v", claims)
		}
		if status, sub := p.settled(publicToken); status != contract.StatusNotAuthenticated || sub != string(contract.SubEBankingNotSupported) {
			t.Errorf("status %s %s", status, sub)
		}
		if n := p.count(`SELECT COUNT(*) FROM events WHERE subject_id = $1 AND type = 'NOT_AUTHENTICATED'`, publicToken); n != 1 {
			t.Errorf("%d events of it, want 1", n)
		}
	})
}
