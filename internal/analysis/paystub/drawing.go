package paystub

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"vestibule/internal/analysis/paystub/pdf"
)

// figure holds an amount and how it was drawn.
type figure struct {
	cell  *cell
	label *cell // the text to the left
	first *pdf.Run
	parts int // number of text objects with its digits
	font  pdf.Font
	index int
	total bool
	bold  bool
}

// compareDrawing compares how the amounts were drawn, because an edited amount is rarely drawn like
// the others.
func (d *Document) compareDrawing(s *sheet) {
	all := s.figuresOf()
	d.findSplitAmounts(s)
	d.findOtherFonts(all)
	d.findPieces(all)
	d.rows(s)
	for _, column := range columns(all) {
		s.spend(len(column) * len(column) / 8) // each pair is compared
		d.column(s, column)
	}
	d.overlaps(s)
}

// figuresOf returns the amounts of a sheet and how they were drawn.
func (s *sheet) figuresOf() (out []figure) {
	for _, r := range s.rows {
		var label, before *cell // the last text, and the last one before it that is not a period
		for _, c := range r {
			if !c.number && c.words != "" {
				if label != nil && periodOf(label.words) == noPeriod {
					before = label
				}
				label = c
			}
			if !c.money {
				continue
			}
			x := figure{cell: c}
			if label != nil && c.size < 1.3*label.size { // a larger amount has its label above it
				x.label = label
				x.total = isTotalLabel(label)
				if p := periodOf(label.words); before != nil && (p == current || p == ytd) {
					x.total = isTotalLabel(before) // "Net Pay", then "This Period" and its amount
				}
			}
			object := 0
			for _, i := range c.runs {
				run := &s.file.Pages[c.page].Runs[i]
				s.spend(1 + len(run.Text)/8) // many cells may share a run
				if strings.ContainsAny(run.Text, "0123456789") {
					if x.first == nil {
						x.first, x.index, x.font = run, run.Font, s.file.Fonts[run.Font]
					}
					if x.parts == 0 || run.Object != object {
						x.parts++
					}
					object = run.Object
				}
			}
			if x.first != nil {
				x.bold = isBold(x.font.Name)
				out = append(out, x)
			}
		}
	}
	return out
}

// isTotalLabel reports whether a label is for a total, which is often bold.
func isTotalLabel(label *cell) bool { return isTotal(label.words) || contains(label.words, "net") }

// family returns a font's name without its style.
func family(name string) string {
	name, _, _ = strings.Cut(strings.ToLower(name), ",")
	for _, style := range []string{"bold", "italic", "oblique", "regular", "roman", "medium", "light", "black", "semi", "-", " ", "mt", "ps"} {
		name = strings.ReplaceAll(name, style, "")
	}
	return name
}

// isBold reports whether a font's name contains a bold style.
func isBold(name string) bool {
	name = strings.ToLower(name)
	return strings.Contains(name, "bold") || strings.Contains(name, "black") || strings.Contains(name, "heavy")
}

// areExceptions reports whether n of a number of amounts are exceptions.
func areExceptions(n, of int) bool { return n > 0 && of >= 5 && n <= max(2, of*15/100) }

// findOtherFonts finds amounts whose font differs from that of nearly all amounts.
func (d *Document) findOtherFonts(all []figure) {
	type key struct {
		family   string
		embedded bool
	}
	groups := map[key]int{}
	objects := map[int]int{}
	names := map[string]map[int]bool{}
	for _, x := range all {
		groups[key{family(x.font.Name), x.font.Embedded}]++
		objects[x.index]++
		if names[x.font.Name] == nil {
			names[x.font.Name] = map[int]bool{}
		}
		names[x.font.Name][x.index] = true
	}
	var odd []area
	for _, x := range all {
		// The label has the same font, so that it is part of the design.
		own := x.label != nil && d.fontOf(x.label) == x.index
		k := key{family(x.font.Name), x.font.Embedded}
		// A font of the same name may be another one: another subset, or one that was added.
		if !own && (areExceptions(groups[k], len(all)) || len(names[x.font.Name]) > 1 && areExceptions(objects[x.index], len(all))) {
			odd = append(odd, x.cell.area())
		}
	}
	if len(odd) > 0 {
		d.find(OddFont, true, odd...)
	}
}

