package docs_test

import (
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"vestibule/internal/testutil"
)

// TestLinksResolve follows the relative links of every page here and in the root folder
// to a file, and to a heading where they name one.
func TestLinksResolve(t *testing.T) {
	files, err := filepath.Glob("../*.md")
	testutil.Must(t, err)
	err = fs.WalkDir(os.DirFS("."), ".", func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".md") {
			files = append(files, path)
		}
		return err
	})
	testutil.Must(t, err)
	anchors, links := map[string]map[string]bool{}, map[string][]string{}
	for _, file := range files {
		anchors[file], links[file] = look(t, file)
	}
	followed := 0
	for file, all := range links {
		for _, link := range all {
			u, err := url.Parse(link)
			if err != nil {
				t.Errorf("%s: %q is not an address", file, link)
				continue
			}
			if u.Scheme != "" || strings.HasPrefix(link, "/") {
				continue
			}
			followed++
			to := filepath.Join(filepath.Dir(file), u.Path)
			if u.Path == "" {
				to = file
			}
			if _, err := os.Stat(to); err != nil {
				t.Errorf("%s leads to %s, which is not there", file, link)
			} else if known, ok := anchors[to]; ok && u.Fragment != "" && !known[u.Fragment] {
				t.Errorf("%s leads to %s, where there is no such heading", file, link)
			}
		}
	}
	if followed < 100 {
		t.Errorf("only %d links were followed", followed)
	}
}

// look returns the anchors and the links of a file. An anchor is a heading in lower
// case, without punctuation, its spaces as dashes: as code hosts and the portal
// make them.
func look(t *testing.T, file string) (map[string]bool, []string) {
	t.Helper()
	raw, err := os.ReadFile(file)
	testutil.Must(t, err)
	anchors, links := map[string]bool{}, []string(nil)
	tree := goldmark.New(goldmark.WithParserOptions(parser.WithAutoHeadingID())).Parser().Parse(text.NewReader(raw))
	err = ast.Walk(tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			words := strings.ToLower(string(n.Lines().Value(raw)))
			anchors[strings.ReplaceAll(punctuation.ReplaceAllString(words, ""), " ", "-")] = true
		case *ast.Link:
			links = append(links, string(n.Destination))
		case *ast.Image:
			links = append(links, string(n.Destination))
		}
		return ast.WalkContinue, nil
	})
	testutil.Must(t, err)
	return anchors, links
}

var punctuation = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
