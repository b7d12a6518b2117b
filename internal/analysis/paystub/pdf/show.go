package pdf

import "strings"

// show draws strings; the numbers between them move the next string.
func (p *painter) show(parts []any) {
	s := &p.state
	if s.font == nil || s.size == 0 {
		return
	}
	p.op++
	var run Run
	quarter := 0
	var b strings.Builder
	begin := func() {
		m := matrix{1, 0, 0, 1, 0, s.rise}.times(p.text).times(s.ctm)
		run = Run{X: m[4], Y: m[5], Size: abs(m[3]) * abs(s.size), Font: s.font.index, Object: p.object, Op: p.op,
			Stream: p.stream, Stretch: s.stretch, Spacing: s.letters * abs(m[0])}
		if m[3] != 0 {
			run.Stretch *= abs(m[0] / m[3])
		}
		run.Hidden, run.White = s.mode == 3 || s.mode == 7, s.white
		switch quarter = 0; {
		case abs(m[1]) > abs(m[0]) && m[1] > 0:
			quarter = 1
		case abs(m[1]) > abs(m[0]):
			quarter = 3
		case m[0] < 0 && m[3] < 0:
			quarter = 2
		}
		run.Turned = m[0] <= 0 || abs(m[1]) > 0.01*abs(m[0]) || s.size < 0 && m[0] > 0
	}
	finish := func() {
		if b.Len() > 0 {
			run.End = p.text.times(s.ctm)[4]
			run.Text, run.Order = b.String(), p.order
			p.turns[quarter] += b.Len()
			p.order++
			take(&p.r.left.runs, 1, "text")
			p.page.Runs = append(p.page.Runs, run)
			b.Reset()
		}
	}
	for _, part := range parts {
		if t, ok := part.(text); ok {
			if b.Len() == 0 {
				begin()
			}
			p.glyphs(t, &b)
			continue
		}
		n, ok := numbers([]any{part}, 1)
		if !ok {
			continue
		}
		gap := -n[0] / 1000
		if gap > 0.7 {
			finish()
		} else if gap > 0.16 && b.Len() > 0 {
			b.WriteByte(' ')
		}
		p.text = matrix{1, 0, 0, 1, gap * s.size * s.stretch, 0}.times(p.text)
	}
	finish()
}

// glyphs writes the letters of a string to b and advances the text position.
func (p *painter) glyphs(t text, b *strings.Builder) {
	s := &p.state
	take(&p.r.left.glyphs, len(t), "letters")
	step := 1
	if s.font.wide {
		step = 2
	}
	for i := 0; i+step <= len(t); i += step {
		c := int(t[i])
		if step == 2 {
			c = c<<8 | int(t[i+1])
		}
		b.WriteString(s.font.letter(c))
		w := s.font.width(c)*s.font.scale*s.size + s.letters
		if step == 1 && c == ' ' {
			w += s.words
		}
		p.text = matrix{1, 0, 0, 1, w * s.stretch, 0}.times(p.text)
	}
}
