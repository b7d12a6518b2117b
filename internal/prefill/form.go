package prefill

import "unicode/utf8"

// The fields of a date of birth in three parts, which replace the field dob. Month and
// day may lack the leading zero.
const (
	DOBYear  = "dob-year"
	DOBMonth = "dob-month"
	DOBDay   = "dob-day"
)

// FromForm converts a form's fields, named by the API's keys, and ignores other fields.
// It corrects what users cannot notice or know: spaces around a value, a lowercase
// state, an income written $52,000. Empty fields are absent. statedEmployerNames may
// occur several times.
func FromForm(fields map[string][]string) Object {
	return FromFields(func(name string) []string { return fields[name] })
}

// FromFields is FromForm with a function that returns a field's values.
func FromFields(field func(name string) []string) Object {
	o := make(Object, 0, len(rows))
	for i := range rows {
		key, v := rows[i].key, Value{}
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

// trim removes white space from both ends.
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

// capitals converts a to z to upper case.
func capitals(s string) string {
	out := []byte(s)
	for i, c := range out {
		if c >= 'a' && c <= 'z' {
			out[i] = c - 'a' + 'A'
		}
	}
	return string(out)
}

// dateTyped joins the three parts; the check refuses an invalid date.
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

// amountTyped parses whole dollars, with optional sign, commas between thousands, and "k" or ".00".
// Other input stays a text, which the check refuses.
func amountTyped(s string) Value {
	text, digits, thousands := Value{Text: s}, make([]byte, 0, len(s)), ""
	if len(s) > 0 && s[0] == '$' {
		s = trim(s[1:])
	}
	if n := len(s); n > 1 && s[n-1]|0x20 == 'k' {
		s, thousands = trim(s[:n-1]), "000"
	} else if n > 3 && s[n-3:] == ".00" {
		s = s[:n-3]
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
	return Value{Kind: Number, Text: string(digits) + thousands}
}
