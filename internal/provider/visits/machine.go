package visits

import (
	"slices"
	"time"

	"vestibule/internal/contract"
)

// State is where a visit stands (journeys.md, "The visit").
type State string

const (
	Created    State = "created"    // the publicToken exists; nobody has come yet
	Open       State = "open"       // the applicant is here, and has not consented
	Connecting State = "connecting" // consent was given; the source is being connected
	Generating State = "generating" // all that was asked for is given; the report is being made
	Complete   State = "complete"   // the journey was walked to its end
	Closed     State = "closed"     // the applicant closed it; it can be gone on with
	Failed     State = "failed"     // it could not be finished
	Expired    State = "expired"    // nobody finished it in time
)

// Over reports whether the state is one that nothing leads out of.
func (s State) Over() bool { return s == Complete || s == Failed || s == Expired }

// Step is the page that the applicant is shown. Each belongs to one state, but
// for the steps of Connecting, which are the pages of one.
type Step string

const (
	StepConsent   Step = "consent"
	StepSource    Step = "source"    // which Way to go; only where there are several
	StepBank      Step = "bank"      // which bank
	StepEmployer  Step = "employer"  // which payroll provider
	StepSignIn    Step = "sign-in"   // at the bank or the payroll provider
	StepCode      Step = "code"      // of either
	StepAccounts  Step = "accounts"  // of the bank
	StepDocuments Step = "documents" // pay stubs, or others
	StepConnected Step = "connected" // what there is so far; only where there may be several
	StepFailed    Step = "failed"    // the source could not be connected, and there is no other
	StepProgress  Step = "progress"
	StepEnd       Step = "end"
)

// SourceType is what kind of source the applicant connects.
type SourceType string

const (
	SourceBank     SourceType = "bank"
	SourcePayroll  SourceType = "payroll"
	SourcePaystubs SourceType = "paystubs"
)

// first is the step that a way begins with.
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
// payroll provider. Another one can be tried after it, until AllTries of either were
// wrong: then the visit fails.
const (
	MaxTries = 3
	AllTries = 9
)

// SessionLife is how long a payroll provider waits for the code after a sign-in.
const SessionLife = 10 * time.Minute

// MaxCodes is how many one-time codes are sent for one sign-in, and CodeWait the time
// between two of them that the applicant asks for.
const (
	MaxCodes = 5
	CodeWait = 30 * time.Second
)

// Code is the one-time code of the mock banks and payroll providers.
const Code = "123456"

// Scenario is a failure that the sandbox plays because the applicant's name
// asks for it (document 3, Sandbox simulations).
type Scenario string

const (
	NoScenario          Scenario = ""
	ScenarioBureauDown  Scenario = "bureau" // lastName "supplierdown"
	ScenarioNoMFACode   Scenario = "code"   // firstName "mfa required"
	ScenarioExpiresSoon Scenario = "soon"   // lastName "expiresoon"
)

// Journey is what the machine knows of a visit.
type Journey struct {
	Product    contract.Product
	Employers  int  // how many stated ones are verified; eligibility only
	IncomeOnly bool // and nothing else; eligibility only
	Lacks      Lacks

	State      State
	Step       Step
	Scenario   Scenario
	Employer   int        // the one that is being verified, from 1; 0: none
	SourceType SourceType // empty before it is chosen
	Bank       string     // id of the chosen bank or payroll provider, from StepSignIn on
	Username   string     // there, from StepCode on; decides what is found
	Sources    string     // what is connected, as JSON; see sources
	Tries      int        // wrong passwords so far
	CodeTries  int        // wrong one-time codes so far; a sign-in that is given up counts as MaxTries
	Codes      int        // one-time codes that were sent for the present sign-in
	CodeSent   int64      // when the last of them was, in microseconds
	Status     contract.Status
	Substatus  contract.Substatus
	Error      contract.WidgetError // why it could not be finished; empty unless Failed or Expired
}

// Lacks says which ways have no data source in the visit's environment. It is
// not kept with the visit: what is configured may change.
type Lacks struct{ Banks, Payroll, Suppliers bool }

// way reports whether a way has no source.
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

// EventKind is what happened.
type EventKind string

const (
	EventOpened               EventKind = "came"      // the widget or the hosted page was opened
	EventPrepared             EventKind = "prepared"  // the visit has a prepared report (sandbox): nothing is asked
	EventConsented            EventKind = "consented" // by the applicant
	EventSourceSelected       EventKind = "took"      // a way
	EventSourceCleared        EventKind = "turned"    // back from the choice of a source
	EventInstitutionSelected  EventKind = "chose"     // a bank, or a payroll provider
	EventInstitutionConfirmed EventKind = "confirmed" // that the chosen supplier is the right one
	EventInstitutionCleared   EventKind = "rechose"   // back to the list of them
	EventSignedIn             EventKind = "signed in" // with a user name and a password, right or wrong
	EventMFAResent            EventKind = "resent"    // another one-time code was asked for
	EventMFASubmitted         EventKind = "coded"     // a one-time code was given
	EventAccountsSelected     EventKind = "picked"    // accounts
	EventDocumentAdded        EventKind = "added"     // a document was uploaded
	EventDocumentRemoved      EventKind = "removed"   // and taken away
	EventDocumentsSubmitted   EventKind = "handed in" // the documents that there are
	EventSourceAdded          EventKind = "more"      // another source
	EventSourcesFinished      EventKind = "enough"    // of sources
	EventReportFinished       EventKind = "made"      // the report was made, or cannot be
	EventClosed               EventKind = "left"      // the applicant closed the visit
	EventReopened             EventKind = "came back" // to a visit that was closed

	EventWentBack         EventKind = "went back"    // to the step before, by the browser's Back
	EventStartedOver      EventKind = "started over" // in another browser, which an invite allows
	EventFailed           EventKind = "broke"        // the widget cannot go on (sandbox control)
	EventExpired          EventKind = "time up"      // the visit's time is over
	EventConsentWithdrawn EventKind = "withdrew"     // the consumer, its consent, by way of the customer
	EventSourceRemoved    EventKind = "unsourced"    // the source that is being connected is no longer there
)

