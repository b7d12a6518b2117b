package paystubtest

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"vestibule/internal/report"
)

// Kind is a way to falsify a stub.
type Kind int

// The eight kinds.
const (
	Appended   Kind = iota // an amount is replaced by an update at the file's end
	Edited                 // saved by a program that edits PDF files
	Redated                // the file's dates disagree with each other or with the stub
	TouchedUp              // an amount's text is drawn again, slightly differently
	OtherFont              // an amount is drawn in another font
	Covered                // a new amount is drawn over the old one, mostly on a white shape
	Consistent             // all dependent amounts are raised, except the taxes
	Invented               // a made-up stub: wrong year to date, or guessed taxes
	Kinds                  // the number of kinds
)

// String returns the kind's name.
func (k Kind) String() string {
	return [...]string{"incremental update", "editor as producer", "dates that disagree", "touched-up text",
		"odd font in an amount", "text over text", "raised consistently", "year or taxes invented"}[k]
}

// Printed returns a genuine stub as the applicant uploads it: unchanged, or rewritten by a
// program that does not change its appearance.
func (s *Stub) Printed(d Draw, l Layout) []byte {
	m := Genuine(d, s)
	f := parse(s.PDF(l, m))
	f.dropModified(m)
	return f.rewritten(d)
}

// rewritten writes the file in one of three forms.
func (f *file) rewritten(d Draw) []byte {
	switch d(4) {
	case 0:
		return f.packed()
	case 1:
		return f.linearized()
	}
	return f.bytes()
}

// dropModified removes the modification date if m has none.
func (f *file) dropModified(m Making) {
	if m.Modified.IsZero() {
		f.bodies[f.info] = modified.ReplaceAllString(f.bodies[f.info], "")
	}
}

// Forge falsifies the last of a person's consecutive stubs and returns the files that the
// person uploads.
func Forge(d Draw, k Kind, l Layout, year []Stub) [][]byte {
	s := &year[len(year)-1]
	if k == Invented {
		return invent(d, l, year)
	}
	m := Genuine(d, s)
	original := s.PDF(l, m)
	f := parse(original)
	f.dropModified(m)
	page, content := f.page()
	data := f.data(content)
	raised := s.Net * report.Cents(108+d(80)) / 100
	swap := map[string]string{money(s.Net): money(raised)}
	switch k {
	case Appended:
		original = f.bytes()
		if d(3) > 0 {
			changed := replaced(data, swap)
			return [][]byte{f.appended(original, map[int]string{content: streamOf(f.bodies[content], changed)})}
		}
		over := f.next() // a second content stream, which draws over the first
		body := strings.Replace(f.bodies[page], fmt.Sprintf("/Contents %d 0 R", content),
			fmt.Sprintf("/Contents [%d 0 R %d 0 R]", content, over), 1)
		return [][]byte{f.appended(original, map[int]string{page: body, over: streamOf("", overlay(d, data, money(s.Net), money(raised)))})}
	case Edited:
		tool := pick(d, "Adobe Photoshop 25.0 (Windows)", "Adobe Acrobat Pro DC 2023", "PDFescape Online - https://www.pdfescape.com",
			"iLovePDF", "Sejda 5.3.1 (sejda.com)", "Foxit PhantomPDF Printer Version 10.1", "Nitro Pro 13 (13.58.0.1180)",
			"PDF-XChange Editor 9.5.366.0", "Canva", "Wondershare PDFelement 9", "Smallpdf.com", "Xodo Pdf", "GIMP 2.10.34",
			"Inkscape 1.3", "PDFfiller", "Adobe Illustrator 27.2", "Soda PDF Online", "LibreOffice 7.5",
			"Microsoft\xae Word 2019", "Affinity Publisher 2.3")
		f.bodies[f.info] = producer.ReplaceAllLiteralString(f.bodies[f.info], "/Producer ("+tool+")")
		if d(2) == 0 {
			f.setData(content, replaced(data, swap))
		}
	case Redated:
		f.redate(d, s)
	case TouchedUp:
		f.setData(content, touched(d, data, money(s.Net), money(raised)))
	case OtherFont:
		num := f.next()
		f.bodies[num] = "<</Type /Font /Subtype /TrueType /BaseFont /" + pick(d, "ArialMT", "ABCDEE+Calibri", "Verdana",
			"ABCDEF+Arial", "TimesNewRomanPSMT", "CourierNewPSMT", "Tahoma-Bold") +
			" /Encoding /WinAnsiEncoding /FirstChar 32 /LastChar 126 /Widths [" + strings.Repeat("540 ", 95) + "]>>\n"
		for _, n := range f.numbers() {
			f.bodies[n] = strings.Replace(f.bodies[n], "/Font <<\n", fmt.Sprintf("/Font <<\n/Fx %d 0 R\n", num), 1)
		}
		f.setData(content, refonted(data, money(s.Net), money(raised)))
	case Covered:
		f.setData(content, data+"\n"+overlay(d, data, money(s.Net), money(raised)))
	case Consistent:
		f.setData(content, replaced(data, raise(d, s)))
	}
	return [][]byte{f.rewritten(d)}
}

