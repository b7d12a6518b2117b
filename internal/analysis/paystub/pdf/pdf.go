// Package pdf reads the parts of a PDF file that the checks of a pay stub need: its text
// with positions, fonts and drawing order, shapes that cover text, the metadata, and the
// updates that were appended later. It takes bytes and returns values. It does a bounded
// amount of work, so that a hostile file costs limited time and memory. It rejects encrypted
// files, reads only Flate, ASCII85 and ASCIIHex streams, and never decodes images.
package pdf

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
)

// The errors that Open returns, wrapped.
var (
	ErrNotPDF    = errors.New("not a PDF file")
	ErrEncrypted = errors.New("the PDF file needs a password")
	ErrTooMuch   = errors.New("the PDF file holds more than is read of one")
	ErrMalformed = errors.New("the PDF file is malformed")
)

// Limits for one file. Pay stubs are far below them.
const (
	MaxFile     = 20 << 20 // bytes of the file
	maxObjects  = 50_000   // entries of all cross-reference sections
	maxSections = 64       // cross-reference sections
	maxPages    = 50
	maxStream   = 4 << 20  // bytes of one stream, inflated
	maxInflated = 24 << 20 // bytes of all streams, inflated
	maxWork     = 64 << 20 // bytes that the parser processes, some of them repeatedly
	maxValues   = 300_000  // values of objects
	maxRuns     = 40_000   // pieces of text
	maxGlyphs   = 400_000
	maxPaints   = 40_000 // filled shapes and images
	maxForms    = 2_000  // drawings of forms
	maxFonts    = 256
	maxString   = 1 << 16 // bytes
	maxDepth    = 32      // of nested values, and of objects that need others
)

// Work in addition to the number of bytes.
const (
	perValue    = 4  // for each value or operator
	perInflated = 32 // for each byte to inflate
)

// File is the content of a file.
type File struct {
	Info       Info
	Linearized bool     // linearized for reading over a network, and not changed since
	Encrypted  bool     // encrypted with an empty password
	Repaired   bool     // the cross-reference or the length of a stream is wrong
	Updates    []Update // appended to the file after it was first written, oldest first
	Active     bool     // has scripts or attachments, or starts a program
	Fonts      []Font
	Pages      []Page
}

// Update describes the changes of one appended section.
type Update struct {
	Content   bool // changes the content of pages
	Annotated bool // adds or changes annotations or form fields
	Signed    bool // holds a signature
}

// Info holds the metadata that the file has. Dates have PDF's format, as in
// D:20260131120000-05'00', or XML's, as in 2026-01-31T12:00:00-05:00.
type Info struct {
	Producer, Creator, Title    string
	Created, Modified           string
	XMPPrograms                 []string // producers, creator tools, and software agents in the history
	XMPCreated, XMPModified     string
	AnnotationText, FieldValues bool // whether there are text annotations, and filled form fields
}

// Font is a font of the file.
type Font struct {
	Name     string // without the prefix of a subset, as in "Arial-BoldMT"
	Subset   string // the prefix, as in "ABCDEF"
	Embedded bool
	Guessed  bool // the file does not say which letters its codes are; they are taken to be Latin letters
}

// Page holds the content of a page in the order of drawing. Positions are points from the
// lower left corner of the page before its rotation, or as its text is read if most of it is turned.
type Page struct {
	Width, Height float64
	Rotate        int // degrees clockwise for display: 0, 90, 180 or 270
	Runs          []Run
	Paints        []Paint
	Pictures      float64 // area that images cover, in square points; each image counts
}

// Run is text that was drawn by one operation without wide gaps.
type Run struct {
	Text      string
	X, Y, End float64 // from X to End on the baseline Y
	Size      float64 // of the font, in points
	Font      int     // index in File.Fonts
	Order     int     // position in the drawing order, shared with Paint
	Object    int     // number of the text object (BT to ET) in the page
	Op        int     // number of the operation, which may draw several runs
	Stream    int     // index of the page's content stream
	Stretch   float64 // horizontal scale; 1 for the font's own width
	Spacing   float64 // added between letters, in points
	Hidden    bool    // not painted
	White     bool    // white or nearly white
	Turned    bool    // not from left to right
	Actual    bool    // the letters are those of ActualText, because the font does not give them
	Differs   bool    // ActualText has other letters or digits than the font
}

// Paint is an opaque area: a filled rectangle or an image.
type Paint struct {
	X0, Y0, X1, Y1 float64
	Order          int
	Image          bool
	White          bool // white or nearly white
	Annotation     bool // drawn by an annotation, over the page's content
}

// Is reports whether the bytes are a PDF file: its header is within the first kilobyte.
func Is(b []byte) bool { return bytes.Contains(b[:min(len(b), 1024)], []byte("%PDF-")) }

// Open reads a file. It returns one of this package's errors, wrapped.
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

// file reads the file and turns panics into errors.
func (r *reader) file() (out *File, err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case failure:
			out, err = nil, p.error
		case runtime.Error: // a bug in this package, which must not end the process
			out, err = nil, fmt.Errorf("%w: %s", ErrMalformed, p.Error())
		default:
			panic(p)
		}
	}()
	return r.read(), nil
}

// failure is the panic value with which reading ends; Open returns its error.
type failure struct{ error }

func malformed(why string) failure { return failure{fmt.Errorf("%w: %s", ErrMalformed, why)} }
func tooMuch(of string) failure    { return failure{fmt.Errorf("%w: %s", ErrTooMuch, of)} }

// budget holds the remaining limits of a file.
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
