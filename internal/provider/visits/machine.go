package visits

import (
	"slices"
	"time"

	"vestibule/internal/contract"
)

// State is the state of a visit.
type State string

const (
	Created    State = "created"    // the publicToken exists; the visit was not opened
	Open       State = "open"       // opened; the applicant has not consented
	Connecting State = "connecting" // consent was given; the source is being connected
	Generating State = "generating" // all sources are connected; the report is being generated
	Complete   State = "complete"   // the applicant completed all steps
	Closed     State = "closed"     // the applicant closed it; it can be resumed
	Failed     State = "failed"     // it could not be finished
	Expired    State = "expired"    // it was not finished in time
)

// Over reports whether the state is final.
func (s State) Over() bool { return s == Complete || s == Failed || s == Expired }

// Step is the page that the applicant sees. Each belongs to one state; Connecting has
// several.
type Step string

const (
	StepConsent   Step = "consent"
	StepSource    Step = "source"    // choice of a SourceType; only if there are several
	StepBank      Step = "bank"      // which bank
	StepEmployer  Step = "employer"  // which payroll provider
	StepSignIn    Step = "sign-in"   // at the bank or the payroll provider
	StepCode      Step = "code"      // one-time code of a bank or a payroll provider
	StepAccounts  Step = "accounts"  // of the bank
	StepDocuments Step = "documents" // pay stubs, or others
	StepConnected Step = "connected" // connected sources; only if there may be several
	StepFailed    Step = "failed"    // the only source could not be connected
	StepProgress  Step = "progress"
	StepEnd       Step = "end"
)

// SourceType is the kind of source that the applicant connects.
type SourceType string

const (
	SourceBank     SourceType = "bank"
	SourcePayroll  SourceType = "payroll"
	SourcePaystubs SourceType = "paystubs"
)

// first returns the first step of a source type.
func (w SourceType) first() Step {
	switch w {
	case SourcePayroll:
		return StepEmployer
	case SourceSupplier:
		return StepSupplier
	case SourcePaystubs, SourceLetters:
		return StepDocuments
	}
	return StepBank
}

// MaxTries is how often a password, or a one-time code, may be wrong at one bank or
// payroll provider. The applicant can then try another one, until AllTries passwords
// or codes were wrong: then the visit fails.
const (
	MaxTries = 3
	AllTries = 9
)

// SessionLife is how long a payroll provider waits for the code after a sign-in.
const SessionLife = 10 * time.Minute

// MaxCodes is the maximum number of one-time codes for one sign-in, and CodeWait the
// minimum time between two codes that the applicant requests.
const (
	MaxCodes = 5
	CodeWait = 30 * time.Second
)

// Code is the one-time code of the mock banks and payroll providers.
const Code = "123456"

// Scenario is a failure that the sandbox simulates because the applicant's name
// selects it.
type Scenario string

const (
	NoScenario          Scenario = ""
	ScenarioBureauDown  Scenario = "bureau" // lastName "supplierdown"
	ScenarioNoMFACode   Scenario = "code"   // firstName "mfa required"
	ScenarioExpiresSoon Scenario = "soon"   // lastName "expiresoon"
)

// Journey is the visit's data in the state machine.
type Journey struct {
	Product    contract.Product
	Employers  int  // number of stated employers to verify; eligibility only
	IncomeOnly bool // verify income only; eligibility only
	Lacks      Lacks

	State      State
	Step       Step
	Scenario   Scenario
	Employer   int        // number of the employer being verified, from 1; 0 for none
	SourceType SourceType // empty before it is chosen
	Bank       string     // id of the chosen bank or payroll provider, from StepSignIn on
	Username   string     // at that provider, from StepCode on; selects the test data
	Sources    string     // connected sources as JSON; see sources
	Tries      int        // wrong passwords so far
	CodeTries  int        // wrong one-time codes so far; an abandoned sign-in counts as MaxTries
	Codes      int        // one-time codes sent for the current sign-in
	CodeSent   int64      // time of the last code, in Unix microseconds
	Status     contract.Status
	Substatus  contract.Substatus
	Error      contract.WidgetError // why it could not be finished; empty unless Failed or Expired
}

// Lacks says which source types have no data source in the visit's environment. It is
// not stored with the visit, because the configuration may change.
type Lacks struct{ Banks, Payroll, Suppliers bool }

// way reports whether a source type has no source.
func (l Lacks) way(w SourceType) bool {
	switch w {
	case SourceBank:
		return l.Banks
	case SourcePayroll:
		return l.Payroll
	case SourceSupplier:
		return l.Suppliers
	}
	return false
}

// EventKind is the kind of an event.
type EventKind string

