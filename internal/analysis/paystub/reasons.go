package paystub

import (
	"slices"

	"vestibule/internal/report"
)

// The reasons of irregularity_detection, in the order in which they are listed.
const (
	IncrementalUpdate = "INCREMENTAL_UPDATE"          // something was appended to the file after it was written
	EditorProducer    = "EDITOR_AS_PRODUCER"          // made by an editor of files or images, or a word processor
	DatesDisagree     = "DATES_DISAGREE"              // of the file among themselves, with the stub's, or the stub's among themselves
	TextTouchedUp     = "TEXT_TOUCHED_UP"             // an amount was drawn unlike the others
	OddFont           = "ODD_FONT_IN_AMOUNT"          // an amount has another font than the others
	TextOverText      = "TEXT_OVER_TEXT"              // text lies under a shape, an image or other text
	TextInAnnotation  = "TEXT_IN_ANNOTATION"          // text lies over the page, in notes or form fields
	FileRepaired      = "FILE_STRUCTURE_BROKEN"       // the file's own table of its parts is wrong, as after a change by hand
	ActiveContent     = "ACTIVE_CONTENT"              // scripts, attachments or programs to be started
	Arithmetic        = "ARITHMETIC_DOES_NOT_ADD_UP"  // amounts that must agree do not
	DeductionsOff     = "DEDUCTIONS_DO_NOT_FIT_RATES" // social security or Medicare is not what the year's rates take
	YearToDate        = "YEAR_TO_DATE_DOES_NOT_GROW"  // less than the period, or not more than on the stub before
	NoDeposit         = "NO_MATCHING_DEPOSIT"         // the bank data of those days has no such deposit
	StubsDisagree     = "STUBS_DISAGREE"              // stubs of one person and employer contradict each other
	ImageNotRead      = "IMAGE_NOT_READ"              // nothing is known of an image
)

// Reasons lists them all.
func Reasons() []string {
	return []string{IncrementalUpdate, EditorProducer, DatesDisagree, TextTouchedUp, OddFont,
		TextOverText, TextInAnnotation, FileRepaired, ActiveContent,
		Arithmetic, DeductionsOff, YearToDate, NoDeposit, StubsDisagree, ImageNotRead}
}

// finding is a reason; a grave one is enough for DETECTED, any other for REVIEW.
type finding struct {
	reason string
	grave  bool
}

func (d *Document) find(reason string, grave bool) {
	d.findings = append(d.findings, finding{reason, grave})
}

// verdict makes irregularity_detection of findings. A PDF is genuine when nothing
// about the file itself, whatever its figures, was found.
func (d *Document) verdict(all []finding) report.IrregularityDetection {
	out := report.IrregularityDetection{Status: report.IrregularityNotDetected, Reasons: []string{},
		FileType: report.Null(d.FileType), Version: Version}
	genuine := true
	for _, reason := range Reasons() {
		i := slices.IndexFunc(all, func(f finding) bool { return f.reason == reason })
		if i < 0 {
			continue
		}
		out.Reasons = append(out.Reasons, reason)
		if out.Status == report.IrregularityNotDetected {
			out.Status = report.IrregularityReview
		}
		switch reason {
		case IncrementalUpdate, EditorProducer, TextTouchedUp, OddFont, TextOverText, TextInAnnotation, FileRepaired:
			genuine = false
		}
	}
	for _, f := range all {
		if f.grave {
			out.Status = report.IrregularityDetected
		}
	}
	if d.FileType == report.FilePDF {
		out.GenuinePDF = &genuine
	}
	return out
}
