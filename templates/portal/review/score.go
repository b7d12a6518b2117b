package review

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"vestibule/internal/contract"
	"vestibule/internal/report"
	"vestibule/templates/ui"
)

var (
	reportScore      = contract.Words{EN: "Score", ES: "Puntuación"}
	reportScoreOf    = contract.Words{EN: "of", ES: "de"}
	reportScoreScale = contract.Words{EN: "on a scale from", ES: "en una escala de"}
	reportScoreTo    = contract.Words{EN: "to", ES: "a"}
	reportScoreIs    = contract.Words{EN: "An open points card over the figures below. More is better. It is not fitted to defaults.", ES: "Una tabla de puntos abierta sobre las cifras de abajo. Más es mejor. No está ajustada a impagos."}
	reportNoScore    = contract.Words{EN: "No score: there is too little to go by.", ES: "Sin puntuación: hay muy pocos datos."}
	reportReasons    = contract.Words{EN: "Why it is not higher", ES: "Por qué no es más alta"}
	reportWhyNone    = contract.Words{EN: "Why there is none", ES: "Por qué no la hay"}
	reportCode       = contract.Words{EN: "Code", ES: "Código"}
	reportCard       = contract.Words{EN: "How the points come together", ES: "Cómo se reúnen los puntos"}
	reportCardIs     = contract.Words{EN: "What cost most comes first. The upright line is the reference household of the card, with which the reasons compare.", ES: "Primero, lo que más costó. La línea vertical es el hogar de referencia de la tabla, con el que se comparan las razones."}
	reportReference  = contract.Words{EN: "reference", ES: "referencia"}
	reportRefHome    = contract.Words{EN: "Reference household", ES: "Hogar de referencia"}
	reportPoints     = contract.Words{EN: "Points", ES: "Puntos"}
	reportRanges     = contract.Words{EN: "Points by range", ES: "Puntos por intervalo"}
	reportReached    = contract.Words{EN: "here", ES: "aquí"}
	reportNeutral    = contract.Words{EN: "no usable value: counted as neutral", ES: "sin valor utilizable: cuenta como neutro"}
	reportBelow      = contract.Words{EN: "below", ES: "menos de"}
	reportUpTo       = contract.Words{EN: "up to", ES: "hasta"}
	reportFromOn     = contract.Words{EN: "or more", ES: "o más"}
	reportMoreThan   = contract.Words{EN: "more than", ES: "más de"}
	reportAnyValue   = contract.Words{EN: "any value", ES: "cualquier valor"}
	reportEnough     = contract.Words{EN: "Data behind the score", ES: "Datos en que se basa"}
	reportYes        = contract.Words{EN: "yes", ES: "sí"}
	reportNo         = contract.Words{EN: "no", ES: "no"}
)

// propertyNames are the consumer_data_properties in words.
var propertyNames = map[string]contract.Words{
	"TOTAL_TRANSACTION_COUNT":          {EN: "Transactions", ES: "Movimientos"},
	"TOTAL_HISTORY_LENGTH_DAYS":        {EN: "Days of history", ES: "Días de historial"},
	"LOW_ACCOUNT_ACTIVITY_INDICATOR":   {EN: "Little activity", ES: "Poca actividad"},
	"LIMITED_DATA_AVAILABLE_INDICATOR": {EN: "Limited data", ES: "Datos limitados"},
}

func (v ReportView) properties(l contract.Lang) []ui.Fact {
	var out []ui.Fact
	for _, p := range v.Report.Properties {
		text := grouped(strconv.FormatInt(p.Value.Integer, 10))
		if p.Value.Boolean != nil {
			text = reportNo.In(l)
			if *p.Value.Boolean {
				text = reportYes.In(l)
			}
		}
		out = append(out, ui.Fact{Term: known(l, propertyNames, p.FieldName), Text: text})
	}
	return out
}

// card returns the explanation of a score; nil without an analysis, or if the two
// do not agree.
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

// The scale of the embedded provider's score, for a report without its card.
const (
	scoreLow  = 300
	scoreHigh = 850
)

// dial is the score on its scale; false where the scale is not known.
func dial(l contract.Lang, s report.Score, card *report.AnalysisScore) (ui.Dial, bool) {
	d := ui.Dial{Low: scoreLow, High: scoreHigh, Value: *s.Value}
	if card != nil {
		d.Low, d.High = card.Base, card.Maximum
		if card.Most > 0 {
			sum := 0
			for _, b := range card.Bins {
				sum += b.Reference
			}
			d.Mark, d.Marked = card.Base+min((2*sum*(card.Maximum-card.Base)+card.Most)/(2*card.Most), card.Maximum-card.Base), true
			d.MarkText = reportRefHome.In(l) + " " + strconv.Itoa(d.Mark)
		}
	}
	d.Label = reportScore.In(l) + " " + strconv.Itoa(d.Value) + " " + reportScoreScale.In(l) + " " + strconv.Itoa(d.Low) + " " + reportScoreTo.In(l) + " " + strconv.Itoa(d.High)
	if d.Marked {
		d.Label += "; " + d.MarkText
	}
	return d, d.Value >= d.Low && d.Value <= d.High
}

