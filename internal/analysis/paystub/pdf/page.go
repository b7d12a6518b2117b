package pdf

// matrix is a transformation with the elements a to f, as in PDF.
type matrix [6]float64

var upright = matrix{1, 0, 0, 1, 0, 0}

// times returns the transformation that applies m first and then n.
func (m matrix) times(n matrix) matrix {
	return matrix{
		m[0]*n[0] + m[1]*n[2], m[0]*n[1] + m[1]*n[3],
		m[2]*n[0] + m[3]*n[2], m[2]*n[1] + m[3]*n[3],
		m[4]*n[0] + m[5]*n[2] + n[4], m[4]*n[1] + m[5]*n[3] + n[5],
	}
}

func (m matrix) point(x, y float64) (float64, float64) {
	return m[0]*x + m[2]*y + m[4], m[1]*x + m[3]*y + m[5]
}

// box returns the bounding box of a rectangle transformed by m.
func (m matrix) box(x0, y0, x1, y1 float64) (a, b, c, d float64) {
	a, b = m.point(x0, y0)
	c, d = a, b
	for _, p := range [3][2]float64{{x1, y0}, {x0, y1}, {x1, y1}} {
		x, y := m.point(p[0], p[1])
		a, b, c, d = min(a, x), min(b, y), max(c, x), max(d, y)
	}
	return a, b, c, d
}

func (r *reader) matrix(v any) matrix {
	a := r.asArray(v)
	if len(a) != 6 {
		return upright
	}
	var m matrix
	for i := range m {
		m[i], _ = r.asNumber(a[i])
	}
	return m
}

// pages reads all pages of the page tree.
func (r *reader) pages() {
	seen := map[int]bool{}
	var walk func(v any, inherited dict, depth int)
	walk = func(v any, inherited dict, depth int) {
		if depth > maxDepth {
			panic(tooMuch("depth of pages"))
		}
		if to, is := v.(ref); is {
			if seen[to.num] {
				panic(malformed("pages that hold themselves"))
			}
			seen[to.num] = true
		}
		node := r.asDict(v)
		if node == nil {
			return
		}
		own := dict{}
		for _, k := range []name{"Resources", "MediaBox", "CropBox", "Rotate"} {
			if x := firstOf(node, k); x != nil {
				own = append(own, entry{k, x})
			} else if x := inherited.get(k); x != nil {
				own = append(own, entry{k, x})
			}
		}
		kids := r.asArray(node.get("Kids"))
		if kids == nil {
			r.page(node, own)
			return
		}
		for _, k := range kids {
			r.left.spend(16)
			walk(k, own, depth+1)
		}
	}
	walk(r.asDict(r.trailer.get("Root")).get("Pages"), nil, 0)
	if len(r.out.Pages) == 0 {
		panic(malformed("no pages"))
	}
}

func (r *reader) page(node, own dict) {
	if len(r.out.Pages) >= maxPages {
		panic(tooMuch("pages"))
	}
	box := r.asArray(firstOf(own, "CropBox", "MediaBox"))
	corner := [4]float64{0, 0, 612, 792}
	if len(box) == 4 {
		for i := range corner {
			corner[i], _ = r.asNumber(box[i])
		}
	}
	x, y := min(corner[0], corner[2]), min(corner[1], corner[3])
	page := Page{Width: max(corner[0], corner[2]) - x, Height: max(corner[1], corner[3]) - y,
		Rotate: ((r.asInt(own.get("Rotate"))%360 + 360) % 360) / 90 * 90}
	r.out.Pages = append(r.out.Pages, page)
	base := matrix{1, 0, 0, 1, -x, -y}
	turns := r.paint(node, own, base)
	w, h := page.Width, page.Height
	for q, m := range [4]matrix{1: {0, -1, 1, 0, 0, w}, 2: {-1, 0, 0, -1, w, h}, 3: {0, 1, -1, 0, h, 0}} {
		if turns[q] <= turns[0]+turns[1]+turns[2]+turns[3]-turns[q] || q == 0 {
			continue
		}
		if page.Rotate = (page.Rotate - 90*q + 360) % 360; q != 2 {
			page.Width, page.Height = page.Height, page.Width
		}
		r.out.Pages[len(r.out.Pages)-1] = page
		r.paint(node, own, base.times(m))
	}
}

// paint reads the content of the last page, with its coordinates transformed, and returns how many
// letters run to the right, up, to the left and down.
func (r *reader) paint(node, own dict, base matrix) [4]int {
	p := &painter{r: r, page: &r.out.Pages[len(r.out.Pages)-1], fonts: map[name]*decoder{}}
	p.state = state{ctm: base, stretch: 1, opaque: true}
	p.resources = r.asDict(own.get("Resources"))
	var content []byte
	for _, v := range r.list(node.get("Contents")) {
		st := r.asStream(v)
		if st == nil {
			continue
		}
		// The streams form one program, but a token does not continue in the next stream.
		data := r.data(st)
		if len(content)+len(data) > maxStream {
			panic(tooMuch("content"))
		}
		content = append(append(content, data...), '\n')
		p.ends = append(p.ends, len(content))
	}
	p.run(content, p.resources, 0)
	p.state = state{ctm: base, stretch: 1, opaque: true}
	for _, v := range r.asArray(node.get("Annots")) {
		p.annotation(r.asDict(v), base)
	}
	return p.turns
}

// annotation draws the appearance of an annotation. It skips hidden annotations, links and
// pop-ups.
func (p *painter) annotation(a dict, base matrix) {
	r := p.r
	r.left.spend(16)
	if n := r.asInt(a.get("F")); n&2 != 0 { // hidden
		return
	}
	kind := r.resolve(a.get("Subtype"))
	if kind == name("Link") || kind == name("Popup") || kind == nil {
		return
	}
	if kind == name("FreeText") {
		r.out.Info.AnnotationText = true
	}
	if kind == name("Widget") {
		if t, ok := r.resolve(a.get("V")).(text); ok && len(t) > 0 {
			r.out.Info.FieldValues = true
		}
	}
	rect := r.asArray(a.get("Rect"))
	st := r.asStream(r.asDict(a.get("AP")).get("N"))
	if st == nil || len(rect) != 4 {
		return
	}
	var c [4]float64
	for i := range c {
		c[i], _ = r.asNumber(rect[i])
	}
	bbox := r.asArray(st.dict.get("BBox"))
	var b [4]float64
	for i := range min(len(bbox), 4) {
		b[i], _ = r.asNumber(bbox[i])
	}
	p.over = true
	p.state.ctm = matrix{1, 0, 0, 1, min(c[0], c[2]) - min(b[0], b[2]), min(c[1], c[3]) - min(b[1], b[3])}.times(base)
	p.form(st, nil, 0)
	p.over = false
}
