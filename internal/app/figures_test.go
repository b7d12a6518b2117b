package app_test

import (
	"bytes"
	"fmt"
	"html"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"vestibule/internal/analysis/cashflow"
	"vestibule/internal/i18n"
	verdicts "vestibule/internal/portal/review/verdict"
	"vestibule/internal/prefill"
	"vestibule/internal/provider/sandbox/profiles"
	"vestibule/internal/report"
	"vestibule/internal/testutil"
	"vestibule/internal/testutil/i18ntest"
	pages "vestibule/templates/portal/review"
	"vestibule/templates/ui"
)

var (
	shownKey    = regexp.MustCompile(`(?s)<dt>([^<]*)</dt>\s*<dd>\s*<strong[^>]*>([^<]*)</strong>`)
	shownAmount = regexp.MustCompile(`[−-]?\$[\d,]+\.\d\d`)
)

// shownCents reads an amount as a page shows it.
func shownCents(t *testing.T, s string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(strings.NewReplacer("−", "-", "$", "", ",", "", ".", "").Replace(s), 10, 64)
	if err != nil {
		t.Fatalf("%q is no amount", s)
	}
	return n
}

// TestShownFiguresAddUp holds the pages of reports of the sandbox's people, at many moments and with histories of many
// lengths, to what they show: the income, the other money, and what is left of both add up to the cent, and a
// figure that is shown again is the same.
func TestShownFiguresAddUp(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(39, 12))
	added := 0
	for _, who := range []string{"default", "single", "multi", "joint", "gig", "overdraft", "benefits", "transfers", "noincome"} {
		for range 8 {
			at := time.Date(2026, 7, 14, 9, 30, 0, 0, time.UTC).AddDate(0, 0, random.IntN(400))
			in := cashflow.Input{Bank: profiles.Bank{}.Fetch(who, "link", at), Options: cashflow.Options{Attributes: true}}
			from := report.DateOf(at.AddDate(0, 0, -30-random.IntN(700)))
			for i := range in.Bank.Connections {
				for j := range in.Bank.Connections[i].Accounts {
					a := &in.Bank.Connections[i].Accounts[j]
					for len(a.Transactions) > 0 && random.IntN(2) == 0 && a.Transactions[0].Posted.Before(from.Time) {
						a.Transactions = a.Transactions[1:]
					}
				}
			}
			r, a := cashflow.Build(in, at), cashflow.Explain(in, at)
			r.Meta = &report.Meta{CreatedAt: report.TimestampOf(at)}
			view := pages.ReportView{Report: &r, Verdict: verdicts.OfCashflow(&r, prefill.Fields{}), Analysis: &a}
			var page bytes.Buffer
			testutil.Must(t, pages.ReportPage(ui.Page{Lang: i18n.English}, view).Render(t.Context(), &page))
			text, figures := html.UnescapeString(page.String()), map[string]string{}
			for _, m := range shownKey.FindAllStringSubmatch(text, -1) {
				figures[m[1]] = m[2]
			}
			name := fmt.Sprintf("%s on %s", who, at.Format(time.DateOnly))
			of := func(key i18n.Key) string { return figures[i18ntest.EN(key)] }
			income, net := of("review.key_figures.income_12_months"), of("review.key_figures.net_12_months")
			other, out := of("review.key_figures.other_in_12_months"), of("review.key_figures.money_out_12_months")
			if out == "" {
				continue // the report has no figures of a year
			}
			added++
			left := shownCents(t, net)
			if got := shownCents(t, income) + shownCents(t, other) - shownCents(t, out); got != left {
				t.Errorf("%s: %s + %s − %s is not %s", name, income, other, out, net)
			}
			_, story, _ := strings.Cut(text, `id="money-story">`)
			story, _, _ = strings.Cut(story, "</p>")
			said := shownAmount.FindAllString(story, -1)
			if len(said) < 4 || said[1] != income || said[2] != out || said[3] != net ||
				shownCents(t, said[0]) != shownCents(t, income)+shownCents(t, other) {
				t.Errorf("%s: the section of money says %q, and the figures are %s, %s, %s, %s", name, story, income, other, out, net)
			}
			paid := i18ntest.EN("review.pay.left", "amount", net)
			switch {
			case left == 0:
				paid = i18ntest.EN("review.pay.even")
			case left < 0:
				paid = i18ntest.EN("review.pay.short", "amount", strings.TrimLeft(net, "−-"))
			}
			if !strings.Contains(text, paid) {
				t.Errorf("%s: no answer says %q", name, paid)
			}
			if balance := of("review.key_figures.balance_now"); len(a.Total) > 0 &&
				shownCents(t, balance) != int64(a.Total[len(a.Total)-1]) {
				t.Errorf("%s: the balance is %s, and ends at %d cents", name, balance, a.Total[len(a.Total)-1])
			}
		}
	}
	if added < 40 {
		t.Errorf("only %d pages show what is left of a year", added)
	}
}
