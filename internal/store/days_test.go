package store_test

import (
	"testing"
	"time"
	_ "time/tzdata"

	"vestibule/internal/store"
	"vestibule/internal/testutil/storetest"
)

// TestDayNumber counts days of New York in 2026: March 8 has 23 hours, November 1 has 25.
func TestDayNumber(t *testing.T) {
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	storetest.Each(t, store.Provider, func(t *testing.T, db *store.DB) {
		for _, from := range []time.Time{time.Date(2026, 3, 7, 0, 0, 0, 0, zone), time.Date(2026, 10, 31, 0, 0, 0, 0, zone),
			time.Date(2026, 1, 1, 0, 0, 0, 0, zone), time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)} {
			for day := range 366 {
				first := from.AddDate(0, 0, day)
				for _, at := range []time.Time{first, first.AddDate(0, 0, 1).Add(-time.Microsecond)} {
					var got int
					if err := db.SQL.QueryRowContext(t.Context(), "SELECT "+store.DayNumber("t.at", "$1", from)+
						" FROM (SELECT CAST($2 AS BIGINT) AS at) AS t", store.Micros(from), store.Micros(at)).Scan(&got); err != nil || got != day {
						t.Fatalf("%s is day %d since %s, want %d: %v", at, got, from, day, err)
					}
				}
			}
		}
	})
}
