package httpx_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
)

func TestDecodeJSONRejectsOtherShapes(t *testing.T) {
	type request struct {
		Name  string         `json:"name"`
		Count int            `json:"count"`
		Inner map[string]any `json:"inner"`
		Link  string         `json:"link"`
		Rows  []struct {
			Link string `json:"link"`
		} `json:"rows"`
	}
	deep := strings.Repeat(`{"a":`, 40) + "1" + strings.Repeat("}", 40)
	for name, c := range map[string]struct {
		contentType, body string
		code              contract.Code
		field             string
	}{
		"a good body":              {"application/json", `{"name":"x","count":1}`, "", ""},
		"a charset":                {"application/json; charset=UTF-8", `{"name":"x"}`, "", ""},
		"another charset":          {"application/json; charset=latin1", `{"name":"x"}`, contract.CodeUnsupportedMediaType, ""},
		"another content type":     {"text/plain", `{"name":"x"}`, contract.CodeUnsupportedMediaType, ""},
		"no content type":          {"", `{"name":"x"}`, contract.CodeUnsupportedMediaType, ""},
		"nothing":                  {"application/json", ``, contract.CodeMalformedBody, ""},
		"half a body":              {"application/json", `{"name":`, contract.CodeMalformedBody, "name"},
		"an unknown field":         {"application/json", `{"nom":"x"}`, contract.CodeMalformedBody, "nom"},
		"a wrong type":             {"application/json", `{"name":1}`, contract.CodeMalformedBody, "name"},
		"a fraction for an int":    {"application/json", `{"count":1.5}`, contract.CodeMalformedBody, "count"},
		"a member twice":           {"application/json", `{"name":"x","name":"y"}`, contract.CodeMalformedBody, "name"},
		"a member twice by case":   {"application/json", `{"name":"x","Name":"y"}`, contract.CodeMalformedBody, "Name"},
		"a member in capitals":     {"application/json", `{"NAME":"x"}`, contract.CodeMalformedBody, "NAME"},
		"a look-alike of a member": {"application/json", `{"lin\u212a":"x"}`, contract.CodeMalformedBody, "lin\u212a"},
		"one in capitals, inside":  {"application/json", `{"rows":[{"Link":"x"}]}`, contract.CodeMalformedBody, "rows[0].Link"},
		"capitals in a free name":  {"application/json", `{"inner":{"a":1,"A":2}}`, "", ""},
		"an inner member twice":    {"application/json", `{"inner":{"a":1,"a":2}}`, contract.CodeMalformedBody, "inner.a"},
		"something after":          {"application/json", `{"name":"x"} {}`, contract.CodeMalformedBody, ""},
		"invalid UTF-8":            {"application/json", "{\"name\":\"\xff\"}", contract.CodeMalformedBody, ""},
		"too deep": {"application/json", `{"inner":` + deep + `}`,
			contract.CodeMalformedBody, "inner" + strings.Repeat(".a", 31)},
		"too large":                {"application/json", `{"name":"` + strings.Repeat("x", 2000) + `"}`, contract.CodeBodyTooLarge, ""},
		"null for the object":      {"application/json", ` null `, contract.CodeMalformedBody, ""},
		"a NUL in a string":        {"application/json", `{"name":"a\u0000b"}`, contract.CodeMalformedBody, "name"},
		"an array for an object":   {"application/json", `[]`, contract.CodeMalformedBody, ""},
		"an object for the string": {"application/json", `{"name":{}}`, contract.CodeMalformedBody, "name"},
	} {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequest("POST", "/", strings.NewReader(c.body))
			r.Header.Set("Content-Type", c.contentType)
			var in request
			err := httpx.DecodeJSON(httptest.NewRecorder(), r, 1000, &in)
			if c.code == "" {
				if err != nil {
					t.Fatalf("DecodeJSON = %v, want no error", err)
				}
				return
			}
			var e *httpx.Error
			if !errors.As(err, &e) || e.Code != c.code {
				t.Fatalf("DecodeJSON = %v, want %s", err, c.code)
			}
			if c.field != "" && (len(e.Details) != 1 || e.Details[0].Field != c.field) {
				t.Errorf("details = %+v, want the field %q", e.Details, c.field)
			}
		})
	}
}

