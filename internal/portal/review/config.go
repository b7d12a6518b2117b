package review

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"vestibule/internal/httpx"
	"vestibule/internal/portal/review/decisions"
	"vestibule/internal/staff"
)

// Config configures decisions, their emails and the retention of applications.
type Config struct {
	RetentionDays  int `placeholder:"DAYS" default:"0" help:"Days without activity after which an application is deleted; 0: never."`
	IncompleteDays int `placeholder:"DAYS" default:"90" help:"The same for an application without a report or a decision; 0: never."`
	UnstartedHours int `placeholder:"HOURS" default:"24" help:"Hours for one of the form whose applicant did not open a visit; 0: never."`

	Agency    string `name:"report-agency" placeholder:"TEXT" help:"Reporting agency in letters, with address. Default: provider's host."`
	Regulator string `placeholder:"TEXT" help:"Federal agency for the Equal Credit Opportunity Act in letters, with address. Default: none."`
	Creditor  string `placeholder:"TEXT" help:"Creditor in letters, with address; required to email declines."`

	DecisionEmails []string `sep:"," default:"approved,declined,moreAsked" placeholder:"KIND" help:"Decisions emailed to applicants, or none."`
	DecisionPages  []string `sep:"," default:"approved,declined,moreAsked" placeholder:"KIND" help:"Decisions shown on status pages, or none."`

	PageImages string `default:"auto" enum:"auto,off" placeholder:"auto|off" help:"Show reviewers PDF pages by pdftoppm: auto if found, off."`
}

// Validate checks the configuration.
func (c Config) Validate() error {
	var errs []error
	for _, f := range []struct {
		flag   string
		period int
	}{{"--retention-days", c.RetentionDays}, {"--incomplete-days", c.IncompleteDays}, {"--unstarted-hours", c.UnstartedHours}} {
		if f.period < 0 || f.period > 36500 {
			errs = append(errs, fmt.Errorf("%s %d: must be from 0 to 36500", f.flag, f.period))
		}
	}
	for _, f := range []struct{ flag, text string }{{"--report-agency", c.Agency}, {"--regulator", c.Regulator}, {"--creditor", c.Creditor}} {
		if len(f.text) > 300 || strings.ContainsFunc(f.text, unicode.IsControl) {
			errs = append(errs, fmt.Errorf("%s: must be one line of at most 300 characters", f.flag))
		}
	}
	for _, f := range []struct {
		flag  string
		kinds []string
	}{{"--decision-emails", c.DecisionEmails}, {"--decision-pages", c.DecisionPages}} {
		for _, kind := range f.kinds {
			if !slices.Contains(decisions.Notified, kind) && (kind != "none" || len(f.kinds) > 1) {
				errs = append(errs, fmt.Errorf("%s %s: must be approved, declined, moreAsked, or none alone", f.flag, kind))
			}
		}
	}
	return errors.Join(errs...)
}

// Emails returns the decisions that are emailed to applicants; nil is the default.
func (c Config) Emails() []string { return orNone(c.DecisionEmails) }

// Pages returns the decisions that status pages show; nil is the default.
func (c Config) Pages() []string { return orNone(c.DecisionPages) }

// orNone reads the word none as an empty list.
func orNone(kinds []string) []string {
	if slices.Equal(kinds, []string{"none"}) {
		return []string{}
	}
	return kinds
}

// SignIn configures how reviewers sign in.
type SignIn struct {
	LocalAccounts bool `default:"true" negatable:"" help:"Let reviewers sign in with a password that this program keeps."`

	RequireSecondFactor bool `help:"Users of both dashboards with a password need codes of an authenticator app."`

	OIDC *staff.OIDC `embed:""`
}

// Issuer returns the issuer whose accounts reviewers may sign in with, or nil.
func (s SignIn) Issuer() *staff.OIDC {
	if s.OIDC == nil || s.OIDC.Issuer == "" {
		return nil
	}
	return s.OIDC
}

// Validate rejects an issuer that cannot work, and settings that would lock out every
// administrator.
func (s SignIn) Validate() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	o, administered := s.OIDC, false
	for group, role := range o.Roles {
		if !slices.Contains(Roles, role) {
			bad("--oidc-roles: %q of the group %q is not a role: use reviewer, administrator or auditor", string(role), group)
		}
		administered = administered || role == Administrator
	}
	if o.Issuer == "" {
		if o.ClientID != "" || o.ClientSecret != "" || o.Name != "" || len(o.Domains) > 0 || len(o.Roles) > 0 {
			bad("--oidc-client-id, --oidc-client-secret, --oidc-name, --oidc-domains and --oidc-roles need --oidc-issuer")
		}
		if !s.LocalAccounts {
			bad("--no-local-accounts: reviewers could not sign in; give --oidc-issuer")
		}
		return errors.Join(errs...)
	}
	switch u, err := url.Parse(o.Issuer); {
	case err != nil || !httpx.IsBaseURL(o.Issuer):
		bad("--oidc-issuer %q: must be an absolute http or https URL without user, query or fragment", o.Issuer)
	case u.Scheme != "https" && !httpx.IsLoopback(u.Hostname()):
		bad("--oidc-issuer %q: must be https; over http, an attacker on the network could sign in as any reviewer", o.Issuer)
	}
	if o.ClientID == "" || o.ClientSecret == "" {
		bad("--oidc-issuer needs --oidc-client-id and --oidc-client-secret")
	}
	if !s.LocalAccounts && !administered {
		bad("--no-local-accounts: the review dashboard would have no administrator; give a group the role administrator by --oidc-roles")
	}
	return errors.Join(errs...)
}
