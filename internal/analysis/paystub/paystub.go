// Package paystub reads uploaded pay stubs (`income.paystubs` of the income report): the
// fields of text PDFs of any design with labels, the contract's fourteen consistency
// checks, the projected income of a year, and whether the file looks altered, with the
// reasons. It takes bytes and returns values. Reading any bytes takes bounded time and
// memory. Images are recognized but not read. docs/explanation/pay-stubs.md describes how
// it works, the reasons, and the measured accuracy.
package paystub

import (
	"bytes"
	"errors"
	"image"
	"image/jpeg"
	"image/png"

	"vestibule/internal/analysis/paystub/pdf"
	"vestibule/internal/contract"
	"vestibule/internal/report"
)

// Version is the version of irregularity_detection: of the rules in this package.
const Version = "1.0"

// MaxFile is the maximum size of a file, in bytes.
const MaxFile = pdf.MaxFile

// Outcome is the result of reading a file.
type Outcome string

// The outcomes. Only the first has fields.
const (
	Read        Outcome = "READ"
	Image       Outcome = "IMAGE"         // a PNG or JPEG file, whose text is not read
	NoText      Outcome = "NO_TEXT"       // a PDF file with pictures, such as a scan, and hardly any text
	NoPayStub   Outcome = "NO_PAY_STUB"   // text without gross, net, pay date and period end
	Unreadable  Outcome = "UNREADABLE"    // a PDF file that does not say which letters most of its text has
	Encrypted   Outcome = "ENCRYPTED"     // a PDF file that needs a password
	TooLarge    Outcome = "TOO_LARGE"     // beyond a limit on the file or its content
	Malformed   Outcome = "MALFORMED"     // a PDF, PNG or JPEG file that is broken
	Unsupported Outcome = "NOT_SUPPORTED" // another kind of file, regardless of its name
	Empty       Outcome = "EMPTY"
)

// Document is the content of one file.
type Document struct {
	Outcome  Outcome
	FileType string         // report.FilePDF, report.FileImage; empty for other files
	Employer string         // the employer's name; empty if not found
	Stub     report.Paystub // without the source's fields, and without irregularity_detection, which Report adds

	file       *pdf.File
	scanned    bool      // the text was read by an OCR engine
	replaced   bool      // the file that was uploaded is another one
	confidence []float64 // of each word, if scanned
	starts     []int     // index in confidence of each page's first word
	pictures   []Picture // of each page, if scanned
	fields     fields
	table      table
	findings   []finding
}

// Status returns the source's status for a document: SUCCESS if it was read, otherwise
// NOT_AUTHENTICATED. A document to look at also has the substatus INCOMPLETE_INFORMATION.
func (d *Document) Status() (contract.Status, contract.Substatus) {
	switch d.Outcome {
	case Read:
		return contract.StatusSuccess, ""
	case Image, Unreadable:
		return contract.StatusNotAuthenticated, contract.SubIncomplete
	}
	return contract.StatusNotAuthenticated, ""
}

// Open reads a file. It determines the kind of file from the content.
func Open(file []byte) *Document {
	d := &Document{}
	d.Stub.ConsistencyChecks = d.checks()
	switch {
	case len(file) == 0:
		d.Outcome = Empty
	case len(file) > MaxFile:
		d.Outcome = TooLarge
	case bytes.HasPrefix(file, []byte("\x89PNG\r\n\x1a\n")):
		d.picture(png.DecodeConfig(bytes.NewReader(file)))
	case bytes.HasPrefix(file, []byte("\xff\xd8\xff")):
		d.picture(jpeg.DecodeConfig(bytes.NewReader(file)))
	case pdf.Is(file):
		d.FileType = report.FilePDF
		d.read(file)
	default:
		d.Outcome = Unsupported
	}
	return d
}

// maxCells is the maximum number of cells in a file; a pay stub has a few hundred.
const maxCells = 6_000

// maxPixels is the maximum number of pixels in an image.
const maxPixels = 100_000_000

func (d *Document) picture(c image.Config, err error) {
	d.FileType = report.FileImage
	switch {
	case err != nil:
		d.Outcome = Malformed
	case c.Width*c.Height > maxPixels:
		d.Outcome = TooLarge
	default:
		d.Outcome = Image
		d.find(ImageNotRead, false)
	}
}

func (d *Document) read(file []byte) {
	f, err := pdf.Open(file)
	switch {
	case errors.Is(err, pdf.ErrEncrypted):
		d.Outcome = Encrypted
		return
	case errors.Is(err, pdf.ErrTooMuch):
		d.Outcome = TooLarge
		return
	case err != nil:
		d.Outcome = Malformed
		return
	}
	d.file = f
	d.understand()
}

