// Package ui holds the components of both parties' pages: the page layout, form fields,
// buttons, notices, tables and plots. It renders values and texts as HTML without inline
// script or style, and does not depend on applications, visits or requests.
//
// Every component works without script, by keyboard, at 320 px and in forced colors. The
// styles are in web/ui, one style sheet for each component, under the same class names.
package ui

import (
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/a-h/templ"

	"vestibule/internal/i18n"
)

// Page holds the data of Layout. Only Lang and Title are required.
type Page struct {
	Lang        i18n.Lang
	Title       string   // of this page, without the brand
	Description string   // for search engines and link previews; may be empty
	Brand       Brand    // in the header
	Home        string   // the brand's link; "" for no link
	Icon        string   // URL of the favicon
	IconType    string   // its media type; default: SVG
	Styles      []string // URLs
	Font        string   // URL of the font that the styles use
	Scripts     []string // URLs of modules, which run after parsing
	Languages   []Choice // from Languages; if empty, the switch is hidden
	Links       []Link   // in the header, such as sign out
	Head        templ.Component
	Footer      templ.Component  // may be nil
	Attrs       templ.Attributes // data attributes of the body, for scripts
	Refused     bool             // what was submitted was refused: the title says so
	Wide        bool             // for tables and reports
	Bare        bool             // no header, no footer: inside the widget's frame
	User        *User            // of a dashboard, whose menu is at the side; nil on other pages
}

// User is the signed-in user of a dashboard.
type User struct {
	Email     string
	SignOut   string // URL of the sign-out form
	Factor    string // URL of the user's own page about the second factor
	Account   string // name of the account; "" if there is only one
	AccountID string
	Find      string // URL of the form that searches; "" for none
	Lists     []Link // other pages that the menu of commands leads to
	Sections  []Link // of the page
}

// Wide returns p with the width for tables and reports.
func Wide(p Page) Page {
	p.Wide = true
	return p
}

// Brand is the brand of a page. The zero value is Vestibule.
type Brand struct {
	Name string
	Logo *Logo // nil: the default mark beside the name
	// Monogram shows the name's first letters in place of the default mark.
	Monogram bool
}

// IconName names an icon.
type IconName string

// Names of icons.
const (
	IconLock   IconName = "lock"
	IconChoose IconName = "choose"
	IconAgree  IconName = "agree"
)

// Logo is an image that replaces the default mark.
type Logo struct {
	URL, Dark     string // Dark is for the dark color scheme; "": URL, on a light ground
	Width, Height int    // displayed size in pixels
	Wordmark      bool   // it contains the name, so the page does not repeat it
	OnlyDark      bool   // URL is for the dark color scheme; on a light page it is on a dark ground
}

// class keeps a logo that is made for one color scheme legible in the other.
func (l Logo) class() string {
	switch {
	case l.OnlyDark:
		return "logo logo-of-dark"
	case l.Dark == "":
		return "logo logo-of-light"
	}
	return "logo"
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

// logoText returns the alternative text of a logo: the name, unless the page shows the name beside it.
func (p Page) logoText() string {
	if p.Brand.Logo.Wordmark {
		return p.brand()
	}
	return ""
}

func (p Page) fullTitle() string {
	title := p.Title
	if p.Refused {
		title = i18n.T(p.Lang, "form.refused", "title", title)
	}
	if title == "" || title == p.brand() {
		return p.brand()
	}
	return title + " · " + p.brand()
}

// Choice is one language of the switch.
type Choice struct {
	Lang    i18n.Lang
	URL     string
	Form    string // ID of a form that is sent to URL, to keep what was typed; "" for a link
	Current bool
}

// Link is a plain link.
type Link struct {
	Text, URL string
	Current   bool // the current page
}

// Tone is the meaning of a color of a notice, badge or row. The text always says it too.
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

// flashTones maps the codes of flash messages to tones; all others are Success.
var flashTones = map[string]Tone{
	"twice": Info, "too old": Warning, "no change": Info, "no failed": Info, "on its way": Info, "email not sent": Info,
	"no callback": Warning, "too many tests": Warning, "overlap": Warning, "corrected meanwhile": Warning,
	"busy": Warning, "stopped": Warning, "kept": Warning,
}

// Kind is the emphasis of a button. A page has one primary button.
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

// Input is a labeled text field. Its hint has the ID ID-hint and its error ID-error. The
// error's element always exists, so that a script can fill it.
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
	Prefix       string // shown before the value, such as $
	MaxLength    int
	Optional     bool // the label says so; otherwise the field is required
	Unmarked     bool // an optional field whose label does not say so: the text of its group does
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
	Unmarked     bool // as in Input
	HideLabel    bool // only screen readers get the label; a heading shows it
	Attrs        templ.Attributes
}

