package ui

import (
	"testing"
	"time"

	"vestibule/internal/i18n"
)

func TestLongDay(t *testing.T) {
	day := time.Date(2026, 9, 3, 0, 0, 0, 0, time.UTC)
	for l, want := range map[i18n.Lang]string{i18n.English: "September 3, 2026", i18n.Spanish: "3 de septiembre de 2026"} {
		if got := LongDay(l, day); got != want {
			t.Errorf("%s: %q, want %q", l, got, want)
		}
	}
}
