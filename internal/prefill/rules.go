package prefill

import "unicode/utf8"

// Maximum lengths, in characters (Unicode code points).
const (
	MaxName     = 254 // "under 255"
	MaxEmail    = 100
	MaxPhone    = 255
	MaxAddress  = 100
	MaxCity     = 100
	MaxEmployer = 255 // our limit; the API names none
	MaxNames    = 6   // stated employer names
	MaxIncome   = 2147483647
)

// fault is the reason why a value is invalid. Each has a text.
type fault uint8

const (
	fine       fault = iota
	unfinished       // more typing may make it valid
	malformed        // more typing cannot
	tooLong
	noDate   // not a day of the calendar, written YYYY-MM-DD
	tooYoung // before the first birthday
	tooOld   // from the 111th birthday on
	future   // a date after today
	comma    // in a name
	numeral  // in a name
	faults   // number of faults
)

func atMost(max int, s string) fault {
	if len(s) > max && utf8.RuneCountInString(s) > max {
		return tooLong
	}
	return fine
}

// personName checks a name: letters of any script with combining marks, spaces, dots,
// apostrophes and dashes, with at least one letter.
func personName(s string) fault {
	letters, before := false, other
	for _, c := range s {
		now := classOf(c)
		switch {
		case IsInvisible(c):
			return malformed
		case now == letter:
			letters = true
		case now == mark && before != other:
		case c == ',':
			return comma
		case c >= '0' && c <= '9':
			return numeral
		case now == other && (c == ' ' || c == '.' || c == '\'' || c == '’' || dash(c)):
		default:
			return malformed
		}
		before = now
	}
	if !letters {
		return unfinished
	}
	return atMost(MaxName, s)
}

// dash reports whether c is a hyphen-minus or a dash of U+2010 to U+2014.
func dash(c rune) bool { return c == '-' || c >= '‐' && c <= '—' }

// IsInvisible reports whether c hides or reorders text: controls of direction, separators, spaces
// without width, blank letters, and tags. It does not include the joiners, which some scripts need.
func IsInvisible(c rune) bool {
	switch c {
	case 0xAD, 0x61C, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180E, 0x200B, 0x200E, 0x200F, 0x2028, 0x2029, 0x3164, 0xFEFF, 0xFFA0:
		return true
	}
	return c >= 0x202A && c <= 0x202E || c >= 0x2060 && c <= 0x206F || c >= 0xFFF9 && c <= 0xFFFB || c >= 0xE0000 && c <= 0xE0FFF
}

// line checks for one line of at most max characters, not all white space, with a
// letter if needsLetter. Invisible characters are refused, and so are joiners after anything but
// a letter or mark of a script that needs them.
func line(s string, max int, needsLetter bool) fault {
	found, before := false, rune(0)
	for _, c := range s {
		joiner := c == 0x200C || c == 0x200D
		if c < ' ' || c >= 0x7F && c < 0xA0 || c == utf8.RuneError || IsInvisible(c) ||
			joiner && (before < 0x600 || classOf(before) == other) {
			return malformed
		}
		before = c
		found = found || !space(c) && (!needsLetter || classOf(c) == letter)
	}
	if !found {
		return unfinished
	}
	return atMost(max, s)
}

// IsEmail reports whether s is a valid email address of a prefill.
func IsEmail(s string) bool { return mailbox(s) == fine }

// mailbox checks an email address: a dot-atom of at most 64 ASCII characters, @, and a
// host name of at least two labels, the last of which begins with a letter. This common
// part of RFC 5321 has no quoted local part, address literal or comment.
func mailbox(s string) fault {
	if wrong := atMost(MaxEmail, s); wrong != fine {
		return wrong
	}
	at := -1
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '@' && at >= 0, c <= ' ', c >= 0x7F:
			return malformed
		case c == '@':
			at = i
		}
	}
	if at < 0 || !dotAtom(s[:at]) || !hostName(s[at+1:]) {
		return unfinished
	}
	return fine
}

func dotAtom(s string) bool {
	if len(s) == 0 || len(s) > 64 {
		return false
	}
	dot := true // a leading dot is refused like a double one
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '.':
			if dot {
				return false
			}
			dot = true
		case alphanumeric(c), c == '!', c >= '#' && c <= '\'', c == '*', c == '+', c == '-', c == '/',
			c == '=', c == '?', c >= '^' && c <= '`', c >= '{' && c <= '~':
			dot = false
		default:
			return false
		}
	}
	return !dot
}

