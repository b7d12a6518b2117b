package jose

import (
	"encoding/json"

	"vestibule/internal/strictjson"
)

// maxDepth bounds the nesting of a header, of claims and of a key.
const maxDepth = 8

// object is a header, claims or a key.
type object struct{ strictjson.Object }

// parseObject reads raw as one JSON object, strictly.
func parseObject(raw []byte) (object, bool) {
	o, err := strictjson.ParseObject(raw, maxDepth)
	return object{o}, err == nil
}

// has reports whether the object has the member name.
func (o object) has(name string) bool {
	_, ok := o.Get(name)
	return ok
}

// text returns the member name, whether it is present, and whether it is a string.
func (o object) text(name string) (value string, present, ok bool) {
	v, present := o.Get(name)
	if !present {
		return "", false, true
	}
	value, ok = v.(string)
	return value, true, ok
}

// seconds returns the member name as whole seconds of Unix time. It refuses a string, a
// fraction, an exponent, a sign, and more than eleven digits, which milliseconds would
// have.
func (o object) seconds(name string) (int64, bool) {
	v, _ := o.Get(name)
	n, ok := v.(json.Number)
	if !ok || len(n) > 11 {
		return 0, false
	}
	var s int64
	for i := 0; i < len(n); i++ {
		if n[i] < '0' || n[i] > '9' {
			return 0, false
		}
		s = s*10 + int64(n[i]-'0')
	}
	return s, true
}
