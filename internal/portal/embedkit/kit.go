package embedkit

import (
	"fmt"
	"slices"
	"strings"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/journey"
)

// The kit is the script /embed/v1/embed.js and its element <vestibule-apply>. The
// tables below are the only source of its attributes, methods and events: the
// declarations for integrators, the names in the script and the tables of
// docs/tutorials/embed.md are generated from them.
//
//go:generate go test -vet=off -run ^TestGeneratedFilesAreCurrent$ -update .

// Attribute is an attribute of the element and the property of that name.
type Attribute struct {
	Name, TS, Default, Doc string
}

// Attributes returns the attributes of the element.
func Attributes() []Attribute {
	var languages []string
	for _, l := range i18n.Languages() {
		languages = append(languages, fmt.Sprintf("%q", string(l)))
	}
	return []Attribute{
		{"token", "string", "", "embedToken of POST /api/v1/applications. Without it, the element waits. A new token starts again."},
		{"mode", `"inline" | "modal" | "redirect"`, "inline", "Shows the frame in the page or in a dialog, or opens the portal's page."},
		{"lang", strings.Join(languages, " | "), "the page's", "Language of the frame. Default: the language of the nearest element with lang."},
		{"height", "string", "860", "Inline: height in pixels that is reserved from the start, so that nothing below moves."},
		{"label", "string", "in the language",
			"Accessible name of the frame and the dialog, and text of the button that the element creates if it has none."},
	}
}

// Method is a method of the element.
type Method struct {
	Name, Signature, Doc string
}

// Methods returns the methods of the element.
func Methods() []Method {
	return []Method{
		{"open", "open(): void", "Opens the dialog, opens the portal's page, or loads the frame, depending on the " +
			"mode. Call it in a click handler, so that the browser allows it."},
		{"close", "close(): void", "Closes the dialog. The visit continues, and open() shows the dialog again."},
	}
}

// Field is a member of an event's detail.
type Field struct {
	Name, TS, Doc string
	Optional      bool
}

// Event is an event of the element: a CustomEvent that does not bubble. The frame
// sends framed events as a message {type: "vestibule", event: <name>, …detail} to the
// allowed origin only; the script itself creates the others.
type Event struct {
	Name, Doc string
	Callback  string // the corresponding callback of the provider's widget
	Framed    bool
	Detail    []Field
}

var (
	applicationField = Field{Name: "application", TS: "string", Doc: "The application's id. Your back end requests it."}
	tokenField       = Field{Name: "publicToken", TS: "string", Doc: "Identifies the report, if there is one.", Optional: true}
)

// Events returns the events of the element, in their order in a successful visit.
func Events() []Event {
	return []Event{
		{Name: "open", Doc: "The dialog was opened."},
		{Name: "ready", Doc: "The frame shows its first page.", Detail: []Field{applicationField}},
		{Name: "step", Doc: "The applicant reached another step.", Framed: true, Detail: []Field{applicationField,
			{Name: "step", TS: "Step", Doc: "The step."}}},
		{Name: "success", Callback: "onSuccess", Doc: "The applicant completed the visit at the provider. The report follows.",
			Framed: true, Detail: []Field{applicationField,
				{Name: "publicToken", TS: "string", Doc: "Identifies the report."}, {Name: "status", TS: "Status", Doc: "Status of the report."}}},
		{Name: "exit", Callback: "onExit", Doc: "The applicant closed the visit at the provider. They can start another visit. " +
			"A dialog closes.",
			Framed: true, Detail: []Field{applicationField, tokenField}},
		{Name: "error", Callback: "onError", Doc: "The visit failed, or the frame could not be shown. " +
			"The applicant sees the reason.", Framed: true, Detail: []Field{
			{Name: "application", TS: "string", Doc: "The application's id, if it is known.", Optional: true}, tokenField,
			{Name: "errorType", TS: "ErrorType", Doc: "The reason."}}},
		{Name: "state", Doc: "The application changed its state.", Framed: true, Detail: []Field{applicationField,
			{Name: "state", TS: "State", Doc: "The new state, as in GET /api/v1/applications/{id}."}}},
		{Name: "complete", Doc: "The application reached a final state. Request the result from your back end.",
			Framed: true, Detail: []Field{applicationField,
				{Name: "state", TS: `"ready" | "failed" | "expired"`, Doc: "The final state."}}},
		{Name: "close", Doc: "The dialog was closed."},
	}
}

