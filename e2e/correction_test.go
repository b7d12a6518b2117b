package e2e

import (
	"testing"

	"vestibule/internal/testutil/tools"
)

// TestReportCorrection disputes a report in the customer's dashboard: figures are refused at
// their field, previewed, and confirmed by keyboard.
func TestReportCorrection(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	init := call(t, "POST", s.Provider+"/connect/initialization", s.basic(), map[string]any{
		"productId": s.Credentials.Products["income"], "externalId": "dispute-1", "prefill": person}, 2)
	s.control(t, "POST", "/visits/"+init["token"].(string)+"/complete", map[string]any{"username": "default"})

	v := visit(t)
	s.signInStaff(t, v)
	v.open(t, s.Provider+"/dashboard/reports")
	fill(t, v.page("[name=query]"), "dispute-1")
	click(t, v.page(button(en("dashboard.find"))))
	click(t, v.page(link(en("dashboard.correction.correct_report"))))
	see(t, v.page("role=heading[level=1] >> text="+en("dashboard.correction.correct_report")))

	v.expect("422")
	fill(t, v.page("#gross_annual"), "1")
	fill(t, v.page("#reason"), "The second job was left out.")
	click(t, v.page(button(en("dashboard.correction.see_what_it_comes"))))
	see(t, v.page("#net_annual-error >> text="+en("dashboard.correction.net_over_gross")))
	v.axe(t)
	fill(t, v.page("#gross_annual"), "")
	fill(t, v.page("#net_annual"), "50,000")
	click(t, v.page(button(en("dashboard.correction.see_what_it_comes"))))
	see(t, v.page("role=cell >> text=income.summary.annual_gross_income"))
	v.axe(t)
	must(t, v.page(button(en("dashboard.correction.correct_report"))).Focus())
	must(t, v.Keyboard().Press("Enter"))
	flash(t, v, en("dashboard.flash.corrected"))
	see(t, v.page("role=heading[level=2] >> text=Revision 1"))
	v.axe(t)
}
