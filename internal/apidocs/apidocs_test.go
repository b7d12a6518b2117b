package apidocs_test

import (
	"encoding/json"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"

	"vestibule/docs"
	"vestibule/docs/openapitest"
	"vestibule/internal/apidocs"
	"vestibule/internal/contract"
	"vestibule/internal/testutil"
)

func read(t *testing.T, source func() ([]byte, error)) apidocs.Document {
	t.Helper()
	raw, err := docs.Served(source, "https://sandbox.example")()
	testutil.Must(t, err)
	m, err := apidocs.Read(raw)
	testutil.Must(t, err)
	return m
}

// operations returns a document's operations by method and path.
func operations(m apidocs.Document) map[string]apidocs.Operation {
	out := map[string]apidocs.Operation{}
	for _, s := range m.Sections {
		for _, op := range s.Operations {
			out[op.Method+" "+op.Path] = op
		}
	}
	return out
}

// TestExamplesMatchTheirDocuments compares every operation of both documents with what
// another OpenAPI parser reads.
func TestExamplesMatchTheirDocuments(t *testing.T) {
	for name, c := range map[string]struct {
		source func() ([]byte, error)
		doc    *openapi3.T
	}{
		"provider": {docs.OpenAPI, openapitest.Provider(t)},
		"portal":   {docs.PortalOpenAPI, openapitest.Portal(t)},
	} {
		read := operations(read(t, c.source))
		seen := 0
		for path, item := range c.doc.Paths.Map() {
			for method, op := range item.Operations() {
				seen++
				got, ok := read[method+" "+path]
				if !ok {
					t.Errorf("%s: %s %s is missing", name, method, path)
					continue
				}
				if got.Title == "" {
					t.Errorf("%s: %s %s has no title", name, method, path)
				}
				for _, s := range got.Samples {
					if !strings.Contains(s.Code, "https://sandbox.example/") || strings.Contains(s.Code, "<no value>") {
						t.Errorf("%s: %s %s in %s:\n%s", name, method, path, s.Language, s.Code)
					}
					if s.Language == "Go" {
						source := "package p\nfunc f() error {\n" + s.Code + "\nreturn nil\n}"
						if _, err := parser.ParseFile(token.NewFileSet(), "", source, 0); err != nil {
							t.Errorf("%s: %s %s: %v\n%s", name, method, path, err, s.Code)
						}
					}
				}
				if op.RequestBody != nil {
					allowed(t, name+" "+method+" "+path+", body", op.RequestBody.Value.Content, got.Body.Example)
				}
				for _, a := range got.Answers {
					if a.Example != "" {
						allowed(t, name+" "+method+" "+path+", "+a.Status, op.Responses.Value(a.Status).Value.Content, a.Example)
					}
				}
			}
		}
		webhooks := 0
		for _, item := range c.doc.Webhooks {
			webhooks += len(item.Operations())
		}
		if len(read) != seen+min(webhooks, 1) { // the webhooks have one path in words
			t.Errorf("%s: %d operations, want %d and the webhooks", name, len(read), seen)
		}
	}
}

func allowed(t *testing.T, what string, content openapi3.Content, example string) {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(example), &v); err != nil {
		t.Errorf("%s: %v\n%s", what, err, example)
		return
	}
	media := content.Get("application/json")
	if media == nil {
		t.Errorf("%s: an example of what has no schema: %s", what, example)
		return
	}
	if err := media.Schema.Value.VisitJSON(v, openapi3.EnableJSONSchema2020()); err != nil {
		t.Errorf("%s: the example is not allowed: %v\n%s", what, err, example)
	}
}

