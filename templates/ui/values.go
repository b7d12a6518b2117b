package ui

import (
	"strings"

	"vestibule/internal/i18n"
	"vestibule/internal/staff"
)

// settings has the names of settings in the audit log, and the texts of their codes; "" for values
// that are texts themselves.
var settings = map[staff.Setting]struct {
	name  i18n.Key
	codes i18n.Group
}{
	staff.SettingRole:          {"review.people.role", "review.roles"},
	staff.SettingName:          {"dashboard.name.label", ""},
	staff.SettingDisplayName:   {"dashboard.name.display", ""},
	staff.SettingConfiguration: {"dashboard.configuration.label", "audit.values"},
	staff.SettingCallbackURL:   {"dashboard.webhooks.callback_url", ""},
	staff.SettingDefaultURL:    {"audit.default_url", ""},
	staff.SettingStatuses:      {"audit.statuses", "statuses"},
	staff.SettingReturnMode:    {"dashboard.redirects.way_back", "audit.values"},
	staff.SettingRequireForm:   {"dashboard.redirects.form_only", "audit.values"},
	staff.SettingLight:         {"dashboard.theme.colors.light", ""},
	staff.SettingDark:          {"dashboard.theme.colors.dark", ""},
	staff.SettingCorners:       {"dashboard.theme.choices.corners", "dashboard.theme.corners"},
	staff.SettingFont:          {"dashboard.theme.choices.font", "dashboard.theme.fonts"},
	staff.SettingScheme:        {"dashboard.theme.choices.scheme", "dashboard.theme.schemes"},
	staff.SettingWordmark:      {"dashboard.theme.wordmark", "audit.values"},
	staff.SettingSubmissions:   {"operator.limits.submissions", ""},
}

// ValueTexts says what an entry of the audit log changed, a text for each setting. A setting of
// another version is shown by its code.
func ValueTexts(l i18n.Lang, all []staff.Value) (out []string) {
	for _, v := range all {
		s, known := settings[v.Setting]
		name := string(v.Setting)
		if known {
			name = i18n.T(l, s.name)
		}
		text := func(value string) string {
			if value == "" {
				return i18n.T(l, "audit.none")
			}
			if s.codes == "" {
				return value
			}
			codes := strings.Split(value, ",")
			for i, code := range codes {
				codes[i] = i18n.Code(l, s.codes, code)
			}
			return strings.Join(codes, ", ")
		}
		out = append(out, i18n.T(l, "audit.changed", "setting", name, "before", text(v.Before), "after", text(v.After)))
	}
	return out
}
