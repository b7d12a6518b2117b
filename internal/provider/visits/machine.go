package visits

import (
	"slices"
	"time"

	"vestibule/internal/svc"
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
	StepDocuments Step = "documents" // pay stubs
	StepConnected Step = "connected" // what there is so far; only where there are several ways
	StepProgress  Step = "progress"
	StepEnd       Step = "end"
)

// Way is what kind of source the applicant connects.
type Way string

const (
	WayBank    Way = "bank"
	WayPayroll Way = "payroll"
	WayStubs   Way = "paystubs"
)

// Ways lists what a product's report can be made from, in the order in which the
// applicant is offered it.
func Ways(product svc.Product) []Way {
	if product == svc.Passport {
		return []Way{WaySupplier}
	}
	if product == svc.Income {
		return []Way{WayBank, WayPayroll, WayStubs}
	}
	return []Way{WayBank}
}

// first is the step that a way begins with.
func (w Way) first() Step {
	switch w {
	case WayPayroll:
		return StepEmployer
	case WaySupplier:
		return StepSupplier
	case WayStubs:
		return StepDocuments
	}
	return StepBank
}

// MaxTries is how often a password may be wrong.
const MaxTries = 3

// SessionLife is how long a payroll provider waits for the code after a sign-in.
const SessionLife = 10 * time.Minute

// Code is the one-time code of the mock banks and payroll providers.
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
	Product   svc.Product
	State     State
	Step      Step
	Rehearsal Rehearsal
	Way       Way    // empty before it is chosen
	Bank      string // id of the chosen bank or payroll provider, from StepSignIn on
	Username  string // there, from StepCode on; decides what is found
	Sources   string // what is connected, as JSON; see sources
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
	Took      Kind = "took"      // a way
	Turned    Kind = "turned"    // back to the choice of ways
	Chose     Kind = "chose"     // a bank, or a payroll provider
	Rechose   Kind = "rechose"   // back to the list of them
	SignedIn  Kind = "signed in" // with a user name and a password, right or wrong
	Coded     Kind = "coded"     // a one-time code was given, or said not to have come
	Picked    Kind = "picked"    // accounts
	Added     Kind = "added"     // a document was uploaded
	Removed   Kind = "removed"   // and taken away
	Handed    Kind = "handed in" // the documents that there are
	More      Kind = "more"      // another source
	Enough    Kind = "enough"    // of sources
	Made      Kind = "made"      // the report was made, or cannot be
	Left      Kind = "left"      // the applicant closed the visit
	CameBack  Kind = "came back" // to a visit that was closed
	Broke     Kind = "broke"     // the widget cannot go on (sandbox control)
	TimeUp    Kind = "time up"   // the visit's time is over
)

// Input is one thing that happened, with what came with it.
type Input struct {
	Kind      Kind
	Way       Way      // Took; Chose: the way whose list Bank is in
	Bank      string   // Chose: an id of Banks, Employers or Suppliers
	Username  string   // SignedIn
	Login     Login    // SignedIn, Coded: what there is for the user name
	OK        bool     // SignedIn: the password is right; Coded: the code is
	Late      bool     // Coded: the session is over
	Accounts  []string // Picked: their ids
	Status    svc.Status
	Substatus svc.Substatus   // Made, with Status
	Error     svc.WidgetError // Broke
}

