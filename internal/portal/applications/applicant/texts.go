package applicant

import (
	"cmp"
	"strings"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/journey"
	"vestibule/internal/portal/applications"
)

// title returns the heading of the status page.
func title(a applications.Application) i18n.Key {
	j := a.Journey
	switch j.State {
	case journey.Started:
		return "status.started.title"
	case journey.Connecting:
		return "status.connecting.title"
	case journey.Returned:
		return "status.returned.title"
	case journey.Pending:
		return "status.pending.title"
	case journey.Ready:
		return "status.ready.title"
	case journey.Failed:
		if a.Unread() {
			return "status.failed.supplier.title"
		}
		return failure(j)
	case journey.Exited:
		return "status.exited.title"
	}
	return "status.expired.title"
}

// failure returns a heading that says what went wrong.
func failure(j journey.Application) i18n.Key {
	switch {
	case correctable(j):
		return "status.failed.details.title"
	case j.Cause() != "" && !j.Cause().Retry():
		return "status.failed.final.title"
	case j.Cause() != "":
		return "status.failed.title"
	}
	switch j.Substatus {
	case contract.SubMFARequired:
		return "status.failed.code.title"
	case contract.SubEBankingNotSupported:
		return "status.failed.no_connection.title"
	case contract.SubIncompatibleAccounts:
		return "status.failed.account.title"
	case contract.SubIncomplete:
		return "status.failed.incomplete.title"
	case contract.SubWidgetSessionExpired:
		return "status.failed.session.title"
	}
	switch j.Status {
	case contract.StatusNotAuthenticated:
		return "status.failed.sign_in.title"
	case contract.StatusBureauUnresponsive:
		return "status.failed.bureau.title"
	case contract.StatusSupplierUnresponsive:
		return "status.failed.supplier.title"
	}
	return "status.failed.title"
}

// correctable reports whether the attempt failed because of a detail that the applicant
// can correct.
func correctable(j journey.Application) bool {
	e := cmp.Or(j.Error, contract.WidgetError(j.Substatus))
	switch e {
	case contract.WidgetPrefillKey:
		return false // not a field of the form
	case contract.WidgetPIIMissing:
		return true
	}
	return strings.HasPrefix(string(e), "INVALID_PREFILL_") && e.Valid()
}

// timelineText returns the applicant's text for a timeline entry; false for entries that
// applicants do not see.
func timelineText(l applications.TimelineEntry) (i18n.Key, bool) {
	switch journey.Kind(l.Kind) {
	case journey.Reopen:
		return "status.timeline.reopened", true
	case journey.MoreAsked:
		return "status.timeline.more_asked", true
	case journey.Revised:
		return "status.timeline.revised", true
	case applications.Joined:
		return "status.timeline.joined", true
	case "created":
		return "status.timeline.created", true
	case journey.Connect:
		return "status.timeline.connected", true
	case journey.Restart:
		return "status.timeline.restarted", true
	case journey.CallbackError:
		return "status.timeline.error", true
	case journey.Fetched:
		return "status.timeline.fetched", true
	}
	if l.From == l.To {
		return "", false
	}
	switch journey.State(l.To) {
	case journey.Returned:
		return "status.timeline.returned", true
	case journey.Pending:
		return "status.timeline.pending", true
	case journey.Exited:
		return "status.timeline.exited", true
	case journey.Failed:
		return "status.timeline.failed", true
	case journey.Expired:
		return "status.timeline.expired", true
	}
	return "", false
}
