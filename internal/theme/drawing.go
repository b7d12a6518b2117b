package theme

import (
	"net/url"
	"regexp"
	"strings"
)

// Limits of what a browser draws for an SVG, in which references repeat elements.
const (
	maxDrawn = 20_000 // elements, with those that are referred to
	maxUses  = 2      // levels of <use>
)

// drawing has the elements of an SVG in the order of the document.
type drawing struct {
	nodes []node
	open  []int          // the ancestors of the next element
	byID  map[string]int // the first element of each ID
	drawn int
}

type node struct {
	use        bool
	children   []int
	references []string
}

var paintReference = regexp.MustCompile(`(?i)url\(\s*#([^)\s]*)`)

// begin adds an element inside those that have begun and not ended.
func (d *drawing) begin(name string, attributes [][2]string) {
	at, n := len(d.nodes), node{use: name == "use"}
	for _, a := range attributes {
		if a[0] == "id" {
			if d.byID == nil {
				d.byID = map[string]int{}
			}
			if _, found := d.byID[a[1]]; !found {
				d.byID[a[1]] = at
			}
		}
		if a[0] == "href" {
			n.references = append(n.references, strings.TrimPrefix(a[1], "#"))
		}
		for _, m := range paintReference.FindAllStringSubmatch(a[1], -1) {
			n.references = append(n.references, m[1])
		}
	}
	d.nodes = append(d.nodes, n)
	if len(d.open) > 0 {
		parent := &d.nodes[d.open[len(d.open)-1]]
		parent.children = append(parent.children, at)
	}
	d.open = append(d.open, at)
}

func (d *drawing) end() { d.open = d.open[:len(d.open)-1] }

// fits draws an element and what it refers to, and reports whether all are within the limits.
func (d *drawing) fits(at, uses, depth int) bool {
	n := d.nodes[at]
	if n.use {
		uses++
	}
	if d.drawn++; d.drawn > maxDrawn || uses > maxUses || depth > 4*maxDepth {
		return false
	}
	for _, child := range n.children {
		if !d.fits(child, uses, depth+1) {
			return false
		}
	}
	for _, id := range n.references {
		if plain, err := url.PathUnescape(id); err == nil {
			id = plain
		}
		if to, found := d.byID[id]; found && !d.fits(to, uses, depth+1) {
			return false
		}
	}
	return true
}
