package pdf

import (
	"cmp"
	"slices"
	"strings"
)

// Column is a column of a table.
type Column struct {
	Title string
	Share float64 // width in hundredths of the table; 0 in all columns: by their content
	Right bool    // right-aligned
}

// Cell is a cell of a table. Line breaks begin lines.
type Cell struct {
	Text string
	Ink  Color // the zero color is Ink
	Bold bool
}

// Texts returns rows of cells without a style.
func Texts(rows [][]string) [][]Cell {
	out := make([][]Cell, len(rows))
	for i, row := range rows {
		for _, text := range row {
			out[i] = append(out[i], Cell{Text: text})
		}
	}
	return out
}

// Measures of a table.
const (
	gap       = 3.0  // between columns
	over      = 1.15 // above and below the lines of a row
	leastText = 14   // width of a column of texts beside numbers
	maxLines  = 12   // of a cell; then its last line ends in an ellipsis
)

var (
	headStyle = Style{Size: 7, Ink: Muted}
	cellStyle = Style{Size: 8, Ink: Ink}
)

// Table draws a table with wrapped cells. Its head is repeated on each page; without titles there
// is no head.
func (s *Sheet) Table(columns []Column, rows [][]Cell) {
	widths := s.columnWidths(columns, rows)
	head := make([][]string, len(columns))
	for i, c := range columns {
		head[i] = s.Wrap(headStyle, widths[i], c.Title)
	}
	titled := slices.ContainsFunc(columns, func(c Column) bool { return c.Title != "" })
	drawHead := func() {
		if titled {
			s.drawRow(columns, widths, head, func(int) Style { return headStyle })
		}
	}
	for n, row := range rows {
		cells, style := make([][]string, len(row)), func(i int) Style { return row[i].style() }
		for i, c := range row {
			cells[i] = s.Lines(style(i), widths[i], c.Text)
		}
		need := rowHeight(cells, cellStyle)
		if n == 0 {
			need += rowHeight(head, headStyle)
		}
		if s.Ensure(need) || n == 0 {
			drawHead()
		}
		s.Line(Margin, s.Y, s.Right(), s.Y, Rule, 0.15)
		s.drawRow(columns, widths, cells, style)
	}
}

func (c Cell) style() Style {
	st := cellStyle
	if st.Bold = c.Bold; c.Ink != (Color{}) {
		st.Ink = c.Ink
	}
	return st
}

// Lines returns the lines of a text with line breaks, at most maxLines.
func (s *Sheet) Lines(st Style, width float64, text string) (lines []string) {
	for part := range strings.SplitSeq(text, "\n") {
		lines = append(lines, s.Wrap(st, width, part)...)
	}
	if len(lines) > maxLines {
		lines = append(lines[:maxLines-1], s.Fit(st, width, lines[maxLines-1]+" …"))
	}
	return lines
}

func rowHeight(cells [][]string, st Style) float64 {
	n := 1
	for _, lines := range cells {
		n = max(n, len(lines))
	}
	return float64(n)*st.High() + 2*over - 1
}

// drawRow draws the lines of a row and moves below it.
func (s *Sheet) drawRow(columns []Column, widths []float64, cells [][]string, style func(column int) Style) {
	x := Margin
	for i, lines := range cells {
		st := style(i)
		at := x
		if st.Right = columns[i].Right; st.Right {
			at += widths[i]
		}
		for n, l := range lines {
			s.Text(at, s.Y+over+float64(n)*st.High(), st, l)
		}
		x += widths[i] + gap
	}
	s.Y += rowHeight(cells, style(0))
}

// columnWidths divides the width of the sheet between columns: as their shares say, or by their
// content. Numbers get what they need, and texts share the rest, the short ones first.
func (s *Sheet) columnWidths(columns []Column, rows [][]Cell) []float64 {
	out := make([]float64, len(columns))
	left := s.Inner() - gap*float64(len(columns)-1)
	if slices.ContainsFunc(columns, func(c Column) bool { return c.Share > 0 }) {
		for i, c := range columns {
			out[i] = left * c.Share / 100
		}
		return out
	}
	need, numbers := s.needs(columns, rows), 0.0
	var all, texts []int
	for i, c := range columns {
		all = append(all, i)
		if c.Right {
			numbers += need[i]
		} else {
			texts = append(texts, i)
		}
	}
	shared := all
	if numbers+leastText*float64(len(texts)) <= left {
		shared = texts
		for i, c := range columns {
			if c.Right {
				out[i] = need[i]
				left -= need[i]
			}
		}
	}
	slices.SortStableFunc(shared, func(a, b int) int { return cmp.Compare(need[a], need[b]) })
	for n, i := range shared {
		out[i] = min(need[i], left/float64(len(shared)-n))
		left -= out[i]
	}
	wider := texts
	if len(texts) == 0 {
		wider = all
	}
	for _, i := range wider {
		out[i] += left / float64(len(wider))
	}
	return out
}

// needs returns the widths of columns without wrapped cells.
func (s *Sheet) needs(columns []Column, rows [][]Cell) []float64 {
	need := make([]float64, len(columns))
	for i, c := range columns {
		for word := range strings.FieldsSeq(c.Title) {
			need[i] = max(need[i], s.Width(headStyle, word))
		}
		for _, row := range rows {
			for line := range strings.SplitSeq(row[i].Text, "\n") {
				need[i] = max(need[i], s.Width(row[i].style(), line))
			}
		}
		need[i] += 0.5 // for rounding
	}
	return need
}
