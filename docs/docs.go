// Package docs embeds the OpenAPI documents (openapi.yaml for the service,
// portal-openapi.yaml for the portal's API, connector.openapi.yaml for connectors) and
// the guides that the portal shows. The documents are written by hand; openapitest checks
// every answer of the API tests against them. This package only converts them to JSON, keeping their order, and puts
// the files of reports/ in place of the external values that name them.
package docs

//go:generate go run ./notice ../NOTICE
//go:generate go test -vet=off -run ^TestPortalDocumentHasTheReports$ -update .

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"go.yaml.in/yaml/v3"
)

//go:embed openapi.yaml
var provider []byte

//go:embed portal-openapi.yaml
var portal []byte

//go:embed connector.openapi.yaml
var connector []byte

// Reports of the sandbox: copies of golden files (TestReportExamplesMatchTheSandbox).
//
//go:embed reports
var reports embed.FS

//go:embed tutorials/back-end.md tutorials/embed.md tutorials/redirect.md how-to/webhooks.md how-to/production.md
//go:embed how-to/another-provider.md reference/troubleshooting.md
var guides embed.FS

// Guides lists the pages that the portal shows to developers, by their paths without
// ".md", in reading order. The last element of a path is unique.
func Guides() []string {
	return []string{"tutorials/back-end", "tutorials/embed", "tutorials/redirect", "how-to/webhooks", "how-to/production",
		"how-to/another-provider", "reference/troubleshooting"}
}

// Guide returns the Markdown of a guide.
func Guide(name string) ([]byte, error) { return guides.ReadFile(name + ".md") }

// Functions that return a document as JSON. They convert it in the first call, and return
// the same bytes in each.
var (
	OpenAPI          = sync.OnceValues(func() ([]byte, error) { return toJSON(provider) })  // of the service
	PortalOpenAPI    = sync.OnceValues(func() ([]byte, error) { return toJSON(portal) })    // of the portal's API
	ConnectorOpenAPI = sync.OnceValues(func() ([]byte, error) { return toJSON(connector) }) // of the protocol of connectors
)

// Served returns a function that returns a document with the address at which it is served, in place of that of
// make run, as its server and in its examples.
func Served(document func() ([]byte, error), server string) func() ([]byte, error) {
	return sync.OnceValues(func() ([]byte, error) {
		raw, err := document()
		if err != nil {
			return nil, err
		}
		var parts struct{ Servers json.RawMessage }
		var servers []struct {
			Variables struct{ Host struct{ Default string } }
		}
		if err := errors.Join(json.Unmarshal(raw, &parts), json.Unmarshal(parts.Servers, &servers)); err != nil {
			return nil, fmt.Errorf("docs: %w", err)
		}
		own, err := json.Marshal([]map[string]string{{"url": server, "description": "The address of this document."}})
		if err != nil {
			return nil, fmt.Errorf("docs: %w", err)
		}
		raw = bytes.Replace(raw, parts.Servers, own, 1)
		return bytes.ReplaceAll(raw, []byte("http://"+servers[0].Variables.Host.Default), []byte(server)), nil
	})
}

func toJSON(source []byte) ([]byte, error) {
	var root yaml.Node
	if err := yaml.Unmarshal(source, &root); err != nil {
		return nil, fmt.Errorf("docs: %w", err)
	}
	var out bytes.Buffer
	if err := write(&out, &root); err != nil {
		return nil, fmt.Errorf("docs: %w", err)
	}
	return out.Bytes(), nil
}

// write writes a node as JSON and keeps the order of mappings, which a Go map would
// lose.
func write(out *bytes.Buffer, n *yaml.Node) error {
	switch n.Kind {
	case yaml.DocumentNode:
		return write(out, n.Content[0])
	case yaml.MappingNode:
		out.WriteByte('{')
		for i := 0; i < len(n.Content); i += 2 {
			if i > 0 {
				out.WriteByte(',')
			}
			if n.Content[i].Value == "externalValue" {
				if err := include(out, n.Content[i+1].Value); err != nil {
					return err
				}
				continue
			}
			if err := encode(out, n.Content[i].Value); err != nil {
				return err
			}
			out.WriteByte(':')
			if err := write(out, n.Content[i+1]); err != nil {
				return err
			}
		}
		out.WriteByte('}')
		return nil
	case yaml.SequenceNode:
		out.WriteByte('[')
		for i, item := range n.Content {
			if i > 0 {
				out.WriteByte(',')
			}
			if err := write(out, item); err != nil {
				return err
			}
		}
		out.WriteByte(']')
		return nil
	case yaml.ScalarNode:
		var value any
		if err := n.Decode(&value); err != nil {
			return err
		}
		return encode(out, value)
	}
	return fmt.Errorf("line %d: anchors have no place here", n.Line)
}

// include writes the value of an example that is in a file.
func include(out *bytes.Buffer, file string) error {
	raw, err := reports.ReadFile(file)
	if err != nil {
		return err
	}
	out.WriteString(`"value":`)
	return json.Compact(out, raw)
}

func encode(out *bytes.Buffer, v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	out.Write(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
	return nil
}
