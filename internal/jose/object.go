package jose

import (
	"encoding/json"
	"strconv"
	"strings"

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

// seconds returns the member name as whole seconds of Unix time: a number in any form of JSON,
// without its fraction, or a string of digits, as some services send it. It refuses a sign, and
// more than eleven digits, which milliseconds would have.
func (o object) seconds(name string) (int64, bool) {
	v, _ := o.Get(name)
	if n, ok := v.(json.Number); ok {
		f, err := n.Float64()
		return int64(f), err == nil && f >= 0 && f < 1e11
	}
	digits, isText := v.(string)
	if !isText || len(digits) > 11 || strings.Trim(digits, "0123456789") != "" {
		return 0, false
	}
	s, err := strconv.ParseInt(digits, 10, 64)
	return s, err == nil
}
