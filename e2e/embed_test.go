package e2e

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"vestibule/internal/testutil"
	"vestibule/internal/testutil/tools"
)

// TestEmbedded completes the recommended integration: the form, the widget in the page with
// a single-use token, and the status page that updates itself. No address and no log line
// contains data of the applicant or the token.
func TestEmbedded(t *testing.T) {
	t.Parallel()
	s := start(t)
	v := visit(t)
	requests := v.sent("")
	v.open(t, s.Portal+"/")
	click(t, v.page(`a[href="/apply/cashflow"]`))
	fillForm(t, v, applicant)
	click(t, v.page(button(en("apply.continue"))))
	step(t, v.widget, "consent")
	token, err := v.page("[data-vestibule=connect]").GetAttribute("data-token")
	must(t, err)
	if token == "" {
		t.Fatal("the widget is not registered with a token")
	}
	for _, absent := range []string{"data-prefill", "data-consumer-id"} {
		if got, _ := v.page("[data-vestibule=connect]").GetAttribute(absent); got != "" {
			t.Errorf("%s = %q beside a token", absent, got)
		}
	}
	walk(t, v.widget, "default")
	state(t, v, "ready")
	for _, r := range requests() {
		for _, secret := range []string{token, "Zoë", "Hara", "example.org", "1992"} {
			if strings.Contains(r.URL(), secret) || strings.Contains(r.URL(), url.QueryEscape(secret)) {
				t.Errorf("an address has %q in it: %s", secret, r.URL())
			}
		}
	}
	for _, secret := range []string{token, "Zoë", "Hara", "zoe@example.org", "1992-02-29"} {
		if strings.Contains(s.Log.String(), secret) {
			t.Errorf("the log has %q in it", secret)
		}
	}
	if got := count(s.events(t, v.id(t)), "fetched"); got != 1 {
		t.Errorf("the report was fetched %d times", got)
	}
}

// TestSourceTypesOffered completes the other kinds of registration of the table.
func TestSourceTypesOffered(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	attribute := func(t *testing.T, v *visitor, name string) string {
		t.Helper()
		got, err := v.page("[data-vestibule=connect]").GetAttribute(name)
		must(t, err)
		return got
	}
	t.Run("prefill from the client", func(t *testing.T) {
		t.Parallel()
		v := visit(t)
		s.apply(t, v, "embedded", "?mode=prefill")
		step(t, v.widget, "consent")
		if attribute(t, v, "data-prefill") == "" || attribute(t, v, "data-token") != "" {
			t.Error("the widget was not begun with the prefill alone")
		}
		walk(t, v.widget, "default")
		state(t, v, "ready")
	})
	t.Run("consumer", func(t *testing.T) {
		t.Parallel()
		v := visit(t)
		s.apply(t, v, "embedded", "?mode=consumer")
		step(t, v.widget, "consent")
		if attribute(t, v, "data-consumer-id") == "" || attribute(t, v, "data-prefill")+attribute(t, v, "data-token") != "" {
			t.Error("the widget was not begun with the consumer alone")
		}
		walk(t, v.widget, "single")
		state(t, v, "ready")
	})
	t.Run("sandbox report", func(t *testing.T) {
		t.Parallel()
		v := visit(t)
		v.expect("422")
		id := s.control(t, http.MethodPost, "/sandbox-reports",
			map[string]any{"product": "cashflow", "profile": "joint"})["sandboxReportId"].(string)
		v.open(t, s.Portal+"/apply/cashflow?mode=sandbox-report")
		fillForm(t, v, applicant)
		fill(t, v.page("#sandboxReportId"), "not an id")
		click(t, v.page(button(en("apply.continue"))))
		see(t, v.page("#sandboxReportId-error:not(:empty)"))
		fill(t, v.page("#sandboxReportId"), id)
		click(t, v.page(button(en("apply.continue"))))
		state(t, v, "ready") // without a click
	})
	t.Run("custom control", func(t *testing.T) {
		t.Parallel()
		v := visit(t)
		s.apply(t, v, "embedded", "?mode=manual")
		fire := v.page("[data-vestibule-fire]")
		must(t, v.page("[data-vestibule-fire]:enabled").WaitFor())
		if n, _ := v.page("iframe").Count(); n != 0 {
			t.Error("the widget is there before it was asked for")
		}
		click(t, fire)
		step(t, v.widget, "consent")
		see(t, v.page("dialog[open]"))
		walk(t, v.widget, "default")
		state(t, v, "ready")
	})
	t.Run("custom control that is destroyed", func(t *testing.T) {
		t.Parallel()
		v := visit(t)
		s.apply(t, v, "embedded", "?mode=manual")
		must(t, v.page("[data-vestibule-destroy]:enabled").WaitFor())
		click(t, v.page("[data-vestibule-destroy]"))
		see(t, v.page("[data-phase=closed]"))
		if n, _ := v.page(`script[src*="/widget/v1/widget.js"]`).Count(); n != 0 {
			t.Error("destroy() left the provider's script in the page")
		}
		must(t, v.page("[data-vestibule-fire]:disabled").WaitFor())
		click(t, v.page(button(en("notice.try_again"))))
		must(t, v.page("[data-vestibule-fire]:enabled").WaitFor())
		click(t, v.page("[data-vestibule-fire]"))
		step(t, v.widget, "consent")
	})
}

