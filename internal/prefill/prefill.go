// Package prefill holds the rules for an applicant's data: the keys that a product
// takes and requires, and their valid values. Browser, portal and provider share this
// implementation, so they refuse the same data with the same messages.
//
// Values keep their JSON type, and only FromForm corrects input. The package imports
// nothing heavy, because it also runs in the browser. See docs/reference/widget.md and the
// API reference: Visits.
package prefill

import (
	"strconv"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
)

// The keys of a prefill object (API reference: Visits).
const (
	FirstName           = "firstName"
	LastName            = "lastName"
	Email               = "email"
	DOB                 = "dob"
	Phone               = "phone"
	Address             = "address"
	City                = "city"
	State               = "state"
	ZIP                 = "zip"
	StatedAnnualIncome  = "statedAnnualIncome"
	StatedEmployerName  = "statedEmployerName"
	StatedEmployerNames = "statedEmployerNames"
)

// Kind is the JSON type of a Value.
type Kind uint8

const (
	Null   Kind = iota // also a missing member
	Text               // a string
	Number             // a number
	List               // an array
	Other              // true, false, or an object: valid for no key
)

// Value is a value with its original JSON type.
type Value struct {
	Kind Kind
	Text string  // of Text; of Number, its JSON form
	List []Value // of List
}

// String returns the Value of a string.
func String(s string) Value { return Value{Kind: Text, Text: s} }

// Member is one member of a prefill object.
type Member struct {
	Key   string
	Value Value
}

// Object is an unchecked prefill object.
type Object []Member

// Fields is an applicant's checked data. The empty string, nil and the empty list mean
// that a field is absent.
type Fields struct {
	FirstName           string   `json:"firstName,omitempty"`
	LastName            string   `json:"lastName,omitempty"`
	Email               string   `json:"email,omitempty"`
	DOB                 string   `json:"dob,omitempty"` // YYYY-MM-DD
	Phone               string   `json:"phone,omitempty"`
	Address             string   `json:"address,omitempty"`
	City                string   `json:"city,omitempty"`
	State               string   `json:"state,omitempty"` // two capital letters
	ZIP                 string   `json:"zip,omitempty"`   // 12345 or 12345-6789
	StatedAnnualIncome  *int64   `json:"statedAnnualIncome,omitempty"`
	StatedEmployerName  string   `json:"statedEmployerName,omitempty"`
	StatedEmployerNames []string `json:"statedEmployerNames,omitempty"`
}

// Name returns the first and last name, as far as they are known.
func (f Fields) Name() string {
	switch {
	case f.FirstName == "":
		return f.LastName
	case f.LastName == "":
		return f.FirstName
	}
	return f.FirstName + " " + f.LastName
}

// Object returns the fields as a prefill object, to be checked again.
func (f Fields) Object() Object {
	o := make(Object, 0, len(rows))
	for i := range rows {
		if r := &rows[i]; r.field != nil && *r.field(&f) != "" {
			o = append(o, Member{r.key, String(*r.field(&f))})
		}
	}
	if f.StatedAnnualIncome != nil {
		o = append(o, Member{StatedAnnualIncome, Value{Kind: Number, Text: strconv.FormatInt(*f.StatedAnnualIncome, 10)}})
	}
	if len(f.StatedEmployerNames) > 0 {
		list := make([]Value, len(f.StatedEmployerNames))
		for i, n := range f.StatedEmployerNames {
			list[i] = String(n)
		}
		o = append(o, Member{StatedEmployerNames, Value{Kind: List, List: list}})
	}
	return o
}

// Problem is one problem of an object.
type Problem struct {
	Field string               // the key, as the API spells it
	Code  contract.WidgetError // the widget error type, and the endpoints' error code
	Text  i18n.Key             // for the applicant: what to do about it
	Open  bool                 // more typing may fix it, as with half a ZIP code
}

// Rules selects the rules that an object is checked against.
type Rules struct {
	Product     contract.Product     // "" accepts every key, for data without a product
	Environment contract.Environment // only the sandbox refuses unsupported keys; "" is the sandbox
	Today       Date                 // UTC
	AssetsOnly  bool                 // eligibility's assets-only workflow: statedEmployerNames is optional
	Partial     bool                 // nothing is required: a change to existing data
}

