//go:build linux

package main

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the peer: the engine that the product has embedded

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/analysis/cashflow"
	"vestibule/internal/contract"
	"vestibule/internal/report"
)

// engineFigures measures cashflow's engine on one core: whole reports, from a bank's transactions to JSON, with categories,
// streams, 120 attributes, and the score. Their peer is SQLite, which computes 95 windowed sums over the same transactions
// with their categories: one statement, one scan, integers only.
func engineFigures(ctx context.Context, _ string) ([]figure, error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const usual, least, most = 3_000, 300, 100_000
	data, at := bankData(usual)
	small, _ := bankData(least)
	large, _ := bankData(most)
	sums, closeSums, err := windowedSums(data, at)
	if err != nil {
		return nil, err
	}
	defer closeSums()
	cashflowOf := func(d bankdata.Data) func() error {
		return func() error { return encode(cashflowReport(d, at)) }
	}
	spent, err := alternate(ctx, 15, busy,
		contestant{10, cashflowOf(data)}, contestant{1, sums}, contestant{100, cashflowOf(small)}, contestant{1, cashflowOf(large)})
	if err != nil {
		return nil, err
	}
	aTransaction := func(s series, n float64) series { return s.each(func(ns float64) float64 { return ns / n }) }
	limit := series{1_000_000} // 1,000 reports a second
	return []figure{
		compareRates("cashflow reports of 3,000 transactions, one core", "≥ 1.00", spent[0], limit),
		compareRates("  beside SQLite's 95 windowed sums", "≥ 10", spent[0], spent[1]),
		compare("a transaction's cost, of 100,000 / of 300", "≤ 1.30", unit("%.0f ns", 1),
			aTransaction(spent[3], most), aTransaction(spent[2], least)),
	}, nil
}

const publicToken = "5c9d3f52-7a2b-4f0e-8f0e-3a6a3d1f0a11"

func encode(r any) error {
	_, err := report.Encode(r)
	return err
}

func cashflowReport(d bankdata.Data, at time.Time) any {
	return cashflow.Build(cashflow.Input{Envelope: report.Envelope{PublicToken: publicToken}, Bank: d,
		Options: cashflow.Options{Attributes: true}}, at)
}

// lines are kinds of transactions: how many of 100, the text, and cents. In a text, %n is a number, %c a code, %t a town, %s a
// shop with its town, and %p a name. The engine classifies repeated words once: of 3,000 texts, 500 differ even without
// their numbers and codes, which is like the texts of banks.
var lines = []struct {
	share    int
	text     string
	from, to int64
}{
	{4, "DIRECT DEP NORTHWIND LOGISTICS PAYROLL PPD ID %n", 900_00, 1_600_00},
	{2, "UBER PAYOUT %n", 20_00, 90_00},
	{2, "MOBILE CHECK DEPOSIT REF %n", 20_00, 400_00},
	{2, "ZELLE PAYMENT FROM %p CONF %c", 10_00, 90_00},
	{2, "ACH WEB PMT CEDAR COURT APARTMENTS RENT %n", -1_400_00, -1_300_00},
	{2, "ACH DEBIT TOYOTA FINANCIAL AUTO LOAN PMT %n", -420_00, -400_00},
	{2, "ONLINE PMT CAPITAL ONE CREDIT CARD PAYMENT %n", -400_00, -40_00},
	{3, "AUSTIN ENERGY UTILITY BILL PAY %n", -160_00, -60_00},
	{3, "VERIZON WIRELESS AUTOPAY %n", -90_00, -60_00},
	{3, "NETFLIX.COM SUBSCRIPTION %n", -20_00, -15_00},
	{21, "POS DEBIT KROGER #%n %t", -150_00, -5_00},
	{10, "SHELL OIL %n %t", -80_00, -20_00},
	{10, "SQ *%n %s", -30_00, -4_00},
	{8, "CHECKCARD %n %s", -90_00, -5_00},
	{11, "AMZN MKTP US*%c", -120_00, -8_00},
	{4, "TST* CORNER CAFE %n %t", -30_00, -4_00},
	{4, "ATM WITHDRAWAL %n CONGRESS AVE", -200_00, -20_00},
	{1, "OVERDRAFT ITEM FEE %n", -36_00, -34_00},
	{2, "ONLINE TRANSFER TO SAVINGS XXXXXX7718 %n", -200_00, -50_00},
	{2, "ZELLE PAYMENT TO %p CONF %c", -90_00, -10_00},
	{2, "FARMSTEAD GOODS LLC %n", -90_00, -10_00},
}

