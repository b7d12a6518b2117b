package applications

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/journey"
	"vestibule/internal/store"
	"vestibule/internal/testutil/storetest"
)

// TestList creates six applications a minute apart, two of them
// at the same time.
func TestList(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		b := newTestServer(t, db)
		began := b.clock
		products := []contract.Product{contract.Cashflow, contract.Income, contract.Cashflow,
			contract.Passport, contract.Income, contract.Cashflow}
		for i, p := range products {
			if i != 3 {
				b.advanceClock(time.Minute)
			}
			b.tx(func(ctx context.Context, tx *store.Tx) error {
				a, _, err := b.Create(ctx, tx, New{Product: p, Origin: FromAPI, ExternalID: fmt.Sprintf("case_%d", i)})
				if err == nil && i == 5 {
					_, _, err = b.Begin(ctx, tx, a.ID, Embedded)
				}
				return err
			})
		}
		for _, tc := range []struct {
			name string
			f    Filter
			want string
		}{
			{"all", Filter{}, "5 4 3 2 1 0"},
			{"one a page", Filter{Limit: 1}, "5 4 3 2 1 0"},
			{"by product", Filter{Product: contract.Cashflow, Limit: 2}, "5 2 0"},
			{"by state", Filter{State: string(journey.Connecting)}, "5"},
			{"by external id", Filter{ExternalID: "case_3"}, "3"},
			{"an external id is no pattern", Filter{ExternalID: "case%"}, ""},
			{"since a time", Filter{From: began.Add(3 * time.Minute), Limit: 2}, "5 4 3 2"},
			{"before a time", Filter{To: began.Add(3 * time.Minute)}, "1 0"},
			{"of a minute, by product", Filter{From: began.Add(3 * time.Minute), To: began.Add(4 * time.Minute), Product: contract.Passport}, "3"},
		} {
			var got []string
			for pages := 0; ; pages++ {
				page, next, err := b.List(t.Context(), tc.f)
				if err != nil || pages > len(products) {
					t.Fatalf("%s: page %d: %v", tc.name, pages, err)
				}
				for _, a := range page {
					got = append(got, strings.TrimPrefix(a.ExternalID, "case_"))
				}
				if tc.f.Cursor = next; next == "" {
					break
				}
			}
			// Two created at the same time are ordered by their random IDs.
			if i := slices.Index(got, "2"); i >= 0 && i+1 < len(got) && got[i+1] == "3" {
				got[i], got[i+1] = "3", "2"
			}
			if s := strings.Join(got, " "); s != tc.want {
				t.Errorf("%s: %s, want %s", tc.name, s, tc.want)
			}
		}
		for _, bad := range []string{"x", "1", "1.x", "x.2f5c7a52-8f0b-4d53-9a5e-0d2f6f3c9b11"} {
			if _, _, err := b.List(t.Context(), Filter{Cursor: bad}); !errors.Is(err, store.ErrCursor) {
				t.Errorf("cursor %q: %v, want store.ErrCursor", bad, err)
			}
		}
	})
}
