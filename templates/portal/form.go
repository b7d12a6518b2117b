package portal

import (
	"strconv"

	"vestibule/internal/contract"
	"vestibule/templates/ui"
)

func (m Landing) tiles() []ui.Tile {
	var out []ui.Tile
	for _, p := range m.Products {
		out = append(out, ui.Tile{Title: ProductName(p).In(m.Lang), Text: m.productText(p).In(m.Lang),
			URL: "/apply/" + string(p), Note: wordsMinutes.In(m.Lang), Icon: ui.ProductIcon(p)})
	}
	return out
}

func (m Landing) recent() ui.Grid {
	g := ui.Grid{Caption: wordsRecent.In(m.Lang), HideCaption: true, Columns: []ui.Column{
		{Label: wordsApplication.In(m.Lang)}, {Label: wordsState.In(m.Lang)}, {Label: wordsBegun.In(m.Lang)}}}
	for _, r := range m.Recent {
		g.Rows = append(g.Rows, []ui.Cell{{Text: ProductName(r.Product).In(m.Lang), URL: r.URL},
			{Body: ui.Badge(tone(r.State), StateName(r.State).In(m.Lang))}, {Text: ui.MomentWords(m.Lang, r.At)}})
	}
	return g
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

func (m Apply) with(name string, label contract.Words, autocomplete, mode string) ui.Input {
	in := m.input(name, label)
	in.Autocomplete, in.InputMode = autocomplete, mode
	return in
}

func (m Apply) optional(name string, label contract.Words, autocomplete, mode, width string, hint contract.Words) ui.Input {
	in := m.with(name, label, autocomplete, mode)
	in.Optional, in.Width, in.Hint = true, width, hint.In(m.Lang)
	return in
}

func (m Apply) email() ui.Input {
	in := m.with("email", wordsEmail, "email", "email")
	in.Type = "email"
	return in
}

func (m Apply) income() ui.Input {
	in := m.optional("statedAnnualIncome", wordsIncome, "off", "numeric", "medium", wordsIncomeHint)
	in.Prefix = "$"
	return in
}

func (m Apply) dob() ui.Day {
	if m.housing() {
		return ui.Day{Name: "dob", Label: wordsDOB.In(m.Lang), Lang: m.Lang, Birthday: true,
			Year: m.value("dob-year"), Month: m.value("dob-month"), Day: m.value("dob-day"), Error: m.problem("dob")}
	}
	return ui.Day{Name: "dob", Label: wordsDOB.In(m.Lang), Hint: wordsDOBHint.In(m.Lang), Lang: m.Lang, Birthday: true, Optional: true,
		Year: m.value("dob-year"), Month: m.value("dob-month"), Day: m.value("dob-day"), Error: m.problem("dob")}
}

func (m Apply) states() ui.Question {
	q := ui.Question{Name: "state", Label: wordsStateField.In(m.Lang), Prompt: wordsPick.In(m.Lang), Lang: m.Lang,
		Autocomplete: "address-level1", Optional: !m.housing(), Error: m.problem("state")}
	for _, s := range states {
		q.Options = append(q.Options, ui.Option{Value: s.code, Label: s.name, Chosen: m.value("state") == s.code})
	}
	return q
}

// housing reports whether the form is for an eligibility report, which needs the
// date of birth, the state and employers (API reference: Visits).
func (m Apply) housing() bool { return m.Product == contract.Eligibility }

// savings are all that is verified.
func (m Apply) savings() bool { return m.housing() && m.AssetsOnly }

// mostEmployers is how many one can name.
const mostEmployers = 6

func (m Apply) employer(i int) string {
	if i < len(m.Employers) {
		return m.Employers[i]
	}
	return ""
}

// severalEmployers reports whether one beyond the first was named.
func (m Apply) severalEmployers() bool {
	for i := 1; i < mostEmployers; i++ {
		if m.employer(i) != "" {
			return true
		}
	}
	return false
}

// employerID is the id of one of the fields; the first has the name's own, to which
// the error summary leads.
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

func (m Apply) modes() ui.Question {
	q := ui.Question{Name: "mode", Label: wordsHow.In(m.Lang), Lang: m.Lang, Error: m.problem("mode"), Options: []ui.Option{
		{Value: "embedded", Label: wordsHere.In(m.Lang), Detail: wordsHereText.In(m.Lang), Badge: wordsAdvised.In(m.Lang), Chosen: m.chose("embedded")},
		{Value: "redirect", Label: wordsThere.In(m.Lang), Detail: wordsThereText.In(m.Lang), Chosen: m.chose("redirect")},
	}}
	if m.Integrator != nil || m.Mode == "redirect-form" {
		q.Options = append(q.Options, ui.Option{Value: "redirect-form", Label: wordsForm.In(m.Lang),
			Detail: wordsFormText.In(m.Lang), Chosen: m.chose("redirect-form")})
	}
	return q
}

func (m Apply) variants() ui.Question {
	q := ui.Question{Name: "variant", Label: wordsVariant.In(m.Lang), Hint: wordsIntegratorHint.In(m.Lang), Lang: m.Lang}
	for _, v := range []struct {
		value       string
		label, text contract.Words
	}{
		{"token", wordsVToken, wordsVTokenText},
		{"prefill", wordsVPrefill, wordsVPrefillText},
		{"consumer", wordsVConsumer, wordsVConsumerText},
		{"sandbox-report", wordsVSandbox, wordsVSandboxText},
	} {
		q.Options = append(q.Options, ui.Option{Value: v.value, Label: v.label.In(m.Lang), Detail: v.text.In(m.Lang),
			Chosen: m.Integrator.Variant == v.value || m.Integrator.Variant == "" && v.value == "token"})
	}
	return q
}
