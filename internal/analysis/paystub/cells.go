package paystub

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"vestibule/internal/analysis/paystub/pdf"
	"vestibule/internal/report"
)

// cell is a piece of text without wide gaps.
type cell struct {
	text   string
	words  string // for comparing labels: lower case, letters and digits, single spaces
	page   int
	x0, x1 float64
	y      float64
	size   float64
	runs   []int // indexes of the page's runs
	money  bool
	amount report.Cents // if money is set
	number bool         // money or another number, such as hours
}

// row holds the cells of one line, from left to right.
type row []*cell

// set assigns a cell's text, and the fields that follow from it.
func (c *cell) set(text string) {
	c.text, c.words = text, plain(text)
	c.amount, c.money = money(text)
	c.number = c.money || number(text)
}

// y returns the baseline of a row's first cell.
func (r row) y() float64 { return r[0].y }

// sheet holds the visible content of a stub: rows from top to bottom, page by page.
type sheet struct {
	*steps
	file    *pdf.File
	rows    []row
	cells   int
	covered []mark // text that was painted over
	below   [2]int // the result of placement
	above   bool   // the days are above their labels
}

// mark identifies a run of a page.
type mark struct{ page, run int }

// maxRun is the maximum size of a run's text, in bytes, because the position of each letter
// takes memory. A line of a stub has a few hundred bytes.
const maxRun = 50_000

// layOut arranges the text of a file in rows.
func layOut(f *pdf.File) *sheet {
	s := &sheet{steps: &steps{left: maxSteps}, file: f}
	for n := range f.Pages {
		p := &f.Pages[n]
		hidden := covered(p)
		var pieces []*cell
		var str strip
		joined := spacedLetters(p)
		for i := range p.Runs {
			r := &p.Runs[i]
			if s.spend(len(r.Text)); len(r.Text) > maxRun {
				panic(tooManySteps{})
			}
			if hidden[i] {
				s.covered = append(s.covered, mark{n, i})
			}
			if hidden[i] || r.Hidden || r.Turned || r.Text == "" {
				continue
			}
			if str.last == nil || joined[i] == 0 && !str.continues(r) {
				pieces = append(pieces, str.cut(n)...)
				str = strip{}
			} else if joined[i] == ' ' {
				str.letters, str.x, str.of = append(str.letters, ' '), append(str.x, str.last.End), append(str.of, i)
			}
			str.add(r, i)
		}
		pieces = append(pieces, str.cut(n)...)
		if s.cells += len(pieces); s.cells > maxCells {
			s.rows = []row{pieces[:1]} // too many for a stub
			return s
		}
		s.rows = append(s.rows, lines(pieces)...)
	}
	s.spacesInAmounts()
	s.commas()
	s.splitCents()
	s.labelsFirst()
	s.joinTowns()
	s.splitTexts()
	s.joinLabels()
	s.mergeHeads()
	return s
}

// mergeHeads merges rows of column headers that are slightly above and below one another,
// as beside headers of several lines, and joins headers that continue in the line below,
// such as "Year to" and "date".
func (s *sheet) mergeHeads() {
	words := func(r row) bool {
		return !slices.ContainsFunc(r, func(c *cell) bool { return c.number })
	}
	for n := 0; n+1 < len(s.rows); n++ {
		a, b := s.rows[n], s.rows[n+1]
		gap := a.y() - b.y()
		if a[0].page != b[0].page || gap > 1.35*a[0].size || !words(a) || !words(b) {
			continue
		}
		s.spend(len(a) * len(b))
		overlap, heads := false, 0
		for _, c := range slices.Concat(a, b) {
			if k := periodOf(c.words); k != noPeriod && k != describe {
				heads++
			}
		}
		rest, most := row{}, 0.95*a[0].size
		for _, c := range b {
			joined := false
			for _, up := range a {
				if min(up.x1, c.x1)-max(up.x0, c.x0) <= 0 {
					continue
				}
				whole := periodOf(c.words)
				titled := isDescription(c.words) && sectionOf(up.words) != noSection
				if goesOn := len(b) < len(a) || (whole == noPeriod || whole == describe) && !mayBeAmounts(c.words) &&
					periodOf(up.words) == noPeriod && !titled; !joined && goesOn &&
					c.words != "" && periodOf(up.words+" "+c.words) != noPeriod && heads > 0 {
					up.text, up.words = up.text+" "+c.text, up.words+" "+c.words
					up.x0, up.x1, up.runs, joined = min(up.x0, c.x0), max(up.x1, c.x1), append(up.runs, c.runs...), true
					heads, most = heads+1, 1.35*a[0].size
				} else {
					overlap = true
				}
			}
			if !joined {
				rest = append(rest, c)
			}
		}
		switch {
		case len(rest) == 0:
			s.rows = slices.Delete(s.rows, n+1, n+2)
			n--
		case !overlap && heads > 1 && gap < most && !s.overNext(n):
			all := append(slices.Clone(a), rest...)
			slices.SortStableFunc(all, func(x, y *cell) int { return cmp.Compare(x.x0, y.x0) })
			s.rows[n] = all
			s.rows = slices.Delete(s.rows, n+1, n+2)
			n--
		default:
			s.rows[n+1] = rest
		}
	}
}

