package cashflow

import (
	"slices"

	"vestibule/internal/report"
)

// Deprecated lists the 24 attributes of the deprecated family (AV) in the order of the
// report, where they follow the universal ones. The API defines their value types, nodes,
// windows and sentinels; the names are ours. Unlike the universal family, a category
// without any record in the whole history has a separate sentinel, and averages are of
// calendar months.
func Deprecated() []Definition { return slices.Clone(deprecated[:]) }

// missingWithout returns a measure that is missing if the history has no transaction of b.
func missingWithout(b blend, m measure) measure {
	return func(f *facts, w Window) figure {
		if !b.occurs(f) {
			return missing(noCategory)
		}
		return m(f, w)
	}
}

// missingWithoutAccounts returns a measure that is missing without accounts of h.
func missingWithoutAccounts(h holdings, m measure) measure {
	return func(f *facts, w Window) figure {
		if h.count(f) == 0 {
			return missing(noCategory)
		}
		return m(f, w)
	}
}

func savingsPresent(f *facts, _ Window) figure { return yesNo(savingsAccounts.count(f) > 0) }

// present measures 1 if the subject occurs in the window, else 0.
func present(s subject) measure {
	return func(f *facts, w Window) figure {
		if !f.used(w) {
			return missing(noValues)
		}
		return yesNo(f.in(s, w).count > 0)
	}
}

func wholeDollars(b blend) measure {
	return func(f *facts, w Window) figure { return ratioOf(b.sum(f.in, w).sum, 100) }
}

func monthBalance(f *facts, w Window) figure {
	if !f.used(w) {
		return missing(noValues)
	}
	n := int64(0)
	for _, v := range netFlow.months(f, w, w.months()) {
		switch {
		case v > 0:
			n++
		case v < 0:
			n--
		}
	}
	return integer(n)
}

// HasDeprecated reports whether attributes of a report are of the deprecated family.
func HasDeprecated(all []report.Attribute) bool {
	return slices.ContainsFunc(all, func(a report.Attribute) bool { return a.Name == deprecated[0].Name })
}
