package pdf

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/encoding/charmap"
)

// decoder maps the codes of a font to letters and widths.
type decoder struct {
	index int               // in File.Fonts
	wide  bool              // codes have two bytes
	text  map[int]string    // letters by code, from the ToUnicode map
	spans []span            // ranges of letters, ascending
	names [256]rune         // letters by code, if codes have one byte
	width func(int) float64 // by code, in units of scale
	scale float64           // factor of widths; 0.001 except for Type 3 fonts
}

// span is a range of consecutive codes with consecutive letters from rune, or with the same
// width.
type span struct {
	lo, hi int
	rune   int
	width  float64
}

// find returns the span that contains a code.
func find(spans []span, code int) (span, bool) {
	i, exact := slices.BinarySearchFunc(spans, code, func(s span, c int) int { return cmp.Compare(s.lo, c) })
	if !exact {
		i--
	}
	if i < 0 || code > spans[i].hi {
		return span{}, false
	}
	return spans[i], true
}

// font returns the decoder of a font from its entry in the resources.
func (r *reader) font(v any) *decoder {
	to, shared := v.(ref)
	if shared {
		if d, known := r.decoded[to.num]; known {
			return d
		}
	}
	if len(r.out.Fonts) >= maxFonts {
		panic(tooMuch("fonts"))
	}
	f := r.asDict(v)
	d := &decoder{index: len(r.out.Fonts), text: map[int]string{}, scale: 0.001}
	r.out.Fonts = append(r.out.Fonts, Font{})
	base, _ := r.resolve(f.get("BaseFont")).(name)
	base = base[:min(len(base), 128)]
	descriptor := r.asDict(f.get("FontDescriptor"))
	if st := r.asStream(f.get("ToUnicode")); st != nil {
		r.try(func() any { d.toUnicode(r, r.data(st)); return nil })
	}
	if f.get("Subtype") == name("Type0") {
		d.wide = true
		below := dict(nil)
		if a := r.asArray(f.get("DescendantFonts")); len(a) > 0 {
			below = r.asDict(a[0])
		}
		descriptor = r.asDict(below.get("FontDescriptor"))
		d.width = r.wideWidths(below)
	} else {
		r.encoding(d, f)
		d.width = r.widths(f, descriptor, string(base))
		if m := r.asArray(f.get("FontMatrix")); f.get("Subtype") == name("Type3") && len(m) == 6 {
			if n, ok := r.asNumber(m[0]); ok && n > 0 && n < 10 {
				d.scale = n
			}
		}
	}
	out := &r.out.Fonts[d.index]
	own := r.asDict(f.get("Encoding"))
	symbolic := r.asInt(descriptor.get("Flags"))&4 != 0 && f.get("Encoding") == nil ||
		own != nil && firstOf(own, "BaseEncoding", "Differences") == nil
	switch mapped := len(d.text)+len(d.spans) > 0; {
	case mapped && symbolic:
		d.names = [256]rune{} // only the map says what its codes are
	case !mapped && !d.wide:
		out.Guessed = symbolic || f.get("Subtype") == name("Type3")
	}
	out.Name = string(base)
	if mark, rest, ok := strings.Cut(out.Name, "+"); ok && len(mark) == 6 {
		out.Subset, out.Name = mark, rest
	}
	for _, k := range []name{"FontFile", "FontFile2", "FontFile3"} {
		out.Embedded = out.Embedded || descriptor.get(k) != nil
	}
	if shared {
		r.decoded[to.num] = d
	}
	return d
}

// letter returns the text of a code, or U+FFFD if the file does not define it.
func (d *decoder) letter(code int) string {
	if s, ok := d.text[code]; ok {
		return known(s)
	}
	if s, ok := find(d.spans, code); ok {
		return known(string(rune(s.rune + code - s.lo)))
	}
	if !d.wide && len(d.text) == 0 && len(d.spans) == 0 && d.names[code&0xff] != 0 {
		return string(d.names[code&0xff])
	}
	if !d.wide && code >= ' ' && code < 127 && d.names[code&0xff] != 0 {
		return string(d.names[code&0xff])
	}
	return "\ufffd"
}

// known returns a text of a font's map, or U+FFFD if it is for private use or a control
// character.
func known(s string) string {
	if strings.ContainsFunc(s, func(c rune) bool { return unicode.Is(unicode.Co, c) || c < ' ' && c != '\t' }) {
		return "\ufffd"
	}
	return s
}

// encoding sets the letters of a font with one byte per code.
func (r *reader) encoding(d *decoder, f dict) {
	e := r.resolve(f.get("Encoding"))
	base, changes := e, array(nil)
	if own, ok := e.(dict); ok {
		base, changes = r.resolve(own.get("BaseEncoding")), r.asArray(own.get("Differences"))
	}
	table := charmap.Windows1252
	if base == name("MacRomanEncoding") {
		table = charmap.Macintosh
	}
	for c := 32; c < 256; c++ {
		d.names[c] = table.DecodeByte(byte(c))
	}
	code := 0
	for _, v := range changes {
		r.left.spend(64) // the same list may be in every font
		switch v := r.resolve(v).(type) {
		case int:
			code = v
		case name:
			r.left.spend(len(v) / 16)
			if code >= 0 && code < 256 {
				d.names[code] = glyph(string(v))
			}
			code++
		}
	}
}

