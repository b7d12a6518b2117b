package apidocs

import (
	"iter"
	"strings"

	"go.yaml.in/yaml/v3"
)

// get returns the member at the end of a path of names, or nil.
func get(n *yaml.Node, path ...string) *yaml.Node {
	for _, name := range path {
		var next *yaml.Node
		for k, v := range members(n) {
			if k == name {
				next = v
				break
			}
		}
		n = next
	}
	return n
}

// text returns a scalar member, or "".
func text(n *yaml.Node, name string) string {
	v := get(n, name)
	if v == nil || v.Kind != yaml.ScalarNode {
		return ""
	}
	return v.Value
}

// members iterates over a mapping in the document's order.
func members(n *yaml.Node) iter.Seq2[string, *yaml.Node] {
	return func(yield func(string, *yaml.Node) bool) {
		if n == nil || n.Kind != yaml.MappingNode {
			return
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			if !yield(n.Content[i].Value, n.Content[i+1]) {
				return
			}
		}
	}
}

func items(n *yaml.Node) []*yaml.Node {
	if n == nil || n.Kind != yaml.SequenceNode {
		return nil
	}
	return n.Content
}

// follow resolves a $ref; it returns a node without one unchanged.
func (r *reader) follow(n *yaml.Node) *yaml.Node {
	for range 10 {
		ref := text(n, "$ref")
		if ref == "" {
			return n
		}
		path, ok := strings.CutPrefix(ref, "#/")
		if n = get(r.root, strings.Split(path, "/")...); !ok || n == nil {
			r.fail("%s leads nowhere", ref)
			return nil
		}
	}
	r.fail("references lead in a circle")
	return nil
}

// json returns the JSON content of a body or an answer, or nil.
func (r *reader) json(n *yaml.Node) *yaml.Node {
	return get(r.follow(n), "content", "application/json")
}
