package flow

import (
	"slices"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/report"
)

// MaxTries is how often a password, or a one-time code, may be wrong at one bank or
// payroll provider. The applicant can then try another one, until MaxTotalTries passwords
// or codes were wrong: then the visit fails.
const (
	MaxTries      = 3
	MaxTotalTries = 9
)

// SessionLife is how long a payroll provider waits for the code after a sign-in.
const SessionLife = 10 * time.Minute

// MaxCodes is the maximum number of one-time codes for one sign-in, and CodeWait the
// minimum time between two codes that the applicant requests.
const (
	MaxCodes = 5
	CodeWait = 30 * time.Second
)

// Next is the visit's state machine, a pure function. ok is false if the current step
// does not accept the input (a form posted late, twice, or from another tab); the
// journey is then unchanged, and the caller shows the current step.
func (j Journey) Next(in Input) (next Journey, do Effects, ok bool) {
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
		return j, GenerateReport, true
	case EventClosed:
		if j.State != Created && !j.Active() {
			return j, 0, false
		}
		if j.Step == StepFailed {
			return j.failWithLastSource()
		}
		j.State = Closed
		return j, 0, true
	case EventReopened:
		return j.reopen()
	case EventStartedOver:
		return j.startOver()
	case EventFailed:
		if j.State.Over() || j.State == Generating {
			return j, 0, false
		}
		status := contract.StatusError
		switch {
		case in.Status != "":
			status = in.Status
		case in.Error == contract.WidgetSupplierError:
			status = contract.StatusSupplierUnresponsive
		}
		return j.fail(status, "", in.Error)
	case EventExpired, EventConsentWithdrawn:
		if j.State.Over() || j.State == Generating {
			return j, 0, false
		}
		if j.Step == StepFailed && in.Kind == EventExpired {
			return j.failWithLastSource()
		}
		j.State, j.Step, j.Status, j.Substatus = Expired, StepEnd, contract.StatusExpired, ""
		j.Error = contract.WidgetRequestTimeout
		return j, SetStatus, true
	case EventSourceRemoved:
		if !j.Active() || !j.Missing.Includes(j.SourceType) {
			return j, 0, false
		}
		return j.chooseSource()
	}
	if !j.Active() {
		return j, 0, false
	}
	return j.apply(in)
}

// apply handles the inputs of the applicant.
func (j Journey) apply(in Input) (Journey, Effects, bool) {
	switch {
	case in.Kind == EventSourceCleared:
		return j.clearSource()
	case in.Kind == EventWentBack:
		return j.goBack()
	case j.Step == StepConsent && in.Kind == EventConsented:
		j.State = Connecting
		return j.start()
	case j.Step == StepEmployers, j.Step == StepSkip:
		return j.applyEmployers(in)
	case j.Step == StepSource && in.Kind == EventSourceSelected && slices.Contains(j.Remaining(), in.SourceType):
		j.Step, j.SourceType = in.SourceType.FirstStep(), in.SourceType
	case j.Step == StepConnected && in.Kind == EventSourceAdded && len(j.Remaining()) > 0:
		return j.chooseSource()
	case j.Step == StepConnected && in.Kind == EventSourcesFinished:
		j.State, j.Step = Generating, StepProgress
		return j, GenerateReport, true
	case (j.Step == StepBank || j.Step == StepPayroll) && in.Kind == EventInstitutionSelected && in.SourceType == j.SourceType:
		j.Step, j.Bank = StepSignIn, in.Bank
		if in.Authorize {
			j.Step = StepAuthorize
		}
	case j.Step == StepFailed && in.Kind == EventInstitutionSelected && in.SourceType == j.SourceType && in.Bank == j.Bank:
		// To try again is to choose the same institution from the list.
		list, _, _ := j.Next(Input{Kind: EventInstitutionCleared, At: in.At})
		return list.Next(in)
	case j.Step == StepAuthorize && in.Bank == j.Bank && (in.Kind == EventAuthorized || in.Kind == EventAuthorizationFailed):
		return j.authorized(in)
	case j.Step == StepSupplier && in.Kind == EventInstitutionSelected && in.SourceType == j.SourceType:
		j.Step, j.Bank = StepConfirm, in.Bank
	case j.Step == StepConfirm && in.Kind == EventInstitutionConfirmed:
		return j.confirmSupplier(in)
	case in.Kind == EventInstitutionCleared && slices.Contains(clearable, j.Step):
		// The counts of wrong attempts stay: choosing another bank must not allow more
		// guesses.
		j.Step, j.Bank, j.Username = j.SourceType.FirstStep(), "", ""
	case j.Step == StepCode && in.Kind == EventMFAResent:
		return j.resend(in)
	case j.Step == StepSignIn && in.Kind == EventSignedIn:
		return j.signIn(in)
	case j.Step == StepCode && in.Kind == EventMFASubmitted:
		return j.code(in)
	case j.Step == StepAccounts && in.Kind == EventAccountsSelected, j.Step == StepDocuments && in.Kind == EventDocumentsSubmitted:
		return j.connect(Connection{Accounts: in.Accounts, Empty: in.Empty}, in.More)
	case (j.Step == StepDocuments || j.Step == StepConfirm) && (in.Kind == EventDocumentAdded || in.Kind == EventDocumentRemoved):
		// The documents are stored elsewhere; counting them in the journey prevents changes
		// concurrent with their submission.
	default:
		return j, 0, false
	}
	return j, 0, true
}