// Day is a date with three fields, Name-month, Name-day and Name-year, in the language's
// order.
type Day struct {
	Name             string
	Label            string
	Hint             string
	Error            string
	Lang             i18n.Lang
	Year, Month, Day string // as typed
	Birthday         bool   // offers the user's birthday for autofill
	Optional         bool
	Unmarked         bool // as in Input
	Attrs            templ.Attributes
}

// FieldError is one line of the error summary: the id of the field that it links to, and the
// message at the field.
type FieldError struct{ Field, Words string }

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
	Number bool   // aligned right, figures of one width
	URL    string // sorts the table by the column, or the other way around; "" for none
	Sort   string // the current order: "ascending", "descending", "" for none
	Screen bool   // not printed
}

// Cell is a cell of a table. Body, if set, replaces Text; URL makes Text a link.
// Words, in a column of numbers, is text that may wrap.
type Cell struct {
	Text  string
	URL   string
	Body  templ.Component
	Words bool
}

// isShort reports whether the cell is a text without a place where a line may end inside a word.
func (c Cell) isShort() bool { return c.Body == nil && c.URL == "" && len(c.Text) <= columnWord }

// Grid is a table. On narrow screens each row becomes a small list, with the
// column's label before each value.
type Grid struct {
	Caption     string
	HideCaption bool
	Named       bool // the first cell of a row names it
	Columns     []Column
	Rows        [][]Cell
}

// Tile is a large link, such as a product to choose.
type Tile struct {
	Title, Text, URL string
	Note             string // small text at the bottom
	Icon             templ.Component
}

// Row is a submit button that looks like a line of a list, such as a bank to choose.
type Row struct {
	Name, Value string
	Title       string
	Detail      string
	Initial     string // one or two letters for the disc before it; default: the initials of the title
	Plain       bool   // no disc, because the title is not a name
	Attrs       templ.Attributes
}

// Frame is the frame of a dialog: title, buttons to go back and to close, and actions.
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

// describedBy returns the IDs of the hint, if there is one, and of the error, which always
// exists and may be empty.
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

// classes joins the first name with the names of the following pairs whose condition is
// true.
func classes(first string, pairs ...any) string {
	out := first
	for i := 0; i+1 < len(pairs); i += 2 {
		if name, _ := pairs[i].(string); pairs[i+1] == true && name != "" {
			out += " " + name
		}
	}
	return out
}

// classed returns an attribute with classes, without the two maps that templ makes for each class={ … }.
func classed(first string, pairs ...any) templ.OrderedAttributes {
	return templ.OrderedAttributes{templ.KV[string, any]("class", classes(first, pairs...))}
}

func width(w string) string { return classes("input", "input-"+w, w != "") }

// columnWord is the number of characters of a word that always fits into a column.
const columnWord = 24

// breaks splits a text where a line may end inside its long words: before an at sign and
// before a point. long reports whether a part without such a place is wider than a column.
func breaks(s string) (parts []string, long bool) {
	from, word, part := 0, 0, 0
	for i, r := range s {
		switch {
		case unicode.IsSpace(r):
			word, part = 0, 0
			continue
		case r == '-':
			part = 0
		case r == '@' || r == '.':
			end := strings.IndexFunc(s[i:], unicode.IsSpace)
			if end < 0 {
				end = len(s) - i
			}
			if word > 0 && end > 1 && word+utf8.RuneCountInString(s[i:i+end]) > columnWord {
				parts, from, part = append(parts, s[from:i]), i, 0
			}
		}
		word++
		if part++; part > columnWord {
			long = true
		}
	}
	return append(parts, s[from:]), long
}

// Breakable returns a text as HTML, with places where a line may end inside its long words. long is as in breaks.
func Breakable(s string) (html string, long bool) {
	if len(s) <= columnWord {
		return templ.EscapeString(s), false
	}
	parts, long := breaks(s)
	for i, p := range parts {
		parts[i] = templ.EscapeString(p)
	}
	return strings.Join(parts, "<wbr>"), long
}

// initials returns the first letters of a title's first two words.
func initials(title string) string {
	var out []rune
	for _, w := range strings.Fields(title) {
		if first, _ := utf8.DecodeRuneInString(w); unicode.IsLetter(first) || unicode.IsDigit(first) {
			if out = append(out, unicode.ToUpper(first)); len(out) == 2 {
				break
			}
		}
	}
	return string(out)
}

// discColors is the number of colors of monograms in the style sheet.
const discColors = 4

// discColor returns the color class of a monogram, the same for the same title.
func discColor(title string) string {
	sum := 0
	for _, c := range []byte(title) {
		sum += int(c)
	}
	return "row-disc-" + strconv.Itoa(sum%discColors)
}

// RunEntry is an entry of a log within a run of such entries.
type RunEntry struct {
	At   time.Time
	Body templ.Component
	Note string // small; "" for none
}

// KeyFigure is a figure with its name.
type KeyFigure struct {
	Label, Value string
	URL          string // of what it counts; "" for none
	Tone         Tone
	Change       string // against an earlier time, in words; "" for none
}
