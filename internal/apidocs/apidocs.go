// Package apidocs parses an OpenAPI document for a reference page: sections of
// operations with their parameters, bodies, answers, error codes and examples, and the
// shapes that they share, in the document's order.
//
// The error codes of a response are the enum of its body's field error.
//
// It converts the document's bytes to values, which templates/ui renders. It supports
// the parts of OpenAPI 3.1 that our two documents use, and refuses an unresolvable
// reference, so that a mistake stops the program at its start.
package apidocs

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"vestibule/internal/contract"
)

// Document is one document.
type Document struct {
	Title, Version, About string
	Server                string // the base of the samples, without a trailing slash
	Access                []Access
	Sections              []Section
	Shapes                []Shape
	Errors                []contract.CodeInfo
}

// Access is one way to authenticate.
type Access struct{ Name, Scheme, About string }

// Section is the operations of one tag, or the webhooks. ID can be a part of a path.
type Section struct {
	ID, Name, About string
	Operations      []Operation
}

// Operation is one path and method.
type Operation struct {
	ID, Method, Path, Title, About string
	Access                         string // name of an Access; empty without authentication
	Parameters                     []Row
	Body                           *Body // nil for none
	Answers                        []Answer
	Samples                        []Sample // nil for a webhook
}

// Body is a request body.
type Body struct {
	About   string
	Rows    []Row
	Example string // indented JSON
}

// Answer is the answer of one status. Status is "default" for statuses that are not
// listed. An error has Codes and nothing below it.
type Answer struct {
	Status, About string
	Codes         []contract.Code
	Headers       []Row
	Type          Type  // of the whole; zero for no body
	Rows          []Row // of a shape that has no name
	Example       string
}

// Shape is a named object.
type Shape struct {
	ID, Name, About string
	Rows            []Row
}

// Row is one field or parameter. Inside is the path of its object, such as
// "accounts[].", and empty at the top.
type Row struct {
	Inside, Name string
	In           string // of a parameter: header, path or query
	Type         Type
	Required     bool
	Limits       []string
	About        string
	Example      string // of a parameter
}

// Type is a readable description of a type. Shape is the id of its named shape, if any;
// Or lists alternatives.
type Type struct {
	Words, Shape string
	Or           []Type
}

// reader reads one document.
type reader struct {
	root   *yaml.Node
	shapes []string        // linked shapes, in order
	seen   map[string]bool // of shapes
	server string
	access map[string]Access
	err    error // the first mistake
}

var methods = []string{"get", "post", "put", "patch", "delete"}

// Read parses a document in JSON or YAML.
func Read(document []byte) (Document, error) {
	var top yaml.Node
	if err := yaml.Unmarshal(document, &top); err != nil {
		return Document{}, fmt.Errorf("apidocs: %w", err)
	}
	if top.Kind != yaml.DocumentNode || top.Content[0].Kind != yaml.MappingNode {
		return Document{}, fmt.Errorf("apidocs: not an OpenAPI document")
	}
	r := &reader{root: top.Content[0], seen: map[string]bool{}, access: map[string]Access{}}
	if servers := items(get(r.root, "servers")); len(servers) > 0 {
		r.server = text(servers[0], "url")
		for name, v := range members(get(servers[0], "variables")) {
			r.server = strings.ReplaceAll(r.server, "{"+name+"}", text(v, "default"))
		}
	}
	info := get(r.root, "info")
	m := Document{Title: text(info, "title"), Version: text(info, "version"), About: text(info, "description"), Server: r.server}
	for name, s := range members(get(r.root, "components", "securitySchemes")) {
		a := Access{name, text(s, "scheme"), text(s, "description")}
		r.access[name] = a
		m.Access = append(m.Access, a)
	}
	m.Sections = r.sections()
	if hooks := r.webhooks(); len(hooks) > 0 {
		m.Sections = append(m.Sections, Section{ID: "webhooks", Name: "Webhooks", Operations: hooks})
	}
	if get(r.root, "components", "schemas", "Error") != nil { // the body of errors
		r.addShapes(Type{Shape: shapeID("Error")})
	}
	for i := 0; i < len(r.shapes); i++ { // a shape may link to more of them
		name := r.shapes[i]
		s := get(r.root, "components", "schemas", name)
		m.Shapes = append(m.Shapes, Shape{shapeID(name), name, text(s, "description"), r.rows(s, "", false, 0)})
	}
	for _, code := range items(get(r.root, "components", "schemas", "ErrorCode", "enum")) {
		m.Errors = append(m.Errors, contract.Code(code.Value).Info())
	}
	return m, r.err
}

