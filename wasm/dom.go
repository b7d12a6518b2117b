//go:build js

package main

import (
	"syscall/js"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/prefill"
)

// guard runs f and recovers from a panic, which would end the module. The message is
// constant, because the panic may contain personal data.
//
//go:noinline
func guard(f func()) {
	defer func() {
		if recover() != nil {
			js.Global().Get("console").Call("error", "vestibule: a handler failed; the page works on without it")
		}
	}()
	f()
}

// callbacks are the Go functions that scripts can call, by index. One JavaScript function
// calls them all. Calls of a released one are ignored.
var callbacks []func(args []js.Value)

var dispatch = js.FuncOf(func(_ js.Value, args []js.Value) any {
	guard(func() {
		if f := callbacks[args[0].Int()]; f != nil {
			f(append(args[1:], js.Undefined(), js.Undefined()))
		}
	})
	return nil
})

// callback is a function for scripts. Its creator releases it, unless the page needs it
// to its end.
type callback struct {
	js.Value
	index int
}

// handler returns a callback that calls f, with at least two arguments.
//
//go:noinline
func handler(f func(args []js.Value)) callback {
	index := len(callbacks)
	callbacks = append(callbacks, f)
	return callback{dispatch.Call("bind", nil, index), index}
}

func (c callback) release() { callbacks[c.index] = nil }

// listen calls f with each event of a type at target, to the end of the page.
//
//go:noinline
func listen(target js.Value, event string, f func(event js.Value)) {
	target.Call("addEventListener", event, handler(func(args []js.Value) { f(args[0]) }).Value)
}

// wait calls start and returns the first argument of the first call of done. It blocks,
// so callbacks must not call it.
func wait(start func(done js.Value)) js.Value {
	answer := make(chan js.Value, 9)
	done := handler(func(args []js.Value) { answer <- args[0] })
	start(done.Value)
	first := <-answer
	done.release()
	return first
}

// await waits for a promise and returns its value or the reason of its rejection.
//
//go:noinline
func await(promise js.Value) js.Value {
	return wait(func(done js.Value) { promise.Call("then", done, done) })
}

// object returns a JavaScript object of alternating names and values.
//
//go:noinline
func object(pairs ...any) js.Value {
	o := js.Global().Get("Object").New()
	for i := 0; i < len(pairs); i += 2 {
		o.Set(pairs[i].(string), pairs[i+1])
	}
	return o
}

// all calls f with each element that matches a selector.
//
//go:noinline
func all(root js.Value, selector string, f func(el js.Value)) {
	each(root.Call("querySelectorAll", selector), f)
}

//go:noinline
func each(list js.Value, f func(js.Value)) {
	for i := range list.Length() {
		f(list.Index(i))
	}
}

//go:noinline
func find(root js.Value, selector string) js.Value { return root.Call("querySelector", selector) }

//go:noinline
func document() js.Value { return js.Global().Get("document") }

// str returns v if it is a string, and otherwise an empty string.
//
//go:noinline
func str(v js.Value) string {
	if v.Type() != js.TypeString {
		return ""
	}
	return v.String()
}

// data returns a data attribute by its name in the dataset, or an empty string.
//
//go:noinline
func data(el js.Value, name string) string { return str(el.Get("dataset").Get(name)) }

//go:noinline
func has(el js.Value, name string) bool { return !el.Get("dataset").Get(name).IsUndefined() }

//go:noinline
func setText(el js.Value, s string) {
	if el.Truthy() && str(el.Get("textContent")) != s {
		el.Set("textContent", s)
	}
}

func language() i18n.Lang {
	if lang := str(document().Get("documentElement").Get("lang")); len(lang) > 1 {
		return i18n.Lang(lang[:2])
	}
	return i18n.English
}

// rules returns the rules that an element's data attributes select. Without the server's
// date they use the browser's.
func rules(el js.Value) prefill.Rules {
	today, ok := prefill.ParseDate(data(el, "today"))
	if !ok {
		today, _ = prefill.ParseDate(js.Global().Get("Date").New().Call("toISOString").String()[:10])
	}
	return prefill.Rules{Product: contract.Product(data(el, "product")), Environment: contract.Environment(data(el, "env")),
		Today: today, AssetsOnly: has(el, "assetsOnly")}
}
