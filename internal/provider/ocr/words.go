package ocr

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"vestibule/internal/analysis/paystub"
)

// perPoint is the number of pixels of a point at 300 dpi.
const perPoint = 300. / 72

// box is a word of tesseract's table, in pixels from the upper left corner.
type box struct {
	text       string
	line       string // block, paragraph and line
	x, y, w, h float64
	confidence float64
	size, base float64 // font size and baseline, estimated
	last       float64 // left edge of the last word, if several are joined
	sure       bool    // the text has letters or digits, so that the estimates are good
	doubtful   bool    // it was read with low confidence, or is as high as several lines
}

// parseTSV reads tesseract's table: level, page, block, paragraph, line, word, left, top,
// width, height, confidence and text. It skips everything else.
func parseTSV(out []byte) (all []box) {
	for line := range strings.Lines(string(out)) {
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 12)
		if len(f) != 12 || f[0] != "5" || len(all) == maxWords {
			continue
		}
		var v [5]float64
		valid := true
		for i, s := range f[6:11] {
			n, err := strconv.ParseFloat(s, 64)
			v[i], valid = n, valid && err == nil && math.Abs(n) < 1e6
		}
		b := box{text: strings.Trim(f[11], " |¦"), line: strings.Join(f[2:5], "/"), x: v[0], y: v[1], w: v[2], h: v[3], confidence: v[4]}
		if !valid || b.text == "" || len(b.text) > maxWord || b.w <= 0 || b.h <= 0 {
			continue
		}
		b.text = withDecimalPoint(b.text)
		b.estimate()
		all = append(all, b)
	}
	return all
}

// withDecimalPoint returns an amount with a point in place of a comma before the cents.
func withDecimalPoint(text string) string {
	end := strings.TrimRight(text, "-*)")
	if at := len(end) - 3; at > 0 && end[at] == ',' && strings.Trim(end, "$(-0123456789,") == "" && cents(end[at+1:]) && isDigit(end[at-1]) {
		return text[:at] + "." + text[at+1:]
	}
	return text
}

// estimate sets font size and baseline by the letters of the text.
func (b *box) estimate() {
	rise, drop := extent(b.text)
	b.size = b.h / (rise + drop)
	b.base = b.y + b.h - drop*b.size
	b.sure = strings.ContainsFunc(b.text, func(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) })
}

// extent returns how far a word reaches above and below the baseline, in parts of the font
// size, in the fonts that documents commonly have.
func extent(text string) (rise, drop float64) {
	rise = 0.52
	for _, c := range text {
		switch {
		case strings.ContainsRune("gjpqy", c):
			drop = max(drop, 0.21)
		case strings.ContainsRune(",;Q$@()[]{}|/", c):
			drop = max(drop, 0.12)
		}
		switch {
		case strings.ContainsRune("acegmnopqrsuvwxyz.,:;-–_~=+*", c):
		case c == 't':
			rise = max(rise, 0.65)
		default:
			rise = max(rise, 0.72)
		}
	}
	return rise, drop
}

// alignEstimates replaces the estimates of words by those of the words beside them where these differ
// little, and those of signs by those of the nearest word. A word whose box reaches into the next
// line gets the estimates of its line.
func alignEstimates(all []box) {
	lines := map[string][]*box{}
	for i := range all {
		lines[all[i].line] = append(lines[all[i].line], &all[i])
	}
	for _, line := range lines {
		size, base, ok := usual(line)
		if !ok {
			continue
		}
		for _, b := range line {
			if b.size > 1.25*size && b.y < base-0.5*size && b.y+b.h > base-0.1*size {
				b.size, b.base = size, base
				b.y, b.h = base-0.75*size, size
			}
		}
		// Lines of two columns may be a little higher or lower, and the engine makes them one.
		slices.SortFunc(line, func(a, b *box) int { return cmp.Compare(a.x, b.x) })
		for from := 0; from < len(line); {
			to := from + 1
			for to < len(line) && line[to].x-line[to-1].x-line[to-1].w < 1.5*size {
				to++
			}
			level(line[from:to])
			from = to
		}
	}
	for i := range all {
		b := &all[i]
		if b.sure || lineHasWords(lines[b.line]) {
			continue
		}
		var near *box
		away := math.Inf(1)
		for k := range all {
			o := &all[k]
			middle := b.y + b.h/2
			if d := max(o.x-b.x-b.w, b.x-o.x-o.w); o.sure && middle > o.base-o.size && middle < o.base+0.3*o.size && d < away {
				near, away = o, d
			}
		}
		if near != nil && away < 3*near.size {
			b.size, b.base = near.size, near.base
		}
	}
}

// usual returns the median size and baseline of the words that were read with confidence.
func usual(line []*box) (size, base float64, ok bool) {
	var sizes, bases []float64
	for _, b := range line {
		if b.sure && b.confidence >= sureConfidence {
			sizes, bases = append(sizes, b.size), append(bases, b.base)
		}
	}
	if len(sizes) == 0 {
		return 0, 0, false
	}
	return median(sizes), median(bases), true
}

