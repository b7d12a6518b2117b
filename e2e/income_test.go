package e2e

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/playwright-community/playwright-go"

	"vestibule/internal/testutil/tools"
)

// incomeVisit is the address of a hosted visit for an income report.
func (s *site) incomeVisit(t *testing.T, lang string) string {
	t.Helper()
	return s.hosted(t, "income", lang, nil)
}

func (s *site) hosted(t *testing.T, product, lang string, more map[string]any) string {
	t.Helper()
	link := call(t, "POST", s.Provider+"/connect/invite-link", s.basic(), map[string]any{
		"productId": s.Credentials.Products[product], "prefill": acceptable(more)}, 2)["inviteLink"].(string)
	return link + "?lang=" + lang
}

// shot leaves a picture where E2E_SHOTS says.
func shot(t *testing.T, v *visitor, name string) {
	t.Helper()
	if dir := os.Getenv("E2E_SHOTS"); dir != "" {
		_, err := v.Screenshot(playwright.PageScreenshotOptions{Path: playwright.String(dir + "/" + name + ".png"),
			FullPage: playwright.Bool(true)})
		must(t, err)
	}
}

func stubFile(name, text string) playwright.InputFile {
	return playwright.InputFile{Name: name, MimeType: "application/pdf", Buffer: []byte("%PDF-1.4\n" + text)}
}

// TestPayrollVisit shows income by a payroll provider on the hosted page, and checks the
// accessibility of each step, in both languages.
func TestPayrollVisit(t *testing.T) {
	t.Parallel()
	s := start(t)
	eachPageLanguage(t, func(t *testing.T, lang string, language option) {
		v := withAxe(t, visit(t, language))
		v.open(t, s.incomeVisit(t, lang))
		for _, name := range []string{"consent", "source", "employer", "sign-in", "code", "connected"} {
			step(t, v.page, name)
			checkAccessibility(t, v, name)
			checkLanguage(t, v, lang)
			shot(t, v, "payroll-"+name+"-"+lang)
			switch name {
			case "source":
				click(t, v.page("button[value=payroll]"))
			case "employer":
				fill(t, v.page("#q"), "zipporah")
				must(t, v.page("#q").Press("Enter"))
				click(t, v.page("button[value=zipporah-rides]"))
			default:
				onward(t, v.page, name)
			}
		}
		see(t, v.page("[data-end=success]"))
		checkAccessibility(t, v, "end")
	})
}

// TestPayStubsInTheWidget adds files in the widget's frame: chosen, dropped, refused
// and taken away, each with words and a place for the focus.
func TestPayStubsInTheWidget(t *testing.T) {
	t.Parallel()
	s := start(t)
	h := newHost(t, s)
	v := visit(t)
	v.open(t, h.URL+"/")
	begin(t, v, h.options(map[string]any{"productId": s.Credentials.Products["income"], "prefill": acceptable(nil)}), "first")
	step(t, v.widget, "consent")
	submit(t, v.widget)
	step(t, v.widget, "source")
	must(t, v.widget("button[value=paystubs]").Press("Enter"))
	step(t, v.widget, "documents")
	shot(t, v, "documents-frame")
	focused := func(selector string) {
		t.Helper()
		see(t, v.widget(selector+":focus"))
	}
	must(t, v.widget("#file").SetInputFiles([]playwright.InputFile{stubFile("paystub march.pdf", "march"),
		stubFile("paystub april.pdf", "april")}))
	see(t, v.widget("role=heading >> text="+en("visit.documents.added.other", "n", "2")))
	focused("[data-added]")
	v.expect("422")
	must(t, v.widget("#file").SetInputFiles([]playwright.InputFile{{Name: "letter.txt", MimeType: "text/plain", Buffer: []byte("Dear Sir")}}))
	see(t, v.widget("#file-error >> text=letter.txt"))
	focused("#file[aria-invalid=true]")
	shot(t, v, "documents-problem")
	// Dropped, as from a folder.
	_, err := v.widget("form[data-upload]").Evaluate(`(form) => {
		const data = new DataTransfer();
		data.items.add(new File(["%PDF-1.4\nmay"], "paystub may.pdf", {type: "application/pdf"}));
		form.dispatchEvent(new DragEvent("drop", {dataTransfer: data, bubbles: true, cancelable: true}));
	}`, nil)
	must(t, err)
	see(t, v.widget("role=heading >> text="+en("visit.documents.added.other", "n", "3")))
	must(t, v.widget("button[value=remove]").First().Press("Enter"))
	see(t, v.widget("role=heading >> text="+en("visit.documents.added.other", "n", "2")))
	if names := read(t, v.widget("[data-testid=files]")); strings.Contains(names, "march") || !strings.Contains(names, "paystub may.pdf") {
		t.Errorf("the files are %s", names)
	}
	must(t, v.widget(button(en("visit.documents.submit_pay_stubs"))).Press("Enter"))
	step(t, v.widget, "connected")
	must(t, v.widget(button(en("visit.employers.add_source"))).Press("Enter"))
	step(t, v.widget, "source")
	if n, err := v.widget("button[name=source]").Count(); n != 2 || err != nil {
		t.Errorf("%d ways are left, %v", n, err)
	}
	must(t, v.widget(button(en("visit.turn.nothing_more"))).Press("Enter"))
	step(t, v.widget, "connected")
	must(t, v.widget(button(en("visit.employers.finish"))).Press("Enter"))
	if got := called(t, v, 1); got[1] != "onSuccess" || got[3] != "SUCCESS" {
		t.Errorf("the callbacks were called with %v", got)
	}
}

