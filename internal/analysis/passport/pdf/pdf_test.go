package pdf

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"vestibule/internal/analysis/paystub/pdf"
	"vestibule/internal/contract"
	"vestibule/internal/report"
	"vestibule/internal/testutil/pdftest"
	"vestibule/internal/testutil/proptest"
)

func minimal() report.Passport {
	return report.Passport{
		Meta: &report.Meta{PublicToken: "5c9d3f52-7a2b-4f0e-8f0e-3a6a3d1f0a11",
			CreatedAt: report.TimestampOf(time.Date(2026, 7, 14, 9, 0, 0, 0, time.UTC))},
		Sources: []report.Source{{SourceID: "KOR_NICE", SourceType: report.SourceCreditBureau}},
		Identities: []report.PassportIdentity{{SourceID: "KOR_NICE", FullName: contract.Null("김민준"),
			TransliteratedName: contract.Null("Minjun Kim")}},
	}
}

// read renders a report and returns the text of each page.
func read(t *testing.T, r report.Passport) (pages []string, file *pdf.File) {
	t.Helper()
	raw, err := Render(r)
	if err != nil {
		t.Fatal(err)
	}
	file = pdftest.Read(t, raw)
	return pdftest.Pages(file), file
}

func TestRenderWithoutData(t *testing.T) {
	for name, r := range map[string]report.Passport{"empty": {}, "minimal": minimal()} {
		if pages, _ := read(t, r); len(pages) != 1 || !strings.Contains(pages[0], "Notices") {
			t.Errorf("%s: %q", name, pages)
		}
	}
}

// TestNamesInTheirScript checks that the document has names in their script and embeds the
// fonts.
func TestNamesInTheirScript(t *testing.T) {
	for _, c := range []struct{ name, font string }{{"김민준", "hangul"}, {"欧阳雨桐", "han"}, {"田中さくら", "han"},
		{"Коваленко Олена", "sans"}, {"Íñigo Ordóñez-Muñoz", "sans"}, {"Yılmaz Ștefan", "sans"}, {"Nguyễn Văn Ðức", "sans"}} {
		r := minimal()
		r.Identities[0].FullName, r.Identities[0].TransliteratedName = &c.name, nil
		pages, file := read(t, r)
		if !strings.Contains(strings.ReplaceAll(pages[0], "\n", ""), c.name) {
			t.Errorf("%s is not in %q", c.name, pages[0])
		}
		if strings.Contains(pages[0], "question marks") {
			t.Errorf("%s is said to be unreadable", c.name)
		}
		found := false
		for _, f := range file.Fonts {
			found = found || strings.Contains(f.Name, c.font) && f.Embedded
		}
		if !found {
			t.Errorf("no embedded %s among %+v", c.font, file.Fonts)
		}
	}
}

// TestCharactersWithoutGlyphAreReported checks the warning at the top for a name.
func TestCharactersWithoutGlyphAreReported(t *testing.T) {
	for _, name := range []string{"ليلى نور", "अनन्या शर्मा", "𠮷野"} {
		r := minimal()
		r.Identities[0].FullName = &name
		pages, _ := read(t, r)
		if !strings.Contains(pages[0], "letters that this document's fonts do not have") ||
			!strings.Contains(pages[0], "?") || !strings.Contains(pages[0], "Minjun Kim") {
			t.Errorf("%s: %q", name, pages[0])
		}
	}
}

// TestLongTextsStayOnThePage checks that nothing is drawn beyond a page.
func TestLongTextsStayOnThePage(t *testing.T) {
	r := minimal()
	long := strings.Repeat("無限に長い名前 Donaudampfschifffahrtsgesellschaft ", 40)
	solid := strings.Repeat("W", 3000)
	r.Identities[0].FullName, r.Identities[0].Emails, r.Identities[0].OtherNames = &long, []string{solid[:600]}, []string{long[:900]}
	r.Meta.ExternalID, r.Product = contract.Null(solid[:64]), &report.Product{Name: long}
	amount := report.Cents(999_999_999_999_99)
	for i := range 40 {
		d := report.Date{Time: time.Date(2026, 1, 1+i%28, 0, 0, 0, 0, time.UTC)}
		r.Inquiries = append(r.Inquiries, report.PassportInquiry{Date: &d, Inquirer: &solid, Currency: contract.Null("KRW"), Amount: &amount})
		r.Tradelines = append(r.Tradelines, report.Tradeline{Type: solid[:40], Status: "NEW_STATUS",
			Currency: "KRW", Balance: &amount, CreditLimit: &amount})
		r.Notices = append(r.Notices, report.PassportNotice{Description: long[:400]})
	}
	r.Currencies = []report.PassportCurrency{{Currency: "KRW", Totals: report.TradelineTotals{Balance: &amount}}}
	pages, _ := read(t, r)
	if len(pages) < 8 {
		t.Errorf("40 of each are on %d pages", len(pages))
	}
	for i, p := range pages {
		if want := fmt.Sprintf("Page %d of %d", i+1, len(pages)); !strings.Contains(p, want) {
			t.Errorf("no %q on a page", want)
		}
	}
}

