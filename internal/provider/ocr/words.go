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
	sure       bool    // the text has letters or digits, so that the estimates are good
}

// parseTSV reads tesseract's table: level, page, block, paragraph, line, word, left, top,
// width, height, confidence and text. It skips what is no word.
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
		b := box{text: strings.TrimSpace(f[11]), line: strings.Join(f[2:5], "/"), x: v[0], y: v[1], w: v[2], h: v[3], confidence: v[4]}
		if !valid || b.text == "" || len(b.text) > maxWord || b.w <= 0 || b.h <= 0 {
			continue
		}
		b.estimate()
		all = append(all, b)
	}
	return all
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

// settle replaces the estimates of words by those of their line where these differ little,
// and those of signs by those of the nearest word.
func settle(all []box) {
	lines := map[string][]*box{}
	for i := range all {
		lines[all[i].line] = append(lines[all[i].line], &all[i])
	}
	for _, line := range lines {
		var sizes, bases []float64
		for _, b := range line {
			if b.sure {
				sizes, bases = append(sizes, b.size), append(bases, b.base)
			}
		}
		if len(sizes) == 0 {
			continue
		}
		size, base := median(sizes), median(bases)
		for _, b := range line {
			if !b.sure || math.Abs(b.size-size) < 0.25*size {
				b.size = size
			}
			if math.Abs(b.base-base) < 0.25*size || !b.sure && b.y > base-size && b.y < base+0.3*size {
				b.base = base
			}
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

func lineHasWords(line []*box) bool {
	return slices.ContainsFunc(line, func(b *box) bool { return b.sure })
}

func median(v []float64) float64 {
	slices.Sort(v)
	return v[len(v)/2]
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

// level gives words whose baselines differ little the same one.
func level(all []box) {
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

// join joins the words of each line that are one space apart. pitch is that of the page;
// 0 for none.
func join(all []box, pitch float64) (out []box) {
	slices.SortStableFunc(all, func(a, b box) int {
		return cmp.Or(cmp.Compare(a.base, b.base), cmp.Compare(a.x, b.x))
	})
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
			if b.base == before.base && gap > -0.2*b.size && gap < space && len(before.text) < maxWord &&
				math.Abs(b.size-before.size) < 0.2*b.size {
				if digits(b.text) == digits(before.text) {
					before.confidence = min(before.confidence, b.confidence)
				} else if digits(b.text) {
					before.confidence = b.confidence
				}
				if b.text != "-" || gap > 0.2*b.size { // the sign of an amount
					before.text += " "
				}
				before.text += b.text
				before.w = b.x + b.w - before.x
				continue
			}
		}
		out = append(out, b)
	}
	return out
}

func digits(text string) bool { return strings.ContainsAny(text, "0123456789") }

// page returns the words of tesseract's table for an image of w by h pixels.
func page(tsv []byte, w, h int) paystub.ScannedPage {
	all := parseTSV(tsv)
	settle(all)
	level(all)
	all = join(all, pitch(all))
	out := paystub.ScannedPage{Width: float64(w) / perPoint, Height: float64(h) / perPoint}
	for _, b := range all {
		out.Words = append(out.Words, paystub.Word{Text: b.text, X0: b.x / perPoint, X1: (b.x + b.w) / perPoint,
			Y: out.Height - b.base/perPoint, Size: math.Round(2*b.size/perPoint) / 2, Confidence: b.confidence})
	}
	return out
}
