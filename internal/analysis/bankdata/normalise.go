package bankdata

import (
	"slices"
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

// What a byte is to the reader when it is no letter.
const (
	byteSeparator = iota
	byteDigit
	byteJoin // in the middle of a word, and not part of it
	byteWide // the beginning of a rune beyond ASCII
)

// byteKinds says what each byte is: a letter gives its capital.
var byteKinds = func() (k [256]byte) {
	for c := range k {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
			k[c] = byte(c) &^ 0x20
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
	// A rune's capital may take one byte more than the rune; the space before the
	// first word takes another.
	buf := slices.Grow(t.buf, 2*len(s)+utf8.UTFMax)
	n := len(buf)
	buf = buf[:cap(buf)]
	if n > 0 {
		buf[n] = ' '
		n++
	}
	start, digits := n, false
	for i := 0; i < len(s); i++ {
		switch k := byteKinds[s[i]]; k {
		default:
			buf[n] = k
			n++
			continue
		case byteDigit:
			buf[n] = s[i]
			n++
			digits = true
			continue
		case byteJoin:
			continue
		case byteSeparator:
		case byteWide:
			r, size := utf8.DecodeRuneInString(s[i:])
			i += size - 1
			if k := fold(r); k >= 0 {
				n += utf8.EncodeRune(buf[n:n+utf8.UTFMax], k)
				digits = digits || k == '0'
				continue
			} else if k == foldJoin {
				continue
			}
		}
		if n > start {
			n = t.close(buf, start, n, digits)
			if start, digits = n, false; len(t.words) >= maxWords {
				break
			}
		}
	}
	if n > start {
		n = t.close(buf, start, n, digits)
	}
	if n > 0 && buf[n-1] == ' ' {
		n--
	}
	t.buf = buf[:n]
}

// close takes buf[start:end] as a word, or drops it as a number, mask or code. It
// returns where the next word begins.
func (t *text) close(buf []byte, start, end int, digits bool) int {
	w := buf[start:end]
	if digits || w[0] == 'X' || w[len(w)-1] == 'X' {
		from, to := unmask(w)
		if to == from || to-from == 1 && len(w) > 1 {
			return start
		}
		for i := from; digits && i < to; i++ {
			if isDigit(w[i]) {
				return start
			}
		}
		copy(w, w[from:to])
		w = w[:to-from]
	}
	x := word{start: int32(start), end: int32(start + len(w))}
	x.id, x.stem, x.flags = lex.lookup(w)
	t.words = append(t.words, x)
	buf[x.end] = ' '
	return int(x.end) + 1
}

// unmask leaves out digits and masks at both ends: two X at the beginning are
// one, at the end it takes three (MAXX is a word).
func unmask(w []byte) (from, to int) {
	to = len(w)
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
	return from, to
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// What fold returns for what is no letter.
const (
	foldSeparator = -1
	foldJoin      = -2
)

// fold gives a rune beyond ASCII as a capital without its accent, any digit as 0.
func fold(r rune) rune {
	if r >= foldFirst && r < foldFirst+rune(len(foldTable)) {
		if c := foldTable[r-foldFirst]; c != ' ' {
			return rune(c)
		}
		return foldSeparator
	}
	switch {
	case unicode.Is(unicode.Mn, r), r == '’':
		return foldJoin
	case unicode.IsLetter(r):
		return unicode.ToUpper(r)
	case unicode.IsDigit(r):
		return '0'
	}
	return foldSeparator
}

// foldTable gives the letters from U+00C0 to U+017F without their accents.
const (
	foldFirst = 0xC0
	foldTable = "AAAAAAACEEEEIIII" + "DNOOOOO OUUUUYTS" + "AAAAAAACEEEEIIII" + "DNOOOOO OUUUUYTY" +
		"AAAAAACCCCCCCCDD" + "DDEEEEEEEEEEGGGG" + "GGGGHHHHIIIIIIII" + "IIIIJJKKKLLLLLLL" +
		"LLLNNNNNNNNNOOOO" + "OOOORRRRRRSSSSSS" + "SSTTTTTTUUUUUUUU" + "UUUUWWYYYZZZZZZS"
)
