package prefill

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// The bounds of the contract, in characters (Unicode code points).
const (
	MaxName     = 254 // "under 255"
	MaxEmail    = 100
	MaxPhone    = 255
	MaxAddress  = 100
	MaxCity     = 100
	MaxEmployer = 255 // the contract names none; ours
	MaxNames    = 6   // stated employer names
	MaxIncome   = 2147483647
)

// fault is why a value is refused. Each has its words.
type fault uint8

const (
	fine       fault = iota
	unfinished       // could become right by typing on
	malformed        // cannot
	tooLong
	noDate   // not a day of the calendar, written YYYY-MM-DD
	tooYoung // before the first birthday
	tooOld   // from the 111th birthday on
)

// take checks the value of the key at place i and puts it into f if it is fine.
func (f *Fields) take(i int, v Value, today Date) fault {
	switch i {
	case statedAnnualIncome:
		n, wrong := income(v)
		if wrong == fine {
			f.StatedAnnualIncome = &n
		}
		return wrong
	case statedEmployerNames:
		names, wrong := employers(v)
		if wrong == fine {
			f.StatedEmployerNames = names
		}
		return wrong
	}
	if v.Kind != Text {
		return malformed
	}
	var into *string
	var wrong fault
	switch i {
	case firstName:
		into, wrong = &f.FirstName, personName(v.Text)
	case lastName:
		into, wrong = &f.LastName, personName(v.Text)
	case email:
		into, wrong = &f.Email, mailbox(v.Text)
	case dob:
		into, wrong = &f.DOB, birthDate(v.Text, today)
	case phone:
		into, wrong = &f.Phone, atMost(MaxPhone, v.Text)
	case address:
		into, wrong = &f.Address, line(v.Text, MaxAddress, unicode.IsLetter)
	case city:
		into, wrong = &f.City, line(v.Text, MaxCity, visible)
	case state:
		into, wrong = &f.State, stateCode(v.Text)
	case zip:
		into, wrong = &f.ZIP, zipCode(v.Text)
	case statedEmployerName:
		into, wrong = &f.StatedEmployerName, line(v.Text, MaxEmployer, visible)
	}
	if wrong == fine {
		*into = v.Text
	}
	return wrong
}

func atMost(max int, s string) fault {
	if len(s) > max && utf8.RuneCountInString(s) > max {
		return tooLong
	}
	return fine
}

// personName: letters of any script with their combining marks, spaces, dots,
// apostrophes and dashes, at least one letter among them.
func personName(s string) fault {
	letters, base := 0, false
	for _, c := range s {
		switch {
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= utf8.RuneSelf && unicode.IsLetter(c):
			letters++
			base = true
		case c >= utf8.RuneSelf && unicode.IsMark(c):
			if !base {
				return malformed
			}
		case c == ' ' || c == '.' || c == '\'' || c == '’' || dash(c):
			base = false
		default:
			return malformed
		}
	}
	if letters == 0 {
		return unfinished
	}
	return atMost(MaxName, s)
}

// dash: the hyphen-minus and its typographic kin, U+2010 to U+2014.
func dash(c rune) bool { return c == '-' || c >= '‐' && c <= '—' }

// line: one line of at most max characters in which one is of the wanted kind.
func line(s string, max int, wanted func(rune) bool) fault {
	found := false
	for _, c := range s {
		if c < ' ' || c == 0x7F || c == utf8.RuneError || c == '\u2028' || c == '\u2029' || c >= 0x80 && c < 0xA0 {
			return malformed
		}
		found = found || wanted(c)
	}
	if !found {
		return unfinished
	}
	return atMost(max, s)
}

func visible(c rune) bool { return !unicode.IsSpace(c) }

// mailbox: a dot-atom of at most 64 ASCII characters, @, and a host name of two
// or more labels whose last begins with a letter: the part of RFC 5321 that mail
// is sent with, so no quoted local part, address literal or comment.
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
	dot := true // as if one stood before the first character
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

func alphanumeric(c byte) bool {
	return digit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// states: the fifty, the district, and the territories, in alphabetical order.
const states = "AK AL AR AS AZ CA CO CT DC DE FL GA GU HI IA ID IL IN KS KY LA MA MD ME MI MN MO MP MS MT " +
	"NC ND NE NH NJ NM NV NY OH OK OR PA PR RI SC SD TN TX UM UT VA VI VT WA WI WV WY "

// States lists the codes that the key state takes.
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

// zipCode: 12345 or 12345-6789.
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

// income takes a number without a fraction, however it was written: 5e4 is
// 50000, as it is to a script.
func income(v Value) (int64, fault) {
	if v.Kind == Text && strings.Trim(v.Text, "$, 0123456789") == "" {
		return 0, unfinished
	}
	if v.Kind != Number || !(v.Number >= 0 && v.Number <= MaxIncome) {
		return 0, malformed
	}
	n := int64(v.Number)
	if float64(n) != v.Number {
		return 0, malformed
	}
	return n, fine
}

func employers(v Value) ([]string, fault) {
	if v.Kind != List {
		return nil, malformed
	}
	if len(v.List) == 0 {
		return nil, unfinished
	}
	if len(v.List) > MaxNames {
		return nil, tooLong
	}
	names := make([]string, len(v.List))
	for i, n := range v.List {
		if n.Kind != Text {
			return nil, malformed
		}
		if wrong := line(n.Text, MaxEmployer, visible); wrong != fine {
			return nil, malformed
		}
		names[i] = n.Text
	}
	return names, fine
}
