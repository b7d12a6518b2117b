package e2e

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/playwright-community/playwright-go"

	"vestibule/internal/testutil/i18ntest"
	"vestibule/internal/testutil/tools"
)

// signInToDashboard signs the first start's staff in from where v is sent to.
func (s *site) signInToDashboard(t *testing.T, v *visitor, password string) {
	t.Helper()
	fill(t, v.page("[name=email]"), s.Credentials.Dashboard.Email)
	fill(t, v.page("[name=password]"), password)
	click(t, v.page("form[action='/dashboard/sign-in'] button"))
}

// signInStaff signs the first start's staff in without a page.
func (s *site) signInStaff(t *testing.T, v *visitor) {
	t.Helper()
	v.send(t, s.Provider+"/dashboard/sign-in", "email", s.Credentials.Dashboard.Email, "password", s.Credentials.Dashboard.Password)
}

// flash waits for a flash message.
func flash(t *testing.T, v *visitor, words string) {
	t.Helper()
	see(t, v.page("#flash >> text="+words))
}

// delivered reloads a delivery's page until the event is there.
func delivered(t *testing.T, v *visitor) {
	t.Helper()
	until(t, "the event to be delivered", func() bool {
		n, err := v.page(".facts .badge >> text=" + en("dashboard.states.delivered")).Count()
		if err == nil && n > 0 {
			return true
		}
		_, err = v.Reload()
		must(t, err)
		return false
	})
}

// TestDashboard follows the customer's staff: a sign-in, a callback, a delivery that is
// inspected and sent again, and a secret that is rotated by keyboard.
func TestDashboard(t *testing.T) {
	t.Parallel()
	s := alone(t)
	init := call(t, "POST", s.Provider+"/connect/initialization", s.basic(), map[string]any{
		"productId": s.Credentials.Products["cashflow"], "externalId": "loan-2001", "userArgs": "branch 9", "prefill": person}, 2)
	token := s.control(t, "POST", "/visits/"+init["token"].(string)+"/complete", map[string]any{"username": "default"})["publicToken"].(string)
	dashboard := s.Provider + "/dashboard"

	v := visit(t)
	v.open(t, dashboard+"/webhooks")
	see(t, v.page("role=heading[level=1] >> text="+en("dashboard.sign_in.title")))
	v.expect("422")
	s.signInToDashboard(t, v, "not the password")
	see(t, v.page("#sign-in-problem"))
	s.signInToDashboard(t, v, s.Credentials.Dashboard.Password)
	at(t, v, dashboard+"/webhooks") // the requested page

	// An invalid address is refused at its field; a valid one is accepted.
	fill(t, v.page("[name=url]"), "ftp://nowhere")
	click(t, v.page(button(en("dashboard.webhooks.save_address"))))
	see(t, v.page("#url-error >> text="+en("dashboard.callback.invalid")))
	fill(t, v.page("[name=url]"), "https://10.1.2.3/hooks")
	click(t, v.page(button(en("dashboard.webhooks.save_address"))))
	see(t, v.page("#url-error >> text="+en("dashboard.callback.private")))
	fill(t, v.page("[name=url]"), s.Portal+"/webhooks/visit?by=staff")
	click(t, v.page(button(en("dashboard.webhooks.save_address"))))
	flash(t, v, en("dashboard.flash.callback"))

	// The earlier delivery, sent again to the new address.
	click(t, v.page(".table tbody tr a").First())
	delivered(t, v)
	if body := read(t, v.page("pre")); !strings.Contains(body, token) || !strings.Contains(body, `"userArgs": "branch 9"`) {
		t.Errorf("the delivery's body is %s", body)
	}
	first := v.URL()
	click(t, v.page(button(en("dashboard.delivery.send_it_again"))))
	flash(t, v, en("dashboard.flash.redelivered"))
	if v.URL() == first {
		t.Error("the new delivery has no separate page")
	}
	delivered(t, v)

	// By keyboard alone: open, read, press.
	v.open(t, dashboard+"/credentials")
	must(t, v.page(".row-menu > summary").Focus())
	must(t, v.Keyboard().Press("Enter"))
	for range 3 { // the name, its button, and the button that rotates
		must(t, v.Keyboard().Press("Tab"))
	}
	must(t, v.Keyboard().Press("Enter"))
	flash(t, v, en("dashboard.flash.rotated"))
	secret := read(t, v.page("[data-testid=secret]"))
	both := s.Credentials.ClientID + ":" + secret
	call(t, "GET", s.Provider+"/connect/accesstoken", "Basic "+base64.StdEncoding.EncodeToString([]byte(both)), nil, 2)
	call(t, "GET", s.Provider+"/connect/accesstoken", s.basic(), nil, 2) // for a day the old one too
	v.axe(t)
	_, err := v.Reload()
	must(t, err)
	if n, err := v.page("[data-testid=secret]").Count(); err != nil || n != 0 {
		t.Error("the secret is shown twice")
	}

	// Spanish stays; the report is found without its name in an address.
	v.open(t, dashboard+"/reports?lang=es")
	fill(t, v.page("[name=query]"), token)
	click(t, v.page(button(es("dashboard.find"))))
	see(t, v.page("role=heading[level=2] >> text="+es("dashboard.report.timeline")))
	if strings.Contains(v.URL(), token) {
		t.Error("the publicToken is in the address")
	}
	v.open(t, dashboard+"/audit")
	see(t, v.page("role=cell >> text="+es("dashboard.actions.credential_rotated")))
}

