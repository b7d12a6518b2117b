package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// feature is a feature that an oldest supported browser lacks.
type feature struct {
	kind, name string
	versions   string // "105 121 15.4": of Chrome, Firefox and Safari
	pattern    *regexp.Regexp
}

const browsersPage = "../../docs/reference/browsers.md"

// features reads testdata/newer.txt.
func features(t *testing.T) []feature {
	t.Helper()
	raw, err := os.ReadFile("testdata/newer.txt")
	if err != nil {
		t.Fatal(err)
	}
	var all []feature
	for line := range strings.Lines(string(raw)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		w := strings.Fields(line)
		name := regexp.QuoteMeta(strings.TrimPrefix(w[1], "@"))
		pattern := map[string]string{
			"property": `[{;]` + name + `:`,
			"selector": `::?` + name + `(?:[^\w-]|$)`,
			"rule":     `@` + name + `\b`,
			"media":    `@media[^{]*\(` + name + `\b`,
			"function": `[^\w-]` + name + `\(`,
			"unit":     `[\d.]` + name + `\b`,
		}[w[0]]
		if len(w) > 5 {
			pattern = w[5]
		}
		all = append(all, feature{w[0], w[1], strings.Join(w[2:5], " "), regexp.MustCompile(pattern)})
	}
	return all
}

// sourcesByKind returns what browsers get: built style sheets, their selectors, built scripts, and templates.
func sourcesByKind(t *testing.T) map[string]string {
	t.Helper()
	var styles, scripts, markup strings.Builder
	for _, p := range parties {
		all, err := collect("../..", p)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range all {
			switch filepath.Ext(a.name) {
			case ".css":
				styles.Write(a.content)
			case ".js":
				scripts.Write(a.content)
			}
		}
	}
	err := filepath.WalkDir("../../templates", func(path string, _ fs.DirEntry, err error) error {
		if filepath.Ext(path) != ".templ" {
			return err
		}
		raw, err := os.ReadFile(path)
		markup.Write(raw)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	css := styles.String()
	return map[string]string{"property": css, "value": css, "rule": css, "media": css, "function": css, "unit": css,
		"selector": strings.Join(preludes.FindAllString(css, -1), "\n"), "script": scripts.String(), "attribute": markup.String()}
}

// preludes are the selectors of rules, without at-rules.
var preludes = regexp.MustCompile(`[^@{};]+\{`)

// TestNewerFeatures compares the features that the oldest supported browsers lack, and that pages use,
// with the table in docs/reference/browsers.md, which says what those browsers get instead.
func TestNewerFeatures(t *testing.T) {
	raw, err := os.ReadFile(browsersPage)
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]string{}
	row := regexp.MustCompile("(?m)^\\| `([^`]+)` +\\| (\\S+) +\\| (\\S+) +\\| (\\S+) +\\| \\S")
	for _, m := range row.FindAllStringSubmatch(string(raw), -1) {
		documented[strings.TrimLeft(m[1], ":")] = strings.Join(m[2:5], " ")
	}
	sources := sourcesByKind(t)
	for _, f := range features(t) {
		used := f.pattern.FindString(sources[f.kind])
		switch versions, ok := documented[f.name]; {
		case used == "" && ok:
			t.Errorf("%s names %s, which is not used", browsersPage, f.name)
		case used != "" && !ok:
			t.Errorf("%q is used, and %s does not say what browsers without %s get", used, browsersPage, f.name)
		case ok && versions != f.versions:
			t.Errorf("%s gives %s the versions %q, want %q", browsersPage, f.name, versions, f.versions)
		}
		delete(documented, f.name)
	}
	for name := range documented {
		t.Errorf("%s names %s, which testdata/newer.txt lacks", browsersPage, name)
	}
}

// TestNewerSelectors checks that a selector which a browser may not know shares no rule with others, which
// the browser would drop with it, and is in no script, where it throws an error.
func TestNewerSelectors(t *testing.T) {
	sources := sourcesByKind(t)
	forgiving := regexp.MustCompile(`:(?:is|where)\([^()]*\)`)
	for _, f := range features(t) {
		if f.kind != "selector" {
			continue
		}
		for prelude := range strings.Lines(sources["selector"]) {
			list := splitList(forgiving.ReplaceAllString(strings.TrimSpace(prelude), ""))
			if n := len(matching(list, f.pattern)); n > 0 && n < len(list) {
				t.Errorf("%s is in a list with selectors that older browsers know: %s", f.name, prelude)
			}
		}
		if !strings.Contains(f.name, "-") && f.name != "has" {
			continue // looks like other code
		}
		if m := regexp.MustCompile(`:` + f.name + "[(\"'`,\\s]").FindString(sources["script"]); m != "" {
			t.Errorf("a script uses %s", m)
		}
	}
}

func matching(list []string, pattern *regexp.Regexp) (found []string) {
	for _, s := range list {
		if pattern.MatchString(s) {
			found = append(found, s)
		}
	}
	return found
}

// splitList splits a list of selectors at the commas that are in no parentheses.
func splitList(s string) []string {
	var list []string
	depth, from := 0, 0
	for i, c := range s {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth == 0 {
				list, from = append(list, s[from:i]), i+1
			}
		}
	}
	return append(list, s[from:])
}
