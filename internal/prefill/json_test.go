package prefill_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"vestibule/internal/prefill"
	"vestibule/internal/prefill/prefilljson"
	"vestibule/internal/prefill/prefilltest"
)

func sameReading(t *testing.T, raw []byte) {
	t.Helper()
	got, ok := prefill.Parse(string(raw))
	want, err := prefilljson.Decode(raw)
	if err == nil && want == nil { // nothing, or null: for the caller of Parse to see
		return
	}
	if ok != (err == nil) {
		t.Fatalf("Parse(%q) = %v, but encoding/json says %v", raw, ok, err)
	}
	if ok && !cmp.Equal(got, want) {
		t.Fatalf("Parse(%q) (-encoding/json +ours):\n%s", raw, cmp.Diff(want, got))
	}
}

func TestParseReadsAsServersDo(t *testing.T) {
	for _, c := range prefilltest.Cases(t) {
		sameReading(t, c.Prefill)
	}
	for _, s := range []string{`{}`, ` { } `, `[]`, `"x"`, `7`, `{`, `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`, `{"a":1,}`, `{,}`, `{"a":1}x`, `{"a":1}{}`,
		`{"a":1,"a":2}`, `{"a":1,"\u0061":2}`, `{"a":{"b":1,"b":2}}`, `{a:1}`, `{'a':1}`, `{"a":01}`, `{"a":1.}`, `{"a":.5}`, `{"a":-}`, `{"a":+1}`, `{"a":1e}`, `{"a":1E+2}`, `{"a":-0}`, `{"a":1e999}`, `{"a":NaN}`,
		`{"a":nul}`, `{"a":nullx}`, `{"a":true}`, `{"a":"\ud83d\ude00"}`, `{"a":"\ud83d"}`, `{"a":"\ud83dx"}`, `{"a":"\ud83d\u0041"}`, `{"a":"\ude00\ud83d"}`, `{"a":"\u12"}`, `{"a":"\x"}`, `{"a":"\`, `{"a":"\"\\\/\b\f\n\r\t"}`,
		"{\"a\":\"\n\"}", "{\"a\":\"\\n\n\"}", "{\"a\":\"\xff\xfe\"}", "{\"a\":\"\\n\xff\xfe\"}", "{\"\xff\":1}", `{"a":[1,[2,{"b":[]}],"c"]}`, `{"a":[1,]}`, `{"a":[1 2]}`, "\ufeff{}", "{\"a\":1\x00}", "\v{}"} {
		sameReading(t, []byte(s))
	}
	deep := strings.Repeat(`{"a":`, 99) + "1" + strings.Repeat("}", 99)
	sameReading(t, []byte(deep))
	if _, ok := prefill.Parse(strings.Repeat(`{"a":[`, 1_000_000)); ok {
		t.Error("a million brackets are an object")
	}
}

// FuzzParse holds the browser's reader to encoding/json.
func FuzzParse(f *testing.F) {
	for _, c := range prefilltest.Cases(f) {
		f.Add([]byte(c.Prefill))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if bytes.Count(raw, []byte("[")) < 50 && bytes.Count(raw, []byte("{")) < 50 {
			sameReading(t, raw)
		}
	})
}
