package review

import (
	"cmp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/a-h/templ"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/portal/review/verdict"
	"vestibule/internal/report"
	"vestibule/templates/ui"
)

// printed is a component with its text for a printout.
type printed struct {
	templ.Component
	PrintText
}

// as gives a component its text for a printout, in lines without superfluous spaces.
func as(c templ.Component, lines ...string) printed {
	var all []string
	for _, line := range lines {
		if words := strings.Fields(line); len(words) > 0 {
			all = append(all, strings.Join(words, " "))
		}
	}
	return printed{c, PrintText{Text: strings.Join(all, "\n")}}
}

// notGiven stands for a missing value.
const notGiven = "–"

// textOrDash shows a text, or a dash that screen readers read as words.
func textOrDash(l i18n.Lang, s string) printed { return as(orDash(l, s), cmp.Or(s, notGiven)) }

// balance shows an amount; a dash for nil.
func balance(l i18n.Lang, cur currency, c *report.Cents) printed {
	if c == nil {
		return textOrDash(l, "")
	}
	return textOrDash(l, cur.format(*c))
}

// list shows texts, each in a line.
func list(l i18n.Lang, all []string) printed {
	if len(all) == 0 {
		return textOrDash(l, "")
	}
	return as(eachLine(all), all...)
}

// badge shows words in a color. Style sheets begin them with a capital letter.
func badge(tone ui.Tone, words string) printed {
	first, size := utf8.DecodeRuneInString(words)
	p := as(ui.Badge(tone, words), string(unicode.ToUpper(first))+words[size:])
	if tone != ui.Info {
		p.Tone = tone
	}
	return p
}

func mono(s string) printed { return as(monospace(s), s) }

// when shows a time, readable by people and machines.
func when(l i18n.Lang, t time.Time) printed {
	if t.IsZero() {
		return textOrDash(l, "")
	}
	return as(ui.Moment(l, t), ui.MomentWords(l, t))
}

func date(l i18n.Lang, d *report.Date) printed {
	if d == nil {
		return textOrDash(l, "")
	}
	return as(day(l, *d), ui.DayWords(l, d.Time))
}

// span shows a period; an open end is a dash.
func span(l i18n.Lang, from, to *report.Date) printed {
	between := " "
	switch {
	case from == nil && to == nil:
		return textOrDash(l, "")
	case from != nil && to != nil:
		between = " – "
	}
	a, b := date(l, from), date(l, to)
	return as(period(a, b, between), a.Text+between+b.Text)
}

// lastDigits shows the last digits of an account number.
func lastDigits(l i18n.Lang, last string) printed {
	if last == "" {
		return textOrDash(l, "")
	}
	return as(numberEnd(l, last), "•••• "+last)
}

// source shows a source by its name; the id, which files and API have, is its title.
func source(l i18n.Lang, id string) printed {
	words := sourceWords(l, id)
	return as(sourceName(words, id), words)
}

// stated shows the balance that a bank states, with its day and currency.
func stated(l i18n.Lang, c *report.Cents, t report.BalanceTerms) printed {
	if c == nil {
		return textOrDash(l, "")
	}
	text, tone := currency(t.CurrencyCode()).format(*c), ui.Neutral
	if t.BalanceDate != nil {
		text += " " + i18n.T(l, "review.stated.as_caption") + " " + ui.DayWords(l, t.BalanceDate.Time)
	}
	if t.LeftOut {
		leftOut := badge(ui.Warning, i18n.T(l, "review.stated.left_out"))
		text, tone = text+" "+leftOut.Text, leftOut.Tone
	}
	p := as(statedBalance(l, *c, t), text)
	p.Tone = tone
	return p
}

func statusBadge(l i18n.Lang, s contract.Status) printed {
	return badge(statusTone(s), i18n.Code(l, "statuses", s))
}

// compared shows how a name compares with the stated one. level is that of the answer about the names: a
// name that differs contradicts only if no source knows the stated one.
func compared(l i18n.Lang, c verdict.Comparison, level verdict.Level) printed {
	switch c {
	case verdict.Typed:
		return badge(ui.Neutral, i18n.T(l, "review.report.typed"))
	case verdict.Matched:
		return badge(ui.Success, i18n.T(l, "review.report.matched"))
	case verdict.Unmatched:
		return badge(tones[level], i18n.T(l, "review.report.unmatched"))
	}
	return notCompared(l)
}

func notCompared(l i18n.Lang) printed {
	words := i18n.T(l, "review.report.not_compared")
	return as(muted(words), words)
}
