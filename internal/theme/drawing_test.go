package theme

import (
	"strings"
	"testing"
)

func TestCleanLimitsWhatIsDrawn(t *testing.T) {
	svg := func(body string) []byte { return []byte(`<svg viewBox="0 0 10 10">` + body + `</svg>`) }
	uses := func(id string, n int) string { return strings.Repeat(`<use href="#`+id+`"/>`, n) }
	for name, c := range map[string]struct {
		body    string
		refused bool
	}{
		"two levels":          {`<g id="a"><path/></g><g id="b">` + uses("a", 2) + `</g>` + uses("b", 2), false},
		"three levels":        {`<g id="a"><path/></g><g id="b">` + uses("a", 1) + `</g><g id="c">` + uses("b", 1) + `</g>` + uses("c", 1), true},
		"itself":              {`<g id="a">` + uses("a", 1) + `</g>`, true},
		"many shapes":         {`<g id="a">` + strings.Repeat("<path/>", 300) + `</g><g id="b">` + uses("a", 100) + `</g>`, true},
		"an escaped name":     {`<g id="a">` + strings.Repeat("<path/>", 300) + `</g><g id="b">` + uses("%61", 100) + `</g>`, true},
		"many masks":          {`<mask id="m">` + strings.Repeat("<g/>", 300) + `</mask>` + strings.Repeat(`<path mask="url(#m)"/>`, 100), true},
		"a gradient's parent": {`<linearGradient id="a"/><linearGradient id="b" href="#a"/><path fill="url(#b)"/>`, false},
	} {
		_, err := Clean("svg", svg(c.body))
		if refused := err != nil && strings.Contains(err.Error(), "draws more than"); refused != c.refused {
			t.Errorf("%s: %v", name, err)
		}
	}
}
