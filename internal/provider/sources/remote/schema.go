package remote

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"vestibule/docs"
)

// schemas compiles the schemas of docs/connector.openapi.yaml, which bound every answer.
var schemas = sync.OnceValues(func() (map[string]*jsonschema.Schema, error) {
	raw, err := docs.ConnectorOpenAPI()
	if err != nil {
		return nil, err
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	if err := c.AddResource("connector.json", document); err != nil {
		return nil, err
	}
	out := map[string]*jsonschema.Schema{}
	for _, name := range []string{"Institutions", "Authorization", "Grant", "Payroll", "File", "DisputeReceipt", "Error"} {
		if out[name], err = c.Compile("connector.json#/components/schemas/" + name); err != nil {
			return nil, err
		}
	}
	return out, nil
})

// validate checks an answer by a schema of the document. The error names the place of the
// first fault, and never quotes the answer.
func validate(schema string, body []byte) error {
	all, err := schemas()
	if err != nil {
		return err
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return errors.New("the answer is not a JSON document")
	}
	err = all[schema].Validate(value)
	fault := (*jsonschema.ValidationError)(nil)
	if !errors.As(err, &fault) {
		return err
	}
	for len(fault.Causes) > 0 {
		fault = fault.Causes[0]
	}
	at := "/" + strings.Join(fault.InstanceLocation, "/")
	return fmt.Errorf("the answer does not fit the schema %s: %s: %s", schema, at, expected(fault.ErrorKind))
}

// expected says what a schema requires, without quoting the answer.
func expected(fault jsonschema.ErrorKind) string {
	switch k := fault.(type) {
	case *kind.Required:
		return "missing " + strings.Join(k.Missing, ", ")
	case *kind.Type:
		return "must be " + strings.Join(k.Want, " or ")
	case *kind.Enum:
		return fmt.Sprintf("must be one of %v", k.Want)
	case *kind.Format:
		return "must have the format " + k.Want
	}
	return "see " + strings.Join(fault.KeywordPath(), "/")
}
