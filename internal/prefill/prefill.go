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

import (
	"strconv"

	"vestibule/internal/contract"
)

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

// codes is the error type of a wrong value, by the place of its key. The
// contract has none for statedEmployerName.
var codes = [...]contract.WidgetError{contract.WidgetPrefillFirstName, contract.WidgetPrefillLastName, contract.WidgetPrefillEmail,
	contract.WidgetPrefillDOB, contract.WidgetPrefillPhone, contract.WidgetPrefillAddress, contract.WidgetPrefillCity,
	contract.WidgetPrefillState, contract.WidgetPrefillZIP, contract.WidgetPrefillIncome,
	contract.WidgetPrefillEmployerNames, contract.WidgetPrefillEmployerNames}

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
	Kind Kind
	Text string  // of Text; of Number, as JSON writes it
	List []Value // of List
}

// String returns the Value of a string.
func String(s string) Value { return Value{Kind: Text, Text: s} }

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

// FullName is the first and the last name, as far as they are known.
func (f Fields) FullName() string {
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

// Problem is one thing that is wrong.
type Problem struct {
	Field string               // the key, as the contract spells it
	Code  contract.WidgetError // the widget error type, and the endpoints' error code
	Words contract.Words       // to the applicant: what to do about it
	Open  bool                 // typing on may mend it, as with half a ZIP code
}

// Rules says for what an object is checked.
type Rules struct {
	Product     contract.Product     // "" takes every key and is for data that belongs to no product yet
	Environment contract.Environment // only the sandbox refuses unsupported keys; "" is the sandbox
	Today       Date                 // UTC
	AssetsOnly  bool                 // eligibility's assets-only workflow: statedEmployerNames is optional
	Partial     bool                 // nothing is required: a change to data that is there
}

// Check holds an object against the rules. It returns the problems, as Problems
// does, or what the object says if there are none.
func (r Rules) Check(o Object) (Fields, []Problem) {
	problems := r.Problems(o)
	if len(problems) > 0 {
		return Fields{}, problems
	}
	return r.fields(o), nil
}

// Problems is what is wrong with an object: unsupported keys first, then by key
// in the contract's order.
//
// A required key that is absent or null is INVALID_PREFILLS_PII_MISSING. A key
// that is there with anything else than a good value, the empty string included,
// has the code of its own. A date of birth or an address counts as given for the
// rule that one of the two is needed, even if it is wrong.
func (r *Rules) Problems(o Object) []Problem {
	var values [len(keys)]*Value
	var problems []Problem
	for j := range o {
		m := &o[j]
		i := place(m.Key)
		if i != unknownKey && r.takes(i) {
			values[i] = &m.Value
			if m.Value.Kind == Null {
				values[i] = nil
			}
		} else if r.Environment != contract.Production {
			problems = append(problems, Problem{m.Key, contract.WidgetPrefillKey, contract.WidgetPrefillKey.Applicant(), false})
		}
	}
	// Where a date of birth can stand for an address and the other way about, and
	// neither is whole: which of the two the applicant has begun.
	either := r.Product != contract.Eligibility && values[dob] == nil
	begun := false
	for i := address; i <= zip; i++ {
		begun = begun || values[i] != nil
	}
	for i, v := range values {
		p := Problem{Field: keys[i]}
		if v != nil {
			wrong := check(i, v, r.Today)
			if wrong == fine {
				continue
			}
			p.Code, p.Words, p.Open = codes[i], words(i, wrong), wrong == unfinished || wrong == noDate
		} else {
			inAddress := i >= address && i <= zip
			if r.Partial || !r.requires(i) && !(either && (i == dob && !begun || inAddress && begun)) {
				continue
			}
			p.Code, p.Words, p.Open = contract.WidgetPIIMissing, missingWords(i, either), true
		}
		problems = append(problems, p)
	}
	return problems
}

// fields is what an object says in which nothing is wrong.
func (r *Rules) fields(o Object) (f Fields) {
	texts := [...]*string{&f.FirstName, &f.LastName, &f.Email, &f.DOB, &f.Phone, &f.Address, &f.City, &f.State, &f.ZIP,
		nil, &f.StatedEmployerName, nil}
	for _, m := range o {
		i := place(m.Key)
		if i == unknownKey || !r.takes(i) {
			continue
		}
		switch m.Value.Kind {
		case Text:
			*texts[i] = m.Value.Text
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

// First is the one code that an endpoint or the onError hook answers for a list
// of problems: an unsupported key before missing data before wrong data, and
// among the last the first key. It is empty for an empty list.
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

// Keys lists the keys that a product takes, in the contract's order.
func Keys(p contract.Product) []string {
	r := Rules{Product: p}
	var out []string
	for i, k := range keys {
		if r.takes(i) {
			out = append(out, k)
		}
	}
	return out
}

// Requires reports whether a key cannot be missing whatever else is there.
// Besides such keys, all products but eligibility need dob or a full address.
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

func (r *Rules) takes(i int) bool {
	switch i {
	case statedEmployerName:
		return r.Product != contract.Eligibility
	case statedEmployerNames:
		return r.Product == contract.Eligibility || r.Product == contract.Income || r.Product == ""
	}
	return true
}

func place(key string) int {
	for i, k := range keys {
		if k == key {
			return i
		}
	}
	return unknownKey
}