// clearable are the steps from which the applicant can choose another institution.
var clearable = []Step{StepAuthorize, StepSignIn, StepCode, StepConfirm, StepFailed}

// authorized continues with the outcome of an authorization.
func (j Journey) authorized(in Input) (Journey, Effects, bool) {
	switch {
	case in.Kind == EventAuthorizationFailed:
		return j.sourceFailed(in.Status, in.Substatus, in)
	case j.Scenario == ScenarioBureauDown:
		return j.sourceFailed(contract.StatusBureauUnresponsive, "", in)
	case j.Scenario == ScenarioNoMFACode:
		return j.sourceFailed(contract.StatusNotAuthenticated, contract.SubMFARequired, in)
	}
	return j.connect(Connection{Connection: in.Connection}, true)
}

func (j Journey) signIn(in Input) (Journey, Effects, bool) {
	if !in.Correct {
		switch j.Tries++; {
		case j.Tries >= MaxTotalTries:
			return j.fail(contract.StatusNotAuthenticated, "", contract.WidgetSupplierError)
		case j.Tries%MaxTries == 0:
			return j.sourceFailed(contract.StatusNotAuthenticated, "", in)
		}
		return j, 0, true
	}
	switch {
	case j.Scenario == ScenarioBureauDown && j.SourceType == SourceBank:
		return j.sourceFailed(contract.StatusBureauUnresponsive, "", in)
	case in.Status != "":
		return j.sourceFailed(in.Status, in.Substatus, in)
	}
	j.Step, j.Username = StepCode, in.Username
	j.Codes, j.CodeSent = 1, in.At
	j.CodeTries = (j.CodeTries + MaxTries - 1) / MaxTries * MaxTries
	return j, 0, true
}

// resend sends another one-time code.
func (j Journey) resend(in Input) (Journey, Effects, bool) {
	if j.WaitForCode(in.At) > 0 || j.Codes >= MaxCodes {
		return j, 0, false
	}
	j.Codes, j.CodeSent = j.Codes+1, in.At
	return j, 0, true
}

// WaitForCode returns the time until another code can be requested. After the first code
// of a sign-in it is 0, because that code may have been lost.
func (j Journey) WaitForCode(at int64) time.Duration {
	if j.Codes < 2 {
		return 0
	}
	return max(0, CodeWait-time.Duration(at-j.CodeSent)*time.Microsecond)
}

func (j Journey) code(in Input) (Journey, Effects, bool) {
	switch {
	case in.SessionExpired && j.SourceType == SourcePayroll:
		return j.sourceFailed(contract.StatusSupplierUnresponsive, contract.SubWidgetSessionExpired, in)
	case !in.Correct:
		switch j.CodeTries++; {
		case j.CodeTries >= MaxTotalTries:
			return j.fail(contract.StatusNotAuthenticated, contract.SubMFARequired, contract.WidgetSupplierError)
		case j.CodeTries%MaxTries == 0:
			return j.sourceFailed(contract.StatusNotAuthenticated, contract.SubMFARequired, in)
		}
		return j, 0, true
	case j.Scenario == ScenarioNoMFACode:
		return j.sourceFailed(contract.StatusNotAuthenticated, contract.SubMFARequired, in)
	case in.Status == contract.StatusError && !j.continuesWithout():
		// The applicant has completed all steps; it is the report that cannot be generated.
		j.State, j.Step, j.Status, j.Substatus = Complete, StepEnd, in.Status, in.Substatus
		return j, SetStatus, true
	case in.Status != "":
		return j.sourceFailed(in.Status, in.Substatus, in)
	case j.SourceType == SourcePayroll:
		return j.connect(Connection{Empty: in.Empty}, false)
	case in.Unusable:
		return j.sourceFailed(contract.StatusNotAuthenticated, contract.SubIncompatibleAccounts, in)
	}
	j.Step = StepAccounts
	return j, 0, true
}

// confirmSupplier queries the selected supplier.
func (j Journey) confirmSupplier(in Input) (Journey, Effects, bool) {
	if j.Scenario == ScenarioBureauDown {
		return j.sourceFailed(contract.StatusBureauUnresponsive, "", in)
	}
	j.State, j.Step = Generating, StepProgress
	return j, GenerateReport, true
}