// TestConnectPageSurvives reload, another tab and Back: in the browser that began the
// visit it is the same visit, and an application that is on its way is not begun again.
func TestConnectPageSurvives(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	v := visit(t)
	s.arrive(t, v, "embedded")
	step(t, v.widget, "consent")
	connect := v.URL()
	reach(t, v.widget, "sign-in")
	_, err := v.Reload()
	must(t, err)
	step(t, v.widget, "sign-in")
	must(t, v.page(`[data-attempt="1"]`).WaitFor())

	second := v.tab(t)
	second.open(t, connect)
	step(t, second.widget, "sign-in")
	reachFrom(t, second.widget, "sign-in", "code")
	reachFrom(t, second.widget, "code", "accounts")
	click(t, second.widget(button(en("visit.accounts.submit"))))
	state(t, second, "ready")

	_, err = second.GoBack()
	must(t, err)
	state(t, second, "ready")
	v.open(t, connect)
	state(t, v, "ready")
	if got := count(s.events(t, v.id(t)), "fetched"); got != 1 {
		t.Errorf("the report was fetched %d times", got)
	}
}

// violation is a violation of the register table.
type violation struct {
	name    string
	options map[string]any
	want    string
	// here says that the options alone tell: the module finds it without the provider.
	here bool
}

// violations violate each rule of the register table and of the prefill, one at a time.
func violations(t *testing.T, s *site) []violation {
	t.Helper()
	income, cashflow := s.Credentials.Products["income"], s.Credentials.Products["cashflow"]
	used := s.token(t, nil)
	s.control(t, http.MethodPost, "/visits/"+used+"/complete", map[string]any{"end": "exit"})
	taken := uuid.NewString()
	s.token(t, map[string]any{"externalId": taken})
	fresh := func() string { return s.token(t, nil) }
	wrong := func(key string, value any) map[string]any {
		return map[string]any{"prefill": acceptable(map[string]any{key: value})}
	}
	return []violation{
		{"an environment that there is not", map[string]any{"env": "staging", "token": fresh()}, "UNKNOWN_CUSTOMER", true},
		{"the other environment", map[string]any{"env": "production", "token": fresh()}, "UNKNOWN_CUSTOMER", false},
		{"no publicId", map[string]any{"publicId": nil, "token": fresh()}, "UNKNOWN_CUSTOMER", true},
		{"unknown publicId", map[string]any{"publicId": "svc-unknown", "token": fresh()}, "UNKNOWN_CUSTOMER", false},
		{"no productId", map[string]any{"productId": nil, "token": fresh()}, "INVALID_PRODUCT", true},
		{"an invalid productId", map[string]any{"productId": "cashflow", "token": fresh()}, "INVALID_PRODUCT", true},
		{"unknown productId", map[string]any{"productId": uuid.NewString(), "token": fresh()}, "INVALID_PRODUCT", false},
		{"another product than the token's", map[string]any{"productId": income, "token": fresh()}, "MISMATCHED_PRODUCT_ID", false},
		{"none of token, prefill and consumerId", map[string]any{}, "INVALID_TOKEN", true},
		{"an unknown token", map[string]any{"token": "no-such-token"}, "INVALID_TOKEN", false},
		{"a used token", map[string]any{"token": used}, "INVALID_TOKEN", false},
		{"token with prefill", map[string]any{"token": fresh(), "prefill": acceptable(nil)}, "INVALID_TOKEN", true},
		{"consumerId with prefill", map[string]any{"consumerId": uuid.NewString(), "prefill": acceptable(nil)}, "INVALID_CONSUMER_ID", true},
		{"all three", map[string]any{"token": fresh(), "consumerId": uuid.NewString(), "prefill": acceptable(nil)}, "INVALID_CONSUMER_ID", true},
		{"an invalid consumerId", map[string]any{"consumerId": "zoe"}, "INVALID_CONSUMER_ID", true},
		{"an unknown consumerId", map[string]any{"consumerId": uuid.NewString()}, "INVALID_CONSUMER_ID", false},
		{"token with another consumer", map[string]any{"token": fresh(), "consumerId": uuid.NewString()}, "INVALID_CONSUMER_ID", false},
		{"an externalId that is taken", map[string]any{"externalId": taken, "prefill": acceptable(nil)}, "DUPLICATE_EXTERNAL_ID", false},
		{"an externalId that is too long", map[string]any{"externalId": strings.Repeat("x", 65), "token": fresh()}, "INTERNAL_ERROR", true},
		{"userArgs that are too long", map[string]any{"userArgs": strings.Repeat("x", 256), "token": fresh()}, "INTERNAL_ERROR", true},
		{"an invalid sandboxReportId", map[string]any{"sandboxReportId": "x", "token": fresh()}, "INTERNAL_ERROR", true},
		{"an unknown sandboxReportId", map[string]any{"sandboxReportId": uuid.NewString(), "token": fresh()}, "INTERNAL_ERROR", false},
		{"prefill without a name", wrong("firstName", nil), "INVALID_PREFILLS_PII_MISSING", true},
		{"prefill without an e-mail", wrong("email", nil), "INVALID_PREFILLS_PII_MISSING", true},
		{"prefill without birthday and address", wrong("dob", nil), "INVALID_PREFILLS_PII_MISSING", true},
		{"prefill with nothing", map[string]any{"prefill": map[string]any{}}, "INVALID_PREFILLS_PII_MISSING", true},
		{"an unsupported key", wrong("shoeSize", "44"), "INVALID_PREFILL_KEY", true},
		{"a key of another product", wrong("statedEmployerNames", []string{"Tern"}), "INVALID_PREFILL_KEY", true},
		{"a wrong address", wrong("address", strings.Repeat("a", 101)), "INVALID_PREFILL_ADDRESS", true},
		{"a wrong city", wrong("city", strings.Repeat("c", 101)), "INVALID_PREFILL_CITY", true},
		{"a wrong dob", wrong("dob", "06/15/1990"), "INVALID_PREFILL_DOB", true},
		{"a wrong email", wrong("email", "ana at example.org"), "INVALID_PREFILL_EMAIL", true},
		{"a wrong firstName", wrong("firstName", "4na"), "INVALID_PREFILL_FIRST_NAME", true},
		{"a wrong lastName", wrong("lastName", strings.Repeat("x", 255)), "INVALID_PREFILL_LAST_NAME", true},
		{"a wrong income", wrong("statedAnnualIncome", 2147483648), "INVALID_PREFILL_INCOME", true},
		{"an income that is a string", wrong("statedAnnualIncome", "52000"), "INVALID_PREFILL_INCOME", true},
		{"a wrong phone", wrong("phone", strings.Repeat("5", 256)), "INVALID_PREFILL_PHONE", true},
		{"a wrong state", wrong("state", "ZZ"), "INVALID_PREFILL_STATE", true},
		{"a wrong zip", wrong("zip", "1234"), "INVALID_PREFILL_ZIP", true},
		{"too many employers", map[string]any{"productId": s.Credentials.Products["eligibility"],
			"prefill": acceptable(map[string]any{"state": "CA",
				"statedEmployerNames": []string{"1", "2", "3", "4", "5", "6", "7"}})}, "INVALID_PREFILL_STATED_EMPLOYER_NAMES", true},
		{"a good token, at last", map[string]any{"productId": cashflow, "token": fresh()}, "", false},
	}
}

