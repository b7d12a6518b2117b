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

// check applies the rules to the texts in the first size bytes of the buffer, each ended
// by the separator: product, environment, today as YYYY-MM-DD, "1" for assets only, and
// for each member of the prefill object its key and its value. A value is a letter and a
// text: s and a string, n and a number, l and an array (whose items follow as values, up
// to a text "."), 0 for null, and o for anything else. It writes the problems to the
// buffer, four texts for each: field, code, English text, and Spanish text. It returns
// their length in bytes, or -1 for malformed input.
//
//go:wasmexport vestibule_check
func check(size int32) (length int32) {
	length = -1
	guard(func() {
		in := reader(string(shared[:size]))
		r := prefill.Rules{Product: contract.Product(in.next()), Environment: contract.Environment(in.next())}
		dated := false
		r.Today, dated = prefill.ParseDate(in.next())
		r.AssetsOnly = in.next() != ""
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
	panic("cut short")
}

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
