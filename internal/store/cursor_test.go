package store_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"vestibule/internal/store"
)

func TestCursors(t *testing.T) {
	c := store.Cursor{At: time.UnixMicro(1_780_000_000_123_456).UTC(), ID: uuid.NewString()}
	if got, err := store.ParseCursor(c.String()); err != nil || got != c {
		t.Errorf("ParseCursor(%s) = %v, %v", c, got, err)
	}
	if got, err := store.ParseCursor(""); err != nil || got != (store.Cursor{}) || got.String() != "" || got.Micros() != 0 {
		t.Errorf("no cursor is %v, %v", got, err)
	}
	for _, bad := range []string{"1", ".", "1.x", "x." + c.ID, "-1." + c.ID, "0." + c.ID, "9999999999999999999." + c.ID,
		"9007199254740993." + c.ID, "1.{" + c.ID[2:], c.String() + "\x00"} {
		if got, err := store.ParseCursor(bad); err == nil {
			t.Errorf("ParseCursor(%q) = %v", bad, got)
		}
	}
	if c.Micros() != store.Micros(c.At) {
		t.Errorf("Micros = %d", c.Micros())
	}
}
