package sandbox

import (
	"context"
	"errors"
	"time"

	"vestibule/internal/provider/sandbox/banks"
	"vestibule/internal/provider/sandbox/payroll"
	"vestibule/internal/provider/sandbox/profiles"
	"vestibule/internal/provider/sandbox/signin"
	"vestibule/internal/provider/sources"
	"vestibule/internal/report"
)

// form is the connector to the mock institutions of a kind with a form in the widget. All
// of them accept the same users, and the access is the profile of the user.
type form struct {
	list  []sources.Institution
	login func(username string) signin.Login
	fetch func(institution, profile, link string, at time.Time) sources.Fetched
}

// bankForms returns the connector to the mock banks.
func bankForms() sources.Form {
	f := form{login: profiles.Bank{}.Login}
	for _, b := range banks.All() {
		f.list = append(f.list, b.Institution)
	}
	f.fetch = func(_, profile, link string, at time.Time) (out sources.Fetched) {
		for _, c := range (profiles.Bank{}).Fetch(profile, link, at).Connections {
			out.Owners, out.Accounts = c.Owners, c.Accounts
		}
		return out
	}
	return f
}

// payrollForms returns the connector to the mock payroll providers.
func payrollForms() sources.Form {
	return form{payroll.All(), payroll.Providers{}.Login, func(institution, profile, link string, at time.Time) sources.Fetched {
		p := payroll.Providers{}.Fetch(institution, profile, link, at)
		return sources.Fetched{Payroll: &p}
	}}
}

func (f form) Institutions() []sources.Institution { return f.list }

// Check refuses unknown users and wrong answers. Some users are refused before the code.
func (f form) Check(_, username string, q sources.Question, answer string) error {
	login := f.login(username)
	switch {
	case !login.Known || !signin.Right(q, answer):
		return sources.Fail(sources.Denied, errors.New("a wrong username, password, or code"))
	case q == sources.Password && (login.Reason == sources.Unresponsive || login.Reason == sources.Unsupported):
		return sources.Fail(login.Reason, errors.New("the user is refused"))
	}
	return nil
}

func (f form) Grant(_, username, link string) (sources.Grant, error) {
	login := f.login(username)
	if login.Profile == "" {
		return sources.Grant{}, sources.Fail(login.Reason, errors.New("the user has no access"))
	}
	return sources.Grant{Access: login.Profile, ConsentID: link}, nil
}

// Fetch returns the data until a day as far back as the mock institutions have them, which
// is not longer than callers ask for.
func (f form) Fetch(_ context.Context, institution string, g sources.Grant, _, to report.Date) (sources.Fetched, error) {
	return f.fetch(institution, g.Access, g.ConsentID, to.Time), nil
}
