//go:build js

package main

import (
	"syscall/js"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/journey"
	"vestibule/internal/prefill"
)

// connect is a page with the widget.
type connect struct {
	el        js.Value
	app       journey.Application // as the browser sees it
	options   js.Value            // the widget's register options
	callbacks []callback          // released when the widget is destroyed
	taken     []string            // callbacks since the widget was opened
}

func attachConnect(el js.Value) {
	attempt := 0
	for _, c := range data(el, "attempt") {
		attempt = attempt*10 + int(c-'0')
	}
	c := &connect{el: el, app: journey.Application{State: journey.Connecting, Attempt: attempt}, options: object()}
	c.controls(func(b js.Value) {
		listen(b, "click", func(js.Value) {
			if has(b, "vestibuleFire") {
				c.fire()
			} else {
				c.destroy()
			}
		})
	})
	el.Get("dataset").Set("live", "on")
	if breach := c.configure(); breach != "" {
		c.take(onError, "", string(breach))
		return
	}
	go guard(func() {
		if c.load() {
			c.register()
			return
		}
		c.show("unavailable", "browser.connect.unavailable")
	})
}

// configure reads the widget's options from the data attributes with their names, and
// returns the error type of the first invalid one.
func (c *connect) configure() (breach contract.WidgetError) {
	defer func() {
		if recover() != nil { // prefill is not JSON
			breach = contract.WidgetInternalError
		}
	}()
	var v [8]string
	for i, name := range [len(v)]string{"env", "productId", "publicId", "token", "externalId", "userArgs", "sandboxReportId", "consumerId"} {
		if v[i] = data(c.el, name); v[i] != "" {
			c.options.Set(name, v[i])
		}
	}
	raw := data(c.el, "prefill")
	breach = contract.Registration{Env: v[0], ProductID: v[1], PublicID: v[2], Token: v[3], ExternalID: v[4],
		UserArgs: v[5], SandboxReportID: v[6], ConsumerID: v[7], HasPrefill: raw != ""}.Check()
	if breach == "" && raw != "" {
		applicant := js.Global().Get("JSON").Call("parse", raw)
		c.options.Set("prefill", applicant)
		var object prefill.Object
		each(js.Global().Get("Object").Call("keys", applicant), func(key js.Value) {
			k := key.String()
			object = append(object, prefill.Member{Key: k, Value: value(applicant.Get(k))})
		})
		r := rules(c.el)
		breach = prefill.First(r.Problems(object))
	}
	if has(c.el, "manualFire") {
		c.options.Set("useManualFire", true)
	}
	return breach
}

// value converts a JavaScript value.
func value(v js.Value) (out prefill.Value) {
	switch v.Type() {
	case js.TypeString:
		return prefill.String(v.String())
	case js.TypeNumber:
		return prefill.Value{Kind: prefill.Number, Text: js.Global().Get("String").Invoke(v).String()}
	case js.TypeNull, js.TypeUndefined:
		return out
	}
	if !v.InstanceOf(js.Global().Get("Array")) {
		out.Kind = prefill.Other
		return out
	}
	out.Kind = prefill.List
	each(v, func(item js.Value) { out.List = append(out.List, value(item)) })
	return out
}

// widget returns the provider's object; undefined before its script has run.
func (c *connect) widget() js.Value {
	name := data(c.el, "global")
	if name == "" {
		name = "SvcWidget"
	}
	return js.Global().Get(name)
}

// load makes module.ts load the provider's script, with one retry, and reports whether
// its object is defined.
func (c *connect) load() bool {
	for try := 0; try < 2 && !c.widget().Truthy(); try++ {
		await(js.Global().Get("vestibule").Call("script", data(c.el, "script")))
	}
	return c.widget().Truthy()
}

// register registers the widget. An exception is an internal error, like a null
// errorType.
func (c *connect) register() {
	defer func() {
		if recover() != nil {
			c.take(onError, "", string(contract.WidgetInternalError))
		}
	}()
	for h, name := range callbackNames {
		f := handler(func(args []js.Value) {
			c.take(widgetCallback(h), short(args[0]), short(args[1]))
		})
		c.callbacks = append(c.callbacks, f)
		c.options.Set(name, f.Value)
	}
	c.show("open", c.app.HintText())
	c.widget().Call("register", c.options)
	c.enable(true)
}

// short truncates a script's string to the longest identifier of the API.
func short(v js.Value) string {
	s := str(v)
	return s[:min(len(s), 64)]
}

func (c *connect) controls(f func(js.Value)) {
	all(document(), "[data-vestibule-fire],[data-vestibule-destroy]", f)
}

// enable enables or disables the custom controls.
func (c *connect) enable(on bool) { c.controls(func(b js.Value) { b.Set("disabled", !on) }) }

// fire opens the widget with the page's custom control, for the first time or again.
func (c *connect) fire() {
	c.app.State, c.app.Error, c.taken = journey.Connecting, "", nil
	c.show("open", c.app.HintText())
	c.widget().Call("fire")
}

func (c *connect) destroy() {
	c.enable(false)
	c.show("closed", "")
	c.widget().Call("destroy")
	for _, f := range c.callbacks {
		f.release()
	}
	c.callbacks = nil
}

// show sets the phase, by which module.ts shows elements, and updates the live region.
func (c *connect) show(phase string, words i18n.Key) {
	c.el.Get("dataset").Set("phase", phase)
	setText(find(c.el, "[data-vestibule-words]"), i18n.T(language(), words))
}
