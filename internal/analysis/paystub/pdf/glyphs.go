package pdf

import (
	_ "embed"
	"strconv"
	"strings"
)

// asciiRunes lists the characters of the names of the section ascii.
const asciiRunes = " !\"#$%&'()*+,-./0123456789:;<=>?@[\\]^_`{|}~"

//go:embed glyphs.txt
var glyphFile string

// glyphs has the names and widths of glyphs.txt by section.
var glyphs = func() map[string][]string {
	out := map[string][]string{}
	for part := range strings.SplitSeq(glyphFile, "\n[") {
		name, list, _ := strings.Cut(part, "]")
		out[name] = strings.Fields(list) // that of the head is not used
	}
	return out
}()

// standardWidths returns the widths of the standard font that is most similar to the font
// with the given name.
func standardWidths(base string) func(int) float64 {
	base = strings.ToLower(base)
	bold := strings.Contains(base, "bold")
	font := "helvetica"
	switch {
	case strings.Contains(base, "courier"):
		return func(int) float64 { return 600 }
	case strings.Contains(base, "times") && bold:
		font = "timesBold"
	case strings.Contains(base, "times"):
		font = "times"
	case bold:
		font = "helveticaBold"
	}
	table := glyphs[font]
	return func(c int) float64 {
		if c >= ' ' && c <= '~' {
			width, _ := strconv.ParseFloat(table[c-' '], 64)
			return width
		}
		return 556
	}
}
