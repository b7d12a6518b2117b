package journey

import (
	"vestibule/internal/contract"
	"vestibule/internal/i18n"
)

// CanRetry reports whether starting again can help the applicant: always after an exit
// or expiry, and after a failure unless its cause would recur. While connecting, it
// applies to the error that the widget reported.
func (a Application) CanRetry() bool {
	switch a.State {
	case Exited, Expired:
		return true
	case Connecting:
		return a.Error != "" && a.Error.Retry()
	case Failed:
		if e := a.Cause(); e != "" {
			return e.Retry()
		}
		return !detailsRefused(a.Substatus)
	}
	return false
}

// Cause returns the error shown for a failed application, or "" if the status says
// more: a SUPPLIER_ERROR is any failure at the source.
func (a Application) Cause() contract.WidgetError {
	if a.Error == contract.WidgetSupplierError && a.Status != "" && a.Status != contract.StatusError {
		return ""
	}
	return a.Error
}

// detailsRefused reports whether s names an invalid detail of the applicant
// (INVALID_PREFILL_…): the same details would be refused again.
func detailsRefused(s contract.Substatus) bool { return contract.WidgetError(s).Valid() }

// Text returns the applicant's text for the state: what happened and what to do next.
func Text(a Application) i18n.Key {
	switch a.State {
	case Pending:
		return "journey.pending"
	case Ready:
		if a.Substatus == contract.SubNoRecentInformation {
			return "journey.ready_without_activity"
		}
		return "journey.ready"
	case Failed:
		if e := a.Cause(); e != "" {
			return e.Applicant()
		}
		return StatusText(a.Status, a.Substatus)
	case Expired:
		return StatusText(contract.StatusExpired, "")
	}
	return a.HintText()
}

// HintText is Text for the states that a browser can have.
func (a Application) HintText() i18n.Key {
	switch a.State {
	case Started:
		return "journey.started"
	case Returned:
		return "journey.returned"
	case Exited:
		return "journey.exited"
	}
	if a.Error != "" {
		return a.Error.Applicant()
	}
	return "journey.connecting"
}

// StatusText returns the applicant's text for a report's status. A known substatus has
// a more specific text; an unknown one is ignored.
func StatusText(status contract.Status, sub contract.Substatus) i18n.Key {
	switch sub {
	case contract.SubIncompatibleAccounts:
		return "journey.report.incompatible_accounts"
	case contract.SubNoRecentInformation:
		return "journey.report.no_recent_information"
	case contract.SubMFARequired:
		return "journey.report.code_missing"
	case contract.SubIncomplete:
		return "journey.report.incomplete"
	case contract.SubEBankingNotSupported:
		return "journey.report.no_online_banking"
	case contract.SubWidgetSessionExpired:
		return "journey.report.session_expired"
	}
	if e := contract.WidgetError(sub); e.Valid() {
		return e.Applicant()
	}
	switch status {
	case contract.StatusPending:
		return "journey.report.pending"
	case contract.StatusSuccess:
		return "journey.report.success"
	case contract.StatusNotAuthenticated:
		return "journey.report.not_authenticated"
	case contract.StatusBureauUnresponsive:
		return "journey.report.bureau_unresponsive"
	case contract.StatusSupplierUnresponsive:
		return "journey.report.supplier_unresponsive"
	case contract.StatusExpired:
		return "journey.report.expired"
	}
	return "journey.report.error"
}
