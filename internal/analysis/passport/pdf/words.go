package pdf

import (
	"strings"

	"vestibule/internal/analysis/passport"
	"vestibule/internal/pdf"
	"vestibule/internal/report"
)

// grave is the color of the worst.
var grave = pdf.Color{86, 20, 28}

// none replaces values that the supplier did not report.
const none = "–"

func orNone(s string) string {
	if s == "" {
		return none
	}
	return s
}

func day(d *report.Date) string {
	if d == nil {
		return none
	}
	return d.Format("2 Jan 2006")
}

func month(d *report.Date) string {
	if d == nil {
		return none
	}
	return d.Format("Jan 2006")
}

// amount formats an amount with its currency's decimals and commas between thousands.
func amount(c *report.Cents, currency string) string {
	if c == nil {
		return none
	}
	whole, cents, _ := strings.Cut(c.String(), ".")
	sign := ""
	if strings.HasPrefix(whole, "-") {
		sign, whole = "−", whole[1:]
	}
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if passport.Decimals(currency) > 0 {
		whole += "." + cents
	}
	return sign + whole
}

func money(c *report.Cents, currency string) string {
	if c == nil {
		return none
	}
	return currency + " " + amount(c, currency)
}

func moneyOf(c *report.Cents, currency *string) string { return money(c, report.Text(currency)) }

// words holds the labels of codes. Other codes are converted to words.
var words = map[string]string{
	report.TradeCard: "Credit card", report.TradeLine: "Line of credit", report.TradePersonal: "Personal loan", report.TradeAuto: "Car loan",
	report.TradeMortgage: "Mortgage", report.TradeStudent: "Student loan",
	report.TradeRetail: "Store credit", report.TradeTelecom: "Telecom contract",
	"PASSPORT": "Passport", "NATIONAL_ID": "National ID", "DRIVERS_LICENSE": "Driver's license",
	"TAX_ID": "Tax number", "SOCIAL_SECURITY": "Social security number",
	"NEW_CREDIT": "New credit", "ACCOUNT_REVIEW": "Account review", "TENANCY": "Tenancy",
}

func word(code string) string {
	if w, ok := words[code]; ok {
		return w
	}
	if code == "" {
		return none
	}
	w := strings.ToLower(strings.ReplaceAll(code, "_", " "))
	return strings.ToUpper(w[:1]) + w[1:]
}

// paid is the look of a month in the grid.
type paid struct {
	fill  pdf.Color
	mark  string
	words string
}

// months lists the payment statuses in the order of the legend.
var months = []struct {
	status string
	paid
}{
	{report.PaidOK, paid{pdf.Good, "✓", "paid"}},
	{report.PaidLate1, paid{pdf.Color{214, 170, 60}, "1", "1–29 days late"}},
	{report.PaidLate30, paid{pdf.Warn, "30", "30–59"}},
	{report.PaidLate60, paid{pdf.Color{196, 84, 20}, "60", "60–89"}},
	{report.PaidLate90, paid{pdf.Bad, "90", "90–119"}},
	{report.PaidLate120, paid{pdf.Color{140, 28, 30}, "120", "120 or more"}},
	{report.PaidChargedOff, paid{grave, "CO", "charged off"}},
}

func paidOf(status *string) (paid, bool) {
	for _, m := range months {
		if status != nil && m.status == *status {
			return m.paid, true
		}
	}
	return paid{}, false
}
