package visits

import "vestibule/internal/svc"

// State is where a visit stands (journeys.md, "The visit").
type State string

const (
	Created    State = "created"    // the publicToken exists; nobody has come yet
	Open       State = "open"       // the applicant is here, and has not consented
	Connecting State = "connecting" // consent was given; the bank is being connected
	Generating State = "generating" // the accounts are chosen; the report is being made
	Complete   State = "complete"   // the journey was walked to its end
	Closed     State = "closed"     // the applicant closed it; it can be gone on with
	Failed     State = "failed"     // it could not be finished
	Expired    State = "expired"    // nobody finished it in time
)

// Over reports whether the state is one that nothing leads out of.
func (s State) Over() bool { return s == Complete || s == Failed || s == Expired }

// Step is the page that the applicant is shown. Each belongs to one state, but
// for the steps of Connecting, which are five pages of one.
type Step string

const (
	StepConsent  Step = "consent"
	StepBank     Step = "bank"
	StepSignIn   Step = "sign-in"
	StepCode     Step = "code"
	StepAccounts Step = "accounts"
	StepProgress Step = "progress"
	StepEnd      Step = "end"
)

// MaxTries is how often a password may be wrong.
const MaxTries = 3

// Code is the mock banks' one-time code.
const Code = "123456"

// Rehearsal is a failure that the sandbox plays because the applicant's name
// asks for it (document 3, Sandbox simulations).
type Rehearsal string

const (
	NoRehearsal  Rehearsal = ""
	BureauDown   Rehearsal = "bureau" // lastName "supplierdown"
	CodeMissing  Rehearsal = "code"   // firstName "mfa required"
	ExpiringSoon Rehearsal = "soon"   // lastName "expiresoon"
)

// Journey is what the machine knows of a visit.
type Journey struct {
	State     State
	Step      Step
	Rehearsal Rehearsal
	Bank      string // id of the chosen bank, from StepSignIn on
	Username  string // of the mock bank, from StepCode on; decides what is found there
	Tries     int    // wrong passwords so far
	Status    svc.Status
	Substatus svc.Substatus
	Error     svc.WidgetError // why it could not be finished; empty unless Failed or Expired
}

// Kind is what happened.
type Kind string

const (
	Came      Kind = "came"      // the widget or the hosted page was opened
	Prepared  Kind = "prepared"  // the visit has a prepared report (sandbox): nothing is asked
	Consented Kind = "consented" // by the applicant
	Chose     Kind = "chose"     // a bank
	Rechose   Kind = "rechose"   // back to the list of banks
	SignedIn  Kind = "signed in" // with a user name and a password, right or wrong
	Coded     Kind = "coded"     // a one-time code was given, or said not to have come
	Picked    Kind = "picked"    // accounts
	Made      Kind = "made"      // the report was made, or cannot be
	Left      Kind = "left"      // the applicant closed the visit
	CameBack  Kind = "came back" // to a visit that was closed
	Broke     Kind = "broke"     // the widget cannot go on (sandbox control)
	TimeUp    Kind = "time up"   // the visit's time is over
)

// Input is one thing that happened, with what came with it.
type Input struct {
	Kind      Kind
	Bank      string // Chose: an id of Banks
	Username  string // SignedIn
	Login     Login  // SignedIn, Coded: what the bank has for the user name
	OK        bool   // SignedIn: the password is right; Coded: the code is
	Status    svc.Status
	Substatus svc.Substatus   // Made, with Status
	Error     svc.WidgetError // Broke
}

