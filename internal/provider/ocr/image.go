package ocr

import (
	"context"
	"math"
	"slices"

	"vestibule/internal/pageimage"
)

// gray is an image of one byte per pixel, 0 for black.
type gray struct {
	w, h int
	px   []byte
	from affine // where its pixels are in the upright picture of the file, in parts of its size
}

// newGray returns an image that is the whole picture.
func newGray(w, h int) *gray { return grayOf(w, h, make([]byte, w*h)) }

func grayOf(w, h int, px []byte) *gray {
	return &gray{w, h, px, affine{xx: 1 / float64(w), yy: 1 / float64(h)}}
}

// affine maps positions in an image, in pixels from the upper left corner, to positions in
// another one: x becomes xx·x + xy·y + x0, and y becomes yx·x + yy·y + y0.
type affine struct{ xx, xy, x0, yx, yy, y0 float64 }

func (a affine) at(x, y float64) (float64, float64) {
	return a.xx*x + a.xy*y + a.x0, a.yx*x + a.yy*y + a.y0
}

// after returns the mapping by first and then by a.
func (a affine) after(first affine) affine {
	x0, y0 := a.at(first.x0, first.y0)
	return affine{
		xx: a.xx*first.xx + a.xy*first.yx, xy: a.xx*first.xy + a.xy*first.yy, x0: x0,
		yx: a.yx*first.xx + a.yy*first.yx, yy: a.yx*first.xy + a.yy*first.yy, y0: y0,
	}
}

// decode decodes a PNG or JPEG file and turns it upright by its EXIF orientation.
func decode(ctx context.Context, file []byte) (*gray, error) {
	pgm, err := pageimage.Gray(ctx, file, longSide)
	if err != nil {
		return nil, err
	}
	g, err := parsePGM(pgm, 2*longSide)
	if err == nil && (g.w < minSide || g.h < minSide) {
		err = ErrUnreadable
	}
	return g, err
}

// tile is the side in pixels of the areas whose paper is taken to be equally bright.
const tile = 32

// whitenPaper makes the paper white where it is darker, as in a photograph.
func (g *gray) whitenPaper() {
	nx, ny := (g.w+tile-1)/tile, (g.h+tile-1)/tile
	paper := make([]float64, nx*ny)
	for ty := range ny {
		for tx := range nx {
			var counts [256]int
			n := 0
			for y := ty * tile; y < min(g.h, ty*tile+tile); y++ {
				for _, v := range g.px[y*g.w+tx*tile : y*g.w+min(g.w, tx*tile+tile)] {
					counts[v]++
					n++
				}
			}
			light, left := 255, n/5
			for ; light > 0 && left >= counts[light]; light-- {
				left -= counts[light]
			}
			paper[ty*nx+tx] = float64(light)
		}
	}
	// A tile that is darker than its surroundings is a filled area with text, not a shadow.
	smooth := make([]float64, len(paper))
	for ty := range ny {
		for tx := range nx {
			var around []float64
			for y := max(0, ty-2); y <= min(ny-1, ty+2); y++ {
				for x := max(0, tx-2); x <= min(nx-1, tx+2); x++ {
					around = append(around, paper[y*nx+x])
				}
			}
			slices.Sort(around)
			smooth[ty*nx+tx] = max(60, around[len(around)*3/4])
		}
	}
	for y := range g.h {
		fy := min(max(float64(y)/tile-0.5, 0), float64(ny-1))
		y0 := int(fy)
		y1, dy := min(y0+1, ny-1), fy-float64(y0)
		for x := range g.w {
			if at := &g.px[y*g.w+x]; *at > 240 { // white on any paper
				*at = 255
				continue
			}
			fx := min(max(float64(x)/tile-0.5, 0), float64(nx-1))
			x0 := int(fx)
			x1, dx := min(x0+1, nx-1), fx-float64(x0)
			light := (smooth[y0*nx+x0]*(1-dx)+smooth[y0*nx+x1]*dx)*(1-dy) + (smooth[y1*nx+x0]*(1-dx)+smooth[y1*nx+x1]*dx)*dy
			v := float64(g.px[y*g.w+x]) * 270 / light // over 255, so that most of the noise of the paper is white
			g.px[y*g.w+x] = byte(min(255, v))
		}
	}
}

// maxSkew is the largest angle that skew finds, in degrees.
const maxSkew = 7

