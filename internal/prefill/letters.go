package prefill

//go:generate go run ./lettersgen

// class is a character's class in a name.
type class uint8

const (
	other class = iota
	letter
	mark // a combining mark
)

// classOf looks a character up in letterTable, which lists runs of letters or of marks.
// A run is its distance from the end of the previous run, then 2 × (length - 1), plus 1
// for marks, both in base 128.
func classOf(c rune) class {
	if c < 0x80 {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
			return letter
		}
		return other
	}
	var n, shift, end rune = 0, 0, 0x80
	gap := true
	for i := 0; i < len(letterTable); i++ {
		b := letterTable[i]
		n |= rune(b&0x7F) << shift
		if shift += 7; b >= 0x80 {
			continue
		}
		if gap {
			end += n
		} else {
			end += n>>1 + 1
		}
		if c < end {
			if gap {
				return other
			}
			return letter + class(n&1)
		}
		gap, n, shift = !gap, 0, 0
	}
	return other
}

// space reports whether c is white space in Unicode.
func space(c rune) bool {
	return c == ' ' || c >= '\t' && c <= '\r' || c == 0x85 || c == 0xA0 || c == 0x1680 ||
		c >= 0x2000 && c <= 0x200A || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000
}
