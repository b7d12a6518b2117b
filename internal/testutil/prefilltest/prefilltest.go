// Package prefilltest holds the table of prefill cases. Tests run it natively, in the
// WASM module under Node, and against the provider's initialization endpoint; all three
// must agree.
package prefilltest

import (
	_ "embed"
	"encoding/json"
	"strings"
	"testing"

	"vestibule/internal/contract"
	"vestibule/internal/prefill"
	"vestibule/internal/testutil"
)

// Table is the file of cases: a JSON array, one case a line.
//
//go:embed cases.json
var Table []byte

// Case is a prefill object and its expected problems.
type Case struct {
	Name        string               `json:"name"` // a fragment of a sentence; unique
	Product     contract.Product     `json:"product"`
	Environment contract.Environment `json:"environment"` // "" is the sandbox
	AssetsOnly  bool                 `json:"assetsOnly"`  // eligibility's assets-only workflow
	Today       string               `json:"today"`       // YYYY-MM-DD, UTC
	Prefill     json.RawMessage      `json:"prefill"`
	Problems    []string             `json:"problems"` // "field CODE", in the order they are reported
}

// Cases reads the table.
func Cases(t testing.TB) []Case {
	t.Helper()
	var cases []Case
	testutil.Must(t, json.Unmarshal(Table, &cases))
	return cases
}

// Code returns the error code that an endpoint must answer; empty if it accepts the
// object.
func (c Case) Code() contract.WidgetError {
	problems := make([]prefill.Problem, len(c.Problems))
	for i, p := range c.Problems {
		cut := strings.LastIndexByte(p, ' ')
		problems[i] = prefill.Problem{Field: p[:cut], Code: contract.WidgetError(p[cut+1:])}
	}
	return prefill.First(problems)
}

// Rules returns the rules that the case is checked with.
func (c Case) Rules(t testing.TB) prefill.Rules {
	t.Helper()
	today, ok := prefill.ParseDate(c.Today)
	if !ok {
		t.Fatalf("%s: today is %q", c.Name, c.Today)
	}
	return prefill.Rules{Product: c.Product, Environment: c.Environment, Today: today, AssetsOnly: c.AssetsOnly}
}

// Lines formats problems as in the table.
func Lines(problems []prefill.Problem) []string {
	out := []string{}
	for _, p := range problems {
		out = append(out, p.Field+" "+string(p.Code))
	}
	return out
}