const (
	EventOpened               EventKind = "came"      // the widget or the hosted page was opened
	EventPrepared             EventKind = "prepared"  // the visit has a prepared report (sandbox): no steps follow
	EventConsented            EventKind = "consented" // by the applicant
	EventSourceSelected       EventKind = "took"      // a source type
	EventSourceCleared        EventKind = "turned"    // back from the choice of a source
	EventInstitutionSelected  EventKind = "chose"     // a bank, or a payroll provider
	EventInstitutionConfirmed EventKind = "confirmed" // the applicant confirmed the chosen supplier
	EventInstitutionCleared   EventKind = "rechose"   // back to the list of them
	EventSignedIn             EventKind = "signed in" // with a user name and a password, right or wrong
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
)

// Input is one event with its data.
type Input struct {
	Kind       EventKind
	SourceType SourceType // of SourceSelected; of InstitutionSelected: the type of Bank
	Bank       string     // of InstitutionSelected: id of a bank, employer, or supplier
	Username   string     // of SignedIn
	Login      Login      // of SignedIn, MFASubmitted: result for the user name
	OK         bool       // of SignedIn: the password is right; of MFASubmitted: the code is
	Late       bool       // of MFASubmitted: the session has ended
	Unusable   bool       // of MFASubmitted: the bank has no account that a report can use
	Empty      bool       // of MFASubmitted, AccountsSelected: the source has no recent data
	Accounts   []string   // of AccountsSelected: their ids
	Employer   int        // of EmployerSelected, EmployerSkipOpened: number of the employer
	Reason     string     // of EmployerSkipped: one of report.SkippedReasons
	At         int64      // time, in Unix microseconds
	Status     contract.Status
	Substatus  contract.Substatus   // of ReportFinished, with Status
	Error      contract.WidgetError // of Failed
}

// Login is the result of signing in to a mock bank or payroll provider with a user
// name.
type Login struct {
	Known     bool
	Profile   string          // test profile; empty if it has no usable accounts
	Status    contract.Status // without a Profile: how the visit ends
	Substatus contract.Substatus
}

// Do is a set of actions after an input, besides storing the new Journey.
type Do uint8

const (
	Tell     Do = 1 << iota // the report's status changed: set it, which sends a webhook
	Generate                // enqueue the report
)

// Next is the visit's state machine, a pure function. ok is false if the current step
// does not accept the input (a form posted late, twice, or from another tab); the
// journey is then unchanged, and the caller shows the current step.
func (j Journey) Next(in Input) (next Journey, do Do, ok bool) {
	switch in.Kind {
	case EventOpened:
		if j.State != Created {
			return j, 0, false
		}
		j.State, j.Step = Open, StepConsent
		return j, 0, true
	case EventReportFinished:
		if j.State != Generating {
			return j, 0, false
		}
		// Package reports set the status when it generated the report.
		j.State, j.Step, j.Status, j.Substatus = Complete, StepEnd, in.Status, in.Substatus
		return j, 0, true
	case EventPrepared:
		if j.State != Open {
			return j, 0, false
		}
		j.State, j.Step = Generating, StepProgress
		return j, Generate, true
	case EventClosed:
		if j.State != Created && !j.walking() {
			return j, 0, false
		}
		if j.Step == StepFailed {
			return j.giveUp()
		}
		j.State = Closed
		return j, 0, true
	case EventReopened:
		return j.comeBack()
	case EventStartedOver:
		return j.startOver()
	case EventFailed:
		if j.State.Over() || j.State == Generating {
			return j, 0, false
		}
		status := contract.StatusError
		if in.Error == contract.WidgetSupplierError {
			status = contract.StatusSupplierUnresponsive
		}
		return j.fail(status, "", in.Error)
	case EventExpired, EventConsentWithdrawn:
		if j.State.Over() || j.State == Generating {
			return j, 0, false
		}
		if j.Step == StepFailed && in.Kind == EventExpired {
			return j.giveUp()
		}
		j.State, j.Step, j.Status, j.Substatus = Expired, StepEnd, contract.StatusExpired, ""
		j.Error = contract.WidgetRequestTimeout
		return j, Tell, true
	case EventSourceRemoved:
		if !j.walking() || !j.Lacks.way(j.SourceType) {
			return j, 0, false
		}
		return j.choose()
	}
	if !j.walking() {
		return j, 0, false
	}
	return j.walk(in)
}

func (j Journey) walking() bool { return j.State == Open || j.State == Connecting }

