package review

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"vestibule/internal/i18n"
	"vestibule/internal/report"
	"vestibule/templates/ui"
)

func (v ReportView) properties(l i18n.Lang) []ui.Fact {
	var out []ui.Fact
	for _, p := range v.Report.Properties {
		text := i18n.Grouped(strconv.FormatInt(p.Value.Integer, 10))
		if p.Value.Boolean != nil {
			text = i18n.T(l, "review.report.no")
			if *p.Value.Boolean {
				text = i18n.T(l, "review.report.yes")
			}
		}
		out = append(out, ui.Fact{Term: i18n.Code(l, "review.score_properties", p.FieldName), Text: text})
	}
	return out
}

// card returns the explanation of a score; nil without an analysis, or if their values
// differ.
func (v ReportView) card(s report.Score) *report.AnalysisScore {
	if v.Analysis == nil {
		return nil
	}
	for i, c := range v.Analysis.Scores {
		if c.Version == s.ScoreVersion && c.Value != nil && s.Value != nil && *c.Value == *s.Value && len(c.Bins) > 0 {
			return &v.Analysis.Scores[i]
		}
	}
	return nil
}

// scored is a score with its explanation, which is nil if none exists.
type scored struct {
	view  ReportView
	score report.Score
	card  *report.AnalysisScore
}

// The scale of the embedded provider's score, for a report without an explanation.
const (
	scoreLow  = 300
	scoreHigh = 850
)

// dial returns the drawing of a score on its scale; false if the score is out of range.
func dial(l i18n.Lang, s report.Score, card *report.AnalysisScore) (ui.Dial, bool) {
	d := ui.Dial{Low: scoreLow, High: scoreHigh, Value: *s.Value}
	if card != nil {
		d.Low, d.High = card.Base, card.Maximum
		if card.Most > 0 {
			sum := 0
			for _, b := range card.Bins {
				sum += b.Reference
			}
			d.Mark, d.Marked = card.Base+min((2*sum*(card.Maximum-card.Base)+card.Most)/(2*card.Most), card.Maximum-card.Base), true
			d.MarkText = i18n.T(l, "review.report.ref_home") + " " + strconv.Itoa(d.Mark)
		}
	}
	d.Label = i18n.T(l, "review.report.score") + " " + strconv.Itoa(d.Value) + " " + i18n.T(l, "review.report.score_scale") +
		" " + strconv.Itoa(d.Low) + " " + i18n.T(l, "review.report.score_to") + " " + strconv.Itoa(d.High)
	if d.Marked {
		d.Label += "; " + d.MarkText
	}
	return d, d.Value >= d.Low && d.Value <= d.High
}

// reason is a reason why a score is not higher, with the lines of its explanation.
type reason struct {
	words, code string
	bins        []report.AnalysisBin
}

func reasons(l i18n.Lang, s report.Score, card *report.AnalysisScore) []reason {
	var out []reason
	for _, c := range s.AdverseActionCodes {
		r := reason{words: ReasonWords(l, c.Code, c.Description), code: c.Code}
		if card != nil {
			for _, b := range card.Bins {
				if b.Code == c.Code && b.Points < b.Most {
					r.bins = append(r.bins, b)
				}
			}
		}
		out = append(out, r)
	}
	return out
}

// bins returns the lines of an explanation, those furthest behind the reference
// household first.
func bins(card *report.AnalysisScore) []report.AnalysisBin {
	out := slices.Clone(card.Bins)
	slices.SortStableFunc(out, func(a, b report.AnalysisBin) int { return cmp.Compare(b.Reference-b.Points, a.Reference-a.Points) })
	return out
}

// counted returns the address of the transactions that a bin's attribute counts; "" if it
// counts none.
func (v ReportView) counted(card *report.AnalysisScore, b report.AnalysisBin) string {
	if v.Analysis == nil || card.Version != countedVersion || !v.Analysis.IsCounted(b.Letter) {
		return ""
	}
	return v.transactions(Selection{Bin: b.Letter})
}

func (v ReportView) cardGrid(l i18n.Lang, card *report.AnalysisScore) ui.Grid {
	cur := v.currency()
	g := ui.Grid{Caption: i18n.T(l, "review.report.card"), HideCaption: true, Columns: columns(l, 2, "review.report.figure",
		"review.report.value", "review.report.points")}
	for _, b := range bins(card) {
		g.Rows = append(g.Rows, []ui.Cell{{Body: binFigure(l, cur, b)},
			{Text: binValue(l, cur, b), Words: isText(l, b), URL: v.counted(card, b)},
			{Body: binPoints(l, b), Words: true}})
	}
	return g
}