// TestDecodeJSONNamesEveryFault checks that one error names all faults of a body.
func TestDecodeJSONNamesEveryFault(t *testing.T) {
	type inner struct {
		Link string `json:"link"`
	}
	type request struct {
		inner
		Name  string          `json:"name"`
		Count *int            `json:"count"`
		At    time.Time       `json:"at"`
		Free  json.RawMessage `json:"free"`
		Rows  []inner         `json:"rows"`
		File  []byte          `json:"file"`
		Kept  string          `json:"-"`
	}
	for name, c := range map[string]struct {
		body string
		want []string
	}{
		"a good one": {`{"link":"x","name":"y","count":1,"at":"2026-01-02T03:04:05Z",` +
			`"free":{"a":[1,{}]},"rows":[{"link":"z"}],"file":"YQ=="}`, nil},
		"null for members": {`{"link":null,"count":null,"at":null,"free":null,"rows":null,"file":null}`, nil},
		"unknown members, deep ones too": {`{"a":1,"b":{"c":2},"rows":[{"d":3},{"link":"x","e":4}],"name":"x"}`,
			[]string{"a", "b", "rows[0].d", "rows[1].e"}},
		"names that are no members": {`{"-":1,"Kept":2,"inner":{}}`, []string{"-", "Kept", "inner"}},
		"wrong types": {`{"name":1,"count":"1","rows":{"x":1},"link":[],"file":5}`,
			[]string{"name", "count", "rows", "link", "file"}},
		"unknown, doubled and wrong": {`{"nom":"x","name":"a","name":"b","count":true}`, []string{"nom", "name", "count"}},
		"a fault before the end":     {`{"nom":"x","name"`, []string{"nom", "name"}},
	} {
		t.Run(name, func(t *testing.T) {
			var in request
			var got []string
			if err := httpx.UnmarshalStrict([]byte(c.body), &in); err != nil {
				for _, d := range httpx.AsError(err).Details {
					got = append(got, d.Field)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("UnmarshalStrict(%s) names %q, want %q", c.body, got, c.want)
			}
		})
	}
	var many strings.Builder
	for i := range 500 {
		fmt.Fprintf(&many, `"%s%d":1,`, strings.Repeat("é", i), i)
	}
	var in request
	e := httpx.AsError(httpx.UnmarshalStrict([]byte("{"+many.String()+`"name":"x"}`), &in))
	if len(e.Details) != httpx.MaxDetails {
		t.Errorf("%d details, want %d", len(e.Details), httpx.MaxDetails)
	}
	for _, d := range e.Details {
		if len(d.Field) > 300 || !utf8.ValidString(d.Field) {
			t.Fatalf("a field is named by %d bytes: %q", len(d.Field), d.Field)
		}
	}
}

// TestDecodeJSONWithoutContentType checks that a request is refused if a page of
// another site can send it.
func TestDecodeJSONWithoutContentType(t *testing.T) {
	for _, c := range []struct {
		contentType, authorization string
		want                       bool
	}{
		{"", "Bearer x", true},
		{"application/json", "", true},
		{"", "", false},
		{"text/plain", "Bearer x", false},
		{"application/x-www-form-urlencoded", "Basic x", false},
		{";", "Basic x", false},
	} {
		r := httptest.NewRequest("POST", "/", strings.NewReader("{}"))
		for name, value := range map[string]string{"Content-Type": c.contentType, "Authorization": c.authorization} {
			if value != "" {
				r.Header.Set(name, value)
			}
		}
		_, stream := httpx.StreamJSON(httptest.NewRecorder(), r, 10)
		for what, err := range map[string]error{"DecodeJSON": httpx.DecodeJSON(httptest.NewRecorder(), r, 10, &struct{}{}),
			"StreamJSON": stream} {
			if (err == nil) != c.want || err != nil && httpx.AsError(err).Code != contract.CodeUnsupportedMediaType {
				t.Errorf("%s of type %q, authorized by %q: %v", what, c.contentType, c.authorization, err)
			}
		}
	}
}

func TestDecodeJSONRejectsAnnouncedLengthUnread(t *testing.T) {
	body := &counting{}
	r := httptest.NewRequest("POST", "/", body)
	r.ContentLength = 1 << 30
	_, err := httpx.ReadBody(httptest.NewRecorder(), r, 1000)
	if httpx.AsError(err).Code != contract.CodeBodyTooLarge || body.read {
		t.Errorf("ReadBody = %v, body read: %v", err, body.read)
	}
}

type counting struct{ read bool }

func (c *counting) Read(p []byte) (int, error) { c.read = true; return 0, io.EOF }

func TestErrorsLogTheirReasonOnly(t *testing.T) {
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, nil))
	mux := http.NewServeMux()
	mux.Handle("GET /bad", httpx.API(logger, func(http.ResponseWriter, *http.Request) error {
		return httpx.NewError(contract.CodeMalformedBody, errors.New("the private reason"), httpx.Detail{Field: "f", Message: "is wrong"})
	}))
	mux.Handle("GET /ours", httpx.API(logger, func(http.ResponseWriter, *http.Request) error { return errors.New("the private reason") }))
	mux.Handle("GET /panic", httpx.API(logger, func(http.ResponseWriter, *http.Request) error { panic("the private reason") }))
	h := httpx.Wrap(logger, httpx.NotFound(logger, mux, httpx.ErrorPages{}.Of))
	for _, c := range []struct {
		method, path string
		status       int
		code         contract.Code
	}{
		{"GET", "/bad", 400, contract.CodeMalformedBody},
		{"GET", "/ours", 500, contract.CodeInternal},
		{"GET", "/panic", 500, contract.CodeInternal},
		{"GET", "/nowhere", 404, contract.CodeNotFound},
		{"POST", "/bad", 405, contract.CodeMethodNotAllowed},
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(c.method, c.path, nil))
		var got struct {
			Error      contract.Code
			Message    string
			RequestID  string
			Terminated *bool
		}
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
			t.Fatalf("%s %s: body %q: %v", c.method, c.path, w.Body, err)
		}
		if w.Code != c.status || got.Error != c.code {
			t.Errorf("%s %s = %d %s, want %d %s", c.method, c.path, w.Code, got.Error, c.status, c.code)
		}
		if got.Message == "" || got.Terminated == nil || len(got.RequestID) != 16 || got.RequestID != w.Header().Get("X-Request-Id") {
			t.Errorf("%s %s: incomplete body %s", c.method, c.path, w.Body)
		}
		if strings.Contains(w.Body.String(), "private") {
			t.Errorf("%s %s: the client reads the log's reason", c.method, c.path)
		}
	}
	if !strings.Contains(log.String(), "the private reason") {
		t.Error("the log does not say why")
	}
}

