package provider

import (
	"slices"
	"strconv"

	"github.com/a-h/templ"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/provider/visits/flow"
	"vestibule/templates/ui"
)

// Failure is the error of a source; the zero value means no error.
type Failure struct {
	Status    contract.Status
	Substatus contract.Substatus
	Reason    string // of an authorization on the bank's pages, as in package sources
}

func (f Failure) words(v Visit) string {
	switch {
	case f.Reason == "denied":
		return i18n.T(v.Lang, "visit.failed.denied")
	case f.Reason == "abandoned" || f.Reason == "ended" || f.Reason == "unauthorized":
		return i18n.T(v.Lang, "visit.failed.abandoned")
	case f.Reason == "misused" || f.Reason == "rejected":
		return i18n.T(v.Lang, "visit.failed.misused")
	case f.Substatus == contract.SubWidgetSessionExpired:
		return i18n.T(v.Lang, "visit.failed.session")
	case f.Substatus == contract.SubMFARequired && v.SourceType == flow.SourcePayroll:
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
	case v.SourceType == flow.SourcePayroll:
		return i18n.T(v.Lang, "visit.failed.payroll_unresponsive")
	case v.SourceType == flow.SourceSupplier:
		return i18n.T(v.Lang, "visit.failed.bureau_unresponsive")
	}
	return i18n.T(v.Lang, "visit.failed.bank_unresponsive")
}

// endedAtInstitution reports whether the connection ended at the institution's own pages, or because of
// them. The status does not say that.
func (f Failure) endedAtInstitution() bool {
	return slices.Contains([]string{"denied", "abandoned", "ended", "unauthorized", "misused", "rejected"}, f.Reason)
}

// isTemporary reports whether the same source may work at another try.
func (f Failure) isTemporary() bool {
	return f.Substatus != contract.SubIncompatibleAccounts && f.Substatus != contract.SubEBankingNotSupported &&
		f.Status != contract.StatusError
}

// otherSourceKind returns the emphasis of the button that leads to the list of sources.
func (v Visit) otherSourceKind() ui.Kind {
	if v.Failure.isTemporary() {
		return ui.Secondary
	}
	return ui.Primary
}

// afterFailure says that nothing was shared, and what the applicant can do.
func (v Visit) afterFailure() string {
	again, other := i18n.Key("visit.failed.next_bank"), i18n.Key("visit.failed.other_bank")
	switch v.SourceType {
	case flow.SourcePayroll:
		again, other = "visit.failed.next_employer", "visit.failed.other_employer"
	case flow.SourceSupplier:
		again, other = "visit.failed.next_country", "visit.failed.other_country"
	}
	if v.Failure.isTemporary() {
		return i18n.T(v.Lang, again)
	}
	return i18n.T(v.Lang, other)
}

// otherSourceText returns the label of the link to the list of sources.
func (v Visit) otherSourceText() string {
	switch v.SourceType {
	case flow.SourcePayroll:
		return i18n.T(v.Lang, "visit.employers.another")
	case flow.SourceSupplier:
		return i18n.T(v.Lang, "visit.countries.another")
	}
	return i18n.T(v.Lang, "visit.banks.another")
}

// codeSent returns the text about where to find the code.
func (v Visit) codeSent() string {
	if v.Codes > 1 {
		return i18n.T(v.Lang, "visit.code.sent_again", "bank", v.Bank)
	}
	return i18n.T(v.Lang, "visit.code.sent", "bank", v.Bank)
}

// codeWait returns the text about when another code can be requested. The script that
// counts down replaces a percent sign by the number.
func (v Visit) codeWait(seconds string) string {
	return i18n.T(v.Lang, "visit.code.wait", "seconds", seconds)
}

// countdown returns the attributes by which a script disables the button until another code
// can be requested. Without script, the button works and the page shows the wait.
func (v Visit) countdown() templ.Attributes {
	if v.CodeWait == 0 {
		return nil
	}
	return templ.Attributes{"data-wait": strconv.Itoa(v.CodeWait), "aria-describedby": "code-wait"}
}

// problemText returns the text of a connected source's problem; "" for none.
func (c Connected) problemText(v Visit) string {
	v.SourceType = c.SourceType
	switch {
	case c.Failed:
		return c.Why.words(v)
	case c.Empty && c.SourceType == flow.SourcePayroll:
		return i18n.T(v.Lang, "visit.connected.no_pay_statement")
	case c.Empty:
		return i18n.T(v.Lang, "visit.connected.no_money")
	}
	return ""
}

// hasNoUsableSource reports whether no connected source has usable data.
func (v Visit) hasNoUsableSource() bool {
	return !slices.ContainsFunc(v.Connected, func(c Connected) bool { return !c.Failed && !c.Empty })
}
