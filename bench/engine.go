package main

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"syscall"
	"time"

	_ "modernc.org/sqlite"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/analysis/cashflow"
	"vestibule/internal/contract"
	"vestibule/internal/report"
)

// engineFigures measures the cashflow engine on one core: whole reports, from a
// bank's transactions to JSON, with categories, streams, 120 attributes, and the
// score. The peer is SQLite, which computes 95 of the windowed sums over the same
// transactions with their categories: one statement, one scan, integers only. Both
// alternate within each round.
//
// The engine classifies repeated words once for each report, so its speed depends on the
// number of distinct descriptors. It is measured with few and with many.
func engineFigures(ctx context.Context) ([]figure, error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const usual, least, most = 3_000, 300, 100_000
	data, at := bankData(usual, few)
	sums, err := newSums(data, at)
	if err != nil {
		return nil, err
	}
	defer sums.close()
	varied, _ := bankData(usual, many)
	variedSums, err := newSums(varied, at)
	if err != nil {
		return nil, err
	}
	defer variedSums.close()
	small, _ := bankData(least, few)
	large, _ := bankData(most, few)

	contestants := []struct {
		times int // in one round
		run   func() error
	}{
		{10, func() error { return fullReport(data, at) }},
		{1, sums.run},
		{100, func() error { return fullReport(small, at) }},
		{1, func() error { return fullReport(large, at) }},
		{10, func() error { return fullReport(varied, at) }},
		{1, variedSums.run},
	}
	const rounds = 15
	spent := make([][]float64, len(contestants)) // ns a run, of each round
	for round := range rounds + 1 {
		for turn := range contestants {
			who := (round + turn) % len(contestants)
			began := busy()
			for range contestants[who].times {
				if err := contestants[who].run(); err != nil {
					return nil, err
				}
			}
			if round > 0 { // the first one warms up
				spent[who] = append(spent[who], (busy()-began)/float64(contestants[who].times))
			}
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	var out []figure
	for _, of := range []struct {
		reports, sums int // contestants
		wording       string
	}{{0, 1, "18 wordings"}, {4, 5, "500 wordings"}} {
		spent := [2][]float64{spent[of.reports], spent[of.sums]}
		speed := rates(spent[0], func(i int) float64 { return 1_000_000 / spent[0][i] })
		speed.name, speed.wanted = "reports of 3,000 transactions, "+of.wording, "≥ 1.00"
		speed.ours, speed.peer = fmt.Sprintf("%.0f reports/s", 1e9/quantile(spent[0], 0.5)), "1000 reports/s"

		beside := rates(spent[0], func(i int) float64 { return spent[1][i] / spent[0][i] })
		beside.name, beside.wanted = "  beside SQLite's 95 windowed sums", "≥ 10"
		beside.ours, beside.peer = speed.ours, fmt.Sprintf("%.0f passes/s", 1e9/quantile(spent[1], 0.5))
		out = append(out, speed, beside)
	}

	growth := rates(spent[0], func(i int) float64 { return spent[3][i] / most / (spent[2][i] / least) })
	growth.name, growth.wanted = "a transaction's cost, of 100,000 / of 300", "≤ 1.30"
	growth.ours, growth.peer = fmt.Sprintf("%.0f ns", quantile(spent[3], 0.5)/most), fmt.Sprintf("%.0f ns", quantile(spent[2], 0.5)/least)

	bytes, err := allocated(func() error { return fullReport(data, at) })
	if err != nil {
		return nil, err
	}
	const limit = 2_000_000
	share := bytes / limit
	return append(out, growth, figure{
		name: "memory allocated for such a report", wanted: "≤ 1.00",
		ours: fmt.Sprintf("%.0f kB", bytes/1000), peer: "2000 kB", ratio: share, low: share, high: share,
	}), nil
}

// busy returns the processor time of this process in ns, with the garbage collector's. It
// does not depend on the load of the machine.
func busy() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // it takes no argument that could be wrong
	}
	return float64(u.Utime.Nano() + u.Stime.Nano())
}

// rates makes a figure of the ratios of each round.
func rates(rounds []float64, ratio func(int) float64) figure {
	all := make([]float64, len(rounds))
	for i := range all {
		all[i] = ratio(i)
	}
	return figure{ratio: quantile(all, 0.5), low: quantile(all, 0.25), high: quantile(all, 0.75)}
}

func allocated(run func() error) (float64, error) {
	const times = 20
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range times {
		if err := run(); err != nil {
			return 0, err
		}
	}
	runtime.ReadMemStats(&after)
	return float64(after.TotalAlloc-before.TotalAlloc) / times, nil
}

func fullReport(d bankdata.Data, at time.Time) error {
	_, err := report.Encode(cashflow.Build(cashflow.Input{
		PublicToken: "5c9d3f52-7a2b-4f0e-8f0e-3a6a3d1f0a11", Bank: d, Options: cashflow.Options{Attributes: true},
	}, at))
	return err
}

// line is a kind of transaction. In its text, %n is a number, %c a code, %t a town,
// %s a shop with its town, and %p a name.
type line struct {
	share    int // of 100
	text     string
	from, to int64 // cents
}