func hostName(s string) bool {
	labels, start := 0, 0
	for i := 0; i <= len(s); i++ {
		if i < len(s) && s[i] != '.' {
			if c := s[i]; !alphanumeric(c) && c != '-' {
				return false
			}
			continue
		}
		label := s[start:i]
		if len(label) == 0 || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		labels++
		if i == len(s) {
			return labels > 1 && len(label) > 1 && !digit(label[0])
		}
		start = i + 1
	}
	return false
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

func alphanumeric(c byte) bool { return digit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// states lists the 50 states, the District of Columbia and the territories, in
// alphabetical order.
const states = "AK AL AR AS AZ CA CO CT DC DE FL GA GU HI IA ID IL IN KS KY LA MA MD ME MI MN MO MP MS MT " +
	"NC ND NE NH NJ NM NV NY OH OK OR PA PR RI SC SD TN TX UM UT VA VI VT WA WI WV WY "

// States lists the valid values of the key state.
func States() []string {
	out := make([]string, 0, len(states)/3)
	for i := 0; i < len(states); i += 3 {
		out = append(out, states[i:i+2])
	}
	return out
}

func stateCode(s string) fault {
	if len(s) < 2 {
		return unfinished
	}
	if len(s) == 2 {
		for i := 0; i < len(states); i += 3 {
			if states[i:i+2] == s {
				return fine
			}
		}
	}
	return malformed
}

// zipCode checks for 12345 or 12345-6789.
func zipCode(s string) fault {
	for i := 0; i < len(s); i++ {
		if i > 9 || i == 5 && s[i] != '-' || i != 5 && !digit(s[i]) {
			return malformed
		}
	}
	if len(s) != 5 && len(s) != 10 {
		return unfinished
	}
	return fine
}

// income accepts an integer. An incomplete typed amount is unfinished.
func income(v *Value) fault {
	if v.Kind == Number {
		if n := integer(v.Text); n >= 0 && n <= MaxIncome {
			return fine
		}
		return malformed
	}
	if v.Kind != Text {
		return malformed
	}
	for i := 0; i < len(v.Text); i++ {
		if c := v.Text[i]; !digit(c) && c != '$' && c != ',' && c != ' ' && (c != '.' || i == 0) {
			return malformed
		}
	}
	return unfinished
}

// integer returns the value of a JSON number that is an integer from 0 to 10^15 in any
// notation: 5e4 and 50000.0 are 50000, as in a script. It returns -1 for anything else.
func integer(s string) int64 {
	negative := len(s) > 0 && s[0] == '-'
	if negative {
		s = s[1:]
	}
	// The digits, the position of the decimal point among them, and the exponent.
	var digits []byte
	point, exponent, inExponent, down := -1, 0, false, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case digit(c) && inExponent:
			exponent = min(exponent*10+int(c-'0'), 1000)
		case digit(c):
			digits = append(digits, c)
		case c == '.':
			point = len(digits)
		case c == 'e' || c == 'E':
			inExponent = true
		case c == '-' || c == '+':
			down = c == '-'
		default:
			return -1 // not JSON, such as a script's Infinity
		}
	}
	if point < 0 {
		point = len(digits)
	}
	if down {
		exponent = -exponent
	}
	point += exponent
	var n int64
	for i, c := range digits {
		if i < point {
			n = n*10 + int64(c-'0')
		} else if c != '0' {
			return -1
		}
		if n > 1e15 {
			return -1
		}
	}
	for i := len(digits); i < point && n != 0; i++ {
		if n *= 10; n > 1e15 {
			return -1
		}
	}
	if negative && n != 0 {
		return -1
	}
	return n
}

func employers(v *Value) fault {
	switch {
	case v.Kind != List:
		return malformed
	case len(v.List) == 0:
		return unfinished
	case len(v.List) > MaxNames:
		return tooLong
	}
	for i := range v.List {
		if n := &v.List[i]; n.Kind != Text || line(n.Text, MaxEmployer, false) != fine {
			return malformed
		}
	}
	return fine
}
