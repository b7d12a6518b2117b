//go:build js

// Command wasm is the portal's module in the browser: it checks an applicant's
// fields as they are typed, registers the provider's widget and handles its callbacks.
// It runs the same rules (prefill), texts (contract) and states (journey) as the
// server, whose state counts; its reports are hints. See docs/reference/widget.md.
//
// Pages work without it. It never moves the focus except to the summary of a refused
// form. Callbacks recover from panics and never block. It imports syscall/js and small
// packages only.
//
// # The page's side
//
// module.ts loads it after the first paint, fetches scripts for it, and shows
// what belongs to a phase. The page's language is <html lang>.
//
// A form to be checked:
//
//	<form data-vestibule="prefill" data-product="cashflow" data-today="2026-11-21" novalidate>
//
// with the fields of package ui: [data-field=KEY] around the controls, named KEY
// (dob may be dob-month, dob-day and dob-year; statedEmployerNames may come
// several times), and #KEY-error for the words. The module sets aria-invalid on
// the controls and the text of the error; on submit with problems it cancels,
// puts ui's #summary before the form and moves the focus there. It sets
// data-live="on" when attached. An element #live, if there is one, announces.
// data-assets-only is eligibility's workflow of that name.
//
// A page with the widget:
//
//	<section data-vestibule="connect" data-phase="loading"
//	  data-script="https://…/widget.js" data-global="SvcWidget"
//	  data-env data-product-id data-public-id
//	  data-token | data-prefill='{"firstName":…}' | data-consumer-id
//	  data-external-id data-user-args data-sandbox-report-id data-manual-fire
//	  data-product data-today
//	  data-attempt="1" data-report="/applications/ID/callbacks" data-next="/applications/ID">
//	  <div id="nova-embed"></div>
//	  <p data-vestibule-words role="status"></p>
//	  <div data-when="retry final" hidden>…</div>
//	</section>
//
// An empty data attribute counts as absent, but for data-manual-fire, which
// counts by being there; then [data-vestibule-fire] opens the widget and
// [data-vestibule-destroy] destroys it. data-product and data-today are for the
// rules of data-prefill. data-phase is loading, then open when the widget is
// registered, then returned, exited, retry or final (after an error that a new
// try can mend, or not), unavailable (the provider's script failed twice) or
// closed (after destroy); elements with data-when are shown in the phases that
// it names. Words for people go into [data-vestibule-words], a live region.
//
// Each event is reported to data-report once: POST, JSON
//
//	{"eventId": UUID, "type": "onSuccess" | "onExit" | "onError", "attempt": 1,
//	 "publicToken": "", "status": "", "errorType": ""}
//
// up to four times with the same eventId, until it is answered 2xx, or 4xx other
// than 408 and 429. After onSuccess the module goes to data-next, and whenever
// the answer is {"next": "/path"}, there.
//
// # For scripts
//
// The exports vestibule_buffer and vestibule_check (see check.go) are the rules
// of prefill; parts/check.ts makes globalThis.vestibule.check of them.
package main

import "syscall/js"

func main() {
	if document := document(); document.Truthy() {
		all(document, `form[data-vestibule="prefill"]`, func(form js.Value) {
			guard(func() { attachForm(form) })
		})
		all(document, `[data-vestibule="connect"]`, func(section js.Value) {
			guard(func() { attachConnect(section) })
		})
	}
	select {} // the callbacks live as long as the page
}
