package printout

import (
	"bytes"
	"flag"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vestibule/internal/analysis/paystub/pdf"
	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/portal/review/verdict"
	"vestibule/internal/prefill"
	"vestibule/internal/report"
	"vestibule/internal/testutil/i18ntest"
	"vestibule/internal/testutil/pdftest"
	pages "vestibule/templates/portal/review"
)

var update = flag.Bool("update", false, "write what is expected anew")

const id = "11111111-1111-4111-8111-111111111111"

var noon = time.Date(2026, 7, 15, 12, 0, 0, 0, time.UTC)

func on(s string) report.Date {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		panic(err)
	}
	return report.DateOf(t)
}

func parsed[T any](t *testing.T, product contract.Product, parse func([]byte) (T, error)) T {
	t.Helper()
	raw, err := os.ReadFile("../../../../docs/reports/" + string(product) + ".json")
	if err != nil {
		t.Fatal(err)
	}
	out, err := parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// analysis returns a year of the household's account.
func analysis() *report.Analysis {
	from, monthly, rent := on("2025-07-14"), report.Cents(3_104_20), report.Cents(-1_150_00)
	a := &report.Analysis{Version: report.AnalysisVersion, From: &from, To: on("2026-07-14"),
		Streams: []report.AnalysisStream{
			{Name: "HARTLAND LOGISTICS", Direction: "IN", Category: "INCOME.PAYROLL", Group: "INCOME", Cadence: "BIWEEKLY", Active: true,
				First: on("2025-07-18"), Last: on("2026-07-10"), Count: 26, Mean: 1_432_70, Monthly: &monthly},
			{Name: "RIVER PROPERTY", Direction: "OUT", Category: "BILL.RENT", Group: "BILL", Cadence: "MONTHLY", Active: true,
				First: on("2025-08-01"), Last: on("2026-07-01"), Count: 12, Mean: -1_150_00, Monthly: &rent}},
		Categories: []report.AnalysisCategory{
			{Category: "INCOME.PAYROLL", Group: "INCOME", Direction: "IN", Count: 26, Total: 37_250_20, Monthly: &monthly},
			{Category: "LIVING.GROCERY", Group: "LIVING", Direction: "OUT", Count: 96, Total: -7_310_55},
			{Category: "LIVING.HEALTH", Group: "LIVING", Direction: "OUT", Count: 4, Total: -240_00},
			{Category: "BILL.RENT", Group: "BILL", Direction: "OUT", Count: 12, Total: -13_800_00, Monthly: &rent}},
		Returned: []report.AnalysisReturned{{Date: on("2026-02-11"), AccountID: "a1", Category: "FEE.NSF", Amount: -35_00,
			Description: "NSF FEE <1>"}},
		Accounts: []report.AnalysisAccount{{AccountID: "a1", Institution: contract.Null("Prairie Federal Bank"),
			Name: contract.Null("Primary Checking"), TruncatedNumber: contract.Null("0442")}}}
	for i := range a.Days() {
		a.Total = append(a.Total, report.Cents(950_00-(i%30)*41_17))
	}
	a.Accounts[0].Balances = a.Total
	for at := time.Date(2025, 7, 1, 0, 0, 0, 0, time.UTC); !at.After(a.To.Time); at = at.AddDate(0, 1, 0) {
		a.Months = append(a.Months, report.AnalysisMonth{Month: at.Format("2006-01"), Complete: at.After(from.Time) && at.Month() != 7,
			In: 3_104_20, Income: 2_865_40, Out: -2_990_15, End: 247_41, Lowest: -243_93, Count: 41, Returned: int(at.Month()) % 2})
	}
	return a
}

// okafor returns what the applicant of the reports stated.
func okafor() prefill.Fields {
	income := int64(52_000)
	return prefill.Fields{FirstName: "Joint", LastName: "Okafor", Email: "applicant@mail.example", DOB: "1990-02-28",
		StatedAnnualIncome: &income, StatedEmployerName: "Hartland Logistics", City: "Topeka", State: "KS", Phone: "5550100199"}
}

// application returns the application of a product with the report of the OpenAPI document.
func application(t *testing.T, product contract.Product, stated prefill.Fields) pages.ApplicationView {
	t.Helper()
	v := pages.ApplicationView{Row: pages.Row{ID: id, ExternalID: "loan-1001", Product: product, Name: "Joint Okafor"}, HasReport: true}
	c := pages.Case{ApplicationID: id, PDFImages: true}
	switch product {
	case contract.Cashflow:
		r := parsed(t, product, report.ParseCashflow)
		v.Report = pages.ReportView{Case: c, Report: r, Verdict: verdict.OfCashflow(r, stated), Analysis: analysis()}
	case contract.Income:
		r := parsed(t, product, report.ParseIncome)
		v.Report = pages.IncomeView{Case: c, Report: r, Verdict: verdict.OfIncome(r, stated)}
	case contract.Eligibility:
		r := parsed(t, product, report.ParseEligibility)
		v.Report = pages.EligibilityView{Case: c, Report: r, Verdict: verdict.OfEligibility(r, stated)}
	case contract.Passport:
		r := parsed(t, product, report.ParsePassport)
		v.Report = pages.PassportView{Case: c, Report: r, Verdict: verdict.OfPassport(r, stated)}
	}
	v.Deciding.Taken = []pages.Decision{
		{Decision: "declined", By: "zoe@example.org", At: noon.Add(-time.Hour),
			Reasons: []pages.Reason{pages.ScoreReason("40", "NSF or overdraft")},
			Text:    "Please apply again in six months.\nWe keep your file."},
		{Decision: "moreAsked", At: noon.Add(-48 * time.Hour), Text: "A newer statement, please."}}
	return v
}

// render returns the PDF of an application and its lines by page, and checks that it is
// well-formed and that nothing is drawn beyond a page.
func render(t *testing.T, v pages.ApplicationView, l i18n.Lang, b Brand) (raw []byte, text []string, file *pdf.File) {
	t.Helper()
	p, err := v.Printout(l, noon)
	if err != nil {
		t.Fatal(err)
	}
	if raw, err = Render(p, b, noon); err != nil {
		t.Fatal(err)
	}
	file = pdftest.Read(t, raw)
	for _, page := range file.Pages {
		var out strings.Builder
		for i, run := range page.Runs {
			switch {
			case i > 0 && run.Y == page.Runs[i-1].Y:
				out.WriteString(" | ")
			case i > 0:
				out.WriteString("\n")
			}
			out.WriteString(run.Text)
		}
		text = append(text, out.String()+"\n")
	}
	return raw, text, file
}

var products = []contract.Product{contract.Cashflow, contract.Income, contract.Eligibility, contract.Passport}

// TestPrintouts compares the text of each product's PDF with testdata. go test -update writes
// it anew.
func TestPrintouts(t *testing.T) {
	for _, product := range products {
		for l, say := range map[i18n.Lang]func(i18n.Key, ...string) string{i18n.English: i18ntest.EN, i18n.Spanish: i18ntest.ES} {
			t.Run(string(product)+"-"+string(l), func(t *testing.T) {
				v := application(t, product, okafor())
				raw, text, file := render(t, v, l, Brand{Name: "Harbor Lending"})
				if again, _, _ := render(t, v, l, Brand{Name: "Harbor Lending"}); !bytes.Equal(raw, again) {
					t.Error("two PDFs of the same application differ")
				}
				if n := len(text); n < 2 || n > 4 {
					t.Errorf("%d pages", n)
				}
				for i, page := range text {
					number := say("review.pdf.page", "page", fmt.Sprint(i+1), "pages", fmt.Sprint(len(text)))
					if !strings.Contains(page, number) || i > 0 && (!strings.Contains(page, "Joint Okafor") || !strings.Contains(page, id)) {
						t.Errorf("page %d lacks its number or its head:\n%s", i+1, page)
					}
				}
				if !strings.HasSuffix(file.Info.Title, ": Joint Okafor") || !strings.HasPrefix(file.Info.Created, "D:20260715120000") ||
					!bytes.Contains(raw, []byte("/Lang ("+string(l)+")")) || file.Pages[0].Height != 792 {
					t.Errorf("%+v", file.Info)
				}
				name := filepath.Join("testdata", string(product)+"-"+string(l)+".txt")
				got := strings.Join(text, "\n--- next page ---\n\n")
				if *update {
					if err := os.WriteFile(name, []byte(got), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(string(want), got); diff != "" {
					t.Errorf("%s: -want +got\n%s", name, diff)
				}
			})
		}
	}
}

// TestHostileNames checks that names of any length and script stay on the page, and that the
// first page says which letters are missing.
func TestHostileNames(t *testing.T) {
	for name, missing := range map[string]bool{
		"<b>Ana</b> & \"Núñez\"\x00\n\u202e": false, "Łukasz 김민준 欧阳雨桐 Коваленко Nguyễn Văn Ðức": false, "ليلى نور": true, "": false,
		strings.Repeat("W", 3000): false,
		strings.Repeat("無限に長い名前 Donaudampfschifffahrtsgesellschaft {pages} ", 40): false,
	} {
		for _, product := range products {
			stated := okafor()
			stated.FirstName, stated.LastName, stated.StatedEmployerName = name, name, name
			v := application(t, product, stated)
			v.Row.Name, v.Row.ExternalID = name, strings.Repeat("X", 64)
			v.Deciding.Taken[0].By, v.Deciding.Taken[0].Text = name, strings.Repeat(name+" ", 3)
			if c, ok := v.Report.(pages.ReportView); ok {
				c.Report.AccountDetails[0].AccountName, c.Report.AccountDetails[0].OwnerFullName = &name, &name
				c.Analysis.Streams[0].Name, c.Analysis.Returned[0].Description = name, name
			}
			_, text, _ := render(t, v, i18n.English, Brand{Name: name})
			if strings.Contains(text[0], i18ntest.EN("review.pdf.letters")) != missing {
				t.Errorf("%s of %.20q:\n%.800s", product, name, text[0])
			}
			shown := strings.ReplaceAll(text[0], " | ", "")
			if len(name) > 9 && len(name) < 90 && !missing && !strings.Contains(shown, strings.Trim(name, "\x00\n\u202e")) {
				t.Errorf("%s: no %q in:\n%.800s", product, name, text[0])
			}
		}
	}
}

// TestLongReports checks that a printout of a huge report is bounded and says so.
func TestLongReports(t *testing.T) {
	v := application(t, contract.Cashflow, okafor())
	c := v.Report.(pages.ReportView)
	for i := range 5000 {
		c.Analysis.Streams = append(c.Analysis.Streams, c.Analysis.Streams[1])
		c.Report.AccountDetails = append(c.Report.AccountDetails, report.Account{AccountName: contract.Null(fmt.Sprint("account ", i))})
	}
	_, text, _ := render(t, v, i18n.English, Brand{Name: "Harbor Lending"})
	all := strings.Join(text, "")
	for _, want := range []string{i18ntest.EN("review.pdf.more_rows.other", "n", "4,901"), "account 98"} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q", want)
		}
	}
	if strings.Contains(all, "account 99\n") || len(text) > 12 {
		t.Errorf("%d pages", len(text))
	}

	v = application(t, contract.Eligibility, okafor())
	e := v.Report.(pages.EligibilityView)
	for range 500 {
		e.Report.Employment = append(e.Report.Employment, e.Report.Employment[0])
	}
	_, text, _ = render(t, v, i18n.English, Brand{Name: "Harbor Lending"})
	if !strings.Contains(text[len(text)-1], i18ntest.EN("review.pdf.cut")) || len(text) > 40 {
		t.Errorf("%d pages, the last of which is\n%s", len(text), text[len(text)-1])
	}
}

// TestReportWithoutData renders a report that has nothing but its description.
func TestReportWithoutData(t *testing.T) {
	meta := &report.Meta{PublicToken: id, CreatedAt: report.TimestampOf(noon), Status: contract.StatusSuccess}
	for _, r := range []pages.Measured{pages.ReportView{Report: &report.Cashflow{Meta: meta}},
		pages.IncomeView{Report: &report.Income{Meta: meta}}, pages.EligibilityView{Report: &report.Eligibility{Meta: meta}},
		pages.PassportView{Report: &report.Passport{Meta: meta}}} {
		_, text, _ := render(t, pages.ApplicationView{Row: pages.Row{ID: id}, Report: r}, i18n.English, Brand{Name: "Harbor Lending"})
		if len(text) != 1 || !strings.Contains(text[0], i18ntest.EN("review.report.about")) ||
			strings.Contains(text[0], i18ntest.EN("review.decision")) {
			t.Errorf("%T: %q", r, text)
		}
	}
}

// TestLogo checks that a logo is embedded, and that one with the name replaces the name.
func TestLogo(t *testing.T) {
	var logo bytes.Buffer
	if err := png.Encode(&logo, image.NewRGBA(image.Rect(0, 0, 40, 20))); err != nil {
		t.Fatal(err)
	}
	v := application(t, contract.Income, okafor())
	for wordmark, want := range map[bool]int{false: 2, true: 1} { // the footer has the name, too
		raw, text, _ := render(t, v, i18n.English, Brand{Name: "Harbor Lending", Logo: logo.Bytes(), Wordmark: wordmark})
		if !bytes.Contains(raw, []byte("/Subtype /Image")) || strings.Count(text[0], "Harbor Lending") != want {
			t.Errorf("wordmark %v:\n%.300s", wordmark, text[0])
		}
	}
}
