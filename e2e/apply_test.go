package e2e

import (
	"database/sql"
	"encoding/json"
	"html"
	"io"
	"maps"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/playwright-community/playwright-go"

	"vestibule/internal/testutil/tools"
)

// TestRedirectWithoutScript completes an application without JavaScript: on the provider's
// pages, on another site, and back with a signed result.
func TestRedirectWithoutScript(t *testing.T) {
	t.Parallel()
	s := start(t)
	v := visit(t, noScript)
	s.apply(t, v, "redirect", "")
	walkAndReturn(t, v, "default")
	state(t, v, "ready")
}

// form opens the product's form and waits until it is checked while typing.
func (s *site) form(t *testing.T, v *visitor) {
	t.Helper()
	v.open(t, s.Portal+"/apply/cashflow")
	touchForm(t, v)
}

// touchForm waits until the form is checked while typing, which begins with the first key
// or press.
func touchForm(t *testing.T, v *visitor) {
	t.Helper()
	form := v.page("form[data-vestibule=prefill]")
	see(t, form)
	until(t, "the form is checked", func() bool {
		must(t, v.Keyboard().Press("Shift"))
		on, err := form.GetAttribute("data-live")
		must(t, err)
		return on == "on"
	})
}

// wrongs returns the errors of the form by field.
func wrongs(t *testing.T, v *visitor) map[string]string {
	t.Helper()
	raw := evaluate[string](t, v, `() => JSON.stringify(Object.fromEntries([...document.querySelectorAll("p.error")]
		.filter((p) => p.textContent).map((p) => [p.id.replace(/-error$/, ""), p.textContent])))`)
	var out map[string]string
	must(t, json.Unmarshal([]byte(raw), &out))
	return out
}

var errorLine = regexp.MustCompile(`<p class="error" id="([A-Za-z]+)-error">([^<]+)</p>`)

// answered posts the fields like a browser without script, and returns the status and the
// errors of the answered page by field.
func (s *site) answered(t *testing.T, lang string, fields map[string]string) (int, map[string]string) {
	t.Helper()
	form := url.Values{"product": {"cashflow"}, "mode": {"embedded"}}
	for name, value := range fields {
		form.Set(name, value)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.Portal+"/applications", strings.NewReader(form.Encode()))
	must(t, err)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Accept-Language", lang)
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	must(t, err)
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	must(t, err)
	out := map[string]string{}
	for _, m := range errorLine.FindAllStringSubmatch(string(raw), -1) {
		out[m[1]] = html.UnescapeString(m[2])
	}
	return resp.StatusCode, out
}

// stored counts the applications in the portal's database.
func (s *site) stored(t *testing.T) int {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(s.dir, "portal.db")+"?mode=ro")
	must(t, err)
	defer db.Close()
	var n int
	must(t, db.QueryRow("SELECT count(*) FROM applications").Scan(&n))
	return n
}

// TestFormsThatAreRefused checks that the form shows the server's errors while the applicant
// types, for every field and in both languages, and that nothing is stored.
func TestFormsThatAreRefused(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := alone(t)
	forms := refusedForms(s)
	for lang, language := range map[string]option{"en": func(*playwright.BrowserNewContextOptions) {}, "es": spanish} {
		t.Run(lang, func(t *testing.T) { refuseForms(t, s, forms, lang, language) })
	}
	t.Run("good ones", func(t *testing.T) { acceptForms(t, s) })
	t.Cleanup(func() {
		if n := s.stored(t); n != 0 {
			t.Errorf("%d applications were stored of forms that were refused or never sent", n)
		}
	})
}