// skew returns by how many degrees the lines of text fall to the right: the angle at which
// the rows of pixels differ most in darkness.
func (g *gray) skew() float64 {
	step := max(1, max(g.w, g.h)/1400)
	type dot struct{ x, y uint16 } // of few bytes, because a page can be dark all over
	dark := make([]dot, 0, (g.w/step+1)*(g.h/step+1))
	for y := 0; y < g.h; y += step {
		for x := 0; x < g.w; x += step {
			if g.px[y*g.w+x] < 128 {
				dark = append(dark, dot{uint16(x / step), uint16(y / step)})
			}
		}
	}
	if len(dark) == 0 {
		return 0
	}
	rows := make([]float64, g.h/step+g.w/step+2)
	score := func(degrees float64) (sum float64) {
		clear(rows)
		slope := math.Tan(degrees * math.Pi / 180)
		shift := 0.0
		if slope > 0 {
			shift = slope * float64(g.w/step)
		}
		for _, d := range dark {
			if y := int(float64(d.y) - slope*float64(d.x) + shift); y >= 0 && y < len(rows) {
				rows[y]++
			}
		}
		for i := 1; i < len(rows); i++ {
			sum += (rows[i] - rows[i-1]) * (rows[i] - rows[i-1])
		}
		return sum
	}
	best, at := score(0)*1.01, 0.0 // straight pages stay as they are
	try := func(degrees float64) {
		if v := score(degrees); v > best {
			best, at = v, degrees
		}
	}
	for d := -maxSkew; d <= maxSkew; d++ {
		for _, part := range []float64{0, 1. / 3, 2. / 3} {
			try(float64(d) + part)
		}
	}
	for center, k := at, -4; k <= 4; k++ {
		try(center + float64(k)*0.08)
	}
	return at
}

// turn returns the image scaled, and rotated so that lines that fall by an angle become
// level.
func (g *gray) turn(degrees, scale float64) *gray {
	if scale <= 0.5 {
		n := int(1 / scale)
		return g.shrink(n).turn(degrees, scale*float64(n))
	}
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	out := newGray(max(1, int(float64(g.w)*scale)), max(1, int(float64(g.h)*scale)))
	cx, cy := float64(g.w)/2, float64(g.h)/2
	out.from = g.from.after(affine{
		xx: cos / scale, xy: -sin / scale, x0: cx - cx*cos + cy*sin,
		yx: sin / scale, yy: cos / scale, y0: cy - cx*sin - cy*cos,
	})
	const one = 1 << 32 // positions are integers with 32 bits after the point, of which brightness uses 8
	stepX, stepY := int64(cos/scale*one), int64(sin/scale*one)
	for y := range out.h {
		dx, dy := 0.5/scale-cx, (float64(y)+0.5)/scale-cy
		atX, atY := int64((cx+dx*cos-dy*sin-0.5)*one), int64((cy+dx*sin+dy*cos-0.5)*one)
		row := out.px[y*out.w:][:out.w]
		for x := range row {
			left, top := int(atX>>32), int(atY>>32)
			row[x] = 255 // outside of the image
			if left >= 0 && top >= 0 && left+1 < g.w && top+1 < g.h {
				a, b := g.px[top*g.w+left:][:2], g.px[(top+1)*g.w+left:][:2]
				right, down := int(atX>>24&255), int(atY>>24&255)
				up := int(a[0])*(256-right) + int(a[1])*right
				low := int(b[0])*(256-right) + int(b[1])*right
				row[x] = byte((up*(256-down) + low*down + 1<<15) >> 16)
			}
			atX, atY = atX+stepX, atY+stepY
		}
	}
	return out
}

// Rules are lines of a form, in pixels at 300 dpi. Letters are shorter.
const (
	minRuleAcross = 240
	minRuleDown   = 90
	maxRuleThick  = 8
	ruleDark      = 200 // brightness below which a pixel may be of a rule
)

// eraseRules makes the rules of forms white, because the engine reads them as letters, and
// the words beside them as one word.
func (g *gray) eraseRules() {
	g.eraseLines(g.h, g.w, g.w, 1, minRuleAcross)
	g.eraseLines(g.w, g.h, 1, g.w, minRuleDown)
}

