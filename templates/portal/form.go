package portal

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/templates/ui"
)

func (m Landing) tiles() []ui.Tile {
	var out []ui.Tile
	for _, p := range m.Products {
		out = append(out, ui.Tile{Title: i18n.Code(m.Lang, "product.name", p), Text: i18n.Code(m.Lang, "product.text", m.titled(p)),
			URL: "/apply/" + string(p), Note: m.durationWords(p), Icon: ui.ProductIcon(p)})
	}
	return out
}

// estimated is how long the steps after the form take, until enough applicants finished them.
var estimated = map[contract.Product]time.Duration{
	contract.Cashflow: 2 * time.Minute, contract.Income: 3 * time.Minute,
	contract.Eligibility: 4 * time.Minute, contract.Passport: 2 * time.Minute,
}

// durationWords says how long an application for a product takes, with a minute for the form.
func (m Landing) durationWords(p contract.Product) string {
	took, ok := m.Usual[p]
	if !ok {
		took = estimated[p]
	}
	minutes := int((took + 2*time.Minute - 1) / time.Minute)
	return i18n.T(m.Lang, "landing.minutes", "n", strconv.Itoa(max(2, minutes)))
}

func (m Landing) title() string {
	if m.Brand.Name == "" {
		return i18n.T(m.Lang, "landing.title")
	}
	return i18n.T(m.Lang, "landing.title_of", "company", m.Brand.Name)
}

type safety struct {
	icon ui.IconName
	text string
}

// safetyPoints answers what applicants worry about.
func (m Landing) safetyPoints() []safety {
	return []safety{{ui.IconLock, i18n.T(m.Lang, "landing.safe.password")}, {ui.IconChoose, i18n.T(m.Lang, "landing.safe.choice")},
		{ui.IconAgree, i18n.T(m.Lang, "landing.safe.only", "company", m.company())}}
}

func (m Landing) recent() ui.Grid {
	g := ui.Grid{Caption: i18n.T(m.Lang, "landing.recent"), HideCaption: true, Columns: []ui.Column{
		{Label: i18n.T(m.Lang, "landing.application")}, {Label: i18n.T(m.Lang, "status.state")}, {Label: i18n.T(m.Lang, "landing.begun")}}}
	for _, r := range m.Recent {
		g.Rows = append(g.Rows, []ui.Cell{{Text: i18n.Code(m.Lang, "product.name", r.Product), URL: r.URL},
			{Body: ui.Badge(tone(r.State), i18n.Code(m.Lang, "status.states", r.State))}, {Body: ui.Moment(m.Lang, r.At)}})
	}
	return g
}

// Cards of the form, in their order.
const (
	cardApplicant = iota
	cardWork
	cardMode
	cardIntegrator
)

// lastCard returns the card that has the button.
func (m Apply) lastCard() int {
	switch {
	case m.Integrator != nil:
		return cardIntegrator
	case m.asksMode():
		return cardMode
	case m.housing() && !m.savings():
		return cardWork
	}
	return cardApplicant
}

// applicantTitle returns the heading of the first card; none if no other card has one.
func (m Apply) applicantTitle() string {
	if m.housing() && !m.savings() {
		return i18n.T(m.Lang, "apply.about_you")
	}
	return ""
}

func tone(state string) ui.Tone {
	switch state {
	case "ready":
		return ui.Success
	case "failed":
		return ui.Danger
	case "exited", "expired":
		return ui.Warning
	}
	return ui.Info
}

func (m Apply) with(name string, label i18n.Key, autocomplete, mode string) ui.Input {
	in := m.input(name, label)
	in.Autocomplete, in.InputMode = autocomplete, mode
	return in
}

func (m Apply) optional(name string, label i18n.Key, autocomplete, mode, width string, hint i18n.Key) ui.Input {
	in := m.with(name, label, autocomplete, mode)
	in.Optional, in.Unmarked, in.Width, in.Hint = true, true, width, ""
	if hint != "" {
		in.Hint = i18n.T(m.Lang, hint)
	}
	return in
}

func (m Apply) email() ui.Input {
	in := m.with("email", "apply.email.label", "email", "email")
	in.Type = "email"
	return in
}

func (m Apply) income() ui.Input {
	in := m.optional("statedAnnualIncome", "apply.income.label", "off", "numeric", "medium", "apply.income.hint")
	in.Prefix = "$"
	return in
}

// dob asks for the date of birth. Where an address is enough, its label names both.
func (m Apply) dob() ui.Day {
	d := ui.Day{Name: "dob", Label: i18n.T(m.Lang, "apply.dob.label"), Lang: m.Lang, Birthday: true,
		Year: m.value("dob-year"), Month: m.value("dob-month"), Day: m.value("dob-day"), Error: m.problem("dob")}
	if !m.housing() {
		d.Label, d.Hint = i18n.T(m.Lang, "apply.home.either"), i18n.T(m.Lang, "apply.home.hint")
		d.Optional, d.Unmarked = true, true
	}
	return d
}

