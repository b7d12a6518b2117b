// Package gallery has every component and every page of the applicant, the customer and
// the service, in every state, with canned data, to look at during development:
//
//	make gallery
//
// The browser tests compare it with stored pictures. No shipped program contains it.
package gallery

import (
	"context"
	"fmt"
	"html"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/a-h/templ"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/i18n"
	"vestibule/internal/journey"
	"vestibule/internal/mail"
	"vestibule/internal/portal/applications"
	"vestibule/internal/portal/applications/applicant"
	"vestibule/internal/report"
	"vestibule/internal/testutil/i18ntest"
	pages "vestibule/templates/portal"
	"vestibule/templates/portal/review"
	"vestibule/templates/ui"
)

// Assets are the portal's. *web.Assets is one.
type Assets interface {
	URL(name string) string
	Handler() http.Handler
}

// still leaves scripts out, except the one that marks a page before it is painted: their effect
// depends on state that the gallery lacks.
type still struct{ Assets }

func (s still) URL(name string) string {
	if strings.HasSuffix(name, ".js") && name != "opening.js" || strings.HasSuffix(name, ".wasm") {
		return "/still/" + name
	}
	return s.Assets.URL(name)
}

// Exhibit is a page with its canned data.
type Exhibit struct {
	Name string
	Page templ.Component
}

var at = time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC)

const id = "5f1c7f0e-0b0a-4a57-9a5e-3d6f0c1f9a01"

// sample is a text of the gallery alone, in one of two languages.
func sample(l i18n.Lang, en, es string) i18n.Key {
	if l == i18n.Spanish {
		return i18n.Key(es)
	}
	return i18n.Key(en)
}

// Exhibits are all pages in a language, in a fixed order.
func Exhibits(assets Assets, lang i18n.Lang) []Exhibit {
	base := pages.Base{Lang: lang, Assets: still{assets}, Sandbox: true, Languages: []ui.Choice{
		{Lang: i18n.English, URL: "?lang=en", Current: lang == i18n.English},
		{Lang: i18n.Spanish, URL: "?lang=es", Current: lang == i18n.Spanish}}}
	reviewPage := ui.Page{Lang: lang, Home: "/review", Icon: base.Assets.URL("icon.svg"), Font: base.Assets.URL("inter.woff2"),
		Languages: base.Languages,
		Styles:    []string{base.Assets.URL("portal.css"), base.Assets.URL("review.css")}, Footer: ui.SandboxNote(lang)}
	branded := base
	branded.Brand = pages.Brand{Brand: ui.Brand{Name: "Harbor Lane"}, Privacy: true, Terms: true,
		Support: pages.Support{Email: "help@harborlane.example", Phone: "+1 555 010 0142", URL: "https://harborlane.example/help"}}
	return slices.Concat(applyExhibits(base, branded), statusExhibits(base, branded), []Exhibit{
		{"another device", pages.AnotherDevicePage(pages.AnotherDevice{Base: base, Link: "https://portal.example/resume/ye4ZSHdXYRr",
			Code: "M4 4h7v7h-7zM14 4h1v1h-1z", Size: 33, Minutes: 15,
			LinkURL: "/link", EmailURL: "/letter", Status: "/applications/1", Stream: "/still/stream", Version: 1})},
		{"another device, asked",
			pages.OpenLinkPage(pages.OpenLink{Base: base, Product: contract.Cashflow, Begun: at, Action: "/resume/secret"})},
		{"find it by e-mail", pages.FindPage(pages.Find{Base: base})},
		{"find it by e-mail, refused", pages.FindPage(pages.Find{Base: base, Email: "unknown",
			Problem: "resume.find.no_email"})},
		{"emails of the sandbox", review.Outbox(reviewPage, review.OutboxView{
			Letters: []mail.Email{{Created: at, Message: mail.Message{To: "ana@example.org", Subject: "Continue",
				Text: "https://portal.example/resume/ye4ZSHdXYRr\n\nOnce."}}}})},
		{"emails, none", review.Outbox(reviewPage, review.OutboxView{})},
		{"legal text", pages.LegalPage(pages.Legal{Base: branded, Title: sample(lang, "Privacy", "Privacidad"),
			HTML: "<p>All of it.</p><h2>What</h2><ul><li>One</li><li>Two</li></ul>"})},
		{"notice", pages.NoticePage(pages.Notice{Base: base,
			Title: "connect.service_away.title",
			Text:  sample(lang, "Your details are saved.", "Sus datos están guardados."), Retry: "/again",
			Home: "/", Return: true, RequestID: "0123456789abcdef"})},
	})
}

