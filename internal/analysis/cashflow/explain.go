package cashflow

import (
	"cmp"
	"slices"
	"time"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/contract"
	"vestibule/internal/report"
)

// Directions of money, as the analysis names them.
const (
	moneyGoesIn  = "IN"
	moneyGoesOut = "OUT"
)

// Explain explains the figures of the report that Build makes from the same input, with the
// same ledger and scores. The same input gives the same bytes. Its time is proportional to
// the transactions and the days of the history.
func Explain(in Input, asOf time.Time) report.Analysis {
	l := bankdata.Read(in.Bank, report.DateOf(asOf))
	f := newFacts(l)
	a := report.Analysis{
		Version:     report.AnalysisVersion,
		PublicToken: in.PublicToken,
		RetrievedAt: report.TimestampOf(asOf),
		Currency:    l.Currency,
		To:          l.Fetch.Date(),
		Total:       append([]report.Cents{}, f.total...),
		Accounts:    f.explainAccounts(in.Bank),
		Others:      otherAccounts(in.Bank, l.Currency),
		Months:      f.explainMonths(),
		Streams:     f.explainStreams(),
		Categories:  f.explainCategories(),
		Returned:    f.explainReturned(in.Bank),
		Scores:      []report.AnalysisScore{},

		Transactions: f.explainTransactions(in.Bank),
	}
	if f.records() {
		a.From = new(l.Oldest.Date())
	}
	v := newValues(f)
	for _, version := range in.Options.versions() {
		a.Scores = append(a.Scores, version.explain(f, v))
	}
	f.explainLetters(a.Transactions)
	return a
}

func (f *facts) explainAccounts(d bankdata.Data) []report.AnalysisAccount {
	out := make([]report.AnalysisAccount, len(f.ledger.Accounts))
	for i, known := range f.ledger.Accounts {
		c := &d.Connections[known.Connection]
		a := &c.Accounts[known.Position]
		out[i] = report.AnalysisAccount{
			AccountID:       a.ID,
			SourceID:        c.SourceID,
			Institution:     contract.Null(a.Institution),
			Name:            contract.Null(a.Name),
			Subtype:         contract.Null(a.Subtype),
			TruncatedNumber: contract.Null(a.Mask()),
			BalanceDate:     a.BalanceDate,
			Balances:        append([]report.Cents{}, f.ledger.DayEnds(i)...),
		}
	}
	return out
}

// otherAccounts lists the accounts in other currencies, which are excluded from figures.
func otherAccounts(d bankdata.Data, currency string) []report.AnalysisOther {
	out := []report.AnalysisOther{}
	for _, c := range d.Connections {
		for _, a := range c.Accounts {
			if a.Type == report.CashEquivalent && !a.Counts(currency) {
				out = append(out, report.AnalysisOther{AccountID: a.ID, SourceID: c.SourceID, Institution: contract.Null(a.Institution),
					Name: contract.Null(a.Name), TruncatedNumber: contract.Null(a.Mask()), Currency: a.CurrencyCode()})
			}
		}
	}
	return out
}

func (f *facts) explainMonths() []report.AnalysisMonth {
	out := []report.AnalysisMonth{}
	if !f.records() {
		return out
	}
	for k := f.monthOf(f.oldest); k >= 0; k-- {
		from, until := max(f.month[k], f.oldest), f.fetch+1
		if k > 0 {
			until = f.month[k-1]
		}
		ends := f.total[f.offset(from):f.offset(until)]
		out = append(out, report.AnalysisMonth{
			Month:    f.month[k].Date().Format("2006-01"),
			Complete: k > 0 && k <= f.whole,
			In:       report.Cents(f.by[moneyIn].month[k].sum),
			Income:   report.Cents(f.by[income].month[k].sum),
			Out:      report.Cents(-f.by[moneyOut].month[k].sum),
			End:      ends[len(ends)-1],
			Lowest:   slices.Min(ends),
			Count:    int(f.by[everything].month[k].count - f.by[transfer].month[k].count),
			Returned: int(f.by[nsf].month[k].count),
		})
	}
	return out
}

// cadences holds the names of the rhythms.
var cadences = [...]string{
	bankdata.Irregular:   "IRREGULAR",
	bankdata.Weekly:      "WEEKLY",
	bankdata.Biweekly:    "BIWEEKLY",
	bankdata.SemiMonthly: "SEMI_MONTHLY",
	bankdata.Monthly:     "MONTHLY",
}

func (f *facts) explainStreams() []report.AnalysisStream {
	out := make([]report.AnalysisStream, len(f.ledger.Streams))
	for i := range f.ledger.Streams {
		s := &f.ledger.Streams[i]
		var recent int64
		for _, at := range s.Entries {
			if e := &f.ledger.Entries[at]; f.inMonthly(e.Day) {
				recent += int64(e.Amount)
			}
		}
		out[i] = report.AnalysisStream{
			Name:      f.ledger.Parties[s.Party],
			Direction: directionOf(s.In),
			Category:  s.Leaf.String(),
			Group:     s.Leaf.Group().String(),
			Cadence:   cadences[s.Cadence],
			Active:    s.Active,
			First:     s.First.Date(),
			Last:      s.Last.Date(),
			Count:     int(s.Count),
			Mean:      s.Mean,
			Monthly:   f.monthly(recent),
		}
	}
	return out
}

