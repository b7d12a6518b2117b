// Package prefill holds the rules for an applicant's data: which keys a product
// takes and requires, and what each may hold. It is the one implementation that
// the browser, the portal's forms and API, and the provider's endpoints run, so
// they refuse the same things with the same words.
//
// It refuses to guess: values arrive with the type they had, nothing is mended
// but what a form's typist cannot see (FromForm), and it imports nothing heavy,
// since it runs in the browser. Sources: document 1, Widget registration and
// Substatus values; document 3, Events and Errors.
package prefill

import "vestibule/internal/svc"

// The keys of a prefill object (document 1, Widget registration; document 3,
// Events).
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

// keys is every key, in the order in which problems are reported.
var keys = [...]string{FirstName, LastName, Email, DOB, Phone, Address, City, State, ZIP,
	StatedAnnualIncome, StatedEmployerName, StatedEmployerNames}

// The places of the keys in keys.
const (
	firstName = iota
	lastName
	email
	dob
	phone
	address
	city
	state
	zip
	statedAnnualIncome
	statedEmployerName
	statedEmployerNames
	unknownKey = -1
)

// Kind is the JSON type of a Value.
type Kind uint8

const (
	Null   Kind = iota // also a member that is not there
	Text               // a string
	Number             // a number
	List               // an array
	Other              // true, false, or an object: right for no key
)

// Value is a value with the type it had when it came.
type Value struct {
	Kind   Kind
	Text   string  // of Text
	Number float64 // of Number
	List   []Value // of List
}

// String returns the Value of a string.
func String(s string) Value { return Value{Kind: Text, Text: s} }

// Float returns the Value of a number.
func Float(f float64) Value { return Value{Kind: Number, Number: f} }

// Member is one member of a prefill object.
type Member struct {
	Key   string
	Value Value
}

// Object is a prefill object as it came.
type Object []Member

// Fields is an applicant's data that has passed the rules. The empty string, nil
// and the empty list stand for what was not given.
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

// Object returns the fields as a prefill object, to be checked again.
func (f Fields) Object() Object {
	o := make(Object, 0, len(keys))
	for _, m := range [...]struct{ key, text string }{
		{FirstName, f.FirstName}, {LastName, f.LastName}, {Email, f.Email}, {DOB, f.DOB}, {Phone, f.Phone},
		{Address, f.Address}, {City, f.City}, {State, f.State}, {ZIP, f.ZIP}, {StatedEmployerName, f.StatedEmployerName},
	} {
		if m.text != "" {
			o = append(o, Member{m.key, String(m.text)})
		}
	}
	if f.StatedAnnualIncome != nil {
		o = append(o, Member{StatedAnnualIncome, Float(float64(*f.StatedAnnualIncome))})
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

// Problem is one thing that is wrong.
type Problem struct {
	Field string          // the key, as the contract spells it
	Code  svc.WidgetError // the widget error type, and the endpoints' error code
	Words svc.Words       // to the applicant: what to do about it
	Open  bool            // typing on may mend it, as with half a ZIP code
}

// Rules says for what an object is checked.
type Rules struct {
	Product     svc.Product     // "" takes every key and is for data that belongs to no product yet
	Environment svc.Environment // only the sandbox refuses unsupported keys; "" is the sandbox
	Today       Date            // UTC
	AssetsOnly  bool            // eligibility's assets-only workflow: statedEmployerNames is optional
	Partial     bool            // nothing is required: a change to data that is there
}

// Check holds an object against the rules. It returns what has passed, and the
// problems: unsupported keys first, then by key in the contract's order. Without
// problems, the Fields are the whole object.
//
// A required key that is absent or null is INVALID_PREFILLS_PII_MISSING. A key
// that is there with anything else than a good value, the empty string included,
// has the code of its own. A date of birth or an address counts as given for the
// rule that one of the two is needed, even if it is wrong.
func (r Rules) Check(o Object) (Fields, []Problem) {
	var values [len(keys)]Value
	var problems []Problem
	for _, m := range o {
		i := place(m.Key)
		if i != unknownKey && r.takes(i) {
			values[i] = m.Value
		} else if r.Environment != svc.Production {
			problems = append(problems, Problem{Field: m.Key, Code: svc.WidgetPrefillKey, Words: svc.WidgetPrefillKey.Info().Applicant})
		}
	}
	missing := r.missing(&values)
	var f Fields
	for i := range values {
		switch {
		case values[i].Kind != Null:
			if wrong := f.take(i, values[i], r.Today); wrong != fine {
				problems = append(problems, Problem{keys[i], code(i), words(i, wrong), wrong == unfinished || wrong == noDate})
			}
		case missing[i]:
			problems = append(problems, Problem{keys[i], svc.WidgetPIIMissing, missingWords(i, r.Product != svc.Eligibility), true})
		}
	}
	return f, problems
}

// First is the one code that an endpoint or the onError hook answers for a list
// of problems: an unsupported key before missing data before wrong data, and
// among the last the first key. It is empty for an empty list.
func First(problems []Problem) svc.WidgetError {
	if len(problems) == 0 {
		return ""
	}
	first := problems[0].Code
	if first == svc.WidgetPrefillKey {
		return first
	}
	for _, p := range problems {
		if p.Code == svc.WidgetPIIMissing {
			return p.Code
		}
	}
	return first
}

// Keys lists the keys that a product takes, in the contract's order.
func Keys(p svc.Product) []string {
	var out []string
	for i, k := range keys {
		if (Rules{Product: p}).takes(i) {
			out = append(out, k)
		}
	}
	return out
}

// Required lists the keys that a product cannot do without whatever else is
// there. Besides them, all but eligibility need dob or a full address.
func Required(p svc.Product) []string {
	out := []string{FirstName, LastName, Email}
	if p == svc.Eligibility {
		out = append(out, DOB, State, StatedEmployerNames)
	}
	return out
}

func (r Rules) takes(i int) bool {
	switch i {
	case statedEmployerName:
		return r.Product != svc.Eligibility
	case statedEmployerNames:
		return r.Product == svc.Eligibility || r.Product == ""
	}
	return true
}

// missing marks the required keys that are not there.
func (r Rules) missing(v *[len(keys)]Value) [len(keys)]bool {
	var out [len(keys)]bool
	if r.Partial {
		return out
	}
	need := func(places ...int) {
		for _, i := range places {
			out[i] = v[i].Kind == Null
		}
	}
	need(firstName, lastName, email)
	if r.Product == svc.Eligibility {
		need(dob, state)
		if !r.AssetsOnly {
			need(statedEmployerNames)
		}
		return out
	}
	if v[dob].Kind != Null {
		return out
	}
	if v[address].Kind == Null && v[city].Kind == Null && v[state].Kind == Null && v[zip].Kind == Null {
		need(dob)
	} else {
		need(address, city, state, zip)
	}
	return out
}

func place(key string) int {
	for i, k := range keys {
		if k == key {
			return i
		}
	}
	return unknownKey
}

func code(i int) svc.WidgetError {
	return [...]svc.WidgetError{svc.WidgetPrefillFirstName, svc.WidgetPrefillLastName, svc.WidgetPrefillEmail,
		svc.WidgetPrefillDOB, svc.WidgetPrefillPhone, svc.WidgetPrefillAddress, svc.WidgetPrefillCity,
		svc.WidgetPrefillState, svc.WidgetPrefillZIP, svc.WidgetPrefillIncome,
		svc.WidgetPrefillEmployerNames, svc.WidgetPrefillEmployerNames}[i]
}
