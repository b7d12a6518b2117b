package visits

import (
	"fmt"
	"strings"

	"vestibule/internal/contract"
)

// Declarations is the TypeScript declaration of the widget, made from the tables
// of svc: options, statuses and error types as the Go code knows them.
func Declarations() string {
	var b strings.Builder
	b.WriteString(`// TypeScript declarations of the widget, made from the service's own tables.
// Load the script of the provider's /widget/v1/widget.js; it sets window.SvcWidget.

`)
	union(&b, "Status", "Status of a report.", contract.Statuses(), func(s contract.Status) (string, string) { return string(s), "" })
	union(&b, "WidgetErrorType", "Why an applicant could not finish.", contract.WidgetErrors(),
		func(e contract.WidgetErrorInfo) (string, string) { return string(e.Type), e.Engineer })
	b.WriteString(`/** Applicant data from the client. */
export interface Prefill {
  firstName?: string;
  lastName?: string;
  email?: string;
  /** YYYY-MM-DD */
  dob?: string;
  phone?: string;
  address?: string;
  city?: string;
  state?: string;
  zip?: string;
  statedAnnualIncome?: number;
  statedEmployerName?: string;
  /** Income and eligibility: one to six names. */
  statedEmployerNames?: string[];
}

export interface RegisterOptions {
`)
	for _, o := range contract.Options() {
		mark := "?"
		if o.Required {
			mark = ""
		}
		fmt.Fprintf(&b, "  /** %s */\n  %s%s: %s;\n", o.Doc, o.Name, mark, o.TS)
	}
	b.WriteString(`}

export interface SvcWidget {
  /** Shows the widget in #nova-embed, or readies it for fire() with useManualFire. */
  register(options: RegisterOptions): void;
  /** Opens the widget as a dialog. */
  fire(): void;
  /** Removes widget and script, and leaves the page as it was. Safe to call again. */
  destroy(): void;
}

declare global {
  interface Window {
    SvcWidget?: SvcWidget;
  }
}
`)
	return b.String()
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
