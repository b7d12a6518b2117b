package visits

import (
	"context"
	"errors"
	"slices"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/contract"
	"vestibule/internal/provider/sources"
	"vestibule/internal/provider/visits/flow"
	"vestibule/internal/report"
)

// answered returns the input of an answer in the form of an institution. err is nil or a
// failure.
func answered(kind flow.EventKind, err error) flow.Input {
	in := flow.Input{Kind: kind, Correct: true}
	if reason := sources.ReasonOf(err); err != nil && reason == sources.Denied {
		in.Correct = false
	} else if err != nil {
		in.Status, in.Substatus = reason.Status()
	}
	return in
}

// signIn returns the input of a username and a password in the form of the chosen
// institution. A username that the institution does not accept may be the applicant's
// real one, and is left out.
func (s *Service) signIn(v visit, username, password string) flow.Input {
	form, err := s.Sources.Form(v.environment, v.Bank)
	if err == nil {
		err = form.Check(v.Bank, username, sources.Password, password)
	}
	in := answered(flow.EventSignedIn, err)
	if err == nil {
		in.Username = username
	}
	return in
}

// enterCode returns the input of a one-time code.
func (s *Service) enterCode(ctx context.Context, v visit, code string) (flow.Input, error) {
	form, err := s.Sources.Form(v.environment, v.Bank)
	if err == nil {
		err = form.Check(v.Bank, v.Username, sources.Code, code)
	}
	var data sources.Fetched
	if err == nil {
		data, err = s.fetchForm(ctx, v)
	}
	if failure := (*sources.Failure)(nil); err != nil && !errors.As(err, &failure) {
		return flow.Input{}, err
	}
	in := answered(flow.EventMFASubmitted, err)
	in.Empty, in.Unusable = err == nil && data.Empty(), len(data.Accounts) > 0 && !slices.ContainsFunc(data.Accounts, eligible)
	// A payroll provider's session ends before the visit does.
	in.SessionExpired = v.SourceType == flow.SourcePayroll && !s.Now().Before(v.signedIn.Add(flow.SessionLife))
	return in, nil
}

// fetchForm retrieves the data of the current sign-in, as the report will have them.
func (s *Service) fetchForm(ctx context.Context, v visit) (sources.Fetched, error) {
	form, access, err := s.accessByForm(v.environment, v.Bank, v.Username, v.link(v.SignInNumber()))
	if err != nil {
		return sources.Fetched{}, err
	}
	to := report.DateOf(v.created)
	return form.Fetch(ctx, v.Bank, access, bankdata.HistoryStart(to), to)
}

// accessByForm returns the access of a completed sign-in, and the connector.
func (s *Service) accessByForm(env contract.Environment, institution, username, link string) (form sources.Form,
	access sources.Grant, err error) {
	if form, err = s.Sources.Form(env, institution); err == nil {
		access, err = form.Grant(institution, username, link)
	}
	return form, access, err
}

// eligible reports whether a report can use an account.
func eligible(a bankdata.Account) bool { return a.Type == report.CashEquivalent }
