package openapitest

import (
	"bytes"
	"cmp"
	"fmt"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/routers"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// spec is a parsed document.
type spec struct {
	doc      *openapi3.T
	mu       sync.Mutex
	compiler *jsonschema.Compiler
	compiled map[string]*jsonschema.Schema // by JSON pointer; each is compiled once
}

// load parses and validates a document.
func load(source func() ([]byte, error)) (*spec, error) {
	raw, err := source()
	if err != nil {
		return nil, err
	}
	loader := openapi3.NewLoader()
	doc, err := loader.LoadFromData(raw)
	if err != nil {
		return nil, err
	}
	if err := doc.Validate(loader.Context, openapi3.IsOpenAPI31OrLater(), openapi3.DisableExamplesValidation()); err != nil {
		return nil, err
	}
	tree, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	return &spec{doc: doc, compiler: c, compiled: map[string]*jsonschema.Schema{}}, c.AddResource("openapi.json", tree)
}

// valid validates a JSON body by the schema at a JSON pointer, such as
// "/components/schemas/Error".
func (s *spec) valid(pointer string, body []byte) error {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return err
	}
	compiled, err := s.schema(pointer)
	if err != nil {
		return err
	}
	return compiled.Validate(v)
}

func (s *spec) schema(pointer string) (*jsonschema.Schema, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	compiled := s.compiled[pointer]
	if compiled == nil {
		var err error
		if compiled, err = s.compiler.Compile("openapi.json#" + pointer); err != nil {
			return nil, err
		}
		s.compiled[pointer] = compiled
	}
	return compiled, nil
}

// response validates the body of a response.
func (s *spec) response(path string, op *openapi3.Operation, resp *http.Response, body []byte) error {
	status := strconv.Itoa(resp.StatusCode)
	ref := op.Responses.Value(status)
	if ref == nil {
		status, ref = "default", op.Responses.Default()
	}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	return s.body(ref.Ref, pointer(path, resp.Request.Method, "responses", status), ref.Value.Content, kind, body)
}

// request validates the body of a request. The server takes a body without a
// Content-Type for JSON.
func (s *spec) request(r *routers.Route, h http.Header, body []byte) error {
	ref := r.Operation.RequestBody
	if ref == nil || len(body) == 0 && !ref.Value.Required {
		return nil
	}
	kind, _, _ := mime.ParseMediaType(cmp.Or(h.Get("Content-Type"), "application/json"))
	return s.body(ref.Ref, pointer(r.Path, r.Method, "requestBody"), ref.Value.Content, kind, body)
}

// body validates a body by the contents at ref, or else at inline.
func (s *spec) body(ref, inline string, contents openapi3.Content, kind string, body []byte) error {
	content := contents[kind]
	switch {
	case len(contents) == 0:
		return nil
	case content == nil:
		return fmt.Errorf("Content-Type %q is not documented", kind)
	case content.Schema == nil || kind != "application/json":
		return nil
	}
	return s.valid(cmp.Or(strings.TrimPrefix(ref, "#"), inline)+"/content/application~1json/schema", body)
}

// pointer returns the JSON pointer to a part of an operation, as a fragment of a URL.
func pointer(path, method string, part ...string) string {
	path = strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D").Replace(path)
	return "/paths/" + path + "/" + strings.ToLower(method) + "/" + strings.Join(part, "/")
}
