package suppliers

import (
	"testing"
	"time"

	"vestibule/internal/analysis/passport"
	"vestibule/internal/analysis/passport/pdf"
	"vestibule/internal/report"
)

// BenchmarkPDF is what a document takes, with the fonts of its script.
func BenchmarkPDF(b *testing.B) {
	at := time.Date(2026, 7, 14, 9, 30, 0, 0, time.UTC)
	for _, code := range []string{"USA_XP", "UKR_CI", "KOR_NICE", "CHN_CCX"} {
		file := Bureaus{}.Fetch(code, link, &passport.Consumer{First: "Ana", Last: "Delinquent"}, at)
		r := passport.Build(passport.Input{Envelope: report.Envelope{PublicToken: link}, File: file, Quote: Bureaus{}.Quote(file.Currency,
			at)}, at)
		b.Run(code, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := pdf.Render(r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