func (m Apply) states() ui.Question {
	q := ui.Question{Name: "state", Label: i18n.T(m.Lang, "apply.state.label"), Prompt: i18n.T(m.Lang, "apply.state.choose"), Lang: m.Lang,
		Autocomplete: "address-level1", Optional: !m.housing(), Unmarked: true, Error: m.problem("state")}
	for _, s := range states {
		q.Options = append(q.Options, ui.Option{Value: s.code, Label: s.name, Chosen: m.value("state") == s.code})
	}
	return q
}

// fills reports whether one of the fields has a value or an error.
func (m Apply) fills(fields ...string) bool {
	return slices.ContainsFunc(fields, func(name string) bool { return m.value(name) != "" || m.problem(name) != "" })
}

// housing reports whether the form is for an eligibility report, which needs the
// date of birth, the state and employers (API reference: Visits).
func (m Apply) housing() bool { return m.Product == contract.Eligibility }

// savings reports whether the report verifies only assets.
func (m Apply) savings() bool { return m.housing() && m.AssetsOnly }

// maxEmployers is the maximum number of stated employers.
const maxEmployers = 6

func (m Apply) employer(i int) string {
	if i < len(m.Employers) {
		return m.Employers[i]
	}
	return ""
}

// severalEmployers reports whether the applicant stated more than one employer.
func (m Apply) severalEmployers() bool {
	for i := 1; i < maxEmployers; i++ {
		if m.employer(i) != "" {
			return true
		}
	}
	return false
}

// employerID returns the id of an employer's field. The id of the first is the field's
// name, which the error summary links to.
func employerID(i int) string {
	if i == 0 {
		return "statedEmployerNames"
	}
	return "statedEmployerNames-" + strconv.Itoa(i+1)
}

func autocompleteEmployer(i int) string {
	if i == 0 {
		return "organization"
	}
	return "off"
}

// asksMode reports whether the form asks where to verify: if the operator wants it, or for
// integrators who try the modes. In a frame there is one mode.
func (m Apply) asksMode() bool {
	return !m.Framed && (m.AskMode || m.Integrator != nil || m.problem("mode") != "")
}

// moreLabel names the questions of more.
func (m Apply) moreLabel() i18n.Key {
	switch {
	case m.savings():
		return "apply.more_phone"
	case m.housing():
		return "apply.more_income"
	}
	return "apply.more"
}

func (m Apply) mode() string { return cmp.Or(m.Mode, "embedded") }

func (m Apply) modes() ui.Question {
	q := ui.Question{Name: "mode", Label: i18n.T(m.Lang, "apply.mode.label"), Lang: m.Lang, Error: m.problem("mode"), Options: []ui.Option{
		{Value: "embedded", Label: i18n.T(m.Lang, "apply.mode.embedded.label"), Detail: i18n.T(m.Lang, "apply.mode.embedded.text"),
			Badge: i18n.T(m.Lang, "apply.mode.recommended"), Chosen: m.isChosen("embedded")},
		{Value: "redirect", Label: i18n.T(m.Lang, "apply.mode.redirect.label"), Detail: i18n.T(m.Lang, "apply.mode.redirect.text"),
			Chosen: m.isChosen("redirect")},
	}}
	if m.Integrator != nil || m.Mode == "redirect-form" {
		q.Options = append(q.Options, ui.Option{Value: "redirect-form", Label: i18n.T(m.Lang, "apply.mode.redirect_form.label"),
			Detail: i18n.T(m.Lang, "apply.mode.redirect_form.text"), Chosen: m.isChosen("redirect-form")})
	}
	return q
}

func (m Apply) variants() ui.Question {
	q := ui.Question{Name: "variant", Label: i18n.T(m.Lang, "apply.variant.label"), Hint: i18n.T(m.Lang, "apply.integrator.hint"),
		Lang: m.Lang}
	for _, v := range []struct {
		value       string
		label, text i18n.Key
	}{
		{"token", "apply.variant.token.label", "apply.variant.token.text"},
		{"prefill", "apply.variant.prefill.label", "apply.variant.prefill.text"},
		{"consumer", "apply.variant.consumer.label", "apply.variant.consumer.text"},
		{"sandbox-report", "apply.variant.sandbox.label", "apply.variant.sandbox.text"},
	} {
		q.Options = append(q.Options, ui.Option{Value: v.value, Label: i18n.T(m.Lang, v.label), Detail: i18n.T(m.Lang, v.text),
			Chosen: m.Integrator.Variant == v.value || m.Integrator.Variant == "" && v.value == "token"})
	}
	return q
}
