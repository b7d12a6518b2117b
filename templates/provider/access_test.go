package provider

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/report"
	"vestibule/templates/ui"
)

func TestAccessReports(t *testing.T) {
	day := func(month time.Month, day int) time.Time { return time.Date(2026, month, day, 12, 0, 0, 0, time.UTC) }
	open := []OpenAccess{{"Kestrel Bank", day(3, 1)}}
	for name, c := range map[string]struct {
		report AccessReport
		want   [][2]string
	}{
		"open": {AccessReport{From: []string{"Kestrel Bank"}, Access: open, Until: day(4, 1)},
			[][2]string{{"Source", "Kestrel Bank"}, {"Access", "Active until Mar 1, 2026"}, {"Report", "Viewable until Apr 1, 2026"}}},
		"one of two open": {AccessReport{From: []string{"Kestrel Bank", "pay stubs"}, Access: open, Until: day(4, 1)},
			[][2]string{{"Source", "Kestrel Bank, pay stubs"}, {"Access", "Kestrel Bank: active until Mar 1, 2026."},
				{"Report", "Viewable until Apr 1, 2026"}}},
		"updated": {AccessReport{Access: open, Until: day(4, 1), Updates: 2, Updated: day(2, 3)},
			[][2]string{{"Access", "Kestrel Bank: active until Mar 1, 2026."}, {"Updates", "2 updates, most recently on Feb 3, 2026"},
				{"Report", "Viewable until Apr 1, 2026"}}},
		"updated once": {AccessReport{Until: day(4, 1), Updates: 1, Updated: day(2, 3)},
			[][2]string{{"Access", "No active access"}, {"Updates", "One update, on Feb 3, 2026"},
				{"Report", "Viewable until Apr 1, 2026"}}},
		"ended": {AccessReport{Access: open, Until: day(4, 1), Withdrawn: day(2, 2), ThirdParties: []string{"Acme", "Harbor"}},
			[][2]string{{"Access", "Ended on Feb 2, 2026"}, {"Report", "Viewable until Apr 1, 2026"}, {"Shared with", "Acme, Harbor"}}},
		"not finished": {AccessReport{Pending: true}, [][2]string{{"Access", "No active access"}, {"Report", "Not finished"}}},
		"over": {AccessReport{Made: true, Over: true, Until: day(1, 1), ReadBy: []string{"Acme"}},
			[][2]string{{"Access", "No active access"}, {"Report", "No longer viewable"}, {"Read by", "Acme"}}},
		"ended unfinished": {AccessReport{Pending: true, Withdrawn: day(2, 2)},
			[][2]string{{"Access", "Ended on Feb 2, 2026"}, {"Report", "No report was created"}}},
		"failed": {AccessReport{}, [][2]string{{"Access", "No active access"}, {"Report", "No report was created"}}},
	} {
		var got [][2]string
		for _, f := range c.report.facts(i18n.English) {
			got = append(got, [2]string{f.Term, f.Text})
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	if got := (AccessReport{Kind: contract.Income, Shared: day(1, 2)}).name(i18n.Spanish); got != "Informe de ingresos del 2 ene 2026" {
		t.Errorf("a report is named %q", got)
	}
}

// TestFieldsHaveWords checks that each figure that a report can have has a name in both languages.
func TestFieldsHaveWords(t *testing.T) {
	seen := map[reflect.Type]bool{}
	var walk func(t reflect.Type, each func(name string))
	walk = func(of reflect.Type, each func(name string)) {
		switch of.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map:
			walk(of.Elem(), each)
		case reflect.Struct:
			if seen[of] || of.PkgPath() != reflect.TypeFor[report.Cashflow]().PkgPath() {
				return
			}
			seen[of] = true
			for i := range of.NumField() {
				f := of.Field(i)
				name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
				if name == "meta" || name == "product" || name == "document_positions" || name == "-" || forPrograms(name) {
					continue
				}
				if name != "" && name != "boolean_value" {
					each(name)
				}
				walk(f.Type, each)
			}
		}
	}
	for _, of := range []reflect.Type{reflect.TypeFor[report.Cashflow](), reflect.TypeFor[report.Income](),
		reflect.TypeFor[report.Eligibility](), reflect.TypeFor[report.Passport]()} {
		walk(of, func(name string) {
			for _, l := range []i18n.Lang{i18n.English, i18n.Spanish} {
				if f := (figures{l: l}); f.find(name, "access.field") == "" {
					t.Errorf("%s: %s has no words in %s", of.Name(), name, l)
				}
			}
		})
	}
	f := figures{l: i18n.Spanish}
	for _, code := range slices.Concat(report.SkippedReasons(), []string{report.TradeMortgage, report.TradelineChargedOff, report.PaidLate120,
		report.PayBiweekly, report.PayHourly, string(contract.StatusNotAuthenticated), "PAYROLL_COMPANY", "GIG_PLATFORM", "BANKRUPTCY"}) {
		if got := f.text("", code); got == sentence(code) {
			t.Errorf("%s has no words: %q", code, got)
		}
	}
}

// TestFileHasTextsForPDF checks that each cell of a file's tables has a text, which the PDF draws.
func TestFileHasTextsForPDF(t *testing.T) {
	day := time.Date(2026, 3, 4, 5, 6, 0, 0, time.UTC)
	reads := readGrid(i18n.Spanish, []AccessRead{{Reader: "Harbor", Kind: contract.Income, Report: day, First: day, Last: day, Revision: 1}})
	report := AccessReportView{Access: Access{Lang: i18n.Spanish},
		Transactions: []AccessTransaction{{Posted: day, Description: "RENT", Account: "Bank"}}}
	for _, g := range []ui.Grid{reads, report.transactions(), logGrid(i18n.Spanish, []AccessEntry{{At: day, Action: "opened"}})} {
		for _, c := range g.Rows[0] {
			if c.Text == "" {
				t.Errorf("%s: a cell without text: %+v", g.Caption, g.Rows[0])
			}
		}
	}
}

// TestFiguresOfPayroll checks that each job has its employer's name, and each pay statement a line.
func TestFiguresOfPayroll(t *testing.T) {
	parts, err := Figures(i18n.English, []byte(`{"employment":[{"source_id":"A","employer_name":"Alder"},
			{"source_id":"A","employer_name":"Lantern"}],
		"income":{"payroll":[{"source_id":"A","provider_name":"Paycrest","statements":[{"pay_date":"2026-03-01","net":10.5}]},
			{"source_id":"A","provider_name":"Paycrest","statements":[{"pay_date":"2026-03-01","net":1.25},
				{"pay_date":"2026-02-01","net":null}]},
			{"source_id":"B","provider_name":"Other"}]},
		"currencies":[{"currency":"MXN","totals":{"balance":20.5},"totals_usd":{"balance":1.5}}],
		"tradelines":[{"payment_history":[{"month":"2026-03","status":"OK"},{"month":"2026-02","status":"OK"},
			{"month":"2026-01","status":null}]}],
		"scores":[{"score_type":"SVC_SCORE_CASH_FLOW","value":685,"score_name":"SVC_SCORE_CASH_FLOW","score_value":685,
			"reasons":[{"code":"32","description":"spent"},{"code":"X9","description":"Other."}]}]}`))
	if err != nil || len(parts) != 5 {
		t.Fatalf("%+v, %v", parts, err)
	}
	var got []string
	for _, p := range parts[1:] {
		for _, g := range p.Groups {
			got = append(got, "# "+g.Title)
			for _, f := range g.Facts {
				got = append(got, f.Term+": "+f.Text)
			}
			for _, row := range g.Table.Rows {
				got = append(got, row[0].Text+" | "+row[1].Text)
			}
		}
	}
	want := []string{"# Alder", "Payroll provider: Paycrest", "Mar 1, 2026 | $10.5", "# Lantern", "Payroll provider: Paycrest",
		"Mar 1, 2026 | $1.25",
		"Feb 1, 2026 | –", "# Other", "Payroll provider: Other", "# MXN", "Totals · Balance: 20.5 MXN",
		"Totals in dollars · Balance: $1.5", "# ",
		"Payment history: On time: Feb 2026 – Mar 2026, Not reported: Jan 2026",
		"# ", "Score: Cashflow score", "Value: 685", "Reasons · 1: Spending against deposits", "Reasons · 2: Other."}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
