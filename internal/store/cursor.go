package store

import "time"

// Cursor is a place in a list with the newest first: after the row of that instant and
// id. The zero Cursor is the beginning.
type Cursor struct {
	At time.Time
	ID string
}

// Micros returns the instant as the database keeps it; 0 for the zero Cursor.
func (c Cursor) Micros() int64 {
	if c.At.IsZero() {
		return 0
	}
	return Micros(c.At)
}
