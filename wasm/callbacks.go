//go:build js

package main

import (
	"syscall/js"

	"vestibule/internal/contract"
	"vestibule/internal/journey"
)

// widgetCallback is one of the widget's three callbacks.
type widgetCallback int

const (
	onSuccess widgetCallback = iota
	onExit
	onError
)

var (
	callbackNames = [...]string{"onSuccess", "onExit", "onError"}
	callbackKinds = [...]journey.Kind{journey.CallbackSuccess, journey.CallbackExit, journey.CallbackError}
)

// take handles a callback, once for each opening of the widget: it moves the journey as
// far as the browser decides, shows the phase, and reports the callback. word is the
// status of onSuccess or the error type of onError.
func (c *connect) take(h widgetCallback, publicToken, word string) {
	key := callbackNames[h] + publicToken + "\n" + word
	for _, s := range c.taken {
		if s == key {
			return
		}
	}
	c.taken = append(c.taken, key)
	in := journey.Input{Kind: callbackKinds[h], Attempt: c.app.Attempt}
	var status, errorType string
	switch h {
	case onSuccess:
		status = word
	case onError:
		errorType, in.Error = word, contract.WidgetError(word)
	}
	c.app, _ = c.app.Hint(in)
	phase := "final"
	switch {
	case c.app.State == journey.Returned:
		phase = "returned"
	case c.app.State == journey.Exited:
		phase = "exited"
	case c.app.CanRetry():
		phase = "retry"
	}
	// A widget that does not find its visit again needs another token, which the page
	// gets by itself once it has reported that.
	again := h == onError && word == string(contract.WidgetInvalidToken) && has(c.el, "resumed")
	showResult := func() {
		c.el.Get("dataset").Set("reported", publicToken) // for framed.ts, like the word
		c.el.Get("dataset").Set("word", word)
		c.show(phase, c.app.HintText())
	}
	if again {
		c.show("loading", "")
	} else {
		showResult()
	}
	body := js.Global().Get("JSON").Call("stringify", object("eventId", js.Global().Get("crypto").Call("randomUUID"), "type", callbackNames[h],
		"attempt", c.app.Attempt, "publicToken", publicToken, "status", status, "errorType", errorType))
	go guard(func() {
		next, reported := c.send(body)
		if again && reported {
			js.Global().Get("location").Call("reload")
			return
		}
		if again {
			showResult()
		}
		if next == "" && h == onSuccess {
			next = data(c.el, "next")
		}
		// Only a path of this site, whatever the answer says.
		if len(next) > 1 && next[0] == '/' && next[1] != '/' && next[1] != '\\' {
			js.Global().Get("location").Call("assign", next)
		}
	})
}

// send reports an event, up to four times. It returns the path that the answer's JSON
// object names as next, and whether the event was accepted.
func (c *connect) send(body js.Value) (next string, reported bool) {
	for _, milliseconds := range [...]int{500, 2000, 6000, 0} {
		request := object("method", "POST", "body", body, "keepalive", true, "headers", object("Content-Type", "application/json"))
		if limit := js.Global().Get("AbortSignal"); limit.Get("timeout").Truthy() {
			request.Set("signal", limit.Call("timeout", 10_000))
		}
		// A network error has no status.
		response := await(js.Global().Call("fetch", data(c.el, "report"), request))
		if status := response.Get("status"); status.Type() == js.TypeNumber {
			switch code := status.Int(); {
			case code == 200:
				return str(await(response.Call("json")).Get("next")), true
			case code < 500 && code != 408 && code != 429:
				return "", code < 300
			}
		}
		pause(milliseconds)
	}
	return "", false
}

//go:noinline
func pause(milliseconds int) {
	wait(func(done js.Value) { js.Global().Call("setTimeout", done, milliseconds) })
}
