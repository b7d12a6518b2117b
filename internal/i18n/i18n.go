// Package i18n holds the texts that people read, by key and in every language, and
// writes numbers and dates as each language does.
//
// The catalogue is one file per language, messages/LANG.json: an object from keys to
// texts. A key says where the text is and what it says, such as
// "apply.first_name.label". Parameters are named: "Return to {company}". A text that
// depends on a number has two keys, KEY.one and KEY.other; see N.
//
// Every language falls back to English. TestCatalogue keeps the files in order and
// TestKeys checks that each key that the program uses exists, with the parameters that
// it gives, and that each key of the catalogue is used.
//
// In the browser's module the package holds the few texts that run there, which
// generate writes to messages_js.go.
package i18n

//go:generate go run ./generate

// Lang is a language of the interface, as in <html lang>.
type Lang string

const (
	English Lang = "en"
	Spanish Lang = "es"
)

// Key names a text of the catalogue; "" means no text.
type Key string

// T returns the text of a key in a language, with args in place of its parameters:
//
//	i18n.T(l, "visit.end.return", "company", v.Customer)
//
// An unknown key is returned unchanged.
func T(l Lang, k Key, args ...string) string {
	if k == "" {
		return ""
	}
	text, ok := lookup(l, k)
	if !ok {
		return string(k)
	}
	if len(args) == 0 {
		return text
	}
	return fill(text, args)
}

// fill puts args, which are names and values in turn, in place of {name} in text. Other
// names are kept.
func fill(text string, args []string) string {
	out := ""
	start := 0
	for i := 0; i < len(text); i++ {
		if text[i] != '{' {
			continue
		}
		end := i + 1
		for end < len(text) && text[end] != '}' {
			end++
		}
		for a := 0; a+1 < len(args) && end < len(text); a += 2 {
			if text[i+1:end] == args[a] {
				out += text[start:i] + args[a+1]
				start, i = end+1, end
				break
			}
		}
	}
	return out + text[start:]
}
