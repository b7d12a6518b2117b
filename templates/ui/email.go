package ui

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"vestibule/internal/i18n"
	"vestibule/internal/theme"
)

// Email is the HTML part of an email. It has the words of the text part, and a button for
// each of its links. It loads nothing and needs no style sheet: clients that ignore the
// element style show the light colors.
type Email struct {
	Lang    i18n.Lang // of the subject
	Subject string
	Brand   string // name of the sender
	Light   theme.Colors
	Dark    theme.Colors // both nil: Vestibule's
	Texts   []EmailText
	Links   []string // each is a line of a text, which becomes a button; other addresses do not
}

// EmailText is a text of an email in one language.
type EmailText struct {
	Lang   i18n.Lang
	Button string // of the links; "" for a note
	Text   string // plain, as in the text part
}

// HTML renders the email.
func (e Email) HTML(ctx context.Context) (string, error) {
	if e.Light == nil {
		e.Light, e.Dark = theme.Default(theme.Light), theme.Default(theme.Dark)
	}
	var out bytes.Buffer
	err := emailPage(e).Render(ctx, &out)
	return out.String(), err
}

// WithLink renders an email with the brand and the colors of e and one text, of which one
// line is the link. The line becomes a button.
func (e Email) WithLink(ctx context.Context, lang i18n.Lang, subject, text, link, button string) (string, error) {
	e.Lang, e.Subject, e.Links = lang, subject, []string{link}
	e.Texts = []EmailText{{Lang: lang, Button: button, Text: text}}
	return e.HTML(ctx)
}

// emailBlock is a paragraph or, with link, a button.
type emailBlock struct {
	lines []string
	link  string
}

// blocks returns the paragraphs and buttons of a text.
func (e Email) blocks(text string) (out []emailBlock) {
	for paragraph := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		var lines []string
		for line := range strings.SplitSeq(strings.Trim(paragraph, "\n"), "\n") {
			if !slices.Contains(e.Links, line) {
				lines = append(lines, line)
				continue
			}
			if len(lines) > 0 {
				out = append(out, emailBlock{lines: lines})
			}
			out, lines = append(out, emailBlock{link: line}), nil
		}
		if len(lines) > 0 {
			out = append(out, emailBlock{lines: lines})
		}
	}
	return out
}

// css returns an inline style with the light colors in place of their names in braces.
func (e Email) css(styles ...string) templ.SafeCSS {
	return templ.SafeCSS(withColors(strings.Join(styles, ";"), e.Light))
}

// textAttrs returns the look of a text: a note is small, and lines separate languages.
func (e Email) textAttrs(i int) templ.Attributes {
	if e.Texts[i].Button == "" {
		return templ.Attributes{"class": "soft", "style": string(e.css(emailNote))}
	}
	if i > 0 && e.Texts[i-1].Button != "" {
		return templ.Attributes{"class": "rule ink", "style": string(e.css(emailText, "border-top:1px solid {line}"))}
	}
	return templ.Attributes{"class": "ink", "style": string(e.css(emailText))}
}

// darkStyle returns the element that sets the dark colors of the email's classes.
func (e Email) darkStyle() templ.Component {
	return templ.Raw("<style>:root{color-scheme:light dark}@media(prefers-color-scheme:dark){" +
		withColors(`.paper{background:{paper}!important}`+
			`.sheet{background:{sheet}!important;border-color:{line}!important}.rule{border-color:{line}!important}.ink{color:{ink}!important}`+
			`.soft{color:{soft}!important}.name,.address{color:{primary}!important}`+
			`.button{background:{primary}!important;color:{on-primary}!important}`, e.Dark) + "}</style>")
}

func withColors(style string, colors theme.Colors) string {
	for name, color := range colors {
		style = strings.ReplaceAll(style, "{"+name+"}", fmt.Sprint(color))
	}
	return style
}