// level gives the words of a line its size and baseline where these differ little.
func level(line []*box) {
	size, base, ok := usual(line)
	if !ok {
		return
	}
	for _, b := range line {
		if !b.sure || math.Abs(b.size-size) < 0.25*size {
			b.size = size
		}
		if math.Abs(b.base-base) < 0.25*size || !b.sure && b.y > base-size && b.y < base+0.3*size {
			b.base = base
		}
	}
}

func lineHasWords(line []*box) bool {
	return slices.ContainsFunc(line, func(b *box) bool { return b.sure })
}

// median returns the lower one of two middle values.
func median(v []float64) float64 {
	slices.Sort(v)
	return v[(len(v)-1)/2]
}

// pitch returns the width of a letter of a page in one font with letters of equal width, as
// line printers have, and 0 for other pages.
func pitch(all []box) float64 {
	var widths []float64
	for _, b := range all {
		if n := len([]rune(b.text)); n >= 5 && b.confidence > 60 {
			widths = append(widths, b.w/(float64(n)-0.2)) // the edges of the outer letters are not in the box
		}
	}
	if len(widths) < 20 {
		return 0
	}
	middle := median(widths)
	same := 0
	for _, w := range widths {
		if math.Abs(w-middle) < 0.08*middle {
			same++
		}
	}
	if same < len(widths)*7/10 {
		return 0
	}
	return middle
}

// row gives words whose baselines differ little the same one.
func row(all []box) {
	slices.SortStableFunc(all, func(a, b box) int { return cmp.Compare(a.base, b.base) })
	for from := 0; from < len(all); {
		to, sum := from+1, all[from].base
		for to < len(all) && all[to].base-all[to-1].base < 0.08*all[to].size && all[to].base-all[from].base < 0.25*all[from].size {
			sum += all[to].base
			to++
		}
		for k := from; k < to; k++ {
			all[k].base = sum / float64(to-from)
		}
		from = to
	}
}

// sureConfidence is the confidence from which a word is not read again.
const sureConfidence = 70

// doubtful marks the words that should be read again, and counts them.
func doubtful(all []box) (n int) {
	size := usualSize(all)
	for i := range all {
		b := &all[i]
		if b.doubtful = b.confidence < sureConfidence || b.sure && b.size > 1.3*size; b.doubtful {
			n++
		}
	}
	return n
}

// usualSize returns the median font size of the words that were read with confidence.
func usualSize(all []box) float64 {
	var sizes []float64
	for _, b := range all {
		if b.sure && b.confidence > 75 {
			sizes = append(sizes, b.size)
		}
	}
	if len(sizes) == 0 {
		return 0
	}
	return median(sizes)
}

// merge replaces doubtful words by those of a second reading that are in their place.
func merge(words, again []box) (out []box) {
	usual := usualSize(words)
	replaced := make([]bool, len(words))
	for _, a := range again {
		a.line = "again/" + a.line
		var places []int
		better := true
		for i := range words {
			if b := &words[i]; b.overlaps(&a) {
				places = append(places, i)
				better = better && b.doubtful && a.confidence >= sureConfidence && (a.confidence > b.confidence || b.size > 1.3*usual)
			}
		}
		if !better {
			continue
		}
		for _, i := range places {
			replaced[i] = true
		}
		out = append(out, a)
	}
	for i, b := range words {
		if !replaced[i] {
			out = append(out, b)
		}
	}
	return out[:min(len(out), maxWords)]
}

func (b *box) move(x, y float64) { b.x, b.y, b.base = b.x+x, b.y+y, b.base+y }

// overlaps reports whether two words have a third of the smaller one in common.
func (b *box) overlaps(o *box) bool {
	w := min(b.x+b.w, o.x+o.w) - max(b.x, o.x)
	h := min(b.y+b.h, o.y+o.h) - max(b.y, o.y)
	return w > 0 && h > 0 && 3*w*h > min(b.w*b.h, o.w*o.h)
}

// withoutNoise removes what was read with little confidence in marks that are much smaller
// than the text, such as dashed lines.
func withoutNoise(all []box) []box {
	least := 0.5 * usualSize(all)
	return slices.DeleteFunc(all, func(b box) bool { return b.confidence < 60 && b.size < least })
}

