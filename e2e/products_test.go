package e2e

import (
	"bytes"
	"encoding/base64"
	"maps"
	"testing"

	"vestibule/internal/pageimage"
	"vestibule/internal/testutil"
	"vestibule/internal/testutil/tools"
)

// TestProducts names employers on the form of an eligibility report, and reads an income
// report as a reviewer does: which pay stub was altered, and the file.
func TestProducts(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	stub := testutil.ReadFile(t, "../internal/analysis/paystub/testdata/modern.pdf")
	r := s.productReports(t, stub)
	t.Run("form", s.testEligibilityForm)
	v := visit(t)
	s.signIn(t, v)
	t.Run("an altered pay stub", func(t *testing.T) { checkAlteredStub(t, v, r.altered, stub) })
	t.Run("income from a bank", func(t *testing.T) {
		v.open(t, r.banked+"/report")
		see(t, v.page(`role=img[name="`+en("review.income.history")+`"]`))
		click(t, v.page(`summary:text-is("`+en("review.month_table")+`")`))
		see(t, v.page(".finding-success >> nth=2"))
		v.axe(t)
	})
	t.Run("employers", func(t *testing.T) {
		v.open(t, r.tenant+"/report")
		see(t, v.page(`.finding:has-text("2 of 3 listed employers verified, 1 skipped")`))
		v.axe(t)
	})
	t.Run("print on two to four pages", func(t *testing.T) {
		renderer := pageimage.New(true)
		if !renderer.PDF() {
			return
		}
		for _, url := range []string{r.banked, r.altered, r.tenant, r.abroad} {
			v.open(t, url+"/report")
			printed, err := v.Page.PDF()
			must(t, err)
			if n, err := renderer.Pages(t.Context(), printed); err != nil || n < 2 || n > 4 {
				t.Errorf("%s prints on %d pages, %v", url, n, err)
			}
		}
	})
	t.Run("narrow", func(t *testing.T) {
		must(t, v.Page.SetViewportSize(320, 640))
		for _, url := range []string{r.banked + "/report", r.altered + "/report", r.altered + "/files", r.tenant + "/report",
			r.abroad + "/report"} {
			v.open(t, url)
			v.fits(t)
		}
		see(t, v.page(".paid-month >> nth=20"))
		v.axe(t)
	})
}

// productReports are the reviewer's pages of applications for the products.
type productReports struct{ altered, banked, tenant, abroad string }

func (s *site) productReports(t *testing.T, stub []byte) productReports {
	plain := pageless(t)
	ready := func(product string, how map[string]any, first, last string, more map[string]any) string {
		t.Helper()
		prefill := map[string]any{"firstName": first, "lastName": last, "email": "d@example.org", "dob": "1980-02-29"}
		maps.Copy(prefill, more)
		out := s.api(t, "POST", "/applications", map[string]any{"product": product, "mode": "redirect-form", "prefill": prefill})
		id := out["id"].(string)
		s.control(t, "POST", "/visits/"+leave(t, plain, out["connectUrl"].(string))+"/complete", how)
		s.await(t, id, "ready")
		return s.Portal + "/review/applications/" + id
	}
	file := func(name string) []any {
		return []any{map[string]any{"fileName": name, "contentBase64": base64.StdEncoding.EncodeToString(stub)}}
	}
	return productReports{
		altered: ready("income", map[string]any{"payStubs": file("paystub.pdf")}, "getAdaptiveDecisionResult", "pdfHighRisk", nil),
		banked: ready("income", map[string]any{}, "Default", "Harper",
			map[string]any{"statedEmployerName": "Northwind Logistics", "statedAnnualIncome": 82000}),
		tenant: ready("eligibility", map[string]any{
			"employers": []any{map[string]any{"payroll": map[string]any{"provider": "northwind-logistics"}},
				map[string]any{"documents": file("contract.pdf")}, map[string]any{"skip": "OTHER"}},
			"banks": []any{map[string]any{"bank": "harbor-national-bank"}, map[string]any{"bank": "kestrel-bank", "username": "multi"}}},
			"Default", "Harper", map[string]any{"state": "OH", "statedEmployerNames": []string{"Northwind Logistics", "Tern & Sons", "Vandelay"}}),
		abroad: ready("passport", map[string]any{"supplier": "MEX_CDC"}, "Ana", "Díaz",
			map[string]any{"email": "a@example.org"}),
	}
}

// testEligibilityForm leaves data out, which is reported, and gives six names of employers.
func (s *site) testEligibilityForm(t *testing.T) {
	v := visit(t)
	v.open(t, s.Portal+"/apply/eligibility")
	touchForm(t, v)
	fillForm(t, v, applicant)
	fillForm(t, v, map[string]string{"state": "OH"})
	click(t, v.page(button(en("apply.continue"))))
	see(t, v.page("#summary"))
	see(t, v.page(`#statedEmployerNames-error:not(:empty)`))
	v.axe(t)
	fill(t, v.page("#statedEmployerNames"), "Northwind Logistics")
	click(t, v.page(`summary:text-is("`+en("apply.employers.more")+`")`))
	fill(t, v.page("#statedEmployerNames-6"), "Tern & Sons")
	click(t, v.page(button(en("apply.continue"))))
	step(t, v.widget, "consent")
}

// checkAlteredStub looks at the findings about a pay stub and at its image, to which an amount leads.
func checkAlteredStub(t *testing.T, v *visitor, application string, stub []byte) {
	v.open(t, application+"/report")
	see(t, v.page(`.finding-danger:has-text("`+en("review.ask.documents")+`"):has-text("`+
		en("review.stubs.altered", "n", "1", "all", "1")+`")`))
	see(t, v.page(`.stub .badge:text-is("`+en("review.stub.altered")+`")`))
	name, body := kept(t, v, `.stub-head a`)
	if !bytes.Equal(body, stub) || len(name) < 5 || name[len(name)-4:] != ".pdf" {
		t.Errorf("%s is not the file that was uploaded", name)
	}
	v.axe(t)
	v.open(t, application+"#stubs")
	if !pageimage.New(true).PDF() {
		return
	}
	image := v.page(".stub .document-sheet img")
	see(t, image)
	must(t, image.ScrollIntoViewIfNeeded())
	if wide, err := image.Evaluate("i => i.decode().then(() => i.naturalWidth)", nil); err != nil || wide.(int) < 1000 {
		t.Errorf("the image of the pay stub is %v pixels wide, %v", wide, err)
	}
	click(t, v.page(`.stub-amounts a >> nth=0`))
	see(t, v.page(".document-mark:target"))
	click(t, v.page(`.document-pages a:has-text("`+en("review.document.all_pages")+`")`))
	see(t, v.page(".document-all img"))
	v.axe(t)
}
