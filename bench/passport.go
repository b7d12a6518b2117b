package main

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"time"

	"vestibule/internal/analysis/passport"
	"vestibule/internal/analysis/passport/pdf"
	"vestibule/internal/provider/sandbox/suppliers"
	"vestibule/internal/report"
)

// passportFigures measures the passport's PDF on one core, from the report to the
// document: the average of all suppliers, and the slowest one, which needs the font of
// another script.
func passportFigures(ctx context.Context) ([]figure, error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	all := passports()
	const rounds = 10
	const limit = 50.0                  // ms a document
	var average []float64               // ms, of each round
	each := make([][]float64, len(all)) // ms, of each supplier and round
	for round := range rounds + 1 {
		sum := 0.0
		for i, r := range all {
			began := busy()
			if _, err := pdf.Render(r); err != nil {
				return nil, err
			}
			took := (busy() - began) / 1e6
			if sum += took; round > 0 { // the first one warms up
				each[i] = append(each[i], took)
			}
		}
		if round > 0 {
			average = append(average, sum/float64(len(all)))
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	slowest := slices.MaxFunc(each, func(a, b []float64) int { return cmp.Compare(quantile(a, 0.5), quantile(b, 0.5)) })
	of := func(name string, spent []float64) figure {
		f := rates(spent, func(i int) float64 { return spent[i] / limit })
		f.name, f.wanted = name, "≤ 1.00"
		f.ours, f.peer = fmt.Sprintf("%.1f ms", quantile(spent, 0.5)), fmt.Sprintf("%.0f ms", limit)
		return f
	}
	return []figure{of("passport PDF, average of 26 suppliers, one core", average), of("passport PDF, the slowest of them", slowest)}, nil
}

// passports returns a report of each supplier.
func passports() (out []report.Passport) {
	const token = "5c9d3f52-7a2b-4f0e-8f0e-3a6a3d1f0a11"
	at := time.Date(2026, 7, 14, 9, 30, 0, 0, time.UTC)
	who := passport.Consumer{First: "Ana", Last: "Delinquent", Emails: []string{"ana@mail.example"}}
	for _, s := range report.Suppliers() {
		file := suppliers.Bureaus{}.Fetch(s.Code, token, &who, at)
		out = append(out, passport.Build(passport.Input{PublicToken: token, InputSource: report.ConsumerInput, Consumer: &who,
			File: file, Quote: suppliers.Bureaus{}.Quote(file.Currency, at)}, at))
	}
	return out
}
