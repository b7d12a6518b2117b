// Package payrolltax knows what social security and Medicare take of a wage, year
// by year (26 U.S.C. 3101; the contribution and benefit base as the Social
// Security Administration announced it for the year).
package payrolltax

import "vestibule/internal/report"

// Rates of what an employee pays, in hundredths of a percent.
const (
	SocialSecurity = 620
	Medicare       = 145
	Additional     = 90 // Medicare's, of wages over AdditionalFrom
)

// AdditionalFrom is the wage of a year from which more is withheld for Medicare.
const AdditionalFrom report.Cents = 200_000_00

// wageBases are the wages of a year that social security is taken of, from first
// on.
var wageBases = [...]report.Cents{132_900_00, 137_700_00, 142_800_00, 147_000_00, 160_200_00, 168_600_00, 176_100_00, 184_500_00}

const first = 2019

// WageBase is the wage of a year that social security is taken of, at most. Of a
// year that is not known it is the nearest one's, and known is false.
func WageBase(year int) (base report.Cents, known bool) {
	i := year - first
	known = i >= 0 && i < len(wageBases)
	return wageBases[max(0, min(i, len(wageBases)-1))], known
}
