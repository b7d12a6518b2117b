package paystubtest

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"strings"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"golang.org/x/image/font/gofont/goregular"
)

// canvas draws on US Letter paper. Coordinates are points from its upper left corner.
type canvas struct {
	pdf    *fpdf.Fpdf
	family string
	latin  func(string) string
	words  map[Item]string
	making Making
	style  string
	size   float64
	later  []func() // draws the amounts after the form
}

func (c *canvas) word(i Item) string { return c.words[i] }

func (c *canvas) font(style string, size float64) {
	if c.family == wide {
		style = "" // its only style
	}
	c.style, c.size = style, size
	c.pdf.SetFont(c.family, style, size)
}

func (c *canvas) text(s string) string {
	if c.family == wide {
		return s
	}
	return c.latin(s)
}

func (c *canvas) left(x, y float64, s string) {
	if s == "" {
		return
	}
	if c.making.Filled && strings.IndexFunc(s, func(r rune) bool { return r != '$' && r != ',' && r != '.' && (r < '0' || r > '9') }) < 0 {
		style, size := c.style, c.size
		c.later = append(c.later, func() {
			c.font(style, size)
			c.pdf.Text(x, y, c.text(s))
		})
		return
	}
	c.pdf.Text(x, y, c.text(s))
	if c.making.Doubled && c.style == "B" {
		c.pdf.Text(x+0.3, y, c.text(s))
	}
}

func (c *canvas) right(x, y float64, s string) { c.left(x-c.pdf.GetStringWidth(c.text(s)), y, s) }

func (c *canvas) lines(x, y, step float64, lines ...string) {
	for i, s := range lines {
		c.left(x, y+step*float64(i), s)
	}
}

func (c *canvas) band(x, y, w, h float64, gray int) {
	c.pdf.SetFillColor(gray, gray, gray)
	c.pdf.Rect(x, y, w, h, "F")
}

func (c *canvas) frame(x, y, w, h float64) { c.pdf.Rect(x, y, w, h, "D") }
func (c *canvas) rule(x, y, to float64)    { c.pdf.Line(x, y, to, y) }

func (c *canvas) white(yes bool) {
	gray := 0
	if yes {
		gray = 255
	}
	c.pdf.SetTextColor(gray, gray, gray)
}

func (c *canvas) provider(x, y float64, words, name string) {
	if name != "" {
		c.font("", 8)
		c.left(x, y, words+name)
	}
}

// wide is the font family with letters of many scripts.
const wide = "go"

// Making says how a file is made: its metadata and its drawing.
type Making struct {
	Producer, Creator string
	Created, Modified time.Time // without a modification date, Modified is zero
	Plain             bool      // streams are not compressed
	Second            bool      // a second page with text
	Filled            bool      // all amounts are drawn after the form
	Doubled           bool      // bold words are drawn twice, 0.3 points apart
	Logo              bool      // an image at the top
	Striped           bool      // gray and white bands behind the text
}

// Genuine returns one way in which payroll software, or a browser that prints its pages,
// makes a file: mostly 30 to 90 hours before the pay date, else within 60 days after it.
func Genuine(d Draw, s *Stub) Making {
	m := Making{Created: s.Pay.Add(-time.Duration(30+d(60)) * time.Hour).Truncate(time.Second), Plain: d(5) == 0, Second: d(6) == 0,
		Filled: d(5) == 0, Doubled: d(6) == 0, Logo: d(4) == 0, Striped: d(5) == 0}
	made := pick(d, [][2]string{
		{"iText 2.1.7 by 1T3XT", ""}, {"Apache FOP Version 2.8", "Apache FOP Version 2.8"},
		{"JasperReports Library version 6.20.0", "JasperReports"}, {"PDFlib+PDI 9.3.1 (Linux)", "payroll batch"},
		{"Crystal Reports", "Crystal Reports"}, {"Qt 5.15.2", "wkhtmltopdf 0.12.6"},
		{"Skia/PDF m122", "Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/122.0.0.0"}, {"Microsoft: Print To PDF", ""},
		{"macOS Version 14.2 (Build 23C64) Quartz PDFContext", "Safari"}, {"Prince 14.2 (www.princexml.com)", ""},
		{"ReportLab PDF Library - www.reportlab.com", ""}, {"Adobe PDF Library 15.0", "OpenText Exstream"}, {"", ""},
	}...)
	m.Producer, m.Creator = made[0], made[1]
	if d(3) > 0 {
		m.Modified = m.Created
	}
	if d(8) == 0 { // printed by the employee, later
		m.Created = s.Pay.Add(time.Duration(d(60*24)) * time.Hour)
		m.Modified = m.Created
	}
	return m
}

// logo returns a small picture.
func logo() []byte {
	m := image.NewGray(image.Rect(0, 0, 8, 4))
	for i := range m.Pix {
		m.Pix[i] = byte(37 * i)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		panic(fmt.Sprintf("paystubtest: %v", err))
	}
	return b.Bytes()
}

// PDF draws the stub and returns the file.
func (s *Stub) PDF(l Layout, m Making) []byte {
	p := fpdf.New("P", "pt", "Letter", "")
	c := &canvas{pdf: p, family: l.Family, latin: p.UnicodeTranslatorFromDescriptor(""), words: l.words, making: m}
	if c.family == "" {
		c.family = wide
		p.AddUTF8FontFromBytes(wide, "", bytes.Clone(goregular.TTF)) // fpdf may write into it
	}
	p.SetCompression(!m.Plain)
	p.SetCatalogSort(true)
	p.SetProducer(m.Producer, true)
	p.SetCreator(m.Creator, true)
	p.SetCreationDate(m.Created)
	p.SetModificationDate(m.Modified)
	p.SetAutoPageBreak(false, 0)
	p.AddPage()
	if m.Striped {
		for i := range 30 {
			c.band(20, 150+14*float64(i), 572, 14, 244+11*(i%2))
		}
	}
	if m.Logo {
		p.RegisterImageOptionsReader("logo", fpdf.ImageOptions{ImageType: "PNG"}, bytes.NewReader(logo()))
		p.ImageOptions("logo", 300, 12, 24, 12, false, fpdf.ImageOptions{ImageType: "PNG"}, 0, "")
	}
	l.draw(c, s)
	for _, fill := range c.later {
		fill()
	}
	if m.Second {
		p.AddPage()
		c.font("", 9)
		c.left(40, 50, "Messages")
		c.left(40, 64, "Open enrollment ends on the last Friday of the month. Questions? Call 555-0100.")
	}
	var out bytes.Buffer
	if err := p.Output(&out); err != nil {
		panic(fmt.Sprintf("paystubtest: %v", err)) // an error in this package
	}
	return out.Bytes()
}
