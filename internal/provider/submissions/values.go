package submissions

import (
	"bytes"
	"math"
	"strconv"
	"time"
	"unicode/utf8"

	"vestibule/internal/report"
)

// dateForm is the layout of times.
const dateForm = "2006-01-02T15:04:05.000Z"

// unbounded is the maximum length of strings that are limited otherwise.
const unbounded = math.MaxInt

// text reads a string of low to high characters, which is valid until the next token.
// Otherwise it rejects field and returns false.
func (d *decoder) text(field string, low, high int) ([]byte, bool) {
	if d.peek() != '"' {
		d.reject(field, "must be a string")
		d.skip(0)
		return nil, false
	}
	t := d.scanner.text()
	if d.err != nil {
		return nil, false
	}
	if bytes.IndexByte(t, 0) >= 0 {
		d.reject(field, "has a NUL character")
		return nil, false
	}
	if n := len(t); n < low || n > high {
		if n = utf8.RuneCount(t); n < low || n > high {
			words := "must have " + strconv.Itoa(low) + " to " + strconv.Itoa(high) + " characters"
			if n == 0 {
				words = "is empty; it " + words
			}
			d.reject(field, words)
			return nil, false
		}
	}
	return t, true
}

// id reads an identifier that is unique in its list.
func (d *decoder) id(others map[string]bool) string {
	t, ok := d.text("id", 1, 50)
	if !ok {
		return ""
	}
	if !isAlphanumeric(t) {
		d.reject("id", "must be letters from A to Z and digits only")
		return ""
	}
	if others[string(t)] {
		d.reject("id", "is given twice")
		return ""
	}
	id := string(t)
	others[id] = true
	return id
}

// label reads a string of 1 to high characters, without control characters.
func (d *decoder) label(field string, high int) string {
	t, ok := d.text(field, 1, high)
	if ok && hasControl(t) {
		d.reject(field, "has a control character")
	}
	return string(t)
}

// oneOf reads a string that must be a or b.
func (d *decoder) oneOf(field, a, b string) string {
	t, ok := d.text(field, 0, unbounded)
	if !ok {
		return ""
	}
	switch string(t) {
	case a:
		return a
	case b:
		return b
	}
	d.reject(field, "must be "+a+" or "+b)
	return ""
}

// money reads a decimal number with at most two places, and adds it to d.sum.
func (d *decoder) money(field string) report.Cents {
	if c := d.peek(); c != '-' && (c < '0' || c > '9') {
		d.reject(field, "must be a number, without quotes")
		d.skip(0)
		return 0
	}
	c, ok := parseCents(d.number())
	if !ok && d.err == nil {
		d.reject(field, "must be an amount with at most two decimals and no exponent, below 10000000000000")
	}
	if d.sum += max(c, -c); d.sum >= maxUnits*100 && !d.sumReported {
		d.sumReported = true
		d.reject(field, "must be below 10000000000000 together with all balances and amounts before it")
	}
	d.sum = min(d.sum, maxUnits*100) // against overflow
	return c
}

// dateTime reads a time that must not be after now or, with past, must be before now.
func (d *decoder) dateTime(field string, past bool) (time.Time, bool) {
	t, ok := d.text(field, 0, unbounded)
	if !ok {
		return time.Time{}, false
	}
	at, ok := parseDateTime(t)
	switch {
	case !ok:
		d.reject(field, "must be an existing time in the form YYYY-MM-DDTHH:mm:ss.SSSZ, in UTC with milliseconds")
	case at.After(d.terms.Now), past && !at.Before(d.terms.Now):
		d.reject(field, "must not lie in the future: it is "+d.terms.Now.UTC().Format(dateForm))
	default:
		return at, true
	}
	return time.Time{}, false
}
