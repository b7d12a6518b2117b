package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// AnalysisDocument is the document type of an Analysis in the list of a cashflow
// report's files.
const AnalysisDocument = "CASHFLOW_ANALYSIS"

// Bounds of an Analysis, well above two years of a person's accounts.
const (
	maxAnalysisMonths   = 40
	maxAnalysisDays     = 800
	maxAnalysisAccounts = 200
	maxAnalysisStreams  = 2000
	maxAnalysisEntries  = 5000 // returned payments
	maxAnalysisKinds    = 500  // categories in each direction
	maxAnalysisScores   = 20
	maxAnalysisBins     = 100
	maxAnalysisPoints   = 100_000
	maxAnalysisText     = 2000 // bytes; a description has up to 255 characters
	maxAnalysisCode     = 100  // bytes
)

// ParseAnalysis parses an Analysis of version 1. It ignores unknown fields and codes,
// and refuses content that no page could show: series that do not fit their days,
// months out of order, and implausibly many elements. Its errors do not quote the
// input.
func ParseAnalysis(raw []byte) (*Analysis, error) {
	var a Analysis
	if err := json.Unmarshal(raw, &a); err != nil {
		var kind *json.UnmarshalTypeError
		if errors.As(err, &kind) {
			return nil, fmt.Errorf("analysis: a member %s is not of its type", kind.Field)
		}
		return nil, errors.New("analysis: not the JSON of one")
	}
	if major, _, _ := strings.Cut(a.Version, "."); major != "1" {
		return nil, errors.New("analysis: another version than 1")
	}
	for _, check := range []func() string{a.checkDays, a.checkMonths, a.checkFlows, a.checkTransactions, a.checkScores} {
		if problem := check(); problem != "" {
			return nil, errors.New("analysis: " + problem)
		}
	}
	return &a, nil
}

// SplitAnalysis takes the transactions, most of an analysis, out of one that ends with them. figures is an Analysis, and
// transactions the JSON array. It returns other documents unchanged, with nil.
func SplitAnalysis(raw []byte) (figures, transactions []byte) {
	head, tail, _ := bytes.Cut(raw, []byte(`,"transactions":`))
	tail, closed := bytes.CutSuffix(bytes.TrimSpace(tail), []byte("}"))
	var letters string
	for rest, more := tail, true; more; { // a quote inside of a text is escaped; b is rarer than a quote
		var these []byte
		_, rest, more = bytes.Cut(rest, []byte(`bins":"`))
		these, rest, _ = bytes.Cut(rest, []byte(`"`))
		for _, c := range string(these) {
			if !strings.ContainsRune(letters, c) {
				letters += string(c)
			}
		}
	}
	figures = fmt.Appendf(bytes.Clone(head), `,"counted_bins":"%s"}`, letters)
	if !closed || len(tail) < 3 || tail[0] != '[' || tail[len(tail)-1] != ']' || !json.Valid(figures) {
		return raw, nil
	}
	return figures, tail
}

// ParseTransactions adds the transactions that SplitAnalysis has taken out.
func (a *Analysis) ParseTransactions(raw []byte) error {
	if json.Unmarshal(raw, &a.Transactions) != nil { // its error may quote them
		return errors.New("analysis: no transactions")
	}
	if problem := a.checkTransactions(); problem != "" {
		return errors.New("analysis: " + problem)
	}
	return nil
}

// Days returns the number of days from From to To, both included; 0 without any.
func (a *Analysis) Days() int {
	if a.From == nil {
		return 0
	}
	return int(a.To.Sub(a.From.Time)/(24*time.Hour)) + 1
}

func (a *Analysis) checkDays() string {
	days := a.Days()
	switch {
	case a.To.IsZero() || a.From != nil && a.From.After(a.To.Time):
		return "the days have no order"
	case days > maxAnalysisDays || len(a.Accounts)+len(a.Others) > maxAnalysisAccounts:
		return "too many days or accounts"
	case len(a.Total) != days:
		return "the balances do not fit the days"
	}
	if !areShort(maxAnalysisCode, a.Currency) {
		return "the currency is too long"
	}
	for _, x := range a.Others {
		if !areShort(maxAnalysisCode, x.AccountID, x.SourceID, Text(x.TruncatedNumber), x.Currency) ||
			!areShort(maxAnalysisText, Text(x.Institution), Text(x.Name)) {
			return "another account's texts are too long"
		}
	}
	for _, x := range a.Accounts {
		if len(x.Balances) != days {
			return "an account's balances do not fit the days"
		}
		if !areShort(maxAnalysisCode, x.AccountID, x.SourceID, Text(x.Subtype), Text(x.TruncatedNumber)) ||
			!areShort(maxAnalysisText, Text(x.Institution), Text(x.Name)) {
			return "an account's texts are too long"
		}
	}
	return ""
}

