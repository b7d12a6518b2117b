package compress

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"
)

func TestPack(t *testing.T) {
	for _, raw := range []string{"", "{}", "[1,2]", strings.Repeat(`{"description":"POS DEBIT CORNER MARKET"},`, 5000)} {
		packed := Pack([]byte(raw))
		if got, err := Unpack(packed); err != nil || string(got) != raw {
			t.Errorf("%.20q became %.20q, %v", raw, got, err)
		}
		if len(packed) > 200 {
			t.Errorf("%d bytes became %d", len(raw), len(packed))
		}
		if got, err := Unpack(packed[:len(packed)-1]); err == nil {
			t.Errorf("a part of %.20q unpacks to %.20q", raw, got)
		}
	}
}

// What former versions stored is read: compressed by gzip, or not at all.
func TestUnpackFormerFormats(t *testing.T) {
	const raw = `{"public_token":"t"}`
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	z.Write([]byte(raw))
	z.Close()
	for _, stored := range []string{raw, zipped.String()} {
		if got, err := Unpack([]byte(stored)); err != nil || string(got) != raw {
			t.Errorf("%q became %q, %v", stored, got, err)
		}
	}
}
