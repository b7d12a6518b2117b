package fdx

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"vestibule/internal/provider/sources/rest"
	"vestibule/internal/report"
)

// decodeJSON decodes a body that is one JSON value. Members of another type than
// expected count as missing.
func decodeJSON(r *http.Response, into any) error {
	if r.StatusCode == http.StatusNoContent {
		return nil
	}
	return decode(json.NewDecoder(r.Body), into)
}

// decodeInto returns a function that decodes an answer by decodeJSON.
func decodeInto(target any) func(*http.Response) error {
	return func(r *http.Response) error { return decodeJSON(r, target) }
}

func decode(d *json.Decoder, into any) error {
	var other *json.UnmarshalTypeError
	if err := d.Decode(into); err != nil && !errors.As(err, &other) {
		return rest.ErrNotJSON // the library's error may quote the body
	}
	return nil
}

// text is a string, or the text of a number. Other values count as missing.
type text string

// UnmarshalJSON implements json.Unmarshaler. It never fails.
func (t *text) UnmarshalJSON(b []byte) error {
	*t = ""
	switch {
	case len(b) < 2 || b[0] != '"':
		if c := b[0]; c == '-' || c >= '0' && c <= '9' {
			*t = text(b)
		}
	case bytes.IndexByte(b, '\\') < 0 && utf8.Valid(b):
		if common, ok := commonTexts[string(b[1:len(b)-1])]; ok {
			*t = common
			return nil
		}
		*t = text(b[1 : len(b)-1])
	default:
		_ = json.Unmarshal(b, (*string)(t))
	}
	return nil
}

// commonTexts has texts of most transactions, to decode them without an allocation.
var commonTexts = map[string]text{"DEBIT": "DEBIT", "CREDIT": "CREDIT", "POSTED": "POSTED", "PENDING": "PENDING",
	"POSDEBIT": "POSDEBIT", "WITHDRAWAL": "WITHDRAWAL", "DEPOSIT": "DEPOSIT", "DEPOSIT_ACCOUNT": "DEPOSIT_ACCOUNT"}

// texts is a list of strings, or one string.
type texts []text

// UnmarshalJSON implements json.Unmarshaler. It never fails.
func (t *texts) UnmarshalJSON(b []byte) error {
	*t = nil
	if b[0] == '[' {
		return ignore(json.Unmarshal(b, (*[]text)(t)))
	}
	var one text
	if _ = one.UnmarshalJSON(b); one != "" {
		*t = texts{one}
	}
	return nil
}

// ignore drops the error of a member of another type, which counts as missing.
func ignore(error) error { return nil }

// number is a number without its fraction, or a string that contains one; 0 for other values.
type number int64

// UnmarshalJSON implements json.Unmarshaler. It never fails.
func (n *number) UnmarshalJSON(b []byte) error {
	v, err := strconv.ParseFloat(strings.Trim(string(b), `"`), 64)
	if *n = 0; err == nil && math.Abs(v) < 1<<53 {
		*n = number(v)
	}
	return nil
}

// state is whether a value is missing, valid, or invalid.
type state uint8

const (
	missing state = iota
	valid
	invalid
)

// money is an amount: a JSON number, or a string that contains one.
type money struct {
	cents report.Cents
	state state
	minus bool // also of -0
}

// UnmarshalJSON implements json.Unmarshaler. It never fails.
func (m *money) UnmarshalJSON(b []byte) error {
	*m = money{}
	if b[0] == '"' {
		if b = b[1 : len(b)-1]; len(b) == 0 {
			return nil
		}
	} else if b[0] == 'n' {
		return nil
	}
	cents, ok := parseCents(b)
	if m.state = invalid; ok {
		*m = money{cents, valid, b[0] == '-'}
	}
	return nil
}

// maxCents is the maximum amount, as in package report.
const maxCents = 1_000_000_000_000_000

