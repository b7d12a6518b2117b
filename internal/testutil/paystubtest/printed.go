package paystubtest

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"vestibule/internal/report"
)

// Forge returns a falsified copy of the page, which shows the stub's amounts. It returns
// nil if that is impossible: the page lacks the amount, or its font lacks a digit.
func (printed *PrintedPage) Forge(d Draw, k Kind, s *Stub) []byte {
	copied, f := *printed, *printed.file
	f.bodies = maps.Clone(f.bodies)
	copied.file = &f
	p := &copied
	raised := s.Net
	for range 99 {
		if raised = s.Net * report.Cents(104+d(80)) / 100; len(money(raised)) == len(money(s.Net)) {
			break
		}
	}
	switch k {
	case Appended:
		changed, ok := p.swapped(map[report.Cents]report.Cents{s.Net: raised})
		if !ok {
			return nil
		}
		return p.appended(p.original, map[int]string{p.content: streamOf(p.bodies[p.content], changed)})
	case Edited:
		tool := pick(d, "Adobe Photoshop 25.0 (Windows)", "Adobe Acrobat Pro DC 2023", "iLovePDF", "Sejda 5.3.1 (sejda.com)",
			"Nitro Pro 13 (13.58.0.1180)", "Canva", "Smallpdf.com", "PDFfiller", "Microsoft\xae Word 2019")
		p.bodies[p.info] = strings.Replace(p.bodies[p.info], "/Producer (Skia/PDF", "/Producer ("+tool+") /Before (", 1)
		if changed, ok := p.swapped(map[report.Cents]report.Cents{s.Net: raised}); ok && d(2) == 0 {
			p.setData(p.content, changed)
		}
	case Redated:
		p.redate(d, s)
	case Consistent, Invented:
		for range 30 {
			swap := figuresRaised(d, s)
			if k == Invented {
				swap = figuresInvented(d, s)
			}
			if changed, ok := p.swapped(swap); ok {
				p.setData(p.content, changed)
				return p.bytes()
			}
		}
		return nil
	default:
		changed := p.redrawn(d, k, s.Net, raised)
		if changed == "" {
			return nil
		}
		p.setData(p.content, changed)
	}
	return p.bytes()
}

// PrintedPage is a file that Chromium printed. Each text of its first page is one object
// between BT and ET.
type PrintedPage struct {
	*file
	original []byte
	content  int
	data     string
	letters  map[string]map[string]string // by the name of a font: codes to letters
	codes    map[string]map[string]string // letters to codes
	objects  []textOf
}

// textOf is the text that an object draws: its place in the content, letters and codes.
type textOf struct {
	from, to   int
	font, text string
	size       float64
	at         string // Tm
	codes      []string
}

var (
	textObject = regexp.MustCompile(`(?s)BT\n/(F\d+) ([\d.]+) Tf\n(1 0 0 -1 [\d.-]+ [\d.-]+) Tm\n(.*?)ET\n`)
	drawnCode  = regexp.MustCompile(`<([0-9A-F]+)> Tj`)
	fontNames  = regexp.MustCompile(`/(F\d+) (\d+) 0 R`)
	unicodeRef = regexp.MustCompile(`/ToUnicode (\d+) 0 R`)
	mapLine    = regexp.MustCompile(`(?m)^<([0-9A-F]{4})> <([0-9A-F]{4,})>(?: <([0-9A-F]{4})>)?$`)
)

// OpenPrinted parses a file that Chromium printed.
func OpenPrinted(original []byte) *PrintedPage {
	f := parse(original)
	page, content := f.page()
	p := &PrintedPage{file: f, original: original, content: content, data: f.data(content),
		letters: map[string]map[string]string{}, codes: map[string]map[string]string{}}
	for _, m := range fontNames.FindAllStringSubmatch(f.bodies[page], -1) {
		num, _ := strconv.Atoi(m[2])
		to := unicodeRef.FindStringSubmatch(f.bodies[num])
		if to == nil {
			continue
		}
		num, _ = strconv.Atoi(to[1])
		letters, codes := map[string]string{}, map[string]string{}
		for _, l := range mapLine.FindAllStringSubmatch(f.data(num), -1) {
			lo, _ := strconv.ParseInt(l[1], 16, 32)
			hi, first := lo, l[2]
			if l[3] != "" {
				hi, _ = strconv.ParseInt(l[2], 16, 32)
				first = l[3]
			}
			r, _ := strconv.ParseInt(first[:4], 16, 32)
			for c := lo; c <= hi; c++ {
				code, letter := fmt.Sprintf("%04X", c), string(rune(r+c-lo))
				letters[code] = letter
				codes[letter] = code
			}
		}
		p.letters[m[1]], p.codes[m[1]] = letters, codes
	}
	for _, m := range textObject.FindAllStringSubmatchIndex(p.data, -1) {
		o := textOf{from: m[0], to: m[1], font: p.data[m[2]:m[3]], at: p.data[m[6]:m[7]]}
		o.size, _ = strconv.ParseFloat(p.data[m[4]:m[5]], 64)
		if o.text, o.codes = p.text(o.font, p.data[m[8]:m[9]]); len(o.text) == len(o.codes) && strings.ContainsAny(o.text, "0123456789") {
			p.objects = append(p.objects, o)
		}
	}
	return p
}

