package httpx

import (
	"strings"
	"unicode"
)

// maxFileName bounds a file's name, in characters.
const maxFileName = 120

// CleanFileName returns the name of an uploaded file without folders and of bounded
// length. Control and format characters are left out: marks of direction among them
// would show one ending for another, and lines break a list.
func CleanFileName(name string) string {
	if i := strings.LastIndexAny(name, `/\`); i >= 0 {
		name = name[i+1:]
	}
	name = strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co) || r == unicode.ReplacementChar {
			return -1
		}
		return r
	}, strings.ToValidUTF8(name, ""))
	if all := []rune(strings.TrimSpace(name)); len(all) > maxFileName {
		name = string(all[:maxFileName-10]) + string(all[len(all)-10:]) // the ending tells
	}
	return strings.TrimSpace(name)
}
