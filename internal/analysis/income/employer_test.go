package income

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/testutil/proptest"
)

// Names of employers as the applicant and as the bank write them.
var namePairs = []struct {
	stated, bank string
	want         int
}{
	{"Northwind Logistics", "NORTHWIND LOGISTICS", sameWords},
	{"Northwind Logistics, Inc.", "NORTHWIND LOGISTICS LLC", sameWords},
	{"northwind logistics", "NORTHWIND LOGISTICS PAYROLL", sameWords},
	{"The Northwind Logistics Company", "DIRECT DEP NORTHWIND LOGISTICS", sameWords},
	{"Northwind Logistics", "ADP WAGE NORTHWIND LOGISTICS", sameWords},
	{"Northwind Logistics", "PAYCHEX *NORTHWIND LOGISTICS", sameWords},
	{"Northwind Logistics", "GUSTO PAY 123456 NORTHWIND LOGISTICS", sameWords},
	{"Northwind Logistics", "NORTHWIND LOGIST", sameShortened},
	{"Northwind Logistics", "GUSTO NORTHWIND LOGI", sameShortened},
	{"Northwind", "NORTHWIND LOGISTICS", sameBeginning},
	{"Northwind Logistics", "NORTHWIND", sameBeginning},
	{"Acme Manufacturing Co", "ACME MFG", sameShortened},
	{"Acme International Services", "ACME INTL SVCS", sameShortened},
	{"Acme Management", "ACME MGMT", sameShortened},
	{"Department of Widgets", "DEPT OF WIDGETS", sameShortened},
	{"Walmart", "WAL-MART ASSOCS.", sameWords},
	{"Walmart", "WAL MART STORES", sameBeginning},
	{"Wal-Mart", "WALMART STORES", sameBeginning},
	{"DoorDash", "DOOR DASH INC", sameWords},
	{"AT&T", "ATT SERVICES", 0}, // three letters are too few
	{"AT&T Services", "ATT SERVICES PAYROLL", sameWords},
	{"Johnson & Johnson", "JOHNSON JOHNSON", sameWords},
	{"Café Olé", "CAFE OLE", sameWords},
	{"State of Texas", "STATE TEXAS PAYROLL", sameWords},
	{"First National Bank", "FIRST NATIONAL BANK TEXAS", sameBeginning},
	{"Great Lakes Medical Center", "GREAT LAKES MEDICAL", sameBeginning},
	{"Massachusetts Eye Hospital", "MASSACHUSETTS EY", 0},
	{"Brookhaven Memorial Hospital", "BROOKHAVEN MEMOR", sameBeginning},
	{"Kansas Sunflower Foods", "SUNFLOWER FOODS", sameBeginning},
	{"United Parcel Service", "UPS", sameInitials},
	{"International Business Machines Corp", "IBM PAYROLL", sameInitials},
	{"IBM", "INTERNATIONAL BUSINESS MACHINES", sameInitials},
	{"ADP", "ADP PAYROLL", sameWords},
	{"Gusto, Inc.", "GUSTO", sameWords},

	{"Uber Technologies, Inc.", "UBER", sameBeginning},
	{"Lyft Inc", "LYFT", sameWords},
	{"Heartland Dental", "HEARTLAND DENTAL PAYROLL", sameWords},
	{"Dell", "DELL RAPIDS", 0},

	{"ADP", "ADP NORTHWIND LOGISTICS", 0},
	{"Gusto", "GUSTO PAY NORTHWIND", 0},
	{"Northwind Logistics", "GUSTO", 0},
	{"Northwind Logistics", "SOUTHWIND LOGISTICS", 0},
	{"Northwind Logistics", "NORTHSTAR LOGISTICS", 0},
	{"Northwind Logistics", "ACME LOGISTICS", 0},
	{"Delta Air Lines", "DELTA DENTAL", 0},
	{"Delta", "DELTA DENTAL", 0},
	{"United Airlines", "UNITED HEALTHCARE", 0},
	{"United", "UNITED WAY", 0},
	{"American Express", "AMERICAN AIRLINES", 0},
	{"First National Bank", "FIRST NATIONAL", 0},
	{"Great Lakes Medical Center", "GREAT LAKES", 0},
	{"Home Depot", "HOME HEALTH CARE", 0},
	{"City of Austin", "CITY OF DALLAS", 0},
	{"State of Texas", "TEXAS ROADHOUSE", 0},
	{"University of Texas", "UNIVERSITY OF UTAH", 0},
	{"Services", "SERVICES", 0},
	{"Payroll", "PAYROLL", 0},
	{"Inc", "INC", 0},
	{"LLC", "NORTHWIND LLC", 0},
	{"", "NORTHWIND", 0},
	{"", "", 0},
	{"12345", "12345", 0},
	{"Ace", "ACE HARDWARE", 0},
	{"Target", "TARGETED SOLUTIONS", 0},
	{"National Grid", "NATIONAL GUARD", 0},
	{"Pacific Print Co", "PACIFIC GAS", 0},
	{"North Face", "NORTHWIND", 0},
}

