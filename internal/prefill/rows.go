package prefill

import (
	"vestibule/internal/contract"
	"vestibule/internal/i18n"
)

// Indexes of the keys in rows, in the order in which problems are reported.
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

// row describes a key.
type row struct {
	key   string
	code  contract.WidgetError // the error type of an invalid value
	check func(v *Value, today Date) fault
	field func(f *Fields) *string // nil if the value is not a text

	missing, orOther i18n.Key         // of no value; orOther where dob and address can replace each other, "" for the same
	invalid          i18n.Key         // of an invalid value
	texts            [faults]i18n.Key // of faults; "" for the same
}

// rows is a plain array, which the linker lays out: code that fills a map would enlarge the
// browser's module. The API has no error type for statedEmployerName.
var rows = [...]row{
	firstName: {key: FirstName, code: contract.WidgetPrefillFirstName,
		check:   func(v *Value, _ Date) fault { return personName(v.Text) },
		field:   func(f *Fields) *string { return &f.FirstName },
		missing: "prefill.first_name.missing", invalid: "prefill.first_name.invalid",
		texts: [faults]i18n.Key{tooLong: "prefill.first_name.too_long", unfinished: "prefill.name.letterless",
			comma: "prefill.name.comma", numeral: "prefill.name.numeral"}},
	lastName: {key: LastName, code: contract.WidgetPrefillLastName,
		check:   func(v *Value, _ Date) fault { return personName(v.Text) },
		field:   func(f *Fields) *string { return &f.LastName },
		missing: "prefill.last_name.missing", invalid: "prefill.last_name.invalid",
		texts: [faults]i18n.Key{tooLong: "prefill.last_name.too_long", unfinished: "prefill.name.letterless",
			comma: "prefill.name.comma", numeral: "prefill.name.numeral"}},
	email: {key: Email, code: contract.WidgetPrefillEmail,
		check:   func(v *Value, _ Date) fault { return mailbox(v.Text) },
		field:   func(f *Fields) *string { return &f.Email },
		missing: "prefill.email.missing", invalid: "prefill.email.invalid",
		texts: [faults]i18n.Key{tooLong: "prefill.email.too_long"}},
	dob: {key: DOB, code: contract.WidgetPrefillDOB,
		check:   func(v *Value, today Date) fault { return birthDate(v.Text, today) },
		field:   func(f *Fields) *string { return &f.DOB },
		missing: "prefill.dob.missing", orOther: "prefill.dob.missing_or_address", invalid: "prefill.dob.invalid",
		texts: [faults]i18n.Key{tooYoung: "prefill.dob.too_young", tooOld: "prefill.dob.too_old", future: "prefill.dob.future"}},
	phone: {key: Phone, code: contract.WidgetPrefillPhone,
		check:   func(v *Value, _ Date) fault { return atMost(MaxPhone, v.Text) },
		field:   func(f *Fields) *string { return &f.Phone },
		invalid: "prefill.phone.too_long"},
	address: {key: Address, code: contract.WidgetPrefillAddress,
		check:   func(v *Value, _ Date) fault { return line(v.Text, MaxAddress, true) },
		field:   func(f *Fields) *string { return &f.Address },
		missing: "prefill.address.missing_or_dob", invalid: "prefill.address.invalid",
		texts: [faults]i18n.Key{tooLong: "prefill.address.too_long"}},
	city: {key: City, code: contract.WidgetPrefillCity,
		check:   func(v *Value, _ Date) fault { return line(v.Text, MaxCity, false) },
		field:   func(f *Fields) *string { return &f.City },
		missing: "prefill.city.missing_or_dob", invalid: "prefill.city.invalid",
		texts: [faults]i18n.Key{tooLong: "prefill.city.too_long"}},
	state: {key: State, code: contract.WidgetPrefillState,
		check:   func(v *Value, _ Date) fault { return stateCode(v.Text) },
		field:   func(f *Fields) *string { return &f.State },
		missing: "prefill.state.missing", orOther: "prefill.state.missing_or_dob", invalid: "prefill.state.invalid"},
	zip: {key: ZIP, code: contract.WidgetPrefillZIP,
		check:   func(v *Value, _ Date) fault { return zipCode(v.Text) },
		field:   func(f *Fields) *string { return &f.ZIP },
		missing: "prefill.zip.missing_or_dob", invalid: "prefill.zip.invalid"},
	statedAnnualIncome: {key: StatedAnnualIncome, code: contract.WidgetPrefillIncome,
		check:   func(v *Value, _ Date) fault { return income(v) },
		invalid: "prefill.income.invalid"},
	statedEmployerName: {key: StatedEmployerName, code: contract.WidgetPrefillEmployerNames,
		check:   func(v *Value, _ Date) fault { return line(v.Text, MaxEmployer, false) },
		field:   func(f *Fields) *string { return &f.StatedEmployerName },
		invalid: "prefill.employer.invalid"},
	statedEmployerNames: {key: StatedEmployerNames, code: contract.WidgetPrefillEmployerNames,
		check:   func(v *Value, _ Date) fault { return employers(v) },
		missing: "prefill.employers.missing", invalid: "prefill.employers.invalid",
		texts: [faults]i18n.Key{tooLong: "prefill.employers.too_many"}},
}

// missingText returns the text for a missing value. orOther mentions that a date of birth can
// replace the address, and vice versa.
func (r *row) missingText(orOther bool) i18n.Key {
	if orOther && r.orOther != "" {
		return r.orOther
	}
	return r.missing
}

// faultOf checks a value.
func (r *row) faultOf(v *Value, today Date) fault {
	if r.field != nil && v.Kind != Text {
		return malformed
	}
	return r.check(v, today)
}

func (r *row) invalidText(wrong fault) i18n.Key {
	if text := r.texts[wrong]; text != "" {
		return text
	}
	return r.invalid
}
