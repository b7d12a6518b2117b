package cashflow

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/contract"
	"vestibule/internal/report"
)

// crowd returns n transactions of two years in three accounts, most of them with recurring
// merchants.
func crowd(n int) (bankdata.Data, time.Time) {
	r := rand.New(rand.NewPCG(3, 9))
	at := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	accounts := make([]bankdata.Account, 3)
	for i := range accounts {
		accounts[i] = bankdata.Account{ID: fmt.Sprint(i), Type: report.CashEquivalent,
			Subtype: []string{report.Checking, report.Savings, report.Other}[i], Balance: 1_000_00}
	}
	for i := range n {
		d := descriptors[r.IntN(len(descriptors))]
		a := &accounts[r.IntN(3)]
		a.Transactions = append(a.Transactions, bankdata.Transaction{
			ID: fmt.Sprintf("t%06d", i), Posted: report.DateOf(at.AddDate(0, 0, -i*730/n)),
			Amount: report.Cents(d.from + r.Int64N(d.to-d.from)), Description: fmt.Sprintf("%s %04d", d.text, r.IntN(10_000)),
		})
	}
	return bankdata.Data{Connections: []bankdata.Connection{{ID: "1", SourceID: "BANK",
		Status: contract.StatusSuccess, Accounts: accounts}}}, at
}

func encodedReport(d bankdata.Data, at time.Time) ([]byte, error) {
	return report.Encode(Build(Input{Bank: d, Options: Options{Attributes: true}}, at))
}

func BenchmarkReport(b *testing.B) {
	d, at := crowd(3000)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := encodedReport(d, at); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	d, at := crowd(3000)
	b.ReportAllocs()
	for b.Loop() {
		bankdata.Read(d, report.DateOf(at))
	}
}

func BenchmarkAttributesAndScore(b *testing.B) {
	d, at := crowd(3000)
	l := bankdata.Read(d, report.DateOf(at))
	b.ReportAllocs()
	for b.Loop() {
		var r report.Cashflow
		Options{Attributes: true}.analyze(&r, l, []string{"BANK"})
	}
}

// TestReportMemory checks that a report of 3000 transactions allocates at most 2 MB.
func TestReportMemory(t *testing.T) {
	d, at := crowd(3000)
	const times = 5
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range times {
		if _, err := encodedReport(d, at); err != nil {
			t.Fatal(err)
		}
	}
	runtime.ReadMemStats(&after)
	if n := (after.TotalAlloc - before.TotalAlloc) / times; n > 2_000_000 {
		t.Errorf("a report takes %d bytes, want 2 MB at most", n)
	}
}