// inMonthly reports whether a day counts for monthly amounts.
func (f *facts) inMonthly(d bankdata.Day) bool {
	from, until := f.wholeBounds(Last12)
	return d >= from && d < until
}

// monthly returns the monthly average of a sum over the days of inMonthly, or nil without
// complete months.
func (f *facts) monthly(sum int64) *report.Cents {
	n := f.wholeMonths(Last12)
	if n == 0 {
		return nil
	}
	cents, _ := round(sum, 1, int64(n)) // dividing by at least 1 cannot overflow
	out := report.Cents(cents)
	return &out
}

func directionOf(in bool) string {
	if in {
		return moneyGoesIn
	}
	return moneyGoesOut
}

func (f *facts) explainCategories() []report.AnalysisCategory {
	type total struct {
		count       int
		sum, recent int64
	}
	var by [256][2]total // by leaf: out, in
	for i := range f.ledger.Entries {
		e := &f.ledger.Entries[i]
		if e.Own || e.Amount == 0 {
			continue
		}
		side := 0
		if e.Amount > 0 {
			side = 1
		}
		t := &by[e.Leaf][side]
		t.count++
		t.sum += int64(e.Amount)
		if f.inMonthly(e.Day) {
			t.recent += int64(e.Amount)
		}
	}
	out := []report.AnalysisCategory{}
	for _, leaf := range bankdata.Leaves() {
		for side := 1; side >= 0; side-- {
			if t := by[leaf][side]; t.count > 0 {
				out = append(out, report.AnalysisCategory{
					Category:    leaf.String(),
					Group:       leaf.Group().String(),
					Description: leaf.About(),
					Direction:   directionOf(side == 1),
					Count:       t.count,
					Total:       report.Cents(t.sum),
					Monthly:     f.monthly(t.recent),
				})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b report.AnalysisCategory) int {
		return cmp.Compare(magnitude(int64(b.Total)), magnitude(int64(a.Total)))
	})
	return out
}

func (f *facts) explainReturned(d bankdata.Data) []report.AnalysisReturned {
	out := []report.AnalysisReturned{}
	for i := len(f.ledger.Entries) - 1; i >= 0; i-- {
		e := &f.ledger.Entries[i]
		if e.NSF == 0 {
			continue
		}
		c, a, t := f.ledger.Source(e.Index)
		account := &d.Connections[c].Accounts[a]
		out = append(out, report.AnalysisReturned{
			Date:        e.Day.Date(),
			AccountID:   account.ID,
			Category:    e.Leaf.String(),
			Amount:      e.Amount,
			Description: account.Transactions[t].Description,
		})
	}
	return out
}

// explainTransactions lists the newest posted transactions, newest first.
func (f *facts) explainTransactions(d bankdata.Data) []report.AnalysisTransaction {
	streams := make([]int, len(f.ledger.Entries)) // by entry: its stream, counted from 1
	for i := range f.ledger.Streams {
		for _, at := range f.ledger.Streams[i].Entries {
			streams[at] = i + 1
		}
	}
	n := min(len(f.ledger.Entries), report.MaxAnalysisTransactions)
	out := make([]report.AnalysisTransaction, n)
	for i := range out {
		at := len(f.ledger.Entries) - 1 - i
		e := &f.ledger.Entries[at]
		c, a, t := f.ledger.Source(e.Index)
		out[i] = report.AnalysisTransaction{
			Date:        e.Day.Date(),
			Account:     int(e.Account),
			Amount:      e.Amount,
			Category:    e.Leaf.String(),
			OwnTransfer: e.Own,
			Returned:    e.NSF > 0,
			Description: d.Connections[c].Accounts[a].Transactions[t].Description,
		}
		if streams[at] > 0 {
			out[i].Stream = new(streams[at] - 1)
		}
	}
	return out
}

// explainLetters adds to each transaction the letters of the scorecard's bins whose
// attributes count it. Bins of balances and ages count no transactions.
func (f *facts) explainLetters(all []report.AnalysisTransaction) {
	if !f.records() {
		return
	}
	for i := range card {
		d := &universal[card[i].at]
		f.read = 0
		d.measure(f, d.Window)
		counted := f.read
		if counted == 0 {
			continue
		}
		from, until := f.bounds(d.Window)
		for j := range all {
			e := &f.ledger.Entries[len(f.ledger.Entries)-1-j]
			if e.Day >= from && e.Day < until && subjectsOf(e)&counted != 0 {
				all[j].Bins += card[i].Letter
			}
		}
	}
}