func TestAlike(t *testing.T) {
	for _, c := range namePairs {
		a, b := employerOf(c.stated), employerOf(c.bank)
		if got, back := similarity(&a, &b), similarity(&b, &a); got != c.want || back != c.want {
			t.Errorf("%q and %q: %d, the other way %d, want %d", c.stated, c.bank, got, back, c.want)
		}
	}
}

// TestCommonWordsAreIgnored checks that a name of common words does not match another name
// with one of them.
func TestCommonWordsAreIgnored(t *testing.T) {
	for w := range common {
		for _, x := range []string{w, w + " Inc", "The " + w} {
			for _, y := range []string{w + " WIDGETS", "WIDGETS " + w, "ACME " + w, w + " ACME WIDGETS PAYROLL", w} {
				a, b := employerOf(x), employerOf(y)
				if similarity(&a, &b) != 0 {
					t.Errorf("%q matches %q", x, y)
				}
			}
		}
	}
}

func TestPayerOf(t *testing.T) {
	for text, want := range map[string]string{
		"DIRECT DEP NORTHWIND LOGISTICS PAYROLL PPD":                                  "NORTHWIND LOGISTICS",
		"PAYROLL DEPOSIT SUNFLOWER FOODS INC":                                         "SUNFLOWER FOODS INC",
		"ADP WAGE PAY NORTHWIND LOGISTICS 12345":                                      "NORTHWIND LOGISTICS",
		"PAYCHEX-OSV NORTHWIND LOGIST DES:PAYROLL ID:XXX INDN:PAT DOE CO ID:1234 PPD": "NORTHWIND LOGIST",
		"GUSTO DES:PAY 123456 ID:6semjvqh8lk INDN:PAT DOE CO ID:9138864001 PPD":       "",
		"ADP PAYROLL":                          "",
		"ACME MFG CO DES:PAYROLL INDN:PAT DOE": "ACME MFG CO",
		"VA DEPT OF HEALTH PAYROLL AUSTIN TX":  "VA DEPT OF HEALTH",
		"GREAT LAKES MEDICAL PAYROLL":          "GREAT LAKES MEDICAL",
		"AA BB CC EE FF GG HH":                 "AA BB CC EE FF GG",
		"NORTHWIND LOGISTICS DES:PAYROLL ID:JDOE INDN:JANE DOE CO ID:9111111111 PPD": "NORTHWIND " +
			"LOGISTICS",
		"ORIG CO NAME:NORTHWIND LOGISTICS ORIG ID:XYZAB DESC DATE:JAN CO ENTRY DESCR:PAYROLL SEC:PPD TRACE#:0213 IND NAME:JANE DOE TRN:7": "" +
			"NORTHWIND LOGISTICS",
		"Northwind Logistics Payroll Doe, Jane":                            "NORTHWIND LOGISTICS",
		"NORTHWIND LOGISTICS SALARY ABCD JANE DOE":                         "NORTHWIND LOGISTICS",
		"NORTHWIND LOGISTICS DIR DEP JANE Q DOE":                           "NORTHWIND LOGISTICS",
		"ACH CREDIT NORTHWIND LOGISTICS IND ID:EMPLOYEE IND NAME:DOE JANE": "NORTHWIND LOGISTICS",
		"GUSTO DES:PAY ID:ABCDEF INDN:Jane Doe CO ID:1234567890 CCD":       "",
		"DES:PAYROLL NORTHWIND LOGISTICS ID:ABC":                           "NORTHWIND LOGISTICS",
		"DOE AND SONS PAYROLL":                                             "DOE AND SONS",
		"JANE DOE BAKERY PAYROLL":                                          "JANE DOE BAKERY",
		"":                                                                 "",
	} {
		if got := payerOf(&bankdata.Transaction{Description: text}, map[string]bool{"JANE": true, "DOE": true}); got != want {
			t.Errorf("payer of %q = %q, want %q", text, got, want)
		}
	}
	if got := payerOf(&bankdata.Transaction{Description: "ADP PAYROLL", Merchant: "Northwind Logistics"}, nil); got != "NORTHWIND LOGISTICS" {
		t.Errorf("payer by merchant = %q", got)
	}
}

