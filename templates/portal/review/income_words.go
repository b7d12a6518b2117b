package review

import "vestibule/internal/i18n"

func riskName(l i18n.Lang, risk string) string { return i18n.Code(l, "review.risks", risk) }

func employmentWord(l i18n.Lang, value string) string {
	return i18n.Code(l, "review.employment_values", value)
}
