package paystub

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"vestibule/internal/analysis/paystub/pdf"
	"vestibule/internal/laws"
	"vestibule/internal/report"
)

// daysUntil2080, from the beginning of 1980: the hundred years of which a year
// of two digits tells.
const daysUntil2080 = 100*365 + 25

// TestAmountsAndDatesComeBack from every way in which they are printed.
func TestAmountsAndDatesComeBack(t *testing.T) {
	laws.Check(t, func(t *rapid.T) {
		c := report.Cents(rapid.Int64Range(0, 99_999_999_99).Draw(t, "amount"))
		text := c.String()
		if rapid.Bool().Draw(t, "commas") {
			for i := len(text) - 6; i > 0; i -= 3 {
				text = text[:i] + "," + text[i:]
			}
		}
		if got, ok := money(text); !ok || got != c {
			t.Fatalf("money(%q) = %d, %v, want %d", text, got, ok, c)
		}
		for _, negative := range []string{"-" + text, text + "-", "(" + text + ")", "-$" + text} {
			if got, ok := money(negative); !ok || got != -c {
				t.Fatalf("money(%q) = %d, %v, want %d", negative, got, ok, -c)
			}
		}
		day := report.DateOf(time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, rapid.IntRange(0, daysUntil2080-1).Draw(t, "day")))
		for _, layout := range []string{"01/02/2006", "1/2/2006", "1/2/06", "2006-01-02", "01-02-2006", "Jan 2, 2006", "January 2, 2006", "2 Jan 2006", "Monday, January 2, 2006"} {
			if layout == "1/2/06" && day.Year() < 2000 {
				continue // which of two centuries, the text does not tell
			}
			if got, _, state := dateIn(day.Format(layout)); state != goodDate || !got.Equal(day.Time) {
				t.Fatalf("dateIn(%q) = %s, %d", day.Format(layout), got, state)
			}
		}
	})
}

// TestARunIsCutWithoutLosingLetters but spaces and leaders.
func TestARunIsCutWithoutLosingLetters(t *testing.T) {
	laws.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.SampledFrom([]rune("ab1é. \u00a0\t"))).Draw(t, "text")
		r := pdf.Run{Text: text, X: 10, End: 10 + 5*float64(len([]rune(text)))}
		var kept, want string
		edge := 10.0
		for _, c := range cut(&r, 0, 0) {
			if c.x0 < edge-0.001 || c.x1 > r.End+0.001 {
				t.Fatalf("%q: %q stands from %g to %g", text, c.text, c.x0, c.x1)
			}
			edge = c.x1
			kept += c.text
		}
		for _, c := range text {
			if c == 'a' || c == 'b' || c == '1' || c == 'é' {
				want += string(c)
			}
		}
		got := ""
		for _, c := range kept {
			if c == 'a' || c == 'b' || c == '1' || c == 'é' {
				got += string(c)
			}
		}
		if got != want {
			t.Fatalf("%q: %q", text, got)
		}
	})
}
