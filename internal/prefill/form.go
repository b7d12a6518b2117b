package prefill

import "unicode/utf8"

// The parts in which a form asks for the date of birth, beside the one field
// dob. Month and day may be typed without a leading zero.
const (
	DOBYear  = "dob-year"
	DOBMonth = "dob-month"
	DOBDay   = "dob-day"
)

// FromForm makes an object of a form's fields, as typed and named by the keys of
// the contract; other fields are none of its business. It mends what a typist
// does not see or cannot know: spaces around a value, a state in small letters,
// an income written $52,000. A field left empty was not given. Of
// statedEmployerNames there may be several.
func FromForm(fields map[string][]string) Object {
	return FromFields(func(name string) []string { return fields[name] })
}

// FromFields is FromForm for a form that is asked for one field after another.
func FromFields(field func(name string) []string) Object {
	o := make(Object, 0, len(keys))
	for i, key := range keys {
		var v Value
		switch i {
		case dob:
			v.Text = dateTyped(field)
		case statedEmployerNames:
			for _, s := range field(key) {
				if s = trim(s); s != "" {
					v.Kind, v.List = List, append(v.List, String(s))
				}
			}
		case statedAnnualIncome:
			v = amountTyped(typed(field, key))
		case state:
			v.Text = capitals(typed(field, key))
		default:
			v.Text = typed(field, key)
		}
		if v.Text != "" && v.Kind == Null {
			v.Kind = Text
		}
		if v.Kind != Null {
			o = append(o, Member{key, v})
		}
	}
	return o
}

func typed(field func(string) []string, key string) string {
	if v := field(key); len(v) > 0 {
		return trim(v[0])
	}
	return ""
}

// trim takes the white space from both ends of a string.
func trim(s string) string {
	start, end := -1, 0
	for i, c := range s {
		if !space(c) {
			if start < 0 {
				start = i
			}
			end = i + max(1, utf8.RuneLen(c))
		}
	}
	if start < 0 {
		return ""
	}
	return s[start:min(end, len(s))]
}

// capitals is s with the letters a to z as A to Z.
func capitals(s string) string {
	out := []byte(s)
	for i, c := range out {
		if c >= 'a' && c <= 'z' {
			out[i] = c - 'a' + 'A'
		}
	}
	return string(out)
}

// dateTyped joins the three parts; what is not a date is left to be refused.
func dateTyped(field func(string) []string) string {
	year, month, day := typed(field, DOBYear), typed(field, DOBMonth), typed(field, DOBDay)
	if year == "" && month == "" && day == "" {
		return typed(field, DOB)
	}
	return year + "-" + padded(month) + "-" + padded(day)
}

func padded(s string) string {
	if len(s) == 1 {
		return "0" + s
	}
	return s
}

// amountTyped reads whole dollars, with or without the sign and commas between
// thousands. What it cannot read stays a text, which no income is.
func amountTyped(s string) Value {
	text, digits := Value{Text: s}, make([]byte, 0, len(s))
	if len(s) > 0 && s[0] == '$' {
		s = trim(s[1:])
	}
	group := -1 // digits since the last comma, if there was one
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case digit(c) && group < 3:
			digits = append(digits, c)
			if group >= 0 {
				group++
			}
		case c == ',' && (group == 3 || group < 0 && i > 0 && i <= 3):
			group = 0
		default:
			return text
		}
	}
	if len(digits) == 0 || group >= 0 && group != 3 {
		return text
	}
	return Value{Kind: Number, Text: string(digits)}
}