func TestRenderIsDeterministic(t *testing.T) {
	first, err := Render(minimal())
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		if again, _ := Render(minimal()); !bytes.Equal(first, again) {
			t.Fatal("two renderings differ")
		}
	}
	_, file := read(t, minimal())
	if file.Info.Title != "Credit passport 5c9d3f52-7a2b-4f0e-8f0e-3a6a3d1f0a11" ||
		!strings.HasPrefix(file.Info.Created, "D:20260714090000") || file.Active {
		t.Errorf("it says of itself %+v", file.Info)
	}
}

// TestPercent checks that the result is rounded down.
func TestPercent(t *testing.T) {
	proptest.Check(t, func(t *rapid.T) {
		low := rapid.IntRange(-1000, 1000).Draw(t, "minimum")
		high := low + rapid.IntRange(1, 2000).Draw(t, "span")
		value := rapid.IntRange(low, high).Draw(t, "value")
		p := percent(value, low, high)
		if p*(high-low) > 100*(value-low) || (p+1)*(high-low) <= 100*(value-low) {
			t.Fatalf("%d from %d to %d: %d%%", value, low, high, p)
		}
	})
	for _, tt := range [][4]int{{459, 300, 850, 28}, {619, 300, 850, 58}, {290, 0, 1000, 29}, {200, 300, 850, 0},
		{900, 300, 850, 100}, {5, 5, 5, 0}, {6, 5, 5, 100}, {6, 7, 5, 0}} {
		if p := percent(tt[0], tt[1], tt[2]); p != tt[3] {
			t.Errorf("%d from %d to %d: %d%%, want %d", tt[0], tt[1], tt[2], p, tt[3])
		}
	}
}

// TestInquiriesOfTwelveMonths checks that the 12 months begin on the day after the same date
// a year earlier, or after the last day of a shorter month.
func TestInquiriesOfTwelveMonths(t *testing.T) {
	on := func(s string) report.Date {
		at, err := time.Parse(time.DateOnly, s)
		if err != nil {
			t.Fatal(err)
		}
		return report.Date{Time: at}
	}
	for _, tt := range []struct {
		day, asked string
		want       int
	}{
		{"2028-02-29", "2027-03-01", 1}, {"2028-02-29", "2027-02-28", 0},
		{"2029-02-28", "2028-02-29", 1}, {"2029-02-28", "2028-02-28", 0},
		{"2026-07-14", "2025-07-15", 1}, {"2026-07-14", "2025-07-14", 0},
	} {
		asked := on(tt.asked)
		d := &document{Passport: report.Passport{Inquiries: []report.PassportInquiry{{Date: &asked}, {}}}, day: on(tt.day)}
		if _, _, got := d.counts(); got != tt.want {
			t.Errorf("on %s, asked on %s: %d, want %d", tt.day, tt.asked, got, tt.want)
		}
	}
}

// TestWarnings checks that warnings are on the first page.
func TestWarnings(t *testing.T) {
	yes, died := true, report.Date{Time: time.Date(2026, 2, 11, 0, 0, 0, 0, time.UTC)}
	for want, change := range map[string]func(*report.Passport){
		"has died, on 11 Feb 2026": func(r *report.Passport) { r.Identities[0].IsDeceased, r.Identities[0].DateOfDeath = &yes, &died },
		"NICE Korea has no file":   func(r *report.Passport) { r.Identities = nil },
		"not the name that the applicant gave": func(r *report.Passport) {
			r.Sources = append([]report.Source{{SourceID: report.ConsumerInput, SourceType: report.SourceManual}}, r.Sources...)
			r.Identities = append([]report.PassportIdentity{{SourceID: report.ConsumerInput, FullName: contract.Null("Ana Pérez"),
				Matching: &report.IncomeMatching{}}}, r.Identities...)
		},
	} {
		r := minimal()
		if pages, _ := read(t, r); strings.Contains(pages[0], want) {
			t.Errorf("every report contains %q", want)
		}
		change(&r)
		if pages, _ := read(t, r); !strings.Contains(pages[0], want) {
			t.Errorf("no %q in %q", want, pages[0])
		}
	}
}

func TestAmounts(t *testing.T) {
	for _, c := range []struct {
		cents    report.Cents
		currency string
		want     string
	}{{123_456_789_00, "KRW", "KRW 123,456,789"}, {-1_234_05, "EUR", "EUR −1,234.05"}, {7, "USD", "USD 0.07"}, {999_00, "MXN", "MXN 999.00"}} {
		if got := money(&c.cents, c.currency); got != c.want {
			t.Errorf("money(%d, %s) = %q, want %q", c.cents, c.currency, got, c.want)
		}
	}
}