func refuseForms(t *testing.T, s *site, forms []refusedForm, lang string, language option) {
	t.Parallel()
	v := visit(t, language)
	for i, f := range forms {
		if lang == "es" && i > 2 {
			break // each field has been wrong: the rules are those of the other language
		}
		fields := maps.Clone(goodForm)
		maps.Copy(fields, f.fields)
		status, want := s.answered(t, lang, fields)
		if status != http.StatusUnprocessableEntity {
			t.Errorf("%s: the server answers %d, want 422", f.name, status)
		}
		expected := strings.Fields(f.wrong)
		if len(want) != len(expected) {
			t.Errorf("%s: the server finds wrong %v, want %v", f.name, want, expected)
		}
		s.form(t, v)
		for _, name := range order {
			if value, ok := fields[name]; ok {
				unfold(t, v, name)
				fill(t, v.page("#"+name), value)
			}
		}
		must(t, v.page("input[name=mode]").First().Focus())
		typed := wrongs(t, v)
		click(t, v.page("main form button[type=submit]"))
		see(t, v.page("#summary"))
		focused(t, v.page("#summary"))
		sent := wrongs(t, v)
		for _, field := range expected {
			later := strings.Contains(" "+f.later+" ", " "+field+" ")
			switch {
			case want[field] == "":
				t.Errorf("%s: the server has no words for %s", f.name, field)
			case sent[field] != want[field]:
				t.Errorf("%s: %s: the page says %q, the server %q", f.name, field, sent[field], want[field])
			case !later && typed[field] != want[field], later && typed[field] != "":
				t.Errorf("%s: %s: as one types the page says %q, the server %q", f.name, field, typed[field], want[field])
			}
		}
		if len(sent) != len(want) {
			t.Errorf("%s: the page finds wrong %v, the server %v", f.name, sent, want)
		}
	}
}

func acceptForms(t *testing.T, s *site) {
	t.Parallel()
	v := visit(t)
	for name, fields := range map[string]map[string]string{
		"the longest names":  {"firstName": strings.Repeat("é", 254), "lastName": "d’Arc-Núñez Jr."},
		"marks of their own": {"firstName": "Zoe\u0308", "lastName": "Ngũgĩ wa Thiong'o"},
		"a year old today":   birthday(s, 1, 0),
		"a hundred and ten":  birthday(s, 111, 1),
		"an address, no day": {"dob-month": "", "dob-day": "", "dob-year": "", "address": "1 Main Street",
			"city": "San Juan", "state": "PR", "zip": "00901-0001"},
		"all that one can earn": {"statedAnnualIncome": "$2,147,483,647", "statedEmployerName": "Tern & Sons", "phone": "+1 (555) 010-9999"},
	} {
		given := maps.Clone(goodForm)
		maps.Copy(given, fields)
		s.form(t, v)
		for _, field := range order {
			value, ok := given[field]
			if !ok {
				continue
			}
			unfold(t, v, field)
			if field == "state" {
				_, err := v.page("#state").SelectOption(playwright.SelectOptionValues{Values: &[]string{value}})
				must(t, err)
				continue
			}
			fill(t, v.page("#"+field), value)
		}
		must(t, v.page("input[name=mode]").First().Focus())
		if got := wrongs(t, v); len(got) != 0 {
			t.Errorf("%s: the page says %v", name, got)
		}
	}
}

// goodForm is a form that is accepted.
var goodForm = map[string]string{"firstName": "Ana", "lastName": "Pérez", "email": "ana@example.org",
	"dob-month": "6", "dob-day": "15", "dob-year": "1990"}

// refusedForm differs from goodForm in some fields.
type refusedForm struct {
	name   string
	fields map[string]string
	wrong  string // the fields that are refused
	later  string // the ones that are reported only when the form is sent
}