// parseCents parses a JSON number as cents. It returns false for fractions of a cent that
// are more than noise, and for amounts over ten trillion.
func parseCents(b []byte) (report.Cents, bool) {
	negative := len(b) > 0 && b[0] == '-'
	if negative {
		b = b[1:]
	}
	whole, b := digits(b)
	var fraction []byte
	if len(b) > 0 && b[0] == '.' {
		if fraction, b = digits(b[1:]); len(fraction) == 0 {
			return 0, false
		}
	}
	exponent := 0
	if len(b) > 0 && (b[0] == 'e' || b[0] == 'E') {
		var err error
		if exponent, err = strconv.Atoi(string(b[1:])); err != nil || exponent > 999 || exponent < -999 {
			return 0, false
		}
		b = nil
	}
	if len(whole) == 0 || len(b) > 0 {
		return 0, false
	}
	end := len(whole) + exponent + 2 // the digits before end are whole cents
	n, at := report.Cents(0), 0
	rest := roundingError{zeros: max(0, -end)}
	for _, part := range [2][]byte{whole, fraction} {
		for _, c := range part {
			if at++; at > end {
				rest.add(c)
			} else if n = n*10 + report.Cents(c-'0'); n > maxCents {
				return 0, false
			}
		}
	}
	for ; at < end && n != 0; at++ {
		if n *= 10; n > maxCents {
			return 0, false
		}
	}
	up, ok := rest.round()
	if n += up; !ok || n > maxCents {
		return 0, false
	}
	if negative {
		n = -n
	}
	return n, true
}

// roundingError is the fraction of a cent of an amount. Institutions that compute with floating
// point send 300.29999999999995 for 300.30, and 2.8e-14 for 0.
type roundingError struct {
	zeros, nines int  // at its beginning
	other        bool // another digit follows them
}

func (f *roundingError) add(c byte) {
	switch {
	case f.other:
	case c == '0' && f.nines == 0:
		f.zeros++
	case c == '9' && f.zeros == 0:
		f.nines++
	default:
		f.other = true
	}
}

// round returns the cents that the fraction is rounded to, or false if it is more than
// noise: another number than a cent by a millionth of a cent.
func (f *roundingError) round() (report.Cents, bool) {
	const least = 6
	switch {
	case f.nines >= least:
		return 1, true
	case f.nines > 0:
		return 0, false
	}
	return 0, !f.other || f.zeros >= least
}

// digits splits the decimal digits at the beginning of b from the rest.
func digits(b []byte) (head, rest []byte) {
	n := 0
	for n < len(b) && b[n] >= '0' && b[n] <= '9' {
		n++
	}
	return b[:n], b[n:]
}

// day is the date of a date or a timestamp as written, in the institution's time zone.
type day struct {
	date  report.Date
	state state
}

// UnmarshalJSON implements json.Unmarshaler. It never fails.
func (d *day) UnmarshalJSON(b []byte) error {
	*d = day{}
	if b[0] != '"' || len(b) == 2 {
		if b[0] != 'n' && b[0] != '"' {
			d.state = invalid
		}
		return nil
	}
	date, ok := parseDay(b[1 : len(b)-1])
	if d.state = invalid; ok {
		*d = day{date, valid}
	}
	return nil
}

// ptr returns the date, or nil if it is missing.
func (d day) ptr() *report.Date {
	if d.state != valid {
		return nil
	}
	return &d.date
}

// parseDay parses YYYY-MM-DD, alone or before a time of day or an offset.
func parseDay(b []byte) (report.Date, bool) {
	if len(b) < 10 || len(b) > 40 || b[4] != '-' || b[7] != '-' || len(b) > 10 && !bytes.ContainsRune([]byte("Tt Zz+-"), rune(b[10])) {
		return report.Date{}, false
	}
	year, ok1 := parseDigits(b[:4])
	month, ok2 := parseDigits(b[5:7])
	dom, ok3 := parseDigits(b[8:10])
	if !ok1 || !ok2 || !ok3 || year < 1800 || month < 1 || month > 12 || dom < 1 || dom > 31 {
		return report.Date{}, false
	}
	t := time.Date(year, time.Month(month), dom, 0, 0, 0, 0, time.UTC)
	return report.Date{Time: t}, dom <= 28 || t.Day() == dom
}

