package review

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/a-h/templ"

	"vestibule/internal/i18n"
	"vestibule/internal/portal/review/verdict"
	"vestibule/templates/ui"
)

// Printout is the page of an application with a report as text, for a PDF: what belongs in a
// loan file. Its words and figures are those of the page.
type Printout struct {
	Lang     i18n.Lang
	Title    string // of the report
	Name     string // the applicant's; the application's if that is unknown
	ID       string // the application's
	Facts    []ui.Fact
	Notices  []PrintText
	Verdict  PrintText
	Findings []PrintFinding
	Parts    []PrintPart
}

// PrintText is a text with its tone. A line break begins a line.
type PrintText struct {
	Text   string
	Tone   ui.Tone
	Strong bool
}

// PrintFinding is one of the reviewer's questions with its answer.
type PrintFinding struct {
	Question, Answer string
	Badge            PrintText
}

// PrintPart is a part of a printout. Empty fields are left out.
type PrintPart struct {
	Title string
	Minor bool // the title is below that of an earlier part
	Text  string
	Items []string
	Keys  []ui.Fact // the main figures
	Facts []ui.Fact // without Body, like Keys
	Table PrintTable
	Note  string // below the table
}

// PrintTable is a table of a printout.
type PrintTable struct {
	Columns []ui.Column
	Rows    [][]PrintText
}

// Bounds of a printout, beyond those of usual reports. It says what it leaves out.
const (
	maxPrintRows  = 100 // of a table
	maxPrintParts = 150
)

// Printout returns the page of an application with a report as text. now is the time of the
// printout.
func (v ApplicationView) Printout(l i18n.Lang, now time.Time) (Printout, error) {
	s := v.Report.sheet(l)
	p := &printer{lang: l}
	out := Printout{Lang: l, Title: i18n.T(l, s.title), Name: v.title(l), ID: v.Row.ID}
	out.Facts = []ui.Fact{{Term: i18n.T(l, "review.application.label"), Text: v.Row.ID}}
	if v.Row.ExternalID != v.Row.ID {
		out.Facts = append(out.Facts, ui.Fact{Term: i18n.T(l, "review.application.external_id"), Text: v.Row.ExternalID})
	}
	out.Facts = append(out.Facts, ui.Fact{Term: i18n.T(l, "review.application.public_token"), Text: s.meta.PublicToken},
		ui.Fact{Term: i18n.T(l, "review.report.retrieved"), Text: ui.MomentWords(l, s.meta.CreatedAt.Time)},
		ui.Fact{Term: i18n.T(l, "review.pdf.made"), Text: ui.MomentWords(l, now)})
	if m := s.meta; m.Revision != nil {
		out.Facts = append(out.Facts, ui.Fact{Term: i18n.T(l, "review.report.revision"), Text: *m.Revision})
	}
	if words, tone := s.revised(l); words != "" {
		out.Notices = append(out.Notices, PrintText{Text: words, Tone: tone})
	}
	for _, n := range s.notices {
		out.Notices = append(out.Notices, PrintText{Text: n.text, Tone: n.tone})
	}
	out.Verdict = PrintText{Text: verdictWords(l, s.verdict), Tone: tones[s.verdict.Level()]}
	for _, f := range s.verdict.Findings {
		out.Findings = append(out.Findings, PrintFinding{i18n.T(l, f.Question), say(l, f.Answer...), levelBadge(l, f.Level).PrintText})
	}
	p.stated(s.verdict.Stated)
	p.keys(s.keys)
	p.against(v.against(l))
	v.Report.printScore(p)
	p.decisions(v.Deciding.Taken)
	v.Report.print(p)
	p.part("review.report.about")
	p.facts(aboutFacts(l, s.product, s.meta))
	if out.Parts = p.parts; len(out.Parts) > maxPrintParts {
		out.Parts = append(out.Parts[:maxPrintParts], PrintPart{Note: i18n.T(l, "review.pdf.cut")})
	}
	return out, p.err
}

