//go:build js

// Command wasm is the portal's module in the browser: it checks an applicant's
// fields while they are typed, registers the provider's widget, and handles its callbacks.
// It uses the same rules (prefill), texts (contract) and states (journey) as the server.
// The server's state decides; the module's reports are hints. See docs/reference/widget.md.
//
// Pages work without it. It never moves the focus except to the error summary of a
// form. Callbacks recover from panics and never block. It imports syscall/js and small
// packages only.
//
// # The page
//
// module.ts loads the module after the first paint, and runs it at once for the widget, and
// for a form when the applicant first touches it. It fetches scripts for the module, and
// shows the elements of a phase. The page's language is <html lang>.
//
// A form to check:
//
//	<form data-vestibule="prefill" data-product="cashflow" data-today="2026-11-21" novalidate>
//
// with the fields of package ui: [data-field=KEY] around the controls, named KEY
// (dob may be dob-month, dob-day and dob-year; statedEmployerNames may be repeated), and
// #KEY-error for the error text. The module sets aria-invalid on the controls and the
// error text. It cancels the submission of a form with problems, inserts #summary of
// package ui before the form, and moves the focus there. It sets data-live="on" when
// attached. New errors are announced in an element #live, if there is one.
// data-assets-only selects the eligibility workflow for assets only.
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
// An empty data attribute counts as missing, except data-manual-fire: if it is present,
// [data-vestibule-fire] opens the widget and [data-vestibule-destroy] destroys it.
// data-product and data-today select the rules for data-prefill. data-phase is loading,
// then open when the widget is registered, then returned, exited, retry (after an error
// that another attempt may avoid), final (after another error), unavailable (the
// provider's script failed twice), or closed (after destroy). Elements with data-when are
// shown in the phases that it lists. Texts for the applicant are set in
// [data-vestibule-words], a live region.
//
// Each event is reported to data-report once: POST, JSON
//
//	{"eventId": UUID, "type": "onSuccess" | "onExit" | "onError", "attempt": 1,
//	 "publicToken": "", "status": "", "errorType": ""}
//
// up to four times with the same eventId, until the answer is 2xx, or 4xx other than 408
// and 429. After onSuccess the module opens data-next. After an answer {"next": "/path"}
// it opens that path.
//
// # For scripts
//
// The exports vestibule_buffer and vestibule_check (see check.go) apply the rules of
// prefill. parts/check.ts wraps them as globalThis.vestibule.check.
package main

import "syscall/js"

func main() {
	if document := document(); document.Truthy() {
		pause(0) // so that the runtime's start and this are two short tasks of the browser
		all(document, `form[data-vestibule="prefill"]`, func(form js.Value) {
			guard(func() { attachForm(form) })
		})
		all(document, `[data-vestibule="connect"]`, func(section js.Value) {
			guard(func() { attachConnect(section) })
		})
	}
	select {} // the callbacks live as long as the page
}
