//go:build js

package main

import (
	"syscall/js"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/prefill"
)

// form is a form whose fields are checked as they are typed.
type form struct {
	el     js.Value
	rules  prefill.Rules
	lang   i18n.Lang
	fields []*field

	pressed bool       // from the press of a button to its click
	held    []js.Value // events of that time
	timer   js.Value
	letGo   js.Value
}

// field is a field of a form, with the element for its words.
type field struct {
	key   string
	words js.Value
	shown bool // it has had an error
}

func attachForm(el js.Value) {
	f := &form{el: el, rules: rules(el), lang: language()}
	for _, key := range prefill.Keys(f.rules.Product) {
		// The server may have sent the form back with problems.
		if words := find(el, "#"+key+"-error"); words.Truthy() {
			f.fields = append(f.fields, &field{key, words, str(words.Get("textContent")) != ""})
		}
	}
	for _, event := range [...]string{"focusout", "input", "change"} {
		listen(el, event, f.heard)
	}
	f.letGo = handler(func([]js.Value) { f.released() }).Value
	// The click comes a while after a finger is gone, and not at all when the
	// pointer was drawn away. Nothing waits for a press without end.
	f.hold("pointerdown", 5000)
	f.hold("pointerup", 300)
	f.hold("pointercancel", 0)
	f.hold("click", 0)
	listen(el, "submit", f.submitted)
	el.Get("dataset").Set("live", "on")
}

// problems returns the form's present problems.
func (f *form) problems() []prefill.Problem {
	typed := js.Global().Get("FormData").New(f.el)
	return f.rules.Problems(prefill.FromFields(func(name string) (values []string) {
		each(typed.Call("getAll", name), func(v js.Value) { values = append(values, str(v)) })
		return values
	}))
}

//go:noinline
func of(problems []prefill.Problem, key string) *prefill.Problem {
	for i := range problems {
		if problems[i].Field == key {
			return &problems[i]
		}
	}
	return nil
}

// heard keeps an event for after the click that is being made: a press takes the
// focus from a field, and words that came for it then would move the button away
// from under the pointer, and the click be lost.
func (f *form) heard(event js.Value) {
	if f.pressed {
		f.held = append(f.held, event)
		return
	}
	f.touched(event)
}

// hold keeps a press for at most ms milliseconds after an event.
//
//go:noinline
func (f *form) hold(event string, ms int) {
	listen(document(), event, func(e js.Value) {
		if event == "pointerdown" {
			f.pressed = e.Get("button").Int() == 0
		}
		js.Global().Call("clearTimeout", f.timer)
		f.timer = js.Global().Call("setTimeout", f.letGo, ms)
	})
}

func (f *form) released() {
	held := f.held
	f.pressed, f.held = false, nil
	for _, event := range held {
		f.touched(event)
	}
}

// touched keeps true what the form says is wrong, and may say something new of
// the field that an event happened in. While a value grows, that is only what no
// further typing mends. When the focus has left the field, it is whatever is
// wrong; but that something is missing only where nothing else could stand for
// it, and when the applicant has gone on in the form without it.
func (f *form) touched(event js.Value) {
	left := str(event.Get("type")) == "focusout"
	here, there := f.fieldOf(event.Get("target")), f.fieldOf(event.Get("relatedTarget"))
	problems := f.problems()
	for _, one := range f.fields {
		p := of(problems, one.key)
		if p != nil && !one.shown {
			switch {
			case one.key != here, left && there == here, !left && p.Open,
				p.Code == contract.WidgetPIIMissing && (there == outside || !f.rules.Requires(here)):
				continue
			}
			setText(find(document(), "#live"), i18n.T(f.lang, p.Text))
		}
		f.show(one, p)
	}
}

// outside is the key of elements outside the form.
const outside = "-"

// fieldOf returns the key of an element's field: empty in other parts of the form,
// outside elsewhere.
func (f *form) fieldOf(el js.Value) string {
	if !el.Truthy() || !f.el.Call("contains", el).Bool() {
		return outside
	}
	if box := el.Call("closest", "[data-field]"); box.Truthy() {
		return data(box, "field")
	}
	return ""
}

// submitted shows a refused form's problems as the server would.
func (f *form) submitted(event js.Value) {
	problems := f.problems()
	if len(problems) == 0 {
		return
	}
	event.Call("preventDefault")
	event.Call("stopImmediatePropagation")
	for _, one := range f.fields {
		f.show(one, of(problems, one.key))
	}
	if old := find(document(), "#summary"); old.Truthy() {
		old.Call("remove")
	}
	summary := f.summary(problems)
	f.el.Call("before", summary)
	summary.Call("focus")
}

// show sets or clears a field's error text.
func (f *form) show(one *field, p *prefill.Problem) {
	if p == nil && !one.shown {
		return
	}
	one.shown = true
	words, method := "", "removeAttribute"
	if p != nil {
		words, method = i18n.T(f.lang, p.Text), "setAttribute"
	}
	setText(one.words, words)
	all(f.el, `[data-field="`+one.key+`"] :is(input,select,textarea)`, func(control js.Value) {
		control.Call(method, "aria-invalid", "true")
	})
}

// summary creates the ErrorSummary of package ui.
func (f *form) summary(problems []prefill.Problem) js.Value {
	title := i18n.Key("form.problems")
	list := element("ul", "", "")
	for _, p := range problems {
		item, link := element("li", "", ""), element("a", "", i18n.T(f.lang, p.Text))
		link.Set("href", "#"+p.Field)
		// Of several controls the first takes the focus.
		if first := find(f.el, `[data-field="`+p.Field+`"] :is(input,select,textarea)`); first.Truthy() {
			link.Set("href", "#"+str(first.Get("id")))
		}
		item.Call("append", link)
		list.Call("append", item)
	}
	summary := element("div", "notice notice-danger summary", "")
	summary.Set("id", "summary")
	summary.Set("role", "alert")
	summary.Set("tabIndex", -1)
	summary.Call("append", element("h2", "notice-title", i18n.T(f.lang, title)), list)
	return summary
}

func element(tag, class, text string) js.Value {
	el := document().Call("createElement", tag)
	if class != "" {
		el.Set("className", class)
	}
	setText(el, text)
	return el
}
