// Package ui is the visual language of both parties: the page around
// everything, form fields, buttons, notices and the other pieces that pages
// are made of. It takes values and words and gives HTML; it knows no
// application, no visit and no request, and never emits inline script or style.
//
// Every piece works without script, by keyboard, at 320 px and in forced
// colors. The look is in web/ui, one style sheet a piece; the class names here
// and there belong together.
package ui

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/a-h/templ"

	"vestibule/internal/i18n"
)

// Page is what Layout needs to know. Only Lang and Title must be given.
type Page struct {
	Lang        i18n.Lang
	Title       string   // of this page; the brand is added to it
	Description string   // for search engines and link previews; may be empty
	Brand       Brand    // in the header
	Home        string   // the brand's link; "" for no link
	Icon        string   // URL of the favicon
	IconType    string   // its media type; "" is SVG's
	Styles      []string // URLs
	Scripts     []string // URLs of modules, run after the page was read
	Languages   []Choice // from Languages; none hides the switch
	Links       []Link   // in the header, such as sign out
	Head        templ.Component
	Footer      templ.Component  // beside the small print; may be nil
	Attrs       templ.Attributes // of the body, data- for scripts
	Wide        bool             // for tables and reports
	Bare        bool             // no header, no footer: inside the widget's frame
}

// Wide returns p with the width for tables and reports.
func Wide(p Page) Page {
	p.Wide = true
	return p
}

// Brand is whose page it is. The zero value is Vestibule.
type Brand struct {
	Name string
	Logo *Logo // nil: the sign, beside the name
}

// Logo is an image that replaces the default mark.
type Logo struct {
	URL, Dark     string // Dark for the dark theme; "" is the same
	Width, Height int    // displayed size in pixels
	Wordmark      bool   // it contains the name, which is then not repeated beside it
}

func (p Page) brand() string {
	if p.Brand.Name != "" {
		return p.Brand.Name
	}
	return "Vestibule"
}

func (p Page) iconType() string {
	if p.IconType != "" {
		return p.IconType
	}
	return "image/svg+xml"
}

// logoText is the alternative text of a logo without the name beside it.
func (p Page) logoText() string {
	if p.Brand.Logo.Wordmark {
		return p.brand()
	}
	return ""
}

func (p Page) fullTitle() string {
	if p.Title == "" || p.Title == p.brand() {
		return p.brand()
	}
	return p.Title + " · " + p.brand()
}

// Choice is one language of the switch.
type Choice struct {
	Lang    i18n.Lang
	URL     string
	Current bool
}

// Link is a plain link.
type Link struct {
	Text, URL string
	Current   bool // the page that is open
}

// Tone is what a notice, a badge or a row wants to say by its color; the words
// always say it too.
type Tone string

const (
	Neutral Tone = ""
	Info    Tone = "info"
	Success Tone = "success"
	Warning Tone = "warning"
	Danger  Tone = "danger"
)

// Note is a notice. Live is for a notice that appears or changes while the page is open,
// or that answers the user's last action: screen readers announce it.
type Note struct {
	Tone  Tone
	Title string // may be empty
	ID    string
	Live  bool
}

func (n Note) role() string {
	switch {
	case !n.Live:
		return ""
	case n.Tone == Danger:
		return "alert"
	}
	return "status"
}

// Kind is a button's weight. One primary button a page.
type Kind string

const (
	Primary   Kind = ""
	Secondary Kind = "secondary"
	Quiet     Kind = "quiet"
	Critical  Kind = "critical"
)

// Action is a button, or a link that looks like one when URL is given. The zero
// value is a primary submit button.
type Action struct {
	Kind     Kind
	URL      string
	Type     string // "" is submit
	ID       string
	Name     string
	Value    string
	Wide     bool // the width of its container; on phones all buttons are
	Disabled bool
	Attrs    templ.Attributes
}

func (a Action) class() string {
	return classes("button", "button-"+string(a.Kind), a.Kind != "", "wide", a.Wide)
}

// Input is a labeled text field. Its hint has the id ID-hint and its error
// ID-error; the error's element is always there, so that a script can fill it.
type Input struct {
	ID           string // "" is Name
	Name         string
	Label        string
	Hint         string
	Error        string // message; "" for none
	Lang         i18n.Lang
	Type         string // "" is text
	Value        string
	Autocomplete string // "" leaves it to the browser
	InputMode    string
	Width        string // "" fills; "short" (ZIP, code), "medium" (phone)
	Prefix       string // before the value, such as $
	MaxLength    int
	Optional     bool // the label says so; else the field is required
	Attrs        templ.Attributes
}

