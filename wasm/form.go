//go:build js

package main

import (
	"syscall/js"

	"vestibule/internal/prefill"
	"vestibule/internal/svc"
)

// form is a form whose fields are checked as they are typed.
type form struct {
	el     js.Value
	rules  prefill.Rules
	lang   svc.Lang
	fields []*field
}

// field is a field of a form: its box holds the controls.
type field struct {
	key        string
	box, words js.Value
	shown      bool // it has had an error
}

func attachForm(el js.Value) {
	f := &form{el: el, rules: rules(el), lang: language()}
	for _, key := range prefill.Keys(f.rules.Product) {
		box := find(el, `[data-field="`+key+`"]`)
		if !box.Truthy() {
			continue
		}
		// The server may have sent the form back with problems.
		words := find(el, "#"+key+"-error")
		shown := words.Truthy() && str(words.Get("textContent")) != ""
		f.fields = append(f.fields, &field{key, box, words, shown})
	}
	for _, event := range [...]string{"focusout", "input", "change"} {
		listen(el, event, f.touched)
	}
	listen(el, "submit", f.submitted)
	el.Get("dataset").Set("live", "on")
}

// problems is what is wrong with the form as it stands.
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

// touched keeps true what the form says is wrong, and may say something new of
// the field that an event happened in. While a value grows, that is only what no
// further typing mends. When the focus has left the field, it is whatever is
// wrong; but that something is missing only where nothing else could stand for
// it, and when the applicant has gone on in the form without it.
func (f *form) touched(event js.Value) {
	target, to := event.Get("target"), event.Get("relatedTarget")
	left := str(event.Get("type")) == "focusout"
	problems := f.problems()
	for _, one := range f.fields {
		p := of(problems, one.key)
		if p != nil && !one.shown {
			if !one.box.Call("contains", target).Bool() {
				continue
			}
			switch {
			case !left:
				if p.Open {
					continue
				}
			case to.Truthy() && one.box.Call("contains", to).Bool():
				continue
			case p.Code == svc.WidgetPIIMissing:
				if !f.rules.Requires(one.key) || !to.Truthy() || !f.el.Call("contains", to).Bool() {
					continue
				}
			}
			setText(find(document(), "#live"), p.Words.In(f.lang))
		}
		f.show(one, p)
	}
}

// submitted does what the server would do with a form that it refuses.
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

// show puts a problem's words to its field, or takes them away.
func (f *form) show(one *field, p *prefill.Problem) {
	if p == nil && !one.shown {
		return
	}
	one.shown = true
	words, method := "", "removeAttribute"
	if p != nil {
		words, method = p.Words.In(f.lang), "setAttribute"
	}
	setText(one.words, words)
	all(one.box, "input,select,textarea", func(control js.Value) {
		control.Call(method, "aria-invalid", "true")
	})
}

// summary is ui's ErrorSummary.
func (f *form) summary(problems []prefill.Problem) js.Value {
	title := svc.Words{EN: "Please check the following", ES: "Revise lo siguiente"}
	list := element("ul", "", "")
	for _, p := range problems {
		item, link := element("li", "", ""), element("a", "", p.Words.In(f.lang))
		link.Set("href", "#"+p.Field)
		item.Call("append", link)
		list.Call("append", item)
	}
	summary := element("div", "notice notice-danger summary", "")
	summary.Set("id", "summary")
	summary.Set("role", "alert")
	summary.Set("tabIndex", -1)
	summary.Call("append", element("h2", "notice-title", title.In(f.lang)), list)
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
