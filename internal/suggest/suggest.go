// Package suggest finds the name that a mistyped one was meant to be.
package suggest

import "strings"

// Closest returns the name of names that is most like name, or "" if none is like it. Case,
// hyphens and underscores do not count. A third of the bytes after an equal part up to a dot may differ, at most three,
// unless name begins one of the names only.
func Closest(name string, names []string) (closest string) {
	least, given := 4, plain(name[:min(len(name), 64)]) // longer names are like none
	var begun []string
	for _, known := range names {
		other := plain(known)
		if len(given) > 2 && strings.HasPrefix(other, given) {
			begun = append(begun, known)
		}
		shared := len(other) - len(strings.TrimPrefix(other, given[:strings.LastIndexByte(given, '.')+1]))
		if d := distance(given, other); d < least && d <= max(len(given), len(other))/3-shared/3 {
			closest, least = known, d
		}
	}
	if closest == "" && len(begun) == 1 {
		return begun[0]
	}
	return closest
}

// Hint returns what to add to an error about an unknown name: the question which name was meant,
// or the list of names. It quotes known names only.
func Hint(name string, names []string) string {
	if closest := Closest(name, names); closest != "" {
		return `; did you mean "` + closest + `"?`
	}
	if len(names) == 0 {
		return ""
	}
	return "; known are " + strings.Join(names, ", ")
}

func plain(s string) string { return strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(s)) }

// distance returns how many bytes to insert, delete, replace, or swap with their neighbor, to
// make a out of b (optimal string alignment).
func distance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		for j := range rows[i] {
			switch {
			case i == 0 || j == 0:
				rows[i][j] = i + j
			case a[i-1] == b[j-1]:
				rows[i][j] = rows[i-1][j-1]
			default:
				rows[i][j] = 1 + min(rows[i-1][j], rows[i][j-1], rows[i-1][j-1])
				if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
					rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
				}
			}
		}
	}
	return rows[len(a)][len(b)]
}
