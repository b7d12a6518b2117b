package api

import (
	"os"
	"strings"
	"testing"

	"vestibule/docs/openapitest"
	"vestibule/internal/store"
	"vestibule/internal/testutil/storetest"
)

// TestMain requires that tests of this package reach every response in the portal
// API's document, except those to other sites and for other hosts: the portal sends
// them before the API (TestAPIRejectsForeignSitesAndHosts).
func TestMain(m *testing.M) {
	os.Exit(openapitest.Main(m, openapitest.OfThePortal, func(answer string) bool { return strings.HasSuffix(answer, " FORBIDDEN") }))
}

// TestInvalidPrefillCodes sends one invalid field per request.
func TestInvalidPrefillCodes(t *testing.T) {
	c := serve(t, storetest.SQLite(t, store.Portal))
	for code, field := range map[string]string{
		"INVALID_PREFILL_KEY":                   `"shoeSize":"44"`,
		"INVALID_PREFILL_ADDRESS":               `"address":"` + strings.Repeat("x", 101) + `"`,
		"INVALID_PREFILL_CITY":                  `"city":"` + strings.Repeat("x", 101) + `"`,
		"INVALID_PREFILL_DOB":                   `"dob":"1990-02-30"`,
		"INVALID_PREFILL_EMAIL":                 `"email":"x"`,
		"INVALID_PREFILL_FIRST_NAME":            `"firstName":"4"`,
		"INVALID_PREFILL_LAST_NAME":             `"lastName":"4"`,
		"INVALID_PREFILL_INCOME":                `"statedAnnualIncome":-1`,
		"INVALID_PREFILL_PHONE":                 `"phone":"` + strings.Repeat("5", 256) + `"`,
		"INVALID_PREFILL_STATE":                 `"state":"ZZ"`,
		"INVALID_PREFILL_ZIP":                   `"zip":"1"`,
		"INVALID_PREFILLS_PII_MISSING":          `"email":null`,
		"INVALID_PREFILL_STATED_EMPLOYER_NAMES": `"statedEmployerNames":[]`,
	} {
		good := map[string]string{"firstName": `"Ana"`, "lastName": `"N"`, "email": `"a@example.com"`,
			"dob": `"1990-02-28"`, "state": `"CA"`, "statedEmployerNames": `["Acme"]`}
		name, value, _ := strings.Cut(field, ":")
		good[strings.Trim(name, `"`)] = value
		var members []string
		for name, value := range good {
			members = append(members, `"`+name+`":`+value)
		}
		resp, e := c.do("POST", "/api/v1/applications", `{"product":"eligibility","mode":"embedded","prefill":{`+strings.Join(members, ",")+`}}`)
		if resp.StatusCode != 400 || e["error"] != code {
			t.Errorf("%s = %d %v, want 400 %s", field, resp.StatusCode, e["error"], code)
		}
	}
}