// text returns the text that an object draws, and its codes.
func (p *PrintedPage) text(font, body string) (text string, codes []string) {
	for _, m := range drawnCode.FindAllStringSubmatch(body, -1) {
		for i := 0; i+4 <= len(m[1]); i += 4 {
			codes = append(codes, m[1][i:i+4])
			if l := p.letters[font][m[1][i:i+4]]; l != "" {
				text += l[:1]
			} else {
				text += "?"
			}
		}
	}
	return text, codes
}

// spellings returns the ways in which a page may write an amount.
func spellings(c report.Cents) []string {
	with := money(c)
	without := strings.ReplaceAll(with, ",", "")
	return []string{with, without, strings.Replace(without, ".", " ", 1)}
}

// amountAt returns the position of an amount in a text, without adjacent digits, or -1.
func amountAt(text, amount string) int {
	for from := 0; ; {
		i := strings.Index(text[from:], amount)
		if i < 0 {
			return -1
		}
		i += from
		end := i + len(amount)
		digit := func(k int) bool {
			return k >= 0 && k < len(text) && (text[k] >= '0' && text[k] <= '9' || text[k] == ',' || text[k] == '.')
		}
		if !digit(i-1) && !digit(end) {
			return i
		}
		from = i + 1
	}
}

// swapped changes all occurrences of amounts, letter by letter. It reports false if it
// finds none, if a new amount has another length, or if the font lacks a digit.
func (p *PrintedPage) swapped(swap map[report.Cents]report.Cents) (string, bool) {
	var out strings.Builder
	done, any := 0, false
	for _, o := range p.objects {
		codes := o.codes
		changed := false
		for from, to := range swap {
			if from == to || from == 0 {
				continue
			}
			for i, way := range spellings(from) {
				at := amountAt(o.text, way)
				if at < 0 {
					continue
				}
				now := spellings(to)[i]
				if len(now) != len(way) {
					return "", false
				}
				if !changed {
					codes = slices.Clone(codes)
				}
				for k := range len(now) {
					if codes[at+k] = p.codes[o.font][now[k:k+1]]; codes[at+k] == "" {
						return "", false
					}
				}
				any, changed = true, true
				break
			}
		}
		if !changed {
			continue
		}
		n := 0
		out.WriteString(p.data[done:o.from])
		out.WriteString(drawnCode.ReplaceAllStringFunc(p.data[o.from:o.to], func(op string) string {
			long := (len(op) - len("<> Tj")) / 4
			n += long
			return "<" + strings.Join(codes[n-long:n], "") + "> Tj"
		}))
		done = o.to
	}
	out.WriteString(p.data[done:])
	return out.String(), any
}