// join joins the words of each line that are one space apart. pitch is that of the page;
// 0 for none.
func (g *gray) join(all []box, pitch float64) (out []box) {
	slices.SortStableFunc(all, func(a, b box) int {
		return cmp.Or(cmp.Compare(a.base, b.base), cmp.Compare(a.x, b.x))
	})
	rows := amountRows(all)
	for _, b := range all {
		if last := len(out) - 1; last >= 0 {
			before := &out[last]
			space := 0.5 * b.size
			if pitch > 0 {
				space = 1.7 * pitch
			}
			gap := b.x - before.x - before.w
			if !b.sure && gap < 0.4*before.size {
				b.size = before.size
			}
			least := -0.2 * b.size
			if b.text == "-" { // the sign of an amount
				least = -0.8 * b.size
			}
			if b.sure && !digits(b.text) && amount(before.text) { // the next label
				space = max(0.35*b.size, 1.2*pitch)
			}
			between := " "
			switch {
			case g.splitAmount(before, &b):
				between, space = ".", max(space, 0.9*b.size)
			case b.text == "-" && gap < 0.2*b.size, gap < 0.6*b.size && brokenAmount(before.text, b.text):
				between = ""
			}
			alike := 0.2
			if b.line == before.line {
				alike = 0.4
			}
			if b.base == before.base && gap > least && gap < space && len(before.text) < maxWord &&
				math.Abs(b.size-before.size) < alike*b.size && (between != " " || !rows.areTwoColumns(before, &b)) {
				if digits(b.text) == digits(before.text) {
					before.confidence = min(before.confidence, b.confidence)
				} else if digits(b.text) {
					before.confidence = b.confidence
				}
				before.text += between + b.text
				before.w = max(before.w, b.x+b.w-before.x)
				before.last = b.x
				continue
			}
		}
		b.last = b.x
		if cents(b.text) && g.dotted(b.x-0.5*b.size, b.x-1, b.base, b.size) && !g.dotted(b.x-1.2*b.size, b.x-0.6*b.size, b.base, b.size) {
			b.text = "." + b.text
		}
		out = append(out, b)
	}
	return out
}

// splitAmount reports whether two words are the dollars and the cents of an amount, with a
// point between them that the engine did not see.
func (g *gray) splitAmount(a, b *box) bool {
	right := a.x + a.w
	if a.base != b.base || b.x-right > 0.9*b.size || b.x-right < 3 || !cents(b.text) {
		return false
	}
	dollars := a.text[strings.LastIndexByte(a.text, ' ')+1:]
	return dollars != "" && strings.Trim(dollars, "$*(-+0123456789,") == "" && isDigit(dollars[len(dollars)-1]) &&
		g.dotted(right+1, b.x-1, b.base, b.size)
}

// cents reports whether a text is two digits, before or without a sign.
func cents(text string) bool {
	text = strings.TrimRight(text, "-)")
	return len(text) == 2 && isDigit(text[0]) && isDigit(text[1])
}

// brokenAmount reports whether a point or a comma is at the end of a word before digits, or
// at the beginning of a word after digits.
func brokenAmount(a, b string) bool {
	sign := func(c byte) bool { return c == '.' || c == ',' }
	end, start := a[len(a)-1], b[0]
	return len(a) > 1 && sign(end) && isDigit(a[len(a)-2]) && isDigit(start) || isDigit(end) && sign(start) && len(b) > 1 && isDigit(b[1])
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func digits(text string) bool { return strings.ContainsAny(text, "0123456789") }

// amount reports whether a text ends with an amount with a point.
func amount(text string) bool {
	text = strings.Trim(text[strings.LastIndexByte(text, ' ')+1:], "$()-*")
	return len(text) > 3 && strings.Trim(text, "0123456789.,") == "" && strings.Contains(text, ".")
}

// columnRows holds the amounts of each line.
type columnRows map[float64][]box

func amountRows(all []box) columnRows {
	rows := columnRows{}
	for _, b := range all {
		if amount(b.text) {
			rows[b.base] = append(rows[b.base], b)
		}
	}
	return rows
}

// areTwoColumns reports whether two words are the headers of two columns: in several lines below them,
// an amount ends below the first word's end, and another one is below the second word.
func (rows columnRows) areTwoColumns(a, b *box) bool {
	if digits(a.text) || digits(b.text) {
		return false
	}
	n, near := 0, 0.2*a.size
	for base, row := range rows {
		if base < a.base || base > a.base+25*a.size {
			continue
		}
		for i := range len(row) - 1 {
			one, two := &row[i], &row[i+1]
			right := one.x + one.w
			if (math.Abs(right-a.x-a.w) < near && one.x < a.x+a.w || math.Abs(two.x-b.x) < near && math.Abs(one.x-a.last) < near) &&
				two.x > right && two.x < b.x+b.w && two.x+two.w > b.x {
				n++
			}
		}
	}
	return n >= 2
}

// page returns the words of an image.
func page(all []box, g *gray) paystub.ScannedPage {
	all = withoutNoise(all)
	row(all)
	all = g.join(all, pitch(all))
	out := paystub.ScannedPage{Width: float64(g.w) / perPoint, Height: float64(g.h) / perPoint}
	// A position is in points from the lower left corner.
	at := g.from.after(affine{xx: perPoint, yy: -perPoint, y0: float64(g.h)})
	out.Picture.X, out.Picture.Y = [3]float64{at.xx, at.xy, at.x0}, [3]float64{at.yx, at.yy, at.y0}
	for _, b := range all {
		out.Words = append(out.Words, paystub.Word{Text: b.text, X0: b.x / perPoint, X1: (b.x + b.w) / perPoint,
			Y: out.Height - b.base/perPoint, Size: math.Round(2*b.size/perPoint) / 2, Confidence: b.confidence})
	}
	return out
}
