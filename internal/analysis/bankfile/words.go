package bankfile

import (
	"cmp"
	_ "embed"
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// wordList has a table, a value and a word per line: what names of columns, types, statuses,
// banks and months mean in exports, in several languages.
//
//go:embed words.tsv
var wordList string

// words maps words, as plain returns them, to their values, by table. signatures lists the
// names of columns that together tell the kind of an account, unread the formats that are known and not read.
var words, signatures, unread = loadWords()

type signature struct {
	kind    string
	columns []string       // as headerKey returns them
	head    *regexp.Regexp // of a format's text in capitals
}

func loadWords() (all map[string]map[string]string, sets []signature, formats []signature) {
	all = map[string]map[string]string{}
	for line := range strings.Lines(wordList) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		switch f[0] {
		case "signature":
			s := signature{kind: f[1]}
			for name := range strings.SplitSeq(f[2], " + ") {
				s.columns = append(s.columns, headerKey(name))
			}
			sets = append(sets, s)
			continue
		case "unread":
			formats = append(formats, signature{kind: f[1], head: regexp.MustCompile(f[2])})
			continue
		}
		if all[f[0]] == nil {
			all[f[0]] = map[string]string{}
		}
		key := plain(f[2])
		if f[0] == "header" {
			key = headerKey(f[2])
		}
		all[f[0]][key] = f[1]
	}
	return all, sets, formats
}

// plain returns a text in lower case, without accents, its words separated by single spaces.
// A text without letters and digits is only trimmed.
func plain(s string) string {
	out := strings.Join(strings.FieldsFunc(strings.ToLower(norm.NFD.String(s)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.Mn, r)
	}), " ")
	out = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, out)
	if out == "" {
		return strings.TrimSpace(s)
	}
	return out
}

var unitOfHeader = regexp.MustCompile(`\s*\((?:[A-Z]{3}|(?i:euros?|pesos|soles|reais|dollars)|[A-Z]{0,3}[^A-Za-z)]*)\)|\s+` +
	`(?:[iIeE][nN] )?(?:USD|EUR|GBP|CAD|AUD|CHF|MXN|SEK|NOK|DKK|PLN|INR|UAH|NZD|COP|CLP|PEN|DOP|UTC|(?i:euros?))$`)

// headerKey returns a column's name without its currency, in lower case without marks and
// spaces: RunningBalance, Running Bal. (USD).
func headerKey(name string) string {
	return strings.ReplaceAll(plain(unitOfHeader.ReplaceAllString(strings.TrimSpace(name), "")), " ", "")
}

// meaningOf returns the meaning of a column's name, or of the parts of a name in two languages if all
// are known and agree.
func meaningOf(name string) (meaning string) {
	if meaning = words["header"][headerKey(name)]; meaning != "" {
		return meaning
	}
	parts := strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune("/|()", r) })
	if len(parts) == 1 {
		parts = strings.Fields(name)
	}
	alike := strings.NewReplacer("posted", "date", "memo", "text", "account", "number")
	for _, part := range parts {
		v := words["header"][headerKey(part)]
		if meaning = cmp.Or(meaning, v); v == "" || alike.Replace(v) != alike.Replace(meaning) {
			return ""
		}
	}
	return meaning
}

// find returns the value of the longest word of a table that a text contains, or empty;
// labelOf of the longest that it begins with.
func find(table, text string) string { return longest(table, text, strings.Contains) }

func labelOf(table, text string) string { return longest(table, text, strings.HasPrefix) }

func longest(table, text string, has func(s, part string) bool) (value string) {
	length, text := 0, " "+plain(text)+" "
	for word, v := range words[table] {
		if len(word) > length && has(text, " "+word+" ") {
			length, value = len(word), v
		}
	}
	return value
}

// lookUp returns the value of a word, or else of up to five words in it if they agree.
func lookUp(table, text string) string {
	key := plain(text)
	if v, ok := words[table][key]; ok {
		return v
	}
	parts, value := strings.Fields(key), ""
	if len(parts) > 5 {
		return ""
	}
	for _, word := range parts {
		if v := words[table][word]; v != "" && len(word) > 2 {
			if value != "" && strings.TrimPrefix(value, "mostly ") != strings.TrimPrefix(v, "mostly ") {
				return ""
			}
			value = v
		}
	}
	return value
}
