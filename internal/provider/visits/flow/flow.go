// Package flow is the state machine of a visit: which step the applicant sees, which
// inputs the step accepts, and what an input changes. It is a pure function of
// Journey and Input, without database, clock, or pages.
//
// A report that can use several sources is generated from all that the applicant
// connects, one after another: banks, payroll providers, documents. A source that
// fails beside others is listed in the report; a source that fails alone ends the
// visit.
//
// An eligibility report verifies the stated employers, assets, or both (API reference:
// Visits). Employers come first, as a list. In any order and any number of times, the
// applicant verifies one by a payroll provider, pay stubs, or other documents, skips
// it with a reason, or leaves it open. Failures are listed in the report and do not
// end the visit. A bank account that receives pay is not a source for an employer: it
// belongs to the assets and is matched there.
package flow

import "vestibule/internal/contract"

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
	StepEmployers Step = "employers" // list of the stated employers; eligibility only
	StepSkip      Step = "skip"      // the reason to skip one of them
	StepSource    Step = "source"    // choice of a SourceType; only if there are several
	StepBank      Step = "bank"      // which bank
	StepPayroll   Step = "employer"  // which payroll provider
	StepSupplier  Step = "supplier"  // which supplier; passport only
	StepConfirm   Step = "confirm"   // of that choice: the request to the supplier cannot be undone
	StepAuthorize Step = "authorize" // at the bank's own pages
	StepSignIn    Step = "sign-in"   // at the bank or the payroll provider
	StepCode      Step = "code"      // one-time code of a bank or a payroll provider
	StepAccounts  Step = "accounts"  // of the bank
	StepDocuments Step = "documents" // pay stubs, or others
	StepConnected Step = "connected" // connected sources; only if there may be several
	StepFailed    Step = "failed"    // the only source could not be connected
	StepProgress  Step = "progress"
	StepEnd       Step = "end"
	StepLeave     Step = "leave" // whether to close the visit; a page only, a journey is never at it
)

// SourceType is the kind of source that the applicant connects.
type SourceType string

const (
	SourceBank     SourceType = "bank"
	SourcePayroll  SourceType = "payroll"
	SourcePaystubs SourceType = "paystubs"

	// SourceDocuments are documents other than pay stubs: a contract, an offer, or a
	// letter about a benefit.
	SourceDocuments SourceType = "documents"

	// SourceSupplier is the only source type of a passport: the applicant selects a
	// country's credit bureau, or a reader of identity documents, which finds the
	// person by the name in the application. It needs no sign-in.
	SourceSupplier SourceType = "supplier"
)

// FirstStep returns the first step of a source type.
func (w SourceType) FirstStep() Step {
	switch w {
	case SourcePayroll:
		return StepPayroll
	case SourceSupplier:
		return StepSupplier
	case SourcePaystubs, SourceDocuments:
		return StepDocuments
	}
	return StepBank
}

// DocumentGroup is a group of files: pay stubs or other documents, of the report or of
// one of its employers.
type DocumentGroup struct {
	SourceType SourceType
	Employer   int // number of the employer; 0 for none
}

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
	BankLimit  int  // maximum number of banks; 0 for contract.MaxBanks
	Missing    MissingSources

	State      State
	Step       Step
	Scenario   Scenario
	Employer   int        // number of the employer being verified, from 1; 0 for none
	SourceType SourceType // empty before it is chosen
	Bank       string     // id of the chosen bank or payroll provider, from StepSignIn on
	Username   string     // at that provider, from StepCode on; selects the test data
	Sources    string     // connected sources as JSON; see Connections
	Tries      int        // wrong passwords so far
	CodeTries  int        // wrong one-time codes so far; an abandoned sign-in counts as MaxTries
	Codes      int        // one-time codes sent for the current sign-in
	CodeSent   int64      // time of the last code, in Unix microseconds
	Status     contract.Status
	Substatus  contract.Substatus
	Error      contract.WidgetError // why it could not be finished; empty unless Failed or Expired
}

// MissingSources says which source types have no data source in the visit's
// environment. It is not stored with the visit, because the configuration may change.
type MissingSources struct{ Banks, Payroll, Suppliers bool }

// Includes reports whether a source type has no source.
func (l MissingSources) Includes(w SourceType) bool {
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

// Active reports whether the applicant is in the middle of the visit.
func (j Journey) Active() bool { return j.State == Open || j.State == Connecting }

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

// Unconfigured reports whether the visit ended because no source was configured.
func (j Journey) Unconfigured() bool {
	return j.State == Failed && j.Substatus == contract.SubEBankingNotSupported && j.Bank == ""
}
