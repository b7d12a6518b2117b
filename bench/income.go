package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"time"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/analysis/income"
	"vestibule/internal/contract"
	"vestibule/internal/report"
)

// incomeFigures measures the income engine on one core: whole reports, from a
// bank's transactions to JSON, with inflows and the match of the stated employer.
func incomeFigures(ctx context.Context) ([]figure, error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	data, at := earnings(3_000)
	const rounds, times = 15, 10
	var spent []float64 // ns a report, of each round
	for round := range rounds + 1 {
		began := busy()
		for range times {
			if err := incomeReport(data, at); err != nil {
				return nil, err
			}
		}
		if round > 0 { // the first one warms up
			spent = append(spent, (busy()-began)/times)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	speed := rates(spent, func(i int) float64 { return 1_000_000 / spent[i] })
	speed.name, speed.wanted = "income reports of 3,000 transactions, one core", "≥ 1.00"
	speed.ours, speed.peer = fmt.Sprintf("%.0f reports/s", 1e9/quantile(spent, 0.5)), "1000 reports/s"
	return []figure{speed}, nil
}

func incomeReport(d bankdata.Data, at time.Time) error {
	_, err := report.Encode(income.Build(income.Input{
		PublicToken: "5c9d3f52-7a2b-4f0e-8f0e-3a6a3d1f0a11", InputSource: report.ConsumerInput, Bank: d, State: "TX",
		StatedEmployers: []string{"Northwind Logistics, Inc."}, Options: income.Options{Suite: income.Suite20, Inflows: true},
	}, at))
	return err
}

// earnings returns n transactions of two years in two accounts: wages of two employers, a
// gig platform, interest, a benefit, and purchases. Most have a unique number.
func earnings(n int) (bankdata.Data, time.Time) {
	texts := []struct {
		share    int // of 100
		text     string
		from, to int64
	}{
		{3, "DIRECT DEP NORTHWIND LOGISTICS PAYROLL PPD ID", 900_00, 1_600_00}, {2, "ADP WAGE PAY GLOBEX WIDGETS", 300_00, 400_00},
		{2, "UBER PAYOUT", 20_00, 90_00}, {1, "INTEREST PAYMENT", 1, 5_00}, {1, "SSA TREAS XXSOC SEC PPD", 500_00, 510_00},
		{2, "ZELLE PAYMENT FROM J RIVERA CONF", 10_00, 90_00}, {4, "ATM WITHDRAWAL", -200_00, -20_00},
		{3, "VERIZON WIRELESS AUTOPAY", -90_00, -60_00},
		{30, "POS DEBIT KROGER", -150_00, -5_00}, {20, "SHELL OIL", -80_00, -20_00},
		{20, "SQ *CORNER CAFE", -30_00, -4_00}, {12, "AMZN MKTP US", -120_00, -8_00},
	}
	r := rand.New(rand.NewPCG(5, 8))
	at := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	accounts := []bankdata.Account{
		{ID: "a", Type: report.CashEquivalent, Subtype: report.Checking, Balance: 2_400_00},
		{ID: "b", Type: report.CashEquivalent, Subtype: report.Savings, Balance: 900_00},
	}
	for i := range n {
		k, pick := 0, r.IntN(100)
		for ; pick >= texts[k].share; k++ {
			pick -= texts[k].share
		}
		a := &accounts[min(r.IntN(8), 1)^1] // one in eight is the second account's
		a.Transactions = append(a.Transactions, bankdata.Transaction{
			ID: fmt.Sprintf("t%06d", i), Posted: report.DateOf(at.AddDate(0, 0, -i*730/n)),
			Amount:      report.Cents(texts[k].from + r.Int64N(texts[k].to-texts[k].from)),
			Description: fmt.Sprintf("%s %06d", texts[k].text, r.IntN(1_000_000)),
		})
	}
	return bankdata.Data{Connections: []bankdata.Connection{{ID: "1", SourceID: "BANK",
		Status: contract.StatusSuccess, Accounts: accounts}}}, at
}
