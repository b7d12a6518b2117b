package pdf

import "bytes"

// state holds the graphics state, which q saves and Q restores.
type state struct {
	ctm              matrix
	font             *decoder
	size             float64
	letters, words   float64 // spacing
	stretch, leading float64
	rise             float64
	mode             int
	white            bool
	opaque           bool
}

// painter interprets the content of one page.
type painter struct {
	r      *reader
	page   *Page
	state  state
	saved  []state
	text   matrix // text matrix
	line   matrix // text line matrix
	fonts  map[name]*decoder
	ends   []int // ends of the page's content streams
	stream int
	order  int
	op     int
	object int
	over   bool   // drawing an annotation
	turns  [4]int // letters by direction: to the right, up, to the left, down

	resources dict // of the page
	marks     []mark

	boxes  [][4]float64 // rectangles of the path, on the page
	corner [][2]float64 // points of the path, on the page
	curved bool
}

// run executes a content stream with its resources.
func (p *painter) run(content []byte, resources dict, depth int) {
	fonts := p.fonts
	p.fonts = map[name]*decoder{}
	defer func() { p.fonts = fonts }()
	l := lexer{b: content, content: true, left: &p.r.left}
	args := make([]any, 0, 8)
	floor, marks := len(p.saved), len(p.marks)
	for {
		v := l.next(0)
		if _, over := v.(end); over {
			break
		}
		op, is := v.(operator)
		if !is {
			if len(args) == 64 { // no operator takes that many
				args = args[:0]
			}
			args = append(args, v)
			continue
		}
		if depth == 0 && !p.over {
			for p.stream < len(p.ends) && l.at > p.ends[p.stream] {
				p.stream++
			}
		}
		switch op {
		case "BI":
			p.inline(&l)
		case "BMC", "BDC":
			p.mark(args, resources)
		case "EMC":
			if n := len(p.marks) - 1; n >= marks {
				p.unmark(p.marks[n])
				p.marks = p.marks[:n]
			}
		case "Do":
			p.do(last(args), resources, depth)
		case "Tf":
			p.setFont(args, resources)
		case "gs":
			p.graphics(last(args), resources)
		case "q":
			if len(p.saved) > 1024 {
				panic(tooMuch("saved states"))
			}
			p.saved = append(p.saved, p.state)
		case "Q":
			if n := len(p.saved); n > floor {
				p.state, p.saved = p.saved[n-1], p.saved[:n-1]
			}
		default:
			p.operate(string(op), args)
		}
		args = args[:0]
	}
	p.marks = p.marks[:marks]
	if len(p.saved) > floor {
		p.state, p.saved = p.saved[floor], p.saved[:floor]
	}
}

func last(args []any) any {
	if len(args) == 0 {
		return nil
	}
	return args[len(args)-1]
}

// numbers returns the last n operands.
func numbers(args []any, n int) (out [6]float64, ok bool) {
	if len(args) < n {
		return out, false
	}
	for i, v := range args[len(args)-n:] {
		switch v := v.(type) {
		case int:
			out[i] = float64(v)
		case float64:
			out[i] = v
		default:
			return out, false
		}
	}
	return out, true
}

func (p *painter) operate(op string, args []any) {
	s := &p.state
	one, isOne := numbers(args, 1)
	switch op {
	case "cm":
		if n, ok := numbers(args, 6); ok {
			s.ctm = matrix(n).times(s.ctm)
		}
	case "BT":
		p.object++
		p.text, p.line = upright, upright
	case "Tm":
		if n, ok := numbers(args, 6); ok {
			p.text, p.line = matrix(n), matrix(n)
		}
	case "Td", "TD":
		if n, ok := numbers(args, 2); ok {
			p.move(n[0], n[1])
			if op == "TD" {
				s.leading = -n[1]
			}
		}
	case "T*":
		p.move(0, -s.leading)
	case "Tj":
		p.show(args)
	case "TJ":
		if a, ok := last(args).(array); ok {
			p.show(a)
		}
	case "'":
		p.move(0, -s.leading)
		p.show(args)
	case `"`:
		if len(args) == 3 {
			if n, ok := numbers(args[:2], 2); ok {
				s.words, s.letters = n[0], n[1]
			}
			p.move(0, -s.leading)
			p.show(args[2:])
		}
	case "g", "G", "rg", "k", "sc", "scn", "cs":
		p.color(op, args)
	case "re", "m", "l", "c", "v", "y", "h", "f", "F", "f*", "B", "B*", "b", "b*", "S", "s", "n":
		p.path(op, args)
	case "Tc", "Tw", "Tz", "TL", "Ts", "Tr":
		if !isOne {
			return
		}
		switch op {
		case "Tc":
			s.letters = one[0]
		case "Tw":
			s.words = one[0]
		case "Tz":
			s.stretch = one[0] / 100
		case "TL":
			s.leading = one[0]
		case "Ts":
			s.rise = one[0]
		case "Tr":
			s.mode = int(one[0])
		}
	}
}

func (p *painter) move(x, y float64) {
	p.line = matrix{1, 0, 0, 1, x, y}.times(p.line)
	p.text = p.line
}

// color records whether the fill color is white or nearly white. The initial color of a
// color space is not.
func (p *painter) color(op string, args []any) {
	count := len(args)
	switch op {
	case "g":
		count = 1
	case "rg":
		count = 3
	case "k":
		count = 4
	}
	white := count > 0 && count <= 4 && op != "cs"
	n, ok := numbers(args, min(count, 4))
	for _, v := range n[:min(count, 4)] {
		if count == 4 {
			v = 1 - v
		}
		white = white && v > 0.93
	}
	if op != "G" {
		p.state.white = white && ok
	}
}

