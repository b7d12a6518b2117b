package ui

import (
	"testing"
	"time"

	"vestibule/internal/i18n"
)

func TestChange(t *testing.T) {
	for _, tc := range []struct {
		now, before int64
		en, es      string
	}{
		{56, 50, "12% more than Nov 12 to 18", "12% más que del 12 al 18 nov"},
		{44, 50, "12% less than Nov 12 to 18", "12% menos que del 12 al 18 nov"},
		{1000, 1001, "Same as Nov 12 to 18", "Igual que del 12 al 18 nov"},
		{3, 1, "200% more than Nov 12 to 18", "200% más que del 12 al 18 nov"},
		{2, 3, "33% less than Nov 12 to 18", "33% menos que del 12 al 18 nov"},
		{0, 7, "Nov 12 to 18: 7", "del 12 al 18 nov: 7"},
		{7, 0, "Nov 12 to 18: 0", "del 12 al 18 nov: 0"},
		{0, 0, "", ""},
	} {
		for l, want := range map[i18n.Lang]string{i18n.English: tc.en, i18n.Spanish: tc.es} {
			days := DaysWords(l, date("2026-11-12"), date("2026-11-18"))
			if got := change(l, tc.now, tc.before, days); got != want {
				t.Errorf("%d after %d: %q, want %q", tc.now, tc.before, got, want)
			}
		}
	}
}

func TestDaysWords(t *testing.T) {
	for _, tc := range []struct{ first, last, en, es string }{
		{"2026-11-12", "2026-11-12", "Nov 12", "el 12 nov"},
		{"2026-10-28", "2026-11-03", "Oct 28 to Nov 3", "del 28 oct al 3 nov"},
		{"2025-12-28", "2026-01-03", "Dec 28, 2025 to Jan 3, 2026", "del 28 dic 2025 al 3 ene 2026"},
	} {
		for l, want := range map[i18n.Lang]string{i18n.English: tc.en, i18n.Spanish: tc.es} {
			if got := DaysWords(l, date(tc.first), date(tc.last)); got != want {
				t.Errorf("%s to %s: %q, want %q", tc.first, tc.last, got, want)
			}
		}
	}
}

func date(s string) time.Time {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		panic(err)
	}
	return t
}
