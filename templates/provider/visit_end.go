package provider

import (
	"strings"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/provider/visits/flow"
	"vestibule/templates/ui"
)

// endWords returns the text of the outcome and the next step.
func (v Visit) endWords() string {
	words := ""
	switch {
	case v.Frozen:
		return i18n.T(v.Lang, "visit.end.frozen", "company", v.Customer, "service", v.Operator.Name)
	case v.Unconfigured:
		return v.unconfiguredWords()
	case v.nothingRecent() && v.Verifies && v.NothingConnected:
		return i18n.T(v.Lang, "visit.end.employers.none", "company", v.Customer)
	case v.nothingRecent() && v.SourceType != flow.SourceSupplier:
		return i18n.T(v.Lang, "visit.end.empty", "company", v.Customer)
	case v.End == "error" && v.Failure.endedAtInstitution():
		return v.Failure.words(v) + " " + i18n.T(v.Lang, "visit.end.start_again", "company", v.Customer)
	case v.Verifies:
		words = v.verifyWords()
	case v.SourceType == flow.SourcePayroll:
		words = v.payrollWords()
	case v.SourceType == flow.SourcePaystubs:
		words = v.stubWords()
	case v.SourceType == flow.SourceSupplier:
		words = v.abroadWords()
	case v.Product == contract.Income && v.SourceType == "":
		words = v.severalWords()
	}
	if words != "" {
		return words
	}
	switch v.End {
	case "success":
		if v.Status == contract.StatusSuccess {
			return i18n.T(v.Lang, "visit.end.bank.shared", "company", v.Customer)
		}
		return i18n.T(v.Lang, "visit.end.bank.error", "company", v.Customer)
	case "exit":
		return i18n.T(v.Lang, "visit.end.exit")
	}
	switch {
	case v.Status == contract.StatusExpired:
		return i18n.T(v.Lang, "visit.end.expired", "company", v.Customer)
	case v.Substatus == contract.SubMFARequired:
		return i18n.T(v.Lang, "visit.end.bank.code")
	case v.Substatus == contract.SubIncompatibleAccounts:
		return i18n.T(v.Lang, "visit.end.bank.account")
	case v.Substatus == contract.SubEBankingNotSupported:
		return i18n.T(v.Lang, "visit.end.bank.no_online_banking")
	case v.Status == contract.StatusNotAuthenticated:
		return i18n.T(v.Lang, "visit.end.bank.sign_in")
	case v.Status == contract.StatusSupplierUnresponsive, v.Status == contract.StatusBureauUnresponsive:
		return i18n.T(v.Lang, "visit.end.bank.unresponsive")
	}
	return i18n.T(v.Lang, v.Error.Info().Applicant)
}

// payrollWords returns the texts of endWords that differ for a payroll provider; otherwise
// "".
func (v Visit) payrollWords() string {
	switch {
	case v.End == "success" && v.Status == contract.StatusSuccess:
		return i18n.T(v.Lang, "visit.end.payroll.shared", "company", v.Customer)
	case v.End == "success":
		return i18n.T(v.Lang, "visit.end.payroll.error", "company", v.Customer)
	case v.Substatus == contract.SubWidgetSessionExpired:
		return i18n.T(v.Lang, "visit.end.payroll.session")
	case v.Substatus == contract.SubMFARequired:
		return i18n.T(v.Lang, "visit.end.payroll.code")
	case v.Status == contract.StatusNotAuthenticated:
		return i18n.T(v.Lang, "visit.end.payroll.sign_in")
	case v.Status == contract.StatusSupplierUnresponsive, v.Status == contract.StatusBureauUnresponsive:
		return i18n.T(v.Lang, "visit.end.payroll.unresponsive")
	}
	return ""
}

// severalWords returns the texts of endWords that differ for several sources; otherwise "".
func (v Visit) severalWords() string {
	switch {
	case len(v.Connected) < 2 || v.End != "success":
		return ""
	case v.Status == contract.StatusSuccess:
		return i18n.T(v.Lang, "visit.end.income.shared", "company", v.Customer)
	}
	return i18n.T(v.Lang, "visit.end.employers.error", "company", v.Customer)
}

// stubWords returns the texts of endWords that differ for pay stubs; otherwise "".
func (v Visit) stubWords() string {
	switch {
	case v.End == "success" && v.Status == contract.StatusSuccess:
		return i18n.T(v.Lang, "visit.end.pay_stubs.shared", "company", v.Customer)
	case v.End == "success" && v.Status == contract.StatusBureauUnresponsive:
		return i18n.T(v.Lang, "visit.end.pay_stubs.unread", "company", v.Customer)
	case v.End == "success" && v.Substatus == contract.SubIncomplete:
		return i18n.T(v.Lang, "visit.end.pay_stubs.image", "company", v.Customer)
	case v.End == "success":
		return i18n.T(v.Lang, "visit.end.pay_stubs.unreadable", "company", v.Customer)
	}
	return ""
}

// nothingRecent reports whether a report was created without recent data.
func (v Visit) nothingRecent() bool {
	return v.End == "success" && v.Status == contract.StatusSuccess && v.Substatus == contract.SubNoRecentInformation
}

func (v Visit) endTone() ui.Tone {
	switch {
	case v.nothingRecent():
		return ui.Warning
	case v.End == "success" && v.Status == contract.StatusSuccess:
		return ui.Success
	case v.End == "error":
		return ui.Danger
	case v.End == "success":
		return ui.Warning
	}
	return ui.Info
}

// progressWords says what is being done while the applicant waits.
func (v Visit) progressWords() string {
	var from []string
	stubs := false
	for _, c := range v.Connected {
		switch {
		case c.Failed:
		case c.Name != "":
			from = append(from, c.Name)
		default:
			stubs = true
		}
	}
	switch {
	case len(from) > 0:
		return i18n.T(v.Lang, "visit.progress.collect", "sources", strings.Join(from, ", "), "company", v.Customer)
	case stubs:
		return i18n.T(v.Lang, "visit.progress.read", "company", v.Customer)
	}
	return i18n.T(v.Lang, "visit.progress.make", "company", v.Customer)
}

// Receipt states what an applicant shared, and until when.
type Receipt struct {
	From       []Connected
	Incomplete []Connected // some or all of their data could not be read
	Shared     time.Time
	Until      time.Time // when the customer can no longer read the report
	Updates    time.Time // until when the customer can get updated reports; zero: it cannot
}

// incompleteWords names the sources of which data could not be read; "" for none.
func (v Visit) incompleteWords() string {
	if v.Receipt == nil || len(v.Receipt.Incomplete) == 0 {
		return ""
	}
	var names []string
	for _, c := range v.Receipt.Incomplete {
		names = append(names, c.shown(v))
	}
	return i18n.T(v.Lang, "visit.end.incomplete", "sources", strings.Join(names, ", "), "company", v.Customer)
}

// returns reports whether the page leads back to the customer by itself: not from a receipt.
func (v Visit) returns() bool { return v.Return != "" && v.End == "success" && v.Receipt == nil }
