package eligibility

import (
	"time"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/analysis/income"
	"vestibule/internal/contract"
	"vestibule/internal/report"
)

// assets returns the report's assets, or nil if the consumer tried no bank.
func (in *Input) assets(asOf time.Time) *report.Assets {
	if len(in.Bank.Connections) == 0 && len(in.Failed) == 0 {
		return nil
	}
	fetch := report.DateOf(asOf)
	cash := bankdata.Read(in.Bank, fetch)
	out := &report.Assets{AccountDetails: in.accounts(cash, fetch), Failed: in.failed(asOf)}
	out.Inflows, out.MatchedIncome = income.Inflows(cash, &in.Bank, in.PublicToken, in.names())
	return out
}

func (in *Input) failed(asOf time.Time) []report.FailedConnection {
	out := []report.FailedConnection{}
	for _, f := range in.Failed {
		out = append(out, report.FailedConnection{SourceID: f.SourceID, SourceUUID: f.SourceUUID, InstitutionName: contract.Null(f.Institution),
			Status: f.Status, Substatus: contract.Null(f.Substatus), FailedAt: report.TimestampOf(f.At)})
	}
	for _, c := range in.Bank.Connections {
		if c.Status != contract.StatusSuccess {
			out = append(out, report.FailedConnection{SourceID: c.SourceID, SourceUUID: c.ID, InstitutionName: contract.Null(c.Institution),
				Status: c.Status, FailedAt: report.TimestampOf(asOf)})
		}
	}
	return out
}

// figures holds the figures from an account's transactions.
type figures struct {
	first   *report.Date // of the oldest transaction
	average *report.Cents
	income  *report.Cents
}

// accounts lists all accounts in their order.
func (in *Input) accounts(cash *bankdata.Ledger, fetch report.Date) []report.AssetAccount {
	ofCash := figuresOf(cash, true)
	var ofOthers []figures
	if others := in.otherAssets(cash.Currency); others.Connections != nil {
		// An investment's balance does not follow from its transactions, because its value
		// changes too.
		ofOthers = figuresOf(bankdata.Read(others, fetch), false)
	}
	out := []report.AssetAccount{}
	next := func(from *[]figures) figures {
		f := (*from)[0]
		*from = (*from)[1:]
		return f
	}
	for _, c := range in.Bank.Connections {
		for _, a := range c.Accounts {
			var f figures
			switch {
			case a.CurrencyCode() != cash.Currency:
				f = foreign(a, fetch)
			case a.Type == report.CashEquivalent:
				f = next(&ofCash)
			default:
				f = next(&ofOthers)
			}
			details := account(c, a, f)
			details.BalanceTerms = a.Terms(cash.Currency, fetch)
			out = append(out, details)
		}
	}
	return out
}

// foreign returns the figures of an account in another currency, which exclude amounts.
func foreign(a bankdata.Account, fetch report.Date) (f figures) {
	if first, any := a.OldestPosted(fetch); any {
		f.first = &first
	}
	return f
}

func account(c bankdata.Connection, a bankdata.Account, f figures) report.AssetAccount {
	out := report.AssetAccount{
		SourceID:             c.SourceID,
		SourceUUID:           c.ID,
		AccountID:            a.ID,
		OwnerFullName:        contract.Null(a.Owner),
		InstitutionName:      contract.Null(a.Institution),
		AccountName:          contract.Null(a.Name),
		AccountType:          contract.Null(a.Type),
		FirstTransaction:     f.first,
		LastStatementEndDate: a.StatementEnd,
		TruncatedNumber:      contract.Null(a.Mask()),
		Responsibility:       contract.Null(a.Responsibility),
		Addresses:            income.Addresses(a.Addresses),
		CurrentBalance:       &a.Balance,
		AverageBalance:       f.average,
		IncomeFromAssets:     f.income,
	}
	if a.Type == report.CashEquivalent {
		out.AccountSubtype = contract.Null(a.Subtype)
	}
	return out
}

// otherAssets returns the accounts of a currency that are not cash-equivalent, marked as cash so
// that bankdata.Read includes them. Without such accounts, it has no connections.
func (in *Input) otherAssets(currency string) (out bankdata.Data) {
	for _, c := range in.Bank.Connections {
		var kept []bankdata.Account
		for _, a := range c.Accounts {
			if a.Type != report.CashEquivalent && a.CurrencyCode() == currency {
				a.Type = report.CashEquivalent
				kept = append(kept, a)
			}
		}
		if kept != nil {
			c.Accounts = kept
			out.Connections = append(out.Connections, c)
		}
	}
	return out
}

// figuresOf returns the figures of a ledger's accounts. The windows begin on the day after
// the same date six or twelve months earlier, but not before the account's first
// transaction, and include the fetch date.
func figuresOf(l *bankdata.Ledger, balances bool) []figures {
	fetch := l.Fetch.Date()
	half, year := bankdata.DayOf(bankdata.MonthsBefore(fetch, 6)), bankdata.DayOf(bankdata.MonthsBefore(fetch, 12))
	out := make([]figures, len(l.Accounts))
	for i := range l.Entries {
		e := &l.Entries[i]
		f := &out[e.Account]
		if f.first == nil {
			first := e.Day.Date()
			f.first, f.income = &first, new(report.Cents)
		}
		if e.Day > year && (e.Leaf == bankdata.LeafInterest || e.Leaf == bankdata.LeafDividend) {
			*f.income = clamp(*f.income + e.Amount)
		}
	}
	for i := range out {
		if f := &out[i]; balances && f.first != nil {
			from := max(half+1, bankdata.DayOf(*f.first))
			average := mean(l.DayEnds(i)[from-l.Oldest:])
			f.average = &average
		}
	}
	return out
}

// mean returns the mean of one or more balances, rounded half up, without overflow.
func mean(balances []report.Cents) report.Cents {
	n := report.Cents(len(balances))
	var whole, rest report.Cents
	for _, b := range balances {
		whole += b / n
		if rest += b % n; rest >= n {
			whole, rest = whole+1, rest-n
		} else if rest < 0 {
			whole, rest = whole-1, rest+n
		}
	}
	if 2*rest >= n {
		whole++
	}
	return clamp(whole)
}
