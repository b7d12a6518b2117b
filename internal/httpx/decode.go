package httpx

import (
	"bytes"
	"cmp"
	"encoding"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"vestibule/internal/contract"
	"vestibule/internal/strictjson"
	"vestibule/internal/suggest"
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

// UnmarshalStrict is DecodeJSON for a body that has been read already. The error
// names every member that is unknown, given twice or of the wrong type, at most
// MaxDetails of them. alsoKnown are members that the caller has removed from the body before.
func UnmarshalStrict(raw []byte, into any, alsoKnown ...string) error {
	v, err := strictjson.ParseAll(raw, maxDepth)
	var fault *strictjson.Error
	if errors.As(err, &fault) && v == nil {
		return malformed(fault.Path, fault.Message)
	}
	c := checker{alsoKnown: alsoKnown}
	c.value(v, reflect.TypeOf(into), "")
	if fault != nil {
		c.addProblem(fault.Path, fault.Message)
	}
	if len(c.details) > 0 {
		return NewError(contract.CodeMalformedBody, errors.New("malformed JSON"), c.details...)
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	dec.UseNumber()
	if err := dec.Decode(into); err != nil {
		var typ *json.UnmarshalTypeError
		if errors.As(err, &typ) {
			return malformed(typ.Field, "must be "+article(typ.Type))
		}
		return malformed("", "is not valid JSON for this request")
	}
	return nil
}

func malformed(field, words string) *Error {
	return NewError(contract.CodeMalformedBody, errors.New("malformed JSON"), Detail{Field: field, Message: words})
}

// article returns a Go type's JSON name with its article.
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
	case reflect.Int, reflect.Int32, reflect.Int64:
		return "a whole number"
	}
	return "a number"
}

// MaxDetails bounds how many fields an error names.
const MaxDetails = 100

// maxPath bounds the path of a field that an error names, in bytes: part of it is
// what the client sent.
const maxPath = 256

// checker compares a JSON document with the type that it is decoded into, and records
// errors that encoding/json ignores or reports only once.
type checker struct {
	details   []Detail
	alsoKnown []string
}

func (c *checker) full() bool { return len(c.details) == MaxDetails }

func (c *checker) addProblem(path, words string) {
	if c.full() {
		return
	}
	if len(path) > maxPath {
		path = strings.ToValidUTF8(path[:maxPath], "") + "…"
	}
	c.details = append(c.details, Detail{Field: path, Message: words})
}

// value checks v. A nil into allows any value.
func (c *checker) value(v any, into reflect.Type, path string) {
	for into != nil && into.Kind() == reflect.Pointer {
		into = into.Elem()
	}
	if into != nil && (reflect.PointerTo(into).Implements(jsonUnmarshaler) || reflect.PointerTo(into).Implements(textUnmarshaler)) {
		into = nil
	}
	// null leaves a field unchanged, but is not a valid request.
	if v == nil && path != "" {
		return
	}
	if into != nil && !matchesType(into, v) {
		c.addProblem(path, "must be "+article(into))
		into = nil
	}
	switch v := v.(type) {
	case string:
		if into != nil && into.Kind() == reflect.String && strings.ContainsRune(v, 0) {
			c.addProblem(path, "has a NUL character")
		}
	case strictjson.Object:
		c.members(v, into, path)
	case []any:
		for i, e := range v {
			if c.full() {
				return
			}
			c.value(e, element(into), path+"["+strconv.Itoa(i)+"]")
		}
	}
}

func (c *checker) members(o strictjson.Object, into reflect.Type, path string) {
	names := make(map[string]bool, len(o))
	for _, m := range o {
		if c.full() {
			return
		}
		at, inner := strings.TrimPrefix(path+"."+m.Name, "."), element(into)
		if into != nil && into.Kind() == reflect.Struct {
			var names []string
			if inner, names = member(into, m.Name); names != nil {
				if path == "" {
					names = append(names, c.alsoKnown...)
				}
				c.addProblem(at, "is not a field of this request"+suggest.Hint(m.Name, names))
			}
		}
		if names[m.Name] {
			c.addProblem(at, "is given twice")
		}
		names[m.Name] = true
		c.value(m.Value, inner, at)
	}
}

