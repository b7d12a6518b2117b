package prefill

import "strings"

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
	o := make(Object, 0, len(keys))
	for i, key := range keys {
		switch i {
		case dob:
			if s := dateTyped(fields); s != "" {
				o = append(o, Member{key, String(s)})
			}
		case statedEmployerNames:
			var list []Value
			for _, s := range fields[key] {
				if s = strings.TrimSpace(s); s != "" {
					list = append(list, String(s))
				}
			}
			if list != nil {
				o = append(o, Member{key, Value{Kind: List, List: list}})
			}
		default:
			s := typed(fields, key)
			if s == "" {
				continue
			}
			v := String(s)
			switch i {
			case state:
				v.Text = strings.ToUpper(s)
			case statedAnnualIncome:
				v = amountTyped(s)
			}
			o = append(o, Member{key, v})
		}
	}
	return o
}

func typed(fields map[string][]string, key string) string {
	if v := fields[key]; len(v) > 0 {
		return strings.TrimSpace(v[0])
	}
	return ""
}

// dateTyped joins the three parts; what is not a date is left to be refused.
func dateTyped(fields map[string][]string) string {
	year, month, day := typed(fields, DOBYear), typed(fields, DOBMonth), typed(fields, DOBDay)
	if year == "" && month == "" && day == "" {
		return typed(fields, DOB)
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
	digits := strings.TrimSpace(strings.TrimPrefix(s, "$"))
	if groups := strings.Split(digits, ","); len(groups) > 1 {
		for i, g := range groups {
			if i > 0 && len(g) != 3 || i == 0 && (len(g) == 0 || len(g) > 3) {
				return String(s)
			}
		}
		digits = strings.Join(groups, "")
	}
	if len(digits) == 0 || len(digits) > 15 {
		return String(s)
	}
	n := number(digits)
	if n < 0 {
		return String(s)
	}
	return Float(float64(n))
}