// redate changes the dates of the file.
func (f *file) redate(d Draw, s *Stub) {
	stamp := func(t time.Time) string { return t.Format("20060102150405") }
	made := s.Pay.Add(-40 * time.Hour)
	changed := made
	switch d(3) {
	case 0:
		changed = made.AddDate(0, 0, 3+d(300))
	case 1:
		changed = made.AddDate(0, 0, -3-d(300))
	case 2: // made before the pay period
		made = s.Start.AddDate(0, 0, -40-d(400))
		changed = made
	}
	body := modified.ReplaceAllString(f.bodies[f.info], "")
	f.bodies[f.info] = created.ReplaceAllString(body, "/CreationDate (D:"+stamp(made)+"Z)\n/ModDate (D:"+stamp(changed)+"Z)")
}

// shown matches an operation that draws text, as Stub.PDF writes them.
var shown = regexp.MustCompile(`(?s)BT ([\d.]+) ([\d.]+) Td \(((?:\\.|[^\\)])*)\) Tj ET`)

var sized = regexp.MustCompile(`/(F\w+) ([\d.]+) Tf`)

// spelledIn returns a text's form in the content: unchanged, or with two bytes per letter.
func spelledIn(raw, s string) string {
	if !strings.Contains(raw, "\x00") {
		return s
	}
	var b strings.Builder
	for _, c := range []byte(s) {
		b.WriteString("\x00" + string(c))
	}
	return b.String()
}

// replaced changes all occurrences of amounts. In a line laid out with spaces, amounts stay
// right-aligned.
func replaced(data string, swap map[string]string) string {
	return shown.ReplaceAllStringFunc(data, func(op string) string {
		m := shown.FindStringSubmatch(op)
		raw := m[3]
		if strings.Contains(raw, "  ") { // a line laid out with spaces
			for from, to := range swap {
				if grow := len(to) - len(from); grow >= 0 {
					raw = regexp.MustCompile(` {0,`+strconv.Itoa(grow)+`}(\s)`+regexp.QuoteMeta(from)+`(\s|$)`).ReplaceAllString(raw, "${1}"+to+"${2}")
				} else {
					raw = regexp.MustCompile(`(\s)`+regexp.QuoteMeta(from)+`(\s|$)`).ReplaceAllString(raw, "${1}"+strings.Repeat(" ", -grow)+to+"${2}")
				}
			}
			return strings.Replace(op, m[3], raw, 1)
		}
		for from, to := range swap {
			for _, sign := range []string{"", "$"} {
				if raw == spelledIn(raw, sign+from) {
					return strings.Replace(op, m[3], spelledIn(raw, sign+to), 1)
				}
			}
		}
		return op
	})
}

// spot is where an amount was drawn.
type spot struct {
	op               string
	x, y, size, wide float64
	font             string
	raw              string // the whole text
	before, after    string // the text around the amount
}

