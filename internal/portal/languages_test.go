package portal_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"vestibule/internal/contract"
	"vestibule/internal/store"
	"vestibule/internal/testutil/storetest"
)

// spoken lists the directories with texts for applicants.
var spoken = []string{"internal/contract", "internal/prefill", "internal/journey", "internal/redirect", "internal/portal", "templates/ui", "templates/portal"}

// TestEveryWordIsThereInEveryLanguage reads the sources: each text of the applicant's
// pages has English and Spanish as plain strings, and each further language
// translates all of them.
func TestEveryWordIsThereInEveryLanguage(t *testing.T) {
	all := map[contract.Words]string{}
	for _, dir := range spoken {
		err := filepath.WalkDir(filepath.Join("../..", dir), func(path string, d fs.DirEntry, err error) error {
			name := filepath.Base(path)
			if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
				return err
			}
			// Texts for reviewers contain numbers, and have two languages.
			reviewers := strings.Contains(path, "/review/")
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				lit, ok := n.(*ast.CompositeLit)
				if !ok {
					return true
				}
				w, found, plain := wordsOf(lit)
				switch {
				case !found:
				case !plain && !reviewers:
					t.Errorf("%s: a text is put together of parts: no other language could say it", path)
				case plain && (w.EN == "" || w.ES == ""):
					t.Errorf("%s: %q, %q: a language is missing", path, w.EN, w.ES)
				case plain && !reviewers:
					all[w] = path
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(all) < 200 {
		t.Fatalf("only %d texts were found", len(all))
	}
	var texts []contract.Words
	for w := range all {
		texts = append(texts, w)
	}
	for _, l := range contract.Languages() {
		for _, w := range l.Lacks(texts) {
			t.Errorf("%s has no words for %q (%s)", l.Name, w.EN, all[w])
		}
	}
}

// wordsOf reads a composite literal with both texts; plain reports whether both are
// string literals.
func wordsOf(lit *ast.CompositeLit) (w contract.Words, found, plain bool) {
	if name := typeName(lit.Type); name == "Words" && len(lit.Elts) == 2 {
		if _, keyed := lit.Elts[0].(*ast.KeyValueExpr); !keyed {
			en, ok1 := text(lit.Elts[0])
			es, ok2 := text(lit.Elts[1])
			return contract.Words{EN: en, ES: es}, true, ok1 && ok2
		}
	}
	plain = true
	for _, e := range lit.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			return w, false, false
		}
		key, _ := kv.Key.(*ast.Ident)
		if key == nil || key.Name != "EN" && key.Name != "ES" {
			return w, false, false
		}
		s, ok := text(kv.Value)
		plain = plain && ok
		if key.Name == "EN" {
			w.EN = s
		} else {
			w.ES = s
		}
	}
	return w, len(lit.Elts) > 0, plain
}

func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

func text(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		s, err := strconv.Unquote(e.Value)
		return s, err == nil && e.Kind == token.STRING
	case *ast.BinaryExpr:
		a, ok1 := text(e.X)
		b, ok2 := text(e.Y)
		return a + b, ok1 && ok2 && e.Op == token.ADD
	}
	return "", false
}

// TestTheLanguageGoesAlong checks that the language is kept from page to page, and
// passed to the service if the browser prefers another.
func TestTheLanguageGoesAlong(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		r := newTestServer(t, db)
		for _, c := range []struct{ chosen, browsers, there string }{
			{"es", "en-US,en;q=0.9", "?lang=es"}, {"es", "es-MX", ""}, {"", "es-MX", ""}, {"en", "es-MX", "?lang=en"}, {"xx", "fr", ""},
		} {
			b := r.browser()
			if c.chosen != "" {
				b.do("GET", "/?lang="+c.chosen, "", "", "Accept-Language", c.browsers)
			}
			lang := c.chosen
			if c.chosen == "" {
				lang = "es"
			} else if c.chosen == "xx" {
				lang = "en"
			}
			if p := b.do("GET", "/apply/cashflow", "", "", "Accept-Language", c.browsers); !strings.Contains(p.body, `<html lang="`+lang+`"`) {
				t.Errorf("%+v: the form is not in %s", c, lang)
			}
			for _, mode := range []string{"redirect", "redirect-form"} {
				p := b.do("GET", b.apply("mode", mode)+"/connect", "", "", "Accept-Language", c.browsers)
				to := p.location
				if m := regexp.MustCompile(`<form method="post" action="([^"]+)"`).FindStringSubmatch(p.body); m != nil {
					to = m[1]
				}
				if _, query, _ := strings.Cut(to, "/redirect/"); !strings.Contains(to, "/redirect/") || strings.Contains(query, "?") != (c.there != "") || !strings.HasSuffix(to, c.there) {
					t.Errorf("%+v, %s: on to %q, want it to end with %q", c, mode, to, c.there)
				}
			}
		}
	})
}
