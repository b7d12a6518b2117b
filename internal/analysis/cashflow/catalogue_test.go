package cashflow

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestCatalogueMatchesTable compares the catalogue with the table of its design.
func TestCatalogueMatchesTable(t *testing.T) {
	raw, err := os.ReadFile("testdata/attributes.tsv")
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	got.WriteString("name\tnode\tcalc\twindow\tvalue_type\tadverse_action_code\tdescription\n")
	for _, d := range Catalogue() {
		got.WriteString(strings.Join([]string{d.Name, string(d.Node), string(d.Calculation), d.Window.String(),
			d.Type.String(), d.Code, d.Description()}, "\t") + "\n")
	}
	if diff := cmp.Diff(strings.TrimSpace(string(raw)), strings.TrimSpace(got.String())); diff != "" {
		t.Errorf("the catalogue differs from the table:\n%s", diff)
	}
	if n := len(Catalogue()); n != 120 {
		t.Errorf("there are %d attributes, want 120", n)
	}
}

func TestAttributesAreComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, d := range append(Catalogue(), Deprecated()...) {
		if seen[d.Name] {
			t.Errorf("%s is listed twice", d.Name)
		}
		seen[d.Name] = true
		if len(d.Code) != 2 || d.Code == "00" || Reason(d.Code) == "" {
			t.Errorf("%s has the code %q, %q", d.Name, d.Code, Reason(d.Code))
		}
		if d.measure == nil || d.Description() == "" {
			t.Errorf("%s has no measure or description", d.Name)
		}
	}
}

// TestDeprecatedFamily checks that the deprecated family has all five value types and all
// five nodes of the API.
func TestDeprecatedFamily(t *testing.T) {
	types, nodes := map[ValueType]int{}, map[Node]int{}
	for _, d := range Deprecated() {
		types[d.Type]++
		nodes[d.Node]++
		if !strings.HasPrefix(d.Name, "AV_"+string(d.Node)+"_") || d.Type < OldBoolean {
			t.Errorf("%s is of %s and %s", d.Name, d.Node, d.Type)
		}
	}
	for _, want := range []ValueType{OldBoolean, OldDollar, OldFloat, OldShort, OldLong} {
		if types[want] == 0 {
			t.Errorf("no attribute is a %s", want)
		}
	}
	for _, want := range []Node{NodeAssets, NodeExpenses, NodeIncome, NodeRatio, NodeTotals} {
		if nodes[want] == 0 {
			t.Errorf("no attribute is of %s", want)
		}
	}
	if len(nodes) != 5 || len(Deprecated()) != 24 {
		t.Errorf("%d attributes in %d nodes", len(Deprecated()), len(nodes))
	}
}
