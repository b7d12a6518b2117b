package ui

import (
	"bytes"
	"cmp"
	"html"
	"regexp"
	"strings"
	"testing"

	"vestibule/docs"
	"vestibule/internal/apidocs"
	"vestibule/internal/contract"
	"vestibule/internal/testutil"
)

// TestAPIDocsPages checks that the references of both documents are complete, and that
// every link leads somewhere.
func TestAPIDocsPages(t *testing.T) {
	for name, source := range map[string]func() ([]byte, error){"provider": docs.OpenAPI, "portal": docs.PortalOpenAPI} {
		t.Run(name, func(t *testing.T) {
			raw, err := source()
			testutil.Must(t, err)
			m, err := apidocs.Read(raw)
			testutil.Must(t, err)
			of := map[string]page{}
			for path, component := range APIDocsPages(m, "/docs", "/openapi.json", Page{}) {
				var out bytes.Buffer
				testutil.Must(t, component.Render(t.Context(), &out))
				of[path] = readPage(t, out.String())
				for _, no := range []string{" style=", "<style", "javascript:", " onclick=", "%!"} {
					if strings.Contains(out.String(), no) {
						t.Errorf("%s contains %q", path, no)
					}
				}
			}
			if len(of) != len(m.Sections)+3 {
				t.Errorf("%d pages of %d sections", len(of), len(m.Sections))
			}
			for _, s := range m.Sections {
				page := of["/docs/"+s.ID]
				of["/docs"].requireText(t, "section-"+s.ID, s.Name)
				for _, op := range s.Operations {
					of["/docs"].requireText(t, op.ID, op.Title)
					page.requireText(t, op.ID, op.Title)
					if op.Body != nil && !strings.Contains(page.text, op.Body.Example) {
						t.Errorf("%s: the example of the body is missing", op.ID)
					}
					for _, row := range op.Parameters {
						if !strings.Contains(page.text, row.Name) {
							t.Errorf("%s: %s is missing", op.ID, row.Name)
						}
					}
				}
			}
			for _, s := range m.Shapes {
				of["/docs/schemas"].requireText(t, s.ID, s.Name)
			}
			for _, c := range contract.Codes() {
				of["/docs/errors"].requireText(t, "error-"+string(c.Code), string(c.Code))
			}
			for path, page := range of {
				for _, link := range page.links {
					to, id, _ := strings.Cut(link, "#")
					there, ok := of[cmp.Or(to, path)]
					if !ok && link != "/openapi.json" || id != "" && id != "main" && there.ids[id] == "" {
						t.Errorf("%s: %s leads nowhere", path, link)
					}
				}
			}
		})
	}
}

// TestColored checks that the tokens of code are marked up, and its text is unchanged.
func TestColored(t *testing.T) {
	const code = "curl -s 'https://h/x' \\\n  -H \"A: b\"\n{\"a\": [1.5, true, \"<b>\", null]}"
	var out bytes.Buffer
	testutil.Must(t, Colored(code).Render(t.Context(), &out))
	const want = `<span class="token-word">curl</span><span class="token-word"> -s</span> ` +
		`<span class="token-text">&#39;https://h/x&#39;</span> \` + "\n " +
		`<span class="token-word"> -H</span> <span class="token-text">&#34;A: b&#34;</span>` + "\n" +
		`{<span class="token-key">&#34;a&#34;:</span> [<span class="token-number">1.5</span>, <span class="token-word">true</span>, ` +
		`<span class="token-text">&#34;&lt;b&gt;&#34;</span>, <span class="token-word">null</span>]}`
	if got := out.String(); got != want {
		t.Errorf("got\n%s, want\n%s", got, want)
	}
	if text := readPage(t, "<pre>"+out.String()+"</pre>").text; text != code {
		t.Errorf("the text became %q", text)
	}
}

// page is what the test reads of HTML.
type page struct {
	ids   map[string]string // with the text of the element
	links []string
	text  string
}

func (p page) requireText(t *testing.T, id, words string) {
	t.Helper()
	if !strings.Contains(p.ids[id], words) {
		t.Errorf("%s is missing, or is %q instead of %q", id, p.ids[id], words)
	}
}

var (
	tag       = regexp.MustCompile(`<(/?)([a-z][a-z0-9]*)([^>]*)>`)
	attribute = regexp.MustCompile(`([a-z-]+)="([^"]*)"`)
	void      = regexp.MustCompile(`^(meta|link|input|br|wbr)$`)
)

// readPage parses HTML strictly: every element ends, in order, and every id is
// unique.
func readPage(t *testing.T, source string) page {
	t.Helper()
	p := page{ids: map[string]string{}}
	var open, ids []string // the open elements and their ids; empty for none
	var all strings.Builder
	at := 0
	for _, m := range tag.FindAllStringSubmatchIndex(source, -1) {
		text := html.UnescapeString(source[at:m[0]])
		at = m[1]
		all.WriteString(text)
		for _, id := range ids {
			if id != "" {
				p.ids[id] += text
			}
		}
		name := source[m[4]:m[5]]
		if source[m[2]:m[3]] == "/" {
			if len(open) == 0 || open[len(open)-1] != name {
				t.Fatalf("</%s> ends %v", name, open)
			}
			open, ids = open[:len(open)-1], ids[:len(ids)-1]
			continue
		}
		id := ""
		for _, a := range attribute.FindAllStringSubmatch(source[m[6]:m[7]], -1) {
			switch a[1] {
			case "id":
				id = a[2]
				if _, twice := p.ids[id]; twice {
					t.Errorf("the id %s is there twice", id)
				}
				p.ids[id] = ""
			case "href":
				p.links = append(p.links, a[2])
			}
		}
		if !void.MatchString(name) {
			open, ids = append(open, name), append(ids, id)
		}
	}
	if len(open) > 0 {
		t.Errorf("never ended: %v", open)
	}
	p.text = all.String()
	return p
}
