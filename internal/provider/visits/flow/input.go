package flow

import "vestibule/internal/contract"

// EventKind is the kind of an event.
type EventKind string

const (
	EventOpened               EventKind = "came"       // the widget or the hosted page was opened
	EventPrepared             EventKind = "prepared"   // the visit has a prepared report (sandbox): no steps follow
	EventConsented            EventKind = "consented"  // by the applicant
	EventSourceSelected       EventKind = "took"       // a source type
	EventSourceCleared        EventKind = "turned"     // back from the choice of a source
	EventInstitutionSelected  EventKind = "chose"      // a bank, or a payroll provider
	EventInstitutionConfirmed EventKind = "confirmed"  // the applicant confirmed the chosen supplier
	EventInstitutionCleared   EventKind = "rechose"    // back to the list of them
	EventAuthorized           EventKind = "authorized" // at the institution's own pages
	EventAuthorizationFailed  EventKind = "unauthorized"
	EventSignedIn             EventKind = "signed in" // with a username and a password, right or wrong
	EventMFAResent            EventKind = "resent"    // another one-time code was asked for
	EventMFASubmitted         EventKind = "coded"     // a one-time code was given
	EventAccountsSelected     EventKind = "picked"    // accounts of the bank
	EventDocumentAdded        EventKind = "added"     // a document was uploaded
	EventDocumentRemoved      EventKind = "removed"   // a document was deleted
	EventDocumentsSubmitted   EventKind = "handed in" // the uploaded documents were submitted
	EventSourceAdded          EventKind = "more"      // the applicant adds another source
	EventSourcesFinished      EventKind = "enough"    // the applicant adds no more sources
	EventReportFinished       EventKind = "made"      // the report was generated or failed
	EventClosed               EventKind = "left"      // the applicant closed the visit
	EventReopened             EventKind = "came back" // the applicant reopened a closed visit

	EventWentBack         EventKind = "went back"    // to the step before, by the browser's Back
	EventStartedOver      EventKind = "started over" // in another browser, which an invite allows
	EventFailed           EventKind = "broke"        // the widget failed (sandbox control)
	EventExpired          EventKind = "time up"      // the visit expired
	EventConsentWithdrawn EventKind = "withdrew"     // the customer reported withdrawn consent
	EventSourceRemoved    EventKind = "unsourced"    // the source being connected was removed

	EventEmployerSelected   EventKind = "verify"  // to verify one of the employers
	EventEmployerSkipOpened EventKind = "skip"    // to skip one; the reason is asked next
	EventEmployerSkipped    EventKind = "skipped" // with a reason
)

// actions has the values of the form field "action", by the event that a form asks for.
// They stay as they are: pages that are open during an update post them.
var actions = map[EventKind]string{
	EventOpened:               "open",
	EventConsented:            "consent",
	EventSourceSelected:       "source",
	EventSourceCleared:        "turn",
	EventInstitutionSelected:  "again", // the same one, at StepFailed; see EventOf
	EventInstitutionConfirmed: "confirm",
	EventInstitutionCleared:   "rechoose",
	EventSignedIn:             "sign-in",
	EventMFAResent:            "no-code",
	EventMFASubmitted:         "code",
	EventAccountsSelected:     "accounts",
	EventDocumentRemoved:      "remove",
	EventDocumentsSubmitted:   "hand-in",
	EventSourceAdded:          "more",
	EventSourcesFinished:      "finish",
	EventEmployerSelected:     "verify",
	EventEmployerSkipOpened:   "skip",
	EventEmployerSkipped:      "skipped",
	EventClosed:               "close",
	EventReopened:             "reopen",
	EventWentBack:             "back",
	EventStartedOver:          "start-over",
}

// Action returns the action of a form that asks for the event.
func (k EventKind) Action() string { return actions[k] }

// EventOf returns the event of an action; "" for an unknown action. The action of a list
// of institutions is its step.
func EventOf(action string) EventKind {
	if step := Step(action); step == StepBank || step == StepPayroll || step == StepSupplier {
		return EventInstitutionSelected
	}
	for event, a := range actions {
		if a == action {
			return event
		}
	}
	return ""
}

// Input is one event with its data.
type Input struct {
	Kind           EventKind
	SourceType     SourceType           // of SourceSelected; of InstitutionSelected: the type of Bank
	Bank           string               // of InstitutionSelected: id of a bank, employer, or supplier
	Authorize      bool                 // of InstitutionSelected: access is authorized at the institution's own pages
	Connection     string               // of Authorized: id of the access
	Reason         string               // of EmployerSkipped: one of report.SkippedReasons; of AuthorizationFailed: see Connection
	Username       string               // of SignedIn
	Correct        bool                 // of SignedIn: username and password are right; of MFASubmitted: the code is
	SessionExpired bool                 // of MFASubmitted: the session has ended
	Unusable       bool                 // of MFASubmitted: the bank has no account that a report can use
	Empty          bool                 // of MFASubmitted, AccountsSelected: the source has no recent data
	Accounts       []string             // of AccountsSelected: their ids
	More           bool                 // of AccountsSelected: another source follows
	Employer       int                  // of EmployerSelected, EmployerSkipOpened: number of the employer
	At             int64                // time, in Unix microseconds
	Status         contract.Status      // of ReportFinished; of AuthorizationFailed, SignedIn, MFASubmitted: why there is no access
	Substatus      contract.Substatus   // with Status
	Error          contract.WidgetError // of Failed
}

// Effects is a set of actions after an input, besides storing the new Journey.
type Effects uint8

const (
	SetStatus      Effects = 1 << iota // the report's status changed: set it, which sends a webhook
	GenerateReport                     // enqueue the report
)