// printer collects the parts of a printout.
type printer struct {
	lang  i18n.Lang
	parts []PrintPart
	err   error // a component has no text
}

func (p *printer) part(title i18n.Key) {
	p.parts = append(p.parts, PrintPart{Title: i18n.T(p.lang, title)})
}

func (p *printer) minor(title string) {
	p.parts = append(p.parts, PrintPart{Title: title, Minor: true})
}

// last returns the part that is being filled.
func (p *printer) last() *PrintPart { return &p.parts[len(p.parts)-1] }

func (p *printer) text(s string) { p.last().Text = s }

func (p *printer) note(s string) { p.last().Note = s }

func (p *printer) item(s string) { p.last().Items = append(p.last().Items, s) }

// read returns the text of a component.
func (p *printer) read(c templ.Component) PrintText {
	shown, ok := c.(printed)
	if !ok {
		p.err = fmt.Errorf("review: %T has no text for a printout", c)
	}
	return shown.PrintText
}

// facts adds the facts that have a value.
func (p *printer) facts(all []ui.Fact) {
	for _, f := range all {
		if f.Body != nil {
			f.Text, f.Body = p.read(f.Body).Text, nil
		}
		if f.Text != "" && f.Text != notGiven {
			p.last().Facts = append(p.last().Facts, f)
		}
	}
}

// table adds a table without the columns for the screen alone; an empty one adds nothing.
func (p *printer) table(g ui.Grid) {
	if len(g.Rows) == 0 {
		return
	}
	if len(p.last().Table.Rows) > 0 {
		p.parts = append(p.parts, PrintPart{})
	}
	t := &p.last().Table
	for _, c := range g.Columns {
		if !c.Screen {
			t.Columns = append(t.Columns, c)
		}
	}
	for _, cells := range g.Rows[:min(len(g.Rows), maxPrintRows)] {
		var row []PrintText
		for i, c := range cells {
			switch {
			case g.Columns[i].Screen:
			case c.Body != nil:
				row = append(row, p.read(c.Body))
			default:
				row = append(row, PrintText{Text: c.Text})
			}
		}
		t.Rows = append(t.Rows, row)
	}
	if n := len(g.Rows) - maxPrintRows; n > 0 {
		p.note(i18n.N(p.lang, "review.pdf.more_rows", n))
	}
}

// section adds a part with a table; an empty table adds nothing.
func (p *printer) section(title i18n.Key, g ui.Grid) {
	if len(g.Rows) > 0 {
		p.part(title)
		p.table(g)
	}
}

// stated adds what the applicant stated beside what the report found.
func (p *printer) stated(all []verdict.Stated) {
	if len(all) == 0 {
		return
	}
	p.part("review.stated.title")
	g, alone := statedGrid(p.lang, all)
	p.table(g)
	if len(alone) > 0 {
		p.note(i18n.T(p.lang, "review.stated.alone") + " " + strings.Join(alone, " · "))
	}
}

func (p *printer) keys(all []key) {
	if len(all) == 0 {
		return
	}
	p.part("review.pdf.keys")
	for _, k := range all {
		p.last().Keys = append(p.last().Keys, ui.Fact{Term: k.label, Text: k.value})
	}
}

func (p *printer) against(all []signal) {
	if len(all) == 0 {
		return
	}
	p.part("review.against.title")
	for _, s := range all {
		p.item(s.label + ": " + s.value)
	}
}

// decisions adds the decisions, the newest first.
func (p *printer) decisions(all []Decision) {
	if len(all) == 0 {
		return
	}
	p.part("review.decision")
	for _, d := range all {
		by := cmp.Or(d.By, i18n.T(p.lang, "review.removed_user"))
		p.minor(joined(" · ", i18n.Code(p.lang, "review.decisions", d.Decision),
			joined(" ", ui.MomentWords(p.lang, d.At), i18n.T(p.lang, "review.by"), by)))
		for _, r := range d.Reasons {
			p.item(joined(" ", r.Text(p.lang), r.Number()))
		}
		p.note(d.Text)
	}
}
