package door

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"time"
	"unicode/utf8"

	"vestibule/internal/svc"
)

// maxDepth bounds how deeply a JSON body may nest.
const maxDepth = 32

// DecodeJSON reads one JSON value of at most limit bytes into into. It refuses,
// with a code: another content type, a larger body, invalid UTF-8, unknown or
// doubled members, a member of the wrong type, null in place of an object, a
// string with NUL (no database keeps one as text), deep nesting, and anything
// after the value. Nothing is read beyond limit.
//
// A body without a content type counts as JSON if the request is authorized by
// its header: a page of another site can send the one without the other only.
func DecodeJSON(w http.ResponseWriter, r *http.Request, limit int64, into any) error {
	if err := wantJSON(r); err != nil {
		return err
	}
	raw, err := ReadBody(w, r, limit)
	if err != nil {
		return err
	}
	return UnmarshalStrict(raw, into)
}

// UnmarshalStrict is DecodeJSON for a body that has been read already.
func UnmarshalStrict(raw []byte, into any) error {
	if !utf8.Valid(raw) {
		return malformed("", "is not valid UTF-8")
	}
	if d := scan(raw, reflect.TypeOf(into)); d != nil {
		return &Error{Code: svc.CodeMalformedBody, Details: []Detail{*d}, Why: errors.New("malformed JSON")}
	}
	if string(bytes.TrimSpace(raw)) == "null" && takesObject(reflect.TypeOf(into)) {
		return malformed("", "must be an object")
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	dec.UseNumber()
	if err := dec.Decode(into); err != nil {
		var typ *json.UnmarshalTypeError
		if errors.As(err, &typ) {
			return malformed(typ.Field, "must be "+article(typ.Type))
		}
		if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
			return malformed(strings.Trim(name, `"`), "is not a field of this request")
		}
		return malformed("", "is not valid JSON")
	}
	return nil
}

func malformed(field, words string) *Error {
	return Fail(svc.CodeMalformedBody, errors.New("malformed JSON"), Detail{Field: field, Message: words})
}

// takesObject reports whether a pointer of type t is decoded from an object.
func takesObject(t reflect.Type) bool {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.Kind() == reflect.Struct || t.Kind() == reflect.Map
}

// article names a Go type as a client knows it.
func article(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "a boolean"
	case reflect.Slice, reflect.Array:
		return "an array"
	case reflect.Struct, reflect.Map:
		return "an object"
	}
	return "a number"
}

// scan walks the tokens of raw and returns what a struct decoder lets pass:
// members named twice, nesting too deep, trailing values.
func scan(raw []byte, into reflect.Type) *Detail {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if d := scanValue(dec, into, "", 0); d != nil {
		return d
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return &Detail{Message: "has something after the JSON value"}
	}
	return nil
}

func scanValue(dec *json.Decoder, into reflect.Type, path string, depth int) *Detail {
	tok, err := dec.Token()
	if err != nil {
		return &Detail{Field: path, Message: "is not valid JSON"}
	}
	for into != nil && into.Kind() == reflect.Pointer {
		into = into.Elem()
	}
	delim, ok := tok.(json.Delim)
	if !ok {
		if text, _ := tok.(string); into != nil && into.Kind() == reflect.String && strings.ContainsRune(text, 0) {
			return &Detail{Field: path, Message: "has a NUL character"}
		}
		return nil
	}
	if depth >= maxDepth {
		return &Detail{Field: path, Message: "is nested too deeply"}
	}
	var seen map[string]bool
	for i := 0; dec.More(); i++ {
		at, inner := fmt.Sprintf("%s[%d]", path, i), element(into)
		if delim == '{' {
			tok, err := dec.Token()
			if err != nil {
				return &Detail{Field: path, Message: "is not valid JSON"}
			}
			name, _ := tok.(string)
			at = strings.TrimPrefix(path+"."+name, ".")
			if into != nil && into.Kind() == reflect.Struct {
				// encoding/json matches without regard to case.
				var exact bool
				if inner, exact = member(into, name); inner != nil && !exact {
					return &Detail{Field: at, Message: "is not a field of this request"}
				}
			}
			if seen[name] {
				return &Detail{Field: at, Message: "is given twice"}
			}
			if seen == nil {
				seen = map[string]bool{}
			}
			seen[name] = true
		}
		if d := scanValue(dec, inner, at, depth+1); d != nil {
			return d
		}
	}
	if _, err := dec.Token(); err != nil {
		return &Detail{Field: path, Message: "is not valid JSON"}
	}
	return nil
}