// bankData returns n transactions of two years in two accounts.
func bankData(n int) (bankdata.Data, time.Time) {
	r := rand.New(rand.NewPCG(2, 2))
	at := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	accounts := []bankdata.Account{
		{ID: "a", Type: report.CashEquivalent, Subtype: report.Checking, Balance: 2_400_00},
		{ID: "b", Type: report.CashEquivalent, Subtype: report.Savings, Balance: 900_00},
	}
	for i := range n {
		k, pick := 0, r.IntN(100)
		for ; pick >= lines[k].share; k++ {
			pick -= lines[k].share
		}
		a := &accounts[min(r.IntN(8), 1)^1] // one in eight is the second account's
		a.Transactions = append(a.Transactions, bankdata.Transaction{
			ID: fmt.Sprintf("t%06d", i), Posted: report.DateOf(at.AddDate(0, 0, -i*730/n)),
			Amount: report.Cents(lines[k].from + r.Int64N(lines[k].to-lines[k].from)), Description: descriptor(r, lines[k].text),
		})
	}
	return bankdata.Data{Connections: []bankdata.Connection{{ID: "1", SourceID: "BANK",
		Status: contract.StatusSuccess, Accounts: accounts}}}, at
}

var (
	towns  = strings.Split("AUSTIN TX,ROUND ROCK TX,SAN MARCOS TX,SAN ANTONIO TX,HOUSTON TX,DALLAS TX,TULSA OK,NEW ORLEANS LA,DENVER CO", ",")
	kinds  = strings.Fields("CAFE GRILL BAKERY BOOKS HARDWARE SALON PHARMACY TIRES TAQUERIA VET NURSERY STUDIO MARKET")
	first  = strings.Fields("BLUE RED LAKE OAK PINE RIVER HILL SUNNY GOLDEN SILVER IRON STONE NORTH SOUTH OLD GREEN COPPER")
	second = strings.Fields("HERON STAR MILL GATE BRIDGE CREEK DOOR TABLE WHEEL ANCHOR LANTERN FIELD CROWN FOX BEAR ROSE BARREL KETTLE KEY")
	given  = strings.Fields("ALEX SAM JORDAN CASEY RILEY MORGAN TAYLOR JAMIE AVERY QUINN ROWAN")
	family = strings.Fields("RIVERA CHEN OKAFOR NOVAK SINGH HAYES LARSEN COHEN MORALES BAUER")
)

// descriptor fills in the text of a line.
func descriptor(r *rand.Rand, text string) string {
	town := towns[max(0, r.IntN(3*len(towns))-2*len(towns))]        // two in three at home
	shop, friend := int(r.ExpFloat64()*150), int(r.ExpFloat64()*12) // most are rare
	return strings.NewReplacer(
		"%n", fmt.Sprintf("%06d", r.IntN(1_000_000)), "%c", fmt.Sprintf("%09X", r.Int64N(1<<36)), "%t", town,
		"%s", strings.Join([]string{first[shop%len(first)], second[shop%len(second)], kinds[shop%len(kinds)], towns[max(0, shop%27-18)]}, " "),
		"%p", given[friend%len(given)]+" "+family[friend%len(family)],
	).Replace(text)
}

// windowedSums returns a function by which SQLite computes sums of 19 kinds of transactions in the
// windows 1M, 3M, 6M, 12M, and 12R, from the same transactions in memory.
func windowedSums(d bankdata.Data, at time.Time) (run, closeDB func() error, err error) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, nil, err
	}
	db.SetMaxOpenConns(1)
	if _, err := db.Exec(`CREATE TABLE tx (day INTEGER, amount INTEGER, leaf INTEGER, own INTEGER)`); err != nil {
		return nil, nil, err
	}
	for _, e := range bankdata.Read(d, report.DateOf(at)).Entries {
		if _, err := db.Exec(`INSERT INTO tx VALUES (?, ?, ?, ?)`, int(e.Day), int64(e.Amount), int(e.Leaf), e.Own); err != nil {
			return nil, nil, err
		}
	}
	kinds := []string{"amount > 0", "amount < 0", "amount > 0 AND NOT own", "amount < 0 AND NOT own"}
	for n := range 15 { // of one to seven categories, as the attributes have
		var leaves []string
		for i := range 1 + n/2 {
			leaves = append(leaves, fmt.Sprint(int(bankdata.Leaves()[(n+3*i)%len(bankdata.Leaves())])))
		}
		kinds = append(kinds, "leaf IN ("+strings.Join(leaves, ", ")+")")
	}
	month := report.DateOf(time.Date(at.Year(), at.Month(), 1, 0, 0, 0, 0, time.UTC))
	var columns []string
	var into []any
	for _, w := range []struct {
		end    report.Date
		months int
	}{{month, 1}, {month, 3}, {month, 6}, {month, 12}, {report.DateOf(at), 12}} {
		for _, kind := range kinds {
			columns = append(columns, fmt.Sprintf("coalesce(sum(amount) FILTER (WHERE day >= %d AND day < %d AND %s), 0)",
				bankdata.DayOf(bankdata.MonthsBefore(w.end, w.months)), bankdata.DayOf(w.end), kind))
			into = append(into, new(int64))
		}
	}
	stmt, err := db.Prepare("SELECT " + strings.Join(columns, ",\n") + " FROM tx")
	if err != nil {
		return nil, nil, err
	}
	return func() error { return stmt.QueryRow().Scan(into...) }, db.Close, nil
}