// applyExhibits are the pages on which a person applies and connects a source.
func applyExhibits(base, branded pages.Base) []Exhibit {
	lang, framed := base.Lang, base.In("https://shop.example", id)
	resume := pages.ResumeOptions{LinkURL: "/link", EmailURL: "/letter"}
	recent := []pages.RecentApplication{{URL: "/applications/2", Product: contract.Income, State: "exited", At: at},
		{URL: "/applications/1", Product: contract.Cashflow, State: "ready", At: at}}
	apply := func(p contract.Product, change func(*pages.Apply)) templ.Component {
		m := pages.Apply{Base: base, Product: p, Action: "/applications", Today: "2026-05-04"}
		change(&m)
		return pages.ApplyPage(m)
	}
	connect := pages.Connect{Base: base, Product: contract.Cashflow, Script: "/still/widget.js",
		Global: "SvcWidget", Env: contract.Sandbox, ProductID: "p", PublicID: "c",
		Token: "t", Attempt: 1, State: "connecting", Today: "2026-05-04", Report: "/callbacks",
		Next: "/applications/1", Restart: "/restart", Resume: resume}
	manual := connect
	manual.Base, manual.Manual, manual.Resume = framed, true, pages.ResumeOptions{}
	return []Exhibit{
		{"components", components(base)},
		{"landing", pages.LandingPage(pages.Landing{Base: base, Products: contract.Products()})},
		{"landing, nothing offered", pages.LandingPage(pages.Landing{Base: base})},
		{"landing, with an application", pages.LandingPage(pages.Landing{Base: base, Products: contract.Products(),
			Recent: recent, Resume: &recent[0], Return: true})},
		{"form", apply(contract.Cashflow, func(*pages.Apply) {})},
		{"form, refused", apply(contract.Cashflow, func(m *pages.Apply) {
			m.Values, m.Mode = map[string]string{"firstName": "A1", "state": "CA"}, "redirect"
			m.Problems = []pages.Problem{{Field: "firstName", Text: sample(lang, "Use letters only.", "Use solo letras.")},
				{Field: "dob", Text: sample(lang, i18ntest.EN("prefill.dob.missing"), "Indique su fecha de nacimiento.")}}
		})},
		{"form, eligibility", apply(contract.Eligibility, func(m *pages.Apply) { m.Employers = []string{"Tern & Sons", "Northwind"} })},
		{"form, integrator", apply(contract.Passport, func(m *pages.Apply) { m.Integrator = &pages.Integrator{Variant: "prefill"} })},
		{"form, of a brand", apply(contract.Income, func(m *pages.Apply) { m.Base = branded })},
		{"widget", pages.ConnectPage(connect)},
		{"widget, framed and by hand", pages.ConnectPage(manual)},
		{"on to the service", pages.LeavePage(pages.Leave{Base: base, URL: "/redirect/h", Field: "token", Token: "t"})},
	}
}

// statusExhibits are the pages of an application in each state.
func statusExhibits(base, branded pages.Base) (all []Exhibit) {
	site := &applicant.Handler{Service: &applications.Service{Now: func() time.Time { return at }}, ResumeByEmail: true}
	status := func(name string, base pages.Base, v applicant.Visitor, j journey.Application) {
		j.Attempt = 1
		if j.Since == 0 {
			j.Since = at.Unix()
		}
		a := applications.Application{ID: id, Product: contract.Cashflow, Mode: applications.Embedded,
			Origin: applications.FromWeb, HasApplicant: true, Version: 2, Journey: j}
		lines := []applications.TimelineEntry{{Seq: 1, At: at, Kind: "created", To: "started"},
			{Seq: 2, At: at, Kind: applications.Joined, From: "started", To: "started"}}
		m := site.StatusView(base, a, v, lines)
		if j.State == journey.Ready {
			m.Receipt = &pages.Receipt{From: []report.Source{{SourceID: "HARBOR_NATIONAL_BANK"}}, Shared: at, Days: 90}
		}
		all = append(all, Exhibit{"status, " + name, pages.StatusPage(m)})
	}
	for _, state := range journey.States() {
		if state != journey.Failed {
			status(string(state), base, applicant.Visitor{}, journey.Application{State: state})
		}
	}
	failed := journey.Application{State: journey.Failed}
	slow := journey.Application{State: journey.Pending, Since: at.Add(-time.Hour).Unix()}
	wrong, refused, setup := failed, failed, failed
	wrong.Status, wrong.Substatus = contract.StatusNotAuthenticated, contract.SubMFARequired
	refused.Error, setup.Error = contract.WidgetPrefillZIP, contract.WidgetInvalidProduct
	status("slow", base, applicant.Visitor{}, slow)
	status("failed", base, applicant.Visitor{}, wrong)
	status("refused", base, applicant.Visitor{}, refused)
	status("not set up, of a brand", branded, applicant.Visitor{}, setup)
	status("framed", base, applicant.Visitor{Framed: true, Origin: "https://shop.example"}, journey.Application{State: journey.Exited})
	return all
}