func refusedForms(s *site) []refusedForm {
	return []refusedForm{
		{"nothing at all", map[string]string{"firstName": "", "lastName": "", "email": "", "dob-month": "", "dob-day": "", "dob-year": ""},
			"firstName lastName email dob", "dob"},
		{"values of the wrong kind", map[string]string{"firstName": "Zo3", "lastName": "O_Hara", "email": "zoe example.org", "dob-month": "13",
			"address": "1234", "zip": "1234", "statedAnnualIncome": "a lot"},
			"firstName lastName email dob address zip statedAnnualIncome", ""},
		{"values just too long", map[string]string{"firstName": strings.Repeat("é", 255), "lastName": strings.Repeat("x", 255),
			"email": strings.Repeat("e", 64) + "@" + strings.Repeat("d", 33) + ".io",
			"phone": strings.Repeat("5", 256), "address": "1 " + strings.Repeat("a", 99),
			"city": strings.Repeat("c", 101), "zip": "12345-67890", "statedAnnualIncome": "2147483648",
			"statedEmployerName": strings.Repeat("e", 256)},
			"firstName lastName email phone address city zip statedAnnualIncome statedEmployerName", ""},
		{"born today", birthday(s, 0, 0), "dob", ""},
		{"a year old in two days", birthday(s, 1, 2), "dob", ""},
		{"a hundred and eleven", birthday(s, 111, 0), "dob", ""},
		{"a day that no year has", map[string]string{"dob-month": "2", "dob-day": "30"}, "dob", ""},
		{"half an address instead of a birthday", map[string]string{"dob-month": "", "dob-day": "", "dob-year": "", "address": "1 Main Street"},
			"city state zip", "city state zip"},
		{"a negative income", map[string]string{"statedAnnualIncome": "-1"}, "statedAnnualIncome", ""},
	}
}

// order is the order of the form's fields.
var order = []string{"firstName", "lastName", "email", "phone", "dob-month", "dob-day", "dob-year", "address", "city", "state", "zip",
	"statedAnnualIncome", "statedEmployerName"}

// birthday returns the date of birth of an age in years and days.
func birthday(s *site, years, days int) map[string]string {
	d, _ := time.Parse(time.DateOnly, today(s))
	d = d.AddDate(-years, 0, days)
	return map[string]string{"dob-year": d.Format("2006"), "dob-month": d.Format("1"), "dob-day": d.Format("2")}
}

// TestFocusInTheForm checks that errors do not move the focus while the applicant types,
// and that a refused form moves it to the summary, whose links lead to the fields.
func TestFocusInTheForm(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	f := openedForm{visit(t)}
	start(t).form(t, f.visitor)
	t.Run("while a field is typed", f.testTyping)
	t.Run("when a field is left", f.testLeaving)
	t.Run("when a field is corrected", f.testCorrected)
	t.Run("when the form is sent", f.testSending)
}

// openedForm is an applicant at the form.
type openedForm struct{ *visitor }

// enter types into a field, which keeps the focus.
func (f openedForm) enter(t *testing.T, field, text string) {
	t.Helper()
	must(t, f.page("#"+field).PressSequentially(text))
	focused(t, f.page("#"+field))
}

// said reports whether the form shows an error of a field.
func (f openedForm) said(t *testing.T, field string) bool { return wrongs(t, f.visitor)[field] != "" }

// marked returns how many inputs of a field are marked invalid.
func (f openedForm) marked(t *testing.T, field string) int {
	n, err := f.page(`[data-field="` + field + `"] [aria-invalid="true"]`).Count()
	must(t, err)
	return n
}

func (f openedForm) testTyping(t *testing.T) {
	f.enter(t, "firstName", "Zo")
	if f.said(t, "firstName") {
		t.Error("half a name is called wrong while it is typed")
	}
	f.enter(t, "firstName", "3")
	if !f.said(t, "firstName") {
		t.Error("a digit in a name is not reported at once")
	}
	must(t, f.page("#firstName").Press("Backspace"))
	if f.said(t, "firstName") {
		t.Error("the words stay when the name is mended")
	}
	focused(t, f.page("#firstName"))
	if got, _ := f.page("#firstName").GetAttribute("aria-invalid"); got != "" {
		t.Errorf("the mended field is aria-invalid=%q", got)
	}
}