// element is the type of what a list or a map holds; nil for anything else.
func element(t reflect.Type) reflect.Type {
	if t == nil || t == reflect.TypeFor[json.RawMessage]() {
		return nil
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Array, reflect.Map:
		return t.Elem()
	}
	return nil
}

// member is the type of the field that a member is decoded into, nil if there is
// none, and whether the member has that field's very name.
func member(t reflect.Type, name string) (into reflect.Type, exact bool) {
	for _, f := range reflect.VisibleFields(t) {
		tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if tag == "" {
			tag = f.Name
		}
		switch {
		case !f.IsExported():
		case tag == name:
			return f.Type, true
		case strings.EqualFold(tag, name):
			into = f.Type
		}
	}
	return into, false
}

// DecodeForm reads a form of type application/x-www-form-urlencoded and at most
// limit bytes, and refuses what is not UTF-8 or has a NUL. The query of the
// address is not part of it.
func DecodeForm(w http.ResponseWriter, r *http.Request, limit int64) (url.Values, error) {
	if !isType(r, "application/x-www-form-urlencoded") {
		return nil, Fail(svc.CodeUnsupportedMediaType, errors.New("content type is not a form's"))
	}
	raw, err := ReadBody(w, r, limit)
	if err != nil {
		return nil, err
	}
	form, err := url.ParseQuery(string(raw))
	if err != nil {
		return nil, Fail(svc.CodeMalformedBody, errors.New("form does not parse"))
	}
	for name, values := range form {
		for _, s := range append(values, name) {
			if !utf8.ValidString(s) || strings.ContainsRune(s, 0) {
				return nil, Fail(svc.CodeMalformedBody, errors.New("form is not valid UTF-8, or has a NUL"))
			}
		}
	}
	return form, nil
}

// bodyTime bounds how long a client may take to send its body.
const bodyTime = 30 * time.Second

// ReadBody reads a body of at most limit bytes, within 30 seconds; a larger one
// is refused, at once when its length is announced.
func ReadBody(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	body, done, err := open(w, r, limit, bodyTime)
	if err != nil {
		return nil, err
	}
	defer done()
	raw, err := io.ReadAll(body)
	if err != nil {
		return nil, BodyError(err)
	}
	return raw, nil
}

// StreamJSON opens a JSON body of at most limit bytes to be read as it comes, for
// at most within; what reading it fails with is for BodyError. done is called
// after. Another content type, as for DecodeJSON, and an announced length that is
// too large are refused at once. What the body says is not looked at.
func StreamJSON(w http.ResponseWriter, r *http.Request, limit int64, within time.Duration) (body io.Reader, done func(), err error) {
	if err := wantJSON(r); err != nil {
		return nil, nil, err
	}
	return open(w, r, limit, within)
}

func open(w http.ResponseWriter, r *http.Request, limit int64, within time.Duration) (io.Reader, func(), error) {
	if r.ContentLength > limit {
		return nil, nil, Fail(svc.CodeBodyTooLarge, errors.New("announced body is too large"))
	}
	// A recorder in a test has no deadline to set; a connection has.
	control := http.NewResponseController(w)
	control.SetReadDeadline(time.Now().Add(within))
	return http.MaxBytesReader(w, r.Body, limit), func() { control.SetReadDeadline(time.Time{}) }, nil
}

// BodyError is the answer to a body whose reading failed.
func BodyError(err error) error {
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		return Fail(svc.CodeBodyTooLarge, errors.New("body is too large"))
	}
	return Fail(svc.CodeMalformedBody, errors.New("body was cut off"))
}

// wantJSON refuses a body that is not said to be JSON.
func wantJSON(r *http.Request) error {
	if isType(r, "application/json") || r.Header.Get("Content-Type") == "" && r.Header.Get("Authorization") != "" {
		return nil
	}
	return Fail(svc.CodeUnsupportedMediaType, errors.New("content type is not application/json"))
}

func isType(r *http.Request, want string) bool {
	got, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || got != want {
		return false
	}
	charset, ok := params["charset"]
	return !ok || strings.EqualFold(charset, "utf-8")
}
