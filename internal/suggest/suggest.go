// Package suggest finds the name that a mistyped one was meant to be.
package suggest

import (
	"strconv"
	"strings"
)

// maxLength bounds the compared names, in bytes. Longer ones are like no other name.
const maxLength = 64

// Closest returns the name of names that is most like name, or "" if none is like it. Case,
// hyphens and underscores do not count. A third of the characters may differ, at most three.
func Closest(name string, names []string) string {
	closest, least := "", 4
	given := plain(name)
	if given == "" || len(name) > maxLength {
		return ""
	}
	for _, known := range names {
		other := plain(known)
		if d := distance(given, other); d < least && d <= max(len(given), len(other))/3 {
			closest, least = known, d
		}
	}
	return closest
}

// Hint returns what to add to an error about an unknown name: the question which name was meant,
// or the list of names. It quotes known names only.
func Hint(name string, names []string) string {
	if closest := Closest(name, names); closest != "" {
		return "; did you mean " + strconv.Quote(closest) + "?"
	}
	if len(names) == 0 {
		return ""
	}
	return "; known are " + strings.Join(names, ", ")
}

func plain(s string) string {
	return strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(s))
}

// distance returns how many bytes to insert, delete, replace, or swap with their neighbor, to
// make a out of b (optimal string alignment).
func distance(a, b string) int {
	var before, last, row [maxLength + 1]int
	b = b[:min(len(b), maxLength)]
	for j := range b {
		last[j+1] = j + 1
	}
	for i := range a {
		row[0] = i + 1
		for j := range b {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(row[j]+1, last[j+1]+1, last[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