func TestErrorsRepeatLittleOfTheRequest(t *testing.T) {
	long := strings.Repeat("ñ", 300_000)
	var many []httpx.Detail
	for range 5000 {
		many = append(many, httpx.Detail{Field: long, Message: long})
	}
	for name, err := range map[string]error{
		"an unknown member":   httpx.UnmarshalStrict([]byte(`{"`+long+`":1}`), &struct{}{}),
		"a member twice":      httpx.UnmarshalStrict([]byte(`{"`+long+`":1,"`+long+`":1}`), &map[string]any{}),
		"everything is wrong": httpx.NewError(contract.CodeMalformedBody, nil, many...),
	} {
		w := httptest.NewRecorder()
		httpx.WriteError(w, httptest.NewRequest("POST", "/", nil), slog.New(slog.DiscardHandler), err)
		if n := w.Body.Len(); w.Code != 400 || n > 160_000 || !strings.Contains(w.Body.String(), "ñ…") ||
			strings.Contains(w.Body.String(), strings.Repeat("ñ", 500)) {
			t.Errorf("%s: %d, %d bytes", name, w.Code, n)
		}
	}
	for s, want := range map[string]string{"": "", "abc": "abc", "abcd": "ab…", "😀😀😀": "😀😀😀",
		"😀😀😀😀": "😀😀…", "a\xffb": "ab", strings.Repeat("é", 9): "éé…"} {
		if got := httpx.Truncate(s, 3); got != want {
			t.Errorf("Clip(%q, 3) = %q, want %q", s, got, want)
		}
	}
}

