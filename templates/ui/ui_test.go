package ui

import (
	"bytes"
	"context"
	"net/url"
	"strings"
	"testing"

	"vestibule/internal/i18n"
	"vestibule/internal/testutil"
	"vestibule/internal/testutil/golden"

	"github.com/a-h/templ"
)

var (
	firstName      = Input{Name: "firstName", Label: "First name", Lang: i18n.English, Autocomplete: "given-name", MaxLength: 254}
	wrongFirstName = Input{Name: "firstName", Label: "First name", Lang: i18n.English, Autocomplete: "given-name", MaxLength: 254,
		Value: `<b>"Ann`, Error: "Use letters, spaces, dots, apostrophes and dashes."}
	state = Question{Name: "state", Label: "State", Prompt: "Choose", Lang: i18n.English, Autocomplete: "address-level1",
		Options: []Option{{Value: "CA", Label: "California"}, {Value: "DC", Label: "District of Columbia", Chosen: true}}}
	mode = Question{Name: "mode", Label: "How", Hint: "Both take about four minutes.", Error: "Choose one.",
		Options: []Option{{Value: "embedded", Label: "On this page", Detail: "Nothing opens.", Badge: "Usual", Chosen: true},
			{Value: "redirect", Label: "On the bank's own page"}}}
)

// namedPieces are components by the name of their file in testdata. The files are for reading: one tag a line.
var namedPieces = []struct {
	name  string
	piece templ.Component
}{
	{"layout", Layout(Page{Lang: i18n.Spanish, Title: "Solicitud", Description: "Solicite", Home: "/", Icon: "/assets/icon.svg",
		Styles:  []string{"/assets/portal.css"},
		Scripts: []string{"/assets/apply.js"}, Languages: Languages(i18n.Spanish, &url.URL{Path: "/apply/cashflow", RawQuery: "x=1"}),
		Links: []Link{{Text: "Salir", URL: "/out", Current: true}}, Footer: SandboxNote(i18n.Spanish),
		Attrs: templ.Attributes{"data-wasm": "/assets/m.wasm"}})},
	{"layout-bare", Layout(Page{Lang: i18n.English, Bare: true})},
	{"layout-refused", Layout(Page{Lang: i18n.English, Title: "Your details", Refused: true})},
	{"layout-unsafe-address", Layout(Page{Lang: i18n.English, Title: "<x>", Home: "javascript:alert(1)"})},
	{"field", Field(firstName)},
	{"field-wrong", Field(wrongFirstName)},
	{"field-optional", Field(Input{ID: "f-zip", Name: "zip", Label: "Código postal", Hint: "Cinco cifras", Lang: i18n.Spanish,
		Width: "short", InputMode: "numeric", Optional: true, Type: "search", Attrs: templ.Attributes{"data-x": "1"}})},
	{"field-prefix", Field(Input{Name: "income", Label: "Income", Prefix: "$"})},
	{"select", Select(state)},
	{"radios", Radios(mode)},
	{"checks", Checks(Question{Name: "account", Label: "Accounts", HideLabel: true, Options: mode.Options, Optional: true})},
	{"check", Check(Input{Name: "consent", Hint: "You can withdraw it.", Error: "Please agree first."})},
	{"date", Date(Day{Name: "dob", Label: "Date of birth", Lang: i18n.English, Year: "1990", Birthday: true})},
	{"date-spanish", Date(Day{Name: "dob", Label: "Fecha de nacimiento", Lang: i18n.Spanish, Day: "31",
		Month: "2", Error: "Ese día no existe.", Optional: true})},
	{"button", Button(Action{})},
	{"button-named", Button(Action{Kind: Secondary, Type: "button", ID: "go", Name: "do", Value: "start", Wide: true, Disabled: true})},
	{"button-link", Button(Action{Kind: Quiet, URL: "/review"})},
	{"button-unsafe-link", Button(Action{URL: "javascript:alert(1)"})},
	{"notice", Notice(Note{Title: "Saved"})},
	{"notice-live", Notice(Note{Tone: Success, ID: "n", Live: true})},
	{"notice-alert", Notice(Note{Tone: Danger, Title: "No", Live: true})},
	{"summary", ErrorSummary(i18n.English, []FieldError{
		{"firstName", "Enter your first name."}, {"dob-month", "Enter your date of birth."}})},
	{"summary-empty", ErrorSummary(i18n.English, nil)},
	{"progress", Progress(Steps{Lang: i18n.English, Names: []string{"Details", "Bank", "Report"}, Current: 1})},
	{"progress-done", Progress(Steps{Lang: i18n.Spanish, Names: []string{"Details", "Bank", "Report"}, Current: 3})},
	{"spinner", Spinner("Asking")},
	{"bar", Bar("Preparing")},
	{"live", LiveRegion("live")},
	{"facts", Facts([]Fact{{Term: "State", Body: Badge(Success, "Ready")}, {Term: "Id", Text: "a&b"}})},
	{"table", Table(Grid{Caption: "Accounts", HideCaption: true, Columns: []Column{{Label: "Name"}, {Label: "Balance", Number: true}},
		Rows: [][]Cell{{{Text: "Checking", URL: "/a"}, {Text: "$1.00"}}, {{Body: Badge(Warning, "Closed")}, {}}}})},
	{"tiles", Tiles([]Tile{{Title: "Cashflow", Text: "Money in and out", URL: "/apply/cashflow", Note: "4 minutes", Icon: Mark()}})},
	{"rows", Rows([]Row{{Name: "bank", Value: "ñ", Title: "ñandú Bank", Detail: "nandu.example"},
		{Name: "bank", Value: "b", Title: "B", Initial: "BB"}})},
	{"dialog", Dialog(Frame{Lang: i18n.English, ID: "d", Title: "Choose", Close: Button(Action{Kind: Quiet}), Actions: Button(Action{})})},
	{"card", Card("About you")},
	{"head", Head("Apply", "Four minutes.")},
	{"hero", Hero("Welcome", "Come in.")},
	{"empty", Empty("Nothing yet")},
	{"fieldset", Fieldset("Address", "Where you live")},
}