// reason is why a score is not higher, and the card's lines that say so.
type reason struct {
	words, code string
	bins        []report.AnalysisBin
}

func reasons(l contract.Lang, s report.Score, card *report.AnalysisScore) []reason {
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

// bins are the card's lines, those furthest behind the reference household first.
func bins(card *report.AnalysisScore) []report.AnalysisBin {
	out := slices.Clone(card.Bins)
	slices.SortStableFunc(out, func(a, b report.AnalysisBin) int { return cmp.Compare(b.Reference-b.Points, a.Reference-a.Points) })
	return out
}

func cardGrid(l contract.Lang, cur currency, card *report.AnalysisScore) ui.Grid {
	g := ui.Grid{Caption: reportCard.In(l), HideCaption: true, Columns: []ui.Column{
		{Label: reportFigure.In(l)}, {Label: reportValue.In(l), Number: true}, {Label: reportPoints.In(l), Number: true}}}
	for _, b := range bins(card) {
		g.Rows = append(g.Rows, []ui.Cell{{Body: binFigure(l, cur, b)}, {Text: binValue(l, cur, b), Words: inWords(l, b)}, {Body: binPoints(l, b), Words: true}})
	}
	return g
}

// inWords reports whether a line's value is not a number.
func inWords(l contract.Lang, b report.AnalysisBin) bool {
	return b.Neutral || sentinel(l, b.Attribute, b.Value) != ""
}

func binValue(l contract.Lang, cur currency, b report.AnalysisBin) string {
	if b.Neutral {
		return reportNeutral.In(l)
	}
	if s := sentinel(l, b.Attribute, b.Value); s != "" {
		return s
	}
	return inUnit(l, cur, b.Unit, b.Value)
}

// inUnit writes a number of the card as people read it.
func inUnit(l contract.Lang, cur currency, unit string, n json.Number) string {
	switch unit {
	case "DOLLARS":
		if c, err := report.ParseCents(n.String()); err == nil {
			return cur.say(c)
		}
	case "DAYS":
		if n == "1" {
			return "1 " + wordsDay.In(l)
		}
		return grouped(n.String()) + " " + wordsDays.In(l)
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
			s := sign + grouped(strconv.FormatInt(int64(positive(c)/10), 10))
			if tenths != 0 {
				s += "." + strconv.FormatInt(int64(tenths), 10)
			}
			return s + " %"
		}
	}
	return grouped(plain(n.String()))
}

// plain drops the zeros that a fraction ends in.
func plain(s string) string {
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return strings.Replace(s, "-", "−", 1)
}

// rangeWords is a range of values, as in "$0.00 up to below $250.00" or "2 to 3".
func rangeWords(l contract.Lang, cur currency, unit string, c report.AnalysisCell) string {
	if words, ok := wholeRange(l, cur, unit, c); ok {
		return words
	}
	switch {
	case c.Low == nil && c.High == nil:
		return reportAnyValue.In(l)
	case c.Low == nil && c.HighIncluded:
		return reportUpTo.In(l) + " " + inUnit(l, cur, unit, *c.High)
	case c.Low == nil:
		return reportBelow.In(l) + " " + inUnit(l, cur, unit, *c.High)
	case c.High == nil && c.LowIncluded:
		return inUnit(l, cur, unit, *c.Low) + " " + reportFromOn.In(l)
	case c.High == nil:
		return reportMoreThan.In(l) + " " + inUnit(l, cur, unit, *c.Low)
	}
	low, high := inUnit(l, cur, unit, *c.Low), inUnit(l, cur, unit, *c.High)
	if !c.LowIncluded {
		low = reportMoreThan.In(l) + " " + low
	}
	if c.HighIncluded {
		return low + " " + reportUpTo.In(l) + " " + high
	}
	return low + " " + reportUpTo.In(l) + " " + reportBelow.In(l) + " " + high
}

// wholeRange words a range of whole numbers, both ends included; false if the range
// is not of whole numbers.
func wholeRange(l contract.Lang, cur currency, unit string, c report.AnalysisCell) (string, bool) {
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
		return say(low) + " " + reportFromOn.In(l), true
	case low == high, c.Low == nil && high == 0:
		return say(high), true
	case c.Low == nil:
		return reportUpTo.In(l) + " " + say(high), true
	}
	return grouped(strconv.FormatInt(low, 10)) + " " + reportScoreTo.In(l) + " " + say(high), true
}
