// Package stubs simulates pay stubs in the sandbox. The name of a file selects its
// outcome, and the applicant's name the result of the authenticity check. A recognized
// stub is read normally. A PDF file with other text, and a few bytes of anything, are
// replaced by a generated stub, so that any file works in a test. A PDF file that is
// encrypted, too large, or broken is treated as such, and an image as an image.
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

// outcome is the outcome that a file's name selects.
type outcome int

const (
	unrecognised outcome = iota
	recognised
	lacking // fields
	empty
	down
)

// outcomeOf parses a file's name, ignoring case, spaces, hyphens, and underscores. Of
// several words, a failing one takes precedence.
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

// fewBytes is a size in bytes that real documents exceed.
const fewBytes = 256

// isReplaced reports whether a file without a recognized stub is replaced by a generated
// one.
func isReplaced(o paystub.Outcome, size int) bool {
	switch o {
	case paystub.NoText, paystub.NoPayStub:
		return true
	}
	return placeholder(o, size)
}

// placeholder reports whether a file is a few arbitrary bytes.
func placeholder(o paystub.Outcome, size int) bool {
	switch o {
	case paystub.Malformed, paystub.Unsupported, paystub.Empty:
		return size < fewBytes
	}
	return false
}

// named are the file name extensions of images.
var named = []string{".png", ".jpg", ".jpeg", ".heic", ".heif", ".gif", ".webp", ".tif", ".tiff", ".bmp"}

// picture is the document of an image, for placeholders of images.
var picture = sync.OnceValue(func() *paystub.Document {
	var b bytes.Buffer
	_ = png.Encode(&b, image.NewGray(image.Rect(0, 0, 1, 1))) // a buffer takes everything
	return paystub.Open(b.Bytes())
})

// open reads a file by its contents. A few bytes that begin like an image, or have an
// image's extension, count as one.
func open(name string, body []byte) *paystub.Document {
	d := paystub.Open(body)
	if placeholder(d.Outcome, len(body)) && (d.FileType == report.FileImage || slices.Contains(named, strings.ToLower(path.Ext(name)))) {
		return picture()
	}
	return d
}

// verdicts are the results of the authenticity check for the selecting first name, by
// last name.
var verdicts = map[string]report.IrregularityDetection{
	"pdfTrusted": {Status: report.IrregularityNotDetected, FileType: contract.Null(report.FilePDF), GenuinePDF: new(true)},
	"pdfHighRisk": {Status: report.IrregularityDetected, FileType: contract.Null(report.FilePDF),
		GenuinePDF: new(false), Reasons: []string{paystub.IncrementalUpdate, paystub.EditorProducer}},
	"pdfWarningApproved": {Status: report.IrregularityReview, FileType: contract.Null(report.FilePDF),
		GenuinePDF: new(true), Reasons: []string{paystub.DatesDisagree}},
	"imageTrusted": {Status: report.IrregularityNotDetected, FileType: contract.Null(report.FileImage)},
	"imageHighRiskManualReview": {Status: report.IrregularityDetected, FileType: contract.Null(report.FileImage),
		Reasons: []string{paystub.Arithmetic}},
}

const decisive = "getAdaptiveDecisionResult"

// Files implements reports.StubScenario. Its zero value is ready.
type Files struct{}

// verdict returns the result that the applicant's name selects.
func verdict(who *bankdata.Person) (report.IrregularityDetection, bool) {
	if who == nil || who.FirstName != decisive {
		return report.IrregularityDetection{}, false
	}
	v, ok := verdicts[who.LastName]
	return v, ok
}

// Open reads the nth pay stub of a report. A non-empty status comes from the file's
// name and replaces the document's; the document is nil if the name alone decides.
// Errors are those of Body.
func (Files) Open(f reports.StubFile, nth int, of reports.StubSubject) (*paystub.Document, contract.Status, error) {
	result, decided := verdict(of.Consumer)
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
	// An image is read only if the applicant's name selects a result for images.
	if d.Outcome == paystub.Image && !(decided && report.Text(result.FileType) == report.FileImage) {
		if o == lacking {
			return d, contract.StatusSuccess, nil
		}
		return d, "", nil
	}
	switch {
	case o == unrecognised:
		return nil, contract.StatusNotAuthenticated, nil
	case o == lacking, d.Outcome == paystub.Image, isReplaced(d.Outcome, len(body)):
		d = paystub.Open(sample(of.Consumer, f.Employer, of.Link, nth, of.At, o == lacking)).Replaced()
	}
	return d, "", nil
}

// Overrule returns the result that the applicant's name selects, or else found. An
// image that was not read has no result.
func (Files) Overrule(of reports.StubSubject, d *paystub.Document, found report.IrregularityDetection) report.IrregularityDetection {
	result, decided := verdict(of.Consumer)
	if !decided || d.Outcome == paystub.Image {
		return found
	}
	result.Version, result.Reasons = paystub.Version, append([]string{}, result.Reasons...)
	return result
}

// Failing returns the status that the name of a document other than a pay stub
// selects, or "".
func (Files) Failing(name string) contract.Status {
	switch outcomeOf(name) {
	case down:
		return contract.StatusBureauUnresponsive
	case empty:
		return contract.StatusNotAuthenticated
	}
	return ""
}
