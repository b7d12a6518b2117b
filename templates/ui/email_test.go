package ui

import (
	"strings"
	"testing"

	"vestibule/internal/i18n"
	"vestibule/internal/testutil"
	"vestibule/internal/testutil/golden"
	"vestibule/internal/theme"
)

// TestEmails compares the HTML of emails with its expected output. It loads nothing, and
// only the given links lead anywhere.
func TestEmails(t *testing.T) {
	accent, err := theme.ParseColor("#1f4fa3")
	testutil.Must(t, err)
	light, dark, err := theme.Derive(theme.Choice{Accent: &accent}, theme.Choice{})
	testutil.Must(t, err)
	const link = "https://service.example/invite/Jx0cV5Wm2fS8pQ7rN4tB1yK6hD3gL9zA"
	for name, e := range map[string]Email{
		"email": {Lang: i18n.English, Subject: "Continue", Brand: "Vestibule", Links: []string{link},
			Texts: []EmailText{{Lang: i18n.English, Button: "Continue",
				Text: "You asked to <continue>.\n\nCashflow report, started today:\n" + link + "\n\nElsewhere:\nhttps://other.example/\n"}}},
		"email-languages": {Lang: i18n.Spanish, Subject: "Conecte sus cuentas", Brand: `Harbor "Lane" & Sons`, Light: light, Dark: dark,
			Links: []string{link}, Texts: []EmailText{{Lang: i18n.English, Text: "Also in English, below."},
				{Lang: i18n.Spanish, Button: "Conectar", Text: "Abra este enlace:\n\n" + link + "\n"},
				{Lang: i18n.English, Button: "Connect", Text: "Open this link:\n\n" + link + "\n"}}},
		"email-letter": {Lang: i18n.English, Subject: "Your application", Brand: "Vestibule",
			Texts: []EmailText{{Lang: i18n.English, Button: "Continue", Text: "Reasons:\n- income\n- assets\n\n\nSincerely,\nVestibule\n"}}},
	} {
		t.Run(name, func(t *testing.T) {
			html, err := e.HTML(t.Context())
			testutil.Must(t, err)
			for _, no := range []string{"<img", "<link", "<script", "src=", "url(", "@import"} {
				if strings.Contains(html, no) {
					t.Errorf("the HTML contains %q:\n%s", no, html)
				}
			}
			if n := strings.Count(html, `class="button"`); n != strings.Count(html, "<a")/2 || n != strings.Count(html, ">"+link+"<") {
				t.Errorf("%d buttons in\n%s", n, html)
			}
			for color := range theme.Default(theme.Light) {
				if strings.Contains(html, "{"+color+"}") {
					t.Errorf("the color %s is not filled in:\n%s", color, html)
				}
			}
			golden.CompareHTML(t, "testdata/"+name+".html", html)
		})
	}
}