// TestViolationsInTheWidget checks that each violation ends in onError with its error type
// and text.
func TestViolationsInTheWidget(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	h := newHost(t, s)
	v := visit(t)
	v.expect("Failed to load resource") // 4xx
	v.open(t, h.URL+"/")
	for i, b := range violations(t, s) {
		begin(t, v, h.options(b.options), b.name)
		if b.want == "" {
			step(t, v.widget, "consent")
			continue
		}
		same(t, b.name, called(t, v, i+1), []string{b.name, "onError", "", b.want})
		see(t, v.widget("[data-testid=step-problem] code"))
		if got := read(t, v.widget("[data-testid=step-problem] code")); got != b.want {
			t.Errorf("%s: the widget shows %s", b.name, got)
		}
	}
}

// TestViolationsInTheModule checks that the module finds each violation before a request to
// the provider, with the same error type.
func TestViolationsInTheModule(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	h := newHost(t, s)
	v := visit(t)
	asked := v.sent(s.Provider)
	var found []violation
	var sections []map[string]string
	for _, b := range violations(t, s) {
		if b.here {
			found = append(found, b)
			sections = append(sections, h.section(t, b.options))
		}
	}
	v.open(t, h.modules(t, sections, ""))
	for i, b := range found {
		must(t, v.page("section").Nth(i).And(v.page("[data-phase=retry], [data-phase=final]")).WaitFor())
		until(t, "the report of "+b.name, func() bool { return len(h.of(i)) > 0 })
		got := h.of(i)
		if len(got) != 1 || got[0].Type != "onError" || got[0].ErrorType != b.want || got[0].PublicToken != "" || got[0].Attempt != 1 {
			t.Errorf("%s: reported %+v, want onError %s", b.name, got, b.want)
		}
	}
	if n := len(asked()); n != 0 {
		t.Errorf("the provider was asked %d times", n)
	}
}

