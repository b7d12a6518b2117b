package e2e

import (
	"bytes"
	"encoding/base64"
	"os"
	"testing"

	"vestibule/internal/pageimage"
	"vestibule/internal/testutil/tools"
)

// TestProducts names employers on the form of an eligibility report, and reads an income
// report as a reviewer does: which pay stub was altered, and the file.
func TestProducts(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	plain := pageless(t)
	stub, err := os.ReadFile("../internal/analysis/paystub/testdata/modern.pdf")
	must(t, err)
	ready := func(product string, how map[string]any, names map[string]any) string {
		t.Helper()
		out := s.api(t, "POST", "/applications", map[string]any{"product": product, "mode": "redirect-form", "prefill": names})
		id := out["id"].(string)
		s.control(t, "POST", "/visits/"+leave(t, plain, out["connectUrl"].(string))+"/complete", how)
		s.await(t, id, "ready")
		return s.Portal + "/review/applications/" + id
	}
	born := "1980-02-29"
	altered := ready("income", map[string]any{"payStubs": []any{map[string]any{"fileName": "paystub.pdf",
		"contentBase64": base64.StdEncoding.EncodeToString(stub)}}},
		map[string]any{"firstName": "getAdaptiveDecisionResult", "lastName": "pdfHighRisk", "email": "d@example.org", "dob": born})
	banked := ready("income", map[string]any{}, map[string]any{"firstName": "Default",
		"lastName": "Harper", "email": "d@example.org", "dob": born,
		"statedEmployerName": "Northwind Logistics", "statedAnnualIncome": 82000})
	letter := []any{map[string]any{"fileName": "contract.pdf", "contentBase64": base64.StdEncoding.EncodeToString(stub)}}
	tenant := ready("eligibility",
		map[string]any{"employers": []any{map[string]any{"payroll": map[string]any{"provider": "northwind-logistics"}},
			map[string]any{"documents": letter},
			map[string]any{"skip": "OTHER"}}, "banks": []any{map[string]any{"bank": "harbor-national-bank"},
			map[string]any{"bank": "kestrel-bank", "username": "multi"}}},
		map[string]any{"firstName": "Default", "lastName": "Harper", "email": "d@example.org", "dob": born, "state": "OH",
			"statedEmployerNames": []string{"Northwind Logistics", "Tern & Sons", "Vandelay"}})
	abroad := ready("passport", map[string]any{"supplier": "MEX_CDC"},
		map[string]any{"firstName": "Ana", "lastName": "Díaz", "email": "a@example.org", "dob": born})

	// The form: missing data is reported, and six names can be given.
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

	v = visit(t)
	s.signIn(t, v)
	v.open(t, altered+"/report")
	see(t, v.page(`.finding-danger:has-text("`+en("review.ask.documents")+`"):has-text("`+
		en("review.stubs.altered", "n", "1", "all", "1")+`")`))
	see(t, v.page(`.stub .badge:text-is("`+en("review.stub.altered")+`")`))
	name, body := kept(t, v, `.stub-head a`)
	if !bytes.Equal(body, stub) || len(name) < 5 || name[len(name)-4:] != ".pdf" {
		t.Errorf("%s is not the file that was uploaded", name)
	}
	v.axe(t)
	// The stub is shown on the page, and an amount leads to its place there.
	v.open(t, altered+"#stubs")
	if pageimage.New(true).PDF() {
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
	v.open(t, banked+"/report")
	see(t, v.page(`role=img[name="`+en("review.income.history")+`"]`))
	click(t, v.page(`summary:text-is("`+en("review.month_table")+`")`))
	see(t, v.page(".finding-success >> nth=2"))
	v.axe(t)
	v.open(t, tenant+"/report")
	see(t, v.page(`.finding:has-text("2 of 3 listed employers verified, 1 skipped")`))
	v.axe(t)
	// Each report prints on two to four pages.
	if r := pageimage.New(true); r.PDF() {
		for _, url := range []string{banked, altered, tenant, abroad} {
			v.open(t, url+"/report")
			printed, err := v.Page.PDF()
			must(t, err)
			if n, err := r.Pages(t.Context(), printed); err != nil || n < 2 || n > 4 {
				t.Errorf("%s prints on %d pages, %v", url, n, err)
			}
		}
	}
	must(t, v.Page.SetViewportSize(320, 640))
	for _, url := range []string{banked + "/report", altered + "/report", altered + "/files", tenant + "/report", abroad + "/report"} {
		v.open(t, url)
		v.fits(t)
	}
	see(t, v.page(".paid-month >> nth=20"))
	v.axe(t)
}
