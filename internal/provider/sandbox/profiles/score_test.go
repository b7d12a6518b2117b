package profiles

import (
	"slices"
	"testing"
	"time"

	"vestibule/internal/analysis/cashflow"
)

// TestProfileScores checks the profiles against their defined scores on a year of fetch
// dates: not the sum alone, but the points of every bin, so that each attribute stays
// within its cell.
func TestProfileScores(t *testing.T) {
	for _, c := range []struct {
		profile string
		points  []int // by bin, A to M
		score   int
	}{
		{"default", []int{40, 29, 50, 46, 55, 35, 27, 17, 20, 16, 0, 20, 30}, 685},
		{"single", []int{25, 0, 20, 29, 48, 28, 16, 17, 20, 24, 0, 20, 30}, 577},
		{"multi", []int{68, 38, 50, 46, 55, 35, 27, 37, 20, 16, 7, 20, 30}, 749},
		{"joint", []int{68, 29, 50, 65, 55, 40, 16, 37, 28, 16, 0, 20, 30}, 754},
		{"noincome", nil, 0},
	} {
		t.Run(c.profile, func(t *testing.T) {
			t.Parallel()
			for n, when := range fetchDates(t) {
				data := Bank{}.Fetch(c.profile, link, when)
				if got := cashflow.Points(data, when); !slices.Equal(got, c.points) {
					t.Errorf("on %s the bins give %v, want %v", when.Format(time.DateOnly), got, c.points)
				}
				if n%40 != 0 {
					continue
				}
				r := cashflow.Build(cashflow.Input{Bank: data, Options: cashflow.Options{Attributes: true}}, when)
				if v := r.Scores[0].Value; c.points == nil && v != nil || c.points != nil && *v != c.score {
					t.Errorf("on %s the score is %v, want %d", when.Format(time.DateOnly), v, c.score)
				}
			}
		})
	}
}
