// Package profiles implements the sandbox's bank: test consumers whose two years
// of payroll, rent, bills, purchases, and transfers are generated relative to the day
// they are fetched (docs/divergences.md lists the usernames). The same profile, link,
// and day give the same data, and the figures of complete months do not depend on the
// day within the month. The package contains no figures of reports: scores and
// attributes come from the normal analysis.
//
// Account numbers, names, and addresses are invented; identifiers derive from the link
// (the report's publicToken), so that consumers do not share them.
package profiles

import (
	"cmp"
	"strings"
	"time"

	"github.com/google/uuid"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/contract"
	"vestibule/internal/provider/sandbox/signin"
	"vestibule/internal/provider/sources"
	"vestibule/internal/report"
)

// Bank is the mock bank. Its zero value is ready.
type Bank struct{}

// Names lists the profiles that submissions can select, in the order of the API
// reference.
func Names() []string { return []string{"default", "single", "multi", "joint", "noincome"} }

// Known reports whether a profile of that name, in lowercase, exists.
func (Bank) Known(profile string) bool { _, ok := consumers().Profiles[profile]; return ok }

// Of returns the profile that a submission's first name selects, spelled exactly as in
// Default, or "".
func (Bank) Of(firstName string) string {
	for _, name := range Names() {
		if firstName == strings.ToUpper(name[:1])+name[1:] {
			return name
		}
	}
	return ""
}

// Login returns the result of a username at the mock bank.
func (b Bank) Login(username string) signin.Login {
	out := signin.Login{Known: true}
	switch name := strings.ToLower(strings.TrimSpace(username)); name {
	case "no_transactions":
		out.Profile = "noincome"
	case "error":
		out.Reason = sources.Rejected
	case "supplier_unresponsive":
		out.Reason = sources.Unresponsive
	case "mfa":
		out.Reason = sources.Challenged
	case "e_banking_unsupported":
		out.Reason = sources.Unsupported
	default:
		if !b.Known(name) {
			return signin.Login{}
		}
		out.Profile = name
	}
	return out
}

// Fetch retrieves the bank's data on a profile at an instant. An unknown profile has
// no connection. The data share their transactions, which must not be modified.
func (Bank) Fetch(profile, link string, at time.Time) bankdata.Data {
	p, ok := consumers().Profiles[profile]
	if !ok {
		return bankdata.Data{}
	}
	fetch := report.DateOf(at)
	c := bankdata.Connection{
		ID:          derive(link, "connection"),
		SourceID:    bankdata.SourceID(p.Institution, 0),
		Institution: p.Institution,
		Status:      contract.StatusSuccess,
	}
	for i, o := range p.Owners {
		c.Owners = append(c.Owners, bankdata.Owner{RecordID: derive(link, "owner/"+string(rune('1'+i))), Person: o})
	}
	for _, a := range p.Accounts {
		c.Accounts = append(c.Accounts, p.fetch(profile, a, link, fetch))
	}
	return bankdata.Data{Connections: []bankdata.Connection{c}}
}

func (p profile) fetch(name string, a account, link string, fetch report.Date) bankdata.Account {
	statement := monthStart(fetch, 0).AddDate(0, 0, -1)
	out := bankdata.Account{
		ID:             derive(link, a.Key),
		Institution:    p.Institution,
		Name:           a.Name,
		Type:           report.CashEquivalent,
		Subtype:        a.Subtype,
		Responsibility: report.Individual,
		Number:         a.Number,
		Routing:        "021000089",
		Currency:       "USD",
		Opened:         new(bankdata.MonthsBefore(fetch, a.MonthsOpen)),
		StatementEnd:   &report.Date{Time: statement},
	}
	if a.Subtype == "" {
		out.Type = cmp.Or(a.Kind, report.Investment)
	}
	names := make([]string, len(p.Owners))
	for i, o := range p.Owners {
		names[i] = o.FullName()
	}
	out.Owner = strings.Join(names, " and ")
	if len(p.Owners) > 1 {
		out.Responsibility = report.Joint
	}
	for i, home := range p.Homes {
		home.ID = derive(link, "address/"+string(rune('1'+i)))
		out.Addresses = append(out.Addresses, home)
	}
	h := a.historyOn(name, fetch)
	out.Transactions, out.Balance = h.transactions, h.balance
	return out
}

func derive(link, what string) string {
	return uuid.NewSHA1(uuid.NameSpaceURL, []byte(link+"/"+what)).String()
}