// overNext reports whether a word of a row is over a word of the second row below it. Such a
// word is over several columns.
func (s *sheet) overNext(n int) bool {
	if n+2 >= len(s.rows) || s.rows[n+1].y()-s.rows[n+2].y() > s.rows[n][0].size {
		return false
	}
	for _, c := range s.rows[n] {
		for _, down := range s.rows[n+2] {
			if min(c.x1, down.x1)-max(c.x0, down.x0) > 0 && !down.number {
				return true
			}
		}
	}
	return false
}

// spacedLetters returns the runs that continue a word of letters that are drawn one by one, with
// gaps between them, and those that follow a space (' ') that is not drawn.
func spacedLetters(p *pdf.Page) map[int]rune {
	out := map[int]rune{}
	for i := 0; i < len(p.Runs); {
		var gaps []float64
		blank, k := false, i+1 // spaces are drawn
		for ; k < len(p.Runs) && k-i < 400; k++ {
			before, r := &p.Runs[k-1], &p.Runs[k]
			gap := (r.X - before.End) / r.Size
			if len(before.Text) > 4 || utf8.RuneCountInString(before.Text+r.Text) != 2 || r.Hidden || r.Turned || r.Font != before.Font ||
				r.Size != before.Size || r.Y != before.Y || gap < -0.3 || gap > 1.5 {
				break
			}
			gaps, blank = append(gaps, gap), blank || r.Text == " "
		}
		usual := 0.0
		if len(gaps) > 1 {
			usual = slices.Sorted(slices.Values(gaps))[len(gaps)/3]
		}
		for j, gap := range gaps {
			if usual < 0.08 || usual > 0.5 {
				break
			}
			if gap < usual+0.12 || blank && gap < usual+0.3 {
				out[i+1+j] = 'j'
			} else if gap < 2*usual+0.5 {
				out[i+1+j] = ' '
			}
		}
		i = k
	}
	return out
}

// strip holds consecutive letters of one or several runs, because some programs draw each
// letter separately, including spaces.
type strip struct {
	letters []rune
	x       []float64 // the left edge of each letter
	of      []int     // the run of each letter
	last    *pdf.Run
}

// continues reports whether a run begins where the strip ends, in the same font.
func (t *strip) continues(r *pdf.Run) bool {
	l := t.last
	if len(t.letters) > 0 && unicode.IsLetter(t.letters[len(t.letters)-1]) && isValue(r.Text) {
		return false // a label that fills its column
	}
	return l != nil && r.Font == l.Font && r.Size == l.Size && r.Y == l.Y && abs(r.X-l.End) < 0.06*l.Size && len(t.letters) < 400
}

func (t *strip) add(r *pdf.Run, i int) {
	letters := []rune(ligatures.Replace(r.Text))
	width := (r.End - r.X) / float64(max(1, len(letters)))
	for k, c := range letters {
		t.letters, t.x, t.of = append(t.letters, c), append(t.x, r.X+width*float64(k)), append(t.of, i)
	}
	t.last = r
}

