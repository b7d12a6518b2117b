package review

import (
	"strings"
	"testing"

	"vestibule/internal/contract"
	"vestibule/internal/report"
	"vestibule/internal/store"
	"vestibule/internal/store/storetest"
)

const appLater = "55555555-5555-4555-8555-555555555555"

func TestTwoReportsOfOnePersonSideBySide(t *testing.T) {
	d := open(t, storetest.SQLite(t, store.Portal))
	d.signInAs(secret, "")
	if _, page := d.get(own); strings.Contains(page, "Other applications") {
		t.Errorf("there is no other one:\n%s", page)
	}
	later := Application{ID: appLater, Product: contract.Cashflow, ExternalID: "order-9", State: "ready", HasReport: true, ReportAt: noon.AddDate(0, 1, 0), CreatedAt: noon.AddDate(0, 1, 0)}
	body, err := report.ParseCashflow(scored(t))
	if err != nil {
		t.Fatal(err)
	}
	body.Attributes = []report.Attribute{{Name: "UA_ASSET_TOTAL_BAL_CUR", Node: "ASSET", Value: "1250.00"}, {Name: "UA_EXPENSE_NSFOD_CNT_12M", Node: "EXPENSE", Value: "2"}}
	if d.shelf.reports[appReady], err = report.Encode(body); err != nil {
		t.Fatal(err)
	}
	value := 540
	body.Scores[1].Value = &value
	body.Attributes[0].Value, body.Attributes[1].Value = "1000.50", "5"
	if d.shelf.reports[appLater], err = report.Encode(body); err != nil {
		t.Fatal(err)
	}
	d.add(later, Applicant{FirstName: "Zoë", LastName: "Oharà Nunez", Email: "ZOE@example.org"})
	d.add(Application{ID: appOld, Product: contract.Income, State: "ready", HasReport: true, CreatedAt: noon}, Applicant{Email: "zoe@example.org"})
	_, page := d.get(own)
	d.says("the other applications", page, "Other applications of this person", "order-9", own+"/compare?with="+appLater)
	if strings.Contains(page, "with="+appOld) {
		t.Error("a report of another kind is offered to be compared")
	}
	for _, path := range []string{own + "/compare?with=" + appLater, "/review/applications/" + appLater + "/compare?with=" + strings.ToUpper(appReady)} {
		_, page = d.get(path)
		d.says(path, page, ">512<", ">540<", ">+28<", "$1,250.00", "$1,000.50", "−$249.50", ">+3<", ">none<")
		if strings.Index(page, "order-7, Mar 14, 2026") > strings.Index(page, "order-9, Apr 14, 2026") {
			t.Errorf("%s: the newer report comes first", path)
		}
	}
	_, page = d.get(own + "/compare?lang=es&with=" + appLater)
	d.says("in Spanish", page, "Dos informes de una persona", "Diferencia", "ninguna")
	if d.looks(compared) != 3 {
		t.Errorf("%d comparisons are written down, want 3", d.looks(compared))
	}
	for _, with := range []string{"", "x", appReady, appOld, appStarted, token} {
		if resp, _ := d.get(own + "/compare?with=" + with); resp.StatusCode != 404 {
			t.Errorf("comparing with %q: %d", with, resp.StatusCode)
		}
	}
}
