package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Difference is one value that differs between two bodies of a report.
type Difference struct {
	Path          string // names of the members, separated by dots; elements of arrays by their name or number from 1
	Before, After string // as JSON without quotes; empty: absent
}

// Differences lists the values that differ between two revisions of a report, without those
// of the revision itself: totals first, then values in lists.
func Differences(before, after []byte) (out []Difference, err error) {
	var values [2]map[string]string
	var order []string
	for i, raw := range [][]byte{before, after} {
		d := json.NewDecoder(bytes.NewReader(raw))
		d.UseNumber()
		var body any
		if err := d.Decode(&body); err != nil {
			return nil, err
		}
		values[i] = map[string]string{}
		flatten(values[i], &order, "", body)
	}
	seen := map[string]bool{}
	for _, path := range order {
		a, b := values[0][path], values[1][path]
		if a == b || seen[path] || strings.HasPrefix(path, "meta.svc_report_revision") ||
			strings.HasPrefix(path, "income.revised_report_values") {
			continue
		}
		seen[path] = true
		out = append(out, Difference{path, a, b})
	}
	slices.SortStableFunc(out, func(a, b Difference) int { return strings.Count(a.Path, ".") - strings.Count(b.Path, ".") })
	return out, nil
}

// flatten adds the values of a body by their paths.
func flatten(into map[string]string, order *[]string, path string, v any) {
	join := func(name string) string {
		if path == "" {
			return name
		}
		return path + "." + name
	}
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			flatten(into, order, join(name), v[name])
		}
	case []any:
		for i, x := range v {
			name := strconv.Itoa(i + 1)
			if m, ok := x.(map[string]any); ok {
				if s, ok := m["name"].(string); ok {
					name = s
				}
			}
			flatten(into, order, join(name), x)
		}
	case nil:
	default:
		into[path] = fmt.Sprint(v)
		*order = append(*order, path)
	}
}
