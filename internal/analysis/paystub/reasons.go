package paystub

import (
	"slices"

	"vestibule/internal/contract"
	"vestibule/internal/report"
)

// The reasons of irregularity_detection, in the order in which they are listed.
const (
	IncrementalUpdate = "INCREMENTAL_UPDATE"          // something was appended to the file after it was written
	EditorProducer    = "EDITOR_AS_PRODUCER"          // created by an editor of files or images, or a word processor
	DatesDisagree     = "DATES_DISAGREE"              // the dates of the file or the stub contradict each other
	TextTouchedUp     = "TEXT_TOUCHED_UP"             // an amount was drawn unlike the others
	OddFont           = "ODD_FONT_IN_AMOUNT"          // an amount has another font than the others
	TextOverText      = "TEXT_OVER_TEXT"              // text lies under a shape, an image or other text
	UnknownLetters    = "TEXT_NOT_READABLE"           // the file does not say which letters some of its text has
	TextMayDiffer     = "TEXT_MAY_DIFFER"             // the letters of some text are not those of its font, but another text's
	TextInAnnotation  = "TEXT_IN_ANNOTATION"          // annotations or form fields show text
	FileRepaired      = "FILE_STRUCTURE_BROKEN"       // the cross-reference is wrong, as after manual changes
	FileEncrypted     = "FILE_ENCRYPTED"              // encrypted with an empty password
	ActiveContent     = "ACTIVE_CONTENT"              // scripts, attachments or programs to be started
	Arithmetic        = "ARITHMETIC_DOES_NOT_ADD_UP"  // amounts that must agree do not
	DeductionsOff     = "DEDUCTIONS_DO_NOT_FIT_RATES" // social security or Medicare does not match the year's rates
	YearToDate        = "YEAR_TO_DATE_DOES_NOT_GROW"  // less than the period, or does not fit the stub before
	NoDeposit         = "NO_MATCHING_DEPOSIT"         // the bank data of those days has no such deposit
	StubsDisagree     = "STUBS_DISAGREE"              // stubs of one person and employer contradict each other
	FieldsNotRead     = "NAMES_OR_DATES_NOT_READ"     // a name or a date was not found or not understood
	AmountsNotRead    = "AMOUNTS_NOT_READ"            // the period's net, or an amount that the stub shows, was not found
	HardToRead        = "IMAGE_HARD_TO_READ"          // a figure or a date of an image was read with low confidence
	ImageNotRead      = "IMAGE_NOT_READ"              // the content of an image was not read
)

// Reasons returns all reasons, in order.
func Reasons() []string {
	return []string{IncrementalUpdate, EditorProducer, DatesDisagree, TextTouchedUp, OddFont,
		TextOverText, UnknownLetters, TextMayDiffer, TextInAnnotation, FileRepaired, FileEncrypted, ActiveContent,
		Arithmetic, DeductionsOff, YearToDate, NoDeposit, StubsDisagree, FieldsNotRead, AmountsNotRead, HardToRead, ImageNotRead}
}

// finding is a reason. A grave one results in DETECTED, any other in REVIEW.
type finding struct {
	reason string
	grave  bool
	at     []area // where it is on the pages; empty for the whole file
}

func (d *Document) find(reason string, grave bool, at ...area) {
	d.findings = append(d.findings, finding{reason, grave, at})
}

// ofFile reports whether a reason is about the file, as opposed to what it shows.
func ofFile(reason string) bool {
	return slices.Contains([]string{IncrementalUpdate, EditorProducer, TextTouchedUp, OddFont, TextOverText, TextInAnnotation,
		FileRepaired}, reason)
}

// verdict returns irregularity_detection for some findings. A PDF is genuine if there are
// no findings about the file itself, as opposed to its amounts.
func (d *Document) verdict(all []finding) report.IrregularityDetection {
	out := report.IrregularityDetection{Status: report.IrregularityNotDetected, Reasons: []string{},
		FileType: contract.Null(d.FileType), Version: Version}
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
		genuine = genuine && !ofFile(reason)
	}
	for _, f := range all {
		if f.grave && (!d.scanned || ofFile(f.reason)) {
			out.Status = report.IrregularityDetected
		}
	}
	if d.FileType == report.FilePDF {
		out.GenuinePDF = &genuine
	}
	return out
}
