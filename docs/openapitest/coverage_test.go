package openapitest

import (
	"slices"
	"strings"
	"testing"

	"vestibule/internal/apidocs"
	"vestibule/internal/testutil"
)

func TestLackingListsUncoveredParts(t *testing.T) {
	wanted := []string{"GET /a 200", "GET /a 404 NOT_FOUND", "GET /b 200", "GET /c 200"}
	reached := map[string]bool{"GET /a 200": true, "GET /c 200": true, "GET /other 200": true}
	got := lacking(wanted, reached, func(a string) bool { return a == "GET /b 200" || a == "GET /c 200" })
	want := []string{"no test reaches GET /a 404 NOT_FOUND, which is documented", "GET /c 200 is reached, and excused as another package's"}
	if !slices.Equal(got, want) {
		t.Errorf("lacking = %q, want %q", got, want)
	}
}

// TestEveryOperationListsItsErrors requires documented errors for every operation with
// credentials.
func TestEveryOperationListsItsErrors(t *testing.T) {
	for _, d := range []Document{OfTheService, OfThePortal} {
		m, err := documents[d]()
		testutil.Must(t, err)
		all := documented(t, d)
		for _, s := range m.Sections {
			for _, op := range s.Operations {
				name := op.Method + " " + op.Path
				refused := slices.ContainsFunc(op.Answers, func(a apidocs.Answer) bool { return a.Status != "default" && len(a.Codes) > 0 })
				if op.Access != "" && !refused {
					t.Errorf("%s documents no error", name)
				}
				if op.Body != nil && len(op.Samples) > 0 && !all[name+" 400 MALFORMED_BODY"] {
					t.Errorf("%s takes a body and lacks MALFORMED_BODY", name)
				}
			}
		}
		if len(all) < 30 || !slices.ContainsFunc(sorted(all), func(a string) bool { return strings.HasSuffix(a, " 200") }) {
			t.Errorf("%d answers are documented", len(all))
		}
	}
}

func sorted(set map[string]bool) []string {
	var out []string
	for a := range set {
		out = append(out, a)
	}
	slices.Sort(out)
	return out
}
