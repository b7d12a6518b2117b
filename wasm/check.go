//go:build js

package main

import (
	"unsafe"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/prefill"
)

// separator ends each text that a script and the rules exchange. It is valid in no
// value but phone; scripts send U+FFFD in its place, which the rules treat the same.
const separator = '\x1f'

// shared is the memory for the exchange. It is used only during one call from the
// script, which cannot be interrupted.
var shared = make([]byte, 4096)

// buffer returns the address of memory of size bytes, which is valid until the next call
// of an export.
//
//go:wasmexport vestibule_buffer
func buffer(size int32) unsafe.Pointer {
	if int(size) > len(shared) {
		shared = make([]byte, size)
	}
	return unsafe.Pointer(&shared[0])
}

// check applies the rules to the texts in the first size bytes of the buffer. It writes
// four texts for each problem to the buffer: field, code, English and Spanish text. It
// returns their length in bytes, or -1 for malformed input.
//
//go:wasmexport vestibule_check
func check(size int32) (length int32) {
	length = -1
	guard(func() {
		in := reader(string(shared[:size]))
		r := prefill.Rules{Product: contract.Product(in.next()), Environment: contract.Environment(in.next())}
		dated := false
		r.Today, dated = prefill.ParseDate(in.next()) // YYYY-MM-DD
		r.AssetsOnly = in.next() != ""                // "1" or ""
		object := make(prefill.Object, 0, 16)
		for len(in) > 0 {
			object = append(object, prefill.Member{Key: in.next(), Value: in.value(in.next())})
		}
		if !dated {
			return
		}
		problems := r.Problems(object)
		out := ""
		for i := range problems {
			p := &problems[i]
			out += p.Field + "\x1f" + string(p.Code) + "\x1f" + i18n.T(i18n.English, p.Text) + "\x1f" + i18n.T(i18n.Spanish, p.Text) + "\x1f"
		}
		buffer(int32(len(out)))
		length = int32(copy(shared, out))
	})
	return length
}

// reader is the unread input.
type reader string

// next returns the next text, which ends with the separator.
//
//go:noinline
func (r *reader) next() string {
	for i := 0; i < len(*r); i++ {
		if (*r)[i] == separator {
			s := (*r)[:i]
			*r = (*r)[i+1:]
			return string(s)
		}
	}
	panic("the input has no separator at its end")
}

// value parses a value: s and a string, n and a number, l and the items of an array,
// which follow as values up to a text ".", 0 for null, o for anything else.
func (r *reader) value(s string) prefill.Value {
	switch s[0] {
	case 's':
		return prefill.String(s[1:])
	case 'n':
		return prefill.Value{Kind: prefill.Number, Text: s[1:]}
	case '0':
		return prefill.Value{}
	case 'l':
		list := prefill.Value{Kind: prefill.List}
		for {
			if s = r.next(); s == "." {
				return list
			}
			list.List = append(list.List, r.value(s))
		}
	}
	return prefill.Value{Kind: prefill.Other}
}