// eraseLines makes dark lines of at least least pixels white. n and length count the rows, or
// columns, and their pixels; across and along are the steps between these in px.
func (g *gray) eraseLines(n, length, across, along, least int) {
	const noise = 2
	var white []int // places in px; erased last, because a slanting line is in several rows
	for i := range n {
		from, last := -1, 0
		for k := range length + noise + 1 {
			switch {
			case k < length && g.px[i*across+k*along] < ruleDark:
				if last = k; from < 0 {
					from = k
				}
			case from >= 0 && k-last > noise:
				if last-from >= least {
					white = g.thinLine(white, i, n, from, last+1, across, along)
				}
				from = -1
			}
		}
	}
	for _, at := range white {
		g.px[at] = 255
	}
}

// thinLine adds the pixels of a line where it is thin, unless it is mostly the edge of a dark
// area.
func (g *gray) thinLine(out []int, i, n, from, to, across, along int) []int {
	thin, before := 0, len(out)
	for k := from; k < to; k++ {
		at, first, last := k*along, i, i
		for first > 0 && i-first <= maxRuleThick && g.px[(first-1)*across+at] < ruleDark {
			first--
		}
		for last+1 < n && last-i <= maxRuleThick && g.px[(last+1)*across+at] < ruleDark {
			last++
		}
		if last-first >= maxRuleThick {
			continue
		}
		thin++
		for r := max(0, first-1); r <= min(n-1, last+1); r++ {
			out = append(out, r*across+at)
		}
	}
	if thin < (to-from)*6/10 {
		return out[:before]
	}
	return out
}

// withoutClearWords returns the image with white in place of the words that are not doubtful.
func (g *gray) withoutClearWords(words []box) *gray {
	out := newGray(g.w, g.h)
	out.from = g.from
	copy(out.px, g.px)
	for _, b := range words {
		if b.doubtful {
			continue
		}
		for y := max(0, int(b.y)-1); y < min(g.h, int(b.y+b.h)+2); y++ {
			for x := max(0, int(b.x)-1); x < min(g.w, int(b.x+b.w)+2); x++ {
				out.px[y*g.w+x] = 255
			}
		}
	}
	return out
}

// cropped returns the part of the image that has pixels below a brightness, with its upper left
// corner, and whether these are enough for letters.
func (g *gray) cropped(below byte) (out *gray, left, top int, any bool) {
	const letter, margin = 150, 20
	left, top = g.w, g.h
	right, bottom, n := 0, 0, 0
	for i, v := range g.px {
		if v < below {
			x, y := i%g.w, i/g.w
			left, right, top, bottom = min(left, x), max(right, x), min(top, y), y
			n++
		}
	}
	if n < letter {
		return nil, 0, 0, false
	}
	left, top = max(0, left-margin), max(0, top-margin)
	out = newGray(min(g.w, right+margin)-left, min(g.h, bottom+margin)-top)
	for y := range out.h {
		copy(out.px[y*out.w:(y+1)*out.w], g.px[(top+y)*g.w+left:])
	}
	return out, left, top, true
}

// dotted reports whether there is a point, and no more than a point, between two positions
// on a baseline of text of a font size.
func (g *gray) dotted(x0, x1, base, size float64) bool {
	count := func(top, bottom float64) (n int) {
		for y := max(0, int(base-top*size)); y < min(g.h, int(base-bottom*size)); y++ {
			for x := max(0, int(x0)); x < min(g.w, int(x1)); x++ {
				if g.px[y*g.w+x] < 190 {
					n++
				}
			}
		}
		return n
	}
	low := count(0.25, -0.06)
	return low >= 4 && float64(low) < 0.08*size*size && count(0.75, 0.3) < low/3
}

// shrink returns the image with each n by n pixels averaged.
func (g *gray) shrink(n int) *gray {
	if n < 2 {
		return g
	}
	out := newGray(max(1, g.w/n), max(1, g.h/n))
	out.from = g.from.after(affine{xx: float64(n), yy: float64(n)})
	for y := range out.h {
		for x := range out.w {
			sum, count := 0, 0
			for sy := y * n; sy < min(g.h, y*n+n); sy++ {
				for sx := x * n; sx < min(g.w, x*n+n); sx++ {
					sum += int(g.px[sy*g.w+sx])
					count++
				}
			}
			out.px[y*out.w+x] = byte(sum / max(1, count))
		}
	}
	return out
}

// quarter returns the image turned by 90 degrees to the right.
func (g *gray) quarter() *gray {
	out := newGray(g.h, g.w)
	for i := range out.px {
		out.px[i] = g.px[(g.h-1-i%g.h)*g.w+i/g.h]
	}
	out.from = g.from.after(affine{xy: 1, yx: -1, y0: float64(g.h)})
	return out
}