// findSplitAmounts finds amounts that were drawn in parts which are separated within a group of
// thousands.
func (d *Document) findSplitAmounts(s *sheet) {
	for _, r := range s.rows {
		for i, c := range r {
			s.spend(1 + len(c.text)/8)
			words := strings.Fields(c.text)
			if i > 0 && r[i-1].number && c.x0-r[i-1].x1 < c.size {
				words = append([]string{r[i-1].text}, words...)
			}
			for k := range len(words) - 1 {
				if _, whole := money(words[k] + words[k+1]); whole && cutShort(words[k]) {
					d.find(TextTouchedUp, true, c.area())
					return
				}
			}
		}
	}
}

// cutShort reports whether a number ends with fewer than three digits after a comma.
func cutShort(s string) bool {
	at := strings.LastIndexByte(s, ',')
	return at > 0 && len(s)-at > 1 && len(s)-at < 4 && number(s)
}

// fontOf returns the font of a cell's first run.
func (d *Document) fontOf(c *cell) int { return d.file.Pages[c.page].Runs[c.runs[0]].Font }

// findPieces finds amounts that, unlike the others, were drawn in parts or in a separate content
// stream, or whose letters have another width, spacing or size.
func (d *Document) findPieces(all []figure) {
	if len(all) == 0 {
		return
	}
	// Each of these divides the amounts in two.
	for _, is := range []func(x figure) bool{
		func(x figure) bool {
			return x.label != nil && abs(x.label.size-x.cell.size) > 0.05 && abs(x.label.size-x.cell.size) < 0.18*x.label.size
		},
		func(x figure) bool { return x.parts > 1 },
	} {
		if odd, _ := divide(all, is); areExceptions(len(odd), len(all)) {
			d.find(TextTouchedUp, true, odd...)
		}
	}
	for _, is := range []func(x figure) bool{
		func(x figure) bool { return abs(x.first.Stretch-all[0].first.Stretch) > 0.004 },
		func(x figure) bool { return abs(x.first.Spacing-all[0].first.Spacing) > 0.01 },
	} {
		odd, rest := divide(all, is)
		if areExceptions(len(odd), len(all)) {
			d.find(TextTouchedUp, true, odd...)
		} else if len(odd) > 0 && areExceptions(len(rest), len(all)) {
			d.find(TextTouchedUp, true, rest...)
		}
	}
	streams := map[int][]area{}
	for _, x := range all {
		streams[x.first.Stream] = append(streams[x.first.Stream], x.cell.area())
	}
	for _, odd := range streams {
		if areExceptions(len(odd), len(all)) && len(streams) > 1 && len(d.file.Pages) == 1 {
			d.find(TextTouchedUp, true, odd...)
		}
	}
}

// divide returns the areas of the amounts for which is returns true, and of the others.
func divide(all []figure, is func(figure) bool) (yes, no []area) {
	for _, x := range all {
		if is(x) {
			yes = append(yes, x.cell.area())
		} else {
			no = append(no, x.cell.area())
		}
	}
	return yes, no
}

// rows finds amounts slightly above or below their label, or the rest of an unlabeled row,
// if the other rows are straight.
func (d *Document) rows(s *sheet) {
	var crooked []area
	rows, straight := 0, 0
	for _, r := range s.rows {
		if len(r) < 2 {
			continue
		}
		var ys []float64 // of the amounts before the first text
		for _, c := range r {
			if !c.number {
				break
			}
			ys = append(ys, c.y)
		}
		level, size := r[0].y, r[0].size
		if len(ys) > 0 {
			slices.Sort(ys)
			level = ys[len(ys)/2]
		}
		var off []area
		for _, c := range r {
			switch {
			case !c.number: // maybe the label of another table in the same row
				level, size = c.y, c.size
			case c.money:
				if abs(c.y-level) > 0.12 && abs(c.size-size) < 0.01 && !r.hasAnotherAmount(c) {
					off = append(off, c.area())
				}
			}
		}
		if len(off) > 0 {
			rows++
			crooked = append(crooked, off...)
		} else {
			straight++
		}
	}
	if areExceptions(rows, rows+straight) {
		d.find(TextTouchedUp, true, crooked...)
	}
}