// find returns the last place of an amount, which is that of the payment.
func find(data, amount string) (s spot, ok bool) {
	for _, at := range shown.FindAllStringSubmatchIndex(data, -1) {
		raw := data[at[6]:at[7]]
		text := spelledIn(raw, amount)
		i := strings.Index(raw, text)
		if i < 0 || i > 0 && raw[i-1] != ' ' && raw[i-1] != '$' {
			continue
		}
		x, _ := strconv.ParseFloat(data[at[2]:at[3]], 64)
		y, _ := strconv.ParseFloat(data[at[4]:at[5]], 64)
		tf := sized.FindAllStringSubmatch(data[:at[0]], -1)
		size, _ := strconv.ParseFloat(tf[len(tf)-1][2], 64)
		s = spot{op: data[at[0]:at[1]], y: y, size: size, font: tf[len(tf)-1][1], raw: raw, before: raw[:i], after: raw[i+len(text):]}
		each := 0.5 * size
		if strings.Contains(raw, "  ") {
			each = 0.6 * size
		}
		s.x, s.wide = x+each*float64(len(s.before))/float64(len(text)/len(amount)), each*float64(len(amount))
		ok = true
	}
	return s, ok
}

func number(f float64) string { return strconv.FormatFloat(f, 'f', 2, 64) }

// overlay draws an amount over the existing one; on a white shape, or directly on it.
func overlay(d Draw, data, old, amount string) string {
	s, ok := find(data, old)
	if !ok {
		panic("paystubtest: no " + old)
	}
	shape := ""
	if d(4) > 0 {
		shape = fmt.Sprintf("1 1 1 rg %s %s %s %s re f ", number(s.x-1), number(s.y-0.25*s.size), number(s.wide+4), number(1.1*s.size))
	}
	return fmt.Sprintf("q %s0 0 0 rg BT /%s %s Tf %s %s Td (%s) Tj ET Q\n", shape, s.font,
		number(s.size), number(s.x), number(s.y), spelledIn(s.raw, amount))
}

// touched draws an amount again: in two pieces, shifted, squeezed or in another size.
func touched(d Draw, data, old, amount string) string {
	s, ok := find(data, old)
	if !ok {
		panic("paystubtest: no " + old)
	}
	part := func(x, y float64, text, before string) string {
		return fmt.Sprintf("BT %s%s %s Td (%s) Tj ET", before, number(x), number(y), spelledIn(s.raw, text))
	}
	rest := ""
	if s.before != "" && strings.TrimSpace(s.before) != "" && s.before != spelledIn(s.raw, "$") {
		rest = strings.Replace(s.op, s.raw, s.before, 1) + "\n" // the line up to the amount
		if after := strings.TrimSpace(s.after); after != "" {
			gap := float64(len(s.after) - len(strings.TrimLeft(s.after, " ")))
			rest += part(s.x+s.wide+gap*0.6*s.size, s.y, after, "") + "\n"
		}
	}
	var now string
	switch d(4) {
	case 0: // in pieces
		at := 1 + d(len(amount)-2)
		now = part(s.x, s.y, amount[:at], "") + "\n" + part(s.x+s.wide*float64(at)/float64(len(amount)), s.y, amount[at:], "")
	case 1: // slightly off the line
		now = part(s.x, s.y+pick(d, -0.9, -0.5, 0.4, 0.8), amount, "")
	case 2: // squeezed
		now = part(s.x, s.y, amount, pick(d, "94 Tz ", "-0.15 Tc ", "106 Tz ")) + " BT 100 Tz 0 Tc ET"
	case 3: // another size, drawn last
		return strings.Replace(data, s.op, rest, 1) + "\n" + fmt.Sprintf("BT /%s %s Tf ET ", s.font,
			number(s.size*pick(d, 0.96, 1.05))) + part(s.x, s.y, amount, "")
	}
	return strings.Replace(data, s.op, rest+now, 1)
}

// refonted draws an amount in the font Fx.
func refonted(data, old, amount string) string {
	s, ok := find(data, old)
	if !ok {
		panic("paystubtest: no " + old)
	}
	back := fmt.Sprintf("/%s %s Tf", s.font, number(s.size))
	before := ""
	if s.before != "" {
		before = "(" + s.before + ") Tj "
	}
	head, _, _ := strings.Cut(s.op, "(")
	now := fmt.Sprintf("%s%s/Fx %s Tf (%s) Tj %s", head, before, number(s.size), amount, back)
	if s.after != "" {
		now += " (" + s.after + ") Tj"
	}
	return strings.Replace(data, s.op, now+" ET", 1)
}

