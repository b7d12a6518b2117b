package submissions

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"vestibule/internal/report"
)

// MaxPullAge is the maximum age of pullDate.
const MaxPullAge = 30 * 24 * time.Hour

// parseDateTime parses exactly YYYY-MM-DDTHH:mm:ss.SSSZ.
func parseDateTime(t []byte) (time.Time, bool) {
	const form = "dddd-dd-ddTdd:dd:dd.dddZ"
	if len(t) != len(form) {
		return time.Time{}, false
	}
	for i := range len(form) {
		if form[i] == 'd' && (t[i] < '0' || t[i] > '9') || form[i] != 'd' && t[i] != form[i] {
			return time.Time{}, false
		}
	}
	n := func(from, to int) int {
		v := 0
		for _, c := range t[from:to] {
			v = v*10 + int(c-'0')
		}
		return v
	}
	year, month, day := n(0, 4), n(5, 7), n(8, 10)
	hour, minute, second := n(11, 13), n(14, 16), n(17, 19)
	at := time.Date(year, time.Month(month), day, hour, minute, second, n(20, 23)*int(time.Millisecond), time.UTC)
	// time.Date normalizes days that do not exist.
	if month < 1 || month > 12 || at.Day() != day || at.Month() != time.Month(month) || hour > 23 || minute > 59 || second > 59 {
		return time.Time{}, false
	}
	return at, true
}

// maxUnits is the exclusive bound of an amount, and of the sum of a body's absolute
// balances and amounts: ten trillion. So no sum of a report overflows: the largest, a slope
// over the ends of twelve months, is below 2,000 times 10^15 cents.
const maxUnits = 10_000_000_000_000

// parseCents parses a decimal number with at most two places and no exponent.
func parseCents(t []byte) (report.Cents, bool) {
	negative := len(t) > 0 && t[0] == '-'
	if negative {
		t = t[1:]
	}
	var n int64
	places := -1 // digits after the point; -1 before it
	for _, c := range t {
		switch {
		case c == '.' && places < 0:
			places = 0
		case c >= '0' && c <= '9' && places < 2 && n < maxUnits*10:
			n = n*10 + int64(c-'0')
			if places >= 0 {
				places++
			}
		default:
			return 0, false
		}
	}
	for i := max(places, 0); i < 2; i++ {
		n *= 10
	}
	if n >= maxUnits*100 || len(t) == 0 {
		return 0, false
	}
	if negative {
		n = -n
	}
	return report.Cents(n), true
}

// isAlphanumeric accepts ASCII letters and digits.
func isAlphanumeric(t []byte) bool {
	return !slices.ContainsFunc(t, func(c byte) bool {
		return !(c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z')
	})
}

// isWords accepts letters and digits of any script and spaces, with at least one
// letter or digit.
func isWords(t []byte) bool {
	found := false
	for len(t) > 0 {
		r, n := utf8.DecodeRune(t)
		t = t[n:]
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r):
			found = true
		case r == ' ', unicode.IsMark(r) && found:
		default:
			return false
		}
	}
	return found
}

func hasControl(t []byte) bool {
	for len(t) > 0 {
		r, n := utf8.DecodeRune(t)
		if unicode.IsControl(r) {
			return true
		}
		t = t[n:]
	}
	return false
}

// currencies are the active ISO 4217 codes of currencies that accounts can hold.
const currencies = "AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD " +
	"CAD CDF CHF CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD " +
	"HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD " +
	"MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG " +
	"QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD " +
	"TZS UAH UGX USD UYU UZS VED VES VND VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW ZWG "

// isCurrency reports whether a code of three characters is one of currencies.
func isCurrency(code string) bool {
	return !strings.Contains(code, " ") && strings.Contains(currencies, code+" ")
}
