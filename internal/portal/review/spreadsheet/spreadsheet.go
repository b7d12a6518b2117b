// Package spreadsheet formats tables of reports as CSV for spreadsheet programs.
package spreadsheet

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"strings"
)

// ContentType is the media type of the files.
const ContentType = "text/csv; charset=utf-8; header=present"

// ByteOrderMark starts each file, since common spreadsheets would otherwise misread
// accented letters. Programs that read CSV handle it or can be configured to.
const ByteOrderMark = "\ufeff"

// Encode formats rows as CSV (RFC 4180).
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
type Writer struct{ out *csv.Writer }

// NewWriter returns a Writer and begins the file.
func NewWriter(w io.Writer) Writer {
	_, _ = io.WriteString(w, ByteOrderMark) // Flush returns an error here
	out := csv.NewWriter(w)
	out.UseCRLF = true
	return Writer{out}
}

// Row writes a row.
func (s Writer) Row(cells ...string) {
	for i, c := range cells {
		cells[i] = harmless(c)
	}
	_ = s.out.Write(cells)
}

// Flush flushes the rows written so far; more may follow.
func (s Writer) Flush() error {
	s.out.Flush()
	return s.out.Error()
}

// harmless puts an apostrophe before text that a spreadsheet would take for a
// formula, since report text comes from third parties. Numbers stay unchanged.
func harmless(s string) string {
	if s == "" || !strings.ContainsAny(s[:1], "=+-@\t\r\n") && !strings.HasPrefix(s, "＝") && !strings.HasPrefix(s, "＋") &&
		!strings.HasPrefix(s, "－") && !strings.HasPrefix(s, "＠") {
		return s
	}
	if strings.HasPrefix(s, "-") && json.Valid([]byte(s)) {
		return s
	}
	return "'" + s
}
