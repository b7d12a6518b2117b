package e2e

import (
	"fmt"
	"testing"

	"vestibule/internal/testutil/tools"
)

// TestReportCorrection disputes a report in the customer's dashboard: figures are refused at
// their field, previewed, and confirmed by keyboard. The reviewer who decided by the report sees
// what changed, and keeps the decision.
func TestReportCorrection(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	v := visit(t)
	got := s.submit(t, v, "default", "", map[string]any{"product": "income", "externalId": "dispute-1"})
	s.await(t, got.ID, "ready")
	s.signIn(t, v)
	application := s.Portal + "/review/applications/" + got.ID
	v.send(t, application+"/decision", "seen", "0", "report", "1.0", "decision", "approved")
	s.signInStaff(t, v)
	v.open(t, s.Provider+"/dashboard/reports")
	fill(t, v.page("[name=query]"), "dispute-1")
	click(t, v.page(button(en("dashboard.find"))))
	click(t, v.page(link(en("dashboard.report.correct_figures"))))
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
	see(t, v.page("role=cell >> text="+en("dashboard.outcome.estimated_anew")))
	v.axe(t)
	must(t, v.page(button(en("dashboard.correction.correct_report"))).Focus())
	must(t, v.Keyboard().Press("Enter"))
	flash(t, v, en("dashboard.flash.corrected"))
	see(t, v.page("role=heading[level=2] >> text=Revision 1"))
	v.axe(t)

	until(t, "the correction is at the portal", func() bool { return count(s.events(t, got.ID), "revised") == 1 })
	v.open(t, s.Portal+"/review?queue=again")
	shot(t, v, "corrected-list")
	v.axe(t)
	click(t, v.page(fmt.Sprintf("#row-%s", got.ID)))
	see(t, v.page("text="+en("review.revision.outdated")))
	shot(t, v, "corrected-application")
	v.axe(t)
	click(t, v.page(link(en("review.revision.compare"))))
	see(t, v.page("role=heading[level=1] >> text="+en("review.revision.changed")))
	see(t, v.page("role=columnheader >> text=Revision 1"))
	shot(t, v, "corrected-compare")
	v.axe(t)
	click(t, v.page(link(en("review.application.back"))))
	click(t, v.page(button(en("review.revision.keep"))))
	see(t, v.page("text="+en("review.revision.kept")))
	shot(t, v, "corrected-kept")
}