func TestPolicyNeverAllowsInline(t *testing.T) {
	got := httpx.CSP{Script: []string{"http://127.0.0.1:8081"}, WASM: true, Frame: []string{"http://127.0.0.1:8081"}}.String()
	want := "default-src 'none'; script-src 'self' http://127.0.0.1:8081 'wasm-unsafe-eval'; style-src 'self'; " +
		"img-src 'self' data:; font-src 'self'; manifest-src 'self'; connect-src 'self'; frame-src " +
		"http://127.0.0.1:8081; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
	if got != want {
		t.Errorf("CSP =\n%s\nwant\n%s", got, want)
	}
}

func FuzzUnmarshalStrict(f *testing.F) {
	for _, seed := range []string{`{}`, `{"a":{"a":[1,2,{"b":null}]}}`, `{"a":1,"a":2}`, `[[[[`, "{\"a\":\"\\ud800\"}", `1e999`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var v any
		if httpx.UnmarshalStrict(raw, &v) == nil && !json.Valid(raw) {
			t.Errorf("accepted invalid JSON %q", raw)
		}
	})
}

func TestDecodeFormRejectsUnstorableText(t *testing.T) {
	for name, body := range map[string]string{
		"a NUL": "a=b%00c", "a NUL in a name": "a%00=b", "bytes that are not UTF-8": "a=%ff", "such a name": "%ff=a", "half an escape": "a=%z",
	} {
		r := httptest.NewRequest("POST", "/", strings.NewReader("a=b&"+body))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		form, err := httpx.DecodeForm(httptest.NewRecorder(), r, 1000)
		var e *httpx.Error
		if !errors.As(err, &e) || e.Code != contract.CodeMalformedBody {
			t.Errorf("%s: DecodeForm = %v, %v, want %s", name, form, err, contract.CodeMalformedBody)
		}
	}
}

func TestStaticPageHasNoScriptAndNoConnections(t *testing.T) {
	got := httpx.CSP{Static: true, Script: []string{"https://a.example"}, Connect: []string{"https://a.example"}, WASM: true}.String()
	for _, want := range []string{"script-src 'none'; ", "connect-src 'none'; ", "form-action 'self'; ", "frame-ancestors 'none'; "} {
		if !strings.Contains(got, want) {
			t.Errorf("%s has no %q", got, want)
		}
	}
}

func TestLocalAddresses(t *testing.T) {
	for next, want := range map[string]bool{
		"/pages": true, "/pages/a?b=c": true, "/pages?next=//x": true, "": false, "/": false, "/pages2": false, "pages": false, "//pages": false,
		"https://pages.example/pages": false, "/pages/../a": false, "/pages//a": false, "/pages\\a": false,
		"/pages#a": false, "/pages\n": false, "/pages/%": false,
		"/pages/é": false, "/pages/" + strings.Repeat("a", 600): false,
	} {
		if got := httpx.IsLocalPath(next, "/pages"); got != want {
			t.Errorf("Local(%.40q) = %v, want %v", next, got, want)
		}
	}
}
