package ui

import (
	"bytes"
	"html"
	"regexp"
	"strings"
	"testing"

	"vestibule/docs"
	"vestibule/internal/apidocs"
	"vestibule/internal/contract"
	"vestibule/internal/i18n"
)

// TestAPIDocsPage of both documents, and every link in it leads
// somewhere.
func TestAPIDocsPage(t *testing.T) {
	for name, source := range map[string]func() ([]byte, error){"provider": docs.OpenAPI, "portal": docs.PortalOpenAPI} {
		t.Run(name, func(t *testing.T) {
			raw, err := source()
			if err != nil {
				t.Fatal(err)
			}
			m, err := apidocs.Read(raw, "")
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			if err := APIDocs(Page{Lang: i18n.English, Title: m.Title, Wide: true}, m).Render(t.Context(), &out); err != nil {
				t.Fatal(err)
			}
			page := readPage(t, out.String())
			for _, s := range m.Sections {
				page.wants(t, s.ID, s.Name)
				for _, op := range s.Operations {
					page.wants(t, op.ID, op.Title)
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
				page.wants(t, s.ID, s.Name)
			}
			for _, c := range contract.Codes() {
				page.wants(t, "error-"+string(c.Code), string(c.Code))
			}
			for _, link := range page.links {
				if id, ok := strings.CutPrefix(link, "#"); ok && page.ids[id] == "" && id != "main" {
					t.Errorf("%s leads nowhere", link)
				}
			}
			if n := strings.Count(page.text, "%!"); n != 0 {
				t.Errorf("%d slips of a format", n)
			}
			for _, no := range []string{" style=", "<style", "<script", "javascript:", " onclick="} {
				if strings.Contains(out.String(), no) {
					t.Errorf("the page contains %q", no)
				}
			}
		})
	}
}

// page is what the test reads of HTML.
type page struct {
	ids   map[string]string // with the text of the element
	links []string
	text  string
}

func (p page) wants(t *testing.T, id, words string) {
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
