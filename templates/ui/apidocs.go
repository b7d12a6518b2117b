package ui

import (
	"context"
	"io"
	"strings"

	"github.com/a-h/templ"

	"vestibule/internal/apidocs"
	"vestibule/internal/i18n"
)

// APIDocsPage returns an API reference page: styles are the party's style sheet and the page's
// own; document is the address of the OpenAPI document.
func APIDocsPage(m apidocs.Document, styles []string, icon, document string) templ.Component {
	return APIDocs(Page{
		Lang: i18n.English, Title: m.Title, Description: "Every address, field and error code of " + m.Title + ".",
		Styles: styles, Icon: icon, Wide: true, Attrs: templ.Attributes{"data-page": "manual"},
		Links: []Link{{Text: "OpenAPI document", URL: document}},
	}, m)
}

// foldLines is the number of lines above which the page folds an example.
const foldLines = 24

func long(example string) bool { return strings.Count(example, "\n") > foldLines }

// piece is a part of a sentence; code marks text in backticks.
type piece struct {
	text string
	code bool
}

func pieces(words string) []piece {
	var out []piece
	for i, part := range strings.Split(words, "`") {
		if part != "" {
			out = append(out, piece{part, i%2 == 1})
		}
	}
	return out
}

// breaking returns a word that can break after each separator.
func breaking(word, after string) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		parts := strings.SplitAfter(word, after)
		for i, p := range parts {
			parts[i] = templ.EscapeString(p)
		}
		_, err := io.WriteString(w, strings.Join(parts, "<wbr>"))
		return err
	})
}

func methodTone(method string) Tone {
	switch method {
	case "GET":
		return Info
	case "POST":
		return Success
	case "DELETE":
		return Danger
	}
	return Warning
}

func statusTone(status string) Tone {
	switch status[:1] {
	case "2":
		return Success
	case "d":
		return Neutral
	}
	return Warning
}

// statusWords returns the status of a response. The default response is for server errors.
func statusWords(status string) string {
	if status == "default" {
		return "5xx"
	}
	return status
}

func schemeWords(a apidocs.Access) string {
	if a.Scheme == "basic" {
		return "Basic"
	}
	return "Bearer"
}

// accessWords returns the name of an operation's scheme.
func accessWords(m apidocs.Document, name string) string {
	for _, a := range m.Access {
		if a.Name == name {
			return schemeWords(a)
		}
	}
	return "none"
}
