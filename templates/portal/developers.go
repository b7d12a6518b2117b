package portal

import (
	"strconv"
	"time"

	"github.com/a-h/templ"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/templates/ui"
)

// Choice holds the options of the playground.
type Choice struct {
	Product     contract.Product
	Where       string // page, portal or provider
	Integration string
	PageLang    i18n.Lang // language of the element
	Theme       string    // own (the applicant's setting), light or dark
	Person      string    // ana, luis or none
	Username    string    // the mock bank's
}

// Listing is a code example.
type Listing struct {
	ID, Title string
	Server    bool // for the back end, not the page
	Code      string
}

// Playground is the page with the options and their code.
type Playground struct {
	Base
	Choice       Choice
	Products     []contract.Product
	Integrations []string // of the chosen place
	Usernames    []string
	Listings     []Listing
	Status       int // of the response to the back end's request; 0 without a request
	Response     string
	TooOften     bool
}

func responseTitle(l i18n.Lang, status int) string {
	return i18n.T(l, "developers.response") + ": " + strconv.Itoa(status)
}

func (p Playground) server() (out []Listing) {
	for _, l := range p.Listings {
		if l.Server {
			out = append(out, l)
		}
	}
	return out
}

func (p Playground) client() (out []Listing) {
	for _, l := range p.Listings {
		if !l.Server {
			out = append(out, l)
		}
	}
	return out
}

// Parties of a line of the timeline.
const (
	PartyApp      = "app"
	PartyPortal   = "portal"
	PartyProvider = "provider"
	PartyBrowser  = "browser"
)

// TraceKind is the kind of a line. Most are kinds of the journey's inputs.
type TraceKind string

const (
	TraceNotified TraceKind = "notified"
	TraceLeave    TraceKind = "leave"
	TraceRegister TraceKind = "register"
	TraceElement  TraceKind = "element"
)

// TraceLine is one event of an application, with its sender and receiver.
type TraceLine struct {
	Key        string
	At         time.Time
	From, To   string // parties
	What       string // as code
	Kind       TraceKind
	Was, State string // the application's states before and after; "" if unchanged
	Body       string
	Status     int // of the response; 0 for none
	Response   string
	URL        string // of the report, for reviewers
}

// Run is a running application of the playground.
type Run struct {
	Base
	ID          string
	Product     contract.Product
	Integration string
	Element     string // mode of the element; "" is a link to the provider's page
	PageLang    i18n.Lang
	Theme       string
	Username    string
	Token       string
	State       string
	Version     int64
	Final       bool
	Lines       []TraceLine
	Stream      string
	Self        string
	Connect     string
	Status      string
	Again       string
}

func (r Run) attrs() templ.Attributes {
	a := templ.Attributes{"data-version": strconv.FormatInt(r.Version, 10), "data-state": r.State, "data-self": r.Self}
	if r.Stream != "" {
		a["data-stream"] = r.Stream
	}
	return a
}

func (r Run) elementAttrs() templ.Attributes {
	a := templ.Attributes{"token": r.Token, "mode": r.Element, "lang": string(r.PageLang), "data-theme": r.Theme}
	if r.Element == "inline" {
		a["height"] = "640"
	}
	return a
}

// connect returns the address of the connect page in the chosen language.
func (r Run) connect() string {
	if r.PageLang != r.Lang {
		return r.Connect + "?lang=" + string(r.PageLang)
	}
	return r.Connect
}

// Guide is a page with a guide of docs.
type Guide struct {
	Base
	Name, Title string
	HTML        string
	Contents    []Section
}

// Section is a heading of a guide.
type Section struct{ ID, Title string }

// guideNames lists the guides in reading order.
var guideNames = []struct {
	name  string
	title i18n.Key
	text  i18n.Key
}{
	{"back-end", "developers.guide.back_end.title", "developers.guide.back_end.text"},
	{"embed", "developers.guide.embed.title", "developers.guide.embed.text"},
	{"redirect", "developers.integrations.redirect.title", "developers.guide.redirect.text"},
	{"webhooks", "developers.guide.webhooks.title", "developers.guide.webhooks.text"},
	{"production", "developers.guide.production.title", "developers.guide.production.text"},
	{"another-provider", "developers.guide.another_provider.title", "developers.guide.another_provider.text"},
	{"troubleshooting", "developers.guide.troubleshooting.title", "developers.guide.troubleshooting.text"},
}