var (
	jsonUnmarshaler = reflect.TypeFor[json.Unmarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
	bytesType       = reflect.TypeFor[[]byte]() // base64 in JSON
)

// matchesType reports whether v can be decoded into t. encoding/json checks the range of
// numbers.
func matchesType(t reflect.Type, v any) bool {
	switch v.(type) {
	case string:
		return t.Kind() == reflect.String || t.Kind() == reflect.Interface || t == bytesType
	case bool:
		return t.Kind() == reflect.Bool || t.Kind() == reflect.Interface
	case strictjson.Object:
		return t.Kind() == reflect.Interface || t.Kind() == reflect.Struct || t.Kind() == reflect.Map
	case []any:
		return t.Kind() == reflect.Interface || t.Kind() == reflect.Slice || t.Kind() == reflect.Array
	case json.Number:
		switch t.Kind() {
		case reflect.String, reflect.Bool, reflect.Struct, reflect.Map, reflect.Slice, reflect.Array:
			return t == reflect.TypeFor[json.Number]()
		}
		return true
	}
	return t.Kind() == reflect.Interface // null in place of the request
}

// element returns the element type of a list or a map, and nil for other types.
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

// member returns the type of the field that a JSON member is decoded into, or the names that t
// has instead. Unlike encoding/json, it compares names case-sensitively.
func member(t reflect.Type, name string) (into reflect.Type, names []string) {
	names = []string{}
	for _, f := range reflect.VisibleFields(t) {
		tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || tag == "-" || tag == "" && f.Anonymous {
			continue
		}
		if tag = cmp.Or(tag, f.Name); tag == name {
			return f.Type, nil
		}
		names = append(names, tag)
	}
	return nil, names
}

// DecodeForm reads a form of type application/x-www-form-urlencoded and at most limit
// bytes. It refuses invalid UTF-8 and NUL. It does not read the URL's query.
func DecodeForm(w http.ResponseWriter, r *http.Request, limit int64) (url.Values, error) {
	if !isType(r, "application/x-www-form-urlencoded") {
		return nil, NewError(contract.CodeUnsupportedMediaType, errors.New("content type is not a form's"))
	}
	raw, err := ReadBody(w, r, limit)
	if err != nil {
		return nil, err
	}
	form, err := url.ParseQuery(string(raw))
	if err != nil {
		return nil, NewError(contract.CodeMalformedBody, errors.New("form does not parse"))
	}
	for name, values := range form {
		for _, s := range append(values, name) {
			if !utf8.ValidString(s) || strings.ContainsRune(s, 0) {
				return nil, NewError(contract.CodeMalformedBody, errors.New("form is not valid UTF-8, or has a NUL"))
			}
		}
	}
	return form, nil
}

// ReadBody reads a body of at most limit bytes. It refuses a larger one, at once if
// Content-Length announces it.
func ReadBody(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	body, err := open(w, r, limit)
	if err != nil {
		return nil, err
	}
	raw, err := io.ReadAll(body)
	if err != nil {
		return nil, BodyError(err)
	}
	return raw, nil
}

// StreamJSON opens a JSON body of at most limit bytes for streaming; pass read errors
// to BodyError. It refuses at once another content type, as DecodeJSON does, and an
// announced length that is too large. It does not check the content.
func StreamJSON(w http.ResponseWriter, r *http.Request, limit int64) (io.Reader, error) {
	if err := wantJSON(r); err != nil {
		return nil, err
	}
	return open(w, r, limit)
}

func open(w http.ResponseWriter, r *http.Request, limit int64) (io.Reader, error) {
	if err := RejectContentCoding(w, r); err != nil {
		return nil, err
	}
	if r.ContentLength > limit {
		return nil, BodyError(&http.MaxBytesError{Limit: limit})
	}
	return http.MaxBytesReader(w, r.Body, limit), nil
}

// BodyError returns the error response for a body that could not be read.
func BodyError(err error) error {
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		return NewError(contract.CodeBodyTooLarge, errors.New("body is too large"),
			Detail{Message: "must have at most " + strconv.FormatInt(tooLarge.Limit, 10) + " bytes"})
	}
	return malformed("", "was cut off before its end")
}

// ErrContentCoding is the reason of RejectContentCoding.
var ErrContentCoding = errors.New("body has a content coding")

// RejectContentCoding refuses a body with a content coding such as gzip, because a
// small compressed body can be a large one. It returns UNSUPPORTED_MEDIA_TYPE and sets
// Accept-Encoding (RFC 9110, section 15.5.16).
func RejectContentCoding(w http.ResponseWriter, r *http.Request) error {
	for _, coding := range r.Header.Values("Content-Encoding") {
		if !strings.EqualFold(strings.TrimSpace(coding), "identity") {
			w.Header().Set("Accept-Encoding", "identity")
			return NewError(contract.CodeUnsupportedMediaType, ErrContentCoding,
				Detail{Field: "Content-Encoding", Message: "must be absent: send the body as it is"})
		}
	}
	return nil
}

// wantJSON refuses a body whose content type is not JSON.
func wantJSON(r *http.Request) error {
	if isType(r, "application/json") || r.Header.Get("Content-Type") == "" && r.Header.Get("Authorization") != "" {
		return nil
	}
	return NewError(contract.CodeUnsupportedMediaType, errors.New("content type is not application/json"),
		Detail{Field: "Content-Type", Message: "must be application/json, in UTF-8"})
}

func isType(r *http.Request, want string) bool {
	got, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || got != want {
		return false
	}
	charset, ok := params["charset"]
	return !ok || strings.EqualFold(charset, "utf-8")
}