// widths returns the widths of a font with one byte per code: its own, or those of a standard
// font.
func (r *reader) widths(f, descriptor dict, base string) func(int) float64 {
	own := r.asArray(f.get("Widths"))
	if own == nil {
		return standardWidths(base)
	}
	first := r.asInt(f.get("FirstChar"))
	missing, _ := r.asNumber(descriptor.get("MissingWidth"))
	var table [256]float64
	for c := range table {
		table[c] = missing
		if i := c - first; i >= 0 && i < len(own) {
			table[c], _ = r.asNumber(own[i])
		}
	}
	return func(c int) float64 { return table[c&0xff] }
}

// wideWidths returns the widths of a font with two bytes per code.
func (r *reader) wideWidths(f dict) func(int) float64 {
	otherwise, ok := r.asNumber(f.get("DW"))
	if !ok {
		otherwise = 1000
	}
	each := map[int]float64{}
	var spans []span
	w := r.asArray(f.get("W"))
	for len(w) >= 2 {
		r.left.spend(32) // the same list may be in every font
		lo := r.asInt(w[0])
		if list := r.asArray(w[1]); list != nil {
			for i, v := range list {
				each[lo+i], _ = r.asNumber(v)
			}
			r.left.spend(32 * len(list)) // the same list may occur repeatedly
			take(&r.left.values, len(list), "values")
			w = w[2:]
			continue
		}
		if len(w) < 3 {
			break
		}
		take(&r.left.values, 1, "values")
		width, _ := r.asNumber(w[2])
		spans = append(spans, span{lo: lo, hi: r.asInt(w[1]), width: width})
		w = w[3:]
	}
	slices.SortStableFunc(spans, func(a, b span) int { return cmp.Compare(a.lo, b.lo) })
	return func(c int) float64 {
		if v, ok := each[c]; ok {
			return v
		}
		if s, ok := find(spans, c); ok {
			return s.width
		}
		return otherwise
	}
}

// toUnicode reads the letters of codes from a font's ToUnicode map.
func (d *decoder) toUnicode(r *reader, data []byte) {
	l := lexer{b: data, content: true, left: &r.left}
	var last []any
	for {
		v := l.next(0)
		if _, over := v.(end); over {
			break
		}
		op, is := v.(operator)
		if !is {
			if take(&r.left.values, 1, "values"); len(last) > 3<<10 {
				panic(tooMuch("entries of a font's map"))
			}
			last = append(last, v)
			continue
		}
		switch op {
		case "endbfchar":
			for ; len(last) >= 2; last = last[2:] {
				from, ok1 := last[0].(text)
				to, ok2 := last[1].(text)
				if ok1 && ok2 {
					d.text[code(from)] = letters(to)
				}
			}
		case "endbfrange":
			for ; len(last) >= 3; last = last[3:] {
				d.codes(r, last[0], last[1], last[2])
			}
		}
		last = last[:0]
	}
	slices.SortStableFunc(d.spans, func(a, b span) int { return cmp.Compare(a.lo, b.lo) })
}

// codes stores the letters of a range of codes. An array's values count against the budget,
// because they are stored.
func (d *decoder) codes(r *reader, lo, hi, to any) {
	a, ok1 := lo.(text)
	b, ok2 := hi.(text)
	if !ok1 || !ok2 {
		return
	}
	switch to := to.(type) {
	case text:
		if s := []rune(letters(to)); len(s) == 1 {
			d.spans = append(d.spans, span{lo: code(a), hi: code(b), rune: int(s[0])})
		}
	case array:
		take(&r.left.values, len(to), "values")
		for i, v := range to {
			if t, ok := v.(text); ok {
				d.text[code(a)+i] = letters(t)
			}
		}
	}
}

// code returns the number that the first four bytes encode.
func code(t text) (n int) {
	for i := range min(len(t), 4) {
		n = n<<8 | int(t[i])
	}
	return n
}

// letters returns up to eight letters of a map's text.
func letters(t text) string { return bigEndian(string(t[:min(len(t), 16)])) }

// glyph returns the letter of a glyph name, or 0 if it is unknown.
func glyph(n string) rune {
	n, _, _ = strings.Cut(n, ".")
	if len(n) == 1 {
		return rune(n[0])
	}
	for _, mark := range []string{"uni", "u"} {
		if hex, ok := strings.CutPrefix(n, mark); ok && len(hex) >= 4 && len(hex) <= 6 {
			if v, err := strconv.ParseUint(hex[:min(len(hex), 6)], 16, 21); err == nil {
				return rune(v)
			}
		}
	}
	if i := slices.Index(glyphs["ascii"], n); i >= 0 {
		return rune(asciiRunes[i])
	}
	if i := slices.Index(glyphs["latin"], n); i >= 0 {
		return rune(0xa0 + i)
	}
	switch n {
	case "endash":
		return '–'
	case "emdash":
		return '—'
	case "bullet":
		return '•'
	case "quoteright":
		return '’'
	case "quoteleft":
		return '‘'
	case "fi":
		return 'ﬁ'
	case "fl":
		return 'ﬂ'
	}
	return 0
}