// walk handles the inputs of the applicant.
func (j Journey) walk(in Input) (Journey, Do, bool) {
	switch {
	case in.Kind == EventSourceCleared:
		return j.turn()
	case in.Kind == EventWentBack:
		return j.goBack()
	case j.Step == StepConsent && in.Kind == EventConsented:
		j.State = Connecting
		return j.start()
	case j.Step == StepEmployers, j.Step == StepSkip:
		return j.employers(in)
	case j.Step == StepSource && in.Kind == EventSourceSelected && slices.Contains(j.left(), in.SourceType):
		j.Step, j.SourceType = in.SourceType.first(), in.SourceType
	case j.Step == StepConnected && in.Kind == EventSourceAdded && len(j.left()) > 0:
		return j.choose()
	case j.Step == StepConnected && in.Kind == EventSourcesFinished:
		j.State, j.Step = Generating, StepProgress
		return j, Generate, true
	case (j.Step == StepBank || j.Step == StepEmployer) && in.Kind == EventInstitutionSelected && in.SourceType == j.SourceType:
		j.Step, j.Bank = StepSignIn, in.Bank
	case j.Step == StepSupplier && in.Kind == EventInstitutionSelected && in.SourceType == j.SourceType:
		j.Step, j.Bank = StepConfirm, in.Bank
	case j.Step == StepConfirm && in.Kind == EventInstitutionConfirmed:
		return j.supplier(in)
	case in.Kind == EventInstitutionCleared && (j.Step == StepSignIn || j.Step == StepCode || j.Step == StepConfirm || j.Step == StepFailed):
		// The counts of wrong attempts stay: choosing another bank must not allow more
		// guesses.
		j.Step, j.Bank, j.Username = j.SourceType.first(), "", ""
	case j.Step == StepCode && in.Kind == EventMFAResent:
		return j.resend(in)
	case j.Step == StepSignIn && in.Kind == EventSignedIn:
		return j.signIn(in)
	case j.Step == StepCode && in.Kind == EventMFASubmitted:
		return j.code(in)
	case j.Step == StepAccounts && in.Kind == EventAccountsSelected, j.Step == StepDocuments && in.Kind == EventDocumentsSubmitted:
		return j.connect(in.Accounts, in.Empty)
	case j.Step == StepDocuments && (in.Kind == EventDocumentAdded || in.Kind == EventDocumentRemoved):
		// The documents are stored elsewhere; counting them in the journey prevents changes
		// concurrent with their submission.
	default:
		return j, 0, false
	}
	return j, 0, true
}

func (j Journey) signIn(in Input) (Journey, Do, bool) {
	if !in.Login.Known || !in.OK {
		switch j.Tries++; {
		case j.Tries >= AllTries:
			return j.fail(contract.StatusNotAuthenticated, "", contract.WidgetSupplierError)
		case j.Tries%MaxTries == 0:
			return j.miss(contract.StatusNotAuthenticated, "", in)
		}
		return j, 0, true
	}
	switch {
	case j.Scenario == ScenarioBureauDown && j.SourceType == SourceBank:
		return j.miss(contract.StatusBureauUnresponsive, "", in)
	case in.Login.Status == contract.StatusSupplierUnresponsive && in.Login.Substatus == "",
		in.Login.Substatus == contract.SubEBankingNotSupported:
		// The bank rejects every sign-in of this user name before it asks for a code.
		return j.miss(in.Login.Status, in.Login.Substatus, in)
	}
	j.Step, j.Username = StepCode, in.Username
	j.Codes, j.CodeSent = 1, in.At
	j.CodeTries = (j.CodeTries + MaxTries - 1) / MaxTries * MaxTries
	return j, 0, true
}

// resend sends another one-time code.
func (j Journey) resend(in Input) (Journey, Do, bool) {
	if j.codeWait(in.At) > 0 || j.Codes >= MaxCodes {
		return j, 0, false
	}
	j.Codes, j.CodeSent = j.Codes+1, in.At
	return j, 0, true
}

// codeWait returns the time until another code can be requested. After the first code
// of a sign-in it is 0, because that code may have been lost.
func (j Journey) codeWait(at int64) time.Duration {
	if j.Codes < 2 {
		return 0
	}
	return max(0, CodeWait-time.Duration(at-j.CodeSent)*time.Microsecond)
}

func (j Journey) code(in Input) (Journey, Do, bool) {
	switch {
	case in.Late && j.SourceType == SourcePayroll:
		return j.miss(contract.StatusSupplierUnresponsive, contract.SubWidgetSessionExpired, in)
	case !in.OK:
		switch j.CodeTries++; {
		case j.CodeTries >= AllTries:
			return j.fail(contract.StatusNotAuthenticated, contract.SubMFARequired, contract.WidgetSupplierError)
		case j.CodeTries%MaxTries == 0:
			return j.miss(contract.StatusNotAuthenticated, contract.SubMFARequired, in)
		}
		return j, 0, true
	case j.Scenario == ScenarioNoMFACode:
		return j.miss(contract.StatusNotAuthenticated, contract.SubMFARequired, in)
	case in.Login.Profile != "" && j.SourceType == SourcePayroll:
		return j.connect(nil, in.Empty)
	case in.Unusable:
		return j.miss(contract.StatusNotAuthenticated, contract.SubIncompatibleAccounts, in)
	case in.Login.Profile != "":
		j.Step = StepAccounts
		return j, 0, true
	case in.Login.Status == contract.StatusError && !j.spared():
		// The applicant has completed all steps; it is the report that cannot be generated.
		j.State, j.Step, j.Status, j.Substatus = Complete, StepEnd, in.Login.Status, in.Login.Substatus
		return j, Tell, true
	}
	return j.miss(in.Login.Status, in.Login.Substatus, in)
}

