package httpx

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestCleanFileName(t *testing.T) {
	for name, want := range map[string]string{
		"stub.pdf":                            "stub.pdf",
		`C:\Users\Ada\stub.pdf`:               "stub.pdf",
		"../../etc/passwd":                    "passwd",
		"nómina marzo.pdf":                    "nómina marzo.pdf",
		"a\x00b\r\nc.pdf":                     "abc.pdf",
		"\xffstub":                            "stub",
		"":                                    "",
		"stub\u202efdp.exe":                   "stubfdp.exe",
		"\u2066a\u2069\u200f\u061c\u200e.pdf": "a.pdf",
		"a\u200b\ufeff\u00ad\u2060b.pdf":      "ab.pdf",
		"a\u2028b\u2029c\u0085.pdf":           "abc.pdf",
		"a\U000e0041\ue000.pdf":               "a.pdf",
		"年末調整 – März.pdf":                     "年末調整 – März.pdf",
		strings.Repeat("ñ", 200) + ".pdf":     strings.Repeat("ñ", maxFileName-10) + strings.Repeat("ñ", 6) + ".pdf",
	} {
		if got := CleanFileName(name); got != want {
			t.Errorf("CleanFileName(%q) = %q, want %q", name, got, want)
		}
	}
}

// FuzzCleanFileName checks that every cleaned name is one line of bounded text and not
// a path.
func FuzzCleanFileName(f *testing.F) {
	for _, name := range []string{"stub.pdf", `C:\\fakepath\\stub.pdf`, "../../etc/passwd", "a\x00b\r\n.pdf",
		"\xff\xfe", strings.Repeat("é", 300) + ".pdf", "/", " ", "\u202efdp.exe"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		got := CleanFileName(name)
		if !utf8.ValidString(got) || utf8.RuneCountInString(got) > maxFileName ||
			strings.ContainsAny(got, "/\\\r\n\x00\u202e\u2066\u200f\u2028") || got != strings.TrimSpace(got) || CleanFileName(got) != got {
			t.Fatalf("CleanFileName(%q) = %q", name, got)
		}
	})
}
