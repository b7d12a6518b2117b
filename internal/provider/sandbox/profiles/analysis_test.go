package profiles

import (
	"bytes"
	"encoding/json"
	"regexp"
	"testing"
	"time"

	"vestibule/internal/analysis/cashflow"
	"vestibule/internal/report"
	"vestibule/internal/testutil/golden"
)

// TestProfileAnalysis holds the whole analysis of the default profile
// against its golden file, with a line for each list of balances.
func TestProfileAnalysis(t *testing.T) {
	when := at(t, "2026-07-14T09:30:15.123Z")
	in := cashflow.Input{Envelope: report.Envelope{PublicToken: link}, Bank: Bank{}.Fetch("default", link, when),
		Options: cashflow.Options{Attributes: true, ScoreV1: true}}
	raw, err := report.Encode(cashflow.Explain(in, when))
	if err != nil {
		t.Fatal(err)
	}
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, raw, "", "  "); err != nil {
		t.Fatal(err)
	}
	list := regexp.MustCompile(`(\[|,)\s+(-?\d+\.\d\d)`)
	golden.Compare(t, "testdata/analysis-default-2026-07-14.json", list.ReplaceAllString(pretty.String(), "$1 $2")+"\n")
}

// TestProfileAnalyses explains each profile on several dates, a leap day
// and the ends of months among them. That without income has no transaction.
func TestProfileAnalyses(t *testing.T) {
	for _, name := range Names() {
		for _, day := range []string{"2024-02-29", "2024-12-31", "2025-03-01", "2026-07-14"} {
			when := at(t, day+"T23:59:59Z")
			in := cashflow.Input{Envelope: report.Envelope{PublicToken: link}, Bank: Bank{}.Fetch(name, link, when),
				Options: cashflow.Options{Attributes: true}}
			a, r := cashflow.Explain(in, when), cashflow.Build(in, when)
			if name == "noincome" {
				if len(a.Accounts) != 1 || a.From != nil || len(a.Months)+len(a.Streams)+len(a.Categories)+len(a.Scores[0].Bins) != 0 {
					t.Errorf("%s on %s: %+v", name, day, a)
				}
				continue
			}
			if len(a.Accounts) != len(r.AccountDetails) || len(a.Months) < 2 ||
				a.Months[len(a.Months)-1].Month != day[:7] || a.Months[len(a.Months)-1].Complete {
				t.Errorf("%s on %s: %d accounts, months %+v", name, day, len(a.Accounts), a.Months)
			}
			for i, account := range a.Accounts {
				of := r.AccountDetails[i]
				if account.AccountID != of.AccountID || account.Balances[len(account.Balances)-1] != *of.CurrentBalance ||
					report.Text(account.TruncatedNumber) != report.Text(of.TruncatedNumber) {
					t.Errorf("%s on %s: account %s of %s", name, day, account.AccountID, of.AccountID)
				}
			}
			s, of := a.Scores[0], r.Scores[0]
			if (s.Value == nil) != (of.Value == nil) || s.Value != nil && *s.Value != *of.Value {
				t.Errorf("%s on %s: the score is %v, want %v", name, day, s.Value, of.Value)
			}
			if !income(a) {
				t.Errorf("%s on %s has no stream of income", name, day)
			}
			if a.From == nil || a.To.String() != when.Format(time.DateOnly) {
				t.Errorf("%s on %s: from %v to %s", name, day, a.From, a.To)
			}
		}
	}
}

func income(a report.Analysis) bool {
	for _, s := range a.Streams {
		if s.Group == "INCOME" && s.Cadence != "IRREGULAR" && s.Category != "INCOME.INTEREST" {
			return true
		}
	}
	return false
}