// TestFileChosenBeforeTheScript: on a slow connection the applicant can choose a file before
// the page's script runs, which hides the button.
func TestFileChosenBeforeTheScript(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	v := visit(t)
	v.open(t, s.incomeVisit(t, "en"))
	submit(t, v.page)
	step(t, v.page, "source")
	arrived := make(chan struct{})
	must(t, v.Route("**/*.js", func(r playwright.Route) {
		go func() {
			<-arrived
			r.Continue()
		}()
	}))
	click(t, v.page("button[value=paystubs]"))
	step(t, v.page, "documents")
	must(t, v.page("#file").SetInputFiles([]playwright.InputFile{stubFile("paystub.pdf", "one")}))
	close(arrived)
	see(t, v.page("role=heading >> text="+en("visit.documents.added.one")))
}

// TestUploadsThatAreNotSent says so of a file that is too large, and of an upload that
// was stopped; the form can be used again after each.
func TestUploadsThatAreNotSent(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	v := visit(t)
	v.open(t, s.incomeVisit(t, "en"))
	submit(t, v.page)
	click(t, v.page("button[value=paystubs]"))
	step(t, v.page, "documents")
	sent := hang(t, v, "**/documents?*")
	large := t.TempDir() + "/large.pdf"
	must(t, os.WriteFile(large, stubFile("large.pdf", "large").Buffer, 0o600))
	must(t, os.Truncate(large, 20<<20+1))
	must(t, v.page("#file").SetInputFiles(large))
	see(t, v.page("#file-error >> text="+en("visit.documents.named_not_added", "name", "large.pdf",
		"reason", en("visit.documents.too_large", "limit", "20"))))
	if n := sent(); n != 0 {
		t.Errorf("%d uploads of a file that is too large", n)
	}
	must(t, v.page("#file").SetInputFiles([]playwright.InputFile{stubFile("paystub.pdf", "one")}))
	dimmed := func(what string) bool {
		is, err := v.page(what).Evaluate(`e => { for (; e; e = e.parentElement) if `+
			`(getComputedStyle(e).opacity !== "1") return true; return false }`, nil)
		must(t, err)
		return is == true
	}
	until(t, "the field is dimmed", func() bool { return dimmed("#file") })
	if dimmed("[data-cancel]") {
		t.Error("the button that stops the upload is dimmed")
	}
	click(t, v.page(button(en("visit.documents.cancel"))))
	see(t, v.page("#file-error >> text="+en("visit.documents.cancelled")))
	if n := sent(); n != 1 {
		t.Errorf("%d uploads, want the one that was stopped", n)
	}
	must(t, v.Context.Unroute("**/documents?*"))
	must(t, v.page("#file").SetInputFiles([]playwright.InputFile{stubFile("paystub.pdf", "two")}))
	see(t, v.page("role=heading >> text="+en("visit.documents.added.one")))
}

