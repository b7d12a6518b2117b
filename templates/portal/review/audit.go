package review

import (
	"strings"

	"github.com/a-h/templ"

	"vestibule/internal/console"
	"vestibule/internal/i18n"
	"vestibule/templates/ui"
)

// auditLine is a line of the audit log. Its Subject is an application.
type auditLine console.Line

// AuditWords returns the words by which a search finds the entries of an action.
func AuditWords(l i18n.Lang, action string) string {
	words := []string{i18n.Code(l, "review.actions", action)}
	for _, code := range append(variants[action], action) {
		text, _ := i18n.Find(l, "review.audit.said", code)
		words = append(words, text)
	}
	return strings.Join(words, " ")
}

// variants are the sentences of an action besides the usual one.
var variants = map[string][]string{
	"assigned": {"assigned_given", "assigned_released"}, "auditRead": {"auditRead_application", "auditRead_user"},
	"listed": {"listed_undelivered"},
}

// template returns the sentence of the entry, with names of its parts in braces.
func (x auditLine) template(l i18n.Lang) string {
	code := x.Action
	switch {
	case x.Action == "assigned" && x.Detail != "taken", x.Action == "listed" && x.Detail != "":
		code += "_" + x.Detail
	case x.Action == "auditRead" && x.Subject != "":
		code += "_application"
	case x.Action == "auditRead" && x.Object != "":
		code += "_user"
	}
	if text, ok := i18n.Find(l, "review.audit.said", code); ok {
		return text
	}
	return "{who}: " + i18n.Code(l, "review.actions", x.Action) // of an earlier version
}

// places are the parts of an application's page that an action is about.
var places = map[string]string{"decided": "#decision", "noted": "#notes", "shared": "#sharing", "withdrawn": "#sharing",
	"reportExported": "/report", "filesListed": "/files", "fileOpened": "/files", "letterOpened": "/letter", "letterSent": "/letter",
	"letterRetried": "/letter"}

// part returns the text and the address of a part of the sentence; "" for no address.
func (x auditLine) part(l i18n.Lang, name string) (text, url string) {
	user := func(email, id string) (string, string) {
		if email == "" {
			return id, ""
		}
		return email, "/review/audit?actor=" + id
	}
	switch name {
	case "who":
		if x.Actor == "" {
			return i18n.T(l, "review.audit.no_user"), ""
		}
		return user(x.By, x.Actor)
	case "application":
		c := toApplication(x.Subject)
		return c.Text, c.URL + places[x.Action]
	case "object":
		switch x.Action {
		case "compared":
			c := toApplication(x.Object)
			return c.Text, c.URL
		case "eventSent":
			return eventName(l, x.Object), "/review/events?application=" + x.Subject
		}
		return user(x.Of, x.Object)
	}
	return x.details(l), ""
}

// sentence says what happened, with links to what it is about.
func (x auditLine) sentence(l i18n.Lang) templ.Component {
	var out strings.Builder
	text := x.template(l)
	if !strings.Contains(text, "{detail}") && x.hasDetail() {
		text += " ({detail})"
	}
	for text != "" {
		before, rest, found := strings.Cut(text, "{")
		out.WriteString(templ.EscapeString(before))
		if !found {
			break
		}
		var name string
		name, text, _ = strings.Cut(rest, "}")
		words, url := x.part(l, name)
		words, _ = ui.Breakable(words)
		if url == "" {
			out.WriteString(`<strong class="said">` + words + `</strong>`)
		} else {
			out.WriteString(`<a class="said" href="` + templ.EscapeString(url) + `">` + words + `</a>`)
		}
	}
	return templ.Raw(`<span class="sentence">` + out.String() + `</span>`)
}

func (x auditLine) more(l i18n.Lang) (out []ui.RunEntry) {
	for _, m := range x.More {
		out = append(out, ui.RunEntry{At: m.At, Body: auditLine(m).sentence(l), Note: m.RequestID})
	}
	return out
}

// hasDetail reports whether the details say more than the sentence.
func (x auditLine) hasDetail() bool {
	return x.Detail != "" && x.Action != "assigned" && (x.Action != "listed" || x.Detail != "undelivered")
}

// details returns the text of an entry's details: the values that it changed, if it has them.
func (x auditLine) details(l i18n.Lang) string {
	if len(x.Values) > 0 {
		return strings.Join(ui.ValueTexts(l, x.Values), "; ")
	}
	for _, g := range []i18n.Group{"review.decisions", "review.roles", "review.deletion.reasons", "review.audit.details"} {
		if text, ok := i18n.Find(l, g, x.Detail); ok {
			return text
		}
	}
	return x.Detail
}