func (b Base) developer(title string, scripts ...string) ui.Page {
	p := b.page(title, scripts...)
	p.Wide, p.Description = true, i18n.T(b.Lang, "developers.playground_intro")
	p.Styles = append(p.Styles, b.Assets.URL("developers.css"))
	p.Links = []ui.Link{{Text: i18n.T(b.Lang, "developers.playground"), URL: "/developers",
		Current: title == i18n.T(b.Lang, "developers.playground")}, {Text: i18n.T(b.Lang, "developers.api"), URL: "/api/v1/docs"}}
	return p
}

// choose returns a question about one of some values, each with its label.
func choose[S ~string](p Playground, name string, title i18n.Key, values []S, chosen S, label func(S) string) ui.Question {
	q := ui.Question{Name: name, Label: i18n.T(p.Lang, title), Lang: p.Lang}
	for _, x := range values {
		q.Options = append(q.Options, ui.Option{Value: string(x), Label: label(x), Chosen: x == chosen})
	}
	return q
}

func (p Playground) products() ui.Question {
	return choose(p, "product", "status.report", p.Products, p.Choice.Product,
		func(x contract.Product) string { return i18n.Code(p.Lang, "product.name", x) })
}

// choiceLabel returns the label of a value of choiceTexts.
func (p Playground) choiceLabel(x string) string { return i18n.T(p.Lang, choiceTexts[x]) }

func (p Playground) places() ui.Question {
	return choose(p, "where", "developers.where", []string{"page", "portal", "provider"}, p.Choice.Where, p.choiceLabel)
}

func (p Playground) integrations() ui.Question {
	q := choose(p, "integration", "developers.integration", p.Integrations, p.Choice.Integration,
		func(x string) string { return i18n.T(p.Lang, integrationTexts[x].title) })
	for i := range q.Options {
		q.Options[i].Detail = i18n.T(p.Lang, integrationTexts[q.Options[i].Value].text)
	}
	return q
}

func (p Playground) pageLanguage() ui.Question {
	return choose(p, "page-language", "developers.page-language", i18n.Languages(), p.Choice.PageLang, i18n.Lang.Name)
}

func (p Playground) themes() ui.Question {
	return choose(p, "theme", "developers.theme", []string{"own", "light", "dark"}, p.Choice.Theme, p.choiceLabel)
}

func (p Playground) people() ui.Question {
	return choose(p, "person", "developers.person", []string{"ana", "luis", "none"}, p.Choice.Person, p.choiceLabel)
}

func (p Playground) usernames() ui.Question {
	q := choose(p, "username", "developers.username", p.Usernames, p.Choice.Username, func(x string) string { return x })
	q.Hint = i18n.T(p.Lang, "developers.username_hint")
	return q
}

type titleAndText struct{ title, text i18n.Key }

// choiceTexts are the labels of the places, the themes and the people to choose from.
var choiceTexts = map[string]i18n.Key{"page": "developers.where.page", "portal": "developers.where.portal",
	"provider": "developers.where.provider", "own": "developers.theme_own", "light": "developers.theme_light",
	"dark": "developers.theme_dark", "ana": "developers.person_ana", "luis": "developers.person_luis", "none": "developers.person_none"}

var integrationTexts = map[string]titleAndText{
	"inline":           {"developers.integrations.inline.title", "developers.integrations.inline.text"},
	"modal":            {"developers.integrations.modal.title", "developers.integrations.modal.text"},
	"page":             {"developers.integrations.page.title", "developers.integrations.page.text"},
	"redirect":         {"developers.integrations.redirect.title", "developers.integrations.redirect.text"},
	"redirect-form":    {"developers.integrations.redirect-form.title", "developers.integrations.redirect-form.text"},
	"register-token":   {"developers.integrations.register-token.title", "developers.integrations.register-token.text"},
	"register-prefill": {"developers.integrations.register-prefill.title", "developers.integrations.register-prefill.text"},
}

func (l TraceLine) route(lang i18n.Lang) string {
	if l.From == l.To {
		return i18n.Code(lang, "developers.parties", l.From)
	}
	return i18n.Code(lang, "developers.parties", l.From) + " → " + i18n.Code(lang, "developers.parties", l.To)
}

func (l TraceLine) micros() string { return strconv.FormatInt(l.At.UnixMicro(), 10) }

func (l TraceLine) clock() string { return l.At.UTC().Format("15:04:05.000") }

func (r Run) run() ui.Page {
	p := r.developer(i18n.T(r.Lang, "developers.run_title"), "developers.js")
	if r.Element != "" {
		p.Scripts = append(p.Scripts, "/embed/v1/embed.js")
	}
	return p
}
