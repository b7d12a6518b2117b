package review

import (
	"regexp"
	"strings"
	"testing"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/templates/ui"
)

// TestPagesShowNoCodes finds no words like CONSUMER_INPUT in what people read. Identifiers are
// marked as such.
func TestPagesShowNoCodes(t *testing.T) {
	marked := regexp.MustCompile(`(?s)<(code|pre)[ >].*?</(code|pre)>|<(\w+)[^>]*translate="no"[^>]*>.*?</\w+>|<[^>]*>`)
	codes := regexp.MustCompile(`\b[A-Z]{2,}(_[A-Z0-9]+)+\b`)
	cashflow := madeReport()
	cashflow.Report.Meta.Substatus = new(contract.Substatus)
	*cashflow.Report.Meta.Substatus = contract.SubIncomplete
	for _, inquiry := range contract.InquiryTypes() {
		cashflow.Report.Product.InquiryType = inquiry
		for _, l := range []i18n.Lang{i18n.English, i18n.Spanish} {
			if _, ok := i18n.Find(l, "inquiry_types", inquiry); !ok {
				t.Errorf("%s has no word in %s", inquiry, l)
			}
		}
	}
	for _, l := range []i18n.Lang{i18n.English, i18n.Spanish} {
		for name, page := range map[string]string{"cashflow": reportPage(t, l, cashflow), "income": incomePage(t, l, madeIncome()),
			"eligibility": eligibilityPage(t, l, madeEligibility()), "passport": render(t, ReportPage(ui.Page{Lang: l}, decide(madePassport()))),
			"application": render(t, Application(ui.Page{Lang: l}, ApplicationView{Report: decide(madeIncome()), HasReport: true}))} {
			for _, code := range codes.FindAllString(marked.ReplaceAllString(page, " "), -1) {
				// The reports have codes of later versions, and an account of another report.
				if !strings.HasPrefix(code, "NEW_") && !strings.HasPrefix(code, "XX_") {
					t.Errorf("the page %s in %s shows %s", name, l, code)
				}
			}
		}
	}
}
