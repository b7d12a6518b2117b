//go:build !js

package i18n

import (
	"embed"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

//go:embed messages/*.json
var files embed.FS

// catalogue is never modified.
var catalogue = load()

func load() map[Lang]map[Key]string {
	out := map[Lang]map[Key]string{}
	entries, err := files.ReadDir("messages")
	if err != nil {
		panic(err)
	}
	for _, e := range entries {
		raw, err := files.ReadFile("messages/" + e.Name())
		if err != nil {
			panic(err)
		}
		var texts map[Key]string
		if err := json.Unmarshal(raw, &texts); err != nil {
			panic("i18n: " + e.Name() + ": " + err.Error())
		}
		out[Lang(strings.TrimSuffix(e.Name(), ".json"))] = texts
	}
	return out
}

func lookup(l Lang, k Key) (string, bool) {
	if text, ok := catalogue[l][k]; ok {
		return text, true
	}
	text, ok := catalogue[English][k]
	return text, ok
}

// Languages lists the languages in the order of the language switch: English, Spanish
// and further ones. The first is the default.
func Languages() []Lang { return append([]Lang(nil), languages...) }

var languages = order()

func order() []Lang {
	out := []Lang{English, Spanish}
	for l := range catalogue {
		if l != English && l != Spanish {
			out = append(out, l)
		}
	}
	slices.Sort(out[2:])
	return out
}

// Spoken reports whether the catalogue has the language.
func (l Lang) Spoken() bool { return catalogue[l] != nil }

// Name returns the language's name in itself.
func (l Lang) Name() string { return T(l, "language.name") }

// Group is the part of a key before a code: the text of the code "ready" in the group
// "review.states" has the key "review.states.ready". A space in a code is an underscore
// in the key.
type Group string

// Code returns the text of a code in a group, or the code if it has none: another
// provider may send codes that the catalogue does not know.
func Code[C ~string](l Lang, g Group, code C) string {
	if text, ok := Find(l, g, code); ok {
		return text
	}
	return string(code)
}

// Find returns the text of a code in a group, if it has one.
func Find[C ~string](l Lang, g Group, code C) (string, bool) {
	return lookup(l, Key(string(g)+"."+strings.ReplaceAll(string(code), " ", "_")))
}

// N returns the text of k.one for the number 1, and of k.other for any other number.
// Its parameter {n} is the number.
func N(l Lang, k Key, n int, args ...string) string {
	form := Key(".other")
	if n == 1 {
		form = ".one"
	}
	return T(l, k+form, append([]string{"n", Count(n)}, args...)...)
}

// Count formats a number of things.
func Count(n int) string { return Grouped(strconv.Itoa(n)) }

// Grouped formats a number with commas for thousands.
func Grouped(s string) string {
	start := strings.IndexFunc(s, func(r rune) bool { return r >= '0' && r <= '9' })
	for i := strings.IndexByte(s+".", '.') - 3; start >= 0 && i > start; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
