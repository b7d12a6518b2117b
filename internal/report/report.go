// Package report defines the bodies of the verification service's reports, which the
// provider computes and the portal reads (API reference: Reports).
//
// The types keep two rules of the API: a node without data is omitted (its field is a
// nil slice or pointer), and within a returned node every field is present, null when
// empty (a pointer) or an empty array. Money is Cents and never a float. Encoding is
// deterministic. The package computes nothing.
package report

import (
	"encoding/json"
	"errors"
	"strconv"
	"time"
)

// Cents is an amount of money in hundredths of its currency. In JSON it is a
// number with two decimals.
type Cents int64

// maxCents bounds the amounts that Cents parses, ten trillion, so that sums of a
// report's amounts cannot overflow.
const maxCents = 1_000_000_000_000_000

// String returns the amount in units with two decimals, as in "-12.05".
func (c Cents) String() string { return string(c.appendTo(make([]byte, 0, 24))) }

func (c Cents) appendTo(b []byte) []byte {
	n := uint64(c)
	if c < 0 {
		b, n = append(b, '-'), -n
	}
	b = strconv.AppendUint(b, n/100, 10)
	return append(b, '.', byte('0'+n/10%10), byte('0'+n%10))
}

// MarshalJSON writes the amount as a JSON number with two decimals.
func (c Cents) MarshalJSON() ([]byte, error) { return c.appendTo(make([]byte, 0, 24)), nil }

// UnmarshalJSON parses any JSON number, with or without an exponent, and rounds
// fractions of a cent half away from zero. It refuses other values and amounts beyond
// ten trillion.
func (c *Cents) UnmarshalJSON(b []byte) error {
	n, err := parseFixed(string(b), 2)
	if err == nil {
		*c = Cents(n)
	}
	return err
}

var errCents = errors.New("not an amount of money")

// ParseCents parses a JSON number.
func ParseCents(s string) (Cents, error) {
	if !json.Valid([]byte(s)) {
		return 0, errCents
	}
	n, err := parseFixed(s, 2)
	return Cents(n), err
}

// parseFixed parses a JSON value as an integer with that many decimals.
func parseFixed(s string, decimals int) (int64, error) {
	if len(s) == 0 || s[0] != '-' && (s[0] < '0' || s[0] > '9') {
		return 0, errCents
	}
	neg := s[0] == '-'
	if neg {
		s = s[1:]
	}
	digits := make([]byte, 0, 32)
	point, exp := -1, 0
	for i := 0; i < len(s); i++ {
		switch ch := s[i]; ch {
		case '.':
			point = len(digits)
		case 'e', 'E':
			var err error
			if exp, err = strconv.Atoi(s[i+1:]); err != nil || exp > 400 || exp < -400 {
				return 0, errCents
			}
			i = len(s)
		default:
			digits = append(digits, ch)
		}
	}
	if point < 0 {
		point = len(digits)
	}
	var n int64
	end := point + exp + decimals // the digits before end are whole units
	for i := 0; i < end; i++ {
		d := int64(0)
		if i < len(digits) {
			d = int64(digits[i] - '0')
		} else if n == 0 {
			break
		}
		if n = n*10 + d; n > maxCents {
			return 0, errCents
		}
	}
	if end >= 0 && end < len(digits) && digits[end] >= '5' {
		n++
	}
	if neg {
		n = -n
	}
	return n, nil
}

// Date is a Full Date, a day in UTC: YYYY-MM-DD in JSON.
type Date struct{ time.Time }

// DateOf returns the UTC day of t.
func DateOf(t time.Time) Date {
	y, m, d := t.UTC().Date()
	return Date{time.Date(y, m, d, 0, 0, 0, 0, time.UTC)}
}

// String returns YYYY-MM-DD.
func (d Date) String() string { return d.Format(time.DateOnly) }

// MarshalJSON writes "YYYY-MM-DD".
func (d Date) MarshalJSON() ([]byte, error) {
	return append(d.AppendFormat(append(make([]byte, 0, 16), '"'), time.DateOnly), '"'), nil
}

// UnmarshalJSON reads "YYYY-MM-DD" and nothing else.
func (d *Date) UnmarshalJSON(b []byte) error {
	t, err := time.Parse(`"`+time.DateOnly+`"`, string(b))
	if err != nil {
		return errors.New("not a date of the form YYYY-MM-DD")
	}
	d.Time = t
	return nil
}

// Timestamp is an instant in UTC: RFC 3339 with milliseconds in JSON.
type Timestamp struct{ time.Time }

// TimestampOf returns t in UTC, truncated to milliseconds.
func TimestampOf(t time.Time) Timestamp { return Timestamp{t.UTC().Truncate(time.Millisecond)} }

// String returns RFC 3339 with milliseconds.
func (t Timestamp) String() string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// MarshalJSON writes RFC 3339 with milliseconds.
func (t Timestamp) MarshalJSON() ([]byte, error) { return []byte(`"` + t.String() + `"`), nil }

// UnmarshalJSON reads any RFC 3339 instant.
func (t *Timestamp) UnmarshalJSON(b []byte) error {
	v, err := time.Parse(`"`+time.RFC3339+`"`, string(b))
	if err != nil {
		return errors.New("not an RFC 3339 timestamp")
	}
	t.Time = v.UTC()
	return nil
}

// Text returns what p points to, or the empty string.
func Text[S ~string](p *S) string {
	if p == nil {
		return ""
	}
	return string(*p)
}