func (a *Analysis) checkMonths() string {
	if len(a.Months) > maxAnalysisMonths {
		return "too many months"
	}
	last := ""
	for _, m := range a.Months {
		if _, err := time.Parse("2006-01", m.Month); err != nil || m.Month <= last {
			return "the months are none, or out of order"
		}
		if m.In < 0 || m.Out > 0 || m.Income < 0 || m.Count < 0 || m.Returned < 0 {
			return "a month has a sign that makes no sense"
		}
		last = m.Month
	}
	return ""
}

func (a *Analysis) checkFlows() string {
	if len(a.Streams) > maxAnalysisStreams || len(a.Categories) > maxAnalysisKinds || len(a.Returned) > maxAnalysisEntries {
		return "too many streams, categories or returned payments"
	}
	for _, s := range a.Streams {
		if !directed(s.Direction) || s.Count < 0 || !areShort(maxAnalysisText, s.Name) ||
			!areShort(maxAnalysisCode, s.Category, s.Group, s.Cadence) {
			return "a stream makes no sense"
		}
	}
	for _, c := range a.Categories {
		if !directed(c.Direction) || c.Count < 0 || !areShort(maxAnalysisText, c.Description) || !areShort(maxAnalysisCode, c.Category, c.Group) {
			return "a category makes no sense"
		}
	}
	for _, r := range a.Returned {
		if !areShort(maxAnalysisText, r.Description) || !areShort(maxAnalysisCode, r.AccountID, r.Category) {
			return "a returned payment's texts are too long"
		}
	}
	return ""
}

func (a *Analysis) checkTransactions() string {
	if len(a.Transactions) > MaxAnalysisTransactions {
		return "too many transactions"
	}
	for _, t := range a.Transactions {
		if t.Account < 0 || t.Account >= len(a.Accounts) || t.Stream != nil && (*t.Stream < 0 || *t.Stream >= len(a.Streams)) ||
			!areShort(maxAnalysisText, t.Description) || !areShort(maxAnalysisCode, t.Category, t.Bins) {
			return "a transaction makes no sense"
		}
	}
	return ""
}

func (a *Analysis) checkScores() string {
	if len(a.Scores) > maxAnalysisScores {
		return "too many scores"
	}
	counts := func(all ...int) bool {
		return !slices.ContainsFunc(all, func(n int) bool { return n < 0 || n > maxAnalysisPoints })
	}
	for _, s := range a.Scores {
		if len(s.Bins) > maxAnalysisBins || !counts(s.Base, s.Maximum, s.Points, s.Most) || s.Maximum <= s.Base || s.Points > s.Most ||
			s.Value != nil && (*s.Value < s.Base || *s.Value > s.Maximum) || !areShort(maxAnalysisCode, s.Version) {
			return "a score makes no sense"
		}
		for _, b := range s.Bins {
			if !counts(b.Points, b.Most, b.Reference) || b.Points > b.Most || b.Reference > b.Most || len(b.Ranges) > maxAnalysisBins ||
				!areShort(maxAnalysisText, b.Description) || !areShort(maxAnalysisCode, b.Letter, b.Attribute, b.Code, b.Unit, string(b.Value)) {
				return "a score's bin makes no sense"
			}
			for _, c := range b.Ranges {
				if !counts(c.Points) || c.Low != nil && !areShort(maxAnalysisCode, string(*c.Low)) ||
					c.High != nil && !areShort(maxAnalysisCode, string(*c.High)) {
					return "a bin's range makes no sense"
				}
			}
		}
	}
	return ""
}

func directed(s string) bool { return s == "IN" || s == "OUT" }

func areShort(most int, all ...string) bool {
	return !slices.ContainsFunc(all, func(s string) bool { return len(s) > most })
}
