package apidocs

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxEnumValues is the maximum number of enumeration values listed in place.
const maxEnumValues = 14

// maxDepth is the maximum depth to which bodies are expanded.
const maxDepth = 6

// row returns the row of a field with that schema.
func (r *reader) row(name string, s *yaml.Node) Row {
	return Row{Name: name, Type: r.typeOf(s, false), Limits: r.limits(s), About: r.about(s)}
}

// rows returns the fields of an object, or of the objects in an array. With unfold, it
// includes the fields of named shapes in place of a link.
func (r *reader) rows(s *yaml.Node, inside string, unfold bool, depth int) []Row {
	var out []Row
	s = r.follow(s)
	if items := get(s, "items"); items != nil {
		return r.rows(items, inside+"[].", unfold, depth)
	}
	fields, required := r.fields(s)
	for _, f := range fields {
		row := r.row(f.name, f.schema)
		row.Inside, row.Required = inside, slices.Contains(required, f.name)
		core, path := r.core(f.schema), inside+f.name
		if list := get(core, "items"); list != nil {
			core, path = r.core(list), path+"[]"
		}
		inner, _ := r.fields(core)
		opens := len(inner) > 0 && depth < maxDepth && (unfold || row.Type.Shape == "")
		if opens {
			row.Type = r.typeOf(f.schema, true)
		} else {
			r.addShapes(row.Type)
		}
		out = append(out, row)
		if opens {
			out = append(out, r.rows(core, path+".", unfold, depth+1)...)
		}
	}
	return out
}

type field struct {
	name   string
	schema *yaml.Node
}

// fields returns an object's fields, including those of its allOf parts.
func (r *reader) fields(s *yaml.Node) (fields []field, required []string) {
	s = r.follow(s)
	for _, part := range items(get(s, "allOf")) {
		f, q := r.fields(part)
		fields, required = append(fields, f...), append(required, q...)
	}
	for name, f := range members(get(s, "properties")) {
		fields = append(fields, field{name, f})
	}
	for _, name := range items(get(s, "required")) {
		required = append(required, name.Value)
	}
	return fields, required
}

// core returns a schema without null as alternative and without a wrapping allOf.
func (r *reader) core(s *yaml.Node) *yaml.Node {
	s = r.follow(s)
	if parts := items(get(s, "allOf")); len(parts) == 1 && get(s, "properties") == nil {
		return r.core(parts[0])
	}
	for _, choice := range choices(s) {
		if text(choice, "type") != "null" {
			return r.core(choice)
		}
	}
	return s
}

// choices returns the alternatives of oneOf and anyOf.
func choices(s *yaml.Node) []*yaml.Node {
	return slices.Concat(items(get(s, "oneOf")), items(get(s, "anyOf")))
}

// typeOf returns a readable type. It links to a named shape unless plain requests its
// kind only.
func (r *reader) typeOf(s *yaml.Node, plain bool) Type {
	if ref := text(s, "$ref"); ref != "" {
		name := ref[strings.LastIndexByte(ref, '/')+1:]
		if fields, _ := r.fields(s); len(fields) > 0 && !plain {
			return Type{Words: name, Shape: shapeID(name)}
		}
		return r.typeOf(r.follow(s), plain)
	}
	if parts := items(get(s, "allOf")); len(parts) == 1 && get(s, "properties") == nil {
		return r.typeOf(parts[0], plain)
	} else if len(parts) > 0 {
		return Type{Words: "object"}
	}
	if all := choices(s); len(all) > 0 {
		out := r.typeOf(all[0], plain)
		for _, c := range all[1:] {
			t := r.typeOf(c, plain)
			if t.Shape == "" && len(out.Or) == 0 {
				out.Words += " or " + t.Words
			} else {
				out.Or = append(out.Or, t)
			}
		}
		return out
	}
	var kinds []string
	for _, t := range append(items(get(s, "type")), singleton(get(s, "type"))...) {
		kinds = append(kinds, t.Value)
	}
	if i := slices.Index(kinds, "array"); i >= 0 {
		list := r.typeOf(get(s, "items"), plain)
		kinds[i] = "array of " + list.Words
		return Type{Words: strings.Join(kinds, " or "), Shape: list.Shape}
	}
	words := strings.Join(kinds, " or ")
	if words == "" && get(s, "const") != nil {
		words = "constant"
	}
	if format := text(s, "format"); format != "" {
		words = strings.Replace(words, "string", format, 1)
	}
	return Type{Words: words}
}

// singleton returns a scalar as a list of one.
func singleton(n *yaml.Node) []*yaml.Node {
	if n == nil || n.Kind != yaml.ScalarNode {
		return nil
	}
	return []*yaml.Node{n}
}

// addShapes adds the named shapes of a type to those to describe.
func (r *reader) addShapes(t Type) {
	for _, t := range append(t.Or, t) {
		if name, ok := strings.CutPrefix(t.Shape, "shape-"); ok && !r.seen[name] {
			r.seen[name] = true
			r.shapes = append(r.shapes, name)
		}
	}
}

func (r *reader) about(s *yaml.Node) string {
	if about := text(s, "description"); about != "" {
		return about
	}
	if core := r.core(s); core != nil && get(core, "properties") == nil && get(core, "allOf") == nil {
		return text(core, "description")
	}
	return ""
}

// limits returns the readable constraints of a value besides its type.
func (r *reader) limits(s *yaml.Node) []string {
	s = r.core(s)
	var out []string
	if c := get(s, "const"); c != nil {
		out = append(out, "always "+c.Value)
	}
	if values := items(get(s, "enum")); len(values) > maxEnumValues {
		out = append(out, "one of the error codes")
	} else if len(values) > 0 {
		var words []string
		for _, v := range values {
			if v.Value != "" && v.Value != "null" {
				words = append(words, v.Value)
			}
		}
		out = append(out, "one of "+strings.Join(words, ", "))
	}
	between := func(low, high, unit string) {
		least, most := text(s, low), text(s, high)
		switch {
		case least != "" && most != "":
			out = append(out, least+" to "+most+unit)
		case least != "":
			out = append(out, "at least "+least+unit)
		case most != "":
			out = append(out, "at most "+most+unit)
		}
	}
	between("minLength", "maxLength", " characters")
	between("minimum", "maximum", "")
	between("minItems", "maxItems", " elements")
	if p := text(s, "pattern"); p != "" && text(s, "format") == "" && text(s, "description") == "" {
		out = append(out, "matches "+p)
	}
	if d := get(s, "default"); d != nil {
		out = append(out, d.Value+" unless given")
	}
	return out
}
