package bank

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/a-h/templ"

	"vestibule/internal/i18n"
	"vestibule/internal/testutil"
	"vestibule/internal/testutil/golden"
	"vestibule/templates/ui"
)

func examples(lang i18n.Lang) map[string]templ.Component {
	page := Page{Lang: lang, Style: "/assets/provider.css", Icon: "/assets/icon.svg", Bank: "Acorn <Cove>", Client: "Tern & Sons",
		Action: "/acorn-cove/authorize/x", Until: time.Date(2026, 10, 12, 0, 0, 0, 0, time.UTC),
		Languages: []ui.Choice{{Lang: lang, URL: "?lang=" + string(lang), Current: true}},
		Accounts:  []Account{{"1", "Everyday <Checking>", "7301", true}, {"2", "Savings", "7718", false}},
		Shared:    []i18n.Key{"bank.consent.accounts", "bank.consent.transactions"}}
	at := func(step string, change func(*Page)) templ.Component {
		p := page
		p.Step = step
		change(&p)
		return BankPage(p)
	}
	same := func(*Page) {}
	payroll := func(p *Page) {
		p.Bank, p.Payroll, p.Accounts = "Ledger <Cove>", true, nil
		p.Shared = []i18n.Key{"bank.payroll.jobs", "bank.payroll.statements", "bank.payroll.identity"}
	}
	return map[string]templ.Component{
		"sign-in":       at("sign-in", same),
		"sign-in-wrong": at("sign-in", func(p *Page) { p.TriesLeft = 1 }),
		"sign-in-missing": at("sign-in", func(p *Page) {
			p.Problems, p.Username = map[string]i18n.Key{"password": "visit.sign_in.no_password"}, "a<b"
		}),
		"sign-in-empty": at("sign-in", func(p *Page) {
			p.Problems = map[string]i18n.Key{"username": "visit.sign_in.no_username", "password": "visit.sign_in.no_password"}
		}),
		"code":            at("code", func(p *Page) { p.TriesLeft = 2 }),
		"accounts":        at("accounts", func(p *Page) { p.Problems = map[string]i18n.Key{"account": "bank.accounts.none"} }),
		"consent":         at("consent", same),
		"refused":         at("refused", func(p *Page) { p.Reason = "bank.refused.tries" }),
		"payroll-sign-in": at("sign-in", payroll),
		"payroll-consent": at("consent", payroll),
		"message":         MessagePage(Message{Lang: lang, Title: "bank.ended.title", Text: "bank.ended.text"}),
	}
}

// TestPages compares each page with its expected output, which has one tag per line.
func TestPages(t *testing.T) {
	for _, lang := range []i18n.Lang{i18n.English, i18n.Spanish} {
		for name, c := range examples(lang) {
			var buf bytes.Buffer
			testutil.Must(t, c.Render(t.Context(), &buf))
			got := buf.String()
			golden.CompareHTML(t, "testdata/"+name+"."+string(lang)+".html", got)
			if strings.Contains(got, "<script") || strings.Contains(got, "style=") || strings.Contains(got, "<Cove>") {
				t.Errorf("%s has script, inline style, or text that is not escaped", name)
			}
		}
	}
}
