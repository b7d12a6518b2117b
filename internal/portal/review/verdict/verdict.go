// Package verdict decides what a report means for an application: it answers the reviewer's questions, and
// compares the report with what the applicant stated. It returns levels, facts and keys of texts, which
// package templates/portal/review draws in a language and in colors.
package verdict

import (
	"slices"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/prefill"
	"vestibule/internal/report"
)

// Level says how far the sources of a report support an answer, or the application.
type Level string

const (
	Contradicted Level = "contradicted" // the sources say something else
	Check        Level = "check"        // the reviewer must look at it
	Unknown      Level = "unknown"      // the sources do not say
	Confirmed    Level = "confirmed"
)

// Levels lists the levels, the worst first.
var Levels = []Level{Contradicted, Check, Unknown, Confirmed}

func (l Level) isWorse(than Level) bool { return slices.Index(Levels, l) < slices.Index(Levels, than) }

// Message is a text of the catalogue with its arguments, each a name and a value: a string, an int, an
// Amount, []Bank or []personname.Note.
type Message struct {
	Key     i18n.Key
	Args    []any
	Clauses []Message // of a sentence, instead of a text
}

func say(k i18n.Key, args ...any) Message { return Message{Key: k, Args: args} }

// sayCount returns a text for the number 1, or for another one, with the parameter n.
func sayCount(n int, one, other i18n.Key) Message {
	if n == 1 {
		return say(one)
	}
	return Message{Key: other, Args: []any{"n", n}}
}

// Amount is an amount of a currency.
type Amount struct {
	Cents    report.Cents
	Currency string
}

// Bank is a bank by its name, or by its source if the report has no name.
type Bank struct{ Name, SourceID string }

// Finding is the answer to one of the reviewer's questions.
type Finding struct {
	Question i18n.Key
	Level    Level
	Answer   []Message // sentences
	Section  string    // of the report, with details; "" for none

	reasons []string // of the rules that hold
}

// found returns an answer that a rule decides.
func found(r Rule, section string, answer ...Message) Finding {
	return Finding{r.Question.Text, r.Level, answer, section, r.reasons()}
}

func (r Rule) reasons() []string {
	if r.Reason == "" {
		return nil
	}
	return []string{r.Reason}
}

func confirmed(q Question, section string, answer ...Message) Finding {
	return Finding{Question: q.Text, Level: Confirmed, Answer: answer, Section: section}
}

func unknown(q Question, section string, answer ...Message) Finding {
	return Finding{Question: q.Text, Level: Unknown, Answer: answer, Section: section}
}

// apply gives an answer the level of a rule that holds, unless it has a worse one, and says why.
func (f *Finding) apply(r Rule, holds bool, why ...Message) {
	if !holds {
		return
	}
	f.Answer = append(f.Answer, why...)
	if f.reasons = append(f.reasons, r.reasons()...); r.Level.isWorse(f.Level) {
		f.Level = r.Level
	}
}

// Verdict says what a report of any product means.
type Verdict struct {
	Findings   []Finding
	Stated     []Stated   // what the applicant stated, beside what the report has
	Identities []Identity // the report's
	Names      Finding    // how the report itself compares their names
	Income     *report.Cents
	Currency   string // of Income
	Score      *int   // the newest
}

// Level returns the worst level of the findings, of those that are known.
func (v Verdict) Level() Level {
	for _, l := range []Level{Contradicted, Check, Confirmed} {
		if v.count(l) > 0 {
			return l
		}
	}
	return Unknown
}

// Reasons returns the reasons that the findings give for a decline, the worst findings first.
func (v Verdict) Reasons() (out []string) {
	for _, l := range []Level{Contradicted, Check} {
		for _, f := range v.Findings {
			for _, r := range f.reasons {
				if f.Level == l && !slices.Contains(out, r) {
					out = append(out, r)
				}
			}
		}
	}
	return out
}

// Count returns the number of findings that have the verdict's level.
func (v Verdict) Count() int { return v.count(v.Level()) }

func (v Verdict) count(l Level) (n int) {
	for _, f := range v.Findings {
		if f.Level == l {
			n++
		}
	}
	return n
}

// Summary is what a list shows of a report. The zero Summary is of none.
type Summary struct {
	Verdict  Level         `json:"verdict,omitempty"`
	Findings int           `json:"findings,omitempty"` // findings that made the verdict
	Unknown  int           `json:"unknown,omitempty"`  // findings that are not checked
	Income   *report.Cents `json:"income,omitempty"`   // in a year
	Currency string        `json:"currency,omitempty"` // of Income
	Score    *int          `json:"score,omitempty"`    // the newest
}

// Summary sums up the verdict.
func (v Verdict) Summary() Summary {
	s := Summary{Verdict: v.Level(), Findings: v.Count(), Unknown: v.count(Unknown), Income: v.Income, Score: v.Score}
	if v.Income != nil {
		s.Currency = v.Currency
	}
	return s
}

// gaps names the banks of which a report lacks accounts or transactions.
type gaps struct {
	part []Bank // the report has other accounts of the bank
	all  []Bank // the report has no account of the bank
}

// sourceGaps reads the sources of a report. institutions has the names of those with an account in the
// report, by source.
func sourceGaps(sources []report.Source, institutions map[string]string) (g gaps) {
	for _, s := range sources {
		if s.SourceType == report.SourceBankTransaction && s.Status != contract.StatusSuccess {
			name, part := institutions[s.SourceID]
			g.add(Bank{name, s.SourceID}, part)
		}
	}
	return g
}

func (g *gaps) add(b Bank, part bool) {
	if part {
		g.part = append(g.part, b)
	} else {
		g.all = append(g.all, b)
	}
}

func (g gaps) any() bool { return len(g.part)+len(g.all) > 0 }

// qualify puts the answer about gaps first. Low income then contradicts nothing, because the rest may be in
// the missing accounts.
func (g gaps) qualify(section string, findings []Finding) []Finding {
	if !g.any() {
		return findings
	}
	f := found(accountsMissing, section)
	if len(g.part) > 0 {
		f.Answer = append(f.Answer, say("review.complete.part", "banks", g.part))
	}
	if len(g.all) > 0 {
		f.Answer = append(f.Answer, say("review.complete.none", "banks", g.all))
	}
	f.Answer = append(f.Answer, say("review.complete.low"))
	for i := range findings {
		if findings[i].Question == income.Text && findings[i].Level == Contradicted {
			findings[i].Level = Check
		}
	}
	return append([]Finding{f}, findings...)
}

// Alone returns what an applicant stated, without a report.
func Alone(stated prefill.Fields) []Stated { return sources{}.compare(stated, Finding{}) }

// verdictOf returns the parts that are decided in the same way for all products.
func verdictOf(stated prefill.Fields, s sources) Verdict {
	s.addNotes(stated)
	v := Verdict{Identities: s.identities, Names: compareNames(s.identities), Income: s.income, Currency: s.currency}
	v.Stated = s.compare(stated, v.Names)
	return v
}
