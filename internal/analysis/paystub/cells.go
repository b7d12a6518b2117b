package paystub

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"vestibule/internal/analysis/paystub/pdf"
	"vestibule/internal/report"
)

// cell is a piece of text that stands by itself: no wide gap goes through it.
type cell struct {
	text   string
	words  string // as labels are compared: lower case, letters and digits, single spaces
	page   int
	x0, x1 float64
	y      float64
	size   float64
	runs   []int // of the page
	money  bool
	amount report.Cents // where it is money
	number bool         // money or another number, such as hours
}

// row is the cells of one line, from left to right.
type row []*cell

// y of a row.
func (r row) y() float64 { return r[0].y }

// sheet is what a stub shows, as it is seen: rows from top to bottom, page by page.
type sheet struct {
	*steps
	file    *pdf.File
	rows    []row
	cells   int
	covered []mark // text that something was painted over
}

// mark is a run of a page.
type mark struct{ page, run int }

// lay puts the text of a file in rows.
func lay(f *pdf.File) *sheet {
	s := &sheet{steps: &steps{left: maxSteps}, file: f}
	for n := range f.Pages {
		p := &f.Pages[n]
		hidden := covered(p)
		var pieces []*cell
		for i := range p.Runs {
			r := &p.Runs[i]
			s.spend(len(r.Text))
			switch {
			case hidden[i]:
				s.covered = append(s.covered, mark{n, i})
			case !r.Hidden && !r.Turned && strings.TrimSpace(r.Text) != "":
				pieces = append(pieces, cut(r, n, i)...)
			}
		}
		if s.cells += len(pieces); s.cells > maxCells {
			s.rows = []row{pieces[:1]} // nobody looks at them
			return s
		}
		s.rows = append(s.rows, lines(pieces)...)
	}
	return s
}

// cut splits a run where two spaces or three dots stand in a row, as text that is
// laid out with spaces has them.
func cut(r *pdf.Run, page, i int) (out []*cell) {
	letters := []rune(ligatures.Replace(r.Text))
	width := (r.End - r.X) / float64(max(1, len(letters)))
	from, blank, dots := -1, 0, 0
	flush := func(to int) {
		if from >= 0 && to > from {
			out = append(out, &cell{text: string(letters[from:to]), page: page, x0: r.X + width*float64(from), x1: r.X + width*float64(to), y: r.Y, size: r.Size, runs: []int{i}})
		}
		from = -1
	}
	for k, c := range letters {
		if unicode.IsSpace(c) || c == 0xa0 {
			if blank++; blank == 2 {
				flush(k - 1)
			}
			continue
		}
		if dots++; c != '.' {
			dots = 0
		}
		if dots >= 3 {
			flush(k - 2 - blank)
			from, blank = -1, 0
			continue
		}
		if blank = 0; from < 0 {
			from = k
		}
	}
	flush(len(letters) - blank)
	return out
}

// ligatures are letters that a font draws as one.
var ligatures = strings.NewReplacer("ﬀ", "ff", "ﬁ", "fi", "ﬂ", "fl", "ﬃ", "ffi", "ﬄ", "ffl", "ﬅ", "st", "ﬆ", "st", "\u00ad", "", "\u200b", "")

// lines puts pieces in rows and joins those that stand close.
func lines(pieces []*cell) (rows []row) {
	slices.SortStableFunc(pieces, func(a, b *cell) int { return cmp.Compare(b.y, a.y) })
	for len(pieces) > 0 {
		n := 1
		for n < len(pieces) && pieces[0].y-pieces[n].y <= 0.3*max(pieces[0].size, 4) {
			n++
		}
		line := row(pieces[:n:n])
		pieces = pieces[n:]
		slices.SortStableFunc(line, func(a, b *cell) int { return cmp.Compare(a.x0, b.x0) })
		var out row
		for _, c := range line {
			if last := len(out) - 1; last >= 0 {
				before := out[last]
				gap := c.x0 - before.x1
				size := min(c.size, before.size)
				whole := gap > -0.35*size && gap < 1.5*size && torn(before.text, c.text, gap < 0.4*size)
				if whole || gap > -0.35*size && gap < 0.55*size && len(before.text) < 400 {
					if !whole && gap > 0.12*size && !strings.HasSuffix(before.text, " ") {
						before.text += " "
					}
					before.text += c.text
					before.x1 = max(before.x1, c.x1)
					before.runs = append(before.runs, c.runs...)
					continue
				}
			}
			out = append(out, c)
		}
		out = slices.DeleteFunc(out, func(c *cell) bool { return strings.Trim(c.text, " $:.") == "" })
		for _, c := range out {
			c.text = strings.TrimSpace(c.text)
			c.words = plain(c.text)
			c.amount, c.money = money(c.text)
			c.number = c.money || number(c.text)
		}
		if len(out) > 0 {
			rows = append(rows, out)
		}
	}
	return rows
}