func parseDigits(b []byte) (n int, ok bool) {
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, true
}

// currency is a currency code: a string, or an object with currencyCode.
type currency text

// UnmarshalJSON implements json.Unmarshaler. It never fails.
func (c *currency) UnmarshalJSON(b []byte) error {
	if b[0] != '{' {
		return (*text)(c).UnmarshalJSON(b)
	}
	var object struct {
		Code text `json:"currencyCode"`
	}
	err := json.Unmarshal(b, &object)
	*c = currency(object.Code)
	return ignore(err)
}

// link is an address: a string, or an object with href.
type link text

// UnmarshalJSON implements json.Unmarshaler. It never fails.
func (l *link) UnmarshalJSON(b []byte) error {
	if b[0] != '{' {
		return (*text)(l).UnmarshalJSON(b)
	}
	var object struct {
		Href text `json:"href"`
	}
	err := json.Unmarshal(b, &object)
	*l = link(object.Href)
	return ignore(err)
}

// links is the link to the next page, of an object or a list of links.
type links struct{ next link }

// UnmarshalJSON implements json.Unmarshaler. It never fails.
func (l *links) UnmarshalJSON(b []byte) error {
	*l = links{}
	if b[0] == '{' {
		var object struct {
			Next link `json:"next"`
		}
		err := json.Unmarshal(b, &object)
		l.next = object.Next
		return ignore(err)
	}
	var list []struct {
		Rel  text `json:"rel"`
		Href text `json:"href"`
	}
	err := json.Unmarshal(b, &list)
	for _, entry := range list {
		if entry.Rel == "next" {
			l.next = link(entry.Href)
		}
	}
	return ignore(err)
}

// paging has a page's references to the next page.
type paging struct {
	offset text
	key    text
	link   text
}

// readPage reads one page of a list as a stream, and calls each at every element of the
// array named list. It returns the number of elements.
func readPage(r io.Reader, list string, each func(*json.Decoder) error) (n int, next paging, err error) {
	d := json.NewDecoder(r)
	if !delim(d, '{') {
		return 0, next, rest.ErrNotJSON
	}
	listed, problem := false, false
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return n, next, rest.ErrNotJSON
		}
		name, _ := token.(string)
		name = strings.ToLower(name) // as the library does for members of objects
		problem = problem || name == "code" || name == "error"
		switch name {
		case strings.ToLower(list):
			listed = true
			elements, err := readArray(d, each)
			if n += elements; err != nil {
				return n, next, err
			}
		case "page":
			var page struct {
				Offset text `json:"nextOffset"`
				Key    text `json:"nextPageKey"`
			}
			if err := decode(d, &page); err != nil {
				return n, next, err
			}
			next.offset, next.key = page.Offset, page.Key
		case "links":
			var l links
			if err := decode(d, &l); err != nil {
				return n, next, err
			}
			next.link = text(l.next)
		default:
			if err := decode(d, new(skipped)); err != nil {
				return n, next, err
			}
		}
	}
	if !delim(d, '}') || problem && !listed { // an error with a status 2xx
		return n, next, rest.ErrNotJSON
	}
	return n, next, nil
}

// readArray calls each at every element of an array. A null is an empty array.
func readArray(d *json.Decoder, each func(*json.Decoder) error) (n int, err error) {
	token, err := d.Token()
	if err == nil && token == nil {
		return 0, nil
	}
	if token != json.Delim('[') {
		return 0, rest.ErrNotJSON
	}
	for ; d.More(); n++ {
		if err := each(d); err != nil {
			return n, err
		}
	}
	if !delim(d, ']') {
		return n, rest.ErrNotJSON
	}
	return n, nil
}

func delim(d *json.Decoder, want json.Delim) bool {
	token, err := d.Token()
	return err == nil && token == want
}

// skipped is a value that is not read.
type skipped struct{}

// UnmarshalJSON implements json.Unmarshaler.
func (*skipped) UnmarshalJSON([]byte) error { return nil }
