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

// callbacks are the Go functions that a script may call, through one JavaScript
// function that is bound to their place here: the module holds no other, and one
// that is released takes calls that come too late in silence.
var callbacks []func(args []js.Value)

var dispatch = js.FuncOf(func(_ js.Value, args []js.Value) any {
	guard(func() {
		if f := callbacks[args[0].Int()]; f != nil {
			f(append(args[1:], js.Undefined(), js.Undefined()))
		}
	})
	return nil
})

// callback is a function for scripts. Its creator releases it, unless it is
// needed as long as the page.
type callback struct {
	js.Value
	place int
}

// handler makes a callback of f. There are two arguments at the least.
//
//go:noinline
func handler(f func(args []js.Value)) callback {
	place := len(callbacks)
	callbacks = append(callbacks, f)
	return callback{dispatch.Call("bind", nil, place), place}
}

func (c callback) release() { callbacks[c.place] = nil }

// listen calls f with each event of a type at target, for the life of the page.
//
//go:noinline
func listen(target js.Value, event string, f func(event js.Value)) {
	target.Call("addEventListener", event, handler(func(args []js.Value) { f(args[0]) }).Value)
}

// wait starts something and returns what it is done with: the first argument of
// the first call of done. It blocks, so it is for a goroutine of its own and
// never for a callback.
func wait(start func(done js.Value)) js.Value {
	answer := make(chan js.Value, 9)
	done := handler(func(args []js.Value) { answer <- args[0] })
	start(done.Value)
	first := <-answer
	done.release()
	return first
}

// await waits for a promise and returns its value or the reason of its refusal.
//
//go:noinline
func await(promise js.Value) js.Value {
	return wait(func(done js.Value) { promise.Call("then", done, done) })
}

// object makes a JavaScript object of names and values in turn.
//
//go:noinline
func object(pairs ...any) js.Value {
	o := js.Global().Get("Object").New()
	for i := 0; i < len(pairs); i += 2 {
		o.Set(pairs[i].(string), pairs[i+1])
	}
	return o
}

// all calls f with every element that a selector finds.
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

// str is v if it is a string, and empty for anything else.
//
//go:noinline
func str(v js.Value) string {
	if v.Type() != js.TypeString {
		return ""
	}
	return v.String()
}

// data is a data attribute, by its name in the dataset; empty if it is not there.
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

// rules are those that an element's data attributes name. Without the server's
// date they go by the browser's.
func rules(el js.Value) prefill.Rules {
	today, ok := prefill.ParseDate(data(el, "today"))
	if !ok {
		today, _ = prefill.ParseDate(js.Global().Get("Date").New().Call("toISOString").String()[:10])
	}
	return prefill.Rules{Product: contract.Product(data(el, "product")), Environment: contract.Environment(data(el, "env")),
		Today: today, AssetsOnly: has(el, "assetsOnly")}
}
