package e2e

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/playwright-community/playwright-go"

	"vestibule/internal/app"
	"vestibule/internal/i18n"
	"vestibule/internal/testutil/tools"
)

// TestConsumerEndsAccess checks the whole way of a consumer with mouse and keyboard: from the
// end of a visit, with access to a bank that stays open, by the link of an email to the page
// of what was shared, through a freeze that ends another visit, to the end of a company's access.
func TestConsumerEndsAccess(t *testing.T) {
	t.Parallel()
	s := alone(t, "--sandbox-bank-addr=127.0.0.1:0")
	v := s.connectOpenBank(t, nil)
	v.expect("Failed to load resource") // the refused form
	c := askForLink(t, v)
	address := s.accessLink(t, acceptable(nil)["email"].(string), "en")
	c.open(t, address)
	c.tabTo(t, c.page(button(en("access.link.submit"))))
	must(t, c.Keyboard().Press("Enter"))
	see(t, c.page("h2 >> text="+"Vestibule"))
	see(t, c.page("dd:has-text(\"Active until\")"))
	shared, err := c.Content()
	must(t, err)
	t.Run("the link works once", func(t *testing.T) {
		other := visit(t)
		if status := other.answer(t, address); status != 410 {
			t.Errorf("the used link in another browser is answered %d", status)
		}
		click(t, other.page(link(en("access.used.again"))))
		see(t, other.page("[name=email]"))
	})
	t.Run("freeze, report and history", func(t *testing.T) { s.freezeAndRead(t, c) })
	t.Run("end", func(t *testing.T) { s.endAccess(t, c) })
	t.Run("the receipt says the same day", func(t *testing.T) {
		tools.FullOnly(t)
		if until := s.receiptDay(t); !strings.Contains(shared, until) {
			t.Errorf("the page of what was shared does not say %s", until)
		}
	})
}

// askForLink asks for the link by keyboard, with a wrong address first, and returns the window in which it did.
func askForLink(t *testing.T, v *visitor) *visitor {
	opened, err := v.Context.ExpectPage(func() error { return v.page(link(en("access.offer_later"))).Click() })
	must(t, err)
	c := &visitor{Page: opened, Context: v.Context}
	title(t, c, en("access.title"))
	c.tabTo(t, c.page("[name=email]"))
	must(t, c.Keyboard().Type("not an address"))
	must(t, c.Keyboard().Press("Enter"))
	c.tabTo(t, c.page(link(en("access.form.no_email"))))
	must(t, c.Keyboard().Press("Enter"))
	must(t, c.Keyboard().Press("ControlOrMeta+a"))
	must(t, c.Keyboard().Type(acceptable(nil)["email"].(string)))
	must(t, c.Keyboard().Press("Enter"))
	title(t, c, en("access.unsent.title"))
	return c
}

// freezeAndRead freezes the reports, which stops an application, lifts the freeze, and reads a report and the history.
func (s *site) freezeAndRead(t *testing.T, c *visitor) {
	click(t, c.page(link(en("access.freeze.open"))))
	click(t, c.page(button(en("access.freeze.submit"))))
	see(t, c.page(text(en("access.freeze.done.freeze"))))
	frozen := visit(t)
	frozen.open(t, s.hosted(t, "cashflow", "en", nil))
	click(t, frozen.page(button(en("visit.consent.submit"))))
	see(t, frozen.page(link(en("visit.end.frozen_lift"))))
	click(t, c.page(button(en("access.freeze.lift"))))
	see(t, c.page(text(en("access.freeze.done.lift"))))
	click(t, c.page(link(en("access.end.back"))))
	click(t, c.page(`a:has-text("`+en("access.report.open")+`") >> nth=0`))
	see(t, c.page("h2 >> text="+en("access.transactions")))
	click(t, c.page(link(en("access.end.back"))))
	click(t, c.page(link(en("access.history.open"))))
	see(t, c.page(text(en("access.log.refused"))))
	click(t, c.page(link(en("access.end.back"))))
}

// endAccess ends a company's access and signs out.
func (s *site) endAccess(t *testing.T, c *visitor) {
	click(t, c.page(link(en("access.end.open", "company", "Vestibule"))))
	title(t, c, en("access.end.title", "company", "Vestibule"))
	c.tabTo(t, c.page(button(en("access.end.submit"))))
	must(t, c.Keyboard().Press("Enter"))
	see(t, c.page(text(en("access.list.ended", "company", "Vestibule"))))
	if n, err := c.page(link(en("access.end.open", "company", "Vestibule"))).Count(); err != nil || n != 0 {
		t.Errorf("access can be ended again: %d %v", n, err)
	}
	cookies, err := c.Context.Cookies(s.Provider)
	must(t, err)
	for _, k := range cookies {
		if k.Name == "access" && (!k.HttpOnly || k.SameSite == nil || *k.SameSite != *playwright.SameSiteAttributeLax) {
			t.Errorf("the session's cookie is %+v", k)
		}
	}
	click(t, c.page(button(en("access.sign_out"))))
	see(t, c.page("[name=email]"))
}

