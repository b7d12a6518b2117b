package provider

import (
	"time"

	"vestibule/internal/i18n"
	"vestibule/internal/pdf"
	"vestibule/templates/ui"
)

// AccessDocument is a person's file, to be drawn as a PDF.
type AccessDocument struct {
	Access
	Service string
	Made    time.Time
	Reads   []AccessRead
	Log     []AccessEntry
	Reports []AccessReportView // with all transactions
	More    int                // number of older reports
}

// maxDrawn is the maximum number of transactions of a report in a PDF.
const maxDrawn = 1000

// Render draws the file.
func (v AccessDocument) Render() ([]byte, error) {
	l, title := v.Lang, i18n.T(v.Lang, "access.document.title", "service", v.Service)
	s := pdf.New(pdf.Settings{Title: title, Language: string(l), Made: v.Made, Width: pdf.A4Width, Height: pdf.A4Height,
		PageOf: i18n.T(l, "access.document.page", "page", "{page}", "pages", "{pages}"), Footer: title + " · " + ui.DayWords(l, v.Made)})
	s.Text(pdf.Margin, s.Y, pdf.Style{Size: 17, Bold: true, Ink: pdf.Ink}, s.Fit(pdf.Style{Size: 17, Bold: true}, s.Inner(), title))
	s.Y += 10
	v.paragraph(s, i18n.T(l, "access.document.text", "day", ui.MomentWords(l, v.Made)))
	s.Heading(i18n.T(l, "access.reads"), 10)
	if len(v.Reads) == 0 {
		v.paragraph(s, i18n.T(l, "access.reads.none"))
	} else {
		drawGrid(s, readGrid(l, v.Reads))
	}
	s.Heading(i18n.T(l, "access.log"), 10)
	drawGrid(s, logGrid(l, v.Log))
	for _, r := range v.Reports {
		s.Heading(r.Company+": "+r.title(), 14)
		if r.Deleted {
			v.paragraph(s, i18n.T(l, "access.report.deleted"))
			continue
		}
		for _, f := range r.Figures {
			v.subheading(s, f.Title)
			for _, g := range f.Groups {
				if g.Title != "" {
					v.paragraph(s, g.Title)
				}
				var rows [][]string
				for _, fact := range g.Facts {
					rows = append(rows, []string{fact.Term, fact.Text})
				}
				s.Table([]pdf.Column{{Share: 55}, {Share: 45}}, pdf.Texts(rows))
				if len(g.Table.Rows) > 0 {
					if !g.Table.HideCaption {
						v.paragraph(s, g.Table.Caption)
					}
					drawGrid(s, g.Table)
				}
				s.Y += 2
			}
		}
		v.subheading(s, i18n.T(l, "access.transactions"))
		switch {
		case r.NoTransactions:
			v.paragraph(s, i18n.T(l, "access.transactions.deleted"))
		case len(r.Transactions) == 0:
			v.paragraph(s, i18n.T(l, "access.transactions.none"))
		default:
			if len(r.Transactions) > maxDrawn {
				r.Transactions = r.Transactions[:maxDrawn]
				v.paragraph(s, i18n.N(l, "access.document.newest", maxDrawn))
			}
			drawGrid(s, r.transactions())
		}
	}
	if v.More > 0 {
		v.paragraph(s, i18n.N(l, "access.document.more", v.More))
	}
	return s.Bytes()
}

func (v AccessDocument) paragraph(s *pdf.Sheet, text string) {
	s.Ensure(20)
	s.Y += 2 + s.Paragraph(pdf.Margin, s.Y+2, s.Inner(), pdf.Style{Size: 8.5, Ink: pdf.Muted}, text) + 2
}

func (v AccessDocument) subheading(s *pdf.Sheet, text string) {
	s.Ensure(24)
	s.Y += 3
	s.Text(pdf.Margin, s.Y, pdf.Style{Size: 9.5, Bold: true, Ink: pdf.Ink}, text)
	s.Y += 6
}

// drawGrid draws a table of texts.
func drawGrid(s *pdf.Sheet, g ui.Grid) {
	var columns []pdf.Column
	for _, c := range g.Columns {
		columns = append(columns, pdf.Column{Title: c.Label, Right: c.Number})
	}
	var rows [][]string
	for _, r := range g.Rows {
		var row []string
		for _, c := range r {
			row = append(row, c.Text)
		}
		rows = append(rows, row)
	}
	s.Table(columns, pdf.Texts(rows))
}
