package visits

import (
	"fmt"
	"strings"

	"vestibule/internal/contract"
)

// OptionsTable is the register options as a table for the guide.
func OptionsTable() string {
	var b strings.Builder
	b.WriteString("| option | type | required | |\n|---|---|---|---|\n")
	for _, o := range contract.Options() {
		required := "no"
		if o.Required {
			required = "yes"
		}
		fmt.Fprintf(&b, "| `%s` | `%s` | %s | %s |\n", o.Name, strings.ReplaceAll(o.TS, "|", `\|`), required, o.Doc)
	}
	return b.String()
}

// ErrorsTable is the widget error types as a table for the guide.
func ErrorsTable() string {
	var b strings.Builder
	b.WriteString("| error type | cause and remedy | what the applicant reads | try again |\n|---|---|---|---|\n")
	for _, e := range contract.WidgetErrors() {
		again := "no"
		if e.Retry {
			again = "with a fresh token"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", e.Type, e.Engineer, e.Applicant.EN, again)
	}
	return b.String()
}
