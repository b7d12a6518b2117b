package developers

import (
	"bytes"
	"errors"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"vestibule/docs"
	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	portalui "vestibule/templates/portal"
)

// rendered is a guide as HTML.
type rendered struct {
	title, html string
	contents    []portalui.Section
}

// guides renders all guides to HTML, once.
var guides = sync.OnceValues(func() (map[string]rendered, error) {
	out := map[string]rendered{}
	for _, file := range docs.Guides() {
		raw, err := docs.Guide(file)
		name := path.Base(file)
		if err != nil {
			return nil, err
		}
		if out[name], err = render(raw); err != nil {
			return nil, err
		}
	}
	return out, nil
})

func (h *Handler) guide(w http.ResponseWriter, r *http.Request) error {
	all, err := guides()
	if err != nil {
		return err
	}
	g, ok := all[r.PathValue("guide")]
	if !ok {
		return httpx.NewError(contract.CodeNotFound, errors.New("no such guide"))
	}
	here := strings.NewReplacer("http://localhost:8080", h.URL, "http://127.0.0.1:8081", h.ProviderURL)
	httpx.SetSecurityHeaders(w, httpx.CSP{})
	return httpx.HTML(w, r, http.StatusOK,
		portalui.GuidePage(portalui.Guide{Base: h.Applicants.Base(r), Name: r.PathValue("guide"), Title: g.title, HTML: here.Replace(g.html),
			Contents: g.contents}))
}

// render converts a guide to HTML: its first heading becomes the title, other
// headings get anchors, and links are mapped to the portal's pages. Raw HTML is
// dropped.
func render(raw []byte) (rendered, error) {
	md := goldmark.New(goldmark.WithExtensions(extension.Table), goldmark.WithParserOptions(parser.WithAutoHeadingID()))
	tree := md.Parser().Parse(text.NewReader(raw))
	var out rendered
	var title ast.Node
	var removed []ast.Node
	err := ast.Walk(tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			switch {
			case n.Level == 1 && title == nil:
				title, out.title = n, plainText(n, raw)
			case n.Level == 2:
				id, _ := n.AttributeString("id")
				anchor, _ := id.([]byte)
				out.contents = append(out.contents, portalui.Section{ID: string(anchor), Title: plainText(n, raw)})
			}
		case *ast.HTMLBlock, *ast.RawHTML:
			removed = append(removed, n)
		case *ast.Link:
			if to, ok := mapLink(string(n.Destination)); ok {
				n.Destination = []byte(to)
			} else {
				removed = append(removed, n)
			}
		}
		return ast.WalkContinue, nil
	})
	if err != nil || title == nil {
		return out, errors.Join(err, errors.New("developers: a guide without a title"))
	}
	for _, n := range append(removed, title) {
		parent := n.Parent()
		if _, link := n.(*ast.Link); link { // keep the link's text
			for c := n.FirstChild(); c != nil; c = n.FirstChild() {
				parent.InsertBefore(parent, n, c)
			}
		}
		parent.RemoveChild(parent, n)
	}
	var b bytes.Buffer
	if err := md.Renderer().Render(&b, raw, tree); err != nil {
		return out, err
	}
	// Make scrollable blocks focusable, for keyboard users. Text cannot match these
	// tags, since it is escaped.
	out.html = strings.NewReplacer("<pre>", `<div class="code"><pre tabindex="0">`, "</pre>", "</pre></div>",
		"<table>", `<div class="scroll" tabindex="0"><table>`, "</table>", "</table></div>", "<th></th>", "<td></td>").Replace(b.String())
	return out, nil
}

// mapLink maps a link of a guide to an address on the portal; false if the portal does
// not have the page.
func mapLink(to string) (string, bool) {
	u, err := url.Parse(to)
	if err != nil {
		return "", false
	}
	if u.Scheme != "" || u.Path == "" {
		return to, true
	}
	if path.Base(u.Path) == "portal-openapi.yaml" {
		return "/api/v1/docs", true
	}
	name, ok := strings.CutSuffix(path.Base(u.Path), ".md")
	isGuide := func(file string) bool { return path.Base(file) == name }
	if ok && slices.ContainsFunc(docs.Guides(), isGuide) {
		u.Path = "/developers/guides/" + name
		return u.String(), true
	}
	return to, strings.HasPrefix(to, "/")
}

func plainText(n ast.Node, raw []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := n.(*ast.Text); ok && entering {
			b.Write(t.Segment.Value(raw))
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}