// components is one page with each piece of templates/ui.
func components(base pages.Base) templ.Component {
	l := base.Lang
	words := func(en, es string) string { return string(sample(l, en, es)) }
	p := ui.Page{Lang: l, Title: words("Components", "Componentes"), Home: "/",
		Icon: base.Assets.URL("icon.svg"), Font: base.Assets.URL("inter.woff2"),
		Styles:    []string{base.Assets.URL("portal.css")},
		Languages: base.Languages, Links: []ui.Link{{Text: words("Here", "Aquí"), URL: "#", Current: true},
			{Text: words("There", "Allí"), URL: "#there"}}, Footer: ui.SandboxNote(l)}
	text := func(s string) templ.Component { return templ.Raw("<p>" + html.EscapeString(s) + "</p>") }
	label := func(s string) templ.Component { return templ.Raw(html.EscapeString(s)) }
	say := func(n int64) string { return fmt.Sprintf("$%d", n) }
	answers := []ui.Option{{Value: "a", Label: words("First", "Primera"), Detail: words("With a second line.",
		"Con una segunda línea."), Badge: words("Recommended", "Recomendada"), Chosen: true}, {Value: "b", Label: words("Second", "Segunda")}}
	pieces := []templ.Component{
		ui.Progress(ui.Steps{Lang: l, Names: []string{words("One", "Uno"), words("Two", "Dos"), words("Three", "Tres")}, Current: 1}),
		ui.Hero(words("A large heading", "Un título grande"), words("And a sentence.", "Y una frase.")),
	}
	for _, tone := range []ui.Tone{ui.Neutral, ui.Info, ui.Success, ui.Warning, ui.Danger} {
		pieces = append(pieces, within(ui.Notice(ui.Note{Tone: tone, Title: words("A notice ", "Un aviso ") + string(tone)}),
			text(words("With its words.", i18ntest.ES("review.decide.text")+"."))))
	}
	pieces = append(pieces,
		ui.ErrorSummary(l, []ui.FieldError{{Field: "name", Words: words("Enter a name.", "Indique un nombre.")}}),
		within(ui.Card(words("Fields", "Campos")), within(ui.Columns(),
			ui.Field(ui.Input{Name: "name", Label: words("Name", "Nombre"), Lang: l, Error: words("Enter a name.", "Indique un nombre.")}),
			ui.Field(ui.Input{Name: "money", Label: words("Amount", "Importe"), Lang: l, Prefix: "$",
				Hint: words("In dollars.", "En dólares."), Optional: true, Width: "medium"})),
			ui.Date(ui.Day{Name: "day", Label: words("Date", "Fecha"), Lang: l}),
			ui.Select(ui.Question{Name: "place", Label: words("Place", "Lugar"), Lang: l, Prompt: words("Choose", "Elija"), Options: answers}),
			ui.Radios(ui.Question{Name: "one", Label: words("One of them", "Una de ellas"), Lang: l, Options: answers}),
			ui.Checks(ui.Question{Name: "some", Label: words("Some of them", "Algunas de ellas"), Lang: l,
				Options: answers, Error: words("Choose one.", "Elija una.")}),
			within(ui.Check(ui.Input{Name: "agree", Lang: l}), label(words("I agree", "Acepto")))),
		within(ui.Actions(),
			within(ui.Button(ui.Action{Type: "button"}), label(words("Primary", "Principal"))),
			within(ui.Button(ui.Action{Type: "button", Kind: ui.Secondary}), label(words("Secondary", "Secundario"))),
			within(ui.Button(ui.Action{Type: "button", Kind: ui.Quiet}), label(words("Quiet", "Discreto"))),
			within(ui.Button(ui.Action{Type: "button", Kind: ui.Critical}), label(words("Critical", "Crítico"))),
			within(ui.Button(ui.Action{Type: "button", Disabled: true}), label(words("Disabled", "Desactivado")))),
		ui.Spinner(words(i18ntest.EN("visit.frame.loading"), i18ntest.ES("visit.frame.loading"))),
		ui.Bar(words("Working on it", "Trabajando en ello")),
		ui.Facts([]ui.Fact{{Term: words("State", "Estado"), Body: ui.Badge(ui.Success, words("Done", "Hecho"))},
			{Term: words("Number", "Número"), Text: "123"}}),
		ui.Table(ui.Grid{Caption: words("Accounts", "Cuentas"),
			Columns: []ui.Column{{Label: words("Name", "Nombre")}, {Label: words("Balance", "Saldo"), Number: true}},
			Rows: [][]ui.Cell{{{Text: words("Checking", "Corriente"), URL: "#a"}, {Text: "$1.00"}},
				{{Body: ui.Badge(ui.Warning, words("Closed", "Cerrada"))}, {Text: "$0.00"}}}}),
		ui.Tiles([]ui.Tile{{Title: words("A tile", "Una ficha"), Text: words("To choose.", "Para elegir."), URL: "#t",
			Note: words("Four minutes", "Cuatro minutos"), Icon: ui.ProductIcon(contract.Cashflow)}}),
		wrapped("<form>", "</form>", ui.Rows([]ui.Row{{Name: "bank", Value: "1", Title: "Amber Coast Bank", Detail: "ambercoast.example"}})),
		ui.Empty(words("Nothing yet", "Nada todavía")),
		wrapped(`<h2 id="plot-title">`, "</h2>", label(words("A plot", "Un gráfico"))),
		ui.Lines(ui.LinePlot{ID: "plot", Label: "plot-title", Values: []int64{5, 9, 4, -2, 3, 8}, Least: 1, Say: say}),
		ui.MeterBar(ui.Meter{Value: 30, Most: 100, Mark: 50, Marked: true}),
		ui.DialScale(ui.Dial{Label: words("650 of 850", "650 de 850"), Low: 300, High: 850, Value: 650}),
	)
	return within(ui.Layout(p), pieces...)
}

