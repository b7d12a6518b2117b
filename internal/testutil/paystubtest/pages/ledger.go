package pages

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"vestibule/internal/report"
	"vestibule/internal/testutil/paystubtest"
)

// ledger computes the amounts of a layout that defines its figures. A row of its settings
// is `key = current | year to date`, both sums and products of numbers and earlier keys.
// Without the second part, the first is computed from the year-to-date amounts too.
type ledger struct {
	filler
	rows    map[string][2]report.Cents
	printed map[string]bool
}

// keyed holds the fields of a ledger's rows, by the key without its digits.
var keyed = map[string]string{
	"gross": "gross_total_earnings", "net": "net_total_earnings", "reg": "regular_pay_earnings",
	"ot": "overtime_earnings", "bonus": "bonus_earnings", "comm": "commission_earnings",
	"pto": "paid_time_off_earnings", "vac": "vacation_earnings", "ss": "social_security_deductions",
	"med": "medicare_tax_deductions", "fica": "fica_tax_deductions",
	"ptotaken": "paid_time_off_deductions", "vactaken": "vacation_deductions",
}

// makeLedger fills a layout whose settings have rows.
func makeLedger(name string, raw []byte, set map[string]string, rows []string) (*Page, error) {
	p := &ledger{filler: filler{set: set, truth: Truth{}}, rows: map[string][2]report.Cents{}, printed: map[string]bool{}}
	for _, row := range rows {
		key, sums, _ := strings.Cut(row, " = ")
		now, year, ok := strings.Cut(sums, "|")
		if !ok {
			year = now
		}
		var amounts [2]report.Cents
		for i, sum := range []string{now, year} {
			e, err := parser.ParseExpr(strings.TrimSpace(sum))
			if err != nil {
				return nil, fmt.Errorf("%s: %s: %w", name, row, err)
			}
			amounts[i] = report.Cents(math.Floor(p.value(e, i)*100 + .5 + 1e-7))
		}
		p.rows[key] = amounts
	}
	t, err := template.New(name).Funcs(template.FuncMap{
		"c":  func(key string) (string, error) { return p.show(key, 0) },
		"y":  func(key string) (string, error) { return p.show(key, 1) },
		"is": func(field, value, shown string) string { p.truth[field] = value; return shown },
		"as": func(field, shown string) string { return p.say(field, shown) },
	}).Parse(string(raw))
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := t.Execute(&out, nil); err != nil {
		return nil, err
	}
	return &Page{HTML: out.Bytes(), Truth: p.truth, Stub: p.stub()}, nil
}

// stub returns the amounts that PrintedPage.Forge needs: totals, regular pay, and Social
// Security and Medicare.
func (p *ledger) stub() paystubtest.Stub {
	line := func(i paystubtest.Item, keys ...string) (out []paystubtest.Line) {
		for _, key := range keys {
			if row, ok := p.rows[key]; ok && row[0] != 0 {
				return append(out, paystubtest.Line{Item: i, Current: row[0], YTD: row[1]})
			}
		}
		return nil
	}
	gross, net := p.rows["gross"], p.rows["net"]
	pay, _ := time.Parse(time.DateOnly, cmp.Or(p.truth["pay_date"], p.truth["pay_period_end"]))
	return paystubtest.Stub{
		Pay:   report.DateOf(pay),
		Gross: gross[0], GrossYTD: gross[1], Net: net[0], NetYTD: net[1],
		Earnings:   line(paystubtest.Regular, "reg", "reg1"),
		Deductions: slices.Concat(line(paystubtest.SocialSecurity, "ss"), line(paystubtest.Medicare, "med"), line(paystubtest.FICA, "fica")),
	}
}

// show formats an amount and adds it to its field in the truth.
func (p *ledger) show(key string, when int) (string, error) {
	amounts, ok := p.rows[key]
	if !ok {
		return "", fmt.Errorf("no row %q", key)
	}
	if field := keyed[strings.TrimRight(key, "123456789")]; field != "" {
		field += []string{"_amount_current", "_amount_ytd"}[when]
		if at := fmt.Sprint(key, when); !p.printed[at] {
			p.printed[at] = true
			before, _ := report.ParseCents(p.truth[field])
			p.truth[field] = (before + amounts[when]).String()
		}
	}
	return p.amount(amounts[when]), nil
}

// value computes an expression of a row.
func (p *ledger) value(e ast.Expr, when int) float64 {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return p.value(e.X, when)
	case *ast.UnaryExpr:
		return -p.value(e.X, when)
	case *ast.BasicLit:
		v, _ := strconv.ParseFloat(e.Value, 64)
		return v
	case *ast.Ident:
		row, ok := p.rows[e.Name]
		if !ok {
			panic("no row " + e.Name)
		}
		return float64(row[when]) / 100
	case *ast.BinaryExpr:
		a, b := p.value(e.X, when), p.value(e.Y, when)
		switch e.Op {
		case token.ADD:
			return a + b
		case token.SUB:
			return a - b
		case token.MUL:
			return a * b
		}
	}
	panic(fmt.Sprintf("a sum of %T", e))
}
