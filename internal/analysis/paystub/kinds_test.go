package paystub_test

import (
	"bytes"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"codeberg.org/go-pdf/fpdf"

	"vestibule/internal/analysis/paystub"
	"vestibule/internal/report"
)

// kinds returns the layouts of testdata/kinds.txt by name: their page and the fields that it
// shows. See the head of that file for its format.
func kinds(t *testing.T) (files map[string][]byte, truth map[string]map[string]string) {
	t.Helper()
	text, err := os.ReadFile("testdata/kinds.txt")
	if err != nil {
		t.Fatal(err)
	}
	files, truth = map[string][]byte{}, map[string]map[string]string{}
	_, all, _ := strings.Cut(string(text), "\n== ")
	for part := range strings.SplitSeq(all, "\n== ") {
		name, rest, _ := strings.Cut(part, "\n")
		want := map[string]string{}
		for line := range strings.Lines(rest[strings.Index(rest, "\n--\n")+4:]) {
			key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
			for k, v := range expand(key, value) {
				want[k] = v
			}
		}
		files[name], truth[name] = gridPage(t, rest[:strings.Index(rest, "\n--\n")]), want
	}
	return files, truth
}

// expand returns the fields of one line of the truth.
func expand(key, value string) map[string]string {
	now, ytd, both := strings.Cut(value, " ")
	long := map[string]string{"gross": "gross_total_earnings_amount", "net": "net_total_earnings_amount",
		"regular": "regular_pay_earnings_amount", "bonus": "bonus_earnings_amount", "commission": "commission_earnings_amount",
		"vacation": "vacation_earnings_amount", "overtime": "overtime_earnings_amount",
		"ss": "social_security_deductions_amount", "medicare": "medicare_tax_deductions_amount"}[key]
	switch {
	case key == "":
		return nil
	case key == "usual":
		out := map[string]string{}
		for line := range strings.SplitSeq(usual, "\n") {
			k, v, _ := strings.Cut(line, " ")
			maps.Copy(out, expand(k, v))
		}
		return out
	case long == "":
		return map[string]string{key: value}
	case !both:
		return map[string]string{long + "_current": now}
	}
	return map[string]string{long + "_current": now, long + "_ytd": ytd}
}

// usual holds the days and amounts of most layouts.
const usual = `pay_period_start 2026-03-01
pay_period_end 2026-03-14
pay_date 2026-03-20
pay_frequency BIWEEKLY
gross 2000.00 12000.00
regular 2000.00 12000.00
ss 124.00 744.00
medicare 29.00 174.00
net 1647.00 9882.00`

