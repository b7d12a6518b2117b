package cashflow

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"vestibule/internal/testutil/golden"
)

// TestDocumentedTables compares the tables between the markers of the pages about analytics
// with the code.
func TestDocumentedTables(t *testing.T) {
	const pages = "../../../docs/explanation/"
	golden.CompareTables(t, pages+"analytics.md", map[string]string{"windows": windowsTable(), "types": typesTable()})
	golden.CompareTables(t, pages+"attributes.md", map[string]string{"subjects": subjectsTable(),
		"universal": definitionsTable(Catalogue()), "deprecated": definitionsTable(Deprecated())})
	golden.CompareTables(t, pages+"score.md", map[string]string{"card": cardTable(), "reasons": reasonsTable()})
}

// rows returns a Markdown table.
func rows(head string, lines ...[]string) string {
	var b strings.Builder
	b.WriteString("| " + head + " |\n" + strings.Repeat("|---", strings.Count(head, "|")+1) + "|\n")
	for _, l := range lines {
		b.WriteString("| " + strings.Join(l, " | ") + " |\n")
	}
	return b.String()
}

func code(s string) string { return "`" + s + "`" }

func windowsTable() string {
	var lines [][]string
	for w := range windows {
		lines = append(lines, []string{code(Window(w).String()), windows[w].about})
	}
	return rows("window | time", lines...)
}

func typesTable() string {
	var lines [][]string
	for i := range valueTypes {
		kind := ValueType(i)
		l := valueTypes[kind]
		family, category := "universal", ""
		if kind >= OldBoolean {
			family, category = "deprecated", fmt.Sprint(l.noCategory)
		}
		bound := func(n int64) string { return string(kind.append(nil, value{n: n})) }
		lines = append(lines, []string{family, l.name, bound(l.min), bound(l.max), bound(l.cap),
			fmt.Sprint(l.noRecords), category, fmt.Sprint(l.noValues)})
	}
	return rows("family | type | minimum | maximum | cap | no usable records | in the category | no usable values", lines...)
}

func subjectsTable() string {
	sides := map[direction]string{in: "credits", out: "debits", netOut: "debits less credits", gross: "both"}
	var lines [][]string
	for _, s := range subjectTable {
		what := s.about
		if s.leaves != nil {
			words := make([]string, len(s.leaves))
			for i, l := range s.leaves {
				words[i] = code(l.String())
			}
			what = strings.Join(words, " ")
		}
		lines = append(lines, []string{s.name, sides[s.dir], what})
	}
	for _, b := range []struct {
		name string
		of   blend
	}{{"net cash flow", netFlow}, {"debt payments", debt}, {"left after essentials and debt", free}} {
		var words []string
		for _, s := range b.of.plus {
			words = append(words, subjectTable[s].name)
		}
		what := strings.Join(words, " + ")
		for _, s := range b.of.minus {
			what += " − " + subjectTable[s].name
		}
		lines = append(lines, []string{b.name, "", what})
	}
	return rows("subject | side | transactions", lines...)
}

func definitionsTable(all []Definition) string {
	var lines [][]string
	for _, d := range all {
		lines = append(lines, []string{code(d.Name), string(d.Calculation), d.Window.String(), d.Type.String(), d.Code, d.Description})
	}
	return rows("attribute | kind | window | type | code | description", lines...)
}

func cardTable() string {
	signs := map[Comparison]string{Below: "< ", AtMost: "≤ ", AtLeast: "≥ "}
	var lines [][]string
	for _, b := range card {
		kind := universal[b.at].Type
		var cells []string
		for _, c := range b.Cells {
			cells = append(cells, fmt.Sprintf("%s%s: %d", signs[b.Compare], kind.append(nil, value{n: c.Bound}), c.Points))
		}
		v1 := ""
		if b.V1 {
			v1 = "v1.0"
		}
		lines = append(lines, []string{b.Letter, code(b.Attribute), strings.Join(cells, ", ") + fmt.Sprintf(", else %d", b.Else),
			fmt.Sprint(b.Neutral), fmt.Sprint(b.Mean), v1})
	}
	return rows("bin | attribute | points, by the first that holds | neutral | reference household | also in", lines...)
}

func reasonsTable() string {
	var lines [][]string
	for _, c := range slices.Sorted(maps.Keys(reasons)) {
		lines = append(lines, []string{c, reasons[c]})
	}
	return rows("code | description", lines...)
}