// applyEmployers handles the inputs of StepEmployers and StepSkip.
func (j Journey) applyEmployers(in Input) (Journey, Effects, bool) {
	known := in.Employer > 0 && in.Employer <= j.Employers
	switch {
	case j.Step == StepEmployers && in.Kind == EventSourcesFinished:
		return j.leaveEmployers()
	case j.Step == StepEmployers && in.Kind == EventEmployerSelected && known && len(j.remainingFor(in.Employer)) > 0:
		j.Employer = in.Employer
		return j.chooseSource()
	case j.Step == StepEmployers && in.Kind == EventEmployerSkipOpened && known && !j.employerVerified(in.Employer):
		j.Employer, j.Step = in.Employer, StepSkip
	case j.Step == StepSkip && in.Kind == EventEmployerSkipped && slices.Contains(report.SkippedReasons(), in.Reason):
		j.record(Connection{Skipped: in.Reason})
		j.toOverview()
	default:
		return j, 0, false
	}
	return j, 0, true
}

// leaveEmployers moves from the employers to the assets, or without these to the end. If no
// source could be connected and no employer was skipped, the visit ends as unsupported.
func (j Journey) leaveEmployers() (Journey, Effects, bool) {
	switch {
	case j.IncomeOnly && j.Missing.Payroll:
		return j.endUnsupported()
	case j.IncomeOnly:
		j.State, j.Step = Generating, StepProgress
		return j, GenerateReport, true
	case j.Overview() == StepConnected: // the assets came before
		j.toOverview()
		return j, 0, true
	}
	return j.chooseSource()
}

// reopen resumes a closed visit: from the consent if it was not given, or else from
// the step after it, because a sign-in ends with leaving.
func (j Journey) reopen() (Journey, Effects, bool) {
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
func (j Journey) goBack() (Journey, Effects, bool) {
	switch j.Step {
	case StepAuthorize, StepSignIn, StepConfirm, StepFailed:
		j.Step, j.Bank, j.Username = j.SourceType.FirstStep(), "", ""
		return j, 0, true
	case StepCode:
		j.Step, j.Username = StepSignIn, ""
		return j, 0, true
	}
	if next, do, ok := j.clearSource(); ok {
		return next, do, true
	}
	first := j.Step == StepEmployers || j.Step == StepSource || j.SourceType != "" && j.Step == j.SourceType.FirstStep()
	if !first || j.Sources != "" || j.Employer > 0 {
		return j, 0, false
	}
	j.State, j.Step, j.SourceType = Open, StepConsent, ""
	return j, 0, true
}

// startOver moves to the consent and drops everything connected. The counts of wrong
// attempts stay: another browser must not allow more guesses.
func (j Journey) startOver() (Journey, Effects, bool) {
	if j.State != Created && j.State != Closed && !j.Active() {
		return j, 0, false
	}
	j.State, j.Step = Open, StepConsent
	j.Employer, j.SourceType, j.Bank, j.Username, j.Sources = 0, "", "", "", ""
	return j, 0, true
}

// sourceFailed continues without the current source, which could not be connected. If it is
// the only one, the applicant chooses another or leaves; then the visit fails with the
// source's status.
func (j Journey) sourceFailed(status contract.Status, sub contract.Substatus, in Input) (Journey, Effects, bool) {
	others := j.continuesWithout()
	j.record(Connection{Failed: status, Substatus: sub, Reason: in.Reason, At: in.At})
	if others {
		j.toOverview()
	} else {
		j.Step, j.Username = StepFailed, ""
	}
	return j, 0, true
}

// failWithLastSource ends a visit whose last source could not be connected.
func (j Journey) failWithLastSource() (Journey, Effects, bool) {
	c := j.LastFailed()
	return j.fail(c.Failed, c.Substatus, contract.WidgetSupplierError)
}

// continuesWithout reports whether the visit continues without the current source: if others are
// connected, or if it belongs to one employer.
func (j Journey) continuesWithout() bool { return j.connected() || j.Employer > 0 }

// endUnsupported ends a visit without a source left to connect: with the report of what is
// connected and which employers are skipped or, without either, like a bank without online banking.
func (j Journey) endUnsupported() (Journey, Effects, bool) {
	if slices.ContainsFunc(j.Connections(), func(c Connection) bool { return c.Failed == "" }) {
		j.State, j.Step = Generating, StepProgress
		return j, GenerateReport, true
	}
	j.SourceType, j.Bank, j.Username = "", "", ""
	return j.fail(contract.StatusNotAuthenticated, contract.SubEBankingNotSupported, contract.WidgetSupplierError)
}

func (j Journey) fail(status contract.Status, sub contract.Substatus, why contract.WidgetError) (Journey, Effects, bool) {
	j.State, j.Step, j.Status, j.Substatus, j.Error = Failed, StepEnd, status, sub, why
	return j, SetStatus, true
}
