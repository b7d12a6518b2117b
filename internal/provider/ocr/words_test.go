package ocr

import (
	"slices"
	"testing"
)

// word returns a word on a baseline, with a font size of 30 pixels and letters 15 pixels wide.
func word(text string, x, base float64) box {
	b := box{text: text, line: "1", x: x, y: base - 0.72*30, w: 15 * float64(len(text)), h: 0.72 * 30, confidence: 95, size: 30, base: base}
	b.sure = true
	return b
}

func texts(all []box) (out []string) {
	for _, b := range all {
		out = append(out, b.text)
	}
	return out
}

// TestHeadersOfColumns checks that headers of two columns of amounts stay apart; a header
// over one column is joined.
func TestHeadersOfColumns(t *testing.T) {
	g := newGray(800, 400)
	header := []box{word("Amount", 110, 40), word("YTD", 208, 40), word("Amt", 260, 40)}
	under := func(base float64) []box { return []box{word("1,234.56", 80, base), word("6,543.21", 220, base)} }
	got := texts(g.join(slices.Concat(header, under(80), under(120)), 0))[:2]
	if want := []string{"Amount", "YTD Amt"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := texts(g.join(header, 0)); !slices.Equal(got, []string{"Amount YTD Amt"}) {
		t.Errorf("without amounts below: %q", got)
	}
}

// TestRestoresPoints checks that a point that the engine left out is restored if the
// image has it.
func TestRestoresPoints(t *testing.T) {
	paper := func() *gray {
		g := newGray(400, 100)
		for i := range g.px {
			g.px[i] = 255
		}
		return g
	}
	point := func(g *gray, x, y int) *gray {
		for dy := range 4 {
			for dx := range 4 {
				g.px[(y+dy)*g.w+x+dx] = 0
			}
		}
		return g
	}
	for name, c := range map[string]struct {
		g    *gray
		in   []box
		want []string
	}{
		"a point":       {point(paper(), 65, 66), []box{word("103", 10, 70), word("59-", 75, 70)}, []string{"103.59-"}},
		"no point":      {paper(), []box{word("103", 10, 70), word("59", 75, 70)}, []string{"103", "59"}},
		"a higher mark": {point(paper(), 65, 52), []box{word("103", 10, 70), word("59", 75, 70)}, []string{"103", "59"}},
		"no dollars":    {point(paper(), 65, 66), []box{word("59", 75, 70)}, []string{".59"}},
		"three digits":  {point(paper(), 65, 66), []box{word("103", 10, 70), word("590", 75, 70)}, []string{"103", "590"}},
	} {
		if got := texts(c.g.join(c.in, 0)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestPointed(t *testing.T) {
	for in, want := range map[string]string{
		"-29,34": "-29.34", "1,234,56-": "1,234.56-", "$7,78": "$7.78", "1,234": "1,234", "9,2025": "9,2025",
		"9,25": "9.25", ",25": ",25", "a,25": "a,25",
	} {
		if got := withDecimalPoint(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// TestMerge checks that words of a second reading replace doubtful ones in their place,
// and no others.
func TestMerge(t *testing.T) {
	sure, doubt, scrap := word("Net", 10, 40), word("D123", 100, 40), word("eT", 12, 40)
	doubt.confidence, doubt.doubtful = 30, true
	unsure := word("57.2", 100, 40)
	unsure.confidence = 20
	again, more := word("57.23", 100, 40), word("Current", 100, 90)
	for name, c := range map[string]struct {
		again []box
		want  []string
	}{
		"better":          {[]box{again}, []string{"57.23", "Net"}},
		"worse":           {[]box{unsure}, []string{"Net", "D123"}},
		"in a sure word":  {[]box{scrap}, []string{"Net", "D123"}},
		"was left out":    {[]box{more}, []string{"Current", "Net", "D123"}},
		"nothing is read": {nil, []string{"Net", "D123"}},
	} {
		if got := texts(merge([]box{sure, doubt}, c.again)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestEraseRules checks that rules of forms are erased; letters and dark areas stay.
func TestEraseRules(t *testing.T) {
	g := newGray(700, 500)
	for i := range g.px {
		g.px[i] = 255
	}
	fill := func(x0, y0, x1, y1 int) {
		for y := y0; y < y1; y++ {
			for x := x0; x < x1; x++ {
				g.px[y*g.w+x] = 20
			}
		}
	}
	fill(20, 50, 620, 53)   // a rule across
	fill(300, 60, 303, 260) // a rule down
	fill(400, 100, 404, 140)
	fill(400, 138, 430, 142) // a letter
	fill(20, 300, 620, 360)  // a dark area
	g.eraseRules()
	for _, c := range []struct {
		x, y int
		want bool // dark
	}{{200, 51, false}, {301, 150, false}, {402, 120, true}, {420, 140, true}, {300, 330, true}, {300, 300, true}} {
		if dark := g.px[c.y*g.w+c.x] < 128; dark != c.want {
			t.Errorf("%d, %d is dark: %v, want %v", c.x, c.y, dark, c.want)
		}
	}
}

// TestCropped checks that the part of an image with dark pixels has the same pixels, and
// moves back to their place.
func TestCropped(t *testing.T) {
	g := newGray(400, 300)
	for i := range g.px {
		g.px[i] = 255
	}
	if _, _, _, any := g.cropped(128); any {
		t.Error("a white image is cropped")
	}
	for y := 100; y < 120; y++ {
		for x := 250; x < 280; x++ {
			g.px[y*g.w+x] = 0
		}
	}
	out, x, y, any := g.cropped(128)
	if !any || x != 230 || y != 80 || out.w != 69 || out.h != 59 || out.px[20*out.w+20] != 0 || out.px[19*out.w+20] != 255 {
		t.Fatalf("%v at %d, %d, %d by %d", any, x, y, out.w, out.h)
	}
	b := word("a", 20, 30)
	if b.move(float64(x), float64(y)); b.x != 250 || b.base != 110 {
		t.Errorf("%+v", b)
	}
}