func TestMatchOf(t *testing.T) {
	stated := employersOf([]string{"Northwind", "", "Northwind Logistics", "Inc.", "Acme Widgets", "Northwind Logistics", "Globex"})
	if len(stated) != 4 {
		t.Fatalf("%d employers, want those with a word, once", len(stated))
	}
	for text, want := range map[string]string{
		"NORTHWIND LOGISTICS": "Northwind Logistics",
		"NORTHWIND FREIGHT":   "Northwind",
		"GLOBEX":              "Globex",
		"INITECH":             "",
	} {
		got := ""
		if i := bestMatch(stated, employerOf(text)); i >= 0 {
			got = stated[i].name
		}
		if got != want {
			t.Errorf("%s is of %q, want %q", text, got, want)
		}
	}
}

var nameWords = []string{"NORTHWIND", "Acme", "Sunflower", "Globex", "logistics", "Foods", "Services", "University",
	"of", "The", "Medical", "WAL", "MART", "Inc", "LLC", "AT&T", "Müller"}

func TestNameNormalizationInvariants(t *testing.T) {
	proptest.Check(t, func(t *rapid.T) {
		draw := func(label string) string {
			return strings.Join(rapid.SliceOfN(rapid.SampledFrom(nameWords), 1, 5).Draw(t, label), " ")
		}
		a, b := draw("a"), draw("b")
		x, y := employerOf(a), employerOf(b)
		want := similarity(&x, &y)
		if back := similarity(&y, &x); back != want {
			t.Fatalf("%q and %q: %d, and %d the other way", a, b, want, back)
		}
		for _, form := range []string{strings.ToUpper(b), strings.ToLower(b), b + ".", b + " PAYROLL",
			"ADP " + b, "PAYCHEX *" + b, b + " DES:PAYROLL 12345"} {
			z := employerOf(form)
			if got := similarity(&x, &z); want != sameInitials && got != want && len(y.telling) > 0 {
				t.Fatalf("%q and %q: %d, with %q %d", a, b, want, form, got)
			}
		}
		if len(x.telling) > 1 && similarity(&x, &x) != sameWords {
			t.Fatalf("%q is not like itself", a)
		}
	})
}

func FuzzAlike(f *testing.F) {
	f.Add("Northwind Logistics, Inc.", "PAYCHEX *NORTHWIND LOGI")
	f.Add("AT&T", "ATT SVCS")
	f.Add("İş Bankası 3M", "\xff\xfe ÅÅÅ")
	f.Add(strings.Repeat("a b c d ", 60), strings.Repeat("abc ", 100))
	f.Fuzz(func(t *testing.T, a, b string) {
		x, y := employerOf(a), employerOf(b)
		got := similarity(&x, &y)
		if got < 0 || got > sameWords {
			t.Fatalf("%q and %q: %d", a, b, got)
		}
		if back := similarity(&y, &x); back != got {
			t.Fatalf("%q and %q: %d, and %d the other way", a, b, got, back)
		}
		if got > 0 && (len(x.telling) == 0 || len(y.telling) == 0) {
			t.Fatalf("%q and %q match without a word", a, b)
		}
		if len(x.telling) > 1 && similarity(&x, &x) != sameWords {
			t.Fatalf("%q is not like itself", a)
		}
		_ = payerOf(&bankdata.Transaction{Description: a, Merchant: b}, nil)
	})
}

// TestCompanyWordsAreComplete checks that the parser found every section.
func TestCompanyWordsAreComplete(t *testing.T) {
	for name, want := range map[string]int{"articles": len(articles), "legal": len(legalForms), "moving": len(moving),
		"processors": len(processors), "common": len(common), "entry": len(entries)} {
		if want < 5 || len(companyWords[name]) != want {
			t.Errorf("[%s] has %d words", name, want)
		}
	}
	if len(companyWords) != 6 {
		t.Errorf("%d sections, want 6", len(companyWords))
	}
}
