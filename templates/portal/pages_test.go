package portal

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a-h/templ"
	"github.com/google/go-cmp/cmp"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/prefill"
	"vestibule/internal/report"
	"vestibule/internal/testutil"
	"vestibule/internal/testutil/golden"
	"vestibule/templates/ui"
)

type names struct{}

func (names) URL(name string) string { return "/assets/" + name }

// sample is a text of the examples alone, in one of two languages.
func sample(l i18n.Lang, en, es string) i18n.Key {
	if l == i18n.Spanish {
		return i18n.Key(es)
	}
	return i18n.Key(en)
}

// examples are pages of the applicant's by the name of their expected output.
func examples(lang i18n.Lang) map[string]templ.Component {
	base := Base{Lang: lang, Assets: names{}, Sandbox: true, Languages: []ui.Choice{
		{Lang: i18n.English, URL: "/?lang=en", Current: lang == i18n.English},
		{Lang: i18n.Spanish, URL: "/?lang=es", Current: lang == i18n.Spanish}}}
	framed := base
	framed = framed.In("https://shop.example", "5f1c7f0e-0b0a-4a57-9a5e-3d6f0c1f9a01")
	at := time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC)
	id := "5f1c7f0e-0b0a-4a57-9a5e-3d6f0c1f9a01"
	connect := Connect{Base: base, Product: contract.Cashflow, Script: "https://svc.example/widget.js",
		Global: "SvcWidget", Env: contract.Sandbox,
		ProductID: "p", PublicID: "c", Token: "t", Attempt: 1, State: "connecting", Today: "2026-05-04",
		Report: "/applications/1/callbacks", Next: "/applications/1", Restart: "/applications/1/restart"}
	manual := connect
	manual.Restart += "?grant=g"
	manual.Base, manual.Token, manual.Manual, manual.Prefill = framed, "", true, `{"firstName":"<Ana>"}`
	status := func(state string, change func(*Status)) templ.Component {
		m := Status{Base: base, ID: id, Product: contract.Cashflow, State: state, Version: 3, Title: sample(lang, "Title", "Título"),
			Text: sample(lang, "Text.", "Texto."), Stream: "/s", Self: "/self", Restart: "/restart"}
		change(&m)
		return StatusPage(m)
	}
	typed := map[string]string{"firstName": "A1", "email": `"><script>alert(1)</script>`, "dob-year": "2999", "state": "CA"}
	return map[string]templ.Component{
		"landing":       LandingPage(Landing{Base: base, Products: []contract.Product{contract.Cashflow}}),
		"landing-empty": LandingPage(Landing{Base: base}),
		"landing-back": LandingPage(Landing{Base: base, Products: []contract.Product{contract.Cashflow},
			Recent: []RecentApplication{{"/applications/1", contract.Cashflow, "ready", at}, {"/applications/2", contract.Cashflow, "exited", at}}}),
		"apply": ApplyPage(Apply{Base: base, Product: contract.Cashflow, Action: "/applications", Today: "2026-05-04"}),
		"apply-refused": ApplyPage(Apply{Base: base, Product: contract.Cashflow, Action: "/applications",
			Today: "2026-05-04", Values: typed, Mode: "redirect",
			Problems: []Problem{{"firstName", sample(lang, "No digits.", "Sin dígitos.")},
				{"dob", sample(lang, "Not yet born.", "Aún no ha nacido.")}}}),
		"apply-integrator": ApplyPage(Apply{Base: base, Product: contract.Cashflow, Action: "/applications",
			Today: "2026-05-04", Integrator: &Integrator{Variant: "prefill", Manual: true}}),
		"apply-eligibility": ApplyPage(Apply{Base: base, Product: contract.Eligibility,
			Action: "/applications", Today: "2026-05-04", Values: typed,
			Employers: []string{"Tern & Sons", `"><b>`},
			Problems:  []Problem{{"statedEmployerNames", sample(lang, "One to six.", "De uno a seis.")}}}),
		"connect":        ConnectPage(connect),
		"connect-manual": ConnectPage(manual),
		"leave":          LeavePage(Leave{Base: base, URL: "https://svc.example/redirect/h", Field: "token", Token: "t"}),
		"status-pending": status("pending", func(m *Status) {
			m.Moving, m.Slow = true, true
			m.Lines = []StatusLine{{at, sample(lang, "Begun.", "Empezó.")}}
		}),
		"status-ready": status("ready", func(m *Status) {
			m.Final, m.ReturnURL = true, "https://shop.example/back"
			m.Receipt = &Receipt{Shared: at, Until: at.AddDate(0, 0, 90), Days: 90, Shows: true, Emails: true,
				From: []report.Source{{SourceID: "NORTHWIND_<BANK>", SourceType: "BANK_TRANSACTION"},
					{SourceID: "PAYSTUB_1", SourceType: report.SourcePaystub}, {SourceID: "PAYSTUB_2", SourceType: report.SourcePaystub},
					{SourceID: "AUS_EFX", SourceType: report.SourceCreditBureau}}}
		}),
		"status-failed": status("failed", func(m *Status) { m.Final, m.Retry = true, true }),
		"status-access": status("ready", func(m *Status) {
			m.Final, m.AccessURL, m.Receipt = true, "https://svc.example/access", &Receipt{Shared: at}
		}),
		"status-ended": status("failed", func(m *Status) { m.Final, m.AccessURL = true, "https://svc.example/access" }),
		"status-final": status("failed", func(m *Status) {
			m.Final, m.Detail, m.Tone = true, sample(lang, "No use.", "No sirve."), ui.Warning
		}),
		"status-open": status("connecting", func(m *Status) { m.Connect, m.Other = "/connect", true }),
		"developers": PlaygroundPage(Playground{Base: base, Choice: Choice{Product: contract.Cashflow, Integration: "modal",
			PageLang: i18n.Spanish, Theme: "dark", Person: "ana", Username: "mfa"},
			Products:     []contract.Product{contract.Cashflow, contract.Income},
			Integrations: []string{"inline", "modal"}, Usernames: []string{"default", "mfa"},
			Status: 201, Response: `{"id": "<b>"}`,
			Listings: []Listing{{"curl", "curl", true, "curl -d '{\"a\": \"<b>\"}'"}, {"html", "HTML", false, "<p>"}}}),
		"developers-run": RunPage(Run{Base: base, ID: id, Product: contract.Cashflow, Integration: "modal", Element: "modal",
			PageLang: i18n.Spanish, Theme: "dark", Username: "mfa", Token: "t",
			State: "ready", Version: 4, Final: true, Self: "/self", Connect: "/connect", Status: "/status",
			Again: "/developers?integration=modal", Lines: []TraceLine{
				{"1", at, PartyApp, PartyPortal, "POST /api/v1/applications", "created", "", "started", "{}", 201, `{"id": "<b>"}`, ""},
				{"2", at, PartyPortal, PartyProvider, "GET /report", "fetched", "pending", "ready", `{"a": "<b>"}`, 0, "", "/review/applications/1"}}}),
		"developers-guide": GuidePage(Guide{Base: base, Name: "redirect", Title: "Guide",
			HTML: "<p>Words.</p>", Contents: []Section{{"a", "A"}}}),
		"host": HostPage(Host{Base: base, Origin: "https://shop.example"}),
		"notice": NoticePage(Notice{Base: base, Title: sample(lang, "Away", "Ausente"), Text: sample(lang, "Later.", "Luego."),
			Retry: "/again", Home: "/", RequestID: "0123456789abcdef"}),
	}
}