func (f openedForm) testLeaving(t *testing.T) {
	must(t, f.page("#firstName").Press("Tab"))
	focused(t, f.page("#lastName"))
	must(t, f.page("#lastName").Press("Tab"))
	focused(t, f.page("#email"))
	if !f.said(t, "lastName") {
		t.Error("a required field is passed over, and nothing says so")
	}
	f.enter(t, "email", "zoe@exam")
	if f.said(t, "email") {
		t.Error("half an e-mail address is called wrong while it is typed")
	}
	must(t, f.page("#email").Press("Tab"))
	focused(t, f.page("#dob-month"))
	if !f.said(t, "email") {
		t.Error("half an e-mail address is left, and nothing says so")
	}
	described, err := f.page("#email").GetAttribute("aria-describedby")
	must(t, err)
	if !strings.Contains(described, "email-error") {
		t.Errorf("the field is described by %q, want its error", described)
	}
}

func (f openedForm) testCorrected(t *testing.T) {
	for _, x := range []struct{ field, text, words string }{{"zip", "9410", ""}, {"zip", "9410x", "94105-1234"}, {"zip", "", ""}} {
		unfold(t, f.visitor, x.field)
		fill(t, f.page("#"+x.field), x.text)
		if got := wrongs(t, f.visitor)[x.field]; (got == "") != (x.words == "") || !strings.Contains(got, x.words) {
			t.Errorf("with %q, %s says %q, want %q", x.text, x.field, got, x.words)
		}
	}
	if f.marked(t, "lastName") == 0 || f.marked(t, "zip") != 0 {
		t.Error("the invalid fields, and only these, should be marked invalid")
	}
}

func (f openedForm) testSending(t *testing.T) {
	must(t, f.page("#phone").Press("Enter"))
	focused(t, f.page("#summary"))
	for _, field := range []string{"lastName", "email", "dob"} {
		words := wrongs(t, f.visitor)[field]
		click(t, f.page("#summary a").Filter(playwright.LocatorFilterOptions{HasText: words}))
		at := "#" + field
		if field == "dob" {
			at = "#dob-month"
		}
		focused(t, f.page(at))
	}
	if got := evaluate[string](t, f.visitor, `() => [...document.querySelectorAll("#summary a")].map((a) `+
		`=> a.hash).join(" ")`); got != "#lastName #email #dob-month" {
		t.Errorf("the summary leads to %s", got)
	}
	if got := wrongs(t, f.visitor)["dob"]; !strings.Contains(got, en("prefill.dob.missing_or_address")) {
		t.Errorf("without a birthday the form says %q", got)
	}
	fillForm(t, f.visitor, map[string]string{"dob-month": "6", "dob-day": "31", "dob-year": "1990"})
	if got := wrongs(t, f.visitor)["dob"]; !strings.Contains(got, en("prefill.dob.invalid")) {
		t.Errorf("for an invalid date the form says %q", got)
	}
	fillForm(t, f.visitor, applicant)
	if f.marked(t, "dob")+f.marked(t, "lastName") != 0 {
		t.Error("a corrected field is still marked invalid")
	}
	click(t, f.page(button(en("apply.continue"))))
	step(t, f.widget, "consent")
}

// TestPortalDecidesWhereToVerify checks that the form asks where to verify only if the
// operator wants it.
func TestPortalDecidesWhereToVerify(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	for mode, arrives := range map[string]func(s *site, v *visitor){
		"embedded": func(s *site, v *visitor) { see(t, v.page("iframe")) },
		"redirect": func(s *site, v *visitor) {
			awaitAddress(t, v, regexp.MustCompile("^"+regexp.QuoteMeta(s.Provider+"/")))
		},
	} {
		s := start(t, "--apply-mode="+mode)
		v := visit(t)
		v.open(t, s.Portal+"/apply/cashflow")
		fillForm(t, v, applicant)
		if n, err := v.page("input[name=mode]:not([type=hidden])").Count(); err != nil || n > 0 {
			t.Errorf("%s: the form asks where to verify (%v)", mode, err)
		}
		click(t, v.page(button(en("apply.continue"))))
		arrives(s, v)
	}
}

