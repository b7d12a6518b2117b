package review

import (
	"strconv"

	"vestibule/internal/i18n"
	"vestibule/internal/report"
	"vestibule/templates/ui"
)

// Verdicts of reports, the worst first: what the sources contradict, what is to be
// checked, what they do not tell, what they confirm.
const (
	VerdictContradicted = "contradicted"
	VerdictCheck        = "check"
	VerdictUnknown      = "unknown"
	VerdictConfirmed    = "confirmed"
)

// Verdicts lists the verdicts, the worst first.
var Verdicts = []string{VerdictContradicted, VerdictCheck, VerdictUnknown, VerdictConfirmed}

// Summary is what a list shows of a report. The zero Summary is of none.
type Summary struct {
	Verdict  string        `json:"verdict,omitempty"`
	Findings int           `json:"findings,omitempty"` // findings that made the verdict
	Income   *report.Cents `json:"income,omitempty"`   // in a year
	Currency string        `json:"currency,omitempty"` // of Income
	Score    *int          `json:"score,omitempty"`    // the newest
}

var verdictOf = map[ui.Tone]string{ui.Danger: VerdictContradicted, ui.Warning: VerdictCheck, ui.Success: VerdictConfirmed,
	ui.Neutral: VerdictUnknown}

// Summarize sums up a report.
func Summarize(m Measured) Summary {
	all := m.sheet(i18n.English).findings
	tone, _ := verdict(i18n.English, all)
	s := Summary{Verdict: verdictOf[tone], Score: scoreOf(m)}
	for _, f := range all {
		if f.tone == tone {
			s.Findings++
		}
	}
	if f := m.sources(); f.income != nil {
		s.Income, s.Currency = f.income, string(f.in)
	}
	return s
}

// scoreOf returns the newest score of a report, or nil.
func scoreOf(m Measured) *int {
	switch v := m.(type) {
	case ReportView:
		if n := len(v.Report.Scores); n > 0 {
			return v.Report.Scores[n-1].Value
		}
	case PassportView:
		if n := len(v.Report.Scores); n > 0 {
			return &v.Report.Scores[n-1].Value
		}
	}
	return nil
}

func (s Summary) income() string {
	if s.Income == nil {
		return ""
	}
	return currency(s.Currency).whole(int64(*s.Income) / 100)
}

func (s Summary) score() string {
	if s.Score == nil {
		return ""
	}
	return strconv.Itoa(*s.Score)
}

// verdict returns the words about the report and their tone; "" without a report.
func (s Summary) verdict(l i18n.Lang) (ui.Tone, string) {
	switch s.Verdict {
	case VerdictContradicted:
		return ui.Danger, i18n.N(l, "review.verdict.short.contradicted", s.Findings)
	case VerdictCheck:
		return ui.Warning, i18n.N(l, "review.verdict.short.check", s.Findings)
	case VerdictConfirmed:
		return ui.Success, i18n.T(l, "review.finding.borne")
	case VerdictUnknown:
		return ui.Neutral, i18n.T(l, "review.finding.nothing")
	}
	return ui.Neutral, ""
}
