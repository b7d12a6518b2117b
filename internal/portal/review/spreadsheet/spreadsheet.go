// Package spreadsheet formats tables of reports as CSV for spreadsheet programs.
package spreadsheet

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"regexp"
	"strings"
)

// ContentType is the media type of the files.
const ContentType = "text/csv; charset=utf-8; header=present"

// ByteOrderMark starts each file, since common spreadsheets would otherwise misread
// accented letters. Programs that read CSV handle it or can be configured to.
const ByteOrderMark = "\ufeff"

// Encode formats rows as CSV (RFC 4180), with each cell quoted.
func Encode(rows [][]string) []byte {
	var out bytes.Buffer
	s := NewWriter(&out)
	for _, row := range rows {
		s.Row(row...)
	}
	_ = s.Flush() // writing to a buffer never fails
	return out.Bytes()
}

// Writer writes CSV rows. Flush returns its errors.
type Writer struct{ out *bufio.Writer }

// NewWriter returns a Writer and begins the file.
func NewWriter(w io.Writer) Writer {
	out := bufio.NewWriter(w)
	_, _ = out.WriteString(ByteOrderMark) // Flush returns an error here
	return Writer{out}
}

// Row writes a row.
func (s Writer) Row(cells ...string) {
	row := make([]string, len(cells))
	for i, c := range cells {
		row[i] = `"` + quoted.Replace(harmless(c)) + `"`
	}
	_, _ = s.out.WriteString(strings.Join(row, ",") + "\r\n") // Flush returns an error here
}

// Flush flushes the rows written so far; more may follow.
func (s Writer) Flush() error { return s.out.Flush() }

// quoted writes the text of a quoted cell.
var quoted = strings.NewReplacer(`"`, `""`, "\r", "", "\n", "\r\n")

// formula matches what a spreadsheet would take for the start of a formula: at the start of text,
// or after a character that separates cells in some spreadsheets' settings.
var formula = regexp.MustCompile("(^|[;|\t\r\n])([ \u00a0\"]*[-=+@＝＋－＠])")

// harmless puts an apostrophe before formulas in text, since report text comes from third
// parties. Numbers stay unchanged.
func harmless(s string) string {
	if strings.HasPrefix(s, "-") && json.Valid([]byte(s)) {
		return s
	}
	if s != "" && strings.ContainsAny(s[:1], "\t\r\n") {
		s = "'" + s
	}
	return formula.ReplaceAllString(s, "$1'$2")
}
