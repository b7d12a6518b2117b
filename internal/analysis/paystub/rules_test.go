package paystub

import (
	"slices"
	"strings"
	"testing"
	"time"

	"vestibule/internal/analysis/paystub/pdf"
	"vestibule/internal/report"
)

func TestMoney(t *testing.T) {
	for text, want := range map[string]report.Cents{
		"1,234.56": 123456, "$1,234.56": 123456, "$ 12.00": 1200, "-12.05": -1205, "(12.05)": -1205, "12.05-": -1205,
		"-$12.05": -1205, "12.05*": 1205, "0.00": 0, "$(12.05)": -1205, "( 12.05 )": -1205, "<12.05>": -1205, "–12.05": -1205,
		"+12.05": 1205, "12.05†": 1205, "USD 1.10": 110, "1234567.89": 123456789,
	} {
		if got, ok := money(text); !ok || got != want {
			t.Errorf("money(%q) = %d, %v, want %d", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "12", "12.5", "12.345", "1,23.45", ",123.45", "a1.00",
		"1.00 2.00", "12.0O", "99999999999999.00", "1/2.00"} {
		if got, ok := money(text); ok {
			t.Errorf("money(%q) = %d, want none", text, got)
		}
	}
}

func TestDateIn(t *testing.T) {
	for text, want := range map[string]string{
		"01/31/2026": "2026-01-31", "1/5/26": "2026-01-05", "2026-01-31": "2026-01-31", "01-31-2026": "2026-01-31",
		"Jan 31, 2026": "2026-01-31", "January 5 2026": "2026-01-05", "31 Jan 2026": "2026-01-31",
		"Sept. 3, 2025": "2025-09-03", "Friday, March 6, 2026": "2026-03-06", "2/29/2024": "2024-02-29", "12/31/99": "1999-12-31",
		"19SEP2026": "2026-09-19", "30 SEP 26": "2026-09-30", "September 3rd, 2026": "2026-09-03",
		"09 / 03 / 2026": "2026-09-03", "09.03.2026": "2026-09-03",
	} {
		if got, rest, state := dateIn(text); state != goodDate || got.String() != want || rest != "" {
			t.Errorf("dateIn(%q) = %s, %q, %d, want %s", text, got, rest, state, want)
		}
	}
	for _, text := range []string{"02/30/2026", "13/01/2026", "2025-02-29", "00/10/2025"} {
		if _, _, state := dateIn(text); state != badDate {
			t.Errorf("dateIn(%q) = %d, want one that no month has", text, state)
		}
	}
	for _, text := range []string{"", "12", "1,234.56", "Main Street 12", "01/31", "10 20", "May the 4th", "1/2/3/4", "555-01-0100"} {
		if _, _, state := dateIn(text); state == goodDate {
			t.Errorf("dateIn(%q) is a date", text)
		}
	}
}

func TestFrequencyOfPeriod(t *testing.T) {
	for _, tt := range []struct{ start, end, want string }{
		{"2026-03-02", "2026-03-08", report.PayWeekly}, {"2026-03-02", "2026-03-15", report.PayBiweekly},
		{"2026-02-16", "2026-02-28", report.PaySemiMonthly}, {"2026-03-16", "2026-03-31", report.PaySemiMonthly},
		{"2026-03-01", "2026-03-15", report.PaySemiMonthly}, {"2025-06-16", "2025-06-30", report.PaySemiMonthly},
		{"2026-02-01", "2026-02-28", report.PayMonthly}, {"2026-01-20", "2026-02-19", report.PayMonthly}, {"2026-01-01", "2026-01-03", ""},
		{"2026-02-10", "2026-03-09", report.PayMonthly}, {"2026-03-02", "2026-03-29", ""}, {"2024-02-10", "2024-03-08", ""},
	} {
		if got := frequencyOfPeriod(on(tt.start), on(tt.end)); got != tt.want {
			t.Errorf("frequencyOfPeriod(%s, %s) = %q, want %q", tt.start, tt.end, got, tt.want)
		}
	}
	for words, want := range map[string]string{"bi weekly": report.PayBiweekly, "every two weeks": report.PayBiweekly,
		"semi monthly": report.PaySemiMonthly, "twice a month": report.PaySemiMonthly,
		"paid weekly": report.PayWeekly, "monthly": report.PayMonthly, "by check": "",
		"pay frequency weekly": report.PayWeekly, "paid on a monthly basis": report.PayMonthly,
		"paid twice a month": report.PaySemiMonthly, "pay period": "", "semimonthly payroll": report.PaySemiMonthly,
		"biweekly 26": report.PayBiweekly, "24 times a year": report.PaySemiMonthly, "twice per month": report.PaySemiMonthly,
		"bi monthly": "", "bimonthly": "", "four weekly": "", "4 weekly": "", "every four weeks": "",
		"tri weekly": "", "twice weekly": "", "weekly hours": "", "monthly 24": ""} {
		if got := frequencyOf(words); got != want {
			t.Errorf("frequencyOf(%q) = %q, want %q", words, got, want)
		}
	}
}

func TestLabelsHaveOneField(t *testing.T) {
	for _, prefix := range []string{"label ", "column "} {
		seen := map[string]bool{}
		for section, all := range vocabulary {
			if !strings.HasPrefix(section, prefix) || strings.HasPrefix(section, "column amounts") {
				continue
			}
			for _, w := range all {
				if seen[w] || w != plain(w) {
					t.Errorf("%q is listed twice, or not in the form that is compared", w)
				}
				seen[w] = true
			}
		}
	}
}

func TestTown(t *testing.T) {
	for text, want := range map[string][3]string{"Austin, TX 78701": {"Austin", "TX", "78701"},
		"Winston-Salem NC 27101-0042": {"Winston-Salem", "NC", "27101-0042"}, "New York, NY, 10001": {"New York", "NY", "10001"},
		"Austin, Texas 78701":  {"Austin", "TX", "78701"},
		"San Juan, P.R. 00901": {"San Juan", "PR", "00901"}, "Boston, Ma. 02108": {"Boston", "MA", "02108"}} {
		if c, s, z, ok := town(text); !ok || [3]string{c, s, z} != want {
			t.Errorf("town(%q) = %q %q %q %v", text, c, s, z, ok)
		}
	}
	for _, text := range []string{"TX 78701", "Austin, Texan 78701", "Austin, TX 7870", "12 Oak St 78701", "78701", ""} {
		if _, _, _, ok := town(text); ok {
			t.Errorf("town(%q) is one", text)
		}
	}
}

func on(s string) report.Date {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		panic(err)
	}
	return report.Date{Time: t}
}

// simple returns a weekly stub with correct sums: 40 hours at 25 dollars.
func simple() *Document {
	d := &Document{Outcome: Read, FileType: report.FilePDF, file: &pdf.File{}, Employer: "Acme"}
	d.fields = fields{employee: "Jo Doe", employer: "Acme", frequency: report.PayWeekly,
		start: when{true, on("2026-03-02"), true, nil}, end: when{true, on("2026-03-08"), true, nil},
		pay: when{true, on("2026-03-13"), true, nil}, hire: when{true, on("2020-05-04"), true, nil}}
	add := func(i item, in section, label string, counted bool, a, b report.Cents) {
		d.table.lines = append(d.table.lines, line{item: i, in: in, label: label, counted: counted,
			amount: [2]report.Cents{a, b}, cells: [2]*cell{{}, {}}})
	}
	add(regular, earnings, "regular", true, 1000_00, 10000_00)
	add(gross, earnings, "gross pay", false, 1000_00, 10000_00)
	add(noItem, deductions, "federal income tax", true, 100_00, 1000_00)
	add(socialSecurity, deductions, "social security", true, 62_00, 620_00)
	add(medicare, deductions, "medicare", true, 14_50, 145_00)
	add(net, noSection, "net pay", false, 823_50, 8235_00)
	return d
}

// judge fills the fields and checks the amounts, as read does.
func (d *Document) judge() (reasons []string, status string) {
	d.fill()
	d.Stub.ConsistencyChecks = d.checks()
	d.insights()
	d.figures()
	d.days()
	v := Report([]*Document{d}, Bank{}, on("2026-04-01"))[0].IrregularityDetection
	return v.Reasons, v.Status
}

func (d *Document) line(i item) *line {
	for n := range d.table.lines {
		if d.table.lines[n].item == i {
			return &d.table.lines[n]
		}
	}
	panic("no such line")
}

const none, some, sure = report.IrregularityNotDetected, report.IrregularityReview, report.IrregularityDetected

// changes are changes to a consistent stub, and what the checks say of each.
var changes = []struct {
	name   string
	change func(*Document)
	want   []string
	status string
}{
	{"consistent", func(d *Document) {}, nil, none},
	{"net was raised", func(d *Document) { d.line(net).amount[now] += 100_00 }, []string{Arithmetic}, sure},
	{"net of the year was raised", func(d *Document) { d.line(net).amount[toDate] += 100_00 }, []string{Arithmetic}, sure},
	{"a cent is rounded", func(d *Document) { d.line(net).amount[now]++ }, nil, none},
	{"the earnings are more than gross",
		func(d *Document) { d.line(regular).amount[now] += 100_00; d.line(regular).amount[toDate] += 100_00 }, []string{Arithmetic}, some},
	{"the earnings of the period alone are more than gross",
		func(d *Document) { d.line(regular).amount[now] += 100_00 }, []string{Arithmetic}, sure},
	{"net is shown twice with different amounts", func(d *Document) {
		l := *d.line(net)
		l.amount[now] += 50_00
		d.table.lines = append(d.table.lines, l)
	}, []string{Arithmetic}, sure},
	{"hours times rate is another amount", func(d *Document) {
		l := d.line(regular)
		l.hours, l.rate = &cell{text: "30.00"}, &cell{text: "25.00"}
	}, []string{Arithmetic}, sure},
	{"hours times a rate of four digits", func(d *Document) {
		l := d.line(regular)
		l.hours, l.rate = &cell{text: "38.10"}, &cell{text: "26.2467"}
	}, nil, none},
	{"too little social security", func(d *Document) { tax(d, socialSecurity, -20_00) }, []string{DeductionsOff}, sure},
	{"too much social security", func(d *Document) { tax(d, socialSecurity, 20_00) }, []string{DeductionsOff}, sure},
	{"slightly too much Medicare", func(d *Document) { tax(d, medicare, 6) }, []string{DeductionsOff}, some},
	{"deductions outside a table, some of which reduce the wage", func(d *Document) {
		for n := range d.table.lines {
			d.table.lines[n].counted = false
		}
		tax(d, socialSecurity, -3_10)
		tax(d, medicare, -73)
		d.line(socialSecurity).amount[toDate] -= 3_10
		d.line(medicare).amount[toDate] -= 73
	}, nil, none},
	{"a total without the taxes, which are in a separate table", func(d *Document) {
		for k := range 2 {
			d.line(net).amount[k] -= 100_00
		}
		d.line(noItem).group.title = 1
		d.line(socialSecurity).group.title = 1
		d.line(medicare).group.title = 1
		d.table.lines = append(d.table.lines, line{in: deductions, label: "union dues", counted: true,
			amount: [2]report.Cents{100_00, 100_00}, cells: [2]*cell{{}, {}}},
			line{item: totalDeductions, label: "total deductions", amount: [2]report.Cents{100_00, 100_00}, cells: [2]*cell{{}, {}}})
	}, nil, none},
	{"a total that does not match any table", func(d *Document) {
		d.table.lines = append(d.table.lines, line{item: totalDeductions, label: "total deductions",
			amount: [2]report.Cents{100_06, 2000_00}, cells: [2]*cell{{}, {}}})
	}, []string{Arithmetic}, some},
	{"no social security is deducted", func(d *Document) {
		tax(d, socialSecurity, -62_00)
		d.line(socialSecurity).amount[toDate] = 0
		d.line(net).amount[toDate] += 620_00
	}, nil, none},
	{"health insurance reduces the wage", func(d *Document) {
		d.table.lines = append(d.table.lines, line{in: deductions, label: "medical", counted: true,
			amount: [2]report.Cents{100_00, 1000_00}, cells: [2]*cell{{}, {}}})
		for _, i := range []item{socialSecurity, medicare} {
			for k := range 2 {
				d.line(net).amount[k] += d.line(i).amount[k] / 10
				d.line(i).amount[k] -= d.line(i).amount[k] / 10
			}
		}
		d.line(net).amount[now] -= 100_00
		d.line(net).amount[toDate] -= 1000_00
	}, nil, none},
	{"the year is less than the period", func(d *Document) {
		for n := range d.table.lines {
			d.table.lines[n].amount[toDate] = d.table.lines[n].amount[now] / 2
		}
	}, []string{YearToDate}, sure},
	{"the year to date equals the period in March", func(d *Document) {
		for n := range d.table.lines {
			d.table.lines[n].amount[toDate] = d.table.lines[n].amount[now]
		}
	}, []string{YearToDate}, some},
	{"the period ends before it starts", func(d *Document) { d.fields.end.date = on("2026-02-01") }, []string{DatesDisagree}, some},
	{"a period of one day", func(d *Document) { d.fields.start.date = d.fields.end.date }, nil, none},
	{"paid before the period", func(d *Document) { d.fields.pay.date = on("2026-02-20") }, []string{DatesDisagree}, some},
	{"paid long after the report", func(d *Document) { d.fields.pay.date = on("2026-06-20") }, []string{DatesDisagree}, some},
	{"the file was made before the period", func(d *Document) { d.file.Info.Created = "D:20260101120000Z" }, []string{DatesDisagree}, sure},
	{"the file was made after the report", func(d *Document) { d.file.Info.Created = "D:20260404120000Z" }, []string{DatesDisagree}, sure},
}

func TestFigures(t *testing.T) {
	for _, tt := range changes {
		d := simple()
		tt.change(d)
		reasons, status := d.judge()
		if !slices.Equal(reasons, append([]string{}, tt.want...)) || status != tt.status {
			t.Errorf("%s: %s %v, want %s %v", tt.name, status, reasons, tt.status, tt.want)
		}
	}
}

// tax changes a tax of the period, and the net accordingly.
func tax(d *Document, i item, by report.Cents) {
	d.line(i).amount[now] += by
	d.line(net).amount[now] -= by
}

// TestTaxesAboveTheWageBase checks the taxes of wages near and above the social security wage
// base.
func TestTaxesAboveTheWageBase(t *testing.T) {
	for _, tt := range []struct {
		name          string
		before, taken report.Cents // the year's gross before the period; the tax on the period's 20,000
		medicare      report.Cents
		want          string
	}{
		{"below it", 100_000_00, 1240_00, 290_00, ""},
		{"reached within the period", 174_500_00, 620_00, 290_00, ""},
		{"reached within the period, but not applied", 174_500_00, 1240_00, 290_00, DeductionsOff},
		{"above it, without the additional Medicare tax", 250_000_00, 0, 290_00, DeductionsOff},
		{"above it, with the additional Medicare tax on part of the period", 190_000_00, 0, 380_00, ""},
		{"above it, but not applied", 190_000_00, 1240_00, 380_00, DeductionsOff},
		{"above it, and more than from all wages", 190_000_00, 1250_00, 380_00, DeductionsOff},
	} {
		d := simple()
		for n := range d.table.lines {
			if d.table.lines[n].item != noItem {
				d.table.lines[n].cells[toDate] = nil
			}
		}
		d.fields.hire = when{}
		d.line(regular).amount[now], d.line(gross).amount[now] = 20_000_00, 20_000_00
		d.line(gross).amount[toDate], d.line(gross).cells[toDate] = tt.before+20_000_00, &cell{}
		d.line(socialSecurity).amount[now], d.line(medicare).amount[now] = tt.taken, tt.medicare
		d.line(net).amount[now] = 20_000_00 - 100_00 - tt.taken - tt.medicare
		reasons, status := d.judge()
		if got := slices.Contains(reasons, DeductionsOff); got != (tt.want != "") ||
			(status == report.IrregularityDetected) != (tt.taken > 1240_00) {
			t.Errorf("%s: %s %v, want %q", tt.name, status, reasons, tt.want)
		}
	}
}

func TestConsistencyChecks(t *testing.T) {
	yes, no := true, false
	for _, tt := range []struct {
		change func(*Document)
		name   string
		want   *bool
	}{
		{func(d *Document) {}, "START_DATE_BEFORE_END_DATE", &yes},
		{func(d *Document) { d.fields.end.date = d.fields.start.date }, "START_DATE_BEFORE_END_DATE", &no},
		{func(d *Document) { d.fields.end = when{} }, "START_DATE_BEFORE_END_DATE", nil},
		{func(d *Document) { d.fields.end = when{} }, "END_DATE_EXISTS", &no},
		{func(d *Document) { d.fields.end = when{} }, "END_DATE_IS_VALID_DATE", nil},
		{func(d *Document) { d.fields.start = when{shown: true} }, "START_DATE_IS_VALID_DATE", &no},
		{func(d *Document) { d.fields.start = when{shown: true} }, "START_DATE_EXISTS", &yes},
		{func(d *Document) { d.fields.pay = when{shown: true} }, "PAY_DATE_IS_VALID_DATE", &no},
		{func(d *Document) { d.fields.pay = when{} }, "PAY_DATE_EXISTS", &no},
		{func(d *Document) { d.line(gross).amount[toDate] = 1 }, "GROSS_PAY_YTD_GREATER_THAN_OR_EQUAL_TO_GROSS_PAY_CURRENT", &no},
		{func(d *Document) { d.line(gross).cells[toDate] = nil }, "GROSS_PAY_YTD_GREATER_THAN_OR_EQUAL_TO_GROSS_PAY_CURRENT", nil},
		{func(d *Document) { d.line(net).amount[now] = 1000_01 }, "NET_PAY_LESS_THAN_OR_EQUAL_TO_GROSS_PAY", &no},
		{func(d *Document) { d.line(net).cells[now] = nil }, "NET_PAY_LESS_THAN_OR_EQUAL_TO_GROSS_PAY", nil},
		{func(d *Document) { d.line(regular).amount[now] = 1000_01 }, "COMPONENT_EARNINGS_LESS_THAN_OR_EQUAL_TO_TOTAL_GROSS_PAY", &no},
		{func(d *Document) { d.line(regular).cells[now] = nil }, "COMPONENT_EARNINGS_LESS_THAN_OR_EQUAL_TO_TOTAL_GROSS_PAY", nil},
		{func(d *Document) { d.fields.employee = "" }, "EMPLOYEE_NAME_EXISTS", &no},
		{func(d *Document) { d.fields.employer = "" }, "EMPLOYER_NAME_EXISTS", &no},
		{func(d *Document) { d.line(gross).cells[now] = nil }, "GROSS_TOTAL_EARNINGS_AMOUNT_CURRENT_EXISTS", &no},
		{func(d *Document) { d.line(net).cells[now] = nil }, "NET_TOTAL_EARNINGS_AMOUNT_CURRENT_EXISTS", &no},
	} {
		d := simple()
		tt.change(d)
		d.judge()
		got := d.Stub.ConsistencyChecks[tt.name].Value
		if (got == nil) != (tt.want == nil) || got != nil && *got != *tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
	if got := simple().checks(); len(got) != len(report.PaystubChecks()) {
		t.Errorf("%d checks, want %d", len(got), len(report.PaystubChecks()))
	}
	for _, name := range report.PaystubChecks() {
		if _, ok := simple().checks()[name]; !ok {
			t.Errorf("no %s", name)
		}
	}
}

func TestInsights(t *testing.T) {
	for _, tt := range []struct {
		name       string
		change     func(*Document)
		gross, net report.Cents
	}{
		{"weekly", func(d *Document) {}, 52_000_00, 42_822_00},
		{"biweekly", func(d *Document) { d.fields.frequency = report.PayBiweekly }, 26_000_00, 21_411_00},
		{"semi-monthly", func(d *Document) { d.fields.frequency = report.PaySemiMonthly }, 24_000_00, 19_764_00},
		{"monthly", func(d *Document) { d.fields.frequency = report.PayMonthly }, 12_000_00, 9_882_00},
		{"without a frequency, by the days of the year", func(d *Document) { d.fields.frequency = "" }, 54_477_61, 44_862_31},
		{"without a frequency, from the hire date", func(d *Document) { d.fields.frequency = ""; d.fields.hire.date = on("2026-02-01") },
			101_388_89, 83_493_75},
		{"hired three weeks ago", func(d *Document) { d.fields.frequency = ""; d.fields.hire.date = on("2026-02-15") }, 0, 0},
		{"of December, paid in January", func(d *Document) {
			dated(d, "2025-12-31", "2026-01-07")
			for n := range d.table.lines {
				d.table.lines[n].amount[toDate] = d.table.lines[n].amount[now]
			}
		}, 0, 0},
		{"of December, paid in January to an employee hired in November",
			func(d *Document) { dated(d, "2025-12-31", "2026-01-07"); d.fields.hire.date = on("2025-11-03") }, 0, 0},
		{"until 27 January, paid in February", func(d *Document) { dated(d, "2026-01-27", "2026-02-03") }, 0, 0},
		{"until 28 January, paid in February", func(d *Document) { dated(d, "2026-01-28", "2026-02-04") }, 130_357_14, 107_349_11},
		{"paid in December until the middle of January", func(d *Document) { dated(d, "2026-01-15", "2025-12-31") }, 10_000_00, 8_235_00},
		{"a year to its end", func(d *Document) { dated(d, "2025-12-31", "2025-12-31") }, 10_000_00, 8_235_00},
		{"a leap year to its end", func(d *Document) { dated(d, "2024-12-31", "2024-12-31") }, 10_000_00, 8_235_00},
		{"half a leap year", func(d *Document) { dated(d, "2024-07-01", "2024-07-05") }, 20_000_00, 16_470_00},
		{"only a pay date", func(d *Document) { dated(d, "2025-12-31", "2025-12-31"); d.fields.end = when{} }, 10_000_00, 8_235_00},
		{"only the end of a period", func(d *Document) { dated(d, "2025-12-31", "2025-12-31"); d.fields.pay = when{} }, 10_000_00, 8_235_00},
	} {
		d := simple()
		tt.change(d)
		d.judge()
		in := d.Stub.Insights
		if tt.gross == 0 {
			if in.AnnualGross != nil || in.AnnualNet != nil {
				t.Errorf("%s: %v %v, want none", tt.name, in.AnnualGross, in.AnnualNet)
			}
			continue
		}
		if in.AnnualGross == nil || *in.AnnualGross != tt.gross || in.AnnualNet == nil || *in.AnnualNet != tt.net {
			t.Errorf("%s: %v %v, want %v %v", tt.name, *in.AnnualGross, *in.AnnualNet, tt.gross, tt.net)
		}
	}
}

// dated removes the frequency and the period's start from a stub, and sets the period's end
// and the pay date.
func dated(d *Document, end, pay string) {
	d.fields.frequency, d.fields.start = "", when{}
	d.fields.end.date, d.fields.pay.date = on(end), on(pay)
}

// TestDocumentMetadata checks the findings from a file's programs, dates and structure.
func TestDocumentMetadata(t *testing.T) {
	none, some, sure := report.IrregularityNotDetected, report.IrregularityReview, report.IrregularityDetected
	for _, tt := range []struct {
		name    string
		file    pdf.File
		want    []string
		status  string
		genuine bool
	}{
		{"a payroll company's program", pdf.File{Info: pdf.Info{Producer: "iText 2.1.7 by 1T3XT", Created: "D:20260312120000-05'00'",
			Modified: "D:20260312120000-05'00'"}}, nil, none, true},
		{"an editor", pdf.File{Info: pdf.Info{Producer: "PDFescape Online"}}, []string{EditorProducer}, sure, false},
		{"an editor in the history", pdf.File{Info: pdf.Info{Producer: "iText", XMPPrograms: []string{"Adobe Photoshop 25.0"}}},
			[]string{EditorProducer}, sure, false},
		{"an editor by its address", pdf.File{Info: pdf.Info{Producer: "Smallpdf.com"}}, []string{EditorProducer}, sure, false},
		{"an editor's printer driver", pdf.File{Info: pdf.Info{Producer: "Foxit Reader PDF Printer Version 10.1"}},
			[]string{EditorProducer}, some, false},
		{"a tool that merges files", pdf.File{Info: pdf.Info{Producer: "PyPDF2"}}, []string{EditorProducer}, some, false},
		{"a program with an editor's letters in its name",
			pdf.File{Info: pdf.Info{Producer: "Payroll canvas renderer 2", Creator: "Writerly Payroll"}}, nil, none, true},
		{"a browser", pdf.File{Info: pdf.Info{Producer: "Skia/PDF m122", Creator: "Mozilla/5.0 (Macintosh) Chrome/122.0"}}, nil, none, true},
		{"a word processor", pdf.File{Info: pdf.Info{Creator: "Microsoft® Word 2019"}}, []string{EditorProducer}, some, false},
		{"changed an hour and a day later", pdf.File{Info: pdf.Info{Created: "D:20260312120000Z", Modified: "D:20260313130000Z"}},
			[]string{DatesDisagree}, sure, true},
		{"changed two hours later", pdf.File{Info: pdf.Info{Created: "D:20260312120000Z", Modified: "D:20260312140000Z"}},
			[]string{DatesDisagree}, some, true},
		{"changed before it was created", pdf.File{Info: pdf.Info{Created: "D:20260312120000Z", Modified: "D:20260312110000Z"}},
			[]string{DatesDisagree}, sure, true},
		{"the same instant in two zones", pdf.File{Info: pdf.Info{Created: "D:20260312120000Z", Modified: "D:20260312070000-05'00'"}},
			nil, none, true},
		{"two different creation dates", pdf.File{Info: pdf.Info{Created: "D:20260312120000Z", XMPCreated: "2025-11-12T12:00:00Z"}},
			[]string{DatesDisagree}, sure, true},
		{"two creation dates, one without a time zone",
			pdf.File{Info: pdf.Info{Created: "D:20260312120000-05'00'", XMPCreated: "2026-03-12T12:00:00"}}, nil, none, true},
		{"an update of visible content", pdf.File{Updates: []pdf.Update{{Content: true}}}, []string{IncrementalUpdate}, sure, false},
		{"an update of something else", pdf.File{Updates: []pdf.Update{{}}}, []string{IncrementalUpdate}, some, false},
		{"a signature", pdf.File{Updates: []pdf.Update{{Signed: true, Annotated: true}}}, nil, none, true},
		{"a signature with changed content", pdf.File{Updates: []pdf.Update{{Signed: true, Content: true}}},
			[]string{IncrementalUpdate}, sure, false},
		{"an added annotation", pdf.File{Updates: []pdf.Update{{Annotated: true}}}, []string{IncrementalUpdate}, some, false},
		{"a wrong cross-reference", pdf.File{Repaired: true}, []string{FileRepaired}, sure, false},
		{"text annotations", pdf.File{Info: pdf.Info{AnnotationText: true}}, []string{TextInAnnotation}, sure, false},
		{"a filled form", pdf.File{Info: pdf.Info{FieldValues: true}}, []string{TextInAnnotation}, some, false},
		{"scripts", pdf.File{Active: true}, []string{ActiveContent}, some, true},
	} {
		d := simple()
		d.file = &tt.file
		d.program()
		d.judge()
		v := Report([]*Document{d}, Bank{}, on("2026-04-01"))[0].IrregularityDetection
		if !slices.Equal(v.Reasons, append([]string{}, tt.want...)) || v.Status != tt.status || *v.GenuinePDF != tt.genuine {
			t.Errorf("%s: %s %v, genuine %v, want %s %v, %v", tt.name, v.Status, v.Reasons, *v.GenuinePDF, tt.status, tt.want, tt.genuine)
		}
	}
}
