package report

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
)

// Loose is a list of elements whose shape the API reference leaves open, so other
// providers' may differ. It keeps only elements of our shape, with every member that
// ours always have; unparsedParts reports the others.
type Loose[T any] []T

// UnmarshalJSON keeps the elements of our shape. It never fails.
func (l *Loose[T]) UnmarshalJSON(raw []byte) error {
	*l = nil
	var all []json.RawMessage
	if json.Unmarshal(raw, &all) != nil || all == nil {
		return nil
	}
	*l = Loose[T]{}
	for _, one := range all {
		var element T
		if ofShape(one, &element) {
			*l = append(*l, element)
		}
	}
	return nil
}

// Checks are results of checks by name; the API reference leaves their shape open too.
type Checks map[string]Check

// UnmarshalJSON keeps the results of our shape. It never fails.
func (c *Checks) UnmarshalJSON(raw []byte) error {
	*c = nil
	var all map[string]json.RawMessage
	if json.Unmarshal(raw, &all) != nil || all == nil {
		return nil
	}
	*c = Checks{}
	for name, one := range all {
		var check Check
		if ofShape(one, &check) {
			(*c)[name] = check
		}
	}
	return nil
}

// ofShape parses an object into a struct if it has every member that is always written,
// each of its type.
func ofShape(raw json.RawMessage, into any) bool {
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil || members == nil || json.Unmarshal(raw, into) != nil {
		return false
	}
	t := reflect.TypeOf(into).Elem()
	for i := range t.NumField() {
		name, options, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if _, present := members[name]; !present && options == "" {
			return false
		}
	}
	return true
}

// unparsedParts returns the paths of the parts of raw that the parsed value lacks or holds
// only in part, each once, without list indexes.
func unparsedParts(raw json.RawMessage, read any) []string {
	var out []string
	findUnparsed(raw, reflect.ValueOf(read), "", func(path string) {
		if !slices.Contains(out, path) {
			out = append(out, path)
		}
	})
	return out
}

func findUnparsed(raw json.RawMessage, v reflect.Value, path string, found func(path string)) {
	for v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || string(raw) == "null" || !v.IsValid() {
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		var members map[string]json.RawMessage
		if json.Unmarshal(raw, &members) != nil {
			return // a struct with UnmarshalJSON: a time, an amount
		}
		for i := range v.NumField() {
			name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
			findUnparsed(members[name], v.Field(i), strings.TrimPrefix(path+"."+name, "."), found)
		}
	case reflect.Slice:
		var all []json.RawMessage
		if json.Unmarshal(raw, &all) != nil || len(all) != v.Len() {
			found(path)
			return
		}
		for i := range all {
			findUnparsed(all[i], v.Index(i), path, found)
		}
	case reflect.Map:
		var all map[string]json.RawMessage
		if json.Unmarshal(raw, &all) != nil || len(all) != v.Len() {
			found(path)
		}
	}
}