// TestPayStubsOnAPhone adds a photo on the hosted page, and without script a file by
// the form's own button.
func TestPayStubsOnAPhone(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	t.Run("script", func(t *testing.T) {
		t.Parallel()
		v := visit(t, phone, spanish)
		v.open(t, s.incomeVisit(t, "es"))
		submit(t, v.page)
		click(t, v.page("button[value=paystubs]"))
		step(t, v.page, "documents")
		if capture, err := v.page("#camera").GetAttribute("capture"); err != nil || capture == "" {
			t.Errorf("the camera's field captures %q, %v", capture, err)
		}
		see(t, v.page("label[for=camera]"))
		must(t, v.page("#camera").SetInputFiles(
			[]playwright.InputFile{{Name: "paystub.jpg", MimeType: "image/jpeg", Buffer: []byte("\xff\xd8\xff\xe0 photo")}}))
		see(t, v.page("role=heading >> text="+es("visit.documents.added.one")))
		v.expect("422")
		must(t, v.page("#file").SetInputFiles(
			[]playwright.InputFile{{Name: "carta con un nombre muy largo que no cabe en ninguna parte.txt",
				MimeType: "text/plain", Buffer: []byte("x")}}))
		see(t, v.page("#file-error"))
		checkAccessibility(t, v, "documents")
		must(t, v.SetViewportSize(320, 640))
		shot(t, v, "documents-phone")
		click(t, v.page(button(es("visit.documents.submit_pay_stubs"))))
		click(t, v.page(button(es("visit.employers.finish"))))
		see(t, v.page("[data-end=success][data-status=NOT_AUTHENTICATED]")) // an image is not read
		see(t, v.page("text="+es("visit.end.pay_stubs.image", "company", "Vestibule")))
	})
	t.Run("no script", func(t *testing.T) {
		t.Parallel()
		v := visit(t, phone, noScript)
		v.open(t, s.incomeVisit(t, "en"))
		submit(t, v.page)
		click(t, v.page("button[value=paystubs]"))
		must(t, v.page("#file").SetInputFiles([]playwright.InputFile{stubFile("paystub.pdf", "one")}))
		shot(t, v, "documents-noscript")
		click(t, v.page(button(en("visit.documents.upload"))))
		see(t, v.page("role=heading >> text="+en("visit.documents.added.one")))
		click(t, v.page(button(en("visit.documents.submit_pay_stubs"))))
		click(t, v.page(button(en("visit.employers.finish"))))
		see(t, v.page("[data-end=success]"))
	})
}

// TestEligibilityVisit verifies one employer by payroll and one by a document, skips
// one, and connects a bank: by keyboard, with accessibility checks.
func TestEligibilityVisit(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	v := visit(t, spanish)
	v.open(t, s.hosted(t, "eligibility", "es", map[string]any{"state": "OH",
		"statedEmployerNames": []string{"Northwind Logistics", "Tern & Sons Worldwide Shipping and Forwarding", "Vandelay"}}))
	enter := func(selector string) { t.Helper(); must(t, v.page(selector).Press("Enter")) }
	signIn := func(place string) {
		t.Helper()
		enter("button[value=" + place + "]")
		step(t, v.page, "sign-in")
		fill(t, v.page("[name=username]"), "default")
		fill(t, v.page("[name=password]"), "x")
		enter("[name=password]")
		step(t, v.page, "code")
		enterCode(t, v.page, "123456")
	}
	step(t, v.page, "consent")
	submit(t, v.page)
	step(t, v.page, "employers")
	enter(`button[value=verify] >> nth=0`)
	step(t, v.page, "source")
	enter("button[value=payroll]")
	step(t, v.page, "employer")
	signIn("northwind-logistics")
	step(t, v.page, "employers")
	enter(`button[value=verify] >> nth=1`)
	enter("button[value=documents]")
	step(t, v.page, "documents")
	letter, err := os.ReadFile("../internal/analysis/paystub/testdata/modern.pdf")
	must(t, err)
	must(t, v.page("#file").SetInputFiles([]playwright.InputFile{{Name: "contrato.pdf", MimeType: "application/pdf", Buffer: letter}}))
	see(t, v.page("role=heading >> text="+es("visit.documents.added.one")))
	_, err = v.Reload()
	must(t, err)
	enter(button(es("visit.documents.submit")))
	step(t, v.page, "employers")
	enter(`role=button[name="Omitir Vandelay"]`)
	step(t, v.page, "skip")
	enter(`button[value=OTHER]`)
	step(t, v.page, "employers")
	for i, want := range []string{"listo", "listo", "omitido"} {
		see(t, v.page(fmt.Sprintf(`.employer:nth-child(%d) .badge:text-is("%s")`, i+1, want)))
	}
	checkAccessibility(t, v, "employers")
	checkLanguage(t, v, "es")
	shot(t, v, "eligibility-employers")
	enter(button(es("visit.employers.continue")))
	fill(t, v.page("#q"), "harbor national")
	enter("#q")
	signIn("harbor-national-bank")
	step(t, v.page, "accounts")
	submit(t, v.page)
	step(t, v.page, "connected")
	enter(button(es("visit.employers.finish")))
	see(t, v.page("[data-end=success][data-status=SUCCESS]"))
}