// Login is what a mock bank or payroll provider has behind a user name.
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
		j.State = Connecting
		j.begin()
	case j.Step == StepSource && in.Kind == Took && slices.Contains(j.left(), in.Way):
		j.Step, j.Way = in.Way.first(), in.Way
	case j.Step == StepSource && in.Kind == Turned && j.good():
		j.Step = StepConnected
	case j.Step == StepConnected && in.Kind == More && len(j.left()) > 0:
		j.begin()
	case j.Step == StepConnected && in.Kind == Enough:
		j.State, j.Step = Generating, StepProgress
		return j, Generate, true
	case j.Step == j.Way.first() && in.Kind == Turned && len(Ways(j.Product)) > 1:
		j.begin()
	case (j.Step == StepBank || j.Step == StepEmployer) && in.Kind == Chose && in.Way == j.Way:
		j.Step, j.Bank = StepSignIn, in.Bank
	case j.Step == StepSupplier && in.Kind == Chose && in.Way == j.Way:
		return j.supplier(in)
	case j.Step == StepSignIn && in.Kind == Rechose:
		// The tries stay: another bank is no way to guess on.
		j.Step, j.Bank = j.Way.first(), ""
	case j.Step == StepSignIn && in.Kind == SignedIn:
		return j.signIn(in)
	case j.Step == StepCode && in.Kind == Coded:
		return j.code(in)
	case j.Step == StepAccounts && in.Kind == Picked, j.Step == StepDocuments && in.Kind == Handed:
		return j.connect(in.Accounts)
	case j.Step == StepDocuments && (in.Kind == Added || in.Kind == Removed):
		// The documents are kept elsewhere; that the journey counts them lets none
		// come or go beside the one that hands them in.
	default:
		return j, 0, false
	}
	return j, 0, true
}

// begin goes to the choice of ways, or into the only one.
func (j *Journey) begin() {
	j.Step, j.Way, j.Bank, j.Username = StepSource, "", "", ""
	if ways := Ways(j.Product); len(ways) == 1 {
		j.Step, j.Way = ways[0].first(), ways[0]
	}
}

func (j Journey) signIn(in Input) (Journey, Do, bool) {
	if !in.Login.Known || !in.OK {
		if j.Tries++; j.Tries >= MaxTries {
			return j.miss(svc.StatusNotAuthenticated, "", svc.WidgetSupplierError)
		}
		return j, 0, true
	}
	switch {
	case j.Rehearsal == BureauDown && j.Way == WayBank:
		return j.miss(svc.StatusBureauUnresponsive, "", svc.WidgetSupplierError)
	case in.Login.Status == svc.StatusSupplierUnresponsive && in.Login.Substatus == "",
		in.Login.Substatus == svc.SubEBankingNotSupported:
		// The bank turns everybody away before it asks for a code.
		return j.miss(in.Login.Status, in.Login.Substatus, svc.WidgetSupplierError)
	}
	j.Step, j.Username = StepCode, in.Username
	return j, 0, true
}

func (j Journey) code(in Input) (Journey, Do, bool) {
	switch {
	case in.Late && j.Way == WayPayroll:
		return j.miss(svc.StatusSupplierUnresponsive, svc.SubWidgetSessionExpired, svc.WidgetSupplierError)
	case !in.OK || j.Rehearsal == CodeMissing:
		return j.miss(svc.StatusNotAuthenticated, svc.SubMFARequired, svc.WidgetSupplierError)
	case in.Login.Profile != "" && j.Way == WayPayroll:
		return j.connect(nil)
	case in.Login.Profile != "":
		j.Step = StepAccounts
		return j, 0, true
	case in.Login.Status == svc.StatusError && !j.good():
		// All that was asked of the applicant is done; it is the report that
		// cannot be made.
		j.State, j.Step, j.Status, j.Substatus = Complete, StepEnd, in.Login.Status, in.Login.Substatus
		return j, Tell, true
	}
	return j.miss(in.Login.Status, in.Login.Substatus, svc.WidgetSupplierError)
}

// comeBack goes on with a closed visit: from the consent if it was not given,
// else from what comes after it, since a sign-in does not outlive leaving.
func (j Journey) comeBack() (Journey, Do, bool) {
	if j.State != Closed {
		return j, 0, false
	}
	if j.Step == "" || j.Step == StepConsent {
		j.State, j.Step = Open, StepConsent
	} else {
		j.State, j.Sources = Connecting, ""
		j.begin()
	}
	return j, 0, true
}

// miss is fail for a source: beside others that are connected it is left out.
func (j Journey) miss(status svc.Status, sub svc.Substatus, why svc.WidgetError) (Journey, Do, bool) {
	if j.good() {
		return j.leaveOut(status)
	}
	return j.fail(status, sub, why)
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