// Steps returns the steps that an applicant can be at.
func Steps() []string { return []string{"details", "connect", "status"} }

// Problem is an error type of the element, in addition to those of the widget.
type Problem string

const (
	ProblemToken   Problem = "EMBED_TOKEN_INVALID"
	ProblemExpired Problem = "EMBED_TOKEN_EXPIRED"
	ProblemOrigin  Problem = "ORIGIN_NOT_ALLOWED"
	ProblemBlocked Problem = "FRAME_BLOCKED"
	ProblemWidget  Problem = "WIDGET_UNAVAILABLE"
)

// ProblemInfo describes a problem.
type ProblemInfo struct {
	Type      Problem
	Engineer  string   // the cause and the fix, for developers
	Title     i18n.Key // for the applicant, if a page shows it
	Applicant i18n.Key
}

// Problems returns the problems of the element.
func Problems() []ProblemInfo {
	return []ProblemInfo{
		{ProblemToken, "The embed token is unknown, or another page or browser uses it. " +
			"Request a new token: POST /api/v1/applications/{id}/embed-token.",
			"embed.opened_elsewhere.title",
			"embed.opened_elsewhere.text"},
		{ProblemExpired, "The embed token has expired after 24 hours. Request a new token: POST /api/v1/applications/{id}/embed-token.",
			"embed.expired.title",
			"embed.expired.text"},
		{ProblemOrigin, "The page's origin differs from the token's allowedOrigin in scheme, host or port.",
			"embed.setup.title", "embed.setup.text"},
		{ProblemBlocked, "The browser did not load the frame: the page's policy lacks the portal in frame-src, " +
			"or a page of another origin contains your page.", "", ""},
		{ProblemWidget, "The provider's script did not load in the frame. The applicant can continue on the secure page.", "", ""},
	}
}

func (p Problem) info() ProblemInfo {
	all := Problems()
	return all[slices.IndexFunc(all, func(i ProblemInfo) bool { return i.Type == p })]
}

// Declarations returns the TypeScript declarations of the kit.
func Declarations() string {
	var b strings.Builder
	b.WriteString(`// Code generated by go generate from the portal's tables; DO NOT EDIT.

// TypeScript declarations of <vestibule-apply>.
// The script of the portal's /embed/v1/embed.js defines the element.

`)
	union(&b, "Step", "The applicant's step.", Steps(), func(s string) (string, string) { return s, "" })
	union(&b, "State", "State of an application.", journey.States(), func(s journey.State) (string, string) { return string(s), "" })
	union(&b, "Status", "Status of a report.", contract.Statuses(), func(s contract.Status) (string, string) { return string(s), "" })
	union(&b, "ElementError", "Error types of the element.", Problems(),
		func(p ProblemInfo) (string, string) { return string(p.Type), p.Engineer })
	union(&b, "WidgetErrorType", "Error types of the provider's widget.", contract.WidgetErrors(),
		func(e contract.WidgetErrorInfo) (string, string) { return string(e.Type), e.Engineer })
	b.WriteString("export type ErrorType = ElementError | WidgetErrorType;\n\n/** Attributes of the element; " +
		"each is also a property. */\nexport interface VestibuleApplyAttributes {\n")
	for _, a := range Attributes() {
		fmt.Fprintf(&b, "  /** %s */\n  %s?: %s;\n", a.Doc, a.Name, a.TS)
	}
	b.WriteString("}\n\n/** Events of the element. They do not bubble. */\nexport interface VestibuleApplyEvents {\n")
	for _, e := range Events() {
		doc := e.Doc
		if e.Callback != "" {
			doc += " The widget's " + e.Callback + "."
		}
		fmt.Fprintf(&b, "  /** %s */\n  %s: CustomEvent<%s>;\n", doc, e.Name, detail(e))
	}
	b.WriteString("}\n\nexport interface VestibuleApply extends HTMLElement {\n")
	for _, a := range Attributes() {
		if a.Name == "lang" { // inherited from HTMLElement
			continue
		}
		fmt.Fprintf(&b, "  /** %s */\n  %s: %s;\n", a.Doc, a.Name, a.TS)
	}
	for _, m := range Methods() {
		fmt.Fprintf(&b, "  /** %s */\n  %s;\n", m.Doc, m.Signature)
	}
	b.WriteString(`  addEventListener<K extends keyof VestibuleApplyEvents>(
    type: K,
    listener: (this: VestibuleApply, event: VestibuleApplyEvents[K]) => unknown,
    options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener(type: string, listener: EventListenerOrEventListenerObject, options?: boolean | AddEventListenerOptions): void;
}

declare global {
  interface HTMLElementTagNameMap {
    "vestibule-apply": VestibuleApply;
  }
}
`)
	return b.String()
}

