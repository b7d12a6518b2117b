package apidocs

import (
	"bytes"
	"cmp"
	"encoding/json"

	"go.yaml.in/yaml/v3"
)

// example returns the first example of a content, or else of its schema, as indented
// JSON.
func (r *reader) example(of string, content *yaml.Node) string {
	e := get(content, "example")
	for _, named := range members(get(content, "examples")) {
		e = get(r.follow(named), "value")
		break
	}
	for _, own := range items(get(r.follow(get(content, "schema")), "examples")) {
		e = cmp.Or(e, own)
	}
	if e == nil {
		r.fail("%s has no example", of)
		return ""
	}
	var raw, out bytes.Buffer
	r.value(&raw, e)
	if err := json.Indent(&out, raw.Bytes(), "", "  "); err != nil {
		r.fail("example: %w", err)
	}
	return out.String()
}

// value writes a node as JSON.
func (r *reader) value(out *bytes.Buffer, n *yaml.Node) {
	switch n.Kind {
	case yaml.MappingNode:
		out.WriteByte('{')
		for i := 0; i+1 < len(n.Content); i += 2 {
			if i > 0 {
				out.WriteByte(',')
			}
			r.string(out, n.Content[i].Value)
			out.WriteByte(':')
			r.value(out, n.Content[i+1])
		}
		out.WriteByte('}')
	case yaml.SequenceNode:
		out.WriteByte('[')
		for i, item := range n.Content {
			if i > 0 {
				out.WriteByte(',')
			}
			r.value(out, item)
		}
		out.WriteByte(']')
	default:
		var v any
		if err := n.Decode(&v); err != nil {
			r.fail("example: %w", err)
		}
		if s, ok := v.(string); ok {
			r.string(out, s)
			return
		}
		raw, err := json.Marshal(v)
		if err != nil {
			r.fail("example: %w", err)
		}
		out.Write(raw)
	}
}

// string writes s as JSON, without the escapes that only HTML would need.
func (r *reader) string(out *bytes.Buffer, s string) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // cannot fail for a string
	out.Write(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}
