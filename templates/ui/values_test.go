package ui

import (
	"slices"
	"testing"

	"vestibule/internal/i18n"
	"vestibule/internal/staff"
)

func TestValueTexts(t *testing.T) {
	got := ValueTexts(i18n.English, []staff.Value{{Setting: "role", Before: "reviewer", After: "administrator"},
		{Setting: "statuses", Before: "SUCCESS,ERROR", After: "SUCCESS"}, {Setting: "name", After: "no"},
		{Setting: "wordmark", Before: "no", After: "yes"}, {Setting: "later", Before: "a,b", After: "c"}})
	want := []string{"Role: Reviewer → Administrator",
		"Events sent: " + i18n.Code(i18n.English, "statuses", "SUCCESS") + ", " + i18n.Code(i18n.English, "statuses", "ERROR") + " → " +
			i18n.Code(i18n.English, "statuses", "SUCCESS"),
		"Name: none → no", i18n.T(i18n.English, "dashboard.theme.wordmark") + ": no → yes", "later: a,b → c"}
	if !slices.Equal(got, want) {
		t.Errorf("the values are said as\n%q, want\n%q", got, want)
	}
}