// hasAnotherAmount reports whether a row has another amount on the same baseline as c. Such amounts
// may have a label of two lines above and below them.
func (r row) hasAnotherAmount(c *cell) bool {
	return slices.ContainsFunc(r, func(o *cell) bool { return o != c && o.money && abs(o.y-c.y) < 0.02 })
}

// columns groups the amounts by their right edges, with a small tolerance. It returns the
// groups with at least four amounts.
func columns(all []figure) (out [][]figure) {
	left := slices.Clone(all)
	slices.SortStableFunc(left, func(a, b figure) int {
		return cmp.Or(cmp.Compare(a.cell.page, b.cell.page), cmp.Compare(a.cell.x1, b.cell.x1))
	})
	for i := 0; i < len(left); {
		k := i + 1
		for k < len(left) && left[k].cell.page == left[i].cell.page && left[k].cell.x1-left[k-1].cell.x1 < 12 {
			k++
		}
		if k-i >= 4 {
			out = append(out, left[i:k])
		}
		i = k
	}
	return out
}

// column finds the single amount of a column with another edge, size, style or position in
// the drawing order.
func (d *Document) column(s *sheet, c []figure) {
	if x := s.misaligned(c); len(x) > 0 && len(x) <= max(1, len(c)/6) {
		d.find(TextTouchedUp, false, x...)
	}
	var sizes, styles []area
	for _, x := range c {
		if x.total || x.label == nil {
			continue
		}
		peers, size, style := 0, 0, 0
		for _, y := range c {
			if y.total || y.label == nil || y.cell == x.cell {
				continue
			}
			peers++
			if abs(y.cell.size-x.cell.size) > 0.05 {
				size++
			}
			if y.bold != x.bold {
				style++
			}
		}
		if peers >= 3 && size == peers && abs(x.cell.size-x.label.size) > 0.05 {
			sizes = append(sizes, x.cell.area())
		}
		if peers >= 3 && style == peers && isBold(d.file.Fonts[d.fontOf(x.label)].Name) != x.bold {
			styles = append(styles, x.cell.area())
		}
	}
	if len(sizes) > 0 {
		d.find(TextTouchedUp, true, sizes...)
	}
	if len(styles) > 0 {
		d.find(OddFont, true, styles...)
	}
	d.order(c)
}

// misaligned returns the amounts within a column that are not right-aligned with the others. There
// are none in columns that are not right-aligned, or have signs after their amounts. Amounts
// that are aligned with a column header above them do not count.
func (s *sheet) misaligned(c []figure) (out []area) {
	same := make([]int, len(c))
	best := 0
	for i, x := range c {
		if strings.ContainsAny(x.cell.text, "()-*") {
			return nil
		}
		for _, y := range c {
			if abs(x.cell.x1-y.cell.x1) < 0.25 {
				same[i]++
			}
		}
		if same[i] > same[best] {
			best = i
		}
	}
	if len(c) < 6 || same[best]*4 < len(c)*3 {
		return nil
	}
	top, bottom := c[best].cell.y, c[best].cell.y
	for _, x := range c {
		if abs(x.cell.x1-c[best].cell.x1) < 0.25 {
			top, bottom = max(top, x.cell.y), min(bottom, x.cell.y)
		}
	}
	for i, x := range c {
		if same[i] == 1 && x.cell.y < top && x.cell.y > bottom && !s.headed(x.cell) && !onGrid(x.cell, c[best].cell) {
			out = append(out, x.cell.area())
		}
	}
	return out
}

