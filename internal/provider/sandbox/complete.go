package sandbox

import (
	"context"
	"errors"

	"vestibule/internal/provider/documents"
	"vestibule/internal/provider/sandbox/signin"
	"vestibule/internal/provider/sources"
	"vestibule/internal/provider/visits"
	"vestibule/internal/provider/visits/flow"
)

// completion is a completion that runs.
type completion struct {
	how Completion
	end flow.Input // with which the visit ends; zero: with its report
	all []plannedSource
}

// completeVisit completes the visit of a token through its state machine, as an applicant
// would. It returns the errors of visits.Drive.
func (c *Control) completeVisit(ctx context.Context, token string, how Completion) (visits.Driven, error) {
	end, err := endInput(how.End)
	if err != nil {
		return visits.Driven{}, err
	}
	run := &completion{how: how, end: end}
	v, err := c.Visits.Drive(ctx, token, run.answer)
	run.end = flow.Input{}
	for err == nil && v.AcceptsFiles() {
		t, ok := nextPlanned(run.all, v)
		if !ok || t.DocumentGroup != v.DocumentGroup() {
			break
		}
		if err = v.Submit(ctx, t.files, run.answer); errors.Is(err, documents.ErrTooLarge) {
			err = invalidCompletion(completionField(t.SourceType), "has a file that is too large")
		}
	}
	if err == nil {
		err = v.WaitForReport(ctx)
	}
	return v, err
}

// answer answers a step as an applicant would. It stops where the visit asks for nothing more,
// or for files, which are uploaded outside of a transaction.
func (r *completion) answer(ctx context.Context, v visits.Driven) (in flow.Input, err error) {
	if r.all == nil {
		if r.all, err = r.how.plan(v.Journey, v.Catalogue()); err != nil {
			return flow.Input{}, err
		}
	}
	t, more := nextPlanned(r.all, v)
	current := more && t.Employer == v.Employer
	switch {
	case v.State == flow.Closed && r.end.Kind != flow.EventClosed:
		in.Kind = flow.EventReopened
	case !v.Active():
		return flow.Input{}, nil
	case v.Step == flow.StepConsent:
		in.Kind = flow.EventConsented
	case r.end.Kind != "":
		in = r.end
	case v.Step == flow.StepEmployers && more && t.Employer > 0:
		if in = (flow.Input{Kind: flow.EventEmployerSelected, Employer: t.Employer}); t.reason != "" {
			in.Kind = flow.EventEmployerSkipOpened
		}
	case v.Step == flow.StepConnected && more && t.Employer == 0:
		in.Kind = flow.EventSourceAdded
	case (v.Step == flow.StepEmployers || v.Step == flow.StepConnected) && (!more || t.Employer == 0):
		in.Kind = flow.EventSourcesFinished
	case v.Step == flow.StepSkip && current && t.reason != "":
		in = flow.Input{Kind: flow.EventEmployerSkipped, Reason: t.reason}
	case v.Step == flow.StepSource && current && t.reason == "":
		in = flow.Input{Kind: flow.EventSourceSelected, SourceType: t.SourceType}
	case v.Step == flow.StepDocuments && current && v.SourceType == t.SourceType:
		return flow.Input{}, nil
	case v.SourceType != "" && v.Step == v.SourceType.FirstStep() && current && v.SourceType == t.SourceType:
		in = flow.Input{Kind: flow.EventInstitutionSelected, SourceType: t.SourceType, Bank: t.bank}
	case v.Step == flow.StepSignIn && current && v.SourceType == t.SourceType && v.Bank == t.bank:
		in = v.SignIn(t.username, "right")
	case v.Step == flow.StepConfirm && current && v.Bank == t.bank && len(t.files) > 0 && v.ReadsDocuments():
		return flow.Input{}, nil
	case v.Step == flow.StepConfirm && current && v.Bank == t.bank:
		in.Kind = flow.EventInstitutionConfirmed
	case v.Step == flow.StepSignIn || v.Step == flow.StepConfirm:
		in.Kind = flow.EventInstitutionCleared
	case v.Step == flow.StepFailed:
		in.Kind = flow.EventClosed
	case v.Step == flow.StepCode:
		in, err = v.EnterCode(ctx, signin.Code)
	case v.Step == flow.StepAccounts:
		var data sources.Fetched
		data, err = v.Fetch(ctx)
		in = flow.Input{Kind: flow.EventAccountsSelected, Empty: data.Empty(), More: remaining(r.all, v) > 1}
		for _, a := range data.Accounts {
			in.Accounts = append(in.Accounts, a.ID)
		}
	default:
		in.Kind = flow.EventSourceCleared
	}
	return in, err
}