// comeBack resumes a closed visit: from the consent if it was not given, or else from
// the step after it, because a sign-in ends with leaving.
func (j Journey) comeBack() (Journey, Do, bool) {
	if j.State != Closed {
		return j, 0, false
	}
	if j.Step == "" || j.Step == StepConsent {
		j.State, j.Step = Open, StepConsent
		return j, 0, true
	}
	j.State, j.Sources, j.Employer = Connecting, "", 0
	return j.start()
}

// goBack moves to the previous step, unless that would undo a completed sign-in or a
// connected source.
func (j Journey) goBack() (Journey, Do, bool) {
	switch j.Step {
	case StepSignIn, StepConfirm, StepFailed:
		j.Step, j.Bank, j.Username = j.SourceType.first(), "", ""
		return j, 0, true
	case StepCode:
		j.Step, j.Username = StepSignIn, ""
		return j, 0, true
	}
	if next, do, ok := j.turn(); ok {
		return next, do, true
	}
	first := j.Step == StepEmployers || j.Step == StepSource || j.SourceType != "" && j.Step == j.SourceType.first()
	if !first || j.Sources != "" || j.Employer > 0 {
		return j, 0, false
	}
	j.State, j.Step, j.SourceType = Open, StepConsent, ""
	return j, 0, true
}

// startOver moves to the consent and drops everything connected. The counts of wrong
// attempts stay: another browser must not allow more guesses.
func (j Journey) startOver() (Journey, Do, bool) {
	if j.State != Created && j.State != Closed && !j.walking() {
		return j, 0, false
	}
	j.State, j.Step = Open, StepConsent
	j.Employer, j.SourceType, j.Bank, j.Username, j.Sources = 0, "", "", "", ""
	return j, 0, true
}

// miss continues without the current source, which could not be connected. If it is
// the only one, the applicant chooses another or leaves; then the visit fails with the
// source's status.
func (j Journey) miss(status contract.Status, sub contract.Substatus, in Input) (Journey, Do, bool) {
	spared := j.spared()
	j.with(connected{Failed: status, Why: sub, At: in.At})
	if spared {
		j.pause()
	} else {
		j.Step, j.Username = StepFailed, ""
	}
	return j, 0, true
}

// giveUp ends a visit whose last source could not be connected.
func (j Journey) giveUp() (Journey, Do, bool) {
	c := j.lastFailed()
	return j.fail(c.Failed, c.Why, contract.WidgetSupplierError)
}

// spared reports whether the visit continues without the current source: if others are
// connected, or if it is one employer's.
func (j Journey) spared() bool { return j.good() || j.Employer > 0 }

// unsupported ends a visit without a source left to connect: with the report of what
// is connected or, without any, like a bank without online banking.
func (j Journey) unsupported() (Journey, Do, bool) {
	if j.good() {
		j.State, j.Step = Generating, StepProgress
		return j, Generate, true
	}
	j.SourceType, j.Bank, j.Username = "", "", ""
	return j.fail(contract.StatusNotAuthenticated, contract.SubEBankingNotSupported, contract.WidgetSupplierError)
}

// Unconfigured reports whether the visit ended because no source was configured.
func (j Journey) Unconfigured() bool {
	return j.State == Failed && j.Substatus == contract.SubEBankingNotSupported && j.Bank == ""
}

func (j Journey) fail(status contract.Status, sub contract.Substatus, why contract.WidgetError) (Journey, Do, bool) {
	j.State, j.Step, j.Status, j.Substatus, j.Error = Failed, StepEnd, status, sub, why
	return j, Tell, true
}

// Outcome returns the outcome that the customer receives for a visit that is over or
// closed: SUCCESS at the end of the journey, whatever the report's status, ERROR for a
// widget error, and EXIT for a closed visit. It is empty before. A visit that expired
// while the applicant was there is an ERROR too.
func (j Journey) Outcome() contract.Outcome {
	switch j.State {
	case Complete:
		return contract.OutcomeSuccess
	case Failed, Expired:
		return contract.OutcomeError
	case Closed:
		return contract.OutcomeExit
	}
	return ""
}