// cut splits a strip into cells at two consecutive spaces, at three dots, and between
// amounts.
func (t *strip) cut(page int) (out []*cell) {
	from, blank, dots := -1, 0, 0
	flush := func(to int) {
		if from >= 0 && to > from {
			end := t.last.End
			if to < len(t.x) {
				end = t.x[to]
			}
			out = append(out, &cell{text: string(t.letters[from:to]), page: page, x0: t.x[from], x1: end, y: t.last.Y,
				size: t.last.Size, runs: slices.Compact(slices.Clone(t.of[from:to]))})
		}
		from = -1
	}
	for k, c := range t.letters {
		if unicode.IsSpace(c) {
			if blank++; blank == 2 {
				flush(k - 1)
			}
			continue
		}
		// Amounts of narrow columns may be one space apart, or none.
		if after := k - blank; from >= 0 && after > from && k-from < 20 &&
			(c == '$' && isDigit(byte(t.letters[after-1])) || blank == 1 && (unicode.IsDigit(c) || c == '$')) {
			if _, ended := money(string(t.letters[from:after])); ended {
				flush(after)
			}
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
	flush(len(t.letters) - blank)
	return out
}

// lines groups pieces into rows and joins adjacent ones.
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
		for _, c := range kerned(line) {
			if last := len(out) - 1; last >= 0 {
				before := out[last]
				if c.text == before.text && abs(c.x0-before.x0) < 1 && abs(c.y-before.y) < 1 {
					continue // drawn twice, to look bold
				}
				gap := c.x0 - before.x1
				size := min(c.size, before.size)
				whole := gap > -0.35*size && gap < 1.5*size && isSplitAmount(before.text, c.text, gap < 0.4*size)
				// Two amounts, or an amount and a word, are in two columns.
				_, ended := money(before.text)
				_, another := money(c.text)
				if letter, _ := utf8.DecodeLastRuneInString(before.text); isValue(c.text) && unicode.IsLetter(letter) && gap < 0.12*size {
					out = append(out, c)
					continue
				}
				if !whole && (isDay(before.text) && isDay(c.text) || ended && (another || gap > 0.2*size && len(c.text) > 1 &&
					c.text != "CR" && c.text != "DR" && c.text != "USD") ||
					another && number(before.text) && strings.Contains(before.text, ".")) {
					out = append(out, c)
					continue
				}
				if !whole && isHead(before.text) && (isHead(c.text) || mayBeAmounts(plain(c.text))) {
					if both := plain(before.text + " " + c.text); periodOf(both) == noPeriod && labelOf(both) == noField && totalOf(both) == noItem {
						out = append(out, c)
						continue
					}
				}
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
		for _, c := range out {
			c.set(spaceAfterColon(withoutRule(strings.TrimSpace(c.text))))
		}
		out = slices.DeleteFunc(out, func(c *cell) bool { return strings.Trim(c.text, " $:.") == "" })
		if len(out) > 0 {
			rows = append(rows, out)
		}
	}
	return rows
}

// kerned joins pieces of a word that were drawn separately because of kerning, before
// words are joined.
func kerned(line row) (out row) {
	for _, c := range line {
		if last := len(out) - 1; last >= 0 {
			before := out[last]
			a, _ := utf8.DecodeLastRuneInString(before.text)
			b, _ := utf8.DecodeRuneInString(c.text)
			if gap := c.x0 - before.x1; unicode.IsLetter(a) && unicode.IsLetter(b) && abs(gap) < 0.1*c.size &&
				c.size == before.size && c.y == before.y && len(before.text) < 400 {
				before.text += c.text
				before.x1 = c.x1
				before.runs = append(before.runs, c.runs...)
				continue
			}
		}
		out = append(out, c)
	}
	return out
}

// spacedAmount matches an amount with spaces between thousands at the end of a text.
var spacedAmount = regexp.MustCompile(`(?:^|[^\d.,] ?)([-$]*\d{1,3}(?: \d{3})+[.,]\d\d-?)$`)

// spacesInAmounts removes the spaces between thousands, if a stub has them in all amounts of
// thousands. Hours and an amount would not be beside net, nor the amount begin with zero.
func (s *sheet) spacesInAmounts() {
	var found []*cell
	alone, sure := 0, false
	for _, r := range s.rows {
		for _, c := range r {
			s.spend(len(c.text) / 4)
			for _, text := range []string{c.text, swapped.Replace(c.text)} {
				if v, ok := money(text); ok && max(v, -v) >= 1000_00 {
					return
				}
			}
			if m := spacedAmount.FindStringSubmatch(c.text); m != nil && len(c.text) < maxLabel {
				label := plain(strings.TrimSuffix(c.text, m[1]))
				found, sure = append(found, c), sure || totalOf(label) == net || totalOf(r[0].words) == net || strings.Contains(m[1], " 0")
				if m[1] == c.text {
					alone++
				}
			}
		}
	}
	if alone < 3 || !sure {
		return
	}
	for _, c := range found {
		at := len(c.text) - len(spacedAmount.FindStringSubmatch(c.text)[1])
		c.set(c.text[:at] + strings.ReplaceAll(c.text[at:], " ", ""))
	}
}

// labelsFirst moves the labels of amounts to the left of them, if a stub has them to the right.
func (s *sheet) labelsFirst() {
	var turned []int
	known, left, right, wide := 0, 1e9, 0.0, 0.0
	for n, r := range s.rows {
		last := r[len(r)-1]
		s.spend(32 + len(r))
		switch {
		case len(r) > 1 && !r[0].number && r[1].money && itemOfAny(r[0].words):
			return
		case len(r) > 1 && !last.number && !slices.ContainsFunc(r[:len(r)-1], func(c *cell) bool { return !c.number }):
			if itemOfAny(last.words) {
				known, right = known+1, last.x0
			}
		case len(r) == 1 || slices.ContainsFunc(r[:len(r)-1], func(c *cell) bool { return periodOf(c.words) == noPeriod }) || last.number ||
			periodOf(last.words) == current || periodOf(last.words) == ytd:
			continue
		}
		turned, left, wide = append(turned, n), min(left, r[0].x0), max(wide, last.x1-last.x0)
	}
	if known < 4 {
		return
	}
	for _, n := range turned {
		r := s.rows[n]
		if label := r[len(r)-1]; abs(label.x0-right) < 4 {
			label.x0, label.x1 = left-wide-8, left-wide-8+label.x1-label.x0
			s.rows[n] = append(row{label}, r[:len(r)-1]...)
		}
	}
}

// commas exchanges decimal commas and the points of thousands, if a stub has no other amounts.
func (s *sheet) commas() {
	var found []*cell
	for _, r := range s.rows {
		for _, c := range r {
			last := c.text[strings.LastIndexByte(c.text, ' ')+1:]
			if _, points := money(last); points {
				return
			}
			if _, ok := money(swapped.Replace(last)); ok {
				found = append(found, c)
			}
		}
	}
	if len(found) > 3 {
		for _, c := range found {
			at := strings.LastIndexByte(c.text, ' ') + 1
			c.set(c.text[:at] + swapped.Replace(c.text[at:]))
		}
	}
}

var swapped = strings.NewReplacer(",", ".", ".", ",")

// splitCents joins dollars and cents that are in separate columns, or separated by a
// space, if a stub does so throughout.
func (s *sheet) splitCents() {
	pairs, whole := 0, 0
	each := func(of func(r row, i int, digits, cents string)) {
		for _, r := range s.rows {
			for i, c := range r {
				if c.money {
					whole++
					continue
				}
				if a, b, ok := strings.Cut(c.text, " "); ok && dollars(a) && isCents(b) {
					of(r, i, a, b)
				} else if i+1 < len(r) && dollars(c.text) && isCents(r[i+1].text) && r[i+1].x0-c.x1 < 2*c.size {
					of(r, i, c.text, r[i+1].text)
				}
			}
		}
	}
	each(func(row, int, string, string) { pairs++ })
	if pairs < 6 || pairs < 2*whole {
		return
	}
	each(func(r row, i int, a, b string) {
		c := r[i]
		if c.text == a { // the cents are a separate cell, which becomes empty
			c.x1, c.runs = r[i+1].x1, append(c.runs, r[i+1].runs...)
			r[i+1].text, r[i+1].words, r[i+1].number = "", "", false
		}
		c.text, c.words = a+"."+b, ""
		c.amount, c.money = money(c.text)
		c.number = c.money
	})
}

// isValue reports whether a text is an amount or begins with a day.
func isValue(text string) bool {
	if _, amount := money(text); amount {
		return true
	}
	_, _, day := dateIn(text)
	return day == goodDate
}

// isDay reports whether a text is a day.
func isDay(text string) bool {
	_, rest, state := dateIn(text)
	return state == goodDate && rest == ""
}

// isHead reports whether a text is a column header.
func isHead(text string) bool {
	w := plain(text)
	return periodOf(w) != noPeriod || isAmounts(w)
}

// isSplitAmount reports whether two pieces form an amount: the first is not an amount by itself,
// and neither is the second, unless they are closer than columns ever are.
func isSplitAmount(a, b string, close bool) bool {
	if len(a) > 12 || len(b) > 12 || a == "$" || !number(a) {
		return false
	}
	_, one := money(a)
	_, two := money(b)
	_, both := money(a + b)
	return both && !one && (!two || close || b[0] == '.')
}

// covered returns the runs of a page that an opaque area was painted over later, so that
// they are not visible.
func covered(p *pdf.Page) map[int]bool {
	out := map[int]bool{}
	if len(p.Paints) == 0 {
		return out
	}
	work := 4_000_000 // pairs; the page of a pay stub has fewer
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
