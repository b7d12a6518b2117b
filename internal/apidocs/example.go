package apidocs

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"vestibule/internal/contract"
)

// example returns the content's example, or one made from its schema, as indented JSON.
func (r *reader) example(content *yaml.Node) string {
	var raw, out bytes.Buffer
	if e := get(content, "example"); e != nil {
		r.value(&raw, e)
	} else {
		r.writeExample(&raw, get(content, "schema"), 0)
	}
	if err := json.Indent(&out, raw.Bytes(), "", "  "); err != nil {
		r.fail("example: %w", err)
	}
	return out.String()
}

// errorExample returns the example of an error: that of the content or schema, or else the
// operation's code with this status. Of several codes it takes the last, since shared
// codes come first. It omits details, which name a field.
func (r *reader) errorExample(o *Operation, status string, content *yaml.Node) string {
	schema := r.follow(get(content, "schema"))
	if get(content, "example") != nil || example(schema) != nil {
		return r.example(content)
	}
	var code contract.CodeInfo
	for _, c := range o.Errors {
		if strconv.Itoa(c.Status) == status {
			code = c
		}
	}
	if code.Code == "" {
		r.fail("%s answers %s, and none of its x-errors does", o.ID, status)
	}
	var raw, out bytes.Buffer
	fields, _ := r.fields(r.core(schema))
	for _, f := range fields {
		if f.name == "details" {
			continue
		}
		raw.WriteByte("{,"[min(raw.Len(), 1)])
		r.string(&raw, f.name)
		raw.WriteByte(':')
		switch f.name {
		case "error":
			r.string(&raw, string(code.Code))
		case "message":
			r.string(&raw, code.Words)
		default:
			r.writeExample(&raw, f.schema, 1)
		}
	}
	raw.WriteByte('}')
	if err := json.Indent(&out, raw.Bytes(), "", "  "); err != nil {
		r.fail("example: %w", err)
	}
	return out.String()
}

// writeExample writes a value that the schema allows, its example if it has one.
func (r *reader) writeExample(out *bytes.Buffer, s *yaml.Node, depth int) {
	if e := example(s); e != nil {
		r.value(out, e)
		return
	}
	s = r.follow(s)
	if e := example(s); e != nil {
		r.value(out, e)
		return
	}
	s = r.core(s)
	fields, _ := r.fields(s)
	values := items(get(s, "enum"))
	kind, kinds := text(s, "type"), items(get(s, "type"))
	switch {
	case example(s) != nil:
		r.value(out, example(s))
	case get(s, "const") != nil:
		r.value(out, get(s, "const"))
	case len(values) > 0:
		r.value(out, values[0])
	case len(fields) > 0 && depth < 2*maxDepth:
		out.WriteByte('{')
		for i, f := range fields {
			if i > 0 {
				out.WriteByte(',')
			}
			r.string(out, f.name)
			out.WriteByte(':')
			r.writeExample(out, f.schema, depth+1)
		}
		out.WriteByte('}')
	case kind == "array", slices.ContainsFunc(kinds, func(n *yaml.Node) bool { return n.Value == "array" }):
		out.WriteByte('[')
		least, _ := strconv.Atoi(text(s, "minItems")) // 0 without a number
		for i := range min(max(least, 1), 50) {
			if i > 0 {
				out.WriteByte(',')
			}
			r.writeExample(out, get(s, "items"), depth+1)
		}
		out.WriteByte(']')
	case slices.ContainsFunc(kinds, func(n *yaml.Node) bool { return n.Value == "null" }):
		out.WriteString("null")
	case kind == "object":
		// Members without a schema have that of additionalProperties.
		out.WriteByte('{')
		for i, name := range items(get(s, "required")) {
			if i > 0 {
				out.WriteByte(',')
			}
			r.string(out, name.Value)
			out.WriteByte(':')
			r.writeExample(out, get(s, "additionalProperties"), depth+1)
		}
		out.WriteByte('}')
	case kind == "string" && formats[text(s, "format")] != "":
		r.string(out, formats[text(s, "format")])
	case kind == "string":
		r.string(out, "…")
	case kind == "integer", kind == "number":
		out.WriteString(cmp.Or(text(s, "minimum"), "0"))
	case kind == "boolean":
		out.WriteString("true")
	case len(kinds) > 0 && kinds[0].Value == "integer":
		out.WriteByte('0')
	default:
		out.WriteString("null")
	}
}

// formats holds values of formats, for schemas without an example.
var formats = map[string]string{"uuid": "2f5c7a52-8f0b-4d53-9a5e-0d2f6f3c9b11",
	"date": "2026-11-20", "date-time": "2026-11-20T09:30:00.000Z"}

// example returns the schema's example.
func example(s *yaml.Node) *yaml.Node {
	for _, e := range items(get(s, "examples")) {
		return e
	}
	return nil
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

// curl returns a shell command that calls the operation with its required data and the
// parameters that have examples.
func (r *reader) curl(o Operation, parameters []*yaml.Node) string {
	path := o.Path
	var headers, query []string
	for _, p := range parameters {
		p = r.follow(p)
		name, value := text(p, "name"), text(p, "example")
		if value == "" && text(p, "required") != "true" {
			continue
		}
		switch text(p, "in") {
		case "path":
			if value != "" {
				path = strings.Replace(path, "{"+name+"}", value, 1)
			}
		case "query":
			query = append(query, name+"="+value)
		case "header":
			headers = append(headers, "-H "+quote(name+": "+value))
		}
	}
	if len(query) > 0 {
		path += "?" + strings.Join(query, "&")
	}
	first := "curl -s"
	if o.Method != "GET" {
		first += " -X " + o.Method
	}
	lines := []string{first + " " + quote(r.server+path)}
	if a, ok := r.access[o.Access]; ok && a.Scheme == "basic" {
		lines = append(lines, `-u "$CLIENT_ID:$SECRET_KEY"`)
	} else if ok {
		lines = append(lines, `-H "Authorization: Bearer $`+strings.ToUpper(a.Name)+`"`)
	}
	lines = append(lines, headers...)
	if o.Body != nil {
		lines = append(lines, "-H 'Content-Type: application/json'", "-d "+quote(o.Body.Example))
	}
	return strings.Join(lines, " \\\n  ")
}

// quote returns s as one word for the shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