// receiptDay applies, and returns the day until which the receipt says the data is shared.
func (s *site) receiptDay(t *testing.T) string {
	applicant := visit(t)
	application := s.submit(t, applicant, "default", "", nil)
	s.await(t, application.ID, "ready")
	applicant.open(t, s.Portal+"/applications/"+application.ID)
	until, err := applicant.page(`dt:text-is("` + en("visit.receipt.until") + `") + dd`).TextContent()
	must(t, err)
	opened, err := applicant.Context.ExpectPage(func() error { return applicant.page(link(en("status.receipt.access"))).Click() })
	must(t, err)
	title(t, &visitor{Page: opened, Context: applicant.Context}, en("access.title"))
	return until
}

// connectOpenBank connects a bank whose access stays open, in a visit of a person, and
// returns the browser at the end of the visit.
func (s *site) connectOpenBank(t *testing.T, more map[string]any) *visitor {
	t.Helper()
	v := visit(t)
	v.open(t, s.hosted(t, "cashflow", "en", more))
	toOpenBank(t, v.page, true)
	click(t, v.page(button(en("visit.authorize.submit", "bank", openBank))))
	atOpenBank(t, v.Page, "default")
	step(t, v.page, "connected")
	click(t, v.page(button(en("visit.employers.finish"))))
	see(t, v.page("[data-testid=receipt]"))
	return v
}

// accessLink returns a link in a language to the page of what a person has shared, from the operator's command.
func (s *site) accessLink(t *testing.T, email, lang string) string {
	t.Helper()
	var out, log bytes.Buffer
	if code := app.Run(t.Context(), []string{"consumer", "link", email, "--data-dir=" + s.dir, "--provider-url=" + s.Provider},
		&out, &log); code != 0 {
		t.Fatalf("consumer link: %d %s", code, &log)
	}
	var printed struct{ Link string }
	must(t, json.Unmarshal(out.Bytes(), &printed))
	return printed.Link + "?lang=" + lang
}

// emailedLink returns the link in the newest email to an applicant, from the developer's command.
func (s *site) emailedLink(t *testing.T) (link string) {
	t.Helper()
	until(t, "the email with a link", func() bool {
		var out, log bytes.Buffer
		if code := app.Run(t.Context(), []string{"emails", "--data-dir=" + s.dir}, &out, &log); code != 0 {
			t.Fatalf("emails: %d %s", code, &log)
		}
		link = regexp.MustCompile(`http\S+/resume/\S+`).FindString(out.String())
		return link != ""
	})
	return link
}

// TestConsumerDisconnectsSource disconnects a bank by mouse, in English with script and in
// Spanish without, and looks at the customer's audit trail.
func TestConsumerDisconnectsSource(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := alone(t, "--sandbox-bank-addr=127.0.0.1:0")
	words := map[string]func(i18n.Key, ...string) string{"en": en, "es": es}
	eachLanguage(t, func(t *testing.T, lang string, language option) {
		in, script := words[lang], option(func(*playwright.BrowserNewContextOptions) {})
		if lang == "es" {
			script = noScript
		}
		email := lang + "@example.org"
		s.connectOpenBank(t, map[string]any{"email": email})
		c := visit(t, language, script)
		c.open(t, s.Provider+"/access?lang="+lang)
		fill(t, c.page("[name=email]"), email)
		click(t, c.page(button(in("access.form.submit"))))
		title(t, c, in("access.unsent.title"))
		c.open(t, s.accessLink(t, email, lang))
		click(t, c.page(button(in("access.link.submit"))))

		offer := c.page(link(in("access.disconnect.open", "source", openBank)))
		click(t, offer)
		title(t, c, in("access.disconnect.title", "source", openBank, "company", "Vestibule"))
		click(t, c.page(link(in("access.end.back"))))
		title(t, c, in("access.title"))
		click(t, offer)
		if lang == "en" { // which needs script
			checkAccessibility(t, c, "disconnect")
		}
		shot(t, c, "disconnect-"+lang)
		click(t, c.page(button(in("access.disconnect.submit"))))
		see(t, c.page(text(in("access.list.disconnected", "source", openBank, "company", "Vestibule"))))
		see(t, c.page(link(in("access.end.open", "company", "Vestibule"))))
		shot(t, c, "disconnected-"+lang)
		if n, err := offer.Count(); err != nil || n != 0 {
			t.Errorf("the bank can be disconnected again: %d %v", n, err)
		}
		_, err := c.GoBack() // to the form, which is sent a second time
		must(t, err)
		title(t, c, in("access.title"))

		staff := visit(t, language)
		staff.open(t, s.Provider+"/dashboard")
		s.signInToDashboard(t, staff, s.Credentials.Dashboard.Password)
		at(t, staff, s.Provider+"/dashboard")
		staff.open(t, s.Provider+"/dashboard/audit")
		see(t, staff.page("role=cell >> text="+in("dashboard.actions.source_disconnected")))
	})
}
