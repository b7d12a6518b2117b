package search

import "time"

// ParseDay parses a day of a filter, such as 2026-01-31, in UTC. "" gives the zero time.
// It returns false for text that is not a day from 1970 to 2199.
func ParseDay(s string) (time.Time, bool) {
	if s == "" {
		return time.Time{}, true
	}
	t, err := time.ParseInLocation(time.DateOnly, s, time.UTC)
	return t, err == nil && t.Year() >= 1970 && t.Year() < 2200
}

// FormatDay formats a day for ParseDay; the zero time gives "".
func FormatDay(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.DateOnly)
}