func render(t *testing.T, c templ.Component) string {
	t.Helper()
	var buf bytes.Buffer
	testutil.Must(t, c.Render(t.Context(), &buf))
	return buf.String()
}

// TestPages compares each page with its expected output, which has one tag per
// line.
func TestPages(t *testing.T) {
	for _, lang := range []i18n.Lang{i18n.English, i18n.Spanish} {
		for name, c := range examples(lang) {
			comparePage(t, name, lang, render(t, c))
		}
	}
}

// comparePage compares a page with its expected output: that of another form for applicants is how it differs
// from the form of apply, so that a change of a field is shown once.
func comparePage(t *testing.T, name string, lang i18n.Lang, page string) {
	t.Helper()
	file := "testdata/" + name + "." + string(lang)
	if !strings.HasPrefix(name, "apply-") && name != "brand-apply" && name != "brand-consent" {
		golden.CompareHTML(t, file+".html", page)
		return
	}
	golden.Compare(t, file+".diff", differences(tags(render(t, examples(lang)["apply"])), tags(page)))
}

func tags(page string) []string {
	return strings.SplitAfter(strings.ReplaceAll(page, "><", ">\n<")+"\n", "\n")
}

// differences returns the fewest lines to remove from a and to add to make b.
func differences(a, b []string) string {
	common := make([][]int, len(a)+1) // lines that the rests of a and b have in common
	common[len(a)] = make([]int, len(b)+1)
	for i := len(a) - 1; i >= 0; i-- {
		common[i] = make([]int, len(b)+1)
		for j := len(b) - 1; j >= 0; j-- {
			if common[i][j] = max(common[i+1][j], common[i][j+1]); a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			}
		}
	}
	var out strings.Builder
	for i, j := 0, 0; i < len(a) || j < len(b); {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && common[i+1][j] >= common[i][j+1]:
			out.WriteString("- " + a[i])
			i++
		default:
			out.WriteString("+ " + b[j])
			j++
		}
	}
	return out.String()
}

var inline = regexp.MustCompile(`(?i)<style|\sstyle=|\son[a-z]+=|javascript:|<script(?:\s+type="module")?>`)

func TestNoInlineScriptOrStyle(t *testing.T) {
	for name, c := range examples(i18n.English) {
		if hit := inline.FindString(render(t, c)); hit != "" {
			t.Errorf("%s has %q", name, hit)
		}
	}
}

func TestFormOffersStates(t *testing.T) {
	var got []string
	for _, s := range states {
		got = append(got, s.code)
	}
	slices.Sort(got)
	if diff := cmp.Diff(slices.Sorted(slices.Values(prefill.States())), got); diff != "" {
		t.Errorf("states: -rules +form\n%s", diff)
	}
}

func TestFormHasAllFields(t *testing.T) {
	page := render(t, ApplyPage(Apply{Base: Base{Lang: i18n.English, Assets: names{}}, Product: contract.Cashflow}))
	for _, key := range prefill.Keys(contract.Cashflow) {
		if !strings.Contains(page, `data-field="`+key+`"`) || !strings.Contains(page, `id="`+key+`-error"`) {
			t.Errorf("the form has no field %s", key)
		}
	}
}
