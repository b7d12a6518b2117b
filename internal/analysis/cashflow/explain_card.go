package cashflow

import (
	"encoding/json"
	"slices"

	"vestibule/internal/report"
)

// explain explains how a version of the score is computed.
func (version scoreVersion) explain(f *facts, v *values) report.AnalysisScore {
	out := report.AnalysisScore{Version: version.name, Base: scoreBase, Maximum: scoreBase + scoreRange, Bins: []report.AnalysisBin{}}
	lines := version.lines(f, v)
	if lines == nil {
		return out
	}
	out.Value = totalOf(lines)
	for i := range lines {
		line := lines[i].explain()
		out.Bins = append(out.Bins, line)
		out.Points += line.Points
		out.Most += line.Most
	}
	return out
}

func (s *scored) explain() report.AnalysisBin {
	d := &universal[s.at]
	return report.AnalysisBin{
		Letter:      s.Letter,
		Attribute:   d.Name,
		Description: s.about,
		Code:        s.code,
		Unit:        d.unit(),
		Value:       json.Number(d.Type.append(nil, s.value)),
		Points:      s.points,
		Most:        s.Most(),
		Reference:   s.Mean,
		Neutral:     s.value.state >= noValues,
		Ranges:      s.ranges(s.value),
	}
}

// unit returns the unit of the attribute's values.
func (d *Definition) unit() string {
	switch {
	case d.Type == Dollar:
		return "DOLLARS"
	case d.Type == Float:
		return "RATIO"
	case d.Calculation == Recency:
		return "DAYS"
	}
	return "COUNT"
}

// ranges returns the bin's cells from the lowest values to the highest and marks the cell
// of the value. A bound belongs to the range below it if cells say "at most", otherwise
// to the range above it.
func (b *Bin) ranges(v value) []report.AnalysisCell {
	bounds, points := []int64{}, []int{}
	for _, c := range b.Cells {
		bounds, points = append(bounds, c.Bound), append(points, c.Points)
	}
	points = append(points, b.Else)
	if b.Compare == AtLeast {
		slices.Reverse(bounds)
		slices.Reverse(points)
	}
	out := make([]report.AnalysisCell, len(points))
	for i, p := range points {
		out[i].Points = p
	}
	for i, n := range bounds {
		bound := json.Number(universal[b.at].Type.append(nil, value{n: n}))
		out[i].High, out[i].HighIncluded = &bound, b.Compare == AtMost
		out[i+1].Low, out[i+1].LowIncluded = &bound, b.Compare != AtMost
	}
	switch v.state {
	case exact:
		at := 0
		for _, n := range bounds {
			if v.n > n || v.n == n && b.Compare != AtMost {
				at++
			}
		}
		out[at].Reached = true
	case undefined:
		at := slices.IndexFunc(out, func(c report.AnalysisCell) bool { return c.Points == b.worst() })
		out[at].Reached = true
	}
	return out
}