// TestPieces holds each piece against the HTML it is meant to give.
func TestPieces(t *testing.T) {
	for _, c := range namedPieces {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			ctx := templ.WithChildren(context.Background(), templ.Raw("CHILDREN"))
			testutil.Must(t, c.piece.Render(ctx, &out))
			for _, no := range []string{" style=", "<style", "javascript:", " onclick="} {
				if strings.Contains(out.String(), no) {
					t.Errorf("the HTML contains %q:\n%s", no, out.String())
				}
			}
			golden.CompareHTML(t, "testdata/"+c.name+".html", out.String())
		})
	}
}

func TestPickLanguage(t *testing.T) {
	for _, c := range []struct {
		name, asked, remembered, header string
		want                            i18n.Lang
	}{
		{"nothing is English", "", "", "", i18n.English},
		{"the address wins", "es", "en", "en", i18n.Spanish},
		{"then what was remembered", "", "es", "en", i18n.Spanish},
		{"nonsense is passed over", "xx", "../es", "es-MX,es;q=0.9", i18n.Spanish},
		{"weights count", "", "", "en;q=0.4, es;q=0.8", i18n.Spanish},
		{"equal weights keep the order", "", "", "es, en", i18n.Spanish},
		{"unknown languages are skipped", "", "", "xx, yy;q=0.9, es;q=0.1", i18n.Spanish},
		{"a refused language is not taken", "", "", "es;q=0", i18n.English},
		{"a broken weight is skipped", "", "", "es;q=x", i18n.English},
		{"upper case", "", "", "ES-us", i18n.Spanish},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := PickLanguage(c.asked, c.remembered, c.header); got != c.want {
				t.Errorf("PickLanguage(%q, %q, %q) = %q, want %q", c.asked, c.remembered, c.header, got, c.want)
			}
		})
	}
}

func TestLanguagesOmitLongAddresses(t *testing.T) {
	for path, want := range map[string]int{"/apply/cashflow": len(i18n.Languages()), "/" + strings.Repeat("a", 60_000): 0,
		"/?q=" + strings.Repeat("a", 60_000): 0} {
		u, err := url.Parse(path)
		testutil.Must(t, err)
		if got := len(Languages(i18n.English, u)); got != want {
			t.Errorf("an address of %d bytes is offered in %d languages, want %d", len(path), got, want)
		}
	}
}

// Long words may break before the marks of addresses; others break only if they are wider than
// a column.
func TestBreaks(t *testing.T) {
	for text, want := range map[string]struct {
		parts string
		long  bool
	}{
		"":                           {"", false},
		"ann@example.org":            {"ann@example.org", false},
		"mary-ann.ohara@example.org": {"mary-ann|.ohara|@example|.org", false},
		"Write to mary-ann.ohara@example.org. Or call.": {"Write to mary-ann|.ohara|@example|.org. Or call.", false},
		"$1,234.50 and $99.10":                          {"$1,234.50 and $99.10", false},
		"Pneumonoultramicroscopicsilicovolcanoconiosis": {"Pneumonoultramicroscopicsilicovolcanoconiosis", true},
		"0b9d5c7e-3f51-4b7a-9c26-6a1f0d6b0a11":          {"0b9d5c7e-3f51-4b7a-9c26-6a1f0d6b0a11", false},
		"ann@a-subdomain-of-a.verylongcompanynamewithoutmarks.example": {
			"ann|@a-subdomain-of-a|.verylongcompanynamewithoutmarks|.example", true},
	} {
		if parts, long := breaks(text); strings.Join(parts, "|") != want.parts || long != want.long {
			t.Errorf("breaks(%q) = %q, %v, want %q, %v", text, strings.Join(parts, "|"), long, want.parts, want.long)
		}
	}
}

// TestLogoOfOneScheme: a logo that is made for one color scheme has its own ground in the other.
func TestLogoOfOneScheme(t *testing.T) {
	for class, logo := range map[string]Logo{
		"logo":               {URL: "/day", Dark: "/night"},
		"logo logo-of-light": {URL: "/day"},
		"logo logo-of-dark":  {URL: "/night", OnlyDark: true},
	} {
		var page strings.Builder
		testutil.Must(t, LogoImage(logo, "").Render(t.Context(), &page))
		if want := `<img class="` + class + `"`; !strings.Contains(page.String(), want) {
			t.Errorf("%+v is shown as %s, want %s", logo, page.String(), want)
		}
	}
}
