package review

import (
	"strings"
	"testing"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/journey"
	"vestibule/internal/portal/applications"
	"vestibule/internal/portal/review/audit"
	"vestibule/internal/prefill"
	"vestibule/internal/report"
	"vestibule/internal/store"
	"vestibule/internal/testutil/i18ntest"
	"vestibule/internal/testutil/storetest"
)

const appLater = "55555555-5555-4555-8555-555555555555"

func TestCompareReports(t *testing.T) {
	d := open(t, storetest.SQLite(t, store.Portal))
	d.signInAs(secret, "")
	d.requirePage(own, "!"+i18ntest.EN("review.compare.others"))
	later := stored{Application: one(appLater, contract.Cashflow, journey.Ready, noon.AddDate(0, 1, 0), time.Time{}),
		Applicant: &prefill.Fields{FirstName: "Zoë", LastName: "Oharà Nunez", Email: "ZOE@example.org"}}
	later.ExternalID, later.Report = "order-9", applications.StoredReport{Attempt: 1, At: noon.AddDate(0, 1, 0)}
	body, err := report.ParseCashflow(scored(t))
	if err != nil {
		t.Fatal(err)
	}
	body.Attributes = []report.Attribute{{Name: "UA_ASSET_TOTAL_BAL_CUR", Node: "ASSET", Value: "1250.00"},
		{Name: "UA_EXPENSE_NSFOD_CNT_12M", Node: "EXPENSE", Value: "2"}}
	raw, err := report.Encode(body)
	if err != nil {
		t.Fatal(err)
	}
	d.keep(raw)
	value := 540
	body.Scores[1].Value = &value
	body.Attributes[0].Value, body.Attributes[1].Value = "1000.50", "5"
	if later.Body, err = report.Encode(body); err != nil {
		t.Fatal(err)
	}
	d.add(later)
	other := stored{Application: one(appOld, contract.Income, journey.Ready, noon, time.Time{}),
		Applicant: &prefill.Fields{Email: "zoe@example.org"}, Body: []byte("{}")}
	other.Report = applications.StoredReport{Attempt: 1, At: noon}
	d.add(other)
	_, page := d.get(own)
	d.requireText("the other applications", page, i18ntest.EN("review.compare.others"), "order-9", own+"/compare?with="+appLater)
	if strings.Contains(page, "with="+appOld) {
		t.Error("a report of another kind is offered to be compared")
	}
	for _, path := range []string{own + "/compare?with=" + appLater, "/review/applications/" +
		appLater + "/compare?with=" + strings.ToUpper(appReady)} {
		_, page = d.get(path)
		d.requireText(path, page, ">512<", ">540<", ">+28<", "$1,250.00", "$1,000.50", "−$249.50", ">+3<", ">none<")
		if strings.Index(page, "Mar 14, 2026<") > strings.Index(page, "Apr 14, 2026<") {
			t.Errorf("%s: the newer report comes first", path)
		}
	}
	_, page = d.get(own + "/compare?lang=es&with=" + appLater)
	d.requireText("in Spanish", page, i18ntest.ES("review.compare.title"), "Diferencia", "ninguna")
	if d.audited(audit.Compared) != 3 {
		t.Errorf("%d comparisons are written down, want 3", d.audited(audit.Compared))
	}
	for _, with := range []string{"", "x", appReady, appOld, appStarted, token} {
		if resp, _ := d.get(own + "/compare?with=" + with); resp.StatusCode != 404 {
			t.Errorf("comparing with %q: %d", with, resp.StatusCode)
		}
	}
}
