package bankfile

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"time"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/report"
)

var (
	mtField   = regexp.MustCompile(`(?m)^:(\d\d[A-Z]?):`)
	mtBalance = regexp.MustCompile(`^([CD])(\d{6})([A-Z]{3})([\d,.]+)`)
	mtEntry   = regexp.MustCompile(`^(\d{6})(\d{4})?(R?[CD])[A-Z]?([\d,.]+)([A-Z].{3})?`)
	mtPart    = regexp.MustCompile(`\?\d\d|/[A-Z]{3,4}/`)
)

// readMT940 parses statements of SWIFT's MT940. A statement's entries must explain the change
// of its balance.
func readMT940(f *File, text string) error {
	text = strings.ReplaceAll(text, "\n-}", "\n")
	var a *Account
	var opening report.Cents
	total, opened, entries := report.Cents(0), false, 0
	at := mtField.FindAllStringSubmatchIndex(text, -1)
	for n, m := range at {
		end := len(text)
		if n+1 < len(at) {
			end = at[n+1][0]
		}
		tag, value := text[m[2]:m[3]], strings.TrimSuffix(strings.TrimSpace(text[m[1]:end]), "\n-")
		switch {
		case tag == "25":
			a = &Account{NoBalance: true, layout: "MT940", guessed: true}
			a.Type, a.Subtype, a.Institution = report.CashEquivalent, report.Checking, "Bank"
			a.Number = clean(value)
			a.Name, opened, total = "checking"+endingIn(a.Number), false, 0
		case a == nil:
		case tag == "60F", tag == "60M", tag == "62F", tag == "62M":
			b := mtBalance.FindStringSubmatch(value)
			if b == nil {
				return fmt.Errorf("the balance in field %s of %s cannot be read", tag, a.Name)
			}
			sum, ok := parseFigure(b[4], ',')
			day, dated := mtDay(b[2])
			if !ok || !dated {
				return fmt.Errorf("the balance in field %s of %s cannot be read", tag, a.Name)
			}
			if b[1] == "D" {
				sum.cents = -sum.cents
			}
			if a.Currency = b[3]; tag[0:2] == "60" {
				opening, opened = sum.cents, true
				break
			}
			if opened && opening+total != sum.cents {
				return fmt.Errorf("the entries of %s add up to %s, but its balance changes by %s", a.Name, total, sum.cents-opening)
			}
			a.Balance, a.BalanceDate, a.NoBalance = sum.cents, &day, false
			if opened {
				before := opening
				a.opening = &before
			}
			f.addAccount(*a)
			a = nil
		case tag == "61":
			entries++
			e := mtEntry.FindStringSubmatch(value)
			if e == nil {
				return fmt.Errorf("entry %d of %s cannot be read", entries, a.Name)
			}
			sum, ok := parseFigure(e[4], ',')
			day, dated := mtDay(e[1])
			for year := day.Year() - 1; year <= day.Year()+1 && e[2] != ""; year++ { // the booking date has no year
				booked, ok := parseDay(year, number(e[2][:2]), number(e[2][2:]))
				if apart := booked.Sub(day.Time).Abs(); ok && apart < 180*24*time.Hour {
					day = booked
					break
				}
			}
			if !ok || !dated {
				return fmt.Errorf("entry %d of %s cannot be read", entries, a.Name)
			}
			if e[3] == "D" || e[3] == "RC" {
				sum.cents = -sum.cents
			}
			total += sum.cents
			t := bankdata.Transaction{Posted: day, Amount: sum.cents, Debit: e[3] == "D", Description: "Transaction"}
			if n+1 < len(at) && text[at[n+1][2]:at[n+1][3]] == "86" {
				end := len(text)
				if n+2 < len(at) {
					end = at[n+2][0]
				}
				info := strings.ReplaceAll(text[at[n+1][1]:end], "\n", "")
				t.Description = cmp.Or(clean(mtPart.ReplaceAllString(info, " ")), t.Description)
			}
			if err := a.add(t, fmt.Sprintf("%s %d %s", day, sum.cents, t.Description)); err != nil {
				return err
			}
		}
	}
	if a != nil {
		return fmt.Errorf("the statement of %s ends without its closing balance", a.Name)
	}
	return nil
}

// mtDay parses YYMMDD.
func mtDay(s string) (report.Date, bool) {
	if len(s) != 6 {
		return report.Date{}, false
	}
	return parseDay(2000+number(s[:2]), number(s[2:4]), number(s[4:6]))
}
