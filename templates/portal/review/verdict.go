package review

import (
	"cmp"
	"strconv"
	"strings"

	"vestibule/internal/i18n"
	"vestibule/internal/personname"
	"vestibule/internal/portal/review/verdict"
	"vestibule/templates/ui"
)

// tones has the colors of the levels; an unknown answer has none.
var tones = map[verdict.Level]ui.Tone{verdict.Contradicted: ui.Danger, verdict.Check: ui.Warning, verdict.Confirmed: ui.Success}

// levelWords name the levels of answers.
var levelWords = map[verdict.Level]i18n.Key{verdict.Contradicted: "review.finding.against", verdict.Check: "review.finding.close",
	verdict.Unknown: "review.finding.nothing", verdict.Confirmed: "review.finding.borne"}

func levelBadge(l i18n.Lang, level verdict.Level) printed {
	return badge(tones[level], i18n.T(l, levelWords[level]))
}

// verdictWords sums up the findings of a report in one sentence.
func verdictWords(l i18n.Lang, v verdict.Verdict) string {
	switch v.Level() {
	case verdict.Contradicted:
		return i18n.N(l, "review.verdict.contradicted", v.Count())
	case verdict.Check:
		return i18n.N(l, "review.verdict.check", v.Count())
	case verdict.Confirmed:
		if n := v.Count(); n < len(v.Findings) {
			return i18n.T(l, "review.verdict.partly", "n", strconv.Itoa(n), "all", strconv.Itoa(len(v.Findings)))
		}
		return i18n.T(l, "review.verdict.confirmed")
	}
	return i18n.T(l, "review.verdict.unknown")
}

// summaryWords is verdictWords for a list; "" without a report.
func summaryWords(l i18n.Lang, s verdict.Summary) string {
	switch s.Verdict {
	case verdict.Contradicted:
		return i18n.N(l, "review.verdict.short.contradicted", s.Findings)
	case verdict.Check:
		return i18n.N(l, "review.verdict.short.check", s.Findings)
	}
	if s.Verdict == verdict.Confirmed && s.Unknown > 0 {
		return i18n.T(l, "review.verdict.short.partly", "n", strconv.Itoa(s.Findings), "all", strconv.Itoa(s.Findings+s.Unknown))
	}
	return i18n.T(l, levelWords[s.Verdict])
}

// say returns the sentences of an answer.
func say(l i18n.Lang, sentences ...verdict.Message) string {
	var out []string
	for _, m := range sentences {
		text := i18n.T(l, m.Key, arguments(l, m.Args)...)
		if len(m.Clauses) > 0 {
			var clauses []string
			for _, c := range m.Clauses {
				clauses = append(clauses, say(l, c))
			}
			text = strings.Join(clauses, ", ") + "."
		}
		out = append(out, strings.ReplaceAll(text, "..", ".")) // "Tern, Inc." ends a sentence
	}
	return strings.Join(out, " ")
}

func arguments(l i18n.Lang, all []any) (out []string) {
	for _, a := range all {
		switch a := a.(type) {
		case string:
			out = append(out, a)
		case int:
			out = append(out, strconv.Itoa(a))
		case verdict.Amount:
			out = append(out, currency(a.Currency).format(a.Cents))
		case []verdict.Bank:
			var names []string
			for _, b := range a {
				names = append(names, cmp.Or(b.Name, sourceWords(l, b.SourceID)))
			}
			out = append(out, strings.Join(names, ", "))
		case []personname.Note:
			out = append(out, noteWords(l, a))
		}
	}
	return out
}

// signal is a figure that speaks against the applicant, with the address of its details.
type signal struct {
	label, value, to string
}

// against lists the figures of a cashflow report that speak against the applicant.
func (v ReportView) against(l i18n.Lang) (out []signal) {
	for _, s := range v.Verdict.Signals {
		to := map[string]string{"UA_ASSET_NEGDAYS_CNT_3M": "#balance", "UA_EXPENSE_RETURNED_CNT_12M": "#returned",
			"UA_EXPENSE_NSFOD_CNT_12M":   v.transactions(Selection{Returned: true}),
			"UA_INFLOW_ADVANCE_CNT_6M":   v.transactions(Selection{Category: "LENDING.ADVANCE_IN", Direction: "IN"}),
			"UA_EXPENSE_GAMBLING_CNT_6M": v.transactions(Selection{Category: "LEISURE.GAMBLING", Direction: "OUT"})}[s.Attribute]
		out = append(out, signal{i18n.T(l, s.Label), strconv.Itoa(s.Count), cmp.Or(to, "#figures")})
	}
	return out
}