// gridPage returns a page of cells in columns.
func gridPage(t *testing.T, text string) []byte {
	t.Helper()
	doc := fpdf.New("P", "pt", "Letter", "")
	doc.AddPage()
	doc.SetFont("Helvetica", "", 9)
	latin := doc.UnicodeTranslatorFromDescriptor("")
	var columns []string
	y, apart := 40.0, 0.0
	for line := range strings.SplitSeq(text, "\n") {
		if spec, is := strings.CutPrefix(line, "@ "); is {
			columns = strings.Fields(spec)
			continue
		}
		if spaced, is := strings.CutPrefix(line, "@spacing "); is {
			doc.RawWriteStr(spaced + " Tc")
			continue
		}
		if by, is := strings.CutPrefix(line, "@apart "); is {
			apart, _ = strconv.ParseFloat(by, 64)
			continue
		}
		if line == "@page" {
			doc.AddPage()
			y = 40
			continue
		}
		step := 16.0
		if rest, close := strings.CutPrefix(line, "^"); close {
			step, line = 10.5, rest
		} else if rest, between := strings.CutPrefix(line, "~"); between {
			step, line = 5.2, rest
		}
		y += step
		for i, cell := range strings.Split(line, "|") {
			if cell = latin(strings.TrimSpace(cell)); cell == "" {
				continue
			}
			x, err := strconv.ParseFloat(strings.TrimRight(columns[i], "rc"), 64)
			if err != nil {
				t.Fatal(err)
			}
			switch wide := doc.GetStringWidth(cell); columns[i][len(columns[i])-1] {
			case 'r':
				x -= wide
			case 'c':
				x -= wide / 2
			}
			if apart == 0 {
				doc.Text(x, y, cell)
				continue
			}
			for k := range len(cell) {
				doc.Text(x, y, cell[k:k+1])
				x += doc.GetStringWidth(cell[k:k+1]) + apart
			}
		}
	}
	var b bytes.Buffer
	if err := doc.Output(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestKindsOfLayouts reads pages with headers of several lines, columns that are aligned to
// the left or centered, and labels above or beside their values.
func TestKindsOfLayouts(t *testing.T) {
	files, truth := kinds(t)
	if len(files) < 12 {
		t.Fatalf("%d layouts", len(files))
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		t.Run(name, func(t *testing.T) {
			d := paystub.Open(files[name])
			got, want := fieldsOf(t, d), truth[name]
			status := report.IrregularityNotDetected
			if s, ok := want["status"]; ok {
				status = s
				delete(want, "status")
			}
			all := maps.Clone(want)
			maps.Copy(all, got)
			for _, k := range slices.Sorted(maps.Keys(all)) {
				if got[k] != want[k] {
					t.Errorf("%s: %q, want %q", k, got[k], want[k])
				}
			}
			if v := paystub.Report([]*paystub.Document{d}, paystub.Bank{}, whenRead)[0].IrregularityDetection; v.Status != status {
				t.Errorf("%s %v, want %s", v.Status, v.Reasons, status)
			}
		})
	}
}

// TestColumnsOfAnyAlignment reads tables whose headers and amounts are aligned to the left,
// to the right or centered, each in its own way, in columns that are narrow or wide.
func TestColumnsOfAnyAlignment(t *testing.T) {
	for _, head := range [][2]string{{"Current", "YTD"}, {"This Period", "Year to Date"}, {"YTD", "Current"}} {
		for _, align := range []string{"ll", "cl", "cc", "cr", "rr", "rl", "lr"} {
			for _, wide := range [][2]int{{60, 60}, {80, 80}, {110, 110}, {70, 110}} {
				columns := func(align byte) string {
					spec := "@ 40"
					for i := range 4 {
						x, own := 160+i/2*(wide[0]+wide[1])+i%2*wide[0], wide[i%2]
						switch align {
						case 'l':
							spec += " " + strconv.Itoa(x)
						case 'r':
							spec += " " + strconv.Itoa(x+own-8) + "r"
						default:
							spec += " " + strconv.Itoa(x+own/2-4) + "c"
						}
					}
					return spec + "\n"
				}
				header := func(first string) string {
					return columns(align[0]) + first + "|" + head[0] + "|" + head[1] + "\n" + columns(align[1])
				}
				row := func(label, now, ytd string) string {
					if head[0] == "YTD" {
						now, ytd = ytd, now
					}
					return label + "|" + now + "|" + ytd + "\n"
				}
				file := gridPage(t, "@ 40\nHarbor Dental LLC\nEmployee: Ana Lee\nPeriod Ending: 03/14/2026\nPay Date: 03/20/2026\n"+
					header("Earnings|Hours|Rate")+
					row("Regular|80.00|25.00", "2,000.00", "12,000.00")+
					row("Overtime||", "", "150.00")+
					row("Bonus||", "5.00", "5.00")+
					row("Gross Pay||", "2,005.00", "12,155.00")+
					header("Taxes||")+
					row("Social Security||", "124.31", "753.61")+
					row("Medicare||", "29.07", "176.25")+
					row("Federal Income Tax||", "0.00", "1,200.00")+
					row("Net Pay||", "1,851.62", "10,025.14"))
				d := paystub.Open(file)
				got := fieldsOf(t, d)
				for k, want := range map[string]string{"regular_pay_earnings_amount": "2000.00 12000.00", "overtime_earnings_amount": " 150.00",
					"bonus_earnings_amount": "5.00 5.00", "gross_total_earnings_amount": "2005.00 12155.00",
					"social_security_deductions_amount": "124.31 753.61", "medicare_tax_deductions_amount": "29.07 176.25",
					"net_total_earnings_amount": "1851.62 10025.14"} {
					if s := got[k+"_current"] + " " + got[k+"_ytd"]; s != want {
						t.Errorf("%s, aligned %q, %v points wide: %s is %q, want %q", head, align, wide, k, s, want)
					}
				}
				v := paystub.Report([]*paystub.Document{d}, paystub.Bank{}, whenRead)[0].IrregularityDetection
				if v.Status != report.IrregularityNotDetected {
					t.Errorf("%s, aligned %q, %v points wide: %s %v", head, align, wide, v.Status, v.Reasons)
				}
			}
		}
	}
}