// onGrid reports whether two amounts in a monospaced font are offset by whole letters, as in
// text that is aligned with spaces.
func onGrid(a, b *cell) bool {
	wide := func(c *cell) float64 { return (c.x1 - c.x0) / float64(utf8.RuneCountInString(c.text)) }
	if abs(wide(a)-wide(b)) > 0.01*wide(b) || len(a.text) == len(b.text) && abs(a.x1-a.x0-b.x1+b.x0) > 0.05 {
		return false
	}
	letters := (a.x1 - b.x1) / wide(b)
	return abs(letters-math.Round(letters)) < 0.03
}

// headed reports whether a column header above an amount is right-aligned with it.
func (s *sheet) headed(c *cell) bool {
	for _, r := range s.rows {
		s.spend(len(r))
		for _, up := range r {
			if up.page == c.page && !up.number && up.y > c.y && abs(up.x1-c.x1) < 0.25 &&
				(periodOf(up.words) != noPeriod || mayBeAmounts(up.words)) {
				return true
			}
		}
	}
	return false
}

// order finds an amount that was drawn out of order, in a column that was otherwise drawn in
// one direction.
func (d *Document) order(c []figure) {
	if len(c) < 5 {
		return
	}
	c = slices.Clone(c)
	slices.SortStableFunc(c, func(a, b figure) int { return cmp.Compare(b.cell.y, a.cell.y) })
	if out := len(c) - inDirection(c); out > 0 && out <= max(1, len(c)/6) {
		d.find(TextTouchedUp, false, outOfOrder(c)...)
	}
}

// outOfOrder returns the amounts of a column, from top to bottom, without each of which the
// others were drawn in one direction. Of two swapped amounts these are both.
func outOfOrder(c []figure) (out []area) {
	if len(c) > 100 { // no column of a pay stub
		return nil
	}
	for i := range c {
		if inDirection(slices.Delete(slices.Clone(c), i, i+1)) == len(c)-1 {
			out = append(out, c[i].cell.area())
		}
	}
	return out
}

// inDirection returns how many amounts of a column, at most, were drawn in one direction.
func inDirection(c []figure) int {
	down := make([]int, len(c))
	for i, x := range c {
		down[i] = x.first.Order
	}
	up := slices.Clone(down)
	slices.Reverse(up)
	return max(longest(down), longest(up))
}

// longest returns the length of the longest increasing subsequence.
func longest(of []int) int {
	var tails []int
	for _, v := range of {
		i, _ := slices.BinarySearch(tails, v)
		if i == len(tails) {
			tails = append(tails, v)
		} else {
			tails[i] = v
		}
	}
	return len(tails)
}

// overlaps finds text below other text and below shapes that cover it.
func (d *Document) overlaps(s *sheet) {
	var at []area
	for _, m := range s.covered {
		if r := &d.file.Pages[m.page].Runs[m.run]; strings.TrimSpace(r.Text) != "" {
			at = append(at, areaOf(m.page, r))
		}
	}
	if len(at) > 0 {
		d.find(TextOverText, true, at...)
		return
	}
	work := 2_000_000 // pairs
	for n := range d.file.Pages {
		p := &d.file.Pages[n]
		seen := make([]*pdf.Run, 0, len(p.Runs))
		for i := range p.Runs {
			if r := &p.Runs[i]; !r.Hidden && !r.Turned && strings.TrimSpace(r.Text) != "" && r.End > r.X {
				seen = append(seen, r)
			}
		}
		slices.SortStableFunc(seen, func(a, b *pdf.Run) int { return cmp.Compare(a.Y, b.Y) })
		for i, a := range seen {
			for _, b := range seen[i+1:] {
				if work--; work < 0 || b.Y-a.Y > 0.45*min(a.Size, b.Size) {
					break
				}
				both := min(a.End, b.End) - max(a.X, b.X)
				least := 0.6
				if len(a.Text) == 1 && len(b.Text) == 1 { // letters that were drawn one by one
					least = 0.35
				}
				if both < 0.5*min(a.End-a.X, b.End-b.X) || both < least*min(a.Size, b.Size) {
					continue
				}
				if a.Text == b.Text && abs(a.X-b.X) < 1 && abs(a.Y-b.Y) < 1 {
					continue // drawn twice, to look bold
				}
				d.find(TextOverText, true, areaOf(n, a))
				return
			}
		}
	}
}