// Login is what a mock bank has behind a user name.
type Login struct {
	Known     bool
	Profile   string     // whose accounts there are; empty: none that can be used
	Status    svc.Status // without a Profile: how the visit ends
	Substatus svc.Substatus
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
	case Came:
		if j.State != Created {
			return j, 0, false
		}
		j.State, j.Step = Open, StepConsent
		return j, 0, true
	case Made:
		if j.State != Generating {
			return j, 0, false
		}
		// The report's own room set the status when it made the report.
		j.State, j.Step, j.Status, j.Substatus = Complete, StepEnd, in.Status, in.Substatus
		return j, 0, true
	case Prepared:
		if j.State != Open {
			return j, 0, false
		}
		j.State, j.Step = Generating, StepProgress
		return j, Generate, true
	case Left:
		if j.State != Created && !j.walking() {
			return j, 0, false
		}
		j.State = Closed
		return j, 0, true
	case CameBack:
		return j.comeBack()
	case Broke:
		if j.State.Over() || j.State == Generating {
			return j, 0, false
		}
		status := svc.StatusError
		if in.Error == svc.WidgetSupplierError {
			status = svc.StatusSupplierUnresponsive
		}
		return j.fail(status, "", in.Error)
	case TimeUp:
		if j.State.Over() || j.State == Generating {
			return j, 0, false
		}
		j.State, j.Step, j.Status, j.Substatus = Expired, StepEnd, svc.StatusExpired, ""
		j.Error = svc.WidgetRequestTimeout
		return j, Tell, true
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
	case j.Step == StepConsent && in.Kind == Consented:
		j.State, j.Step = Connecting, StepBank
	case j.Step == StepBank && in.Kind == Chose:
		j.Step, j.Bank = StepSignIn, in.Bank
	case j.Step == StepSignIn && in.Kind == Rechose:
		// The tries stay: another bank is no way to guess on.
		j.Step, j.Bank = StepBank, ""
	case j.Step == StepSignIn && in.Kind == SignedIn:
		return j.signIn(in)
	case j.Step == StepCode && in.Kind == Coded:
		return j.code(in)
	case j.Step == StepAccounts && in.Kind == Picked:
		j.State, j.Step = Generating, StepProgress
		return j, Generate, true
	default:
		return j, 0, false
	}
	return j, 0, true
}

func (j Journey) signIn(in Input) (Journey, Do, bool) {
	if !in.Login.Known || !in.OK {
		if j.Tries++; j.Tries >= MaxTries {
			return j.fail(svc.StatusNotAuthenticated, "", svc.WidgetSupplierError)
		}
		return j, 0, true
	}
	switch {
	case j.Rehearsal == BureauDown:
		return j.fail(svc.StatusBureauUnresponsive, "", svc.WidgetSupplierError)
	case in.Login.Status == svc.StatusSupplierUnresponsive, in.Login.Substatus == svc.SubEBankingNotSupported:
		// The bank turns everybody away before it asks for a code.
		return j.fail(in.Login.Status, in.Login.Substatus, svc.WidgetSupplierError)
	}
	j.Step, j.Username = StepCode, in.Username
	return j, 0, true
}

func (j Journey) code(in Input) (Journey, Do, bool) {
	switch {
	case !in.OK || j.Rehearsal == CodeMissing:
		return j.fail(svc.StatusNotAuthenticated, svc.SubMFARequired, svc.WidgetSupplierError)
	case in.Login.Profile != "":
		j.Step = StepAccounts
		return j, 0, true
	case in.Login.Status == svc.StatusError:
		// All that was asked of the applicant is done; it is the report that
		// cannot be made.
		j.State, j.Step, j.Status, j.Substatus = Complete, StepEnd, in.Login.Status, in.Login.Substatus
		return j, Tell, true
	}
	return j.fail(in.Login.Status, in.Login.Substatus, svc.WidgetSupplierError)
}

// comeBack goes on with a closed visit: from the consent if it was not given,
// else from the choice of the bank, since a sign-in does not outlive leaving.
func (j Journey) comeBack() (Journey, Do, bool) {
	if j.State != Closed {
		return j, 0, false
	}
	if j.Step == "" || j.Step == StepConsent {
		j.State, j.Step = Open, StepConsent
	} else {
		j.State, j.Step, j.Bank, j.Username = Connecting, StepBank, "", ""
	}
	return j, 0, true
}

func (j Journey) fail(status svc.Status, sub svc.Substatus, why svc.WidgetError) (Journey, Do, bool) {
	j.State, j.Step, j.Status, j.Substatus, j.Error = Failed, StepEnd, status, sub, why
	return j, Tell, true
}

// Outcome is what the customer is told of a visit that is over or closed: the
// journey's end gives SUCCESS whatever the report's status, an error of the
// widget ERROR, and closing EXIT. It is empty while the applicant is on his way.
// One that expired under his eyes could not be finished either.
func (j Journey) Outcome() svc.Outcome {
	switch j.State {
	case Complete:
		return svc.OutcomeSuccess
	case Failed, Expired:
		return svc.OutcomeError
	case Closed:
		return svc.OutcomeExit
	}
	return ""
}
