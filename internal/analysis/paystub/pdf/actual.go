package pdf

import (
	"slices"
	"strings"
	"unicode"
)

// mark is marked content that has begun, with its ActualText and the page's runs before it.
type mark struct {
	text string
	runs int
}

func (p *painter) mark(args []any, resources dict) {
	if len(p.marks) > 1024 {
		panic(tooMuch("marked content"))
	}
	properties := last(args)
	if key, is := properties.(name); is && len(args) > 1 {
		properties = p.resource(resources, "Properties", key)
	}
	actual, _ := p.r.resolve(p.r.asDict(properties).get("ActualText")).(text)
	p.marks = append(p.marks, mark{actual.String(), len(p.page.Runs)})
}

// unmark compares the runs of marked content with its ActualText, which replaces them if the
// file does not say which letters they show.
func (p *painter) unmark(m mark) {
	runs := p.page.Runs[m.runs:]
	if m.text == "" || len(runs) == 0 {
		return
	}
	var own strings.Builder
	unknown := false
	for _, r := range runs {
		own.WriteString(r.Text)
		unknown = unknown || strings.Contains(r.Text, "\ufffd") || p.r.out.Fonts[r.Font].Guessed
		if r.Y != runs[0].Y {
			return // a text of several lines
		}
	}
	p.r.left.spend(own.Len() + len(m.text))
	switch {
	case !unknown:
		runs[0].Differs = plain(own.String()) != plain(m.text)
	default:
		runs[0].Text, runs[0].End, runs[0].Actual = m.text, runs[len(runs)-1].End, true
		p.page.Runs = slices.Delete(p.page.Runs, m.runs+1, len(p.page.Runs))
	}
}

// plain returns the digits of a text, in which no ligature, accent or hyphen differs.
func plain(s string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsDigit(c) {
			return c
		}
		return -1
	}, s)
}
