package review

import (
	"regexp"
	"strconv"
	"strings"

	"vestibule/internal/i18n"
	"vestibule/internal/report"
	"vestibule/templates/ui"
)

// currency is the ISO 4217 code of amounts. Each part of a page formats its amounts in the
// currency of the figures, or of the account, that it shows.
type currency string

// usd is the currency of payroll, of pay stubs and of what applicants state.
const usd currency = report.Dollars

func (cur currency) format(c report.Cents) string {
	if cur != usd {
		return foreign(&c, string(cur))
	}
	sign, n := signed(c.String())
	return cur.mark(sign, i18n.Grouped(n))
}

// whole formats an amount without cents.
func (cur currency) whole(n int64) string {
	sign, s := signed(strconv.FormatInt(n, 10))
	return cur.mark(sign, i18n.Grouped(s))
}

// onAxis formats an amount for an axis, as in "$1.5k". The steps of an axis have one
// digit, so that the short form is exact.
func (cur currency) onAxis(cents int64) string {
	sign, n := "", cents/100
	if n < 0 {
		sign, n = "−", -n
	}
	for _, unit := range []struct {
		size int64
		name string
	}{{1_000_000, "M"}, {1000, "k"}} {
		if n >= unit.size && n%(unit.size/10) == 0 {
			s := strconv.FormatInt(n/unit.size, 10)
			if tenths := n % unit.size * 10 / unit.size; tenths != 0 {
				s += "." + strconv.FormatInt(tenths, 10)
			}
			return cur.mark(sign, s+unit.name)
		}
	}
	return cur.mark(sign, i18n.Grouped(strconv.FormatInt(n, 10)))
}

// mark adds the currency's sign or code to a number.
func (cur currency) mark(sign, n string) string {
	if cur == usd {
		return sign + "$" + n
	}
	return joined(" ", sign+n, string(cur))
}

var dollarWords = regexp.MustCompile(`\$[0-9](?:[0-9,.]*[0-9])?|dollars|dólares`)

// inText replaces the dollars in an attribute's description by the currency. The numbers stay,
// because an attribute's limits are in the currency of its figures.
func (cur currency) inText(words string) string {
	if cur == usd {
		return words
	}
	return dollarWords.ReplaceAllStringFunc(words, func(s string) string {
		if n, ok := strings.CutPrefix(s, "$"); ok {
			return cur.mark("", n)
		}
		return string(cur)
	})
}

// foreign formats an amount with the code of its currency; nil gives "".
func foreign(c *report.Cents, currency string) string {
	if c == nil {
		return ""
	}
	sign, n := signed(strings.TrimSuffix(c.String(), ".00"))
	return joined(" ", sign+i18n.Grouped(n), currency)
}

// money returns the cell of an amount; a dash for nil.
func money(l i18n.Lang, cur currency, c *report.Cents) ui.Cell {
	return ui.Cell{Body: balance(l, cur, c)}
}

// signed splits a number into its sign and its digits.
func signed(s string) (sign, n string) {
	if n, ok := strings.CutPrefix(s, "-"); ok {
		return "−", n
	}
	return "", s
}