// few are lines with constant words: without their numbers, there are as many descriptors
// as lines.
var few = []line{
	{4, "DIRECT DEP NORTHWIND LOGISTICS PAYROLL PPD ID %n", 900_00, 1_600_00},
	{2, "UBER PAYOUT %n", 20_00, 90_00},
	{2, "MOBILE CHECK DEPOSIT REF %n", 20_00, 400_00},
	{2, "ZELLE PAYMENT FROM J RIVERA CONF %n", 10_00, 90_00},
	{2, "ACH WEB PMT CEDAR COURT APARTMENTS RENT %n", -1_400_00, -1_300_00},
	{2, "ACH DEBIT TOYOTA FINANCIAL AUTO LOAN PMT %n", -420_00, -400_00},
	{2, "ONLINE PMT CAPITAL ONE CREDIT CARD PAYMENT %n", -400_00, -40_00},
	{3, "AUSTIN ENERGY UTILITY BILL PAY %n", -160_00, -60_00},
	{3, "VERIZON WIRELESS AUTOPAY %n", -90_00, -60_00},
	{3, "NETFLIX.COM SUBSCRIPTION %n", -20_00, -15_00},
	{24, "POS DEBIT KROGER #%n AUSTIN TX", -150_00, -5_00},
	{12, "SHELL OIL %n AUSTIN TX", -80_00, -20_00},
	{18, "SQ *CORNER CAFE %n AUSTIN TX", -30_00, -4_00},
	{12, "AMZN MKTP US*%n", -120_00, -8_00},
	{4, "ATM WITHDRAWAL %n CONGRESS AVE", -200_00, -20_00},
	{1, "OVERDRAFT ITEM FEE %n", -36_00, -34_00},
	{2, "ONLINE TRANSFER TO SAVINGS XXXXXX7718 %n", -200_00, -50_00},
	{2, "FARMSTEAD GOODS LLC %n", -90_00, -10_00},
}

// many are lines of large chains with shops and persons, most of which are rare: of 3,000
// descriptors, 500 differ even without their numbers and codes.
var many = []line{
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

// bankData returns n transactions of two years in two accounts, with descriptors like those
// of banks. Almost each has a unique number or code.
func bankData(n int, lines []line) (bankdata.Data, time.Time) {
	var drawn []line
	for _, l := range lines {
		for range l.share {
			drawn = append(drawn, l)
		}
	}
	r := rand.New(rand.NewPCG(2, 2))
	at := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	accounts := []bankdata.Account{
		{ID: "a", Type: report.CashEquivalent, Subtype: report.Checking, Balance: 2_400_00},
		{ID: "b", Type: report.CashEquivalent, Subtype: report.Savings, Balance: 900_00},
	}
	for i := range n {
		l := drawn[r.IntN(len(drawn))]
		a := &accounts[min(r.IntN(8), 1)^1] // one in eight is the second account's
		a.Transactions = append(a.Transactions, bankdata.Transaction{
			ID: fmt.Sprintf("t%06d", i), Posted: report.DateOf(at.AddDate(0, 0, -i*730/n)),
			Amount: report.Cents(l.from + r.Int64N(l.to-l.from)), Description: descriptor(r, l.text),
		})
	}
	return bankdata.Data{Connections: []bankdata.Connection{{ID: "1", SourceID: "BANK",
		Status: contract.StatusSuccess, Accounts: accounts}}}, at
}

// descriptor fills in the text of a line.
func descriptor(r *rand.Rand, text string) string {
	text = strings.ReplaceAll(text, "%n", fmt.Sprintf("%06d", r.IntN(1_000_000)))
	if !strings.Contains(text, "%") {
		return text
	}
	const letters = "0123456789ABCDEFGHJKLMNPQRSTUVWXYZ"
	towns := strings.Split("AUSTIN TX,ROUND ROCK TX,SAN MARCOS TX,SAN ANTONIO TX,HOUSTON TX,DALLAS TX,TULSA OK,NEW ORLEANS LA,DENVER CO", ",")
	kinds := strings.Fields("CAFE GRILL BAKERY BOOKS HARDWARE SALON PHARMACY TIRES TAQUERIA VET NURSERY STUDIO MARKET")
	first := strings.Fields("BLUE RED LAKE OAK PINE RIVER HILL SUNNY GOLDEN SILVER IRON STONE NORTH SOUTH OLD GREEN COPPER")
	second := strings.Fields("HERON STAR MILL GATE BRIDGE CREEK DOOR TABLE WHEEL ANCHOR LANTERN FIELD CROWN FOX BEAR ROSE BARREL KETTLE KEY")
	given := strings.Fields("ALEX SAM JORDAN CASEY RILEY MORGAN TAYLOR JAMIE AVERY QUINN ROWAN")
	family := strings.Fields("RIVERA CHEN OKAFOR NOVAK SINGH HAYES LARSEN COHEN MORALES BAUER")
	code := make([]byte, 9)
	for i := range code {
		code[i] = letters[r.IntN(len(letters))]
	}
	at := max(0, r.IntN(3*len(towns))-2*len(towns)) // two in three at home
	shop, friend := int(r.ExpFloat64()*150), int(r.ExpFloat64()*12)
	return strings.NewReplacer(
		"%c", string(code), "%t", towns[at],
		"%s", strings.Join([]string{first[shop%len(first)], second[shop%len(second)], kinds[shop%len(kinds)], towns[max(0, shop%27-18)]}, " "),
		"%p", given[friend%len(given)]+" "+family[friend%len(family)],
	).Replace(text)
}

// sums is SQLite with the same categorized transactions in memory.
type sums struct {
	db   *sql.DB
	stmt *sql.Stmt
	into []any
}

func newSums(d bankdata.Data, at time.Time) (*sums, error) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	l := bankdata.Read(d, report.DateOf(at))
	if _, err := db.Exec(`CREATE TABLE tx (day INTEGER, amount INTEGER, leaf INTEGER, own INTEGER)`); err != nil {
		return nil, err
	}
	for _, e := range l.Entries {
		if _, err := db.Exec(`INSERT INTO tx VALUES (?, ?, ?, ?)`, int(e.Day), int64(e.Amount), int(e.Leaf), e.Own); err != nil {
			return nil, err
		}
	}
	stmt, err := db.Prepare(sumsQuery(at))
	if err != nil {
		return nil, err
	}
	s := &sums{db: db, stmt: stmt}
	for range len(sumsOf()) * len(sumsWindows(at)) {
		s.into = append(s.into, new(int64))
	}
	return s, nil
}