func (p *painter) path(op string, args []any) {
	switch op {
	case "re":
		if n, ok := numbers(args, 4); ok && len(p.boxes) < 1024 {
			a, b, c, d := p.state.ctm.box(n[0], n[1], n[0]+n[2], n[1]+n[3])
			p.boxes = append(p.boxes, [4]float64{a, b, c, d})
		}
		return
	case "m", "l":
		if n, ok := numbers(args, 2); ok && len(p.corner) < 64 {
			x, y := p.state.ctm.point(n[0], n[1])
			p.corner = append(p.corner, [2]float64{x, y})
		}
		return
	case "c", "v", "y":
		p.curved = true
		return
	case "h":
		return
	case "f", "F", "f*", "B", "B*", "b", "b*":
		if b, ok := p.rectangle(); ok {
			p.boxes = append(p.boxes, b)
		}
		if p.state.opaque {
			for _, b := range p.boxes {
				p.paint(Paint{X0: b[0], Y0: b[1], X1: b[2], Y1: b[3], White: p.state.white})
			}
		}
	}
	p.boxes, p.corner, p.curved = p.boxes[:0], p.corner[:0], false
}

// rectangle returns the rectangle that the path's lines form, if they do.
func (p *painter) rectangle() (b [4]float64, ok bool) {
	c := p.corner
	if p.curved || len(c) < 4 || len(c) > 5 {
		return b, false
	}
	b = [4]float64{c[0][0], c[0][1], c[0][0], c[0][1]}
	for i, q := range c[1:] {
		if before := c[i]; abs(q[0]-before[0]) > 0.01 && abs(q[1]-before[1]) > 0.01 {
			return b, false
		}
		b = [4]float64{min(b[0], q[0]), min(b[1], q[1]), max(b[2], q[0]), max(b[3], q[1])}
	}
	return b, true
}

func abs(f float64) float64 { return max(f, -f) }

func (p *painter) paint(a Paint) {
	take(&p.r.left.paints, 1, "shapes")
	a.Order, a.Annotation = p.order, p.over
	p.order++
	p.page.Paints = append(p.page.Paints, a)
}

// graphics applies the transparency and the font of a graphics state.
func (p *painter) graphics(v any, resources dict) {
	key, _ := v.(name)
	g := p.r.asDict(p.resource(resources, "ExtGState", key))
	if a, ok := p.r.asNumber(g.get("ca")); ok {
		p.state.opaque = a > 0.9
	}
	if mode := p.r.resolve(g.get("BM")); mode != nil && mode != name("Normal") && mode != name("Compatible") {
		p.state.opaque = false
	}
	if f := p.r.asArray(g.get("Font")); len(f) == 2 {
		p.state.font = p.r.font(f[0])
		p.state.size, _ = p.r.asNumber(f[1])
	}
}

// resource returns the resource of a kind with the name that the content uses. What a form
// lacks is the page's.
func (p *painter) resource(resources dict, kind, key name) any {
	for _, from := range []dict{resources, p.resources} {
		all := p.r.asDict(from.get(kind))
		p.r.left.spend((len(from) + len(all)) * (1 + len(key)/16)) // names may be long and similar
		if v := all.get(key); v != nil {
			return v
		}
	}
	return nil
}

func (p *painter) setFont(args []any, resources dict) {
	if len(args) != 2 {
		return
	}
	key, _ := args[0].(name)
	if n, ok := numbers(args, 1); ok {
		p.state.size = n[0]
	}
	d, known := p.fonts[key]
	if !known {
		if v := p.resource(resources, "Font", key); v != nil {
			d = p.r.font(v)
		}
		if len(p.fonts) < maxFonts {
			p.fonts[key] = d
		}
	}
	p.state.font = d
}

// do draws a form or an image.
func (p *painter) do(v any, resources dict, depth int) {
	key, _ := v.(name)
	st := p.r.asStream(p.resource(resources, "XObject", key))
	if st == nil {
		return
	}
	switch p.r.resolve(st.dict.get("Subtype")) {
	case name("Image"):
		p.picture()
		if p.state.opaque && st.dict.get("SMask") == nil && st.dict.get("Mask") == nil && st.dict.get("ImageMask") != true {
			a, b, c, d := p.state.ctm.box(0, 0, 1, 1)
			p.paint(Paint{X0: a, Y0: b, X1: c, Y1: d, Image: true})
		}
	case name("Form"):
		p.form(st, resources, depth)
	}
}

func (p *painter) form(st *stream, resources dict, depth int) {
	if take(&p.r.left.forms, 1, "forms"); depth > 8 {
		panic(tooMuch("forms in forms"))
	}
	if own := p.r.asDict(st.dict.get("Resources")); own != nil {
		resources = own
	}
	kept, text, line := p.state, p.text, p.line
	p.state.ctm = p.r.matrix(st.dict.get("Matrix")).times(p.state.ctm)
	p.run(p.r.data(st), resources, depth+1)
	p.state, p.text, p.line = kept, text, line
}

// picture counts the area of an image on the page.
func (p *painter) picture() {
	a, b, c, d := p.state.ctm.box(0, 0, 1, 1)
	p.page.Pictures += max(0, min(c, p.page.Width)-max(a, 0)) * max(0, min(d, p.page.Height)-max(b, 0))
}

// inline skips an inline image, up to an EI between white space.
func (p *painter) inline(l *lexer) {
	p.picture()
	for {
		i := bytes.Index(l.b[l.at:], []byte("EI"))
		if i < 1 {
			l.at = len(l.b)
			return
		}
		l.left.spend(i)
		l.at += i + 2
		if space(l.b[l.at-3]) && (l.at >= len(l.b) || space(l.b[l.at])) {
			return
		}
	}
}
