package submissions

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestMessages: each invalid field is named with what would be right, and its value is not quoted.
func TestMessages(t *testing.T) {
	set := func(path string, v any) string {
		raw, _ := json.Marshal(put(valid(), path, v))
		return string(raw)
	}
	const transaction, account = "accounts[0].transactions[0].", "accounts[0]."
	for _, c := range []struct{ name, body, field, message string }{
		{"no body", " \n", "", "is empty"},
		{"cut off", `{"userArgs":"x"`, "", "ends before the JSON is complete"},
		{"broken JSON", "{\n  \"userArgs\": \"é\" \"externalId\": 1}", "", "is not valid JSON near byte 22"},
		{"deep", `{"x":` + strings.Repeat("[", 100), "", "is nested too deeply"},
		{"two values", "{}\n{}", "", "has something after the JSON value, at byte 4"},
		{"a list", "[]", "", "must be an object"},
		{"mistyped member", set("accounts[0].acountType", "CHECKING"), account + "acountType",
			`is not a field here; did you mean "accountType"?`},
		{"member of another object", set("accounts[0].email", "a"), account + "email", "is not a field here; known are id, institutionName, " +
			"accountType, currentBalance, dateBalanceLastUpdated, dateAccountOpened, currency, transactions"},
		{"missing", set("accounts[0].currency", absent), account + "currency", "is required"},
		{"missing date", set("accounts[0].transactions[0].datePosted", absent), transaction + "datePosted", "is required for the status POSTED"},
		{"empty", set("accounts[0].institutionName", ""), account + "institutionName", "is empty; it must have 1 to 100 characters"},
		{"long", set("externalId", strings.Repeat("x", 65)), "externalId", "must have 1 to 64 characters"},
		{"currency of two letters", set("accounts[0].currency", "US"), account + "currency",
			"must be an ISO 4217 code of a currency, such as USD"},
		{"no currency", set("accounts[0].currency", "usd"), account + "currency", "must be an ISO 4217 code of a currency, such as USD"},
		{"another type of account", set("accounts[0].accountType", "LOAN"), account + "accountType", "must be SAVINGS or CHECKING"},
		{"amount in quotes", set("accounts[0].currentBalance", "1204.05"), account + "currentBalance", "must be a number, without quotes"},
		{"three decimals", set("accounts[0].currentBalance", json.Number("1.005")), account + "currentBalance",
			"must be an amount with at most two decimals and no exponent, below 10000000000000"},
		{"day without time", set("pullDate", "2026-11-20"), "pullDate",
			"must be an existing time in the form YYYY-MM-DDTHH:mm:ss.SSSZ, in UTC with milliseconds"},
		{"future", set("applicationDate", "2027-01-01T00:00:00.000Z"), "applicationDate",
			"must not lie in the future: it is 2026-11-21T12:00:00.000Z"},
		{"old", set("pullDate", "2026-01-01T00:00:00.000Z"), "pullDate", "must lie within the last 30 days: 2026-10-22T12:00:00.000Z or later"},
		{"prepared report of a variable without value", set("sandboxReportId", "undefined"), "sandboxReportId",
			"is the word undefined: a variable of your program has no value"},
		{"personal data in another shape", set("personal.email", 5), "personal.email", "must be a string"},
	} {
		t.Run(c.name, func(t *testing.T) {
			read(t, c.body) // compares the details with those of a slow stream
			_, details, _ := Read(strings.NewReader(c.body), Terms{Now: now, Sandbox: true, Seed: seed})
			found := false
			for _, d := range details {
				found = found || d.Field == c.field && d.Message == c.message
			}
			if !found {
				t.Errorf("%+v has no %q: %q", details, c.field, c.message)
			}
		})
	}
}