// torn says whether two pieces are an amount together: the first is none alone,
// and neither is the second, unless they stand closer than any two columns do.
func torn(a, b string, close bool) bool {
	if len(a) > 12 || len(b) > 12 || a == "$" || !number(a) {
		return false
	}
	_, one := money(a)
	_, two := money(b)
	_, both := money(a + b)
	return both && !one && (!two || close)
}

// plain is a text as labels are compared.
func plain(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	gap := false
	for _, c := range s {
		if unicode.IsLetter(c) || unicode.IsDigit(c) {
			if gap && b.Len() > 0 {
				b.WriteByte(' ')
			}
			gap = false
			b.WriteRune(unicode.ToLower(c))
		} else if c != '\'' && c != '’' && c != '.' {
			gap = true
		}
	}
	return b.String()
}

// money reads an amount with two decimals, as in 1,234.56, $1,234.56, (12.00),
// -12.00, 12.00- and 12.00*.
func money(s string) (report.Cents, bool) {
	s = strings.TrimSpace(s)
	negative := false
	if inner, ok := strings.CutPrefix(s, "("); ok && strings.HasSuffix(inner, ")") {
		s, negative = inner[:len(inner)-1], true
	}
	s = strings.TrimRight(s, " *")
	for range 3 {
		switch {
		case strings.HasPrefix(s, "-"), strings.HasPrefix(s, "−"):
			_, n := utf8.DecodeRuneInString(s)
			s, negative = s[n:], true
		case strings.HasSuffix(s, "-"):
			s, negative = s[:len(s)-1], true
		case strings.HasPrefix(s, "$"):
			s = s[1:]
		case strings.HasPrefix(s, "USD"):
			s = s[3:]
		}
		s = strings.TrimSpace(s)
	}
	whole, cents, ok := strings.Cut(s, ".")
	if !ok || len(cents) != 2 || len(whole) > 13 || whole == "" {
		return 0, false
	}
	var n report.Cents
	for i, c := range whole {
		if c == ',' {
			if i == 0 || (len(whole)-i)%4 != 0 {
				return 0, false
			}
			continue
		}
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + report.Cents(c-'0')
	}
	for _, c := range cents {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + report.Cents(c-'0')
	}
	if negative {
		n = -n
	}
	return n, true
}

// number says whether a text is one, such as hours or a rate.
func number(s string) bool {
	s = strings.TrimPrefix(strings.TrimSpace(s), "$")
	digits := 0
	for _, c := range s {
		switch {
		case c >= '0' && c <= '9':
			digits++
		case c != '.' && c != ',' && c != '-' && c != '%':
			return false
		}
	}
	return digits > 0 && len(s) < 20
}

// covered says of each run of a page whether something opaque was painted over it
// later, so that it is not seen.
func covered(p *pdf.Page) map[int]bool {
	out := map[int]bool{}
	if len(p.Paints) == 0 {
		return out
	}
	work := 4_000_000 // pairs; a page with more of both is none of a pay stub
	for i := range p.Runs {
		r := &p.Runs[i]
		if r.Turned {
			continue
		}
		mid := r.Y + 0.3*r.Size
		for k := range p.Paints {
			a := &p.Paints[k]
			if work--; work < 0 {
				return out
			}
			if a.Order > r.Order && a.Y0 < mid && a.Y1 > mid && min(a.X1, r.End)-max(a.X0, r.X) > 0.6*(r.End-r.X) {
				out[i] = true
				break
			}
		}
	}
	return out
}
