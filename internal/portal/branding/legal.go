package branding

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"vestibule/internal/i18n"
)

// document reads a legal text in every language, and reports whether there is one.
func (l *loader) document(name string, files texts) bool {
	if len(files) == 0 {
		return false
	}
	l.out.legal[name] = map[i18n.Lang]string{}
	for lang := range files {
		if !lang.Spoken() {
			l.problem("legal."+name, fmt.Errorf("%q is not a language of these pages", lang))
		}
	}
	for _, lang := range i18n.Languages() {
		field := "legal." + name + "." + string(lang)
		if files[lang] == "" {
			l.problem(field, fmt.Errorf("there is no text in %s", lang.Name()))
			continue
		}
		raw, err := l.read(files[lang], maxText)
		if err == nil {
			l.out.legal[name][lang], err = render(raw, filepath.Ext(files[lang]))
		}
		l.problem(field, err)
	}
	return true
}

// render converts a text to HTML. Its top headings rank directly below the page's
// heading.
func render(raw []byte, extension string) (string, error) {
	if !utf8.Valid(raw) || len(bytes.TrimSpace(raw)) == 0 {
		return "", errors.New("is empty, or no UTF-8")
	}
	switch strings.ToLower(extension) {
	case ".txt":
		return plain(string(raw)), nil
	case ".md":
	default:
		return "", errors.New("must be a .md or .txt file")
	}
	md := goldmark.New()
	tree := md.Parser().Parse(text.NewReader(raw))
	top := 6
	for n := tree.FirstChild(); n != nil; n = n.NextSibling() {
		if h, ok := n.(*ast.Heading); ok {
			top = min(top, h.Level)
		}
	}
	err := ast.Walk(tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.RawHTML, *ast.HTMLBlock:
			return ast.WalkStop, errors.New("has HTML in it, which is not shown: write Markdown alone")
		case *ast.Image:
			return ast.WalkStop, errors.New("has a picture in it, which is not shown")
		case *ast.Heading:
			if entering {
				n.Level = min(max(n.Level-top, 0)+2, 6)
			}
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	err = md.Renderer().Render(&b, raw, tree)
	return b.String(), err
}

// plain converts plain text to HTML paragraphs.
func plain(s string) string {
	var b strings.Builder
	for paragraph := range strings.SplitSeq(strings.ReplaceAll(s, "\r\n", "\n"), "\n\n") {
		if paragraph = strings.TrimSpace(paragraph); paragraph != "" {
			b.WriteString("<p>" + strings.ReplaceAll(html.EscapeString(paragraph), "\n", "<br>\n") + "</p>\n")
		}
	}
	return b.String()
}