// TestModuleRegisters the provider's widget and passes on its errors that only the
// provider can detect; and also the case without errors.
func TestModuleRegisters(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, b := range violations(t, s) {
		if b.here || !slices.Contains([]string{"DUPLICATE_EXTERNAL_ID", "MISMATCHED_PRODUCT_ID", ""}, b.want) {
			continue
		}
		t.Run(b.name, func(t *testing.T) {
			if b.want != "" {
				tools.FullOnly(t)
			}
			h := newHost(t, s)
			v := visit(t)
			v.expect("Failed to load resource")
			v.open(t, h.modules(t, []map[string]string{h.section(t, b.options)}, ""))
			if b.want == "" {
				walk(t, v.widget, "default")
				see(t, v.page("[data-phase=returned]"))
			}
			until(t, "the report", func() bool { return len(h.of(0)) > 0 })
			got := h.of(0)[0]
			if b.want == "" && (got.Type != "onSuccess" || got.Status != "SUCCESS" || got.PublicToken == "") ||
				b.want != "" && got.ErrorType != b.want {
				t.Errorf("reported %+v, want %s", got, b.want)
			}
		})
	}
}

// section is the data attributes of the module's section for register options.
func (h *host) section(t *testing.T, options map[string]any) map[string]string {
	t.Helper()
	out := map[string]string{}
	for name, value := range h.options(options) {
		text, ok := value.(string)
		if !ok {
			raw := testutil.JSON(t, value)
			text = string(raw)
		}
		var kebab strings.Builder
		for _, c := range name {
			if c >= 'A' && c <= 'Z' {
				kebab.WriteByte('-')
				c += 'a' - 'A'
			}
			kebab.WriteRune(c)
		}
		out[kebab.String()] = text
		if name == "productId" && text == h.site.Credentials.Products["eligibility"] {
			out["product"] = "eligibility"
		}
	}
	return out
}

// modules is the address of a page with those sections.
func (h *host) modules(t *testing.T, sections []map[string]string, lang string) string {
	t.Helper()
	raw := testutil.JSON(t, sections)
	return h.URL + "/module?" + url.Values{"sections": {string(raw)}, "lang": {lang}}.Encode()
}

// of returns the events that one section reported.
func (h *host) of(section int) []reported {
	h.mu.Lock()
	defer h.mu.Unlock()
	var out []reported
	for _, r := range h.reported {
		if r.Section == section {
			out = append(out, r)
		}
	}
	return out
}