// within puts children into a component.
func within(outer templ.Component, children ...templ.Component) templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		return outer.Render(templ.WithChildren(ctx, templ.Join(children...)), w)
	})
}

// wrapped puts a component between tags.
func wrapped(open, end string, c templ.Component) templ.Component {
	return templ.Join(templ.Raw(open), c, templ.Raw(end))
}

// Handler serves a gallery, whose exhibits are Exhibits or Visits: a list, and each
// exhibit by its number. The assets and the style sheet are the same party's.
func Handler(assets Assets, style string, exhibits func(Assets, i18n.Lang) []Exhibit) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /assets/", assets.Handler())
	mux.HandleFunc("GET /still/", func(w http.ResponseWriter, r *http.Request) { w.Header().Set("Content-Type", "text/javascript") })
	mux.HandleFunc("GET /exhibits/{number}", func(w http.ResponseWriter, r *http.Request) {
		var n int
		all := exhibits(assets, ui.PickLanguage(r.URL.Query().Get("lang"), "", r.Header.Get("Accept-Language")))
		if _, err := fmt.Sscan(r.PathValue("number"), &n); err != nil || n < 0 || n >= len(all) {
			http.NotFound(w, r)
			return
		}
		httpx.SetSecurityHeaders(w, httpx.CSP{WASM: true})
		_ = httpx.HTML(w, r, http.StatusOK, all[n].Page)
	})
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		lang := ui.PickLanguage(r.URL.Query().Get("lang"), "", r.Header.Get("Accept-Language"))
		var list strings.Builder
		for i, e := range exhibits(assets, lang) {
			fmt.Fprintf(&list, `<li><a href="/exhibits/%d?lang=%s">%s</a></li>`, i, lang, html.EscapeString(e.Name))
		}
		p := ui.Page{Lang: lang, Title: "Gallery", Styles: []string{assets.URL(style)}, Languages: ui.Languages(lang, r.URL)}
		httpx.SetSecurityHeaders(w, httpx.CSP{})
		_ = httpx.HTML(w, r, http.StatusOK, within(ui.Layout(p), ui.Head("Gallery", ""), templ.Raw("<ol>"+list.String()+"</ol>")))
	})
	return mux
}