// sections returns the tags in the document's order; a document without tags has one
// section.
func (r *reader) sections() []Section {
	var out []Section
	at := map[string]int{}
	add := func(name string) int {
		if i, ok := at[name]; ok {
			return i
		}
		at[name] = len(out)
		out = append(out, Section{ID: slug(name), Name: name})
		return at[name]
	}
	for _, t := range items(get(r.root, "tags")) {
		out[add(text(t, "name"))].About = text(t, "description")
	}
	for path, item := range members(get(r.root, "paths")) {
		for _, method := range methods {
			op := get(item, method)
			if op == nil {
				continue
			}
			tag := "Operations"
			if tags := items(get(op, "tags")); len(tags) > 0 {
				tag = tags[0].Value
			}
			i := add(tag)
			out[i].Operations = append(out[i].Operations, r.operation(path, method, item, op))
		}
	}
	return slices.DeleteFunc(out, func(s Section) bool { return len(s.Operations) == 0 }) // such as the webhooks' tag
}

// slug converts a name to lowercase, with hyphens for spaces.
func slug(name string) string { return strings.ReplaceAll(strings.ToLower(name), " ", "-") }

func (r *reader) operation(path, method string, item, op *yaml.Node) Operation {
	out := Operation{ID: text(op, "operationId"), Method: strings.ToUpper(method), Path: path,
		Title: text(op, "summary"), About: text(op, "description")}
	if out.ID == "" {
		r.fail("%s %s has no operationId", method, path)
	}
	security := get(op, "security")
	if security == nil {
		security = get(r.root, "security")
	}
	if schemes := items(security); len(schemes) > 0 {
		for name := range members(schemes[0]) {
			out.Access = name
			if _, ok := r.access[name]; !ok {
				r.fail("%s has no security scheme %s", out.ID, name)
			}
		}
	}
	r.exchange(&out, item, op)
	out.Samples = r.samples(out, append(items(get(item, "parameters")), items(get(op, "parameters"))...))
	return out
}

// exchange reads the parameters, body and answers.
func (r *reader) exchange(out *Operation, item, op *yaml.Node) {
	for _, p := range append(items(get(item, "parameters")), items(get(op, "parameters"))...) {
		p = r.follow(p)
		row := r.row(text(p, "name"), get(p, "schema"))
		row.In, row.Required, row.Example = text(p, "in"), text(p, "required") == "true", text(p, "example")
		if about := text(p, "description"); about != "" {
			row.About = about
		}
		out.Parameters = append(out.Parameters, row)
	}
	if content := r.json(get(op, "requestBody")); content != nil {
		s := get(content, "schema")
		out.Body = &Body{About: text(r.follow(s), "description"), Rows: r.rows(s, "", true, 0), Example: r.example(out.ID+" body", content)}
	}
	for status, a := range members(get(op, "responses")) {
		out.Answers = append(out.Answers, r.answer(out.ID, status, r.follow(a)))
	}
}

// answer reads the response of one status.
func (r *reader) answer(operation, status string, a *yaml.Node) Answer {
	out := Answer{Status: status, About: text(a, "description")}
	content := r.json(a)
	if content != nil && status >= "400" { // also the default, which is for errors
		if out.Codes = r.codes(get(content, "schema")); len(out.Codes) == 0 {
			r.fail("%s answers %s without error codes", operation, status)
		}
		return out
	}
	for name, h := range members(get(a, "headers")) {
		h = r.follow(h)
		row := r.row(name, get(h, "schema"))
		if about := text(h, "description"); about != "" {
			row.About = about
		}
		out.Headers = append(out.Headers, row)
	}
	if content != nil {
		s := get(content, "schema")
		out.Type = r.typeOf(s, false)
		r.addShapes(out.Type)
		if out.Type.Shape == "" {
			out.Rows = r.rows(s, "", false, 0)
		}
		out.Example = r.example(operation+" "+status, content)
	}
	return out
}

// codes returns the error codes that a body of this schema may have, which it lists
// itself or beside a reference.
func (r *reader) codes(s *yaml.Node) []contract.Code {
	var out []contract.Code
	for _, c := range items(get(s, "properties", "error", "enum")) {
		if string(contract.Code(c.Value).Info().Code) != c.Value {
			r.fail("%s is not an error code", c.Value)
		}
		out = append(out, contract.Code(c.Value))
	}
	return out
}

func (r *reader) webhooks() []Operation {
	var out []Operation
	for name, item := range members(get(r.root, "webhooks")) {
		for _, method := range methods {
			op := get(item, method)
			if op == nil {
				continue
			}
			o := Operation{ID: "webhook-" + name, Method: strings.ToUpper(method), Path: "your callback",
				Title: text(op, "summary"), About: text(op, "description")}
			r.exchange(&o, item, op)
			out = append(out, o)
		}
	}
	return out
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("apidocs: "+format, args...)
	}
}

func shapeID(name string) string { return "shape-" + name }