func (s *sums) close() { s.stmt.Close(); s.db.Close() }

func (s *sums) run() error { return s.stmt.QueryRow().Scan(s.into...) }

// sumsWindows are the windows 1M, 3M, 6M, 12M, and 12R in days.
func sumsWindows(at time.Time) [][2]bankdata.Day {
	fetch := report.DateOf(at)
	first := report.DateOf(time.Date(at.Year(), at.Month(), 1, 0, 0, 0, 0, time.UTC))
	var out [][2]bankdata.Day
	for _, n := range []int{1, 3, 6, 12} {
		out = append(out, [2]bankdata.Day{bankdata.DayOf(bankdata.MonthsBefore(first, n)), bankdata.DayOf(first)})
	}
	return append(out, [2]bankdata.Day{bankdata.DayOf(bankdata.MonthsBefore(fetch, 12)), bankdata.DayOf(fetch)})
}

// sumsOf are the conditions of the 19 subjects of the sums.
func sumsOf() []string {
	in := func(leaves ...bankdata.Leaf) string {
		words := make([]string, len(leaves))
		for i, l := range leaves {
			words[i] = fmt.Sprint(int(l))
		}
		return "leaf IN (" + strings.Join(words, ", ") + ")"
	}
	group := func(g bankdata.Group) string {
		var leaves []bankdata.Leaf
		for _, l := range bankdata.Leaves() {
			if l.Group() == g {
				leaves = append(leaves, l)
			}
		}
		return in(leaves...)
	}
	return []string{
		"amount > 0", "amount < 0", "amount > 0 AND NOT own", "amount < 0 AND NOT own",
		"amount > 0 AND NOT own AND NOT " + in(bankdata.LeafLoanProceeds, bankdata.LeafAdvanceIn,
			bankdata.LeafRefund, bankdata.LeafReversal, bankdata.LeafFeeReversal),
		group(bankdata.GroupIncome), in(bankdata.LeafPayroll),
		in(bankdata.LeafGovBenefit, bankdata.LeafUnemployment, bankdata.LeafRetirement),
		in(bankdata.LeafGig, bankdata.LeafSelfEmployed), in(bankdata.LeafCashDeposit, bankdata.LeafCheckMobile),
		in(bankdata.LeafInterest), in(bankdata.LeafLoanProceeds, bankdata.LeafAdvanceIn),
		in(bankdata.LeafRent, bankdata.LeafMortgage), in(bankdata.LeafUtility, bankdata.LeafTelecom),
		in(bankdata.LeafAutoLoan, bankdata.LeafStudentLoan, bankdata.LeafPersonalLoan), in(bankdata.LeafCardPayment),
		in(bankdata.LeafRent, bankdata.LeafMortgage, bankdata.LeafUtility, bankdata.LeafTelecom, bankdata.LeafInsurance,
			bankdata.LeafGrocery, bankdata.LeafFuelTransport, bankdata.LeafHealth, bankdata.LeafChildcareEdu),
		in(bankdata.LeafDining, bankdata.LeafRetail, bankdata.LeafEntertainment, bankdata.LeafTravel, bankdata.LeafSubscription),
		group(bankdata.GroupFee),
	}
}

func sumsQuery(at time.Time) string {
	var columns []string
	for _, of := range sumsOf() {
		for _, w := range sumsWindows(at) {
			columns = append(columns, fmt.Sprintf("coalesce(sum(amount) FILTER (WHERE day >= %d AND day < %d AND %s), 0)", w[0], w[1], of))
		}
	}
	return "SELECT " + strings.Join(columns, ",\n") + " FROM tx"
}
