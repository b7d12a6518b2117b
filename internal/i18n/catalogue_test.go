package i18n_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vestibule/internal/i18n"
)

// ofReviewers are the beginnings of keys whose texts reviewers, staff and developers
// read: a further language may lack them.
var ofReviewers = []string{"dashboard.", "developers.", "review."}

// load reads a file of the catalogue.
func load(t *testing.T, l i18n.Lang) map[string]string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("messages", string(l)+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var texts map[string]string
	if err := json.Unmarshal(raw, &texts); err != nil {
		t.Fatalf("%s: %v", l, err)
	}
	var sorted bytes.Buffer
	e := json.NewEncoder(&sorted)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(texts); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(raw, sorted.Bytes()) {
		t.Errorf("%s.json is not sorted by key, has a key twice, or is not indented by two spaces", l)
	}
	return texts
}

var (
	keyShape  = regexp.MustCompile(`^[a-z0-9_]+(\.[A-Za-z0-9_-]+)+$`)
	parameter = regexp.MustCompile(`\{[a-z0-9_]+\}`)
)

// parameters lists the parameters of a text, each once.
func parameters(text string) []string {
	all := parameter.FindAllString(text, -1)
	slices.Sort(all)
	return slices.Compact(all)
}

// TestCatalogue compares the languages: each has every key, with the same parameters.
func TestCatalogue(t *testing.T) {
	english := load(t, i18n.English)
	for _, l := range i18n.Languages() {
		texts := load(t, l)
		for _, k := range slices.Sorted(maps.Keys(english)) {
			further := l != i18n.English && l != i18n.Spanish
			text, there := texts[k]
			switch {
			case !there && further && slices.ContainsFunc(ofReviewers, func(p string) bool { return strings.HasPrefix(k, p) }):
			case text == "":
				t.Errorf("%s has no text for %s: %q", l, k, english[k])
			case !slices.Equal(parameters(text), parameters(english[k])):
				t.Errorf("%s: the parameters of %q and %q differ", k, english[k], text)
			}
		}
		for k := range texts {
			if _, there := english[k]; !there {
				t.Errorf("%s has %s, which English lacks", l, k)
			}
			if !keyShape.MatchString(k) {
				t.Errorf("%s is not a key such as \"apply.first_name.label\"", k)
			}
		}
	}
}

func TestT(t *testing.T) {
	for _, c := range []struct{ name, got, want string }{
		{"a text", i18n.T(i18n.Spanish, "status.reference"), "Referencia"},
		{"no key", i18n.T(i18n.Spanish, ""), ""},
		{"an unknown key", i18n.T(i18n.Spanish, "Lake Avenue"), "Lake Avenue"},
		{"an unknown language", i18n.T("xx", "status.reference"), "Reference"},
		{"parameters", i18n.T(i18n.English, "visit.confirm_country.text", "bank", "{company}", "company", "Tern"),
			"We’ll get your credit history from {company} and share it with Tern."},
		{"a parameter without a value", i18n.T(i18n.English, "visit.end.return", "bank", "Tern"), "Return to {company}"},
		{"one", i18n.N(i18n.English, "visit.documents.added", 1), "1 file added"},
		{"none", i18n.N(i18n.Spanish, "visit.documents.added", 0), "0 archivos agregados"},
		{"a code", i18n.Code(i18n.Spanish, "review.states", "ready"), "Lista"},
		{"a code with a space", i18n.Code(i18n.English, "dashboard.states", "given up"), "failed"},
		{"an unknown code", i18n.Code(i18n.Spanish, "review.states", "NEW"), "NEW"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.name, c.got, c.want)
		}
	}
	if _, ok := i18n.Find(i18n.English, "review.states", "NEW"); ok {
		t.Error("an unknown code was found")
	}
	if i18n.Lang("xx").Spoken() || !i18n.Spanish.Spoken() || i18n.Spanish.Name() != "Español" {
		t.Error("the languages are others")
	}
}

// unwritten are what texts for people do not contain: straight quotes, a space before an
// ellipsis or dots in its place, and in English the long form of what people contract.
var unwritten = map[i18n.Lang]*regexp.Regexp{
	i18n.English: regexp.MustCompile(`['"]|\s…|\.\.\.|(?i)\b(?:(?:do|does|did|can|could|will|would|has|have|is|are|was|were) ?not|` +
		`tries|whoever|of its own accord|the company you are)\b`),
	i18n.Spanish: regexp.MustCompile(`['"]|\s…|\.\.\.|(?i)\b(?:recibos? de (?:pago|nómina)|cuentas? corrientes?)\b`),
}

// TestWords finds what CONTRIBUTING.md asks texts to avoid. The letter's texts are those of
// its regulation's model form.
func TestWords(t *testing.T) {
	for lang, avoided := range unwritten {
		for k, text := range load(t, lang) {
			if strings.HasPrefix(k, "review.letter.") {
				continue
			}
			if found := avoided.FindString(text); found != "" {
				t.Errorf("%s: %s has %q: %s", lang, k, found, text)
			}
		}
	}
}
