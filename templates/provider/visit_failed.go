package provider

import (
	"slices"
	"strconv"

	"github.com/a-h/templ"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
)

// Failed is the step for a source that could not be connected and has no other step.
const Failed Step = "failed"

// Failure is how a source failed; the zero value: it did not.
type Failure struct {
	Status    contract.Status
	Substatus contract.Substatus
	Reason    string // of an authorization at the bank's own pages: as in package sources
}

// words say what happened at the source.
func (f Failure) words(v Visit) string {
	switch {
	case f.Reason == "denied":
		return i18n.T(v.Lang, "visit.failed.denied")
	case f.Reason == "abandoned" || f.Reason == "ended":
		return i18n.T(v.Lang, "visit.failed.abandoned")
	case f.Reason == "misused" || f.Reason == "rejected":
		return i18n.T(v.Lang, "visit.failed.misused")
	case f.Substatus == contract.SubWidgetSessionExpired:
		return i18n.T(v.Lang, "visit.failed.session")
	case f.Substatus == contract.SubMFARequired && v.Way == Payroll:
		return i18n.T(v.Lang, "visit.failed.payroll_code")
	case f.Substatus == contract.SubMFARequired:
		return i18n.T(v.Lang, "visit.failed.bank_code")
	case f.Substatus == contract.SubIncompatibleAccounts:
		return i18n.T(v.Lang, "visit.failed.account")
	case f.Substatus == contract.SubEBankingNotSupported:
		return i18n.T(v.Lang, "visit.failed.no_online_banking")
	case f.Status == contract.StatusNotAuthenticated:
		return i18n.T(v.Lang, "visit.failed.sign_in")
	case f.Status == contract.StatusError:
		return i18n.T(v.Lang, "visit.failed.unusable")
	case v.Way == Payroll:
		return i18n.T(v.Lang, "visit.failed.payroll_unresponsive")
	case v.Way == Abroad:
		return i18n.T(v.Lang, "visit.failed.bureau_unresponsive")
	}
	return i18n.T(v.Lang, "visit.failed.bank_unresponsive")
}

// afterFailure says what to do now.
func (v Visit) afterFailure() string {
	switch v.Way {
	case Payroll:
		return i18n.T(v.Lang, "visit.failed.next_employer")
	case Abroad:
		return i18n.T(v.Lang, "visit.failed.next_country")
	}
	return i18n.T(v.Lang, "visit.failed.next_bank")
}

// another names the way back to the list of what can be connected.
func (v Visit) another() string {
	switch v.Way {
	case Payroll:
		return i18n.T(v.Lang, "visit.employers.another")
	case Abroad:
		return i18n.T(v.Lang, "visit.countries.another")
	}
	return i18n.T(v.Lang, "visit.banks.another")
}

// codeSent says where to find the code.
func (v Visit) codeSent() string {
	if v.Codes > 1 {
		return i18n.T(v.Lang, "visit.code.sent_again", "bank", v.Bank)
	}
	return i18n.T(v.Lang, "visit.code.sent", "bank", v.Bank)
}

func (v Visit) wrongCode() string {
	if v.CodeTries == 1 {
		return i18n.T(v.Lang, "visit.code.wrong.one")
	}
	n := strconv.Itoa(v.CodeTries)
	return i18n.T(v.Lang, "visit.code.wrong.other", "n", n)
}

// seconds is the time until another code can be asked for, rounded up.
func (v Visit) seconds() string {
	return strconv.Itoa(v.CodeWait)
}

// codeWait says when another code can be asked for. A script that counts down puts the
// number in the place of a percent sign.
func (v Visit) codeWait(seconds string) string {
	return i18n.T(v.Lang, "visit.code.wait", "seconds", seconds)
}

// countdown has a script keep the button from being pressed too early. Without one the
// button can be pressed, and the page says how long it still takes.
func (v Visit) countdown() templ.Attributes {
	if v.CodeWait == 0 {
		return nil
	}
	return templ.Attributes{"data-wait": v.seconds(), "aria-describedby": "code-wait"}
}

// trouble words the problem of a connected source; empty for none.
func (c Connected) trouble(v Visit) string {
	v.Way = c.Way
	switch {
	case c.Failed:
		return c.Why.words(v)
	case c.Empty && c.Way == Payroll:
		return i18n.T(v.Lang, "visit.connected.no_pay_statement")
	case c.Empty:
		return i18n.T(v.Lang, "visit.connected.no_money")
	}
	return ""
}

// nothingYet reports whether no connected source has anything that can be used.
func (v Visit) nothingYet() bool {
	return !slices.ContainsFunc(v.Connected, func(c Connected) bool { return !c.Failed && !c.Empty })
}