const small = `
openapi: 3.1.0
info: {title: Small, version: 2.0.0, description: For a test.}
servers: [{url: "http://127.0.0.1:1"}]
tags: [{name: Things, description: All things.}, {name: Events, description: Of webhooks.}]
paths:
  /things/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: string}, example: t-1}]
    put:
      tags: [Things]
      operationId: put
      summary: Put a thing
      security: [{key: []}]
      parameters:
        - {name: X-Why, in: header, required: true, schema: {type: string, enum: [a, b]}, example: it's}
        - {name: dry, in: query, schema: {type: boolean}}
      requestBody:
        content:
          application/json:
            schema: {$ref: "#/components/schemas/Thing"}
            example: {name: ada, parts: [{n: 0}]}
      responses:
        "200":
          description: Put.
          content:
            application/json:
              schema: {type: array, items: {$ref: "#/components/schemas/Thing"}}
              examples: {one: {$ref: "#/components/examples/One"}}
        "204": {description: Nothing.}
        "400": {$ref: "#/components/responses/Bad"}
components:
  examples: {One: {value: [{name: ada}]}}
  responses:
    Bad:
      description: Bad.
      content:
        application/json:
          schema: {$ref: "#/components/schemas/Part", properties: {error: {enum: [MALFORMED_BODY, INVALID_TOKEN]}}}
  securitySchemes: {key: {type: http, scheme: bearer, description: A key.}}
  schemas:
    ErrorCode: {enum: [NOT_FOUND]}
    Name: {type: string, format: uuid, minLength: 1, maxLength: 9, examples: [ada]}
    Part:
      type: object
      description: A part.
      required: [n]
      properties: {n: {type: integer, minimum: 0}}
    Thing:
      allOf:
        - type: object
          required: [name]
          properties: {name: {$ref: "#/components/schemas/Name"}}
        - properties:
            parts: {type: [array, "null"], maxItems: 2, items: {$ref: "#/components/schemas/Part"}}
            kind: {const: x}
            note: {oneOf: [{$ref: "#/components/schemas/Name"}, {type: "null"}], description: A note.}
            one: {$ref: "#/components/schemas/Part"}
`

// smallExample is the example of the body in small.
const smallExample = "{\n  \"name\": \"ada\",\n  \"parts\": [\n    {\n      \"n\": 0\n    }\n  ]\n}"

// smallShapes are the components of small.
var smallShapes = []apidocs.Shape{
	{ID: "shape-Thing", Name: "Thing", Rows: []apidocs.Row{
		row("", "name", "uuid", "", true, "", "1 to 9 characters"),
		row("", "parts", "array of Part or null", "shape-Part", false, "", "at most 2 elements"),
		row("", "kind", "constant", "", false, "", "always x"),
		row("", "note", "uuid or null", "", false, "A note.", "1 to 9 characters"),
		row("", "one", "Part", "shape-Part", false, ""),
	}},
	{ID: "shape-Part", Name: "Part", About: "A part.", Rows: []apidocs.Row{row("", "n", "integer", "", true, "", "at least 0")}},
}

// smallSamples call the operation of small.
var smallSamples = []apidocs.Sample{
	{Language: "curl", Code: `curl -s -X PUT 'http://127.0.0.1:1/things/t-1' \
  -H "Authorization: Bearer $KEY" \
  -H 'X-Why: it'\''s' \
  -H 'Content-Type: application/json' \
  -d '` + smallExample + `'`},
	{Language: "Go", Code: "body := strings.NewReader(`" + smallExample + "`)\n" +
		`req, err := http.NewRequest("PUT", "http://127.0.0.1:1/things/t-1", body)
if err != nil {
	return err
}
req.Header.Set("Authorization", "Bearer "+os.Getenv("KEY"))
req.Header.Set("X-Why", "it's")
req.Header.Set("Content-Type", "application/json")
resp, err := http.DefaultClient.Do(req)
if err != nil {
	return err
}
defer resp.Body.Close()`},
	{Language: "JavaScript", Code: `const response = await fetch("http://127.0.0.1:1/things/t-1", {
  method: "PUT",
  headers: {
    Authorization: ` + "`Bearer ${process.env.KEY}`" + `,
    "X-Why": "it's",
    "Content-Type": "application/json",
  },
  body: JSON.stringify(` + strings.ReplaceAll(smallExample, "\n", "\n  ") + `),
});
console.log(response.status, await response.text());`},
	{Language: "Python", Code: `import os

import requests

response = requests.request(
    "PUT",
    "http://127.0.0.1:1/things/t-1",
    headers={
        "Authorization": "Bearer " + os.environ["KEY"],
        "X-Why": "it's",
    },
    json=` + strings.ReplaceAll(strings.Replace(smallExample, "null", "None", 1), "\n", "\n    ") + `,
)
print(response.status_code, response.text)`},
}