// TestServerChecksAgain sends the form without script: the server shows it again with the
// entered data and the errors and stores nothing; once corrected, it is accepted.
func TestServerChecksAgain(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := alone(t)
	v := visit(t, noScript)
	v.expect("422")
	v.open(t, s.Portal+"/apply/cashflow")
	fillForm(t, v, map[string]string{"firstName": "Zo3", "lastName": "O’Hara", "email": "zoe@",
		"dob-month": "2", "dob-day": "30", "dob-year": "1992",
		"zip": "1234", "statedAnnualIncome": "x"})
	must(t, v.page("input[name=mode][value=redirect]").Check())
	click(t, v.page(button(en("apply.continue"))))
	see(t, v.page("#summary"))
	for field, value := range map[string]string{"firstName": "Zo3", "lastName": "O’Hara", "email": "zoe@",
		"dob-day": "30", "dob-year": "1992", "zip": "1234", "statedAnnualIncome": "x"} {
		if got, err := v.page("#" + field).InputValue(); err != nil || got != value {
			t.Errorf("%s comes back as %q, %v, want %q", field, got, err, value)
		}
	}
	if checked, err := v.page("input[name=mode][value=redirect]").IsChecked(); err != nil || !checked {
		t.Errorf("the choice of the way is lost (%v)", err)
	}
	if n := s.stored(t); n != 0 {
		t.Errorf("%d applications are stored of a form that was refused", n)
	}
	for _, secret := range []string{"O’Hara", "O%E2%80%99Hara", "zoe@"} {
		if strings.Contains(s.Log.String(), secret) {
			t.Errorf("the log has %q", secret)
		}
	}
	fillForm(t, v, map[string]string{"firstName": "Zoë", "email": "zoe@example.org",
		"dob-day": "29", "zip": "", "statedAnnualIncome": "52000"})
	click(t, v.page(button(en("apply.continue"))))
	step(t, v.page, "consent")
	if n := s.stored(t); n != 1 {
		t.Errorf("%d applications are stored, want 1", n)
	}
}

// TestModuleStartsWhenTouched checks that a worker compiles the form's module, and that the
// page neither compiles it again nor runs it before the form is touched.
func TestModuleStartsWhenTouched(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	v := visit(t)
	asked, compiled := v.sent(".wasm"), make(chan struct{}, 9)
	v.Page.OnWorker(func(w playwright.Worker) { w.OnClose(func(playwright.Worker) { compiled <- struct{}{} }) })
	v.open(t, s.Portal+"/apply/cashflow")
	select {
	case <-compiled:
	case <-time.After(patience):
		t.Fatal("no worker has compiled the module")
	}
	if on, err := v.page("form[data-vestibule=prefill]").GetAttribute("data-live"); err != nil || on != "" {
		t.Errorf("the module runs in a form that was not touched: %q (%v)", on, err)
	}
	touchForm(t, v)
	if n := len(asked()); n != 1 {
		t.Errorf("the module was asked for %d times, want 1", n)
	}
}

// TestWithoutModule checks that without the module the form works as without script.
func TestWithoutModule(t *testing.T) {
	t.Parallel()
	s := start(t)
	v := visit(t)
	v.expect("vestibule.wasm")
	v.expect("could not be loaded")
	v.expect("Failed to load resource")
	v.expect("422")
	must(t, v.Context.Route("**/*.wasm", func(r playwright.Route) { go r.Abort() }))
	v.open(t, s.Portal+"/apply/cashflow")
	click(t, v.page(button(en("apply.continue"))))
	see(t, v.page("#summary"))
	fillForm(t, v, applicant)
	click(t, v.page(button(en("apply.continue"))))
	see(t, v.page("[data-phase=unavailable]"))
	click(t, v.page(button(en("connect.secure_page"))))
	walkAndReturn(t, v, "default")
	state(t, v, "ready")
}

// TestFirstPage checks that the first page offers the configured products, and that another
// product is an error page.
func TestFirstPage(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	v := visit(t)
	v.expect("404")
	v.open(t, s.Portal+"/")
	see(t, v.page(`a[href="/apply/cashflow"]`))
	v.open(t, s.Portal+"/apply/mortgage")
	see(t, v.page("h1"))
	click(t, v.page(`main a[href="/"]`))
	see(t, v.page(`a[href="/apply/cashflow"]`))
}
