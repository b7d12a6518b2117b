package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	many := `{"m0":0`
	for i := range 40 {
		many += `,"n` + strings.Repeat("x", i) + `":1`
	}
	for _, c := range []struct{ raw, path, message string }{
		{` {"a":1, "b":[true,null,{"c":"\ud800"}]} `, "", ""},
		{`"text"`, "", ""},
		{"", "", "is empty"},
		{" \n ", "", "is empty"},
		{"{", "", "ends before the JSON is complete"},
		{`{"a":"b`, "a", "ends before the JSON is complete"},
		{`{"a":}`, "a", "is not valid JSON near line 1, column 6"},
		{`{"a":[1,{"b":tru}]}`, "a[1].b", "is not valid JSON near line 1, column 14"},
		{`{"a":[1,2}`, "a", "is not valid JSON near line 1, column 10"},
		{`{"a":1,}`, "", "is not valid JSON near line 1, column 8"},
		{"{\n \"é\":1,\n \"ü\" 2}", "ü", "is not valid JSON near line 3, column 6"},
		{`[1,]`, "[1]", "is not valid JSON near line 1, column 4"},
		{`{"a":01}`, "a", "is not valid JSON near line 1, column 8"},
		{`{"a":"` + "\n" + `"}`, "a", "is not valid JSON near line 1, column 7"},
		{`{"a":"\x"}`, "a", "is not valid JSON near line 1, column 10"},
		{`{"a":1} {}`, "", "has something after the JSON value near line 1, column 9"},
		{"{\"a\":1}\x00", "", "has something after the JSON value near line 1, column 8"},
		{`{"a":{"b":1,"b":2}}`, "a.b", "is given twice"},
		{many + "}", "", ""},
		{many + `,"m0":1}`, "m0", "is given twice"},
		{many + `,"nxxxxxxxxxxxxxxxxxxxx":1}`, "nxxxxxxxxxxxxxxxxxxxx", "is given twice"},
		{`[[[[1]]]]`, "", ""},
		{`{"a":[[[[1]]]]}`, "a[0][0][0]", "is nested too deeply"},
		{"{\"a\":\"\xff\"}", "", "is not valid UTF-8"},
	} {
		_, err := Parse([]byte(c.raw), 4)
		var e *Error
		if c.message == "" && err != nil || c.message != "" && (!errors.As(err, &e) || e.Path != c.path || e.Message != c.message) {
			t.Errorf("Parse(%q) = %#v, want %q at %q", c.raw, err, c.message, c.path)
		}
	}
}

func TestParseAllKeepsDuplicatesAndMembersBeforeAFault(t *testing.T) {
	v, err := ParseAll([]byte(`{"a":1,"a":2,"b":[3,x`), 4)
	want := Object{{"a", json.Number("1")}, {"a", json.Number("2")}, {"b", []any{json.Number("3"), nil}}}
	if err == nil || !reflect.DeepEqual(v, want) {
		t.Errorf("%v, %v, want %v", v, err, want)
	}
}

// FuzzParse compares the parser with encoding/json: both accept the same documents,
// except those with repeated members or deep nesting, and return the same values.
func FuzzParse(f *testing.F) {
	for _, s := range []string{`{}`, `{"a":1,"b":[true,null,{"c":"\ud800"}]}`, `{"a":1,"a":2}`, `{"a":1}x`, `[1,]`, `{"a":1,}`,
		" {\t\"a\" :\r\n[ 1 , -2.5e+3,false ] , \"\\\"\\\\\":{ } } ", "1 2", "-", "\x00", `"\u00`, "[1 2]", `{"a" 1}`, "nul"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, err := Parse(raw, 1000)
		all, allErr := ParseAll(raw, 1000)
		var want any
		dec := json.NewDecoder(bytes.NewReader(raw))
		dec.UseNumber()
		failed := dec.Decode(&want)
		if failed == nil {
			if _, failed = dec.Token(); failed == io.EOF {
				failed = nil
			} else if failed == nil {
				failed = errors.New("something after the value")
			}
		}
		if err == nil && (failed != nil || allErr != nil || !reflect.DeepEqual(plain(got), want) || !reflect.DeepEqual(all, got)) {
			t.Errorf("Parse(%q) = %v, want %v, %v", raw, got, want, failed)
		}
		var e *Error
		if errors.As(err, &e) && failed == nil && e.Message != "is given twice" &&
			e.Message != "is nested too deeply" && e.Message != "is not valid UTF-8" {
			t.Errorf("Parse(%q) = %v, and encoding/json reads it", raw, err)
		}
	})
}

// plain converts objects into the maps that encoding/json returns.
func plain(v any) any {
	switch v := v.(type) {
	case Object:
		m := map[string]any{}
		for _, e := range v {
			m[e.Name] = plain(e.Value)
		}
		return m
	case []any:
		list := []any{}
		for _, e := range v {
			list = append(list, plain(e))
		}
		return list
	}
	return v
}