// row returns a row of a table.
func row(inside, name, kind, shape string, required bool, about string, limits ...string) apidocs.Row {
	return apidocs.Row{Inside: inside, Name: name, Type: apidocs.Type{Words: kind, Shape: shape},
		Required: required, About: about, Limits: limits}
}

func TestRead(t *testing.T) {
	m, err := apidocs.Read([]byte(small))
	testutil.Must(t, err)
	in := func(where, example string, r apidocs.Row) apidocs.Row { r.In, r.Example = where, example; return r }
	want := apidocs.Document{Title: "Small", Version: "2.0.0", About: "For a test.", Server: "http://127.0.0.1:1",
		Access: []apidocs.Access{{Name: "key", Scheme: "bearer", About: "A key."}},
		Errors: []contract.CodeInfo{contract.CodeNotFound.Info()},
		Shapes: smallShapes,
		Sections: []apidocs.Section{{ID: "things", Name: "Things", About: "All things.", Operations: []apidocs.Operation{{
			ID: "put", Method: "PUT", Path: "/things/{id}", Title: "Put a thing", Access: "key",
			Parameters: []apidocs.Row{in("path", "t-1", row("", "id", "string", "", true, "")),
				in("header", "it's", row("", "X-Why", "string", "", true, "", "one of a, b")),
				in("query", "", row("", "dry", "boolean", "", false, ""))},
			Body: &apidocs.Body{Example: smallExample, Rows: []apidocs.Row{
				row("", "name", "uuid", "", true, "", "1 to 9 characters"),
				row("", "parts", "array of object or null", "", false, "", "at most 2 elements"),
				row("parts[].", "n", "integer", "", true, "", "at least 0"),
				row("", "kind", "constant", "", false, "", "always x"),
				row("", "note", "uuid or null", "", false, "A note.", "1 to 9 characters"),
				row("", "one", "object", "", false, ""),
				row("one.", "n", "integer", "", true, "", "at least 0"),
			}},
			Answers: []apidocs.Answer{
				{Status: "200", About: "Put.", Type: apidocs.Type{Words: "array of Thing", Shape: "shape-Thing"},
					Example: "[\n  {\n    \"name\": \"ada\"\n  }\n]"},
				{Status: "204", About: "Nothing."},
				{Status: "400", About: "Bad.", Codes: []contract.Code{contract.CodeMalformedBody, contract.CodeInvalidToken}},
			},
			Samples: smallSamples,
		}}}},
	}
	if d := cmp.Diff(want, m); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

func TestReadRejectsInvalidDocuments(t *testing.T) {
	for what, change := range map[string][2]string{
		"a reference that leads nowhere": {`items: {$ref: "#/components/schemas/Thing"}`, `items: {$ref: "#/components/schemas/Think"}`},
		"a circle":                       {`Name: {type: string, format: uuid`, `Name: {$ref: "#/components/schemas/Name"`},
		"no operationId":                 {"operationId: put", "x: y"},
		"an invalid code":                {"[MALFORMED_BODY,", "[MALFORMED_BODIES,"},
		"a body without an example":      {"example: {name: ada, parts: [{n: 0}]}", ""},
		"an invalid scheme":              {"security: [{key: []}]", "security: [{basic: []}]"},
		"no YAML":                        {"openapi: 3.1.0", "openapi: ["},
		"an error without a code": {`"204": {description: Nothing.}`,
			`"409": {description: No., content: {application/json: {schema: {$ref: "#/components/schemas/Thing"}}}}`},
		"a list": {small, "[]"},
	} {
		if !strings.Contains(small, change[0]) {
			t.Fatalf("%s changes nothing", what)
		}
		if _, err := apidocs.Read([]byte(strings.Replace(small, change[0], change[1], 1))); err == nil {
			t.Errorf("%s is not found", what)
		}
	}
}
