// Package strictyaml decodes configuration files, and says in plain words what is wrong
// with them.
package strictyaml

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strings"

	yaml "go.yaml.in/yaml/v3"
)

// Decode decodes one YAML document and rejects unknown keys. An empty document leaves into
// unchanged. The error has one line for each fault.
func Decode(raw []byte, into any) error {
	d := yaml.NewDecoder(bytes.NewReader(raw))
	d.KnownFields(true)
	if err := d.Decode(into); err != nil && !errors.Is(err, io.EOF) {
		return plain(err)
	}
	if err := d.Decode(new(any)); !errors.Is(err, io.EOF) {
		return errors.New("contains more than one document")
	}
	return nil
}

// DecodeNode decodes one node of a document as Decode does. The error has no line numbers.
func DecodeNode(n *yaml.Node, into any) error {
	raw, err := yaml.Marshal(n)
	if err != nil {
		return err
	}
	if err := Decode(raw, into); err != nil {
		return errors.New(lineNumber.ReplaceAllString(err.Error(), ""))
	}
	return nil
}

var (
	lineNumber = regexp.MustCompile(`(?m)^line \d+: `)
	unknownKey = regexp.MustCompile(`field (\S+) not found in type \S+`)
	repeated   = regexp.MustCompile(`mapping key ("[^"]*") already defined at line \d+`)
	wrongType  = regexp.MustCompile("cannot unmarshal !!(\\w+)( `.*`)? into \\S+")
	kinds      = map[string]string{"seq": "a list", "map": "keys with values"}
)

// plain rephrases an error of the YAML decoder, which names types of Go.
func plain(err error) error {
	var faults *yaml.TypeError
	if !errors.As(err, &faults) {
		return errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
	}
	text := strings.Join(faults.Errors, "\n")
	text = unknownKey.ReplaceAllString(text, "the key $1 is unknown")
	text = repeated.ReplaceAllString(text, "the key $1 is there twice")
	return errors.New(wrongType.ReplaceAllStringFunc(text, func(fault string) string {
		m := wrongType.FindStringSubmatch(fault)
		if kind := kinds[m[1]]; kind != "" {
			return kind + " cannot be used here"
		}
		return "the value" + m[2] + " cannot be used here"
	}))
}
