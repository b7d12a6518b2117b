package bankdata

import (
	"unicode"
	"unicode/utf8"
)

// word is one word of a normalised descriptor: text[start:end], and what the
// lexicon knows about it.
type word struct {
	start, end int32
	id, stem   uint16 // the lexicon's number of the word and of its longest known beginning; 0: none
	flags      uint8
}

// maxWords bounds how much of a descriptor is read; the contract's longest has
// far fewer words.
const maxWords = 96

// text is a descriptor as words, in buffers that are used again for the next.
type text struct {
	buf   []byte // the words in capitals, separated by one space
	words []word
}

// Normalise returns a descriptor as its words in capitals with one space
// between: accents, punctuation, digits, masks (runs of X) and codes that mix
// letters and digits are left out; & and ' join ("AT&T" is ATT). Normalising
// twice changes nothing.
func Normalise(s string) string {
	var t text
	t.add(s)
	return string(t.buf)
}

func (t *text) reset() { t.buf, t.words = t.buf[:0], t.words[:0] }

// What a byte is to the reader: a separator unless it is said here.
const (
	byteSeparator = iota
	byteLetter
	byteDigit
	byteJoin // in the middle of a word, and not part of it
	byteWide // the beginning of a rune beyond ASCII
)

// byteKinds says what each byte is.
var byteKinds = func() (k [256]uint8) {
	for c := range k {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
			k[c] = byteLetter
		case c >= '0' && c <= '9':
			k[c] = byteDigit
		case c == '\'', c == '&':
			k[c] = byteJoin
		case c >= utf8.RuneSelf:
			k[c] = byteWide
		}
	}
	return k
}()

// add appends the words of s.
func (t *text) add(s string) {
	if len(t.words) >= maxWords {
		return
	}
	buf := t.buf
	start := t.open(&buf)
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch byteKinds[c] {
		case byteLetter:
			buf = append(buf, c&^0x20)
			continue
		case byteDigit:
			buf = append(buf, c)
			continue
		case byteJoin:
			continue
		case byteWide:
			r, n := utf8.DecodeRuneInString(s[i:])
			i += n - 1
			if r == utf8.RuneError && n == 1 {
				break
			}
			var inWord bool
			if buf, inWord = fold(buf, r); inWord {
				continue
			}
		}
		if len(buf) > start {
			if buf = t.close(buf, start); len(t.words) >= maxWords {
				t.buf = buf
				return
			}
			start = t.open(&buf)
		}
	}
	if len(buf) > start {
		buf = t.close(buf, start)
	} else if start > 0 {
		buf = buf[:start-1]
	}
	t.buf = buf
}

// open prepares for the next word and returns where it begins.
func (t *text) open(buf *[]byte) int {
	if len(*buf) > 0 && (*buf)[len(*buf)-1] != ' ' {
		*buf = append(*buf, ' ')
	}
	return len(*buf)
}

// close takes what was read since start as a word, or drops it as a number, mask
// or code.
func (t *text) close(buf []byte, start int) []byte {
	w := buf[start:]
	from, to := 0, len(w)
	for changed := true; changed; {
		changed = false
		for from < to && isDigit(w[from]) {
			from, changed = from+1, true
		}
		n := 0
		for from+n < to && w[from+n] == 'X' {
			n++
		}
		if n >= 2 {
			from, changed = from+n, true
		}
	}
	for changed := true; changed; {
		changed = false
		for from < to && isDigit(w[to-1]) {
			to, changed = to-1, true
		}
		n := 0
		for from < to-n && w[to-1-n] == 'X' {
			n++
		}
		if n >= 3 {
			to, changed = to-n, true
		}
	}
	keep := to > from && (to-from > 1 || len(w) == 1)
	hash, first4 := uint32(fnvOffset), uint32(0)
	for i := from; i < to && keep; i++ {
		if isDigit(w[i]) {
			keep = false
		}
		hash = (hash ^ uint32(w[i])) * fnvPrime
		if i == from+3 {
			first4 = hash
		}
	}
	if !keep {
		if start > 0 {
			start--
		}
		return buf[:start]
	}
	n := copy(w, w[from:to])
	buf = buf[:start+n]
	x := word{start: int32(start), end: int32(start + n)}
	x.id, x.stem, x.flags = lex.lookup(buf[start:], hash, first4)
	t.words = append(t.words, x)
	return buf
}

const (
	fnvOffset = 2166136261
	fnvPrime  = 16777619
)

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// fold appends a rune beyond ASCII as a capital without its accent. inWord is
// false when the rune separates words.
func fold(buf []byte, r rune) (_ []byte, inWord bool) {
	if r >= foldFirst && r < foldFirst+rune(len(foldTable)) {
		if c := foldTable[r-foldFirst]; c != ' ' {
			return append(buf, c), true
		}
		return buf, false
	}
	switch {
	case unicode.Is(unicode.Mn, r), r == '’':
		return buf, true
	case unicode.IsLetter(r):
		if r = unicode.ToUpper(r); r < utf8.RuneSelf {
			return append(buf, byte(r)), true
		}
		return utf8.AppendRune(buf, r), true
	case unicode.IsDigit(r):
		return append(buf, '0'), true
	}
	return buf, false
}

// foldTable gives the letters from U+00C0 to U+017F without their accents.
const (
	foldFirst = 0xC0
	foldTable = "AAAAAAACEEEEIIII" + "DNOOOOO OUUUUYTS" + "AAAAAAACEEEEIIII" + "DNOOOOO OUUUUYTY" +
		"AAAAAACCCCCCCCDD" + "DDEEEEEEEEEEGGGG" + "GGGGHHHHIIIIIIII" + "IIIIJJKKKLLLLLLL" +
		"LLLNNNNNNNNNOOOO" + "OOOORRRRRRSSSSSS" + "SSTTTTTTUUUUUUUU" + "UUUUWWYYYZZZZZZS"
)
