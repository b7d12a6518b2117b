package income

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/report"
)

// crowd returns n transactions of two years in two accounts, each with a different number
// in its descriptor.
func crowd(n int) (Input, time.Time) {
	r := rand.New(rand.NewPCG(3, 9))
	at := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	lines := []struct {
		share    int
		text     string
		from, to int64
	}{
		{3, "DIRECT DEP NORTHWIND LOGISTICS PAYROLL PPD", 900_00, 1_600_00}, {2, "GLOBEX WIDGETS PAYROLL", 300_00, 400_00},
		{2, "UBER PAYOUT", 20_00, 90_00}, {1, "INTEREST PAYMENT", 1, 5_00}, {2, "ZELLE PAYMENT FROM J RIVERA", 10_00, 90_00},
		{40, "POS DEBIT KROGER", -150_00, -5_00}, {25, "SHELL OIL", -80_00, -20_00}, {25, "SQ *CORNER CAFE", -30_00, -4_00},
	}
	accounts := []bankdata.Account{
		{ID: "a", Type: report.CashEquivalent, Subtype: report.Checking, Balance: 1_000_00},
		{ID: "b", Type: report.CashEquivalent, Subtype: report.Savings, Balance: 1_000_00},
	}
	for i := range n {
		l, pick := 0, r.IntN(100)
		for pick >= lines[l].share {
			pick -= lines[l].share
			l++
		}
		a := &accounts[min(r.IntN(8), 1)^1]
		a.Transactions = append(a.Transactions, bankdata.Transaction{
			ID: fmt.Sprintf("t%06d", i), Posted: report.DateOf(at.AddDate(0, 0, -i*730/n)),
			Amount:      report.Cents(lines[l].from + r.Int64N(lines[l].to-lines[l].from)),
			Description: fmt.Sprintf("%s %06d", lines[l].text, r.IntN(1_000_000)),
		})
	}
	return Input{
		Envelope: report.Envelope{PublicToken: "5c9d3f52-7a2b-4f0e-8f0e-3a6a3d1f0a11", InputSource: report.ConsumerInput}, State: "TX",
		StatedEmployers: []string{"Northwind Logistics, Inc.", "Globex"}, Bank: bank(accounts...),
		Options: Options{Suite: Suite20, Inflows: true},
	}, at
}

func BenchmarkReport(b *testing.B) {
	for _, n := range []int{300, 3_000, 30_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			in, at := crowd(n)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := report.Encode(Build(in, at)); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/transaction")
		})
	}
}

// BenchmarkReportFromLedger measures a report without reading the ledger.
func BenchmarkReportFromLedger(b *testing.B) {
	in, at := crowd(3_000)
	l := bankdata.Read(in.Bank, report.DateOf(at))
	b.ReportAllocs()
	for b.Loop() {
		stated := employersOf(in.StatedEmployers)
		f := read(l, stated)
		f.flows = f.inflowsOf(&in.Bank, stated)
		f.employment(&in, stated)
		f.node(&in, stated)
	}
}
