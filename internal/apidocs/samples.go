package apidocs

import (
	_ "embed"
	"regexp"
	"strconv"
	"strings"
	"text/template"

	"go.yaml.in/yaml/v3"
)

// Sample is code in a language that sends the example request of an operation.
type Sample struct{ Language, Code string }

// languages are the names of the templates of samples, in the order of the samples.
var languages = []string{"curl", "Go", "JavaScript", "Python"}

//go:embed samples.tmpl
var sampleText string

var sampleTemplates = template.Must(template.New("").Funcs(template.FuncMap{
	"shell":  shellWord,
	"raw":    goLiteral,
	"quote":  strconv.Quote,
	"indent": func(by, code string) string { return strings.ReplaceAll(code, "\n", "\n"+by) },
	"python": pythonLiteral,
}).Parse(sampleText))

// request is an example request. Environment variables have the credentials.
type request struct {
	Method, URL string
	Basic       bool   // authentication by CLIENT_ID and SECRET_KEY
	Bearer      string // variable of the token; empty for none
	Headers     []struct{ Name, Value string }
	Body        string // JSON; empty for none
}

// samples returns code that calls the operation with its required data and the parameters
// that have examples.
func (r *reader) samples(o Operation, parameters []*yaml.Node) []Sample {
	req := request{Method: o.Method}
	path := o.Path
	var query []string
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
			req.Headers = append(req.Headers, struct{ Name, Value string }{name, value})
		}
	}
	if len(query) > 0 {
		path += "?" + strings.Join(query, "&")
	}
	req.URL = r.server + path
	if a, ok := r.access[o.Access]; ok {
		if req.Basic = a.Scheme == "basic"; !req.Basic {
			req.Bearer = strings.ToUpper(a.Name)
		}
	}
	if o.Body != nil {
		req.Body = o.Body.Example
	}
	var out []Sample
	for _, language := range languages {
		var code strings.Builder
		if err := sampleTemplates.ExecuteTemplate(&code, language, req); err != nil {
			r.fail("sample in %s: %w", language, err)
		}
		out = append(out, Sample{language, code.String()})
	}
	return out
}

// shellWord returns s as one word for the shell.
func shellWord(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// goLiteral returns s as a literal of Go, over several lines if possible.
func goLiteral(s string) string {
	if strings.Contains(s, "`") {
		return strconv.Quote(s)
	}
	return "`" + s + "`"
}

var (
	jsonWords   = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|\b(?:true|false|null)\b`)
	pythonWords = map[string]string{"true": "True", "false": "False", "null": "None"}
)

// pythonLiteral returns JSON as a literal of Python.
func pythonLiteral(code string) string {
	return jsonWords.ReplaceAllStringFunc(code, func(word string) string {
		if in, ok := pythonWords[word]; ok {
			return in
		}
		return word
	})
}
