// Package payrolltax holds the employee's rates of Social Security and Medicare and the
// wage base of each year (26 U.S.C. 3101; the contribution and benefit base as announced by
// the Social Security Administration).
package payrolltax

import "vestibule/internal/report"

// The employee's rates, in hundredths of a percent.
const (
	SocialSecurity = 620
	Medicare       = 145
	Additional     = 90 // of Medicare, on wages over AdditionalFrom
)

// AdditionalFrom is the year's wage above which Medicare's additional rate applies.
const AdditionalFrom report.Cents = 200_000_00

// wageBases holds the maximum wages subject to Social Security, by year from first.
var wageBases = [...]report.Cents{132_900_00, 137_700_00, 142_800_00, 147_000_00, 160_200_00, 168_600_00, 176_100_00, 184_500_00}

const first = 2019

// WageBase returns the maximum wages of a year that are subject to Social Security. For an
// unknown year, it returns those of the nearest known year, and known is false.
func WageBase(year int) (base report.Cents, known bool) {
	i := year - first
	known = i >= 0 && i < len(wageBases)
	return wageBases[max(0, min(i, len(wageBases)-1))], known
}
