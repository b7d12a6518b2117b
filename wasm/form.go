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
	held    []js.Value // events since the press
	timer   js.Value
	release js.Value // calls released
}

// field is a field of a form.
type field struct {
	key   string
	text  js.Value // element of its error text
	shown bool     // an error was shown
}

func attachForm(el js.Value) {
	f := &form{el: el, rules: rules(el), lang: language()}
	for _, key := range prefill.Keys(f.rules.Product) {
		// The server may have rendered the form with errors.
		if text := find(el, "#"+key+"-error"); text.Truthy() {
			f.fields = append(f.fields, &field{key, text, str(text.Get("textContent")) != ""})
		}
	}
	for _, event := range [...]string{"focusout", "input", "change"} {
		listen(el, event, f.handle)
	}
	f.release = handler(func([]js.Value) { f.released() }).Value
	// A click follows some time after a finger is lifted, and not at all if the pointer
	// was dragged away. A timeout ends every wait.
	f.hold("pointerdown", 5000)
	f.hold("pointerup", 300)
	f.hold("pointercancel", 0)
	f.hold("click", 0)
	listen(el, "submit", f.submitted)
	el.Get("dataset").Set("live", "on")
}

// problems returns the problems of the form's current values.
func (f *form) problems() []prefill.Problem {
	typed := js.Global().Get("FormData").New(f.el)
	return f.rules.Problems(prefill.FromFields(func(name string) (values []string) {
		each(typed.Call("getAll", name), func(v js.Value) { values = append(values, str(v)) })
		return values
	}))
}

//go:noinline
func problemOf(problems []prefill.Problem, key string) *prefill.Problem {
	for i := range problems {
		if problems[i].Field == key {
			return &problems[i]
		}
	}
	return nil
}

// handle handles an event of a field. During a press it keeps the event until the click:
// the press moves the focus, and an error text shown then would move the button from
// under the pointer, so that the click would be lost.
func (f *form) handle(event js.Value) {
	if f.pressed {
		f.held = append(f.held, event)
		return
	}
	f.update(event)
}

// hold ends a press ms milliseconds after an event.
//
//go:noinline
func (f *form) hold(event string, ms int) {
	listen(document(), event, func(e js.Value) {
		if event == "pointerdown" {
			f.pressed = e.Get("button").Int() == 0
		}
		js.Global().Call("clearTimeout", f.timer)
		f.timer = js.Global().Call("setTimeout", f.release, ms)
	})
}

// released handles the events that were kept during a press.
func (f *form) released() {
	held := f.held
	f.pressed, f.held = false, nil
	for _, event := range held {
		f.update(event)
	}
}

// update updates the errors that are shown, and may show one for the field of the event: on
// typing, only one that more typing cannot correct; on leaving the field, any. A missing
// value is one only if no other field can replace it and the focus stays in the form.
func (f *form) update(event js.Value) {
	left := str(event.Get("type")) == "focusout"
	here, there := f.fieldOf(event.Get("target")), f.fieldOf(event.Get("relatedTarget"))
	problems := f.problems()
	for _, one := range f.fields {
		p := problemOf(problems, one.key)
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

// fieldOf returns the key of an element's field: empty in other parts of the form, and
// outside for elements outside of it.
func (f *form) fieldOf(el js.Value) string {
	if !el.Truthy() || !f.el.Call("contains", el).Bool() {
		return outside
	}
	if box := el.Call("closest", "[data-field]"); box.Truthy() {
		return data(box, "field")
	}
	return ""
}

// submitted stops a form with problems, and shows them as the server would.
func (f *form) submitted(event js.Value) {
	problems := f.problems()
	if by := event.Get("submitter"); len(problems) == 0 || by.Truthy() && by.Get("formNoValidate").Bool() {
		return
	}
	event.Call("preventDefault")
	event.Call("stopImmediatePropagation")
	for _, one := range f.fields {
		f.show(one, problemOf(problems, one.key))
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
	text, method := "", "removeAttribute"
	if p != nil {
		text, method = i18n.T(f.lang, p.Text), "setAttribute"
	}
	setText(one.text, text)
	all(f.el, `[data-field="`+one.key+`"] :is(input,select,textarea)`, func(control js.Value) {
		control.Call(method, "aria-invalid", "true")
		// A fold within the field has only further controls: "More employers".
		if fold := control.Call("closest", ".form-more:not([data-field] *)"); p != nil && fold.Truthy() {
			fold.Set("open", true)
		}
	})
}

// summary creates the ErrorSummary of package ui.
func (f *form) summary(problems []prefill.Problem) js.Value {
	title := i18n.Key("form.problems")
	list := element("ul", "", "")
	for _, p := range problems {
		item, link := element("li", "", ""), element("a", "", i18n.T(f.lang, p.Text))
		link.Set("href", "#"+p.Field)
		// The link leads to the first of several controls.
		if first := find(f.el, `[data-field="`+p.Field+`"] :is(input,select,textarea)`); first.Truthy() {
			link.Set("href", "#"+str(first.Get("id")))
		}
		item.Call("append", link)
		list.Call("append", item)
	}
	summary := element("div", "notice notice-danger summary", "")
	summary.Set("id", "summary")
	summary.Set("role", "group")
	summary.Call("setAttribute", "aria-labelledby", "summary-title")
	summary.Set("tabIndex", -1)
	heading := element("h2", "notice-title", i18n.T(f.lang, title))
	heading.Set("id", "summary-title")
	summary.Call("append", heading, list)
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
