// Package pdf renders a passport as a PDF for a loan officer: the applicant, in the
// applicant's script and in Latin letters, the score on its scale, the debts, the
// monthly payment history, and the inquiries. It embeds the used part of its fonts. The
// same report gives the same bytes.
//
// It renders every report. It replaces letters that its fonts lack by question marks and
// says so.
package pdf

import (
	"strconv"
	"strings"
	"time"

	"vestibule/internal/pdf"
	"vestibule/internal/report"
)

// Render renders a passport. An error means a defect of this package, not of the report.
func Render(r report.Passport) ([]byte, error) {
	d := &document{Passport: r, supplier: report.Supplier{Name: "Credit bureau"}}
	made, token, product := time.Unix(0, 0).UTC(), "", "Credit passport"
	if r.Meta != nil {
		made, token = r.Meta.CreatedAt.Time, r.Meta.PublicToken
	}
	if r.Product != nil && r.Product.Name != "" {
		product = r.Product.Name
	}
	for _, s := range r.Sources {
		if s.SourceType != report.SourceManual {
			d.source = s.SourceID
			d.supplier.Name = s.SourceID
			if known, ok := report.SupplierOf(s.SourceID); ok {
				d.supplier = known
			}
		}
	}
	for i, id := range r.Identities {
		if id.SourceID == d.source && d.file == nil {
			d.file = &r.Identities[i]
		} else if d.typed == nil {
			d.typed = &r.Identities[i]
		}
	}
	for _, c := range r.Currencies {
		if d.currency == nil {
			d.currency = &c
		}
	}
	d.day = report.DateOf(made)
	d.Sheet = pdf.New(pdf.Settings{Title: "Credit passport " + token, Subject: d.supplier.Name, Language: "en", Made: made,
		Width: pageWidth, Height: pdf.A4Height, PageOf: "Page {page} of {pages}",
		Footer: "Credit passport · " + token + " · " + made.UTC().Format("2 Jan 2006")})
	d.title(product, token, made)
	d.warnings()
	d.identity()
	d.score()
	d.summary()
	d.tradelines()
	d.negatives()
	d.inquiries()
	d.life()
	d.notices()
	return d.Bytes()
}

// Widths of a page and of what is drawn on it, in millimeters.
const (
	pageWidth = pdf.A4Width
	width     = pageWidth - 2*pdf.Margin
)

type document struct {
	*pdf.Sheet
	report.Passport
	source   string // source_id of the supplier
	supplier report.Supplier
	file     *report.PassportIdentity // the supplier's identity, or nil
	typed    *report.PassportIdentity // the consumer's input, or nil
	currency *report.PassportCurrency // nil without credit
	day      report.Date
}

var (
	plain = pdf.Style{Size: 9, Ink: pdf.Ink}
	small = pdf.Style{Size: 7.5, Ink: pdf.Muted}
	label = pdf.Style{Size: 7, Ink: pdf.Muted}
)

func (d *document) title(product, token string, made time.Time) {
	d.Box(0, 0, pageWidth, 29, pdf.Accent)
	d.PDF.Bookmark("Summary", 0, 0)
	d.Text(pdf.Margin, 9, pdf.Style{Size: 19, Bold: true, Ink: pdf.White}, "Credit passport")
	d.Text(pdf.Margin, 18.5, pdf.Style{Size: 9, Ink: pdf.White}, d.Fit(plain, 100, product))
	at := made.UTC().Format("2 January 2006, 15:04 UTC")
	d.Text(pageWidth-pdf.Margin, 9.5, pdf.Style{Size: 11.5, Bold: true, Ink: pdf.White, Right: true},
		d.Fit(pdf.Style{Size: 11.5, Bold: true}, 90, d.supplier.Name))
	d.Text(pageWidth-pdf.Margin, 15, pdf.Style{Size: 8, Ink: pdf.White, Right: true}, "Retrieved "+at)
	d.Text(pageWidth-pdf.Margin, 19.2, pdf.Style{Size: 8, Ink: pdf.White, Right: true}, "Report "+token)
	if d.Meta != nil && d.Meta.ExternalID != nil {
		d.Text(pageWidth-pdf.Margin, 23.4, pdf.Style{Size: 8, Ink: pdf.White, Right: true},
			d.Fit(small, 90, "Your reference "+*d.Meta.ExternalID))
	}
	d.Y = 35
}