// TestDashboardLists follows the customer's staff through a list of reports: a report
// appears while the list is open, is found while its name is typed, and is opened by keys.
func TestDashboardLists(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := alone(t)
	begin := func(externalID string) {
		t.Helper()
		call(t, "POST", s.Provider+"/connect/initialization", s.basic(), map[string]any{
			"productId": s.Credentials.Products["cashflow"], "externalId": externalID, "prefill": person}, 2)
	}
	begin("loan-3001")
	v := visit(t, func(o *playwright.BrowserNewContextOptions) { o.TimezoneId = playwright.String("America/New_York") })
	s.signInStaff(t, v)
	v.open(t, s.Provider+"/dashboard/reports")
	see(t, v.page(".dashboard-clip >> text=loan-3001"))
	address := v.URL()
	must(t, v.page("#query").Focus())
	begin("loan-3002")
	see(t, v.page(".dashboard-clip >> text=loan-3002")) // without a reload
	see(t, v.page("#query:focus"))
	for i := range 2 { // also of the new row
		see(t, v.page("tbody time[title$=' UTC'] >> text=/ E[SD]T$/").Nth(i))
	}

	must(t, v.Keyboard().Type("loan-3001"))
	until(t, "the search to leave out the other report", func() bool {
		n, err := v.page(".dashboard-clip").Count()
		return err == nil && n == 1
	})
	see(t, v.page("#live >> text="+i18ntest.EN("dashboard.list.found.one", "n", "1")))
	v.axe(t)
	if v.URL() != address {
		t.Errorf("the search changed the address to %s", v.URL())
	}
	press := func(key string) {
		t.Helper()
		must(t, v.Keyboard().Press(key))
	}
	press("Escape")
	press("j")
	see(t, v.page(".row-link:focus"))
	press("/")
	see(t, v.page("#query:focus"))
	press("Escape")
	press("?")
	see(t, v.page("[data-keys-toggle]:focus"))
	press("j")
	press("Enter")
	see(t, v.page("role=heading[level=2] >> text="+en("dashboard.report.timeline")))
	click(t, v.page(".dashboard-ids summary"))
	see(t, v.page(".dashboard-ids >> text=loan-3001"))

	// A smaller list has the same tools.
	v.open(t, s.Provider+"/dashboard/people")
	click(t, v.page(button(en("ui.dense"))))
	see(t, v.page(".dashboard-main.dense"))
	must(t, v.page("#query").Focus())
	must(t, v.Keyboard().Type("another"))
	see(t, v.page("#live-part >> text="+en("dashboard.list.nothing_fits")))
	v.axe(t)
	fill(t, v.page("#query"), "")
	see(t, v.page("#live-part >> text="+s.Credentials.Dashboard.Email))
}

// TestHostedPageCannotActForStaff: the hosted page has the dashboard's origin, and
// may be open in the browser of a signed-in user.
func TestHostedPageCannotActForStaff(t *testing.T) {
	t.Parallel()
	s := start(t)
	v := visit(t)
	s.signInStaff(t, v)
	if !strings.Contains(page(t, v, s.Provider+"/dashboard"), en("dashboard.menu.overview")) {
		t.Fatal("the staff is not signed in")
	}

	link := call(t, "POST", s.Provider+"/secure-redirect", s.basic(),
		map[string]any{"productId": s.Credentials.Products["cashflow"], "prefill": person}, 2)
	v.open(t, link["redirectUrl"].(string))
	step(t, v.page, "consent")
	v.expect("403")
	out, err := v.Evaluate(`async () => {
		const read = await fetch("/dashboard/webhooks");
		const text = await read.text();
		const sent = await fetch("/dashboard/webhooks/x/delivery", {method: "POST", redirect: "manual",
			headers: {"Content-Type": "application/x-www-form-urlencoded"}, body: "state=off&once=x"});
		return [read.status, sent.status, text.includes("once")];
	}`)
	must(t, err)
	if got := out.([]any); number(got[0]) != 403 || number(got[1]) != 403 || got[2] != false {
		t.Errorf("script of the hosted page reads and posts with %v", got)
	}
	v.expect("frame")
	v.expect("Content Security Policy")
	framed, err := v.Evaluate(`() => new Promise((done) => {
		const f = document.createElement("iframe");
		f.onload = () => { let inside = ""; try { inside = f.contentDocument?.body?.innerText ?? "";
			} catch {} done(inside.includes("Webhooks")); };
		f.src = "/dashboard/webhooks";
		document.body.append(f);
		setTimeout(() => done(false), 3000);
	})`)
	must(t, err)
	if framed == true {
		t.Error("the dashboard is shown in a frame")
	}
	v.open(t, s.Provider+"/dashboard/webhooks")
	see(t, v.page(".facts .badge >> text="+en("dashboard.on_off.on")))
}
