package strictyaml

import (
	"testing"

	yaml "go.yaml.in/yaml/v3"
)

type document struct {
	Name  string
	Count int
	Tags  []string
}

func TestDecodeNamesTheMistake(t *testing.T) {
	for text, want := range map[string]string{
		"":                           "",
		"name: a\ncount: 1":          "",
		"name: a\nnmae: b":           "line 2: the key nmae is unknown",
		"name: [a]":                  "line 1: a list cannot be used here",
		"tags: {a: b}":               "line 1: keys with values cannot be used here",
		"count: many\nother: 1":      "line 1: the value `many` cannot be used here\nline 2: the key other is unknown",
		"- a":                        "line 1: a list cannot be used here",
		"name: a\nname: b":           `line 2: the key "name" is there twice`,
		"name: \"\n":                 "line 2: found unexpected end of stream",
		"name: a\n---\nname: second": "contains more than one document",
	} {
		var d document
		got := ""
		if err := Decode([]byte(text), &d); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestDecodeNodeHasNoLineNumbers(t *testing.T) {
	var all []yaml.Node
	if err := Decode([]byte("- name: a\n- name: b\n  count: x\n  kind: c\n"), &all); err != nil {
		t.Fatal(err)
	}
	var first document
	if err := DecodeNode(&all[0], &first); err != nil || first.Name != "a" {
		t.Errorf("%+v, %v", first, err)
	}
	const want = "the value `x` cannot be used here\nthe key kind is unknown"
	if err := DecodeNode(&all[1], new(document)); err == nil || err.Error() != want {
		t.Errorf("%v, want %q", err, want)
	}
}
