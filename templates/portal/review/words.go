package review

import (
	"vestibule/internal/i18n"
	"vestibule/templates/ui"
)

// stateTones maps an application's states to tones.
var stateTones = map[string]ui.Tone{
	"started": ui.Neutral, "connecting": ui.Info, "returned": ui.Info, "pending": ui.Info,
	"ready": ui.Success, "failed": ui.Danger, "exited": ui.Warning, "expired": ui.Warning,
}

func stateName(l i18n.Lang, state string) string { return i18n.Code(l, "review.states", state) }

func code(l i18n.Lang, value string) string { return i18n.Code(l, "review.codes", value) }

func riskName(l i18n.Lang, risk string) string { return i18n.Code(l, "review.risks", risk) }

func employmentWord(l i18n.Lang, value string) string {
	return i18n.Code(l, "review.employment_values", value)
}
