package submissions

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"vestibule/internal/contract"
	"vestibule/internal/prefill"
)

// Personal is the person of a submission as sent; absent fields are nil. Invalid values do
// not reject the submission; see Substatus.
type Personal struct {
	FirstName, LastName, DOB, Email, Phone *string
	Street, City, State, PostalCode        *string
}

var (
	personalNames = []string{"firstName", "lastName", "dob", "email", "phone"}
	addressNames  = []string{"street", "city", "state", "postalCode"}
)

func (d *decoder) personal() {
	p := &d.out.Personal
	into := []**string{&p.FirstName, &p.LastName, &p.DOB, &p.Email, &p.Phone}
	d.object(inPersonal, "personal", personalNames, func(i int) { *into[i] = d.textField(personalNames[i]) })
}

func (d *decoder) address() {
	p := &d.out.Personal
	into := []**string{&p.Street, &p.City, &p.State, &p.PostalCode}
	d.object(inAddress, "address", addressNames, func(i int) { *into[i] = d.textField(addressNames[i]) })
}

// textField reads a string of any length, which Substatus validates. A string longer
// than all limits is cut.
func (d *decoder) textField(field string) *string {
	t, ok := d.text(field, 0, unbounded)
	if !ok {
		return nil
	}
	s := string(t)
	if len(t) > maxText/4 {
		s = strings.ToValidUTF8(string(t[:maxText/4]), "")
	}
	return &s
}

// Substatus returns the substatus of the report's ERROR for an invalid person, or ""
// (API reference: Submissions). It reports missing fields first, and then the first
// invalid field. anyAddress skips the validation of the address, for the sandbox's
// profiles.
func (p Personal) Substatus(today time.Time, anyAddress bool) contract.Substatus {
	full := p.Street != nil && p.City != nil && p.State != nil && p.PostalCode != nil
	if p.FirstName == nil || p.LastName == nil || p.Email == nil || p.DOB == nil && !full {
		return contract.Substatus(contract.WidgetPIIMissing)
	}
	rules := []struct {
		value *string
		valid func(string) bool
		code  contract.WidgetError
	}{
		{p.FirstName, isName(prefill.FirstName), contract.WidgetPrefillFirstName},
		{p.LastName, isName(prefill.LastName), contract.WidgetPrefillLastName},
		{p.DOB, func(s string) bool { return isPast(s, today) }, contract.WidgetPrefillDOB},
		{p.Email, validPrefill(prefill.Email), contract.WidgetPrefillEmail},
		{p.Phone, isPhone, contract.WidgetPrefillPhone},
		{p.Street, validPrefill(prefill.Address), contract.WidgetPrefillAddress},
		{p.City, isCity, contract.WidgetPrefillCity},
		{p.State, isState, contract.WidgetPrefillState},
		{p.PostalCode, isPostalCode, contract.WidgetPrefillZIP},
	}
	for i, r := range rules {
		if anyAddress && i >= 5 {
			break
		}
		if r.value != nil && !r.valid(*r.value) {
			return contract.Substatus(r.code)
		}
	}
	return ""
}

// Known returns the date of birth (YYYY-MM-DD) and the state. A missing or invalid one
// is "".
func (p Personal) Known(today time.Time) (dob, state string) {
	if p.DOB != nil && isPast(*p.DOB, today) {
		dob = *p.DOB
	}
	if p.State != nil && isState(*p.State) {
		state = *p.State
	}
	return dob, state
}

// validPrefill returns a function that validates a value by the prefill rule of a field.
func validPrefill(key string) func(string) bool {
	return func(s string) bool {
		r := prefill.Rules{Product: contract.Cashflow, Environment: contract.Sandbox, Partial: true}
		return len(r.Problems(prefill.Object{{Key: key, Value: prefill.String(s)}})) == 0
	}
}

// isName returns a function that accepts names of at most 50 characters by the prefill
// rule.
func isName(key string) func(string) bool {
	letters := validPrefill(key)
	return func(s string) bool { return utf8.RuneCountInString(s) <= 50 && letters(s) }
}

// isPast accepts a calendar day before today.
func isPast(s string, today time.Time) bool {
	d, ok := prefill.ParseDate(s)
	return ok && time.Date(d.Year, time.Month(d.Month), d.Day+1, 0, 0, 0, 0, time.UTC).Compare(today) <= 0
}

// isPhone accepts XXX-XXX-XXXX.
func isPhone(s string) bool {
	if len(s) != 12 {
		return false
	}
	for i := range len(s) {
		if dash := i == 3 || i == 7; dash != (s[i] == '-') || !dash && (s[i] < '0' || s[i] > '9') {
			return false
		}
	}
	return true
}

// isCity accepts 1 to 100 letters, combining marks, and spaces.
func isCity(s string) bool {
	letters := false
	for _, r := range s {
		switch {
		case unicode.IsLetter(r):
			letters = true
		case r == ' ', unicode.IsMark(r) && letters:
		default:
			return false
		}
	}
	return letters && utf8.RuneCountInString(s) <= 100
}

// isState accepts the fifty states and the District of Columbia, but no territories.
func isState(s string) bool {
	return len(s) == 2 && validPrefill(prefill.State)(s) && !strings.Contains("AS GU MP PR UM VI", s)
}

// isPostalCode accepts 5 to 10 digits, or ZIP+4 with a hyphen.
func isPostalCode(s string) bool {
	if len(s) == 10 && s[5] == '-' {
		s = s[:5] + s[6:]
	}
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return len(s) >= 5 && len(s) <= 10
}
