package e2e

import (
	"bytes"
	"encoding/base32"
	"encoding/base64"
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"vestibule/internal/app"
	"vestibule/internal/i18n"
)

// operatorLink adds an operator by command and returns the link for a password and a second factor.
func (s *site) operatorLink(t *testing.T) string {
	t.Helper()
	var out, log bytes.Buffer
	if code := app.Run(t.Context(), []string{"operator", "add", "ops@service.example", "--data-dir=" + s.dir,
		"--provider-url=" + s.Provider}, &out, &log); code != 0 {
		t.Fatalf("operator add: %d %s", code, &log)
	}
	var made struct{ Link string }
	must(t, json.Unmarshal(out.Bytes(), &made))
	return made.Link
}

// signInAsOperator adds an operator and signs the visitor in.
func (s *site) signInAsOperator(t *testing.T, v *visitor) {
	t.Helper()
	page := v.send(t, s.operatorLink(t), "password", "an operator's long password")
	m := regexp.MustCompile(`<code translate="no">([A-Z2-7]+)</code>`).FindStringSubmatch(page)
	if m == nil {
		t.Fatalf("no second factor is offered:\n%s", page)
	}
	secret, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(m[1])
	must(t, err)
	v.send(t, s.Provider+"/operator/sign-in/factor", "code", totp(secret, time.Now().Unix()/30))
}

// operate adds an operator by command, who signs in with a second factor, adds a customer, suspends
// and resumes it, and looks at all pages.
func (s *seen) operate(t *testing.T, v *visitor, lang string) {
	t.Helper()
	own, say := s.site, func(k i18n.Key) string { return i18n.T(i18n.Lang(lang), k) }
	home, link := own.Provider+"/operator", own.operatorLink(t)
	for _, page := range []string{"/sign-in", "/forgotten-password"} {
		s.look(t, v, lang, home+page+"?lang="+lang)
	}
	s.look(t, v, lang, link)
	const password = "an operator's long password"
	fill(t, v.page("[name=password]"), password)
	click(t, v.page("main form button[type=submit]"))
	see(t, v.page("main code"))
	s.look(t, v, lang, home+"/sign-in/factor")
	text, err := v.page("main code").InnerText()
	must(t, err)
	secret, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(text)
	must(t, err)
	period := time.Now().Unix() / 30
	fill(t, v.page("[name=code]"), totp(secret, period))
	click(t, v.page("form[action$='/sign-in/factor'] button"))
	see(t, v.page("main li code").First())
	v.send(t, home+"/sign-out")
	v.open(t, home+"/sign-in?lang="+lang)
	fill(t, v.page("[name=email]"), "ops@service.example")
	fill(t, v.page("[name=password]"), password)
	click(t, v.page("form[action$='/sign-in'] button"))
	see(t, v.page("form[action$='/sign-in/code']"))
	s.look(t, v, lang, home+"/sign-in/code")
	fill(t, v.page("[name=code]"), totp(secret, max(period+1, time.Now().Unix()/30)))
	click(t, v.page("form[action$='/sign-in/code'] button"))
	see(t, v.page("a[href$='/customers/new']"))

	// A customer, whose credentials are shown once.
	s.look(t, v, lang, home)
	s.look(t, v, lang, home+"/customers/new")
	fill(t, v.page("[name=name]"), "Harbor Bank")
	fill(t, v.page("[name=email]"), "ada@harbor.example")
	click(t, v.page("form[action$='/customers'] button"))
	see(t, v.page("[data-testid=secret-secretKey]"))
	checkAccessibility(t, v, "the credentials of a new customer")
	value := func(name string) string {
		text, err := v.page("[data-testid=secret-" + name + "]").InnerText()
		must(t, err)
		return text
	}
	body := map[string]any{"productId": value("cashflow"), "prefill": person}
	credentials := "Basic " + base64.StdEncoding.EncodeToString([]byte(value("clientId")+":"+value("secretKey")))
	customer := v.URL()
	for _, page := range []string{customer + "/configurations", customer + "/prepared", home + "/products/" + body["productId"].(string),
		customer} {
		s.look(t, v, lang, page)
	}
	call(t, "POST", own.Provider+"/connect/initialization", credentials, body, 2)
	click(t, v.page("details.dashboard-confirm summary").First())
	click(t, v.page("form[action$='/suspend'] button"))
	see(t, v.page("#flash >> text="+say("dashboard.flash.suspended")))
	call(t, "POST", own.Provider+"/connect/initialization", credentials, body, 4)
	checkAccessibility(t, v, "a suspended customer")
	click(t, v.page("form[action$='/resume'] button"))
	see(t, v.page("#flash >> text="+say("dashboard.flash.resumed")))
	call(t, "POST", own.Provider+"/connect/initialization", credentials, body, 2)

	v.open(t, home)
	must(t, v.page("#query").Focus())
	must(t, v.Keyboard().Type("harbor"))
	see(t, v.page("#live-part >> text="+strings.TrimPrefix(customer, home+"/customers/")))
	for _, page := range []string{"/health", "/people", "/audit", "/second-factor"} {
		s.look(t, v, lang, home+page)
	}
}