// isText reports whether a line's value is not a number.
func isText(l i18n.Lang, b report.AnalysisBin) bool {
	return b.Neutral || sentinel(l, b.Attribute, b.Value) != ""
}

func binValue(l i18n.Lang, cur currency, b report.AnalysisBin) string {
	if b.Neutral {
		return i18n.T(l, "review.report.neutral")
	}
	if s := sentinel(l, b.Attribute, b.Value); s != "" {
		return s
	}
	return inUnit(l, cur, b.Unit, b.Value)
}

// inUnit formats a number of an explanation in its unit.
func inUnit(l i18n.Lang, cur currency, unit string, n json.Number) string {
	switch unit {
	case "DOLLARS":
		if c, err := report.ParseCents(n.String()); err == nil {
			return cur.format(c)
		}
	case "DAYS":
		if n == "1" {
			return "1 " + i18n.T(l, "review.days.one")
		}
		return i18n.Grouped(n.String()) + " " + i18n.T(l, "review.days.other")
	case "RATIO":
		// Tenths of a percent: a thousand times the ratio, in whole numbers.
		if c, err := report.ParseCents(n.String() + "e1"); err == nil {
			tenths := report.Cents(0)
			if c%10 != 0 {
				tenths = positive(c % 10)
			}
			sign := ""
			if c < 0 {
				sign = "−"
			}
			s := sign + i18n.Grouped(strconv.FormatInt(int64(positive(c)/10), 10))
			if tenths != 0 {
				s += "." + strconv.FormatInt(int64(tenths), 10)
			}
			return s + "%"
		}
	}
	return i18n.Grouped(plain(n.String()))
}

// plain drops trailing zeros of a fraction and sets a minus sign.
func plain(s string) string {
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return strings.Replace(s, "-", "−", 1)
}

// rangeWords describes a range of values, as in "$0.00 up to below $250.00" or "2 to 3".
func rangeWords(l i18n.Lang, cur currency, unit string, c report.AnalysisCell) string {
	if words, ok := wholeRange(l, cur, unit, c); ok {
		return words
	}
	switch {
	case c.Low == nil && c.High == nil:
		return i18n.T(l, "review.report.any_value")
	case c.Low == nil && c.HighIncluded:
		return i18n.T(l, "review.report.up_to") + " " + inUnit(l, cur, unit, *c.High)
	case c.Low == nil:
		return i18n.T(l, "review.report.below") + " " + inUnit(l, cur, unit, *c.High)
	case c.High == nil && c.LowIncluded:
		return inUnit(l, cur, unit, *c.Low) + " " + i18n.T(l, "review.or_more")
	case c.High == nil:
		return i18n.T(l, "review.report.more_than") + " " + inUnit(l, cur, unit, *c.Low)
	}
	low, high := inUnit(l, cur, unit, *c.Low), inUnit(l, cur, unit, *c.High)
	if !c.LowIncluded {
		low = i18n.T(l, "review.report.more_than") + " " + low
	}
	if c.HighIncluded {
		return low + " " + i18n.T(l, "review.report.up_to") + " " + high
	}
	return low + " " + i18n.T(l, "review.report.up_to") + " " + i18n.T(l, "review.report.below") + " " + high
}

// wholeRange describes a range of whole numbers, both ends included; false for other
// ranges.
func wholeRange(l i18n.Lang, cur currency, unit string, c report.AnalysisCell) (string, bool) {
	if unit != "COUNT" && unit != "DAYS" || c.Low == nil && c.High == nil {
		return "", false
	}
	end := func(n *json.Number, included bool, inward int64) (int64, bool) {
		if n == nil {
			return 0, true
		}
		v, err := n.Int64()
		if !included {
			v += inward
		}
		return v, err == nil
	}
	low, lowOK := end(c.Low, c.LowIncluded, 1)
	high, highOK := end(c.High, c.HighIncluded, -1)
	if !lowOK || !highOK {
		return "", false
	}
	say := func(n int64) string { return inUnit(l, cur, unit, json.Number(strconv.FormatInt(n, 10))) }
	switch {
	case c.High == nil:
		return say(low) + " " + i18n.T(l, "review.or_more"), true
	case low == high, c.Low == nil && high == 0:
		return say(high), true
	case c.Low == nil:
		return i18n.T(l, "review.report.up_to") + " " + say(high), true
	}
	return i18n.Grouped(strconv.FormatInt(low, 10)) + " " + i18n.T(l, "review.report.score_to") + " " + say(high), true
}
