package store

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"vestibule/internal/contract"
)

// Cursor is a position in a list sorted from newest to oldest: after the row of that
// instant and id. The zero Cursor is the beginning.
type Cursor struct {
	At time.Time
	ID string // a UUID
}

// ErrCursor reports a text that is not a cursor.
var ErrCursor = errors.New("store: malformed cursor")

// Micros returns the instant as stored; 0 for the zero Cursor.
func (c Cursor) Micros() int64 {
	if c.At.IsZero() {
		return 0
	}
	return Micros(c.At)
}

// String formats the cursor for an address; "" is the zero Cursor.
func (c Cursor) String() string {
	if c.At.IsZero() {
		return ""
	}
	return strconv.FormatInt(c.Micros(), 10) + "." + c.ID
}

// ParseCursor parses a cursor of String. For any other text it returns ErrCursor.
func ParseCursor(s string) (Cursor, error) {
	if s == "" {
		return Cursor{}, nil
	}
	at, id, _ := strings.Cut(s, ".")
	n, err := strconv.ParseInt(at, 10, 64)
	if err != nil || n <= 0 || n > 1<<53 || !contract.IsUUID(id) {
		return Cursor{}, ErrCursor
	}
	return Cursor{At: Time(n), ID: id}, nil
}