// raise returns a raise of the regular pay and of all amounts that depend on it, except the
// taxes.
func raise(d Draw, s *Stub) map[string]string {
	l := s.Line(Regular)
	by := l.Current * report.Cents(6+d(60)) / 100
	out := map[string]string{}
	if l.Hours > 0 {
		rate := l.Rate * report.Cents(106+d(60)) / 100
		by = (l.Hours*rate+50)/100 - l.Current
		out[money(l.Rate)] = money(rate)
		out[money(l.Rate)+"00"] = money(rate) + "00"
	}
	for _, c := range []report.Cents{l.Current, l.YTD, s.Gross, s.GrossYTD, s.Net, s.NetYTD} {
		out[money(c)] = money(c + by)
	}
	return out
}

// invent makes up a stub: either with the year to date of the stub before it, or with
// guessed taxes.
func invent(d Draw, l Layout, year []Stub) [][]byte {
	before, s := year[len(year)-2], year[len(year)-1].clone()
	if d(2) == 0 {
		for _, lines := range [][]Line{s.Earnings, s.Deductions} {
			for i := range lines {
				if was := before.Line(lines[i].Item); was != nil {
					lines[i].YTD = max(was.YTD, lines[i].Current)
				}
			}
		}
		s.GrossYTD, s.NetYTD = before.GrossYTD, before.NetYTD
		return [][]byte{before.Printed(d, l), s.Printed(d, l)}
	}
	rate := report.Cents(pick(d, 50, 70, 80, 90, 112, 125, 150))
	for i := range s.Deductions {
		if x := &s.Deductions[i]; x.Item == SocialSecurity || x.Item == Medicare || x.Item == FICA {
			for _, c := range []struct{ tax, net *report.Cents }{{&x.Current, &s.Net}, {&x.YTD, &s.NetYTD}} {
				now := *c.tax * rate / 100
				*c.net += *c.tax - now
				*c.tax = now
			}
		}
	}
	return [][]byte{s.Printed(d, l)}
}

// Overlaid returns a file with an amount drawn over existing text of its first page, as an
// editor does: on a white shape, in Helvetica. It rewrites the file, or appends an update.
func Overlaid(original []byte, x, y, wide, size float64, amount string, update bool) []byte {
	f := parse(original)
	page, content := f.page()
	font, over := f.next(), f.next()+1
	f.bodies[font] = "<</Type /Font /Subtype /Type1 /BaseFont /Helvetica>>\n"
	text := fmt.Sprintf("q 1 0 0 1 0 0 cm 1 1 1 rg %s %s %s %s re f 0 0 0 rg BT /Fx %s Tf %s %s Td (%s) Tj ET Q\n",
		number(x-1), number(y-0.2*size), number(wide+2), number(1.1*size), number(size), number(x), number(y), amount)
	// q and Q around the page's content restore its coordinate system.
	open, body := f.next()+2, strings.Replace(f.bodies[page], fmt.Sprintf("/Contents %d 0 R", content),
		fmt.Sprintf("/Contents [%d 0 R %d 0 R %d 0 R]", f.next()+2, content, over), 1)
	body = strings.Replace(body, "/Font <<", fmt.Sprintf("/Font <</Fx %d 0 R ", font), 1)
	changed := map[int]string{page: body, font: f.bodies[font], open: streamOf("", "q "), over: streamOf("", " Q "+text)}
	if update {
		return f.appended(original, changed)
	}
	for n, b := range changed {
		f.bodies[n] = b
	}
	return f.bytes()
}

// Encodings returns a genuine file in each form, by name.
func Encodings(s *Stub, l Layout, m Making) map[string][]byte {
	f := parse(s.PDF(l, m))
	f.dropModified(m)
	return map[string][]byte{"with a table": f.bytes(), "packed": f.packed(), "linearized": f.linearized()}
}
