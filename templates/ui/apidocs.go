package ui

import (
	"context"
	"io"
	"regexp"
	"strings"

	"github.com/a-h/templ"

	"vestibule/internal/apidocs"
	"vestibule/internal/contract"
	"vestibule/internal/i18n"
)

// APIDocsPages returns the pages of an API reference by their paths: an overview at base, and
// below it a page for each section, the schemas, and the error codes. document is the address
// of the OpenAPI document. p has the assets: the style sheet and the script apidocs.
func APIDocsPages(m apidocs.Document, base, document string, p Page) map[string]templ.Component {
	p.Lang, p.Description, p.Wide = i18n.English, "Every address, field and error code of "+m.Title+".", true
	p.Attrs = templ.Attributes{"data-page": "apidocs"}
	p.Links = []Link{{Text: "OpenAPI document", URL: document}}
	of := referencePage{Document: m, base: base, pages: map[string]string{}}
	for _, s := range m.Sections {
		for _, op := range s.Operations {
			of.pages[op.ID] = s.ID
		}
	}
	for _, s := range m.Shapes {
		of.pages[s.ID] = schemasPage
	}
	for _, c := range m.Errors {
		of.pages[errorID(c.Code)] = errorsPage
	}
	all := map[string]templ.Component{}
	add := func(id, title string, content func(referencePage) templ.Component) {
		of, p := of, p
		of.page, p.Title = id, m.Title
		if title != "" {
			p.Title = title + " · " + m.Title
		}
		all[of.path(id)] = apiDocs(p, of, content(of))
	}
	add("", "", overview)
	for _, s := range m.Sections {
		add(s.ID, s.Name, func(of referencePage) templ.Component { return section(of, s) })
	}
	add(schemasPage, "Schemas", shapes)
	add(errorsPage, "Error codes", errorCodes)
	return all
}

// Pages that every reference has beside its sections.
const (
	schemasPage = "schemas"
	errorsPage  = "errors"
)

// referencePage is one page of a reference.
type referencePage struct {
	apidocs.Document
	base  string            // path of the overview
	page  string            // of this page: id of a section, schemasPage or errorsPage; empty for the overview
	pages map[string]string // by the ids of operations, shapes and error codes
}

func (m referencePage) path(page string) string {
	if page == "" {
		return m.base
	}
	return m.base + "/" + page
}

// link returns the address of an operation, shape or error code.
func (m referencePage) link(id string) templ.SafeURL {
	if m.pages[id] == m.page {
		return templ.SafeURL("#" + id)
	}
	return templ.SafeURL(m.path(m.pages[id]) + "#" + id)
}

func errorID(c contract.Code) string { return "error-" + string(c) }

// search returns the words that an operation is found by, beside its title: its path, and
// the names of its fields.
func search(op apidocs.Operation) string {
	words := []string{op.Method, op.Path, op.ID}
	for _, r := range op.Parameters {
		words = append(words, r.Name)
	}
	if op.Body != nil {
		for _, r := range op.Body.Rows {
			words = append(words, r.Name)
		}
	}
	return strings.Join(words, " ")
}

// tokenPath returns the path of the operation that exchanges the credentials for a token;
// empty without such an operation.
func (m referencePage) tokenPath() string {
	for _, s := range m.Sections {
		for _, op := range s.Operations {
			if op.Method == "GET" && strings.HasSuffix(op.Path, "/accesstoken") {
				return op.Path
			}
		}
	}
	return ""
}

// accessOf returns the scheme of an operation: basic, bearer, or "".
func (m referencePage) accessOf(op apidocs.Operation) string {
	for _, a := range m.Access {
		if a.Name == op.Access {
			return a.Scheme
		}
	}
	return ""
}

// given returns the value that a form for a parameter begins with.
func given(r apidocs.Row) string {
	if r.Name == "X-ENVIRONMENT" {
		return string(contract.Sandbox)
	}
	return r.Example
}

// Tokens of JSON, of shell commands and of the samples' languages.
var tokens = regexp.MustCompile(`"(?:[^"\\\n]|\\.)*"(\s*:)?|'[^'\n]*'|-?\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b|` +
	`\b(?:true|false|null|curl|True|False|None|nil|const|await|import|return|defer)\b|(?m)(?:^|\s)-{1,2}[A-Za-z]+\b`)

// Colored marks up the tokens of code.
func Colored(code string) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		var out strings.Builder
		end := 0
		for _, at := range tokens.FindAllStringSubmatchIndex(code, -1) {
			token := code[at[0]:at[1]]
			kind := "word"
			switch {
			case at[2] >= 0:
				kind = "key"
			case token[0] == '"', token[0] == '\'':
				kind = "text"
			case token[len(token)-1] >= '0' && token[len(token)-1] <= '9':
				kind = "number"
			}
			out.WriteString(templ.EscapeString(code[end:at[0]]))
			out.WriteString(`<span class="token-` + kind + `">` + templ.EscapeString(token) + `</span>`)
			end = at[1]
		}
		out.WriteString(templ.EscapeString(code[end:]))
		_, err := io.WriteString(w, out.String())
		return err
	})
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
func accessWords(m referencePage, name string) string {
	for _, a := range m.Access {
		if a.Name == name {
			return schemeWords(a)
		}
	}
	return "none"
}
