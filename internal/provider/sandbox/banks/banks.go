// Package banks is the catalogue of mock banks for the sandbox's widget and the list
// of banks (API reference: Reports). All names are invented, and all domains are under
// the top-level domain reserved for examples. Every bank accepts the same usernames;
// online-only banks issue tokenized account numbers.
package banks

import (
	_ "embed"
	"strings"

	"vestibule/internal/provider/sandbox/signin"
	"vestibule/internal/provider/sources"
)

// Bank is one mock bank.
type Bank struct {
	sources.Institution
	FDX bool // reached by FDX, with sign-in at the pages of package fdxbank, not by a form
}

// banks.txt describes its format in its header.
//
//go:embed banks.txt
var catalogue string

// All returns the catalogue in alphabetical order.
func All() []Bank {
	var out []Bank
	for line := range strings.Lines(catalogue) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		name, rest, _ := strings.Cut(strings.TrimSpace(line), "|")
		place, rest, _ := strings.Cut(rest, "|")
		domains, large := strings.CutSuffix(rest, "|large")
		b := Bank{Institution: sources.Institution{ID: signin.Slug(name), Name: name, Place: place, Tokens: place == "Online", Large: large}}
		host := strings.ReplaceAll(b.ID, "-", "") + ".example"
		b.FDX = domains == "fdx"
		if domains == "" || b.FDX {
			b.OAuth = []string{"login." + host}
		}
		if domains != "none" {
			b.Homepage = []string{"www." + host}
		}
		out = append(out, b)
	}
	return out
}
