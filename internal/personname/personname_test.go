package personname

import (
	_ "embed"
	"slices"
	"strings"
	"testing"
)

//go:embed testdata/pairs.tsv
var pairs string

// TestPairs compares the pairs of names of testdata/pairs.tsv.
func TestPairs(t *testing.T) {
	n := 0
	for line := range strings.Lines(pairs) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		n++
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		notes, same := Compare(f[0], f[1], f[2])
		got := "no"
		if same {
			got = "-"
			for i, note := range notes {
				if got += " " + string(note); i == 0 {
					got = string(note)
				}
			}
		}
		if got != f[3] {
			t.Errorf("stated %q, %q, found %q: %s, want %s", f[0], f[1], f[2], got, f[3])
		}
	}
	if n < 430 {
		t.Errorf("%d pairs, want 430", n)
	}
}

func TestSplit(t *testing.T) {
	for full, want := range map[string][]string{
		"John Smith":              {"John", "Smith", ""},
		"JOHN A SMITH JR":         {"JOHN A", "SMITH", "JR"},
		"SMITH, JOHN A":           {"JOHN A", "SMITH", ""},
		"García López, Ana María": {"Ana María", "García López", ""},
		"John Smith, Jr.":         {"John", "Smith", "Jr."},
		"Madonna":                 {"Madonna", "", ""},
		"":                        {"", "", ""},
	} {
		given, family, suffix := Split(full)
		if got := []string{given, family, suffix}; !slices.Equal(got, want) {
			t.Errorf("Split(%q) = %q, want %q", full, got, want)
		}
	}
}

// TestForms checks that each name of a line is in small letters without accents, and that no nickname is
// short for itself.
func TestForms(t *testing.T) {
	for line := range strings.Lines(formLines) {
		f := strings.Fields(line)
		if f[0] == "#" {
			continue
		}
		if f[0] != "nickname" && f[0] != "spelling" || len(f) < 3 {
			t.Errorf("%q is neither a nickname nor a spelling", line)
		}
		for i, w := range f[1:] {
			if fold(w) != w || slices.Contains(f[1:i+1], w) {
				t.Errorf("%q of %q is not folded, or repeated", w, line)
			}
		}
	}
}

func FuzzCompare(f *testing.F) {
	f.Add("John A", "Smith Jr", "SMITH, JOHN & JANE Y MARIA LOPEZ")
	f.Add("", "", ",,")
	f.Fuzz(func(t *testing.T, given, family, found string) {
		Split(found)
		Compare(given, family, found)
	})
}
