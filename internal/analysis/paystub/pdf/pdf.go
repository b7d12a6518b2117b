// Package pdf reads the parts of a PDF file that the checks of a pay stub need: its text
// with positions, fonts and drawing order, shapes that cover text, the program that claims
// to have made it, and the parts that were added later. It takes bytes and returns values,
// trusts nothing in the file, and does a bounded amount of work, so that a hostile file
// costs little time and memory and ends in one of four errors. It refuses encrypted files,
// and reads Flate, ASCII85 and ASCIIHex streams only; it never decodes images.
package pdf

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
)

// What Open answers for a file that it does not read.
var (
	ErrNotPDF    = errors.New("not a PDF file")
	ErrEncrypted = errors.New("the PDF file is encrypted")
	ErrTooMuch   = errors.New("the PDF file holds more than is read of one")
	ErrMalformed = errors.New("the PDF file is malformed")
)

// Limits for one file. Pay stubs are far below each of them.
const (
	MaxFile     = 20 << 20 // bytes of the file
	maxObjects  = 50_000   // entries of all cross-reference sections
	maxSections = 64       // cross-reference sections
	maxPages    = 50
	maxStream   = 4 << 20  // bytes of one stream, inflated
	maxInflated = 24 << 20 // bytes of all streams, inflated
	maxWork     = 64 << 20 // bytes that the parser goes over, some of them again and again
	maxValues   = 300_000  // values of objects
	maxRuns     = 40_000   // pieces of text
	maxGlyphs   = 400_000
	maxPaints   = 40_000 // filled shapes and images
	maxForms    = 2_000  // times that a form is drawn
	maxFonts    = 256
	maxString   = 1 << 16 // bytes
	maxDepth    = 32      // of values in values, and of objects that are read for others
)

// What takes more work than its bytes are.
const (
	perValue    = 4  // of a value or an operator, beside its bytes
	perInflated = 32 // of a byte that is to be inflated
)

// File is the content of a file.
type File struct {
	Info       Info
	Linearized bool     // written for reading over a network, and not changed since
	Repaired   bool     // the cross-reference does not fit the file, and its objects were looked for
	Updates    []Update // appended to the file after it was first written, oldest first
	Active     bool     // has scripts or starts something
	Fonts      []Font
	Pages      []Page
}

// Update is what one appended section changes.
type Update struct {
	Content   bool // of what pages show
	Annotated bool // adds or changes annotations or form fields
	Signed    bool // holds a signature
}

// Info is the file's metadata, unchanged; empty where missing. A program is as in
// "Producer", the dates as in PDF's D:20260131120000-05'00' or XML's
// 2026-01-31T12:00:00-05:00.
type Info struct {
	Producer, Creator, Title    string
	Created, Modified           string
	XMPPrograms                 []string // producers, tools and agents of the history
	XMPCreated, XMPModified     string
	AnnotationText, FieldValues bool // there are annotations that show text, or filled form fields
}

// Font is a font as the file names it.
type Font struct {
	Name     string // without the mark of a subset, as in "Arial-BoldMT"
	Subset   string // the mark, as in "ABCDEF"
	Embedded bool
}

// Page holds the content of a page in the order of drawing. Positions are points from the
// lower left corner of the page before its rotation.
type Page struct {
	Width, Height float64
	Runs          []Run
	Paints        []Paint
}

// Run is text that was drawn in one go.
type Run struct {
	Text      string
	X, Y, End float64 // from X to End on the baseline Y
	Size      float64 // of the font, in points
	Font      int     // of File.Fonts
	Order     int     // of drawing, shared with Paint
	Object    int     // of the page's text objects, from BT to ET
	Op        int     // of the operation that drew it, and maybe more runs
	Stream    int     // of the page's content streams; forms continue the count
	Stretch   float64 // 1 where the text is as wide as its font is
	Spacing   float64 // added between letters, in points
	Hidden    bool    // not painted
	White     bool    // nearly
	Turned    bool    // not from left to right
}

// Paint is an opaque area: a filled rectangle or an image.
type Paint struct {
	X0, Y0, X1, Y1 float64
	Order          int
	Image          bool
	White          bool // nearly
	Annotation     bool // drawn by an annotation, over everything
}

// Is reports whether the bytes begin as a PDF file does: the mark is within the
// first kilobyte.
func Is(b []byte) bool { return bytes.Contains(b[:min(len(b), 1024)], []byte("%PDF-")) }

// Open reads a file. The error is one of the four of this package, wrapped.
func Open(b []byte) (*File, error) {
	if len(b) > MaxFile {
		return nil, fmt.Errorf("%w: %d bytes", ErrTooMuch, len(b))
	}
	at := bytes.Index(b[:min(len(b), 1024)], []byte("%PDF-"))
	if at < 0 {
		return nil, ErrNotPDF
	}
	return newReader(b[at:]).file()
}

// file reads the file; the error is one of the four.
func (r *reader) file() (out *File, err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case failure:
			out, err = nil, p.error
		case runtime.Error: // a fault of this package, which must not end the process
			out, err = nil, fmt.Errorf("%w: %s", ErrMalformed, p.Error())
		default:
			panic(p)
		}
	}()
	return r.read(), nil
}

// failure is how the parts of the reader give up; Open turns it into an error.
type failure struct{ error }

func malformed(why string) failure { return failure{fmt.Errorf("%w: %s", ErrMalformed, why)} }
func tooMuch(of string) failure    { return failure{fmt.Errorf("%w: %s", ErrTooMuch, of)} }

// budget is what may still be spent on a file.
type budget struct{ work, values, inflated, runs, glyphs, paints, forms int }

func (b *budget) spend(n int) {
	if b.work -= n; b.work < 0 {
		panic(tooMuch("work"))
	}
}

func take(left *int, n int, of string) {
	if *left -= n; *left < 0 {
		panic(tooMuch(of))
	}
}