// warnings draws what a reader must know first.
func (d *document) warnings() {
	var all []string
	if f := d.file; f != nil && f.IsDeceased != nil && *f.IsDeceased || d.file != nil && d.file.DateOfDeath != nil {
		all = append(all, "The supplier reports that this person has died"+
			map[bool]string{true: ", on " + day(d.file.DateOfDeath)}[d.file.DateOfDeath != nil]+".")
	}
	if d.file == nil {
		all = append(all, d.supplier.Name+" has no file on this person. There is no credit to report.")
	} else if d.typed != nil && d.typed.Matching != nil && len(d.typed.Matching.FullName.Matched) == 0 {
		all = append(all, "The name in the file is not the name that the applicant gave. See that they are the same person.")
	}
	for _, id := range []*report.PassportIdentity{d.file, d.typed} {
		if id == nil || pdf.Covers(report.Text(id.FullName)) {
			continue
		}
		all = append(all, "A name is written in letters that this document's fonts do not "+
			"have: they stand as question marks. The JSON report has them.")
		break
	}
	for _, text := range all {
		st := pdf.Style{Size: 9, Bold: true, Ink: pdf.Bad}
		lines := d.Wrap(st, width-10, text)
		h := float64(len(lines))*4.5 + 4
		d.Box(pdf.Margin, d.Y, width, h, pdf.Color{253, 240, 238})
		d.Box(pdf.Margin, d.Y, 1.4, h, pdf.Bad)
		d.Paragraph(pdf.Margin+5, d.Y+2.2, width-10, st, text)
		d.Y += h + 2.5
	}
}

// identity draws the box with the person's data.
func (d *document) identity() {
	id := d.file
	if id == nil {
		id = d.typed
	}
	if id == nil {
		return
	}
	name := orNone(report.Text(id.FullName))
	if name == none {
		name = orNone(strings.TrimSpace(report.Text(id.FirstName) + " " + report.Text(id.LastName)))
	}
	type field struct{ label, value string }
	var left, right []field
	put := func(to *[]field, label string, values ...string) {
		if v := strings.Join(values, ", "); v != "" {
			*to = append(*to, field{label, v})
		}
	}
	if id.DateOfBirth != nil {
		years := age(id.DateOfBirth, d.day)
		if id.DateOfDeath != nil {
			years = age(id.DateOfBirth, *id.DateOfDeath)
		}
		put(&left, "Date of birth", day(id.DateOfBirth)+years)
	}
	put(&left, "First name", report.Text(id.FirstName))
	put(&left, "Middle name", report.Text(id.MiddleName))
	put(&left, "Last name", report.Text(id.LastName))
	put(&left, "Other names", id.OtherNames...)
	put(&right, "Telephone", id.Telephones...)
	put(&right, "E-mail", id.Emails...)
	if len(d.Addresses) > 0 {
		put(&right, "Latest address", report.Text(d.Addresses[0].Address))
	}
	for _, n := range d.Identifiers {
		put(&right, word(n.Type), "ends in "+report.Text(n.Truncated))
	}
	for _, doc := range id.Documents {
		put(&right, word(doc.Type)+" "+report.Text(doc.Country), "ends in "+report.Text(doc.TruncatedNumber)+", expires "+day(doc.Expires))
	}
	const column, high = width/2 - 8, 8.3
	value := plain
	tall := func(all []field) (h float64) {
		for _, f := range all {
			h += high + float64(max(len(d.Wrap(value, column, f.value)), 1)-1)*4.4
		}
		return h
	}
	h := 23 + max(tall(left), tall(right))
	if id.TransliteratedName == nil {
		h -= 5
	}
	top := d.Y
	d.Box(pdf.Margin, top, width, h, pdf.Pale)
	d.Frame(pdf.Margin, top, width, h, pdf.Rule)
	y := top + 4
	d.Text(pdf.Margin+5, y, pdf.Style{Size: 19, Bold: true, Ink: pdf.Ink}, d.Fit(pdf.Style{Size: 19, Bold: true}, width-55, name))
	d.match(y)
	y += 9.5
	if id.TransliteratedName != nil {
		d.Text(pdf.Margin+5, y, pdf.Style{Size: 11, Ink: pdf.Muted}, d.Fit(pdf.Style{Size: 11}, width-55, *id.TransliteratedName))
		y += 5.5
	}
	y += 2.5
	for i, all := range [][]field{left, right} {
		x, at := pdf.Margin+5+float64(i)*width/2, y
		for _, f := range all {
			d.Text(x, at, label, f.label)
			at += max(d.Paragraph(x, at+3, column, value, f.value), 4.4) + high - 4.4
		}
	}
	d.Y = top + h
}

// match draws whether the file's name matches the entered name.
func (d *document) match(y float64) {
	if d.typed == nil || d.file == nil || d.typed.Matching == nil {
		return
	}
	text, c := "matches the application", pdf.Good
	if len(d.typed.Matching.FullName.Matched) == 0 {
		text, c = "another name than applied", pdf.Bad
	}
	st := pdf.Style{Size: 7.5, Bold: true, Ink: pdf.White}
	w := d.Width(st, text) + 5
	d.Box(pageWidth-pdf.Margin-5-w, y+0.6, w, 5.4, c)
	d.Text(pageWidth-pdf.Margin-5-w+2.5, y+1.9, st, text)
	d.Text(pageWidth-pdf.Margin-5, y+7.6, pdf.Style{Size: 7.5, Ink: pdf.Muted, Right: true},
		d.Fit(small, 46, "applied as "+orNone(report.Text(d.typed.FullName))))
}

func age(born *report.Date, on report.Date) string {
	years := on.Year() - born.Year()
	if on.Month() < born.Month() || on.Month() == born.Month() && on.Day() < born.Day() {
		years--
	}
	if years < 0 || years > 130 {
		return ""
	}
	return " (" + strconv.Itoa(years) + ")"
}