// understand interprets the content of the file. If it exceeds the budget of steps, the
// document has no result, like any file that is too large.
func (d *Document) understand() {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case tooManySteps:
			*d = Document{Outcome: TooLarge, FileType: d.FileType}
			d.Stub.ConsistencyChecks = d.checks()
		default:
			panic(p)
		}
	}()
	unreadable := d.findUnreadable()
	s := layOut(d.file)
	switch d.program(); {
	case unreadable:
		d.Outcome = Unreadable
		return
	case len(s.rows) == 0, d.isScan(s):
		d.Outcome = NoText
		return
	case s.cells > maxCells:
		d.Outcome = TooLarge
		return
	}
	d.fields = *s.fields()
	d.table = *s.amounts()
	d.fill()
	d.Stub.ConsistencyChecks = d.checks()
	if d.lacksPay() && d.Stub.PayDate == nil && d.Stub.PayPeriodEnd == nil {
		if d.Outcome = NoPayStub; len(d.findings) > 0 && d.findings[0].reason == UnknownLetters {
			d.Outcome = Unreadable // the figures may be in the letters that are unknown
		}
		return
	}
	d.Outcome = Read
	d.insights()
	d.figures()
	d.findMissing(s)
	d.findPictures(s)
	d.days()
	if d.scanned {
		d.findLowConfidence()
	} else {
		d.compareDrawing(s)
	}
}

// fill copies the values into the contract's fields.
func (d *Document) fill() {
	f, p := &d.fields, &d.Stub
	d.Employer = f.employer
	p.EmployeeName, p.EmployeeLine1, p.EmployeeLine2 = contract.Null(f.employee), contract.Null(f.line1), contract.Null(f.line2)
	p.EmployeeCity, p.EmployeeState, p.EmployeeZIP = contract.Null(f.city), contract.Null(f.state), contract.Null(f.zip)
	p.PayFrequency, p.PaystubProvider = contract.Null(f.frequency), contract.Null(f.provider)
	for _, x := range []struct {
		to   **report.Date
		from *when
	}{{&p.PayPeriodStart, &f.start}, {&p.PayPeriodEnd, &f.end}, {&p.PayDate, &f.pay}, {&p.HireDate, &f.hire}} {
		if x.from.valid {
			day := x.from.date
			*x.to = &day
		}
	}
	for _, x := range amountsOf(p) {
		*x.now = d.table.value(x.item, now)
		*x.ytd = d.table.value(x.item, toDate)
	}
}

// pair points to the contract's fields for an item's amounts, whose names begin with name.
type pair struct {
	item     item
	name     string
	now, ytd **report.Cents
}

func amountsOf(p *report.Paystub) []pair {
	return []pair{
		{gross, "gross_total_earnings_amount", &p.GrossTotal, &p.GrossTotalYTD},
		{net, "net_total_earnings_amount", &p.NetTotal, &p.NetTotalYTD},
		{regular, "regular_pay_earnings_amount", &p.RegularPay, &p.RegularPayYTD},
		{bonus, "bonus_earnings_amount", &p.Bonus, &p.BonusYTD},
		{overtime, "overtime_earnings_amount", &p.Overtime, &p.OvertimeYTD},
		{commission, "commission_earnings_amount", &p.Commission, &p.CommissionYTD},
		{paidTimeOff, "paid_time_off_earnings_amount", &p.PaidTimeOff, &p.PaidTimeOffYTD},
		{vacation, "vacation_earnings_amount", &p.Vacation, &p.VacationYTD},
		{paidTimeOffDeduction, "paid_time_off_deductions_amount", &p.PaidTimeOffDeduct, &p.PaidTimeOffDeductYTD},
		{vacationDeduction, "vacation_deductions_amount", &p.VacationDeduct, &p.VacationDeductYTD},
		{medicare, "medicare_tax_deductions_amount", &p.MedicareTax, &p.MedicareTaxYTD},
		{socialSecurity, "social_security_deductions_amount", &p.SocialSecurityTax, &p.SocialSecurityTaxYTD},
		{fica, "fica_tax_deductions_amount", &p.FICATax, &p.FICATaxYTD},
	}
}

// value returns the amount of an item in a column, or nil if the stub does not show it. The
// lines of an item in a table are added up; of a total that is shown repeatedly, the first
// counts.
func (t *table) value(i item, k int) *report.Cents {
	v, _ := t.read(i, k, nil)
	return v
}

// read returns the amount of an item in a column as value does, and appends the cells that it
// was read from, unless they are nil.
func (t *table) read(i item, k int, cells []*cell) (*report.Cents, []*cell) {
	total := i == gross || i == net || i == totalDeductions
	var first, weak *report.Cents
	var firstCell, weakCell *cell
	var sum report.Cents
	summed := false
	for n := range t.lines {
		l := &t.lines[n]
		if l.item != i || l.cells[k] == nil {
			continue
		}
		v := l.amount[k]
		switch {
		case l.weak && weak == nil:
			weak, weakCell = &v, l.cells[k]
		case !l.weak && (first == nil || total && *first == 0 && v != 0 && k == now):
			first, firstCell = &v, l.cells[k]
		}
		if !total && l.counted {
			sum += v
			summed = true
			if cells != nil {
				cells = append(cells, l.cells[k])
			}
		}
	}
	switch {
	case summed:
		return &sum, cells
	case first != nil && i == net && k == now && *first == 0 && weak != nil && *weak != 0:
		return weak, keep(cells, weakCell) // the check is for zero if everything is deposited
	case first != nil:
		return first, keep(cells, firstCell)
	case weak == nil && i == net:
		if v, cells := t.read(paidByCheck, k, cells); v != nil && *v > 0 {
			return v, cells
		}
	}
	return weak, keep(cells, weakCell)
}

func keep(cells []*cell, c *cell) []*cell {
	if cells == nil || c == nil {
		return cells
	}
	return append(cells, c)
}
