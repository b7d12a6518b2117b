package main

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/analysis/eligibility"
	"vestibule/internal/analysis/income"
	"vestibule/internal/report"
)

// eligibilityFigures measures whole eligibility reports of income and assets on one
// core, from a bank's transactions and a year of weekly pay to JSON.
func eligibilityFigures(ctx context.Context) ([]figure, error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	data, at := earnings(3_000)
	paid := weekly(at)
	const rounds, times = 15, 10
	var spent []float64 // ns a report, of each round
	for round := range rounds + 1 {
		began := busy()
		for range times {
			if err := eligibilityReport(data, paid, at); err != nil {
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
	speed.name, speed.wanted = "eligibility reports of 3,000 transactions, one core", "≥ 1.00"
	speed.ours, speed.peer = fmt.Sprintf("%.0f reports/s", 1e9/quantile(spent, 0.5)), "1000 reports/s"
	return []figure{speed}, nil
}

func eligibilityReport(d bankdata.Data, paid income.Payroll, at time.Time) error {
	_, err := report.Encode(eligibility.Build(eligibility.Input{
		PublicToken: "5c9d3f52-7a2b-4f0e-8f0e-3a6a3d1f0a11", InputSource: report.ConsumerInput, Bank: d,
		StatedEmployers: []string{"Northwind Logistics, Inc.", "Globex"},
		Gathered:        eligibility.Gathered{Payroll: []eligibility.Connected{{Payroll: paid}}, Skipped: map[string]string{"Globex": "OTHER"}},
	}, at))
	return err
}

// weekly returns a job that was paid every week of the previous year.
func weekly(at time.Time) income.Payroll {
	j := income.Job{Employer: "Northwind Logistics", Status: report.EmploymentActive, Frequency: report.PayWeekly,
		Deposits: []income.Deposit{{Institution: "Harbor National Bank", Mask: "7301"}}}
	for week := range 52 {
		day := report.DateOf(at.AddDate(0, 0, -7*week))
		j.Statements = append(j.Statements, income.Statement{PayDate: day, Start: day, End: day, Hours: 40_00,
			Gross: 1_000_00, GrossYTD: 9_000_00, Net: 800_00, NetYTD: 7_200_00})
	}
	return income.Payroll{ID: "1", SourceID: "PAYWRIGHT", Provider: "Paywright", Type: income.ProviderPayroll, Jobs: []income.Job{j}}
}