func detail(e Event) string {
	if len(e.Detail) == 0 {
		return "Record<string, never>"
	}
	var members []string
	for _, f := range e.Detail {
		mark := ""
		if f.Optional {
			mark = "?"
		}
		members = append(members, f.Name+mark+": "+f.TS)
	}
	return "{ " + strings.Join(members, "; ") + " }"
}

func union[T any](b *strings.Builder, name, doc string, rows []T, of func(T) (value, doc string)) {
	fmt.Fprintf(b, "/** %s */\nexport type %s =\n", doc, name)
	for i, r := range rows {
		value, doc := of(r)
		if doc != "" {
			fmt.Fprintf(b, "  /** %s */\n", doc)
		}
		end := ""
		if i == len(rows)-1 {
			end = ";"
		}
		fmt.Fprintf(b, "  | %q%s\n", value, end)
	}
	b.WriteString("\n")
}

// Names returns the TypeScript constants that the script needs at run time.
func Names() string {
	var b strings.Builder
	b.WriteString("// Code generated by go generate from the portal's tables; DO NOT EDIT.\n\n")
	line := func(name string, values []string) {
		fmt.Fprintf(&b, "export const %s: readonly string[] = [", name)
		for i, v := range values {
			if i > 0 {
				b.WriteString(", ")
			}
			fmt.Fprintf(&b, "%q", v)
		}
		b.WriteString("];\n")
	}
	var properties, framed []string
	for _, a := range Attributes() {
		if a.Name != "lang" { // inherited from HTMLElement
			properties = append(properties, a.Name)
		}
	}
	for _, e := range Events() {
		if e.Framed {
			framed = append(framed, e.Name)
		}
	}
	line("properties", properties)
	line("framed", framed)
	return b.String()
}

// Guide returns the tables of docs/tutorials/embed.md, by the names of their placeholders.
func Guide() map[string]string {
	table := func(head string, rows ...string) string {
		columns := strings.Count(head, "|") - 1
		return head + "\n|" + strings.Repeat("---|", columns) + "\n" + strings.Join(rows, "")
	}
	code := func(s string) string { return "`" + strings.ReplaceAll(s, "|", `\|`) + "`" }
	var attributes, methods, events, problems []string
	for _, a := range Attributes() {
		attributes = append(attributes, fmt.Sprintf("| `%s` | %s | %s | %s |\n", a.Name, code(a.TS), a.Default, a.Doc))
	}
	for _, m := range Methods() {
		methods = append(methods, fmt.Sprintf("| `%s()` | %s |\n", m.Name, m.Doc))
	}
	for _, e := range Events() {
		callback := ""
		if e.Callback != "" {
			callback = code(e.Callback)
		}
		carries := ""
		if len(e.Detail) > 0 {
			carries = code(detail(e))
		}
		events = append(events, fmt.Sprintf("| `%s` | %s | %s | %s |\n", e.Name, callback, carries, e.Doc))
	}
	for _, p := range Problems() {
		problems = append(problems, fmt.Sprintf("| `%s` | %s |\n", p.Type, p.Engineer))
	}
	return map[string]string{
		"attributes": table("| attribute | type | default | |", attributes...),
		"methods":    table("| method | |", methods...),
		"events":     table("| event | callback | detail | |", events...),
		"problems":   table("| `errorType` | cause and fix |", problems...),
	}
}
