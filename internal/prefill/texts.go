package prefill

import "vestibule/internal/i18n"

// missingText returns the text for a missing value. orDOB mentions that a date of
// birth can replace the address, and vice versa.
func missingText(i int, orDOB bool) i18n.Key {
	switch i {
	case firstName:
		return "prefill.first_name.missing"
	case lastName:
		return "prefill.last_name.missing"
	case email:
		return "prefill.email.missing"
	case dob:
		if orDOB {
			return "prefill.dob.missing_or_address"
		}
		return "prefill.dob.missing"
	case address:
		return "prefill.address.missing_or_dob"
	case city:
		return "prefill.city.missing_or_dob"
	case state:
		if orDOB {
			return "prefill.state.missing_or_dob"
		}
		return "prefill.state.missing"
	case zip:
		return "prefill.zip.missing_or_dob"
	}
	return "prefill.employers.missing"
}

// invalidText returns the text for an invalid value.
func invalidText(i int, wrong fault) i18n.Key {
	switch i {
	case firstName:
		if wrong == tooLong {
			return "prefill.first_name.too_long"
		}
		return "prefill.first_name.invalid"
	case lastName:
		if wrong == tooLong {
			return "prefill.last_name.too_long"
		}
		return "prefill.last_name.invalid"
	case email:
		if wrong == tooLong {
			return "prefill.email.too_long"
		}
		return "prefill.email.invalid"
	case dob:
		switch wrong {
		case tooYoung:
			return "prefill.dob.too_young"
		case tooOld:
			return "prefill.dob.too_old"
		}
		return "prefill.dob.invalid"
	case phone:
		return "prefill.phone.too_long"
	case address:
		if wrong == tooLong {
			return "prefill.address.too_long"
		}
		return "prefill.address.invalid"
	case city:
		if wrong == tooLong {
			return "prefill.city.too_long"
		}
		return "prefill.city.invalid"
	case state:
		return "prefill.state.invalid"
	case zip:
		return "prefill.zip.invalid"
	case statedAnnualIncome:
		return "prefill.income.invalid"
	case statedEmployerNames:
		if wrong == tooLong {
			return "prefill.employers.too_many"
		}
		return "prefill.employers.invalid"
	}
	return "prefill.employer.invalid"
}