// Check checks an object. It returns its problems, as Problems does, or its fields if
// there are none.
func (r Rules) Check(o Object) (Fields, []Problem) {
	problems := r.Problems(o)
	if len(problems) > 0 {
		return Fields{}, problems
	}
	return r.fields(o), nil
}

// Problems returns an object's problems: unsupported keys first, then by key in the
// API's order.
//
// A required key that is absent or null is INVALID_PREFILLS_PII_MISSING. A present key
// with an invalid value, such as the empty string, has its specific code. A date of
// birth or an address, even an invalid one, satisfies the rule that one of the two is
// needed.
func (r *Rules) Problems(o Object) []Problem {
	var values [len(rows)]*Value
	var problems []Problem
	for j := range o {
		m := &o[j]
		i := place(m.Key)
		if i != unknownKey && r.accepts(i) {
			values[i] = &m.Value
			if m.Value.Kind == Null {
				values[i] = nil
			}
		} else if r.Environment != contract.Production {
			problems = append(problems, Problem{m.Key, contract.WidgetPrefillKey, contract.WidgetPrefillKey.Applicant(), false})
		}
	}
	// A date of birth can replace an address and vice versa. If neither is complete,
	// determine which of the two the applicant has begun.
	either := r.Product != contract.Eligibility && values[dob] == nil
	begun := false
	for i := address; i <= zip; i++ {
		begun = begun || values[i] != nil
	}
	for i, v := range values {
		row := &rows[i]
		p := Problem{Field: row.key}
		if v != nil {
			wrong := row.faultOf(v, r.Today)
			if wrong == fine {
				continue
			}
			p.Code, p.Text, p.Open = row.code, row.invalidText(wrong), wrong == unfinished || wrong == noDate
		} else {
			inAddress := i >= address && i <= zip
			if r.Partial || !r.requires(i) && !(either && (i == dob && !begun || inAddress && begun)) {
				continue
			}
			p.Code, p.Text, p.Open = contract.WidgetPIIMissing, row.missingText(either), true
		}
		problems = append(problems, p)
	}
	return problems
}

// fields converts an object without problems.
func (r *Rules) fields(o Object) (f Fields) {
	for _, m := range o {
		i := place(m.Key)
		if i == unknownKey || !r.accepts(i) {
			continue
		}
		switch m.Value.Kind {
		case Text:
			*rows[i].field(&f) = m.Value.Text
		case Number:
			n := integer(m.Value.Text)
			f.StatedAnnualIncome = &n
		case List:
			for _, name := range m.Value.List {
				f.StatedEmployerNames = append(f.StatedEmployerNames, name.Text)
			}
		}
	}
	return f
}

// First returns the code that an endpoint or the onError callback reports for a list of
// problems: an unsupported key before missing data before invalid data, and among the
// last the first key. It is empty for an empty list.
func First(problems []Problem) contract.WidgetError {
	if len(problems) == 0 {
		return ""
	}
	first := problems[0].Code
	if first == contract.WidgetPrefillKey {
		return first
	}
	for _, p := range problems {
		if p.Code == contract.WidgetPIIMissing {
			return p.Code
		}
	}
	return first
}

// Keys lists the keys that a product takes, in the API's order.
func Keys(p contract.Product) []string {
	r := Rules{Product: p}
	var out []string
	for i := range rows {
		if r.accepts(i) {
			out = append(out, rows[i].key)
		}
	}
	return out
}

// Requires reports whether a key is always required. In addition, all products but
// eligibility need dob or a full address.
func (r *Rules) Requires(key string) bool { return r.requires(place(key)) }

func (r *Rules) requires(i int) bool {
	switch i {
	case firstName, lastName, email:
		return true
	case dob, state:
		return r.Product == contract.Eligibility
	case statedEmployerNames:
		return r.Product == contract.Eligibility && !r.AssetsOnly
	}
	return false
}

func (r *Rules) accepts(i int) bool {
	switch i {
	case statedEmployerName:
		return r.Product != contract.Eligibility
	case statedEmployerNames:
		return r.Product == contract.Eligibility || r.Product == contract.Income || r.Product == ""
	}
	return true
}

func place(key string) int {
	for i := range rows {
		if rows[i].key == key {
			return i
		}
	}
	return unknownKey
}