// redrawn draws the net pay again: in pieces, off its line, squeezed or in another size; in
// another font; or over the existing one.
func (p *PrintedPage) redrawn(d Draw, k Kind, old, now report.Cents) string {
	for i := len(p.objects) - 1; i >= 0; i-- {
		o := p.objects[i]
		whole := p.data[o.from:o.to]
		for w, way := range spellings(old) {
			if at := amountAt(o.text, way); at < 0 || len(o.text) > len(way)+1 {
				continue
			}
			amount := spellings(now)[w]
			var x, y float64
			fmt.Sscanf(o.at, "1 0 0 -1 %f %f", &x, &y)
			size := o.size
			if sign := strings.Index(o.text, way); sign > 0 {
				amount = o.text[:sign] + amount
			}
			hex := ""
			for _, c := range strings.Split(amount, "") {
				code := p.codes[o.font][c]
				if code == "" {
					return ""
				}
				hex += code
			}
			each := 0.636 * size
			object := func(x, y, size float64, before, hex string) string {
				return fmt.Sprintf("BT\n/%s %s Tf\n%s1 0 0 -1 %s %s Tm\n<%s> Tj\nET\n", o.font, number(size), before, number(x), number(y), hex)
			}
			wide := each * float64(len(o.codes))
			switch k {
			case TouchedUp:
				switch d(4) {
				case 0:
					cut := 1 + d(len(amount)-2)
					return strings.Replace(p.data, whole, object(x, y, size, "", hex[:4*cut])+object(x+each*float64(cut), y, size, "", hex[4*cut:]), 1)
				case 1:
					return strings.Replace(p.data, whole, object(x, y+pick(d, -0.9, -0.5, 0.4, 0.8), size, "", hex), 1)
				case 2:
					return strings.Replace(p.data, whole, object(x, y, size, pick(d, "94 Tz\n", "-0.3 Tc\n", "106 Tz\n"), hex)+"BT\n100 Tz\n0 Tc\nET\n", 1)
				}
				return strings.Replace(p.data, whole, object(x, y, size*pick(d, 0.93, 1.07), "", hex), 1)
			case OtherFont:
				page, _ := p.page()
				num := p.next()
				p.bodies[num] = "<</Type /Font /Subtype /TrueType /BaseFont /" + pick(d, "ArialMT", "ABCDEE+Calibri", "Verdana", "Tahoma") +
					" /Encoding /WinAnsiEncoding /FirstChar 32 /LastChar 126 /Widths [" + strings.Repeat("620 ", 95) + "]>>\n"
				p.bodies[page] = strings.Replace(p.bodies[page], "/Font <<", fmt.Sprintf("/Font <</Fx %d 0 R ", num), 1)
				return strings.Replace(p.data, whole, fmt.Sprintf("BT\n/Fx %s Tf\n1 0 0 -1 %s %s Tm\n(%s) Tj\nET\n",
					number(size), number(x), number(y), amount), 1)
			case Covered:
				shape := ""
				if d(4) > 0 {
					shape = fmt.Sprintf("1 1 1 rg\n%s %s %s %s re\nf\n0 0 0 rg\n", number(x-1), number(y-0.85*size), number(wide+2), number(1.1*size))
				}
				return strings.Replace(p.data, whole, whole+"q\n"+shape+object(x, y, size, "", hex)+"Q\n", 1)
			}
		}
	}
	return ""
}

// figuresRaised returns a raise of the regular pay and of all amounts that depend on it,
// except the taxes.
func figuresRaised(d Draw, s *Stub) map[report.Cents]report.Cents {
	l := s.Line(Regular)
	if l == nil {
		return nil
	}
	by := l.Current * report.Cents(6+d(60)) / 100
	out := map[report.Cents]report.Cents{}
	if l.Hours > 0 {
		rate := l.Rate * report.Cents(106+d(60)) / 100
		by = (l.Hours*rate+50)/100 - l.Current
		out[l.Rate] = rate
	}
	for _, c := range []report.Cents{l.Current, l.YTD, s.Gross, s.GrossYTD, s.Net, s.NetYTD} {
		out[c] = c + by
	}
	return out
}

// figuresInvented returns guessed Social Security and Medicare taxes, and the amounts that
// depend on them.
func figuresInvented(d Draw, s *Stub) map[report.Cents]report.Cents {
	rate := report.Cents(pick(d, 50, 70, 80, 90, 112, 125, 150))
	out := map[report.Cents]report.Cents{}
	net, netYTD := s.Net, s.NetYTD
	var taken, takenYTD, taxes, taxesYTD report.Cents
	for _, l := range s.Deductions {
		now, ytd := l.Current, l.YTD
		if l.Item == SocialSecurity || l.Item == Medicare || l.Item == FICA {
			now, ytd = l.Current*rate/100, l.YTD*rate/100
			out[l.Current], out[l.YTD] = now, ytd
			net, netYTD = net+l.Current-now, netYTD+l.YTD-ytd
		}
		taken, takenYTD = taken+now, takenYTD+ytd
		if l.Item <= FICA {
			taxes, taxesYTD = taxes+now, taxesYTD+ytd
		}
	}
	was := func(all bool, of func(Line) report.Cents) (c report.Cents) {
		for _, l := range s.Deductions {
			if all || l.Item <= FICA {
				c += of(l)
			}
		}
		return c
	}
	out[was(true, current)], out[was(true, ytd)] = taken, takenYTD
	out[was(false, current)], out[was(false, ytd)] = taxes, taxesYTD
	out[s.Net], out[s.NetYTD] = net, netYTD
	return out
}
