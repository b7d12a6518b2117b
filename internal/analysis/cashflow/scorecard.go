package cashflow

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

//go:embed scorecard.txt
var scorecardFile string

// cardBins is the number of bins. Version 2.1 has a separate figure for each, by position.
const cardBins = 13

// card is the card of score v2.0. An error in the file makes the program panic at its
// start.
var card = mustParse(scorecardFile)

func mustParse(file string) []Bin {
	bins, err := parseScorecard(file)
	if err == nil && len(bins) != cardBins {
		err = fmt.Errorf("%d bins in place of %d", len(bins), cardBins)
	}
	if err != nil {
		panic("cashflow: scorecard.txt: " + err.Error())
	}
	return bins
}

// parseScorecard parses a scorecard; scorecard.txt describes the format.
func parseScorecard(file string) (bins []Bin, err error) {
	n := 0
	for line := range strings.Lines(file) {
		n++
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		b, err := parseBin(strings.Fields(line))
		if err == nil && slices.ContainsFunc(bins, func(o Bin) bool { return o.Letter == b.Letter }) {
			err = fmt.Errorf("two bins %s", b.Letter)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		bins = append(bins, b)
	}
	if len(bins) == 0 {
		return nil, fmt.Errorf("no bin")
	}
	return bins, nil
}

var comparisons = map[string]Comparison{"below": Below, "at-most": AtMost, "at-least": AtLeast}

func parseBin(fields []string) (b Bin, err error) {
	if len(fields) < 7 {
		return b, fmt.Errorf("a bin has a letter, an attribute, a comparison, bounds, else, neutral and reference")
	}
	b = Bin{Letter: fields[0], Attribute: fields[1]}
	if b.at = slices.IndexFunc(universal[:], func(d Definition) bool { return d.Name == b.Attribute }); b.at < 0 {
		return b, fmt.Errorf("no attribute %s", b.Attribute)
	}
	compare, ok := comparisons[fields[2]]
	if !ok {
		return b, fmt.Errorf("no comparison %s", fields[2])
	}
	b.Compare = compare
	named := map[string]*int{"else": &b.Else, "neutral": &b.Neutral, "reference": &b.Mean}
	for _, f := range fields[3:] {
		if f == "v1.0" {
			b.V1 = true
			continue
		}
		name, value, _ := strings.Cut(f, "=")
		points, err := strconv.ParseUint(value, 10, 10)
		if err != nil {
			return b, fmt.Errorf("%s: points are whole numbers up to 1023", f)
		}
		if p := named[name]; p != nil {
			*p = int(points)
			delete(named, name)
			continue
		}
		bound, err := universal[b.at].Type.parse(name)
		if err != nil {
			return b, fmt.Errorf("%s: %w", f, err)
		}
		if last := len(b.Cells) - 1; last >= 0 && (bound == b.Cells[last].Bound || (bound < b.Cells[last].Bound) != (b.Compare == AtLeast)) {
			return b, fmt.Errorf("%s: bounds are out of order", f)
		}
		b.Cells = append(b.Cells, Cell{bound, int(points)})
	}
	if len(named) > 0 || len(b.Cells) == 0 {
		return b, fmt.Errorf("a bin has bounds, else, neutral and reference, each once")
	}
	return b, nil
}

// parse parses a bound in units of the type's last decimal.
func (t ValueType) parse(s string) (int64, error) {
	decimals := map[ValueType]int{Dollar: 2, Float: 5}[t]
	whole, fraction, _ := strings.Cut(s, ".")
	if len(fraction) != decimals || strings.HasPrefix(fraction, "+") {
		return 0, fmt.Errorf("the attribute has %d decimals", decimals)
	}
	n, err := strconv.ParseInt(whole+fraction, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("not a number")
	}
	return n, nil
}
