// Package stubs has the sandbox's pay stubs. What becomes of a file its name
// decides, and what is said of its genuineness the applicant's name. A file that is
// recognized is read as everywhere. A PDF file of other text and a few bytes of
// anything stand for a stub that the sandbox writes, which is read in their place, so
// that any file will do in a test; one that is encrypted, too large or broken stands
// for itself, and an image is an image.
package stubs

import (
	"bytes"
	"image"
	"image/png"
	"path"
	"slices"
	"strings"
	"sync"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/analysis/paystub"
	"vestibule/internal/contract"
	"vestibule/internal/provider/reports"
	"vestibule/internal/report"
)

// outcome is what a file's name says.
type outcome int

const (
	unrecognised outcome = iota
	recognised
	lacking // fields
	empty
	down
)

// outcomeOf reads a file's name: whatever its case, and with or without spaces,
// dashes and underscores. Of several words the one that fails counts.
func outcomeOf(name string) outcome {
	name = strings.NewReplacer(" ", "", "-", "", "_", "").Replace(strings.ToLower(name))
	for _, w := range []struct {
		word string
		outcome
	}{{"down", down}, {"empty", empty}, {"missingfields", lacking}, {"paystub", recognised}} {
		if strings.Contains(name, w.word) {
			return w.outcome
		}
	}
	return unrecognised
}

// fewBytes is below what a file has that is meant to be read.
const fewBytes = 256

// stands reports whether a file in which no stub was read stands for one.
func stands(o paystub.Outcome, size int) bool {
	switch o {
	case paystub.NoText, paystub.NoPayStub:
		return true
	}
	return placeholder(o, size)
}

// placeholder reports whether a file is a few bytes of anything.
func placeholder(o paystub.Outcome, size int) bool {
	switch o {
	case paystub.Malformed, paystub.Unsupported, paystub.Empty:
		return size < fewBytes
	}
	return false
}

// named are the endings of images' names.
var named = []string{".png", ".jpg", ".jpeg", ".heic", ".heif", ".gif", ".webp", ".tif", ".tiff", ".bmp"}

// picture is a document of an image, for a few bytes that stand for one.
var picture = sync.OnceValue(func() *paystub.Document {
	var b bytes.Buffer
	_ = png.Encode(&b, image.NewGray(image.Rect(0, 0, 1, 1))) // a buffer takes everything
	return paystub.Open(b.Bytes())
})

// open reads a file as what it is. A few bytes that begin like an image, or have an
// image's name, stand for one.
func open(name string, body []byte) *paystub.Document {
	d := paystub.Open(body)
	if placeholder(d.Outcome, len(body)) && (d.FileType == report.FileImage || slices.Contains(named, strings.ToLower(path.Ext(name)))) {
		return picture()
	}
	return d
}

// verdicts are what is said of a stub's file when the applicant's first name is
// decisive, by the last name.
var verdicts = map[string]report.IrregularityDetection{
	"pdfTrusted":                {Status: report.IrregularityNotDetected, FileType: report.Null(report.FilePDF), GenuinePDF: yes(true)},
	"pdfHighRisk":               {Status: report.IrregularityDetected, FileType: report.Null(report.FilePDF), GenuinePDF: yes(false), Reasons: []string{paystub.IncrementalUpdate, paystub.EditorProducer}},
	"pdfWarningApproved":        {Status: report.IrregularityReview, FileType: report.Null(report.FilePDF), GenuinePDF: yes(true), Reasons: []string{paystub.DatesDisagree}},
	"imageTrusted":              {Status: report.IrregularityNotDetected, FileType: report.Null(report.FileImage)},
	"imageHighRiskManualReview": {Status: report.IrregularityDetected, FileType: report.Null(report.FileImage), Reasons: []string{paystub.Arithmetic}},
}

const decisive = "getAdaptiveDecisionResult"

func yes(v bool) *bool { return &v }

// Files are the sandbox's pay stubs and documents. Its zero value is ready.
type Files struct{}

// verdict is what is said of the stubs of a decisive applicant.
func verdict(who *bankdata.Person) (report.IrregularityDetection, bool) {
	if who == nil || who.FirstName != decisive {
		return report.IrregularityDetection{}, false
	}
	v, ok := verdicts[who.LastName]
	return v, ok
}

// Open reads the nth pay stub of a report. A status that is not empty is the name's,
// and stands in place of the document's own, which is nil where the name says it all.
// Errors are those of Body.
func (Files) Open(f reports.StubFile, nth int, of reports.StubsOf) (*paystub.Document, contract.Status, error) {
	said, decided := verdict(of.Consumer)
	o := outcomeOf(f.Name)
	if o == unrecognised && decided {
		o = recognised
	}
	switch o {
	case down:
		return nil, contract.StatusBureauUnresponsive, nil
	case empty:
		return nil, contract.StatusNotAuthenticated, nil
	}
	body, err := f.Body()
	if err != nil {
		return nil, "", err
	}
	d := open(f.Name, body)
	// An image is read only where the applicant's name asks for what comes of that.
	if d.Outcome == paystub.Image && !(decided && report.Text(said.FileType) == report.FileImage) {
		if o == lacking {
			return d, contract.StatusSuccess, nil
		}
		return d, "", nil
	}
	switch {
	case o == unrecognised:
		return nil, contract.StatusNotAuthenticated, nil
	case o == lacking, d.Outcome == paystub.Image, stands(d.Outcome, len(body)):
		d = paystub.Open(sample(of.Consumer, f.Employer, of.Link, nth, of.At, o == lacking))
	}
	return d, "", nil
}

// Overrule returns what is said of a decisive applicant's stub, and found otherwise. Of
// an image that was not read nothing is said.
func (Files) Overrule(of reports.StubsOf, d *paystub.Document, found report.IrregularityDetection) report.IrregularityDetection {
	said, decided := verdict(of.Consumer)
	if !decided || d.Outcome == paystub.Image {
		return found
	}
	said.Version, said.Reasons = paystub.Version, append([]string{}, said.Reasons...)
	return said
}

// Failing is the status that the name of a document that is no pay stub asks for, or
// empty: what it says is for people.
func (Files) Failing(name string) contract.Status {
	switch outcomeOf(name) {
	case down:
		return contract.StatusBureauUnresponsive
	case empty:
		return contract.StatusNotAuthenticated
	}
	return ""
}
