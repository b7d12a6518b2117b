package bankdata

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"vestibule/internal/report"
)

// household makes two years of a household with n transactions in three accounts. Some
// descriptors never repeat, as at real banks.
func household(n int, seed uint64) (Data, report.Date) {
	r := rand.New(rand.NewPCG(seed, 1))
	fetch := day("2026-07-15")
	end := DayOf(fetch)
	forms := []string{
		"POS PURCHASE KROGER #%04d COLUMBUS OH", "ACME MANUFACTURING DES:PAYROLL ID:%08d INDN:PAT DOE CO ID:1234567890 PPD",
		"CHECKCARD %04d SHELL OIL 57442 SAN ANTONIO TX", "NETFLIX.COM", "ONLINE TRANSFER TO SAVINGS XXXXXX1234 REF #IB%06d",
		"ZELLE TO JORDAN ON 03/%02d REF #PP0XYZ", "AMZN MKTP US*2K%04dXYZ AMZN.COM/BILLWA", "VERIZON WIRELESS PAYMENT",
		"SQ *CORNER COFFEE HOUSE", "DEBIT CARD PURCHASE MAIN STREET HARDWARE SHAWNEE KS", "OVERDRAFT FEE", "ATM WITHDRAWAL %06d 12 MAIN ST",
		"PG&E WEB ONLINE", "TARGET T-%04d", "Interest Payment", "UBER TRIP HELP.UBER.COM", "OAK HILL APARTMENTS RENT WEB PMTS",
		"MOBILE DEPOSIT", "GEICO AUTO", "CHASE CREDIT CRD AUTOPAY PPD ID: %010d", "SOMETHING UNKNOWN %d HERE", "TST* THE LOCAL TAVERN",
	}
	d := Data{Connections: []Connection{{Accounts: []Account{
		{ID: "a", Type: report.CashEquivalent, Subtype: report.Checking, Balance: 123456},
		{ID: "b", Type: report.CashEquivalent, Subtype: report.Savings, Balance: 987654},
		{ID: "c", Type: report.CashEquivalent, Subtype: report.Checking, Balance: -1200},
	}}}}
	for i := range n {
		a := &d.Connections[0].Accounts[r.IntN(10)%4%3]
		form := forms[r.IntN(len(forms))]
		if strings.Contains(form, "%") {
			form = fmt.Sprintf(form, r.IntN(10_000))
		}
		amount := report.Cents(r.IntN(200_00) - 130_00)
		a.Transactions = append(a.Transactions, Transaction{
			ID: fmt.Sprintf("tx%06d", i), Posted: (end - Day(i*729/n)).Date(), Amount: amount, Description: form,
		})
	}
	return d, fetch
}

func BenchmarkRead(b *testing.B) {
	for _, n := range []int{300, 3_000, 30_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			d, fetch := household(n, 1)
			b.ReportAllocs()
			for b.Loop() {
				Read(d, fetch)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/transaction")
		})
	}
}

func BenchmarkCategorize(b *testing.B) {
	t := Transaction{Description: "CHECKCARD 0412 SHELL OIL 57442 SAN ANTONIO TX 24692160102100000000000"}
	b.ReportAllocs()
	r := newReader()
	for b.Loop() {
		r.read(&t)
		r.verdicts()
		r.party()
	}
}
