package store

import "time"

// Cursor is a position in a list sorted from newest to oldest: after the row of that
// instant and id. The zero Cursor is the beginning.
type Cursor struct {
	At time.Time
	ID string
}

// Micros returns the instant as stored; 0 for the zero Cursor.
func (c Cursor) Micros() int64 {
	if c.At.IsZero() {
		return 0
	}
	return Micros(c.At)
}
