package e2e

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"strings"
	"testing"

	"github.com/playwright-community/playwright-go"

	"vestibule/internal/testutil"
)

// explained opens a report's page until its explanation is there: the report does not
// wait for it.
func explained(t *testing.T, v *visitor, url string) {
	t.Helper()
	for range 100 {
		v.open(t, url)
		see(t, v.page("#about"))
		if n, err := v.page("#total").Count(); err == nil && n == 1 {
			return
		}
	}
	t.Fatal("the report has no balances")
}

// kept saves what a link downloads.
func kept(t *testing.T, v *visitor, link string) (name string, body []byte) {
	t.Helper()
	file, err := v.ExpectDownload(func() error { return v.page(link).Click() })
	must(t, err)
	path, err := file.Path()
	must(t, err)
	body = testutil.ReadFile(t, path)
	return file.SuggestedFilename(), body
}

// readReport asks the page of a report what a loan officer would: v is signed in,
// plain is signed in without script.
func (s *site) readReport(t *testing.T, v, plain *visitor, id string, raw []byte) {
	url := s.Portal + "/review/applications/" + id + "/report"
	explained(t, v, url)
	t.Run("plots and tables", func(t *testing.T) { checkPlots(t, v) })
	t.Run("search", func(t *testing.T) { checkSearch(t, v, plain, url) })
	t.Run("on paper", func(t *testing.T) { checkPaper(t, v, url) })
	t.Run("spreadsheets", func(t *testing.T) { checkSpreadsheets(t, v, id, raw) })
}

// checkPlots looks for plots with a name and a description, each with its table.
func checkPlots(t *testing.T, v *visitor) {
	for name, story := range map[string]string{"[Ee]nd of day": "lowest", en("review.report.money"): "Last 12 months"} {
		plot := v.page("role=group[name=/" + name + "$/]")
		see(t, plot)
		words, err := plot.First().Evaluate(`e => document.getElementById(e.getAttribute("aria-describedby")).textContent`, nil)
		must(t, err)
		if !strings.Contains(words.(string), story) {
			t.Errorf("the plot %q is described as %q", name, words)
		}
	}
	for _, table := range []string{en("review.report.balance_table"), en("review.month_table")} {
		click(t, v.page(`summary:text-is("`+table+`")`))
		rows := v.page(`details[open]:has(summary:text-is("` + table + `")) tbody tr`)
		if n, err := rows.Count(); err != nil || n < 20 {
			t.Errorf("%q has %d rows, %v", table, n, err)
		}
	}
	see(t, v.page("role=img[name=/^Score \\d+ "+en("review.report.score_scale")+" 300 to 850; "+en("review.report.ref_home")+" \\d+$/]"))
	click(t, v.page(".bin-ranges summary").First())
	see(t, v.page(".bin-ranges[open] .bin-reached"))
	for _, part := range []string{en("review.report.regular"), en("review.report.categories"), en("review.report.returned")} {
		see(t, v.page(`role=heading[level=2][name="`+part+`"]`))
	}
}

// shownFigures returns the names of the figures that are in sight.
func shownFigures(t *testing.T, v *visitor) (names []string) {
	t.Helper()
	out, err := v.Evaluate(`() => [...document.querySelectorAll("details.figures[open] tbody tr")].filter((r) ` +
		`=> r.offsetParent).map((r) => r.querySelector(".figure-name").textContent)`)
	must(t, err)
	for _, n := range out.([]any) {
		names = append(names, n.(string))
	}
	return names
}

// checkSearch searches as one types, and by the server without script; both find the same.
func checkSearch(t *testing.T, v, plain *visitor, url string) {
	fill(t, v.page("#q"), "Lowest BALANCE")
	see(t, v.page(`#figures-found:text("3 figures")`))
	live := shownFigures(t, v)
	if len(live) != 3 || live[0] != "UA_ASSET_TOTAL_MIN_1M" {
		t.Errorf("as one types: %q", live)
	}
	fill(t, plain.page("#q"), "Lowest BALANCE")
	click(t, plain.page(".figure-find button"))
	at(t, plain, url+"?q=Lowest+BALANCE&node=#figures")
	see(t, plain.page(`#figures-found:text("3 figures")`))
	// Without script the page only has the rows that the server sent.
	names, err := plain.page("details.figures[open] .figure-name").AllTextContents()
	must(t, err)
	if strings.Join(names, " ") != strings.Join(live, " ") {
		t.Errorf("the server finds %q, the script %q", names, live)
	}
	_, err = plain.page("#node").SelectOption(playwright.SelectOptionValues{Values: playwright.StringSlice("RATIO")})
	must(t, err)
	fill(t, plain.page("#q"), "nothing of the kind")
	click(t, plain.page(".figure-find button"))
	see(t, plain.page(text(en("review.figures.found.none"))))
}

// checkPaper checks that on paper nothing can be pressed, and no table is folded.
func checkPaper(t *testing.T, v *visitor, url string) {
	v.open(t, url)
	must(t, v.EmulateMedia(playwright.PageEmulateMediaOptions{Media: playwright.MediaPrint}))
	for selector, want := range map[string]bool{"#total": true, ".keys": true, ".reasons": true, ".findings": true, ".card-points": false,
		".figures-table": false, ".contents": false, ".figure-find": false, ".side": false, ".report-files": false} {
		if got, err := v.page(selector).First().IsVisible(); err != nil || got != want {
			t.Errorf("on paper, %s is there: %v (%v), want %v", selector, got, err, want)
		}
	}
	must(t, v.EmulateMedia(playwright.PageEmulateMediaOptions{Media: playwright.MediaScreen}))
}

// checkSpreadsheets compares the file of figures with the report, and counts the rows of the months.
func checkSpreadsheets(t *testing.T, v *visitor, id string, raw []byte) {
	var report struct {
		Attributes []struct {
			Name  string
			Value json.Number
		}
	}
	must(t, json.Unmarshal(raw, &report))
	name, body := kept(t, v, link(en("review.report.figures_csv")))
	rows, err := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(body, []byte("\ufeff")))).ReadAll()
	must(t, err)
	if name != "cashflow-"+id+".csv" || len(rows) != len(report.Attributes)+1 || rows[0][0] != "name" {
		t.Fatalf("%s has %d rows for %d attributes: %.80q", name, len(rows), len(report.Attributes), body)
	}
	for i, a := range report.Attributes {
		if got := rows[i+1]; got[0] != a.Name || got[3] != a.Value.String() {
			t.Errorf("row %d is %q, want %s with %s", i+1, got, a.Name, a.Value)
		}
	}
	if name, body := kept(t, v, link(en("review.report.months_csv"))); name != "cashflow-"+id+
		"-months.csv" || bytes.Count(body, []byte("\r\n")) < 20 {
		t.Errorf("%s: %.200q", name, body)
	}
}
