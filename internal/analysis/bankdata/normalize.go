package bankdata

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"unicode"
	"unicode/utf8"
)

// maxWords is the maximum number of words read of a descriptor, far more than a valid one
// has.
const maxWords = 96

// text holds a descriptor's words in a reusable buffer.
type text struct {
	in           []byte                  // what is added, with zeros behind it
	buf          []byte                  // the words in capitals, separated by one space
	ends         [maxWords]int32         // where in buf each word ends
	count        int                     // of words
	houseNumbers [maxWords/64 + 1]uint64 // the words that follow a possible street number
}

// Normalize returns a descriptor as its words in capitals with one space
// between: accents, punctuation, digits, masks (runs of X) and codes that mix
// letters and digits are left out; & and ' join ("AT&T" is ATT). A code is kept as
// its first letters where it begins a name (M1 FINANCE) or was glued to a word
// (MURPHY7118ATWALMART). Normalizing twice changes nothing.
func Normalize(s string) string {
	var t text
	t.add(s)
	return string(t.buf)
}

func (t *text) reset() { t.buf, t.count, t.houseNumbers = t.buf[:0], 0, [len(t.houseNumbers)]uint64{} }

// Kinds of bytes that are not letters.
const (
	byteSeparator = iota
	byteDigit
	byteJoin // in the middle of a word, and not part of it
	byteWide // the beginning of a rune beyond ASCII
)

// byteKinds maps each byte to its kind; a letter maps to its capital.
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

func (t *text) add(s string) {
	if s == "" || t.count >= maxWords {
		return
	}
	// A rune's capital may take one byte more than the rune; the space before the
	// first word takes another, and letters are written eight at a time.
	if need := 2*len(s) + 8; cap(t.buf)-len(t.buf) < need {
		t.buf = slices.Grow(t.buf, need)
	}
	t.in = append(append(t.in[:0], s...), 0, 0, 0, 0, 0, 0, 0, 0) // to read eight bytes anywhere; a zero separates
	in, buf, n := t.in, t.buf[:cap(t.buf)], len(t.buf)
	if n > 0 {
		buf[n] = ' '
		n++
	}
	start, digits, first := n, false, true
	for i := 0; i <= len(s); i++ {
		switch byteKinds[in[i]] {
		default:
			capitals, letters := leadingLetters(binary.LittleEndian.Uint64(in[i:]))
			binary.LittleEndian.PutUint64(buf[n:], capitals)
			n += letters
			if i += letters; letters == 8 || byteKinds[in[i]] != byteSeparator {
				i-- // the word continues
				continue
			}
		case byteDigit: // writes one 0 for consecutive digits
			for isDigit(in[i+1]) {
				i++
			}
			buf[n] = '0'
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
		if digits && n == start+1 {
			n, digits = start, false
			if in[i] == ' ' {
				t.number(s, i)
			}
			first = false
		}
		if n == start {
			continue
		}
		if digits || buf[start] == 'X' || buf[n-1] == 'X' {
			n = start + trimmedLength(buf[start:n], digits, first)
			digits = false
		}
		first = false
		if n > start {
			buf[n] = ' '
			t.ends[t.count] = int32(n)
			n++
			start = n
			if t.count++; t.count == maxWords {
				break
			}
		}
	}
	t.buf = t.buf[:max(start-1, 0)]
}

// number notes whether the number that ends before the space s[end] may be a street
// number: preceded by a space, at most five digits, no leading zero.
func (t *text) number(s string, end int) {
	from := end - 1
	for from > 0 && isDigit(s[from-1]) {
		from--
	}
	if end-from <= 5 && s[from] >= '1' && s[from] <= '9' && (from == 0 || s[from-1] == ' ') {
		t.houseNumbers[t.count>>6] |= 1 << (t.count & 63)
	}
}

// leadingLetters returns the letters at the beginning of eight bytes as capitals, and their
// count; the remaining bytes of capitals are undefined.
func leadingLetters(x uint64) (capitals uint64, letters int) {
	const each = 0x0101010101010101
	capitals = x &^ (0x20 * each)
	low := capitals &^ (0x80 * each) // so that no sum goes beyond its byte
	others := (x | ^(low + (0x80-'A')*each) | (low + (0x7F-'Z')*each)) & (0x80 * each)
	return capitals, bits.TrailingZeros64(others) / 8
}

// gluedBefore and gluedBehind are the minimum numbers of letters before and after a
// number for a glued word.
const gluedBefore, gluedBehind = 5, 4

// trimmedLength removes the same characters from a word as unmask, moves the rest to its
// beginning, and returns its length: 0 for a number, mask or code. The first word of a
// descriptor may be a letter and a number.
func trimmedLength(w []byte, digits, first bool) int {
	from, to := unmask(w)
	if to-from == 1 && len(w) > 1 {
		if first && from == 0 && isDigit(w[1]) && w[0] < utf8.RuneSelf {
			return 1
		}
		return 0
	}
	number, ascii := -1, true
	for i := from; digits && i < to; i++ {
		switch {
		case w[i] >= utf8.RuneSelf:
			ascii = false
		case !isDigit(w[i]):
		case number >= 0:
			return 0
		default:
			number = i
		}
	}
	if number >= 0 {
		if !ascii || number-from < gluedBefore || to-number-1 < gluedBehind {
			return 0
		}
		return copy(w, w[from:from+trimmedLength(w[from:number], false, false)])
	}
	return copy(w, w[from:to])
}

// unmask removes digits and masks at both ends. A mask is at least two X at the beginning
// and three at the end, because MAXX is a word.
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

// Results of fold for characters that are not letters.
const (
	foldSeparator = -1
	foldJoin      = -2
)

// fold converts a rune beyond ASCII to a capital without accent, and any digit to 0.
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

// foldTable maps the letters from U+00C0 to U+017F to letters without accents.
const (
	foldFirst = 0xC0
	foldTable = "AAAAAAACEEEEIIII" + "DNOOOOO OUUUUYTS" + "AAAAAAACEEEEIIII" + "DNOOOOO OUUUUYTY" +
		"AAAAAACCCCCCCCDD" + "DDEEEEEEEEEEGGGG" + "GGGGHHHHIIIIIIII" + "IIIIJJKKKLLLLLLL" +
		"LLLNNNNNNNNNOOOO" + "OOOORRRRRRSSSSSS" + "SSTTTTTTUUUUUUUU" + "UUUUWWYYYZZZZZZS"
)