// Option is one answer of a Select, Radios or Checks.
type Option struct {
	Value  string
	Label  string
	Detail string // a second line; not in a Select
	Badge  string // a word at the end of the line; not in a Select
	Chosen bool
	Attrs  templ.Attributes
}

// Question is a field with given answers: a Select, Radios or Checks.
type Question struct {
	ID           string // "" is Name
	Name         string
	Label        string
	Hint         string
	Error        string
	Lang         i18n.Lang
	Prompt       string // of a Select: its first, empty answer
	Autocomplete string
	Options      []Option
	Width        string
	Optional     bool
	HideLabel    bool // the label is for screen readers; a heading says it already
	Attrs        templ.Attributes
}

// Day is a date by three fields, Name-month, Name-day and Name-year, in the
// order that the language's readers expect.
type Day struct {
	Name             string
	Label            string
	Hint             string
	Error            string
	Lang             i18n.Lang
	Year, Month, Day string // as typed
	Birthday         bool   // offers the browser's own
	Optional         bool
	Attrs            templ.Attributes
}

// Wrong is one line of the error summary: the id of the field that it links to, and the
// message at the field.
type Wrong struct{ Field, Words string }

// Steps is the position in a sequence of steps; Current counts from 0, and len(Names)
// means done.
type Steps struct {
	Lang    i18n.Lang
	Names   []string
	Current int
}

// Fact is an entry of a description list. Body, if set, replaces Text.
type Fact struct {
	Term string
	Text string
	Body templ.Component
}

// Column is a column of a table.
type Column struct {
	Label  string
	Number bool // aligned right, figures of one width
}

// Cell is a cell of a table. Body, if set, replaces Text; URL makes Text a link.
// Words, in a column of numbers, is text that may wrap.
type Cell struct {
	Text  string
	URL   string
	Body  templ.Component
	Words bool
}

// Grid is a table. On narrow screens each row becomes a small list, with the
// column's label before each value.
type Grid struct {
	Caption     string
	HideCaption bool
	Named       bool // the first cell of a row names it
	Columns     []Column
	Rows        [][]Cell
}

// Tile is a large link: a product to choose, say.
type Tile struct {
	Title, Text, URL string
	Note             string // small, at the foot
	Icon             templ.Component
}

// Row is a submit button that looks like a line of a list: a bank to choose.
type Row struct {
	Name, Value string
	Title       string
	Detail      string
	Initial     string // one or two letters for the disc before it; "" is the title's first
	Plain       bool   // no disc: the title is not a name
	Attrs       templ.Attributes
}

// Frame is the chrome of a dialog: title, an optional way back and a way out.
type Frame struct {
	Lang    i18n.Lang
	ID      string
	Title   string
	Back    templ.Component // a quiet button; nil for none
	Close   templ.Component // a quiet button or form; nil for none
	Actions templ.Component // at the bottom; nil for none
}

func id(given, name string) string {
	if given != "" {
		return given
	}
	return name
}

// describedBy names the hint, if there is one, and the error, which is always
// there: an empty one describes nothing.
func describedBy(id, hint string) string {
	if hint != "" {
		return id + "-hint " + id + "-error"
	}
	return id + "-error"
}

func invalid(words string) string {
	if words != "" {
		return "true"
	}
	return "false"
}

// classes joins the first name with each following pair's name whose condition
// holds.
func classes(first string, pairs ...any) string {
	out := first
	for i := 0; i+1 < len(pairs); i += 2 {
		if name, _ := pairs[i].(string); pairs[i+1] == true && name != "" {
			out += " " + name
		}
	}
	return out
}

func width(w string) string { return classes("input", "input-"+w, w != "") }

// endless reports whether a text has a word that is wider than a column.
func endless(s string) bool {
	for _, word := range strings.FieldsFunc(s, func(r rune) bool { return r == '-' || unicode.IsSpace(r) }) {
		if utf8.RuneCountInString(word) > 32 {
			return true
		}
	}
	return false
}

func initial(r Row) string {
	if r.Initial != "" {
		return r.Initial
	}
	for _, c := range r.Title {
		return strings.ToUpper(string(c))
	}
	return ""
}
