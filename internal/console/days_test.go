package console_test

import (
	"fmt"
	"net/url"
	"testing"
	"time"

	"vestibule/internal/console"
)

func TestReadDays(t *testing.T) {
	now := time.Date(2026, 5, 31, 23, 59, 0, 0, time.FixedZone("", -3600)) // June 1 in UTC
	for query, want := range map[string]string{
		"":                              "2026-05-03 2026-06-01 30 days, period 30",
		"days=7":                        "2026-05-26 2026-06-01 7 days, period 7",
		"from=&to=":                     "2026-05-03 2026-06-01 30 days, period 30",
		"from=2026-05-30":               "2026-05-30 2026-06-01 3 days, period 0",
		"to=2026-05-30&days=7":          "2026-05-24 2026-05-30 7 days, period 0",
		"from=2026-05-05&to=2026-05-01": "2026-05-01 2026-05-05 5 days, period 0",
		"from=2999-01-01":               "2026-06-01 2026-06-01 1 days, period 0",
		"from=2000-01-01":               "2026-03-04 2026-06-01 90 days, period 0",
		"from=2026-05-30&compare=":      "2026-05-30 2026-06-01 3 days, period 0",
		"from=2026-05-30&compare=year":  "2026-05-30 2026-06-01 3 days, period 0, year from 2025-05-30",
		"days=7&compare=day&since=":     "2026-05-26 2026-06-01 7 days, period 7",
		"compare=day&since=2026-01-02":  "2026-05-03 2026-06-01 30 days, period 30, day from 2026-01-02",
		"compare=day&since=2026-05-03":  "refused",
		"compare=month":                 "refused",
		"since=x":                       "refused",
		"days=8":                        "refused",
		"days=x":                        "refused",
		"from=2026-02-30":               "refused",
		"to=9999-01-01":                 "refused",
	} {
		q, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		got := "refused"
		if d, ok := console.ReadDays(q, now, time.UTC, 90); ok {
			got = fmt.Sprintf("%s %s %d days, period %d", console.FormatDay(d.First), console.FormatDay(d.Last), d.Count(), d.Period)
			if d.Compare != "" {
				got += fmt.Sprintf(", %s from %s", d.Compare, console.FormatDay(d.Before))
			} else if d.Before.AddDate(0, 0, d.Count()) != d.First {
				t.Errorf("%q compares with the days from %s", query, d.Before)
			}
			if again, ok := console.ReadDays(d.Params(d.Period), now, time.UTC, 90); !ok || again != d {
				t.Errorf("%q: %+v leads to %+v", query, d, again)
			}
		}
		if got != want {
			t.Errorf("%q: %s, want %s", query, got, want)
		}
	}
}
