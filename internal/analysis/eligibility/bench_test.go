package eligibility

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/report"
)

// BenchmarkReport measures a report of both workflows: a job, and n transactions of two
// years in two accounts, each with a different number in its descriptor.
func BenchmarkReport(b *testing.B) {
	for _, n := range []int{300, 3_000, 30_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			r := rand.New(rand.NewPCG(3, 9))
			at := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
			accounts := []bankdata.Account{cash(), cash()}
			accounts[1].ID = "b"
			for i := range n {
				x := texts[r.IntN(len(texts))]
				a := &accounts[r.IntN(2)]
				a.Transactions = append(a.Transactions, bankdata.Transaction{
					ID: fmt.Sprintf("t%06d", i), Posted: report.DateOf(at.AddDate(0, 0, -i*730/n)),
					Amount: report.Cents(x.from + r.Int64N(x.to-x.from)), Description: fmt.Sprintf("%s %06d", x.text, r.IntN(1_000_000)),
				})
			}
			in := full(report.IncomeAndAssets)
			in.Bank = bank(accounts...)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := report.Encode(Build(in, at)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