// Input is one thing that happened, with what came with it.
type Input struct {
	Kind       EventKind
	SourceType SourceType // Took; Chose: the way whose list Bank is in
	Bank       string     // Chose: an id of Banks, Employers or Suppliers
	Username   string     // SignedIn
	Login      Login      // SignedIn, Coded: what there is for the user name
	OK         bool       // SignedIn: the password is right; Coded: the code is
	Late       bool       // Coded: the session is over
	Unusable   bool       // Coded: the bank shows no account that a report can be made from
	Empty      bool       // Coded, Picked: the source has nothing recent
	Accounts   []string   // Picked: their ids
	Employer   int        // Verify, Skip
	Reason     string     // Skipped: one of report.SkippedReasons
	At         int64      // when, in microseconds
	Status     contract.Status
	Substatus  contract.Substatus   // Made, with Status
	Error      contract.WidgetError // Broke
}

// Login is what a mock bank or payroll provider has behind a user name.
type Login struct {
	Known     bool
	Profile   string          // whose accounts there are; empty: none that can be used
	Status    contract.Status // without a Profile: how the visit ends
	Substatus contract.Substatus
}

// Do says what follows from an input, besides keeping the new Journey.
type Do uint8

const (
	Tell     Do = 1 << iota // the report's status changed: set it, which sends a webhook
	Generate                // have the report made
)

// Next is the visit's state machine: a pure function. ok is false for an input
// that the present step does not take (a form posted late, twice, or from
// another tab); the journey is then unchanged and the applicant is shown where
// he stands.
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
		// Package reports set the status when it made the report.
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

// walk takes the steps that the applicant himself takes.
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
		// The tries stay: another bank is no way to guess on.
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
		// The documents are kept elsewhere; that the journey counts them lets none
		// come or go beside the one that hands them in.
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
		// The bank turns everybody away before it asks for a code.
		return j.miss(in.Login.Status, in.Login.Substatus, in)
	}
	j.Step, j.Username = StepCode, in.Username
	j.Codes, j.CodeSent = 1, in.At
	j.CodeTries = (j.CodeTries + MaxTries - 1) / MaxTries * MaxTries
	return j, 0, true
}

// resend has the bank or payroll provider send another one-time code.
func (j Journey) resend(in Input) (Journey, Do, bool) {
	if j.codeWait(in.At) > 0 || j.Codes >= MaxCodes {
		return j, 0, false
	}
	j.Codes, j.CodeSent = j.Codes+1, in.At
	return j, 0, true
}

// codeWait is the time until another code can be asked for. The first code of a sign-in
// makes nobody wait: it may have been lost.
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
		// All that was asked of the applicant is done; it is the report that
		// cannot be made.
		j.State, j.Step, j.Status, j.Substatus = Complete, StepEnd, in.Login.Status, in.Login.Substatus
		return j, Tell, true
	}
	return j.miss(in.Login.Status, in.Login.Substatus, in)
}

// comeBack goes on with a closed visit: from the consent if it was not given,
// else from what comes after it, since a sign-in does not outlive leaving.
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

// goBack leads to the step before, unless that would undo something: a sign-in that is
// complete, or a source that is connected.
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

// startOver goes back to the consent without anything that was connected. The tries
// stay: another browser is no way to guess on.
func (j Journey) startOver() (Journey, Do, bool) {
	if j.State != Created && j.State != Closed && !j.walking() {
		return j, 0, false
	}
	j.State, j.Step = Open, StepConsent
	j.Employer, j.SourceType, j.Bank, j.Username, j.Sources = 0, "", "", "", ""
	return j, 0, true
}

// miss goes on without the present source, which could not be connected. Where it is
// the only one, the applicant chooses another, or leaves: then the visit fails as the
// source did.
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

// spared reports whether the visit goes on without the present source: beside others
// that are connected, and where it is one employer's.
func (j Journey) spared() bool { return j.good() || j.Employer > 0 }

// unsupported ends a visit that has no source left to connect: with the report of
// what is there, or as a bank without online banking ends it.
func (j Journey) unsupported() (Journey, Do, bool) {
	if j.good() {
		j.State, j.Step = Generating, StepProgress
		return j, Generate, true
	}
	j.SourceType, j.Bank, j.Username = "", "", ""
	return j.fail(contract.StatusNotAuthenticated, contract.SubEBankingNotSupported, contract.WidgetSupplierError)
}

// Unconfigured reports whether the visit ended for want of any source to connect.
func (j Journey) Unconfigured() bool {
	return j.State == Failed && j.Substatus == contract.SubEBankingNotSupported && j.Bank == ""
}

func (j Journey) fail(status contract.Status, sub contract.Substatus, why contract.WidgetError) (Journey, Do, bool) {
	j.State, j.Step, j.Status, j.Substatus, j.Error = Failed, StepEnd, status, sub, why
	return j, Tell, true
}

// Outcome is what the customer is told of a visit that is over or closed: the
// journey's end gives SUCCESS whatever the report's status, an error of the
// widget ERROR, and closing EXIT. It is empty while the applicant is on his way.
// One that expired under his eyes could not be finished either.
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
